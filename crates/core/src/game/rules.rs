//! The rules of a game, without texts, pictures and search.

use std::fmt::Debug;

use crate::game::Side;
use crate::game::draft::Claim;

/// Why a game is over by its rules (resignations, flags and faults are the runner's business).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TerminalCause {
    /// Shogi: the side to move is mated, or has no legal move.
    Mate,
    /// Shogi: the same position for the fourth time.
    Repetition,
    /// Shogi: the repetition came about by unbroken checks of the loser.
    PerpetualCheck,
    /// Shogi: the entering king was declared, or the try succeeded.
    EnteringKing,
    /// The agreed number of plies is reached.
    MaxPlies,
    /// Reversi: neither side can move.
    NoMoves,
    /// Sygo: two passes in succession.
    TwoPasses,
}

/// How a finished game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOutcome {
    /// `None` for a draw.
    pub winner: Option<Side>,
    /// Discs or points by which the first side is ahead; 0 in shogi.
    pub margin: i32,
    /// The rule that ended it.
    pub cause: TerminalCause,
}

impl GameOutcome {
    /// The outcome of a counted game by the margin of the first side; 0 is a draw.
    pub fn by_margin(margin: i32, cause: TerminalCause) -> GameOutcome {
        let winner = match margin {
            0 => None,
            1.. => Some(Side::First),
            _ => Some(Side::Second),
        };
        GameOutcome { winner, margin, cause }
    }
}

/// The rules of a game: positions, turns, and how it ends.
pub trait GameRules: Sized + Send + Sync + 'static {
    /// A position with the history its rules need.
    type Position: Clone + Send + Sync;
    /// One protocol move; in Sygo a set of stones.
    type Turn: Clone + Eq + Debug + Send + Sync;

    /// The usual start position.
    fn start(&self) -> Self::Position;
    /// The usual start on a board of `size` columns, which must be one of
    /// [`BoardInfo::sizes`](crate::game::facts::BoardInfo::sizes).
    fn start_of_size(&self, _size: u8) -> Self::Position {
        self.start()
    }
    /// Plays a turn that is legal in `position`.
    fn play(&self, position: &mut Self::Position, turn: &Self::Turn);
    /// All legal turns, in a fixed order. Where there are too many to list (Sygo), the most
    /// promising ones; small boards are always listed completely.
    fn turns(&self, position: &Self::Position) -> Vec<Self::Turn>;
    /// The side to move.
    fn side_to_move(&self, position: &Self::Position) -> Side;
    /// How the game ended, if it is over.
    fn outcome(&self, position: &Self::Position) -> Option<GameOutcome>;
    /// Whether the side to move may claim the win now (shogi's entering king).
    fn may_claim_win(&self, _position: &Self::Position) -> bool {
        false
    }
    /// How far the side to move is from a win by claim, where the rules count that.
    fn claim(&self, _position: &Self::Position) -> Option<Claim> {
        None
    }
    /// Points of the two sides where both kings have entered, so that players may agree to count (shogi's
    /// impasse).
    fn impasse_points(&self, _position: &Self::Position) -> Option<[u32; 2]> {
        None
    }
    /// Whether a pass is a legal turn.
    fn may_pass(&self, _position: &Self::Position) -> bool {
        false
    }
    /// Bytes equal exactly when everything that follows by the rules is equal, too.
    fn identity(&self, position: &Self::Position) -> Vec<u8>;
    /// Number of turn sequences of exactly `depth` turns.
    fn perft(&self, position: &Self::Position, depth: u32) -> u64;
    /// The same with every turn of the last ply made, not only counted: the price of a node in a
    /// search. Games that have no quicker way to count need not define it.
    fn perft_making_all(&self, position: &Self::Position, depth: u32) -> u64 {
        self.perft(position, depth)
    }
}
