//! What reports and pages for the browser share.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod document;
pub mod files;
pub mod looks;
pub mod svg;
pub mod text;
pub mod web;
