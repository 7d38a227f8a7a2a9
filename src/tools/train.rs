//! `kaeshi train`: fits an evaluation to self-played games.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::games::GameName;
use crate::reversi::train::{Recipe, fit};
use crate::reversi::weights::Weights;
use crate::reversi::{calibrate, record};
use crate::tools::progress_bar;

/// Fit an evaluation to the games of `kaeshi selfplay`.
///
/// One game in twenty is not learned from; the error told for each stage is that on these.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The game
    #[arg(long, value_enum, default_value = "reversi")]
    pub game: GameName,
    /// Files of games, or folders of such files
    #[arg(required = true)]
    pub data: Vec<PathBuf>,
    /// The file of weights to write
    #[arg(long)]
    pub out: PathBuf,
    /// Instead of fitting weights, compare searches of up to so many plies with the shallow ones of
    /// ProbCut, and print the fitted deviation; --out then receives the comparisons as text
    #[arg(long, value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(3..=16))]
    pub probcut: Option<u32>,
    /// With --probcut, take one position in so many
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub step: u32,
    /// Passes over the positions
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub epochs: u16,
    /// Share of the game's result in what is learned, from 0 to 1; the rest is the value found
    #[arg(long, default_value_t = 0.3)]
    pub result: f32,
}

impl Args {
    /// Reads, fits, writes; prints the error of each stage in discs.
    ///
    /// # Errors
    /// Options that do not fit, files that cannot be read or written, or no games at all.
    pub fn run(self) -> anyhow::Result<()> {
        if self.game != GameName::Reversi {
            bail!("training is there for Reversi only, not for {}", self.game.name());
        }
        if !(0.0..=1.0).contains(&self.result) {
            bail!("--result {} lies outside 0 to 1", self.result);
        }
        let mut games = Vec::new();
        for path in files(&self.data)? {
            games.extend(record::read(&path).with_context(|| path.display().to_string())?);
        }
        if games.is_empty() {
            bail!("no games in what was given");
        }
        println!("games {}", games.len());
        if let Some(depth) = self.probcut {
            return self.calibrate(&games, depth);
        }
        let bar = progress_bar(crate::reversi::weights::STAGES as u64, "stages");
        let recipe = Recipe { epochs: usize::from(self.epochs), result: self.result };
        let weights = fit(&games, recipe, |fit| {
            bar.inc(1);
            let (stage, samples, error) = (fit.stage, fit.samples, fit.error);
            bar.suspend(|| println!("stage {stage} positions {samples} error {error:.2}"));
        });
        bar.finish_and_clear();
        write_whole(&self.out, &weights.to_bytes())
    }
}

impl Args {
    fn calibrate(&self, games: &[record::Record], depth: u32) -> anyhow::Result<()> {
        let weights = Weights::embedded()?;
        let comparisons = calibrate::compare(games, &weights, depth, self.step as usize)?;
        let mut text = String::from("empties depth reduced difference\n");
        for c in &comparisons {
            text += &format!("{} {} {} {}\n", c.empties, c.depth, c.reduced, c.difference);
        }
        write_whole(&self.out, text.as_bytes())?;
        let [constant, empties, deep, shallow] = calibrate::fit(&comparisons);
        println!("comparisons {}", comparisons.len());
        println!(
            "deviation {constant:.4} {empties:+.4} * empties {deep:+.4} * depth {shallow:+.4} * reduced"
        );
        Ok(())
    }
}

/// The files themselves and those in the folders given, in a fixed order.
fn files(given: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in given {
        if path.is_dir() {
            let inside = std::fs::read_dir(path).with_context(|| path.display().to_string())?;
            let mut inside: Vec<PathBuf> =
                inside.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
            inside.retain(|path| path.extension().is_some_and(|extension| extension == "krg"));
            inside.sort();
            files.extend(inside);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Writes a file that is there either whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(|| folder.display().to_string())?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).with_context(|| path.display().to_string())?;
    Ok(())
}
