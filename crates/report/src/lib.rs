//! The code that reports and pages for the browser share.
//!
//! ```
//! use kaeshi_report::svg::Chart;
//!
//! let mut chart = Chart::new("Elo", ("pairs", "Elo"), (0.0, 200.0), (-20.0, 20.0)).x_ticks();
//! chart.line("value", &[(0.0, 0.0), (100.0, 12.5), (200.0, 8.0)]);
//! chart.rule("bound", 5.0, "H1");
//! assert!(chart.finish_alone().starts_with("<svg"));
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod document;
pub mod files;
pub mod page_info;
pub mod svg;
pub mod text;
pub mod web;
