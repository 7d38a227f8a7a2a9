//! Results are not believed without a check: a second worker repeats some of the parts.
//!
//! Only work whose result does not depend on time can be repeated: analysis by nodes or depth with one
//! thread, self-play, and matches of this program by nodes or depth. Which parts are repeated is drawn where
//! results are collected, so that no worker knows it.

use std::hash::{BuildHasher as _, RandomState};

use super::engines::Sealed;
use super::job::{ClusterJob, JobKind, PoolCommand, parse, tuning_args};
use super::tuning;
use kaeshi_analysis::analyse::line::AnalysisLine;
use kaeshi_analysis::analyse::output;
use kaeshi_core::random::SplitMix;
use kaeshi_match::dialogue::limits::ThinkingLimit;
use kaeshi_match::roster::Scalar;
use kaeshi_match::tournament::journal::{GameWithMoves, JournalGame, load};

/// The parts of a job that are repeated.
#[derive(Debug)]
pub struct RepeatSample {
    percent: u8,
    /// This one is repeated in any case.
    sure: u64,
    secret: u64,
}

impl RepeatSample {
    /// Percent of the parts of a job that can be repeated.
    ///
    /// # Errors
    /// A task that cannot be read.
    pub fn of(job: &ClusterJob, percent: u8) -> anyhow::Result<RepeatSample> {
        let percent = if job.task.is_repeatable()? { percent } else { 0 };
        let secret = RandomState::new().hash_one(&job.id);
        Ok(RepeatSample { percent, sure: secret % job.parts.max(1), secret })
    }

    /// Whether parts can be repeated, and are to be.
    pub fn is_possible(&self) -> bool {
        self.percent > 0
    }

    /// Whether this part is repeated; the same whenever it is asked.
    pub fn is_drawn(&self, part: u64) -> bool {
        let drawn = SplitMix::new(self.secret ^ part).draw() % 100;
        self.percent > 0 && (part == self.sure || drawn < u64::from(self.percent))
    }
}

impl JobKind {
    /// Whether another worker must come to the same result.
    fn is_repeatable(&self) -> anyhow::Result<bool> {
        match self {
            JobKind::Analyse { words } => match parse(words)? {
                PoolCommand::Analyse(args) => Ok(args.is_repeatable()),
                _ => Ok(false),
            },
            JobKind::Selfplay { .. } => Ok(true),
            JobKind::Match { .. } => self.has_repeatable_games(),
            JobKind::Tune { words, .. } => {
                let args = tuning_args(words)?;
                Ok(!args.engine.names().any(is_chance) && self.has_repeatable_games()?)
            }
        }
    }

    /// Whether its engines, if it has some, play the same games again.
    fn has_repeatable_games(&self) -> anyhow::Result<bool> {
        let Some(config) = self.config() else { return Ok(true) };
        let is_sure = |engine: &Sealed| engine.own && !engine.preset.keys().any(|name| is_chance(name));
        let leaves_to_chance = |(name, Scalar(value)): (&String, &Scalar)| {
            is_chance(name) || (name.to_ascii_lowercase().starts_with("thread") && value != "1")
        };
        let mut is_repeatable = self.engines().iter().all(is_sure)
            && !config.engines.iter().flat_map(|engine| &engine.options).any(leaves_to_chance);
        for engine in &config.engines {
            let limit = engine.terms.limit()?.or(config.terms.limit()?);
            is_repeatable &= matches!(limit, Some(ThinkingLimit::Nodes(_) | ThinkingLimit::Depth(_)));
        }
        Ok(is_repeatable)
    }

    /// Whether two results say the same, the times that they took aside.
    pub fn is_same(&self, first: &[u8], second: &[u8]) -> bool {
        match self {
            JobKind::Analyse { .. } => match (timeless(first), timeless(second)) {
                (Some(first), Some(second)) => first == second,
                _ => false,
            },
            JobKind::Match { .. } => match (games(first), games(second)) {
                (Some(first), Some(second)) => first == second,
                _ => false,
            },
            JobKind::Selfplay { .. } => first == second,
            JobKind::Tune { .. } => tuning::is_same(first, second),
        }
    }
}

/// Whether this option lets chance decide: below its highest level, this program misjudges by chance.
fn is_chance(option: &str) -> bool {
    option.to_ascii_lowercase().starts_with("skill")
}

/// The lines of an analysis without times; `None` if it is damaged.
fn timeless(bytes: &[u8]) -> Option<Vec<AnalysisLine>> {
    let (mut lines, good) = output::parse(bytes).ok()?;
    for line in &mut lines {
        match line {
            AnalysisLine::Position(line) => line.analysis.time_ms = None,
            AnalysisLine::Error(_) => {}
        }
    }
    (good == bytes.len()).then_some(lines)
}

/// A game, and its turns with the nodes for each.
type TimelessGame = (JournalGame, Vec<(String, Option<u64>)>);

