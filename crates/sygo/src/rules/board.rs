//! Stones, groups and liberties, kept up to date stone by stone.
//!
//! Groups form a forest: joining two hangs the smaller one under the larger and keeps its record,
//! so that taking a stone back restores everything from a short log, and nothing is ever flooded.

use arrayvec::ArrayVec;

use crate::rules::points::{GRID, Point, PointSet, STRIDE};
use crate::rules::size::BoardSize;
use kaeshi_core::game::Side;

/// Colour of a stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Colour {
    /// Has the first turn.
    White,
    /// Has the balance right.
    Black,
}

impl Colour {
    /// The opponent's colour.
    #[inline(always)]
    pub fn other(self) -> Colour {
        match self {
            Colour::White => Colour::Black,
            Colour::Black => Colour::White,
        }
    }
}

impl From<Colour> for Side {
    /// White moves first.
    #[inline]
    fn from(colour: Colour) -> Side {
        match colour {
            Colour::White => Side::First,
            Colour::Black => Side::Second,
        }
    }
}

/// Name of a group: index of its record. Valid until the board changes.
pub type GroupId = u16;

/// A group of stones.
#[derive(Clone, Debug)]
pub struct StoneGroup {
    /// Its stones.
    pub stones: PointSet,
    /// The vacant points next to it.
    pub liberties: PointSet,
    /// Its colour.
    pub colour: Colour,
    /// Number of stones.
    pub size: u16,
    /// The group it was joined to; itself while it is one of the groups on the board.
    parent: GroupId,
}

/// One reversible step; a stone is a few of them, the `Stone` itself last.
#[derive(Clone, Debug)]
enum BoardChange {
    /// A stone was put and became part of this group, which had these liberties.
    Stone { point: Point, group: GroupId, liberties: PointSet },
    /// A stone was put and is the newest group.
    Founded { point: Point },
    /// `child` was joined to `root`, which had these liberties.
    Joined { child: GroupId, root: GroupId, liberties: PointSet },
    /// A group without liberties was reversed.
    Reversed { group: GroupId },
}

const VACANT: u8 = 2;
const OFF: u8 = 3;

/// A board with its stones.
#[derive(Clone, Debug)]
pub struct SygoBoard {
    size: BoardSize,
    /// One row of padding below and above the grid.
    cells: [u8; GRID + 2 * STRIDE],
    /// A record that led to the group of each stone when the stone was put.
    leaf: [GroupId; GRID],
    on_board: PointSet,
    stones: [PointSet; 2],
    groups: Vec<StoneGroup>,
    key: u64,
    log: Vec<BoardChange>,
}

/// The key of an empty board: a square one has its own number below that of every other one.
fn size_key(size: BoardSize) -> u64 {
    let (columns, rows) = (size.columns(), size.rows());
    zobrist(2 * GRID + if columns == rows { columns } else { columns * STRIDE + rows })
}

type Neighbours = ArrayVec<GroupId, 4>;

impl SygoBoard {
    /// An empty board.
    pub fn new(size: impl Into<BoardSize>) -> SygoBoard {
        let size = size.into();
        let on_board = size.all();
        let mut cells = [OFF; GRID + 2 * STRIDE];
        on_board.iter().for_each(|point| cells[point.index() + STRIDE] = VACANT);
        SygoBoard {
            size,
            cells,
            leaf: [0; GRID],
            on_board,
            stones: [PointSet::EMPTY; 2],
            groups: Vec::with_capacity(64),
            key: size_key(size),
            log: Vec::new(),
        }
    }

    /// A board with these stones and no history. Groups without liberties stay as they are.
    pub fn with_stones(size: impl Into<BoardSize>, white: &PointSet, black: &PointSet) -> SygoBoard {
        let mut board = SygoBoard::new(size);
        let rest = [white.without(black) & board.on_board, *black & board.on_board];
        board.stones = rest;
        let vacant = board.vacant();
        for colour in [Colour::White, Colour::Black] {
            let mut rest = rest[colour as usize];
            while let Some(seed) = rest.first() {
                let stones = PointSet::from_iter([seed]).flood(&rest);
                rest = rest.without(&stones);
                let id = board.groups.len() as GroupId;
                for point in stones.iter() {
                    board.cells[point.index() + STRIDE] = colour as u8;
                    board.leaf[point.index()] = id;
                    board.key ^= stone_key(colour, point);
                }
                board.groups.push(StoneGroup {
                    liberties: stones.neighbours() & vacant,
                    size: stones.len() as u16,
                    stones,
                    colour,
                    parent: id,
                });
            }
        }
        board
    }

    /// Columns and rows.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// All points.
    pub fn points(&self) -> &PointSet {
        &self.on_board
    }

    /// The stones of one colour.
    #[inline(always)]
    pub fn stones(&self, colour: Colour) -> &PointSet {
        &self.stones[colour as usize]
    }

    /// The vacant points.
    #[inline(always)]
    pub fn vacant(&self) -> PointSet {
        self.on_board.without(&(self.stones[0] | self.stones[1]))
    }

