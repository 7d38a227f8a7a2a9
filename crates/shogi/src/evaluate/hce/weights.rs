//! The weights of the hand-crafted evaluation, and their file format.

use std::sync::{Arc, LazyLock};

use super::zones;
use crate::network::features::OF_SIDE;
use kaeshi_core::game::GameError;

/// The counted terms, by the index of their first weight.
pub mod term {
    use super::zones;

    /// For each zone of the own king: squares that the own side attacks once; then twice.
    pub(crate) const DEFENCE: usize = 0;
    /// For each zone of the own king: squares that the enemy attacks once; then twice.
    pub(crate) const OFFENCE: usize = DEFENCE + 2 * zones::COUNT;
    /// Own pieces next to the king.
    pub(crate) const NEIGHBOUR: usize = OFFENCE + 2 * zones::COUNT;
    /// Squares next to the king that only the king defends: not attacked; attacked.
    pub(crate) const HOLE: usize = NEIGHBOUR + 1;
    /// The same, times the enemy's pieces in hand.
    pub(crate) const HOLE_HAND: usize = HOLE + 2;
    /// Value of own pieces that are defended, attacked, attacked without defence; in 32nds.
    pub const LOOSE: usize = HOLE_HAND + 2;
    /// Golds, silvers and the like that nothing defends.
    pub const UNGUARDED: usize = LOOSE + 3;
    /// Squares that lances, bishops and rooks can go to.
    pub(crate) const MOBILE: usize = UNGUARDED + 1;
    /// How many lances, bishops and rooks are locked in: they can go to two squares at most.
    pub(crate) const LOCKED: usize = MOBILE + 3;
    /// Empty squares straight ahead of a rook.
    pub(crate) const ROOK_AHEAD: usize = LOCKED + 3;
    /// Own pieces in the enemy's camp, the king being there; the same of the enemy's around it.
    pub const ENTERED: usize = ROOK_AHEAD + 1;
    /// Pieces of a named castle that are in place, and more if all are.
    pub const FORM: usize = ENTERED + 2;
    /// How many there are.
    pub const COUNT: usize = FORM + 1;
}

/// Names of the groups of terms, with the end of each.
pub(super) const GROUPS: [(&str, usize); 9] = [
    ("defence", term::OFFENCE),
    ("offence", term::NEIGHBOUR),
    ("shelter", term::LOOSE),
    ("loose", term::MOBILE),
    ("mobility", term::LOCKED),
    ("locked in", term::ROOK_AHEAD),
    ("rook ahead", term::ENTERED),
    ("entering", term::FORM),
    ("named castle", term::COUNT),
];

/// How dangerous pieces in hand are: pawn, lance, knight, silver, bishop, rook, gold.
pub(super) const HAND_UNITS: [i32; 7] = [0, 1, 1, 2, 2, 3, 3];
/// More units than this make no difference.
pub(super) const HAND_UNITS_LIMIT: i32 = 10;

const MAGIC: &[u8; 8] = b"KAESHISH";
/// Raised whenever the terms or the units change.
const VERSION: u32 = 1;
/// Magic, version, checksum of the rest.
const HEADER: usize = 16;
const NUMBERS: usize = OF_SIDE + term::COUNT + 1;

/// The weights of all terms, in sixteenths of a centipawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HceWeights {
    /// A side's own pieces as it sees them itself, on the board and in hand: the first half of the
    /// inputs of [`features`](crate::network::features).
    pub placed: [i16; OF_SIDE],
    /// Each of the counted terms.
    pub terms: [i16; term::COUNT],
    /// The right to move.
    pub tempo: i16,
}

impl HceWeights {
    /// All weights zero.
    pub const ZERO: HceWeights = HceWeights { placed: [0; OF_SIDE], terms: [0; term::COUNT], tempo: 0 };

    /// The weights inside this program.
    pub fn embedded() -> Arc<HceWeights> {
        static EMBEDDED: LazyLock<Arc<HceWeights>> = LazyLock::new(|| {
            let bytes = include_bytes!("../../../../../weights/shogi-hand.bin");
            Arc::new(HceWeights::from_bytes(bytes).unwrap_or(HceWeights::ZERO))
        });
        Arc::clone(&EMBEDDED)
    }

    /// Whether these bytes want to be weights of this kind.
    pub fn is_file(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Header and 16-bit numbers, little-endian: pieces, terms, the right to move.
    pub fn to_bytes(&self) -> Vec<u8> {
        let body = self.body();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(crc32fast::hash(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// Reads the bytes that [`HceWeights::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes that are no such weights, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<HceWeights, GameError> {
        let Some(header) = bytes.first_chunk::<HEADER>().filter(|header| HceWeights::is_file(*header)) else {
            return Err(GameError::file("these are no weights of shogi's terms"));
        };
        let number =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        if number(8) != VERSION {
            return Err(GameError::file(format!(
                "weights of terms of version {}; this program reads version {VERSION}",
                number(8)
            )));
        }
        let body = &bytes[HEADER..];
        if body.len() != 2 * NUMBERS || number(12) != crc32fast::hash(body) {
            return Err(GameError::file("the weights are damaged: the checksum is another one"));
        }
        let mut numbers = body.chunks_exact(2).map(|two| i16::from_le_bytes([two[0], two[1]]));
        let mut weights = HceWeights::ZERO;
        let all = weights.placed.iter_mut().chain(&mut weights.terms).chain([&mut weights.tempo]);
        all.zip(&mut numbers).for_each(|(to, from)| *to = from);
        Ok(weights)
    }

    /// CRC-32 of its numbers, which identifies it.
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(&self.body())
    }

    fn body(&self) -> Vec<u8> {
        let all = self.placed.iter().chain(&self.terms).chain([&self.tempo]);
        all.flat_map(|number| number.to_le_bytes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_survive_their_file_and_damaged_ones_are_refused() {
        let mut weights = HceWeights::ZERO;
        weights.placed[OF_SIDE - 1] = -7;
        weights.terms[term::FORM] = 300;
        weights.tempo = 480;
        let bytes = weights.to_bytes();
        assert_eq!(HceWeights::from_bytes(&bytes).unwrap(), weights);
        for at in [0, 9, 13, HEADER, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert!(HceWeights::from_bytes(&damaged).is_err(), "byte {at}");
        }
        assert!(HceWeights::from_bytes(&bytes[..bytes.len() - 2]).is_err());
    }

    #[test]
    fn the_embedded_weights_are_whole() {
        let bytes = include_bytes!("../../../../../weights/shogi-hand.bin");
        assert_eq!(HceWeights::from_bytes(bytes).unwrap(), *HceWeights::embedded());
    }
}
