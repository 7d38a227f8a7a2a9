//! Engines as processes, and what is done with them: tournaments, games on CSA servers, the check of a protocol.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use kaeshi_match::dialogue::engine_process::leftovers::ProcessReaper;
//! use kaeshi_match::dialogue::player::{EnginePlayer, EngineTimeouts};
//! use kaeshi_match::dialogue::speaker::GameStart;
//! use kaeshi_match::tournament::config::{Config, EngineConfig};
//! use kaeshi_match::tournament::engine_spec::resolve;
//! use kaeshi_match::roster::Roster;
//! use kaeshi_records::referee::rules_by_name;
//!
//! // An engine of engines.toml, at ten thousand nodes a move.
//! let engine = EngineConfig::from_words(&["conf=kaeshi".to_owned(), "nodes=10000".to_owned()])?;
//! let spec = resolve(&engine, &Config::default(), &Roster::load(None)?, "reversi")?;
//! let mut player = EnginePlayer::new(Arc::new(spec), Arc::new(ProcessReaper::default()), EngineTimeouts::scaled(1.0), None);
//! let start = GameStart::usual(&*rules_by_name("reversi")?, None).map_err(anyhow::Error::msg)?;
//! player.try_start(&start)?;
//! # Ok::<(), anyhow::Error>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod check;
pub mod csa;
pub mod dialogue;
pub mod engines;
pub mod roster;
pub mod tournament;
pub mod value_errors;
