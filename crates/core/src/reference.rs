//! The article's searches over any game: minimax, alpha-beta, selective deepening at the root.
//!
//! They are the definition that every other search is measured against, the oracle of the tests,
//! and weak opponents. Each works with and without move ordering, and with and without a cache of
//! analysed positions, which is keyed by the exact description of a position, so that a wrong hit is
//! impossible.

mod cache;
mod order;
pub mod selective;

use std::sync::Arc;

use crate::game::control::SearchControl;
use crate::game::score::Score;
use crate::game::search::{Bound, Iteration, IterationStage, PvLine, SearchRoot, SearchStopped};
use crate::game::{GameError, GameOutcome, GameSearch, Worker, WorkerShared};
use cache::{Cache, CacheEntry};

/// A decided game without margin, seen from the node where it ends.
const WIN: i32 = 1_000_000;
/// Values beyond this are wins or losses in a number of plies.
const WIN_ZONE: i32 = WIN - 10_000;
/// Beyond any value.
const INFINITE: i32 = WIN + 1;
/// Maximum less minimum depth of selective deepening: the article's figure is maximum 4, minimum 2.
const SELECTIVE_LAG: u16 = 2;

/// Which of the article's searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The whole tree.
    Minimax,
    /// The same value, fewer nodes.
    AlphaBeta,
    /// Alpha-beta below the root; at the root the best turns are deepened first, by the article's rule
    /// (`src/reference/selective.rs`).
    Selective {
        /// Maximum less minimum depth in plies; the minimum is the nominal depth.
        lag: u16,
    },
}

impl Method {
    /// The method called `name` in the option `Search`; `None` for `strong`.
    pub fn named(name: &str) -> Option<Method> {
        match name {
            "minimax" => Some(Method::Minimax),
            "alphabeta" => Some(Method::AlphaBeta),
            "selective" => Some(Method::Selective { lag: SELECTIVE_LAG }),
            _ => None,
        }
    }
}

/// One of the article's searches as a search thread.
pub struct Reference<G: GameSearch> {
    /// The game and its memory.
    pub shared: Arc<WorkerShared<G>>,
    method: Method,
    cache: Option<Cache>,
    /// Whether turns are tried in the article's order (`src/reference/order.rs`).
    ordered: bool,
}

impl<G: GameSearch> Reference<G> {
    /// A search by `method`, with or without the cache.
    pub fn with(shared: Arc<WorkerShared<G>>, method: Method, cached: bool) -> Reference<G> {
        Reference { shared, method, cache: cached.then(Cache::default), ordered: false }
    }

    /// The same search, which tries promising turns first: captures, checks, good values.
    #[must_use]
    pub fn ordered(self) -> Reference<G> {
        Reference { ordered: true, ..self }
    }

    /// Value and best line of the turns that `root` allows, looked at `depth` plies deep; the selective
    /// search looks at every turn at least so deep.
    ///
    /// The root itself is never taken from the cache, since `root` may exclude turns.
    ///
    /// # Errors
    /// [`SearchStopped`] if `control` ended the search before it was complete.
    pub fn run(
        &mut self,
        root: &SearchRoot<G>,
        depth: u16,
        control: &SearchControl,
    ) -> Result<Option<PvLine<G>>, SearchStopped> {
        let mut turns = self.shared.game.turns(&root.position);
        turns.retain(|turn| root.allows(turn));
        if turns.is_empty() {
            return Ok(None);
        }
        if let Method::Selective { lag } = self.method {
            let mut process = selective::SelectiveDeepening::new(turns, depth, lag);
            process.run(self, &root.position, control)?;
            return Ok(process.best().map(|best| self.line(best.value, best.line, best.depth)));
        }
        let (value, line) = self.best_of(&root.position, turns, depth, control)?;
        Ok(Some(self.line(value, line, depth)))
    }

    /// A result for the driver, of a line that was built backwards.
    fn line(&self, value: i32, mut line: Vec<G::Turn>, seldepth: u16) -> PvLine<G> {
        line.reverse();
        PvLine { score: score(value), bound: Bound::Exact, seldepth, turns: line }
    }

    /// The best of `turns` at one depth. Lines are built backwards: the root's turn is the last.
    fn best_of(
        &mut self,
        position: &G::Position,
        turns: Vec<G::Turn>,
        depth: u16,
        control: &SearchControl,
    ) -> Result<(i32, Vec<G::Turn>), SearchStopped> {
        let mut best = (-INFINITE, Vec::new());
        for (_, turn) in self.tried(position, turns, depth) {
            let (value, mut line) = self.child(position, &turn, depth, best.0, INFINITE, control)?;
            if value > best.0 {
                line.push(turn);
                best = (value, line);
            }
        }
        Ok(best)
    }

    /// Value of `turn` for the side that plays it.
    fn child(
        &mut self,
        position: &G::Position,
        turn: &G::Turn,
        depth: u16,
        alpha: i32,
        beta: i32,
        control: &SearchControl,
    ) -> Result<(i32, Vec<G::Turn>), SearchStopped> {
        let mut next = position.clone();
        self.shared.game.play(&mut next, turn);
        let (alpha, beta) = match self.method {
            Method::Minimax => (-INFINITE, INFINITE),
            Method::AlphaBeta | Method::Selective { .. } => (alpha, beta),
        };
        let (value, line) = self.value(&next, depth - 1, -farther(beta), -farther(alpha), control)?;
        Ok((one_ply_later(-value), line))
    }

