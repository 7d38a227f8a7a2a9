//! Several engines at work at once; what they find comes out in the order of the plan.

use std::collections::BTreeMap;

use anyhow::bail;
use crossbeam_channel::bounded;

use super::analyst::{Analyst, AnalystControl, EngineSetup};
use super::effort::{MemoryScope, Shard};
use super::line::{AnalysisLine, ErrorLine, SCHEMA};
use super::output::Marks;
use super::plan::{AnalysisPlan, AnalysisTask, PlannedRecord};
use crate::store::AnalysisStore;
use kaeshi_core::driver::machine::has_room_for_a_thread;
use kaeshi_core::threads;
use kaeshi_engine::games::GameName;
use kaeshi_system::output::remark;
use kaeshi_system::stop_signal::StopSignal;

/// Units that may be finished before an earlier one is.
const AHEAD_PER_JOB: usize = 64;

/// How the work is done.
pub struct AnalysisWork<'a> {
    /// What there is to do.
    pub plan: &'a AnalysisPlan,
    /// How engines are set up.
    pub setup: EngineSetup,
    /// Engines at once.
    pub jobs: usize,
    /// What is forgotten when.
    pub memory: MemoryScope,
    /// The part to do.
    pub shard: Shard,
    /// Whether times are left out of the lines.
    pub no_timing: bool,
    /// Lines that are there already.
    pub done: &'a Marks,
    /// Positions that need no line: done elsewhere.
    pub skip: &'a (dyn Fn(&AnalysisTask) -> bool + Sync),
    /// Results that outlive the run.
    pub store: Option<&'a AnalysisStore>,
    /// Raised to end after the positions in hand.
    pub stop: &'a StopSignal,
}

/// The smallest part that one engine does in one go: one line, or in [`MemoryScope::Game`] one record.
#[derive(Clone, Copy, Debug)]
struct WorkUnit {
    number: u64,
    entry: usize,
    /// Places among the lines of the entry.
    from: usize,
    to: usize,
}

/// What came of a unit.
struct Done {
    lines: Vec<AnalysisLine>,
    /// Interrupted: nothing may be written behind these lines, or a resumed run could not put the rest
    /// in its place.
    cut: bool,
}

