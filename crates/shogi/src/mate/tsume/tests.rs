use super::*;
use crate::mate::MateVerdict;
use crate::mate::samples::XorshiftStar;
use crate::rules::legality::is_dead;
use crate::rules::sfen::{format, parse};
use crate::rules::types::{Piece, PieceKind, Square};

/// By the definition alone, without tables and without the df-pn solver.
mod by_definition {
    use super::*;

    /// More plies than are looked at.
    pub const DEEPER: i16 = 1000;

    pub struct Plain {
        pub attacker: Side,
        /// Nodes that may still be visited.
        pub nodes: u64,
    }

    impl Plain {
        /// Plies of the shortest mate, or [`DEEPER`] if it takes more than `most`.
        pub fn attack(&mut self, at: &ShogiPosition, most: i16) -> i16 {
            let mut best = DEEPER;
            if most < 1 {
                return best;
            }
            for mv in at.legal_moves() {
                let after = made(at, mv);
                if after.in_check() {
                    let limit = if best == DEEPER { most } else { best - 2 };
                    best = best.min(plus(self.defend(&after, limit - 1), 1));
                }
            }
            best
        }

        /// Plies of the longest defence that counts, or [`DEEPER`].
        pub fn defend(&mut self, at: &ShogiPosition, most: i16) -> i16 {
            self.nodes = self.nodes.saturating_sub(1);
            if most < 0 || self.nodes == 0 {
                return DEEPER;
            }
            let king = at.king(at.side_to_move());
            let (mut drops, others): (Vec<Move>, Vec<Move>) =
                at.legal_moves().into_iter().partition(|mv| mv.is_drop());
            let mut longest = 0;
            for mv in others {
                longest = longest.max(plus(self.attack(&made(at, mv), most - 1), 1));
                if longest > most {
                    return DEEPER;
                }
            }
            // Squares nearest to the king first: each is compared with those before it.
            drops.sort_by_key(|mv| king.distance(mv.to()));
            let mut before_this_square = longest;
            let mut square = None;
            for mv in drops {
                if square != Some(mv.to()) {
                    (square, before_this_square) = (Some(mv.to()), longest);
                }
                if self.after_return(at, mv, before_this_square) <= before_this_square {
                    continue;
                }
                longest = longest.max(plus(self.attack(&made(at, mv), most - 1), 1));
                if longest > most {
                    return DEEPER;
                }
            }
            longest
        }

        /// Plies, at most `most`, after the checking piece has captured the dropped piece, which has gone back to the
        /// defender.
        fn after_return(&mut self, at: &ShogiPosition, drop: Move, most: i16) -> i16 {
            let dropped = made(at, drop);
            let mut best = DEEPER;
            for capture in dropped.legal_moves() {
                let is_by_checker = !capture.is_drop() && at.checkers().has(capture.from());
                if !is_by_checker || capture.to() != drop.to() {
                    continue;
                }
                let captured = made(&dropped, capture);
                if captured.in_check() {
                    let returned = with_piece_returned(&captured, self.attacker, drop.dropped());
                    best = best.min(self.defend(&returned, most));
                }
            }
            best
        }
    }

    fn plus(plies: i16, more: i16) -> i16 {
        if plies >= DEEPER { DEEPER } else { plies + more }
    }

    fn made(at: &ShogiPosition, mv: Move) -> ShogiPosition {
        let mut after = at.clone();
        after.make(mv);
        after
    }

    /// A new position, set up piece by piece, in which `from` holds one `kind` less and its opponent one more.
    fn with_piece_returned(at: &ShogiPosition, from: Side, kind: PieceKind) -> ShogiPosition {
        let mut new = ShogiPosition::default();
        new.set_side_to_move(at.side_to_move());
        for square in Square::all().filter(|&square| at.piece_on(square).is_some()) {
            new.put(at.piece_on(square), square);
        }
        for side in [Side::First, Side::Second] {
            for droppable in PieceKind::DROPPABLE {
                let mut count = at.hand(side).count(droppable);
                if droppable == kind {
                    count = if side == from { count - 1 } else { count + 1 };
                }
                (0..count).for_each(|_| new.put_in_hand(side, droppable));
            }
        }
        new.refresh();
        new
    }
}

fn solved(sfen: &str) -> (usize, TsumeSolution) {
    let position = parse(sfen).unwrap();
    let mut solver = TsumeSolver::with_bytes(64 << 20);
    let control = SearchControl::free();
    let MateVerdict::Mate(line) = solver.mate_solver().solve(&position, 1_000_000, &control) else {
        panic!("no mate in {sfen}")
    };
    let line = solver.mate_solver().minimise(&position, line, &control);
    let counted = solver.count(&position, &line, 10_000_000, &control);
    assert!(is_playable(&position, &counted.line), "{sfen}");
    (line.len(), counted)
}

const FAR_ROOK: &str = "8k/9/6NG1/9/9/9/9/8P/R8 b r2b3g4s3n4l17p 1";
const GOLD_THEN_FAR_ROOK: &str = "9/8k/6N2/7P1/9/9/9/8P/R8 b Gr2b3g4s3n4l16p 1";

