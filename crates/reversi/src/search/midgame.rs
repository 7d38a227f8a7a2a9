//! Search by depth and selectivity: principal variation search with null windows, a shared table
//! with two moves and both bounds, enhanced transposition cutoffs, ProbCut, and the exact solver of
//! [`crate::search::endgame`] at the bottom when the depth reaches the end of the game.
//!
//! Values are whole discs. A search whose depth equals the number of empty squares is exact when
//! its level is [`EXACT`].

mod end;
mod moves;
mod shallow;

use crate::evaluate::pattern::{GEOMETRY, Geometry, Indices};
use crate::evaluate::weights::{ReversiWeights, UNITS};
use crate::rules::board::ReversiBoard;
use crate::rules::simd::{Isa, IsaJob};
use crate::search::endgame::{self, EndgameContext, EndgameSolve};
use crate::search::memory::{Busy, ReversiMemory};
use crate::search::probcut;
use crate::search::stability;
use crate::search::table::{EXACT, NO_MOVE, ReversiTtEntry, key};
use end::EndgameSearch;
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::SearchStopped;
use moves::ReversiMovePicker;

/// Depths from which the table is used.
const TABLE_DEPTH: u32 = 3;
/// Depths from which the replies are looked up in the table before any is searched.
const REPLY_CUT_DEPTH: u32 = 5;
/// Empty squares from which the same is done in searches to the end, where fewer nodes are cheaper than looking up
/// their replies.
const REPLY_CUT_EMPTIES: u32 = 13;
/// Depths from which threads share the moves of a node: to the end, and before.
const SHARED_DEPTH: (u32, u32) = (14, 8);

/// Up to this many empty squares moves are ordered without the evaluation, and the result is exact at every level:
/// forward pruning would save little, and its results could not be used at other levels.
const END_DEPTH: u32 = 12;

/// A board with its indices.
#[derive(Clone, Copy, Debug)]
pub struct IndexedBoard {
    /// The discs.
    pub board: ReversiBoard,
    /// The indices of its patterns.
    pub indices: Indices,
}

impl IndexedBoard {
    /// A node from nothing.
    pub fn new(board: ReversiBoard) -> IndexedBoard {
        IndexedBoard { board, indices: Indices::new(board) }
    }

    /// The node seen by the other side.
    #[inline(always)]
    pub fn passed(&self, geometry: &Geometry) -> IndexedBoard {
        IndexedBoard { board: self.board.passed(), indices: self.indices.passed(geometry) }
    }
}

/// The moves expected, squares 0..64 and [`NO_MOVE`] for a pass.
pub type Sequence = arrayvec::ArrayVec<u8, 128>;

/// One running search.
pub struct MidgameSearch<'a> {
    /// Bounds and moves known to all threads.
    pub table: &'a TranspositionTable<ReversiTtEntry>,
    /// The evaluation.
    pub weights: &'a ReversiWeights,
    /// Says when to stop.
    pub control: &'a SearchControl,
    /// The state of the exact solver.
    pub context: &'a mut EndgameContext,
    /// Selectivity, 0 to [`EXACT`].
    pub level: u8,
    /// Positions that other threads are searching; `None` with a single thread.
    pub busy: Option<&'a Busy>,
    /// How many ProbCut searches contain this one.
    pub probing: u32,
    /// The geometry of the patterns.
    pub geometry: &'static Geometry,
}

impl<'a> MidgameSearch<'a> {
    /// A search at full width by one of `threads` threads.
    pub fn new(
        memory: &'a ReversiMemory,
        weights: &'a ReversiWeights,
        control: &'a SearchControl,
        context: &'a mut EndgameContext,
        threads: usize,
    ) -> MidgameSearch<'a> {
        let busy = (threads > 1).then_some(&memory.busy);
        let table = &memory.table;
        MidgameSearch {
            table,
            weights,
            control,
            context,
            level: EXACT,
            busy,
            probing: 0,
            geometry: &GEOMETRY,
        }
    }

    /// Value in discs without any search; exact where it is near the window.
    #[inline(always)]
    fn evaluate<I: Isa>(&self, isa: I, node: &IndexedBoard, window: (i32, i32)) -> i32 {
        let value = self.weights.value_near(isa, node.board, &node.indices, window);
        (value + value.signum() * UNITS / 2) / UNITS
    }

    /// Counts what the solver did and solves one board exactly within a null window.
    #[inline(always)]
    fn solve<I: Isa>(&mut self, isa: I, board: ReversiBoard, alpha: i32) -> i32 {
        let before = self.context.nodes;
        let value = isa.run(EndgameSolve { context: self.context, board, alpha });
        self.control.add_nodes(self.context.nodes - before);
        value
    }
}

/// A search within (`alpha`, `alpha + 1`).
pub struct Null<'s, 'a> {
    /// The running search.
    pub search: &'s mut MidgameSearch<'a>,
    /// The position.
    pub node: &'s IndexedBoard,
    /// Lower end of the window, in discs.
    pub alpha: i32,
    /// Plies to go; everything from the number of empty squares on means to the end.
    pub depth: u32,
}

