//! The command line of the program `kaeshi`. The work is done by the crates below `crates/`:
//!
//! | crate | contents |
//! |---|---|
//! | `kaeshi-core` | the traits of a game, the driver of a search, the transposition table, SIMD, random numbers |
//! | `kaeshi-shogi`, `kaeshi-reversi`, `kaeshi-sygo` | rules, notation, evaluation and search of one game each |
//! | `kaeshi-engine` | the games by name; USI, UGI, UCI, GTP and NBoard |
//! | `kaeshi-records` | record forms and the referee |
//! | `kaeshi-learn` | self-play, its files, and learning from them |
//! | `kaeshi-match`, `kaeshi-analysis`, `kaeshi-train`, `kaeshi-play`, `kaeshi-lab`, `kaeshi-cluster` | the tools |
//!
//! # Rules of any game
//!
//! ```
//! let rules = kaeshi_records::referee::rules_by_name("shogi")?;
//! let mut board = rules.board(None)?;
//! assert_eq!(board.turns().len(), 30);
//! board.play("7g7f")?;
//! let refusal = board.play("7g7f").unwrap_err();
//! assert!(refusal.to_string().contains("7g7f"));
//! # Ok::<(), kaeshi_core::game::GameError>(())
//! ```
//!
//! # Game records
//!
//! ```
//! for item in kaeshi_records::read(b"position startpos moves 7g7f 3c3d", None) {
//!     let record = item.expect("a position line");
//!     assert_eq!(record.game.name(), "shogi");
//!     assert_eq!(record.plies.len(), 2);
//! }
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod cli;
pub mod help;
pub mod log_sink;
mod usage;
