//! The liberties of a group, without a list of them.
//!
//! Count, sum and sum of squares show whether a group has one liberty, an old device of computer Go.

/// Liberties of a group, each once for every stone of the group next to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Liberties {
    /// How many there are, repeated ones included.
    pub count: u32,
    sum: u32,
    squares: u32,
}

impl Liberties {
    /// Adds a cell.
    #[inline(always)]
    pub fn add(&mut self, cell: usize) {
        self.count += 1;
        self.sum += cell as u32;
        self.squares += (cell * cell) as u32;
    }

    /// Takes a cell out.
    #[inline(always)]
    pub fn drop(&mut self, cell: usize) {
        self.count -= 1;
        self.sum -= cell as u32;
        self.squares -= (cell * cell) as u32;
    }

    /// Adds those of another group.
    #[inline(always)]
    pub fn join(&mut self, other: Liberties) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// Whether no cell but this one is a liberty: the squares of the distances add up to 0.
    #[inline(always)]
    pub fn none_but(self, cell: usize) -> bool {
        let cell = cell as u32;
        self.squares + self.count * cell * cell == 2 * cell * self.sum
    }

    /// Whether there are not two different ones: the variance is 0.
    pub fn at_most_one(self) -> bool {
        u64::from(self.count) * u64::from(self.squares) == u64::from(self.sum) * u64::from(self.sum)
    }
}
