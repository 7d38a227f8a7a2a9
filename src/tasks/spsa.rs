//! SPSA as a resumable job: the part that tuning and training by games share.
//!
//! Everything is kept after every few games, so that the same command goes on where it was
//! interrupted, and the same seed leads to the same numbers with any number of threads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::game::Rejected;
use crate::output::{beside, progress_bar, write_whole};
use crate::random::{SplitMix, mix};
use crate::statistics::spsa::{Pace, Spsa};

/// Pairs that begin with the same values; they are played side by side.
const BATCH: u64 = 8;
/// Points of the curves that are kept.
const MOST_POINTS: usize = 400;

/// Parameters to be tuned, and how to play by them.
pub(crate) trait Subject: Sync {
    /// Their names, each with its first step.
    fn numbers(&self) -> Vec<(String, f64)>;

    /// Where tuning begins.
    fn start(&self) -> Vec<f64>;

    /// Moves values that are out of their range to its end.
    fn confine(&self, _values: &mut [f64]) {}

    /// How fast to learn.
    fn pace(&self) -> Pace;

    /// What the games depend on, as on the command line.
    fn terms(&self) -> String;

    /// Points that `first` has more than `second` after two games from one opening, each side
    /// played once by each: -2 to 2. A function of its arguments alone.
    ///
    /// # Errors
    /// No memory for the players.
    fn pair(&self, first: &[f64], second: &[f64], seed: u64) -> Result<f64, Rejected>;

    /// Writes what these values stand for.
    ///
    /// # Errors
    /// A file that cannot be written.
    fn write(&self, out: &Path, values: &[f64]) -> anyhow::Result<()>;
}

/// A tuning: its file, length and seed.
pub(crate) struct Job<'a> {
    /// The file; what is needed to go on is kept beside it, with .state behind the name.
    pub out: &'a Path,
    /// Pairs of games.
    pub pairs: u64,
    pub threads: u16,
    /// Seed of openings and steps.
    pub seed: u64,
}

/// What is kept to go on from.
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    /// What the games depend on.
    pub terms: String,
    /// Pairs of games learned from.
    pub pairs: u64,
    /// The numbers of pairs at which the curves have a point; not in states before 0.2.
    #[serde(default)]
    pub at: Vec<u64>,
    now: BTreeMap<String, f64>,
    /// The results so far.
    pub averaged: BTreeMap<String, f64>,
    /// The results at these points.
    #[serde(default)]
    pub curves: BTreeMap<String, Vec<f64>>,
}

/// How the results came about, from the start on.
struct Curves {
    at: Vec<u64>,
    /// The results at each point.
    values: Vec<Vec<f64>>,
}

impl Curves {
    /// Adds a point; where there are too many, every other one goes.
    fn add(&mut self, spsa: &Spsa) {
        self.at.push(spsa.pairs);
        self.values.push(spsa.averaged.clone());
        if self.at.len() > MOST_POINTS {
            thin(&mut self.at);
            thin(&mut self.values);
        }
    }
}

/// Drops every other item; the first one stays.
fn thin<T>(list: &mut Vec<T>) {
    let mut stays = false;
    list.retain(|_| {
        stays = !stays;
        stays
    });
}

/// The file in which the tuning of `out` keeps what it goes on from.
fn place_of(out: &Path) -> PathBuf {
    beside(out, "state")
}

impl State {
    /// What the tuning of `out` has come to; `None` if it has not begun.
    ///
    /// # Errors
    /// A file that cannot be read, or is of another version.
    pub(crate) fn read(out: &Path) -> anyhow::Result<Option<State>> {
        let kept = place_of(out);
        let place = || kept.display().to_string();
        let text = match std::fs::read_to_string(&kept) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(place),
        };
        let old = || format!("{} was kept by another version; remove it to begin anew", place());
        toml::from_str(&text).with_context(old).map(Some)
    }
}

