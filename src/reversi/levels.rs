//! Levels of play against people: nodes, the misjudgement of turns, and among how many of them it chooses.
//! They were set by games between neighbours, with 100 Elo in mind: docs/experiments/levels.md has what was measured.

use crate::game::level::Level;

/// The weakest first; all are below full strength.
pub(super) static LEVELS: [Level; 20] = [
    level(0, 2_300, 8),
    level(0, 1_800, 8),
    level(0, 1_300, 8),
    level(0, 970, 8),
    level(0, 760, 8),
    level(0, 510, 8),
    level(120, 380, 6),
    level(160, 330, 5),
    level(210, 290, 5),
    level(290, 260, 4),
    level(460, 210, 4),
    level(1_300, 120, 3),
    level(2_200, 94, 3),
    level(3_500, 74, 3),
    level(5_900, 53, 2),
    level(8_300, 24, 2),
    level(10_000, 0, 1),
    level(15_000, 0, 1),
    level(26_000, 0, 1),
    level(41_000, 0, 1),
];

/// Without nodes it ends with the first iteration.
const fn level(nodes: u64, error: i32, lines: usize) -> Level {
    let (depth, nodes) = if nodes == 0 { (Some(1), None) } else { (None, Some(nodes)) };
    Level { depth, nodes, error, lines, overlooked: 0 }
}
