//! `kaeshi bench cache`: how deep repeated requests for a position go with a cache that outlives
//! them, beside one long request without any.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Serialize;

use super::BenchOptions;
use super::output::{Curve, draw, table};
use crate::perft;
use kaeshi_core::driver::bench::BenchDeepening;
use kaeshi_core::driver::machine;
use kaeshi_core::game::control::{SearchControl, Signal};
use kaeshi_core::game::search::SearchRoot;
use kaeshi_core::game::{Game, GameError, GameSearch, SearchMemory, Worker, WorkerShared};
use kaeshi_core::reference::{Method, Reference};
use kaeshi_engine::games::GameVisitor;
use kaeshi_system::output::{print, remark};

/// No search gets so deep.
const ENDLESS: u16 = u16::MAX;

/// Depth reached by repeated short requests with the cache, and by a long one without it.
///
/// The article's alpha-beta search has no cache at all in the long request; the strong search, which
/// would be another one without its table, begins with an empty one. With --nodes the depths are
/// the same on every machine.
#[derive(Debug, clap::Args)]
pub(super) struct CacheBenchArgs {
    #[command(flatten)]
    common: BenchOptions,
    /// Time of a request, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    time: u64,
    /// The same in nodes, instead of time
    #[arg(long, conflicts_with = "time", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// How many requests
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    requests: u32,
    /// The positions of `kaeshi bench` instead of one: how the requests that reach the depth spread
    #[arg(long, conflicts_with_all = ["position", "svg"])]
    bench_positions: bool,
    /// Table of the strong search in MiB
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: u32,
}

impl CacheBenchArgs {
    /// Measures and prints.
    ///
    /// # Errors
    /// An option or position that is wrong, too little memory, or a chart that cannot be written.
    pub(super) fn run(self) -> anyhow::Result<()> {
        self.common.check_outputs()?;
        self.common.game.visit(CacheMeasurement(self))
    }

    /// A control that ends after the time of `requests` requests, begun now.
    fn control(&self, requests: u32) -> SearchControl {
        if let Some(nodes) = self.nodes {
            return SearchControl::with_nodes(nodes.saturating_mul(u64::from(requests)));
        }
        let signal = Signal::new(Instant::now(), 1, None);
        signal.set_deadline(Some(Duration::from_millis(self.time) * requests));
        SearchControl::new(signal, 0)
    }

    fn unit(&self) -> String {
        match self.nodes {
            Some(nodes) => format!("{nodes} nodes"),
            None => format!("{} ms", self.time),
        }
    }
}

#[derive(Serialize)]
struct CacheReport {
    game: &'static str,
    position: String,
    request: String,
    searches: Vec<CacheSearch>,
}

#[derive(Serialize)]
struct CacheSearch {
    name: &'static str,
    /// Depth after each request with the cache.
    with: Vec<u16>,
    /// Depth that one request of 1, 2 ... times the cost reaches without it, or begun anew.
    without: Vec<u16>,
}

struct CacheMeasurement(CacheBenchArgs);

impl GameVisitor for CacheMeasurement {
    type Output = anyhow::Result<()>;

    fn visit<G: Game>(self) -> anyhow::Result<()> {
        let CacheMeasurement(args) = self;
        let common = &args.common;
        let game = Arc::new(perft::load::<G>(&common.options)?);
        let reports = if args.bench_positions {
            let all = G::bench().iter().map(|&(text, _)| args.report(&game, text));
            all.collect::<anyhow::Result<Vec<CacheReport>>>()?
        } else {
            vec![args.report(&game, &common.position)?]
        };
        if let (Some(path), [report]) = (&common.svg, &reports[..]) {
            report.draw(path)?;
        }
        let text = match &reports[..] {
            [report] if common.json => serde_json::to_string(report)?,
            reports if common.json => serde_json::to_string(reports)?,
            [report] => report.text(),
            reports => spread(reports),
        };
        Ok(print(text)?)
    }
}

impl CacheBenchArgs {
    /// Measures at one position.
    fn report<G: Game>(&self, game: &Arc<G>, text: &str) -> anyhow::Result<CacheReport> {
        let position = game.parse_position(text).with_context(|| format!("position '{text}'"))?;
        let shared = |bytes: usize| -> Result<Arc<WorkerShared<G>>, GameError> {
            let memory = Arc::new(G::Memory::with_bytes(bytes)?);
            Ok(Arc::new(WorkerShared { game: Arc::clone(game), memory, threads: 1 }))
        };
        let article = |cached| -> anyhow::Result<Box<dyn Worker<G>>> {
            Ok(Box::new(Reference::with(shared(0)?, Method::AlphaBeta, cached).ordered()))
        };
        let strong = || -> anyhow::Result<Box<dyn Worker<G>>> {
            let (shared, mib) = machine::fitting(self.hash as usize, 0, shared)?;
            machine::smaller(self.hash as usize, mib).into_iter().for_each(remark);
            Ok(Box::new(G::Worker::new(shared, 0)?))
        };
        let pairs = [("alpha-beta", article(true)?, article(false)?), ("strong", strong()?, strong()?)];
        let mut searches = Vec::new();
        for (name, with, without) in pairs {
            remark(format_args!("{name} with the cache, {text} ..."));
            let mut search = BenchDeepening::new(with, SearchRoot::new(position.clone()));
            let with = (0..self.requests)
                .map(|_| {
                    search.deepen(ENDLESS, &self.control(1), |_| {});
                    search.depth()
                })
                .collect();
            remark(format_args!("{name} without it ..."));
            searches.push(CacheSearch { name, with, without: self.alone::<G>(without, position.clone()) });
        }
        Ok(CacheReport { game: G::NAME, position: text.to_owned(), request: self.unit(), searches })
    }
}

