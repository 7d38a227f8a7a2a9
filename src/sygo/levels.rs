//! Levels of play against people: simulations, the misjudgement of turns and among how many of them it chooses, and
//! the stones of a growth that are overlooked.
//! They were set by games between neighbours, with 100 Elo in mind: docs/experiments/levels.md has what was measured.

use crate::game::level::Level;

/// The weakest first; all are below full strength.
pub(super) static LEVELS: [Level; 20] = [
    level(20, 2_000, 24, 70),
    level(20, 1_700, 22, 65),
    level(20, 1_500, 20, 60),
    level(24, 1_300, 20, 55),
    level(29, 1_200, 19, 50),
    level(30, 1_100, 17, 44),
    level(36, 860, 16, 37),
    level(43, 740, 14, 32),
    level(54, 630, 13, 28),
    level(68, 540, 12, 24),
    level(86, 470, 11, 20),
    level(100, 410, 10, 16),
    level(130, 340, 9, 13),
    level(200, 260, 8, 9),
    level(320, 180, 7, 6),
    level(510, 130, 6, 3),
    level(690, 100, 5, 2),
    level(950, 68, 4, 1),
    level(1_300, 43, 3, 0),
    level(1_900, 0, 1, 0),
];

const fn level(nodes: u64, error: i32, lines: usize, overlooked: u8) -> Level {
    Level { depth: None, nodes: Some(nodes), error, lines, overlooked }
}
