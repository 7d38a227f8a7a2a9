//! Values inside the search.

use crate::game::score::Score;

/// Mate at the root; `MATE - n` is mate in `n` plies.
pub(crate) const MATE: i32 = 32_000;
/// Every value beyond is a mate within [`MAX_PLY`] plies.
pub(crate) const MATE_BOUND: i32 = MATE - 1_000;
/// A win or loss that is certain in practice, but no mate.
pub(crate) const SUPERIOR: i32 = 30_000;
/// Beyond any value.
pub(crate) const INFINITE: i32 = 32_500;
/// Highest static value.
pub(crate) const EVAL_LIMIT: i32 = 29_000;
/// Deepest ply of a search.
pub(crate) const MAX_PLY: usize = 246;

/// The side to move is mated `ply` plies after the root.
#[inline(always)]
pub(crate) fn mated_in(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// The value as the outside sees it.
pub(crate) fn score(value: i32) -> Score {
    if value >= MATE_BOUND {
        Score::MateIn((MATE - value) as u16)
    } else if value <= -MATE_BOUND {
        Score::MatedIn((MATE + value) as u16)
    } else {
        Score::Cp(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_shown_in_plies() {
        assert_eq!(score(MATE - 3), Score::MateIn(3));
        assert_eq!(score(mated_in(0)), Score::MatedIn(0));
        assert_eq!(score(-SUPERIOR), Score::Cp(-SUPERIOR));
    }
}
