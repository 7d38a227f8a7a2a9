use super::*;
use crate::saved::Saved;
use kaeshi_core::driver::event::{Best, EngineEvent};
use kaeshi_records::{RecordFormat, RecordPly, RecordVariation};
use serde_json::{Value, json};

fn seats(kinds: [&str; 2]) -> Value {
    json!(kinds.map(|kind| json!({ "kind": kind, "level": 1, "name": "" })))
}

fn room(game: &str, kinds: [&str; 2], position: Option<&str>) -> RoomHandle {
    let game = json!({ "game": game, "seats": seats(kinds), "clock": null, "position": position, "size": 5 });
    let game: NewGame = serde_json::from_value(game).unwrap();
    Room::new("room".into(), &game, means()).unwrap().open().unwrap()
}

fn means() -> Means {
    Means { threads: 1, ..Means::default() }
}

/// A game of these turns, as it is kept.
pub(crate) fn saved_game(game: &str, turns: &[&str]) -> Saved {
    let game = json!({ "game": game, "seats": seats(["person", "person"]), "clock": null, "position": null });
    let mut room = Room::new("saved".into(), &serde_json::from_value(game).unwrap(), means()).unwrap();
    for turn in turns {
        room.handle_request(RoomEnvelope::now(RoomRequest::Turn { turn: (*turn).to_owned() })).unwrap();
    }
    room.saved()
}

fn ask(handle: &RoomHandle, request: Value) -> Result<Value, Reason> {
    let asked: RoomEnvelope = serde_json::from_value(request).unwrap();
    let state = handle.ask(|answer| RoomMessage::Asked(asked, answer)).expect("the room lives")?;
    Ok(serde_json::from_str(&state).unwrap())
}

fn turn(handle: &RoomHandle, text: &str) -> Result<Value, Reason> {
    ask(handle, json!({ "op": "turn", "turn": text }))
}

#[test]
fn legal_turns_are_made_taken_back_and_ended() {
    let handle = room("shogi", ["person", "person"], None);
    let state = turn(&handle, "7g7f").unwrap();
    assert_eq!((state["node"].as_u64(), state["side"].as_u64()), (Some(1), Some(1)));
    assert_eq!(state["last"], json!(["7g", "7f"]));
    assert_eq!(turn(&handle, "7g7f").unwrap_err().code, "illegal");
    turn(&handle, "3c3d").unwrap();
    let back = ask(&handle, json!({ "op": "take-back" })).unwrap();
    assert_eq!((back["live"].as_u64(), back["nodes"].as_array().unwrap().len()), (Some(1), 2));
    let stale = ask(&handle, json!({ "op": "turn", "turn": "3c3d", "node": 0 }));
    assert_eq!(stale.unwrap_err().code, "illegal", "a click on an earlier board");
    let over = ask(&handle, json!({ "op": "resign" })).unwrap();
    assert_eq!((over["over"]["winner"].as_u64(), over["over"]["cause"].as_str()), (Some(0), Some("Resign")));
    assert_eq!(turn(&handle, "3c3d").unwrap_err().code, "over");
}

#[test]
fn a_side_that_cannot_move_passes_by_itself() {
    // White has one disc, and after b1 none that could be turned.
    let position = "-OX-----".to_owned() + &"-".repeat(40) + "XO------" + "--------" + " X";
    let handle = room("reversi", ["person", "person"], Some(&position));
    let state = turn(&handle, "a1").unwrap();
    assert_eq!(state["side"], 0, "{state}");
    assert_eq!(
        (state["note"]["code"].as_str(), state["nodes"][2]["t"].as_str()),
        (Some("passed-for"), Some("pass"))
    );
}

