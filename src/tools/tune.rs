//! `kaeshi tune`: better numbers for the search, found by playing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::random::{SplitMix, mix};
use crate::shogi::search::parameters::{Parameters, TUNED};
use crate::shogi::tune::pair;
use crate::spsa::{Pace, Spsa};
use crate::tools::{beside, progress_bar, write_whole};

const PACE: Pace = Pace { stride: 0.02, patience: 1_000.0, memory: 1_000.0 };
/// Pairs that begin with the same values; they are played side by side.
const BATCH: u64 = 8;

/// Tune the numbers of shogi's search by games against itself.
///
/// Writes a file for the option `SearchFile` after every few games. Interrupted at any time, the
/// same command goes on where it stopped; the same seed gives the same numbers with any number of
/// threads.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file for the numbers; what is needed to go on is kept beside it, with .state behind the name
    #[arg(long)]
    out: PathBuf,
    /// Pairs of games
    #[arg(long, default_value_t = 10_000)]
    pairs: u64,
    /// Nodes after which no deeper search of a move begins
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Makes the games reproducible
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What is kept to go on from.
#[derive(Serialize, Deserialize)]
struct State {
    seed: u64,
    nodes: u64,
    pairs: u64,
    now: BTreeMap<String, f64>,
    averaged: BTreeMap<String, f64>,
}

impl Args {
    /// Plays until the pairs are there; prints what became of the numbers.
    ///
    /// # Errors
    /// Files that cannot be read or written, or were made with another seed or other nodes.
    pub fn run(self) -> anyhow::Result<()> {
        let usual = Parameters::default();
        let steps = TUNED.iter().map(|(_, step)| *step).collect();
        let mut spsa = Spsa::new(PACE, usual.tuned(), steps);
        let kept = beside(&self.out, "state");
        self.go_on(&kept, &mut spsa)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.into()).build()?;
        let bar = progress_bar(self.pairs, "pairs of games");
        while spsa.pairs < self.pairs {
            bar.set_position(spsa.pairs);
            let numbers: Vec<u64> = (spsa.pairs..self.pairs.min(spsa.pairs + BATCH)).collect();
            let played: Vec<_> = pool.install(|| {
                numbers.par_iter().map(|&number| self.play(&spsa, &usual, number)).collect::<Result<_, _>>()
            })?;
            for (steps, gain) in &played {
                spsa.learn(steps, *gain);
            }
            self.keep(&kept, &spsa)?;
            write_whole(&self.out, usual.with_tuned(&spsa.averaged).to_text().as_bytes())?;
        }
        bar.finish_and_clear();
        let tuned = usual.with_tuned(&spsa.averaged).tuned();
        for (((name, _), before), after) in TUNED.iter().zip(usual.tuned()).zip(tuned) {
            println!("{name:<24} {before:>6} {after:>6}");
        }
        Ok(())
    }

    /// Draws steps for a pair of games, plays it, and tells what moving forth gained.
    fn play(&self, spsa: &Spsa, usual: &Parameters, number: u64) -> anyhow::Result<(Vec<f64>, f64)> {
        let mut random = SplitMix::new(mix(self.seed) ^ mix(!number));
        let steps = spsa.draw(&mut random);
        let [forth, back] = [1.0, -1.0].map(|sign| usual.with_tuned(&spsa.moved(&steps, sign)));
        let gain = pair(&forth, &back, self.nodes, random.draw())?;
        Ok((steps, gain))
    }

    /// Takes over what an earlier run had come to.
    fn go_on(&self, kept: &Path, spsa: &mut Spsa) -> anyhow::Result<()> {
        let place = || kept.display().to_string();
        let text = match std::fs::read_to_string(kept) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error).with_context(place),
        };
        let state: State = toml::from_str(&text).with_context(place)?;
        if (state.seed, state.nodes) != (self.seed, self.nodes) {
            bail!(
                "{} was made with --seed {} --nodes {}; remove it to begin anew",
                place(),
                state.seed,
                state.nodes
            );
        }
        for (index, (name, _)) in TUNED.iter().enumerate() {
            let find = |map: &BTreeMap<String, f64>| {
                map.get(*name).copied().with_context(|| format!("{}: no '{name}'", place()))
            };
            spsa.values[index] = find(&state.now)?;
            spsa.averaged[index] = find(&state.averaged)?;
        }
        spsa.pairs = state.pairs;
        Ok(())
    }

    fn keep(&self, kept: &Path, spsa: &Spsa) -> anyhow::Result<()> {
        let named = |values: &[f64]| {
            TUNED.iter().zip(values).map(|((name, _), value)| ((*name).to_owned(), *value)).collect()
        };
        let state = State {
            seed: self.seed,
            nodes: self.nodes,
            pairs: spsa.pairs,
            now: named(&spsa.values),
            averaged: named(&spsa.averaged),
        };
        write_whole(kept, toml::to_string(&state)?.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuned(folder: &Path, pairs: u64, threads: u16) -> String {
        let args = Args { out: folder.join("search.toml"), pairs, nodes: 20, threads, seed: 3 };
        args.run().expect("room");
        std::fs::read_to_string(folder.join("search.toml.state")).expect("a state")
    }

    #[test]
    fn threads_and_interruptions_change_nothing() {
        let [one, two] = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
        tuned(one.path(), BATCH, 2);
        let whole = tuned(one.path(), 3 * BATCH, 1);
        assert_eq!(whole, tuned(two.path(), 3 * BATCH, 2));
        let file = one.path().join("search.toml");
        assert!(Parameters::named(&file.display().to_string()).is_ok());
        let other = Args { out: file, pairs: 50, nodes: 20, threads: 1, seed: 4 };
        let said = format!("{:#}", other.run().expect_err("another seed"));
        assert!(said.contains("--seed 3 --nodes 20"), "{said}");
    }
}
