//! Some pairs of an iteration, played by themselves: what a pool's worker does.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use crate::tasks::spsa::{SpsaIteration, TuningSubject};
use crate::tasks::tune::TuneOptions;
use kaeshi_core::files::{self, FileKind};
use kaeshi_match::tournament::args::pairs;
use kaeshi_match::tournament::identity::hash_text;
use kaeshi_match::tournament::run::state::Participant;
use kaeshi_system::output::write_whole;

/// The options for a part.
#[derive(Debug, Default, clap::Args)]
pub struct PartArgs {
    /// Where an iteration begins, as the collector of a pool has written it.
    #[arg(long, hide = true, value_name = "FILE", requires = "only")]
    step: Option<PathBuf>,
    /// Play only these pairs of it, and write what they gained to --out.
    #[arg(long, hide = true, value_name = "FROM-TO", value_parser = pairs, requires = "step")]
    only: Option<Range<u64>>,
}

/// A part that is asked for.
#[derive(Debug)]
pub struct PartRequest<'a> {
    step: &'a Path,
    pairs: Range<u64>,
}

/// The result of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningPart {
    /// SHA-256 of the step that it was played from.
    pub step: String,
    /// Number of its first pair.
    pub from: u64,
    /// Points gained by the step forward in each pair, -2 to 2.
    pub gains: Vec<f64>,
    /// The player, if it was an external engine.
    pub player: Option<Participant>,
}

impl PartArgs {
    /// The part that is asked for, if one is.
    pub fn asked(&self) -> Option<PartRequest<'_>> {
        Some(PartRequest { step: self.step.as_deref()?, pairs: self.only.clone()? })
    }
}

impl PartRequest<'_> {
    /// Plays the pairs, and writes the result.
    ///
    /// # Errors
    /// A step of another tuning, pairs of another iteration; what stops a game.
    pub fn play(
        self,
        common: &TuneOptions,
        subject: &dyn TuningSubject,
        player: Option<Participant>,
    ) -> anyhow::Result<()> {
        let shown = || self.step.display().to_string();
        let text = files::read_text(self.step, FileKind::STATE)
            .with_context(|| format!("cannot read {}", shown()))?;
        let step: SpsaIteration = toml::from_str(&text).with_context(shown)?;
        if self.pairs.end > common.pairs {
            bail!("--only: there are {} pairs, counted from 0", common.pairs);
        }
        let from = self.pairs.start;
        let gains = step.play(subject, common.seed, self.pairs.clone()).with_context(shown)?;
        let part = TuningPart { step: hash_text(&text), from, gains, player };
        write_whole(&common.out, toml::to_string(&part)?.as_bytes())
    }
}
