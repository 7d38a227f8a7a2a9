//! Discs that can never be turned over again, and the bound on the result that they give.

use std::sync::LazyLock;

use crate::rules::board::ReversiBoard;

const COLUMN_A: u64 = 0x0101_0101_0101_0101;
const COLUMN_H: u64 = COLUMN_A << 7;
const ROW_1: u64 = 0xff;
const ROW_8: u64 = ROW_1 << 56;
const BORDER: u64 = COLUMN_A | COLUMN_H | ROW_1 | ROW_8;

/// Stable discs of the owner on an edge, by own and other discs of that edge.
static EDGES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut table = vec![0; 1 << 16];
    // Fuller edges first: those with fewer discs look them up.
    let mut pairs: Vec<(u8, u8)> = (0..=255)
        .flat_map(|own| (0..=255).map(move |other| (own, other)))
        .filter(|p| p.0 & p.1 == 0)
        .collect();
    pairs.sort_by_key(|p| std::cmp::Reverse((p.0 | p.1).count_ones()));
    for (own, other) in pairs {
        table[usize::from(own) << 8 | usize::from(other)] = stable_on_edge(&table, own, other);
    }
    table
});

/// The discs of `own` on an edge that stay its own whatever either side places on the empty squares of the edge.
fn stable_on_edge(table: &[u8], own: u8, other: u8) -> u8 {
    let mut stable = own;
    for square in 0..8 {
        if (own | other) >> square & 1 == 1 {
            continue;
        }
        let look = |own: u8, other: u8| table[usize::from(own) << 8 | usize::from(other)];
        let flips = edge_flips(square, own, other);
        stable &= look(own | flips | 1 << square, other & !flips);
        let flips = edge_flips(square, other, own);
        stable &= look(own & !flips, other | flips | 1 << square);
    }
    stable
}

/// Discs on one line that a disc of `me` on `square` turns over.
fn edge_flips(square: i32, me: u8, opponent: u8) -> u8 {
    let mut flips = 0;
    for step in [-1, 1] {
        let mut run = 0u8;
        let mut at = square + step;
        while (0..8).contains(&at) && opponent >> at & 1 == 1 {
            run |= 1 << at;
            at += step;
        }
        if (0..8).contains(&at) && me >> at & 1 == 1 {
            flips |= run;
        }
    }
    flips
}

/// The eight bits of column a, row 1 lowest.
#[inline(always)]
fn pack_column(set: u64) -> usize {
    ((set & COLUMN_A).wrapping_mul(0x0102_0408_1020_4080) >> 56) as usize
}

/// The inverse of [`pack_column`].
#[inline(always)]
fn unpack_column(byte: u8) -> u64 {
    (u64::from(byte & 0x7f) * 0x0000_0408_1020_4081) & COLUMN_A | u64::from(byte >> 7) << 56
}

/// The squares of full lines: rows, columns, falling and rising diagonals. Each step asks twice as
/// many squares along the line; beyond the border everything counts as filled.
#[inline(always)]
fn full_lines(filled: u64) -> [u64; 4] {
    let mut rows = filled & filled >> 4 & 0x0f0f_0f0f_0f0f_0f0f;
    rows &= rows >> 2 & 0x0303_0303_0303_0303;
    rows &= rows >> 1 & COLUMN_A;
    let mut columns = filled & filled.rotate_left(32);
    columns &= columns.rotate_left(16);
    columns &= columns.rotate_left(8);
    let (mut down, mut up) = (filled, filled);
    down &= 0xff80_8080_8080_8080 | down >> 9;
    up &= 0x0101_0101_0101_01ff | up << 9;
    down &= 0xffff_c0c0_c0c0_c0c0 | down >> 18;
    up &= 0x0303_0303_0303_ffff | up << 18;
    down &= 0xffff_ffff_f0f0_f0f0 | down >> 36;
    up &= 0x0f0f_0f0f_ffff_ffff | up << 36;
    let falling = down & up;
    let (mut down, mut up) = (filled, filled);
    down &= 0xff01_0101_0101_0101 | down >> 7;
    up &= 0x8080_8080_8080_80ff | up << 7;
    down &= 0xffff_0303_0303_0303 | down >> 14;
    up &= 0xc0c0_c0c0_c0c0_ffff | up << 14;
    down &= 0xffff_ffff_0f0f_0f0f | down >> 28;
    up &= 0xf0f0_f0f0_ffff_ffff | up << 28;
    [rows * 0xff, columns, falling, down & up]
}

