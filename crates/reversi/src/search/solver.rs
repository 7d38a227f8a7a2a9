//! Solves positions to the end with a pool of threads, outside any protocol.

use std::sync::Arc;
use std::time::Duration;

use crate::Reversi;
use crate::rules::position::{Position, Turn};
use crate::search::memory::Memory;
use crate::search::worker::ReversiWorker;
use kaeshi_core::game::control::{Control, Signal};
use kaeshi_core::game::search::{Iteration, Root};
use kaeshi_core::game::{Memory as _, Rejected, Shared, Worker};
use kaeshi_core::threads;
use kaeshi_core::time::Instant;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The exact difference of discs.
    Score,
    /// Only who wins: the score is then right in its sign.
    Winner,
}

/// A solved position.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Discs by which the side to move wins.
    pub score: i32,
    /// Best play to the end; empty if the game is over. With [`Question::Winner`] it may break off.
    pub line: Vec<Turn>,
    /// Positions looked at by all threads.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}

/// A table and threads that solve one position after the other.
pub struct Solver {
    memory: Arc<Memory>,
    workers: Vec<ReversiWorker>,
}

impl Solver {
    /// A solver by the evaluation of `game`, with a table of `bytes` bytes and so many threads, at
    /// least one.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn new(game: Reversi, bytes: usize, threads: usize) -> Result<Solver, Rejected> {
        let threads = threads.max(1);
        let memory = Arc::new(Memory::with_bytes(bytes)?);
        let shared = Arc::new(Shared { game: Arc::new(game), memory: Arc::clone(&memory), threads });
        let workers = (0..threads)
            .map(|index| ReversiWorker::new(Arc::clone(&shared), index))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Solver { memory, workers })
    }

    /// Solves `position`, knowing nothing of former ones.
    pub fn solve(&mut self, position: &Position, question: Question) -> Solution {
        let started = Instant::now();
        let signal = Signal::new(started, self.workers.len(), None);
        if position.board.is_over() {
            let score = position.board.final_score();
            return Solution { score, line: Vec::new(), nodes: 0, time: started.elapsed() };
        }
        self.memory.clear(self.workers.len());
        for worker in &mut self.workers {
            worker.new_game();
            worker.set_bounds(if question == Question::Winner { (-1, 1) } else { (-64, 64) });
        }
        let Some((first, others)) = self.workers.split_first_mut() else { unreachable!("there is a thread") };
        let root = Root::<Reversi>::new(*position);
        let (score, line) = std::thread::scope(|scope| {
            for (index, worker) in others.iter_mut().enumerate() {
                let (signal, root) = (Arc::clone(&signal), &root);
                let helper = move || {
                    let control = Control::new(signal, index + 1);
                    worker.assist(root, &control);
                    control.publish();
                };
                // Where the system grants no thread, the others do more.
                if !threads::spawn(scope, helper) {
                    break;
                }
            }
            let control = Control::new(Arc::clone(&signal), 0);
            let result = deepen(first, &root, &control);
            control.publish();
            signal.stop();
            result
        });
        Solution { score, line, nodes: signal.nodes(), time: started.elapsed() }
    }
}

/// All iterations; the score in discs and the line of its last iteration.
fn deepen(worker: &mut ReversiWorker, root: &Root<Reversi>, control: &Control) -> (i32, Vec<Turn>) {
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
