//! A room: one game, on its own thread, which alone changes it.
//!
//! Requests of the page, reports of the engines and events of the clocks are handled one after the other; each change
//! is written to the file of the game and makes a new state, which goes to all pages that show the game.

mod customs;
mod engines;
mod handle;
mod kept;
mod listeners;
mod loaded;
mod requests;
mod room_handle;
mod state;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, after, never, select, unbounded};
use serde::Deserialize;

use super::clock::{Clocks, TimeControl};
use super::engine_thread::{EngineKind, EngineReport, EngineThread};
use super::files::RecordHeader;
use super::games;
use super::library::{GameFile, Library};
use super::record_file::RecordFile;
use super::tree::AnyGameTree;
use super::view::{
    Better, EngineRanges, GameOver, May, Mode, Note, PageState, Reason, ReviewView, RoomSettings, SearchLine,
    SearchView, SeatKind, SeatView,
};
use engines::{PendingTurn, RoomEngines};
use kaeshi_core::game::score::Score;
use kaeshi_core::game::set_up::SetUp;
use kaeshi_core::game::{GameError, PASS, Side};
use kaeshi_core::time::Instant;
use kaeshi_engine::games::GameName;
use kaeshi_records::GameRecord;
use kaeshi_records::referee::impasse::{ImpasseWatch, PointRule};
use kept::KeptGame;
use listeners::RoomListeners;
pub(super) use listeners::{PageEvent, listening};
pub(super) use loaded::{LoadedFile, bad_position};
pub(super) use requests::{NewGame, RoomEnvelope, RoomRequest};
pub(super) use room_handle::{Next, RoomHandle, RoomMessage};
use state::millis;

/// A page that is reloaded is away for less.
const AWAY: Duration = Duration::from_millis(1_500);
/// How long a room without listeners is kept.
const KEPT: Duration = Duration::from_secs(30 * 60);
/// Most nodes of a game to which a person adds one.
const MAX_NODES: usize = 5_000;
/// Most nodes of a game that is read: an engine's turns and passes come on top of [`MAX_NODES`].
const MAX_KEPT_NODES: usize = 2 * MAX_NODES;
/// Full strength.
pub(super) const FULL: u8 = 21;

/// The resources of every room.
#[derive(Clone, Default)]
pub(super) struct Means {
    /// Search threads of each engine.
    pub threads: usize,
    /// The file of `--record`, for the game that is written there.
    pub record: Option<RecordFile>,
    /// The storage of the games.
    pub library: Arc<Library>,
    /// Whether engines have threads.
    pub engines: EngineKind,
}

/// A game in progress, and all that belongs to it.
pub(super) struct Room {
    id: String,
    version: u64,
    game: GameName,
    tree: Box<dyn AnyGameTree>,
    /// The node that is shown.
    node: usize,
    /// The node of the game's present position.
    live: usize,
    mode: Mode,
    draft: Vec<String>,
    note: Option<Note>,
    settings: RoomSettings,
    means: Means,
    play: RoomPlay,
    kept: KeptGame,
    listeners: RoomListeners,
    engines: RoomEngines,
}

/// The players, their clocks, and the rules of the event.
struct RoomPlay {
    seats: [SeatView; 2],
    paused: bool,
    clocks: Option<Clocks>,
    /// The rule that decides an impasse by points.
    impasse: PointRule,
    /// The watch over an impasse of two engines, which agree by their scores.
    watch: ImpasseWatch,
    /// The last score that the engine of each side reported, for that side.
    scores: [Option<Score>; 2],
    /// The node at which a side thinks about its turn, and since when.
    thought: Option<(usize, Instant)>,
}