#[test]
fn a_growth_is_put_together_stone_by_stone() {
    let handle = room("sygo", ["person", "person"], Some("5/5/1w1w1/5/2b2 w g 0 5"));
    let stone = |point: &str| ask(&handle, json!({ "op": "stone", "point": point }));
    let state = stone("b4").unwrap();
    assert_eq!((state["draft"]["grown"].as_u64(), state["node"].as_u64()), (Some(1), Some(0)));
    assert_eq!(stone("c3").unwrap_err().code, "same-group");
    stone("d4").unwrap();
    let one = ask(&handle, json!({ "op": "unstone" })).unwrap();
    assert_eq!(one["draft"]["stones"], json!(["b4"]));
    stone("d2").unwrap();
    let done = ask(&handle, json!({ "op": "done" })).unwrap();
    assert_eq!((done["nodes"][1]["t"].as_str(), done["side"].as_u64()), (Some("+b4,d2"), Some(1)));
}

#[test]
fn the_engine_answers_only_while_somebody_listens() {
    let handle = room("reversi", ["person", "engine"], None);
    let state = turn(&handle, "f5").unwrap();
    assert_eq!((state["thinking"].as_bool(), state["side"].as_u64()), (Some(false), Some(1)));
    let (listener, events) = listening();
    handle.send(RoomMessage::Listen(listener));
    loop {
        let (_, state) = events.recv_timeout(Duration::from_secs(60)).expect("the engine's turn");
        let state: Value = serde_json::from_str(&state).unwrap();
        if state["side"] == 0 {
            assert_eq!(state["live"], 2);
            return;
        }
    }
}

#[test]
fn a_kept_game_goes_on_where_it_stood() {
    let folder = tempfile::tempdir().unwrap();
    let means = Means { library: Arc::new(Library::open(folder.path()).unwrap()), ..means() };
    let id = crate::library::new_id();
    let game = json!({
        "game": "shogi", "seats": seats(["person", "person"]), "position": null,
        "clock": { "minutes": 5.0, "byoyomi": 10.0, "increment": 0.0 },
    });
    let handle =
        Room::new(id.clone(), &serde_json::from_value(game).unwrap(), means.clone()).unwrap().open().unwrap();
    assert!(means.library.list().games.is_empty(), "a game without turns is not worth keeping");
    for text in ["7g7f", "3c3d", "8h2b+"] {
        turn(&handle, text).unwrap();
    }
    ask(&handle, json!({ "op": "comment", "text": "a <b>\nc" })).unwrap();
    ask(&handle, json!({ "op": "go", "to": 1 })).unwrap();
    let state = ask(&handle, json!({ "op": "pause" })).unwrap();
    assert_eq!(state["nodes"][3]["c"], "a <b>\nc");
    let (_, saved) = means.library.read(&id).expect("the game is on disk");
    let mut wrong = saved.clone();
    let room = Room::restored(id.clone(), saved, means.clone()).unwrap();
    let again = ask(&room.open().unwrap(), json!({ "op": "look" })).unwrap();
    assert_eq!((&again["node"], &again["live"]), (&json!(1), &json!(3)));
    assert_eq!((&again["nodes"], &again["paused"]), (&state["nodes"], &json!(true)));
    assert_eq!(again["clock"], state["clock"]);
    wrong.nodes[2].t = "5a5i".into();
    assert!(Room::restored("x".into(), wrong, means.clone()).is_err());
    assert!(handle.ask(|answer| RoomMessage::Discard(id, answer)).unwrap());
    assert!(means.library.list().games.is_empty());
}

#[test]
fn a_resignation_is_kept_and_other_turns_can_be_tried_out_after_it() {
    let mut saved = saved_game("shogi", &["7g7f", "3c3d"]);
    saved.nodes[2].e = Some(GameOver { winner: Some(1), cause: "Resign".into(), margin: 0 });
    saved.summary.mode = Mode::Study;
    let handle = Room::restored("x".into(), saved, means()).unwrap().open().unwrap();
    assert_eq!(ask(&handle, json!({ "op": "look" })).unwrap()["over"]["cause"], "Resign");
    let tried = turn(&handle, "8h2b+").unwrap();
    assert_eq!((&tried["over"], tried["nodes"].as_array().unwrap().len()), (&Value::Null, 4));
}

