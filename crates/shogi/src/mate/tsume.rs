//! The length of a mate as problem solvers count it: without useless interpositions (*mudaai*).
//!
//! # The definition
//!
//! A rook, bishop, lance, dragon or horse checks from a distance, and the defender drops a piece on a
//! square between it and the king. The drop is *useless* if the checking piece can capture it with
//! another check, and the attacker then mates, *without the captured piece*, in no more plies than if the
//! defender had interposed neither on this square nor farther from the king. Useless interpositions are
//! no moves: where nothing else is left, the king is mated.
//!
//! *Without the captured piece* means that it goes back to the defender's hand. The position is then the
//! one before the interposition with the checking piece on the interposed square. So whether a drop is
//! useless depends on its square alone, not on the kind of the dropped piece, and squares are judged from
//! the king outwards: after the capture the checking piece is nearer to the king. Moves of pieces on
//! the board are never useless, nor are drops that only another piece can capture.
//!
//! # Why a mate stays a mate
//!
//! A position counts as a mate here exactly if it is one by legal moves. If the useful defences are mated, a useless
//! one is, too: after the capture the attacker holds a piece more than in the position that is compared, and more
//! pieces never cost him a mate (see the front of [`super`]). Hence the length is at most that by legal moves, and the
//! df-pn solver's results of mate and no mate hold.
//!
//! # How it is found
//!
//! Lengths are compared, so a bound on one must be exact: a depth-limited search over attacker's checks and defender's
//! moves asks for 1, 3, 5, … plies, with a table of bounds for exact hands (a greater hand may make an interposition
//! useful, and so the mate longer). The df-pn solver rules out, once for each position, those that are no mate at all.

mod bounds;
mod cooks;
mod principal;

use crate::mate::one_ply::exact_mate_1ply;
use crate::mate::{MateJudgement, MateSolver};
use crate::rules::attacks::between;
use crate::rules::movegen::MoveList;
use crate::rules::position::ShogiPosition;
use crate::rules::types::Move;
use bounds::{LengthBounds, LengthTable, NEVER};
use kaeshi_core::game::Side;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::SearchStopped;

pub use cooks::{SecondSolution, SecondSolutionKind, SecondSolutions};

/// Which moves count in the length of a mate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MateLength {
    /// Every legal move.
    #[default]
    Legal,
    /// All but useless interpositions.
    Tsume,
}

impl MateLength {
    /// The names that [`MateLength::from_name`] accepts.
    pub const NAMES: [&'static str; 2] = [MateLength::Legal.name(), MateLength::Tsume.name()];

    /// Its name in options and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            MateLength::Legal => "legal",
            MateLength::Tsume => "tsume",
        }
    }

    /// The length with this name, if there is one.
    pub fn from_name(name: &str) -> Option<MateLength> {
        [MateLength::Legal, MateLength::Tsume].into_iter().find(|length| length.name() == name)
    }
}

/// A mate as problem solvers count it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TsumeSolution {
    /// Legal moves, the attacker's first and last. After the last one the king is mated, but for useless
    /// interpositions.
    pub line: Vec<Move>,
    /// Whether no mate is shorter; otherwise limits ended the search, and this is the mate by legal moves that is
    /// known.
    pub is_shortest: bool,
    /// Pieces that the attacker holds at the end.
    pub left_in_hand: u32,
}

/// Longest mate by legal moves whose length is looked for, in plies: the search is recursive.
const LONGEST: i16 = 199;
/// Nodes of the df-pn solver, for each ply left, to find out whether a position is a mate at all.
const JUDGE_NODES: u64 = 1_000;
/// The table of bounds gets `1 / TABLE_PART` of the memory.
const TABLE_PART: usize = 8;

/// Counts mates as problem solvers do, on top of a [`MateSolver`].
pub struct TsumeSolver {
    mate: MateSolver,
    table: LengthTable,
    attacker: Side,
    nodes: u64,
    node_limit: u64,
    /// Lines that may still be compared by the pieces left in hand.
    lines_left: u32,
}

impl TsumeSolver {
    /// A solver that uses at most about `bytes` bytes.
    pub fn with_bytes(bytes: usize) -> TsumeSolver {
        TsumeSolver::around(MateSolver::with_bytes(bytes - bytes / TABLE_PART), bytes / TABLE_PART)
    }

    /// A solver that goes on with what `mate` knows, and uses about `bytes` bytes more.
    pub fn around(mate: MateSolver, bytes: usize) -> TsumeSolver {
        TsumeSolver {
            mate,
            table: LengthTable::with_bytes(bytes),
            attacker: Side::First,
            nodes: 0,
            node_limit: u64::MAX,
            lines_left: 0,
        }
    }

    /// The solver of mates by legal moves.
    pub fn mate_solver(&mut self) -> &mut MateSolver {
        &mut self.mate
    }

