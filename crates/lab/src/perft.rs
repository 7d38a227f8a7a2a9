//! `kaeshi perft`: counts the turn sequences of a position; the proof of a rule book.

use std::time::Instant;

use anyhow::{Context, anyhow};

use kaeshi_core::game::Game;
use kaeshi_core::game::options::find;
use kaeshi_engine::games::{GameName, GameVisitor};
use kaeshi_system::output::{print, remark};

/// Count the turn sequences of exactly DEPTH turns.
#[derive(Debug, clap::Args)]
pub struct PerftArgs {
    /// The game
    #[arg(long, value_enum, default_value_t = GameName::USUAL)]
    pub game: GameName,
    /// Where to begin, as after the protocol's word `position`
    #[arg(long, value_name = "TEXT", default_value = "startpos", allow_hyphen_values = true)]
    pub position: String,
    /// An option of the game, for instance BoardSize=5
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub options: Vec<String>,
    /// Show the count below every first turn
    #[arg(long)]
    pub divide: bool,
    /// Make every turn of the last ply instead of only counting them
    #[arg(long)]
    pub no_bulk: bool,
    /// Number of turns
    pub depth: u32,
}

impl PerftArgs {
    /// Prints `nodes N` as the last line.
    ///
    /// # Errors
    /// A position or an option that is wrong.
    pub fn run(self) -> anyhow::Result<()> {
        self.game.visit(Perft(self))
    }
}

struct Perft(PerftArgs);

impl GameVisitor for Perft {
    type Output = anyhow::Result<()>;

    fn visit<G: Game>(self) -> anyhow::Result<()> {
        let args = self.0;
        let game = load::<G>(&args.options)?;
        let position =
            game.parse_position(&args.position).with_context(|| format!("position '{}'", args.position))?;
        let count = if args.no_bulk { G::perft_making_all } else { G::perft };
        let started = Instant::now();
        let nodes = if args.divide && args.depth > 0 {
            let mut sum = 0;
            for turn in game.turns(&position) {
                let text = game.format_turn(&position, &turn);
                let mut next = position.clone();
                game.play(&mut next, &turn);
                let nodes = count(&game, &next, args.depth - 1);
                print(format_args!("{text} {nodes}"))?;
                sum += nodes;
            }
            sum
        } else {
            count(&game, &position, args.depth)
        };
        let seconds = started.elapsed().as_secs_f64();
        remark(format_args!(
            "{seconds:.3} s, {:.1} million a second",
            nodes as f64 / seconds.max(1e-9) / 1e6
        ));
        Ok(print(format_args!("nodes {nodes}"))?)
    }
}

/// The game with options given as NAME=VALUE.
///
/// # Errors
/// An option the game does not have, or a value it does not take.
pub fn load<G: Game>(options: &[String]) -> anyhow::Result<G> {
    let specs = G::options();
    let mut settings = G::Settings::default();
    for option in options {
        let (name, value) =
            option.split_once('=').ok_or_else(|| anyhow!("option '{option}' is not NAME=VALUE"))?;
        let spec = find(&specs, name).ok_or_else(|| {
            let known: Vec<_> = specs.iter().map(|spec| spec.line.name).collect();
            anyhow!("{} has no option '{name}'; it has: {}", G::NAME, known.join(" "))
        })?;
        spec.apply(&mut settings, value)?;
    }
    Ok(G::load(&settings)?)
}
