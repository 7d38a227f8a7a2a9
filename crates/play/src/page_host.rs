//! The service in a browser, where there are neither threads nor files: a worker of the page calls it and keeps the
//! games.
//!
//! A call is one line of JSON (`Call`) and, behind it, a body; so is the answer (`Answer`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::engine_thread::EngineKind;
use super::library::Library;
use super::room::{Means, NewGame, Next};
use super::service::{Begin, Listening, PlayService};
use kaeshi_core::time::Instant;
use kaeshi_engine::games::GameName;
use kaeshi_report::web::http::{BODY_BYTES, HttpRequest, HttpResponse};

/// How strong Kaeshi plays at first.
const USUAL_LEVEL: u8 = 4;

/// A call of the worker.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
enum Call {
    /// The first call; the name of the first game, and whether no other page of the browser has the same games.
    Begin { game: String, alone: bool },
    /// The body is a game that the browser has kept; without `kept` it keeps it no more.
    Put { id: String, kept: bool },
    /// A request that the page would send to a server; the body is that of the request.
    Request {
        method: String,
        path: String,
        #[serde(default)]
        query: String,
        /// Type of the body.
        #[serde(default)]
        kind: String,
    },
    /// The page listens to this room, and to no other one.
    Listen { room: String },
    /// Engines search for some tens of milliseconds, and due events are handled.
    Poll,
}

/// The answer, besides the body.
#[derive(Debug, Default, Serialize)]
struct Answer {
    /// The status of HTTP.
    status: u16,
    kind: &'static str,
    /// The name under which the body is saved.
    file: Option<String>,
    /// Milliseconds after which the next poll is wanted; null if nothing happens by itself.
    wait: Option<u64>,
    /// Names and data of events in the room that the page listens to.
    events: Vec<(&'static str, String)>,
    /// Games that the browser is to keep, or to remove where there is no text.
    changed: Vec<(String, Option<String>)>,
}

/// The service and the one page that it has.
#[derive(Default)]
pub struct PageHost {
    running: Option<Running>,
}

struct Running {
    service: PlayService,
    library: Arc<Library>,
    listening: Option<Listening>,
}

impl PageHost {
    /// Does what a call says, and answers it.
    pub fn call(&mut self, input: &[u8]) -> Vec<u8> {
        let end = input.iter().position(|&byte| byte == b'\n').unwrap_or(input.len());
        let (line, rest) = input.split_at(end);
        let response = match serde_json::from_slice(line) {
            Ok(call) => self.serve(call, rest.get(1..).unwrap_or_default()),
            Err(error) => HttpResponse::refusal(400, &error.to_string()),
        };
        let mut answer =
            Answer { status: response.status, kind: response.kind, file: response.file, ..Answer::default() };
        if let Some(running) = &mut self.running {
            running.report(&mut answer);
        }
        let mut output = serde_json::to_vec(&answer).unwrap_or_default();
        output.push(b'\n');
        output.extend(response.body);
        output
    }

    fn serve(&mut self, call: Call, body: &[u8]) -> HttpResponse {
        let done = HttpResponse::ok("application/json", "{}");
        if let Call::Begin { game, alone } = call {
            self.running = Some(Running::new(&game, alone));
            return done;
        }
        let Some(running) = &mut self.running else {
            return HttpResponse::refusal(400, "the first call is not to begin");
        };
        match call {
            Call::Begin { .. } | Call::Poll => {}
            Call::Put { id, kept } => running.library.put(&id, kept.then_some(body)),
            Call::Listen { room } => return running.listen(&room),
            Call::Request { .. } if body.len() > BODY_BYTES => {
                return HttpResponse::refusal(413, &format!("a body has at most {BODY_BYTES} bytes"));
            }
            Call::Request { method, path, query, kind } => {
                let headers = vec![("content-type".to_owned(), kind)];
                return running.service.respond(&HttpRequest {
                    method,
                    path,
                    query,
                    headers,
                    body: body.to_owned(),
                });
            }
        }
        done
    }
}

impl Running {
    fn new(game: &str, alone: bool) -> Running {
        let library = Arc::new(Library::of_host(alone));
        let means =
            Means { threads: 1, record: None, library: Arc::clone(&library), engines: EngineKind::Polled };
        let game = NewGame::usual(GameName::parse(game).unwrap_or(GameName::USUAL), USUAL_LEVEL);
        let service = PlayService::new(Begin { game, asked: false, loaded: None, means });
        Running { service, library, listening: None }
    }

    fn listen(&mut self, room: &str) -> HttpResponse {
        if let Some(before) = self.listening.take() {
            self.service.leave(before);
        }
        match self.service.listen(room) {
            Ok(listening) => {
                self.listening = Some(listening);
                HttpResponse::ok("application/json", "{}")
            }
            Err(refusal) => refusal,
        }
    }