#[test]
fn a_line_that_cannot_be_tried_out_to_its_end_changes_nothing() {
    let handle = room("reversi", ["person", "person"], None);
    turn(&handle, "f5").unwrap();
    ask(&handle, json!({ "op": "resign" })).unwrap();
    let refused = ask(&handle, json!({ "op": "try", "turns": ["d6", "a1"] }));
    assert_eq!(refused.unwrap_err().code, "illegal");
    let state = ask(&handle, json!({ "op": "look" })).unwrap();
    assert_eq!((&state["mode"], &state["node"]), (&json!("play"), &json!(1)));
    assert_eq!(state["nodes"].as_array().unwrap().len(), 2);
    let tried = ask(&handle, json!({ "op": "try", "turns": ["d6", "c3"] })).unwrap();
    assert_eq!((&tried["mode"], &tried["node"]), (&json!("study"), &json!(3)));
}

#[test]
fn a_game_does_not_go_back_to_an_earlier_turn_that_is_shown() {
    let handle = room("reversi", ["person", "person"], None);
    for text in ["f5", "d6", "c3"] {
        turn(&handle, text).unwrap();
    }
    ask(&handle, json!({ "op": "go", "to": 1 })).unwrap();
    for op in ["main-line", "delete"] {
        assert_eq!(ask(&handle, json!({ "op": op })).unwrap_err().code, "illegal", "{op}");
    }
    let state = ask(&handle, json!({ "op": "look" })).unwrap();
    assert_eq!((&state["node"], &state["live"]), (&json!(1), &json!(3)));
}

/// The first game that a text holds.
fn load(text: &str) -> Result<Value, Reason> {
    match Room::load("room".into(), text.as_bytes(), GameName::Shogi, None, means())? {
        LoadedFile::Room(room) => ask(&room.open().unwrap(), json!({ "op": "look" })),
        LoadedFile::Games(games) => Ok(serde_json::to_value(games).unwrap()),
    }
}

#[test]
fn positions_and_records_are_loaded_to_be_studied() {
    let LoadedFile::Room(room) =
        Room::load("room".into(), b"position startpos moves 7g7f 3c3d", GameName::Shogi, None, means())
            .unwrap()
    else {
        panic!("one game")
    };
    let handle = room.open().unwrap();
    let state = ask(&handle, json!({ "op": "look" })).unwrap();
    assert_eq!((state["mode"].as_str(), state["node"].as_u64()), (Some("study"), Some(2)));
    let tried = ask(&handle, json!({ "op": "go", "to": 1 })).and_then(|_| turn(&handle, "8c8d")).unwrap();
    assert_eq!(tried["nodes"].as_array().unwrap().len(), 4, "a variation");
    for nonsense in ["nonsense <b>", "hello world", ""] {
        assert_eq!(load(nonsense).unwrap_err().code, "no-record", "{nonsense}");
    }
    assert_eq!(load("f5d6c3").unwrap()["game"], "reversi");
}

#[test]
fn comments_times_and_the_end_of_a_record_are_loaded() {
    let text = "手合割：平手\n棋戦：王座戦\n先手：a\n後手：b\n手数----指手----\n   1 ７六歩(77)   ( 0:12/00:00:12)\n*良い手\n\
                   2 ３四歩(33)   ( 0:03/00:00:03)\n   3 投了\n";
    let state = load(text).unwrap();
    assert_eq!((&state["nodes"][1]["c"], &state["nodes"][1]["u"]), (&json!("良い手"), &json!(12_000)));
    assert_eq!((&state["over"]["cause"], &state["over"]["winner"]), (&json!("Resign"), &json!(1)));
    let tags = state["tags"].as_array().unwrap();
    assert!(tags.contains(&json!(["棋戦", "王座戦"])), "{tags:?}");
}

#[test]
fn several_games_make_a_list() {
    let list = load("position startpos moves 7g7f 3c3d\nposition startpos moves 2g2f\n").unwrap();
    assert_eq!((&list[0]["plies"], &list[1]["pick"]), (&json!(2), &json!(1)));
    let picked = Room::load("x".into(), b"startpos moves 7g7f\nstartpos", GameName::Shogi, Some(1), means());
    assert!(matches!(picked, Ok(LoadedFile::Room(_))));
}

