//! What a person runs besides a GUI.

pub mod analyse;
pub mod bench;
pub mod match_runner;
pub mod perft;
pub mod roster;
pub mod selfplay;
pub mod solve;
pub mod train;

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on stderr for so many `things`, if someone looks at it.
pub(crate) fn progress_bar(length: u64, things: &'static str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    let template = format!("{{bar:30}} {{pos}}/{{len}} {things} {{elapsed}} {{msg}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
