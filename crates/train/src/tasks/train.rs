//! Training: the options that all games share.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::GameError;
use kaeshi_system::output::{beside, check_distinct, check_places};

/// The message if the files hold no games.
pub const NO_GAMES: &str =
    "no games in these files; play some by `kaeshi selfplay --game GAME --out FOLDER`, and name FOLDER";

/// The options of all games.
#[derive(Debug, clap::Args)]
pub struct TrainOptions {
    /// Files of games, or folders of such files; in shogi also files of positions (PSV: .psv, .bin; hcpe:
    /// .hcpe), of which each has its own value alone; in Sygo the network is learned from them, and without any the
    /// parameters of the evaluation are tuned by self-play
    pub data: Vec<PathBuf>,
    /// The file of weights to write
    #[arg(long)]
    pub out: PathBuf,
    /// Passes over the positions [default: 10 in Reversi, 30 in shogi, 4 in Sygo]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub epochs: Option<u16>,
    /// Weight of the game's result in the target (WDL weight), from 0 to 1; the rest is the value found
    /// [default: 0.3 in Reversi, 0 in shogi]
    #[arg(long, alias = "wdl")]
    pub result: Option<f32>,
    /// Lambda of TD(lambda), from 0 to 1: the share of the values of later plies in the target
    /// [default: 0 in Reversi, 0.9 in shogi and Sygo]
    #[arg(long, alias = "later")]
    pub lambda: Option<f32>,
    /// Makes the training reproducible, where chance is at work [default: 1]
    #[arg(long)]
    pub seed: Option<u64>,
    /// Threads [default: 1]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub threads: Option<u16>,
}

impl TrainOptions {
    /// The files of games, of which there must be some.
    ///
    /// # Errors
    /// If there are none.
    pub fn data(&self) -> anyhow::Result<&[PathBuf]> {
        if self.data.is_empty() {
            bail!("no files of games: name those of kaeshi selfplay, or their folder");
        }
        Ok(&self.data)
    }

    /// Checks that the weights and the files beside them replace no file of games.
    ///
    /// # Errors
    /// They would, or cannot be written there.
    pub fn check_outputs(&self) -> anyhow::Result<()> {
        check_places(&[("--out", &self.out)])?;
        let mut read = Vec::new();
        for path in &self.data {
            read.extend(files::files_below(path)?);
        }
        let read: Vec<(&str, &Path)> = read.iter().map(|path| ("an input", path.as_path())).collect();
        self.check_reads(&read)
    }

    /// Whether the file that training begins with, which `option` names, is none of those that it writes. After an
    /// interruption the same command would begin with something else.
    ///
    /// # Errors
    /// It is.
    pub fn check_start(&self, option: &str, start: Option<&Path>) -> anyhow::Result<()> {
        let read: Vec<(&str, &Path)> = start.map(|path| (option, path)).into_iter().collect();
        self.check_reads(&read)
    }

    fn check_reads(&self, read: &[(&str, &Path)]) -> anyhow::Result<()> {
        let besides = ["state", "txt", "svg", "toml"].map(|extension| beside(&self.out, extension));
        let mut written = vec![("--out", self.out.as_path())];
        written.extend(besides.iter().map(|path| ("--out", path.as_path())));
        check_distinct(read, &written)
    }

    /// Threads to work with.
    pub fn threads(&self) -> u16 {
        self.threads.unwrap_or(1)
    }

    /// The weight of the result, where `usual` is what a game takes unasked.
    ///
    /// # Errors
    /// A share outside 0 to 1.
    pub fn result(&self, usual: f32) -> anyhow::Result<f32> {
        share("--result", self.result.unwrap_or(usual))
    }

    /// Lambda, where `usual` is what a game takes unasked.
    ///
    /// # Errors
    /// A share outside 0 to 1.
    pub fn lambda(&self, usual: f32) -> anyhow::Result<f32> {
        share("--lambda", self.lambda.unwrap_or(usual))
    }
}

/// Resumes from the state in the file `kept`, if there is one: `resume` gets its content. Returns whether there was
/// one.
///
/// # Errors
/// It cannot be read, or `resume` refuses it.
pub fn go_on(kept: &Path, resume: impl FnOnce(&[u8]) -> Result<(), GameError>) -> anyhow::Result<bool> {
    match files::read(kept, FileKind::TRAINING) {
        Ok(bytes) => {
            let refused = || format!("cannot go on from {}; remove it to begin anew", kept.display());
            resume(&bytes).with_context(refused)?;
            Ok(true)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", kept.display())),
    }
}

fn share(name: &str, share: f32) -> anyhow::Result<f32> {
    if !(0.0..=1.0).contains(&share) {
        bail!("{name} {share} lies outside 0 to 1");
    }
    Ok(share)
}
