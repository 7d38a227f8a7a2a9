//! The article's searches once more, as literally as possible: what the fast ones are compared with.
//!
//! Nothing is shared with them but the rules of the game and what a decided game is worth.

use std::collections::HashMap;

use kaeshi_core::game::{GameSearch, Side};

/// A decided game, seen from where it ends.
const WIN: i32 = 1_000_000;
/// Values beyond this are wins or losses in a number of plies.
const DECIDED: i32 = 990_000;

/// A cached position: depth, value, and whether it is exact (0), at least that (1) or at most that (-1).
type CachedValue = (u16, i32, i32);

/// The outcome of the article's selective process.
pub(super) struct SelectiveOutcome<T> {
    /// The best turn.
    pub(super) turn: T,
    /// Its value for the side that plays it.
    pub(super) value: i32,
    /// How deep it was searched, in plies.
    pub(super) depth: u16,
    /// How many turns reached the maximum depth.
    pub(super) full: usize,
}

/// Minimax or alpha-beta over a game, with or without the cache.
pub(super) struct Literal<'a, G: GameSearch> {
    pub(super) game: &'a G,
    pub(super) pruned: bool,
    pub(super) cache: Option<HashMap<Vec<u8>, (CachedValue, usize)>>,
}

impl<G: GameSearch> Literal<'_, G> {
    /// A win counts one less for each ply that it is away, a loss one more.
    fn a_ply_later(value: i32) -> i32 {
        if value > DECIDED {
            value - 1
        } else if value < -DECIDED {
            value + 1
        } else {
            value
        }
    }

    /// The largest value before the ply that counts as at most `edge` after it.
    fn a_ply_sooner(edge: i32) -> i32 {
        if edge >= DECIDED {
            edge + 1
        } else if edge <= -DECIDED {
            edge - 1
        } else {
            edge
        }
    }

    fn ended(&self, position: &G::Position) -> Option<i32> {
        let outcome = self.game.outcome(position)?;
        let first = match (outcome.winner, outcome.margin.abs()) {
            (None, _) => 0,
            (Some(Side::First), 0) => WIN,
            (Some(Side::Second), 0) => -WIN,
            (Some(Side::First), margin) => 100 * margin,
            (Some(Side::Second), margin) => -100 * margin,
        };
        Some(if self.game.side_to_move(position) == Side::First { first } else { -first })
    }

    /// Value of `turn` for the side that plays it, at least `alpha` and at most `beta` being of interest.
    pub(super) fn turn(
        &mut self,
        position: &G::Position,
        turn: &G::Turn,
        depth: u16,
        window: (i32, i32),
    ) -> i32 {
        let mut next = position.clone();
        self.game.play(&mut next, turn);
        let (alpha, beta) = if self.pruned { window } else { (-2 * WIN, 2 * WIN) };
        let below = (-Self::a_ply_sooner(beta), -Self::a_ply_sooner(alpha));
        Self::a_ply_later(-self.value(&next, depth - 1, below))
    }

    fn value(&mut self, position: &G::Position, depth: u16, (alpha, beta): (i32, i32)) -> i32 {
        if let Some(value) = self.ended(position) {
            return value;
        }
        if depth == 0 {
            return self.game.evaluate(position);
        }
        let key = self.game.identity(position);
        let mut order: Vec<usize> = (0..self.game.turns(position).len()).collect();
        if let Some(&((known_depth, value, kind), best)) = self.cache.as_ref().and_then(|c| c.get(&key)) {
            let decides = kind == 0 || kind > 0 && value >= beta || kind < 0 && value <= alpha;
            if known_depth >= depth && decides {
                return value;
            }
            order.retain(|&place| place != best);
            order.insert(0, best);
        }
        let turns = self.game.turns(position);
        let (mut highest, mut best) = (-2 * WIN, 0);
        for place in order {
            let value = self.turn(position, &turns[place], depth, (alpha.max(highest), beta));
            if value > highest {
                (highest, best) = (value, place);
            }
            if self.pruned && highest >= beta {
                break;
            }
        }
        let kind = if !self.pruned {
            0
        } else if highest >= beta {
            1
        } else if highest <= alpha {
            -1
        } else {
            0
        };
        if let Some(cache) = &mut self.cache {
            cache.insert(key, ((depth, highest, kind), best));
        }
        highest
    }

    /// The best value of `turns` at one depth.
    pub(super) fn best(&mut self, position: &G::Position, turns: &[G::Turn], depth: u16) -> i32 {
        let mut highest = -2 * WIN;
        for turn in turns {
            highest = highest.max(self.turn(position, turn, depth, (highest, 2 * WIN)));
        }
        highest
    }

    /// The article's process, sorted anew before every step.
    pub(super) fn selective(
        &mut self,
        position: &G::Position,
        turns: &[G::Turn],
        minimum: u16,
        maximum: u16,
    ) -> SelectiveOutcome<G::Turn> {
        let everything = (-2 * WIN, 2 * WIN);
        let mut table: Vec<(i32, usize, u16)> = Vec::new();
        for (place, turn) in turns.iter().enumerate() {
            table.push((self.turn(position, turn, 1, everything), place, 1));
        }
        while table.iter().any(|row| row.2 < minimum) {
            table.sort_by_key(|&(value, place, _)| (-value, place));
            let row = table.iter().position(|row| row.2 < maximum).expect("one is below the minimum");
            let depth = table[row].2 + 1;
            table[row] = (self.turn(position, &turns[table[row].1], depth, everything), table[row].1, depth);
        }
        let full = table.iter().filter(|row| row.2 == maximum).count();
        table.sort_by_key(|&(value, place, depth)| (-value, -i32::from(depth), place));
        let (value, place, depth) = table[0];
        SelectiveOutcome { turn: turns[place].clone(), value, depth, full }
    }
}
