//! Sygo by the letter of its rules, stone by stone and as slow as it is plain: a turn is legal when
//! some order of its stones can be played.

use std::collections::{BTreeMap, BTreeSet};

use kaeshi_sygo::rules::board::Colour;
use kaeshi_sygo::rules::notation;
use kaeshi_sygo::rules::points::Point;
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::turn::SygoTurn;

type SlowCell = (i32, i32);
type SlowStones = BTreeMap<SlowCell, Colour>;
type SlowGroup = BTreeSet<SlowCell>;
/// Columns and rows.
type SlowSize = (i32, i32);

/// Every legal turn with the position after it, both as text.
pub fn turns(position: &SygoPosition) -> BTreeSet<(String, String)> {
    let size = position.board.size();
    let size = (size.columns() as i32, size.rows() as i32);
    let mut stones = SlowStones::new();
    for point in position.board.points().iter() {
        if let Some(colour) = position.board.stone(point) {
            stones.insert((point.column() as i32, point.row() as i32), colour);
        }
    }
    let mut turns = SlowTurns { position, size, found: BTreeSet::new(), seen: BTreeSet::new() };
    if position.passes < 2 {
        turns.add(&stones, &SlowGroup::new(), None);
        turns.placements(&stones, &SlowGroup::new());
        let homes: Vec<SlowGroup> = groups(&stones, size, position.side);
        turns.grow(&stones, &SlowGroup::new(), &homes, BTreeSet::new(), BTreeSet::new());
    }
    turns.found
}

struct SlowTurns<'a> {
    position: &'a SygoPosition,
    size: SlowSize,
    found: BTreeSet<(String, String)>,
    seen: BTreeSet<(SlowGroup, BTreeSet<usize>)>,
}

impl SlowTurns<'_> {
    /// Plays on from a growth begun: `grown` and `closed` are places in the list of home groups.
    fn grow(
        &mut self,
        stones: &SlowStones,
        set: &SlowGroup,
        homes: &[SlowGroup],
        grown: BTreeSet<usize>,
        closed: BTreeSet<usize>,
    ) {
        if !self.seen.insert((set.clone(), closed.clone())) {
            return;
        }
        let side = self.position.side;
        if !set.is_empty() {
            self.add(stones, set, None);
            if side == Colour::Black && !self.position.grown {
                self.placements(stones, set);
            }
        }
        for cell in cells(self.size).filter(|cell| !stones.contains_key(cell)) {
            let touched: BTreeSet<usize> = (0..homes.len())
                .filter(|&i| around(cell, self.size).any(|q| homes[i].contains(&q)))
                .collect();
            if touched.is_empty() || touched.iter().any(|i| grown.contains(i) || closed.contains(i)) {
                continue;
            }
            let mut stones = stones.clone();
            let reversed = put(&mut stones, cell, side, self.size);
            let captors = (0..homes.len())
                .filter(|&i| reversed.iter().any(|&x| around(x, self.size).any(|q| homes[i].contains(&q))));
            let closed = closed.iter().copied().chain(captors).collect();
            let mut set = set.clone();
            set.insert(cell);
            self.grow(&stones, &set, homes, &grown | &touched, closed);
        }
    }

    fn placements(&mut self, stones: &SlowStones, growth: &SlowGroup) {
        let side = self.position.side;
        for cell in cells(self.size).filter(|cell| !stones.contains_key(cell)) {
            if around(cell, self.size).all(|q| stones.get(&q) != Some(&side)) {
                let mut stones = stones.clone();
                put(&mut stones, cell, side, self.size);
                self.add(&stones, growth, Some(cell));
            }
        }
    }

    /// Notes the turn if no own group is left without a liberty.
    fn add(&mut self, stones: &SlowStones, growth: &SlowGroup, placement: Option<SlowCell>) {
        let position = self.position;
        if groups(stones, self.size, position.side).iter().any(|g| !has_liberty(g, stones, self.size)) {
            return;
        }
        let point = |&(column, row): &SlowCell| Point::new(column as usize, row as usize);
        let turn = SygoTurn::new(growth.iter().map(point), placement.as_ref().map(point));
        let mut rows = Vec::new();
        for row in (0..self.size.1).rev() {
            let letters: String = (0..self.size.0)
                .map(|column| match stones.get(&(column, row)) {
                    None => '.',
                    Some(Colour::White) => 'w',
                    Some(Colour::Black) => 'b',
                })
                .collect();
            rows.push(run_lengths(&letters));
        }
        let side = if position.side == Colour::White { 'b' } else { 'w' };
        let grown = if position.grown || !growth.is_empty() { 'g' } else { '-' };
        let passes = if growth.is_empty() && placement.is_none() { position.passes + 1 } else { 0 };
        let text = format!("{} {side} {grown} {passes} {}", rows.join("/"), position.number + 1);
        self.found.insert((notation::format_turn(&turn), text));
    }
}

fn run_lengths(letters: &str) -> String {
    let mut text = String::new();
    let mut run = 0;
    for letter in letters.chars().chain(['|']) {
        if letter == '.' {
            run += 1;
            continue;
        }
        if run > 0 {
            text += &run.to_string();
            run = 0;
        }
        if letter != '|' {
            text.push(letter);
        }
    }
    text
}

fn cells(size: SlowSize) -> impl Iterator<Item = SlowCell> {
    (0..size.0).flat_map(move |column| (0..size.1).map(move |row| (column, row)))
}

fn around((column, row): SlowCell, size: SlowSize) -> impl Iterator<Item = SlowCell> {
    [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]
        .into_iter()
        .filter(move |&(c, r)| (0..size.0).contains(&c) && (0..size.1).contains(&r))
}

fn groups(stones: &SlowStones, size: SlowSize, colour: Colour) -> Vec<SlowGroup> {
    let mut rest: SlowGroup = stones.iter().filter(|(_, c)| **c == colour).map(|(&cell, _)| cell).collect();
    let mut groups = Vec::new();
    while let Some(seed) = rest.pop_first() {
        let (mut group, mut open) = (SlowGroup::from([seed]), vec![seed]);
        while let Some(cell) = open.pop() {
            for q in around(cell, size) {
                if rest.remove(&q) {
                    group.insert(q);
                    open.push(q);
                }
            }
        }
        groups.push(group);
    }
    groups
}

fn has_liberty(group: &SlowGroup, stones: &SlowStones, size: SlowSize) -> bool {
    group.iter().any(|&cell| around(cell, size).any(|q| !stones.contains_key(&q)))
}

/// Puts a stone, reverses enemy groups without liberties, and returns the reversed stones.
fn put(stones: &mut SlowStones, cell: SlowCell, side: Colour, size: SlowSize) -> SlowGroup {
    stones.insert(cell, side);
    let dead = groups(stones, size, side.other()).into_iter().filter(|g| !has_liberty(g, stones, size));
    let dead: SlowGroup = dead.flatten().collect();
    for cell in &dead {
        stones.insert(*cell, side);
    }
    dead
}
