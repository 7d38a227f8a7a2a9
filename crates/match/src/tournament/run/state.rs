//! The shared state of a running match: which games are finished, running and left to play, and the results so
//! far. The threads that play games share it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::{anyhow, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::bracket::Bracket;
use super::super::config::Config;
use super::super::game::{Finished, Void};
use super::super::identity::ContentHashes;
use super::super::journal::write::{JournalWriter, open};
use super::super::journal::{
    EndCause, EngineInfo, GameWithMoves, JOURNAL, Journal, JournalClose, JournalEntry, JournalGame,
    JournalOpen, MachineLoad, Stat,
};
use super::super::participants::difference;
use super::super::plan::MatchPlan;
use super::super::progress::MatchProgress;
use super::super::schedule::{Schedule, TournamentFormat};
use super::super::warnings::warnings;
use super::{Resumption, manifest};
use kaeshi_engine::utc;
use kaeshi_statistics::sprt::SprtUnit;
use kaeshi_statistics::{Sprt, SprtMonitor, SprtVerdict};
use kaeshi_system::stop_signal::StopSignal;

/// Most crashes of an engine within [`WINDOW`] of its games; after one more the match is given up.
const RESTARTS: usize = 3;
/// Games of an engine in which [`RESTARTS`] are counted.
const WINDOW: usize = 20;
/// How often a void game is played again.
const VOIDS: u32 = 3;
/// Interim statistics are written to the journal after this many further pairs of the finished prefix.
const STAT_EVERY: u64 = 16;
/// How often a thread that waits for a result of a knock-out checks whether the match is to end.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// One game of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScheduledGame {
    /// Index of the pair.
    pub pair: u64,
    /// Which game of it.
    pub game: u8,
}

/// An engine as it takes part in this run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Participant {
    /// What it calls itself.
    pub id: String,
    /// What it is.
    pub content: ContentHashes,
}

/// The state of a running match, and its journal.
pub struct MatchState {
    state: Mutex<MatchStateData>,
    /// Raised when a game has finished.
    news: Condvar,
    stop: &'static StopSignal,
    games_per_pair: u8,
    pairs: Range<u64>,
    /// Whether these are only some of the match's pairs.
    partial: bool,
    recover: bool,
    names: Vec<String>,
}

struct MatchStateData {
    writer: JournalWriter,
    journal: Journal,
    progress: MatchProgress,
    done: BTreeSet<ScheduledGame>,
    next: u64,
    /// Games of a knock-out that were given out.
    begun: BTreeSet<ScheduledGame>,
    again: Vec<ScheduledGame>,
    voids: BTreeMap<ScheduledGame, u32>,
    running: usize,
    watch: Option<SprtMonitor>,
    noted: u64,
    halves: BTreeMap<u64, SprtUnit>,
    deaths: Vec<VecDeque<bool>>,
    ended: Option<JournalClose>,
    failure: Option<anyhow::Error>,
}

