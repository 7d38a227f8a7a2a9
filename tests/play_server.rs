//! `kaeshi play` and clients other than its page: foreign hosts and origins, wrong paths, large bodies, slow and many
//! clients. Their requests are refused or bounded, while the page is answered.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::child_lines::ChildLines;

use serde_json::{Value, json};

struct PlayServerProcess {
    child: Child,
    link: String,
    host: String,
    games: tempfile::TempDir,
}

impl PlayServerProcess {
    fn start(options: &[&str]) -> PlayServerProcess {
        let games = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
            .args(["play", "--no-open", "--port", "0", "--games"])
            .arg(games.path())
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let link = ChildLines::of(child.stdout.take().unwrap()).next().expect("a link");
        let link = link.trim().to_owned();
        let host = link.trim_start_matches("http://").split('/').next().unwrap().to_owned();
        PlayServerProcess { child, link, host, games }
    }

    fn connect(&self) -> TcpStream {
        let port = self.host.rsplit(':').next().unwrap();
        let stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends a request as it stands; status, head and body.
    fn raw(&self, text: &str) -> (u16, String, String) {
        let mut stream = self.connect();
        // A refusal may come before everything was sent.
        let _ = stream.write_all(text.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        (status, head.to_owned(), body.to_owned())
    }

    fn get(&self, path: &str, headers: &str) -> (u16, String, String) {
        self.raw(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", self.host))
    }

    fn post(&self, path: &str, kind: &str, body: &str) -> (u16, Value) {
        let text = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        let (status, _, body) = self.raw(&text);
        (status, serde_json::from_str(&body).unwrap_or(Value::Null))
    }

    fn open(&self) -> Value {
        let (status, state) = self.post("/api/open", "application/json", "{}");
        assert_eq!(status, 200);
        state
    }
}

impl Drop for PlayServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn only_the_own_page_is_answered() {
    let play = PlayServerProcess::start(&[]);
    let (status, head, page) = play.get("/", "");
    assert_eq!(status, 200);
    assert!(page.contains("<title>Kaeshi</title>"));
    assert!(head.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"), "{head}");
    assert!(!head.contains("unsafe"));
    assert_eq!(play.get("/style.css", "").0, 200);
    assert_eq!(play.get("/", "Origin: http://evil.example\r\n").0, 403);
    assert_eq!(play.get("/", "Sec-Fetch-Site: cross-site\r\n").0, 403);
    for host in ["evil.example", "127.0.0.1", "evil.example:4390"] {
        assert_eq!(play.raw(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")).0, 403, "{host}");
    }
    assert_eq!(play.raw("GET / HTTP/1.1\r\n\r\n").0, 403);
    // Without a preflight request, another site can only send bodies that are not JSON.
    assert_eq!(play.post("/api/open", "text/plain", "{}").0, 415);
}

#[test]
fn there_are_no_other_files() {
    let play = PlayServerProcess::start(&[]);
    for path in [
        "/../Cargo.toml",
        "/play/../../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2f..%2fetc/passwd",
        "//etc/passwd",
        "/etc/passwd",
        "/play/",
        "/api/room/../../etc/passwd",
        "/api/room/x/record/../../x",
    ] {
        assert_eq!(play.get(path, "").0, 404, "{path}");
    }
    assert_eq!(play.post("/api/room/nobody", "application/json", "{\"op\":\"look\"}").0, 404);
}

#[test]
fn large_and_broken_requests_are_refused() {
    let play = PlayServerProcess::start(&[]);
    let room = play.open()["room"].as_str().unwrap().to_owned();
    let path = format!("/api/room/{room}");
    let (status, _) = play.post(&path, "application/json", &"x".repeat(10 << 20));
    assert_eq!(status, 413);
    assert_eq!(play.get("/", &format!("Long: {}\r\n", "x".repeat(20 << 10))).0, 431);
    for body in ["", "{", "[]", "{\"op\":\"nothing\"}", "{\"op\":\"go\",\"to\":-1}", "\u{0}"] {
        assert_eq!(play.post(&path, "application/json", body).0, 400, "{body}");
    }
    for body in ["{\"op\":\"go\",\"to\":99999}", "{\"op\":\"turn\",\"turn\":\"5a5i\"}", "{\"op\":\"done\"}"] {
        assert_eq!(play.post(&path, "application/json", body).0, 422, "{body}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(play.post(&path, "application/json", &deep).0, 400);
    assert_eq!(play.open()["game"], "shogi", "it still answers");
}

#[test]
fn many_and_slow_clients_do_not_keep_the_page_waiting() {
    let play = PlayServerProcess::start(&[]);
    let mut idle: Vec<TcpStream> = Vec::new();
    for _ in 0..1_000 {
        let mut stream = play.connect();
        let _ = stream.write_all(b"GET / HT");
        idle.push(stream);
    }
    let start = Instant::now();
    assert_eq!(play.get("/", "").0, 200);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    drop(idle);
    // One that sends a byte now and then is sent away in the end.
    let mut slow = play.connect();
    let start = Instant::now();
    let mut answer = [0; 16];
    while start.elapsed() < Duration::from_secs(30) {
        if slow.write_all(b"G").is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(500));
        slow.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        if slow.read(&mut answer).is_ok() {
            break;
        }
    }
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn markup_in_names_and_comments_stays_text() {
    let play = PlayServerProcess::start(&[]);
    let room = play.open()["room"].as_str().unwrap().to_owned();
    let name = "<img src=x onerror=alert(1)>\"'";
    let record = format!(
        "[Sygo \"1\"] [Size \"5\"] [White \"{}\"]\n1. c4 {{<script>alert(1)</script>}}\n",
        name.replace('"', "")
    );
    let (status, state) = play.post(&format!("/api/room/{room}/load"), "application/octet-stream", &record);
    assert_eq!(status, 200, "{state}");
    let loaded = state["room"].as_str().unwrap();
    assert_ne!(loaded, room, "the game before stays");
    // The page sets every text as text; see `make` in dom.js. The answer is JSON and never a page.
    assert_eq!(state["seats"][0]["name"], name.replace('"', ""));
    let (_, head, _) =
        play.raw(&format!("GET /api/room/{loaded}/record/sygo HTTP/1.1\r\nHost: {}\r\n\r\n", play.host));
    assert!(head.contains("nosniff") && head.contains("attachment"), "{head}");
    let wrong = json!({ "op": "turn", "turn": "<b>" }).to_string();
    let (status, reason) = play.post(&format!("/api/room/{loaded}"), "application/json", &wrong);
    assert_eq!((status, reason["code"].as_str()), (422, Some("illegal")));
}

#[test]
fn another_address_wants_the_token_of_its_link() {
    let play = PlayServerProcess::start(&["--listen", "0.0.0.0"]);
    assert!(play.link.contains("/?token="), "{}", play.link);
    // Another machine cannot reach 0.0.0.0.
    assert!(!play.host.starts_with("0.0.0.0"), "{}", play.link);
    let port = play.host.rsplit(':').next().unwrap();
    let ask = |path: &str| play.raw(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")).0;
    let token = play.link.split("token=").nth(1).unwrap();
    assert_eq!(ask("/"), 403);
    assert_eq!(ask("/?token=0"), 403);
    assert_eq!(ask(&format!("/?token={token}")), 200);
    assert_eq!(ask("/style.css"), 200);
    assert_eq!(play.post("/api/open", "application/json", "{}").0, 403);
}

#[test]
fn the_program_ends_with_its_last_tab() {
    let mut play = PlayServerProcess::start(&["--once"]);
    let room = play.open()["room"].as_str().unwrap().to_owned();
    let mut tab = play.connect();
    tab.write_all(format!("GET /api/room/{room}/events HTTP/1.1\r\nHost: {}\r\n\r\n", play.host).as_bytes())
        .unwrap();
    let mut lines = BufReader::new(tab.try_clone().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("data: {")), "the state comes at once");
    assert!(play.child.try_wait().unwrap().is_none());
    drop((lines, tab));
    let start = Instant::now();
    while play.child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(30), "the program goes on without a tab");
        std::thread::sleep(Duration::from_millis(100));
    }
    let mut said = String::new();
    play.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("kaeshi play has ended"), "{said}");
}

#[test]
fn every_game_is_listed_and_can_be_renamed_and_removed() {
    let play = PlayServerProcess::start(&["--game", "reversi"]);
    let list = || -> Vec<Value> {
        let (status, _, body) = play.get("/api/games", "");
        assert_eq!(status, 200);
        serde_json::from_str::<Value>(&body).unwrap()["games"].as_array().unwrap().clone()
    };
    let room = play.open()["room"].as_str().unwrap().to_owned();
    assert!(list().is_empty());
    let ask = |room: &str, wish: Value| {
        play.post(&format!("/api/room/{room}"), "application/json", &wish.to_string())
    };
    ask(&room, json!({ "op": "turn", "turn": "f5" }));
    // The list is sorted by milliseconds.
    std::thread::sleep(Duration::from_millis(20));
    let seat = json!({ "kind": "person", "level": 1 });
    let new = json!({ "op": "new", "game": "sygo", "seats": [seat, seat], "clock": null, "size": 5, "position": null });
    let (_, fresh) = ask(&room, new);
    let fresh = fresh["room"].as_str().unwrap();
    assert_ne!(fresh, room, "a new game leaves the one before as it is");
    ask(fresh, json!({ "op": "turn", "turn": "c3" }));
    let ids = |list: Vec<Value>| -> Vec<String> {
        list.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(list()), [fresh, &room]);
    let title = json!({ "op": "title", "text": "my <b>first" }).to_string();
    assert_eq!(play.post(&format!("/api/games/{room}"), "application/json", &title).0, 200);
    assert_eq!(list()[0]["title"], "my <b>first");
    let delete = json!({ "op": "delete" }).to_string();
    assert_eq!(play.post(&format!("/api/games/{fresh}"), "application/json", &delete).0, 200);
    assert_eq!(ids(list()), std::slice::from_ref(&room));
    let damaged = "0".repeat(32);
    std::fs::write(play.games.path().join(format!("{damaged}.json")), "{").unwrap();
    let (_, _, body) = play.get("/api/games", "");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&body["unreadable"][0]["id"], &body["games"][0]["id"]), (&json!(damaged), &json!(room)));
    assert!(body["unreadable"][0]["reason"].as_str().unwrap().contains("EOF"), "{body}");
    assert_eq!(play.post(&format!("/api/games/{damaged}"), "application/json", &delete).0, 200);
    for wrong in ["..", "x", "%2e%2e%2fCargo.toml"] {
        let (status, _) = play.post(&format!("/api/games/{wrong}"), "application/json", &title);
        assert_eq!(status, 404, "{wrong}");
    }
    assert_eq!(std::fs::read_dir(play.games.path()).unwrap().count(), 2, "the game and the lock");
}

#[test]
fn two_tabs_have_two_games() {
    let play = PlayServerProcess::start(&["--game", "reversi"]);
    let [first, second] = [play.open(), play.open()].map(|state| state["room"].as_str().unwrap().to_owned());
    assert_ne!(first, second);
    let turn = json!({ "op": "turn", "turn": "f5" }).to_string();
    let (status, state) = play.post(&format!("/api/room/{first}"), "application/json", &turn);
    assert_eq!((status, state["nodes"].as_array().unwrap().len()), (200, 2));
    let (_, other) = play.post(&format!("/api/room/{second}"), "application/json", "{\"op\":\"look\"}");
    assert_eq!(other["nodes"].as_array().unwrap().len(), 1);
}
