//! Turns as the network likes them.
//!
//! The kind of turn and the point of a placement share one softmax. In a growth each group chooses one
//! of its points, or none, by its own softmax: so the likelihood of a whole growth is a product.

use std::cmp::Reverse;

use super::Outputs;
use crate::rules;
use crate::rules::points::{Point, PointSet};
use crate::rules::position::SygoPosition;
use crate::rules::settled;
use crate::rules::turn::{SygoTurn, TurnKind};

/// Subtracted from the log-likelihood of a growth without a placement while Black still has the balance right.
const RIGHT_LEFT: f32 = 4.0;

/// A point where the mover may grow.
#[derive(Clone, Copy, Debug)]
pub struct GrowthChoice {
    /// The point.
    pub point: Point,
    /// All stones of the groups that would grow.
    pub homes: PointSet,
    /// How many groups these are.
    pub groups: f32,
    /// The network's output.
    pub output: f32,
}

impl GrowthChoice {
    fn score(&self) -> f32 {
        self.output * self.groups
    }
}

/// The temperatures that turn likelihoods into priors: at 1 priors equal likelihoods, above 1 they differ less.
#[derive(Clone, Copy, Debug)]
pub struct Temperatures {
    /// For growing, passing and each placement.
    pub kinds: f32,
    /// For the shares of single growths in the prior of growing.
    pub growths: f32,
}

/// The likelihood of turns in one position.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Every point where the mover may grow.
    pub choices: Vec<GrowthChoice>,
    /// Every point where the mover may place a stone, and the network's output.
    pub placements: Vec<(Point, f32)>,
    /// The logarithm of the likelihood of growing.
    pub grow: f32,
    /// The logarithm of the likelihood of passing.
    pub pass: f32,
    /// Subtracted from the output of a placement to get its log-likelihood among all turns.
    total: f32,
    /// Subtracted from the output of a placement to get its log-likelihood among placements.
    placed: f32,
}

impl Policy {
    /// The policy from the network's outputs for this position.
    pub fn new(outputs: &Outputs, position: &SygoPosition) -> Policy {
        let board = &position.board;
        let vacant = board.vacant();
        let near = board.stones(position.side).neighbours() & vacant;
        let choices: Vec<GrowthChoice> = near
            .iter()
            .map(|point| {
                let groups = board.groups_next_to(point, position.side);
                let homes = groups.iter().fold(PointSet::EMPTY, |all, &id| all | board.group(id).stones);
                let output = outputs.points[outputs.grid.cell(point)][0];
                GrowthChoice { point, homes, groups: groups.len() as f32, output }
            })
            .collect();
        let placements: Vec<(Point, f32)> = vacant
            .without(&near)
            .iter()
            .map(|point| (point, outputs.points[outputs.grid.cell(point)][1]))
            .collect();
        let placed = logarithm_of_sum(placements.iter().map(|&(_, output)| output));
        let grow = if choices.is_empty() { f32::NEG_INFINITY } else { outputs.whole[0] };
        let total = logarithm_of_sum([placed, grow, outputs.whole[1]].into_iter());
        Policy { choices, placements, grow: grow - total, pass: outputs.whole[1] - total, total, placed }
    }

