//! Levels of play against people: nodes and the misjudgement of positions.
//! They were set by games between neighbours, with 100 Elo in mind: docs/experiments/levels.md has what was measured.

use crate::game::level::Level;

/// The weakest first; all are below full strength.
pub(super) static LEVELS: [Level; 20] = [
    level(0, 920),
    level(0, 790),
    level(0, 670),
    level(0, 570),
    level(0, 470),
    level(0, 380),
    level(0, 300),
    level(0, 210),
    level(0, 170),
    level(0, 140),
    level(110, 100),
    level(180, 83),
    level(300, 67),
    level(410, 59),
    level(540, 53),
    level(700, 47),
    level(1_000, 39),
    level(1_300, 34),
    level(1_700, 29),
    level(2_200, 25),
];

/// Without nodes it ends with the first iteration.
const fn level(nodes: u64, error: i32) -> Level {
    let (depth, nodes) = if nodes == 0 { (Some(1), None) } else { (None, Some(nodes)) };
    Level { depth, nodes, error, lines: 1, overlooked: 0 }
}
