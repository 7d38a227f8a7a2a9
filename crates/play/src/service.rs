//! Requests of a page, by any transport: rooms, the list of games, records. Every collection is bounded.

use std::collections::HashMap;
use std::time::Duration;

use crossbeam_channel::Receiver;
use parking_lot::Mutex;
use serde::Deserialize;

use super::explorer::Explorer;
use super::files as play_files;
use super::library::{GameList, new_id};
use super::room::{
    self, LoadedFile, Means, NewGame, Next, PageEvent, Room, RoomEnvelope, RoomHandle, RoomMessage,
    RoomRequest,
};
use super::view::{Reason, RoomSettings};
use kaeshi_core::game::GameError;
use kaeshi_core::time::Instant;
use kaeshi_engine::games::GameName;
use kaeshi_report::web::http::{HttpRequest, HttpResponse};

/// Rooms at a time.
const ROOMS: usize = 24;
/// Rooms at a time where all share the memory of one page (WebAssembly).
const ROOMS_OF_PAGE: usize = 3;
/// Tabs that listen at a time.
const TABS: usize = 24;
/// How often to check whether the other page has gone.
const LOOK: Duration = Duration::from_millis(25);
/// Time within which a page must listen to the room that it was given.
const HANDED: Duration = Duration::from_secs(10);
/// How long the notice that a tab was closed may take.
const CLOSING: Duration = Duration::from_millis(300);

/// The settings of the first room.
pub(super) struct Begin {
    /// The game of a new tab.
    pub game: NewGame,
    /// Whether the command line chose the game: then no earlier game is continued.
    pub asked: bool,
    /// The game that the first tab continues.
    pub loaded: Option<Vec<u8>>,
    /// The resources of each room; the record file is that of the first game.
    pub means: Means,
}

/// The state that all connections share.
pub(super) struct PlayService {
    begin: Begin,
    rooms: Mutex<Rooms>,
    explorer: Mutex<Explorer>,
}

#[derive(Default)]
struct Rooms {
    doors: HashMap<String, OpenRoom>,
    /// Tabs that listen.
    tabs: usize,
    /// When the last tab went away.
    deserted: Option<Instant>,
    made: u64,
    /// The room whose game is written to the file of `--record`.
    recorded: String,
}

struct OpenRoom {
    handle: RoomHandle,
    game: GameName,
    settings: RoomSettings,
    tabs: usize,
    used: Instant,
    /// When it was given to a page that does not listen yet.
    handed: Option<Instant>,
}

/// Reads bodies of requests, for fuzzing.
#[cfg(feature = "fuzzing")]
pub(super) fn read_requests(body: &[u8]) {
    let _ = (serde_json::from_slice::<Opening>(body), serde_json::from_slice::<RoomEnvelope>(body));
    let _ = (serde_json::from_slice::<ListRequest>(body), serde_json::from_slice::<TryOutLine>(body));
    let _ = serde_json::from_slice::<Explored>(body);
}

/// The request of a page that opens.
#[derive(Deserialize)]
struct Opening {
    /// The game that it showed.
    room: Option<String>,
    /// Whether a person chose this game: then no other one takes its place.
    #[serde(default)]
    chosen: bool,
}

/// A change of a game of the list.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
enum ListRequest {
    /// The game is removed.
    Delete,
    /// The game gets another name.
    Title { text: String },
}

/// A request for the turns played from a position.
#[derive(Deserialize)]
struct Explored {
    node: usize,
}

/// A line of turns to be shown as a try-out.
#[derive(Deserialize)]
struct TryOutLine {
    node: usize,
    turns: Vec<String>,
}

impl PlayService {
    /// A service without any room yet.
    pub(super) fn new(begin: Begin) -> PlayService {
        PlayService { begin, rooms: Mutex::default(), explorer: Mutex::default() }
    }

    /// Whether all tabs have been closed for `timeout`.
    pub(super) fn is_deserted(&self, timeout: Duration) -> bool {
        let rooms = self.rooms.lock();
        rooms.tabs == 0 && rooms.deserted.is_some_and(|since| since.elapsed() >= timeout)
    }

