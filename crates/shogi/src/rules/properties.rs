//! Properties of every position, tested on random games.

use proptest::prelude::*;

use crate::rules::handicap::{HANDICAPS, START};
use crate::rules::movegen::{Counter, MoveFilter, MoveList};
use crate::rules::notation::parse_move;
use crate::rules::position::ShogiPosition;
use crate::rules::sfen::{format, parse};
use crate::rules::types::{Move, PieceKind};
use kaeshi_core::game::Side;

/// Plays legal moves chosen by `choices` and shows every position to `look`.
fn walk(sfen: &str, choices: &[u16], mut look: impl FnMut(&mut ShogiPosition)) {
    let mut position = parse(sfen).unwrap();
    for &choice in choices {
        look(&mut position);
        let moves = position.legal_moves();
        if moves.is_empty() {
            return;
        }
        position.make(moves[usize::from(choice) % moves.len()]);
    }
}

fn beginnings() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        START,
        START,
        HANDICAPS[11].position,
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn taking_back_restores_everything(sfen in beginnings(), choices in prop::collection::vec(any::<u16>(), 120)) {
        walk(sfen, &choices, |position| {
            let before = format!("{position:?}");
            for mv in position.legal_moves() {
                position.make(mv);
                position.unmake();
            }
            if !position.in_check() {
                position.make_pass();
                position.unmake_pass();
            }
            assert_eq!(format!("{position:?}"), before);
        });
    }

    #[test]
    fn keys_checkers_and_pins_are_those_of_the_position_set_up_anew(
        sfen in beginnings(),
        choices in prop::collection::vec(any::<u16>(), 150),
    ) {
        walk(sfen, &choices, |position| {
            let anew = parse(&format(position)).unwrap();
            assert_eq!(position.key(), anew.key());
            assert_eq!(position.board_key(), anew.board_key());
            assert_eq!(position.checkers(), anew.checkers());
            assert_eq!(position.pinned(), anew.pinned());
        });
    }

    #[test]
    fn after_a_pass_all_is_as_in_the_position_set_up_anew(
        sfen in beginnings(),
        choices in prop::collection::vec(any::<u16>(), 150),
    ) {
        walk(sfen, &choices, |position| {
            if position.in_check() {
                return;
            }
            position.make_pass();
            let anew = parse(&format(position)).unwrap();
            assert_eq!(position.key(), anew.key());
            assert_eq!(position.checkers(), anew.checkers());
            assert_eq!(position.pinned(), anew.pinned());
            assert_eq!(position.legal_moves().to_vec(), anew.legal_moves().to_vec());
            position.unmake_pass();
        });
    }

    #[test]
    fn generated_moves_are_the_legal_ones(
        sfen in beginnings(),
        choices in prop::collection::vec(any::<u16>(), 40),
    ) {
        walk(sfen, &choices, |position| {
            let mut generated = position.legal_moves().to_vec();
            generated.sort();
            let mut legal: Vec<Move> =
                (0..=u16::MAX).map(Move::from_bits).filter(|&mv| position.is_legal(mv)).collect();
            legal.sort();
            assert_eq!(generated, legal, "{}", format(position));
            let mut counter = Counter(0);
            position.generate(MoveFilter::ALL, &mut counter);
            assert_eq!(counter.0, legal.len() as u64);
        });
    }

    #[test]
    fn useful_moves_are_the_legal_ones_without_non_promotions(
        sfen in beginnings(),
        choices in prop::collection::vec(any::<u16>(), 150),
    ) {
        walk(sfen, &choices, |position| {
            let us = position.side_to_move();
            let mut useful = MoveList::new();
            position.generate(MoveFilter::USEFUL, &mut useful);
            let mut useful = useful.to_vec();
            useful.sort();
            let mut expected = position.legal_moves().to_vec();
            expected.retain(|&mv| {
                if mv.is_drop() || mv.is_promotion() {
                    return true;
                }
                let promoted = Move::step(mv.from(), mv.to(), true);
                match position.piece_on(mv.from()).kind() {
                    PieceKind::PAWN | PieceKind::BISHOP | PieceKind::ROOK => !position.is_legal(promoted),
                    PieceKind::LANCE => mv.to().seen_by(us).rank() > 1,
                    _ => true,
                }
            });
            expected.sort();
            assert_eq!(useful, expected, "{}", format(position));
        });
    }
}

