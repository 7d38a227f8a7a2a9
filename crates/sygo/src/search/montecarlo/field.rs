//! A board for play-outs: it never takes a stone back, and of a group's liberties it knows little
//! more than how many there are.

use arrayvec::ArrayVec;

use super::liberties::Liberties;
use crate::rules::board::{Colour, SygoBoard};
use crate::rules::points::{GRID, Point, PointSet, STRIDE};
use crate::rules::size::BoardSize;

/// Cells before the first point, so that its diagonal neighbours exist.
const PAD: usize = STRIDE + 1;
/// Cells of a field.
pub const CELLS: usize = GRID + 2 * PAD;
/// Content of a vacant cell; those below are the colours.
pub const VACANT: u8 = 2;
const OFF: u8 = 3;
/// Most groups that a capture may join and still be examined; one that joins more counts as good.
const JOINED: usize = 32;

/// The effect of a stone on a vacant cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoneEffect {
    /// Leave its own group without a liberty.
    Suicide,
    /// Neither suicide nor capture.
    Quiet,
    /// Reverse an enemy group.
    Capture,
}

/// The board.
#[derive(Clone, Debug)]
pub struct PlayoutBoard {
    size: BoardSize,
    cells: [u8; CELLS],
    /// The points of the board, and the stones of each colour.
    points: PointSet,
    stones_of: [PointSet; 2],
    /// For every stone the cell that identifies its group; 0 on vacant cells.
    head: [u16; CELLS],
    /// The group's stones as a ring.
    next: [u16; CELLS],
    /// Liberties of each group, by its head.
    liberties: [Liberties; CELLS],
    /// Stones, by head.
    stones: [u16; CELLS],
    groups: [u32; 2],
    /// Heads as they stood when the growth began: the home groups.
    home: [u16; CELLS],
    /// By home group: the growth in which it grew or was closed.
    grown: [u32; CELLS],
    growth: u32,
    /// Home groups of the side that grows that have neither grown nor been closed.
    open: u32,
    /// Per mille of its stones that a group is to capture to be worth being left with one liberty.
    risk: u32,
}

/// The cell of a point.
#[inline(always)]
fn cell_of(point: Point) -> usize {
    point.index() + PAD
}

/// The point of a cell of the board.
#[inline(always)]
fn point_of(cell: usize) -> Point {
    Point::from_index(cell - PAD)
}

/// The cells next to a cell.
#[inline(always)]
pub fn around(cell: usize) -> [usize; 4] {
    [cell - STRIDE, cell - 1, cell + 1, cell + STRIDE]
}

impl PlayoutBoard {
    /// The stones of `board`; `risk` is the part of its stones, per mille, that a group left with one
    /// liberty is to have captured.
    pub fn new(board: &SygoBoard, risk: u32) -> PlayoutBoard {
        let mut field = PlayoutBoard {
            size: board.size(),
            cells: [OFF; CELLS],
            points: *board.points(),
            stones_of: [Colour::White, Colour::Black].map(|colour| *board.stones(colour)),
            head: [0; CELLS],
            next: [0; CELLS],
            liberties: [Liberties::default(); CELLS],
            stones: [0; CELLS],
            groups: [0; 2],
            home: [0; CELLS],
            grown: [0; CELLS],
            growth: 0,
            open: 0,
            risk,
        };
        for point in board.points().iter() {
            field.cells[cell_of(point)] = board.stone(point).map_or(VACANT, |colour| colour as u8);
        }
        for (_, group) in board.groups() {
            field.groups[group.colour as usize] += 1;
            let cells: ArrayVec<usize, GRID> = group.stones.iter().map(cell_of).collect();
            let Some(&head) = cells.first() else { continue };
            for (place, &cell) in cells.iter().enumerate() {
                field.next[cell] = cells[(place + 1) % cells.len()] as u16;
                field.head[cell] = head as u16;
                for near in around(cell) {
                    if field.cells[near] == VACANT {
                        field.liberties[head].add(near);
                    }
                }
            }
            field.stones[head] = group.size;
        }
        field
    }

    /// Columns and rows.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Number of groups of a colour.
    pub fn groups(&self, side: Colour) -> u32 {
        self.groups[side as usize]
    }

