//! Small boards, oblong ones too, as 128-bit sets; their symmetries.

/// A set of points of a small board: bit = row * width + column.
pub type Bits = u128;

/// Points of the largest board, 11x11. They fit a set, and a margin fits eight bits; so do the groups
/// of one colour, which are at most every other point, fit 64.
pub const MOST_POINTS: usize = 121;

const _: () = assert!(
    MOST_POINTS <= Bits::BITS as usize
        && MOST_POINTS <= i8::MAX as usize
        && MOST_POINTS.div_ceil(2) <= u64::BITS as usize
);

/// A board of at most [`MOST_POINTS`] points.
#[derive(Clone, Debug)]
pub struct Shape {
    width: usize,
    height: usize,
    /// All points.
    pub full: Bits,
    not_first_column: Bits,
    not_last_column: Bits,
    /// For every symmetry but the identity, the image of each value of each byte.
    symmetries: Vec<Vec<[Bits; 256]>>,
}

impl Shape {
    /// A board of `width` columns and `height` rows; none if it has more than
    /// [`MOST_POINTS`].
    pub fn new(width: usize, height: usize) -> Option<Shape> {
        if width == 0 || height == 0 || width * height > MOST_POINTS {
            return None;
        }
        let points = width * height;
        let full = (1 << points) - 1;
        let column: Bits = (0..height).map(|row| 1 << (row * width)).sum();
        let mut shape = Shape {
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

    /// The points orthogonally next to the set, points of the set itself among them.
    #[inline(always)]
    pub fn neighbours(&self, set: Bits) -> Bits {
        let sideways = (set << 1) & self.not_first_column | (set >> 1) & self.not_last_column;
        (sideways | set << self.width | set >> self.width) & self.full
    }

    /// The part of `area` connected with `seed`.
    #[inline]
    pub fn flood(&self, seed: Bits, area: Bits) -> Bits {
        let mut reached = seed & area;
        loop {
            let more = (reached | self.neighbours(reached)) & area;
            if more == reached {
                return reached;
            }
            reached = more;
        }
    }

    /// The smallest of all images of a pair of sets.
    #[inline]
    pub fn canonical(&self, own: Bits, enemy: Bits) -> (Bits, Bits) {
        let mut least = (own, enemy);
        for table in &self.symmetries {
            let image = (map(table, own), map(table, enemy));
            if image < least {
                least = image;
            }
        }
        least
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

#[inline(always)]
fn map(table: &[[Bits; 256]], set: Bits) -> Bits {
    table.iter().zip(set.to_le_bytes()).fold(0, |image, (images, byte)| image | images[usize::from(byte)])
}

/// The points of a set, one bit each.
#[inline(always)]
pub fn each(set: Bits) -> impl Iterator<Item = Bits> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let lowest = rest & rest.wrapping_neg();
        rest ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_keep_neighbourhood_and_agree_on_the_least_image() {
        for (width, height) in
            [(1, 1), (1, 5), (3, 3), (4, 3), (5, 5), (8, 8), (9, 9), (11, 11), (121, 1), (1, 121)]
        {
            let shape = Shape::new(width, height).expect("fits");
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
        assert!(Shape::new(11, 12).is_none() && Shape::new(0, 3).is_none());
    }
}
