//! Speed of shogi's rules and evaluations: `cargo bench --bench shogi`.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use kaeshi_core::game::{GameOptions, GameRules};
use kaeshi_shogi::evaluate::{Evaluation, Evaluator};
use kaeshi_shogi::network::{NetworkParameters, NetworkShape, ShogiNetwork};
use kaeshi_shogi::rules::handicap::START;
use kaeshi_shogi::rules::perft::{perft, perft_making_all};
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::sfen::parse;
use kaeshi_shogi::{Shogi, ShogiSettings};

const MOST_MOVES: &str = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";
const MIDDLE_GAME: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";

fn main() {
    divan::main();
}

fn position(sfen: &str) -> ShogiPosition {
    parse(sfen).expect("the benchmark's own position")
}

#[divan::bench(args = [(START, 5), (MIDDLE_GAME, 4), (MOST_MOVES, 3)], sample_count = 5, sample_size = 1)]
fn perft_counting_the_last_ply(bencher: Bencher, (sfen, depth): (&str, u32)) {
    let mut position = position(sfen);
    let nodes = perft(&mut position, depth);
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| perft(&mut position, depth));
}

#[divan::bench(args = [(START, 4), (MIDDLE_GAME, 3)], sample_count = 5, sample_size = 1)]
fn perft_making_every_move(bencher: Bencher, (sfen, depth): (&str, u32)) {
    let mut position = position(sfen);
    let nodes = perft_making_all(&mut position, depth);
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| perft_making_all(&mut position, depth));
}

#[divan::bench(args = [START, MIDDLE_GAME, MOST_MOVES])]
fn legal_moves(bencher: Bencher, sfen: &str) {
    let position = position(sfen);
    bencher.counter(ItemsCount::new(position.legal_moves().len())).bench_local(|| position.legal_moves());
}

#[divan::bench(args = [START, MIDDLE_GAME, MOST_MOVES])]
fn make_and_unmake(bencher: Bencher, sfen: &str) {
    let mut position = position(sfen);
    let moves = position.legal_moves();
    bencher.counter(ItemsCount::new(moves.len())).bench_local(|| perft_making_all(&mut position, 1));
}

/// The hidden layers that a network may have.
const WIDTHS: [usize; 4] = [32, 64, 128, 256];

/// A network of this width; its numbers do not matter for the speed.
fn network(width: usize) -> Evaluation {
    let mut parameters = NetworkParameters::zeros(NetworkShape::plain(width));
    parameters.inputs.iter_mut().enumerate().for_each(|(index, weight)| *weight = (index % 61) as i16 - 30);
    parameters.output.iter_mut().enumerate().for_each(|(index, weight)| *weight = (index % 31) as i16 - 15);
    Evaluation::Network(Arc::new(ShogiNetwork::new(&parameters).expect("small numbers")))
}

#[divan::bench(args = [START, MIDDLE_GAME])]
fn evaluate_by_hand(bencher: Bencher, sfen: &str) {
    let (position, hand) = (position(sfen), Evaluation::hand());
    bencher.bench_local(|| hand.value(&position));
}

#[divan::bench(args = WIDTHS)]
fn evaluate_by_network_from_scratch(bencher: Bencher, width: usize) {
    let (position, evaluation) = (position(MIDDLE_GAME), network(width));
    bencher.bench_local(|| evaluation.value(&position));
}

/// Every legal move is made, valued and taken back, as a search does.
fn value_all_children(bencher: Bencher, evaluation: &Evaluation) {
    let game = Shogi::load(&ShogiSettings::default()).expect("the usual settings");
    let position = position(MIDDLE_GAME);
    let children: Vec<ShogiPosition> = position
        .legal_moves()
        .iter()
        .map(|mv| {
            let mut child = position.clone();
            game.play(&mut child, mv);
            child
        })
        .collect();
    let mut evaluator = Evaluator::new(evaluation);
    bencher.counter(ItemsCount::new(children.len())).bench_local(|| {
        evaluator.value(&position);
        children.iter().map(|child| i64::from(evaluator.value(child))).sum::<i64>()
    });
}

#[divan::bench]
fn evaluate_children_by_hand(bencher: Bencher) {
    value_all_children(bencher, &Evaluation::hand());
}

#[divan::bench(args = WIDTHS)]
fn evaluate_children_by_network(bencher: Bencher, width: usize) {
    value_all_children(bencher, &network(width));
}
