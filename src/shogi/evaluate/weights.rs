//! The terms of the evaluation and what each is worth, in sixteenths of a hundredth of a pawn.

use super::zones;

/// The terms, by the index of their first weight.
pub(super) mod term {
    use super::zones;

    /// For each zone of the own king: squares that the own side attacks once; then twice.
    pub(in super::super) const DEFENCE: usize = 0;
    /// For each zone of the own king: squares that the enemy attacks once; then twice.
    pub(in super::super) const OFFENCE: usize = DEFENCE + 2 * zones::COUNT;
    /// Own pieces next to the king.
    pub(in super::super) const NEIGHBOUR: usize = OFFENCE + 2 * zones::COUNT;
    /// Squares next to the king that only the king defends: not attacked; attacked.
    pub(in super::super) const HOLE: usize = NEIGHBOUR + 1;
    /// The same, times the enemy's pieces in hand.
    pub(in super::super) const HOLE_HAND: usize = HOLE + 2;
    /// Value of own pieces that are defended, attacked, attacked without defence; in 32nds.
    pub(in super::super) const LOOSE: usize = HOLE_HAND + 2;
    /// Empty squares straight ahead of a rook.
    pub(in super::super) const ROOK_AHEAD: usize = LOOSE + 3;
    /// Pieces of a named castle that are in place, and more if all are.
    pub(in super::super) const FORM: usize = ROOK_AHEAD + 1;
    /// How many weights there are.
    pub(in super::super) const COUNT: usize = FORM + 1;
}

/// Names of the groups of terms, with the end of each.
pub(super) const GROUPS: [(&str, usize); 6] = [
    ("defence", term::OFFENCE),
    ("offence", term::NEIGHBOUR),
    ("shelter", term::LOOSE),
    ("loose", term::ROOK_AHEAD),
    ("activity", term::FORM),
    ("named castle", term::COUNT),
];

/// The weights. They began as what YaneuraOu's hand-made evaluation found: a square attacked near
/// a king is worth about 70 (own king) or 100 (enemy king), divided by the distance plus one.
#[rustfmt::skip]
pub(super) const WEIGHTS: [i32; term::COUNT] = [
    736, 528, 416, 352, 272, 176, 608, 400, 288, 240, 176, 112, // defence
    -992, -736, -672, -512, -400, -240, -800, -576, -480, -352, -272, -144, // offence
    320, // neighbour
    -144, -288, -32, -64, // holes
    5, -15, -17, // loose
    96, // rook ahead
    128, // form
];

/// How dangerous pieces in hand are: pawn, lance, knight, silver, bishop, rook, gold.
pub(super) const HAND_UNITS: [i32; 7] = [0, 1, 1, 2, 2, 3, 3];
/// More units than this make no difference.
pub(super) const HAND_UNITS_LIMIT: i32 = 10;
/// The right to move, in hundredths of a pawn.
pub(super) const TEMPO: i32 = 30;