    /// The logarithms of the likelihood of the placements.
    pub fn placement_likelihoods(&self) -> impl Iterator<Item = (Point, f32)> + '_ {
        self.placements.iter().map(|&(point, output)| (point, output - self.total))
    }

    /// The score of a growth: the logarithm of its likelihood but for a constant.
    pub fn growth_score(&self, growth: &[Point]) -> f32 {
        let chosen = self.choices.iter().filter(|choice| growth.contains(&choice.point));
        chosen.map(GrowthChoice::score).sum()
    }

    /// The priors of these turns, which sum to 1.
    pub fn priors<'a>(
        &self,
        turns: impl Iterator<Item = &'a SygoTurn> + Clone,
        right: bool,
        temperatures: Temperatures,
    ) -> Vec<f32> {
        let Temperatures { kinds, growths: among } = temperatures;
        let output =
            |point| self.placements.iter().find(|place| place.0 == point).map_or(-20.0, |place| place.1);
        let score = |turn: &SygoTurn| match (turn.kind(), turn.placement()) {
            (TurnKind::Balance, Some(point)) => {
                self.growth_score(turn.growth()) + output(point) - self.placed
            }
            _ => self.growth_score(turn.growth()) - if right { RIGHT_LEFT } else { 0.0 },
        };
        let grows = |turn: &&SygoTurn| matches!(turn.kind(), TurnKind::Growth | TurnKind::Balance);
        let growths = logarithm_of_sum(turns.clone().filter(grows).map(|turn| score(turn) / among));
        let mut priors: Vec<f32> = turns
            .map(|turn| {
                let logarithm = match (turn.kind(), turn.placement()) {
                    (TurnKind::Pass, _) => self.pass / kinds,
                    (TurnKind::Placement, Some(point)) => (output(point) - self.total) / kinds,
                    _ => self.grow / kinds + score(turn) / among - growths,
                };
                logarithm.exp()
            })
            .collect();
        let sum: f32 = priors.iter().sum();
        if sum > 0.0 {
            priors.iter_mut().for_each(|prior| *prior /= sum);
        }
        priors
    }

    /// The legal growths of the highest score, and the best placements, at most `growths` and `placements` of
    /// them; none of
    /// their stones on a vacant point where neither side can gain.
    pub fn propose(&self, position: &SygoPosition, growths: usize, placements: usize) -> Vec<SygoTurn> {
        let idle = settled::idle(&position.board);
        let mut turns = self.growths(position, &idle, growths);
        let mut places = self.placements.clone();
        places.retain(|(point, _)| !idle.contains(*point));
        places.sort_by(|one, other| other.1.total_cmp(&one.1));
        if position.has_balance_right()
            && let Some(&(point, _)) = places.first()
        {
            let balanced: Vec<SygoTurn> = turns
                .iter()
                .take(3)
                .map(|turn| SygoTurn::new(turn.growth().iter().copied(), Some(point)))
                .collect();
            turns.extend(balanced.into_iter().filter(|turn| rules::check(position, turn).is_ok()));
        }
        let legal = places.iter().map(|&(point, _)| SygoTurn::place(point));
        turns.extend(legal.filter(|turn| rules::check(position, turn).is_ok()).take(placements));
        turns
    }

    fn growths(&self, position: &SygoPosition, idle: &PointSet, most: usize) -> Vec<SygoTurn> {
        let gains = |choice: &&GrowthChoice| !idle.contains(choice.point);
        let choices: Vec<GrowthChoice> = self.choices.iter().filter(gains).copied().collect();
        let score = |chosen: &[usize]| chosen.iter().map(|&index| choices[index].score()).sum::<f32>();
        let best = growth_of(&choices);
        let mut found: Vec<(f32, Vec<usize>)> = vec![(score(&best), best.clone())];
        for index in 0..choices.len() {
            let changed = changed(&best, index, |choice| &choices[choice].homes);
            found.push((score(&changed), changed));
        }
        found.sort_by(|one, other| other.0.total_cmp(&one.0));
        let growths = found
            .iter()
            .filter(|(_, chosen)| !chosen.is_empty())
            .map(|(_, chosen)| SygoTurn::grow(chosen.iter().map(|&index| choices[index].point)));
        growths.filter(|turn| rules::check(position, turn).is_ok()).take(most).collect()
    }
}

/// The choices that every group likes best, the best of all first; at least one.
fn growth_of(choices: &[GrowthChoice]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..choices.len()).collect();
    order.sort_by_key(|&index| Reverse((choices[index].score() * 1000.0) as i64));
    let mut grown = PointSet::EMPTY;
    let mut chosen = Vec::new();
    for index in order {
        let choice = &choices[index];
        if (choice.output > 0.0 || chosen.is_empty()) && !grown.meets(&choice.homes) {
            grown |= choice.homes;
            chosen.push(index);
        }
    }
    chosen
}

