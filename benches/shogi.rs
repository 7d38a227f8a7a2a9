//! Speed of shogi's rules: `cargo bench --bench shogi`.

use divan::Bencher;
use divan::counter::ItemsCount;
use kaeshi::shogi::handicap::START;
use kaeshi::shogi::perft::{perft, perft_making_all};
use kaeshi::shogi::position::Position;
use kaeshi::shogi::sfen::parse;

const MOST_MOVES: &str = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";
const MIDDLE_GAME: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";

fn main() {
    divan::main();
}

fn position(sfen: &str) -> Position {
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
