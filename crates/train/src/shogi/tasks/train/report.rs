//! The report of a training of shogi: a text and a chart of the errors.

use std::fmt::Write;

use kaeshi_learn::shogi::dataset::DatasetCounts;
use kaeshi_learn::shogi::train::{Epoch, ShogiHyperparameters, ShogiTrainer};
use kaeshi_report::svg::Chart;

/// A finished training.
pub(super) struct TrainingReport<'a> {
    pub(super) recipe: &'a ShogiHyperparameters,
    pub(super) lambda: f32,
    pub(super) counts: DatasetCounts,
    pub(super) trainer: &'a ShogiTrainer<'a>,
}

impl TrainingReport<'_> {
    /// Recipe, positions and the errors of each epoch; the same training makes the same text.
    pub(super) fn text(&self) -> String {
        let TrainingReport { recipe, lambda, counts, trainer } = self;
        let mut text = format!(
            "hidden units        {}\nepochs              {}\nbatch               {}\nrate                {} to {}\n\
             decay               {}\nweight of the result {}\nlambda              {lambda}\nscale               {:.1}\nseed                {}\n\
             games               {}\npositions           {}\ntaken               {}\nerror of a constant {:.6}\n\
             error after rounding {:.6}\n\n{:>5} {:>10} {:>10}\n",
            recipe.shape,
            recipe.epochs,
            recipe.batch,
            recipe.rates.0,
            recipe.rates.1,
            recipe.decay,
            recipe.result,
            trainer.scale(),
            recipe.seed,
            counts.games,
            counts.positions,
            counts.taken,
            trainer.constant_error(),
            trainer.rounded_error(),
            "epoch",
            "training",
            "validation"
        );
        for (index, epoch) in trainer.epochs().iter().enumerate() {
            let _ = writeln!(text, "{:>5} {:>10.6} {:>10.6}", index + 1, epoch.training, epoch.validation);
        }
        text
    }

    /// The errors over the epochs as SVG. The first epoch is left out, if there are more than two: it
    /// lies far above the rest and would squeeze it.
    pub(super) fn chart(&self) -> String {
        let epochs = self.trainer.epochs();
        let first = usize::from(epochs.len() > 2);
        let line = |error: fn(&Epoch) -> f64| -> Vec<(f64, f64)> {
            let points = epochs.iter().enumerate().skip(first);
            points.map(|(index, epoch)| ((index + 1) as f64, 1000.0 * error(epoch))).collect()
        };
        let (training, validation) = (line(|epoch| epoch.training), line(|epoch| epoch.validation));
        let errors = || training.iter().chain(&validation).map(|(_, error)| *error);
        let (low, high) = (errors().fold(f64::INFINITY, f64::min), errors().fold(0.0, f64::max));
        let labels = ("epoch", "squared error in thousandths: training blue, validation red");
        let range = ((first + 1) as f64, epochs.len() as f64);
        let mut chart = Chart::new("Errors of the training", labels, range, (low, high)).x_ticks();
        chart.line("s0", &training);
        chart.line("s1", &validation);
        chart.finish_alone()
    }
}
