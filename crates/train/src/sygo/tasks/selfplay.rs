//! Self-play of Sygo.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};

use crate::tasks::GameTask;
use crate::tasks::selfplay::SelfplayOptions;
use kaeshi_core::files::{self, FileKind};
use kaeshi_learn::selfplay::Series;
use kaeshi_learn::sygo::selfplay::SygoSelfplayConfig;
use kaeshi_sygo::SygoSearchMethod;
use kaeshi_sygo::evaluate::SygoWeights;
use kaeshi_sygo::evaluate::parameters;
use kaeshi_sygo::network::QuantizedSygoNetwork;
use kaeshi_sygo::rules::points::{SIZE_MAX, SIZE_MIN};

const SIZE: usize = 9;
const ITERATION: u16 = 2;
const RANDOM: (u32, u32) = (4, 4);

/// The options of Sygo alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Sygo")]
pub(super) struct SygoSelfplayOptions {
    /// Board size [default: 9]
    #[arg(long, value_parser = clap::value_parser!(u16).range(SIZE_MIN as i64..=SIZE_MAX as i64))]
    size: Option<u16>,
    /// Iteration of the search that decides a turn: wider and deeper with each [default: 2]
    #[arg(long, alias = "rung", value_parser = clap::value_parser!(u16).range(1..=60))]
    iteration: Option<u16>,
    /// The search of both players [default: alpha-beta]
    #[arg(long, value_enum)]
    searcher: Option<SygoSearchMethod>,
    /// The network of the Monte-Carlo search [default: the one in the program]
    #[arg(long, value_name = "FILE")]
    network: Option<String>,
    /// After the beginning one turn in N is drawn from those that look best; 0 for none [default: 0]
    #[arg(long)]
    strays: Option<u32>,
}

impl GameTask<SelfplayOptions> for SygoSelfplayOptions {
    fn run(&self, common: &SelfplayOptions) -> anyhow::Result<ExitCode> {
        let searcher = self.searcher.unwrap_or(SygoSearchMethod::AlphaBeta);
        if self.network.is_some() && searcher != SygoSearchMethod::MonteCarlo {
            bail!(
                "--network: --searcher {} has no network; give --searcher {}",
                searcher.name(),
                SygoSearchMethod::MonteCarlo.name()
            );
        }
        let plan = SygoSelfplayConfig {
            size: self.size.map_or(SIZE, usize::from),
            weights: weights(&common.weights)?,
            searcher,
            iteration: self.iteration.unwrap_or(ITERATION),
            network: QuantizedSygoNetwork::named(self.network.as_deref().unwrap_or_default())?,
            stray: self.strays.unwrap_or(0),
            random: common.random(RANDOM)?,
            seed: common.seed,
        };
        common.play(&plan)?;
        Ok(ExitCode::SUCCESS)
    }

    fn parts(&self, common: &SelfplayOptions) -> anyhow::Result<u64> {
        Ok(common.games.div_ceil(SygoSelfplayConfig::SHARD))
    }
}

/// The evaluation called `name`.
fn weights(name: &str) -> anyhow::Result<Arc<SygoWeights>> {
    Ok(match name {
        "embedded" => SygoWeights::embedded(),
        "hand" => Arc::new(parameters::weights(&[parameters::start(); 3])),
        file => {
            let bytes = files::read(file.as_ref(), FileKind::WEIGHTS)
                .with_context(|| format!("cannot read {file}"))?;
            Arc::new(SygoWeights::from_bytes(&bytes).with_context(|| file.to_owned())?)
        }
    })
}
