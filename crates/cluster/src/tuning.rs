//! A tuning in the pool: workers play the pairs of an iteration, the collector makes the step.
//!
//! An iteration begins with what came of the one before, so its parts are given out when that is known: the collector
//! writes the values under `steps.ID.ITERATION`, and then publishes the parts. A result says from which values it was
//! played; one from others, left of a collector before this one, is done anew.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::cut::Cut;
use super::engines::{self, Sealed};
use super::gathering::{Gather, GatherInput, ResultFit};
use super::job::{ClusterJob, JobFiles, JobKind, tuning_args};
use kaeshi_match::tournament::config::Config;
use kaeshi_match::tournament::engine_spec::resolve;
use kaeshi_match::tournament::identity::hash_text;
use kaeshi_train::commands::tune;
use kaeshi_train::commands::tune::part::TuningPart;
use kaeshi_train::tasks::spsa::{AnySubject, Course};

/// The task, and where its engine's files lie here, by their SHA-256. `own` is that of this program.
///
/// # Errors
/// What no pool can do; an engine that cannot be started or lacks the options.
pub fn task(
    args: &tune::TuneArgs,
    words: Vec<String>,
    cut: Cut,
    own: &str,
    files: &mut JobFiles,
) -> anyhow::Result<(JobKind, BTreeMap<String, PathBuf>)> {
    args.check_divisible()?;
    let (subject, player) = args.subject()?;
    let terms = subject.terms();
    let Some(game) = args.game()? else {
        let task = JobKind::Tune { words, config: None, engines: Vec::new(), id: String::new(), terms, cut };
        return Ok((task, BTreeMap::new()));
    };
    let (config, roster) = (args.engine.conditions(&args.common, game)?, args.engine.roster()?);
    if let Some(openings) = &config.openings {
        files.add(openings)?;
    }
    let engine = config.participants()?.pop().context("no engine")?;
    let spec = resolve(&engine, &config, &roster, game.name())?;
    let (sealed, engine, here) = engines::seal(&spec, &engine, &roster, own)?;
    let config = Config {
        engines: vec![engine],
        each: None,
        concurrency: None,
        report: None,
        records: None,
        logs: None,
        ..config
    };
    let id = player.map_or_else(String::new, |player| player.id);
    let config = Some(Box::new(config));
    Ok((JobKind::Tune { words: args.words(game), config, engines: vec![sealed], id, terms, cut }, here))
}

/// A tuning that is put together.
pub struct Steps {
    subject: AnySubject,
    course: Course,
    cut: Cut,
    /// The engine that was submitted, and what it calls itself.
    engine: Option<(Sealed, String)>,
    /// What the parts of this iteration gained.
    gains: BTreeMap<u64, Vec<f64>>,
    /// From which values they are played, as workers get them.
    step: String,
}

impl Steps {
    /// That of this job, which writes the file `output`.
    ///
    /// # Errors
    /// The file is that of another tuning.
    pub fn new(job: &ClusterJob, output: &Path) -> anyhow::Result<Steps> {
        let JobKind::Tune { words, engines, id, terms, cut, .. } = &job.task else {
            bail!("this is no tuning")
        };
        let mut args = tuning_args(words)?;
        args.common.out = output.to_owned();
        let subject = args.elsewhere(terms)?;
        let course = Course::begin(&args.common.job(), &*subject)?;
        let step = toml::to_string(&course.step(&*subject))?;
        let engine = engines.first().map(|sealed| (sealed.clone(), id.clone()));
        Ok(Steps { subject, course, cut: *cut, engine, gains: BTreeMap::new(), step })
    }

    fn iteration(&self) -> u64 {
        self.course.pairs().div_ceil(self.cut.batch)
    }

    /// The parts of this iteration.
    fn parts(&self) -> Range<u64> {
        self.cut.of_iteration(self.iteration())
    }

    /// Checks who played a part, and which pairs.
    fn check_part(&self, number: u64, part: &TuningPart) -> anyhow::Result<()> {
        let pairs = self.cut.pairs_of(number);
        let is_whole = part.from == pairs.start && part.gains.len() as u64 == pairs.end - pairs.start;
        if !is_whole || part.gains.iter().any(|gain| !(-2.0..=2.0).contains(gain)) {
            bail!("these are not what pairs {} to {} gained", pairs.start, pairs.end.saturating_sub(1));
        }
        let difference = match (&self.engine, &part.player) {
            (None, None) => None,
            (Some((sealed, id)), Some(player)) if player.id == *id => sealed.other_content(&player.content),
            (_, player) => Some(format!(
                "it was {}, not {}",
                player.as_ref().map_or("this program", |player| &player.id),
                self.engine.as_ref().map_or("this program", |(_, id)| id)
            )),
        };
        match difference {
            Some(difference) => bail!("it was played by another engine: {difference}"),
            None => Ok(()),
        }
    }
}