impl Room {
    /// A room with this game.
    ///
    /// # Errors
    /// The position or the game is invalid.
    pub(super) fn new(id: String, game: &NewGame, means: Means) -> Result<Room, GameError> {
        let name =
            GameName::parse(&game.game).ok_or_else(|| GameError::unsupported("there is no such game"))?;
        let facts = name.facts();
        let size = if facts.boards.sizes.contains(&game.size) { game.size } else { facts.boards.usual_size };
        let handicap = facts.boards.handicap(&game.handicap);
        let start = match (&game.position, handicap) {
            (Some(position), _) => Some(position.as_str()),
            (None, Some(handicap)) => Some(handicap.position),
            (None, None) => None,
        };
        let tree = games::tree(name, start, size)?;
        let clocks = match game.clock.map(TimeControl::checked) {
            Some(None) => return Err(GameError::option("the clock has no time, or more than it may have")),
            control => control.flatten().map(Clocks::new),
        };
        let named = if game.position.is_none() { handicap.map(|handicap| handicap.name) } else { None };
        let kept = KeptGame {
            file: means.library.file(&id),
            handicap: named.unwrap_or("none").to_owned(),
            course: game.course,
            ..KeptGame::new()
        };
        let mut room = Room {
            id,
            version: 1,
            game: name,
            tree,
            node: 0,
            live: 0,
            mode: Mode::Play,
            draft: Vec::new(),
            note: None,
            settings: RoomSettings::default(),
            means,
            play: RoomPlay {
                seats: game.seats.clone().map(bounded_seat),
                paused: false,
                clocks,
                impasse: game.impasse,
                watch: customs::watch(game.impasse),
                scores: [None; 2],
                thought: None,
            },
            kept,
            listeners: RoomListeners::new(),
            engines: RoomEngines::new(),
        };
        if game.lot {
            room.draw_colours();
        }
        room.pass_where_nothing_else_can_be_done();
        Ok(room)
    }

    fn live(&mut self, messages: &Receiver<RoomMessage>) {
        let reports = self.engines.reports.1.clone();
        self.drive();
        loop {
            let now = Instant::now();
            let timer = match self.next_time() {
                Some(time) => after(time.saturating_duration_since(now)),
                None => never(),
            };
            select! {
                recv(messages) -> message => match message {
                    Ok(message) => self.receive(message),
                    Err(_) => return,
                },
                recv(reports) -> report => {
                    if let Ok(report) = report {
                        self.handle_report(report);
                    }
                }
                recv(timer) -> _ => {}
            }
            if !self.look_at_time(Instant::now()) {
                return;
            }
        }
    }

    /// Lets engines without threads search for some tens of milliseconds, and handles due events.
    fn poll(&mut self) -> Next {
        let mut searching = false;
        for engine in self.engines.threads() {
            searching |= engine.search_on();
        }
        while let Ok(report) = self.engines.reports.1.try_recv() {
            self.handle_report(report);
            // The report may have begun another search.
            searching = true;
        }
        if !self.look_at_time(Instant::now()) {
            return Next::Never;
        }
        match self.next_time() {
            _ if searching => Next::Now,
            Some(time) => Next::At(time),
            None => Next::Never,
        }
    }

    /// When something happens by itself.
    fn next_time(&self) -> Option<Instant> {
        let flag = self.play.clocks.as_ref().and_then(Clocks::deadline).map(|(_, time)| time);
        let answer = self.engines.answer.as_ref().map(|answer| answer.due);
        let alone =
            self.listeners.alone_since.map(|since| if self.is_idle() { since + KEPT } else { since + AWAY });
        let search = self.engines.held_search.then(|| self.engines.last_search + engines::SEARCH_EVERY);
        [flag, answer, alone, search].into_iter().flatten().min()
    }

    /// Handles events that are due by now; `false` if the room has had no listener for long.
    fn look_at_time(&mut self, now: Instant) -> bool {
        if let Some((side, _)) =
            self.play.clocks.as_ref().and_then(Clocks::deadline).filter(|&(_, time)| time <= now)
        {
            self.end(GameOver { winner: Some(side.other().index()), cause: "Time".into(), margin: 0 });
            self.drive();
            self.changed();
        }
        if let Some(answer) = self.engines.answer.take_if(|answer| answer.due <= now) {
            self.engine_plays(&answer);
        }
        if self.engines.held_search && now >= self.engines.last_search + engines::SEARCH_EVERY {
            self.show_search();
        }
        match self.listeners.alone_since {
            Some(since) if now >= since + KEPT => return false,
            Some(since) if now >= since + AWAY && !self.is_idle() => self.rest(),
            _ => {}
        }
        true
    }

