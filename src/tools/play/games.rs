//! What the page shows of each game alone.

mod sygo;

use std::collections::BTreeMap;

use super::tree::{GameTree, Shown, Tree};
use super::view::{Choice, Claim};
use crate::game::picture::Man;
use crate::game::{Game, Rejected, Side};
use crate::games::GameName;
use crate::records::japanese;
use crate::reversi::Reversi;
use crate::reversi::rules::notation::square_name;
use crate::reversi::rules::position::{Position, Turn};
use crate::shogi::Shogi;
use crate::shogi::rules::entering;
use crate::shogi::rules::types::Move;
use crate::sygo::Sygo;

/// A game that begins at `start`; at the usual start of this size for `None`.
///
/// # Errors
/// What is wrong with the position.
pub(super) fn tree(game: GameName, start: Option<&str>, size: u8) -> Result<Box<dyn Tree>, Rejected> {
    Ok(match game {
        GameName::Shogi => Box::new(GameTree::<Shogi>::new(start, size)?),
        GameName::Reversi => Box::new(GameTree::<Reversi>::new(start, size)?),
        GameName::Sygo => Box::new(GameTree::<Sygo>::new(start, size)?),
    })
}

impl Shown for Shogi {
    fn claim(&self, position: &Self::Position) -> Option<Claim> {
        let count = entering::count(position, self.settings().entering_king)?;
        Some(Claim { points: count.points, needed: count.needed, entered: count.entered })
    }

    fn japanese(&self, position: &Self::Position, turn: &Move) -> Option<String> {
        Some(japanese::format_move(position, *turn))
    }
}

impl Shown for Reversi {
    fn effects(&self, position: &Position) -> BTreeMap<String, [usize; 2]> {
        let mut effects = BTreeMap::new();
        for turn in position.turns() {
            let Turn::Place(square) = turn else { continue };
            let flips = position.board.flips(usize::from(square)).count_ones();
            let mut after = *position;
            after.play(turn);
            effects.insert(
                square_name(usize::from(square)),
                [flips as usize, after.board.moves().count_ones() as usize],
            );
        }
        effects
    }

    fn may_pass(&self, position: &Position) -> bool {
        position.is_legal(Turn::Pass)
    }
}

impl Shown for Sygo {
    fn choices(&self, _position: &Self::Position) -> Vec<Choice> {
        Vec::new()
    }

    fn draft(
        &self,
        position: &Self::Position,
        stones: &[String],
    ) -> Option<(super::view::Draft, crate::game::picture::Picture)> {
        sygo::draft(self, position, stones)
    }

    fn drafted(&self, stones: &[String]) -> Option<String> {
        (!stones.is_empty()).then(|| format!("+{}", stones.join(",")))
    }

    fn may_pass(&self, position: &Self::Position) -> bool {
        self.outcome(position).is_none()
    }
}

/// A position that a person put together.
#[derive(Clone, Debug, serde::Deserialize)]
pub(super) struct SetUp {
    cells: Vec<Option<Piece>>,
    hands: [Vec<Hand>; 2],
    side: usize,
    #[serde(default)]
    grown: bool,
}

#[derive(Clone, Debug, serde::Deserialize)]
struct Piece {
    side: Side,
    kind: String,
}

#[derive(Clone, Debug, serde::Deserialize)]
struct Hand {
    kind: String,
    count: u8,
}

impl From<&Man> for Piece {
    fn from(man: &Man) -> Piece {
        Piece { side: man.side, kind: man.kind.to_owned() }
    }
}

impl SetUp {
    /// The position as text; whether it is one, the game says.
    pub(super) fn text(&self, game: GameName) -> String {
        match game {
            GameName::Shogi => self.sfen(),
            GameName::Reversi => {
                let disc = |cell: &Option<Piece>| match cell.as_ref().map(|piece| piece.side) {
                    Some(Side::First) => 'X',
                    Some(Side::Second) => 'O',
                    None => '-',
                };
                let side = if self.side == 0 { 'X' } else { 'O' };
                format!("{} {side}", self.cells.iter().map(disc).collect::<String>())
            }
            GameName::Sygo => {
                let (side, grown) =
                    (if self.side == 0 { 'w' } else { 'b' }, if self.grown { 'g' } else { '-' });
                let letter =
                    |piece: &Piece| if piece.side == Side::First { "w".to_owned() } else { "b".to_owned() };
                format!("fen {} {side} {grown} 0 1", self.rows(letter))
            }
        }
    }

