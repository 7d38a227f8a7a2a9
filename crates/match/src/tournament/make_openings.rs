//! `kaeshi openings`: openings made of random plies, kept if an engine finds them balanced.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};

use crate::roster::{Roster, Scalar};
use kaeshi_core::game::Side;
use kaeshi_core::random::drawn_at;
use kaeshi_system::output::{Stdout, WholeFile, check_places, named_files, remark};

use super::config::{Config, EngineConfig, PlayConditions};
use super::engine_spec::resolve;
use super::openings::extend_opening;
use super::openings::symmetry::canonical;
use crate::dialogue::engine_process::leftovers::ProcessReaper;
use crate::dialogue::player::{EnginePlayer, EngineTimeouts};
use crate::dialogue::speaker::{GameStart, Times};
use kaeshi_records::referee::{RefereeRules, rules_by_name};

/// Draws in vain before the search for another opening is given up.
const MAX_ATTEMPTS: u64 = 20_000;

/// Make openings for matches: random plies, unique up to symmetry, balanced by an engine's judgement
#[derive(Debug, clap::Args)]
pub struct OpeningsArgs {
    /// The game: shogi, reversi or sygo
    #[arg(long)]
    game: String,
    /// Board size, for Sygo
    #[arg(long)]
    size: Option<u8>,
    /// Random plies
    #[arg(long, default_value_t = 8)]
    plies: u32,
    /// How many openings
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// Decides what is drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The engine that judges, by its name in engines.toml or described as for `kaeshi match`
    #[arg(long, num_args = 1.., value_name = "NAME or KEY=VALUE")]
    engine: Vec<String>,
    /// Keep openings with a score between minus this and this, in hundredths
    #[arg(long, default_value_t = 100, requires = "engine", value_parser = clap::value_parser!(i32).range(0..))]
    window: i32,
    /// Nodes for every judgement
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// A roster of engines instead of engines.toml here
    #[arg(long = "engines", alias = "roster", value_name = "FILE")]
    roster: Option<PathBuf>,
    /// Write to this file instead of stdout
    #[arg(long)]
    out: Option<PathBuf>,
}

impl OpeningsArgs {
    /// Makes the openings.
    ///
    /// # Errors
    /// No such game or engine; too few openings pass; the file cannot be written.
    pub fn run(self) -> anyhow::Result<()> {
        let rules = rules_by_name(&self.game)?;
        let usual = GameStart::usual(&*rules, self.size).map_err(anyhow::Error::msg)?;
        check_places(&named_files(&[("--out", &self.out)]))?;
        let mut judge = self.judge(&usual)?;
        let mut whole = self.out.as_deref().map(WholeFile::create).transpose()?;
        let mut stdout = Stdout;
        let out: &mut dyn Write = match &mut whole {
            Some(file) => file,
            None => &mut stdout,
        };
        let mut seen = BTreeSet::new();
        let (mut found, mut vain, mut drawn) = (0, 0, 0);
        while found < self.count {
            drawn += 1;
            vain += 1;
            if vain > MAX_ATTEMPTS {
                bail!("only {found} openings of {} plies pass after {drawn} draws", self.plies);
            }
            let seed = drawn_at(self.seed, drawn);
            let start = extend_opening(&*rules, &usual, self.plies, seed).map_err(anyhow::Error::msg)?;
            if !seen.insert(key(&*rules, &start)?) {
                continue;
            }
            let score = match &mut judge {
                Some(judge) => {
                    let score = judge.score(&start)?;
                    if score.is_none_or(|score| score.abs() > self.window) {
                        continue;
                    }
                    score
                }
                None => None,
            };
            match score {
                Some(score) => writeln!(out, "{} ; score {score}", start.text())?,
                None => writeln!(out, "{}", start.text())?,
            }
            (found, vain) = (found + 1, 0);
        }
        out.flush()?;
        if let Some(file) = whole {
            file.finish()?;
        }
        remark(format_args!(
            "{found} openings of {} plies out of {drawn} draws, seed {}",
            self.plies, self.seed
        ));
        Ok(())
    }

    fn judge(&self, usual: &GameStart) -> anyhow::Result<Option<OpeningJudge>> {
        let engine = match self.engine.as_slice() {
            [] => return Ok(None),
            [name]
                if !name.contains('=') || name.split('=').next().is_some_and(|head| head.contains(':')) =>
            {
                EngineConfig::from_name(name)?
            }
            words => EngineConfig::from_words(words)?,
        };
        let nodes = Some(Scalar(self.nodes.to_string()));
        let config =
            Config { terms: PlayConditions { nodes, ..PlayConditions::default() }, ..Config::default() };
        let roster = Roster::load(self.roster.as_deref())?;
        let spec = Arc::new(resolve(&engine, &config, &roster, &self.game)?);
        let name = spec.name.clone();
        let mut player =
            EnginePlayer::new(spec, Arc::new(ProcessReaper::default()), EngineTimeouts::scaled(1.0), None);
        player.try_start(usual).with_context(|| format!("engine {name}"))?;
        Ok(Some(OpeningJudge { player }))
    }
}

/// What makes two openings the same: the position, up to symmetry.
fn key(rules: &dyn RefereeRules, start: &GameStart) -> anyhow::Result<String> {
    let board = start.board(rules).map_err(anyhow::Error::msg)?;
    Ok(canonical(rules.facts().boards.symmetry, &*board))
}

struct OpeningJudge {
    player: EnginePlayer,
}

impl OpeningJudge {
    /// The score of the side to move; `None` if the engine states none, or a mate.
    fn score(&mut self, start: &GameStart) -> anyhow::Result<Option<i32>> {
        let limit = self.player.spec().limit;
        let me = match start.turns.last() {
            Some((side, _)) => side.other(),
            None => start.mover.unwrap_or(Side::First),
        };
        let times = Times { me, limits: [limit, limit], rest_us: [0, 0], moves_to_go: [None; 2] };
        self.player.new_game(start, &times)?;
        let thought = self.player.think(&times, None, None);
        if let Err(trouble) = thought.said {
            bail!("engine {} does not judge {}: {trouble:?}", self.player.spec().name, start.text());
        }
        Ok(thought.record.cp.filter(|_| thought.record.mate.is_none()))
    }
}
