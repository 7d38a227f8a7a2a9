//! Solves positions to the end with a pool of threads, outside any protocol.

use std::sync::Arc;
use std::time::Duration;

use crate::Reversi;
use crate::rules::position::{ReversiPosition, ReversiTurn};
use crate::search::memory::ReversiMemory;
use crate::search::worker::ReversiWorker;
use kaeshi_core::driver::machine;
use kaeshi_core::game::control::{SearchControl, Signal};
use kaeshi_core::game::interrupt::Interrupt;
use kaeshi_core::game::search::{Iteration, IterationStage, SearchRoot};
use kaeshi_core::game::{GameError, SearchMemory as _, Worker, WorkerShared};
use kaeshi_core::threads;
use kaeshi_core::time::Instant;

/// The question to the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveQuestion {
    /// The exact difference of discs.
    Score,
    /// Only who wins: the score is then right in its sign.
    Winner,
}

/// A solved position.
#[derive(Clone, Debug)]
pub struct ReversiSolution {
    /// Discs by which the side to move wins.
    pub score: i32,
    /// Best play to the end; empty if the game is over. With [`SolveQuestion::Winner`] it may break off.
    pub line: Vec<ReversiTurn>,
    /// Positions looked at by all threads.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}

/// A search that was interrupted before it was complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("interrupted after {nodes} nodes")]
pub struct ReversiInterrupted {
    /// The last complete iteration and its score in discs for the side to move; `None` if no iteration is complete.
    pub reached: Option<(IterationStage, i32)>,
    /// Positions looked at by all threads.
    pub nodes: u64,
}

/// A table and threads that solve one position after the other.
pub struct ReversiSolver {
    memory: Arc<ReversiMemory>,
    workers: Vec<ReversiWorker>,
    interrupt: Interrupt,
}

/// The score in discs and the line of the last iteration of a search.
type ScoredLine = (i32, Vec<ReversiTurn>);

impl ReversiSolver {
    /// A solver by the evaluation of `game`, with a table of `bytes` bytes and `threads` threads, or as many as
    /// there is room for beside the table, at least one.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(game: Reversi, bytes: usize, threads: usize) -> Result<ReversiSolver, GameError> {
        let memory = Arc::new(ReversiMemory::with_bytes(bytes)?);
        let threads = machine::room_for_threads(threads);
        let shared = Arc::new(WorkerShared { game: Arc::new(game), memory: Arc::clone(&memory), threads });
        let workers = (0..threads)
            .map(|index| ReversiWorker::new(Arc::clone(&shared), index))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(ReversiSolver { memory, workers, interrupt: Interrupt::default() })
    }

    /// Searches end when `interrupt` is raised. Without a call, nothing interrupts them.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }

    /// Solves `position`, knowing nothing of former ones.
    ///
    /// # Errors
    /// The interrupt is raised.
    pub fn solve(
        &mut self,
        position: &ReversiPosition,
        question: SolveQuestion,
    ) -> Result<ReversiSolution, ReversiInterrupted> {
        let signal = self.signal();
        if position.board.is_over() {
            let score = position.board.final_score();
            return Ok(ReversiSolution { score, line: Vec::new(), nodes: 0, time: signal.elapsed() });
        }
        self.memory.clear(self.workers.len());
        self.workers.iter_mut().for_each(|worker| worker.new_game());
        let bounds = if question == SolveQuestion::Winner { (-1, 1) } else { (-64, 64) };
        let root = SearchRoot::<Reversi>::new(*position);
        let (score, line) = self.search(&root, bounds, &signal)?;
        Ok(ReversiSolution { score, line, nodes: signal.nodes(), time: signal.elapsed() })
    }

    /// All moves that keep the score of `solution`, which [`ReversiSolver::solve`] has just found at `position`; its
    /// own first.
    ///
    /// # Errors
    /// The interrupt is raised.
    pub fn lossless(
        &mut self,
        position: &ReversiPosition,
        solution: &ReversiSolution,
    ) -> Result<Vec<ReversiTurn>, ReversiInterrupted> {
        let mut root = SearchRoot::<Reversi>::new(*position);
        root.skip.extend(solution.line.first());
        while root.skip.len() < position.turns().len() && !position.board.is_over() {
            let bounds = (solution.score - 1, solution.score);
            let (score, line) = self.search(&root, bounds, &self.signal())?;
            match line.first() {
                Some(turn) if score >= solution.score => root.skip.push(*turn),
                _ => break,
            }
        }
        Ok(root.skip)
    }

