//! Kaeshi: one engine for the three games in which pieces turn over.
//!
//! A line of text comes in, loses its protocol in [`protocol`], and is a typed
//! [`protocol::Command`] from there on; [`engine`] turns it into a search by a pool of
//! [`game::Worker`]s; their [`engine::event::Event`]s get their protocol back at the single writer.
//!
//! | module | what is in it |
//! |---|---|
//! | [`game`], [`games`] | what a game, and one search thread of it, must provide; the three by name |
//! | [`reference`](mod@reference) | the searches of the article that the project began with: the oracle of the tests |
//! | [`engine`] | the driver: options, clock, worker pool, iterative deepening, transposition table |
//! | [`protocol`] | USI, UGI and their like; the loop over stdin and stdout |
//! | [`simd`] | code compiled for several generations of processors |
//! | [`shogi`], [`reversi`], [`sygo`] | rules, evaluation and search of one game each |
//! | [`selfplay`], [`blocks`], [`random`] | the driver of self-play, files of blocks with checksums, random numbers |
//! | [`tasks`] | what a game may offer besides play: self-play, training, tuning, books, solving |
//! | [`files`] | reading of files: regular ones, each kind up to a bound |
//! | [`output`] | files that are there whole or not at all, bars on the terminal |
//! | [`tunable`] | parameters of a search by name, for tuning |
//! | [`records`] | game records and position lists of every usual form |
//! | [`referee`] | the rules of any game behind one object |
//! | [`store`] | results that outlive the program |
//! | [`utc`] | times as journals and logs write them |
//! | [`version`] | the version that the program states |
//! | [`dialogue`] | engines as processes |
//! | [`statistics`] | Elo, the sequential test, SPSA |
//! | [`page`] | what reports and pages for the browser share |
//! | [`tools`] | what a person runs besides a GUI: perft, bench, match … |
//!
//! # Rules of any game
//!
//! ```
//! let rules = kaeshi::referee::rules_by_name("shogi")?;
//! let mut board = rules.board(None)?;
//! assert_eq!(board.turns().len(), 30);
//! board.play("7g7f")?;
//! let refusal = board.play("7g7f").unwrap_err();
//! assert!(refusal.to_string().contains("7g7f"));
//! # Ok::<(), kaeshi::game::Rejected>(())
//! ```
//!
//! # Game records
//!
//! ```
//! use kaeshi::records;
//!
//! for item in records::read(b"position startpos moves 7g7f 3c3d", None) {
//!     let record = item.expect("a position line");
//!     assert_eq!(record.game.name(), "shogi");
//!     assert_eq!(record.plies.len(), 2);
//! }
//! ```
//!
//! # A search
//!
//! ```
//! use kaeshi::engine::clock::Limits;
//! use kaeshi::engine::event::Event;
//! use kaeshi::games::GameName;
//!
//! let (events, answers) = crossbeam_channel::unbounded();
//! let mut engine = GameName::Reversi.engine(events)?;
//! engine.set_position("startpos", &["f5"])?;
//! engine.go(Limits { depth: Some(4), ..Limits::none() });
//! engine.wait();
//! assert!(answers.try_iter().any(|event| matches!(event, Event::Best(_))));
//! # Ok::<(), kaeshi::game::Rejected>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod background;
pub mod blocks;
pub mod cli;
pub mod dialect;
pub mod dialogue;
pub mod engine;
pub mod files;
pub mod game;
pub mod games;
mod lock;
pub mod log_sink;
pub mod output;
pub mod page;
pub mod protocol;
pub mod random;
pub mod records;
pub mod referee;
pub mod reference;
pub mod reversi;
pub mod selfplay;
pub mod shogi;
pub mod simd;
pub mod statistics;
pub mod stop_signal;
pub mod store;
pub mod sygo;
pub mod tasks;
mod threads;
#[cfg(test)]
mod tictactoe;
pub mod tools;
pub mod tunable;
pub mod utc;
pub mod version;
