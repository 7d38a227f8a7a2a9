//! What the games of a match say: score, Elo, likelihood of superiority, and the sequential test.
//!
//! Everything here is a pure function of counts. The unit is the *pair*: one opening played twice
//! with the colours exchanged, because the two games of a pair are not independent; single games
//! (the trinomial view) are kept beside it for comparison.

#![warn(missing_docs)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod accuracy;
pub mod counts;
pub mod elo;
pub mod exact;
pub mod likelihood;
pub mod normal;
pub mod ratings;
pub mod simulation;
pub mod sprt;
pub mod spsa;

pub use counts::Counts;
pub use elo::Interval;
pub use sprt::{Decision, Sprt, Verdict, Watch};
