//! SPSA as a resumable job: the part that tuning and training by games share.
//!
//! Everything is kept after every few games, so that the same command resumes where it was
//! interrupted, and the same seed leads to the same numbers with any number of threads.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::GameError;
use kaeshi_core::random::{SplitMix, mix};
use kaeshi_learn::threads;
use kaeshi_statistics::spsa::{Spsa, SpsaPace};
use kaeshi_system::crc32c::crc32c;
use kaeshi_system::output::{beside, progress_bar, write_whole};
use kaeshi_system::stop_signal::StopSignal;

/// Default number of pairs of an iteration: they begin with the same values and are played side by side.
pub const BATCH: u64 = 8;
/// The extension of the file with the state of a tuning.
pub const STATE: &str = "state";
/// Points of the curves that are kept.
const MOST_POINTS: usize = 400;

/// Parameters to be tuned, and how to play by them.
pub trait TuningSubject: Sync {
    /// Their names, each with its first step.
    fn numbers(&self) -> Vec<(String, f64)>;

    /// The start values of tuning.
    fn start(&self) -> Vec<f64>;

    /// Moves values that are out of their range to its end.
    fn confine(&self, _values: &mut [f64]) {}

    /// How fast to learn.
    fn pace(&self) -> SpsaPace;

    /// The options on which the games depend, as on the command line.
    fn terms(&self) -> String;

    /// Points that `first` has more than `second` after two games from one opening, each side
    /// played once by each: -2 to 2. A function of its arguments alone.
    ///
    /// # Errors
    /// No memory for the players.
    fn pair(&self, first: &[f64], second: &[f64], seed: u64) -> Result<f64, GameError>;

    /// These values as they are written.
    fn shown(&self, values: &[f64]) -> Vec<String> {
        values.iter().map(f64::to_string).collect()
    }

    /// Writes the parameters with these values.
    ///
    /// # Errors
    /// A file that cannot be written.
    fn write(&self, out: &Path, values: &[f64]) -> anyhow::Result<()>;
}

/// Any parameters to be tuned.
pub type AnySubject = Box<dyn TuningSubject + Send + Sync>;

/// A tuning: its file, length and seed.
#[derive(Clone, Debug)]
pub struct TuningRun {
    /// The file; the state to resume from lies beside it, with .state behind the name.
    pub out: PathBuf,
    /// Pairs of games.
    pub pairs: u64,
    /// Pairs that begin with the same values, from 1.
    pub batch: u64,
    /// Seed of openings and steps.
    pub seed: u64,
}

/// The state from which a tuning is resumed.
#[derive(Serialize, Deserialize)]
pub struct SpsaState {
    /// The options on which the games depend.
    pub terms: String,
    /// Pairs of games learned from.
    pub pairs: u64,
    /// Pairs of games that are wanted; 0 in states before 0.2.
    #[serde(default)]
    pub of: u64,
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
#[derive(Debug)]
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

/// The file with the state of the tuning of `out`.
pub(crate) fn place_of(out: &Path) -> PathBuf {
    beside(out, STATE)
}

/// Begins the last line of a state, which has the CRC-32C of all text before it. Without it, a state with a changed
/// digit would look valid, and the tuning would resume from it.
const SEAL: &str = "# checksum ";

/// The text of a state, and its checksum.
fn sealed(mut text: String) -> String {
    let checksum = crc32c(text.as_bytes());
    text += &format!("{SEAL}{checksum:08x}\n");
    text
}

/// The text that [`sealed`] was given. States of former versions have no checksum.
fn unsealed(text: &str) -> anyhow::Result<&str> {
    let Some((kept, checksum)) = text.rsplit_once(SEAL) else { return Ok(text) };
    ensure!(
        checksum == format!("{:08x}\n", crc32c(kept.as_bytes())),
        "it is damaged: its checksum is another one"
    );
    Ok(kept)
}

impl SpsaState {
    /// The state of the tuning of `out`; `None` if it has not begun.
    ///
    /// # Errors
    /// A file that cannot be read, is damaged, or is of another version.
    pub fn read(out: &Path) -> anyhow::Result<Option<SpsaState>> {
        let kept = place_of(out);
        let place = || kept.display().to_string();
        let text = match files::read_text(&kept, FileKind::STATE) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", place())),
        };
        let damaged = || format!("{}: remove it to begin anew, or put back a copy", place());
        let unsealed = unsealed(&text).with_context(damaged)?;
        let unknown = || format!("{} is damaged, or of another version; remove it to begin anew", place());
        toml::from_str(unsealed).with_context(unknown).map(Some)
    }
}