    /// The stone on a point.
    #[inline(always)]
    pub fn stone(&self, point: Point) -> Option<Colour> {
        match self.cells[point.index() + STRIDE] {
            0 => Some(Colour::White),
            1 => Some(Colour::Black),
            _ => None,
        }
    }

    /// Whether the point is on the board and has no stone.
    #[inline(always)]
    pub fn is_vacant(&self, point: Point) -> bool {
        self.cells[point.index() + STRIDE] == VACANT
    }

    /// Zobrist key of size and stones.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The group of the stone on `point`.
    #[inline(always)]
    pub fn group_at(&self, point: Point) -> GroupId {
        let mut id = self.leaf[point.index()];
        loop {
            let parent = self.groups[usize::from(id)].parent;
            if parent == id {
                return id;
            }
            id = parent;
        }
    }

    /// A group of stones.
    #[inline(always)]
    pub fn group(&self, id: GroupId) -> &StoneGroup {
        &self.groups[usize::from(id)]
    }

    /// All groups on the board.
    pub fn groups(&self) -> impl Iterator<Item = (GroupId, &StoneGroup)> {
        (0..).zip(&self.groups).filter(|(id, group)| group.parent == *id)
    }

    /// The groups of one colour.
    pub fn groups_of(&self, colour: Colour) -> impl Iterator<Item = (GroupId, &StoneGroup)> {
        self.groups().filter(move |(_, group)| group.colour == colour)
    }

    /// The different groups of one colour next to a point.
    #[inline]
    pub fn groups_next_to(&self, point: Point, colour: Colour) -> Neighbours {
        let mut found = Neighbours::new();
        for cell in neighbour_cells(point) {
            if self.cells[cell] == colour as u8 {
                let id = self.group_at(Point::from_index(cell - STRIDE));
                if !holds(&found, id) {
                    found.push(id);
                }
            }
        }
        found
    }

    /// Whether a stone of this colour is next to the point.
    #[inline(always)]
    pub fn touches(&self, point: Point, colour: Colour) -> bool {
        neighbour_cells(point).into_iter().any(|cell| self.cells[cell] == colour as u8)
    }

    /// Puts a stone on a vacant point and reverses every enemy group that has no liberty left;
    /// [`SygoBoard::take_back`] undoes it. Returns whether anything was reversed.
    #[inline]
    pub fn put(&mut self, point: Point, colour: Colour) -> bool {
        self.put_inner::<true>(point, colour)
    }

    /// As [`SygoBoard::put`], but without a record for [`SygoBoard::take_back`].
    #[inline]
    pub fn put_for_good(&mut self, point: Point, colour: Colour) -> bool {
        self.put_inner::<false>(point, colour)
    }

    #[inline(always)]
    fn put_inner<const LOG: bool>(&mut self, point: Point, colour: Colour) -> bool {
        debug_assert!(self.is_vacant(point));
        let mut vacant = ArrayVec::<Point, 4>::new();
        let mut own = Neighbours::new();
        let mut enemy = Neighbours::new();
        for cell in neighbour_cells(point) {
            let content = self.cells[cell];
            if content == VACANT {
                vacant.push(Point::from_index(cell - STRIDE));
            } else if content != OFF {
                let id = self.group_at(Point::from_index(cell - STRIDE));
                let list = if content == colour as u8 { &mut own } else { &mut enemy };
                if !holds(list, id) {
                    list.push(id);
                }
            }
        }
        self.cells[point.index() + STRIDE] = colour as u8;
        self.stones[colour as usize].insert(point);
        self.key ^= stone_key(colour, point);

        let mut root = match own.split_first() {
            None => self.found::<LOG>(point, colour),
            Some((&first, rest)) => {
                let largest = rest.iter().fold(first, |a, &b| if self.larger(b, a) { b } else { a });
                let group = &mut self.groups[usize::from(largest)];
                if LOG {
                    self.log.push(BoardChange::Stone { point, group: largest, liberties: group.liberties });
                }
                group.stones.insert(point);
                group.size += 1;
                self.leaf[point.index()] = largest;
                largest
            }
        };
        for point in vacant {
            self.groups[usize::from(root)].liberties.insert(point);
        }
        if own.len() > 1 {
            for id in own {
                if id != root {
                    root = self.join::<LOG>(root, id);
                }
            }
        }
        self.groups[usize::from(root)].liberties.remove(point);
        let mut reversed = false;
        for id in enemy {
            let group = &mut self.groups[usize::from(id)];
            group.liberties.remove(point);
            if group.liberties.is_empty() {
                self.reverse::<LOG>(id);
                reversed = true;
            }
        }
        reversed
    }

