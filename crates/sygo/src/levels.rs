//! Levels of play against people: simulations, the misjudgement of turns and among how many of them it chooses, and the
//! stones of a growth that are overlooked. They were set by games between neighbouring levels, aiming at 100 Elo a
//! level; docs/evidence/levels.md has the measurements.

use kaeshi_core::game::level::SkillLevel;

/// The weakest first; all are below full strength.
pub static LEVELS: [SkillLevel; 20] = [
    level(20, 2_400, 26, 76),
    level(20, 2_100, 24, 71),
    level(20, 1_800, 22, 66),
    level(20, 1_500, 20, 61),
    level(23, 1_300, 20, 56),
    level(28, 1_200, 19, 51),
    level(30, 1_100, 17, 44),
    level(35, 890, 16, 38),
    level(44, 720, 14, 31),
    level(58, 600, 13, 27),
    level(74, 520, 12, 23),
    level(90, 450, 11, 19),
    level(110, 380, 10, 15),
    level(170, 290, 9, 11),
    level(280, 200, 7, 7),
    level(410, 150, 6, 5),
    level(570, 120, 6, 3),
    level(790, 90, 5, 2),
    level(1_100, 52, 3, 0),
    level(1_900, 0, 1, 0),
];

const fn level(nodes: u64, error: i32, lines: usize, overlooked: u8) -> SkillLevel {
    SkillLevel { depth: None, nodes: Some(nodes), error, lines, overlooked }
}
