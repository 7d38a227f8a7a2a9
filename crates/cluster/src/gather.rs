//! The results of all parts as one: what the local command would have left.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};

use super::engines::Sealed;
use super::gathering::Gather;
use super::job::{ClusterJob, JobKind};
use super::match_check;
use super::tuning::Steps;
use kaeshi_analysis::analyse::merge::Merge;
use kaeshi_analysis::analyse::output::AnalysisOutput;
use kaeshi_match::roster::Roster;
use kaeshi_match::tournament::config::Config;
use kaeshi_match::tournament::game::Finished;
use kaeshi_match::tournament::journal::{EngineInfo, JOURNAL, load};
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
        JobKind::Analyse { .. } => Box::new(AnalysisGather {
            parts: BTreeMap::new(),
            output: AnalysisOutput::create(output, false, overwrite)?,
        }),
        JobKind::Selfplay { .. } => {
            std::fs::create_dir_all(output).with_context(|| output.display().to_string())?;
            Box::new(SelfplayGather { folder: output.to_owned(), files: BTreeMap::new(), parts: job.parts })
        }
        JobKind::Tune { .. } => Box::new(Steps::new(job, output)?),
        JobKind::Match { config, engines, size, .. } => {
            Config { out: Some(output.to_owned()), ..(**config).clone() }.check_outputs(&[])?;
            let plan = plan_of(config, engines)?;
            std::fs::create_dir_all(output).with_context(|| output.display().to_string())?;
            Box::new(MatchGather {
                plan,
                size: *size,
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
    output: AnalysisOutput,
}

impl Gather for AnalysisGather {
    fn take(&mut self, part: u64, _file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        Merge::default().add(bytes)?;
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

/// Files of self-play, one of each part.
struct SelfplayGather {
    folder: PathBuf,
    files: BTreeMap<u64, PathBuf>,
    parts: u64,
}

impl Gather for SelfplayGather {
    fn take(&mut self, part: u64, file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        if file.is_empty() || file.starts_with('.') || file.contains(['/', '\\']) {
            bail!("'{file}' is no name of a file of games");
        }
        let path = self.folder.join(file);
        write_whole(&path, bytes)?;
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

impl MatchGather {
    /// The state of the match; results of engines other than those that were submitted are refused.
    fn state(&mut self, engines: &[EngineInfo]) -> anyhow::Result<&MatchState> {
        let ids: Vec<String> = engines.iter().map(|engine| engine.id.clone()).collect();
        let strange = self.sealed.iter().zip(engines).find_map(|(sealed, played)| sealed.difference(played));
        if let Some(difference) = strange {
            bail!("it was played by other engines: {difference}");
        }
        if engines.len() != self.sealed.len() || (self.state.is_some() && ids != self.ids) {
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
    fn take(&mut self, part: u64, _file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let journal = load::parse(bytes, false)?.journal.context("no journal")?;
        let first = part.saturating_mul(self.size);
        let pairs = first..first.saturating_add(self.size).min(self.plan.pairs);
        journal.games.iter().try_for_each(|played| match_check::check(&self.plan, &pairs, played))?;
        let schedule = self.plan.schedule.clone();
        let state = self.state(&journal.open.engines)?;
        for played in journal.games {
            let (pair, game) = (played.game.pair, played.game.game);
            let fault = journal.faults.iter().find(|fault| (fault.pair, fault.game) == (pair, game)).cloned();
            let seats = schedule.seats(schedule.engines(pair), pair, game);
            state.accept(Finished { played, fault }, seats);
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
