//! Speed of the Reversi board: `cargo bench --bench reversi [DEPTH]`.

use std::time::Instant;

use kaeshi_reversi::rules::board::ReversiBoard;
use kaeshi_reversi::rules::perft::perft_with;
use kaeshi_reversi::rules::simd;

/// Numbers of the start position by depth.
const START: [u64; 12] = [1, 4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288, 24_571_284, 212_258_800];

fn main() {
    let depth = std::env::args().find_map(|word| word.parse::<u32>().ok()).unwrap_or(11).min(11);
    for level in simd::levels() {
        let begin = Instant::now();
        let count = perft_with(level, ReversiBoard::START, depth);
        let seconds = begin.elapsed().as_secs_f64();
        assert_eq!(count, START[depth as usize], "perft {depth}");
        println!(
            "{level:?} perft {depth}: {count} in {seconds:.3} s, {:.0} M/s",
            count as f64 / seconds / 1e6
        );
    }
}
