//! The board as the layers of the network hold it: rows with one empty column between them, and empty
//! cells before and behind, so that every neighbour is a cell.

use crate::rules::points::Point;
use crate::rules::size::BoardSize;
use kaeshi_core::simd::lanes::MOST_SUMS;
use kaeshi_core::simd::tiles;

/// Cells that a convolution calculates at a time, at most.
pub const BUNDLE: usize = MOST_SUMS;

/// The layout of the points of a board in cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointGrid {
    size: BoardSize,
    stride: usize,
}

impl PointGrid {
    /// The grid of a board.
    pub fn new(size: BoardSize) -> PointGrid {
        PointGrid { size, stride: size.columns() + 1 }
    }

    /// Points of the board.
    pub fn points(&self) -> usize {
        self.size.points()
    }

    /// The size of the board.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Cells from one row to the next.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The cell of the first point.
    pub fn first(&self) -> usize {
        self.stride + 1
    }

    /// Behind the cell of the last point, the bundles being whole.
    pub fn last(&self) -> usize {
        self.first() + (self.stride * self.size.rows()).next_multiple_of(BUNDLE)
    }

    /// All cells, and those that a convolution of [`CELLS`](kaeshi_core::simd::tiles::CELLS) at a time reads
    /// behind them.
    pub fn cells(&self) -> usize {
        self.last() + self.stride + 1 + tiles::CELLS
    }

    /// The cell of a point.
    #[inline(always)]
    pub fn cell(&self, point: Point) -> usize {
        self.first() + point.row() * self.stride + point.column()
    }

    /// The cells of the board, row by row.
    #[inline(always)]
    pub fn rows(&self) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let (first, stride, columns) = (self.first(), self.stride, self.size.columns());
        (0..self.size.rows()).map(move |row| {
            let begin = first + row * stride;
            begin..begin + columns
        })
    }
}
