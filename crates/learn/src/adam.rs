//! AdamW: a step of every weight in units of its usual gradient (Loshchilov and Hutter, "Decoupled weight decay
//! regularization", 2019).

const FIRST_MEMORY: f32 = 0.9;
const SECOND_MEMORY: f32 = 0.999;
const SMALLEST: f32 = 1e-8;

/// How the values of one kind are stepped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdamRegion {
    /// The learning rate.
    pub(crate) rate: f32,
    /// Weight decay of a step, as a share of the value.
    pub(crate) decay: f32,
    /// The largest value.
    pub(crate) limit: f32,
}

/// The factors of a step of the values of one kind.
pub(crate) struct StepFactors {
    mean: f32,
    region: AdamRegion,
    /// Corrections of the moments, which begin at 0.
    first: f32,
    second: f32,
}

impl StepFactors {
    /// The factors of the step with this number, 1 for the first, for gradients summed over `positions`.
    #[inline(always)]
    pub(crate) fn new(number: u32, positions: usize, region: AdamRegion) -> StepFactors {
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        let factor = |memory: f32| (1.0 / (1.0 - f64::from(memory).powi(number))) as f32;
        StepFactors {
            mean: 1.0 / positions as f32,
            region,
            first: factor(FIRST_MEMORY),
            second: factor(SECOND_MEMORY),
        }
    }
}

/// Steps values by the sums of their gradients.
#[inline(always)]
pub(crate) fn descend(
    factors: &StepFactors,
    sums: &[f32],
    values: &mut [f32],
    first: &mut [f32],
    second: &mut [f32],
) {
    let AdamRegion { rate, decay, limit } = factors.region;
    let keep = 1.0 - decay;
    for (((value, first), second), sum) in values.iter_mut().zip(first).zip(second).zip(sums) {
        let gradient = *sum * factors.mean;
        *first = FIRST_MEMORY * *first + (1.0 - FIRST_MEMORY) * gradient;
        *second = SECOND_MEMORY * *second + (1.0 - SECOND_MEMORY) * gradient * gradient;
        let size = (*second * factors.second).sqrt() + SMALLEST;
        let moved = *value * keep - rate * (*first * factors.first) / size;
        *value = moved.clamp(-limit, limit);
    }
}
