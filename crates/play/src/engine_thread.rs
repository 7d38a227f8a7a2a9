//! An engine at work for a room: requests go in, tagged events come out, and no caller waits for it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, SendError, Sender, unbounded};
use parking_lot::Mutex;

use kaeshi_core::driver::Controller;
use kaeshi_core::driver::clock::{Limits, MateLimit, SideClock};
use kaeshi_core::driver::event::{Best, EngineEvent, Mate};
use kaeshi_core::driver::root_cache::{OpenResults, no_results};
use kaeshi_core::game::GameError;
use kaeshi_core::game::options::OptionKind;
use kaeshi_core::game::options::OptionLine;
use kaeshi_core::threads::spawn_free;
use kaeshi_core::time::Instant;
use kaeshi_engine::games::GameName;

use super::view::EngineRanges;

/// How long to think.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PlayLimit {
    /// Both clocks.
    Clocks([SideClock; 2]),
    /// A duration.
    Time(Duration),
    /// Until the next order.
    Endless,
    /// A search for a mate of at most this duration.
    Mate(Duration),
}

/// A position to think about.
#[derive(Clone, Debug)]
pub(super) struct EngineOrder {
    /// Comes back with every event.
    pub id: u64,
    /// For [`Controller::set_position`].
    pub start: String,
    /// The turns made since.
    pub turns: Vec<String>,
    /// How long.
    pub effort: PlayLimit,
    /// How many lines to show.
    pub lines: usize,
    /// The level, where one is wanted: from 1 to the one after the last, which is full strength.
    pub level: Option<u8>,
    /// Search threads.
    pub threads: usize,
    /// Transposition table in MiB.
    pub hash: u32,
}

/// An event of the search that an order started.
#[derive(Clone, Debug)]
pub(super) struct EngineReport {
    /// The engine that reports it.
    pub engine: u64,
    /// Number of the order.
    pub id: u64,
    /// The event.
    pub event: EngineEvent,
}

enum EngineCommand {
    Think(Box<EngineOrder>),
    Stop,
}

/// How engines search.
#[derive(Clone, Copy, Debug)]
pub(super) enum EngineKind {
    /// On separate threads; `StoreFile` opens results of earlier searches with this.
    Threads(OpenResults),
    /// In slices, while they are called: for hosts without threads.
    Polled,
}

impl Default for EngineKind {
    fn default() -> EngineKind {
        EngineKind::Threads(no_results)
    }
}

impl EngineKind {
    /// The ranges of this game's options.
    pub(super) fn ranges(self, game: GameName) -> EngineRanges {
        let mut options = game.options();
        if self.are_polled() {
            options.iter_mut().for_each(OptionLine::limit_to_slices);
        }
        let range = |name: &str| {
            let kind = options.iter().find(|option| option.name == name).map(|option| &option.kind);
            match kind {
                Some(OptionKind::Spin(_, range)) => {
                    [*range.start(), *range.end()].map(|end| u32::try_from(end).unwrap_or(u32::MAX))
                }
                _ => [1, 1],
            }
        };
        let [least, most] = range("MultiPV");
        EngineRanges {
            threads: range("Threads"),
            hash: range("Hash"),
            lines: [least, most.min(MOST_LINES)],
            thinking: THINKING,
        }
    }

    pub(super) fn are_polled(self) -> bool {
        matches!(self, EngineKind::Polled)
    }
}

/// Lines of the analysis for which the page has room.
const MOST_LINES: u32 = 10;
/// Milliseconds for a turn of Kaeshi's where no clock runs. No option of the engine has them: they become its clock.
const THINKING: [u32; 2] = [100, 600_000];

/// An engine of a room; its search ends with this.
pub(super) struct EngineThread {
    /// Its number among all engines of the room.
    pub engine: u64,
    search: Search,
}

enum Search {
    Thread { commands: Sender<EngineCommand>, reports: Sender<EngineReport> },
    Polled(Box<Polled>),
}

impl EngineThread {
    /// An engine for `game` whose events go to `reports`.
    pub(super) fn new(
        game: GameName,
        engine: u64,
        kind: EngineKind,
        reports: Sender<EngineReport>,
    ) -> EngineThread {
        let search = match kind {
            EngineKind::Threads(open_results) => {
                let commands = EngineThread::on_thread(game, engine, open_results, reports.clone());
                Search::Thread { commands, reports }
            }
            EngineKind::Polled => Search::Polled(Box::new(Polled::new(game, engine, reports))),
        };
        EngineThread { engine, search }
    }