    /// Polls the rooms, and adds what has happened.
    fn report(&mut self, answer: &mut Answer) {
        answer.wait = match self.service.poll() {
            Next::Now => Some(0),
            Next::At(time) => {
                let left = time.saturating_duration_since(Instant::now());
                Some(u64::try_from(left.as_millis()).unwrap_or(u64::MAX).saturating_add(1))
            }
            Next::Never => None,
        };
        if let Some(listening) = &self.listening {
            answer.events = listening.events.try_iter().collect();
        }
        let changed = self.library.take_changed().into_iter();
        answer.changed =
            changed.map(|(id, json)| (id, json.and_then(|json| String::from_utf8(json).ok()))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The head of an answer and its body, if that is JSON.
    fn call(host: &mut PageHost, call: &Value, body: &[u8]) -> (Value, Value) {
        let answer = host.call(&[format!("{call}\n").as_bytes(), body].concat());
        let end = answer.iter().position(|&byte| byte == b'\n').unwrap();
        let body = serde_json::from_slice(&answer[end + 1..]).unwrap_or_default();
        (serde_json::from_slice(&answer[..end]).unwrap(), body)
    }

    fn post(host: &mut PageHost, path: &str, body: &Value) -> (Value, Value) {
        let request = json!({ "op": "request", "method": "POST", "path": path, "kind": "application/json" });
        call(host, &request, body.to_string().as_bytes())
    }

    fn begun() -> PageHost {
        let mut host = PageHost::default();
        call(&mut host, &json!({ "op": "begin", "game": "reversi", "alone": true }), b"");
        host
    }

    #[test]
    fn a_game_is_played_by_calls_alone_and_goes_on_where_the_browser_kept_it() {
        let mut host = begun();
        let (_, state) = post(&mut host, "/api/open", &json!({ "room": null }));
        let room = state["room"].as_str().unwrap().to_owned();
        let path = format!("/api/room/{room}");
        assert_eq!(post(&mut host, &path, &json!({ "op": "turn", "turn": "a1" })).0["status"], 422);
        call(&mut host, &json!({ "op": "listen", "room": room }), b"");
        let (mut answer, state) = post(&mut host, &path, &json!({ "op": "turn", "turn": "f5" }));
        assert_eq!((&answer["status"], &answer["wait"]), (&json!(200), &json!(0)), "{state}");
        let mut kept = answer["changed"].clone();
        assert_eq!((&kept[0][0], kept.as_array().unwrap().len()), (&json!(room), 1));
        let begun = std::time::Instant::now();
        // On a busy machine the engine's turn comes with the answer to the person's.
        let live = loop {
            assert!(begun.elapsed().as_secs() < 60, "the engine has not answered");
            let wait = answer["wait"].as_u64().unwrap_or_default();
            std::thread::sleep(std::time::Duration::from_millis(wait.min(20)));
            if answer["changed"] != json!([]) {
                kept = answer["changed"].clone();
            }
            let events = answer["events"].as_array().unwrap();
            let states = events.iter().filter(|event| event[0] == "state");
            let mut states =
                states.map(|event| serde_json::from_str::<Value>(event[1].as_str().unwrap()).unwrap());
            if let Some(state) = states.next_back().filter(|state| state["live"] == 2) {
                break state;
            }
            (answer, _) = call(&mut host, &json!({ "op": "poll" }), b"");
        };
        assert_eq!(live["nodes"][2]["by"], 1);

        let mut again = begun_with(&kept);
        let (_, state) = post(&mut again, "/api/open", &json!({ "room": null }));
        assert_eq!((&state["room"], &state["live"]), (&json!(room), &json!(2)), "the latest game goes on");
        let list = json!({ "op": "request", "method": "GET", "path": "/api/games" });
        let (_, games) = call(&mut again, &list, b"");
        assert_eq!((&games["games"][0]["plies"], &games["host"]), (&json!(2), &json!(true)));
        let (answer, _) = post(&mut again, &format!("/api/games/{room}"), &json!({ "op": "delete" }));
        assert_eq!(answer["changed"], json!([[room, null]]));
        assert_eq!(call(&mut again, &list, b"").1["games"], json!([]));
    }

    fn begun_with(kept: &Value) -> PageHost {
        let mut host = begun();
        for game in kept.as_array().unwrap() {
            let put = json!({ "op": "put", "id": game[0], "kept": true });
            call(&mut host, &put, game[1].as_str().unwrap().as_bytes());
        }
        host
    }

    #[test]
    fn what_is_no_call_is_refused() {
        let mut host = PageHost::default();
        for wrong in ["", "{}", "{\"op\":\"poll\"}", "{\"op\":\"fly\"}", "\n\n"] {
            let answer = String::from_utf8(host.call(wrong.as_bytes())).unwrap();
            assert!(answer.contains("\"status\":400"), "{wrong}: {answer}");
        }
        let mut host = begun();
        for path in ["/", "/api/", "/api/room/x", "/api/room/x/events", "/style.css"] {
            let request = json!({ "op": "request", "method": "GET", "path": path });
            assert_eq!(call(&mut host, &request, b"").0["status"], 404, "{path}");
        }
        assert_eq!(call(&mut host, &json!({ "op": "listen", "room": "x" }), b"").0["status"], 404);
    }
}
