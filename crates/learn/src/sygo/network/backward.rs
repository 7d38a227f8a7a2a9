//! Gradients of the network, layer by layer from the outputs back.

use bytemuck::Zeroable as _;

use kaeshi_core::simd::SimdLevel;
use kaeshi_core::simd::lanes::{LANES, Lanes, LanesJob};
use kaeshi_sygo::network::{
    CHANNELS, CUT, Convolution, POINT_OUTPUTS, PointChannels, PointGrid, SygoForwardPass, SygoNetwork, TAPS,
    WHOLE_OUTPUTS, convolve_rows, cut_of,
};

/// The network with inputs and outputs of its convolutions exchanged.
pub struct Reversed {
    rows: Vec<PointChannels>,
}

impl Reversed {
    /// Reverses the convolutions of `network`.
    pub fn new(network: &SygoNetwork) -> Reversed {
        let mut reversed = Reversed { rows: network.rows.clone() };
        let blocks = (0..network.blocks()).map(|index| network.block(index));
        for convolution in blocks.flat_map(|block| [block.first, block.second]) {
            let from = network.taps(convolution);
            for tap in 0..9 {
                let rows = &mut reversed.rows[convolution.0 + (8 - tap) * CHANNELS..][..CHANNELS];
                for (output, row) in rows.iter_mut().enumerate() {
                    for (number, from) in row.iter_mut().zip(&from[tap * CHANNELS..]) {
                        *number = from[output];
                    }
                }
            }
        }
        reversed
    }

    fn taps(&self, convolution: Convolution) -> &[PointChannels] {
        &self.rows[convolution.0..convolution.0 + TAPS]
    }
}

/// Adds the gradient of one position, judged by `pass`, where the loss has these derivatives by the outputs.
pub fn add(
    network: &SygoNetwork,
    reversed: &Reversed,
    pass: &SygoForwardPass,
    points: &[[f32; POINT_OUTPUTS]],
    whole: &[f32; WHOLE_OUTPUTS],
    gradient: &mut [PointChannels],
) {
    SimdLevel::best().run_lanes(Backward { network, reversed, pass, points, whole, gradient });
}

struct Backward<'a> {
    network: &'a SygoNetwork,
    reversed: &'a Reversed,
    pass: &'a SygoForwardPass,
    points: &'a [[f32; POINT_OUTPUTS]],
    whole: &'a [f32; WHOLE_OUTPUTS],
    gradient: &'a mut [PointChannels],
}

impl LanesJob for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const SUMS: usize>(self) {
        let Backward { network, reversed, pass, points, whole, gradient } = self;
        let grid = &pass.outputs.grid;
        let share = 1.0 / grid.points() as f32;
        let heads = network.heads();
        let mut hidden = PointChannels::zeroed();
        for (output, &slope) in whole.iter().enumerate() {
            gradient[heads.bias][POINT_OUTPUTS + output] += slope;
            add_scaled(&mut gradient[heads.whole + output], &pass.outputs.hidden, slope);
            add_scaled(&mut hidden, &network.rows[heads.whole + output], slope);
        }
        for (slope, number) in hidden.iter_mut().zip(&pass.outputs.hidden) {
            *slope = if *number > 0.0 { *slope } else { 0.0 };
        }
        add_scaled(&mut gradient[heads.hidden + CHANNELS], &hidden, 1.0);
        let mut pooled = PointChannels::zeroed();
        for input in 0..CHANNELS {
            add_scaled(&mut gradient[heads.hidden + input], &hidden, pass.outputs.pooled[input]);
            let row = &network.rows[heads.hidden + input];
            pooled[input] = share * row.iter().zip(&hidden).map(|(one, other)| one * other).sum::<f32>();
        }
        let last = pass.last();
        let mut slopes = vec![PointChannels::zeroed(); grid.cells()];
        for cell in grid.rows().flatten() {
            slopes[cell] = pooled;
            for output in 0..POINT_OUTPUTS {
                let slope = points[cell][output];
                gradient[heads.bias][output] += slope;
                add_scaled(&mut gradient[heads.points + output], &last[cell], slope);
                add_scaled(&mut slopes[cell], &network.rows[heads.points + output], slope);
            }
        }
        let none = PointChannels::zeroed();
        let mut inner = vec![PointChannels::zeroed(); grid.cells()];
        let mut below = vec![PointChannels::zeroed(); grid.cells()];
        for index in (0..network.blocks()).rev() {
            let block = network.block(index);
            let middle = &pass.blocks[index];
            let from = if index == 0 { &pass.begin } else { &pass.blocks[index - 1].out };
            cut(grid, &mut slopes, &middle.out, cut_of(index + 1 == network.blocks()));
            let spread = learn::<L, SUMS>(block.second, grid, &middle.inner, &slopes, gradient);
            let mut mean = PointChannels::zeroed();
            for input in 0..CHANNELS {
                add_scaled(&mut gradient[block.pooled + input], &spread, middle.mean[input]);
                let row = &network.rows[block.pooled + input];
                mean[input] = share * row.iter().zip(&spread).map(|(one, other)| one * other).sum::<f32>();
            }
            convolve_rows::<L, SUMS>(reversed.taps(block.second), &mean, grid, &slopes, &mut inner);
            cut(grid, &mut inner, &middle.inner, CUT);
            learn::<L, SUMS>(block.first, grid, from, &inner, gradient);
            convolve_rows::<L, SUMS>(reversed.taps(block.first), &none, grid, &inner, &mut below);
            for cell in grid.rows().flatten() {
                let skipped = slopes[cell];
                for ((slope, below), skipped) in slopes[cell].iter_mut().zip(&below[cell]).zip(&skipped) {
                    *slope = below + skipped;
                }
            }
        }
        cut(grid, &mut slopes, &pass.begin, cut_of(network.blocks() == 0));
        learn::<L, SUMS>(network.first(), grid, &pass.planes, &slopes, gradient);
    }
}

