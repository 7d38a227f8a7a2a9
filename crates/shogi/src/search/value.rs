//! Values inside the search.

use kaeshi_core::game::score::Score;

/// Mate at the root; `MATE - n` is mate in `n` plies.
pub const MATE: i32 = 32_000;
/// Every value beyond is a mate within [`MAX_PLY`] plies.
pub const MATE_BOUND: i32 = MATE - 1_000;
/// A win or loss that is certain in practice, but no mate.
pub(crate) const SUPERIOR: i32 = 30_000;
/// Beyond any value.
pub const INFINITE: i32 = 32_500;
/// Deepest ply of a search.
pub const MAX_PLY: usize = 246;

/// The side to move is mated `ply` plies after the root.
#[inline(always)]
pub(crate) fn mated_in(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// A value above beta, drawn towards beta, more so at low depth, as in Stockfish: after a cutoff the surplus over beta
/// rests on a single move. Decided values stay unchanged.
#[inline(always)]
pub(crate) fn damped(value: i32, beta: i32, depth: i32) -> i32 {
    let decided = SUPERIOR - MAX_PLY as i32;
    if value < decided && beta > -decided { (value * depth + beta) / (depth + 1) } else { value }
}

/// The value as the outside sees it.
pub fn score(value: i32) -> Score {
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
    fn values_above_beta_are_damped_but_for_wins() {
        assert_eq!(damped(300, 100, 1), 200);
        assert_eq!(damped(300, 100, 9), 280);
        assert_eq!(damped(100, 100, 5), 100);
        for win in [MATE - 9, SUPERIOR - 9] {
            assert_eq!(damped(win, 100, 3), win);
        }
        assert_eq!(damped(0, mated_in(7), 3), 0);
    }

    #[test]
    fn mates_are_shown_in_plies() {
        assert_eq!(score(MATE - 3), Score::MateIn(3));
        assert_eq!(score(mated_in(0)), Score::MatedIn(0));
        assert_eq!(score(-SUPERIOR), Score::Cp(-SUPERIOR));
    }
}
