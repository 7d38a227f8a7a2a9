//! Levels of play against people: nodes and the misjudgement of positions. They were set by games between neighbouring
//! levels, aiming at 100 Elo a level; docs/evidence/levels.md has the measurements.

use kaeshi_core::game::level::SkillLevel;

/// The weakest first; all are below full strength.
pub static LEVELS: [SkillLevel; 20] = [
    level(0, 870),
    level(0, 770),
    level(0, 660),
    level(0, 550),
    level(0, 450),
    level(0, 360),
    level(0, 280),
    level(0, 220),
    level(0, 160),
    level(0, 158),
    level(0, 117),
    level(130, 92),
    level(300, 68),
    level(430, 58),
    level(610, 50),
    level(830, 43),
    level(1_100, 37),
    level(1_500, 32),
    level(2_000, 27),
    level(2_700, 22),
];

/// Without nodes it ends with the first iteration.
const fn level(nodes: u64, error: i32) -> SkillLevel {
    let (depth, nodes) = if nodes == 0 { (Some(1), None) } else { (None, Some(nodes)) };
    SkillLevel { depth, nodes, error, lines: 1, overlooked: 0 }
}
