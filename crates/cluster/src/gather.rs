//! The results of all parts as one: what the local command would have left.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};

use super::engines::Sealed;
use super::gathering::Gather;
use super::job::{ClusterJob, JobKind};
use super::match_check;
use super::speed;
use super::tuning::Steps;
use kaeshi_analysis::analyse::merge::Merge;
use kaeshi_analysis::analyse::output::{self, AnalysisOutput};
use kaeshi_core::files::{self, FileKind};
use kaeshi_match::roster::Roster;
use kaeshi_match::tournament::config::Config;
use kaeshi_match::tournament::game::Finished;
use kaeshi_match::tournament::journal::{EngineInfo, JOURNAL, Journal, load};
use kaeshi_match::tournament::plan::MatchPlan;
use kaeshi_match::tournament::progress::MatchProgress;
use kaeshi_match::tournament::run::state::{MatchState, Participant};
use kaeshi_match::tournament::run::{self, Resumption};
use kaeshi_system::output::{say, write_whole};
use kaeshi_system::stop_signal::StopSignal;

/// For this kind of job.
///
/// # Errors
/// If the output cannot be written, or the match is wrong.
pub fn of(job: &ClusterJob, output: &Path, overwrite: bool) -> anyhow::Result<Box<dyn Gather>> {
    Ok(match &job.task {
        JobKind::Analyse { words } => Box::new(AnalysisGather {
            parts: BTreeMap::new(),
            count: job.parts,
            by_line: !words.iter().any(|word| word.starts_with("--memory")),
            output: AnalysisOutput::create(output, false, overwrite)?,
        }),
        JobKind::Selfplay { .. } => {
            std::fs::create_dir_all(output).with_context(|| output.display().to_string())?;
            let (folder, files) = (output.to_owned(), BTreeMap::new());
            Box::new(SelfplayGather { folder, overwrite, files, parts: job.parts })
        }
        JobKind::Tune { .. } => Box::new(Steps::new(job, output)?),
        JobKind::Match { config, engines, size, .. } => {
            Config { out: Some(output.to_owned()), ..(**config).clone() }.check_outputs(&[])?;
            let plan = plan_of(config, engines)?;
            std::fs::create_dir_all(output).with_context(|| output.display().to_string())?;
            Box::new(MatchGather {
                plan,
                size: *size,
                scales: if job.speed.is_some() { speed::BOUNDS } else { 1.0..=1.0 },
                folder: output.to_owned(),
                state: None,
                sealed: engines.clone(),
                ids: Vec::new(),
            })
        }
    })
}

struct AnalysisGather {
    parts: BTreeMap<u64, Vec<u8>>,
    /// How many parts there are.
    count: u64,
    /// Whether lines are dealt to the parts one by one, not by records.
    by_line: bool,
    output: AnalysisOutput,
}

impl Gather for AnalysisGather {
    fn check(&self, part: u64, _file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        self.check_lines(part, bytes)
    }

    fn take(&mut self, part: u64, _file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        self.parts.insert(part, bytes.to_owned());
        Ok(())
    }

    fn forget(&mut self, part: u64) -> anyhow::Result<bool> {
        self.parts.remove(&part);
        Ok(true)
    }

    fn finish(mut self: Box<Self>, partial: bool) -> anyhow::Result<()> {
        let mut merge = Merge::default();
        for (part, bytes) in &self.parts {
            merge.add(bytes).with_context(|| format!("part {part}"))?;
        }
        merge.check(partial)?;
        merge.write(&mut self.output)
    }
}

impl AnalysisGather {
    /// Whether an output has lines of one analysis, in order, and as far as that is known those of this part.
    fn check_lines(&self, part: u64, bytes: &[u8]) -> anyhow::Result<()> {
        let (lines, good) = output::parse(bytes)?;
        ensure!(good == bytes.len(), "its last line is damaged");
        let numbers: Vec<u64> = lines.iter().map(|line| line.origin().n).collect();
        let of = lines.first().map_or(0, |line| line.origin().of);
        ensure!(
            lines.iter().all(|line| line.origin().of == of && (1..=of).contains(&line.origin().n))
                && numbers.is_sorted_by(|one, next| one < next),
            "its lines are not those of one analysis"
        );
        let is_of_part = |number: &u64| (number - 1) % self.count == part;
        let count = of.saturating_sub(part).div_ceil(self.count);
        ensure!(
            !self.by_line || (part < of && numbers.len() as u64 == count && numbers.iter().all(is_of_part)),
            "its lines are not those of the part"
        );
        Ok(())
    }
}

