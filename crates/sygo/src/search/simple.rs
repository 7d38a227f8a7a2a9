//! Players that search nothing, to compare others with.

use crate::Sygo;
use crate::evaluate::SygoWeights;
use crate::rules::turn::SygoTurn;
use crate::search::playout::PlayoutScratch;
use crate::search::propose::propose;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::{Bound, Iteration, PvLine, SearchRoot};

/// Growths, and placements, among which the greedy player chooses.
const WIDTH: usize = 24;
/// Random turns that are drawn until one is allowed.
const DRAWS: u64 = 100;

/// The turn of the best static value.
pub fn greedy(weights: &SygoWeights, root: &SearchRoot<Sygo>) -> Iteration<Sygo> {
    let proposed = propose(weights, &root.position, WIDTH, WIDTH);
    match proposed.into_iter().find(|(_, turn)| root.allows(turn)) {
        Some((value, turn)) => line(value, turn),
        None => asked_for(root),
    }
}

/// A random turn; the same whenever the position comes up.
pub fn random(root: &SearchRoot<Sygo>) -> Iteration<Sygo> {
    if root.position.is_over() {
        return Iteration::NoTurn;
    }
    let mut drawn =
        (0..DRAWS).map(|draw| PlayoutScratch::new(root.position.key() ^ draw).choose(&root.position));
    drawn.find(|turn| root.allows(turn)).map_or_else(|| asked_for(root), |turn| line(0, turn))
}

/// The first of the turns that were asked for, if any is left.
fn asked_for(root: &SearchRoot<Sygo>) -> Iteration<Sygo> {
    let left = root.only.iter().find(|turn| root.allows(turn));
    left.map_or(Iteration::NoTurn, |turn| line(0, turn.clone()))
}

fn line(value: i32, turn: SygoTurn) -> Iteration<Sygo> {
    Iteration::Complete(PvLine {
        score: Score::Cp(value),
        bound: Bound::Exact,
        turns: vec![turn],
        seldepth: 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{self, position::SygoPosition};
    use kaeshi_core::random::SplitMix;

    #[test]
    fn random_turns_are_legal_and_differ() {
        let mut random = SplitMix::new(2);
        for game in 0..20 {
            let mut position = SygoPosition::new(5 + game % 5);
            while !position.is_over() {
                let turns: Vec<SygoTurn> =
                    (0..3).map(|_| PlayoutScratch::new(random.draw()).choose(&position)).collect();
                turns.iter().for_each(|turn| assert_eq!(rules::check(&position, turn), Ok(())));
                position.play(&turns[0]);
            }
        }
        let start = SygoPosition::new(9);
        let turns: Vec<SygoTurn> = (0..9).map(|seed| PlayoutScratch::new(seed).choose(&start)).collect();
        assert!(turns.iter().any(|turn| *turn != turns[0]), "{turns:?}");
    }
}
