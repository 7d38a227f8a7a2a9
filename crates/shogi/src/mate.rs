//! The mate solver: does the side to move mate by checks alone?
//!
//! # Soundness
//!
//! *The question.* The attacker gives check with every move, the defender plays any legal move; the
//! attacker mates if he can force a position without legal moves. All moves come from the legal
//! generators, which know the pawn-drop mate: a pawn dropped to mate is no move at all. Nothing is
//! left out: interpositions and refused promotions may wait for each other (`delay`), but a node
//! is reported as lost only after all its moves are decided.
//!
//! *Hands.* A piece more for the attacker is one less for the defender. It takes no move from the
//! attacker and gives none to the defender: whether a drop is a doubled pawn or on a dead square is
//! a matter of the board, and so is whether a pawn drop mates, since nothing can be put between
//! a pawn and the king before it. Hence who mates with a hand mates with a greater one in as few
//! plies, and who does not mate does not with a lesser one. `hands` derives for each result for
//! which other hands the same tree of moves is a proof; a result is stored with that hand.
//!
//! *Mates* are proven from their ends: a defender's node without a legal move, an attacker's node with
//! a proven child, a defender's node all of whose legal moves are proven. So each is a finite tree,
//! true whatever the path to it. Its plies are counted, and sink with every move of a line.
//!
//! *No mates, and repetitions.* A position is given up when its board is on the path already and the attacker then held
//! at least as much: a mate from here in n plies would have been one from there, so a shortest mate never comes by.
//! Such a disproof holds for its path only. It carries the least depth of the path that it rests on
//! (`repetition_depth`), is stored under the key of the whole path (`repetitions`), and is no result for the position
//! as such. At a node no deeper than `repetition_depth` it becomes one, for this very hand (and lesser ones). That is
//! sound: take the positions of that disproof from the node on, and of those that were mates one with the fewest plies.
//! If it was given up for a repetition, the earlier position, which is among them, mates as quickly; if it is an
//! attacker's, a move to a quicker one exists and is among them; if it is a defender's, so is the move chosen. Either
//! way there is a quicker one, so none was a mate (Kishimoto and Müller, 2004, call this the graph-history interaction;
//! here no result is reused where it could matter). A disproof that rests on the depth limit or on positions that
//! already occurred three times in the game has a negative `repetition_depth`, and is never reported.
//!
//! *Memory.* Nothing is concluded from an entry that is missing, so losing entries costs time
//! only. An entry belongs to a position if the 64 bits of the board's key agree and the hands compare; the
//! key is salted with the attacker's side and the set of pieces. With 10^7 entries and 10^8
//! look-ups at other boards the chance of a single wrong hit is below 10^-4.
//!
//! *Verification.* Before a mate is reported, its line is played by the general move generator: every move legal,
//! every second one a check, at the end no legal move; and for every move of the defender on the line
//! all others are proven, too. Otherwise the answer is "unknown".

mod checks;
mod delay;
mod estimate;
mod frame;
mod hands;
mod line;
mod one_ply;
mod path;
pub mod quick_mate;
#[cfg(test)]
mod reference;
mod repetitions;
#[cfg(test)]
pub mod samples;
mod search;
mod table;
pub mod tsume;

use crate::mate::frame::{CLEAN, MateTree};
use crate::mate::path::Path;
use crate::mate::repetitions::Repetitions;
use crate::mate::table::{ANY, MateTable};
use crate::mate::tsume::{MateLength, TsumeSolver};
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind};
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::SearchStopped;
use kaeshi_core::game::{MateAnswer, Side};
use kaeshi_core::random::mix;
use kaeshi_core::time::Instant;

pub use one_ply::exact_mate_1ply;

/// Least nodes that may be spent on a quicker mate.
const LEAST_SHORTENING: u64 = 20_000;
/// Up to this many nodes, a quicker mate may cost as much as the first one did; beyond, a quarter.
const CHEAP_SHORTENING: u64 = 100_000;

/// The result of the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MateVerdict {
    /// The side to move mates by this line; the defence is a longest one that is known.
    Mate(Vec<Move>),
    /// The side to move cannot mate by checks alone.
    NoMate,
    /// Not decided within the limits.
    Unknown,
}

