//! The whole program with a game that it does not know: match, analysis, pages, records, referee.

use std::io::{BufRead as _, stdin};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser as _;

use kaeshi::cli::Cli;
use kaeshi_core::game::{Side, TerminalCause};
use kaeshi_engine::games::GameName;
use kaeshi_match::tournament::journal::Journal;
use kaeshi_match::tournament::journal::load::load;
use kaeshi_records as records;
use kaeshi_records::RecordFormat;
use kaeshi_records::referee::ending::EndCause;
use kaeshi_records::referee::rules_by_name;

const GAME: GameName = GameName::TicTacToe;

/// Runs a command line without the name of the program.
fn kaeshi(words: &[&str]) -> anyhow::Result<ExitCode> {
    Cli::try_parse_from([&["kaeshi"], words].concat())?.run()
}

/// The engine of the matches below: this program once more.
#[test]
#[ignore = "speaks UGI over stdin and stdout; the tests below start it"]
fn engine() {
    kaeshi(&["--game", GAME.name()]).expect("a session");
}

/// An engine that wants every time the same cell.
#[test]
#[ignore = "speaks UGI over stdin and stdout; the tests below start it"]
fn cheat() {
    use std::io::Write as _;
    for line in stdin().lock().lines() {
        let answer = match line.expect("text").split(' ').next().unwrap_or_default() {
            "ugi" => "id name cheat\nugiok\n",
            "isready" => "readyok\n",
            "go" => "bestmove b2\n",
            "quit" => return,
            _ => continue,
        };
        std::io::stdout().write_all(answer.as_bytes()).expect("the runner listens");
    }
}

/// The words of an engine that is one of the tests above.
fn player(name: &str, test: &str) -> [String; 4] {
    let program = std::env::current_exe().expect("this program");
    [
        "--engine".to_owned(),
        format!("name={name}"),
        format!("cmd={}", program.display()),
        format!(
            "args=--exact {}{test} --ignored --test-threads 2",
            module_path!().split_once("::").map_or(String::new(), |(_, path)| format!("{path}::"))
        ),
    ]
}

fn play(out: &Path, second: &str) -> Journal {
    let mut words =
        ["match", "--game", GAME.name(), "--games", "4", "--depth", "9", "--out"].map(String::from).to_vec();
    words.push(out.display().to_string());
    words.extend(player("one", "engine"));
    words.extend(player("two", second));
    kaeshi(&words.iter().map(String::as_str).collect::<Vec<_>>()).expect("a match");
    load(&out.join("journal.jsonl")).expect("a journal")
}

#[test]
#[ignore = "starts engines, and a fork may hold the lock of another test's journal: run alone by .ci/run"]
fn it_is_played_and_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let text = |name: &str| at(name).display().to_string();
    let journal = play(&at("match"), "engine");
    assert_eq!(journal.games.len(), 4);
    for played in &journal.games {
        assert_eq!((played.game.cause, played.game.result.winner()), (EndCause::NoMoves, None));
    }

    kaeshi(&[
        "match",
        "stats",
        &text("match"),
        "--records",
        &text("records"),
        "--report",
        &text("match.html"),
    ])
    .expect("what the journal amounts to");
    let games = records::read(&std::fs::read(at("records/games.ugi")).expect("records"), Some(GAME));
    assert_eq!(games.len(), 4);
    for (played, record) in journal.games.iter().zip(&games) {
        let record = record.as_ref().expect("a record");
        assert_eq!((record.game, record.form), (GAME, RecordFormat::Line));
        assert_eq!(record.players, [&played.game.first, &played.game.second].map(String::clone));
        let moves: Vec<&str> = played.moves.iter().map(|one| one.m.as_str()).collect();
        let turns: Vec<&str> = record.plies.iter().map(|ply| ply.turn.as_str()).collect();
        assert_eq!(turns, moves);
    }

    has_its_board(&at("match.html"));
}

/// Whether a page draws this game.
fn has_its_board(page: &Path) {
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains(&format!("\"game\":\"{}\"", GAME.name())), "the board has its game");
    assert!(page.contains("Cross") && page.contains("Nought"), "the players have their colours");
}

#[test]
#[ignore = "takes the process's signals, as other tests do: run alone by .ci/run"]
fn it_is_analysed_and_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(text("game.txt"), "1. b2 2. a3 3. c1 4. b3\n").expect("a file");
    let words = ["analyse", &text("game.txt"), "--game", GAME.name(), "--depth", "9", "--turns", "all"];
    let output = ["-o", &text("lines.jsonl"), "--report", &text("analysis.html")];
    kaeshi(&[&words[..], &output[..]].concat()).expect("an analysis");
    let lines = std::fs::read_to_string(text("lines.jsonl")).expect("lines");
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.len() >= 4, "every position of the game counts: {}", lines.len());
    for line in &lines {
        assert_eq!((line["game"].as_str(), line["best"].is_string()), (Some(GAME.name()), true), "{line}");
    }
    has_its_board(&folder.path().join("analysis.html"));
}

#[test]
#[ignore = "starts engines, and a fork may hold the lock of another test's journal: run alone by .ci/run"]
fn an_illegal_turn_loses() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = play(&folder.path().join("match"), "cheat");
    assert_eq!(journal.games.len(), 4);
    for played in &journal.games {
        let winner = played.game.result.winner().map(|side| played.game.name(side));
        assert_eq!((played.game.cause, winner), (EndCause::Illegal, Some("one")), "{}", played.game.detail);
    }
}

#[test]
fn the_referee_knows_its_rules() {
    let rules = rules_by_name("TicTacToe").expect("a game");
    let mut board = rules.board(None).expect("the start");
    for turn in ["a3", "b2", "b3", "a2"] {
        assert_eq!(board.play(turn).as_deref(), Ok(turn));
    }
    assert!(board.play("b2").is_err_and(|reason| reason.reason() == "b2 is taken"));
    assert!(board.outcome().is_none());
    board.play("c3").expect("the third in the row");
    let outcome = board.outcome().expect("the end");
    assert_eq!((outcome.winner, outcome.cause), (Some(Side::First), TerminalCause::Mate));
    assert!(board.play("c1").is_err() && board.turns().is_empty());
    assert_eq!(board.text(), "xxx/oo1/111 o");
    let picture = board.picture();
    assert_eq!((picture.names[2].as_str(), picture.cells[2].map(|man| man.side)), ("c3", Some(Side::First)));
    assert!(rules.board_of_size(4).is_err());
}

#[test]
fn its_positions_and_turns_are_recognised() {
    let read = |text: &str, game| records::read(text.as_bytes(), game).remove(0);
    let known = read("3/1x1/3 o", None).expect("only this game has three rows");
    assert_eq!((known.game, &*known.start), (GAME, "fen 3/1x1/3 o"));
    let list = read("1. b2 2. a3 3. c1", Some(GAME)).expect("turns of the stated game");
    assert_eq!((list.game, list.plies.len()), (GAME, 3));
}

#[test]
fn what_it_does_not_offer_is_refused_by_name() {
    let refused = kaeshi(&["selfplay", "--game", GAME.name(), "--out", "nowhere"]).expect_err("no self-play");
    assert!(refused.to_string().contains("invalid value 'tictactoe'"), "{refused}");
}
