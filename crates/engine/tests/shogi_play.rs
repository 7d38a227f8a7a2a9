//! The effect of shogi's options on play: draws, resignation, declarations, the book.

use std::time::Duration;

use crossbeam_channel::{Receiver, unbounded};
use kaeshi_core::driver::Controller;
use kaeshi_core::driver::clock::Limits;
use kaeshi_core::driver::event::{Best, EngineEvent, Info};
use kaeshi_core::game::score::Score;
use kaeshi_engine::games::GameName;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// Black wants one more move; White has a bare king far away.
const QUIET: &str = "4k4/9/9/9/9/9/9/9/4K3G";
/// White cannot hope for anything.
const LOST: &str = "4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 10";
const MAY_DECLARE: &str = "+P+P+P+P1+R+BK1/+N+N+L+L5/9/9/9/9/9/4k4/9 b R5P 1";

struct ShogiSession {
    engine: Box<dyn Controller>,
    events: Receiver<EngineEvent>,
}

impl ShogiSession {
    fn new(options: &[(&str, &str)]) -> ShogiSession {
        let (sender, events) = unbounded();
        let mut engine = GameName::Shogi.engine(sender).expect("an engine");
        for (name, value) in options {
            engine.set_option(name, value).expect("an option");
        }
        ShogiSession { engine, events }
    }

    /// The answer to a search of this position, the last line before it, and the remarks.
    fn ask(&mut self, position: &str, limits: Limits) -> (Best, Option<Info>, Vec<String>) {
        self.engine.set_position(position, &[]).expect("a position");
        self.engine.go(limits);
        let (mut last, mut remarks) = (None, Vec::new());
        loop {
            match self.events.recv_timeout(ANSWER_TIMEOUT).expect("an answer") {
                EngineEvent::Info(info) => last = Some(info),
                EngineEvent::Message(text) => remarks.push(text),
                EngineEvent::Best(best) => return (best, last, remarks),
                _ => {}
            }
        }
    }

    fn turn(&mut self, position: &str) -> String {
        match self.ask(position, depth(4)).0 {
            Best::Turn { turn, .. } => turn,
            other => panic!("{other:?} instead of a move"),
        }
    }

    fn score(&mut self, position: &str) -> Score {
        self.ask(position, depth(4)).1.expect("a line before the answer").score
    }
}

fn depth(depth: u16) -> Limits {
    Limits { depth: Some(depth), ..Limits::none() }
}

#[test]
fn a_draw_by_the_number_of_moves_has_the_value_of_the_side_that_thinks() {
    let options = [("MaxMovesToDraw", "60"), ("DrawValueBlack", "500"), ("DrawValueWhite", "-300")];
    let mut session = ShogiSession::new(&options);
    assert_eq!(session.score(&format!("{QUIET} b - 60")), Score::Cp(500));
    assert_eq!(session.score(&format!("{QUIET} w - 60")), Score::Cp(-300));
    // Without the limit, the gold decides.
    let value = ShogiSession::new(&options[1..]).score(&format!("{QUIET} b - 60"));
    assert!(!matches!(value, Score::Cp(500 | -300)), "{value:?}");
}

#[test]
fn a_mate_with_the_last_move_comes_before_the_draw() {
    let mut session = ShogiSession::new(&[("MaxMovesToDraw", "60")]);
    assert_eq!(session.score("4k4/9/4P4/9/9/9/9/9/4K4 b G 60"), Score::MateIn(1));
}

#[test]
fn the_engine_resigns_only_if_asked_to_and_only_below_the_value() {
    assert!(
        matches!(ShogiSession::new(&[]).ask(LOST, depth(3)).0, Best::Turn { .. }),
        "the default is never"
    );
    assert_eq!(ShogiSession::new(&[("ResignValue", "3000")]).ask(LOST, depth(3)).0, Best::Resign);
    let mut session = ShogiSession::new(&[("ResignValue", "3000")]);
    assert!(matches!(session.ask("startpos", depth(3)).0, Best::Turn { .. }));
}

#[test]
fn the_win_is_declared_exactly_by_the_rules_that_allow_it() {
    for (rule, declares) in [
        ("NoEnteringKing", false),
        ("CSARule24", false),
        ("CSARule24H", false),
        ("CSARule27", true),
        ("CSARule27H", true),
        ("TryRule", false),
    ] {
        let best = ShogiSession::new(&[("EnteringKingRule", rule)]).ask(MAY_DECLARE, depth(1)).0;
        assert_eq!(best == Best::Win, declares, "{rule}: {best:?}");
    }
}

#[test]
fn the_try_is_played_not_declared() {
    let sfen = "9/4K4/9/9/9/9/4k4/9/9 b 2r2b4g4s4n4l18p 1";
    assert_eq!(ShogiSession::new(&[("EnteringKingRule", "TryRule")]).turn(sfen), "5b5a");
}

/// The book of the tests, and what its start position has: one move, and one that is illegal.
const BOOK: (&str, &str) = ("BookFile", "../../tests/data/book.db");

#[test]
fn a_book_move_is_played_with_its_score_and_reply() {
    let (best, info, remarks) = ShogiSession::new(&[BOOK]).ask("startpos", depth(4));
    assert_eq!(best, Best::Turn { turn: "9g9f".into(), ponder: Some("9c9d".into()) });
    let info = info.expect("a line before the answer");
    assert_eq!((info.score, info.depth, info.nodes), (Score::Cp(42), 11, 0));
    assert_eq!(info.pv, ["9g9f", "9c9d"]);
    assert!(remarks.iter().any(|text| text.contains("7g7e is illegal")), "{remarks:?}");
}

#[test]
fn the_book_is_left_out_where_it_has_no_say() {
    let plays = |options: &[(&str, &str)], limits: Limits| {
        let (best, info, _) = ShogiSession::new(options).ask("startpos", limits);
        (best, info.expect("a line").nodes > 0)
    };
    for option in [("OwnBook", "false"), ("BookMoves", "0"), ("BookFile", "no_book"), ("BookFile", "")] {
        assert!(plays(&[BOOK, option], depth(2)).1, "{option:?}: nothing was searched");
    }
    assert!(!plays(&[("BookFile", "embedded")], depth(2)).1, "the embedded book knows the start");
    let only = Limits { turns: vec!["2g2f".into()], ..depth(2) };
    let (best, searched) = plays(&[BOOK], only);
    assert!(searched && matches!(best, Best::Turn { turn, .. } if turn == "2g2f"));
}

#[test]
fn analysis_is_searched_though_the_book_knows_the_position() {
    let mut session = ShogiSession::new(&[BOOK]);
    session.engine.set_position("startpos", &[]).expect("a position");
    session.engine.go(Limits { infinite: true, ..Limits::none() });
    loop {
        match session.events.recv_timeout(ANSWER_TIMEOUT).expect("lines") {
            EngineEvent::Info(info) if info.nodes > 0 => break,
            EngineEvent::Best(best) => panic!("{best:?} before stop"),
            _ => {}
        }
    }
    session.engine.stop();
}

#[test]
fn a_book_that_cannot_be_read_is_named_and_the_former_one_stays() {
    let mut session = ShogiSession::new(&[BOOK]);
    let said = session.engine.set_option("BookFile", "no-such-book.db").expect_err("no file").to_string();
    assert!(said.contains("BookFile") && said.contains("no-such-book.db"), "{said}");
    assert_eq!(session.turn("startpos"), "9g9f");
}
