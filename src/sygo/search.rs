//! The search of one thread: alpha-beta over whole turns, deepening and widening by turns.

use std::sync::Arc;

use super::Sygo;
use super::evaluate;
use super::position::Position;
use super::propose::propose;
use super::rules;
use super::turn::Turn;
use crate::engine::control::Control;
use crate::game::{Shared, Worker};
use crate::score::Score;
use crate::search::{Line, Root, Rung, Stage, Stopped};

/// Above any evaluation, in hundredths of a point.
const INFINITE: i32 = 1_000_000;
/// Rungs of the ladder at most.
const RUNGS: u16 = 40;

/// One search thread.
pub struct SygoWorker {
    seldepth: u16,
}

impl Worker<Sygo> for SygoWorker {
    fn new(_shared: Arc<Shared<Sygo>>, _index: usize) -> Self {
        SygoWorker { seldepth: 0 }
    }

    fn new_game(&mut self) {}

    fn next_stage(&self, _root: &Root<Sygo>, done: Option<Stage>) -> Option<Stage> {
        let depth = done.map_or(1, |stage| stage.depth + 1);
        (depth <= RUNGS).then_some(Stage::depth(depth))
    }

    fn search(&mut self, root: &Root<Sygo>, stage: Stage, control: &Control) -> Rung<Sygo> {
        self.seldepth = 0;
        let width = 4 * usize::from(stage.depth);
        let mut turns: Vec<Turn> =
            root.previous.iter().filter_map(|line| line.turns.first().cloned()).collect();
        for (_, turn) in propose(&root.position, width, width) {
            if !turns.contains(&turn) {
                turns.push(turn);
            }
        }
        turns.retain(|turn| root.allows(turn));
        for turn in &root.only {
            if !turns.contains(turn) && root.allows(turn) {
                turns.push(turn.clone());
            }
        }
        let mut position = root.position.clone();
        let mut best: Option<(i32, Vec<Turn>)> = None;
        for turn in turns {
            let alpha = best.as_ref().map_or(-INFINITE, |(value, _)| *value);
            let undo = position.apply(&turn);
            let result =
                self.value(&mut position, usize::from(stage.depth - 1), -INFINITE, -alpha, 1, control);
            position.undo(undo);
            match result {
                Ok((value, mut line)) => {
                    if -value > alpha {
                        line.insert(0, turn);
                        best = Some((-value, line));
                    }
                }
                Err(Stopped) => {
                    return best.map_or(Rung::Stopped, |best| Rung::Partial(self.line(best)));
                }
            }
        }
        best.map_or(Rung::NoTurn, |best| Rung::Complete(self.line(best)))
    }
}

impl SygoWorker {
    fn line(&self, (value, turns): (i32, Vec<Turn>)) -> Line<Sygo> {
        Line { score: Score::Cp(value), turns, seldepth: self.seldepth.max(1) }
    }

    /// Value for the side to move and the line behind it.
    fn value(
        &mut self,
        position: &mut Position,
        depth: usize,
        mut alpha: i32,
        beta: i32,
        ply: u16,
        control: &Control,
    ) -> Result<(i32, Vec<Turn>), Stopped> {
        control.tick()?;
        self.seldepth = self.seldepth.max(ply);
        if position.is_over() {
            let margin = 100 * rules::margin(&position.board);
            return Ok((
                if position.side == super::board::Colour::White { margin } else { -margin },
                Vec::new(),
            ));
        }
        if depth == 0 {
            return Ok((evaluate::for_side(&position.board, position.side), Vec::new()));
        }
        let width = 2 * depth;
        let mut best = (-INFINITE, Vec::new());
        for (_, turn) in propose(position, width, width) {
            let undo = position.apply(&turn);
            let result = self.value(position, depth - 1, -beta, -alpha, ply + 1, control);
            position.undo(undo);
            let (value, mut line) = result?;
            if -value > best.0 {
                line.insert(0, turn);
                best = (-value, line);
                alpha = alpha.max(best.0);
                if alpha >= beta {
                    break;
                }
            }
        }
        Ok(best)
    }
}
