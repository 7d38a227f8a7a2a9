//! `kaeshi bench`: a fixed search of every game, whose node counts identify how a build plays; and
//! the experiments of the article that this project began with.

mod cache;
mod ideas;
mod output;

use std::path::PathBuf;
use std::time::Instant;

use kaeshi_core::driver as engine;
use kaeshi_core::game::{Game, GameError};
use kaeshi_engine::games::{GameName, GameVisitor};
use kaeshi_system::output::{check_places, named_files, print};

/// Search a fixed set of positions of every game and count the nodes.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchArgs {
    #[command(subcommand)]
    experiment: Option<Experiment>,
}

#[derive(Debug, clap::Subcommand)]
enum Experiment {
    Ideas(ideas::IdeasBenchArgs),
    Cache(cache::CacheBenchArgs),
}

/// The options of both experiments.
#[derive(Debug, clap::Args)]
struct BenchOptions {
    /// The game
    #[arg(long, value_enum, default_value_t = GameName::USUAL)]
    game: GameName,
    /// Where to search, as after the protocol's word `position`
    #[arg(long, value_name = "TEXT", default_value = "startpos", allow_hyphen_values = true)]
    position: String,
    /// An option of the game, for instance BoardSize=5
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// One JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Also draw the chart there
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl BenchOptions {
    /// Whether the chart can be written: an experiment takes minutes.
    fn check_outputs(&self) -> anyhow::Result<()> {
        check_places(&named_files(&[("--svg", &self.svg)]))
    }
}

impl BenchArgs {
    /// Prints `Bench: shogi N reversi N sygo N` and, as the last line, `N nodes M nps` over all games, which
    /// OpenBench and its relatives look for; or the tables of an experiment.
    ///
    /// # Errors
    /// If a game does not load, a position does not parse, or the chart cannot be written.
    pub fn run(self) -> anyhow::Result<()> {
        match self.experiment {
            None => signature(),
            Some(Experiment::Ideas(args)) => args.run(),
            Some(Experiment::Cache(args)) => args.run(),
        }
    }
}

fn signature() -> anyhow::Result<()> {
    let mut signature = String::from("Bench:");
    let (mut all_nodes, mut all_seconds) = (0, 0.0);
    for game in GameName::ALL {
        let started = Instant::now();
        let nodes = game.visit(Bench)?;
        let seconds = started.elapsed().as_secs_f64();
        print(format_args!(
            "{}: {nodes} nodes, {seconds:.2} s, {:.0} nodes/s",
            game.name(),
            nodes as f64 / seconds.max(1e-9)
        ))?;
        signature += &format!(" {} {nodes}", game.name());
        all_nodes += nodes;
        all_seconds += seconds;
    }
    print(signature)?;
    Ok(print(format_args!("{all_nodes} nodes {:.0} nps", all_nodes as f64 / all_seconds.max(1e-9)))?)
}

struct Bench;

impl GameVisitor for Bench {
    type Output = Result<u64, GameError>;

    fn visit<G: Game>(self) -> Self::Output {
        engine::bench::<G>()
    }
}
