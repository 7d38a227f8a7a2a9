//! Every number of the evaluation, in hundredths of a pawn unless said otherwise.
//!
//! They began as what YaneuraOu's hand-made evaluation found: a square attacked near a king is
//! worth about 70 (own king) or 100 (enemy king), divided by the distance plus one.

use super::zones::COUNT;

/// For each square of a zone that the king's own side attacks once, and a second time.
pub(super) const DEFENCE: [[i32; COUNT]; 2] = [[46, 33, 26, 22, 17, 11], [38, 25, 18, 15, 11, 7]];
/// For each square of a zone that the king's enemies attack once, and a second time.
pub(super) const OFFENCE: [[i32; COUNT]; 2] = [[62, 46, 42, 32, 25, 15], [50, 36, 30, 22, 17, 9]];
/// An own piece next to the king.
pub(super) const NEIGHBOUR: i32 = 20;
/// A square next to the king that only the king defends: not attacked, and attacked.
pub(super) const HOLE: [i32; 2] = [9, 18];
/// The same, for each [unit](HAND_UNITS) that the enemy holds in hand.
pub(super) const HOLE_HAND: [i32; 2] = [2, 4];
/// How dangerous pieces in hand are: pawn, lance, knight, silver, bishop, rook, gold.
pub(super) const HAND_UNITS: [i32; 7] = [0, 1, 1, 2, 2, 3, 3];
/// More units than this make no difference.
pub(super) const HAND_UNITS_LIMIT: i32 = 10;
/// In 4096ths of its value: what an own piece gains when defended …
pub(super) const DEFENDED: i32 = 38;
/// … and loses when attacked …
pub(super) const ATTACKED: i32 = 118;
/// … and loses besides when attacked and not defended.
pub(super) const HANGING: i32 = 140;
/// An empty square straight ahead of a rook.
pub(super) const ROOK_AHEAD: i32 = 6;
/// The right to move.
pub(super) const TEMPO: i32 = 30;