/// Files of self-play, one of each part.
struct SelfplayGather {
    folder: PathBuf,
    /// Whether files with other games are replaced.
    overwrite: bool,
    files: BTreeMap<u64, PathBuf>,
    parts: u64,
}

impl Gather for SelfplayGather {
    fn check(&self, part: u64, file: &str, _bytes: &[u8]) -> anyhow::Result<()> {
        let is_plain = file.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c));
        let stem = file.rsplit_once('.').map_or("", |(stem, _)| stem);
        ensure!(
            is_plain && stem.starts_with("games-") && stem.ends_with(&format!("-{part:05}")),
            "'{}' is no name of its file of games",
            file.escape_debug()
        );
        Ok(())
    }

    fn take(&mut self, part: u64, file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.folder.join(file);
        // A collector before this one may have written it.
        let is_there = files::read(&path, FileKind::GAMES).is_ok_and(|there| there == bytes);
        if !is_there {
            ensure!(
                self.overwrite || !path.exists(),
                "{} holds other games: choose another folder, or --overwrite replaces it",
                path.display()
            );
            write_whole(&path, bytes)?;
        }
        self.files.insert(part, path);
        Ok(())
    }

    fn forget(&mut self, part: u64) -> anyhow::Result<bool> {
        if let Some(path) = self.files.remove(&part) {
            std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(true)
    }

    fn finish(self: Box<Self>, partial: bool) -> anyhow::Result<()> {
        let missing = self.parts.saturating_sub(self.files.len() as u64);
        if missing > 0 && !partial {
            bail!("{missing} parts are missing (--partial puts up with it)");
        }
        Ok(())
    }
}

/// The journal of a match; it alone decides, from games in the order of the schedule.
struct MatchGather {
    plan: MatchPlan,
    /// Pairs of a part.
    size: u64,
    /// By what workers may multiply the times of the match.
    scales: RangeInclusive<f64>,
    folder: PathBuf,
    /// Opened when the first result shows what the engines are.
    state: Option<MatchState>,
    /// The engines that were submitted.
    sealed: Vec<Sealed>,
    /// What they call themselves in that result.
    ids: Vec<String>,
}

/// The plan of a match whose engines are elsewhere: the collector starts none of them.
fn plan_of(config: &Config, sealed: &[Sealed]) -> anyhow::Result<MatchPlan> {
    let own = std::env::current_exe().context("where is this program?")?;
    let engines = config.engines.iter().zip(sealed);
    let engines =
        engines.map(|(engine, sealed)| sealed.configure(engine, &own, None, Path::new(""))).collect();
    let mut plan = MatchPlan::new(Config { engines, ..config.clone() }, &Roster::default())?;
    for (spec, sealed) in plan.specs.iter_mut().zip(sealed) {
        Arc::make_mut(spec).program.command = format!("sha256:{}", sealed.content.program).into();
    }
    Ok(plan)
}

/// The journal of a part.
fn read(bytes: &[u8]) -> anyhow::Result<Journal> {
    load::parse(bytes, false)?.journal.context("no journal")
}

impl MatchGather {
    /// The pairs of a part.
    fn pairs(&self, part: u64) -> Range<u64> {
        let first = part.saturating_mul(self.size);
        first..first.saturating_add(self.size).min(self.plan.pairs)
    }

    /// The state of the match; engines that call themselves otherwise than in the first result are others.
    fn state(&mut self, engines: &[EngineInfo]) -> anyhow::Result<&MatchState> {
        let ids: Vec<String> = engines.iter().map(|engine| engine.id.clone()).collect();
        if self.state.is_some() && ids != self.ids {
            bail!("it was played by other engines: {} instead of {}", ids.join(", "), self.ids.join(", "));
        }
        if self.state.is_none() {
            let content = self.sealed.iter().map(|sealed| sealed.content.clone());
            let participants: Vec<Participant> =
                ids.iter().cloned().zip(content).map(|(id, content)| Participant { id, content }).collect();
            self.ids = ids;
            let (stop, progress) = (StopSignal::of_process(), MatchProgress::new(&self.plan));
            let state = MatchState::open(
                &self.plan,
                &participants,
                &self.folder,
                Resumption { elsewhere: true, ..Resumption::default() },
                stop,
                progress,
            )?;
            self.state = Some(state);
        }
        self.state.as_ref().context("the journal is not open")
    }
}

