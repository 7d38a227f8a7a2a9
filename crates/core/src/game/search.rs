//! The types that all searches share.

use std::sync::Arc;

use crate::game::level::Misjudgement;
use crate::game::rules::GameRules;
use crate::game::score::Score;

/// The root of a search: a position, and which of its turns are searched.
pub struct SearchRoot<G: GameRules> {
    /// The position, with the history its rules need.
    pub position: G::Position,
    /// Turns to consider (`searchmoves`); empty for all.
    pub only: Vec<G::Turn>,
    /// Turns already taken by better lines of this iteration (MultiPV).
    pub skip: Vec<G::Turn>,
    /// The lines of the iteration before, best first; for move ordering.
    pub previous: Vec<PvLine<G>>,
    /// Receives lines whose value is only a bound, if they are to be reported.
    pub observer: Option<Observer<G>>,
    /// The evaluation noise of a weak level, in games whose search applies it itself.
    pub misjudgement: Option<Misjudgement>,
}

/// Receives a line that may not be the final one of the iteration.
pub type Observer<G> = Arc<dyn Fn(&PvLine<G>, IterationStage) + Send + Sync>;

impl<G: GameRules> SearchRoot<G> {
    /// A root at which every turn counts.
    pub fn new(position: G::Position) -> SearchRoot<G> {
        SearchRoot {
            position,
            only: Vec::new(),
            skip: Vec::new(),
            previous: Vec::new(),
            observer: None,
            misjudgement: None,
        }
    }

    /// Whether the search may choose `turn` here.
    pub fn allows(&self, turn: &G::Turn) -> bool {
        (self.only.is_empty() || self.only.contains(turn)) && !self.skip.contains(turn)
    }
}

impl<G: GameRules> Clone for SearchRoot<G> {
    fn clone(&self) -> Self {
        SearchRoot {
            position: self.position.clone(),
            only: self.only.clone(),
            skip: self.skip.clone(),
            previous: self.previous.clone(),
            observer: self.observer.clone(),
            misjudgement: self.misjudgement,
        }
    }
}

/// One iteration of iterative deepening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IterationStage {
    /// Nominal depth, at least 1; what `go depth N` limits and `info depth` prints.
    pub depth: u16,
    /// Confidence of the pruning in per cent; 100 where nothing is pruned without proof.
    pub confidence: u8,
}

impl IterationStage {
    /// A stage of `depth` without selectivity.
    pub fn depth(depth: u16) -> IterationStage {
        IterationStage { depth, confidence: 100 }
    }
}

/// Whether a score is exact, or a bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// The value is exact.
    #[default]
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

impl Bound {
    /// Whether a value of which this is known settles a search of the window from `alpha` to `beta`.
    #[inline(always)]
    pub fn settles(self, value: i32, alpha: i32, beta: i32) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        }
    }

    /// Whether a value of which this is known says more than `estimate`.
    #[inline(always)]
    pub fn improves(self, value: i32, estimate: i32) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => value > estimate,
            Bound::Upper => value < estimate,
        }
    }
}

/// The best line of one iteration.
#[derive(Debug)]
pub struct PvLine<G: GameRules> {
    /// Value for the side to move at the root.
    pub score: Score,
    /// Whether that is the value, or a bound of it.
    pub bound: Bound,
    /// The turns expected; never empty.
    pub turns: Vec<G::Turn>,
    /// Deepest ply looked at.
    pub seldepth: u16,
}

impl<G: GameRules> Clone for PvLine<G> {
    fn clone(&self) -> Self {
        PvLine { score: self.score, bound: self.bound, turns: self.turns.clone(), seldepth: self.seldepth }
    }
}

/// How the search of one iteration ended.
pub enum Iteration<G: GameRules> {
    /// The iteration is complete.
    Complete(PvLine<G>),
    /// Interrupted, but safe to use: at least the former best turn was searched again.
    Partial(PvLine<G>),
    /// Interrupted before anything was known.
    Stopped,
    /// No turn is allowed at this root.
    NoTurn,
}

/// The search has to end now: time, node limit or `stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchStopped;
