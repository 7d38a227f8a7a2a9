//! The traits of a game, and the driver that searches it.
//!
//! | module | contents |
//! |---|---|
//! | [`game`] | the traits of a game and of one search thread of it; options, scores, positions as cells |
//! | [`driver`] | options, clock, worker pool, iterative deepening, MultiPV, pondering, transposition table |
//! | [`reference`](mod@reference) | minimax, alpha-beta and the selective search over any game: the oracle of the tests |
//! | [`simd`] | code compiled for several generations of processors |
//! | [`random`], [`product`], [`time`], [`tunable`] | random numbers; wide products; clocks; parameters of a search by name |
//!
//! A game implements the traits that [`game::Game`] sums up, and [`game::Worker`]; [`driver::Engine`] then plays it.
//! The parameters of its search have names, by which files and tuning change them:
//!
//! ```
//! use kaeshi_core::tunable::Tunable;
//! use serde::{Deserialize, Serialize};
//!
//! /// The parameters of a search.
//! #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
//! #[serde(default, deny_unknown_fields)]
//! struct Parameters {
//!     razor_margin: i32,
//!     exploration: f64,
//! }
//!
//! impl Default for Parameters {
//!     fn default() -> Parameters {
//!         Parameters { razor_margin: 300, exploration: 0.5 }
//!     }
//! }
//!
//! impl Tunable for Parameters {
//!     const TUNABLE: &'static [(&'static str, f64)] = &[("razor_margin", 50.0), ("exploration", 0.1)];
//! }
//!
//! let tuned = Parameters::default().with_tunable(&[260.4, 0.61]);
//! assert_eq!(tuned, Parameters { razor_margin: 260, exploration: 0.61 });
//! assert_eq!(tuned.to_text(), "exploration = 0.61\nrazor_margin = 260\n");
//! ```

#![warn(missing_docs)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod driver;
pub mod files;
pub mod game;
pub mod json;
pub mod mutex;
pub mod product;
pub mod random;
pub mod reference;
pub mod simd;
pub mod stderr;
pub mod threads;
pub mod time;
pub mod tunable;
pub mod visible;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub mod wasm_host;
