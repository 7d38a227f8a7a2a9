//! How a book grows: the leaf most worth knowing is searched and becomes a position of the book, again and again
//! (drop-out expansion: Lincke, "Strategies for the automatic construction of opening books", 2001). The cost of a leaf
//! is the number of plies to it, plus some plies for each disc by which a move on the way is worse than the best.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::{ReversiBook, ReversiBookMove, ReversiBookRecipe, first_image};
use crate::evaluate::weights::ReversiWeights;
use crate::rules::board::{ReversiBoard, squares};
use crate::rules::simd;
use crate::search::endgame::EndgameContext;
use crate::search::memory::ReversiMemory;
use crate::search::midgame::{IndexedBoard, MidgameSearch, Principal, Sequence};
use kaeshi_core::driver::machine;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::{GameError, SearchMemory as _};
use kaeshi_core::threads;

/// Positions of one round. They are chosen together, so that the book does not depend on the number
/// of threads; a book has whole rounds only, so that interruptions change nothing.
const ROUND: usize = 16;
/// Bytes of the table of one search.
const TABLE_BYTES: usize = 8 << 20;
/// Selectivity of the searches: 95 %.
const LEVEL: u8 = 2;

/// The result of a move.
pub(super) enum Next {
    /// To a position whose side to move can move: the first of its mirror images, and whether it is
    /// the same side's turn again.
    Position(ReversiBoard, bool),
    /// To the end, with this result for the side that moved.
    End(i32),
}

/// The result of a legal move of a board.
pub(super) fn next(board: ReversiBoard, square: u8) -> Next {
    let square = usize::from(square);
    let after = board.after(square, board.flips(square));
    if after.moves() != 0 {
        Next::Position(first_image(after).0, false)
    } else if after.passed().moves() != 0 {
        Next::Position(first_image(after.passed()).0, true)
    } else {
        Next::End(-after.final_score())
    }
}

/// The `value` of the position after a move, seen by the side that made it.
fn seen_before(value: i32, same_side: bool) -> i32 {
    if same_side { value } else { -value }
}

impl ReversiBook {
    /// The same book, each move with the minimax value of the position after it.
    pub(super) fn propagated(&self) -> ReversiBook {
        let mut book = self.clone();
        let mut values: BTreeMap<ReversiBoard, i32> = BTreeMap::new();
        // Every move fills a square: fuller boards come first.
        for board in self.by_empties() {
            let Some(moves) = book.positions.get_mut(&board) else { continue };
            for known in moves.iter_mut() {
                if let Next::Position(child, same_side) = next(board, known.square)
                    && let Some(&value) = values.get(&child)
                {
                    known.value = seen_before(value, same_side) as i8;
                }
            }
            let best = moves.iter().map(|known| i32::from(known.value)).max();
            values.insert(board, best.unwrap_or(0));
        }
        book
    }

    /// All positions, the fewest empty squares first.
    fn by_empties(&self) -> Vec<ReversiBoard> {
        let mut boards: Vec<ReversiBoard> = self.positions.keys().copied().collect();
        boards.sort_by_key(|board| board.empties());
        boards
    }

    /// The `count` positions most worth searching next, in a fixed order.
    fn leaves(&self, count: usize) -> Vec<ReversiBoard> {
        let start = first_image(ReversiBoard::START).0;
        if self.is_empty() {
            return vec![start];
        }
        let valued = self.propagated();
        let mut costs = BTreeMap::from([(start, 0)]);
        let mut leaves: BTreeMap<ReversiBoard, u32> = BTreeMap::new();
        for board in self.by_empties().into_iter().rev() {
            let (Some(&cost), Some(moves)) = (costs.get(&board), valued.positions.get(&board)) else {
                continue;
            };
            let best = moves.iter().map(|known| known.value).max().unwrap_or(0);
            for known in moves {
                let Next::Position(child, _) = next(board, known.square) else { continue };
                let behind = best.abs_diff(known.value);
                let cost = cost + 1 + u32::from(behind) * self.recipe.disc_plies;
                let known = if self.positions.contains_key(&child) { &mut costs } else { &mut leaves };
                let least = known.entry(child).or_insert(cost);
                *least = cost.min(*least);
            }
        }
        let mut leaves: Vec<(u32, ReversiBoard)> =
            leaves.into_iter().map(|(board, cost)| (cost, board)).collect();
        leaves.sort_unstable();
        leaves.truncate(count);
        leaves.into_iter().map(|(_, board)| board).collect()
    }
}

/// Expands a book.
#[derive(Debug)]
pub struct Grower {
    weights: Arc<ReversiWeights>,
    threads: usize,
}

