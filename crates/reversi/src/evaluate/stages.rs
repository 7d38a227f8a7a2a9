//! Stages of the game, and the unit of values.

/// Stages of the game: three plies each.
pub const STAGES: usize = 20;
/// Units of a weight to the disc.
pub const UNITS: i32 = 128;

/// The stage of a board with `empties` empty squares.
#[inline(always)]
pub fn stage(empties: u32) -> usize {
    (60u32.saturating_sub(empties) as usize / 3).min(STAGES - 1)
}
