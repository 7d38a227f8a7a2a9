//! Levels of play against people: nodes, the misjudgement of turns, and among how many of them it chooses. They were
//! set by games between neighbouring levels, aiming at 100 Elo a level; docs/evidence/levels.md has the measurements.

use kaeshi_core::game::level::SkillLevel;

/// The weakest first; all are below full strength.
pub static LEVELS: [SkillLevel; 20] = [
    level(0, 2_300, 8),
    level(0, 1_800, 8),
    level(0, 1_400, 8),
    level(0, 1_000, 8),
    level(0, 720, 8),
    level(0, 470, 8),
    level(140, 350, 5),
    level(190, 300, 5),
    level(260, 270, 4),
    level(360, 230, 4),
    level(1_000, 140, 3),
    level(1_800, 100, 3),
    level(2_400, 89, 3),
    level(4_000, 68, 3),
    level(6_300, 45, 2),
    level(8_800, 17, 2),
    level(9_700, 0, 1),
    level(15_000, 0, 1),
    level(25_000, 0, 1),
    level(41_000, 0, 1),
];

/// Without nodes it ends with the first iteration.
const fn level(nodes: u64, error: i32, lines: usize) -> SkillLevel {
    let (depth, nodes) = if nodes == 0 { (Some(1), None) } else { (None, Some(nodes)) };
    SkillLevel { depth, nodes, error, lines, overlooked: 0 }
}
