//! A whole match: tables side by side, the journal, and the end.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use anyhow::{Context, bail};

use super::config::Config;
use super::game::{self, GameSlot};
use super::identity::ContentHashes;
use super::journal::JOURNAL;
use super::journal::load::{load_whole, planned_pairs};
use super::load::Watcher;
use super::plan::MatchPlan;
use super::progress::MatchProgress;
use super::replays;
use super::report::{self, table};
use super::running::RunningGameFile;
use super::warnings::threads_of_a_game;
use crate::dialogue::engine_process::affinity;
use crate::dialogue::engine_process::leftovers::ProcessReaper;
use crate::dialogue::player::{EnginePlayer, Spec};
use crate::tournament::live_page::{self, MatchFolder};
use kaeshi_core::threads::side_by_side;
use kaeshi_system::output::{remark, say};
use kaeshi_system::stop_signal::{self, StopSignal};

pub mod manifest;
pub mod state;

use state::{MatchState, Participant, ScheduledGame};

/// Name of the file that holds the configuration.
pub const CONFIG: &str = "match.json";
/// The folder of the dialogues with the engines.
pub const LOGS: &str = "logs";
/// The folder of the records.
pub const RECORDS: &str = "records";
/// The folder that has the folders of matches without `--out`.
pub const MATCHES: &str = "matches";

/// How an earlier run is to be continued.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resumption {
    /// There must be one.
    pub wanted: bool,
    /// More games than planned at first are welcome.
    pub extend: bool,
    /// Damaged lines inside the journal are skipped.
    pub salvage: bool,
    /// No number of games was given: an extended match is played to its extended end.
    pub as_planned: bool,
    /// The games are played on other machines: the load of this one says nothing about them.
    pub elsewhere: bool,
}

/// How a match is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Display {
    /// On a page while it is played.
    pub on_a_page: bool,
    /// Its numbers at the end as JSON on stdout, instead of the tables.
    pub json: bool,
}

/// The configuration that a match in `folder` was started with.
///
/// # Errors
/// There is no match, or its file is wrong.
pub fn read_config(folder: &Path) -> anyhow::Result<Config> {
    Ok(manifest::read(folder)?.config)
}