    /// Nodes that the last call searched, those of the df-pn solver included.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The mate of the side to move in fewest plies, where `known` is a mate by legal moves.
    ///
    /// After `nodes` nodes, or as soon as `control` says so, the answer is `known`.
    pub fn count(
        &mut self,
        position: &ShogiPosition,
        known: &[Move],
        nodes: u64,
        control: &SearchControl,
    ) -> TsumeSolution {
        self.begin(position, nodes);
        self.go_on(position, known, control)
    }

    /// Goes on where [`TsumeSolver::count`] was stopped, with the nodes that it has left.
    pub(super) fn go_on(
        &mut self,
        position: &ShogiPosition,
        known: &[Move],
        control: &SearchControl,
    ) -> TsumeSolution {
        let mut at = without_past(position);
        let longest = i16::try_from(known.len()).unwrap_or(0);
        let longest = if longest <= LONGEST { longest } else { 0 };
        let found = self
            .shortest(&mut at, longest, control)
            .and_then(|plies| plies.map(|plies| self.principal(&mut at, plies, control)).transpose());
        if let Ok(Some(line)) = found
            && is_playable(position, &line)
        {
            return TsumeSolution {
                left_in_hand: self.left_in_hand(position, &line),
                line,
                is_shortest: true,
            };
        }
        TsumeSolution {
            left_in_hand: self.left_in_hand(position, known),
            line: known.to_vec(),
            is_shortest: false,
        }
    }

    /// Sets attacker and limit for a new problem.
    pub(super) fn begin(&mut self, position: &ShogiPosition, nodes: u64) {
        self.attacker = position.side_to_move();
        self.nodes = 0;
        self.node_limit = nodes;
        self.table.forget();
    }

    /// The plies of the shortest mate of at most `longest` plies.
    fn shortest(
        &mut self,
        at: &mut ShogiPosition,
        longest: i16,
        control: &SearchControl,
    ) -> Result<Option<i16>, SearchStopped> {
        for plies in (1..=longest).step_by(2) {
            if self.mates_within(at, plies, control)? {
                return Ok(Some(plies));
            }
        }
        Ok(None)
    }

    fn left_in_hand(&self, position: &ShogiPosition, line: &[Move]) -> u32 {
        let mut at = without_past(position);
        line.iter().for_each(|&mv| at.make(mv));
        at.hand(self.attacker).total()
    }

    fn tick(&mut self, control: &SearchControl) -> Result<(), SearchStopped> {
        self.nodes += 1;
        if self.nodes >= self.node_limit {
            return Err(SearchStopped);
        }
        control.tick()
    }

    /// Whether the attacker, who is to move, mates within `plies` plies.
    fn mates_within(
        &mut self,
        at: &mut ShogiPosition,
        plies: i16,
        control: &SearchControl,
    ) -> Result<bool, SearchStopped> {
        if plies < 1 {
            return Ok(false);
        }
        let key = (at.board_key(), at.hand(self.attacker));
        let known = self.table.find(key);
        if known.is_none() && exact_mate_1ply(at).is_some() {
            return Ok(true);
        }
        let mut bounds = self.judged(at, known.unwrap_or(LengthBounds::UNKNOWN), plies, control)?;
        if let Some(answer) = bounds.answer(plies) {
            return Ok(answer);
        }
        let mut checks = MoveList::new();
        super::checks::checks(at, &mut checks);
        for mv in checks {
            self.tick(control)?;
            at.make(mv);
            let mated = self.mated_within(at, plies - 1, control);
            at.unmake();
            if mated? {
                bounds.high = plies;
                self.table.store(key, bounds);
                return Ok(true);
            }
        }
        bounds.low = plies;
        self.table.store(key, bounds);
        Ok(false)
    }

    /// `bounds`, improved by the df-pn solver if the answer is open and the solver was not asked before.
    fn judged(
        &mut self,
        at: &ShogiPosition,
        mut bounds: LengthBounds,
        plies: i16,
        control: &SearchControl,
    ) -> Result<LengthBounds, SearchStopped> {
        if bounds.is_judged || bounds.answer(plies).is_some() {
            return Ok(bounds);
        }
        self.tick(control)?;
        let nodes = (JUDGE_NODES * u64::from(plies.unsigned_abs())).min(self.node_limit - self.nodes);
        let judgement = self.mate.judge(at, self.attacker, nodes, control)?;
        self.nodes += self.mate.nodes();
        bounds.is_judged = true;
        match judgement {
            MateJudgement::Mate(high) => bounds.high = bounds.high.min(high),
            MateJudgement::NoMate => bounds.low = NEVER,
            MateJudgement::Open => {}
        }
        self.table.store((at.board_key(), at.hand(self.attacker)), bounds);
        Ok(bounds)
    }

    /// Whether the defender, who is to move and in check, is mated within `plies` plies.
    fn mated_within(
        &mut self,
        at: &mut ShogiPosition,
        plies: i16,
        control: &SearchControl,
    ) -> Result<bool, SearchStopped> {
        let key = (at.board_key(), at.hand(self.attacker));
        let mut bounds = self.table.find(key).unwrap_or(LengthBounds::UNKNOWN);
        if plies > 1 {
            bounds = self.judged(at, bounds, plies, control)?;
        }
        if let Some(answer) = bounds.answer(plies) {
            return Ok(answer);
        }
        let mated = self.counted_defences(at, plies, control)?.is_some();
        if mated {
            bounds.high = plies;
        } else {
            bounds.low = plies;
        }
        self.table.store(key, bounds);
        Ok(mated)
    }

