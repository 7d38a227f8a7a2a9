//! Analysis of games and positions, and the store of its results.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod analyse;
pub mod store;
