//! The article's selective deepening at the root.
//!
//! Every turn is searched to depth 1. Then, again and again, the turns are ordered by their values and the
//! best one is searched one ply deeper; a turn that has reached the maximum depth is left out, and the next
//! best goes on. The process ends when all turns have reached the minimum depth. The best turn found so far
//! can be played whenever the time is up.
//!
//! The article's figure is maximum 4, minimum 2. It does not say how both grow with time. Here iteration N
//! has the minimum N and the maximum N + lag, so that the nominal depth is what every turn was searched to.
//! Of turns with equal values, the one that [`GameRules::turns`](crate::game::GameRules::turns) lists first goes on; in
//! the result, the deepest one comes first. Values must be exact to be compared, so every turn is searched with the
//! full window.

use super::{INFINITE, Reference};
use crate::game::GameSearch;
use crate::game::control::SearchControl;
use crate::game::search::{Iteration, SearchRoot, SearchStopped};

/// A turn of the root.
#[derive(Clone, Debug)]
pub struct RootCandidate<T> {
    /// The root move.
    pub turn: T,
    /// How deep it was searched, in plies; 0 before the first search.
    pub depth: u16,
    /// For the side that plays it.
    pub value: i32,
    /// The line of the latest search, backwards: `turn` is the last.
    pub line: Vec<T>,
}

/// The turns of a root while they are deepened.
pub struct SelectiveDeepening<T> {
    /// One for each legal root move.
    pub candidates: Vec<RootCandidate<T>>,
    minimum: u16,
    maximum: u16,
}

impl<T: Clone> SelectiveDeepening<T> {
    /// The state before the first search.
    pub fn new(turns: Vec<T>, minimum: u16, lag: u16) -> SelectiveDeepening<T> {
        let new = |turn: T| RootCandidate { turn, depth: 0, value: -INFINITE, line: Vec::new() };
        let candidates = turns.into_iter().map(new).collect();
        SelectiveDeepening { candidates, minimum, maximum: minimum.saturating_add(lag) }
    }

    /// Deepens until all turns have the minimum depth.
    pub fn run<G: GameSearch<Turn = T>>(
        &mut self,
        search: &mut Reference<G>,
        position: &G::Position,
        control: &SearchControl,
    ) -> Result<(), SearchStopped> {
        for candidate in &mut self.candidates {
            candidate.deepen(search, position, control)?;
        }
        while self.candidates.iter().any(|candidate| candidate.depth < self.minimum) {
            let maximum = self.maximum;
            let open = self.candidates.iter_mut().filter(|candidate| candidate.depth < maximum);
            let Some(best) = open.reduce(|best, next| if next.value > best.value { next } else { best })
            else {
                break;
            };
            best.deepen(search, position, control)?;
        }
        Ok(())
    }

    /// The best turn so far.
    pub fn best(self) -> Option<RootCandidate<T>> {
        let all = self.candidates.into_iter();
        all.reduce(|best, next| if (next.value, next.depth) > (best.value, best.depth) { next } else { best })
    }
}

impl<T: Clone> RootCandidate<T> {
    fn deepen<G: GameSearch<Turn = T>>(
        &mut self,
        search: &mut Reference<G>,
        position: &G::Position,
        control: &SearchControl,
    ) -> Result<(), SearchStopped> {
        let depth = self.depth + 1;
        let (value, mut line) = search.child(position, &self.turn, depth, -INFINITE, INFINITE, control)?;
        line.push(self.turn.clone());
        (self.depth, self.value, self.line) = (depth, value, line);
        Ok(())
    }
}

/// One iteration for the driver. Interrupted, it answers with the best of the turns that have reached the
/// maximum depth, which no former iteration has searched so deep, if the former best turn is one of them.
pub fn iteration<G: GameSearch>(
    search: &mut Reference<G>,
    root: &SearchRoot<G>,
    minimum: u16,
    lag: u16,
    control: &SearchControl,
) -> Iteration<G> {
    let mut turns = search.shared.game.turns(&root.position);
    turns.retain(|turn| root.allows(turn));
    let mut process = SelectiveDeepening::new(turns, minimum, lag);
    let ended = process.run(search, &root.position, control);
    if ended.is_err() {
        let maximum = process.maximum;
        process.candidates.retain(|candidate| candidate.depth == maximum);
        let former = root.previous.first().and_then(|line| line.turns.first());
        if !process.candidates.iter().any(|candidate| Some(&candidate.turn) == former) {
            return Iteration::Stopped;
        }
    }
    let Some(best) = process.best() else { return Iteration::NoTurn };
    let line = search.line(best.value, best.line, best.depth);
    if ended.is_ok() { Iteration::Complete(line) } else { Iteration::Partial(line) }
}
