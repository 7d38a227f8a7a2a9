//! The words all searches share.

use std::sync::Arc;

use crate::game::level::Misjudgement;
use crate::game::rules::GameRules;
use crate::game::score::Score;

/// What a search is asked about: a position and which of its turns count.
pub struct SearchRoot<G: GameRules> {
    /// The position, with the history its rules need.
    pub position: G::Position,
    /// Turns to consider (`searchmoves`); empty for all.
    pub only: Vec<G::Turn>,
    /// Turns already taken by better lines of this iteration (MultiPV).
    pub skip: Vec<G::Turn>,
    /// The lines of the iteration before, best first: a hint for the order.
    pub previous: Vec<PvLine<G>>,
    /// Gets lines whose value is only known to be a bound, if somebody wants to know.
    pub observer: Option<Observer<G>>,
    /// By how much positions are misjudged, where play is weakened and the game's search does that itself.
    pub misjudgement: Option<Misjudgement>,
}

/// Hears of a line that is not the last word of the iteration.
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

/// What is known of a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// It is this.
    #[default]
    Exact,
    /// It is at least this: the search was interrupted before it knew how much more.
    Lower,
    /// It is at most this.
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
    /// Interrupted, yet this much is safe to use: at least the former best turn was searched again.
    Partial(PvLine<G>),
    /// Interrupted before anything was known.
    Stopped,
    /// No turn is allowed at this root.
    NoTurn,
}

/// The search has to end now: time, node limit or `stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchStopped;
