//! A position as typed cells: what every board on a page or a terminal is drawn from.

use serde::Serialize;

use crate::game::Side;

/// A position to be drawn. Cells are counted row by row from the upper left corner, as the first
/// side sees the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// How cells and men look.
    pub style: Style,
    /// Cells of a row.
    pub columns: u8,
    /// Rows.
    pub rows: u8,
    /// The name of each cell in the game's notation.
    pub names: Vec<String>,
    /// The piece in each cell, if any.
    pub cells: Vec<Option<PicturePiece>>,
    /// Men in hand of the first and of the second side, in the order of a piece stand.
    pub hands: [Vec<PictureHand>; 2],
    /// The side to move.
    pub to_move: Side,
    /// The number of the turn to be made, from 1.
    pub number: u32,
    /// The cell of a king in check.
    pub check: Option<u16>,
    /// Discs or points of the two sides, where a game counts them.
    pub counts: Option<[i32; 2]>,
    /// Vacant cells that count for a side, where territory counts.
    pub territory: [Vec<u16>; 2],
}

/// How a board looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Pieces that point at the opponent, in squares.
    Pieces,
    /// Discs in squares.
    Discs,
    /// Stones on the crossings of lines.
    Stones,
}

/// A piece, disc or stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PicturePiece {
    /// The side that owns it.
    pub side: Side,
    /// Its kind in the game's notation, capital letters: `P`, `+P`; empty where there is one kind only.
    pub kind: &'static str,
}

/// Men of one kind in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PictureHand {
    /// As in [`PicturePiece::kind`].
    pub kind: &'static str,
    /// How many, at least one.
    pub count: u8,
}

/// The effect of a turn on the board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnPicture {
    /// The cell that the man comes from, where one moves.
    pub from: Option<u16>,
    /// The kind in hand that is dropped, where one is.
    pub dropped: Option<&'static str>,
    /// The cells on which it comes to stand; none for a pass, several for a growth.
    pub to: Vec<u16>,
    /// The cells whose men change their side or leave the board.
    pub captured: Vec<u16>,
    /// Whether the man promotes.
    pub promotes: bool,
}
