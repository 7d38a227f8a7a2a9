//! Results of earlier searches by root position: a repeated search resumes where the last one ended.

use std::collections::HashMap;
use std::path::Path;

use crate::game::score::Score;
use crate::game::search::{Bound, IterationStage, PvLine};
use crate::game::{GameError, GameNotation, GameRules};

/// Positions in the cache at which it is cleared.
const LIMIT: usize = 10_000;

/// The lines of the last complete iteration of one position, best first.
pub struct CachedLines<G: GameRules> {
    /// The last complete iteration.
    pub stage: IterationStage,
    /// Its lines.
    pub lines: Vec<PvLine<G>>,
    /// How many lines were wanted; a position may have fewer turns.
    wanted: usize,
}

/// The iterations reached at each root position since the game began, keyed by its exact identity.
pub struct RootCache<G: GameRules> {
    held: HashMap<Vec<u8>, CachedLines<G>>,
}

impl<G: GameRules> Default for RootCache<G> {
    fn default() -> Self {
        RootCache { held: HashMap::new() }
    }
}

impl<G: GameRules> RootCache<G> {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.held.clear();
    }

    /// The lines of a position, if at least `wanted` were requested.
    pub fn get(&self, identity: &[u8], wanted: usize) -> Option<&CachedLines<G>> {
        self.held.get(identity).filter(|held| held.wanted >= wanted)
    }

    /// Stores the lines of a complete iteration for which `wanted` lines were requested.
    pub fn put(&mut self, identity: Vec<u8>, stage: IterationStage, lines: &[PvLine<G>], wanted: usize) {
        if self.held.len() >= LIMIT {
            self.held.clear();
        }
        self.held.insert(identity, CachedLines { stage, lines: lines.to_vec(), wanted });
    }
}

/// The result of an earlier search, with turns as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    /// The iteration that was reached.
    pub stage: IterationStage,
    /// Deepest ply reached.
    pub seldepth: u16,
    /// Values and turns, best first.
    pub lines: Vec<(Score, Vec<String>)>,
    /// Lines asked for; a position may have fewer turns.
    pub wanted: usize,
}

impl Earlier {
    /// The lines as turns of `game`; `None` if any of them does not fit the position.
    pub fn lines<G: GameNotation>(&self, game: &G, position: &G::Position) -> Option<Vec<PvLine<G>>> {
        let line = |(score, words): &(Score, Vec<String>)| -> Option<PvLine<G>> {
            let mut here = position.clone();
            let mut turns = Vec::new();
            for word in words {
                let turn = game.parse_turn(&here, word).ok()?;
                game.play(&mut here, &turn);
                turns.push(turn);
            }
            let line = PvLine { score: *score, bound: Bound::Exact, turns, seldepth: self.seldepth };
            (!line.turns.is_empty()).then_some(line)
        };
        let lines: Vec<PvLine<G>> = self.lines.iter().map(line).collect::<Option<_>>()?;
        (!lines.is_empty()).then_some(lines)
    }
}

/// Results of earlier searches that are kept outside the engine.
pub trait EarlierResults: Send + Sync {
    /// The deepest result for the position with this [`GameRules::identity`] under these options
    /// (`name=value`, one a line) with at least `wanted` lines asked for.
    fn find(&self, options: &str, game: &str, identity: &[u8], wanted: usize) -> Option<Earlier>;
}

/// Opens the results at a path; beside them a message for people.
pub type OpenResults = fn(&Path) -> Result<(Box<dyn EarlierResults>, Option<String>), GameError>;

/// For an engine that is handed no results.
///
/// # Errors
/// Always.
pub fn no_results(path: &Path) -> Result<(Box<dyn EarlierResults>, Option<String>), GameError> {
    Err(GameError::unsupported(format!("StoreFile {}: this engine reads no results", path.display())))
}