impl MatchState {
    /// Opens the journal, reads the games of earlier runs, and writes the start of this run.
    ///
    /// # Errors
    /// The journal belongs to another match, is damaged, or cannot be written.
    pub fn open(
        plan: &MatchPlan,
        participants: &[Participant],
        folder: &Path,
        resumption: Resumption,
        stop: &'static StopSignal,
        progress: MatchProgress,
    ) -> anyhow::Result<MatchState> {
        let (mut writer, loaded) = open(&folder.join(JOURNAL), resumption.salvage)?;
        for warning in &loaded.warnings {
            progress.say(&format!("Journal: {warning}"));
        }
        let mut opening = opening(plan, participants, folder, !resumption.elsewhere);
        if let Some(before) = &loaded.journal {
            fits(plan, &before.open, &opening, folder, resumption)?;
            opening.decide_from = before.open.decide_from;
        } else {
            manifest::write(plan, folder)?;
        }
        for warning in &opening.warnings {
            progress.say(&format!("WARNING: {warning}."));
        }
        writer.append(&[JournalEntry::Open(Box::new(opening.clone()))])?;
        writer.sync()?;
        let pairs = match &plan.part {
            Some(part) => part.start.min(plan.pairs)..part.end.min(plan.pairs),
            None => 0..plan.pairs,
        };
        let sprt = plan.sprt.filter(|_| plan.part.is_none());
        let watch = sprt.map(|sprt| SprtMonitor::new(sprt, plan.single(), opening.decide_from));
        let journal =
            Journal { open: opening, games: Vec::new(), faults: Vec::new(), load: None, close: None };
        let mut state = MatchStateData {
            writer,
            journal,
            progress,
            done: BTreeSet::new(),
            next: pairs.start * u64::from(plan.schedule.games_per_pair()),
            begun: BTreeSet::new(),
            again: Vec::new(),
            voids: BTreeMap::new(),
            running: 0,
            watch,
            noted: 0,
            halves: BTreeMap::new(),
            deaths: vec![VecDeque::new(); plan.specs.len()],
            ended: None,
            failure: None,
        };
        let names = plan.specs.iter().map(|spec| spec.name.clone()).collect();
        let games_per_pair = plan.schedule.games_per_pair();
        if let Some(before) = loaded.journal {
            for played in before.games {
                state.done.insert(ScheduledGame { pair: played.game.pair, game: played.game.game });
                state.count(&played, games_per_pair);
                state.journal.games.push(played.without_moves());
            }
            state.journal.faults = before.faults;
            let count = state.done.len() as u64;
            state.progress.resume(count);
            state.decide();
        }
        Ok(MatchState {
            state: Mutex::new(state),
            news: Condvar::new(),
            stop,
            games_per_pair,
            pairs,
            partial: plan.part.is_some(),
            recover: plan.config.recover == Some(true),
            names,
        })
    }