    /// The answer to a request below `/api/`, except for the events of a room.
    pub(super) fn respond(&self, request: &HttpRequest) -> HttpResponse {
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/api/games") => self.games(),
            ("GET", path) => match parts(path) {
                Some((room, "record", Some(form))) => self.record(room, form),
                _ => HttpResponse::refusal(404, "there is no such thing"),
            },
            ("POST", path) => self.post(request, path),
            _ => HttpResponse::refusal(405, "only GET and POST are answered"),
        }
    }

    fn post(&self, request: &HttpRequest, path: &str) -> HttpResponse {
        let kind =
            request.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default().trim();
        let wanted = if path.ends_with("/load") { "application/octet-stream" } else { "application/json" };
        if kind != wanted {
            return HttpResponse::refusal(415, &format!("the body must be {wanted}"));
        }
        if path == "/api/open" {
            return match serde_json::from_slice::<Opening>(&request.body) {
                Ok(opening) => self.open(opening),
                Err(error) => HttpResponse::refusal(400, &error.to_string()),
            };
        }
        if let Some(id) = path.strip_prefix("/api/games/") {
            return match serde_json::from_slice::<ListRequest>(&request.body) {
                Ok(request) => self.change_list(id, request),
                Err(error) => HttpResponse::refusal(400, &error.to_string()),
            };
        }
        match parts(path) {
            Some((room, "", None)) => match serde_json::from_slice::<RoomEnvelope>(&request.body) {
                Ok(asked) => self.ask(room, asked),
                Err(error) => HttpResponse::refusal(400, &error.to_string()),
            },
            Some((room, "load", None)) => self.load(room, request),
            Some((room, "explore", None)) => match serde_json::from_slice::<Explored>(&request.body) {
                Ok(explored) => self.explore(room, explored.node),
                Err(error) => HttpResponse::refusal(400, &error.to_string()),
            },
            Some((room, "line", None)) => match serde_json::from_slice::<TryOutLine>(&request.body) {
                Ok(line) => {
                    let frames = |answer| RoomMessage::Frames(line.node, line.turns, answer);
                    answered(self.handle(room).and_then(|handle| handle.ask(frames)))
                }
                Err(error) => HttpResponse::refusal(400, &error.to_string()),
            },
            _ => HttpResponse::refusal(404, "there is no such thing"),
        }
    }

    /// Handles a request to a room; a new game gets its own room.
    fn ask(&self, room: &str, asked: RoomEnvelope) -> HttpResponse {
        let Some(handle) = self.handle(room) else { return gone() };
        let (game, settings) = {
            let mut rooms = self.rooms.lock();
            let Some(open) = rooms.doors.get_mut(room) else { return gone() };
            if let RoomRequest::Settings(settings) = asked.request {
                open.settings = settings.bounded(self.begin.means.engines.ranges(open.game));
            }
            (open.game, open.settings)
        };
        let id = new_id();
        let fresh = match &asked.request {
            RoomRequest::New(new) => {
                let fresh = Room::new(id, new, self.means()).map_err(room::bad_position);
                return match self.add(fresh.map(|room| room.with_settings(settings))) {
                    Ok((id, begun)) => {
                        if !new.course {
                            self.pass_record_on(room, &handle, &id, &begun);
                        }
                        self.hand(&id, &begun)
                    }
                    Err(refusal) => refusal,
                };
            }
            RoomRequest::Setup(setup) => Room::set_up(id, game, setup, self.means()),
            RoomRequest::Replay => match handle.ask(|answer| RoomMessage::Replay(id, answer)) {
                Some(room) => room.map(|room| *room),
                None => return gone(),
            },
            _ => return answered(handle.ask(|answer| RoomMessage::Asked(asked, answer))),
        };
        self.enter(fresh.map(|room| room.with_settings(settings)))
    }

    /// Reads a file or a pasted text into a new room.
    fn load(&self, room: &str, request: &HttpRequest) -> HttpResponse {
        let Some(_) = self.handle(room) else { return gone() };
        let Some((game, settings)) = self.rooms.lock().doors.get(room).map(|open| (open.game, open.settings))
        else {
            return gone();
        };
        let pick = request.parameter("pick").and_then(|pick| pick.parse().ok());
        match Room::load(new_id(), &request.body, game, pick, self.means()) {
            Ok(LoadedFile::Room(room)) => self.enter(Ok(room.with_settings(settings))),
            Ok(LoadedFile::Games(games)) => {
                let records = play_files::read(&request.body, game).unwrap_or_default();
                self.explorer.lock().add(&request.body, &records);
                let list = serde_json::json!({ "games": games });
                HttpResponse::ok("application/json", list.to_string())
            }
            Err(reason) => refused(&reason),
        }
    }

    /// The turns that were played from a position in the other games.
    fn explore(&self, room: &str, node: usize) -> HttpResponse {
        let asked =
            self.handle(room).and_then(|handle| handle.ask(|answer| RoomMessage::Position(node, answer)));
        let Some(asked) = asked else { return gone() };
        let Some((game, position)) = asked else { return refused(&Reason::new("illegal")) };
        let mut explorer = self.explorer.lock();
        explorer.refresh(&self.begin.means.library);
        let moves = explorer.continuations(game, &position, room);
        HttpResponse::ok("application/json", serde_json::json!({ "moves": moves }).to_string())
    }

    /// The resources of a room without the file of `--record`.
    fn means(&self) -> Means {
        Means { record: None, ..self.begin.means.clone() }
    }

    /// The file of `--record` goes from `room` to the game after it, if no turn was made in `room`.
    fn pass_record_on(&self, room: &str, handle: &RoomHandle, next: &str, begun: &RoomHandle) {
        let owns = self.rooms.lock().recorded == room;
        let Some(record) = self.begin.means.record.clone().filter(|_| owns) else { return };
        if handle.ask(RoomMessage::GiveRecord).unwrap_or(false) {
            let _ = begun.send(RoomMessage::TakeRecord(record));
            next.clone_into(&mut self.rooms.lock().recorded);
        }
    }

    fn record(&self, room: &str, form: &str) -> HttpResponse {
        let Some(handle) = self.handle(room) else { return gone() };
        match handle.ask(|answer| RoomMessage::Record(form.to_owned(), answer)) {
            Some(Ok((name, bytes))) => {
                HttpResponse { file: Some(name), ..HttpResponse::ok("application/octet-stream", bytes) }
            }
            Some(Err(reason)) => refused(&reason),
            None => gone(),
        }
    }

    /// The list of all games that are kept.
    fn games(&self) -> HttpResponse {
        let library = &self.begin.means.library;
        let folder = library.folder().map(|folder| folder.display().to_string());
        let GameList { games, unreadable } = library.list();
        let host = library.is_of_host();
        let list =
            serde_json::json!({ "folder": folder, "host": host, "games": games, "unreadable": unreadable });
        HttpResponse::ok("application/json", list.to_string())
    }

    fn change_list(&self, id: &str, request: ListRequest) -> HttpResponse {
        let done = HttpResponse::ok("application/json", "{}");
        match request {
            ListRequest::Title { text } => match self.handle(id) {
                Some(handle) => {
                    let asked = RoomEnvelope::now(RoomRequest::Title { text });
                    answered(handle.ask(|answer| RoomMessage::Asked(asked, answer)))
                }
                None => gone(),
            },
            ListRequest::Delete => {
                let open = self.rooms.lock().doors.get(id).map(|open| open.handle.clone());
                // A room whose game another program has changed goes on in another file.
                let discard = |answer| RoomMessage::Discard(id.to_owned(), answer);
                if open.is_some_and(|handle| handle.ask(discard).unwrap_or(true)) {
                    self.rooms.lock().doors.remove(id);
                }
                match self.begin.means.library.remove(id) {
                    Ok(()) => done,
                    Err(error) => HttpResponse::refusal(503, &error.to_string()),
                }
            }
        }
    }

    /// The handle of a room, which is opened again if necessary; `None` if that fails.
    fn handle(&self, id: &str) -> Option<RoomHandle> {
        let handle = self.reopened(id);
        handle.inspect_err(|reason| log::warn!("play: the game {id} cannot be opened: {reason}")).ok()
    }

    /// The handle of a room; one that was left long ago, or that an earlier run of the program had, is opened again.
    ///
    /// # Errors
    /// There is no such game, its file is damaged, or too many games are open.
    fn reopened(&self, id: &str) -> Result<RoomHandle, GameError> {
        let mut rooms = self.rooms.lock();
        if let Some(open) = rooms.doors.get_mut(id) {
            open.used = Instant::now();
            if open.handle.send(RoomMessage::Check).is_some() {
                return Ok(open.handle.clone());
            }
            rooms.doors.remove(id);
        }
        let kept = self.begin.means.library.read(id);
        let (file, saved) = kept.map_err(|error| GameError::file(format!("its file: {error}")))?;
        let means = if rooms.recorded == id { self.begin.means.clone() } else { self.means() };
        let room = Room::restored(id.to_owned(), saved, means)?.in_file(file);
        rooms.add(room)
    }

    /// Opens a room, and answers with its state.
    fn enter(&self, room: Result<Room, Reason>) -> HttpResponse {
        match self.add(room) {
            Ok((id, handle)) => self.hand(&id, &handle),
            Err(refusal) => refusal,
        }
    }

    /// Opens a room: its name and its handle, or the refusal.
    fn add(&self, room: Result<Room, Reason>) -> Result<(String, RoomHandle), HttpResponse> {
        let room = room.map_err(|reason| refused(&reason))?;
        let id = room.id().to_owned();
        let handle = self.rooms.lock().add(room);
        match handle {
            Ok(handle) => Ok((id, handle)),
            Err(reason) => Err(HttpResponse::refusal(503, reason.reason())),
        }
    }

    /// The state of a room for a page that will listen to it.
    fn hand(&self, id: &str, handle: &RoomHandle) -> HttpResponse {
        if let Some(open) = self.rooms.lock().doors.get_mut(id) {
            open.handed = Some(Instant::now());
        }
        answered(handle.ask(|answer| RoomMessage::Asked(RoomEnvelope::now(RoomRequest::Look), answer)))
    }

    /// A room for a page: the game that it showed; for the first page the latest one; or a new one.
    fn open(&self, opening: Opening) -> HttpResponse {
        let begin = &self.begin;
        if let Some(id) = opening.room {
            match self.reopened(&id) {
                Ok(handle) => return self.hand(&id, &handle),
                Err(reason) if opening.chosen => {
                    return refused(&Reason::with_text("bad-game", reason));
                }
                Err(reason) => log::warn!("play: the game {id} cannot be opened: {reason}"),
            }
        }
        let first = {
            let mut rooms = self.rooms.lock();
            rooms.made += 1;
            rooms.made == 1
        };
        if !first || begin.loaded.is_none() && !begin.asked && begin.means.record.is_none() {
            let latest = self.latest();
            if let Some(id) = latest
                && let Some(handle) = self.handle(&id)
            {
                return self.hand(&id, &handle);
            }
        }
        let id = new_id();
        let means = if first { begin.means.clone() } else { self.means() };
        if means.record.is_some() {
            self.rooms.lock().recorded.clone_from(&id);
        }
        let game = GameName::parse(&begin.game.game).unwrap_or(GameName::USUAL);
        if let Some(bytes) = begin.loaded.as_ref().filter(|_| first)
            && let Ok(LoadedFile::Room(room)) = Room::load(id.clone(), bytes, game, Some(0), means.clone())
        {
            return self.enter(Ok(room.with_impasse_rule(begin.game.impasse)));
        }
        self.enter(Room::new(id, &begin.game, means).map_err(room::bad_position))
    }

    /// The latest game, unless another page or another program may be playing it.
    fn latest(&self) -> Option<String> {
        let library = &self.begin.means.library;
        // The only thread must not sleep.
        let is_polled = self.begin.means.engines.are_polled();
        let taken = || {
            let rooms = self.rooms.lock();
            let handed = |open: &OpenRoom| open.handed.is_some_and(|since| since.elapsed() < HANDED);
            rooms.tabs > 0 || rooms.doors.values().any(handed)
        };
        let start = Instant::now();
        while taken() {
            if start.elapsed() >= CLOSING || is_polled {
                return None;
            }
            std::thread::sleep(LOOK);
        }
        if !library.is_alone() {
            return None;
        }
        library.list().games.into_iter().next().map(|entry| entry.id)
    }

    /// Counts a tab in that listens to a room.
    ///
    /// # Errors
    /// The refusal, if there is no such room, or there are too many tabs.
    pub(super) fn listen(&self, room: &str) -> Result<Listening, HttpResponse> {
        let _ = self.handle(room);
        let mut rooms = self.rooms.lock();
        if !rooms.doors.contains_key(room) {
            return Err(gone());
        }
        if rooms.tabs >= TABS {
            return Err(HttpResponse::refusal(503, "too many tabs are open"));
        }
        rooms.tabs += 1;
        rooms.deserted = None;
        let open = rooms.doors.get_mut(room).ok_or_else(gone)?;
        open.tabs += 1;
        open.handed = None;
        let handle = open.handle.clone();
        drop(rooms);
        let (listener, events) = room::listening();
        let _ = handle.send(RoomMessage::Listen(listener));
        Ok(Listening { room: room.to_owned(), handle, events })
    }

    /// Counts the tab out.
    pub(super) fn leave(&self, listening: Listening) {
        let Listening { room, handle, events } = listening;
        drop(events);
        let _ = handle.send(RoomMessage::Left);
        let mut rooms = self.rooms.lock();
        rooms.tabs -= 1;
        if rooms.tabs == 0 {
            rooms.deserted = Some(Instant::now());
        }
        if let Some(open) = rooms.doors.get_mut(&room) {
            open.tabs -= 1;
            open.used = Instant::now();
        }
    }

    /// Runs the pending work of polled rooms.
    pub(super) fn poll(&self) -> Next {
        let doors: Vec<RoomHandle> =
            self.rooms.lock().doors.values().map(|open| open.handle.clone()).collect();
        let next = doors.iter().map(RoomHandle::poll);
        next.fold(Next::Never, |first, next| match (first, next) {
            (Next::Now, _) | (_, Next::Now) => Next::Now,
            (Next::Never, other) | (other, Next::Never) => other,
            (Next::At(a), Next::At(b)) => Next::At(a.min(b)),
        })
    }
}