impl AnalysisWork<'_> {
    fn units(&self) -> impl Iterator<Item = WorkUnit> + '_ {
        let whole = self.memory == MemoryScope::Game;
        let parts = self.plan.entries.iter().enumerate().flat_map(move |(entry, what)| {
            let lines = usize::try_from(what.lines()).unwrap_or(usize::MAX);
            let step = if whole { lines.max(1) } else { 1 };
            (0..lines).step_by(step).map(move |from| (entry, from, (from + step).min(lines)))
        });
        parts
            .zip(0u64..)
            .map(|((entry, from, to), number)| WorkUnit { number, entry, from, to })
            .filter(|unit| self.shard.takes(unit.number))
    }

    /// How many lines this shard makes.
    pub fn lines(&self) -> u64 {
        self.units().map(|unit| (unit.to - unit.from) as u64).sum()
    }

    /// Does the work; `write` gets the lines of each unit in order, and ends the work by an error.
    ///
    /// # Errors
    /// What `write` says, or an engine that cannot be made.
    pub fn run(
        &self,
        mut write: impl FnMut(Vec<AnalysisLine>, u64) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let (give, units) = bounded::<(usize, WorkUnit)>(self.jobs);
        let (report, results) = bounded::<(usize, anyhow::Result<Done>, u64)>(self.jobs * 2);
        let (permit, permits) = bounded::<()>(self.jobs * AHEAD_PER_JOB);
        std::thread::scope(|scope| {
            // Taken along, so that the feeder does not wait for a writer that has given up.
            let permits = permits;
            let feed = move || {
                for (order, unit) in self.units().enumerate() {
                    let stop = self.stop.is_raised();
                    if stop || permit.send(()).is_err() || give.send((order, unit)).is_err() {
                        return;
                    }
                }
            };
            if !threads::spawn(scope, feed) {
                bail!("the system grants no thread for the analysis");
            }
            for started in 0..self.jobs {
                let (units, report) = (units.clone(), report.clone());
                let work = move || {
                    let mut analysts = Vec::new();
                    for (order, unit) in &units {
                        if self.stop.is_raised() {
                            return;
                        }
                        let done = self.unit(unit, &mut analysts);
                        if report.send((order, done, (unit.to - unit.from) as u64)).is_err() {
                            return;
                        }
                    }
                };
                // The first engine is tried whatever is free.
                if started > 0 && !has_room_for_a_thread() || !threads::spawn(scope, work) {
                    if started == 0 {
                        bail!("the system grants no thread for the analysis");
                    }
                    remark(format_args!(
                        "kaeshi: memory and system allow {started} of {} engines at once",
                        self.jobs
                    ));
                    break;
                }
            }
            drop((units, report));
            let mut early = BTreeMap::new();
            let mut next = 0;
            for (order, done, count) in results {
                early.insert(order, (done, count));
                while let Some((done, count)) = early.remove(&next) {
                    next += 1;
                    let _ = permits.try_recv();
                    let done = done?;
                    write(done.lines, count)?;
                    if done.cut {
                        return Ok(());
                    }
                }
            }
            Ok(())
        })
    }

    fn unit(&self, unit: WorkUnit, analysts: &mut Vec<(GameName, Analyst)>) -> anyhow::Result<Done> {
        let whole = |lines| Ok(Done { lines, cut: false });
        let Some(entry) = self.plan.entries.get(unit.entry) else { return whole(Vec::new()) };
        let mut tasks = Vec::new();
        let mut lines = Vec::new();
        for place in unit.from..unit.to {
            if place < entry.turns.len() {
                tasks.push(self.plan.task(entry, place)?);
            } else if let Some(error) = self.plan.error(entry) {
                lines.push(AnalysisLine::Error(error));
            }
        }
        lines.retain(|line| !self.done.contains(line.mark()));
        let wanted: Vec<bool> = tasks
            .iter()
            .map(|task| {
                let blank = AnalysisLine::Position(Box::new(task.line.clone()));
                !self.done.contains(blank.mark()) && !(self.skip)(task)
            })
            .collect();
        if wanted.iter().all(|wanted| !wanted) {
            return whole(lines);
        }
        let mut found = Vec::new();
        for (index, (task, wanted)) in tasks.into_iter().zip(wanted).enumerate() {
            if self.stop.is_raised() && !found.is_empty() {
                return Ok(Done { lines: found, cut: true });
            }
            let fresh = self.memory == MemoryScope::Fresh || index == 0;
            let line = self.position(entry, task, fresh, analysts)?;
            found.extend(wanted.then_some(line));
        }
        found.extend(lines);
        whole(found)
    }

    fn position(
        &self,
        entry: &PlannedRecord,
        task: AnalysisTask,
        fresh: bool,
        analysts: &mut Vec<(GameName, Analyst)>,
    ) -> anyhow::Result<AnalysisLine> {
        let store = self.store.filter(|_| task.is_plain());
        let AnalysisTask { game, effort, ref identity, .. } = task;
        let known = store.and_then(|store| store.get(game, identity, effort));
        let analysis = match known {
            Some(analysis) => Ok(analysis),
            None => {
                let analyst = analyst_for(game, &self.setup, analysts)?;
                let question = task.question(entry, fresh);
                let found = analyst.analyse(&question, None, &mut |_| AnalystControl::Continue);
                if let (Ok(analysis), Some(store)) = (&found, store) {
                    store.put(game, identity, effort, analysis)?;
                }
                if found.is_err() {
                    // An engine that failed once is not asked again.
                    analysts.retain(|(known, _)| *known != game);
                }
                found
            }
        };
        let mut line = task.line;
        Ok(match analysis {
            Ok(mut analysis) => {
                if self.no_timing {
                    analysis.time_ms = None;
                }
                line.analysis = analysis;
                AnalysisLine::Position(Box::new(line))
            }
            Err(error) => AnalysisLine::Error(ErrorLine { v: SCHEMA, origin: line.origin, error }),
        })
    }
}

/// The engine of a game, made when it is first needed.
pub fn analyst_for<'a>(
    game: GameName,
    setup: &EngineSetup,
    analysts: &'a mut Vec<(GameName, Analyst)>,
) -> anyhow::Result<&'a mut Analyst> {
    let index = match analysts.iter().position(|(known, _)| *known == game) {
        Some(index) => index,
        None => {
            analysts.push((game, Analyst::new(game, setup)?));
            analysts.len() - 1
        }
    };
    Ok(&mut analysts[index].1)
}
