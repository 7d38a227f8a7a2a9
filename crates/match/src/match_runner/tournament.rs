//! A whole match: tables side by side, the journal, and the end.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use anyhow::{Context, bail};

use super::config::Config;
use super::doubts::threads_of_a_game;
use super::game::{self, Place};
use super::identity::Content;
use super::journal::JOURNAL;
use super::journal::load::load;
use super::load::Watcher;
use super::plan::Plan;
use super::progress::Progress;
use super::replays;
use super::report::{self, table};
use super::running::Window;
use crate::dialogue::engine_process::affinity;
use crate::dialogue::engine_process::leftovers::Nursery;
use crate::dialogue::player::{Player, Spec};
use crate::match_runner::live_page::{self, MatchFolder};
use kaeshi_core::threads::side_by_side;
use kaeshi_system::output::{remark, say};
use kaeshi_system::stop_signal::{self, StopSignal};

pub mod ledger;
pub mod paper;

use ledger::{Job, Ledger, Participant};

/// Name of the file that holds the configuration.
pub const CONFIG: &str = "match.json";

/// How an earlier run is to be continued.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resumption {
    /// There must be one.
    pub wanted: bool,
    /// More games than planned at first are welcome.
    pub extend: bool,
    /// Damaged lines inside the journal are skipped.
    pub salvage: bool,
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
    Ok(paper::read(folder)?.config)
}

/// Plays the match and shows its result.
///
/// # Errors
/// An engine that cannot be started, a journal that does not fit or cannot be written.
pub fn run(plan: Plan, resumption: Resumption, display: Display) -> anyhow::Result<ExitCode> {
    let shares = match plan.config.affinity {
        Some(true) => affinity::shares(plan.concurrency, threads_of_a_game(&plan)).context("--affinity")?,
        _ => Vec::new(),
    };
    let nursery = Arc::new(Nursery::default());
    nursery.own_all_children();
    let participants = try_engines(&plan, &nursery)?;
    StopSignal::of_process().check()?;
    let folder = match &plan.config.out {
        Some(folder) => folder.clone(),
        None => paper::new_folder(&plan)?,
    };
    if resumption.wanted && !folder.join(JOURNAL).is_file() {
        bail!("there is no match to go on with in {}", folder.display());
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let logs = folder.join("logs");
    if plan.config.logs == Some(true) {
        std::fs::create_dir_all(&logs).with_context(|| format!("cannot create {}", logs.display()))?;
    }
    let stop = StopSignal::of_process();
    let progress = Progress::new(&plan);
    let ledger = Ledger::open(&plan, &participants, &folder, resumption, stop, progress)?;
    let shown =
        display.on_a_page.then(|| live_page::tell(Box::new(MatchFolder(folder.clone())))).transpose()?;
    // Games that are not over in time are broken off by the end of their engines, and played again by the next run.
    let [abandoned, left] = [(); 2].map(|()| Arc::clone(&nursery));
    stop_signal::on_stop(move || abandoned.kill_all(), move || left.kill_all());
    stop_signal::resume_with_unless_named(|| paper::resume_command(&folder));
    let watcher = Watcher::begin();
    let load = thread::scope(|scope| {
        let watching = thread::Builder::new().spawn_scoped(scope, || watcher.watch());
        side_by_side(plan.concurrency, plan.concurrency, |slot| {
            if let Some(Err(error)) = shares.get(slot).map(|share| affinity::bind(share)) {
                log::warn!("--affinity: {error}");
            }
            sit(&plan, &ledger, &nursery, &logs, slot, Window::new(&folder, slot));
        });
        watcher.stop();
        watching.ok()?.join().ok()
    });
    if let Some(load) = load {
        ledger.note_load(load);
    }
    let complete = ledger.close()?;
    finish(&plan, &folder, &nursery, display)?;
    if let Some(shown) = shown {
        shown.say_farewell();
    }
    match complete {
        true => Ok(ExitCode::SUCCESS),
        false => Err(stop.stopped().into()),
    }
}

/// Starts every engine once, so that what is wrong shows before the first game.
fn try_engines(plan: &Plan, nursery: &Arc<Nursery>) -> anyhow::Result<Vec<Participant>> {
    let mut participants = Vec::new();
    for spec in &plan.specs {
        let mut player = Player::new(Arc::clone(spec), Arc::clone(nursery), plan.patience, None);
        let try_out = |player: &mut Player| {
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
        participants.push(Participant { id, content: Content::of(spec)? });
        player.quit();
    }
    Ok(participants)
}

/// One of the parallel tables: plays games until there are none left.
fn sit(plan: &Plan, ledger: &Ledger, nursery: &Arc<Nursery>, logs: &Path, slot: usize, mut window: Window) {
    let mut players: HashMap<usize, Player> = HashMap::new();
    while let Some((job, engines)) = ledger.take(&plan.schedule) {
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
                Player::new(Arc::clone(spec), Arc::clone(nursery), plan.patience, log)
            })
        };
        let mut first = seat(seats[0]);
        let mut second = seat(seats[1]);
        let result = play(plan, [&mut first, &mut second], job, slot, &mut window);
        ledger.finish(job, seats, result);
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
    plan: &Plan,
    players: [&mut Player; 2],
    job: Job,
    slot: usize,
    window: &mut Window,
) -> Result<game::Finished, game::Void> {
    let start = plan.start(job.pair).map_err(|error| game::Void(error.to_string()))?;
    let opening = plan.schedule.pair(job.pair).opening;
    let place = Place { pair: job.pair, game: job.game, leg: 0, opening, slot };
    replays::play(&*plan.rules, players, &start, place, plan.agreement, window)
}

/// Tables, records and report, all from the journal.
fn finish(plan: &Plan, folder: &Path, nursery: &Nursery, display: Display) -> anyhow::Result<()> {
    let journal = load(&folder.join(JOURNAL))?;
    // Beside JSON stdout gets nothing else.
    let tell = |text: std::fmt::Arguments<'_>| if display.json { remark(text) } else { say(text) };
    match display.json {
        true => say(report::json(&journal)),
        false => say(table(&journal).trim_end()),
    }
    if nursery.leftovers() > 0 {
        tell(format_args!("{} processes that engines had left behind were ended.", nursery.leftovers()));
    }
    tell(format_args!("Journal: {}", folder.join(JOURNAL).display()));
    paper::publish(plan, folder, &journal, &tell)
}