    fn vacant(&self) -> PointSet {
        self.points.without(&(self.stones_of[0] | self.stones_of[1]))
    }

    /// Whether no cell is vacant.
    pub fn is_full(&self) -> bool {
        self.vacant().is_empty()
    }

    /// The vacant cells next to a stone of `side`.
    pub fn growth_cells(&self, side: Colour) -> impl Iterator<Item = usize> + use<> {
        (self.stones_of[side as usize].neighbours() & self.vacant()).iter().map(cell_of)
    }

    /// The vacant cells next to no stone of `side`.
    pub fn placement_cells(&self, side: Colour) -> impl Iterator<Item = usize> + use<> {
        self.vacant().without(&self.stones_of[side as usize].neighbours()).iter().map(cell_of)
    }

    /// Begins a growth of `side`: the groups as they stand are the home groups.
    pub fn begin_growth(&mut self, side: Colour) {
        self.home = self.head;
        self.growth += 1;
        self.open = self.groups[side as usize];
    }

    /// Whether every home group has grown or is closed.
    #[inline(always)]
    pub fn growth_is_over(&self) -> bool {
        self.open == 0
    }

    /// Whether no home group next to one of [`PlayoutBoard::growth_cells`] has grown or is closed.
    #[inline(always)]
    pub fn can_grow(&self, cell: usize) -> bool {
        // The other side's groups and vacant cells never carry the number of this growth.
        around(cell).into_iter().all(|near| self.grown[usize::from(self.home[near])] != self.growth)
    }

    /// Marks the home group of a stone, if it is of one, as grown or closed.
    #[inline(always)]
    fn close(&mut self, stone: usize) {
        let home = usize::from(self.home[stone]);
        if home != 0 && self.grown[home] != self.growth {
            self.grown[home] = self.growth;
            // A placement that captures closes groups as well, after the growth; `open` is not read then.
            self.open = self.open.saturating_sub(1);
        }
    }

    /// Puts a growth stone.
    pub fn grow(&mut self, cell: usize, side: Colour) {
        for near in around(cell) {
            if self.cells[near] == side as u8 {
                self.close(near);
            }
        }
        self.put(cell, side);
    }

    /// Whether a cell is an eye: own stones beside it, and these of one group, or at most one of
    /// the diagonal ones the enemy's, none at an edge.
    pub fn is_eye(&self, cell: usize, side: Colour) -> bool {
        let own = |near: usize| self.cells[near] == side as u8 || self.cells[near] == OFF;
        if !around(cell).into_iter().all(own) {
            return false;
        }
        let stones = around(cell).into_iter().filter(|&near| self.cells[near] != OFF);
        let mut heads = stones.map(|near| self.head[near]);
        let first = heads.next();
        if heads.all(|head| Some(head) == first) {
            return true;
        }
        let (mut enemy, mut edge) = (0, 0);
        for near in [cell - STRIDE - 1, cell - STRIDE + 1, cell + STRIDE - 1, cell + STRIDE + 1] {
            if self.cells[near] == OFF {
                edge = 1;
            } else if self.cells[near] == side.other() as u8 {
                enemy += 1;
            }
        }
        enemy + edge < 2
    }

    /// The effect of a stone of this colour on a vacant cell.
    #[inline(always)]
    pub fn effect(&self, cell: usize, side: Colour) -> StoneEffect {
        let mut alive = false;
        let mut capture = false;
        for near in around(cell) {
            match self.cells[near] {
                VACANT => alive = true,
                OFF => {}
                colour => {
                    let last = self.liberties[usize::from(self.head[near])].none_but(cell);
                    if colour == side as u8 {
                        alive |= !last;
                    } else {
                        capture |= last;
                    }
                }
            }
        }
        match (alive, capture) {
            (true, false) => StoneEffect::Quiet,
            (true, true) => StoneEffect::Capture,
            (false, false) => StoneEffect::Suicide,
            (false, true) => self.effect_of_capture(cell, side),
        }
    }

    /// A capture by groups without another liberty lives by the other captors' liberties.
    #[cold]
    fn effect_of_capture(&self, cell: usize, side: Colour) -> StoneEffect {
        let rescued = self.captors(cell, side).any(|head| !self.liberties[usize::from(head)].none_but(cell));
        if rescued { StoneEffect::Capture } else { StoneEffect::Suicide }
    }