    fn state(&self) -> MutexGuard<'_, MatchStateData> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next game to play and its engines; `None` when there is nothing left to do. In a knock-out it waits
    /// until the running games show who plays next.
    pub fn take(&self, schedule: &Schedule) -> Option<(ScheduledGame, [usize; 2])> {
        let mut state = self.state();
        loop {
            if self.stop.is_raised() || state.ended.is_some() || state.failure.is_some() {
                return None;
            }
            let next = match schedule.knockout() {
                None => self.next(&mut state).map(|job| (job, schedule.engines(job.pair))),
                Some(_) => self.next_of_bracket(&mut state),
            };
            if next.is_some() {
                state.running += 1;
                return next;
            }
            if schedule.knockout().is_none() || state.running == 0 {
                return None;
            }
            let waited = self.news.wait_timeout(state, POLL_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The next game of the schedule.
    fn next(&self, state: &mut MatchStateData) -> Option<ScheduledGame> {
        state.again.pop().or_else(|| {
            let games = u64::from(self.games_per_pair);
            (state.next..self.pairs.end * games).find_map(|index| {
                let job = ScheduledGame { pair: index / games, game: (index % games) as u8 };
                state.next = index + 1;
                (!state.done.contains(&job)).then_some(job)
            })
        })
    }

    /// The next game of a knock-out, from the results of the finished ones.
    fn next_of_bracket(&self, state: &mut MatchStateData) -> Option<(ScheduledGame, [usize; 2])> {
        let bracket = Bracket::of(&state.journal)?;
        for job in std::mem::take(&mut state.again) {
            state.begun.remove(&job);
        }
        let jobs = bracket.wanted.iter().flat_map(|wanted| {
            (0..self.games_per_pair).map(|game| (ScheduledGame { pair: wanted.pair, game }, wanted.engines))
        });
        let mut open = jobs.filter(|(job, _)| !state.done.contains(job) && !state.begun.contains(job));
        let next = open.next()?;
        state.begun.insert(next.0);
        Some(next)
    }

    /// A game is over, or void.
    pub fn finish(&self, job: ScheduledGame, seats: [usize; 2], result: Result<Finished, Void>) {
        let mut state = self.state();
        state.running -= 1;
        // Its engines were killed, so the result does not count. The next run plays the game again.
        if self.stop.is_overdue() {
            self.news.notify_all();
            return;
        }
        let noted = match result {
            Ok(finished) => state.note(finished, seats, self),
            Err(Void(why)) => state.void(job, &why),
        };
        if let Err(error) = noted
            && state.failure.is_none()
        {
            state.failure = Some(error);
        }
        self.news.notify_all();
    }

    /// Adds a game that was played elsewhere, unless the journal has it already.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn accept(&self, finished: Finished, seats: [usize; 2]) -> anyhow::Result<()> {
        let mut state = self.state();
        let game = &finished.played.game;
        if state.done.contains(&ScheduledGame { pair: game.pair, game: game.game }) {
            return Ok(());
        }
        state.note(finished, seats, self)
    }

    /// Whether the match is decided: no further game is needed.
    pub fn is_decided(&self) -> bool {
        self.state().ended.is_some()
    }

    /// Writes the load of the machine to the journal.
    pub fn note_load(&self, load: MachineLoad) {
        let mut state = self.state();
        if let Err(error) = state.writer.append(&[JournalEntry::Load(load)])
            && state.failure.is_none()
        {
            state.failure = Some(error);
        }
    }

    /// Writes the end of the run to the journal. Returns whether the match is complete: all games are played, or
    /// the test has decided.
    ///
    /// # Errors
    /// The reason why the match was given up.
    pub fn close(self) -> anyhow::Result<bool> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.progress.clear();
        if let Some(error) = state.failure {
            return Err(error);
        }
        let all = (self.pairs.end - self.pairs.start) * u64::from(self.games_per_pair);
        let played = match Bracket::of(&state.journal) {
            Some(bracket) => bracket.champion().is_some(),
            None => {
                // The journal may hold other parts of the match as well.
                let own = state.done.iter().filter(|job| self.pairs.contains(&job.pair)).count();
                own as u64 >= all
            }
        };
        if state.ended.is_none() && played && !self.partial {
            state.ended = Some(JournalClose { why: "all-played".into(), at_pair: self.pairs.end });
        }
        let complete = state.ended.is_some() || played;
        if let Some(close) = state.ended.take() {
            state.writer.append(&[JournalEntry::Close(close)])?;
        }
        state.writer.sync()?;
        Ok(complete)
    }
}

impl MatchStateData {
    fn note(
        &mut self,
        finished: Finished,
        seats: [usize; 2],
        match_state: &MatchState,
    ) -> anyhow::Result<()> {
        let Finished { played, fault } = finished;
        let game = &played.game;
        let moves = |played: &GameWithMoves| {
            played.moves.iter().map(|one| JournalEntry::Move(Box::new(one.clone()))).collect::<Vec<_>>()
        };
        let mut entries = Vec::new();
        for leg in &played.legs {
            entries.extend(moves(leg));
            entries.push(JournalEntry::Leg(Box::new(leg.game.clone())));
        }
        entries.extend(moves(&played));
        entries.extend(fault.clone().map(JournalEntry::Fault));
        entries.push(JournalEntry::Game(Box::new(game.clone())));
        self.writer.append(&entries)?;
        self.done.insert(ScheduledGame { pair: game.pair, game: game.game });
        self.count(&played, match_state.games_per_pair);
        self.journal.faults.extend(fault);
        self.decide();
        self.note_statistics()?;
        self.progress.replayed(&played.legs);
        self.progress.finished(&played.game);
        let number = (played.game.pair, played.game.game);
        let last = played.game.clone();
        let games = &mut self.journal.games;
        let place = games.partition_point(|played| (played.game.pair, played.game.game) < number);
        games.insert(place, played.without_moves());
        self.progress.standings(&self.journal, self.watch.as_ref());
        if let Some(name) = unreliable(&mut self.deaths, &last, seats, &match_state.names)
            && !match_state.recover
            && self.ended.is_none()
        {
            let why = format!("unreliable: {name}");
            self.progress.say(&format!(
                "Engine {name} had to be started anew more than {RESTARTS} times in {WINDOW} games; the match ends here. \
                 --recover goes on regardless."
            ));
            self.ended = Some(JournalClose { why, at_pair: self.prefix() });
        }
        Ok(())
    }

    fn void(&mut self, job: ScheduledGame, why: &str) -> anyhow::Result<()> {
        let voids = self.voids.entry(job).or_default();
        *voids += 1;
        self.progress.say(&format!("Pair {} game {} is void and played again: {why}", job.pair, job.game));
        if *voids > VOIDS {
            bail!("pair {} game {} was void {voids} times: {why}", job.pair, job.game);
        }
        self.again.push(job);
        Ok(())
    }