/// A position of shogi with these men: square and kind, small for the second side.
fn set_up(men: &[(usize, &str)]) -> Result<Room, Reason> {
    let mut cells = vec![Value::Null; 81];
    for &(index, kind) in men {
        let side = if kind.chars().all(char::is_lowercase) { "second" } else { "first" };
        cells[index] = json!({ "side": side, "kind": kind.to_ascii_uppercase() });
    }
    let setup = json!({ "cells": cells, "hands": [[], []], "side": 0 });
    Room::set_up("x".into(), GameName::Shogi, &serde_json::from_value(setup).unwrap(), means())
}

#[test]
fn a_position_that_is_none_is_refused() {
    let code = |men: &[(usize, &str)]| set_up(men).map(|_| ()).unwrap_err().code;
    assert_eq!(code(&[]), "setup-no-king");
    assert_eq!(code(&[(76, "K"), (40, "G")]), "setup-no-king");
    assert!(set_up(&[(4, "k"), (76, "K")]).is_ok());
    assert!(set_up(&[(4, "k"), (40, "G")]).is_ok(), "a problem needs no own king");
}

#[test]
fn a_game_goes_on_against_the_engine_from_any_position_and_keeps_its_turns() {
    let handle = room("shogi", ["person", "person"], None);
    for text in ["7g7f", "3c3d", "2g2f"] {
        turn(&handle, text).unwrap();
    }
    ask(&handle, json!({ "op": "go", "to": 2 })).unwrap();
    let request = json!({ "op": "continue", "seats": seats(["person", "engine"]), "clock": null });
    let state = ask(&handle, request).unwrap();
    assert_eq!((&state["live"], &state["mode"], &state["side"]), (&json!(2), &json!("play"), &json!(0)));
    let state = turn(&handle, "8h2b+").unwrap();
    assert_eq!((state["nodes"].as_array().unwrap().len(), &state["side"]), (5, &json!(1)));
}

#[test]
fn a_line_is_shown_without_changing_the_game() {
    let handle = room("reversi", ["person", "engine"], None);
    let turns = ["f5", "d6", "a1"].map(str::to_owned).to_vec();
    let frames = handle.ask(|answer| RoomMessage::Frames(0, turns, answer)).unwrap().unwrap();
    let frames: Vec<Value> = serde_json::from_str(&frames).unwrap();
    assert_eq!((frames.len(), &frames[1]["t"]), (2, &json!("d6")));
    assert_eq!(ask(&handle, json!({ "op": "look" })).unwrap()["nodes"].as_array().unwrap().len(), 1);
}

#[test]
fn time_runs_out_but_not_before_the_first_turn() {
    let game = json!({
        "game": "shogi", "seats": seats(["person", "person"]),
        "clock": { "minutes": 0.001, "byoyomi": 0.0, "increment": 0.0 },
    });
    let room = Room::new("room".into(), &serde_json::from_value(game).unwrap(), means()).unwrap();
    let handle = room.open().unwrap();
    let (listener, events) = listening();
    handle.send(RoomMessage::Listen(listener));
    assert!(events.recv_timeout(Duration::from_secs(20)).is_ok(), "the state comes at once");
    assert!(events.recv_timeout(Duration::from_millis(300)).is_err(), "no clock runs");
    turn(&handle, "7g7f").unwrap();
    loop {
        let (_, state) = events.recv_timeout(Duration::from_secs(20)).expect("the end");
        let state: Value = serde_json::from_str(&state).unwrap();
        if state["over"]["cause"] == "Time" {
            assert_eq!(state["over"]["winner"], 0);
            return;
        }
    }
}

/// The game anew, and its state.
fn replay(handle: &RoomHandle) -> Result<(RoomHandle, Value), Reason> {
    let fresh = handle
        .ask(|answer| RoomMessage::Replay("again".into(), answer))
        .expect("the room lives")?
        .open()
        .unwrap();
    let state = ask(&fresh, json!({ "op": "look" }))?;
    Ok((fresh, state))
}

const REPEATS: [&str; 12] =
    ["2h3h", "8b7b", "3h2h", "7b8b", "2h3h", "8b7b", "3h2h", "7b8b", "2h3h", "8b7b", "3h2h", "7b8b"];

