//! The presentation of a game to people.

use std::collections::BTreeMap;

use crate::game::draft::TurnDraft;
use crate::game::picture::{Picture, TurnPicture};
use crate::game::rules::GameRules;
use crate::game::set_up::SetUp;

/// The presentation of a game: boards, turns as people write them, unfinished turns.
pub trait GameView: GameRules {
    /// The position as typed cells, to be drawn.
    fn picture(&self, position: &Self::Position) -> Picture;
    /// The effect of a legal turn, in the cells of [`GameView::picture`].
    fn turn_picture(&self, position: &Self::Position, turn: &Self::Turn) -> TurnPicture;
    /// A legal turn as people write it in
    /// [`NotationInfo::local_language`](crate::game::facts::NotationInfo::local_language).
    fn local_text(&self, _position: &Self::Position, _turn: &Self::Turn) -> Option<String> {
        None
    }
    /// A legal turn as people write it in European languages, where they do not write it as protocols do.
    fn western_text(&self, _position: &Self::Position, _turn: &Self::Turn) -> Option<String> {
        None
    }
    /// For each turn, by its text: the number of pieces that it turns over and of the replies that it leaves. Empty in
    /// games that show neither.
    fn effects(&self, _position: &Self::Position) -> BTreeMap<String, [usize; 2]> {
        BTreeMap::new()
    }
    /// A turn in the making, after these stones, and the board with them; where
    /// [`RulesInfo::drafts`](crate::game::facts::RulesInfo::drafts) says so and the stones are legal so far.
    fn draft(&self, _position: &Self::Position, _stones: &[String]) -> Option<(TurnDraft, Picture)> {
        None
    }
    /// The turn that these stones make; `None` for no stones.
    fn drafted(&self, _stones: &[String]) -> Option<String> {
        None
    }
    /// The text of a position that a person put together; reading it shows whether it is legal.
    fn set_up_text(cells: &SetUp) -> String;
    /// The board as ASCII text that ends with the position's own text, for the debug word `d`.
    fn diagram(&self, position: &Self::Position) -> String;
    /// The terms of the evaluation as an ASCII table, for the debug word `eval`.
    fn explain(&self, position: &Self::Position) -> String;
}