/// Adds a multiple of a row.
#[inline(always)]
fn add_scaled(to: &mut PointChannels, row: &PointChannels, times: f32) {
    for (to, number) in to.iter_mut().zip(row) {
        *to += times * number;
    }
}

/// Sets to zero what does not depend on the numbers, as these were cut off at zero or at `most`.
#[inline(always)]
fn cut(grid: &PointGrid, slopes: &mut [PointChannels], numbers: &[PointChannels], most: f32) {
    for cell in grid.first()..grid.last() {
        for (slope, number) in slopes[cell].iter_mut().zip(&numbers[cell]) {
            *slope = if *number > 0.0 && *number < most { *slope } else { 0.0 };
        }
    }
}

/// Adds the gradient of a convolution; the sum of the slopes over the board.
#[inline(always)]
fn learn<L: Lanes, const SUMS: usize>(
    convolution: Convolution,
    grid: &PointGrid,
    from: &[PointChannels],
    slopes: &[PointChannels],
    gradient: &mut [PointChannels],
) -> PointChannels {
    let (first, stride) = (grid.first(), grid.stride());
    let mut sum = PointChannels::zeroed();
    for slope in &slopes[first..grid.last()] {
        add_scaled(&mut sum, slope, 1.0);
    }
    add_scaled(&mut gradient[convolution.bias()], &sum, 1.0);
    for tap in 0..9 {
        let corner = tap / 3 * stride + tap % 3;
        for channel in (0..CHANNELS).step_by(SUMS) {
            let rows = &mut gradient[convolution.0 + tap * CHANNELS + channel..][..SUMS];
            for half in 0..CHANNELS / LANES {
                let mut sums = [L::load(&rows[0].as_chunks().0[half]); SUMS];
                for (sum, row) in sums.iter_mut().zip(rows.iter()) {
                    *sum = L::load(&row.as_chunks().0[half]);
                }
                for (slope, from) in slopes[first..grid.last()].iter().zip(&from[corner..]) {
                    let slope = L::load(&slope.as_chunks().0[half]);
                    let inputs: &[f32; SUMS] = from[channel..].first_chunk().expect("whole channels");
                    for sum in 0..SUMS {
                        sums[sum] = sums[sum].add_product(inputs[sum], slope);
                    }
                }
                for (sum, row) in sums.iter().zip(rows.iter_mut()) {
                    sum.store(&mut row.as_chunks_mut().0[half]);
                }
            }
        }
    }
    sum
}