impl Gather for MatchGather {
    fn check(&self, part: u64, _file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let journal = read(bytes)?;
        let engines = &journal.open.engines;
        let strange = self.sealed.iter().zip(engines).find_map(|(sealed, played)| sealed.difference(played));
        if let Some(difference) = strange {
            bail!("it was played by other engines: {difference}");
        }
        ensure!(engines.len() == self.sealed.len(), "it was played by {} engines", engines.len());
        match_check::check_part(&self.plan, &self.pairs(part), &self.scales, &journal)
    }

    fn take(&mut self, _part: u64, _file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let journal = read(bytes)?;
        let schedule = self.plan.schedule.clone();
        let state = self.state(&journal.open.engines)?;
        for played in journal.games {
            let (pair, game) = (played.game.pair, played.game.game);
            let fault = journal.faults.iter().find(|fault| (fault.pair, fault.game) == (pair, game)).cloned();
            let seats = schedule.seats(schedule.engines(pair), pair, game);
            state.accept(Finished { played, fault }, seats)?;
        }
        Ok(())
    }

    /// Its games are in the journal.
    fn forget(&mut self, _part: u64) -> anyhow::Result<bool> {
        Ok(false)
    }

    fn is_decided(&self) -> bool {
        self.state.as_ref().is_some_and(MatchState::is_decided)
    }

    fn finish(self: Box<Self>, partial: bool) -> anyhow::Result<()> {
        let state = self.state.context("no game was played")?;
        if !state.close()? && !partial {
            bail!("games are missing (--partial puts up with it)");
        }
        let journal = load::load(&self.folder.join(JOURNAL))?;
        kaeshi_system::output::say(kaeshi_match::tournament::report::table(&journal).trim_end());
        run::manifest::publish(&self.plan, &self.folder, &journal, &|text| say(text))
    }
}

#[cfg(test)]
mod tests {
    use kaeshi_analysis::analyse::line::{AnalysisLine, ErrorLine, PositionOrigin, SCHEMA};

    use super::*;

    fn lines(numbers: &[u64], of: u64) -> Vec<u8> {
        let line = |&n: &u64| {
            let origin = PositionOrigin { n, of, ..PositionOrigin::default() };
            AnalysisLine::Error(ErrorLine { v: SCHEMA, origin, error: "e".into() }).json().into_bytes()
        };
        numbers.iter().flat_map(line).collect()
    }

    #[test]
    fn a_part_of_an_analysis_has_its_own_lines() {
        let folder = tempfile::tempdir().unwrap();
        let output = AnalysisOutput::create(&folder.path().join("all.jsonl"), false, false).unwrap();
        let mut gather = AnalysisGather { parts: BTreeMap::new(), count: 3, by_line: true, output };
        let fits =
            |gather: &AnalysisGather, part, bytes: &[u8]| gather.check(part, "part.jsonl", bytes).is_ok();
        assert!(fits(&gather, 1, &lines(&[2, 5], 7)) && fits(&gather, 0, &lines(&[1, 4, 7], 7)));
        let whole = lines(&[2, 5], 7);
        for wrong in
            [&[1, 4][..], &[2], &[2, 5, 8], &[5, 2], &[2, 2], &[0, 3], &[]].map(|numbers| lines(numbers, 7))
        {
            assert!(!fits(&gather, 1, &wrong), "{}", wrong.escape_ascii());
        }
        assert!(!fits(&gather, 1, &whole[..whole.len() - 9]), "its end is missing");
        assert!(!fits(&gather, 1, &[lines(&[2], 7), lines(&[5], 8)].concat()), "of two analyses");
        gather.by_line = false;
        assert!(fits(&gather, 1, &lines(&[3, 4], 7)) && fits(&gather, 1, b""));
        assert!(!fits(&gather, 1, &lines(&[4, 3], 7)));
    }

    #[test]
    fn a_part_of_self_play_has_its_own_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, files) = (folder.path().to_owned(), BTreeMap::new());
        let mut gather = SelfplayGather { folder: path, overwrite: false, files, parts: 3 };
        let fits = |part, file: &str| gather.check(part, file, b"").is_ok();
        assert!(fits(1, "games-4-00001.ksg") && fits(100_000, "games-9-4-100000.sygo"));
        for wrong in [
            "games-4-00002.ksg",
            "../games-4-00001.ksg",
            "games-4-00001",
            "x-00001.ksg",
            "",
            "games-\n-00001.k",
        ] {
            assert!(!fits(1, wrong), "{wrong:?}");
        }
        let mut take = |overwrite, bytes: &[u8]| {
            gather.overwrite = overwrite;
            gather.take(1, "games-4-00001.ksg", bytes).is_ok()
        };
        assert!(take(false, b"games") && take(false, b"games"));
        assert!(!take(false, b"other") && take(true, b"other"), "other games are not lost");
    }
}
