//! Mate problems of shogi: every check but the last is the only move that mates.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use crate::tasks::problems::{self, GameLine, GameLines, GradedProblem, Poser};
use crate::tasks::solve::SolveOptions;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::{GameOptions, Side};
use kaeshi_learn::shogi::record;
use kaeshi_shogi::book::turned;
use kaeshi_shogi::mate::{MateSolver, MateVerdict};
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::sfen;
use kaeshi_shogi::rules::types::Move;
use kaeshi_shogi::{Shogi, ShogiSettings};

/// Nodes to find a mate: short ones take far less.
const MATE_NODES: u64 = 3_000;
/// Nodes to refute another move.
const NODES: u64 = 3_000;

/// Looks for problems in the games of `common.file`.
///
/// # Errors
/// Files cannot be read or written.
pub(super) fn make(common: &SolveOptions, out: &Path) -> anyhow::Result<ExitCode> {
    let solver = MateSolver::with_bytes((common.hash as usize) << 20);
    let game = Shogi::load(&ShogiSettings::default())?;
    problems::make(&game, &mut MatePoser { solver }, common, out, &|path| games_of(&game, path))
}

/// The games of a file: self-played ones or records.
fn games_of(game: &Shogi, path: &Path) -> anyhow::Result<GameLines> {
    if path.extension().is_none_or(|extension| extension != record::EXTENSION) {
        return problems::records_of(game, path);
    }
    let content = record::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let line = |game: record::ShogiGameRecord| GameLine {
        start: "startpos".to_owned(),
        turns: game.moves.iter().map(ToString::to_string).collect(),
    };
    Ok(GameLines { games: content.games.into_iter().map(line).collect(), unreadable: 0 })
}

/// The grade is the length of the mate in plies.
struct MatePoser {
    solver: MateSolver,
}

impl Poser<Shogi> for MatePoser {
    const GRADES: &'static [u32] = &[1, 3, 5, 7];
    const LAST: usize = 24;

    fn pose(
        &mut self,
        _: &Shogi,
        position: &ShogiPosition,
        wanted: &dyn Fn(u32) -> bool,
    ) -> Option<GradedProblem> {
        let mut now = by_black(position)?;
        let line = self.mate(&now)?;
        // The rest of a longer mate may be a problem, too.
        for (ply, &mv) in line.iter().enumerate() {
            let rest = line.get(ply..)?;
            let grade = u32::try_from(rest.len()).ok()?;
            if ply % 2 == 0
                && Self::GRADES.contains(&grade)
                && wanted(grade)
                && let Some(problem) = by_black(&now).and_then(|start| self.problem(grade, &start, rest))
            {
                return Some(problem);
            }
            now.make(mv);
        }
        None
    }
}

impl MatePoser {
    /// The problem of this mate, if all its checks but the last are the only ones that mate, and its defence is one
    /// of the longest.
    fn problem(&mut self, grade: u32, start: &ShogiPosition, line: &[Move]) -> Option<GradedProblem> {
        let mut now = start.clone();
        let (&last, before) = line.split_last()?;
        for (ply, &mv) in before.iter().enumerate() {
            let sound = match ply % 2 {
                0 => self.is_only_mate(&now, mv),
                _ => self.is_longest(&now, mv, line.len() - ply),
            };
            if !sound {
                return None;
            }
            now.make(mv);
        }
        let also: Vec<Move> = mates_at_once(&now).into_iter().filter(|&other| other != last).collect();
        if before.is_empty() && (!also.is_empty() || !self.is_only_mate(start, last)) {
            return None;
        }
        Some(GradedProblem {
            grade,
            position: format!("sfen {}", sfen::format(start)),
            turns: line.iter().map(ToString::to_string).collect(),
            also: also.iter().map(ToString::to_string).collect(),
            values: None,
        })
    }

    /// A shortest mate by checks, as far as it is found within the limits.
    fn mate(&mut self, position: &ShogiPosition) -> Option<Vec<Move>> {
        match self.solver.solve(position, MATE_NODES, &SearchControl::free()) {
            MateVerdict::Mate(line) => Some(self.solver.minimise(position, line, &SearchControl::free())),
            MateVerdict::NoMate | MateVerdict::Unknown => None,
        }
    }

    /// Whether every check other than `only` is proven not to mate.
    fn is_only_mate(&mut self, position: &ShogiPosition, only: Move) -> bool {
        let mut after = position.clone();
        position.legal_moves().iter().filter(|&&mv| mv != only).all(|&mv| {
            after.make(mv);
            let refuted = !after.in_check() || {
                let replies = after.legal_moves();
                replies.iter().any(|&reply| {
                    after.make(reply);
                    let escapes =
                        self.solver.solve(&after, NODES, &SearchControl::free()) == MateVerdict::NoMate;
                    after.unmake();
                    escapes
                })
            };
            after.unmake();
            refuted
        })
    }

    /// Whether the defender's move `chosen`, after which the mate takes less than `rest` plies, is one of the longest
    /// defences. A dropped piece may only delay the mate without need, so that people would not count it.
    fn is_longest(&mut self, position: &ShogiPosition, chosen: Move, rest: usize) -> bool {
        if chosen.is_drop() {
            return false;
        }
        let mut after = position.clone();
        position.legal_moves().iter().all(|&reply| {
            after.make(reply);
            let line = self.mate(&after);
            after.unmake();
            line.is_some_and(|line| line.len() < rest)
        })
    }
}

/// The moves that mate at once.
fn mates_at_once(position: &ShogiPosition) -> Vec<Move> {
    let mut after = position.clone();
    let mut mates = position.legal_moves().to_vec();
    mates.retain(|&mv| {
        after.make(mv);
        let mates = after.in_check() && !after.has_legal_move();
        after.unmake();
        mates
    });
    mates
}

/// The position with Black to move, as move 1; `None` if it cannot stand alone.
fn by_black(position: &ShogiPosition) -> Option<ShogiPosition> {
    let text = sfen::format(position);
    let (key, _) = text.rsplit_once(' ')?;
    let key = if position.side_to_move() == Side::First { key.to_owned() } else { turned::position(key) };
    sfen::parse(&format!("{key} 1")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_core::game::GameOptions;

    fn posed(text: &str) -> Option<GradedProblem> {
        let position = sfen::parse(text).expect("a position");
        let game = Shogi::load(&ShogiSettings::default()).expect("the embedded evaluation");
        MatePoser { solver: MateSolver::with_bytes(1 << 20) }.pose(&game, &position, &|_| true)
    }

    #[test]
    fn only_mates_with_one_first_move_are_problems() {
        let head = posed("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1").expect("a mate in one");
        assert_eq!((head.grade, head.turns), (1, vec!["G*5b".to_owned()]));
        assert_eq!(posed("4k4/9/3GGG3/9/9/9/9/9/4K4 b 2r2bg4s4n4l18p 1"), None, "several golds mate");
        assert_eq!(posed("4k4/9/9/9/9/9/9/9/4K4 b G2r2b3g4s4n4l18p 1"), None, "no mate");
    }

    #[test]
    fn problems_of_white_are_turned_to_black() {
        let black = posed("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1").expect("a mate");
        let white = posed("9/9/9/9/9/9/4p4/9/4K4 w 2R2B3G4S4N4L17Pg 2").expect("a mate");
        assert_eq!(white, black);
    }
}
