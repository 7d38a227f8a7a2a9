//! `kaeshi data`: files of positions for training.

use crate::commands::choice::{Choice, Tool};
use crate::tasks::{Offer, Tasks, data::Common};

/// Convert, count, shuffle and deduplicate positions for training, also of other programs.
///
/// Reads the games of `kaeshi selfplay`, PackedSfenValue (.psv, .bin) and hcpe (.hcpe); writes the latter two.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    choice: Choice<Data>,
}

#[derive(Debug)]
struct Data;

impl Tool for Data {
    type Common = Common;

    fn offer(tasks: &'static Tasks) -> Option<&'static Offer<Common>> {
        tasks.data.as_ref()
    }
}

impl Args {
    /// Reads, writes, and says how many.
    ///
    /// # Errors
    /// Files that cannot be read or written, or hold something else.
    pub fn run(self) -> anyhow::Result<()> {
        self.choice.run(&self.common).map(|_| ())
    }
}
