//! The games by name, and the protocols that drive their engines.
//!
//! ```
//! use kaeshi_core::driver::clock::Limits;
//! use kaeshi_core::driver::event::EngineEvent;
//! use kaeshi_engine::games::GameName;
//!
//! let (events, answers) = crossbeam_channel::unbounded();
//! let mut engine = GameName::Reversi.engine(events)?;
//! engine.set_position("startpos", &["f5"])?;
//! engine.go(Limits { depth: Some(4), ..Limits::none() });
//! engine.wait();
//! assert!(answers.try_iter().any(|event| matches!(event, EngineEvent::Best(_))));
//! # Ok::<(), kaeshi_core::game::GameError>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod dialect;
pub mod games;
pub mod protocol;
#[cfg(feature = "tictactoe")]
pub mod tictactoe;
pub mod utc;
pub mod version;
