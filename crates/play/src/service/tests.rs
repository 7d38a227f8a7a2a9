use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::library::Library;
use crate::record_file::RecordFile;
use crate::room::tests::saved_game;
use serde_json::{Value, json};

fn service(record: Option<&Path>, games: &Path) -> PlayService {
    let means = Means {
        threads: 1,
        record: record.map(|path| RecordFile::new(path, None)),
        library: Arc::new(Library::open(games).unwrap()),
        ..Means::default()
    };
    PlayService::new(Begin { game: NewGame::usual(GameName::Shogi, 1), asked: true, loaded: None, means })
}

fn post(service: &PlayService, path: &str, body: &Value) -> (u16, Value) {
    let response = service.respond(&HttpRequest {
        method: "POST".into(),
        path: path.into(),
        headers: vec![("content-type".into(), "application/json".into())],
        body: body.to_string().into_bytes(),
        ..HttpRequest::default()
    });
    (response.status, serde_json::from_slice(&response.body).unwrap())
}

/// The address of the room in this state.
fn address(state: &Value) -> String {
    format!("/api/room/{}", state["room"].as_str().unwrap())
}

#[test]
fn a_new_game_takes_the_record_only_if_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("game.usi");
    let service = service(Some(&record), &folder.path().join("games"));
    let (_, first) = post(&service, "/api/open", &json!({}));
    let seats = json!([{ "kind": "person", "level": 1 }, { "kind": "person", "level": 1 }]);
    let mut new = json!({ "op": "new", "game": "shogi", "seats": seats });
    new["clock"] = json!({ "minutes": 0.0, "byoyomi": 0.0, "increment": 0.0 });
    assert_eq!(post(&service, &address(&first), &new).0, 422, "no time at all");
    let shown = record.display().to_string();
    let (_, again) = post(&service, &address(&first), &json!({ "op": "look" }));
    assert_eq!(again["record"], json!(shown), "the game before has it still");
    new["clock"] = Value::Null;
    let (_, second) = post(&service, &address(&first), &new);
    assert_eq!(second["record"], json!(shown));
    assert_eq!(post(&service, &address(&first), &json!({ "op": "look" })).1["record"], Value::Null);
    let turn = json!({ "op": "turn", "turn": "7g7f" });
    assert_eq!(post(&service, &address(&second), &turn).0, 200);
    assert!(std::fs::read_to_string(&record).unwrap().contains("7g7f"));
    // The room is closed after half an hour without a page.
    service.rooms.lock().doors.clear();
    let (_, reopened) = post(&service, "/api/open", &json!({ "room": second["room"] }));
    assert_eq!((&reopened["record"], &reopened["live"]), (&json!(shown), &json!(1)));
    let turn = json!({ "op": "turn", "turn": "3c3d" });
    assert_eq!(post(&service, &address(&second), &turn).0, 200);
    assert!(std::fs::read_to_string(&record).unwrap().contains("7g7f 3c3d"));
    let (_, third) = post(&service, &address(&second), &new);
    assert_eq!(third["record"], Value::Null, "a game with turns keeps its file");
}

#[test]
fn no_other_game_takes_the_place_of_one_that_was_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(None, folder.path());
    let mut saved = saved_game("shogi", &["7g7f"]);
    saved.start = "sfen x".into();
    let id = new_id();
    service.begin.means.library.file(&id).unwrap().write(&saved).unwrap();
    for chosen in [id, new_id()] {
        let (status, refused) = post(&service, "/api/open", &json!({ "room": chosen, "chosen": true }));
        assert_eq!((status, &refused["code"]), (422, &json!("bad-game")), "{refused}");
        assert_eq!(post(&service, "/api/open", &json!({ "room": chosen })).0, 200, "a tab gets another one");
    }
}

#[test]
fn a_game_that_another_program_changed_is_deleted_alone() {
    let folder = tempfile::tempdir().unwrap();
    let services = [(); 2].map(|()| service(None, folder.path()));
    let plies = |service: &PlayService| {
        let answer = service.respond(&HttpRequest {
            method: "GET".into(),
            path: "/api/games".into(),
            ..HttpRequest::default()
        });
        let list: Value = serde_json::from_slice(&answer.body).unwrap();
        let games = list["games"].as_array().unwrap().clone();
        games
            .into_iter()
            .map(|game| (game["plies"].as_u64().unwrap(), game["id"].clone()))
            .collect::<Vec<_>>()
    };
    let turn = |service: &PlayService, state: &Value, turn: &str| {
        post(service, &address(state), &json!({ "op": "turn", "turn": turn })).0
    };
    let seats = json!([{ "kind": "person", "level": 1 }, { "kind": "person", "level": 1 }]);
    let (_, first) = post(&services[0], "/api/open", &json!({}));
    let new = json!({ "op": "new", "game": "reversi", "seats": seats, "clock": null });
    let (_, state) = post(&services[0], &address(&first), &new);
    assert_eq!(turn(&services[0], &state, "f5"), 200);
    assert_eq!(post(&services[1], "/api/open", &json!({ "room": state["room"] })).0, 200);
    for (service, text) in [(&services[1], "d6"), (&services[1], "c3"), (&services[0], "f6")] {
        assert_eq!(turn(service, &state, text), 200);
    }
    let [(_, ours), (3, theirs)] = &plies(&services[0])[..] else { panic!("both are kept") };
    assert_eq!(*theirs, state["room"]);
    let path = format!("/api/games/{}", theirs.as_str().unwrap());
    assert_eq!(post(&services[0], &path, &json!({ "op": "delete" })).0, 200);
    assert_eq!(turn(&services[0], &state, "d6"), 422, "the room goes on");
    assert_eq!(turn(&services[0], &state, "e6"), 200, "the room goes on");
    assert_eq!(plies(&services[0]), [(3, ours.clone())]);
}

#[test]
fn what_cannot_be_read_opens_no_game() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(None, folder.path());
    for wrong in [json!({ "room": 5 }), json!({ "chosen": "yes" }), json!("x"), Value::Null] {
        assert_eq!(post(&service, "/api/open", &wrong).0, 400, "{wrong}");
    }
    assert!(service.rooms.lock().doors.is_empty());
}
