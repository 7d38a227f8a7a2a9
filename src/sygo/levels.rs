//! Levels of play against people: simulations, the misjudgement of turns and among how many of them it chooses, and
//! the stones of a growth that are overlooked.
//! They were set by games between neighbours, with 100 Elo in mind: docs/experiments/levels.md has what was measured.

use crate::game::level::Level;

/// The weakest first; all are below full strength.
pub(super) static LEVELS: [Level; 20] = [
    level(20, 2_000, 24, 70),
    level(20, 1_700, 22, 65),
    level(20, 1_500, 20, 59),
    level(25, 1_300, 20, 54),
    level(30, 1_200, 19, 49),
    level(30, 1_100, 17, 44),
    level(33, 940, 16, 40),
    level(39, 810, 16, 35),
    level(47, 690, 13, 30),
    level(63, 570, 12, 25),
    level(86, 470, 11, 20),
    level(110, 390, 10, 15),
    level(150, 320, 9, 12),
    level(220, 240, 8, 8),
    level(380, 160, 6, 5),
    level(560, 120, 6, 3),
    level(790, 90, 5, 2),
    level(1_000, 62, 4, 1),
    level(1_400, 36, 2, 0),
    level(1_900, 0, 1, 0),
];

const fn level(nodes: u64, error: i32, lines: usize, overlooked: u8) -> Level {
    Level { depth: None, nodes: Some(nodes), error, lines, overlooked }
}
