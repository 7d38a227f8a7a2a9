use super::*;
use crate::rules::board::squares;
use crate::rules::simd;

/// The rules and nothing else.
fn minimax(board: ReversiBoard) -> i32 {
    let moves = board.moves();
    if moves == 0 {
        let other = board.passed();
        return if other.moves() == 0 { board.final_score() } else { -minimax(other) };
    }
    squares(moves).map(|square| -minimax(board.after(square, board.flips(square)))).max().unwrap_or(0)
}

/// A position of a random game with `empties` empty squares, or none if the game ended before.
pub fn random_board(seed: &mut u64, empties: u32) -> Option<ReversiBoard> {
    let mut board = ReversiBoard::START;
    while board.empties() > empties {
        let moves = board.moves();
        if moves == 0 {
            if board.is_over() {
                return None;
            }
            board = board.passed();
            continue;
        }
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let square = squares(moves).nth((*seed >> 33) as usize % moves.count_ones() as usize)?;
        board = board.after(square, board.flips(square));
    }
    Some(board)
}

#[test]
fn null_windows_agree_with_minimax() {
    let mut seed = 2026;
    for level in simd::levels() {
        let mut context = EndgameContext::new().expect("memory");
        for i in 0..300 {
            let Some(board) = random_board(&mut seed, i % 9) else { continue };
            let exact = minimax(board);
            for alpha in [-40, exact - 3, exact - 1, exact, exact + 1, 30] {
                let value = simd::run(level, EndgameSolve { context: &mut context, board, alpha });
                assert_eq!(value > alpha, exact > alpha, "{level:?} {board:?} {exact} {alpha} {value}");
                assert!(if value > alpha { value <= exact } else { value >= exact });
            }
        }
    }
}
