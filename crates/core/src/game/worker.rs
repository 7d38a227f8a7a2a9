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
    /// Weights of the turns that it has yet to think about, this one first, in any unit: a rough guess of how much
    /// depends on each. Time is planned in proportion to them. There is one at least, and all are above zero.
    pub weights: Vec<f32>,
    /// Multiple of its share that a single turn may take.
    pub longest: f32,
    /// The part of its share that a turn takes on average, above 0 and at most 1: shares are planned larger by that.
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

    /// That of a game in which any turn may be the hardest. The guess may be wrong: fewer turns than two are never
    /// planned for.
    pub fn even(turns_left: f32) -> TimeAllocation {
        let turns_left = turns_left.max(2.0);
        let mut weights = vec![1.0; turns_left as usize];
        weights.extend(Some(turns_left.fract()).filter(|&part| part > 0.0));
        TimeAllocation::weighted(weights)
    }

    /// How many turns as heavy as this one are left.
    pub fn turns_left(&self) -> f32 {
        self.weights.iter().sum::<f32>() / self.weights.first().copied().unwrap_or(1.0)
    }
}

/// What a search uses of a game besides its rules: static values, the table, the search thread itself.
pub trait GameSearch: GameRules {
    /// What all workers of a pool share: the table, split points …
    type Memory: SearchMemory;
    /// One search thread.
    type Worker: Worker<Self>;

    /// Static value for the side to move, in centipawns, hundredths of a disc or of a point.
    fn evaluate(&self, position: &Self::Position) -> i32;
    /// Of each of `turns` whether it captures or gives check, so that a search tries it early. In games where
    /// every turn captures, or where the static value shows at once what was captured, none is marked.
    fn captures_and_checks(&self, _position: &Self::Position, turns: &[Self::Turn]) -> Vec<bool> {
        vec![false; turns.len()]
    }
    /// `turn` as a player makes it who overlooks some of its parts: those of which `overlooks` says so, which gets
    /// a number for each. Most games have turns of one part.
    fn overlook(
        &self,
        _position: &Self::Position,
        turn: &Self::Turn,
        _overlooks: &dyn Fn(u64) -> bool,
    ) -> Self::Turn {
        turn.clone()
    }
    /// How much larger values are here than on the board on which the levels of play were set: the misjudgements of
    /// a weak level grow with it.
    fn value_scale(&self, _position: &Self::Position) -> f32 {
        1.0
    }
    /// How the side to move spreads its time over its turns, with `time` for all of them.
    fn pace(&self, position: &Self::Position, time: Duration) -> TimeAllocation;
}

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
pub struct WorkerShared<G: GameSearch> {
    /// Rules and weights.
    pub game: Arc<G>,
    /// Table and whatever else outlives a search.
    pub memory: Arc<G::Memory>,
    /// How many workers there are.
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