#[test]
fn pawn_drop_mate_by_the_book() {
    for (why, sfen, text, legal) in [
        ("no capture, nowhere to go", "7lk/9/7GG/9/9/9/9/9/4K4 b P 1", "P*1b", false),
        ("the pawn is not supported", "7lk/9/6G2/9/9/9/9/9/4K4 b P 1", "P*1b", true),
        ("a gold takes it", "7gk/9/7GG/9/9/9/9/9/4K4 b P 1", "P*1b", true),
        ("the gold is pinned along the rank", "R6gk/9/7GG/9/9/9/9/9/4K4 b P 1", "P*1b", false),
        ("the gold is pinned along the file", "7lk/9/7Gg/9/9/9/9/9/4K3L b P 1", "P*1b", true),
        ("the pawn itself shields 6a", "4kl3/3p1p3/4G4/6B2/9/9/9/9/4K4 b P 1", "P*5b", true),
        ("the knight guards 6a", "4kl3/3p1p3/2N1G4/6B2/9/9/9/9/4K4 b P 1", "P*5b", false),
        ("only one king on the board", "7lk/9/7GG/9/9/9/9/9/9 b P 1", "P*1b", false),
    ] {
        let position = parse(sfen).unwrap();
        assert_eq!(parse_move(&position, text).is_ok(), legal, "{why}");
        assert_eq!(position.legal_moves().iter().any(|mv| mv.to_string() == text), legal, "{why}");
    }
}

/// Pitfalls into which other programs fell.
#[test]
fn pitfalls() {
    let generates = |sfen: &str, text: &str| {
        let found = parse(sfen).unwrap().legal_moves().iter().any(|mv| mv.to_string() == text);
        assert_eq!(parse_move(&parse(sfen).unwrap(), text).is_ok(), found, "{text}");
        found
    };
    // Nifu looks at own pawns only, and tokins do not count.
    assert!(generates("4k4/4p4/9/9/9/9/9/9/4K4 b P 1", "P*5e"));
    assert!(generates("4k4/9/4+P4/9/9/9/9/9/4K4 b P 1", "P*5e"));
    // One forbidden drop does not forbid the others.
    assert!(generates("4k4/9/9/9/9/9/P8/9/4K4 b P 1", "P*5e"));
    // A blocker that moves along its line toward the king uncovers nothing.
    for (text, checks) in [("5d5c", false), ("5d6d", true)] {
        let mut position = parse("4k4/9/9/4G4/9/4L4/9/9/4K4 b - 1").unwrap();
        position.make(parse_move(&position, text).unwrap());
        assert_eq!(position.in_check(), checks, "{text}");
    }
    // Lances pin and check.
    assert!(!generates("4k4/9/9/4l4/9/9/4G4/9/4K4 b - 1", "5g6g"));
    assert!(generates("4k4/9/9/4l4/9/9/4G4/9/4K4 b - 1", "5g5f"));
    // Double check: only the king moves.
    let position = parse("4k4/9/9/9/4r4/9/3n5/9/4K4 b RG 1").unwrap();
    assert!(position.checkers().many());
    assert!(position.legal_moves().iter().all(|mv| !mv.is_drop() && mv.from() == position.king(Side::First)));
    // Promotions may be refused wherever the piece can still move.
    assert!(generates("4k4/9/8P/9/9/9/9/9/4K4 b - 1", "1c1b"));
    assert!(!generates("4k4/8P/9/9/9/9/9/9/4K4 b - 1", "1b1a"));
    // Eighteen pawns in one hand.
    let position = parse("4k4/9/9/9/9/9/9/9/4K4 b 18P 1").unwrap();
    assert_eq!(position.legal_moves().iter().filter(|mv| mv.is_drop()).count(), 8 * 9 - 1);
}
