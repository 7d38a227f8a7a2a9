//! The most promising turns of a position that has too many to list.
//!
//! Each growth point is judged alone; the best whole growth is then found by coordinate ascent
//! (the portfolio greedy search of Churchill and Buro, 2013), and further turns differ from it in
//! the choice of one group.

use std::cmp::Reverse;

use crate::evaluate::SygoWeights;
use crate::network::changed;
use crate::rules;
use crate::rules::board::{Colour, SygoBoard};
use crate::rules::points::{Point, PointSet};
use crate::rules::position::SygoPosition;
use crate::rules::settled;
use crate::rules::turn::{SygoTurn, TurnKind};

/// Liberties of a group that is thought of as one to capture in one turn.
const CAPTURE_STONES: usize = 8;
/// Sweeps of the coordinate ascent over the choices.
const SWEEPS: usize = 2;
/// Choices of a sweep, the best ones alone first.
const SWEPT_CHOICES: usize = 60;

/// A turn and its value for the mover, in hundredths of a point.
pub type ProposedTurn = (i32, SygoTurn);

/// At most `growths` growths, `placements` placements and the pass, best first.
pub fn propose(
    weights: &SygoWeights,
    position: &SygoPosition,
    growths: usize,
    placements: usize,
) -> Vec<ProposedTurn> {
    if position.is_over() {
        return Vec::new();
    }
    collect(weights, position, [growths, placements], i32::MAX)
}

/// The best turn by the value right after it, or the first one found that is worth `enough`; the
/// `hints` are tried first where they are legal. The game must not be over.
pub fn best<'a>(
    weights: &SygoWeights,
    position: &SygoPosition,
    enough: i32,
    hints: impl IntoIterator<Item = &'a SygoTurn>,
) -> ProposedTurn {
    for hint in hints {
        if hint.kind() != TurnKind::Pass && rules::check(position, hint).is_ok() {
            let mut after = position.clone();
            after.play(hint);
            let value = -weights.position(&after);
            if value >= enough {
                return (value, hint.clone());
            }
        }
    }
    collect(weights, position, [1, 1], enough).swap_remove(0)
}

/// Turns and their values, best first; nothing more is looked for once a turn is worth `enough`.
fn collect(
    weights: &SygoWeights,
    position: &SygoPosition,
    [growths, placements]: [usize; 2],
    enough: i32,
) -> Vec<ProposedTurn> {
    let side = position.side;
    let right = !position.grown;
    let found_enough = |judged: &[ProposedTurn]| judged.iter().any(|(value, _)| *value >= enough);
    let idle = settled::idle(&position.board);
    let mut judged = Builder::new(weights, position, idle).growths(growths, enough);
    if !found_enough(&judged) {
        let mut board = position.board.clone();
        judged.extend(best_placements(weights, &mut board, side, right, idle, placements, enough));
    }
    if position.has_balance_right() && !found_enough(&judged) {
        let grown: Vec<ProposedTurn> =
            judged.iter().filter(|(_, turn)| !turn.growth().is_empty()).take(3).cloned().collect();
        for (_, growth) in grown {
            judged.extend(with_placement(weights, position, &growth));
        }
    }
    judged.push((value_of_pass(weights, position), SygoTurn::pass()));
    judged.sort_by_key(|(value, _)| Reverse(*value));
    judged
}

fn value_of_pass(weights: &SygoWeights, position: &SygoPosition) -> i32 {
    if position.passes == 0 {
        return -weights.value(&position.board, position.side.other(), !position.grown);
    }
    100 * rules::margin_of_mover(position)
}

/// The best placements by the value right after them, or the first one that is worth `enough`.
fn best_placements(
    weights: &SygoWeights,
    board: &mut SygoBoard,
    side: Colour,
    right: bool,
    idle: PointSet,
    wanted: usize,
    enough: i32,
) -> Vec<ProposedTurn> {
    let barred = board.stones(side).neighbours() | idle;
    let mut judged: Vec<(i32, Point)> = Vec::new();
    for point in board.vacant().without(&barred).iter() {
        board.put(point, side);
        if rules::stone_without_liberty(board, std::iter::once(point)).is_none() {
            judged.push((-weights.value(board, side.other(), right), point));
        }
        board.take_back();
        if judged.last().is_some_and(|(value, _)| *value >= enough) {
            break;
        }
    }
    judged.sort_by_key(|(value, _)| Reverse(*value));
    judged.truncate(wanted);
    judged.into_iter().map(|(value, point)| (value, SygoTurn::place(point))).collect()
}

/// The growth with the best placement after it.
fn with_placement(weights: &SygoWeights, position: &SygoPosition, growth: &SygoTurn) -> Option<ProposedTurn> {
    let mut board = position.board.clone();
    for &point in growth.growth() {
        board.put_for_good(point, position.side);
    }
    let (value, placement) =
        best_placements(weights, &mut board, position.side, false, PointSet::EMPTY, 1, i32::MAX).pop()?;
    let turn = SygoTurn::new(growth.growth().iter().copied(), placement.placement());
    rules::check(position, &turn).is_ok().then_some((value, turn))
}

