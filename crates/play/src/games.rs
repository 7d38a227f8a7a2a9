//! A game tree by the name of its game.

use super::tree::{AnyGameTree, GameTree};
use kaeshi_core::game::set_up::SetUp;
use kaeshi_core::game::{Game, GameError};
use kaeshi_engine::games::{GameName, GameVisitor};

/// A game that begins at `start`; at the usual start of this size for `None`.
///
/// # Errors
/// The position is invalid.
pub(super) fn tree(game: GameName, start: Option<&str>, size: u8) -> Result<Box<dyn AnyGameTree>, GameError> {
    game.visit(Plant { start, size })
}

struct Plant<'a> {
    start: Option<&'a str>,
    size: u8,
}

impl GameVisitor for Plant<'_> {
    type Output = Result<Box<dyn AnyGameTree>, GameError>;

    fn visit<G: Game>(self) -> Self::Output {
        Ok(Box::new(GameTree::<G>::new(self.start, self.size)?))
    }
}

/// The text of a position that a person put together; reading it shows whether it is legal.
pub(super) fn set_up_text(game: GameName, cells: &SetUp) -> String {
    game.visit(SetUpText(cells))
}

struct SetUpText<'a>(&'a SetUp);

impl GameVisitor for SetUpText<'_> {
    type Output = String;

    fn visit<G: Game>(self) -> String {
        G::set_up_text(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_core::game::set_up::{SetUpHand, SetUpPiece};

    /// The text of a position that is set up from its picture.
    fn again(game: GameName, start: &str) -> String {
        let tree = tree(game, Some(start), 9).unwrap();
        let picture = tree.picture(0);
        let hand = |side: usize| {
            let held = picture.hands[side].iter();
            held.map(|held| SetUpHand { kind: held.kind.to_owned(), count: held.count }).collect()
        };
        let setup = SetUp {
            cells: picture.cells.iter().map(|cell| cell.as_ref().map(SetUpPiece::from)).collect(),
            hands: [hand(0), hand(1)],
            side: picture.to_move.index(),
            grown: start.contains(" g "),
        };
        super::tree(game, Some(&set_up_text(game, &setup)), 9).unwrap().position(0)
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

    #[test]
    fn moves_are_taken_as_people_write_them() {
        let mut tree = tree(GameName::Shogi, None, 9).unwrap();
        let mut node = 0;
        for (text, turn) in [
            ("７六歩", "7g7f"),
            ("△34歩", "3c3d"),
            ("▲２二角成", "8h2b+"),
            ("同　銀", "3a2b"),
            ("45角打", "B*4e"),
            ("３三桂", "2a3c"),
        ] {
            assert_eq!(tree.local_turn(node, text).as_deref(), Some(turn), "{text}");
            node = tree.play(node, turn).unwrap();
        }
        // The destination in figures instead of 同.
        let first = tree.play(0, "7g7f").unwrap();
        let second = tree.play(first, "3c3d").unwrap();
        let third = tree.play(second, "8h2b+").unwrap();
        assert_eq!(tree.local_turn(third, "２二銀").as_deref(), Some("3a2b"));
        for wrong in ["５五歩", "", "歩", "同飛"] {
            assert_eq!(tree.local_turn(0, wrong), None, "{wrong}");
        }
    }
}