/// The result for a position, without the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MateJudgement {
    /// The attacker mates within this many plies.
    Mate(i16),
    /// The attacker does not mate.
    NoMate,
    /// Not decided within the limit of nodes.
    Open,
}

/// A mate solver with its memory. Its results stay valid and are reused by later calls.
pub struct MateSolver {
    position: ShogiPosition,
    attacker: Side,
    /// Distinguishes boards by attacker and set of pieces.
    salt: u64,
    /// Boards that occurred three times before the root.
    forbidden: Vec<u64>,
    table: MateTable,
    repetitions: Repetitions,
    tree: MateTree,
    path: Path,
    extensions: u32,
    searches: u64,
    nodes: u64,
    node_limit: u64,
}

impl MateSolver {
    /// A solver that uses at most about `bytes` bytes, and those only as they are needed.
    pub fn with_bytes(bytes: usize) -> MateSolver {
        MateSolver {
            position: ShogiPosition::default(),
            attacker: Side::First,
            salt: 0,
            forbidden: Vec::new(),
            table: MateTable::with_bytes(bytes - bytes / 16),
            repetitions: Repetitions::with_bytes(bytes / 16),
            tree: MateTree::default(),
            path: Path::new(),
            extensions: 0,
            searches: 0,
            nodes: 0,
            node_limit: u64::MAX,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.clear();
        self.repetitions.clear();
    }

    /// Nodes searched by the last call.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// How full the table is, in permille.
    pub fn hashfull(&self) -> usize {
        self.table.permille()
    }

    /// Whether the side to move in `position` mates by checks alone.
    ///
    /// Ends after `nodes` nodes or as soon as `control` says so, with [`MateVerdict::Unknown`] if
    /// nothing was proven until then.
    pub fn solve(&mut self, position: &ShogiPosition, nodes: u64, control: &SearchControl) -> MateVerdict {
        self.solve_within(position, ANY, nodes, control)
    }

    /// Whether `attacker` mates, with either side to move; the results stay in the memory.
    ///
    /// # Errors
    /// If `control` stops the search.
    fn judge(
        &mut self,
        position: &ShogiPosition,
        attacker: Side,
        nodes: u64,
        control: &SearchControl,
    ) -> Result<MateJudgement, SearchStopped> {
        self.attacker = attacker;
        self.nodes = 0;
        self.node_limit = nodes;
        self.position = position.clone();
        self.prepare();
        match self.search(ANY, control) {
            Ok(is) if is.pn == 0 => Ok(MateJudgement::Mate(is.len)),
            Ok(is) if is.dn == 0 && is.repetition_depth == CLEAN => Ok(MateJudgement::NoMate),
            Err(stopped) if self.nodes < self.node_limit => Err(stopped),
            _ => Ok(MateJudgement::Open),
        }
    }

    fn solve_within(
        &mut self,
        position: &ShogiPosition,
        len: i16,
        nodes: u64,
        control: &SearchControl,
    ) -> MateVerdict {
        self.attacker = position.side_to_move();
        if !position.king(self.attacker.other()).is_some() {
            return MateVerdict::NoMate;
        }
        self.nodes = 0;
        self.node_limit = nodes;
        self.position = position.clone();
        self.prepare();
        match self.search(len, control) {
            Ok(is) if is.pn == 0 => match self.line(position, is.len, control) {
                Some(line) => MateVerdict::Mate(line),
                None => MateVerdict::Unknown,
            },
            Ok(is) if is.dn == 0 && is.repetition_depth == CLEAN => MateVerdict::NoMate,
            _ => MateVerdict::Unknown,
        }
    }

    /// Looks for mates quicker than `line`, spending at most as many nodes as the line itself took,
    /// and only a quarter of them if they were many.
    ///
    /// If it ends before its limits, the line returned is a shortest one.
    pub fn minimise(
        &mut self,
        position: &ShogiPosition,
        mut line: Vec<Move>,
        control: &SearchControl,
    ) -> Vec<Move> {
        let mut budget = (self.nodes / 4).max(self.nodes.min(CHEAP_SHORTENING)).max(LEAST_SHORTENING);
        while line.len() > 1 && budget > 0 {
            let Ok(len) = i16::try_from(line.len() - 2) else { break };
            match self.solve_within(position, len, budget, control) {
                MateVerdict::Mate(shorter) => line = shorter,
                MateVerdict::NoMate | MateVerdict::Unknown => break,
            }
            budget = budget.saturating_sub(self.nodes);
        }
        line
    }

    /// Sets salt and forbidden boards for the root on the board.
    fn prepare(&mut self) {
        let position = &self.position;
        let mut salt = mix(self.attacker.index() as u64 + 1);
        for kind in PieceKind::all() {
            let plain = kind.plain();
            let count = position.kind(kind).count();
            salt = salt.wrapping_add(u64::from(count).wrapping_mul(mix(u64::from(plain.0) + 3)));
        }
        for kind in PieceKind::DROPPABLE {
            let count = hands::off_board(position).count(kind);
            salt = salt.wrapping_add(u64::from(count).wrapping_mul(mix(u64::from(kind.0) + 3)));
        }
        let mut seen: Vec<(u64, [u32; 2])> =
            position.past().iter().map(|past| (past.board_key, past.hands.map(|hand| hand.0))).collect();
        seen.sort_unstable();
        let mut forbidden: Vec<u64> =
            seen.chunk_by(|a, b| a == b).filter(|same| same.len() >= 3).map(|same| same[0].0).collect();
        if !forbidden.is_empty() {
            // Results under such a ban hold for no other root.
            self.searches += 1;
            salt ^= mix(mix(self.searches));
        }
        self.salt = mix(salt);
        forbidden.iter_mut().for_each(|key| *key ^= self.salt);
        self.forbidden = forbidden;
    }
}

/// Nodes that `go mate` spends on the length as problem solvers count it, after it found a mate.
const COUNT_NODES: u64 = 2_000_000;
/// The solver of lengths without useless interpositions gets `1 / TSUME_PART` of the memory.
const TSUME_PART: usize = 8;

/// A search for `go mate` between two slices.
pub struct PausedMate {
    begun: Instant,
    solver: TsumeSolver,
    /// The mate that was found, while its length is counted.
    found: Option<Vec<Move>>,
}

impl PausedMate {
    fn new(begun: Instant, mib: usize, length: MateLength) -> PausedMate {
        let bytes = mib.saturating_mul(1 << 20);
        let solver = match length {
            MateLength::Legal => TsumeSolver::around(MateSolver::with_bytes(bytes), 0),
            MateLength::Tsume => {
                let part = bytes / TSUME_PART;
                TsumeSolver::around(MateSolver::with_bytes(bytes - part), part)
            }
        };
        PausedMate { begun, solver, found: None }
    }
}

/// The answer to `go mate`: a separate solver, which may use up to `mib` MiB. One that is paused is left in `paused`
/// for the next slice of the search that began at that moment.
///
/// Once there is a mate, a small part of the effort again goes into finding a shorter one, in the same slice. Where
/// useless interpositions do not count, the shortest mate without them is looked for then.
pub fn answer(
    position: &ShogiPosition,
    mib: usize,
    length: MateLength,
    control: &SearchControl,
    paused: &mut Option<PausedMate>,
) -> MateAnswer<Move> {
    let begun = control.signal().started();
    let mut state = paused
        .take()
        .filter(|former| former.begun == begun)
        .unwrap_or_else(|| PausedMate::new(begun, mib, length));
    let found = match state.found.take() {
        Some(line) => line,
        None => match state.solver.mate_solver().solve(position, u64::MAX, control) {
            MateVerdict::Mate(line) => {
                let line = state.solver.mate_solver().minimise(position, line, control);
                if length == MateLength::Legal {
                    return MateAnswer::Mate(line);
                }
                state.solver.begin(position, COUNT_NODES);
                line
            }
            MateVerdict::NoMate => return MateAnswer::NoMate,
            MateVerdict::Unknown => {
                *paused = control.is_paused().then_some(state);
                return MateAnswer::Timeout;
            }
        },
    };
    let counted = state.solver.go_on(position, &found, control);
    if !counted.is_shortest && control.is_paused() {
        *paused = Some(PausedMate { found: Some(found), ..state });
        return MateAnswer::Timeout;
    }
    MateAnswer::Mate(counted.line)
}

#[cfg(test)]
mod tests;
