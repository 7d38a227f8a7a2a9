//! The outputs of the network for a position.

use super::{CHANNELS, POINT_OUTPUTS, PointChannels, PointGrid, SygoNetwork, WHOLE_OUTPUTS};
use crate::rules::size::BoardSize;

/// The outputs for one position.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// The layout of the points.
    pub grid: PointGrid,
    /// The outputs of each cell.
    pub points: Vec<[f32; POINT_OUTPUTS]>,
    /// The outputs of the position.
    pub whole: [f32; WHOLE_OUTPUTS],
    /// Mean of the last layer.
    pub pooled: PointChannels,
    /// The hidden layer of the position's head.
    pub hidden: PointChannels,
}

impl Outputs {
    /// Room for a board of this size.
    pub fn new(size: BoardSize) -> Outputs {
        let grid = PointGrid::new(size);
        let points = vec![[0.0; POINT_OUTPUTS]; grid.cells()];
        let none = [0.0; CHANNELS];
        Outputs { points, grid, whole: [0.0; WHOLE_OUTPUTS], pooled: none, hidden: none }
    }

    /// The worth of the end for the side to move, from -1 to 1.
    pub fn worth(&self) -> f32 {
        self.whole[2].tanh()
    }

    /// The margin by which the side to move will be ahead, in points.
    pub fn margin(&self) -> f32 {
        self.grid.rows().flatten().map(|cell| self.points[cell][2].tanh()).sum()
    }

    /// Runs the heads on the last layer.
    #[inline(always)]
    pub(super) fn run_heads(&mut self, network: &SygoNetwork, last: &[PointChannels]) {
        let heads = network.heads();
        let bias = &network.rows[heads.bias];
        let share = 1.0 / self.grid.points() as f32;
        let mut pooled = [0.0; CHANNELS];
        for index in self.grid.rows().flatten() {
            let cell = &last[index];
            for (pooled, number) in pooled.iter_mut().zip(cell) {
                *pooled += share * number;
            }
            for (output, number) in self.points[index].iter_mut().enumerate() {
                *number = bias[output] + product(cell, &network.rows[heads.points + output]);
            }
        }
        let mut hidden = network.rows[heads.hidden + CHANNELS];
        for (input, row) in pooled.iter().zip(&network.rows[heads.hidden..][..CHANNELS]) {
            for (hidden, weight) in hidden.iter_mut().zip(row) {
                *hidden += input * weight;
            }
        }
        hidden.iter_mut().for_each(|number| *number = number.max(0.0));
        for output in 0..WHOLE_OUTPUTS {
            self.whole[output] =
                bias[POINT_OUTPUTS + output] + product(&hidden, &network.rows[heads.whole + output]);
        }
        (self.pooled, self.hidden) = (pooled, hidden);
    }
}

/// The sum of products, as eight sums side by side.
#[inline(always)]
fn product(one: &PointChannels, other: &PointChannels) -> f32 {
    let mut sums = [0.0f32; 8];
    for (one, other) in one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0) {
        for lane in 0..8 {
            sums[lane] += one[lane] * other[lane];
        }
    }
    sums.iter().sum()
}
