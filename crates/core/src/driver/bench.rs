//! Fixed searches without clock and reports: they identify how a build plays, and measure ideas.

use std::sync::Arc;

use crate::game::control::SearchControl;
use crate::game::search::{Iteration, IterationStage, PvLine, SearchRoot};
use crate::game::{Game, GameError, GameSearch, SearchMemory, Worker, WorkerShared};

/// Table memory of the fixed searches.
const HASH_BYTES: usize = 16 << 20;

/// Iterative deepening of one position by one worker. Asked again, it goes on where it stopped.
pub struct BenchDeepening<G: GameSearch> {
    worker: Box<dyn Worker<G>>,
    root: SearchRoot<G>,
    done: Option<IterationStage>,
}

impl<G: GameSearch> BenchDeepening<G> {
    /// Before the first iteration.
    pub fn new(worker: Box<dyn Worker<G>>, root: SearchRoot<G>) -> BenchDeepening<G> {
        BenchDeepening { worker, root, done: None }
    }

    /// Begins with another position, with what the worker has learned.
    pub fn turn_to(&mut self, root: SearchRoot<G>) {
        (self.root, self.done) = (root, None);
    }

    /// The line of the last complete iteration.
    pub fn line(&self) -> Option<&PvLine<G>> {
        self.root.previous.first()
    }

    /// The last complete iteration, 0 for none.
    pub fn depth(&self) -> u16 {
        self.done.map_or(0, |stage| stage.depth)
    }

    /// Searches to `depth`, or until `control` says stop or nothing is left to learn; `report` hears of
    /// every complete iteration.
    pub fn deepen(&mut self, depth: u16, control: &SearchControl, mut report: impl FnMut(IterationStage)) {
        while let Some(stage) =
            self.worker.next_stage(&self.root, self.done).filter(|stage| stage.depth <= depth)
        {
            let Iteration::Complete(line) = self.worker.search(&self.root, stage, control) else { return };
            self.root.previous = vec![line];
            self.done = Some(stage);
            report(stage);
        }
    }
}

/// Nodes of the fixed searches of [`Game::bench`]: the same for every build that plays the same.
///
/// # Errors
/// If the game does not load, or one of its positions does not parse.
pub fn bench<G: Game>() -> Result<u64, GameError> {
    let game = Arc::new(G::load(&G::Settings::default())?);
    let mut nodes = 0;
    for &(text, depth) in G::bench() {
        let memory = Arc::new(G::Memory::with_bytes(HASH_BYTES)?);
        let shared = Arc::new(WorkerShared { game: Arc::clone(&game), memory, threads: 1 });
        let worker = Box::new(G::Worker::new(shared, 0)?);
        let control = SearchControl::free();
        BenchDeepening::new(worker, SearchRoot::new(game.parse_position(text)?)).deepen(
            depth,
            &control,
            |_| {},
        );
        nodes += control.nodes();
    }
    Ok(nodes)
}