    /// Undoes the last [`SygoBoard::put`] that was not taken back yet.
    pub fn take_back(&mut self) {
        while let Some(change) = self.log.pop() {
            match change {
                BoardChange::Reversed { group } => {
                    self.recolour(group);
                }
                BoardChange::Joined { child, root, liberties } => {
                    let record = self.groups[usize::from(child)].clone();
                    self.groups[usize::from(child)].parent = child;
                    let group = &mut self.groups[usize::from(root)];
                    group.stones = group.stones.without(&record.stones);
                    group.size -= record.size;
                    group.liberties = liberties;
                }
                BoardChange::Stone { point, group, liberties } => {
                    let group = &mut self.groups[usize::from(group)];
                    group.stones.remove(point);
                    group.size -= 1;
                    group.liberties = liberties;
                    return self.lift(point);
                }
                BoardChange::Founded { point } => {
                    self.groups.pop();
                    return self.lift(point);
                }
            }
        }
    }

    /// Makes all stones so far permanent.
    pub fn forget_history(&mut self) {
        self.log.clear();
    }

    /// Takes the stone off the point; its own group is in order already.
    fn lift(&mut self, point: Point) {
        let cell = point.index() + STRIDE;
        let colour = if self.cells[cell] == Colour::White as u8 { Colour::White } else { Colour::Black };
        self.cells[cell] = VACANT;
        self.stones[colour as usize].remove(point);
        self.key ^= stone_key(colour, point);
        for id in self.groups_next_to(point, colour.other()) {
            self.groups[usize::from(id)].liberties.insert(point);
        }
    }

    fn found<const LOG: bool>(&mut self, point: Point, colour: Colour) -> GroupId {
        let id = self.groups.len() as GroupId;
        let stones = PointSet::from_iter([point]);
        self.groups.push(StoneGroup { stones, liberties: PointSet::EMPTY, colour, size: 1, parent: id });
        self.leaf[point.index()] = id;
        if LOG {
            self.log.push(BoardChange::Founded { point });
        }
        id
    }

    #[inline(always)]
    fn larger(&self, a: GroupId, b: GroupId) -> bool {
        self.groups[usize::from(a)].size > self.groups[usize::from(b)].size
    }

    /// Joins two groups of one colour and returns the record that stands for both.
    fn join<const LOG: bool>(&mut self, a: GroupId, b: GroupId) -> GroupId {
        let (root, child) = if self.larger(b, a) { (b, a) } else { (a, b) };
        let StoneGroup { stones, liberties, size, .. } = self.groups[usize::from(child)].clone();
        self.groups[usize::from(child)].parent = root;
        let group = &mut self.groups[usize::from(root)];
        if LOG {
            self.log.push(BoardChange::Joined { child, root, liberties: group.liberties });
        }
        group.stones |= stones;
        group.liberties |= liberties;
        group.size += size;
        root
    }

    /// Reverses a group and joins it with everything of its new colour next to it.
    #[cold]
    fn reverse<const LOG: bool>(&mut self, id: GroupId) {
        let colour = self.recolour(id);
        if LOG {
            self.log.push(BoardChange::Reversed { group: id });
        }
        let stones = self.groups[usize::from(id)].stones;
        let mut around = stones.neighbours().without(&stones) & self.stones[colour as usize];
        let mut root = id;
        while let Some(point) = around.first() {
            let captor = self.group_at(point);
            around = around.without(&self.groups[usize::from(captor)].stones);
            root = self.join::<LOG>(root, captor);
        }
    }

    /// Changes the colour of a group's stones and returns the new one.
    fn recolour(&mut self, id: GroupId) -> Colour {
        let group = &mut self.groups[usize::from(id)];
        let old = group.colour;
        let new = old.other();
        group.colour = new;
        let stones = group.stones;
        for point in stones.iter() {
            self.cells[point.index() + STRIDE] = new as u8;
            self.key ^= stone_key(old, point) ^ stone_key(new, point);
        }
        self.stones[old as usize] = self.stones[old as usize].without(&stones);
        self.stones[new as usize] |= stones;
        new
    }
}

/// Whether a group is in the list.
#[allow(clippy::manual_contains, reason = "`contains` is a call of code for long lists")]
#[inline(always)]
fn holds(groups: &Neighbours, id: GroupId) -> bool {
    groups.iter().any(|other| *other == id)
}

/// Cells (points with the padding) next to a point.
#[inline(always)]
fn neighbour_cells(point: Point) -> [usize; 4] {
    let cell = point.index() + STRIDE;
    [cell - STRIDE, cell - 1, cell + 1, cell + STRIDE]
}

#[inline(always)]
fn stone_key(colour: Colour, point: Point) -> u64 {
    ZOBRIST[colour as usize][point.index()]
}

static ZOBRIST: [[u64; GRID]; 2] = {
    let mut table = [[0; GRID]; 2];
    let mut i = 0;
    while i < GRID {
        table[0][i] = zobrist(i);
        table[1][i] = zobrist(GRID + i);
        i += 1;
    }
    table
};

/// The `index`-th pseudo-random number of the SplitMix64 sequence (Steele, Lea and Flood, 2014).
pub const fn zobrist(index: usize) -> u64 {
    let mut z = (index as u64 + 0x5959).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
