//! The exact solver, compared with plain alpha-beta that knows nothing but the rules.

use kaeshi_reversi::Reversi;
use kaeshi_reversi::rules::board::{ReversiBoard, squares, symmetric};
use kaeshi_reversi::rules::notation;
use kaeshi_reversi::rules::position::ReversiPosition;
use kaeshi_reversi::search::solver::{ReversiSolver, SolveQuestion};

/// The result with best play: minimax with the usual cut and nothing else.
fn plain(board: ReversiBoard, alpha: i32, beta: i32) -> i32 {
    let moves = board.moves();
    if moves == 0 {
        let other = board.passed();
        return if other.moves() == 0 { board.final_score() } else { -plain(other, -beta, -alpha) };
    }
    let mut next: Vec<(u32, ReversiBoard)> = squares(moves)
        .map(|square| {
            let next = board.after(square, board.flips(square));
            (next.moves().count_ones(), next)
        })
        .collect();
    next.sort_by_key(|reply| reply.0);
    let mut best = -65;
    for (_, board) in next {
        best = best.max(-plain(board, -beta, -alpha.max(best)));
        if best >= beta {
            break;
        }
    }
    best
}

/// A position of a random game.
fn random_board(seed: &mut u64, empties: u32) -> ReversiBoard {
    loop {
        let mut board = ReversiBoard::START;
        while board.empties() > empties && !board.is_over() {
            let moves = board.moves();
            if moves == 0 {
                board = board.passed();
                continue;
            }
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let nth = (*seed >> 33) as usize % moves.count_ones() as usize;
            let square = squares(moves).nth(nth).expect("there are as many moves");
            board = board.after(square, board.flips(square));
        }
        if board.empties() == empties && !board.is_over() {
            return board;
        }
    }
}

#[test]
fn a_thousand_positions_of_10_to_14_empties_are_solved_exactly() {
    let mut solver = ReversiSolver::new(Reversi::default(), 4 << 20, 1).expect("a small table");
    let mut seed = 20_261_120;
    for i in 0..1000 {
        // Most of them small: the plain search takes five times as long for each square.
        let empties = match i % 100 {
            0 => 14,
            1..=4 => 13,
            5..=16 => 12,
            17..=40 => 11,
            _ => 10,
        };
        let board = random_board(&mut seed, empties);
        let mut position = ReversiPosition { board, ..ReversiPosition::START };
        let solution = solver.solve(&position, SolveQuestion::Score).expect("no interrupt");
        assert_eq!(solution.score, plain(board, -65, 65), "{}", notation::format_position(&position));
        let me = position.side;
        solution.line.iter().for_each(|&turn| position.play(turn));
        let sign = if position.side == me { 1 } else { -1 };
        assert!(position.board.is_over(), "the line leads to the end");
        assert_eq!(sign * position.board.final_score(), solution.score);
    }
}

#[test]
fn the_eight_symmetries_have_the_same_score() {
    let mut solver = ReversiSolver::new(Reversi::default(), 4 << 20, 2).expect("a small table");
    let mut seed = 8;
    for empties in [12, 14, 15, 16] {
        let board = random_board(&mut seed, empties);
        let image = |s| ReversiBoard { me: symmetric(board.me, s), opponent: symmetric(board.opponent, s) };
        let mut solve = |board, question| {
            let position = ReversiPosition { board, ..ReversiPosition::START };
            solver.solve(&position, question).expect("no interrupt").score
        };
        let score = solve(board, SolveQuestion::Score);
        for symmetry in 1..8 {
            assert_eq!(solve(image(symmetry), SolveQuestion::Score), score, "symmetry {symmetry}");
        }
        assert_eq!(solve(image(3), SolveQuestion::Winner).signum(), score.signum());
    }
}