/// The choices of a growth with this one put in instead of those that grow one of its groups, or taken out if
/// it was in; `homes` gives the stones of the groups that a choice grows.
pub fn changed<'a>(chosen: &[usize], index: usize, homes: impl Fn(usize) -> &'a PointSet) -> Vec<usize> {
    if chosen.contains(&index) {
        return chosen.iter().copied().filter(|&other| other != index).collect();
    }
    let rest = chosen.iter().copied().filter(|&other| !homes(other).meets(homes(index)));
    rest.chain([index]).collect()
}

/// The logarithm of the sum of the exponentials.
fn logarithm_of_sum(numbers: impl Iterator<Item = f32> + Clone) -> f32 {
    let most = numbers.clone().fold(f32::NEG_INFINITY, f32::max);
    if most == f32::NEG_INFINITY {
        return most;
    }
    most + numbers.map(|number| (number - most).exp()).sum::<f32>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{QuantizedEvaluator, QuantizedSygoNetwork};
    use crate::rules::generate;
    use crate::search::playout::PlayoutScratch;

    #[test]
    fn what_is_proposed_is_legal_and_priors_sum_to_one() {
        let network = QuantizedSygoNetwork::embedded();
        let mut random = PlayoutScratch::new(3);
        let plain = Temperatures { kinds: 1.0, growths: 1.0 };
        for game in 0..12 {
            let mut position = SygoPosition::new(3 + game % 5);
            let mut judge = QuantizedEvaluator::new(position.board.size());
            while !position.is_over() {
                judge.run(&network, &position);
                let policy = Policy::new(&judge.outputs, &position);
                let proposed = policy.propose(&position, 6, 6);
                for turn in &proposed {
                    assert_eq!(rules::check(&position, turn), Ok(()), "{turn:?}");
                }
                let (all, _) = generate::turns(&position, 300);
                let idle = settled::idle(&position.board);
                let gains = |turn: &SygoTurn| {
                    turn.kind() != TurnKind::Pass && !turn.stones().any(|point| idle.contains(point))
                };
                assert!(proposed.iter().all(gains));
                assert_eq!(proposed.is_empty(), !all.iter().any(gains));
                let priors = policy.priors(all.iter(), position.has_balance_right(), plain);
                let sum: f32 = priors.iter().sum();
                assert!((sum - 1.0).abs() < 1e-3 && priors.iter().all(|&prior| prior >= 0.0), "{sum}");
                random.turn(&mut position);
            }
        }
    }

    #[test]
    fn the_growth_of_the_highest_score_comes_first() {
        let network = QuantizedSygoNetwork::embedded();
        let text = "9/2w6/9/5b3/9/2w3b2/9/4w4/9 w g 0 12";
        let position = crate::rules::notation::parse_position(text).unwrap();
        let mut judge = QuantizedEvaluator::new(position.board.size());
        judge.run(&network, &position);
        let policy = Policy::new(&judge.outputs, &position);
        let (all, complete) = generate::turns(&position, 5_000);
        assert!(complete);
        let growths = all.iter().filter(|turn| turn.kind() == TurnKind::Growth);
        let best = growths.map(|turn| policy.growth_score(turn.growth())).fold(f32::MIN, f32::max);
        let proposed = policy.propose(&position, 8, 0);
        assert_eq!(proposed.len(), 8);
        let scores: Vec<f32> = proposed.iter().map(|turn| policy.growth_score(turn.growth())).collect();
        assert!((scores[0] - best).abs() < 1e-5, "{scores:?}, {best}");
        assert!(scores.is_sorted_by(|one, other| one >= other), "{scores:?}");
    }
}
