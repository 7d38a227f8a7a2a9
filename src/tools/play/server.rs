//! The server of the page: files of the page, rooms. Every number of things is bounded.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::RecvTimeoutError;
use parking_lot::Mutex;
use serde::Deserialize;

use super::room::{self, Asked, Door, Message, NewGame, Room, Saved};
use super::view::Reason;
use crate::page::files;
use crate::tools::looks::looks;
use crate::tools::web::http::{self, Request, Response};
use crate::tools::web::{Guard, Site};

/// Rooms at a time.
const ROOMS: usize = 24;
/// Tabs that listen at a time.
const TABS: usize = 24;
/// How often a quiet connection is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// What the rooms begin with.
pub(super) struct Begin {
    /// The game of a new tab.
    pub game: NewGame,
    /// Whether the command line asked for it: then no earlier game goes on.
    pub asked: bool,
    /// The game that the first tab goes on with.
    pub loaded: Option<Vec<u8>>,
    /// Where the first tab's game is written.
    pub record: Option<PathBuf>,
    /// Search threads of each engine.
    pub threads: usize,
}

/// All that the connections share.
pub(super) struct Server {
    guard: Guard,
    begin: Begin,
    page: Vec<u8>,
    rooms: Mutex<Rooms>,
}

#[derive(Default)]
struct Rooms {
    doors: HashMap<String, Open>,
    /// Tabs that listen.
    tabs: usize,
    /// When the last tab went away.
    deserted: Option<Instant>,
    made: u64,
}

struct Open {
    door: Door,
    tabs: usize,
    used: Instant,
}

/// Reads bodies of requests, for fuzzing.
#[cfg(fuzzing)]
pub(super) fn read_wishes(body: &[u8]) {
    let _ = (serde_json::from_slice::<Opening>(body), serde_json::from_slice::<Asked>(body));
}

/// What a page asks for when it opens.
#[derive(Deserialize)]
struct Opening {
    room: Option<String>,
    saved: Option<Box<Saved>>,
}

/// A name that nobody can guess: 128 bits of the keys that the system gives to hash maps.
pub(super) fn secret() -> String {
    let half = |salt: u8| RandomState::new().hash_one((salt, Instant::now()));
    format!("{:016x}{:016x}", half(1), half(2))
}

impl Site for Server {
    fn guard(&self) -> &Guard {
        &self.guard
    }

    fn answer(&self, stream: &mut TcpStream, request: &Request) {
        if let Some(room) = events_of(request) {
            return self.events(stream, room);
        }
        let response = self.respond(request);
        if let Err(error) = http::send(stream, &response) {
            log::debug!("play: {} was not taken: {error}", request.path);
        }
    }
}

impl Server {
    /// A server for these addresses.
    pub(super) fn new(guard: Guard, begin: Begin) -> Arc<Server> {
        let page = files::play_page(&looks()).into_bytes();
        Arc::new(Server { guard, begin, page, rooms: Mutex::default() })
    }

    /// Whether the last of the tabs has been away for so long.
    pub(super) fn is_deserted(&self, patience: Duration) -> bool {
        let rooms = self.rooms.lock();
        rooms.tabs == 0 && rooms.deserted.is_some_and(|since| since.elapsed() >= patience)
    }