impl IsaJob for Null<'_, '_> {
    type Output = Result<i32, SearchStopped>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Null { search, node, alpha, depth } = self;
        let board = node.board;
        let empties = board.empties();
        if depth >= empties {
            if empties <= endgame::DEPTH {
                search.control.tick()?;
                return Ok(search.solve(isa, board, alpha));
            }
            if empties <= END_DEPTH {
                return isa.run(EndgameSearch { search, board, alpha });
            }
        } else if depth < TABLE_DEPTH {
            return Ok(isa.run(shallow::ShallowMidgame { search, node, alpha, beta: alpha + 1, depth }));
        }
        let depth = depth.min(empties);
        search.control.tick()?;
        let key = key(board);
        search.table.prefetch(key);
        if let Some(most) = stability::cutoff(board, alpha, empties) {
            return Ok(most);
        }
        let legal = isa.moves(board.me, board.opponent);
        if legal == 0 {
            if isa.moves(board.opponent, board.me) == 0 {
                return Ok(board.final_score());
            }
            let next = node.passed(search.geometry);
            return Ok(-isa.run(Null { search, node: &next, alpha: -alpha - 1, depth })?);
        }
        let known = search.table.probe(key);
        let entry = known.filter(|entry| entry.covers(depth as u8, search.level));
        if let Some(value) = entry.and_then(|entry| entry.settles(alpha)) {
            return Ok(value);
        }
        let best_known = known.map_or([NO_MOVE; 2], |entry| entry.moves);
        let mut moves = ReversiMovePicker::new();
        moves.fill(isa, board, legal);
        if let Some(winner) = moves.wipeout() {
            let entry =
                ReversiTtEntry::updated(known, (depth as u8, search.level), (alpha, alpha + 1), 64, winner);
            search.table.store(key, entry);
            return Ok(64);
        }
        if depth >= (if depth >= empties { REPLY_CUT_EMPTIES } else { REPLY_CUT_DEPTH }) {
            let covered = (depth as u8, search.level);
            if let Some(value) = cut_by_replies(search.table, &moves, alpha, covered) {
                return Ok(value);
            }
        }
        if search.level < EXACT
            && let Some(value) = probe_cut(isa, search, node, alpha, depth)?
        {
            return Ok(value);
        }
        moves.prefer(best_known[0]);
        let hopeless = known.is_some_and(|entry| i32::from(entry.upper) <= alpha);
        let mut best = -65;
        let mut best_square = NO_MOVE;
        let least = if depth >= empties { SHARED_DEPTH.0 } else { SHARED_DEPTH.1 };
        let busy = search.busy.filter(|_| depth >= least);
        loop {
            if moves.wants_ranks() {
                moves.rank(isa, search, node, best_known, alpha, (depth, hopeless))?;
            }
            let Some(reply) = moves.next() else { break };
            // The same board at another depth is another task.
            let task = reply.key ^ u64::from(depth) << 8 ^ u64::from(search.level);
            if let Some(busy) = busy
                && best > -65
            {
                if !reply.is_postponed() && busy.contains(task) {
                    moves.postpone();
                    continue;
                }
                if let Some(value) = settled(search, key, alpha, depth) {
                    return Ok(value);
                }
            }
            let value = if depth >= empties && empties - 1 <= END_DEPTH {
                -isa.run(EndgameSearch { search, board: reply.board, alpha: -alpha - 1 })?
            } else {
                let next = reply.node(search.geometry, node);
                if let Some(busy) = busy {
                    busy.enter(task);
                }
                let value = isa.run(Null { search, node: &next, alpha: -alpha - 1, depth: depth - 1 });
                if let Some(busy) = busy {
                    busy.leave(task);
                }
                -value?
            };
            if value > best {
                best = value;
                best_square = reply.square;
                if value > alpha {
                    break;
                }
            }
        }
        let level = search.level;
        search.table.store(
            key,
            ReversiTtEntry::updated(known, (depth as u8, level), (alpha, alpha + 1), best, best_square),
        );
        Ok(best)
    }
}

/// The result of a node of `(depth, level)` as far as the table knows it from its replies (enhanced
/// transposition cutoff, Schaeffer and Plaat 1996).
#[inline(always)]
fn cut_by_replies(
    table: &TranspositionTable<ReversiTtEntry>,
    moves: &ReversiMovePicker,
    alpha: i32,
    (depth, level): (u8, u8),
) -> Option<i32> {
    moves.prefetch(table);
    let mut most = -64;
    for reply in moves.all() {
        let Some(entry) = table.probe(reply.key).filter(|entry| entry.covers(depth - 1, level)) else {
            most = 64;
            continue;
        };
        if -i32::from(entry.upper) > alpha {
            return Some(-i32::from(entry.upper));
        }
        most = most.max(-i32::from(entry.lower));
    }
    (most <= alpha).then_some(most)
}

