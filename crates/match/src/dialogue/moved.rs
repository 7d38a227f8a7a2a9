//! A move that an engine made, with what it said of it; a line of a match's journal.

use serde::{Deserialize, Serialize};

use kaeshi_core::game::Side;
use kaeshi_core::game::score::Score;

/// One move. Scores are from the mover's side, as the engine reported them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JournalMove {
    /// Index of the pair.
    pub pair: u64,
    /// Which game of the pair.
    pub game: u8,
    /// 1 for the first move after the game's `start`.
    pub ply: u32,
    /// 0 if the first player moved, 1 for the second.
    pub side: u8,
    /// The move in the notation of USI or UGI; reads back with [`kaeshi_core::game::GameNotation::parse_turn`].
    pub m: String,
    /// Time used, microseconds.
    pub used_us: u64,
    /// Time left after it; `None` where no clock ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_us: Option<u64>,
    /// Centipawns, or hundredths of a disc or point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Plies to mate, negative when mated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    /// Depth in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Selective depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sel: Option<u32>,
    /// Nodes searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Nodes per second, as reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    /// Fill of the table in permille.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<u32>,
    /// The engine's own measure of its time, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// Principal variation, cut after 32 moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pv: Vec<String>,
    /// Whether the move was found on the opponent's time.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ponderhit: bool,
    /// Oddities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warn: Vec<String>,
}

impl JournalMove {
    /// Who moved.
    pub fn mover(&self) -> Side {
        if self.side == 0 { Side::First } else { Side::Second }
    }

    /// What the mover reported as one number for the first player, as pages read it: hundredths; a mate in n
    /// plies is 200,000 - n.
    pub fn score_for_first(&self) -> Option<i32> {
        let mate = self.mate.map(|mate| {
            let distance = mate.abs().min(9_999);
            if mate > 0 { 200_000 - distance } else { distance - 200_000 }
        });
        let sign = if self.mover() == Side::First { 1 } else { -1 };
        mate.or(self.cp).map(|score| score * sign)
    }

    /// The value that the mover reported; a mate goes before an estimate.
    pub fn score(&self) -> Option<Score> {
        self.mate.map(Score::mate).or(self.cp.map(Score::Cp))
    }
}

fn is_false(value: &bool) -> bool {
    !value
}
