//! The gradient of a part of a batch: dense, or by the rows of weights that its positions use.

#![allow(clippy::needless_range_loop, reason = "iterators that are zipped are not inlined across crates")]

use bytemuck::{Pod, Zeroable};

use kaeshi_core::simd::Aligned;

/// The gradient of one part of a batch.
pub(crate) struct Gradient {
    /// The gradient of all values but those that lie in rows.
    pub(crate) dense: Aligned<f32>,
    pub(crate) touched: Touched,
}

/// The gradients of the rows of weights that some position of a part uses.
pub(crate) struct Touched {
    /// Values of a row.
    width: usize,
    /// For each row its place in `sums`, or [`Touched::NOWHERE`].
    places: Vec<u32>,
    rows: Vec<u32>,
    sums: Vec<SumLine>,
}

/// Sums at a cache line, which the widest registers like to load whole. Rows are whole lines.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct SumLine([f32; LINE]);

const LINE: usize = 16;

impl Gradient {
    /// A gradient of zero for `count` values, of which the first lie in `rows` rows of `width` values.
    pub(crate) fn new(count: usize, (rows, width): (usize, usize)) -> Gradient {
        assert!(width.is_multiple_of(LINE), "rows of {width} values");
        Gradient {
            dense: Aligned::zeros(count - rows * width),
            touched: Touched {
                width,
                places: vec![Touched::NOWHERE; rows],
                rows: Vec::new(),
                sums: Vec::new(),
            },
        }
    }

    /// All values in their order.
    #[cfg(test)]
    pub(crate) fn whole(&self) -> Vec<f32> {
        let (rows, width) = (self.touched.places.len(), self.touched.width);
        let row = |row| self.touched.of(row).map_or(vec![0.0; width], <[f32]>::to_vec);
        let mut whole: Vec<f32> = (0..rows).flat_map(row).collect();
        whole.extend(self.dense.get());
        whole
    }

    pub(crate) fn clear(&mut self) {
        self.dense.get_mut().fill(0.0);
        self.touched.clear();
    }
}

impl Touched {
    const NOWHERE: u32 = u32::MAX;

    fn clear(&mut self) {
        self.rows.drain(..).for_each(|row| self.places[row as usize] = Touched::NOWHERE);
        self.sums.clear();
    }

    /// Adds to the gradient of a row.
    #[inline(always)]
    pub(crate) fn add(&mut self, row: usize, slopes: &[f32]) {
        let place = &mut self.places[row];
        if *place == Touched::NOWHERE {
            *place = self.rows.len() as u32;
            self.rows.push(row as u32);
            self.sums.extend(slopes.as_chunks().0.iter().map(|line| SumLine(*line)));
            return;
        }
        let sums: &mut [f32] = bytemuck::cast_slice_mut(&mut self.sums);
        let sums = &mut sums[*place as usize * self.width..][..slopes.len()];
        for i in 0..sums.len() {
            sums[i] += slopes[i];
        }
    }

    /// The gradient of a row, if any position uses it.
    #[inline(always)]
    pub(crate) fn of(&self, row: usize) -> Option<&[f32]> {
        let place = self.places[row];
        let sums: &[f32] = bytemuck::cast_slice(&self.sums);
        (place != Touched::NOWHERE).then(|| &sums[place as usize * self.width..][..self.width])
    }
}