    /// The exact scores of all moves, best first; `solution` is what [`ReversiSolver::solve`] has just found at
    /// `position`.
    ///
    /// # Errors
    /// The interrupt is raised.
    pub fn scores(
        &mut self,
        position: &ReversiPosition,
        solution: &ReversiSolution,
    ) -> Result<Vec<(ReversiTurn, i32)>, ReversiInterrupted> {
        let mut scores: Vec<(ReversiTurn, i32)> =
            solution.line.first().map(|turn| (*turn, solution.score)).into_iter().collect();
        let mut root = SearchRoot::<Reversi>::new(*position);
        while scores.len() < position.turns().len() && !position.board.is_over() {
            root.skip = scores.iter().map(|(turn, _)| *turn).collect();
            let (score, line) = self.search(&root, (-64, 64), &self.signal())?;
            let Some(turn) = line.first() else { break };
            scores.push((*turn, score));
        }
        Ok(scores)
    }

    fn signal(&self) -> Arc<Signal> {
        Signal::interruptible(Instant::now(), self.workers.len(), None, Some(self.interrupt.clone()))
    }

    /// Searches the turns that `root` allows to the end, with scores within `bounds`.
    fn search(
        &mut self,
        root: &SearchRoot<Reversi>,
        bounds: (i32, i32),
        signal: &Arc<Signal>,
    ) -> Result<ScoredLine, ReversiInterrupted> {
        self.workers.iter_mut().for_each(|worker| worker.set_bounds(bounds));
        let Some((first, others)) = self.workers.split_first_mut() else { unreachable!("there is a thread") };
        std::thread::scope(|scope| {
            for (index, worker) in others.iter_mut().enumerate() {
                let (signal, root) = (Arc::clone(signal), root);
                let helper = move || {
                    let control = SearchControl::new(signal, index + 1);
                    worker.helper_search(root, &control);
                    control.publish();
                };
                // If the system grants no thread, the others do more.
                if !threads::spawn(scope, helper) {
                    break;
                }
            }
            let control = SearchControl::new(Arc::clone(signal), 0);
            let result = deepen(first, root, &control);
            control.publish();
            signal.stop();
            result.map_err(|reached| ReversiInterrupted { reached, nodes: signal.nodes() })
        })
    }
}

/// All iterations. The error is the last complete iteration of an interrupted search, with its score in discs.
fn deepen(
    worker: &mut ReversiWorker,
    root: &SearchRoot<Reversi>,
    control: &SearchControl,
) -> Result<ScoredLine, Option<(IterationStage, i32)>> {
    let mut root = root.clone();
    let mut done = None;
    let mut result = (0, Vec::new());
    let mut reached = None;
    while let Some(stage) = worker.next_stage(&root, done) {
        match worker.search(&root, stage, control) {
            Iteration::Complete(line) => {
                let score = line.score.clamped(6400) / 100;
                reached = Some((stage, score));
                result = (score, line.turns.clone());
                root.previous = vec![line];
            }
            Iteration::Partial(_) | Iteration::Stopped => return Err(reached),
            Iteration::NoTurn => {}
        }
        done = Some(stage);
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::notation;

    #[test]
    fn an_interrupt_ends_the_search_and_names_the_last_iteration() {
        // FFO problem 46: 24 empty squares.
        let text = "---XXX----OOOX----OOOXX--OOOOXXX--OOOOXX--OXOXXX--XXOO---XXXX-O- X";
        let position = notation::parse_position(text).expect("a position");
        let mut solver = ReversiSolver::new(Reversi::default(), 1 << 20, 2).expect("a small table");
        let interrupt = Interrupt::default();
        solver.set_interrupt(&interrupt);
        let begun = Instant::now();
        let found = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                interrupt.raise();
            });
            solver.solve(&position, SolveQuestion::Score)
        });
        let interrupted = found.expect_err("far from the end");
        assert!(begun.elapsed() < Duration::from_secs(5) && interrupted.nodes > 0);
        let (stage, score) = interrupted.reached.expect("an iteration");
        assert!(stage < IterationStage { depth: 24, confidence: 100 } && score.abs() <= 64);
        interrupt.lower();
        let solved =
            solver.solve(&ReversiPosition { board: late(position), ..position }, SolveQuestion::Score);
        assert!(solved.is_ok(), "the solver is as before");
    }

    /// A board of the same game with at most 8 empty squares.
    fn late(mut position: ReversiPosition) -> crate::rules::board::ReversiBoard {
        while position.board.empties() > 8 {
            position.play(position.turns()[0]);
        }
        position.board
    }
}