    /// Stones that a stone on `cell` captures.
    fn captured(&self, cell: usize, side: Colour) -> u32 {
        let mut groups = ArrayVec::<u16, 4>::new();
        for near in around(cell) {
            let head = self.head[near];
            if self.cells[near] == side.other() as u8
                && self.liberties[usize::from(head)].none_but(cell)
                && groups.iter().all(|other| *other != head)
            {
                groups.push(head);
            }
        }
        groups.iter().map(|&head| u32::from(self.stones[usize::from(head)])).sum()
    }

    /// Heads, often repeated, of the groups of `side` next to what a stone on `cell` captures.
    fn captors(&self, cell: usize, side: Colour) -> impl Iterator<Item = u16> + '_ {
        let captured = move |&near: &usize| {
            self.cells[near] == side.other() as u8
                && self.liberties[usize::from(self.head[near])].none_but(cell)
        };
        let stones = around(cell).into_iter().filter(captured).flat_map(|near| self.ring(near));
        stones
            .flat_map(around)
            .filter(move |&near| self.cells[near] == side as u8)
            .map(|near| self.head[near])
    }

    /// Whether the group of a stone on `cell` would be left with one liberty, or none, and that
    /// without the gain of capturing a fair part of the stones that it risks.
    #[inline]
    pub fn endangers_itself(&self, cell: usize, side: Colour, effect: StoneEffect) -> bool {
        let mut all = Liberties::default();
        let mut joined = ArrayVec::<u16, JOINED>::new();
        for near in around(cell) {
            if self.cells[near] == VACANT {
                all.add(near);
            } else if self.cells[near] == side as u8 {
                let head = self.head[near];
                if joined.iter().all(|other| *other != head) {
                    joined.push(head);
                    all.join(self.liberties[usize::from(head)]);
                }
                all.drop(cell);
            }
        }
        if effect == StoneEffect::Capture {
            let size = |head: &u16| u32::from(self.stones[usize::from(*head)]);
            let risked: u32 = joined.iter().map(size).sum();
            if 1_000 * self.captured(cell, side) >= self.risk * risked {
                return false;
            }
            for head in self.captors(cell, side) {
                if joined.iter().all(|other| *other != head) {
                    if joined.try_push(head).is_err() {
                        return false;
                    }
                    // Were `cell` among its liberties, it would have been joined above.
                    all.join(self.liberties[usize::from(head)]);
                }
            }
        }
        all.at_most_one()
    }

    /// The stones of the group of a stone.
    fn ring(&self, stone: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = Some(stone);
        std::iter::from_fn(move || {
            let now = next?;
            let after = usize::from(self.next[now]);
            next = (after != stone).then_some(after);
            Some(now)
        })
    }

    /// Puts a stone and reverses what has no liberty left; home groups next to that are closed.
    pub fn put(&mut self, cell: usize, side: Colour) {
        self.cells[cell] = side as u8;
        self.stones_of[side as usize].insert(point_of(cell));
        self.head[cell] = cell as u16;
        self.next[cell] = cell as u16;
        self.stones[cell] = 1;
        self.groups[side as usize] += 1;
        let mut liberties = Liberties::default();
        for near in around(cell) {
            match self.cells[near] {
                VACANT => liberties.add(near),
                OFF => {}
                _ => self.liberties[usize::from(self.head[near])].drop(cell),
            }
        }
        self.liberties[cell] = liberties;
        for near in around(cell) {
            if self.cells[near] == side as u8 {
                self.join(cell, near, side);
            }
        }
        for near in around(cell) {
            if self.cells[near] == side.other() as u8
                && self.liberties[usize::from(self.head[near])].count == 0
            {
                self.reverse(near, side);
            }
        }
    }

    #[cold]
    fn reverse(&mut self, stone: usize, side: Colour) {
        let captured: ArrayVec<usize, GRID> = self.ring(stone).collect();
        self.groups[side as usize] += 1;
        self.groups[side.other() as usize] -= 1;
        for &cell in &captured {
            self.cells[cell] = side as u8;
            self.stones_of[side as usize].insert(point_of(cell));
            self.stones_of[side.other() as usize].remove(point_of(cell));
            // The group was no home group of this side.
            self.home[cell] = 0;
        }
        for &cell in &captured {
            for near in around(cell) {
                if self.cells[near] == side as u8 {
                    self.close(near);
                    self.join(cell, near, side);
                }
            }
        }
    }

    #[inline]
    fn join(&mut self, a: usize, b: usize, side: Colour) {
        let (a, b) = (usize::from(self.head[a]), usize::from(self.head[b]));
        if a == b {
            return;
        }
        let (large, small) = if self.stones[a] < self.stones[b] { (b, a) } else { (a, b) };
        let mut cell = small;
        loop {
            self.head[cell] = large as u16;
            cell = usize::from(self.next[cell]);
            if cell == small {
                break;
            }
        }
        // Two rings become one when the successors of two of their stones are exchanged.
        self.next.swap(large, small);
        let liberties = self.liberties[small];
        self.liberties[large].join(liberties);
        self.stones[large] += self.stones[small];
        self.groups[side as usize] -= 1;
    }

    /// Points by which White is ahead: stones, and vacant regions that border on one colour only.
    pub fn margin(&self) -> i32 {
        let mut seen = [false; CELLS];
        let [white, black] = self.stones_of.map(|stones| stones.len() as i32);
        let mut margin = white - black;
        for cell in self.vacant().iter().map(cell_of) {
            if !seen[cell] {
                let (points, border) = self.region(cell, &mut seen);
                margin += match border {
                    [true, false] => points,
                    [false, true] => -points,
                    _ => 0,
                };
            }
        }
        margin
    }

    /// Size of the vacant region of a cell, and which colours it borders on.
    fn region(&self, cell: usize, seen: &mut [bool; CELLS]) -> (i32, [bool; 2]) {
        let mut region = ArrayVec::<usize, GRID>::new();
        let mut border = [false; 2];
        seen[cell] = true;
        region.push(cell);
        let mut done = 0;
        while let Some(&cell) = region.get(done) {
            done += 1;
            for near in around(cell) {
                match self.cells[near] {
                    VACANT if !seen[near] => {
                        seen[near] = true;
                        region.push(near);
                    }
                    VACANT | OFF => {}
                    colour => border[usize::from(colour)] = true,
                }
            }
        }
        (region.len() as i32, border)
    }
}

