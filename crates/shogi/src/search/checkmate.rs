//! Mates beyond the horizon: a mate solver searches the root beside the main search.
//!
//! Proof-number search follows long sequences of checks that alpha-beta reaches late or never. Its nodes count like any
//! other and are a fixed share of those of the search, so a search stays reproducible. A mate that it reports was
//! replayed move by move (see [`crate::mate`]).

use crate::Shogi;
use crate::mate::{MateSolver, MateVerdict};
use crate::rules::entering::EnteringKingRule;
use crate::rules::position::ShogiPosition;
use crate::rules::types::Move;
use crate::search::ShogiWorker;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::{Bound, PvLine, SearchRoot};

/// Memory of the solver; the system provides it as it is used.
const BYTES: usize = 32 << 20;
/// Fewer nodes than this are not worth a call.
const LEAST: u64 = 64;

/// The solver's result for a root.
enum Finding {
    /// Undecided after this many nodes.
    Open(u64),
    /// This line mates.
    Mate(Vec<Move>),
    /// No mate by checks alone.
    NoMate,
}

/// The solver at the root, with its table from the moves before.
pub(super) struct Checkmate {
    solver: Option<MateSolver>,
    /// Key of the root, and plies made before it.
    root: (u64, usize),
    finding: Finding,
}

impl Default for Checkmate {
    fn default() -> Checkmate {
        Checkmate { solver: None, root: (0, 0), finding: Finding::NoMate }
    }
}

impl Checkmate {
    /// The mate found at this root.
    fn line(&self, root: &ShogiPosition) -> Option<&[Move]> {
        match &self.finding {
            Finding::Mate(line) if self.root == identity(root) => Some(line),
            _ => None,
        }
    }

    /// Searches on, as far as the solver is behind its share of the nodes, one in `share`.
    fn search(&mut self, root: &ShogiPosition, share: u64, control: &SearchControl) {
        if self.root != identity(root) {
            self.root = identity(root);
            self.finding = Finding::Open(0);
        }
        let Finding::Open(spent) = self.finding else { return };
        let budget = (control.nodes() / share).saturating_sub(spent);
        if budget < LEAST {
            return;
        }
        let solver = self.solver.get_or_insert_with(|| MateSolver::with_bytes(BYTES));
        self.finding = match solver.solve(root, budget, control) {
            MateVerdict::Mate(line) => Finding::Mate(solver.minimise(root, line, control)),
            MateVerdict::NoMate => Finding::NoMate,
            MateVerdict::Unknown => Finding::Open(spent + solver.nodes()),
        };
    }
}

fn identity(position: &ShogiPosition) -> (u64, usize) {
    (position.key(), position.plies_made())
}

impl ShogiWorker {
    /// The mate that the solver finds at the root, if it is to look for one and the root allows it.
    pub(super) fn seek_mate(
        &mut self,
        root: &SearchRoot<Shogi>,
        control: &SearchControl,
    ) -> Option<PvLine<Shogi>> {
        // Under the try rule an evasion can win.
        let trusted = self.settings().entering_king != EnteringKingRule::Try;
        let unclear = root.previous.first().is_some_and(|line| matches!(line.score, Score::Cp(_)));
        if trusted && unclear && self.misjudgement.is_none() {
            self.checkmate.as_mut()?.search(&root.position, self.tune.mate_share, control);
        }
        let turns = self.proven(root)?.to_vec();
        let plies = turns.len() as u16;
        Some(PvLine { score: Score::MateIn(plies), bound: Bound::Exact, turns, seldepth: plies })
    }

    /// The mate known at the root, if the root allows it and the game does not end before.
    pub(super) fn proven(&self, root: &SearchRoot<Shogi>) -> Option<&[Move]> {
        let line = self.checkmate.as_ref()?.line(&root.position)?;
        let after = root.position.move_number() as usize + line.len();
        let most = self.settings().max_moves as usize;
        (root.allows(&line[0]) && (most == 0 || after <= most + 1)).then_some(line)
    }
}