    fn on_thread(
        game: GameName,
        engine: u64,
        open_results: OpenResults,
        reports: Sender<EngineReport>,
    ) -> Sender<EngineCommand> {
        let (commands, received) = unbounded();
        let started = spawn_free(move || {
            let running: Arc<RunningOrders> = Arc::default();
            let (events, heard) = unbounded();
            let (asked, sender) = (Arc::clone(&running), reports.clone());
            if let Err(reason) = spawn_free(move || forward(engine, &heard, &asked, &sender)) {
                return refuse_all(engine, &received, &reports, &reason);
            }
            let mut controller = match game.engine_with_results(events, open_results) {
                Ok(controller) => controller,
                Err(reason) => return refuse_all(engine, &received, &reports, &reason),
            };
            let mut set = vec![];
            for command in received {
                match command {
                    EngineCommand::Stop => controller.stop(),
                    EngineCommand::Think(order) => {
                        // The answer to the former order must go out before this one is entered.
                        controller.stop();
                        controller.wait();
                        if let Err(reason) = think(controller.as_mut(), &mut set, game, &order, &running) {
                            let _ = reports.send(unanswered(engine, &order, &reason));
                        }
                    }
                }
            }
        });
        if let Err(reason) = started {
            log::warn!("play: {reason}");
        }
        commands
    }

    /// Ends the running search and begins this one.
    pub(super) fn think(&mut self, order: EngineOrder) {
        match &mut self.search {
            Search::Thread { commands, reports } => {
                let sent = commands.send(EngineCommand::Think(Box::new(order)));
                // The thread lives as long as this, unless the system granted none or its search panicked.
                if let Err(SendError(EngineCommand::Think(order))) = sent {
                    let reason = GameError::resources("the engine has no thread");
                    let _ = reports.send(unanswered(self.engine, &order, &reason));
                }
            }
            Search::Polled(polled) => polled.think(&order),
        }
    }

    /// Ends the running search, which still answers.
    pub(super) fn stop(&mut self) {
        match &mut self.search {
            Search::Thread { commands, .. } => drop(commands.send(EngineCommand::Stop)),
            Search::Polled(polled) => polled.stop(),
        }
    }

    /// Searches for some tens of milliseconds, if the engine has no thread; whether the search goes on.
    pub(super) fn search_on(&mut self) -> bool {
        match &mut self.search {
            Search::Thread { .. } => false,
            Search::Polled(polled) => polled.search_on(),
        }
    }
}

/// An engine that searches while it is called.
struct Polled {
    game: GameName,
    engine: u64,
    /// `None` if the engine cannot be made.
    controller: Option<Box<dyn Controller>>,
    set: Vec<(&'static str, String)>,
    running: RunningOrders,
    events: Receiver<EngineEvent>,
    reports: Sender<EngineReport>,
}

impl Polled {
    fn new(game: GameName, engine: u64, reports: Sender<EngineReport>) -> Polled {
        let (sender, events) = unbounded();
        let made = game.engine_in_slices(sender);
        let controller = made.inspect_err(|reason| log::warn!("play: {reason}")).ok();
        Polled {
            game,
            engine,
            controller,
            set: Vec::new(),
            running: RunningOrders::default(),
            events,
            reports,
        }
    }

    fn think(&mut self, order: &EngineOrder) {
        self.stop();
        let Some(controller) = self.controller.as_mut() else {
            let reason = GameError::resources("the engine cannot be made");
            let _ = self.reports.send(unanswered(self.engine, order, &reason));
            return;
        };
        controller.wait();
        self.forward();
        let Some(controller) = self.controller.as_mut() else { return };
        if let Err(reason) = think(controller.as_mut(), &mut self.set, self.game, order, &self.running) {
            let _ = self.reports.send(unanswered(self.engine, order, &reason));
        }
        self.forward();
    }

    fn stop(&mut self) {
        if let Some(controller) = &mut self.controller {
            controller.stop();
        }
        self.forward();
    }

    fn search_on(&mut self) -> bool {
        let Some(controller) = self.controller.as_mut() else { return false };
        let searching = controller.search_on();
        if controller.wake_at().is_some_and(|late| late <= Instant::now()) {
            controller.wake();
        }
        self.forward();
        searching
    }