    fn respond(&self, request: &Request) -> Response {
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/") => Response::ok("text/html; charset=utf-8", self.page.clone()),
            ("GET", path) if !path.starts_with("/api/") => match files::file(path) {
                Some((kind, text)) => Response::ok(kind, text),
                None => Response::refusal(404, "there is no such page"),
            },
            ("GET", path) => match parts(path) {
                Some((room, "record", Some(form))) => self.record(room, form),
                _ => Response::refusal(404, "there is no such thing"),
            },
            ("POST", path) => self.post(request, path),
            _ => Response::refusal(405, "only GET and POST are answered"),
        }
    }

    fn post(&self, request: &Request, path: &str) -> Response {
        let kind =
            request.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default().trim();
        let wanted = if path.ends_with("/load") { "application/octet-stream" } else { "application/json" };
        if kind != wanted {
            return Response::refusal(415, &format!("the body must be {wanted}"));
        }
        if path == "/api/open" {
            return match serde_json::from_slice::<Opening>(&request.body) {
                Ok(opening) => self.open(opening),
                // What an earlier version kept is not worth a refusal.
                Err(_) => self.open(Opening { room: None, saved: None }),
            };
        }
        let (room, load) = match parts(path) {
            Some((room, "", None)) => (room, false),
            Some((room, "load", None)) => (room, true),
            _ => return Response::refusal(404, "there is no such thing"),
        };
        let Some(door) = self.door(room) else { return gone() };
        let answer = if load {
            door.ask(|answer| Message::Load(request.body.clone(), answer))
        } else {
            match serde_json::from_slice::<Asked>(&request.body) {
                Ok(asked) => door.ask(|answer| Message::Asked(asked, answer)),
                Err(error) => return Response::refusal(400, &error.to_string()),
            }
        };
        match answer {
            Some(Ok(state)) => Response::ok("application/json", state),
            Some(Err(reason)) => refused(&reason),
            None => gone(),
        }
    }

    fn record(&self, room: &str, form: &str) -> Response {
        let Some(door) = self.door(room) else { return gone() };
        match door.ask(|answer| Message::Record(form.to_owned(), answer)) {
            Some(Ok((name, bytes))) => {
                Response { file: Some(name), ..Response::ok("application/octet-stream", bytes) }
            }
            Some(Err(reason)) => refused(&reason),
            None => gone(),
        }
    }

    fn door(&self, room: &str) -> Option<Door> {
        let mut rooms = self.rooms.lock();
        let open = rooms.doors.get_mut(room)?;
        open.used = Instant::now();
        Some(open.door.clone())
    }

    /// A room for a tab: the one it had, its copy if another tab has it now, what it kept, or a new one.
    fn open(&self, opening: Opening) -> Response {
        let begin = &self.begin;
        let had = opening.room.as_deref().and_then(|room| {
            let rooms = self.rooms.lock();
            rooms.doors.get(room).map(|open| (open.door.clone(), open.tabs))
        });
        let state = |door: &Door| door.ask(|answer| Message::Asked(Asked::nothing(), answer));
        if let Some((door, 0)) = &had
            && let Some(Ok(state)) = state(door)
        {
            return Response::ok("application/json", state);
        }
        let id = secret();
        let first = self.rooms.lock().made == 0;
        let record = begin.record.clone().filter(|_| first);
        let copied = had.and_then(|(door, _)| door.ask(Message::Copy)).map(|room| room.named(id.clone()));
        let goes_on = opening.saved.filter(|_| opening.room.is_some() || first && !begin.asked);
        let restored = || {
            let saved = goes_on.filter(|_| begin.loaded.is_none())?;
            Room::restored(id.clone(), *saved, begin.threads, record.clone()).ok()
        };
        let fresh = || Room::new(id.clone(), &begin.game, begin.threads, record.clone());
        let room = match copied.or_else(restored).map_or_else(fresh, Ok) {
            Ok(room) => room,
            Err(reason) => return refused(&Reason::with_text("bad-position", reason)),
        };
        let door = {
            let mut rooms = self.rooms.lock();
            if rooms.doors.len() >= ROOMS {
                let oldest =
                    rooms.doors.iter().filter(|(_, open)| open.tabs == 0).min_by_key(|(_, open)| open.used);
                match oldest.map(|(id, _)| id.clone()) {
                    Some(oldest) => drop(rooms.doors.remove(&oldest)),
                    None => return Response::refusal(503, "too many games are open"),
                }
            }
            let door = room.open();
            rooms.made += 1;
            rooms.doors.insert(id, Open { door: door.clone(), tabs: 0, used: Instant::now() });
            door
        };
        if let Some(bytes) = begin.loaded.clone().filter(|_| first) {
            let _ = door.ask(|answer| Message::Load(bytes, answer));
        }
        match state(&door) {
            Some(Ok(state)) => Response::ok("application/json", state),
            Some(Err(reason)) => refused(&reason),
            None => gone(),
        }
    }

    /// Sends a tab everything that happens in its room, until it goes away.
    fn events(&self, stream: &mut TcpStream, room: &str) {
        let door = {
            let mut rooms = self.rooms.lock();
            let full = rooms.tabs >= TABS;
            let Some(open) = rooms.doors.get_mut(room) else {
                drop(rooms);
                return http::refuse(stream, &gone());
            };
            if full {
                drop(rooms);
                return http::refuse(stream, &Response::refusal(503, "too many tabs are open"));
            }
            open.tabs += 1;
            let door = open.door.clone();
            rooms.tabs += 1;
            rooms.deserted = None;
            door
        };
        let (listener, events) = room::listening();
        if http::begin_events(stream).is_ok() && door.send(Message::Listen(listener)).is_some() {
            loop {
                let sent = match events.recv_timeout(LOOK) {
                    Ok((name, data)) => http::send_event(stream, name, &data).is_ok(),
                    Err(RecvTimeoutError::Timeout) => !http::is_closed(stream),
                    Err(RecvTimeoutError::Disconnected) => false,
                };
                if !sent {
                    break;
                }
            }
        }
        drop(events);
        let _ = door.send(Message::Left);
        let mut rooms = self.rooms.lock();
        rooms.tabs -= 1;
        if rooms.tabs == 0 {
            rooms.deserted = Some(Instant::now());
        }
        if let Some(open) = rooms.doors.get_mut(room) {
            open.tabs -= 1;
            open.used = Instant::now();
        }
    }
}

/// The room whose events are asked for.
fn events_of(request: &Request) -> Option<&str> {
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

fn refused(reason: &Reason) -> Response {
    let body = serde_json::to_vec(reason).unwrap_or_default();
    Response { status: 422, ..Response::ok("application/json", body) }
}

fn gone() -> Response {
    Response::refusal(404, "this game is not open any more")
}
