//! The hand-crafted evaluation (HCE): pieces and their squares, control of the kings' surroundings, loose pieces,
//! activity.
//!
//! The terms were chosen by hand, their weights were trained ([`HceWeights`]). Attacks on every square count, by the
//! distance to either king, as in YaneuraOu's hand-made evaluation; attack sets are kept as bitboards "once" and
//! "twice", so that a zone is weighed by counting bits.

mod article;
mod castles;
mod control;
mod weights;
mod zones;

use std::fmt::Write;

use crate::network::features::NetworkPerspective;
use crate::rules::attacks::lance_attacks;
use crate::rules::bitboard::Bitboard;
use crate::rules::material::ON_BOARD;
use crate::rules::position::ShogiPosition;
use crate::rules::sfen::colour;
use crate::rules::types::PieceKind;
pub use article::Article;
use castles::Built;
use control::SquareControl;
use kaeshi_core::game::Side;
use weights::GROUPS;
pub use weights::HceWeights;
pub use weights::term;
use zones::Zones;

/// Takes in what one side has.
trait TermVisitor {
    /// One of its pieces, by the input it sets.
    fn place(&mut self, input: usize);

    /// A term that applies so often.
    fn add(&mut self, term: usize, count: i32);
}

/// The weighted sum, in sixteenths.
#[derive(Clone, Copy, Debug)]
struct Sum<'a> {
    weights: &'a HceWeights,
    sum: i32,
}

impl TermVisitor for Sum<'_> {
    #[inline(always)]
    fn place(&mut self, input: usize) {
        self.sum += i32::from(self.weights.placed[input]);
    }

    #[inline(always)]
    fn add(&mut self, term: usize, count: i32) {
        self.sum += i32::from(self.weights.terms[term]) * count;
    }
}

/// The counts themselves, for tables and for training; pieces are left to others.
impl TermVisitor for [i32; term::COUNT] {
    fn place(&mut self, _: usize) {}

    fn add(&mut self, term: usize, count: i32) {
        self[term] += count;
    }
}

/// Value for the side to move, in centipawns.
#[inline]
pub fn evaluate(weights: &HceWeights, position: &ShogiPosition) -> i32 {
    let [black, white] = sums(weights, position);
    let balance = if position.side_to_move() == Side::First { black - white } else { white - black };
    (balance + i32::from(weights.tempo)) / 16
}

#[inline]
fn sums(weights: &HceWeights, position: &ShogiPosition) -> [i32; 2] {
    #[cfg(target_arch = "x86_64")]
    if kaeshi_core::simd::detect::bits() {
        // SAFETY: the processor has the features the function is compiled for.
        return unsafe { sums_with_bits(weights, position) };
    }
    count(position, [Sum { weights, sum: 0 }; 2]).map(|side| side.sum)
}

/// [`count`] compiled for the bit instructions of x86-64 processors since 2013.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn sums_with_bits(weights: &HceWeights, position: &ShogiPosition) -> [i32; 2] {
    count(position, [Sum { weights, sum: 0 }; 2]).map(|side| side.sum)
}

/// How often each term applies to the side to move less how often to the other one; the training's view.
pub fn counts(position: &ShogiPosition) -> [i32; term::COUNT] {
    let sides = count(position, [[0; term::COUNT]; 2]);
    let us = position.side_to_move();
    let (own, enemy) = (sides[us.index()], sides[us.other().index()]);
    std::array::from_fn(|term| own[term] - enemy[term])
}

#[inline(always)]
fn count<C: TermVisitor>(position: &ShogiPosition, mut into: [C; 2]) -> [C; 2] {
    let controls = [SquareControl::of(position, Side::First), SquareControl::of(position, Side::Second)];
    for side in [Side::First, Side::Second] {
        let (own, enemy) = (&controls[side.index()], &controls[side.other().index()]);
        let into = &mut into[side.index()];
        NetworkPerspective::of(position, side).visit_own(position, |input| into.place(input));
        safety(position, side, own, enemy, into);
        shelter(position, side, own, enemy, into);
        loose(position, side, own, enemy, into);
        activity(position, side, own, into);
        entering(position, side, into);
        into.add(term::FORM, castles::castle(position, side).map_or(0, Built::units));
    }
    into
}

