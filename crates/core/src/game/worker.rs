//! One search thread of a game.

use std::sync::Arc;

use crate::game::control::SearchControl;
use crate::game::root_report::{RootReport, RootReportRequest};
use crate::game::score::Score;
use crate::game::search::{Iteration, IterationStage, PvLine, SearchRoot};
use crate::game::{Game, GameError};

/// What a search decided at once, without iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookOrDeclaration<T> {
    /// Play this.
    Play(T),
    /// A book's line, printed like a search's; not played where analysis is wanted.
    Book {
        /// The turn to play and what is expected to follow.
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
    /// There is no mate.
    NoMate,
    /// Neither was proven in time.
    Timeout,
    /// This game has no mate search.
    NotImplemented,
}

/// What the workers of one pool have in common.
pub struct WorkerShared<G: Game> {
    /// Rules and weights.
    pub game: Arc<G>,
    /// Table and whatever else outlives a search.
    pub memory: Arc<G::Memory>,
    /// How many workers there are.
    pub threads: usize,
}

/// One search thread's private state: histories, accumulators, stack, solver scratch.
pub trait Worker<G: Game>: Send {
    /// Worker `index` of the pool; 0 is the one that answers.
    ///
    /// # Errors
    /// There is no memory for it.
    fn new(shared: Arc<WorkerShared<G>>, index: usize) -> Result<Self, GameError>
    where
        Self: Sized;
    /// Forgets everything learned.
    fn new_game(&mut self);
    /// Decisions that need no deepening: book, declaration. Remarks for people go to `control`.
    fn book_or_declaration(
        &mut self,
        _root: &SearchRoot<G>,
        _control: &SearchControl,
    ) -> Option<BookOrDeclaration<G::Turn>> {
        None
    }
    /// The iteration after `done`, whose lines `root.previous` has; the first one for `None`. `None`:
    /// nothing left to learn.
    fn next_stage(&self, root: &SearchRoot<G>, done: Option<IterationStage>) -> Option<IterationStage>;
    /// One iteration: the best line among the turns that `root` allows.
    fn search(
        &mut self,
        root: &SearchRoot<G>,
        stage: IterationStage,
        control: &SearchControl,
    ) -> Iteration<G>;
    /// What the other workers do while worker 0 searches; returns when `control` says stop.
    /// The default deepens alike and shares what it finds through the memory (lazy SMP:
    /// Østensen, "A complete chess engine parallelized using Lazy SMP", 2016).
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
    /// The legal turn that the worker's memory expects in `position`, if it knows one.
    fn expected(&self, _position: &G::Position) -> Option<G::Turn> {
        None
    }
    /// What is known of `root`, where a search has just ended, beside its lines. Empty where the search has nothing to
    /// say.
    fn root_report(&mut self, _root: &SearchRoot<G>, _wanted: RootReportRequest) -> RootReport<G::Turn> {
        RootReport::default()
    }
    /// Searches for a forced mate by the side to move. Asked again after a pause ([`SearchControl::is_paused`]), it goes on.
    fn mate(&mut self, _root: &SearchRoot<G>, _control: &SearchControl) -> MateAnswer<G::Turn> {
        MateAnswer::NotImplemented
    }
    /// Whether an iteration that was interrupted goes quickly over what was searched already when it begins again.
    fn remembers_iterations(&self) -> bool {
        true
    }
    /// Whether the time may run longer or shorter than planned, given the lines so far of the
    /// running search (latest iteration last): a factor for the soft budget.
    fn time_factor(&self, _root: &SearchRoot<G>, _iterations: &[(IterationStage, PvLine<G>)]) -> f32 {
        1.0
    }
}
