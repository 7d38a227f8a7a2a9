//! The tasks of a game besides play (self-play, training, tuning, books, solving), and their commands.
//!
//! ```no_run
//! use clap::Parser;
//! use kaeshi_train::commands::train;
//!
//! #[derive(Parser)]
//! struct Line {
//!     #[command(flatten)]
//!     train: train::TrainArgs,
//! }
//!
//! // As `kaeshi train --help` describes it.
//! let words = ["train", "--game", "reversi", "--out", "weights.bin", "games"];
//! Line::try_parse_from(words)?.train.run()?;
//! # Ok::<(), anyhow::Error>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod commands;
pub mod reversi;
pub mod shogi;
pub mod sygo;
pub mod tasks;
