//! Levels of play against people: nodes and the misjudgement of positions.
//! They were set by games between neighbours, with 100 Elo in mind: docs/experiments/levels.md has what was measured.

use crate::game::level::Level;

/// The weakest first; all are below full strength.
pub(super) static LEVELS: [Level; 20] = [
    level(0, 920),
    level(0, 810),
    level(0, 670),
    level(0, 540),
    level(0, 430),
    level(0, 340),
    level(0, 260),
    level(0, 200),
    level(0, 150),
    level(0, 120),
    level(110, 98),
    level(200, 79),
    level(320, 66),
    level(470, 56),
    level(710, 47),
    level(960, 41),
    level(1_200, 36),
    level(1_400, 32),
    level(1_800, 28),
    level(2_200, 25),
];

/// Without nodes it ends with the first iteration.
const fn level(nodes: u64, error: i32) -> Level {
    let (depth, nodes) = if nodes == 0 { (Some(1), None) } else { (None, Some(nodes)) };
    Level { depth, nodes, error, lines: 1, overlooked: 0 }
}
