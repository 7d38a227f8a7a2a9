//! The page of `kaeshi play --export`, from python3's file server in a real browser: a game of each kind, the course of
//! Sygo, a review, records, Japanese, and a reload without the server.
//!
//! Runs by `.ci/page --static`, which names the engine that `.ci/wasm` makes in `KAESHI_PLAY_WASM`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::play_games::course_steps;

const READY: &str = "document.body && document.body.dataset.ready === '1'";
/// Bytes that the page may have without its engine.
const MOST_BYTES: u64 = 500_000;

/// Python's file server for a folder.
struct FileServer {
    child: Child,
    address: String,
}

impl FileServer {
    fn start(folder: &Path) -> FileServer {
        let mut child = Command::new("python3")
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory"])
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.split(" port ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a port");
        FileServer { address: format!("http://127.0.0.1:{port}/"), child }
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn export(folder: &Path, options: &[&str]) {
    let engine = std::env::var("KAESHI_PLAY_WASM").expect("KAESHI_PLAY_WASM names kaeshi-play.wasm");
    let mut program = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    program.args(["play", "--engine", &engine]).args(options).arg("--export").arg(folder);
    assert!(program.stdout(Stdio::null()).status().unwrap().success());
}

/// Asks the program in the page.
fn asked(page: &mut Browser, path: &str, body: Option<Value>) -> String {
    let room = "sessionStorage.getItem('kaeshi-room')";
    let init = match body {
        Some(body) => {
            format!(
                "{{ method: 'POST', headers: {{ 'content-type': 'application/json' }}, body: {} }}",
                json!(body.to_string())
            )
        }
        None => "{}".to_owned(),
    };
    let asked = format!(
        "import('./play/wire.js').then(({{ request }}) => request('/api/room/' + {room} + '{path}', {init})) \
         .then((answer) => answer.text())"
    );
    page.value(&asked).as_str().unwrap().to_owned()
}

fn state(page: &mut Browser) -> Value {
    serde_json::from_str(&asked(page, "", Some(json!({ "op": "look" })))).unwrap()
}

/// A new game against a weak engine that answers quickly.
fn new_game(page: &mut Browser, game: &str) {
    page.value("window.confirm = () => true");
    page.click("#do-new");
    page.click(&format!("#new-game [data-game={game}]"));
    page.value("document.querySelector('#new-against').value = 'engine'; document.querySelector('#new-level').value = '1'");
    page.click("#new-begin");
    page.until("!document.querySelector('dialog')", "the game has begun");
    let settings = json!({ "op": "settings", "analysis": false, "mistakes": false, "thinking": 100, "threads": null,
        "hash": null, "lines": null });
    asked(page, "", Some(settings));
    assert_eq!(state(page)["game"], game);
}

/// Makes one turn by clicks, whichever comes first.
fn turn_by_clicks(page: &mut Browser, state: &Value) {
    let square = |name: &str| format!("[data-square=\"{name}\"]");
    let before = state["live"].clone();
    if let Some(points) = state["draft"]["points"].as_object() {
        let grow = points.iter().find(|(_, kind)| *kind == "grow" || *kind == "place");
        let (point, _) = grow.or_else(|| points.iter().next()).expect("a point");
        page.click(&square(point));
        page.until("true", "the click is taken");
        for _ in 0..40 {
            std::thread::sleep(Duration::from_millis(50));
            let now = self::state(page);
            if now["live"] != before {
                return;
            }
            if page.value("Boolean(document.querySelector('#done:not([disabled])'))") == true {
                page.click("#done");
            } else if let Some((point, _)) =
                now["draft"]["points"].as_object().and_then(|points| points.iter().next())
                && now["draft"]["stones"] != json!([])
            {
                page.click(&square(point));
            }
        }
        panic!("no turn of Sygo came of clicks: {}", self::state(page)["draft"]);
    }
    let choice = &state["choices"][0];
    let (from, to) = (choice["from"].as_str(), choice["to"].as_str());
    match from {
        Some(from) if from.len() == 1 => page.click(&format!("[data-hand=\"{from}\"]")),
        Some(from) => page.click(&square(from)),
        None => {}
    }
    match to {
        Some(to) => page.click(&square(to)),
        None => page.click("#do-pass"),
    }
    if page.value("Boolean(document.querySelector('[data-promote]'))") == true {
        page.click("[data-promote=yes]");
    }
    page.until(&format!("document.querySelector('#board').dataset.node !== '{before}'"), "the turn is shown");
}

/// Plays until the game is over, or the person has made a number of turns; returns the state then.
fn play(page: &mut Browser, most: usize) -> Value {
    for _ in 0..most {
        let start = Instant::now();
        let shown = loop {
            let shown = state(page);
            let seat = shown["side"].as_u64().unwrap() as usize;
            if !shown["over"].is_null() {
                return shown;
            }
            if shown["seats"][seat]["kind"] == "person" && shown["node"] == shown["live"] {
                break shown;
            }
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "the engine does not answer: {}",
                shown["live"]
            );
            std::thread::sleep(Duration::from_millis(30));
        };
        turn_by_clicks(page, &shown);
    }
    state(page)
}

#[test]
#[ignore = "needs the engine as WebAssembly: .ci/page --static"]
fn an_exported_page_plays_teaches_reviews_and_works_without_its_server() {
    let folder = tempfile::tempdir().unwrap();
    // The page may lie anywhere below the root of its server.
    let site = folder.path().join("board");
    export(&site, &[]);
    let bytes = weight(&site);
    let engine = std::fs::metadata(site.join("kaeshi-play.wasm")).unwrap().len();
    println!("weight: {} bytes of page, {engine} of engine", bytes - engine);
    assert!(bytes - engine < MOST_BYTES);
    let mut server = FileServer::start(folder.path());
    let address = format!("{}board/", server.address);
    let mut page = Browser::start(1366, 768);

    let start = Instant::now();
    page.call("Page.navigate", json!({ "url": address }));
    page.until("document.querySelector('#board svg [data-square]')", "the first board");
    println!("first board after {} ms", start.elapsed().as_millis());
    page.until(READY, "the page is ready");
    page.until("navigator.serviceWorker.ready.then(() => true)", "the page is kept for later");

    for (game, turns) in [("shogi", 6), ("sygo", 4), ("reversi", 40)] {
        new_game(&mut page, game);
        let start = Instant::now();
        let end = play(&mut page, turns);
        println!("{game}: {} turns in {} ms", end["live"], start.elapsed().as_millis());
        if end["over"].is_null() {
            page.click("#do-resign");
            page.until("document.querySelector('#status').dataset.over === 'Resign'", "the game is over");
        } else {
            assert_eq!(game, "reversi");
        }
    }

    // A review of the game of Reversi, its record, and the same record opened again.
    page.click("#do-review");
    let start = Instant::now();
    while !state(&mut page)["review"]["sides"].is_array() {
        assert!(start.elapsed() < Duration::from_secs(180), "the review does not end");
        std::thread::sleep(Duration::from_millis(200));
    }
    let record = asked(&mut page, "/record/ggf", None);
    assert!(record.contains("GM[Othello]"), "{record}");
    page.click("#do-files");
    page.value(&format!("document.querySelector('#paste').value = {}", json!(record)));
    page.click("#load");
    page.until("!document.querySelector('#files')", "the record is opened");
    assert_eq!(state(&mut page)["mode"], "study");

    new_game(&mut page, "sygo");
    page.click("#do-course");
    page.until("!document.querySelector('#course').hidden", "the course begins");
    assert_eq!(course_steps(&mut page), 13, "positions of the course");

    // Every game is in the list, and each goes on after a reload without the server.
    new_game(&mut page, "shogi");
    let before = play(&mut page, 2);
    page.until("document.querySelector('#status')", "the page is there");
    server.stop();
    page.call("Page.reload", json!({}));
    page.until(READY, "the page is ready without its server");
    let after = state(&mut page);
    assert_eq!((&after["room"], &after["game"]), (&before["room"], &json!("shogi")));
    assert!(after["live"].as_u64() >= before["live"].as_u64());
    play(&mut page, 2);
    page.click("#do-games");
    page.until("document.querySelectorAll('#game-list li').length >= 4", "the games are listed");
    page.value("document.querySelectorAll('dialog').forEach((dialog) => dialog.close())");
    page.click("#do-help");
    page.until("document.querySelector('#help')", "the rules are there");
    page.value("document.querySelectorAll('dialog').forEach((dialog) => dialog.close())");

    page.value("localStorage.setItem('kaeshi-likes', '{\"language\":\"ja\"}')");
    page.call("Page.reload", json!({}));
    page.until(READY, "the page is ready in Japanese");
    let language = page.value("document.documentElement.lang");
    assert_eq!(language, "ja", "this test needs a Japanese font: apt-get install fonts-ipaexfont-mincho");
    assert_eq!(page.value("document.querySelector('#do-new').textContent"), "新しい対局");
    assert_eq!(page.errors, Vec::<String>::new());
}

/// Bytes of all files in a folder.
fn weight(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| match entry.file_type().unwrap().is_dir() {
            true => weight(&entry.path()),
            false => entry.metadata().unwrap().len(),
        })
        .sum()
}