/// The start of an iteration: all data that its pairs need to be played elsewhere.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpsaIteration {
    /// Pairs of games learned from.
    pairs: u64,
    now: BTreeMap<String, f64>,
}

impl SpsaIteration {
    /// The gains of these pairs of the iteration that begins here.
    ///
    /// # Errors
    /// Parameters of another subject; what stops a game.
    pub fn play(
        &self,
        subject: &dyn TuningSubject,
        seed: u64,
        numbers: Range<u64>,
    ) -> anyhow::Result<Vec<f64>> {
        if numbers.start < self.pairs {
            bail!("pair {} was played before, and {} are learned from", numbers.start, self.pairs);
        }
        let mut spsa = fresh(subject);
        spsa.values =
            subject.numbers().iter().map(|(name, _)| value(&self.now, name)).collect::<Result<_, _>>()?;
        spsa.pairs = self.pairs;
        Ok(numbers.map(|number| play(subject, &spsa, seed, number)).collect::<Result<_, _>>()?)
    }
}

/// The initial state of a tuning of a subject.
fn fresh(subject: &dyn TuningSubject) -> Spsa {
    let steps = subject.numbers().into_iter().map(|(_, step)| step).collect();
    Spsa::new(subject.pace(), subject.start(), steps)
}

fn value(map: &BTreeMap<String, f64>, name: &str) -> anyhow::Result<f64> {
    map.get(name).copied().with_context(|| format!("there is no '{name}'"))
}

/// The steps of this pair of games, and the chance of its games.
fn draw(spsa: &Spsa, seed: u64, number: u64) -> (Vec<f64>, SplitMix) {
    let mut random = SplitMix::new(mix(seed) ^ mix(!number));
    (spsa.draw(&mut random), random)
}

/// Plays a pair of games, and returns what moving forth gained.
fn play(subject: &dyn TuningSubject, spsa: &Spsa, seed: u64, number: u64) -> Result<f64, GameError> {
    let (steps, mut random) = draw(spsa, seed, number);
    let [forth, back] = [1.0, -1.0].map(|sign| {
        let mut moved = spsa.moved(&steps, sign);
        subject.confine(&mut moved);
        moved
    });
    subject.pair(&forth, &back, random.draw())
}

/// A tuning on its way. All its functions want the same subject.
#[derive(Debug)]
pub struct Course {
    job: TuningRun,
    spsa: Spsa,
    curves: Curves,
}

impl Course {
    /// Begins anew, even if there is a state of an earlier run of the same tuning.
    ///
    /// # Errors
    /// The file is that of a tuning on other terms.
    pub fn begin(job: &TuningRun, subject: &dyn TuningSubject) -> anyhow::Result<Course> {
        let spsa = fresh(subject);
        let curves = Curves { at: vec![0], values: vec![spsa.averaged.clone()] };
        let course = Course { job: job.clone(), spsa, curves };
        course.earlier(subject)?;
        Ok(course)
    }

    /// Begins, or resumes an earlier run.
    ///
    /// # Errors
    /// As for [`Course::begin`].
    pub fn go_on(job: &TuningRun, subject: &dyn TuningSubject) -> anyhow::Result<Course> {
        let mut course = Course::begin(job, subject)?;
        let Some(state) = course.earlier(subject)? else { return Ok(course) };
        let Course { spsa, curves, .. } = &mut course;
        let place = || format!("{}: remove it to begin anew", place_of(&job.out).display());
        let mut values = vec![Vec::new(); state.at.len()];
        for (index, (name, _)) in subject.numbers().into_iter().enumerate() {
            spsa.values[index] = value(&state.now, &name).with_context(place)?;
            spsa.averaged[index] = value(&state.averaged, &name).with_context(place)?;
            if !state.at.is_empty() {
                let curve = state.curves.get(&name).filter(|curve| curve.len() == state.at.len());
                let curve =
                    curve.with_context(|| format!("there is no curve of '{name}'")).with_context(place)?;
                values.iter_mut().zip(curve).for_each(|(point, value)| point.push(*value));
            }
        }
        spsa.pairs = state.pairs;
        *curves = Curves { at: state.at, values };
        Ok(course)
    }

    /// The numbers of the pairs of the next iteration; none if all are there.
    pub fn next(&self) -> Range<u64> {
        self.spsa.pairs..self.job.pairs.min(self.spsa.pairs + self.job.batch)
    }

