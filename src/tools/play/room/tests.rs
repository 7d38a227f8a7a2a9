use super::*;
use serde_json::{Value, json};

fn seats(kinds: [&str; 2]) -> Value {
    json!(kinds.map(|kind| json!({ "kind": kind, "level": 1, "name": "" })))
}

fn room(game: &str, kinds: [&str; 2], position: Option<&str>) -> Door {
    let game = json!({ "game": game, "seats": seats(kinds), "clock": null, "position": position, "size": 5 });
    let game: NewGame = serde_json::from_value(game).unwrap();
    Room::new("room".into(), &game, 1, None).unwrap().open()
}

fn ask(door: &Door, wish: Value) -> Result<Value, Reason> {
    let asked: Asked = serde_json::from_value(wish).unwrap();
    let state = door.ask(|answer| Message::Asked(asked, answer)).expect("the room lives")?;
    Ok(serde_json::from_str(&state).unwrap())
}

fn turn(door: &Door, text: &str) -> Result<Value, Reason> {
    ask(door, json!({ "op": "turn", "turn": text }))
}

#[test]
fn legal_turns_are_made_taken_back_and_ended() {
    let door = room("shogi", ["person", "person"], None);
    let state = turn(&door, "7g7f").unwrap();
    assert_eq!((state["node"].as_u64(), state["side"].as_u64()), (Some(1), Some(1)));
    assert_eq!(state["last"], json!(["7g", "7f"]));
    assert_eq!(turn(&door, "7g7f").unwrap_err().code, "illegal");
    turn(&door, "3c3d").unwrap();
    let back = ask(&door, json!({ "op": "take-back" })).unwrap();
    assert_eq!((back["live"].as_u64(), back["nodes"].as_array().unwrap().len()), (Some(1), 2));
    let stale = ask(&door, json!({ "op": "turn", "turn": "3c3d", "node": 0 }));
    assert_eq!(stale.unwrap_err().code, "illegal", "a click on an earlier board");
    let over = ask(&door, json!({ "op": "resign" })).unwrap();
    assert_eq!((over["over"]["winner"].as_u64(), over["over"]["cause"].as_str()), (Some(0), Some("Resign")));
    assert_eq!(turn(&door, "3c3d").unwrap_err().code, "over");
}

#[test]
fn a_side_that_cannot_move_passes_by_itself() {
    // White has one disc, and after b1 none that could be turned.
    let position = "-OX-----".to_owned() + &"-".repeat(40) + "XO------" + "--------" + " X";
    let door = room("reversi", ["person", "person"], Some(&position));
    let state = turn(&door, "a1").unwrap();
    assert_eq!(state["side"], 0, "{state}");
    assert_eq!(
        (state["note"]["code"].as_str(), state["nodes"][2]["t"].as_str()),
        (Some("passed-for"), Some("pass"))
    );
}

#[test]
fn a_growth_is_put_together_stone_by_stone() {
    let door = room("sygo", ["person", "person"], Some("5/5/1w1w1/5/2b2 w g 0 5"));
    let stone = |point: &str| ask(&door, json!({ "op": "stone", "point": point }));
    let state = stone("b4").unwrap();
    assert_eq!((state["draft"]["grown"].as_u64(), state["node"].as_u64()), (Some(1), Some(0)));
    assert_eq!(stone("c3").unwrap_err().code, "same-group");
    stone("d4").unwrap();
    let one = ask(&door, json!({ "op": "unstone" })).unwrap();
    assert_eq!(one["draft"]["stones"], json!(["b4"]));
    stone("d2").unwrap();
    let done = ask(&door, json!({ "op": "done" })).unwrap();
    assert_eq!((done["nodes"][1]["t"].as_str(), done["side"].as_u64()), (Some("+b4,d2"), Some(1)));
}

#[test]
fn the_engine_answers_only_while_somebody_listens() {
    let door = room("reversi", ["person", "engine"], None);
    let state = turn(&door, "f5").unwrap();
    assert_eq!((state["thinking"].as_bool(), state["side"].as_u64()), (Some(false), Some(1)));
    let (listener, events) = listening();
    door.send(Message::Listen(listener));
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
    let door = room("shogi", ["person", "person"], None);
    for text in ["7g7f", "3c3d", "8h2b+"] {
        turn(&door, text).unwrap();
    }
    ask(&door, json!({ "op": "go", "to": 1 })).unwrap();
    let state = ask(&door, json!({ "op": "pause" })).unwrap();
    let kept = json!({
        "game": state["game"], "start": state["start"], "handicap": state["handicap"], "nodes": state["nodes"],
        "node": state["node"], "live": state["live"], "seats": state["seats"], "clock": state["clock"],
        "clocks": state["clocks"], "mode": state["mode"], "resigned": null, "settings": state["settings"],
    });
    let room =
        Room::restored("other".into(), serde_json::from_value(kept.clone()).unwrap(), 1, None).unwrap();
    let again = ask(&room.open(), json!({ "op": "look" })).unwrap();
    assert_eq!((&again["node"], &again["live"]), (&json!(1), &json!(3)));
    assert_eq!(again["nodes"], state["nodes"]);
    let mut wrong = kept;
    wrong["nodes"][2]["t"] = json!("5a5i");
    assert!(Room::restored("x".into(), serde_json::from_value(wrong).unwrap(), 1, None).is_err());
}

#[test]
fn positions_and_records_are_loaded_to_be_studied() {
    let door = room("shogi", ["person", "engine"], None);
    let load = |text: &str| door.ask(|answer| Message::Load(text.as_bytes().to_vec(), answer)).unwrap();
    let state: Value = serde_json::from_str(&load("position startpos moves 7g7f 3c3d").unwrap()).unwrap();
    assert_eq!((state["mode"].as_str(), state["node"].as_u64()), (Some("study"), Some(2)));
    let tried = ask(&door, json!({ "op": "go", "to": 1 })).and_then(|_| turn(&door, "8c8d")).unwrap();
    assert_eq!(tried["nodes"].as_array().unwrap().len(), 4, "a variation");
    assert!(load("nonsense <b>").is_err());
    let state: Value = serde_json::from_str(&load("f5d6c3").unwrap()).unwrap();
    assert_eq!(state["game"], "reversi");
}

#[test]
fn time_runs_out() {
    let game = json!({
        "game": "shogi", "seats": seats(["person", "person"]),
        "clock": { "minutes": 0.001, "byoyomi": 0.0, "increment": 0.0 },
    });
    let room = Room::new("room".into(), &serde_json::from_value(game).unwrap(), 1, None).unwrap();
    let door = room.open();
    let (listener, events) = listening();
    door.send(Message::Listen(listener));
    loop {
        let (_, state) = events.recv_timeout(Duration::from_secs(20)).expect("the end");
        let state: Value = serde_json::from_str(&state).unwrap();
        if state["over"]["cause"] == "Time" {
            assert_eq!(state["over"]["winner"], 1);
            return;
        }
    }
}