/// A tab that listens to a room.
pub(super) struct Listening {
    room: String,
    handle: RoomHandle,
    /// The events of the room; the channel closes with the room.
    pub events: Receiver<PageEvent>,
}

impl Rooms {
    /// Opens a room.
    ///
    /// # Errors
    /// Too many games are shown at the same time, or the system grants no thread.
    fn add(&mut self, room: Room) -> Result<RoomHandle, GameError> {
        let most = if room.is_polled() { ROOMS_OF_PAGE } else { ROOMS };
        if self.doors.len() >= most {
            let unseen = self.doors.iter().filter(|(_, open)| open.tabs == 0);
            let oldest = unseen.min_by_key(|(_, open)| open.used).map(|(id, _)| id.clone());
            self.doors.remove(&oldest.ok_or_else(|| GameError::resources("too many games are open"))?);
        }
        let (id, game, settings) = (room.id().to_owned(), room.game(), room.settings());
        let handle = room.open()?;
        let used = Instant::now();
        let open = OpenRoom { handle: handle.clone(), game, settings, tabs: 0, used, handed: None };
        self.doors.insert(id, open);
        Ok(handle)
    }
}

/// The response for the answer of a room.
fn answered(answer: Option<Result<String, Reason>>) -> HttpResponse {
    match answer {
        Some(Ok(state)) => HttpResponse::ok("application/json", state),
        Some(Err(reason)) => refused(&reason),
        None => gone(),
    }
}

/// The room whose events are asked for.
pub(super) fn events_of(request: &HttpRequest) -> Option<&str> {
    match parts(&request.path)? {
        (room, "events", None) if request.method == "GET" => Some(room),
        _ => None,
    }
}

/// `/api/room/ROOM/WHAT/MORE` taken apart.
fn parts(path: &str) -> Option<(&str, &str, Option<&str>)> {
    let mut words = path.strip_prefix("/api/room/")?.split('/');
    let (room, what, more) = (words.next()?, words.next().unwrap_or_default(), words.next());
    words.next().is_none().then_some((room, what, more))
}

fn refused(reason: &Reason) -> HttpResponse {
    let body = serde_json::to_vec(reason).unwrap_or_default();
    HttpResponse { status: 422, ..HttpResponse::ok("application/json", body) }
}

fn gone() -> HttpResponse {
    HttpResponse::refusal(404, "this game is not open any more")
}

#[cfg(test)]
mod tests;
