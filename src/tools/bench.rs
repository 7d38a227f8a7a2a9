//! `kaeshi bench`: a fixed search of every game; the node counts identify how a build plays.

use std::time::Instant;

use crate::engine;
use crate::game::{Game, Rejected};
use crate::games::{GameName, Visitor};

/// Search a fixed set of positions of every game and count the nodes.
#[derive(Debug, clap::Args)]
pub struct Args {}

impl Args {
    /// Prints `Bench: shogi N reversi N sygo N` as the last line.
    ///
    /// # Errors
    /// If a game does not load.
    pub fn run(self) -> anyhow::Result<()> {
        let mut signature = String::from("Bench:");
        for game in GameName::ALL {
            let started = Instant::now();
            let nodes = game.visit(Bench)?;
            let seconds = started.elapsed().as_secs_f64();
            println!(
                "{}: {nodes} nodes, {seconds:.2} s, {:.0} nodes/s",
                game.name(),
                nodes as f64 / seconds.max(1e-9)
            );
            signature += &format!(" {} {nodes}", game.name());
        }
        println!("{signature}");
        Ok(())
    }
}

struct Bench;

impl Visitor for Bench {
    type Output = Result<u64, Rejected>;

    fn visit<G: Game>(self) -> Self::Output {
        engine::bench::<G>()
    }
}
