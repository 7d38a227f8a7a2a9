//! A position that a person put together, man by man.

use serde::Deserialize;

use crate::game::Side;
use crate::game::picture::PicturePiece;

/// The position, in the cells of [`crate::game::picture::Picture`].
#[derive(Clone, Debug, Deserialize)]
pub struct SetUp {
    /// The piece in each cell, if any.
    pub cells: Vec<Option<SetUpPiece>>,
    /// Men in hand of the first and of the second side.
    pub hands: [Vec<SetUpHand>; 2],
    /// The side to move: 0 or 1.
    pub side: usize,
    /// Whether a side has grown, in games where that matters.
    #[serde(default, deserialize_with = "crate::json::or_null")]
    pub grown: bool,
}

/// A [`PicturePiece`] with a kind from an untrusted source.
#[derive(Clone, Debug, Deserialize)]
pub struct SetUpPiece {
    /// The side that owns it.
    pub side: Side,
    /// Its kind, as in [`PicturePiece::kind`].
    pub kind: String,
}

/// Men of one kind in hand.
#[derive(Clone, Debug, Deserialize)]
pub struct SetUpHand {
    /// As in [`PicturePiece::kind`].
    pub kind: String,
    /// How many.
    pub count: u8,
}

impl From<&PicturePiece> for SetUpPiece {
    fn from(man: &PicturePiece) -> SetUpPiece {
        SetUpPiece { side: man.side, kind: man.kind.to_owned() }
    }
}

impl SetUp {
    /// The side to move.
    pub fn to_move(&self) -> Side {
        if self.side == 0 { Side::First } else { Side::Second }
    }

    /// The cells of a square board row by row as FEN has them, vacant ones counted; `letter` writes a man.
    pub fn rows(&self, letter: impl Fn(&SetUpPiece) -> String) -> String {
        let columns = self.cells.len().isqrt().max(1);
        let row = |cells: &[Option<SetUpPiece>]| {
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
}
