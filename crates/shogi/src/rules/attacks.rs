//! The squares that each kind of piece attacks, and the lines of the board.
//!
//! Steps are looked up. Sliders subtract: taking the slider's bit from the blockers of its line
//! lets the borrow run to the first blocker, and for the other direction the bytes are reversed,
//! since a rank or a diagonal has at most one square in each byte (hyperbola quintessence; on the
//! shogi board by Qugiy, WCSC 31, 2021).

use crate::rules::bitboard::{Bitboard, SHIFTS_ARE_CALLS};
use crate::rules::types::{PieceKind, Square};
use kaeshi_core::game::Side;

type PerSquare = [Bitboard; 128];

const N: (i8, i8) = (0, -1);
const S: (i8, i8) = (0, 1);
const E: (i8, i8) = (-1, 0);
const W: (i8, i8) = (1, 0);
const NE: (i8, i8) = (-1, -1);
const NW: (i8, i8) = (1, -1);
const SE: (i8, i8) = (-1, 1);
const SW: (i8, i8) = (1, 1);
const ORTHOGONAL: [(i8, i8); 4] = [N, S, E, W];
const DIAGONAL: [(i8, i8); 4] = [NE, NW, SE, SW];

const fn shifted(square: Square, (files, ranks): (i8, i8)) -> Option<Square> {
    let (file, rank) = (square.file() as i8 + files, square.rank() as i8 + ranks);
    if file < 0 || file > 8 || rank < 0 || rank > 8 {
        None
    } else {
        Some(Square::new(file as u8, rank as u8))
    }
}

