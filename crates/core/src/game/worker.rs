//! One search thread of a game, and what a search uses of the game besides its rules.

use std::sync::Arc;
use std::time::Duration;

use crate::game::GameError;
use crate::game::control::SearchControl;
use crate::game::memory::SearchMemory;
use crate::game::root_report::{RootReport, RootReportRequest};
use crate::game::rules::GameRules;
use crate::game::score::Score;
use crate::game::search::{Iteration, IterationStage, PvLine, SearchRoot};

/// How a side spreads its time over its turns.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeAllocation {
    /// A weight for each turn that the side has yet to think about, this turn first: a rough estimate of its
    /// importance. Time is planned in proportion to the weights. At least one; all positive, in any unit.
    pub weights: Vec<f32>,
    /// The most that a single turn may take, as a multiple of its share.
    pub longest: f32,
    /// The mean part of its share that a turn takes, in (0, 1]; shares are divided by it.
    pub mean_use: f32,
}

impl TimeAllocation {
    /// A turn takes its share on average, and at most four times that.
    pub fn weighted(weights: Vec<f32>) -> TimeAllocation {
        debug_assert!(
            !weights.is_empty() && weights.iter().all(|weight| weight.is_finite() && *weight > 0.0)
        );
        TimeAllocation { weights, longest: 4.0, mean_use: 1.0 }
    }

    /// Equal weights, for games in which any turn may be the hardest. At least two turns are planned for, as the
    /// estimate may be too low.
    pub fn even(turns_left: f32) -> TimeAllocation {
        let turns_left = turns_left.max(2.0);
        let mut weights = vec![1.0; turns_left as usize];
        weights.extend(Some(turns_left.fract()).filter(|&part| part > 0.0));
        TimeAllocation::weighted(weights)
    }

    /// The weights of all turns left, in units of this turn's weight.
    pub fn turns_left(&self) -> f32 {
        self.weights.iter().sum::<f32>() / self.weights.first().copied().unwrap_or(1.0)
    }
}

/// The search of a game: static values, the table, the search thread itself.
pub trait GameSearch: GameRules {
    /// The memory that all workers of a pool share: the table, split points …
    type Memory: SearchMemory;
    /// One search thread.
    type Worker: Worker<Self>;

    /// Static value for the side to move, in centipawns, hundredths of a disc or of a point.
    fn evaluate(&self, position: &Self::Position) -> i32;
    /// For each of `turns`, whether it captures or gives check, so that a search tries it early. No turn is marked
    /// in games where every turn captures, or where the static value already contains the captures.
    fn captures_and_checks(&self, _position: &Self::Position, turns: &[Self::Turn]) -> Vec<bool> {
        vec![false; turns.len()]
    }
    /// `turn` without the parts for which `overlooks` returns true; it gets a number for each part. For weak
    /// levels; the turns of most games have a single part.
    fn overlook(
        &self,
        _position: &Self::Position,
        turn: &Self::Turn,
        _overlooks: &dyn Fn(u64) -> bool,
    ) -> Self::Turn {
        turn.clone()
    }
    /// The scale of values in this position relative to the board on which the levels of play were measured. The
    /// noise of a weak level is multiplied by it.
    fn value_scale(&self, _position: &Self::Position) -> f32 {
        1.0
    }
    /// How the side to move spreads its time over its turns, with `time` for all of them.
    fn pace(&self, position: &Self::Position, time: Duration) -> TimeAllocation;
}

/// A decision without iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookOrDeclaration<T> {
    /// Play this.
    Play(T),
    /// A book's line, printed like a search's; not played where analysis is wanted.
    Book {
        /// The turn to play and the expected continuation.
        turns: Vec<T>,
        /// Value for the side to move.
        score: Score,
        /// How deep the book was searched.
        depth: u16,
    },
    /// Claim the win (shogi's entering king).
    DeclareWin,
}

/// Result of `go mate`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MateAnswer<T> {
    /// The attacker mates by this line.
    Mate(Vec<T>),
    /// The side to move has no mate.
    NoMate,
    /// Neither was proven in time.
    Timeout,
    /// This game has no mate search.
    NotImplemented,
}

/// The state that the workers of one pool share.
pub struct WorkerShared<G: GameSearch> {
    /// Rules and weights.
    pub game: Arc<G>,
    /// The table and other state that outlives a search.
    pub memory: Arc<G::Memory>,
    /// The number of workers.
    pub threads: usize,
}

/// One search thread's private state: histories, accumulators, stack, solver scratch.
pub trait Worker<G: GameSearch>: Send {
    /// Worker `index` of the pool; 0 is the one that answers.
    ///
    /// # Errors
    /// There is no memory for it.
    fn new(shared: Arc<WorkerShared<G>>, index: usize) -> Result<Self, GameError>
    where
        Self: Sized;
    /// Clears the histories and other state of earlier games.
    fn new_game(&mut self);
    /// A decision without a search: book, declaration. Remarks for people go to `control`.
    fn book_or_declaration(
        &mut self,
        _root: &SearchRoot<G>,
        _control: &SearchControl,
    ) -> Option<BookOrDeclaration<G::Turn>> {
        None
    }
    /// The iteration after `done`, whose lines are in `root.previous`; the first one if `done` is `None`. Returns
    /// `None` if a further iteration would find nothing more.
    fn next_stage(&self, root: &SearchRoot<G>, done: Option<IterationStage>) -> Option<IterationStage>;
    /// One iteration: the best line among the turns that `root` allows.
    fn search(
        &mut self,
        root: &SearchRoot<G>,
        stage: IterationStage,
        control: &SearchControl,
    ) -> Iteration<G>;
    /// The search of the other workers while worker 0 searches; returns when `control` stops it. The default
    /// deepens in the same way and shares results through the memory (lazy SMP: Østensen, "A complete chess engine
    /// parallelized using Lazy SMP", 2016).
    fn helper_search(&mut self, root: &SearchRoot<G>, control: &SearchControl) {
        let mut root = root.clone();
        let mut done = None;
        while let Some(stage) = self.next_stage(&root, done) {
            match self.search(&root, stage, control) {
                Iteration::Complete(line) => root.previous = vec![line],
                Iteration::Partial(_) | Iteration::Stopped | Iteration::NoTurn => return,
            }
            done = Some(stage);
        }
    }
    /// The best legal turn of `position` in the worker's memory, if there is one.
    fn expected(&self, _position: &G::Position) -> Option<G::Turn> {
        None
    }
    /// A report on `root`, whose search has just ended, besides its lines. Empty if the search has no such values.
    fn root_report(&mut self, _root: &SearchRoot<G>, _wanted: RootReportRequest) -> RootReport<G::Turn> {
        RootReport::default()
    }
    /// Searches for a forced mate by the side to move. A call after a pause ([`SearchControl::is_paused`])
    /// continues the search.
    fn mate(&mut self, _root: &SearchRoot<G>, _control: &SearchControl) -> MateAnswer<G::Turn> {
        MateAnswer::NotImplemented
    }
    /// Whether an interrupted iteration, begun again, passes quickly over the part that was already searched.
    fn remembers_iterations(&self) -> bool {
        true
    }
    /// A factor for the soft budget of time, from the lines of the running search so far (latest iteration last).
    fn time_factor(&self, _root: &SearchRoot<G>, _iterations: &[(IterationStage, PvLine<G>)]) -> f32 {
        1.0
    }
}