    fn forward(&self) {
        for event in self.events.try_iter() {
            report(self.engine, event, &self.running, &self.reports);
        }
    }
}

/// The report of an order that could not be begun.
fn unanswered(engine: u64, order: &EngineOrder, reason: &GameError) -> EngineReport {
    log::warn!("play: {reason}");
    let mating = matches!(order.effort, PlayLimit::Mate(_));
    let event = if mating { EngineEvent::Mate(Mate::NotImplemented) } else { EngineEvent::Best(Best::None) };
    EngineReport { engine, id: order.id, event }
}

/// Answers every order of an engine that cannot be made, until it is dropped.
fn refuse_all(
    engine: u64,
    received: &Receiver<EngineCommand>,
    reports: &Sender<EngineReport>,
    reason: &GameError,
) {
    for command in received {
        if let EngineCommand::Think(order) = command {
            let _ = reports.send(unanswered(engine, &order, reason));
        }
    }
}

/// Sets an option that has another value.
fn set_option(
    controller: &mut dyn Controller,
    set: &mut Vec<(&'static str, String)>,
    name: &'static str,
    value: &str,
) -> Result<(), GameError> {
    match set.iter_mut().find(|(known, _)| *known == name) {
        Some((_, before)) if before == value => return Ok(()),
        Some((_, before)) => value.clone_into(before),
        None => set.push((name, value.to_owned())),
    }
    controller.set_option(name, value)
}

/// The orders whose answers have not come yet, the oldest first.
type RunningOrders = Mutex<VecDeque<u64>>;

/// Tags what an engine reports with its order.
fn forward(engine: u64, heard: &Receiver<EngineEvent>, asked: &RunningOrders, sender: &Sender<EngineReport>) {
    for event in heard {
        if !report(engine, event, asked, sender) {
            return;
        }
    }
}

/// Sends an event under the number of the oldest unanswered order. Returns whether the receiver still exists.
fn report(engine: u64, event: EngineEvent, asked: &RunningOrders, sender: &Sender<EngineReport>) -> bool {
    let mut asked = asked.lock();
    let Some(&id) = asked.front() else { return true };
    if matches!(event, EngineEvent::Best(_) | EngineEvent::Mate(_)) {
        asked.pop_front();
    }
    drop(asked);
    sender.send(EngineReport { engine, id, event }).is_ok()
}

fn think(
    controller: &mut dyn Controller,
    set: &mut Vec<(&'static str, String)>,
    game: GameName,
    order: &EngineOrder,
    running: &RunningOrders,
) -> Result<(), GameError> {
    let mut limits = Limits::none();
    match order.effort {
        PlayLimit::Clocks(clocks) => limits.clocks = Some(clocks),
        PlayLimit::Time(time) => limits.movetime = Some(time),
        PlayLimit::Endless => limits.infinite = true,
        PlayLimit::Mate(time) => limits.mate = Some(MateLimit::Time(time)),
    }
    for (name, value) in [("Hash", order.hash.to_string()), ("Threads", order.threads.to_string())] {
        // An engine without the option, or with a smaller range, goes on as it is.
        let _ = set_option(controller, set, name, &value);
    }
    set_option(controller, set, "MultiPV", &order.lines.to_string())?;
    let full = game.facts().search.levels.len();
    if full > 0 {
        let level = order.level.map_or(full, |level| usize::from(level.max(1)) - 1);
        set_option(controller, set, "SkillLevel", &level.min(full).to_string())?;
    }
    let turns: Vec<&str> = order.turns.iter().map(String::as_str).collect();
    controller.set_position(&order.start, &turns)?;
    running.lock().push_back(order.id);
    controller.go(limits);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_order_is_answered_under_its_own_number() {
        let (reports, heard) = unbounded();
        let mut engine_thread = EngineThread::new(GameName::Reversi, 7, EngineKind::default(), reports);
        let order = |id, effort| EngineOrder {
            id,
            start: "startpos".into(),
            turns: vec!["f5".into()],
            effort,
            lines: 2,
            level: None,
            threads: 1,
            hash: 1,
        };
        engine_thread.think(order(1, PlayLimit::Endless));
        engine_thread.think(order(2, PlayLimit::Time(Duration::from_millis(30))));
        let mut answered = Vec::new();
        while answered.len() < 2 {
            let report = heard.recv_timeout(Duration::from_secs(60)).expect("an answer");
            assert_eq!(report.engine, 7);
            if matches!(report.event, EngineEvent::Best(_)) {
                answered.push(report.id);
            }
        }
        assert_eq!(answered, [1, 2]);
        let wrong = EngineOrder { turns: vec!["a1".into()], ..order(3, PlayLimit::Endless) };
        engine_thread.think(wrong);
        let report = heard.recv_timeout(Duration::from_secs(60)).expect("an answer");
        assert_eq!((report.id, report.event), (3, EngineEvent::Best(Best::None)));
    }

    #[test]
    fn an_order_without_a_thread_is_answered() {
        let (reports, heard) = unbounded();
        let search = Search::Thread { commands: unbounded().0, reports };
        let mut engine_thread = EngineThread { engine: 7, search };
        engine_thread.think(EngineOrder {
            id: 1,
            start: "startpos".into(),
            turns: Vec::new(),
            effort: PlayLimit::Endless,
            lines: 1,
            level: None,
            threads: 1,
            hash: 1,
        });
        let report = heard.try_recv().expect("an answer");
        assert_eq!((report.engine, report.id, report.event), (7, 1, EngineEvent::Best(Best::None)));
    }
}
