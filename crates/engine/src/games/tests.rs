//! Properties of every game.

use super::GameName;
use kaeshi_core::game::level::SkillLevel;

#[test]
fn higher_levels_think_longer_and_err_less() {
    for game in GameName::ALL {
        for pair in game.facts().search.levels.windows(2) {
            assert!(pair[0].error >= pair[1].error && pair[0] != pair[1], "{game:?} {pair:?}");
            // Where nodes are not limited, the first iteration is the last.
            let nodes = |level: SkillLevel| level.nodes.unwrap_or(0);
            assert!(nodes(pair[0]) <= nodes(pair[1]), "{game:?} {pair:?}");
            assert!(pair[0].nodes.is_some() || pair[0].depth == Some(1), "{game:?} {pair:?}");
        }
    }
}