    /// Adds a game to its pair, and a whole pair to the test.
    fn count(&mut self, played: &GameWithMoves, games_per_pair: u8) {
        let Some(watch) = &mut self.watch else { return };
        let game = &played.game;
        let first_named = self.journal.open.engines[self.journal.pairing(game.pair)[0]].name.as_str();
        let side = if game.first == first_named {
            kaeshi_core::game::Side::First
        } else {
            kaeshi_core::game::Side::Second
        };
        let unit = self.halves.entry(game.pair).or_default();
        unit.half_points += game.result.half_points(side);
        unit.games.push(played.key);
        if unit.games.len() == usize::from(games_per_pair)
            && let Some(unit) = self.halves.remove(&game.pair)
        {
            watch.finish_unit(game.pair as usize, unit);
        }
    }

    /// Ends the match if the test has decided.
    fn decide(&mut self) {
        if let Some(decision) = self.watch.as_ref().and_then(SprtMonitor::decision)
            && self.ended.is_none()
        {
            let why = if decision.verdict == SprtVerdict::AcceptH1 { "sprt-h1" } else { "sprt-h0" };
            self.ended = Some(JournalClose { why: why.into(), at_pair: decision.pairs });
        }
    }

    fn prefix(&self) -> u64 {
        self.watch.as_ref().map_or(self.journal.games.len() as u64, |watch| watch.counts().units())
    }

