//! Speed of Sygo: `cargo bench --bench sygo`.

use std::hint::black_box;
use std::time::Instant;

use kaeshi::random::SplitMix;
use kaeshi::sygo::evaluate::Weights;
use kaeshi::sygo::network::{Judge, Network, Pass, Quantized};
use kaeshi::sygo::rules::board::{Board, Colour};
use kaeshi::sygo::rules::points::Point;
use kaeshi::sygo::rules::position::Position;
use kaeshi::sygo::search::playout::Playout;
use kaeshi::sygo::search::propose;

const SECONDS: f64 = 1.0;

fn main() {
    for size in [9, 13, 19] {
        playouts(size);
    }
    let weights = Weights::embedded();
    for size in [9, 19] {
        let positions = game(size);
        put_and_take_back(size, &positions);
        rate(&format!("evaluations, {size}x{size}"), &positions, |position| {
            black_box(weights.position(position));
        });
        rate(&format!("lists of proposed turns, {size}x{size}"), &positions, |position| {
            black_box(propose::propose(&weights, position, 12, 12));
        });
        let (network, quantized) = (Network::embedded(), Quantized::embedded());
        let mut pass = Pass::new(&network, size.into());
        rate(&format!("judgements of the network in 32 bits, {size}x{size}"), &positions, |position| {
            pass.run(&network, black_box(position));
        });
        let mut judge = Judge::new(size.into());
        rate(&format!("judgements of the network in 8 bits, {size}x{size}"), &positions, |position| {
            judge.run(&quantized, black_box(position));
        });
    }
}

/// Positions of one random game.
fn game(size: usize) -> Vec<Position> {
    let mut playout = Playout::new(1);
    let mut position = Position::new(size);
    let mut positions = Vec::new();
    while !position.is_over() {
        positions.push(position.clone());
        playout.turn(&mut position);
    }
    positions
}

fn playouts(size: usize) {
    let mut playout = Playout::new(1);
    let start = Instant::now();
    let mut games = 0;
    while start.elapsed().as_secs_f64() < SECONDS {
        playout.run(&mut Position::new(size));
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

fn rate(what: &str, positions: &[Position], mut act: impl FnMut(&Position)) {
    let start = Instant::now();
    let mut done = 0;
    while start.elapsed().as_secs_f64() < SECONDS {
        positions.iter().for_each(&mut act);
        done += positions.len();
    }
    println!("{:>12.0} {what} per second", done as f64 / start.elapsed().as_secs_f64());
}

/// A stone put anywhere and taken back, captures and joins among them.
fn put_and_take_back(size: usize, positions: &[Position]) {
    let mut random = SplitMix::new(2);
    let mut boards: Vec<(Board, Vec<Point>)> =
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