impl Grower {
    /// A grower by the weights of this program, with `threads` threads.
    ///
    /// # Errors
    /// No weights.
    pub fn new(threads: usize) -> Result<Grower, GameError> {
        let granted = threads.max(1).min(machine::room_for_threads(threads).max(1));
        threads::report_granted(granted, threads);
        Ok(Grower { weights: ReversiWeights::embedded()?, threads: granted })
    }

    /// The recipe of a book that grows here.
    pub fn recipe(&self, depth: u32, disc_plies: u32) -> ReversiBookRecipe {
        ReversiBookRecipe { depth, disc_plies, evaluation: self.weights.label() }
    }

    /// Lets a book grow by one round; false if there is nothing left to search.
    ///
    /// # Errors
    /// There is no memory for the searches.
    pub fn round(&self, book: &mut ReversiBook) -> Result<bool, GameError> {
        let leaves = book.leaves(ROUND);
        let depth = book.recipe.depth;
        let values: Vec<OnceLock<Result<Vec<ReversiBookMove>, GameError>>> =
            leaves.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        threads::side_by_side(self.threads.min(leaves.len()), leaves.len(), |_| {
            while let Some((&board, value)) = {
                let index = next.fetch_add(1, Ordering::Relaxed);
                leaves.get(index).zip(values.get(index))
            } {
                let _ = value.set(self.values(board, depth));
            }
        });
        for (&board, value) in leaves.iter().zip(values) {
            if let Some(value) = value.into_inner() {
                book.positions.insert(board, value?);
            }
        }
        Ok(!leaves.is_empty())
    }

    /// The values of all moves that lead to different positions.
    fn values(&self, board: ReversiBoard, depth: u32) -> Result<Vec<ReversiBookMove>, GameError> {
        let memory = ReversiMemory::with_bytes(TABLE_BYTES)?;
        let (control, mut context) = (SearchControl::free(), EndgameContext::new()?);
        let mut seen: Vec<ReversiBoard> = Vec::new();
        let mut moves = Vec::new();
        for square in squares(board.moves()).map(|square| square as u8) {
            let value = match next(board, square) {
                Next::End(result) => result,
                Next::Position(child, _) if seen.contains(&child) => continue,
                Next::Position(child, same_side) => {
                    seen.push(child);
                    let mut search = MidgameSearch::new(&memory, &self.weights, &control, &mut context, 1);
                    search.level = LEVEL;
                    let (node, mut line) = (IndexedBoard::new(child), Sequence::new());
                    let window = (-64, 64);
                    let depth = depth - 1;
                    let job = Principal { search: &mut search, node: &node, window, depth, line: &mut line };
                    // A free control never stops a search.
                    seen_before(simd::run(simd::best(), job).unwrap_or(0), same_side)
                }
            };
            moves.push(ReversiBookMove { square, value: value as i8 });
        }
        Ok(moves)
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn grown(rounds: usize, threads: usize, mut book: ReversiBook) -> ReversiBook {
        let grower = Grower::new(threads).expect("threads");
        (0..rounds).for_each(|_| assert!(grower.round(&mut book).expect("memory")));
        book
    }

    #[test]
    fn threads_and_interruptions_change_nothing() {
        let recipe = Grower::new(1).expect("a thread").recipe(2, 1);
        let whole = grown(4, 1, ReversiBook::new(recipe.clone()));
        let half = grown(2, 2, ReversiBook::new(recipe));
        assert!(half.len() < whole.len());
        let again = ReversiBook::parse(&half.format()).expect("what was written");
        assert_eq!(grown(2, 2, again).format(), whole.format());
    }

    #[test]
    fn values_come_from_the_leaves() {
        let recipe = Grower::new(1).expect("a thread").recipe(2, 1);
        let book = grown(3, 1, ReversiBook::new(recipe));
        fn minimax(book: &ReversiBook, board: ReversiBoard) -> Option<i32> {
            let moves = book.positions.get(&board)?;
            let value = |known: &ReversiBookMove| match next(board, known.square) {
                Next::End(result) => result,
                Next::Position(child, same_side) => {
                    minimax(book, child).map_or(i32::from(known.value), |value| seen_before(value, same_side))
                }
            };
            moves.iter().map(value).max()
        }
        let start = first_image(ReversiBoard::START).0;
        let known_best = book.propagated().positions[&start].iter().map(|known| i32::from(known.value)).max();
        assert_eq!(known_best, minimax(&book, start));
        // The four first moves lead to mirror images of one position.
        assert_eq!(book.positions[&start].len(), 1);
    }
}
