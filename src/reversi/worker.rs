//! One search thread: alpha-beta with iterative deepening.

use std::sync::Arc;

use crate::engine::control::Control;
use crate::engine::table::{Payload, Table};
use crate::game::{Shared, Worker};
use crate::reversi::Reversi;
use crate::reversi::board::{Board, squares};
use crate::reversi::evaluate;
use crate::reversi::position::Turn;
use crate::score::Score;
use crate::search::{Line, Root, Rung, Stage, Stopped};

/// No value is that large.
const INFINITE: i32 = 30_000;

/// What the table knows of a position. So far only made to reserve the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    best: u8,
}

impl Payload for Entry {
    fn pack(self) -> u64 {
        u64::from(self.best) + 1
    }

    fn unpack(bits: u64) -> Entry {
        Entry { best: (bits - 1) as u8 }
    }

    fn worth(self) -> i32 {
        0
    }
}

/// One search thread of Reversi.
pub struct ReversiWorker {
    shared: Arc<Shared<Reversi>>,
}

impl ReversiWorker {
    /// Best value of `board` within the window, in hundredths of a disc; the line goes to `line`.
    fn alpha_beta(
        &mut self,
        board: Board,
        depth: u32,
        (mut alpha, beta): (i32, i32),
        control: &Control,
        line: &mut Vec<Turn>,
    ) -> Result<i32, Stopped> {
        control.tick()?;
        line.clear();
        let moves = board.moves();
        let mut below = Vec::new();
        if moves == 0 {
            if board.passed().moves() == 0 {
                return Ok(100 * board.final_score());
            }
            let value = -self.alpha_beta(board.passed(), depth, (-beta, -alpha), control, &mut below)?;
            line.push(Turn::Pass);
            line.append(&mut below);
            return Ok(value);
        }
        if depth == 0 {
            return Ok(evaluate::evaluate(board));
        }
        let mut replies: Vec<(u32, usize, Board)> = squares(moves)
            .map(|square| {
                let next = board.after(square, board.flips(square));
                (next.moves().count_ones(), square, next)
            })
            .collect();
        replies.sort_by_key(|reply| reply.0);
        let mut best = -INFINITE;
        for (_, square, next) in replies {
            let value = -self.alpha_beta(next, depth - 1, (-beta, -alpha), control, &mut below)?;
            if value > best {
                best = value;
                line.clear();
                line.push(Turn::Place(square as u8));
                line.extend_from_slice(&below);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }
}

impl Worker<Reversi> for ReversiWorker {
    fn new(shared: Arc<Shared<Reversi>>, _index: usize) -> ReversiWorker {
        ReversiWorker { shared }
    }

    fn new_game(&mut self) {}

    fn next_stage(&self, root: &Root<Reversi>, done: Option<Stage>) -> Option<Stage> {
        let empties = (root.position.board.empties() as u16).max(1);
        let depth = done.map_or(1, |stage| stage.depth + 1);
        (depth <= empties).then_some(Stage::depth(depth))
    }

    fn search(&mut self, root: &Root<Reversi>, stage: Stage, control: &Control) -> Rung<Reversi> {
        let mut turns = root.position.turns();
        turns.retain(|turn| root.allows(turn));
        if let Some(previous) = root.previous.first().and_then(|line| line.turns.first()) {
            turns.sort_by_key(|turn| turn != previous);
        }
        let exact = u32::from(stage.depth) >= root.position.board.empties();
        let mut best: Option<Line<Reversi>> = None;
        let mut alpha = -INFINITE;
        for turn in turns {
            let mut next = root.position;
            next.play(turn);
            let mut below = Vec::new();
            let depth = u32::from(stage.depth) - 1;
            match self.alpha_beta(next.board, depth, (-INFINITE, -alpha), control, &mut below) {
                Ok(value) if -value > alpha => {
                    alpha = -value;
                    below.insert(0, turn);
                    let score = if exact { Score::Exact(alpha) } else { Score::Cp(alpha) };
                    best = Some(Line { score, seldepth: below.len() as u16, turns: below });
                }
                Ok(_) => {}
                Err(Stopped) => return best.map_or(Rung::Stopped, Rung::Partial),
            }
        }
        let _ = &self.shared;
        best.map_or(Rung::NoTurn, Rung::Complete)
    }
}

/// The memory of a pool.
pub type Memory = Table<Entry>;