/// A lower estimate of the discs of `owner` that can never be turned over.
#[inline(always)]
pub fn stable(owner: u64, other: u64) -> u64 {
    let edges = &*EDGES;
    let at = |own: usize, other: usize| edges[(own & 255) << 8 | other & 255];
    let mut stable = u64::from(at(owner as usize, other as usize))
        | u64::from(at((owner >> 56) as usize, (other >> 56) as usize)) << 56
        | unpack_column(at(pack_column(owner), pack_column(other)))
        | unpack_column(at(pack_column(owner >> 7), pack_column(other >> 7))) << 7;
    let filled = owner | other;
    let mut full = full_lines(filled);
    stable |= full[0] & full[1] & full[2] & full[3] & owner;
    // The border protects along the lines that leave the board there.
    full[0] |= COLUMN_A | COLUMN_H;
    full[1] |= ROW_1 | ROW_8;
    full[2] |= BORDER;
    full[3] |= BORDER;
    loop {
        let s = stable;
        let grown = owner
            & (full[0] | s << 1 | s >> 1)
            & (full[1] | s << 8 | s >> 8)
            & (full[2] | s << 9 | s >> 9)
            & (full[3] | s << 7 | s >> 7);
        stable |= grown;
        if stable == s {
            return stable;
        }
    }
}

/// Upper bound of the score of the side to move by the opponent's stable discs, if it is at most `alpha`. The discs are
/// not counted where they are unlikely to give such a bound.
#[inline(always)]
pub fn cutoff(board: ReversiBoard, alpha: i32, empties: u32) -> Option<i32> {
    if alpha < (2 * empties as i32 - 2).clamp(4, 56) {
        return None;
    }
    let most = 64 - 2 * stable(board.opponent, board.me).count_ones() as i32;
    (most <= alpha).then_some(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::board::squares;

    #[test]
    fn columns_are_packed_and_unpacked() {
        for byte in 0..=255u8 {
            assert_eq!(pack_column(unpack_column(byte)), usize::from(byte));
        }
    }

    #[test]
    fn full_lines_are_those_without_an_empty_square() {
        let steps = [(1, 0), (0, 1), (1, 1), (-1, 1)];
        let mut seed = 31u64;
        for round in 0..4000u32 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let empty = (0..round % 9).fold(0u64, |set, i| set | 1 << (seed >> (6 * i + 8) & 63));
            let full = full_lines(!empty);
            for square in 0..64i32 {
                for (set, (dx, dy)) in full.iter().zip(steps) {
                    let on_line = (-7..8).map(|k| (square % 8 + k * dx, square / 8 + k * dy));
                    let mut inside = on_line.filter(|(x, y)| (0..8).contains(x) && (0..8).contains(y));
                    let expected = inside.all(|(x, y)| empty >> (8 * y + x) & 1 == 0);
                    assert_eq!(set >> square & 1 == 1, expected, "{empty:#x} {square} {dx} {dy}");
                }
            }
        }
    }

    #[test]
    fn stable_discs_survive_every_continuation() {
        fn never_lost(board: ReversiBoard, mine: u64, theirs: u64, passed: bool) {
            assert_eq!(mine & !board.me, 0, "{board:?} lost {mine:#x}");
            assert_eq!(theirs & !board.opponent, 0);
            let moves = board.moves();
            if moves == 0 && !passed {
                never_lost(board.passed(), theirs, mine, true);
            }
            for square in squares(moves) {
                never_lost(board.after(square, board.flips(square)), theirs, mine, false);
            }
        }
        let mut seed = 12345u64;
        for _ in 0..60 {
            let mut board = ReversiBoard::START;
            while board.empties() > 5 {
                let moves = board.moves();
                if moves == 0 {
                    if board.is_over() {
                        break;
                    }
                    board = board.passed();
                    continue;
                }
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let nth = (seed >> 33) as usize % moves.count_ones() as usize;
                let square = squares(moves).nth(nth).expect("there are as many moves");
                board = board.after(square, board.flips(square));
            }
            let mine = stable(board.me, board.opponent);
            never_lost(board, mine, stable(board.opponent, board.me), false);
        }
    }
}
