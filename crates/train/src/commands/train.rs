//! `kaeshi train`: fits an evaluation to self-played games.

use crate::commands::choice::{Choice, Tool};
use crate::tasks::{Offer, Tasks, train::Common};

/// Fit an evaluation to the games of `kaeshi selfplay`.
///
/// One game in twenty is not learned from; the error on these is printed.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    choice: Choice<Train>,
}

#[derive(Debug)]
struct Train;

impl Tool for Train {
    type Common = Common;

    fn offer(tasks: &'static Tasks) -> Option<&'static Offer<Common>> {
        tasks.train.as_ref()
    }
}

impl Args {
    /// Reads, fits, writes; prints the errors on the way.
    ///
    /// # Errors
    /// Options that do not fit, files that cannot be read or written, or no games at all.
    pub fn run(self) -> anyhow::Result<()> {
        self.choice.run(&self.common).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Typed {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn options_that_the_game_does_not_have_are_refused() {
        for (words, said) in [(["--pairs", "8"], "only sygo has"), (["--hidden", "64"], "only shogi has")] {
            let typed = Typed::try_parse_from(
                [&["train", "--game", "reversi", "--out", "none.bin"], &words[..]].concat(),
            );
            let reason = format!("{:#}", typed.expect("known options").args.run().expect_err(words[0]));
            assert!(reason.contains(said), "{reason}");
        }
    }
}
