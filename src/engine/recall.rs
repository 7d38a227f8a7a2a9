//! What was found about positions before: a position asked again is resumed, not begun anew.

use std::collections::HashMap;

use crate::game::Game;
use crate::game::search::{Line, Stage};

/// Positions remembered before the memory is emptied.
const LIMIT: usize = 10_000;

/// The lines of the last complete iteration of one position, best first.
pub struct Held<G: Game> {
    /// That iteration.
    pub stage: Stage,
    /// Its lines.
    pub lines: Vec<Line<G>>,
    /// How many lines were wanted; a position may have fewer turns.
    wanted: usize,
}

/// The iterations reached at each root position since the game began, keyed by its exact identity.
pub struct Recall<G: Game> {
    held: HashMap<Vec<u8>, Held<G>>,
}

impl<G: Game> Default for Recall<G> {
    fn default() -> Self {
        Recall { held: HashMap::new() }
    }
}

impl<G: Game> Recall<G> {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.held.clear();
    }

    /// What is known of a position, if `wanted` lines or more were asked for.
    pub fn get(&self, identity: &[u8], wanted: usize) -> Option<&Held<G>> {
        self.held.get(identity).filter(|held| held.wanted >= wanted)
    }

    /// Keeps the lines of a complete iteration that was asked for `wanted` of them.
    pub fn put(&mut self, identity: Vec<u8>, stage: Stage, lines: &[Line<G>], wanted: usize) {
        if self.held.len() >= LIMIT {
            self.held.clear();
        }
        self.held.insert(identity, Held { stage, lines: lines.to_vec(), wanted });
    }
}