/// The games of a match without times; `None` if the journal is damaged.
fn games(bytes: &[u8]) -> Option<Vec<TimelessGame>> {
    let journal = load::parse(bytes, false).ok()?.journal?;
    let timeless = |played: GameWithMoves| {
        let game = JournalGame {
            rest_us: [None; 2],
            used_us: [0; 2],
            max_over_us: [0; 2],
            lag_us_p99: [0; 2],
            slot: 0,
            time_scale: None,
            t0: String::new(),
            dur_us: 0,
            warn: Vec::new(),
            ..played.game
        };
        (game, played.moves.into_iter().map(|one| (one.m, one.nodes)).collect())
    };
    Some(journal.games.into_iter().map(timeless).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobPriority;
    use kaeshi_analysis::analyse::line::{PositionLine, PositionOrigin, SCHEMA, StoredAnalysis};
    use kaeshi_match::tournament::config::{Config, EngineConfig, PlayConditions};

    fn analysis(words: &str) -> JobKind {
        JobKind::Analyse { words: words.split(' ').map(String::from).collect() }
    }

    fn job(task: JobKind) -> ClusterJob {
        let text = |text: &str| text.to_owned();
        let (name, id, build) = (text("w"), text("w-1"), text("b"));
        ClusterJob {
            v: 1,
            name,
            id,
            build,
            priority: JobPriority::default(),
            task,
            parts: 1000,
            ahead: 1000,
            speed: None,
            files: false,
            closed: false,
        }
    }

    #[test]
    fn the_share_is_drawn_and_one_part_at_least() {
        let job = job(analysis("analyse --nodes 10 games"));
        let count = |percent| {
            let sample = RepeatSample::of(&job, percent).unwrap();
            let drawn = (0..job.parts).filter(|&part| sample.is_drawn(part));
            drawn.inspect(|&part| assert!(sample.is_drawn(part))).count()
        };
        assert_eq!((count(0), count(100)), (0, 1000));
        assert!((50..200).contains(&count(10)));
        let few = ClusterJob { parts: 3, ..job.clone() };
        let sample = RepeatSample::of(&few, 1).unwrap();
        assert!((0..3).any(|part| sample.is_drawn(part)));
    }

    #[test]
    fn what_depends_on_time_is_not_repeated() {
        for (words, repeatable) in [
            ("analyse --nodes 10 games", true),
            ("analyse --depth 3 games", true),
            ("analyse games", false),
            ("analyse --movetime 10ms games", false),
            ("analyse --mate 10ms games", false),
            ("analyse --nodes 10 --threads 2 games", false),
            ("analyse --nodes 10 --option Threads=2 games", false),
        ] {
            assert_eq!(analysis(words).is_repeatable().unwrap(), repeatable, "{words}");
        }
    }

    #[test]
    fn what_chance_decides_is_not_repeated() {
        let engine = |option: &str, value: &str| EngineConfig {
            options: [(option.to_owned(), Scalar(value.into()))].into(),
            terms: PlayConditions { nodes: Some(Scalar("9".into())), ..PlayConditions::default() },
            ..EngineConfig::default()
        };
        let task = |sealed: Sealed, engine: EngineConfig| {
            let config = Box::new(Config { engines: vec![engine], ..Config::default() });
            JobKind::Match { config, engines: vec![sealed], size: 1, pairs: 1 }
        };
        let own = Sealed { own: true, ..Sealed::default() };
        let level = Sealed { preset: [("SkillLevel".to_owned(), "3".to_owned())].into(), ..own.clone() };
        assert!(task(own.clone(), engine("Hash", "9")).is_repeatable().unwrap());
        for (sealed, option, value) in [
            (Sealed::default(), "Hash", "9"),
            (own.clone(), "Threads", "2"),
            (own, "Skill", "3"),
            (level, "Hash", "9"),
        ] {
            assert!(!task(sealed, engine(option, value)).is_repeatable().unwrap(), "{option}");
        }
    }

    #[test]
    fn times_may_differ_and_nothing_else() {
        let line = |time_ms: u64, best: &str| {
            let origin = PositionOrigin { n: 1, of: 1, ..PositionOrigin::default() };
            let text = |text: &str| text.to_owned();
            let line = PositionLine {
                v: SCHEMA,
                origin,
                turn: 0,
                game: text("shogi"),
                position: text("p"),
                key: text("k"),
                side: text("first"),
                played: None,
                effort: text("nodes 7 multipv 1"),
                during_search: false,
                analysis: StoredAnalysis {
                    best: Some(text(best)),
                    time_ms: Some(time_ms),
                    ..StoredAnalysis::default()
                },
            };
            AnalysisLine::Position(Box::new(line)).json().into_bytes()
        };
        let task = analysis("analyse --nodes 7 games");
        assert!(task.is_same(&line(1, "7g7f"), &line(2, "7g7f")));
        assert!(!task.is_same(&line(1, "7g7f"), &line(1, "2g2f")));
        assert!(!task.is_same(&line(1, "7g7f"), b""));
        assert!(!task.is_same(b"rubbish\n", b"rubbish\n"));
        let games = JobKind::Selfplay { words: Vec::new() };
        assert!(games.is_same(b"ab", b"ab") && !games.is_same(b"ab", b"ac"));
    }
}
