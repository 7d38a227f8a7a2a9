//! Speed of the mate solver: `cargo bench --bench mate`.

use divan::Bencher;
use kaeshi_core::game::control::SearchControl;
use kaeshi_shogi::mate::MateSolver;
use kaeshi_shogi::rules::sfen::parse;

const TSUME: &str = include_str!("../../../tests/data/tsume.sfen");

fn main() {
    divan::main();
}

/// Time from an empty table to a verified line.
#[divan::bench(args = ["nine-pawns", "floodgate-1", "floodgate-2"], sample_count = 5, sample_size = 1)]
fn first_mate(bencher: Bencher, name: &str) {
    let sfen = TSUME
        .lines()
        .map(|line| line.split('|').map(str::trim).collect::<Vec<_>>())
        .find(|fields| fields[0] == name)
        .map(|fields| fields[2])
        .expect("a problem of the collection");
    let position = parse(sfen).expect("a position of the collection");
    bencher
        .bench_local(|| MateSolver::with_bytes(256 << 20).solve(&position, u64::MAX, &SearchControl::free()));
}