/// A point at which the mover can grow.
#[derive(Clone, Copy)]
struct GrowthCandidate {
    point: Point,
    /// All stones of the groups it grows.
    homes: PointSet,
    gain: i32,
}

/// Gain of a stone that alone would be suicide, but may take part in a capture.
const SUICIDE: i32 = i32::MIN;

/// Puts growths together.
struct Builder<'a> {
    weights: &'a SygoWeights,
    position: &'a SygoPosition,
    board: SygoBoard,
    /// Value of the position with the other side to move.
    before: i32,
    /// Best alone first.
    choices: Vec<GrowthCandidate>,
    /// How many of them are legal alone.
    safe: usize,
}

impl<'a> Builder<'a> {
    fn new(weights: &'a SygoWeights, position: &'a SygoPosition, idle: PointSet) -> Builder<'a> {
        let mut board = position.board.clone();
        let side = position.side;
        let before = -weights.value(&board, side.other(), false);
        let mut choices = Vec::new();
        let near = (board.stones(side).neighbours() & board.vacant()).without(&idle);
        for point in near.iter() {
            let homes = board
                .groups_next_to(point, side)
                .iter()
                .fold(PointSet::EMPTY, |all, &id| all | board.group(id).stones);
            board.put(point, side);
            let alive = rules::stone_without_liberty(&board, std::iter::once(point)).is_none();
            let gain = if alive { -weights.value(&board, side.other(), false) - before } else { SUICIDE };
            choices.push(GrowthCandidate { point, homes, gain });
            board.take_back();
        }
        choices.sort_by_key(|choice| Reverse(choice.gain));
        let safe = choices.iter().filter(|choice| choice.gain != SUICIDE).count();
        Builder { weights, position, board, before, choices, safe }
    }

    /// The best growth found, then its neighbours; only the first one that is worth `enough`.
    fn growths(&mut self, wanted: usize, enough: i32) -> Vec<ProposedTurn> {
        let mut chosen: Vec<usize> = Vec::new();
        let mut grown = PointSet::EMPTY;
        for (index, choice) in self.choices[..self.safe].iter().enumerate() {
            if !grown.meets(&choice.homes) {
                grown |= choice.homes;
                chosen.push(index);
            }
        }
        let best = self.judge_or_shrink(&mut chosen).unwrap_or(SUICIDE);
        let mut found = vec![(best, chosen)];
        if best < enough {
            self.vary(&mut found, enough);
        }
        found.sort_by_key(|(value, _)| Reverse(*value));
        found.dedup_by(|a, b| a.1 == b.1);
        let mut turns: Vec<ProposedTurn> = Vec::new();
        for (value, chosen) in found {
            if turns.len() == wanted || chosen.is_empty() {
                break;
            }
            let turn = SygoTurn::grow(chosen.iter().map(|&index| self.choices[index].point));
            if !turns.iter().any(|(_, other)| *other == turn) {
                turns.push((value, turn));
            }
        }
        turns
    }

    /// Adds growths that capture, and those that differ from the best one so far in one choice,
    /// until one is worth `enough`.
    fn vary(&mut self, found: &mut Vec<(i32, Vec<usize>)>, enough: i32) {
        let (mut best, mut chosen) = found[0].clone();
        for capture in self.captures() {
            let changed = capture.iter().fold(chosen.clone(), |turn, &index| {
                if turn.contains(&index) { turn } else { self.changed(&turn, index) }
            });
            // The other growths of the turn may make the capture illegal.
            let judged = self.judge(&changed).map(|value| (value, changed));
            let judged = judged.or_else(|| self.judge(&capture).map(|value| (value, capture)));
            let Some((value, turn)) = judged else { continue };
            if value > best {
                best = value;
                chosen.clone_from(&turn);
            }
            found.push((value, turn));
        }
        // A sweep stops at the choice that last improved the turn: the rest were already judged against the same turn.
        let all = self.safe.min(SWEPT_CHOICES);
        let mut end = all;
        for _ in 0..SWEEPS {
            let (mut index, mut improved) = (0, 0);
            while index < end {
                if best >= enough {
                    return;
                }
                let changed = self.changed(&chosen, index);
                index += 1;
                let Some(value) = self.judge(&changed) else { continue };
                if value > best {
                    (best, chosen) = (value, changed.clone());
                    (improved, end) = (index, all);
                }
                found.push((value, changed));
            }
            end = improved;
        }
    }

    /// The choices that together capture a group: one on each of its liberties, and no
    /// home group used twice.
    fn captures(&self) -> Vec<Vec<usize>> {
        let side = self.position.side;
        let near = self.choices.iter().map(|choice| choice.point).collect::<PointSet>();
        let mut captures = Vec::new();
        for (_, group) in self.board.groups_of(side.other()) {
            let liberties = group.liberties.len();
            if !(1..=CAPTURE_STONES).contains(&liberties) || !group.liberties.is_subset(&near) {
                continue;
            }
            let places = (0..self.choices.len()).filter(|&i| group.liberties.contains(self.choices[i].point));
            let places: Vec<usize> = places.collect();
            let mut homes = PointSet::EMPTY;
            let apart = places.iter().all(|&index| {
                let apart = !homes.meets(&self.choices[index].homes);
                homes |= self.choices[index].homes;
                apart
            });
            if apart {
                captures.push(places);
            }
        }
        captures
    }

    /// `chosen` with this choice put in, or taken out if it was in.
    fn changed(&self, chosen: &[usize], index: usize) -> Vec<usize> {
        changed(chosen, index, |choice| &self.choices[choice].homes)
    }

    /// Value of the growth, choices dropped from the end until it is legal.
    fn judge_or_shrink(&mut self, chosen: &mut Vec<usize>) -> Option<i32> {
        while !chosen.is_empty() {
            if let Some(value) = self.judge(chosen) {
                return Some(value);
            }
            chosen.pop();
        }
        None
    }

    /// Value after this growth; nothing if it is no legal growth.
    fn judge(&mut self, chosen: &[usize]) -> Option<i32> {
        match chosen {
            [] => return None,
            [index] => {
                let gain = self.choices[*index].gain;
                return (gain != SUICIDE).then(|| self.before + gain);
            }
            _ => (),
        }
        let side = self.position.side;
        let mut captured = false;
        for &index in chosen {
            captured |= self.board.put(self.choices[index].point, side);
        }
        let points = || chosen.iter().map(|&index| self.choices[index].point);
        let alive = rules::stone_without_liberty(&self.board, points()).is_none();
        let value = alive.then(|| -self.weights.value(&self.board, side.other(), false));
        chosen.iter().for_each(|_| self.board.take_back());
        if captured && alive {
            let points: Vec<Point> = points().collect();
            return value.filter(|_| rules::order_exists(&self.board, side, &points));
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::generate;
    use crate::rules::notation::{format_position, format_turn, parse_position};
    use crate::search::playout::PlayoutScratch;

    /// Points of the enemy that the turn reverses.
    fn reversed(position: &SygoPosition, turn: &SygoTurn) -> PointSet {
        let mut after = position.clone();
        after.play(turn);
        *position.board.stones(position.side.other()) & *after.board.stones(position.side)
    }

    #[test]
    fn every_group_that_can_be_captured_is_captured_by_some_proposed_turn() {
        let weights = SygoWeights::embedded();
        let mut playout = PlayoutScratch::new(5);
        let mut captured = 0;
        for game in 0..120 {
            let mut position = SygoPosition::new(4 + game % 3);
            while !position.is_over() {
                let all = |turns: &mut dyn Iterator<Item = &SygoTurn>| {
                    turns.fold(PointSet::EMPTY, |points, turn| points | reversed(&position, turn))
                };
                let legal = generate::turns(&position, usize::MAX).0;
                let legal = all(&mut legal.iter().filter(|turn| turn.kind() != TurnKind::Balance));
                let proposed = propose(&weights, &position, usize::MAX, usize::MAX);
                let found = all(&mut proposed.iter().map(|(_, turn)| turn));
                assert!(legal.is_subset(&found), "{}", format_position(&position));
                captured += legal.len();
                playout.turn(&mut position);
            }
        }
        assert!(captured > 1_000, "{captured}");
    }

    #[test]
    fn the_value_of_a_turn_is_that_of_the_position_after_it() {
        let weights = SygoWeights::embedded();
        let mut playout = PlayoutScratch::new(6);
        let mut judged = 0;
        for game in 0..40 {
            let mut position = SygoPosition::new(4 + game % 6);
            while !position.is_over() {
                for (value, turn) in propose(&weights, &position, 12, 12) {
                    if turn.kind() == TurnKind::Growth {
                        let mut after = position.clone();
                        after.play(&turn);
                        // A growth ends the balance right.
                        assert_eq!(value, -weights.value(&after.board, after.side, false), "{turn:?}");
                        judged += 1;
                    }
                }
                playout.turn(&mut position);
            }
        }
        assert!(judged > 3_000, "{judged}");
    }

    #[test]
    fn a_capture_by_a_stone_that_alone_would_be_suicide_is_seen() {
        let text = "wwbbbwwb2b2/1bbbbw1b2b1b/bbbbbwwbbbbbb/bbbbbbwwbbbbb/bbbbbbbbwbbbb/bbbbbbwwwwbbb/\
            bbbb1w1wwbbbb/bbbbwww1wbbbb/wwwbbwwwbbbbb/1wbbwwbb1bbbb/wwwbwbbb5/bbbbwwwb1b1bb/\
            bbbww1wbbbbbb w g 0 49";
        let position = parse_position(text).expect("position");
        let (_, turn) = &propose(&SygoWeights::embedded(), &position, 3, 3)[0];
        assert!(format_turn(turn).starts_with("+a12,e7"), "{}", format_turn(turn));
    }
}
