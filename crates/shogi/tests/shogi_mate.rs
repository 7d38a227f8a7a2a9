//! Mates as an independent library sees them.

use kaeshi_core::game::Side;
use kaeshi_core::game::control::SearchControl;
use kaeshi_shogi::mate::{MateSolver, MateVerdict};
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::sfen::parse;
use kaeshi_shogi::rules::types::{Move, PieceKind as Kind, Square};
use shogi_core::{Color, Hand, PartialPosition, PieceKind};

const TSUME: &str = include_str!("../../../tests/data/tsume.sfen");
const KINDS: [PieceKind; 14] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::Bishop,
    PieceKind::Rook,
    PieceKind::Gold,
    PieceKind::King,
    PieceKind::ProPawn,
    PieceKind::ProLance,
    PieceKind::ProKnight,
    PieceKind::ProSilver,
    PieceKind::ProBishop,
    PieceKind::ProRook,
];

fn colour(side: Side) -> Color {
    match side {
        Side::First => Color::Black,
        Side::Second => Color::White,
    }
}

fn kind(kind: Kind) -> PieceKind {
    KINDS[Kind::all().position(|other| other == kind).expect("one of all kinds")]
}

fn square(square: Square) -> shogi_core::Square {
    shogi_core::Square::new(square.file() + 1, square.rank() + 1).expect("a square of the board")
}

/// The position in the types of the other library.
fn translate(position: &ShogiPosition) -> PartialPosition {
    let mut theirs = PartialPosition::empty();
    for at in Square::all() {
        if let Some(piece) = position.piece_on(at).some() {
            let piece = shogi_core::Piece::new(kind(piece.kind()), colour(piece.side()));
            theirs.piece_set(square(at), Some(piece));
        }
    }
    for side in [Side::First, Side::Second] {
        let mut hand = Hand::new();
        for dropped in Kind::DROPPABLE {
            for _ in 0..position.hand(side).count(dropped) {
                hand = hand.added(kind(dropped)).expect("a piece that can be held");
            }
        }
        *theirs.hand_of_a_player_mut(colour(side)) = hand;
    }
    theirs.side_to_move_set(colour(position.side_to_move()));
    theirs
}

fn translate_move(mv: Move, side: Color) -> shogi_core::Move {
    if mv.is_drop() {
        let piece = shogi_core::Piece::new(kind(mv.dropped()), side);
        shogi_core::Move::Drop { piece, to: square(mv.to()) }
    } else {
        shogi_core::Move::Normal { from: square(mv.from()), to: square(mv.to()), promote: mv.is_promotion() }
    }
}

/// Replays a mate with the other library's moves only.
fn replay(name: &str, root: &ShogiPosition, line: &[Move]) {
    assert_eq!(line.len() % 2, 1, "{name}: {line:?}");
    let mut theirs = translate(root);
    for (ply, &mv) in line.iter().enumerate() {
        let mv = translate_move(mv, theirs.side_to_move());
        let allowed = if ply % 2 == 0 {
            shogi_legality_lite::all_checks_partial(&theirs)
        } else {
            shogi_legality_lite::all_legal_moves_partial(&theirs)
        };
        assert!(allowed.contains(&mv), "{name}: ply {ply} of {line:?}");
        theirs.make_move(mv).expect("a legal move");
    }
    assert!(shogi_legality_lite::all_legal_moves_partial(&theirs).is_empty(), "{name}: no mate: {line:?}");
}

/// Name, plies of a known mate, and position of each problem.
fn problems() -> impl Iterator<Item = (&'static str, Option<usize>, ShogiPosition)> {
    TSUME.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).map(|line| {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let plies = fields[1].split_whitespace().next().and_then(|word| word.parse().ok());
        (fields[0], plies, parse(fields[2]).expect("a position of the collection"))
    })
}

#[test]
fn every_line_is_a_mate_to_an_independent_library() {
    for (name, plies, position) in problems().filter(|(name, ..)| *name != "microcosmos") {
        let mut solver = MateSolver::with_bytes(256 << 20);
        match (solver.solve(&position, 5_000_000, &SearchControl::free()), plies) {
            (MateVerdict::Mate(line), Some(plies)) => {
                assert!(line.len() >= plies, "{name}: quicker than the shortest known mate: {line:?}");
                replay(name, &position, &line);
                let shorter = solver.minimise(&position, line.clone(), &SearchControl::free());
                assert!(shorter.len() <= line.len());
                replay(name, &position, &shorter);
            }
            (MateVerdict::NoMate, None) => {}
            (verdict, _) => panic!("{name}: {verdict:?}"),
        }
    }
}

#[test]
fn a_tiny_table_costs_time_but_never_truth() {
    let mut mates = 0;
    for bytes in [1 << 10, 1 << 12, 1 << 15] {
        for (name, plies, position) in problems().filter(|(name, ..)| *name != "microcosmos") {
            match MateSolver::with_bytes(bytes).solve(&position, 30_000, &SearchControl::free()) {
                MateVerdict::Mate(line) => {
                    assert!(plies.is_some(), "{name} has no mate: {line:?}");
                    replay(name, &position, &line);
                    mates += 1;
                }
                MateVerdict::NoMate => assert!(plies.is_none(), "{name} has a mate"),
                MateVerdict::Unknown => {}
            }
        }
    }
    assert!(mates >= 12, "too few to be a test: {mates}");
}

#[test]
#[ignore = "takes minutes and a gigabyte"]
fn microcosmos_takes_1525_plies_or_a_few_more() {
    let (name, _, position) =
        problems().find(|(name, ..)| *name == "microcosmos").expect("the longest problem");
    let mut solver = MateSolver::with_bytes(896 << 20);
    let MateVerdict::Mate(line) = solver.solve(&position, u64::MAX, &SearchControl::free()) else {
        panic!("not solved")
    };
    println!("{} plies, {} nodes, {} permille of the table", line.len(), solver.nodes(), solver.hashfull());
    assert!((1525..1700).contains(&line.len()));
    replay(name, &position, &line);
}
