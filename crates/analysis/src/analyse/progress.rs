//! How far the work is, on stderr.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressDisplay {
    /// A bar on a terminal, nothing elsewhere
    Auto,
    /// A bar
    Bar,
    /// One JSON object a second
    Json,
    /// Nothing
    None,
}

/// Time between two JSON lines.
const JSON_INTERVAL: Duration = Duration::from_secs(1);

/// The progress of a run.
pub struct AnalysisProgress {
    bar: Option<ProgressBar>,
    json: bool,
    begun: Instant,
    printed: Instant,
    done: u64,
    of: u64,
    errors: u64,
}

impl AnalysisProgress {
    /// Of `of` lines.
    pub fn new(form: ProgressDisplay, of: u64) -> AnalysisProgress {
        let wanted = match form {
            ProgressDisplay::Auto => stderr().is_terminal(),
            ProgressDisplay::Bar => true,
            ProgressDisplay::Json | ProgressDisplay::None => false,
        };
        let bar = wanted.then(|| {
            let template = "{bar:30} {pos}/{len} {per_sec} left {eta} {msg}";
            let style =
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(of).with_style(style)
        });
        let now = Instant::now();
        AnalysisProgress {
            bar,
            json: form == ProgressDisplay::Json,
            begun: now,
            printed: now,
            done: 0,
            of,
            errors: 0,
        }
    }

    /// Counts lines that are done, and errors among them.
    pub fn add(&mut self, lines: u64, errors: u64) {
        self.done += lines;
        self.errors += errors;
        if let Some(bar) = &self.bar {
            bar.inc(lines);
            if errors > 0 {
                bar.set_message(format!("{} errors", self.errors));
            }
        }
        if self.json && self.printed.elapsed() >= JSON_INTERVAL {
            self.print();
        }
    }

    fn print(&mut self) {
        self.printed = Instant::now();
        let seconds = self.begun.elapsed().as_secs_f64();
        let rate = self.done as f64 / seconds.max(1e-9);
        let left = if rate > 0.0 { (self.of - self.done.min(self.of)) as f64 / rate } else { 0.0 };
        // A stderr without a reader must not end the run.
        let _ = writeln!(
            stderr(),
            "{{\"done\":{},\"of\":{},\"errors\":{},\"per_second\":{rate:.2},\"seconds\":{seconds:.1},\"seconds_left\":{left:.0}}}",
            self.done,
            self.of,
            self.errors
        );
    }

    /// The last word. The bar stays where it is: not all lines are there after a stop.
    pub fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
        if self.json {
            self.print();
        }
    }
}
