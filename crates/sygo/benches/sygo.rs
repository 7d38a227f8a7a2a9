//! Speed of Sygo: `cargo bench --bench sygo`; `-- WORD` runs only the rows whose name contains WORD.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::{IterationStage, SearchRoot};
use kaeshi_core::game::{GameOptions, SearchMemory as _};
use kaeshi_core::mutex::Mutex;
use kaeshi_core::random::SplitMix;
use kaeshi_sygo::evaluate::SygoWeights;
use kaeshi_sygo::network::{QuantizedEvaluator, QuantizedSygoNetwork, SygoForwardPass, SygoNetwork};
use kaeshi_sygo::rules::board::{Colour, SygoBoard};
use kaeshi_sygo::rules::notation::parse_position;
use kaeshi_sygo::rules::points::Point;
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::search::montecarlo::{self, MctsParameters, MctsPlayout, MctsTree, MonteCarlo};
use kaeshi_sygo::search::playout::PlayoutScratch;
use kaeshi_sygo::search::propose;
use kaeshi_sygo::solve::SygoSolver;
use kaeshi_sygo::solve::common_fate::CommonFate;
use kaeshi_sygo::solve::search::SolverBudget;
use kaeshi_sygo::{Sygo, SygoSettings};

const SECONDS: f64 = 1.0;
/// Nodes of the solver for each late position.
const NODES: u64 = 20_000;
/// The iteration to which a late position is searched.
const DEPTH: u16 = 17;

fn main() {
    if is_wanted("play-outs") {
        [9, 13, 19].into_iter().for_each(playouts);
    }
    if is_wanted("late") {
        late_positions();
    }
    let weights = SygoWeights::embedded();
    for size in [9, 19] {
        let positions = game(size);
        if is_wanted("put") {
            put_and_take_back(size, &positions);
        }
        rate(&format!("evaluations, {size}x{size}"), &positions, |position| {
            black_box(weights.position(position));
        });
        let mut random = SplitMix::new(1);
        rate(&format!("play-outs of the tree search, {size}x{size}"), &positions, |position| {
            black_box(MctsPlayout::new(position, &MctsParameters::default()).run(&mut random));
        });
        rate(&format!("lists of proposed turns, {size}x{size}"), &positions, |position| {
            black_box(propose::propose(&weights, position, 12, 12));
        });
        let (network, quantized) = (SygoNetwork::embedded(), QuantizedSygoNetwork::embedded());
        let mut pass = SygoForwardPass::new(&network, size.into());
        rate(&format!("judgements of the network in 32 bits, {size}x{size}"), &positions, |position| {
            pass.run(&network, black_box(position));
        });
        let mut judge = QuantizedEvaluator::new(size.into());
        rate(&format!("judgements of the network in 8 bits, {size}x{size}"), &positions, |position| {
            judge.run(&quantized, black_box(position));
        });
    }
}

/// Positions of one random game.
fn game(size: usize) -> Vec<SygoPosition> {
    let mut playout = PlayoutScratch::new(1);
    let mut position = SygoPosition::new(size);
    let mut positions = Vec::new();
    while !position.is_over() {
        positions.push(position.clone());
        playout.turn(&mut position);
    }
    positions
}

fn playouts(size: usize) {
    let mut playout = PlayoutScratch::new(1);
    let start = Instant::now();
    let mut games = 0;
    while start.elapsed().as_secs_f64() < SECONDS {
        playout.run(&mut SygoPosition::new(size));
        games += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{:>12.0} play-outs/s, {size}x{size}, of {:.1} turns and {:.0} stones",
        f64::from(games) / seconds,
        playout.turns as f64 / f64::from(games),
        playout.stones as f64 / f64::from(games),
    );
}

/// The solver and the simulations in the tactical problems of each size of board, on new memory for each.
fn late_positions() {
    let problems =
        include_str!("../../../tests/data/sygo-tactics.txt").lines().filter(|line| !line.starts_with('#'));
    let positions: Vec<SygoPosition> =
        problems.filter_map(|problem| parse_position(problem.split(';').next()?).ok()).collect();
    let game = Arc::new(Sygo::load(&SygoSettings::default()).expect("it loads"));
    for size in [7, 9, 11, 13] {
        let (mut nodes, mut node_time, mut simulations, mut time) = (0, Duration::ZERO, 0, Duration::ZERO);
        for position in positions.iter().filter(|position| position.board.size().columns() == size).take(20) {
            let table = Arc::new(TranspositionTable::with_bytes(4 << 20).expect("memory"));
            let (graph, node) = CommonFate::new(position).expect("few groups");
            let solver = SygoSolver::new(graph, table);
            let mut effort = SolverBudget::nodes(NODES);
            let start = Instant::now();
            let _ = black_box(solver.best_of(node, None, &SearchControl::free(), &mut effort));
            nodes += NODES - effort.nodes;
            node_time += start.elapsed();
            let mut search = MonteCarlo::new(0, MctsParameters::default(), QuantizedSygoNetwork::embedded());
            let (tree, control) = (Mutex::new(MctsTree::new(64 << 20)), SearchControl::free());
            let start = Instant::now();
            for depth in 1..=DEPTH {
                let root = SearchRoot::<Sygo>::new(position.clone());
                search.search(&game.weights, &tree, &root, IterationStage::depth(depth), &control);
            }
            simulations += montecarlo::simulations(IterationStage::depth(DEPTH));
            time += start.elapsed();
        }
        let ns = |time: Duration, count: u64| time.as_nanos() as f64 / count as f64;
        println!("{:>12.0} ns a node of the solver, late on {size}x{size}", ns(node_time, nodes));
        println!("{:>12.0} ns a simulation, late on {size}x{size}", ns(time, simulations));
    }
}

/// Whether the command line asks for this row, or for all.
fn is_wanted(what: &str) -> bool {
    std::env::args().skip(1).find(|word| !word.starts_with('-')).is_none_or(|word| what.contains(&word))
}

fn rate(what: &str, positions: &[SygoPosition], mut act: impl FnMut(&SygoPosition)) {
    if !is_wanted(what) {
        return;
    }
    let start = Instant::now();
    let mut done = 0;
    while start.elapsed().as_secs_f64() < SECONDS {
        positions.iter().for_each(&mut act);
        done += positions.len();
    }
    println!("{:>12.0} {what} per second", done as f64 / start.elapsed().as_secs_f64());
}

/// A stone put anywhere and taken back, captures and joins among them.
fn put_and_take_back(size: usize, positions: &[SygoPosition]) {
    let mut random = SplitMix::new(2);
    let mut boards: Vec<(SygoBoard, Vec<Point>)> =
        positions.iter().map(|p| (p.board.clone(), p.board.vacant().iter().collect())).collect();
    let start = Instant::now();
    let mut done = 0_u64;
    while start.elapsed().as_secs_f64() < SECONDS {
        for (board, vacant) in &mut boards {
            for _ in 0..100 {
                let point = vacant[random.below(vacant.len() as u32) as usize];
                let colour = if random.draw() & 1 == 0 { Colour::White } else { Colour::Black };
                black_box(board.put(point, colour));
                board.take_back();
            }
            done += 100;
        }
    }
    let ns = start.elapsed().as_secs_f64() * 1e9 / done as f64;
    println!("{ns:>12.1} ns to put a stone and take it back, {size}x{size}");
}