/// The result of this node, if another thread has found it meanwhile.
#[inline(always)]
fn settled(search: &MidgameSearch, key: u64, alpha: i32, depth: u32) -> Option<i32> {
    let entry = search.table.probe(key).filter(|entry| entry.covers(depth as u8, search.level))?;
    entry.settles(alpha)
}

/// ProbCut (Buro 1995): a cutoff by a shallow search whose result lies so far outside the window that the deep one is
/// unlikely to lie inside.
#[inline(always)]
fn probe_cut<I: Isa>(
    isa: I,
    search: &mut MidgameSearch,
    node: &IndexedBoard,
    alpha: i32,
    depth: u32,
) -> Result<Option<i32>, SearchStopped> {
    if depth < probcut::LEAST_DEPTH || search.probing >= probcut::DEEPEST {
        return Ok(None);
    }
    let empties = node.board.empties();
    let reduced = probcut::reduced(depth);
    let margin = probcut::margin(search.level, empties, depth, reduced);
    let static_value = search.evaluate(isa, node, (alpha, alpha + 1));
    let above = alpha + 1 + margin;
    if above < 64 && static_value > alpha {
        search.probing += 1;
        let value = isa.run(Null { search, node, alpha: above - 1, depth: reduced });
        search.probing -= 1;
        if value? >= above {
            return Ok(Some(alpha + 1));
        }
    }
    let below = alpha - margin;
    if below > -64 && static_value <= alpha {
        search.probing += 1;
        let value = isa.run(Null { search, node, alpha: below, depth: reduced });
        search.probing -= 1;
        if value? <= below {
            return Ok(Some(alpha));
        }
    }
    Ok(None)
}

/// A search within an open window that also returns the principal variation.
pub struct Principal<'s, 'a> {
    /// The running search.
    pub search: &'s mut MidgameSearch<'a>,
    /// The position.
    pub node: &'s IndexedBoard,
    /// The window, in discs.
    pub window: (i32, i32),
    /// Plies to go.
    pub depth: u32,
    /// Receives the moves.
    pub line: &'s mut Sequence,
}

impl IsaJob for Principal<'_, '_> {
    type Output = Result<i32, SearchStopped>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Principal { search, node, window: (mut alpha, beta), depth, line } = self;
        let board = node.board;
        let empties = board.empties();
        line.clear();
        search.control.tick()?;
        let legal = isa.moves(board.me, board.opponent);
        let mut below = Sequence::new();
        if legal == 0 {
            if isa.moves(board.opponent, board.me) == 0 {
                return Ok(board.final_score());
            }
            if depth == 0 {
                return Ok(search.evaluate(isa, node, (alpha, beta)));
            }
            let next = node.passed(search.geometry);
            let window = (-beta, -alpha);
            let value = -isa.run(Principal { search, node: &next, window, depth, line: &mut below })?;
            extend(line, NO_MOVE, &below);
            return Ok(value);
        }
        if depth == 0 {
            return Ok(search.evaluate(isa, node, (alpha, beta)));
        }
        let depth = depth.min(empties);
        let key = key(board);
        let known = search.table.probe(key);
        let mut best_known = known.map_or([NO_MOVE; 2], |entry| entry.moves);
        if best_known[0] == NO_MOVE && depth > 6 {
            // Internal iterative deepening: without a TT move, a shallower search finds a first move.
            let hint = if depth >= empties { depth - 6 } else { depth - 2 };
            isa.run(Principal { search, node, window: (alpha, beta), depth: hint, line: &mut below })?;
            best_known[0] = below.first().copied().unwrap_or(NO_MOVE);
        }
        let start = alpha;
        let mut moves = ReversiMovePicker::new();
        moves.fill(isa, board, legal);
        moves.rank(isa, search, node, best_known, alpha, (depth, false))?;
        let mut best = -65;
        let mut best_square = NO_MOVE;
        while let Some(reply) = moves.next() {
            let next = reply.node(search.geometry, node);
            let mut value = i32::MIN;
            if best > -65 {
                value = -isa.run(Null { search, node: &next, alpha: -alpha - 1, depth: depth - 1 })?;
            }
            if best == -65 || needs_line(value, (alpha, beta)) {
                let window = (-beta, -alpha);
                value =
                    -isa.run(Principal { search, node: &next, window, depth: depth - 1, line: &mut below })?;
            } else {
                below.clear();
            }
            if value > best {
                best = value;
                best_square = reply.square;
                extend(line, reply.square, &below);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        let entry =
            ReversiTtEntry::updated(known, (depth as u8, search.level), (start, beta), best, best_square);
        search.table.store(key, entry);
        Ok(best)
    }
}

/// Whether a value found by a null window is to be searched again for its line: inside the window, and at its
/// end where no value is higher.
pub fn needs_line(value: i32, (alpha, beta): (i32, i32)) -> bool {
    value > alpha && (value < beta || beta == 64)
}

/// `first` and then `rest`.
pub fn extend(line: &mut Sequence, first: u8, rest: &[u8]) {
    line.clear();
    line.extend(std::iter::once(first).chain(rest.iter().copied()).take(line.capacity()));
}

#[cfg(test)]
mod tests;