/// A game of shogi between people with a clock; the second player's name is `two`.
fn timed(extra: Value) -> RoomHandle {
    let mut game = json!({
        "game": "shogi", "seats": seats(["person", "person"]),
        "clock": { "minutes": 10.0, "byoyomi": 5.0, "increment": 0.0 },
    });
    game["seats"][1]["name"] = json!("two");
    for (key, value) in extra.as_object().unwrap() {
        game[key] = value.clone();
    }
    Room::new("room".into(), &serde_json::from_value(game).unwrap(), means()).unwrap().open().unwrap()
}

#[test]
fn a_game_that_ended_by_repetition_is_replayed_with_colours_exchanged_and_the_time_that_is_left() {
    let handle = timed(json!({}));
    let (listener, _events) = listening();
    handle.send(RoomMessage::Listen(listener));
    assert_eq!(replay(&handle).map(|_| ()).unwrap_err().code, "not-replayed", "it has not ended");
    let mut state = Value::Null;
    for (number, text) in REPEATS.into_iter().enumerate() {
        assert_ne!(state["may"]["replay"], true);
        if number == 2 {
            std::thread::sleep(Duration::from_millis(400));
        }
        state = turn(&handle, text).unwrap();
    }
    assert_eq!((&state["over"]["cause"], &state["over"]["winner"]), (&json!("Repetition"), &Value::Null));
    assert_eq!(state["may"]["replay"], true);
    let left = [0, 1].map(|side| state["clocks"][side][0].as_u64().unwrap());
    assert!(left[0] + 50 < left[1] && left[1] <= 600_000, "Black thought longer: {left:?}");
    let (fresh, again) = replay(&handle).unwrap();
    assert_eq!((&again["seats"][0]["name"], &again["seats"][1]["name"]), (&json!("two"), &json!("")));
    assert_eq!((again["nodes"].as_array().unwrap().len(), &again["over"]), (1, &Value::Null));
    let carried = [0, 1].map(|side| again["clocks"][side][0].as_u64().unwrap());
    assert_eq!(carried[1], left[0], "each clock goes with its owner");
    assert!(carried[0] <= left[1] && carried[0] + 5_000 > left[1], "{carried:?} after {left:?}");
    assert_eq!(again["note"]["code"], "replayed");
    turn(&fresh, "7g7f").unwrap();
    let before = ask(&handle, json!({ "op": "look" })).unwrap();
    assert_eq!(before["nodes"].as_array().unwrap().len(), 13, "the game before stays");
}

#[test]
fn a_replayed_handicap_game_keeps_its_colours() {
    let handle = timed(json!({ "handicap": "rook", "clock": null }));
    // White, who gives the handicap, moves first; the taker has a rook to go to and fro.
    for text in ["5a5b", "2h3h", "5b5a", "3h2h"].repeat(3) {
        turn(&handle, text).unwrap();
    }
    let (_, again) = replay(&handle).unwrap();
    assert_eq!((&again["seats"][1]["name"], &again["handicap"]), (&json!("two"), &json!("rook")));
    assert_eq!((&again["side"], &again["clocks"]), (&json!(1), &Value::Null));
}

/// Both kings have entered, and each side has 27 points.
const ENTERED: &str = "sfen 4K4/9/4R4/9/9/9/4r4/9/4k4 b B2G2S2N2L9Pb2g2s2n2l9p 1";

#[test]
fn people_agree_on_an_impasse_and_the_points_decide() {
    for (rule, winner) in [(24, Value::Null), (27, json!(1))] {
        let handle = timed(json!({ "position": ENTERED, "impasse": rule }));
        let state = ask(&handle, json!({ "op": "look" })).unwrap();
        assert_eq!((&state["points"], &state["may"]["count"]), (&json!([27, 27]), &json!(true)));
        let over = ask(&handle, json!({ "op": "count" })).unwrap();
        assert_eq!((&over["over"]["cause"], &over["over"]["winner"]), (&json!("Impasse"), &winner));
        assert_eq!(over["note"]["values"], json!({ "first": "27", "second": "27" }));
        assert_eq!(over["may"]["replay"], winner.is_null(), "a drawn impasse is no result");
        let record = handle.ask(|answer| RoomMessage::Record("csa".into(), answer)).unwrap().unwrap().1;
        let record = String::from_utf8(record).unwrap();
        assert!(record.contains(if winner.is_null() { "%JISHOGI" } else { "%" }), "{record}");
    }
    let handle = timed(json!({ "position": null }));
    let state = ask(&handle, json!({ "op": "look" })).unwrap();
    assert_eq!((&state["points"], &state["may"]["count"]), (&Value::Null, &json!(false)));
    assert_eq!(ask(&handle, json!({ "op": "count" })).unwrap_err().code, "not-entered");
}