    /// The values from which the next iteration is played.
    pub fn step(&self, subject: &dyn TuningSubject) -> SpsaIteration {
        SpsaIteration { pairs: self.spsa.pairs, now: named(subject, &self.spsa.values) }
    }

    /// Learns from the pairs of the next iteration, in their order, and writes state and result.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn learn(&mut self, subject: &dyn TuningSubject, gains: &[f64]) -> anyhow::Result<()> {
        for (number, gain) in self.next().zip(gains) {
            let (steps, _) = draw(&self.spsa, self.job.seed, number);
            self.spsa.learn(&steps, *gain);
            subject.confine(&mut self.spsa.values);
            subject.confine(&mut self.spsa.averaged);
        }
        self.curves.add(&self.spsa);
        self.keep(subject)?;
        self.write(subject)
    }

    /// Writes the result so far.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, subject: &dyn TuningSubject) -> anyhow::Result<()> {
        subject.write(&self.job.out, &self.spsa.averaged)
    }

    /// The result so far.
    pub fn result(&self) -> &[f64] {
        &self.spsa.averaged
    }

    /// Pairs of games learned from.
    pub fn pairs(&self) -> u64 {
        self.spsa.pairs
    }

    fn terms(&self, subject: &dyn TuningSubject) -> String {
        let TuningRun { seed, batch, .. } = self.job;
        let batch = if batch == BATCH { String::new() } else { format!(" --batch {batch}") };
        format!("--seed {seed}{batch} {}", subject.terms())
    }

    /// The state that an earlier run has left.
    fn earlier(&self, subject: &dyn TuningSubject) -> anyhow::Result<Option<SpsaState>> {
        let state = SpsaState::read(&self.job.out)?;
        if let Some(SpsaState { terms, .. }) =
            state.as_ref().filter(|state| state.terms != self.terms(subject))
        {
            bail!("{} was made with {terms}; remove it to begin anew", place_of(&self.job.out).display());
        }
        Ok(state)
    }

    fn keep(&self, subject: &dyn TuningSubject) -> anyhow::Result<()> {
        let Course { job, spsa, curves } = self;
        let curve = |index: usize| curves.values.iter().map(|point| point[index]).collect();
        let names = subject.numbers().into_iter().map(|(name, _)| name);
        let state = SpsaState {
            terms: self.terms(subject),
            pairs: spsa.pairs,
            of: job.pairs,
            at: curves.at.clone(),
            now: named(subject, &spsa.values),
            averaged: named(subject, &spsa.averaged),
            curves: names.enumerate().map(|(index, name)| (name, curve(index))).collect(),
        };
        write_whole(&place_of(&job.out), sealed(toml::to_string(&state)?).as_bytes())
    }
}

fn named(subject: &dyn TuningSubject, values: &[f64]) -> BTreeMap<String, f64> {
    subject.numbers().into_iter().map(|(name, _)| name).zip(values.iter().copied()).collect()
}