    fn rows(&self, letter: impl Fn(&Piece) -> String) -> String {
        let columns = self.cells.len().isqrt().max(1);
        let row = |cells: &[Option<Piece>]| {
            let (mut text, mut run) = (String::new(), 0);
            for cell in cells {
                match cell {
                    None => run += 1,
                    Some(piece) => {
                        if run > 0 {
                            text += &std::mem::take(&mut run).to_string();
                        }
                        text += &letter(piece);
                    }
                }
            }
            if run > 0 {
                text += &run.to_string();
            }
            text
        };
        self.cells.chunks(columns).map(row).collect::<Vec<_>>().join("/")
    }

    fn sfen(&self) -> String {
        let cased = |side: Side, kind: &str| match side {
            Side::First => kind.to_ascii_uppercase(),
            Side::Second => kind.to_ascii_lowercase(),
        };
        let rows = self.rows(|piece| cased(piece.side, &piece.kind));
        let mut hands = String::new();
        for (side, hand) in Side::BOTH.into_iter().zip(&self.hands) {
            for letter in ["R", "B", "G", "S", "N", "L", "P"] {
                for held in hand.iter().filter(|held| held.kind == letter && held.count > 0) {
                    let count = if held.count > 1 { held.count.to_string() } else { String::new() };
                    hands += &(count + &cased(side, letter));
                }
            }
        }
        let hands = if hands.is_empty() { "-".to_owned() } else { hands };
        format!("sfen {rows} {} {hands} 1", if self.side == 0 { 'b' } else { 'w' })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the picture of a position says, put together anew.
    fn again(game: GameName, start: &str) -> String {
        let tree = tree(game, Some(start), 9).unwrap();
        let picture = tree.picture(0);
        let hand = |side: usize| {
            let held = picture.hands[side].iter();
            held.map(|held| Hand { kind: held.kind.to_owned(), count: held.count }).collect()
        };
        let setup = SetUp {
            cells: picture.cells.iter().map(|cell| cell.as_ref().map(Piece::from)).collect(),
            hands: [hand(0), hand(1)],
            side: picture.to_move.index(),
            grown: start.contains(" g "),
        };
        super::tree(game, Some(&setup.text(game)), 9).unwrap().position(0)
    }

    #[test]
    fn a_position_put_together_by_hand_is_the_one_that_was_shown() {
        for (game, start) in [
            (GameName::Shogi, "sfen ln2k4/9/9/9/4+P4/9/9/9/4K4 w R11Pb2p 1"),
            (GameName::Reversi, "fen ---------------------------OX------XO--------------------------- O"),
            (GameName::Sygo, "fen 5/1w3/1wbw1/2w2/5 b g 0 1"),
        ] {
            assert_eq!(again(game, start), start, "{game:?}");
        }
    }

    #[test]
    fn every_legal_turn_can_be_clicked() {
        let shogi = tree(GameName::Shogi, Some("sfen 4k4/9/P8/9/9/9/9/9/4K4 b G 1"), 9).unwrap();
        let choices = shogi.choices(0);
        let pawn = choices.iter().find(|choice| choice.from.as_deref() == Some("9c")).unwrap();
        assert_eq!((pawn.to.as_str(), pawn.turns.len()), ("9b", 2));
        assert!(choices.iter().any(|choice| choice.from.as_deref() == Some("G") && choice.to == "5b"));
        let reversi = tree(GameName::Reversi, None, 8).unwrap();
        assert_eq!(reversi.choices(0).len(), 4);
        assert_eq!(reversi.effects(0)["f5"], [1, 3]);
    }

    #[test]
    fn variations_are_kept_promoted_and_removed() {
        let mut tree = tree(GameName::Shogi, None, 9).unwrap();
        let first = tree.play(0, "7g7f").unwrap();
        let main = tree.play(first, "3c3d").unwrap();
        let other = tree.play(first, "8c8d").unwrap();
        assert_eq!(tree.play(first, "8c8d"), Ok(other), "a turn is there once");
        assert_eq!(tree.main_end(0), main);
        let promoted = tree.promote(other);
        assert_eq!(
            (tree.main_end(0), tree.turns(promoted)),
            (promoted, vec!["7g7f".to_owned(), "8c8d".to_owned()])
        );
        assert!(tree.play(promoted, "5a5i").is_err());
        let parent = tree.remove(promoted);
        assert_eq!((tree.turns(parent), tree.plies().len()), (vec!["7g7f".to_owned()], 3));
        assert_eq!(tree.turns(tree.main_end(0)), ["7g7f", "3c3d"]);
    }
}
