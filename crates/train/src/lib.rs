//! What a game offers besides play (self-play, training, tuning, books, solving), and the commands for it.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod commands;
pub mod reversi;
pub mod shogi;
pub mod sygo;
pub mod tasks;
