//! What a game must provide, and the driver that searches it.
//!
//! | module | contents |
//! |---|---|
//! | [`game`] | the traits of a game and of one search thread of it; options, scores, positions as cells |
//! | [`driver`] | options, clock, worker pool, iterative deepening, MultiPV, pondering, transposition table |
//! | [`reference`](mod@reference) | minimax, alpha-beta and the selective search over any game: the oracle of the tests |
//! | [`simd`] | code compiled for several generations of processors |
//! | [`random`], [`time`], [`tunable`] | random numbers; clocks; parameters of a search by name |

#![warn(missing_docs)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod driver;
pub mod files;
pub mod game;
pub mod json;
pub mod random;
pub mod reference;
pub mod simd;
pub mod threads;
pub mod time;
pub mod tunable;