impl CacheBenchArgs {
    /// The depths that one search has reached after 1, 2 ... times the cost of a request.
    fn alone<G: GameSearch>(&self, worker: Box<dyn Worker<G>>, position: G::Position) -> Vec<u16> {
        let control = self.control(self.requests);
        let begun = Instant::now();
        let mut reached: Vec<(f64, u16)> = Vec::new();
        BenchDeepening::new(worker, SearchRoot::new(position)).deepen(ENDLESS, &control, |stage| {
            let spent = match self.nodes {
                Some(nodes) => control.nodes() as f64 / nodes as f64,
                None => begun.elapsed().as_secs_f64() * 1_000.0 / self.time as f64,
            };
            reached.push((spent, stage.depth));
        });
        let depth_at = |times: u32| {
            let before = reached.iter().filter(|(spent, _)| *spent <= f64::from(times));
            before.map(|(_, depth)| *depth).max().unwrap_or(0)
        };
        (1..=self.requests).map(depth_at).collect()
    }
}

/// The requests that tables have columns for: 1, 2, 5, 10 ... and the last one.
fn shown(requests: usize) -> Vec<usize> {
    let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10usize.pow(power)));
    let mut shown: Vec<usize> = steps.take_while(|step| *step < requests).collect();
    shown.push(requests);
    shown
}

impl CacheSearch {
    /// The depth that one long request reaches without the cache.
    fn goal(&self) -> u16 {
        self.without.last().copied().unwrap_or(0)
    }

    /// The first request with the cache that reaches that depth, counted from 1.
    fn reached_from(&self) -> Option<usize> {
        self.with.iter().position(|depth| *depth >= self.goal()).map(|index| index + 1)
    }
}

/// For each search, the distribution of the requests needed to reach the depth of one long request.
fn spread(reports: &[CacheReport]) -> String {
    let head = ["search", "positions", "reached in", "first", "median", "last"].map(str::to_owned);
    let searches = reports.first().map_or(0, |report| report.searches.len());
    let rows: Vec<Vec<String>> = (0..searches)
        .map(|index| {
            let all: Vec<&CacheSearch> =
                reports.iter().filter_map(|report| report.searches.get(index)).collect();
            let mut from: Vec<usize> = all.iter().filter_map(|search| search.reached_from()).collect();
            from.sort_unstable();
            let reached = from.len();
            // The positions that never reach it come last.
            from.resize(all.len(), usize::MAX);
            let request = |place: usize| match from.get(place) {
                Some(&usize::MAX) | None => "never".to_owned(),
                Some(request) => request.to_string(),
            };
            let name = all.first().map_or("", |search| search.name).to_owned();
            let ends = [request(0), request((all.len() - 1) / 2), request(all.len() - 1)];
            [name, all.len().to_string(), reached.to_string()].into_iter().chain(ends).collect()
        })
        .collect();
    let (requests, unit) = reports.first().map_or((0, ""), |report| {
        (report.searches.first().map_or(0, |search| search.with.len()), &report.request)
    });
    let text = table(&head, &rows);
    format!(
        "{text}\n\nfirst, median, last: the request of {unit} that reaches the depth of {requests} in one"
    )
}

impl CacheReport {
    fn text(&self) -> String {
        let requests = self.searches.first().map_or(0, |search| search.with.len());
        let shown = shown(requests);
        let head: Vec<String> = ["depth after".to_owned()]
            .into_iter()
            .chain(shown.iter().map(|step| format!("{step} x {}", self.request)))
            .collect();
        let mut rows = Vec::new();
        let mut remarks = String::new();
        for search in &self.searches {
            for (how, depths) in [("requests", &search.with), ("one request", &search.without)] {
                let cells = shown.iter().map(|step| depths[step - 1].to_string());
                rows.push([format!("{}, {how}", search.name)].into_iter().chain(cells).collect());
            }
            let goal = search.goal();
            let from = search
                .reached_from()
                .map_or("by none of the requests".to_owned(), |first| format!("from request {first} on"));
            remarks += &format!(
                "\n{}: the depth of one request of {requests} x {} ({goal}) is reached {from}",
                search.name, self.request
            );
        }
        format!("{}\n{remarks}", table(&head, &rows))
    }

    fn draw(&self, path: &Path) -> anyhow::Result<()> {
        let curve = |name: String, depths: &[u16]| {
            let point = |(index, depth): (usize, &u16)| (((index + 1) as f64).log10(), f64::from(*depth));
            Curve { name, points: depths.iter().enumerate().map(point).collect() }
        };
        let curves: Vec<Curve> = self
            .searches
            .iter()
            .flat_map(|search| {
                [
                    curve(format!("{}, requests", search.name), &search.with),
                    curve(format!("{}, one request", search.name), &search.without),
                ]
            })
            .collect();
        let title = format!("Depth with and without the cache, {}", self.game);
        draw(path, &title, (&format!("times {}", self.request), "depth"), true, &curves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_that_never_reach_the_depth_come_last() {
        let report = |with: &[u16]| CacheReport {
            game: "shogi",
            position: "startpos".into(),
            request: "9 nodes".into(),
            searches: vec![CacheSearch { name: "alpha-beta", with: with.to_vec(), without: vec![1, 2, 3] }],
        };
        let reports = [report(&[1, 3, 3]), report(&[1, 2, 2]), report(&[3, 3, 3])];
        let text = spread(&reports);
        assert!(text.contains("| alpha-beta | 3         | 2          | 1     | 2      | never |"), "{text}");
    }

    #[test]
    fn tables_tell_round_numbers_and_the_last() {
        assert_eq!(shown(1), [1]);
        assert_eq!(shown(20), [1, 2, 5, 10, 20]);
        assert_eq!(shown(30), [1, 2, 5, 10, 20, 30]);
    }
}