    fn note_statistics(&mut self) -> anyhow::Result<()> {
        let Some(watch) = &self.watch else { return Ok(()) };
        let pairs = watch.counts().units();
        let Ok(penta) = <[u64; 5]>::try_from(watch.counts().cells()) else { return Ok(()) };
        if pairs < self.noted + STAT_EVERY {
            return Ok(());
        }
        self.noted = pairs;
        let stat = Stat {
            pairs,
            penta,
            llr: watch.ratios().last().copied(),
            lo: Some(watch.sprt().lower()),
            hi: Some(watch.sprt().upper()),
        };
        self.writer.append(&[JournalEntry::Stat(stat)])
    }
}

/// The engine whose process died in this game too often, if there is one.
fn unreliable(
    deaths: &mut [VecDeque<bool>],
    game: &JournalGame,
    seats: [usize; 2],
    names: &[String],
) -> Option<String> {
    use EndCause::{Crash, Stall, StartFailed};
    for engine in seats {
        let died =
            matches!(game.cause, Crash | Stall | StartFailed) && game.loser.as_ref() == Some(&names[engine]);
        let recent = &mut deaths[engine];
        recent.push_back(died);
        if recent.len() > WINDOW {
            recent.pop_front();
        }
        if recent.iter().filter(|&&died| died).count() > RESTARTS {
            return Some(names[engine].clone());
        }
    }
    None
}

/// The settings in which two matches differ, by their names in `match.toml`, with their values where these are short.
fn differing_settings(there: &Config, here: &Config) -> String {
    let settings = |config| match serde_json::to_value(config) {
        Ok(Value::Object(settings)) => settings,
        _ => Map::new(),
    };
    let (there, here) = (settings(there), settings(here));
    let differing: Vec<String> = there
        .iter()
        .filter_map(|(name, value)| {
            let other = here.get(name).unwrap_or(&Value::Null);
            (value != other).then(|| match (setting(value), setting(other)) {
                (Some(value), Some(other)) => format!("{name} {value} there, {other} here"),
                _ => format!("other {name}"),
            })
        })
        .collect();
    match differing.is_empty() {
        true => "the settings of an engine or an opening file changed".to_owned(),
        false => differing.join("; "),
    }
}

/// The text of a setting with one value.
fn setting(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some("none".to_owned()),
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// Whether an earlier run was of the same match.
fn fits(
    plan: &MatchPlan,
    before: &JournalOpen,
    now: &JournalOpen,
    folder: &Path,
    resumption: Resumption,
) -> anyhow::Result<()> {
    if before.plan.starts_with("fnv:") {
        bail!(
            "{} was begun by {}, which did not record what its engines were: go on with that version, or begin \
             anew with another --out; `kaeshi match stats` reads both",
            folder.display(),
            before.tool
        );
    }
    if before.plan != plan.hash {
        if let (true, Some(TournamentFormat::Knockout | TournamentFormat::Pyramid)) =
            (resumption.extend, plan.config.format)
        {
            bail!(
                "--extend: who plays next in a knock-out or a pyramid depends on --games, so {} keeps those that it \
                 began with",
                folder.display()
            );
        }
        let here = Config { out: None, ..plan.config.clone() };
        let there = manifest::read(folder).map(|manifest| manifest.config);
        bail!(
            "{folder} holds another match: {}. `kaeshi match --resume {folder}` resumes it; another --out begins a \
             new match",
            there.map_or_else(
                |_| "its settings are not known".to_owned(),
                |there| differing_settings(&there, &here)
            ),
            folder = folder.display()
        );
    }
    let changed = before.engines.iter().zip(&now.engines).find_map(|(before, now)| difference(before, now));
    if let Some(difference) = changed {
        bail!(
            "{} holds games of other engines: {difference}; games of two engines under one name mean nothing, \
             so choose another --out",
            folder.display()
        );
    }
    if plan.pairs < before.pairs {
        bail!(
            "{} pairs of this match are planned, and {} are wanted: --extend plans more, not fewer; without --games, \
             --resume plays the planned ones",
            before.pairs,
            plan.pairs
        );
    }
    if plan.pairs != before.pairs && !resumption.extend {
        return Err(anyhow!(
            "the match was planned for {} pairs, not {}; --resume with --extend changes that",
            before.pairs,
            plan.pairs
        ));
    }
    Ok(())
}

/// The opening line of a run with these participants.
fn opening(plan: &MatchPlan, participants: &[Participant], folder: &Path, here: bool) -> JournalOpen {
    let engine = |(spec, participant): (&Arc<super::Spec>, &Participant)| EngineInfo {
        name: spec.name.clone(),
        id: participant.id.clone(),
        command: std::iter::once(spec.program.command.display().to_string())
            .chain(spec.program.arguments.iter().cloned())
            .collect::<Vec<_>>()
            .join(" "),
        protocol: spec.protocol.word().into(),
        limit: spec.limit.to_string(),
        options: spec.options.clone(),
        margin_us: spec.margin.as_micros() as u64,
        content: participant.content.clone(),
    };
    let in_flight = (plan.concurrency as u64).div_ceil(u64::from(plan.schedule.games_per_pair()));
    let engines: Vec<EngineInfo> = plan.specs.iter().zip(participants).map(engine).collect();
    JournalOpen {
        warnings: warnings(plan, &engines, here),
        plan: plan.hash.clone(),
        tool: manifest::tool(),
        host: manifest::host(),
        utc: utc::seconds(SystemTime::now()),
        game: plan.rules.facts().name.into(),
        engines,
        pairings: plan.schedule.pairings().to_vec(),
        block: plan.schedule.block(),
        knockout: plan.schedule.knockout(),
        pairs: plan.pairs,
        single: plan.single(),
        seed: plan.seed,
        openings: plan.openings_text(),
        sprt: plan.sprt.map(|sprt| *sprt.settings()),
        decide_from: Sprt::decide_from(in_flight),
        concurrency: plan.concurrency,
        resume: manifest::resume_command(folder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roster::{Roster, Scalar};
    use crate::tournament::config::{Config, EngineConfig, PlayConditions};
    use crate::tournament::summary::tests::journal;

    #[test]
    fn a_part_is_complete_when_its_own_pairs_are() {
        let folder = tempfile::tempdir().unwrap();
        let open = |part: Range<u64>| {
            let engine = EngineConfig { conf: Some("kaeshi".into()), ..EngineConfig::default() };
            let config = Config {
                game: Some("reversi".into()),
                engines: vec![engine; 2],
                terms: PlayConditions { depth: Some(Scalar("1".into())), ..PlayConditions::default() },
                games: Some(8),
                seed: Some(1),
                ..Config::default()
            };
            let plan = MatchPlan::new(config, &Roster::default()).unwrap().limited_to(Some(part));
            let (stop, progress) = (StopSignal::of_process(), MatchProgress::new(&plan));
            let participants = [(); 2].map(|()| Participant::default());
            MatchState::open(&plan, &participants, folder.path(), Resumption::default(), stop, progress)
                .unwrap()
        };
        let first = open(0..2);
        for played in journal(&[[0, 1]], &["ww", "ll"]).games {
            first.accept(Finished { played, fault: None }, [0, 1]).unwrap();
        }
        assert!(first.close().unwrap());
        assert!(!open(2..4).close().unwrap(), "its pairs are not played, as many as the journal has");
        assert!(open(0..2).close().unwrap());
    }
}
