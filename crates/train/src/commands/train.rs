//! `kaeshi train`: fits an evaluation to self-played games.

use crate::commands::per_game_options::{PerGameOptions, Tool};
use crate::tasks::{Offer, Tasks, train::TrainOptions};

/// Fit an evaluation to the games of `kaeshi selfplay`.
///
/// One game in twenty is not learned from; the error on these is printed.
#[derive(Debug, clap::Args)]
pub struct TrainArgs {
    #[command(flatten)]
    common: TrainOptions,
    #[command(flatten)]
    choice: PerGameOptions<TrainTool>,
}

#[derive(Debug)]
struct TrainTool;

impl Tool for TrainTool {
    type Common = TrainOptions;

    fn offer(tasks: &'static Tasks) -> Option<&'static Offer<TrainOptions>> {
        tasks.train.as_ref()
    }
}

impl TrainArgs {
    /// Reads, fits, writes; prints the errors on the way.
    ///
    /// # Errors
    /// Options that do not fit, files that cannot be read or written, or no games at all.
    pub fn run(self) -> anyhow::Result<()> {
        self.common.check_outputs()?;
        self.choice.run(&self.common).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct TrainCli {
        #[command(flatten)]
        args: TrainArgs,
    }

    #[test]
    fn options_that_the_game_does_not_have_are_refused() {
        for (game, words, said) in [
            ("reversi", ["--pairs", "8"], "--pairs: only sygo has"),
            ("reversi", ["--hidden", "64"], "--hidden: only shogi has"),
            ("sygo", ["--lambda", "0.5"], "--lambda and --result need games"),
            ("sygo", ["--epochs", "3"], "--epochs, --lambda"),
            ("sygo", ["--result=0.5", "src"], "--result is not for Sygo"),
        ] {
            let typed = TrainCli::try_parse_from(
                [&["train", "--game", game, "--out", "none.bin"], &words[..]].concat(),
            );
            let reason = format!("{:#}", typed.expect("known options").args.run().expect_err(words[0]));
            assert!(reason.contains(said), "{reason}");
        }
    }
}