impl TuningRun {
    /// Plays until the pairs are there, and gives what became of them.
    ///
    /// # Errors
    /// Files that cannot be read or written, or were made on other terms.
    pub fn run(&self, subject: &dyn TuningSubject, threads: u16) -> anyhow::Result<Course> {
        let mut course = Course::go_on(self, subject)?;
        let pool = threads::pool(threads.into())?;
        let bar = progress_bar(self.pairs, "pairs of games");
        loop {
            let numbers: Vec<u64> = course.next().collect();
            let Some(&first) = numbers.first() else { break };
            StopSignal::of_process().check()?;
            bar.set_position(first);
            let gains: Vec<f64> = pool.install(|| {
                let play = |&number: &u64| play(subject, &course.spsa, self.seed, number);
                numbers.par_iter().map(play).collect::<Result<_, _>>()
            })?;
            course.learn(subject, &gains)?;
        }
        bar.finish_and_clear();
        // Once more: the run that played the last pair may have ended before it wrote.
        course.write(subject)?;
        Ok(course)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The side nearer to 7 wins.
    struct Seven;

    impl TuningSubject for Seven {
        fn numbers(&self) -> Vec<(String, f64)> {
            vec![("number".into(), 1.0)]
        }

        fn confine(&self, values: &mut [f64]) {
            values[0] = values[0].min(8.0);
        }

        fn start(&self) -> Vec<f64> {
            vec![0.0]
        }

        fn pace(&self) -> SpsaPace {
            SpsaPace { stride: 0.1, stability: 100.0, memory: 100.0 }
        }

        fn terms(&self) -> String {
            "--near 7".to_owned()
        }

        fn pair(&self, first: &[f64], second: &[f64], _: u64) -> Result<f64, GameError> {
            Ok(((second[0] - 7.0).abs() - (first[0] - 7.0).abs()).signum())
        }

        fn write(&self, out: &Path, values: &[f64]) -> anyhow::Result<()> {
            write_whole(out, values[0].to_string().as_bytes())
        }
    }

    fn job(out: &Path, pairs: u64, seed: u64) -> TuningRun {
        TuningRun { out: out.to_owned(), pairs, batch: BATCH, seed }
    }

    fn tuned(folder: &Path, pairs: u64, threads: u16) -> String {
        let out = folder.join("seven");
        job(&out, pairs, 3).run(&Seven, threads).expect("room");
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
        for other in [job(&out, 500, 4), TuningRun { batch: 9, ..job(&out, 500, 3) }] {
            let said = format!("{:#}", other.run(&Seven, 1).expect_err("other terms"));
            assert!(said.contains("was made with --seed 3 --near 7"), "{said}");
        }
    }

    #[test]
    fn what_is_played_elsewhere_comes_to_the_same() {
        let [here, there] = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
        let job = |folder: &Path| TuningRun { batch: 5, ..job(&folder.join("seven"), 23, 3) };
        job(here.path()).run(&Seven, 2).expect("room");
        let mut course = Course::begin(&job(there.path()), &Seven).expect("nothing is there");
        let mut iterations = 0;
        while !course.next().is_empty() {
            let text = toml::to_string(&course.step(&Seven)).expect("numbers");
            let Range { start, end } = course.next();
            let part = |numbers: Range<u64>| {
                let step: SpsaIteration = toml::from_str(&text).expect("as written");
                step.play(&Seven, 3, numbers).expect("room")
            };
            let gains = [part(start..start + 2), part(start + 2..end)].concat();
            course.learn(&Seven, &gains).expect("room");
            iterations += 1;
        }
        assert_eq!(iterations, 5);
        let read = |folder: &Path| std::fs::read_to_string(folder.join("seven.state")).expect("a state");
        assert_eq!(read(here.path()), read(there.path()));
        let step: SpsaIteration = toml::from_str("pairs = 10\n[now]\nnumber = 1.0\n").expect("a step");
        assert!(step.play(&Seven, 3, 9..11).is_err(), "a pair of an earlier iteration");
        let step: SpsaIteration = toml::from_str("pairs = 10\n[now]\nother = 1.0\n").expect("a step");
        assert!(step.play(&Seven, 3, 10..11).is_err(), "another parameter");
    }

    #[test]
    fn curves_have_no_more_points_than_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        tuned(folder.path(), (MOST_POINTS as u64 + 10) * BATCH, 2);
        let state = SpsaState::read(&folder.path().join("seven")).expect("a state").expect("begun");
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
    fn a_state_with_a_flipped_bit_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = tuned(folder.path(), BATCH, 1);
        let out = folder.path().join("seven");
        let begun = |bytes: &[u8]| {
            std::fs::write(folder.path().join("seven.state"), bytes).expect("room");
            Course::go_on(&job(&out, BATCH, 3), &Seven).map(|course| course.spsa.values)
        };
        let whole = begun(text.as_bytes()).expect("as written");
        let seal = text.rfind(SEAL).expect("a checksum");
        assert_eq!(begun(&text.as_bytes()[..seal]).expect("as former versions wrote it"), whole);
        for bit in 0..8 * text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            // Within the words of the comment it changes no number.
            let is_comment = (seal..seal + SEAL.len()).contains(&(bit / 8));
            match begun(&bytes) {
                Ok(values) => assert!(is_comment && values == whole, "bit {bit}"),
                Err(error) => assert!(format!("{error:#}").contains("seven.state"), "bit {bit}: {error:#}"),
            }
        }
    }

    #[test]
    fn what_another_version_kept_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("seven.state"), "seed = 3\nnodes = 5000\npairs = 8\n")
            .expect("room");
        let out = folder.path().join("seven");
        let said = format!("{:#}", job(&out, 8, 3).run(&Seven, 1).expect_err("an old state"));
        assert!(said.contains("seven.state") && said.contains("remove it to begin anew"), "{said}");
    }
}
