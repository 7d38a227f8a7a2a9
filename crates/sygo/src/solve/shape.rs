//! Small boards, oblong ones too, as 128-bit sets; their symmetries.

use super::graph::{Bits, Graph};
use crate::rules::points::Point;

/// Points of the largest board, 11x11: they fit a set.
pub const MOST_POINTS: usize = 121;

const _: () = assert!(MOST_POINTS <= Bits::BITS as usize);

/// A board of at most [`MOST_POINTS`] points.
#[derive(Clone, Debug)]
pub struct BoardShape {
    width: usize,
    height: usize,
    full: Bits,
    not_first_column: Bits,
    not_last_column: Bits,
    /// For every symmetry but the identity, the image of each value of each byte.
    symmetries: Vec<Vec<[Bits; 256]>>,
}

impl BoardShape {
    /// A board of `width` columns and `height` rows; none if it has more than
    /// [`MOST_POINTS`].
    pub fn new(width: usize, height: usize) -> Option<BoardShape> {
        if width == 0 || height == 0 || width * height > MOST_POINTS {
            return None;
        }
        let points = width * height;
        let full = (1 << points) - 1;
        let column: Bits = (0..height).map(|row| 1 << (row * width)).sum();
        let mut shape = BoardShape {
            width,
            height,
            full,
            not_first_column: full & !column,
            not_last_column: full & !(column << (width - 1)),
            symmetries: Vec::new(),
        };
        let count = if width == height { 8 } else { 4 };
        shape.symmetries = (1..count).map(|symmetry| shape.images(symmetry)).collect();
        Some(shape)
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    fn images(&self, symmetry: usize) -> Vec<[Bits; 256]> {
        let points = self.width * self.height;
        let image = |index: usize| {
            let (mut column, mut row) = (index % self.width, index / self.width);
            if symmetry & 1 != 0 {
                column = self.width - 1 - column;
            }
            if symmetry & 2 != 0 {
                row = self.height - 1 - row;
            }
            if symmetry & 4 != 0 {
                (column, row) = (row, column);
            }
            row * self.width + column
        };
        (0..points.div_ceil(8))
            .map(|byte| {
                std::array::from_fn(|value| {
                    (0..8)
                        .filter(|bit| value >> bit & 1 != 0 && byte * 8 + bit < points)
                        .map(|bit| 1 << image(byte * 8 + bit))
                        .sum()
                })
            })
            .collect()
    }
}

impl Graph for BoardShape {
    fn full(&self) -> Bits {
        self.full
    }

    #[inline(always)]
    fn neighbours(&self, set: Bits) -> Bits {
        let sideways = (set << 1) & self.not_first_column | (set >> 1) & self.not_last_column;
        (sideways | set << self.width | set >> self.width) & self.full
    }

    #[inline(always)]
    fn points(&self, set: Bits) -> i32 {
        set.count_ones() as i32
    }

    #[inline]
    fn canonical(&self, own: Bits, enemy: Bits) -> (Bits, Bits) {
        let mut least = (own, enemy);
        for table in &self.symmetries {
            let image = (map(table, own), map(table, enemy));
            if image < least {
                least = image;
            }
        }
        least
    }

    fn distinct(&self, vacant: Bits) -> Bits {
        vacant
    }

    fn salt(&self) -> u64 {
        0
    }

    fn point(&self, bit: Bits) -> Point {
        let index = bit.trailing_zeros() as usize;
        Point::new(index % self.width, index / self.width)
    }
}

#[inline(always)]
fn map(table: &[[Bits; 256]], set: Bits) -> Bits {
    table.iter().zip(set.to_le_bytes()).fold(0, |image, (images, byte)| image | images[usize::from(byte)])
}

#[cfg(test)]
mod tests {
    use super::super::graph::each;
    use super::*;

    #[test]
    fn symmetries_keep_neighbourhood_and_agree_on_the_least_image() {
        for (width, height) in
            [(1, 1), (1, 5), (3, 3), (4, 3), (5, 5), (8, 8), (9, 9), (11, 11), (121, 1), (1, 121)]
        {
            let shape = BoardShape::new(width, height).expect("fits");
            for point in each(shape.full) {
                for table in &shape.symmetries {
                    assert_eq!(map(table, shape.neighbours(point)), shape.neighbours(map(table, point)));
                    let (own, enemy) =
                        (point, shape.full & 0x1357_9BDF_0246_8ACE_5A5A_1234_9876_FACE & !point);
                    assert_eq!(
                        shape.canonical(map(table, own), map(table, enemy)),
                        shape.canonical(own, enemy),
                        "{width}x{height}"
                    );
                }
            }
        }
        assert!(BoardShape::new(11, 12).is_none() && BoardShape::new(0, 3).is_none());
    }
}