fn read(bytes: &[u8]) -> anyhow::Result<TuningPart> {
    toml::from_str(std::str::from_utf8(bytes)?).context("no result of a part")
}

/// Whether two results say the same.
pub fn is_same(first: &[u8], second: &[u8]) -> bool {
    let said = |bytes: &[u8]| read(bytes).ok().map(|part| (part.step, part.from, part.gains));
    said(first).is_some_and(|first| said(second) == Some(first))
}

impl Gather for Steps {
    fn fit(&self, part: u64, bytes: &[u8]) -> ResultFit {
        if part >= self.parts().end {
            return ResultFit::Early;
        }
        match read(bytes) {
            Ok(read) if self.parts().contains(&part) && read.step != hash_text(&self.step) => {
                ResultFit::Stale
            }
            _ => ResultFit::Good,
        }
    }

    fn input(&self) -> Option<GatherInput<'_>> {
        Some(GatherInput { number: self.iteration(), text: &self.step, parts: self.parts().end })
    }

    fn check(&self, number: u64, _file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        self.check_part(number, &read(bytes)?)
    }

    fn take(&mut self, number: u64, _file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let part = read(bytes)?;
        self.gains.insert(number, part.gains);
        if self.parts().all(|part| self.gains.contains_key(&part)) {
            let gains: Vec<f64> = std::mem::take(&mut self.gains).into_values().flatten().collect();
            self.course.learn(&*self.subject, &gains)?;
            self.step = toml::to_string(&self.course.step(&*self.subject))?;
        }
        Ok(())
    }

    /// What was learned from stays.
    fn forget(&mut self, part: u64) -> anyhow::Result<bool> {
        Ok(self.gains.remove(&part).is_some())
    }

    fn finish(self: Box<Self>, partial: bool) -> anyhow::Result<()> {
        let (learned, all) = (self.course.pairs(), self.cut.pairs);
        if learned < all && !partial {
            bail!("{} of {all} pairs are missing (--partial puts up with it)", all - learned);
        }
        self.course.write(&*self.subject)?;
        tune::print(&*self.subject, self.course.result());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{JobPriority, MAX_PARTS};
    use kaeshi_match::tournament::identity::ContentHashes;
    use kaeshi_match::tournament::run::state::Participant;

    #[test]
    fn no_part_has_pairs_of_two_iterations() {
        let cut = Cut { pairs: 21, batch: 8, size: 3 };
        assert_eq!((cut.per_iteration(), cut.parts()), (3, 8));
        let pairs: Vec<Range<u64>> = (0..cut.parts()).map(|part| cut.pairs_of(part)).collect();
        assert_eq!(pairs, [0..3, 3..6, 6..8, 8..11, 11..14, 14..16, 16..19, 19..21]);
        assert_eq!([0, 2, 3, 7].map(|part| cut.iteration(part)), [0, 0, 1, 2]);
        assert_eq!((cut.of_iteration(2), cut.of_iteration(3)), (6..8, 8..8));
        let whole = Cut { pairs: 16, batch: 8, size: 100 };
        assert_eq!((whole.parts(), whole.pairs_of(1)), (2, 8..16));
    }

    fn words() -> Vec<String> {
        "tune --game sygo --size 4 --iteration 1 --pairs 6 --batch 4 --seed 3"
            .split(' ')
            .map(String::from)
            .collect()
    }

    fn job(words: Vec<String>) -> ClusterJob {
        let own = "own";
        let args = tuning_args(&words).unwrap();
        let (task, here) =
            task(&args, words, Cut::of(&args.common, 2), own, &mut JobFiles::default()).unwrap();
        assert!(here.is_empty());
        task.check().unwrap();
        ClusterJob {
            v: 1,
            name: "w".into(),
            id: "w-1".into(),
            build: "b".into(),
            priority: JobPriority::default(),
            task,
            parts: 3,
            ahead: 2,
            speed: None,
            files: false,
            closed: false,
        }
    }

    #[test]
    fn jobs_whose_parts_cannot_be_numbered_are_refused() {
        let good = job(words());
        good.check_parts().unwrap();
        for parts in [0, MAX_PARTS + 1, u64::MAX] {
            let said = ClusterJob { parts, ..good.clone() }.check_parts().unwrap_err().to_string();
            assert_eq!(said, format!("job 'w' has {parts} parts, not 1 to 1000000"));
        }
        for (size, batch) in [(0, 4), (2, 0)] {
            let mut bad = good.clone();
            let JobKind::Tune { cut, .. } = &mut bad.task else { panic!("a tuning") };
            (cut.size, cut.batch) = (size, batch);
            assert_eq!(bad.check_parts().unwrap_err().to_string(), "job 'w' has parts without pairs");
        }
    }

    #[test]
    fn a_step_follows_when_all_parts_of_it_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("tuned");
        let mut steps = Steps::new(&job(words()), &out).unwrap();
        let part = |steps: &Steps, from: u64, gains: &[f64]| {
            let part = TuningPart { step: hash_text(&steps.step), from, gains: gains.into(), player: None };
            toml::to_string(&part).unwrap().into_bytes()
        };
        assert_eq!(steps.input().map(|input| (input.number, input.parts)), Some((0, 2)));
        let late = part(&steps, 4, &[0.0, 2.0]);
        assert!(matches!(steps.fit(2, &late), ResultFit::Early));
        assert!(steps.check(0, "", &part(&steps, 0, &[1.0])).is_err(), "a pair is missing");
        assert!(steps.check(0, "", &part(&steps, 0, &[1.0, 3.0])).is_err(), "no gain of a pair");
        steps.take(1, "", &part(&steps, 2, &[1.0, -1.0])).unwrap();
        assert!(steps.forget(1).unwrap(), "nothing was learned from it");
        steps.take(1, "", &part(&steps, 2, &[1.0, -2.0])).unwrap();
        steps.take(0, "", &part(&steps, 0, &[0.0, 1.0])).unwrap();
        assert_eq!(steps.input().map(|input| (input.number, input.parts)), Some((1, 3)));
        assert!(!steps.forget(0).unwrap(), "it was learned from");
        assert!(matches!(steps.fit(2, &late), ResultFit::Stale), "played from the values before");
        let last = part(&steps, 4, &[0.0, 2.0]);
        assert!(is_same(&last, &last) && !is_same(&last, &late));
        assert!(matches!(steps.fit(2, &last), ResultFit::Good));
        steps.take(2, "", &last).unwrap();
        assert!(steps.course.next().is_empty());
        Box::new(steps).finish(false).unwrap();
        assert!(out.is_file());
        let other: Vec<String> = words().iter().map(|word| word.replace('3', "5")).collect();
        assert!(Steps::new(&job(other), &out).is_err(), "another seed");
    }

    #[test]
    fn an_engine_is_tuned_by_itself_alone() {
        let words: Vec<String> =
            "tune --game reversi --param SkillLevel=4,1,20,3 --engine kaeshi depth=1 --pairs 4"
                .split(' ')
                .map(String::from)
                .collect();
        let own = kaeshi_match::tournament::identity::hash_file(&std::env::current_exe().unwrap()).unwrap();
        let sealed = Sealed {
            content: ContentHashes { program: own, ..ContentHashes::default() },
            ..Sealed::default()
        };
        let kept =
            tuning_args(&words).unwrap().words(kaeshi_engine::games::GameName::parse("reversi").unwrap());
        assert_eq!(
            kept,
            ["tune", "--game=reversi", "--seed=1", "--pairs=4", "--batch=8", "--param=SkillLevel=4,1,20,3"]
        );
        let task = |words: Vec<String>, config: Config| JobKind::Tune {
            words,
            config: Some(Box::new(config)),
            engines: vec![sealed.clone()],
            id: "k".into(),
            terms: "t".into(),
            cut: Cut { pairs: 4, batch: 8, size: 1 },
        };
        let one = Config { engines: vec![Default::default()], ..Config::default() };
        task(kept.clone(), one.clone()).check().unwrap();
        assert!(task(words, one.clone()).check().is_err(), "it says how to start the engine");
        for more in ["--config=x.toml", "--report=x.html", "--engines=x.toml", "--live"] {
            let words = [&kept[..], &[more.to_owned()]].concat();
            assert!(task(words, one.clone()).check().is_err(), "{more}");
        }
        let folder = tempfile::tempdir().unwrap();
        let job = ClusterJob { task: task(kept, one), ..job(super::tests::words()) };
        let steps = Steps::new(&job, &folder.path().join("tuned")).unwrap();
        let player = |id: &str, program: &str| {
            let content = ContentHashes { program: program.into(), ..ContentHashes::default() };
            TuningPart {
                step: String::new(),
                from: 0,
                gains: vec![0.0],
                player: Some(Participant { id: id.into(), content }),
            }
        };
        steps.check_part(0, &player("k", &sealed.content.program)).unwrap();
        assert!(steps.check_part(0, &player("k", "p")).is_err(), "another program");
        assert!(steps.check_part(0, &player("l", &sealed.content.program)).is_err(), "another name");
    }
}
