//! Self-play of Reversi.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::bail;

use crate::reversi::selfplay::{Plan, duel, run};
use crate::reversi::weights::Weights;
use crate::tools::progress_bar;
use crate::tools::selfplay::Common;

/// What only Reversi wants to know.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Reversi")]
pub(super) struct Options {
    /// Plies searched for each move [default: 5]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: Option<u32>,
    /// From this many empty squares on every move is exact [default: 12]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=24))]
    exact: Option<u32>,
    /// Instead of keeping games, play them against this other evaluation and tell who wins: every
    /// random opening twice, with colours exchanged
    #[arg(long, value_name = "WEIGHTS")]
    against: Option<String>,
}

impl Options {
    /// Whether it is no self-play at all.
    #[cfg(feature = "cluster")]
    pub(super) fn is_duel(&self) -> bool {
        self.against.is_some()
    }

    /// Plays until each thread has its games, in a file of its own: thread N adds N to the seed.
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<()> {
        let plan = Plan {
            weights: Weights::named(&common.weights)?,
            depth: self.depth.unwrap_or(5),
            exact: self.exact.unwrap_or(12),
            random: common.random((6, 40))?,
            seed: common.seed,
        };
        let games = usize::try_from(common.games)?;
        if let Some(other) = &self.against {
            return against(&plan, other, games);
        }
        let out = common.folder()?;
        let files = common.chosen(u64::from(common.threads))?;
        let counts: Vec<AtomicUsize> = files.clone().map(|_| AtomicUsize::new(0)).collect();
        let all = games * counts.len();
        let bar = progress_bar(all as u64, "games");
        std::thread::scope(|scope| {
            let threads: Vec<_> = files
                .zip(&counts)
                .map(|(thread, count)| {
                    let plan = Plan { seed: plan.seed + thread, ..plan.clone() };
                    let path = out.join(format!("games-{}.krg", plan.seed));
                    let (bar, counts) = (&bar, &counts);
                    scope.spawn(move || {
                        run(&plan, &path, games, |done| {
                            count.store(done, Ordering::Relaxed);
                            bar.set_position(counts.iter().map(|c| c.load(Ordering::Relaxed) as u64).sum());
                        })
                    })
                })
                .collect();
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().unwrap_or_else(|_| bail!("a thread panicked")))
        })?;
        bar.finish_and_clear();
        println!("games {all}");
        Ok(())
    }
}

fn against(plan: &Plan, other: &str, games: usize) -> anyhow::Result<()> {
    let pairs = (games / 2).max(1) as u64;
    let bar = progress_bar(pairs, "pairs of games");
    let tally = duel(plan, &Weights::named(other)?, pairs, |done| bar.set_position(done))?;
    bar.finish_and_clear();
    println!("wins {} draws {} losses {}", tally.wins, tally.draws, tally.losses);
    Ok(())
}