#[inline(always)]
fn safety(
    position: &ShogiPosition,
    side: Side,
    own: &SquareControl,
    enemy: &SquareControl,
    into: &mut impl TermVisitor,
) {
    let zones = Zones::of(side, position.king(side));
    for (i, &zone) in zones.0.iter().enumerate() {
        into.add(term::DEFENCE + i, (own.once & zone).count() as i32);
        into.add(term::DEFENCE + zones::COUNT + i, (own.twice & zone).count() as i32);
        into.add(term::OFFENCE + i, (enemy.once & zone).count() as i32);
        into.add(term::OFFENCE + zones::COUNT + i, (enemy.twice & zone).count() as i32);
    }
}

#[inline(always)]
fn shelter(
    position: &ShogiPosition,
    side: Side,
    own: &SquareControl,
    enemy: &SquareControl,
    into: &mut impl TermVisitor,
) {
    let ring = Zones::of(side, position.king(side)).ring();
    let pieces = position.of(side);
    let holes = ring.without(pieces | own.by_others);
    let attacked = (holes & enemy.once).count() as i32;
    let quiet = holes.count() as i32 - attacked;
    let hand = position.hand(side.other());
    let units: i32 = PieceKind::DROPPABLE
        .iter()
        .zip(weights::HAND_UNITS)
        .map(|(&kind, units)| units * hand.count(kind) as i32)
        .sum();
    let units = units.min(weights::HAND_UNITS_LIMIT);
    into.add(term::NEIGHBOUR, (ring & pieces).count() as i32);
    into.add(term::HOLE, quiet);
    into.add(term::HOLE + 1, attacked);
    into.add(term::HOLE_HAND, quiet * units);
    into.add(term::HOLE_HAND + 1, attacked * units);
}

#[inline(always)]
fn loose(
    position: &ShogiPosition,
    side: Side,
    own: &SquareControl,
    enemy: &SquareControl,
    into: &mut impl TermVisitor,
) {
    let pieces = position.of(side);
    let worth = |squares: Bitboard| -> i32 {
        squares.into_iter().map(|square| ON_BOARD[position.piece_on(square).kind().index()]).sum::<i32>() / 32
    };
    let attacked = pieces & enemy.once;
    into.add(term::LOOSE, worth(pieces & own.once));
    into.add(term::LOOSE + 1, worth(attacked));
    into.add(term::LOOSE + 2, worth(attacked.without(own.once)));
    let generals = (position.kind(PieceKind::SILVER) | position.goldlike()) & pieces;
    into.add(term::UNGUARDED, generals.without(own.once).count() as i32);
}

#[inline(always)]
fn activity(position: &ShogiPosition, side: Side, own: &SquareControl, into: &mut impl TermVisitor) {
    for (kind, mobile) in own.mobile.iter().enumerate() {
        into.add(term::MOBILE + kind, mobile.squares);
        into.add(term::LOCKED + kind, mobile.locked);
    }
    let occupied = position.occupied();
    for square in position.pieces(side, PieceKind::ROOK) {
        into.add(term::ROOK_AHEAD, lance_attacks(side, square, occupied).without(occupied).count() as i32);
    }
}

/// The king in the enemy's camp lives there by the pieces around it, and may declare by their number.
#[inline(always)]
fn entering(position: &ShogiPosition, side: Side, into: &mut impl TermVisitor) {
    let camp = Bitboard::promotion_zone(side);
    if camp.has(position.king(side)) {
        into.add(term::ENTERED, (position.of(side) & camp).count() as i32);
        into.add(term::ENTERED + 1, (position.of(side.other()) & camp).count() as i32);
    }
}

/// The terms as a table.
pub fn explain(weights: &HceWeights, position: &ShogiPosition) -> String {
    explain_with(weights, position, &[], evaluate(weights, position))
}

