//! What tools ask of a game besides its rules: names, units, sizes, symmetries, handicaps.

use std::ops::RangeInclusive;

use serde::Serialize;

use crate::game::Side;

/// The constants of one game.
#[derive(Debug)]
pub struct Facts {
    /// As protocols and files write it: `shogi`, `reversi`, `sygo`.
    pub name: &'static str,
    /// As a sentence has it: `shogi`, `Reversi`, `Sygo`.
    pub title: &'static str,
    /// The players' colours, that of the first side first.
    pub colours: [&'static str; 2],
    /// The word before a position in `position …`: `sfen` or `fen`; empty where it stands bare.
    pub position_word: &'static str,
    /// What values are counted in.
    pub unit: Unit,
    /// Value in hundredths of the unit at which the side to move wins with 1 / (1 + 1/e) = 73 %.
    pub win_rate_scale: f64,
    /// Columns (and rows) of its boards.
    pub sizes: RangeInclusive<u8>,
    /// Columns of the usual board.
    pub usual_size: u8,
    /// Which images of a board are the same position.
    pub symmetry: Symmetry,
    /// The usual uneven starts, in rising order.
    pub handicaps: &'static [Handicap],
}

/// What values are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Unit {
    /// In the plural: `pawns`, `discs`, `points`.
    pub name: &'static str,
    /// Whether people read hundredths of it (centipawns) rather than wholes with decimals.
    pub shown_in_hundredths: bool,
}

/// Which images of a board are the same position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// The board and its mirror image, left for right.
    Mirror,
    /// The eight images of a square.
    Square,
}

/// An uneven start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handicap {
    /// Lower case with hyphens: `2-piece`.
    pub name: &'static str,
    /// The position, as the game writes it.
    pub position: &'static str,
}

impl Facts {
    /// The colour of a side.
    pub fn colour(&self, side: Side) -> &'static str {
        self.colours[side.index()]
    }

    /// The handicap called `name`, letter case ignored.
    pub fn handicap(&self, name: &str) -> Option<&'static Handicap> {
        self.handicaps.iter().find(|handicap| handicap.name.eq_ignore_ascii_case(name))
    }

    /// Probability that the side to move wins, for a value in hundredths of the unit.
    pub fn win_rate(&self, value: i32) -> f64 {
        1.0 / (1.0 + (-f64::from(value) / self.win_rate_scale).exp())
    }

    /// `position`, as it stands behind the protocols' word `position`.
    pub fn position_argument(&self, position: &str) -> String {
        match self.position_word {
            "" => position.to_owned(),
            word => format!("{word} {position}"),
        }
    }
}
