//! Columns and rows of a board.

use std::fmt;

use crate::rules::points::{Point, PointSet, SIZE_MAX, SIZE_MIN};

/// Columns and rows, [`SIZE_MIN`] to [`SIZE_MAX`] each. Boards are square but for those that are given so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardSize {
    columns: u8,
    rows: u8,
}

impl From<usize> for BoardSize {
    /// A square board.
    fn from(size: usize) -> BoardSize {
        BoardSize::new(size, size).unwrap_or_else(|| panic!("board size {size}"))
    }
}

impl BoardSize {
    /// `None` beyond the limits.
    pub fn new(columns: usize, rows: usize) -> Option<BoardSize> {
        let limits = SIZE_MIN..=SIZE_MAX;
        let fits = limits.contains(&columns) && limits.contains(&rows);
        fits.then_some(BoardSize { columns: columns as u8, rows: rows as u8 })
    }

    /// Reads `9` for a square board, `9x7` for columns and rows.
    pub fn parse(text: &str) -> Option<BoardSize> {
        let number = |word: &str| word.parse().ok();
        match text.split_once('x') {
            Some((columns, rows)) => BoardSize::new(number(columns)?, number(rows)?),
            None => number(text).and_then(|size| BoardSize::new(size, size)),
        }
    }

    /// Points of a row.
    pub fn columns(self) -> usize {
        usize::from(self.columns)
    }

    /// Points of a column.
    pub fn rows(self) -> usize {
        usize::from(self.rows)
    }

    /// Points of the board.
    pub fn points(self) -> usize {
        self.columns() * self.rows()
    }

    /// The side of a square board, the mean of both sides of another one.
    pub fn mean(self) -> usize {
        (self.columns() + self.rows()) / 2
    }

    /// All points of the board.
    pub fn all(self) -> PointSet {
        let mut set = PointSet::EMPTY;
        self.from_top().for_each(|point| set.insert(point));
        set
    }

    /// The points of the board, the highest row first.
    pub fn from_top(self) -> impl Iterator<Item = Point> {
        (0..self.rows())
            .rev()
            .flat_map(move |row| (0..self.columns()).map(move |column| Point::new(column, row)))
    }

    /// Whether a point is on the board.
    pub fn contains(self, point: Point) -> bool {
        point.column() < self.columns() && point.row() < self.rows()
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.columns, self.rows)
    }
}
