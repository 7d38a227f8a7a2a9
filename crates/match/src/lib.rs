//! Engines as processes, and what is done with them: tournaments, games on CSA servers, the check of a protocol.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod check;
pub mod csa;
pub mod dialogue;
pub mod engines;
pub mod furigoma;
pub mod match_runner;
pub mod roster;
