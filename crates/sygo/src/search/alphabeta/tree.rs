//! Principal variation search over whole turns, with a table and late-turn reductions.

use arrayvec::ArrayVec;

use super::entry::{SygoTtEntry, short_hash};
use super::lists::Lists;
use crate::evaluate::SygoWeights;
use crate::rules;
use crate::rules::position::SygoPosition;
use crate::rules::turn::{SygoTurn, TurnKind};
use crate::search::propose::best;
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::{Bound, SearchStopped};

/// Above any value, in hundredths of a point.
pub const INFINITE: i32 = 1_000_000;
/// From this place in the list on, turns are tried shallower first - by two turns, as values after
/// the turns of different sides do not compare.
const LATE: usize = 5;
/// Remaining depth from which on late turns are reduced.
const REDUCIBLE: usize = 4;
/// Best turns remembered of each ply.
const KILLERS: usize = 2;

/// One iteration's search below the root.
pub struct AlphaBetaTree<'a> {
    weights: &'a SygoWeights,
    table: &'a TranspositionTable<SygoTtEntry>,
    control: &'a SearchControl,
    lists: &'a mut Lists,
    /// The last best turns of each ply: often best again at its other nodes.
    killers: Vec<ArrayVec<SygoTurn, KILLERS>>,
    ply: u16,
    /// Deepest ply looked at.
    pub seldepth: u16,
}

type Valued = (i32, Vec<SygoTurn>);

impl<'a> AlphaBetaTree<'a> {
    /// A tree before its first search.
    pub fn new(
        weights: &'a SygoWeights,
        table: &'a TranspositionTable<SygoTtEntry>,
        lists: &'a mut Lists,
        control: &'a SearchControl,
    ) -> AlphaBetaTree<'a> {
        AlphaBetaTree { weights, table, control, lists, killers: Vec::new(), ply: 0, seldepth: 0 }
    }

    /// Value, for the side that has just moved, of the position after a turn, and the line behind
    /// it. A turn that is not the first is expected to be no better than `alpha`.
    ///
    /// # Errors
    /// [`SearchStopped`] when the control says so.
    pub fn child(
        &mut self,
        position: &mut SygoPosition,
        depth: usize,
        alpha: i32,
        beta: i32,
        later: bool,
    ) -> Result<Valued, SearchStopped> {
        self.ply += 1;
        let result = self.child_inner(position, depth, alpha, beta, later);
        self.ply -= 1;
        result
    }

    fn child_inner(
        &mut self,
        position: &mut SygoPosition,
        depth: usize,
        alpha: i32,
        beta: i32,
        later: bool,
    ) -> Result<Valued, SearchStopped> {
        if later && beta - alpha > 1 {
            let (value, line) = self.value(position, depth, -alpha - 1, -alpha)?;
            if -value <= alpha || -value >= beta {
                return Ok((-value, line));
            }
        }
        let (value, line) = self.value(position, depth, -beta, -alpha)?;
        Ok((-value, line))
    }

    /// Value for the side to move and the line behind it.
    fn value(
        &mut self,
        position: &mut SygoPosition,
        depth: usize,
        mut alpha: i32,
        beta: i32,
    ) -> Result<Valued, SearchStopped> {
        self.control.tick()?;
        self.seldepth = self.seldepth.max(self.ply);
        if position.is_over() {
            return Ok((100 * rules::margin_of_mover(position), Vec::new()));
        }
        if depth == 0 {
            return Ok((self.weights.position(position), Vec::new()));
        }
        let key = position.key();
        let known = self.table.probe(key);
        if let Some(entry) = known.filter(|entry| usize::from(entry.depth) >= depth) {
            // An exact value in an open window has a line yet to be found.
            let needs_line = entry.bound == Bound::Exact && beta - alpha > 1 && depth > 1;
            if !needs_line && entry.bound.settles(entry.value, alpha, beta) {
                return Ok((entry.value, Vec::new()));
            }
        }
        if depth == 1 {
            let weights = self.weights;
            let (value, turn) = best(weights, position, beta, self.killers().iter());
            let bound = if value >= beta { Bound::Lower } else { Bound::Exact };
            self.remember(&turn);
            self.store(key, value, bound, 1, &turn);
            return Ok((value, vec![turn]));
        }
        let width = 2 + depth;
        let mut best: Valued = (-INFINITE, Vec::new());
        let mut tried = ArrayVec::<SygoTurn, KILLERS>::new();
        if beta - alpha == 1 && !self.lists.has(key, width) {
            for killer in self.killers().clone() {
                if killer.kind() == TurnKind::Pass || rules::check(position, &killer).is_err() {
                    continue;
                }
                let undo = position.apply(&killer);
                let result = self.child(position, depth - 1, alpha, beta, true);
                position.undo(undo);
                let (value, mut line) = result?;
                if value >= beta {
                    self.store(key, value, Bound::Lower, depth, &killer);
                    line.insert(0, killer);
                    return Ok((value, line));
                }
                if value > best.0 {
                    line.insert(0, killer.clone());
                    best = (value, line);
                }
                tried.push(killer);
            }
        }
        let list = self.lists.get(self.weights, position, key, width);
        let floor = alpha;
        let turns = list.ordered(width, |turn| known.is_some_and(|entry| entry.is_of(turn)));
        for (place, turn) in turns.into_iter().filter(|turn| !tried.contains(turn)).enumerate() {
            let undo = position.apply(turn);
            let mut result = Ok((alpha + 1, Vec::new()));
            if place >= LATE && depth >= REDUCIBLE {
                result = self.child(position, depth - 3, alpha, alpha + 1, true);
            }
            if result.as_ref().is_ok_and(|(value, _)| *value > alpha) {
                result = self.child(position, depth - 1, alpha, beta, place > 0);
            }
            position.undo(undo);
            let (value, mut line) = result?;
            if value > best.0 {
                line.insert(0, turn.clone());
                best = (value, line);
                alpha = alpha.max(value);
                if alpha >= beta {
                    break;
                }
            }
        }
        let bound = match best.0 {
            value if value >= beta => Bound::Lower,
            value if value <= floor => Bound::Upper,
            _ => Bound::Exact,
        };
        if let Some(turn) = best.1.first() {
            if bound == Bound::Lower {
                self.remember(turn);
            }
            self.store(key, best.0, bound, depth, turn);
        }
        Ok(best)
    }

    fn killers(&mut self) -> &mut ArrayVec<SygoTurn, KILLERS> {
        let ply = usize::from(self.ply);
        if self.killers.len() <= ply {
            self.killers.resize_with(ply + 1, ArrayVec::new);
        }
        &mut self.killers[ply]
    }

    /// Puts the turn before the other killers of this ply.
    fn remember(&mut self, turn: &SygoTurn) {
        let killers = self.killers();
        if !killers.contains(turn) {
            killers.truncate(KILLERS - 1);
            killers.insert(0, turn.clone());
        }
    }

    fn store(&self, key: u64, value: i32, bound: Bound, depth: usize, turn: &SygoTurn) {
        self.table.store(key, SygoTtEntry { value, bound, depth: depth as u8, turn: short_hash(turn) });
    }
}