/// The terms as a table, with further ones of Black and White in centipawns, and the value for the side to move.
fn explain_with(
    weights: &HceWeights,
    position: &ShogiPosition,
    further: &[(&str, [i32; 2])],
    value: i32,
) -> String {
    let [black, white] = count(position, [[0; term::COUNT]; 2]);
    let mut text = format!("{:<12} {:>8} {:>8} {:>8}\n", "term", "Black", "White", "balance");
    let mut row = |name: &str, black: i32, white: i32| {
        let _ = writeln!(text, "{name:<12} {black:>8} {white:>8} {:>8}", black - white);
    };
    let [first, second] = [Side::First, Side::Second].map(|side| {
        let mut sum = Sum { weights, sum: 0 };
        NetworkPerspective::of(position, side).visit_own(position, |input| sum.place(input));
        sum.sum
    });
    row("pieces", first / 16, second / 16);
    let mut begin = 0;
    for (name, end) in GROUPS {
        let sum = |counts: &[i32]| -> i32 {
            (begin..end).map(|term| counts[term] * i32::from(weights.terms[term])).sum()
        };
        row(name, sum(&black) / 16, sum(&white) / 16);
        begin = end;
    }
    for &(name, [black, white]) in further {
        row(name, black, white);
    }
    for side in [Side::First, Side::Second] {
        if let Some(Built { name, pieces, of, tempi }) = castles::castle(position, side) {
            let cost = tempi.map_or(String::new(), |tempi| format!(", which takes {tempi} tempi"));
            let _ = writeln!(text, "{} has {pieces} of {of} pieces of the castle {name}{cost}", colour(side));
        }
    }
    let tempo = i32::from(weights.tempo) / 16;
    let _ = write!(
        text,
        "{:<12} {:>26}\n{} to move: {}",
        "tempo",
        if position.side_to_move() == Side::First { tempo } else { -tempo },
        colour(position.side_to_move()),
        value
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sfen::parse;

    fn value(sfen: &str) -> i32 {
        evaluate(&HceWeights::embedded(), &parse(sfen).unwrap())
    }

    /// The same position with the colours exchanged.
    fn turned(sfen: &str) -> String {
        let words: Vec<&str> = sfen.split(' ').collect();
        let swap = |c: char| if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        let mut board = String::new();
        for c in words[0].chars().rev() {
            // Reversed, the sign of promotion comes behind its letter.
            if c == '+' { board.insert(board.len() - 1, '+') } else { board.push(swap(c)) }
        }
        let side = if words[1] == "b" { "w" } else { "b" };
        let hands: String = words[2].chars().map(swap).collect();
        format!("{board} {side} {hands} 1")
    }

    #[test]
    fn both_sides_are_judged_alike() {
        for sfen in [
            crate::rules::handicap::START,
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        ] {
            let turned = turned(sfen);
            assert_eq!(value(sfen), value(&turned), "{sfen} | {turned}");
        }
    }

    #[test]
    fn the_kernels_agree() {
        let weights = HceWeights::embedded();
        let mut position = parse(crate::rules::handicap::START).unwrap();
        let mut random = 1u64;
        for _ in 0..400 {
            let found = sums(&weights, &position);
            let plain = count(&position, [Sum { weights: &weights, sum: 0 }; 2]).map(|side| side.sum);
            assert_eq!(found, plain);
            let us = position.side_to_move();
            let mut weighed: i32 = counts(&position)
                .iter()
                .zip(weights.terms)
                .map(|(count, weight)| count * i32::from(weight))
                .sum();
            for (side, sign) in [(us, 1), (us.other(), -1)] {
                let view = NetworkPerspective::of(&position, side);
                view.visit_own(&position, |input| weighed += sign * i32::from(weights.placed[input]));
            }
            assert_eq!(found[us.index()] - found[us.other().index()], weighed);
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            position.make(moves[(random >> 33) as usize % moves.len()]);
        }
    }

    #[test]
    fn a_rook_up_is_winning_and_kings_may_be_missing() {
        assert!(value("lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1") > 200);
        value("4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1");
    }
}