#[cfg(test)]
impl PlayoutBoard {
    /// The content of a point: a colour as a number, or [`VACANT`].
    pub(super) fn content(&self, point: Point) -> u8 {
        self.cells[cell_of(point)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::notation::parse_position;
    use crate::rules::position::SygoPosition;
    use crate::search::playout::PlayoutScratch;

    #[test]
    fn a_placement_that_captures_after_a_growth_closes_groups() {
        let position = parse_position("3w/4/1b2/2b1 w g 0 5").expect("position");
        let mut field = PlayoutBoard::new(&position.board, 1_030);
        let cell = |column, row| cell_of(Point::new(column, row));
        field.begin_growth(Colour::White);
        field.grow(cell(3, 2), Colour::White);
        assert!(field.growth_is_over());
        field.put(cell(1, 0), Colour::White);
        field.put(cell(0, 0), Colour::Black);
        assert_eq!(field.content(Point::new(1, 0)), Colour::Black as u8);
    }

    #[test]
    fn a_growth_is_over_only_when_nothing_can_grow() {
        let mut random = PlayoutScratch::new(7);
        let mut ended = 0;
        for game in 0..60 {
            let mut position = SygoPosition::new(4 + game % 6);
            while !position.is_over() {
                let side = position.side;
                let mut field = PlayoutBoard::new(&position.board, 1_030);
                let cells: Vec<usize> = field.growth_cells(side).collect();
                field.begin_growth(side);
                for &cell in &cells {
                    if field.can_grow(cell) && field.effect(cell, side) != StoneEffect::Suicide {
                        field.grow(cell, side);
                    }
                    if field.growth_is_over() {
                        ended += 1;
                        assert!(cells.iter().all(|&cell| !field.can_grow(cell)));
                        break;
                    }
                }
                random.turn(&mut position);
            }
        }
        assert!(ended > 300, "{ended}");
    }
}