fn words(line: &[Move]) -> String {
    line.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn useless_interpositions_do_not_count() {
    for (sfen, line) in [(FAR_ROOK, "9i9a+"), (GOLD_THEN_FAR_ROOK, "G*2c 1b1a 9i9a+")] {
        let (legal, counted) = solved(sfen);
        assert!(counted.is_shortest && legal > counted.line.len() + 10, "{sfen}: {legal}");
        assert_eq!((words(&counted.line).as_str(), counted.left_in_hand), (line, 0), "{sfen}");
    }
}

#[test]
fn mates_without_interpositions_are_as_long_as_by_legal_moves() {
    for (sfen, plies) in [
        ("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", 1),
        ("3sks3/9/4+P4/9/9/+B8/9/9/9 b S2rb4gs4n4l17p 1", 3),
        ("7nl/7k1/6p2/6S1p/9/9/9/9/9 b GS2r2b3g2s3n3l16p 1", 5),
        ("5B1n1/8k/6Rpp/9/9/9/9/9/9 b rb4g4s3n4l16p 1", 5),
    ] {
        let (legal, counted) = solved(sfen);
        assert_eq!((legal, counted.line.len(), counted.is_shortest), (plies, plies, true), "{sfen}");
    }
}

#[test]
fn an_interposition_that_lets_the_king_capture_the_checker_counts() {
    // Without the knight nothing protects the rook on 2a.
    let position = parse("8k/9/7G1/9/9/9/9/8P/R8 b r2b3g4s4n4l17p 1").unwrap();
    let mut solver = TsumeSolver::with_bytes(8 << 20);
    solver.begin(&position, u64::MAX);
    let plies = solver.shortest(&mut without_past(&position), 7, &SearchControl::free());
    assert_eq!(plies.ok(), Some(None));
}

#[test]
fn limits_leave_the_mate_that_is_known() {
    let position = parse(FAR_ROOK).unwrap();
    let (_, counted) = solved(FAR_ROOK);
    let mut solver = TsumeSolver::with_bytes(8 << 20);
    let stopped = solver.count(&position, &counted.line, 2, &SearchControl::free());
    assert_eq!((stopped.line, stopped.is_shortest), (counted.line, false));
}

/// Kinds of the second solutions of a problem, and whether it is sound.
fn second(sfen: &str) -> (Vec<(usize, String, SecondSolutionKind)>, usize, Option<bool>) {
    let position = parse(sfen).unwrap();
    let (_, counted) = solved(sfen);
    let mut solver = TsumeSolver::with_bytes(8 << 20);
    let all = solver.second_solutions(&position, &counted.line, 100_000, &SearchControl::free());
    let found = all.found.iter().map(|second| (second.ply, second.check.to_string(), second.kind)).collect();
    (found, all.equal_defences.len(), all.is_unique())
}

#[test]
fn second_solutions_are_found_by_their_kinds() {
    use SecondSolutionKind::{LastMove, Promotion, SameLength};
    let none = second("7nl/7k1/6p2/6S1p/9/9/9/9/9 b GS2r2b3g2s3n3l16p 1");
    assert_eq!(none, (Vec::new(), 0, Some(true)));
    let blemish = second(GOLD_THEN_FAR_ROOK);
    assert_eq!(blemish, (vec![(2, "9i9a".to_owned(), Promotion)], 0, Some(true)));
    let last = second("5B1n1/8k/6Rpp/9/9/9/9/9/9 b rb4g4s3n4l16p 1");
    assert_eq!(last, (vec![(4, "2c3b+".to_owned(), LastMove)], 1, Some(true)));
    let (golds, _, is_unique) = second("4k4/9/3GGG3/9/9/9/9/9/4K4 b 2r2bg4s4n4l18p 1");
    assert!(golds.iter().any(|(ply, _, kind)| (*ply, *kind) == (0, SameLength)));
    assert_eq!(is_unique, Some(false));
}

#[test]
fn what_is_not_decided_is_not_called_unique() {
    let position = parse(GOLD_THEN_FAR_ROOK).unwrap();
    let (_, counted) = solved(GOLD_THEN_FAR_ROOK);
    let mut solver = TsumeSolver::with_bytes(8 << 20);
    let all = solver.second_solutions(&position, &counted.line, 1, &SearchControl::free());
    assert!(!all.undecided.is_empty());
    assert_eq!(all.is_unique(), None);
}

#[test]
fn random_problems_agree_with_the_definition() {
    agree(80, 0x0074_7375_6d65, 3, 2_000);
}

#[test]
#[ignore = "takes minutes"]
fn many_random_problems_agree_with_the_definition() {
    agree(20_000, 0x6d75_6461_6169, 7, 300_000);
}

/// Solver and definition agree on random mates of at most `longest` plies, as far as the definition needs no more than
/// `nodes` nodes.
fn agree(problems: usize, seed: u64, longest: usize, nodes: u64) {
    let mut random = XorshiftStar(seed);
    let mut solver = TsumeSolver::with_bytes(16 << 20);
    let control = SearchControl::free();
    let (mut mates, mut shorter) = (0, 0);
    for _ in 0..problems {
        let position = far_problem(&mut random);
        let MateVerdict::Mate(line) = solver.mate_solver().solve(&position, 5_000, &control) else {
            continue;
        };
        let line = solver.mate_solver().minimise(&position, line, &control);
        let counted = solver.count(&position, &line, 50_000, &control);
        if !counted.is_shortest || counted.line.len() > longest {
            continue;
        }
        let text = format(&position);
        let mut plain = by_definition::Plain { attacker: position.side_to_move(), nodes };
        let expected = plain.attack(&position, counted.line.len() as i16);
        if plain.nodes == 0 {
            continue;
        }
        assert_eq!(counted.line.len(), expected as usize, "{text}: {:?}", counted.line);
        assert!(counted.line.len() <= line.len(), "{text}");
        assert!(is_playable(&position, &counted.line), "{text}");
        mates += 1;
        shorter += usize::from(counted.line.len() < line.len());
    }
    println!("{mates} mates agree, {shorter} of them shorter than by legal moves");
    assert!(shorter > problems / 20, "too few to be a test: {mates} mates, {shorter} of them shorter");
}

/// Whether the set has another piece of this kind.
fn is_left(position: &ShogiPosition, kind: PieceKind) -> bool {
    let plain = kind.plain();
    let promoted = if plain.can_promote() { position.kind(plain.promoted()).count() } else { 0 };
    let held: u32 = position.hands().iter().map(|hand| hand.count(plain)).sum();
    position.kind(plain).count() + promoted + held < PieceKind::IN_SET[plain.index()]
}

/// Puts `kind` of `side` on the square of this file and rank, from 0, if that is free, the piece could move there, and
/// the set has one.
fn put_if_free(position: &mut ShogiPosition, side: Side, kind: PieceKind, file: usize, rank: usize) {
    let square = Square::new(file as u8, rank as u8);
    let is_there = kind == PieceKind::KING || is_left(position, kind);
    if is_there && !position.piece_on(square).is_some() && !is_dead(side, kind, square) {
        position.put(Piece::new(side, kind), square);
    }
}

/// A king in the corner that a rook may mate from afar, with up to three other pieces somewhere.
fn far_rook(random: &mut XorshiftStar) -> ShogiPosition {
    let mut position = ShogiPosition::default();
    put_if_free(&mut position, Side::Second, PieceKind::KING, 0, 0);
    put_if_free(&mut position, Side::First, PieceKind::KNIGHT, 2, 2);
    put_if_free(&mut position, Side::First, PieceKind::GOLD, 1, 2);
    put_if_free(&mut position, Side::First, PieceKind::ROOK, 3 + random.below(6), 4 + random.below(5));
    for _ in 0..random.below(4) {
        let side = if random.below(2) == 0 { Side::First } else { Side::Second };
        let kind = [PieceKind::PAWN, PieceKind::SILVER, PieceKind::BISHOP][random.below(3)];
        put_if_free(&mut position, side, kind, random.below(9), random.below(9));
    }
    position
}

/// A king near its edge, a far-reaching piece of the attacker at a distance, and pieces around the king.
fn far_piece(random: &mut XorshiftStar) -> ShogiPosition {
    let far = [PieceKind::LANCE, PieceKind::BISHOP, PieceKind::ROOK, PieceKind::HORSE, PieceKind::DRAGON];
    let near = [PieceKind::GOLD, PieceKind::SILVER, PieceKind::KNIGHT, PieceKind::TOKIN];
    let mut position = ShogiPosition::default();
    let (file, rank) = (random.below(9), random.below(3));
    put_if_free(&mut position, Side::Second, PieceKind::KING, file, rank);
    put_if_free(&mut position, Side::First, far[random.below(5)], random.below(9), 4 + random.below(5));
    for i in 0..4 + random.below(3) {
        let side = if i < 3 { Side::First } else { Side::Second };
        let kind = if i < 3 { near[random.below(4)] } else { PieceKind::PAWN };
        let around =
            |middle: usize, random: &mut XorshiftStar| (middle + random.below(5)).saturating_sub(2).min(8);
        let (file, rank) = (around(file, random), around(rank, random));
        put_if_free(&mut position, side, kind, file, rank);
    }
    let held = near[random.below(3)];
    if random.below(2) == 0 && is_left(&position, held) {
        position.put_in_hand(Side::First, held);
    }
    position
}

/// A random problem whose defender holds one or two pieces.
fn far_problem(random: &mut XorshiftStar) -> ShogiPosition {
    loop {
        let mut position = if random.below(2) == 0 { far_rook(random) } else { far_piece(random) };
        for _ in 0..1 + random.below(2) {
            let kind = [PieceKind::PAWN, PieceKind::KNIGHT, PieceKind::GOLD][random.below(3)];
            if is_left(&position, kind) {
                position.put_in_hand(Side::Second, kind);
            }
        }
        position.refresh();
        let king = position.king(Side::Second);
        if king.is_some() && !position.is_attacked(Side::First, king, position.occupied()) {
            return position;
        }
    }
}