    fn receive(&mut self, message: RoomMessage) {
        match message {
            RoomMessage::Asked(asked, answer) => {
                let done = self.handle_request(asked);
                let _ = answer.send(done.map(|()| self.json()));
            }
            RoomMessage::Frames(node, turns, answer) => {
                let _ = answer.send(self.frames(node, &turns));
            }
            RoomMessage::Position(node, answer) => {
                let known = node < self.tree.plies().len();
                let _ = answer.send(known.then(|| (self.game, self.tree.position(node))));
            }
            RoomMessage::Record(form, answer) => {
                let _ = answer.send(self.written(&form));
            }
            RoomMessage::Listen(listener) => {
                let _ = listener.try_send(("state", self.json()));
                self.listeners.add(listener);
                self.drive();
            }
            RoomMessage::Left => self.listeners.send("ping", ""),
            RoomMessage::Discard(id, answer) => {
                let is_meant = self.kept.file.as_ref().is_none_or(|file| file.id() == id);
                if is_meant {
                    self.discard();
                }
                let _ = answer.send(is_meant);
            }
            RoomMessage::Replay(id, answer) => {
                let _ = answer.send(self.replayed(id).map(Box::new));
            }
            RoomMessage::Check => {}
            RoomMessage::GiveRecord(answer) => {
                let gives = self.tree.plies().len() < 2 && self.means.record.take().is_some();
                let _ = answer.send(gives);
            }
            RoomMessage::TakeRecord(record) => self.means.record = Some(record),
        }
    }

    /// The address of the room, which is the name of its game.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Whether it does something only while it is called.
    pub(super) fn is_polled(&self) -> bool {
        self.means.engines.are_polled()
    }

    /// The game that is played.
    pub(super) fn game(&self) -> GameName {
        self.game
    }

    /// The settings of the engine's analysis.
    pub(super) fn settings(&self) -> RoomSettings {
        self.settings
    }

    /// The ranges of its engines' options.
    pub(super) fn ranges(&self) -> EngineRanges {
        self.means.engines.ranges(self.game)
    }

    /// The same with these settings.
    pub(super) fn with_settings(self, settings: RoomSettings) -> Room {
        Room { settings, ..self }
    }

    /// The same, kept in the file that it was read from.
    pub(super) fn in_file(mut self, file: GameFile) -> Room {
        self.kept.file = Some(file);
        self
    }

    /// A new state for the file, and then for all who listen.
    fn changed(&mut self) {
        self.version += 1;
        self.keep();
        let json = self.json();
        self.listeners.send("state", &json);
    }

    /// The game ends where it stands, for a reason that the rules do not see.
    fn end(&mut self, over: GameOver) {
        self.tree.set_end(self.live, Some(over));
        self.kept.dirty = true;
    }

    fn json(&self) -> String {
        serde_json::to_string(&self.state()).unwrap_or_default()
    }

    /// How the game ended, if it has, at this node.
    fn over(&self, node: usize) -> Option<GameOver> {
        if let Some(ended) = self.tree.plies()[node].e.clone() {
            return Some(ended);
        }
        let outcome = self.tree.outcome(node)?;
        let winner = outcome.winner.map(Side::index);
        Some(GameOver { winner, cause: format!("{:?}", outcome.cause), margin: outcome.margin })
    }

    /// Whether a person may make a turn on the position shown.
    fn is_open(&self) -> bool {
        // After a resignation other turns may be tried out.
        let over = match self.mode {
            Mode::Study => self.tree.outcome(self.node).is_some(),
            Mode::Play => self.over(self.node).is_some(),
        };
        if over || self.play.paused {
            return false;
        }
        match self.mode {
            Mode::Study => true,
            Mode::Play => {
                let seat = &self.play.seats[self.tree.side(self.live).index()];
                self.node == self.live && seat.kind == SeatKind::Person
            }
        }
    }

    /// The side to move in a game in progress.
    fn running(&self) -> Option<Side> {
        let goes_on = self.mode == Mode::Play && !self.play.paused && self.over(self.live).is_none();
        goes_on.then(|| self.tree.side(self.live))
    }

    /// Plays the passes that a side without any other turn has to make.
    fn pass_where_nothing_else_can_be_done(&mut self) {
        while self.tree.outcome(self.live).is_none() && self.tree.must_pass(self.live) {
            let side = self.tree.side(self.live).index().to_string();
            let Ok(node) = self.tree.play(self.live, PASS) else { return };
            (self.live, self.node) = (node, node);
            self.note = Some(Note { code: "passed-for", values: [("side", side)].into() });
        }
    }
}

/// A seat within its bounds.
fn bounded_seat(mut seat: SeatView) -> SeatView {
    seat.level = seat.level.clamp(1, FULL);
    seat.name = seat.name.chars().filter(|c| !c.is_control()).take(60).collect();
    seat
}

#[cfg(test)]
pub(super) mod tests;
