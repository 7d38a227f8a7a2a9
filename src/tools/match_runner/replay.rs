//! The positions a recorded game went through, by our own rules.

use super::journal::{Journal, Played};
use crate::game::{Game, Rejected, Side};
use crate::referee::{GameRules, Rules};
use crate::reversi::Reversi;
use crate::shogi::Shogi;
use crate::sygo::Sygo;

/// A game as a series of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The position before the first turn of the opening, as the game writes it.
    pub start: String,
    /// Whether that is the usual start.
    pub is_usual: bool,
    /// Turns and what they led to.
    pub plies: Vec<Ply>,
    /// How many of the plies belong to the opening; the moves of the journal follow.
    pub opening: usize,
    /// Who was to move at the end.
    pub to_move: Side,
    /// Why the rest could not be replayed; a journal written by another program may be wrong.
    pub broken: Option<String>,
}

/// One turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Ply {
    /// Who made it.
    pub mover: Side,
    /// Its text, as the game writes it.
    pub turn: String,
    /// The position after it.
    pub after: String,
    /// What the engine expected, as far as it is legal, its own turn first.
    pub expected: Vec<String>,
}

/// Rules of the game of this name.
///
/// # Errors
/// If there is no such game.
pub fn rules(game: &str) -> Result<Box<dyn Rules>, Rejected> {
    match game {
        Shogi::NAME => Ok(Box::new(GameRules::new(Shogi::load(&Default::default())?))),
        Reversi::NAME => Ok(Box::new(GameRules::new(Reversi::load(&Default::default())?))),
        Sygo::NAME => Ok(Box::new(GameRules::new(Sygo::load(&Default::default())?))),
        _ => Err(Rejected(format!("'{game}' is no game known here"))),
    }
}

/// The rules of the game that a journal tells of.
///
/// # Errors
/// If there is no such game.
pub fn rules_of(journal: &Journal) -> Result<Box<dyn Rules>, Rejected> {
    rules(&journal.open.game)
}

impl Replay {
    /// Replays a game as far as it is legal.
    ///
    /// # Errors
    /// If its start cannot be read.
    pub fn new(rules: &dyn Rules, played: &Played) -> Result<Replay, Rejected> {
        let (position, opening) = split_start(&played.game.start);
        let mut board = rules.board(Some(position))?;
        let start = board.text();
        let mut replay = Replay {
            is_usual: start == rules.board(None)?.text(),
            start,
            plies: Vec::new(),
            opening: opening.len(),
            to_move: board.side_to_move(),
            broken: None,
        };
        let moves = played.moves.iter().map(|one| (one.m.as_str(), one.pv.as_slice()));
        for (turn, expected) in opening.iter().map(|turn| (*turn, [].as_slice())).chain(moves) {
            let mover = board.side_to_move();
            let before = board.text();
            match board.play(turn) {
                Ok(turn) => {
                    let expected = legal_prefix(rules, &before, expected);
                    replay.plies.push(Ply { mover, turn, after: board.text(), expected });
                }
                Err(reason) => {
                    let number = replay.plies.len() + 1;
                    replay.broken = Some(format!("turn {number}, '{}': {reason}", turn.escape_debug()));
                    break;
                }
            }
        }
        replay.opening = replay.opening.min(replay.plies.len());
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

/// Longest prefix of `turns` that is legal from `position`.
fn legal_prefix(rules: &dyn Rules, position: &str, turns: &[String]) -> Vec<String> {
    if turns.is_empty() {
        return Vec::new();
    }
    let Ok(mut board) = rules.board(Some(position)) else { return Vec::new() };
    turns.iter().map_while(|turn| board.play(turn).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::match_runner::summary::tests::journal;

    #[test]
    fn opening_and_moves_make_one_line() {
        let mut journal = journal(&[[0, 1]], &["ww"]);
        let played = &mut journal.games[0];
        played.game.start = "startpos moves 7g7f".into();
        for (one, text) in played.moves.iter_mut().zip(["3c3d", "8h2b+", "3a2b", "9z9z"]) {
            one.m = text.into();
            one.pv = vec![text.into(), "5e5f".into()];
        }
        let replay = Replay::new(rules_of(&journal).unwrap().as_ref(), &journal.games[0]).unwrap();
        assert!(replay.is_usual);
        assert_eq!((replay.opening, replay.plies.len()), (1, 4));
        assert_eq!(replay.plies[2].turn, "8h2b+");
        assert_eq!(replay.plies[2].expected, ["8h2b+"]);
        assert!(replay.plies[0].expected.is_empty());
        assert!(replay.before(0).starts_with("lnsgkgsnl/1r5b1/"));
        assert!(replay.broken.unwrap().starts_with("turn 5, '9z9z'"));
    }

    #[test]
    fn an_unknown_game_is_named() {
        assert_eq!(rules("chess").err().unwrap().to_string(), "'chess' is no game known here");
    }
}
