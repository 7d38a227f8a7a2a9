//! Levels of games whose engine has no option for them: little thought, and turns that are misjudged.
//!
//! A turn is misjudged by an amount of its own that stays the same for a while. So a weak level has likes
//! and dislikes, as people have, and does not draw its turns by lot. A pass is never preferred by mistake: it
//! could end the game.

use std::hash::{BuildHasher, RandomState};

use crate::engine::clock::Limits;
use crate::engine::event::Info;
use crate::game::score::Score;
use crate::games::GameName;

/// Turns among which a weak level chooses.
pub(super) const CHOICE: usize = 12;
/// Turns of a game after which a turn is misjudged by another amount.
const MOOD: usize = 6;

/// How one game of an engine is weakened.
#[derive(Clone, Debug)]
pub(super) struct Weakness {
    error: i32,
    mood: usize,
}

/// Limits the thought of `level` (1 to 20); nothing at full strength, and in games whose engine has levels.
pub(super) fn weaken(game: GameName, level: u8, turns: usize, limits: &mut Limits) -> Option<Weakness> {
    let level = game.facts().levels.get(usize::from(level.max(1)) - 1)?;
    (limits.depth, limits.nodes) = (level.depth.or(limits.depth), level.nodes.or(limits.nodes));
    Some(Weakness { error: level.error, mood: turns / MOOD })
}

impl Weakness {
    /// The turn that seems best among the lines of the last iteration; `None` if the engine's own choice stays.
    pub(super) fn choose(&self, lines: &[Info], likes: &RandomState) -> Option<String> {
        let seems = |line: &Info| {
            let turn = line.pv.first()?;
            let value = match line.score {
                Score::Cp(value) | Score::Exact(value) => value,
                Score::MateIn(_) | Score::MatedIn(_) => return None,
            };
            let bits = likes.hash_one((turn, self.mood));
            // The difference of two even draws: small errors are likelier than large ones.
            let draw = |shift: u32| (bits >> shift & 0x3ff) as i32;
            Some((value + (draw(20) - draw(40)) * self.error / 1024, turn.clone()))
        };
        let first = lines.first()?.pv.first()?;
        let best =
            lines.iter().filter(|line| line.pv.first().is_some_and(|turn| turn != "pass" || turn == first));
        best.filter_map(seems).max_by_key(|&(value, _)| value).map(|(_, turn)| turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::search::Bound;
    use std::time::Duration;

    fn line(turn: &str, value: i32) -> Info {
        Info {
            depth: 1,
            seldepth: 1,
            confidence: 100,
            multipv: 1,
            lines: 1,
            score: Score::Cp(value),
            bound: Bound::Exact,
            nodes: 1,
            time: Duration::ZERO,
            hashfull: 0,
            pv: vec![turn.to_owned()],
        }
    }

    #[test]
    fn higher_levels_think_longer_and_err_less() {
        for game in [GameName::Reversi, GameName::Sygo] {
            let mut before: Option<(Weakness, Limits)> = None;
            for level in 1..=20 {
                let mut limits = Limits::none();
                let weakness = weaken(game, level, 0, &mut limits).unwrap();
                if let Some((weaker, less)) = before {
                    assert!(weaker.error > weakness.error, "{game:?} {level}");
                    assert!(less.depth <= limits.depth && less.nodes <= limits.nodes);
                }
                before = Some((weakness, limits));
            }
            assert!(weaken(game, 21, 0, &mut Limits::none()).is_none(), "full strength");
        }
    }

    #[test]
    fn a_turn_is_misjudged_alike_for_a_while_and_a_pass_is_never_preferred() {
        let likes = RandomState::new();
        let lines = [line("a1", 100), line("b2", 50), line("pass", 40), line("c3", -9_000)];
        let weak = Weakness { error: 300, mood: 0 };
        let chosen = weak.choose(&lines, &likes);
        assert_eq!(chosen, weak.choose(&lines, &likes));
        let all: Vec<String> =
            (0..400).filter_map(|mood| Weakness { error: 300, mood }.choose(&lines, &likes)).collect();
        assert!(all.iter().any(|turn| turn == "a1") && all.iter().any(|turn| turn == "b2"));
        assert!(all.iter().all(|turn| turn != "pass" && turn != "c3"));
    }
}
