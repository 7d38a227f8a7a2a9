//! The static value of a position: material, control of the kings' surroundings, loose pieces.
//!
//! The cut follows YaneuraOu's hand-made evaluation: attacks on every square count, the more the
//! nearer the square is to either king. Attack sets are kept as bitboards "once" and "twice", so
//! that a zone is weighed by counting bits.

mod castles;
mod control;
mod weights;
mod zones;

use std::fmt::Write;

use crate::game::Side;
use crate::shogi::attacks::lance_attacks;
use crate::shogi::bitboard::Bitboard;
use crate::shogi::material::ON_BOARD;
use crate::shogi::position::Position;
use crate::shogi::sfen::colour;
use crate::shogi::types::Kind;
use castles::Built;
use control::Control;
use weights::{GROUPS, WEIGHTS, term};
use zones::Zones;

/// What takes the counts of the terms in.
trait Counts {
    fn add(&mut self, term: usize, count: i32);
}

/// The weighted sum, in sixteenths.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
struct Sum(i32);

impl Counts for Sum {
    #[inline(always)]
    fn add(&mut self, term: usize, count: i32) {
        self.0 += WEIGHTS[term] * count;
    }
}

/// The counts themselves: for tables and for tuning.
impl Counts for [i32; term::COUNT] {
    fn add(&mut self, term: usize, count: i32) {
        self[term] += count;
    }
}

/// Value for the side to move.
#[inline]
pub fn evaluate(position: &Position) -> i32 {
    let [black, white] = sums(position);
    let balance = position.balance() + (black.0 - white.0) / 16;
    let value = if position.side_to_move() == Side::First { balance } else { -balance };
    value + weights::TEMPO
}

#[inline]
fn sums(position: &Position) -> [Sum; 2] {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has the features the function is compiled for.
        return unsafe { sums_with_bits(position) };
    }
    count::<Sum>(position, [Sum(0); 2])
}

/// [`count`] compiled for the bit instructions of x86-64 processors since 2013.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn sums_with_bits(position: &Position) -> [Sum; 2] {
    count::<Sum>(position, [Sum(0); 2])
}

/// How often each term applies to Black less how often to White; the tuning's view.
pub fn counts(position: &Position) -> Vec<i32> {
    let [black, white] = count(position, [[0; term::COUNT]; 2]);
    black.iter().zip(white).map(|(black, white)| black - white).collect()
}

#[inline(always)]
fn count<C: Counts>(position: &Position, mut into: [C; 2]) -> [C; 2] {
    let controls = [Side::First, Side::Second].map(|side| Control::of(position, side));
    for side in [Side::First, Side::Second] {
        let (own, enemy) = (&controls[side.index()], &controls[side.other().index()]);
        let into = &mut into[side.index()];
        safety(position, side, own, enemy, into);
        shelter(position, side, own, enemy, into);
        loose(position, side, own, enemy, into);
        activity(position, side, into);
        into.add(term::FORM, castles::castle(position, side).map_or(0, Built::units));
    }
    into
}

#[inline(always)]
fn safety(position: &Position, side: Side, own: &Control, enemy: &Control, into: &mut impl Counts) {
    let zones = Zones::of(side, position.king(side));
    for (i, &zone) in zones.0.iter().enumerate() {
        into.add(term::DEFENCE + i, (own.once & zone).count() as i32);
        into.add(term::DEFENCE + zones::COUNT + i, (own.twice & zone).count() as i32);
        into.add(term::OFFENCE + i, (enemy.once & zone).count() as i32);
        into.add(term::OFFENCE + zones::COUNT + i, (enemy.twice & zone).count() as i32);
    }
}

#[inline(always)]
fn shelter(position: &Position, side: Side, own: &Control, enemy: &Control, into: &mut impl Counts) {
    let ring = Zones::of(side, position.king(side)).ring();
    let pieces = position.of(side);
    let holes = ring.without(pieces | own.by_others);
    let attacked = (holes & enemy.once).count() as i32;
    let quiet = holes.count() as i32 - attacked;
    let hand = position.hand(side.other());
    let units: i32 = Kind::DROPPABLE
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
fn loose(position: &Position, side: Side, own: &Control, enemy: &Control, into: &mut impl Counts) {
    let pieces = position.of(side);
    let worth = |squares: Bitboard| -> i32 {
        squares.into_iter().map(|square| ON_BOARD[position.piece_on(square).kind().index()]).sum::<i32>() / 32
    };
    let attacked = pieces & enemy.once;
    into.add(term::LOOSE, worth(pieces & own.once));
    into.add(term::LOOSE + 1, worth(attacked));
    into.add(term::LOOSE + 2, worth(attacked.without(own.once)));
}

#[inline(always)]
fn activity(position: &Position, side: Side, into: &mut impl Counts) {
    let occupied = position.occupied();
    for square in position.pieces(side, Kind::ROOK) {
        into.add(term::ROOK_AHEAD, lance_attacks(side, square, occupied).without(occupied).count() as i32);
    }
}

/// The terms as a table.
pub fn explain(position: &Position) -> String {
    let [black, white] = count(position, [[0; term::COUNT]; 2]);
    let mut text = format!("{:<12} {:>8} {:>8} {:>8}\n", "term", "Black", "White", "balance");
    let _ = writeln!(text, "{:<12} {:>26}", "material", position.balance());
    let mut begin = 0;
    for (name, end) in GROUPS {
        let sum = |counts: &[i32]| (begin..end).map(|term| counts[term] * WEIGHTS[term]).sum::<i32>() / 16;
        let (black, white) = (sum(&black), sum(&white));
        let _ = writeln!(text, "{name:<12} {black:>8} {white:>8} {:>8}", black - white);
        begin = end;
    }
    for side in [Side::First, Side::Second] {
        if let Some(Built { name, pieces, of }) = castles::castle(position, side) {
            let _ = writeln!(text, "{} has {pieces} of {of} pieces of the castle {name}", colour(side));
        }
    }
    let tempo = if position.side_to_move() == Side::First { weights::TEMPO } else { -weights::TEMPO };
    let _ = write!(
        text,
        "{:<12} {tempo:>26}\n{} to move: {}",
        "tempo",
        colour(position.side_to_move()),
        evaluate(position)
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::sfen::parse;

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
            crate::shogi::handicap::START,
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        ] {
            let turned = turned(sfen);
            assert_eq!(
                evaluate(&parse(sfen).unwrap()),
                evaluate(&parse(&turned).unwrap()),
                "{sfen} | {turned}"
            );
        }
    }

    #[test]
    fn the_kernels_agree() {
        let mut position = parse(crate::shogi::handicap::START).unwrap();
        let mut random = 1u64;
        for _ in 0..400 {
            assert_eq!(sums(&position), count::<Sum>(&position, [Sum(0); 2]));
            let weighed: i32 =
                counts(&position).iter().zip(WEIGHTS).map(|(count, weight)| count * weight).sum();
            assert_eq!(sums(&position)[0].0 - sums(&position)[1].0, weighed);
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
        let up = parse("lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1").unwrap();
        assert!(evaluate(&up) > 600);
        evaluate(&parse("4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1").unwrap());
    }
}
