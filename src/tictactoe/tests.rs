//! The house with a game that it does not know: records, referee, command line.

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::Cli;
use crate::game::{Cause, Side};
use crate::games::GameName;
use crate::records;
use crate::referee::rules_by_name;

const GAME: GameName = GameName::TicTacToe;

/// What a person types, without the name of the program.
fn kaeshi(words: &[&str]) -> anyhow::Result<ExitCode> {
    Cli::try_parse_from([&["kaeshi"], words].concat())?.run()
}

#[test]
fn the_referee_knows_its_rules() {
    let rules = rules_by_name("TicTacToe").expect("a game");
    let mut board = rules.board(None).expect("the start");
    for turn in ["a3", "b2", "b3", "a2"] {
        assert_eq!(board.play(turn).as_deref(), Ok(turn));
    }
    assert!(board.play("b2").is_err_and(|reason| reason.0 == "b2 is taken"));
    assert!(board.outcome().is_none());
    board.play("c3").expect("the third in the row");
    let outcome = board.outcome().expect("the end");
    assert_eq!((outcome.winner, outcome.cause), (Some(Side::First), Cause::Mate));
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
