//! `kaeshi match simulate`: the error rates of a sequential test by simulation.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, anyhow, bail};
use parking_lot::Mutex;

use kaeshi_core::threads::side_by_side;
use kaeshi_statistics::simulation::{Simulation, SimulationTally};
use kaeshi_statistics::{ResultCounts, Sprt};
use kaeshi_system::output::{check_printed, say};

use super::config::words::Word;
use super::config::{Config, sprt_settings};

/// Tests that a thread takes at once.
const BATCH: u64 = 10;

/// Results of an even match if none are given: pairs, and single games.
const PAIRS: ResultCounts = ResultCounts::Pairs([60, 220, 440, 220, 60]);
const GAMES: ResultCounts = ResultCounts::Games([300, 400, 300]);

/// Simulate sequential tests and show how often they decide wrongly.
///
/// Each test is a match of two engines whose true difference is elo0, and then elo1; it is decided by the code that
/// decides matches. With the rates alpha and beta at most that share of tests should accept the wrong hypothesis.
#[derive(Clone, Debug, clap::Args)]
pub struct SimulateArgs {
    /// The test: elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized.
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", required = true)]
    sprt: Vec<Word>,
    /// Number of tests for each hypothesis.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    tests: u64,
    /// Units are single games and not pairs.
    #[arg(long)]
    single: bool,
    /// How many of 1000 pairs of an even match are LL,LD,DD+WL,WD,WW; of single games losses,draws,wins
    /// [default: 60,220,440,220,60 or 300,400,300].
    #[arg(long, value_delimiter = ',', value_name = "COUNTS")]
    results: Option<Vec<u64>>,
    /// Units played at the same time, which finish in any order; drawn games last twice as long as others.
    #[arg(long, default_value_t = 16, value_name = "N")]
    concurrency: usize,
    /// How often each match is interrupted and resumed; the games in flight are played again, the finished games of
    /// unfinished pairs are kept.
    #[arg(long, default_value_t = 1, value_name = "N")]
    interruptions: u32,
    /// A match ends undecided after N units.
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    most: usize,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Decides all results.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl SimulateArgs {
    /// Runs the tests and prints a line for each hypothesis.
    ///
    /// # Errors
    /// Settings that make no test, or results that no distribution can have.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let config = Config { sprt: Some(self.sprt.clone()), ..Config::default() };
        let settings = sprt_settings(&config)?;
        let sprt = Sprt::new(settings, self.single).map_err(|error| anyhow!("--sprt: {error}"))?;
        if self.tests == 0 || !(1..=10_000).contains(&self.concurrency) || self.interruptions > 1000 {
            bail!("--tests from 1, --concurrency from 1 to 10000 and --interruptions to 1000 are possible");
        }
        let simulation = Simulation {
            sprt,
            shape: self.shape()?,
            in_flight: self.concurrency,
            interruptions: self.interruptions,
            most: self.most.clamp(1, 100_000_000),
            seed: self.seed,
        };
        for (elo, wrong, rate) in
            [(settings.elo0, "H1", settings.alpha), (settings.elo1, "H0", settings.beta)]
        {
            let tally = self.tally(&simulation, elo)?;
            let tests = tally.tests() as f64;
            let mistakes = if wrong == "H1" { tally.h1 } else { tally.h0 } as f64;
            let share = mistakes / tests;
            let error = (share * (1.0 - share) / tests).sqrt();
            say(format_args!(
                "true difference {elo} [{}]: {wrong} accepted in {mistakes} of {tests} tests, {:.2} % ± {:.2} (allowed: \
                 {:.1} %), {} undecided, {:.0} {} each on average",
                settings.model.name(),
                100.0 * share,
                100.0 * error,
                100.0 * rate,
                tally.undecided,
                tally.units as f64 / tests,
                if self.single { "games" } else { "pairs" },
            ));
            check_printed()?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The results of an even match.
    fn shape(&self) -> anyhow::Result<ResultCounts> {
        let wrong = || {
            let cells = if self.single { "three: losses,draws,wins" } else { "five: LL,LD,DD+WL,WD,WW" };
            anyhow!("--results: counts from 1 to 1000000 are wanted, {cells}")
        };
        let Some(results) = &self.results else { return Ok(if self.single { GAMES } else { PAIRS }) };
        if results.iter().any(|count| !(1..=1_000_000).contains(count)) {
            return Err(wrong());
        }
        match (self.single, results.as_slice()) {
            (true, &[losses, draws, wins]) => Ok(ResultCounts::games(wins, draws, losses)),
            (false, &[ll, ld, even, wd, ww]) => Ok(ResultCounts::Pairs([ll, ld, even, wd, ww])),
            _ => Err(wrong()),
        }
    }

    fn tally(&self, simulation: &Simulation, elo: f64) -> anyhow::Result<SimulationTally> {
        let (next, total) = (AtomicU64::new(0), Mutex::new(Some(SimulationTally::default())));
        side_by_side(self.threads.clamp(1, 256), self.threads.clamp(1, 256), |_| {
            loop {
                let from = next.fetch_add(BATCH, Ordering::Relaxed);
                if from >= self.tests {
                    break;
                }
                let part = simulation.run(elo, from..(from + BATCH).min(self.tests));
                let mut total = total.lock();
                *total = total.zip(part).map(|(total, part)| total.with(part));
            }
        });
        let tally = total.into_inner();
        tally.with_context(|| format!("no results have a difference of {elo} in this model"))
    }
}
