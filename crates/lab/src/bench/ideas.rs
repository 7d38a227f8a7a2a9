//! `kaeshi bench ideas`: what each of the article's ideas saves, and what the strong search adds.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use serde::Serialize;

use super::BenchOptions;
use super::output::{Curve, draw, grouped, table};
use crate::perft;
use kaeshi_core::driver::bench::BenchDeepening;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::SearchRoot;
use kaeshi_core::game::{Game, SearchMemory, Worker, WorkerShared};
use kaeshi_core::reference::{Method, Reference};
use kaeshi_engine::games::GameVisitor;
use kaeshi_system::output::{print, remark};

/// Table of the strong search.
const HASH_BYTES: usize = 64 << 20;

/// Nodes and time to a depth: minimax, alpha-beta, with ordering, with the cache, selective, strong.
///
/// Every depth includes those before it. The depth of the selective search is its minimum; the best moves go up
/// to two plies deeper. Node counts are the same on every machine, times are not.
#[derive(Debug, clap::Args)]
pub(super) struct IdeasBenchArgs {
    #[command(flatten)]
    common: BenchOptions,
    /// How deep to search
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    depth: u16,
    /// Skip an idea after this many nodes
    #[arg(long, default_value_t = 3_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    most_nodes: u64,
}

impl IdeasBenchArgs {
    /// Measures and prints.
    ///
    /// # Errors
    /// An option or position that is wrong, or a chart that cannot be written.
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.common.check_outputs()?;
        self.common.game.visit(IdeasMeasurement(self))
    }
}

#[derive(Serialize)]
struct IdeasReport {
    game: &'static str,
    position: String,
    ideas: Vec<Idea>,
}

#[derive(Serialize)]
struct Idea {
    name: &'static str,
    /// Depth by depth from 1; as many as were reached.
    iterations: Vec<IdeaCost>,
}

#[derive(Serialize)]
struct IdeaCost {
    depth: u16,
    nodes: u64,
    seconds: f64,
}

struct IdeasMeasurement(IdeasBenchArgs);

impl GameVisitor for IdeasMeasurement {
    type Output = anyhow::Result<()>;

    fn visit<G: Game>(self) -> anyhow::Result<()> {
        let IdeasMeasurement(IdeasBenchArgs { common, depth, most_nodes }) = self;
        let game = Arc::new(perft::load::<G>(&common.options)?);
        let position = game
            .parse_position(&common.position)
            .with_context(|| format!("position '{}'", common.position))?;
        let memory = Arc::new(G::Memory::with_bytes(HASH_BYTES)?);
        let shared = Arc::new(WorkerShared { game, memory, threads: 1 });
        let article = |method, cached| Reference::with(Arc::clone(&shared), method, cached);
        let selective = Method::named("selective").unwrap_or(Method::AlphaBeta);
        let workers: [(&'static str, Box<dyn Worker<G>>); 6] = [
            ("minimax", Box::new(article(Method::Minimax, false))),
            ("alpha-beta", Box::new(article(Method::AlphaBeta, false))),
            ("+ ordering", Box::new(article(Method::AlphaBeta, false).ordered())),
            ("+ cache", Box::new(article(Method::AlphaBeta, true).ordered())),
            ("+ selective", Box::new(article(selective, true).ordered())),
            ("strong", Box::new(G::Worker::new(Arc::clone(&shared), 0)?)),
        ];
        let mut ideas = Vec::new();
        for (name, worker) in workers {
            remark(format_args!("{name} ..."));
            let control = SearchControl::with_nodes(most_nodes);
            let mut iterations: Vec<IdeaCost> = Vec::new();
            let begun = Instant::now();
            BenchDeepening::new(worker, SearchRoot::new(position.clone())).deepen(depth, &control, |stage| {
                // A depth may have several iterations; the last one counts.
                iterations.retain(|iteration| iteration.depth != stage.depth);
                let seconds = begun.elapsed().as_secs_f64();
                iterations.push(IdeaCost { depth: stage.depth, nodes: control.nodes(), seconds });
            });
            ideas.push(Idea { name, iterations });
        }
        let report = IdeasReport { game: G::NAME, position: common.position, ideas };
        if let Some(path) = &common.svg {
            report.draw(path)?;
        }
        Ok(print(if common.json { serde_json::to_string(&report)? } else { report.text(depth) })?)
    }
}

impl IdeasReport {
    fn text(&self, depth: u16) -> String {
        let head = |first: &str| -> Vec<String> {
            [first.to_owned()].into_iter().chain((1..=depth).map(|depth| format!("depth {depth}"))).collect()
        };
        let rows = |cell: fn(&IdeaCost) -> String| -> Vec<Vec<String>> {
            let cell_of = |idea: &Idea, depth| {
                let iteration = idea.iterations.iter().find(|iteration| iteration.depth == depth);
                iteration.map_or("-".to_owned(), cell)
            };
            let row = |idea: &Idea| {
                let cells = (1..=depth).map(|depth| cell_of(idea, depth));
                [idea.name.to_owned()].into_iter().chain(cells).collect()
            };
            self.ideas.iter().map(row).collect()
        };
        format!(
            "{}\n\n{}",
            table(&head("nodes"), &rows(|iteration| grouped(iteration.nodes))),
            table(&head("seconds"), &rows(|iteration| format!("{:.4}", iteration.seconds)))
        )
    }

    fn draw(&self, path: &std::path::Path) -> anyhow::Result<()> {
        let curves: Vec<Curve> = self
            .ideas
            .iter()
            .map(|idea| {
                let points = idea
                    .iterations
                    .iter()
                    .map(|iteration| (f64::from(iteration.depth), (iteration.nodes.max(1) as f64).log10()))
                    .collect();
                Curve { name: idea.name.to_owned(), points }
            })
            .collect();
        let title = format!("Nodes to a depth, {}", self.game);
        draw(path, &title, ("depth", "nodes (power of ten)"), false, &curves)
    }
}