const fn steps(directions: &[(i8, i8)], flip: bool) -> PerSquare {
    let mut table = [Bitboard::EMPTY; 128];
    let mut square = 0;
    while square < 81 {
        let mut i = 0;
        while i < directions.len() {
            let (files, ranks) = directions[i];
            if let Some(to) = shifted(Square(square as u8), (files, if flip { -ranks } else { ranks })) {
                table[square].0 |= 1 << to.0;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const fn rays(directions: &[(i8, i8)], flip: bool) -> PerSquare {
    let mut table = [Bitboard::EMPTY; 128];
    let mut square = 0;
    while square < 81 {
        let mut i = 0;
        while i < directions.len() {
            let (files, ranks) = directions[i];
            let direction = (files, if flip { -ranks } else { ranks });
            let mut at = Square(square as u8);
            while let Some(to) = shifted(at, direction) {
                table[square].0 |= 1 << to.0;
                at = to;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const fn kind_steps(flip: bool) -> [PerSquare; 16] {
    let none = [Bitboard::EMPTY; 128];
    let gold = steps(&[N, NE, NW, E, W, S], flip);
    [
        steps(&[N], flip),
        none,
        steps(&[(-1, -2), (1, -2)], flip),
        steps(&[N, NE, NW, SE, SW], flip),
        none,
        none,
        gold,
        steps(&[N, NE, NW, E, W, SE, S, SW], flip),
        gold,
        gold,
        gold,
        gold,
        steps(&ORTHOGONAL, flip),
        steps(&DIAGONAL, flip),
        none,
        none,
    ]
}

/// The steps of each kind; for horse and dragon those beyond bishop and rook, for sliders none.
static STEPS: [[PerSquare; 16]; 2] = [kind_steps(false), kind_steps(true)];
static FILE: PerSquare = rays(&[N, S], false);
static RANK: PerSquare = rays(&[E, W], false);
static RISING: PerSquare = rays(&[NE, SW], false);
static FALLING: PerSquare = rays(&[NW, SE], false);
static ROOK: PerSquare = rays(&ORTHOGONAL, false);
static BISHOP: PerSquare = rays(&DIAGONAL, false);
static LANCE: [PerSquare; 2] = [rays(&[N], false), rays(&[N], true)];

const fn betweens() -> [PerSquare; 81] {
    let mut table = [[Bitboard::EMPTY; 128]; 81];
    let mut square = 0;
    while square < 81 {
        let mut i = 0;
        while i < 8 {
            let direction = if i < 4 { ORTHOGONAL[i] } else { DIAGONAL[i - 4] };
            let mut passed = 0;
            let mut at = Square(square as u8);
            while let Some(to) = shifted(at, direction) {
                table[square][to.index()] = Bitboard(passed);
                passed |= 1 << to.0;
                at = to;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const fn lines() -> [PerSquare; 81] {
    let mut table = [[Bitboard::EMPTY; 128]; 81];
    let mut square = 0;
    while square < 81 {
        let mut i = 0;
        while i < 8 {
            let (files, ranks) = if i < 4 { ORTHOGONAL[i] } else { DIAGONAL[i - 4] };
            let mut line = 1u128 << square;
            let mut at = Square(square as u8);
            while let Some(to) = shifted(at, (files, ranks)) {
                line |= 1 << to.0;
                at = to;
            }
            at = Square(square as u8);
            while let Some(to) = shifted(at, (-files, -ranks)) {
                line |= 1 << to.0;
                at = to;
            }
            at = Square(square as u8);
            while let Some(to) = shifted(at, (files, ranks)) {
                table[square][to.index()] = Bitboard(line);
                at = to;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

static BETWEEN: [PerSquare; 81] = betweens();
static LINE: [PerSquare; 81] = lines();

/// The squares from which pieces of the other side could attack the king's neighbourhood on an empty board.
struct KingReach {
    steps: [PerSquare; 2],
    lance: [PerSquare; 2],
    bishop: PerSquare,
    rook: PerSquare,
}

const fn gather(reach: &[&PerSquare]) -> PerSquare {
    let king = steps(&[N, NE, NW, E, W, SE, S, SW], false);
    let mut table = [Bitboard::EMPTY; 128];
    let mut square = 0;
    while square < 81 {
        let mut ring = king[square].0;
        while ring != 0 {
            let at = ring.trailing_zeros() as usize;
            let mut i = 0;
            while i < reach.len() {
                table[square].0 |= reach[i][at].0;
                i += 1;
            }
            ring &= ring - 1;
        }
        square += 1;
    }
    table
}

static REACH: KingReach = {
    let own = kind_steps(false);
    let other = kind_steps(true);
    // A piece of the other side attacks this square from where an own one here would attack it.
    KingReach {
        steps: [gather(&[&own[2], &own[7]]), gather(&[&other[2], &other[7]])],
        lance: [gather(&[&rays(&[N], false)]), gather(&[&rays(&[N], true)])],
        bishop: gather(&[&rays(&DIAGONAL, false)]),
        rook: gather(&[&rays(&ORTHOGONAL, false)]),
    }
};

/// The squares strictly between two squares of a line; none if there is no line.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.0 as usize][b.index()]
}

/// The whole line through two squares, both included; empty if there is none.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.0 as usize][b.index()]
}

/// The steps of `kind`; for horse and dragon only those beyond bishop and rook.
#[inline(always)]
pub fn step_attacks(side: Side, kind: PieceKind, square: Square) -> Bitboard {
    STEPS[side.index()][kind.index()][square.index()]
}

#[inline(always)]
fn along(mask: Bitboard, square: Square, occupied: Bitboard) -> Bitboard {
    if SHIFTS_ARE_CALLS {
        // No instruction reverses bytes there, either.
        return along_by_rays(mask, square, occupied);
    }
    let bit = 1u128 << square.0;
    let blockers = occupied.0 & mask.0;
    let up = blockers.wrapping_sub(bit);
    let down = blockers.swap_bytes().wrapping_sub(bit.swap_bytes()).swap_bytes();
    Bitboard((up ^ down) & mask.0)
}

/// The squares behind each square.
static ABOVE: PerSquare = {
    let mut table = [Bitboard::EMPTY; 128];
    let mut square = 0;
    while square < 81 {
        table[square] = Bitboard(!0 << square << 1);
        square += 1;
    }
    table
};

/// [`along`] as one ray to each side.
#[inline(always)]
fn along_by_rays(mask: Bitboard, square: Square, occupied: Bitboard) -> Bitboard {
    let above = ABOVE[square.index()];
    upwards(mask & above, occupied) | downwards(mask.without(above), occupied)
}

#[inline(always)]
fn upwards(ray: Bitboard, occupied: Bitboard) -> Bitboard {
    let blockers = occupied.0 & ray.0;
    Bitboard((blockers ^ blockers.wrapping_sub(1)) & ray.0)
}

#[inline(always)]
fn downwards(ray: Bitboard, occupied: Bitboard) -> Bitboard {
    // With no blocker the fill starts at bit 0, which covers the whole ray.
    let blockers = occupied.0 & ray.0 | 1;
    let fill =
        if SHIFTS_ARE_CALLS { fill_from_last(blockers) } else { !0 << (127 - blockers.leading_zeros()) };
    Bitboard(fill & ray.0)
}

/// The last bit of a set that is not empty, and all behind it, by shifts of 64 bits.
#[inline(always)]
fn fill_from_last(bits: u128) -> u128 {
    let (low, high) = (bits as u64, (bits >> 64) as u64);
    let fill = |half: u64| !0u64 << (63 - half.leading_zeros());
    let (low, high) = if high == 0 { (fill(low | 1), !0) } else { (0, fill(high)) };
    u128::from(high) << 64 | u128::from(low)
}

/// The squares that a lance attacks.
#[inline(always)]
pub fn lance_attacks(side: Side, square: Square, occupied: Bitboard) -> Bitboard {
    match side {
        Side::First => downwards(LANCE[0][square.index()], occupied),
        Side::Second => upwards(LANCE[1][square.index()], occupied),
    }
}

/// The squares that a bishop attacks.
#[inline(always)]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    along(RISING[square.index()], square, occupied) | along(FALLING[square.index()], square, occupied)
}

/// The squares that a rook attacks.
#[inline(always)]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    along(RANK[square.index()], square, occupied)
        | downwards(LANCE[0][square.index()], occupied)
        | upwards(LANCE[1][square.index()], occupied)
}

/// The squares that a piece attacks, given the occupied squares.
#[inline(always)]
pub fn attacks(side: Side, kind: PieceKind, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceKind::LANCE => lance_attacks(side, square, occupied),
        PieceKind::BISHOP => bishop_attacks(square, occupied),
        PieceKind::ROOK => rook_attacks(square, occupied),
        PieceKind::HORSE => bishop_attacks(square, occupied) | step_attacks(side, kind, square),
        PieceKind::DRAGON => rook_attacks(square, occupied) | step_attacks(side, kind, square),
        _ => step_attacks(side, kind, square),
    }
}

/// The squares that a lance attacks on an empty board.
#[inline(always)]
pub fn lance_ray(side: Side, square: Square) -> Bitboard {
    LANCE[side.index()][square.index()]
}

/// The squares that a bishop attacks on an empty board.
#[inline(always)]
pub fn bishop_rays(square: Square) -> Bitboard {
    BISHOP[square.index()]
}

/// The squares that a rook attacks on an empty board.
#[inline(always)]
pub fn rook_rays(square: Square) -> Bitboard {
    ROOK[square.index()]
}

/// The file of a square without the square.
#[inline(always)]
pub fn file_rays(square: Square) -> Bitboard {
    FILE[square.index()]
}

/// The squares from which steps of the other side may reach a neighbour of `side`'s king.
#[inline(always)]
pub(crate) fn steps_near(side: Side, king: Square) -> Bitboard {
    REACH.steps[side.index()][king.index()]
}

/// The squares from which lances of the other side may reach a neighbour of `side`'s king.
#[inline(always)]
pub(crate) fn lances_near(side: Side, king: Square) -> Bitboard {
    REACH.lance[side.index()][king.index()]
}

/// The squares from which bishops may reach a neighbour of the king.
#[inline(always)]
pub(crate) fn bishops_near(king: Square) -> Bitboard {
    REACH.bishop[king.index()]
}

/// The squares from which rooks may reach a neighbour of the king.
#[inline(always)]
pub(crate) fn rooks_near(king: Square) -> Bitboard {
    REACH.rook[king.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(square: Square, directions: &[(i8, i8)], occupied: Bitboard) -> Bitboard {
        let mut reached = Bitboard::EMPTY;
        for &direction in directions {
            let mut at = square;
            while let Some(to) = shifted(at, direction) {
                reached |= Bitboard::of(to);
                if occupied.has(to) {
                    break;
                }
                at = to;
            }
        }
        reached
    }

    #[test]
    fn sliders_agree_with_walking() {
        let mut random = 0x9e37_79b9_7f4a_7c15_u128;
        for round in 0..2_000 {
            random = random.wrapping_mul(0xda94_2042_e4dd_58b5).rotate_left(47) ^ 0x1234_5678_9abc_def1;
            let second = random.rotate_left(61);
            let occupied = Bitboard(if round % 2 == 0 { random & second } else { random }) & Bitboard::ALL;
            for square in Square::all() {
                assert_eq!(
                    bishop_attacks(square, occupied),
                    walked(square, &DIAGONAL, occupied),
                    "bishop {square}"
                );
                for mask in [RANK[square.index()], RISING[square.index()], FALLING[square.index()]] {
                    assert_eq!(
                        along_by_rays(mask, square, occupied),
                        along(mask, square, occupied),
                        "{square}"
                    );
                }
                assert_eq!(
                    rook_attacks(square, occupied),
                    walked(square, &ORTHOGONAL, occupied),
                    "rook {square}"
                );
                assert_eq!(lance_attacks(Side::First, square, occupied), walked(square, &[N], occupied));
                assert_eq!(lance_attacks(Side::Second, square, occupied), walked(square, &[S], occupied));
            }
        }
    }

    #[test]
    fn fills_agree_with_the_shift() {
        for first in 0..128 {
            for last in first..128 {
                assert_eq!(fill_from_last(1 << first | 1 << last), !0 << last, "{first} {last}");
            }
        }
    }

    #[test]
    fn between_and_line() {
        let (a, b) = (Square::new(0, 0), Square::new(4, 4));
        assert_eq!(between(a, b).count(), 3);
        assert_eq!(line(a, b).count(), 9);
        assert!(between(a, Square::new(1, 2)).is_empty() && line(a, Square::new(1, 2)).is_empty());
    }
}
