//! Why a turn is illegal.

use thiserror::Error;

use crate::rules::points::Point;
use kaeshi_core::game::GameError;

/// The rule that a turn breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalSygoTurn {
    /// Both players passed.
    #[error("the game is over: both players passed")]
    Over,
    /// The point is not on this board.
    #[error("{0} is not on this board")]
    OffBoard(Point),
    /// A stone stands there.
    #[error("{0} is occupied")]
    Occupied(Point),
    /// The turn names the point twice.
    #[error("{0} is named twice")]
    Twice(Point),
    /// A balance turn of White.
    #[error("only Black has a balance turn")]
    OnlyBlackBalances,
    /// A balance turn after a growth.
    #[error("the balance turn is gone: somebody has grown already")]
    BalanceGone,
    /// A growth stone next to no group of the beginning of the turn.
    #[error("{0} is not next to a group that stood there before the turn")]
    NotNext(Point),
    /// Two growth stones at one group.
    #[error("{0} and {1} are next to the same group")]
    SameGroup(Point, Point),
    /// A group would grow after it captured, whatever the order.
    #[error("no order works: a group that has captured may not grow any more in the turn")]
    NoOrder,
    /// A placement next to an own stone, alone or behind a growth.
    #[error("{point} is next to an own stone; {}{point}", if *.alone { "it would be the growth +" } else { "that is no placement: " })]
    NextToOwn {
        /// The placement.
        point: Point,
        /// Whether it is the whole turn.
        alone: bool,
    },
    /// The group of this stone would have no liberty.
    #[error("suicide: the group of {0} would have no liberty")]
    Suicide(Point),
}

impl From<IllegalSygoTurn> for GameError {
    fn from(illegal: IllegalSygoTurn) -> GameError {
        GameError::turn(illegal.to_string())
    }
}
