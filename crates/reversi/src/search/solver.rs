//! Solves positions to the end with a pool of threads, outside any protocol.

use std::sync::Arc;
use std::time::Duration;

use crate::Reversi;
use crate::rules::position::{ReversiPosition, ReversiTurn};
use crate::search::memory::ReversiMemory;
use crate::search::worker::ReversiWorker;
use kaeshi_core::driver::machine;
use kaeshi_core::game::control::{SearchControl, Signal};
use kaeshi_core::game::search::{Iteration, SearchRoot};
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

/// A table and threads that solve one position after the other.
pub struct ReversiSolver {
    memory: Arc<ReversiMemory>,
    workers: Vec<ReversiWorker>,
}

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
        Ok(ReversiSolver { memory, workers })
    }

    /// Solves `position`, knowing nothing of former ones.
    pub fn solve(&mut self, position: &ReversiPosition, question: SolveQuestion) -> ReversiSolution {
        let started = Instant::now();
        let signal = Signal::new(started, self.workers.len(), None);
        if position.board.is_over() {
            let score = position.board.final_score();
            return ReversiSolution { score, line: Vec::new(), nodes: 0, time: started.elapsed() };
        }
        self.memory.clear(self.workers.len());
        self.workers.iter_mut().for_each(|worker| worker.new_game());
        let bounds = if question == SolveQuestion::Winner { (-1, 1) } else { (-64, 64) };
        let root = SearchRoot::<Reversi>::new(*position);
        let (score, line) = self.search(&root, bounds, &signal);
        ReversiSolution { score, line, nodes: signal.nodes(), time: started.elapsed() }
    }

    /// All moves that keep the score of `solution`, which [`ReversiSolver::solve`] has just found at `position`; its
    /// own first.
    pub fn lossless(&mut self, position: &ReversiPosition, solution: &ReversiSolution) -> Vec<ReversiTurn> {
        let mut root = SearchRoot::<Reversi>::new(*position);
        root.skip.extend(solution.line.first());
        while root.skip.len() < position.turns().len() && !position.board.is_over() {
            let signal = Signal::new(Instant::now(), self.workers.len(), None);
            let (score, line) = self.search(&root, (solution.score - 1, solution.score), &signal);
            match line.first() {
                Some(turn) if score >= solution.score => root.skip.push(*turn),
                _ => break,
            }
        }
        root.skip
    }

    /// The exact scores of all moves, best first; `solution` is what [`ReversiSolver::solve`] has just found at
    /// `position`.
    pub fn scores(
        &mut self,
        position: &ReversiPosition,
        solution: &ReversiSolution,
    ) -> Vec<(ReversiTurn, i32)> {
        let mut scores: Vec<(ReversiTurn, i32)> =
            solution.line.first().map(|turn| (*turn, solution.score)).into_iter().collect();
        let mut root = SearchRoot::<Reversi>::new(*position);
        while scores.len() < position.turns().len() && !position.board.is_over() {
            root.skip = scores.iter().map(|(turn, _)| *turn).collect();
            let signal = Signal::new(Instant::now(), self.workers.len(), None);
            let (score, line) = self.search(&root, (-64, 64), &signal);
            let Some(turn) = line.first() else { break };
            scores.push((*turn, score));
        }
        scores
    }

    /// Searches the turns that `root` allows to the end, with scores within `bounds`.
    fn search(
        &mut self,
        root: &SearchRoot<Reversi>,
        bounds: (i32, i32),
        signal: &Arc<Signal>,
    ) -> (i32, Vec<ReversiTurn>) {
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
            result
        })
    }
}

/// All iterations; the score in discs and the line of its last iteration.
fn deepen(
    worker: &mut ReversiWorker,
    root: &SearchRoot<Reversi>,
    control: &SearchControl,
) -> (i32, Vec<ReversiTurn>) {
    let mut root = root.clone();
    let mut done = None;
    let mut result = (0, Vec::new());
    while let Some(stage) = worker.next_stage(&root, done) {
        if let Iteration::Complete(line) = worker.search(&root, stage, control) {
            result = (line.score.clamped(6400) / 100, line.turns.clone());
            root.previous = vec![line];
        }
        done = Some(stage);
    }
    result
}
