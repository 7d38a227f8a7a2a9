//! Perft, the bench, and the article's searches compared.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod bench;
pub mod perft;
