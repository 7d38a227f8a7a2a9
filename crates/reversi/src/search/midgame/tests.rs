use super::*;
use crate::rules::board::{squares, symmetric};
use crate::rules::simd;
use crate::search::endgame::tests::random_board;
use kaeshi_core::game::SearchMemory as _;

/// Minimax over the rules, the evaluation at `depth` 0.
fn minimax(weights: &ReversiWeights, board: ReversiBoard, depth: u32) -> i32 {
    let moves = board.moves();
    if moves == 0 {
        let other = board.passed();
        return if other.moves() == 0 { board.final_score() } else { -minimax(weights, other, depth) };
    }
    if depth == 0 {
        let value = weights.value(board, &Indices::new(board));
        return (value + value.signum() * UNITS / 2) / UNITS;
    }
    let values = squares(moves).map(|s| -minimax(weights, board.after(s, board.flips(s)), depth - 1));
    values.max().unwrap_or(0)
}

fn search(board: ReversiBoard, depth: u32, weights: &ReversiWeights) -> (i32, Sequence) {
    let memory = ReversiMemory::with_bytes(1 << 20).expect("a small table");
    let (control, mut context) = (SearchControl::free(), EndgameContext::new().expect("memory"));
    let mut search = MidgameSearch::new(&memory, weights, &control, &mut context, 1);
    let mut line = Sequence::new();
    let node = IndexedBoard::new(board);
    let job = Principal { search: &mut search, node: &node, window: (-64, 64), depth, line: &mut line };
    let value = simd::run(simd::best(), job).expect("nothing stops it");
    (value, line)
}

#[test]
fn full_width_searches_agree_with_minimax() {
    let weights = ReversiWeights::by_hand();
    let mut seed = 1;
    for i in 0..60 {
        let Some(board) = random_board(&mut seed, 20 + i % 30) else { continue };
        let depth = 1 + i % 4;
        assert_eq!(
            search(board, depth, &weights).0,
            minimax(&weights, board, depth),
            "{board:?} depth {depth}"
        );
    }
}

#[test]
fn searches_to_the_end_are_exact_in_all_mirrors_and_show_how() {
    let weights = ReversiWeights::by_hand();
    let mut seed = 77;
    for i in 0..12 {
        let Some(board) = random_board(&mut seed, 11 + i % 4) else { continue };
        let (exact, line) = search(board, 60, &weights);
        let mirrored = ReversiBoard { me: symmetric(board.me, 5), opponent: symmetric(board.opponent, 5) };
        assert_eq!(search(mirrored, 60, &weights).0, exact);
        let (mut end, mut sign) = (board, 1);
        for square in line {
            end = if square == NO_MOVE {
                end.passed()
            } else {
                end.after(usize::from(square), end.flips(usize::from(square)))
            };
            sign = -sign;
        }
        assert!(end.is_over(), "the line leads to the end");
        assert_eq!(sign * end.final_score(), exact);
    }
}
