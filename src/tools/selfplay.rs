//! `kaeshi selfplay`: games against itself, the material of `kaeshi train`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, bail};

use crate::games::GameName;
use crate::reversi::selfplay::{Plan, duel, run};
use crate::reversi::weights::Weights;
use crate::tools::progress_bar;

/// Play games against itself and keep them in a folder.
///
/// Every thread appends to a file of its own. Interrupted at any time, the same command goes on
/// where it stopped; with the same options it makes the same files.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The game
    #[arg(long, value_enum, default_value = "reversi")]
    pub game: GameName,
    /// The folder for the games, created if needed
    #[arg(long, required_unless_present = "against")]
    pub out: Option<PathBuf>,
    /// Games of each thread
    #[arg(long, default_value_t = 10_000)]
    pub games: usize,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Makes the games reproducible; thread N adds N to it
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Plies searched for each move
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub depth: u32,
    /// From this many empty squares on every move is exact
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(0..=24))]
    pub exact: u32,
    /// Fewest random plies at the beginning of a game
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=59))]
    pub random_from: u32,
    /// Most random plies at the beginning of a game
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(0..=59))]
    pub random_to: u32,
    /// Instead of keeping games, play them against this other evaluation and tell who wins: every
    /// random opening twice, with colours exchanged
    #[arg(long, value_name = "WEIGHTS")]
    pub against: Option<String>,
    /// The evaluation: a file, `embedded`, or `hand` for the one without training
    #[arg(long, default_value = "embedded")]
    pub weights: String,
}

impl Args {
    /// Plays until the games are there.
    ///
    /// # Errors
    /// Options that do not fit, files that cannot be read or written.
    pub fn run(self) -> anyhow::Result<()> {
        if self.game != GameName::Reversi {
            bail!("self-play is there for Reversi only, not for {}", self.game.name());
        }
        if self.random_from > self.random_to {
            bail!("--random-from {} lies above --random-to {}", self.random_from, self.random_to);
        }
        let weights = weights(&self.weights)?;
        let Some(out) = &self.out else { return self.duel(weights) };
        std::fs::create_dir_all(out).with_context(|| out.display().to_string())?;
        let bar = progress_bar((self.games * usize::from(self.threads)) as u64, "games");
        let counts: Vec<AtomicUsize> = (0..self.threads).map(|_| AtomicUsize::new(0)).collect();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..u64::from(self.threads))
                .zip(&counts)
                .map(|(thread, count)| {
                    let plan = Plan {
                        weights: Arc::clone(&weights),
                        depth: self.depth,
                        exact: self.exact,
                        random: (self.random_from, self.random_to),
                        seed: self.seed + thread,
                    };
                    let path = out.join(format!("games-{}.krg", plan.seed));
                    let (bar, counts, games) = (&bar, &counts, self.games);
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
        println!("games {}", self.games * usize::from(self.threads));
        Ok(())
    }
}

impl Args {
    fn duel(&self, ours: Arc<Weights>) -> anyhow::Result<()> {
        let theirs = weights(self.against.as_deref().unwrap_or("embedded"))?;
        let plan = Plan {
            weights: ours,
            depth: self.depth,
            exact: self.exact,
            random: (self.random_from, self.random_to),
            seed: self.seed,
        };
        let pairs = (self.games / 2).max(1) as u64;
        let bar = progress_bar(pairs, "pairs of games");
        let tally = duel(&plan, &theirs, pairs, |done| bar.set_position(done))?;
        bar.finish_and_clear();
        println!("wins {} draws {} losses {}", tally.wins, tally.draws, tally.losses);
        Ok(())
    }
}

/// The evaluation called `name`.
fn weights(name: &str) -> anyhow::Result<Arc<Weights>> {
    Ok(match name {
        "embedded" => Weights::embedded()?,
        "hand" => Arc::new(Weights::by_hand()),
        file => Arc::new(Weights::read(file.as_ref())?),
    })
}
