//! Second solutions: other checks along the line that mate as well.

use super::{TsumeSolver, without_past};
use crate::mate::MateJudgement;
use crate::rules::attacks::line;
use crate::rules::movegen::MoveList;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind};
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::SearchStopped;

/// The kinds of second solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecondSolutionKind {
    /// A mate in as many plies (*yozume*, a cook).
    SameLength,
    /// A mate in more plies, or in an unknown number (*yozume*, a cook).
    Longer,
    /// Another last move of a mate of several (*saishūte yozume*), which is usually tolerated.
    LastMove,
    /// The same move with or without promotion mates in as many plies; a blemish.
    Promotion,
    /// The same rook, bishop or lance dropped on another square of the same line mates in as many plies; a blemish.
    DropSquare,
}

impl SecondSolutionKind {
    /// Whether a problem with it is not sound.
    pub fn is_cook(self) -> bool {
        matches!(self, SecondSolutionKind::SameLength | SecondSolutionKind::Longer)
    }

    /// Its English name, as printed.
    pub fn name(self) -> &'static str {
        match self {
            SecondSolutionKind::SameLength => "same-length",
            SecondSolutionKind::Longer => "longer",
            SecondSolutionKind::LastMove => "last-move",
            SecondSolutionKind::Promotion => "promotion",
            SecondSolutionKind::DropSquare => "drop-square",
        }
    }
}

/// Another check that mates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondSolution {
    /// Plies of the solution before it.
    pub ply: usize,
    /// The check.
    pub check: Move,
    /// Its kind.
    pub kind: SecondSolutionKind,
}

/// The second solutions of a problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecondSolutions {
    /// Other checks that mate, in the order of the solution.
    pub found: Vec<SecondSolution>,
    /// Checks for which the limits did not suffice, with the plies of the solution before them.
    pub undecided: Vec<(usize, Move)>,
    /// Defences as long as that of the solution (*henka dōtesū*), those to the last check left out.
    pub equal_defences: Vec<(usize, Move)>,
}

impl SecondSolutions {
    /// Whether the solution is the only one: `None` if that is not known.
    pub fn is_unique(&self) -> Option<bool> {
        if self.found.iter().any(|second| second.kind.is_cook()) {
            Some(false)
        } else if self.undecided.is_empty() {
            Some(true)
        } else {
            None
        }
    }
}

impl TsumeSolver {
    /// Other checks along `solution`, a shortest mate that [`TsumeSolver::count`] found from `position`, that mate
    /// as well. Each may take `nodes` nodes.
    ///
    /// If `control` ends the search, the checks that were not looked at are undecided.
    pub fn second_solutions(
        &mut self,
        position: &ShogiPosition,
        solution: &[Move],
        nodes: u64,
        control: &SearchControl,
    ) -> SecondSolutions {
        let mut at = without_past(position);
        self.attacker = at.side_to_move();
        let mut all = SecondSolutions::default();
        let mut total = 0;
        for (ply, &mv) in solution.iter().enumerate() {
            let plies = i16::try_from(solution.len() - ply).unwrap_or(i16::MAX);
            if ply % 2 == 0 {
                let mut checks = MoveList::new();
                crate::mate::checks::checks(&at, &mut checks);
                for other in checks.into_iter().filter(|&other| other != mv) {
                    self.limit(nodes);
                    match self.kind(&mut at, mv, other, plies, control) {
                        Ok(Some(kind)) => {
                            let is_last = plies == 1 && ply > 0 && kind.is_cook();
                            let kind = if is_last { SecondSolutionKind::LastMove } else { kind };
                            all.found.push(SecondSolution { ply, check: other, kind });
                        }
                        Ok(None) => {}
                        Err(SearchStopped) => all.undecided.push((ply, other)),
                    }
                    total += self.nodes;
                }
            } else if plies > 2 {
                self.limit(nodes);
                let longest = self.longest_defences(&mut at, plies, control).unwrap_or_default();
                total += self.nodes;
                all.equal_defences
                    .extend(longest.into_iter().filter(|&other| other != mv).map(|mv| (ply, mv)));
            }
            at.make(mv);
        }
        self.nodes = total;
        all
    }

    fn limit(&mut self, nodes: u64) {
        self.nodes = 0;
        self.node_limit = nodes;
    }

    /// The kind of second solution that the check `other` is where `check` mates in `plies` plies; `None` if it does
    /// not mate.
    ///
    /// # Errors
    /// If it is not decided within the limits.
    fn kind(
        &mut self,
        at: &mut ShogiPosition,
        check: Move,
        other: Move,
        plies: i16,
        control: &SearchControl,
    ) -> Result<Option<SecondSolutionKind>, SearchStopped> {
        at.make(other);
        let found = self.length_after_check(at, plies - 1, control);
        at.unmake();
        let Some(is_as_long) = found? else { return Ok(None) };
        Ok(Some(if is_as_long && is_other_promotion(check, other) {
            SecondSolutionKind::Promotion
        } else if is_as_long && is_other_square(at, check, other) {
            SecondSolutionKind::DropSquare
        } else if is_as_long {
            SecondSolutionKind::SameLength
        } else {
            SecondSolutionKind::Longer
        }))
    }

    /// Whether the defender, who is in check, is mated, and if so whether within `plies` plies.
    fn length_after_check(
        &mut self,
        at: &mut ShogiPosition,
        plies: i16,
        control: &SearchControl,
    ) -> Result<Option<bool>, SearchStopped> {
        self.tick(control)?;
        let judgement = self.mate.judge(at, self.attacker, self.node_limit - self.nodes, control)?;
        self.nodes += self.mate.nodes();
        match judgement {
            MateJudgement::NoMate => Ok(None),
            MateJudgement::Open => Err(SearchStopped),
            MateJudgement::Mate(known) if known <= plies => Ok(Some(true)),
            // It mates; where its length remains open, it counts as longer.
            MateJudgement::Mate(_) => Ok(Some(self.mated_within(at, plies, control).unwrap_or(false))),
        }
    }
}

/// Whether `other` is `check` with or without promotion.
fn is_other_promotion(check: Move, other: Move) -> bool {
    !check.is_drop()
        && !other.is_drop()
        && (check.from(), check.to()) == (other.from(), other.to())
        && check.is_promotion() != other.is_promotion()
}

/// Whether `other` drops the same rook, bishop or lance on another square of the same line through the king.
fn is_other_square(at: &ShogiPosition, check: Move, other: Move) -> bool {
    let far = [PieceKind::LANCE, PieceKind::BISHOP, PieceKind::ROOK];
    let king = at.king(at.side_to_move().other());
    check.is_drop()
        && other.is_drop()
        && check.dropped() == other.dropped()
        && far.contains(&check.dropped())
        && line(king, check.to()).has(other.to())
}
