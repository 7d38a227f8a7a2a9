//! `kaeshi data`: files of positions for training.

use crate::commands::per_game_options::{PerGameOptions, Tool};
use crate::tasks::{Offer, Tasks, data::DataOptions};

/// Convert, count, shuffle, deduplicate and rescore positions for training, also of other programs.
///
/// Reads the games of `kaeshi selfplay`, PackedSfenValue (.psv, .bin) and hcpe (.hcpe); writes the latter two.
#[derive(Debug, clap::Args)]
pub struct DataArgs {
    #[command(flatten)]
    common: DataOptions,
    #[command(flatten)]
    choice: PerGameOptions<DataTool>,
}

#[derive(Debug)]
struct DataTool;

impl Tool for DataTool {
    type Common = DataOptions;

    fn offer(tasks: &'static Tasks) -> Option<&'static Offer<DataOptions>> {
        tasks.data.as_ref()
    }
}

impl DataArgs {
    /// Reads, writes, and says how many.
    ///
    /// # Errors
    /// Files that cannot be read or written, or hold something else.
    pub fn run(self) -> anyhow::Result<()> {
        self.choice.run(&self.common).map(|_| ())
    }
}