/// The first state for which `is_wanted` holds.
fn until(events: &Receiver<PageEvent>, is_wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let (name, state) = events.recv_timeout(Duration::from_secs(120)).expect("it happens");
        let state: Value = serde_json::from_str(&state).unwrap_or_default();
        if name == "state" && is_wanted(&state) {
            return state;
        }
    }
}

#[test]
fn an_engine_agrees_on_an_impasse_once_it_has_given_a_score_that_is_no_mate() {
    let handle = room("shogi", ["person", "engine"], Some("sfen 4K4/9/9/9/9/9/9/9/4k4 b Pp 1"));
    assert_eq!(ask(&handle, json!({ "op": "count" })).unwrap_err().code, "impasse-refused");
    let (listener, events) = listening();
    handle.send(RoomMessage::Listen(listener));
    turn(&handle, "5a4a").unwrap();
    until(&events, |state| state["side"] == 0 && state["nodes"].as_array().unwrap().len() == 3);
    let over = ask(&handle, json!({ "op": "count" })).unwrap();
    assert_eq!(over["over"]["cause"], "Impasse", "{over}");
}

#[test]
fn two_engines_agree_when_neither_sees_a_mate_for_ten_moves() {
    let begin = json!({ "game": "shogi", "seats": seats(["engine", "engine"]), "position": ENTERED });
    let mut room = Room::new("room".into(), &serde_json::from_value(begin).unwrap(), means()).unwrap();
    let black = "5a4a 4a3a 3a2a 2a1a 1a1b 1b2b 2b3b 3b4b 4b4a 4a3a 3a2a";
    let white = "5i6i 6i7i 7i8i 8i9i 9i9h 9h8h 8h7h 7h6h 6h6i 6i7i 7i8i";
    let turns = black.split(' ').zip(white.split(' ')).flat_map(|(black, white)| [black, white]);
    // The first turn comes with no score, so that the twenty that count are those after it.
    for (number, text) in turns.take(21).enumerate() {
        assert_eq!(room.over(room.live), None, "turn {number}");
        let score = (number > 0).then_some(Score::Cp(20));
        room.engine_plays(&PendingTurn { due: Instant::now(), turn: text.to_owned(), score });
    }
    assert_eq!(room.over(room.live).unwrap().cause, "Impasse");
}

#[test]
fn an_end_that_the_rules_do_not_see_is_kept_while_an_earlier_turn_is_shown() {
    let handle = timed(json!({ "position": ENTERED, "clock": null }));
    turn(&handle, "5a4a").unwrap();
    ask(&handle, json!({ "op": "count" })).unwrap();
    let state = ask(&handle, json!({ "op": "go", "to": 0 })).unwrap();
    assert_eq!((&state["over"], &state["nodes"][1]["e"]["cause"]), (&Value::Null, &json!("Impasse")));
}

/// More lines of three turns from the start of shogi than a game may have nodes.
fn many_lines() -> Vec<[String; 3]> {
    let mut tree = games::tree(GameName::Shogi, None, 9).unwrap();
    let turns = |tree: &dyn AnyGameTree, node| -> Vec<String> {
        tree.choices(node).into_iter().flat_map(|choice| choice.turns).collect()
    };
    let mut lines = Vec::new();
    for one in turns(&*tree, 0) {
        let first = tree.play(0, &one).unwrap();
        for two in turns(&*tree, first) {
            let second = tree.play(first, &two).unwrap();
            for three in turns(&*tree, second) {
                lines.push([one.clone(), two.clone(), three]);
            }
        }
    }
    lines.truncate(MAX_NODES + 1);
    lines
}

