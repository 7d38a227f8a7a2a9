//! Statistics of a match: score, Elo, likelihood of superiority, and the sequential test.
//!
//! Everything here is a pure function of counts. The unit is the *pair*: one opening played twice
//! with the colours exchanged, because the two games of a pair are not independent; single games
//! (the trinomial view) are kept beside it for comparison.
//!
//! ```
//! use kaeshi_statistics::sprt::settings::{SprtModel, SprtSettings};
//! use kaeshi_statistics::{ResultCounts, Sprt, SprtVerdict};
//!
//! // 1,600 pairs by half points of the first engine: LL, LD, DD and WL, WD, WW.
//! let mut counts = ResultCounts::empty(false);
//! for (half_points, pairs) in [80, 320, 640, 400, 160].into_iter().enumerate() {
//!     (0..pairs).for_each(|_| counts.add(half_points));
//! }
//! let elo = counts.elo().expect("more than one result");
//! println!("{:.1} ± {:.1} Elo", elo.value, elo.error());
//!
//! let model = SprtModel::Logistic;
//! let sprt = Sprt::new(SprtSettings { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05, model }, false)?;
//! assert_eq!(sprt.verdict(&counts, 0), SprtVerdict::AcceptH1);
//! # Ok::<(), kaeshi_statistics::sprt::BadSprt>(())
//! ```

#![warn(missing_docs)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod accuracy;
pub mod counts;
pub mod elo;
pub mod elo_model;
pub mod exact;
pub mod likelihood;
pub mod normal;
pub mod ratings;
pub mod simulation;
pub mod sprt;
pub mod spsa;

pub use counts::ResultCounts;
pub use elo::Interval;
pub use sprt::{Sprt, SprtDecision, SprtMonitor, SprtVerdict};
