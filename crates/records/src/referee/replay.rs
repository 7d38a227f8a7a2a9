//! The positions that a game went through, by our own rules.

use super::{RefereeBoard, RefereeRules};
use kaeshi_core::game::end_words::why_refused;
use kaeshi_core::game::{GameError, Side};

/// A turn to be replayed, and what the engine expected, its own turn first.
#[derive(Clone, Copy, Debug)]
pub struct ReplayStep<'a> {
    /// The turn.
    pub turn: &'a str,
    /// The line; empty where none is known.
    pub expected: &'a [String],
}

impl<'a> ReplayStep<'a> {
    /// A turn of which nothing more is known.
    pub fn bare(turn: &'a str) -> ReplayStep<'a> {
        ReplayStep { turn, expected: &[] }
    }
}

/// A game as a series of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The position before the first turn, as the game writes it.
    pub start: String,
    /// Whether that is the usual start.
    pub is_usual: bool,
    /// The turns, with the positions after them.
    pub plies: Vec<ReplayPly>,
    /// The side to move at the end.
    pub to_move: Side,
    /// Why the rest could not be replayed; a record of another program may be wrong.
    pub broken: Option<String>,
}

/// One turn.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayPly {
    /// The side that made it.
    pub mover: Side,
    /// Its text, as the game writes it.
    pub turn: String,
    /// The position after it.
    pub after: String,
    /// The expected line as far as it is legal, the turn itself first.
    pub expected: Vec<String>,
}

impl Replay {
    /// Replays a game as far as it is legal.
    ///
    /// # Errors
    /// If its start cannot be read.
    pub fn new<'a>(
        rules: &dyn RefereeRules,
        start: &str,
        steps: impl IntoIterator<Item = ReplayStep<'a>>,
    ) -> Result<Replay, GameError> {
        Replay::watched(rules, start, steps, |_| {})
    }

    /// The same; `watch` is shown the board at the start and after each turn.
    ///
    /// # Errors
    /// If its start cannot be read.
    pub fn watched<'a>(
        rules: &dyn RefereeRules,
        start: &str,
        steps: impl IntoIterator<Item = ReplayStep<'a>>,
        mut watch: impl FnMut(&dyn RefereeBoard),
    ) -> Result<Replay, GameError> {
        let mut board = rules.board(Some(start))?;
        watch(&*board);
        let start = board.text();
        let mut replay = Replay {
            is_usual: start == rules.board(None)?.text(),
            start,
            plies: Vec::new(),
            to_move: board.side_to_move(),
            broken: None,
        };
        for step in steps {
            let mover = board.side_to_move();
            let expected = legal_prefix(&*board, step.expected);
            match board.play(step.turn) {
                Ok(turn) => {
                    watch(&*board);
                    replay.plies.push(ReplayPly { mover, turn, after: board.text(), expected });
                }
                Err(reason) => {
                    let number = replay.plies.len() + 1;
                    let reason = why_refused(step.turn, reason);
                    replay.broken = Some(format!("turn {number}, '{}': {reason}", step.turn.escape_debug()));
                    break;
                }
            }
        }
        replay.to_move = board.side_to_move();
        Ok(replay)
    }

    /// The position before ply `index`.
    pub fn before(&self, index: usize) -> &str {
        match index.checked_sub(1) {
            None => &self.start,
            Some(last) => &self.plies[last].after,
        }
    }
}

/// A `position` argument as the position and the turns that follow it.
pub fn split_start(start: &str) -> (&str, Vec<&str>) {
    match start.split_once(" moves") {
        Some((position, turns)) => (position, turns.split_ascii_whitespace().collect()),
        None => (start, Vec::new()),
    }
}

/// Longest prefix of `turns` that is legal from `board`.
fn legal_prefix(board: &dyn RefereeBoard, turns: &[String]) -> Vec<String> {
    if turns.is_empty() {
        return Vec::new();
    }
    let mut board = board.duplicate();
    turns.iter().map_while(|turn| board.play(turn).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::rules_by_name;

    #[test]
    fn a_game_is_replayed_as_far_as_it_is_legal() {
        let rules = rules_by_name("shogi").unwrap();
        let (start, opening) = split_start("startpos moves 7g7f");
        let expected = ["8h2b+", "5e5f", "3a2b"].map(String::from);
        let mut steps: Vec<ReplayStep> = opening.into_iter().map(ReplayStep::bare).collect();
        steps.extend([
            ReplayStep::bare("3c3d"),
            ReplayStep { turn: "8h2b+", expected: &expected },
            ReplayStep::bare("3a2b"),
            ReplayStep::bare("9z9z"),
            ReplayStep::bare("B*4e"),
        ]);
        let mut seen = Vec::new();
        let replay = Replay::watched(&*rules, start, steps, |board| seen.push(board.text())).unwrap();
        assert!(replay.is_usual);
        assert_eq!((replay.plies.len(), replay.to_move), (4, Side::First));
        assert_eq!(replay.plies[2].turn, "8h2b+");
        assert_eq!(replay.plies[2].expected, ["8h2b+"]);
        assert_eq!((replay.plies[2].mover, replay.plies[3].mover), (Side::First, Side::Second));
        assert!(replay.plies[0].expected.is_empty());
        assert!(replay.before(0).starts_with("lnsgkgsnl/1r5b1/"));
        assert_eq!(replay.before(2), replay.plies[1].after);
        assert!(replay.broken.as_ref().unwrap().starts_with("turn 5, '9z9z'"));
        assert_eq!(seen.len(), 5);
        assert_eq!((&seen[0], &seen[4]), (&replay.start, &replay.plies[3].after));
    }

    #[test]
    fn another_start_is_not_the_usual_one() {
        let rules = rules_by_name("reversi").unwrap();
        let start = "fen ---------------------------OX------XO--------------------------- O";
        let replay = Replay::new(&*rules, start, []).unwrap();
        assert_eq!((replay.is_usual, replay.to_move, replay.broken), (false, Side::Second, None));
        assert!(Replay::new(&*rules, "fen nonsense", []).is_err());
    }
}
