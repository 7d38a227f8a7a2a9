//! How far the static values of evaluations are from those that a search found.

use std::path::PathBuf;

use anyhow::bail;
use rayon::prelude::*;

use super::ShogiDataOptions;
use super::sample::RecordSample;
use crate::tasks::data::DataOptions;
use kaeshi_learn::shogi::dataset::{self, Filter};
use kaeshi_learn::shogi::labelled::{Labelled, LabelledFormat};
use kaeshi_shogi::network::SCALE;
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_system::output::print;

/// Positions that are compared, unless asked otherwise.
const SAMPLE: usize = 100_000;

/// Prints the error of each evaluation on the quiet positions of the files.
///
/// # Errors
/// A file cannot be read, or there are too few positions.
pub(super) fn errors(
    files: &[PathBuf],
    common: &DataOptions,
    options: &ShogiDataOptions,
) -> anyhow::Result<()> {
    let evaluations = options.evaluations()?;
    let mut sample = RecordSample::new(options.sample.unwrap_or(SAMPLE), common.seed);
    let (mut record, mut done) = (Vec::new(), Ok(()));
    dataset::visit(files, &Filter::default(), |quiet| {
        let position = quiet.position.clone();
        let labelled = Labelled { position, value: quiet.score(), best: quiet.played, result: quiet.result };
        record.clear();
        match LabelledFormat::Psv.write(&labelled, &mut record) {
            Ok(()) => sample.offer(&record),
            Err(error) => done = Err(error),
        }
    })?;
    done?;
    let pool = kaeshi_learn::threads::pool(options.threads.unwrap_or(1))?;
    let read = |record: &Vec<u8>| LabelledFormat::Psv.read(record);
    let positions = sample.records().iter().map(read).collect::<Result<Vec<Labelled>, _>>()?;
    let searched: Vec<f64> = positions.iter().map(|labelled| chance(labelled.value.into())).collect();
    if searched.len() < 3 {
        bail!("{} quiet positions: at least 3 are needed", searched.len());
    }
    if searched.iter().all(|value| Some(value) == searched.first()) {
        bail!("all {} quiet positions have the same value: nothing can be compared with it", searched.len());
    }
    print(format_args!("{} quiet positions", searched.len()))?;
    print("error       difference to the first    shift    slope  evaluation")?;
    let mut first: Option<Vec<f64>> = None;
    for (name, evaluation) in &evaluations {
        let value = |position: &ShogiPosition| chance(evaluation.value(position));
        let values: Vec<f64> =
            pool.install(|| positions.par_iter().map(|labelled| value(&labelled.position)).collect());
        let fit = LineFit::of(&values, &searched);
        let difference = match &first {
            None => String::new(),
            Some(first) => {
                let differences: Vec<f64> =
                    fit.squares.iter().zip(first).map(|(own, first)| own - first).collect();
                let mean = mean(&differences);
                let squares = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>();
                let count = differences.len() as f64;
                format!("{mean:+.6} ± {:.6}", (squares / (count - 1.0) / count).sqrt())
            }
        };
        print(format_args!(
            "{:.6}    {difference:22} {:+.4}    {:.3}  {name}",
            mean(&fit.squares),
            fit.shift,
            fit.slope
        ))?;
        first.get_or_insert(fit.squares);
    }
    Ok(())
}

/// The winning chance of a value in centipawns.
fn chance(value: i32) -> f64 {
    1.0 / (1.0 + (-f64::from(value) / f64::from(SCALE)).exp())
}

/// The line from the chances of an evaluation to those of a search that has the least squares. A shift or a scale
/// common to all positions changes no choice of a move, so it is no error.
struct LineFit {
    /// Mean surplus of the search's values.
    shift: f64,
    slope: f64,
    /// The squared distance of each position from the line.
    squares: Vec<f64>,
}

impl LineFit {
    fn of(values: &[f64], searched: &[f64]) -> LineFit {
        let (own, other) = (mean(values), mean(searched));
        let pairs = || values.iter().zip(searched).map(|(value, searched)| (value - own, searched - other));
        let spread: f64 = pairs().map(|(value, _)| value * value).sum();
        let common: f64 = pairs().map(|(value, searched)| value * searched).sum();
        let slope = if spread > 0.0 { common / spread } else { 0.0 };
        let squares = pairs().map(|(value, searched)| (searched - slope * value).powi(2)).collect();
        LineFit { shift: other - own, slope, squares }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_leaves_no_error_and_its_shift_and_slope_are_found() {
        let values = [0.1, 0.4, 0.5, 0.9];
        let searched = values.map(|value| 0.8 * value + 0.15);
        let fit = LineFit::of(&values, &searched);
        assert!((fit.slope - 0.8).abs() < 1e-9 && mean(&fit.squares) < 1e-12);
        assert!((fit.shift - (0.15 - 0.2 * mean(&values))).abs() < 1e-9);
    }

    #[test]
    fn what_the_line_does_not_reach_is_the_error() {
        // The best line through these points is level.
        let fit = LineFit::of(&[0.0, 0.0, 1.0, 1.0], &[0.4, 0.6, 0.4, 0.6]);
        assert!(fit.slope.abs() < 1e-9);
        assert!((mean(&fit.squares) - 0.01).abs() < 1e-9);
        // Equal values have no slope.
        assert!(LineFit::of(&[0.5, 0.5], &[0.2, 0.4]).slope.abs() < 1e-9);
    }
}