#[test]
fn a_game_that_an_engine_made_longer_than_a_person_may_is_opened_again() {
    let mut room = Room::restored("x".into(), saved_game("shogi", &[]), means()).unwrap();
    for line in many_lines() {
        line.iter().fold(0, |node, turn| room.tree.play(node, turn).unwrap());
    }
    let saved = room.saved();
    assert!(saved.nodes.len() > MAX_NODES);
    let turns = saved.nodes.len();
    assert_eq!(Room::restored("x".into(), saved, means()).unwrap().tree.plies().len(), turns);
}

#[test]
fn a_record_that_does_not_fit_is_refused_or_says_so() {
    let mut record = GameRecord::new(GameName::Shogi, RecordFormat::Kif, 0, "startpos");
    record.plies = vec![RecordPly::new("2h3h"); MAX_NODES + 1];
    let refused = Room::of_record("x".into(), record.clone(), means()).map(|_| ()).unwrap_err();
    assert_eq!(refused.code, "bad-record");
    assert!(refused.text.unwrap().contains("5001 turns"));
    record.plies = vec![RecordPly::new("7g7f")];
    let variation = |line: [String; 3]| RecordVariation {
        of: 0,
        after: 0,
        plies: line.iter().map(RecordPly::new).collect(),
    };
    record.variations = many_lines().into_iter().map(variation).collect();
    let room = Room::of_record("x".into(), record.clone(), means()).unwrap();
    assert_eq!(room.note.unwrap().code, "record-cut");
    record.variations.truncate(9);
    assert_eq!(Room::of_record("x".into(), record, means()).unwrap().note, None);
}

#[test]
fn what_a_damaged_file_says_is_kept_within_its_bounds() {
    let mut saved = saved_game("shogi", &["7g7f"]);
    saved.summary.handicap = "あ".repeat(20);
    saved.summary.title = "あ\n".repeat(500);
    saved.nodes[1].c = Some("あ\0".repeat(9_000));
    let most = u32::MAX;
    saved.settings = RoomSettings { threads: Some(most), thinking: Some(most), ..RoomSettings::default() };
    let room = Room::restored("x".into(), saved, means()).unwrap();
    assert_eq!((room.kept.handicap.as_str(), room.kept.title.chars().count()), ("none", 100));
    assert_eq!(room.tree.plies()[1].c.as_ref().unwrap().chars().count(), 4_000);
    assert_eq!(room.settings, room.settings.bounded(room.ranges()));
}

#[test]
fn a_game_that_could_not_be_written_is_written_with_the_next_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("later/game.usi");
    let means = Means { record: Some(RecordFile::new(&path, None)), ..means() };
    let game = json!({ "game": "shogi", "seats": seats(["person", "person"]) });
    let room = Room::new("room".into(), &serde_json::from_value(game).unwrap(), means).unwrap();
    let handle = room.open().unwrap();
    assert!(turn(&handle, "7g7f").unwrap()["unkept"].is_string());
    std::fs::create_dir(folder.path().join("later")).unwrap();
    let state = ask(&handle, json!({ "op": "go", "to": 0 })).unwrap();
    assert_eq!(state["unkept"], Value::Null, "{state}");
    assert!(std::fs::read_to_string(path).unwrap().contains("7g7f"));
}

#[test]
fn an_engine_that_could_not_search_does_not_resign() {
    let begin = json!({ "game": "shogi", "seats": seats(["engine", "person"]) });
    let mut room = Room::new("room".into(), &serde_json::from_value(begin).unwrap(), means()).unwrap();
    let (listener, _events) = listening();
    room.receive(RoomMessage::Listen(listener));
    assert!(room.engines.playing.is_some());
    room.handle_player_report(EngineEvent::Best(Best::None));
    assert_eq!((room.over(0), room.play.paused), (None, true));
    assert_eq!(room.note.as_ref().map(|note| note.code), Some("no-answer"));
    room.handle_request(RoomEnvelope::now(RoomRequest::Resume)).unwrap();
    assert!(room.engines.playing.is_some(), "it is asked again");
}
