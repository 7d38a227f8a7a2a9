//! The most promising turns of a position that has too many to list.
//!
//! Each growth point is judged alone; the best whole growth is then found by coordinate ascent
//! (the portfolio greedy search of Churchill and Buro, 2013), and further turns differ from it in
//! the choice of one group.

use std::cmp::Reverse;

use super::board::{Board, Colour};
use super::evaluate::Weights;
use super::points::{Point, PointSet};
use super::position::Position;
use super::rules;
use super::turn::Turn;

/// Liberties of a group that is thought of as one to capture in one turn.
const CAPTURE_STONES: usize = 6;

/// A turn and its value for the mover, in hundredths of a point.
pub type Judged = (i32, Turn);

/// At most `growths` growths, `placements` placements and the pass, best first.
pub fn propose(weights: &Weights, position: &Position, growths: usize, placements: usize) -> Vec<Judged> {
    if position.is_over() {
        return Vec::new();
    }
    let mut board = position.board.clone();
    let side = position.side;
    let right = !position.grown;
    let pass = if position.passes == 0 {
        -weights.value(&board, side.other(), right)
    } else {
        let margin = 100 * rules::margin(&board);
        if side == Colour::White { margin } else { -margin }
    };
    let mut judged = best_placements(weights, &mut board, side, right, placements);
    let mut builder = Builder::new(weights, position);
    judged.extend(builder.growths(growths));
    if position.has_balance_right() {
        let grown: Vec<Judged> =
            judged.iter().filter(|(_, turn)| !turn.growth().is_empty()).take(3).cloned().collect();
        for (_, growth) in grown {
            judged.extend(with_placement(weights, position, &growth));
        }
    }
    judged.push((pass, Turn::pass()));
    judged.sort_by_key(|(value, _)| Reverse(*value));
    judged
}

/// The best placements by the value right after them.
fn best_placements(
    weights: &Weights,
    board: &mut Board,
    side: Colour,
    right: bool,
    wanted: usize,
) -> Vec<Judged> {
    let near = board.stones(side).neighbours();
    let mut judged: Vec<(i32, Point)> = Vec::new();
    for point in board.vacant().without(&near).iter() {
        board.put(point, side);
        if rules::stone_without_liberty(board, std::iter::once(point)).is_none() {
            judged.push((-weights.value(board, side.other(), right), point));
        }
        board.take_back();
    }
    judged.sort_by_key(|(value, _)| Reverse(*value));
    judged.truncate(wanted);
    judged.into_iter().map(|(value, point)| (value, Turn::place(point))).collect()
}

/// The growth with the best placement after it.
fn with_placement(weights: &Weights, position: &Position, growth: &Turn) -> Option<Judged> {
    let mut board = position.board.clone();
    for &point in growth.growth() {
        board.put_for_good(point, position.side);
    }
    let (value, placement) = best_placements(weights, &mut board, position.side, false, 1).pop()?;
    let turn = Turn::new(growth.growth().iter().copied(), placement.placement());
    rules::check(position, &turn).is_ok().then_some((value, turn))
}

/// A point at which the mover can grow.
#[derive(Clone, Copy)]
struct Choice {
    point: Point,
    /// All stones of the groups it grows.
    homes: PointSet,
    gain: i32,
}

/// Puts growths together.
struct Builder<'a> {
    weights: &'a Weights,
    position: &'a Position,
    board: Board,
    choices: Vec<Choice>,
}

impl<'a> Builder<'a> {
    fn new(weights: &'a Weights, position: &'a Position) -> Builder<'a> {
        let mut board = position.board.clone();
        let side = position.side;
        let before = -weights.value(&board, side.other(), false);
        let mut choices = Vec::new();
        let near = board.stones(side).neighbours() & board.vacant();
        for point in near.iter() {
            let homes = board
                .groups_next_to(point, side)
                .iter()
                .fold(PointSet::EMPTY, |all, &id| all | board.group(id).stones);
            board.put(point, side);
            if rules::stone_without_liberty(&board, std::iter::once(point)).is_none() {
                choices.push(Choice {
                    point,
                    homes,
                    gain: -weights.value(&board, side.other(), false) - before,
                });
            }
            board.take_back();
        }
        choices.sort_by_key(|choice| Reverse(choice.gain));
        Builder { weights, position, board, choices }
    }

    /// The best growth found, then its neighbours.
    fn growths(&mut self, wanted: usize) -> Vec<Judged> {
        let mut chosen: Vec<usize> = Vec::new();
        let mut grown = PointSet::EMPTY;
        for (index, choice) in self.choices.iter().enumerate() {
            if !grown.meets(&choice.homes) {
                grown |= choice.homes;
                chosen.push(index);
            }
        }
        let Some(mut best) = self.judge_or_shrink(&mut chosen) else { return Vec::new() };
        let mut found = vec![(best, chosen.clone())];
        for capture in self.captures() {
            let changed = capture.iter().fold(chosen.clone(), |turn, &index| {
                if turn.contains(&index) { turn } else { self.changed(&turn, index) }
            });
            let Some(value) = self.judge(&changed) else { continue };
            found.push((value, changed.clone()));
            if value > best {
                (best, chosen) = (value, changed);
            }
        }
        for _ in 0..2 {
            let mut improved = false;
            for index in 0..self.choices.len().min(60) {
                let changed = self.changed(&chosen, index);
                let Some(value) = self.judge(&changed) else { continue };
                found.push((value, changed.clone()));
                if value > best {
                    (best, chosen, improved) = (value, changed, true);
                }
            }
            if !improved {
                break;
            }
        }
        found.sort_by_key(|(value, _)| Reverse(*value));
        found.dedup_by(|a, b| a.1 == b.1);
        let mut turns: Vec<Judged> = Vec::new();
        for (value, chosen) in found {
            let turn = Turn::grow(chosen.iter().map(|&index| self.choices[index].point));
            if turns.len() < wanted && !turns.iter().any(|(_, other)| *other == turn) {
                turns.push((value, turn));
            }
        }
        turns
    }

    /// The choices that together capture a group of two or more liberties: one on each, and no
    /// home group used twice.
    fn captures(&self) -> Vec<Vec<usize>> {
        let side = self.position.side;
        let near = self.choices.iter().map(|choice| choice.point).collect::<PointSet>();
        let mut captures = Vec::new();
        for (_, group) in self.board.groups_of(side.other()) {
            let liberties = group.liberties.len();
            if !(2..=CAPTURE_STONES).contains(&liberties) || !group.liberties.is_subset(&near) {
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
        if chosen.contains(&index) {
            return chosen.iter().copied().filter(|&other| other != index).collect();
        }
        let homes = self.choices[index].homes;
        let rest = chosen.iter().copied().filter(|&other| !self.choices[other].homes.meets(&homes));
        rest.chain([index]).collect()
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
        if chosen.is_empty() {
            return None;
        }
        let side = self.position.side;
        let points: Vec<Point> = chosen.iter().map(|&index| self.choices[index].point).collect();
        let mut captured = false;
        for &point in &points {
            captured |= self.board.put(point, side);
        }
        let alive = rules::stone_without_liberty(&self.board, points.iter().copied()).is_none();
        let value = -self.weights.value(&self.board, side.other(), false);
        points.iter().for_each(|_| self.board.take_back());
        let legal = alive && (!captured || rules::order_exists(&self.board, side, &points));
        legal.then_some(value)
    }
}