    /// Value of a position for the side to move, and the line that leads to it.
    fn value(
        &mut self,
        position: &G::Position,
        depth: u16,
        alpha: i32,
        beta: i32,
        control: &SearchControl,
    ) -> Result<(i32, Vec<G::Turn>), SearchStopped> {
        control.tick()?;
        let game = Arc::clone(&self.shared.game);
        if let Some(outcome) = game.outcome(position) {
            return Ok((terminal(outcome, game.side_to_move(position)), Vec::new()));
        }
        if depth == 0 {
            return Ok((game.evaluate(position), Vec::new()));
        }
        let key = self.cache.as_ref().map(|_| game.identity(position).into_boxed_slice());
        let known = key.as_ref().and_then(|key| self.cache.as_ref()?.get(key)).copied();
        if let Some(value) = known.and_then(|entry| entry.answer(depth, alpha, beta)) {
            let best = game.turns(position).into_iter().nth(known.map_or(0, |entry| entry.best));
            return Ok((value, best.into_iter().collect()));
        }
        let mut turns = self.tried(position, game.turns(position), depth);
        if let Some(entry) = known
            && let Some(place) = turns.iter().position(|(index, _)| *index == entry.best)
        {
            turns[..=place].rotate_right(1);
        }
        let mut best = (-INFINITE, Vec::new());
        let mut best_index = 0;
        for (index, turn) in turns {
            let (value, mut line) = self.child(position, &turn, depth, alpha.max(best.0), beta, control)?;
            if value > best.0 {
                line.push(turn);
                best = (value, line);
                best_index = index;
                if value >= beta {
                    break;
                }
            }
        }
        if let (Some(cache), Some(key)) = (self.cache.as_mut(), key) {
            let bound = match best.0 {
                value if value >= beta => Bound::Lower,
                value if value <= alpha => Bound::Upper,
                _ => Bound::Exact,
            };
            cache.insert(key, CacheEntry { depth, value: best.0, bound, best: best_index });
        }
        Ok(best)
    }
}

/// A value as the driver reports it.
pub fn score(value: i32) -> Score {
    let plies = |distance: i32| u16::try_from(distance).unwrap_or(u16::MAX);
    match value {
        v if v > WIN_ZONE => Score::MateIn(plies(WIN - v)),
        v if v < -WIN_ZONE => Score::MatedIn(plies(WIN + v)),
        v => Score::Cp(v),
    }
}

/// Value of a finished game for the side to move: the margin where the game counts one.
fn terminal(outcome: GameOutcome, to_move: crate::game::Side) -> i32 {
    match outcome.winner {
        None => 0,
        Some(winner) => {
            let sign = if winner == to_move { 1 } else { -1 };
            match outcome.margin.abs() {
                0 => sign * WIN,
                margin => sign * margin * 100,
            }
        }
    }
}

/// A win a ply farther from its end is worth a little less, a loss a little more.
fn one_ply_later(value: i32) -> i32 {
    match value {
        v if v > WIN_ZONE => v - 1,
        v if v < -WIN_ZONE => v + 1,
        v => v,
    }
}

/// Inverse of [`one_ply_later`] for window edges.
fn farther(edge: i32) -> i32 {
    match edge {
        v if v >= WIN_ZONE => (v + 1).min(INFINITE),
        v if v <= -WIN_ZONE => (v - 1).max(-INFINITE),
        v => v,
    }
}

impl<G: GameSearch> Worker<G> for Reference<G> {
    fn new(shared: Arc<WorkerShared<G>>, _index: usize) -> Result<Self, GameError> {
        Ok(Reference::with(shared, Method::AlphaBeta, true))
    }

    fn new_game(&mut self) {
        if let Some(cache) = &mut self.cache {
            cache.clear();
        }
    }

    fn next_stage(&self, _root: &SearchRoot<G>, done: Option<IterationStage>) -> Option<IterationStage> {
        let depth = done.map_or(1, |stage| stage.depth + 1);
        (depth <= 128).then(|| IterationStage::depth(depth))
    }

    fn search(
        &mut self,
        root: &SearchRoot<G>,
        stage: IterationStage,
        control: &SearchControl,
    ) -> Iteration<G> {
        if let Method::Selective { lag } = self.method {
            return selective::iteration(self, root, stage.depth, lag, control);
        }
        match self.run(root, stage.depth, control) {
            Ok(Some(line)) => Iteration::Complete(line),
            Ok(None) => Iteration::NoTurn,
            Err(SearchStopped) => Iteration::Stopped,
        }
    }

    fn remembers_iterations(&self) -> bool {
        self.cache.is_some()
    }

    fn helper_search(&mut self, _root: &SearchRoot<G>, _control: &SearchControl) {
        // The article's searches are single-threaded: their caches are private.
    }
}
