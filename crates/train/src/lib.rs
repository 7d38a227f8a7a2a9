//! Self-play, training, tuning, books and solving: what a game offers besides play, and the commands for it.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod blocks;
pub mod commands;
pub mod reversi;
pub mod selfplay;
pub mod shogi;
pub mod sygo;
pub mod tasks;