impl Job<'_> {
    /// Plays until the pairs are there, and gives what became of them.
    ///
    /// # Errors
    /// Files that cannot be read or written, or were made on other terms.
    pub(crate) fn run(&self, subject: &dyn Subject) -> anyhow::Result<Spsa> {
        let steps = subject.numbers().into_iter().map(|(_, step)| step).collect();
        let mut spsa = Spsa::new(subject.pace(), subject.start(), steps);
        let mut curves = self.go_on(subject, &mut spsa)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.into()).build()?;
        let bar = progress_bar(self.pairs, "pairs of games");
        while spsa.pairs < self.pairs {
            bar.set_position(spsa.pairs);
            let numbers: Vec<u64> = (spsa.pairs..self.pairs.min(spsa.pairs + BATCH)).collect();
            let played: Vec<_> = pool.install(|| {
                numbers.par_iter().map(|&number| self.play(subject, &spsa, number)).collect::<Result<_, _>>()
            })?;
            for (steps, gain) in &played {
                spsa.learn(steps, *gain);
                subject.confine(&mut spsa.values);
                subject.confine(&mut spsa.averaged);
            }
            curves.add(&spsa);
            self.keep(subject, &spsa, &curves)?;
            subject.write(self.out, &spsa.averaged)?;
        }
        bar.finish_and_clear();
        // Once more: the run that played the last pair may have ended before it wrote.
        subject.write(self.out, &spsa.averaged)?;
        Ok(spsa)
    }

    /// Draws steps for a pair of games, plays it, and returns what moving forth gained.
    fn play(&self, subject: &dyn Subject, spsa: &Spsa, number: u64) -> Result<(Vec<f64>, f64), Rejected> {
        let mut random = SplitMix::new(mix(self.seed) ^ mix(!number));
        let steps = spsa.draw(&mut random);
        let [forth, back] = [1.0, -1.0].map(|sign| {
            let mut moved = spsa.moved(&steps, sign);
            subject.confine(&mut moved);
            moved
        });
        let gain = subject.pair(&forth, &back, random.draw())?;
        Ok((steps, gain))
    }

    fn terms(&self, subject: &dyn Subject) -> String {
        format!("--seed {} {}", self.seed, subject.terms())
    }

    /// Takes over what an earlier run had come to.
    fn go_on(&self, subject: &dyn Subject, spsa: &mut Spsa) -> anyhow::Result<Curves> {
        let place = || place_of(self.out).display().to_string();
        let Some(state) = State::read(self.out)? else {
            return Ok(Curves { at: vec![0], values: vec![spsa.averaged.clone()] });
        };
        if state.terms != self.terms(subject) {
            bail!("{} was made with {}; remove it to begin anew", place(), state.terms);
        }
        let mut values = vec![Vec::new(); state.at.len()];
        for (index, (name, _)) in subject.numbers().into_iter().enumerate() {
            let none = || format!("{} has no '{name}'; remove it to begin anew", place());
            let find = |map: &BTreeMap<String, f64>| map.get(&name).copied().with_context(none);
            spsa.values[index] = find(&state.now)?;
            spsa.averaged[index] = find(&state.averaged)?;
            if !state.at.is_empty() {
                let curve = state.curves.get(&name).filter(|curve| curve.len() == state.at.len());
                let curve = curve.with_context(none)?;
                values.iter_mut().zip(curve).for_each(|(point, value)| point.push(*value));
            }
        }
        spsa.pairs = state.pairs;
        Ok(Curves { at: state.at, values })
    }

    fn keep(&self, subject: &dyn Subject, spsa: &Spsa, curves: &Curves) -> anyhow::Result<()> {
        let names = || subject.numbers().into_iter().map(|(name, _)| name);
        let named = |values: &[f64]| names().zip(values.iter().copied()).collect();
        let curve = |index: usize| curves.values.iter().map(|point| point[index]).collect();
        let state = State {
            terms: self.terms(subject),
            pairs: spsa.pairs,
            at: curves.at.clone(),
            now: named(&spsa.values),
            averaged: named(&spsa.averaged),
            curves: names().enumerate().map(|(index, name)| (name, curve(index))).collect(),
        };
        write_whole(&place_of(self.out), toml::to_string(&state)?.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever is nearer to 7 wins.
    struct Seven;

    impl Subject for Seven {
        fn numbers(&self) -> Vec<(String, f64)> {
            vec![("number".into(), 1.0)]
        }

        fn confine(&self, values: &mut [f64]) {
            values[0] = values[0].min(8.0);
        }

        fn start(&self) -> Vec<f64> {
            vec![0.0]
        }

        fn pace(&self) -> Pace {
            Pace { stride: 0.1, patience: 100.0, memory: 100.0 }
        }

        fn terms(&self) -> String {
            "--near 7".to_owned()
        }

        fn pair(&self, first: &[f64], second: &[f64], _: u64) -> Result<f64, Rejected> {
            Ok(((second[0] - 7.0).abs() - (first[0] - 7.0).abs()).signum())
        }

        fn write(&self, out: &Path, values: &[f64]) -> anyhow::Result<()> {
            write_whole(out, values[0].to_string().as_bytes())
        }
    }

    fn tuned(folder: &Path, pairs: u64, threads: u16) -> String {
        let out = folder.join("seven");
        Job { out: &out, pairs, threads, seed: 3 }.run(&Seven).expect("room");
        std::fs::read_to_string(folder.join("seven.state")).expect("a state")
    }

    #[test]
    fn threads_and_interruptions_change_nothing() {
        let [one, two] = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
        tuned(one.path(), BATCH, 2);
        let whole = tuned(one.path(), 50 * BATCH, 1);
        assert_eq!(whole, tuned(two.path(), 50 * BATCH, 2));
        let out = one.path().join("seven");
        let number: f64 = std::fs::read_to_string(&out).expect("written").parse().expect("a number");
        assert!((4.0..8.0).contains(&number), "{number}");
        let other = Job { out: &out, pairs: 500, threads: 1, seed: 4 };
        let said = format!("{:#}", other.run(&Seven).expect_err("another seed"));
        assert!(said.contains("--seed 3 --near 7"), "{said}");
    }

    #[test]
    fn curves_have_no_more_points_than_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        tuned(folder.path(), (MOST_POINTS as u64 + 10) * BATCH, 2);
        let state = State::read(&folder.path().join("seven")).expect("a state").expect("begun");
        let curve = &state.curves["number"];
        assert_eq!((state.at.len(), curve.len()), (MOST_POINTS / 2 + 11, MOST_POINTS / 2 + 11));
        assert_eq!((state.at[0], state.at[1], curve[0]), (0, 2 * BATCH, 0.0));
        assert_eq!((state.at.last(), curve.last()), (Some(&state.pairs), Some(&state.averaged["number"])));
        assert!(state.averaged["number"] <= 8.0, "out of its range");
    }

    #[test]
    fn a_finished_run_leaves_its_file_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = tuned(folder.path(), BATCH, 1);
        let out = folder.path().join("seven");
        let number = std::fs::read(&out).expect("written");
        std::fs::remove_file(&out).expect("there");
        assert_eq!(tuned(folder.path(), 3, 1), kept);
        assert_eq!(std::fs::read(&out).expect("written again"), number);
    }

    #[test]
    fn what_another_version_kept_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("seven.state"), "seed = 3\nnodes = 5000\npairs = 8\n")
            .expect("room");
        let out = folder.path().join("seven");
        let job = Job { out: &out, pairs: 8, threads: 1, seed: 3 };
        let said = format!("{:#}", job.run(&Seven).expect_err("an old state"));
        assert!(said.contains("seven.state") && said.contains("remove it to begin anew"), "{said}");
    }
}