    /// The defender's moves that count, if he is mated within `plies` plies after each of them; `None` if he is not.
    fn counted_defences(
        &mut self,
        at: &mut ShogiPosition,
        plies: i16,
        control: &SearchControl,
    ) -> Result<Option<Vec<Move>>, SearchStopped> {
        let mut counted: Vec<Move> = Vec::new();
        let mut drops: Vec<Move> = Vec::new();
        for mv in at.legal_moves() {
            if mv.is_drop() { drops.push(mv) } else { counted.push(mv) }
        }
        if !self.mates_after_each(at, &counted, plies, control)? {
            return Ok(None);
        }
        let king = at.king(at.side_to_move());
        drops.sort_by_key(|mv| (king.distance(mv.to()), mv.to().index()));
        for on_square in drops.chunk_by(|a, b| a.to() == b.to()) {
            if self.are_useless(at, on_square, &counted, plies, control)? {
                continue;
            }
            if !self.mates_after_each(at, on_square, plies, control)? {
                return Ok(None);
            }
            counted.extend_from_slice(on_square);
        }
        Ok(Some(counted))
    }

    /// Whether each of the defender's `moves` is mated within `plies` plies, itself included.
    fn mates_after_each(
        &mut self,
        at: &mut ShogiPosition,
        moves: &[Move],
        plies: i16,
        control: &SearchControl,
    ) -> Result<bool, SearchStopped> {
        for &mv in moves {
            if !self.mates_after(at, mv, plies, control)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the defender's move `mv` is mated within `plies` plies, itself included.
    fn mates_after(
        &mut self,
        at: &mut ShogiPosition,
        mv: Move,
        plies: i16,
        control: &SearchControl,
    ) -> Result<bool, SearchStopped> {
        at.make(mv);
        let mates = self.mates_within(at, plies - 1, control);
        at.unmake();
        mates
    }

    /// Whether the interpositions `drops`, all on one square, are useless, given the other moves that count so far,
    /// each of which is mated within `plies` plies.
    fn are_useless(
        &mut self,
        at: &mut ShogiPosition,
        drops: &[Move],
        counted: &[Move],
        plies: i16,
        control: &SearchControl,
    ) -> Result<bool, SearchStopped> {
        let captures = captures_by_checker(at, drops);
        if captures.is_empty() {
            return Ok(false);
        }
        let mut after = None;
        for bound in (0..=plies).step_by(2) {
            if self.mated_after_capture(at, &captures, bound, control)? {
                after = Some(bound);
                break;
            }
        }
        match after {
            None => Ok(false),
            Some(0) => Ok(true),
            // Some defence without it lasts as long.
            Some(after) => Ok(!self.mates_after_each(at, counted, after - 2, control)?),
        }
    }

    /// Whether the defender is mated within `plies` plies after one of the checking piece's moves `captures`, as if
    /// nothing had been dropped there.
    fn mated_after_capture(
        &mut self,
        at: &mut ShogiPosition,
        captures: &[Move],
        plies: i16,
        control: &SearchControl,
    ) -> Result<bool, SearchStopped> {
        for &capture in captures {
            self.tick(control)?;
            at.make_pass();
            at.make(capture);
            let mated = self.mated_within(at, plies, control);
            at.unmake();
            at.unmake_pass();
            if mated? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The position without the moves that led to it.
fn without_past(position: &ShogiPosition) -> ShogiPosition {
    let mut at = position.clone();
    at.refresh();
    at
}

/// The moves by which the checking piece captures each of `drops`, which are on one square, with check.
fn captures_by_checker(at: &mut ShogiPosition, drops: &[Move]) -> Vec<Move> {
    let (checkers, king) = (at.checkers(), at.king(at.side_to_move()));
    let Some(first) = drops.first() else { return Vec::new() };
    if checkers.is_empty() || checkers.many() || !between(king, checkers.first()).has(first.to()) {
        return Vec::new();
    }
    let (from, to) = (checkers.first(), first.to());
    let promotes = at.piece_on(from).kind().can_promote();
    let mut captures: Vec<Move> = [true, false]
        .into_iter()
        .filter(|&promote| promotes || !promote)
        .map(|promote| Move::step(from, to, promote))
        .collect();
    for &drop in drops {
        at.make(drop);
        captures.retain(|&capture| {
            at.is_legal(capture) && {
                at.make(capture);
                let checks = at.in_check();
                at.unmake();
                checks
            }
        });
        at.unmake();
    }
    captures
}

/// Whether `line` is legal from `root`, has an odd length and checks with every second move.
fn is_playable(root: &ShogiPosition, line: &[Move]) -> bool {
    super::line::after_checks(root, line).is_some()
}

#[cfg(test)]
mod tests;
