//! The static value of a position: material, control of the kings' surroundings, loose pieces.
//!
//! The cut follows YaneuraOu's hand-made evaluation: attacks on every square count, the more the
//! nearer the square is to either king. Attack sets are kept as bitboards "once" and "twice", so
//! that a zone is weighed by counting bits.

mod control;
mod weights;
mod zones;

use std::fmt::Write;

use crate::game::Side;
use crate::shogi::attacks::lance_attacks;
use crate::shogi::material::ON_BOARD;
use crate::shogi::position::Position;
use crate::shogi::sfen::colour;
use crate::shogi::types::Kind;
use control::Control;
use zones::Zones;

/// The terms of one side, all from that side's view.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
struct Terms {
    /// Own and enemy control around the own king.
    safety: i32,
    /// Neighbours of the own king.
    castle: i32,
    /// Own pieces defended, attacked and hanging.
    loose: i32,
    /// Rooks with room ahead.
    activity: i32,
}

impl Terms {
    fn sum(&self) -> i32 {
        self.safety + self.castle + self.loose + self.activity
    }
}

/// Value for the side to move.
#[inline]
pub fn evaluate(position: &Position) -> i32 {
    let [black, white] = terms(position);
    let balance = position.balance() + black.sum() - white.sum();
    let value = if position.side_to_move() == Side::First { balance } else { -balance };
    value + weights::TEMPO
}

#[inline]
fn terms(position: &Position) -> [Terms; 2] {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has the features the function is compiled for.
        return unsafe { terms_with_bits(position) };
    }
    terms_anywhere(position)
}

/// [`terms_anywhere`] compiled for the bit instructions of x86-64 processors since 2013.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn terms_with_bits(position: &Position) -> [Terms; 2] {
    terms_anywhere(position)
}

#[inline(always)]
fn terms_anywhere(position: &Position) -> [Terms; 2] {
    let controls = [Side::First, Side::Second].map(|side| Control::of(position, side));
    [Side::First, Side::Second].map(|side| {
        let (own, enemy) = (&controls[side.index()], &controls[side.other().index()]);
        Terms {
            safety: safety(position, side, own, enemy),
            castle: castle(position, side, own, enemy),
            loose: loose(position, side, own, enemy),
            activity: activity(position, side),
        }
    })
}

#[inline(always)]
fn safety(position: &Position, side: Side, own: &Control, enemy: &Control) -> i32 {
    let zones = Zones::of(side, position.king(side));
    let mut sum = 0;
    for (i, &zone) in zones.0.iter().enumerate() {
        sum += (own.once & zone).count() as i32 * weights::DEFENCE[0][i];
        sum += (own.twice & zone).count() as i32 * weights::DEFENCE[1][i];
        sum -= (enemy.once & zone).count() as i32 * weights::OFFENCE[0][i];
        sum -= (enemy.twice & zone).count() as i32 * weights::OFFENCE[1][i];
    }
    sum
}

#[inline(always)]
fn castle(position: &Position, side: Side, own: &Control, enemy: &Control) -> i32 {
    let ring = Zones::of(side, position.king(side)).ring();
    let walls = (ring & position.of(side)).count() as i32;
    let holes = ring.without(position.of(side) | own.by_others);
    let attacked = (holes & enemy.once).count() as i32;
    let quiet = holes.count() as i32 - attacked;
    let hand = position.hand(side.other());
    let units: i32 = Kind::DROPPABLE
        .iter()
        .zip(weights::HAND_UNITS)
        .map(|(&kind, units)| units * hand.count(kind) as i32)
        .sum();
    let units = units.min(weights::HAND_UNITS_LIMIT);
    walls * weights::NEIGHBOUR
        - quiet * (weights::HOLE[0] + units * weights::HOLE_HAND[0])
        - attacked * (weights::HOLE[1] + units * weights::HOLE_HAND[1])
}

#[inline(always)]
fn loose(position: &Position, side: Side, own: &Control, enemy: &Control) -> i32 {
    let pieces = position.of(side);
    let (mut defended, mut attacked, mut hanging) = (0, 0, 0);
    let under_attack = pieces & enemy.once;
    for square in pieces & own.once {
        defended += ON_BOARD[position.piece_on(square).kind().index()];
    }
    for square in under_attack {
        let value = ON_BOARD[position.piece_on(square).kind().index()];
        attacked += value;
        if !own.once.has(square) {
            hanging += value;
        }
    }
    (defended * weights::DEFENDED - attacked * weights::ATTACKED - hanging * weights::HANGING) / 4096
}

#[inline(always)]
fn activity(position: &Position, side: Side) -> i32 {
    let rooks = position.pieces(side, Kind::ROOK);
    let occupied = position.occupied();
    rooks
        .into_iter()
        .map(|square| lance_attacks(side, square, occupied).without(occupied).count() as i32)
        .sum::<i32>()
        * weights::ROOK_AHEAD
}

/// The terms as a table.
pub fn explain(position: &Position) -> String {
    let [black, white] = terms(position);
    let mut text = format!("{:<10} {:>8} {:>8} {:>8}\n", "term", "Black", "White", "balance");
    let _ = writeln!(text, "{:<10} {:>26}", "material", position.balance());
    let rows = [
        ("safety", black.safety, white.safety),
        ("castle", black.castle, white.castle),
        ("loose", black.loose, white.loose),
        ("activity", black.activity, white.activity),
    ];
    for (name, black, white) in rows {
        let _ = writeln!(text, "{name:<10} {black:>8} {white:>8} {:>8}", black - white);
    }
    let _ = write!(
        text,
        "{:<10} {:>26}\n{} to move: {}",
        "tempo",
        weights::TEMPO,
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
            assert_eq!(terms(&position), terms_anywhere(&position));
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
