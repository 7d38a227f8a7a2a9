//! Counting move sequences.

use crate::rules::board::ReversiBoard;
use crate::rules::simd::{self, Isa, IsaJob, IsaLevel};

/// Number of sequences of `depth` turns, those that end the game sooner included, as the published
/// numbers count them; a pass is a turn. The last ply is counted without being played.
pub fn perft(board: ReversiBoard, depth: u32) -> u64 {
    perft_with(simd::best(), board, depth)
}

/// The same with chosen processor features.
pub fn perft_with(level: IsaLevel, board: ReversiBoard, depth: u32) -> u64 {
    simd::run(level, PerftCount { board, moves: None, depth })
}

/// The same as [`perft`], with every turn of the last ply played.
pub fn perft_making_all(board: ReversiBoard, depth: u32) -> u64 {
    simd::run(simd::best(), Make { board, depth })
}

struct PerftCount {
    board: ReversiBoard,
    moves: Option<u64>,
    depth: u32,
}

struct Make {
    board: ReversiBoard,
    depth: u32,
}

impl IsaJob for Make {
    type Output = u64;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> u64 {
        let Make { board, depth } = self;
        if depth == 0 {
            return 1;
        }
        let mut left = isa.moves(board.me, board.opponent);
        if left == 0 {
            let ended = isa.moves(board.opponent, board.me) == 0;
            return if ended { 1 } else { isa.run(Make { board: board.passed(), depth: depth - 1 }) };
        }
        let mut sum = 0;
        while left != 0 {
            let square = left.trailing_zeros() as usize;
            left &= left - 1;
            let next = board.after(square, isa.flips(square, board.me, board.opponent));
            sum += isa.run(Make { board: next, depth: depth - 1 });
        }
        sum
    }
}

impl IsaJob for PerftCount {
    type Output = u64;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> u64 {
        let PerftCount { board, moves, depth } = self;
        if depth == 0 {
            return 1;
        }
        let mut left = moves.unwrap_or_else(|| isa.moves(board.me, board.opponent));
        if depth == 1 && left != 0 {
            return u64::from(left.count_ones());
        }
        if left == 0 {
            let replies = isa.moves(board.opponent, board.me);
            if replies == 0 {
                return 1;
            }
            return isa.run(PerftCount { board: board.passed(), moves: Some(replies), depth: depth - 1 });
        }
        let mut sum = 0;
        while left != 0 {
            let square = left.trailing_zeros() as usize;
            left &= left - 1;
            let next = board.after(square, isa.flips(square, board.me, board.opponent));
            let replies = isa.moves(next.me, next.opponent);
            sum += if depth == 2 && replies != 0 {
                u64::from(replies.count_ones())
            } else {
                isa.run(PerftCount { board: next, moves: Some(replies), depth: depth - 1 })
            };
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of the usual start position by depth.
    const START: [u64; 10] = [1, 4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288];

    #[test]
    fn the_start_position_has_the_known_numbers() {
        for (depth, &expected) in (0..).zip(&START) {
            assert_eq!(perft(ReversiBoard::START, depth), expected, "depth {depth}");
            assert_eq!(perft_making_all(ReversiBoard::START, depth), expected, "depth {depth}");
        }
    }

    #[test]
    fn every_set_of_features_counts_alike() {
        for level in simd::levels() {
            assert_eq!(perft_with(level, ReversiBoard::START, 8), START[8], "{level:?}");
        }
    }

    #[test]
    fn a_pass_is_a_ply_and_a_finished_game_counts_once() {
        let stuck = ReversiBoard { me: 0b0100_0000, opponent: 0b0000_0001 };
        assert_eq!((perft(stuck, 1), perft(stuck, 5)), (1, 1));
        let pass = ReversiBoard { me: 0b0000_0010, opponent: 0b0000_0001 };
        assert_eq!((perft(pass, 1), perft(pass, 2), perft(pass, 3)), (1, 1, 1));
        assert_eq!((perft_making_all(stuck, 5), perft_making_all(pass, 3)), (1, 1));
    }
}