/// Plays the match and shows its result.
///
/// # Errors
/// An engine that cannot be started, a journal that does not fit or cannot be written.
pub fn run(mut plan: MatchPlan, resumption: Resumption, display: Display) -> anyhow::Result<ExitCode> {
    let shares = match plan.config.affinity {
        Some(true) => affinity::shares(plan.concurrency, threads_of_a_game(&plan)).context("--affinity")?,
        _ => Vec::new(),
    };
    let reaper = Arc::new(ProcessReaper::default());
    reaper.own_all_children();
    let participants = try_engines(&plan, &reaper)?;
    StopSignal::of_process().check()?;
    let folder = match &plan.config.out {
        Some(folder) => folder.clone(),
        None => manifest::new_folder(&plan)?,
    };
    if resumption.wanted && !folder.join(JOURNAL).is_file() {
        bail!("there is no match to go on with in {}", folder.display());
    }
    if resumption.wanted && resumption.as_planned {
        plan.lengthen_to(planned_pairs(&folder.join(JOURNAL))?);
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let logs = folder.join(LOGS);
    if plan.config.logs == Some(true) {
        std::fs::create_dir_all(&logs).with_context(|| format!("cannot create {}", logs.display()))?;
    }
    let stop = StopSignal::of_process();
    let progress = MatchProgress::new(&plan);
    // Before the journal is there: a stop from now on lets it be written, and says how to go on.
    stop_signal::resume_with_unless_named(|| manifest::resume_command(&folder));
    let match_state = MatchState::open(&plan, &participants, &folder, resumption, stop, progress)?;
    let shown = display
        .on_a_page
        .then(|| {
            live_page::tell(Box::new(MatchFolder { folder: folder.clone(), salvage: resumption.salvage }))
        })
        .transpose()?;
    // Games that are not over in time are broken off by the end of their engines, and played again by the next run.
    let [abandoned, left] = [(); 2].map(|()| Arc::clone(&reaper));
    stop_signal::on_stop(move || abandoned.kill_all(), move || left.kill_all());
    let watcher = Watcher::begin();
    let load = thread::scope(|scope| {
        let watching = thread::Builder::new().spawn_scoped(scope, || watcher.watch());
        side_by_side(plan.concurrency, plan.concurrency, |slot| {
            if let Some(Err(error)) = shares.get(slot).map(|share| affinity::bind(share)) {
                log::warn!("--affinity: {error}");
            }
            sit(&plan, &match_state, &reaper, &logs, slot, RunningGameFile::new(&folder, slot));
        });
        watcher.stop();
        watching.ok()?.join().ok()
    });
    if let Some(load) = load {
        match_state.note_load(load);
    }
    let complete = match_state.close()?;
    finish(&plan, &folder, &reaper, display, resumption.salvage)?;
    if let Some(shown) = shown {
        shown.wait_for_pages();
    }
    match complete {
        true => Ok(ExitCode::SUCCESS),
        false => Err(stop.stopped().into()),
    }
}

/// Starts every engine once, so that what is wrong shows before the first game.
fn try_engines(plan: &MatchPlan, reaper: &Arc<ProcessReaper>) -> anyhow::Result<Vec<Participant>> {
    let mut participants = Vec::new();
    for spec in &plan.specs {
        let mut player = EnginePlayer::new(Arc::clone(spec), Arc::clone(reaper), plan.timeouts, None);
        let try_out = |player: &mut EnginePlayer| {
            player.start()?;
            player.try_start(&plan.usual)
        };
        if let Err(failure) = try_out(&mut player) {
            let mut message = format!("engine {}: {}", spec.name, failure.reason);
            for line in &failure.tail {
                message.push_str("\n    ");
                message.push_str(line);
            }
            bail!(message);
        }
        let id = player.identity().name.clone();
        participants.push(Participant { id, content: ContentHashes::of(spec)? });
        player.quit();
    }
    Ok(participants)
}

/// One of the parallel tables: plays games until there are none left.
fn sit(
    plan: &MatchPlan,
    match_state: &MatchState,
    reaper: &Arc<ProcessReaper>,
    logs: &Path,
    slot: usize,
    mut window: RunningGameFile,
) {
    let mut players: HashMap<usize, EnginePlayer> = HashMap::new();
    while let Some((job, engines)) = match_state.take(&plan.schedule) {
        let seats = plan.schedule.seats(engines, job.pair, job.game);
        players.retain(|engine, player| {
            let stays = seats.contains(engine);
            if !stays {
                player.quit();
            }
            stays
        });
        let mut seat = |engine: usize| {
            players.remove(&engine).unwrap_or_else(|| {
                let spec = &plan.specs[engine];
                let log = (plan.config.logs == Some(true)).then(|| log_path(logs, spec, slot));
                EnginePlayer::new(Arc::clone(spec), Arc::clone(reaper), plan.timeouts, log)
            })
        };
        let mut first = seat(seats[0]);
        let mut second = seat(seats[1]);
        let result = play(plan, [&mut first, &mut second], job, slot, &mut window);
        match_state.finish(job, seats, result);
        players.insert(seats[0], first);
        players.insert(seats[1], second);
    }
    for player in players.values_mut() {
        player.quit();
    }
}

fn log_path(folder: &Path, spec: &Spec, slot: usize) -> PathBuf {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = spec.name.chars().map(plain).collect();
    folder.join(format!("{name}-{slot}.txt"))
}

fn play(
    plan: &MatchPlan,
    players: [&mut EnginePlayer; 2],
    job: ScheduledGame,
    slot: usize,
    window: &mut RunningGameFile,
) -> Result<game::Finished, game::Void> {
    let start = plan.start(job.pair).map_err(|error| game::Void(error.to_string()))?;
    let opening = plan.schedule.pair(job.pair).opening;
    let place = GameSlot { pair: job.pair, game: job.game, leg: 0, opening, slot };
    replays::play(&*plan.rules, players, &start, place, plan.agreement, window)
}

/// Tables, records and report, all from the journal.
fn finish(
    plan: &MatchPlan,
    folder: &Path,
    reaper: &ProcessReaper,
    display: Display,
    salvage: bool,
) -> anyhow::Result<()> {
    let (journal, _) = load_whole(&folder.join(JOURNAL), salvage)?;
    // Beside JSON stdout gets nothing else.
    let tell = |text: std::fmt::Arguments<'_>| if display.json { remark(text) } else { say(text) };
    match display.json {
        true => say(report::json(&journal)),
        false => say(table(&journal).trim_end()),
    }
    if reaper.leftovers() > 0 {
        tell(format_args!("{} processes that engines had left behind were ended.", reaper.leftovers()));
    }
    tell(format_args!("Journal: {}", folder.join(JOURNAL).display()));
    manifest::publish(plan, folder, &journal, &tell)
}
