//! The article's searches beside literal models of them on positions of the real games.

use std::collections::HashSet;

use super::{compare_caches, compare_selective, compare_values, shared};
use kaeshi_core::game::Game;
use kaeshi_core::game::search::SearchRoot;
use kaeshi_core::random::SplitMix;
use kaeshi_reversi::Reversi;
use kaeshi_shogi::Shogi;
use kaeshi_sygo::Sygo;

/// The positions of each game.
const POSITIONS: usize = 100;

/// Compares at distinct positions that fewer than `longest` random turns from `start` lead to. At most `width`
/// turns of the root are allowed, so that literal minimax can look to `depth`.
fn compare<G: Game>(start: &str, longest: u32, width: usize, depth: u16) {
    let shared = shared(G::load(&G::Settings::default()).unwrap());
    let game = &shared.game;
    let mut seen = HashSet::new();
    for seed in 0.. {
        if seen.len() == POSITIONS {
            break;
        }
        assert!(seed < 10 * POSITIONS as u64, "{} distinct positions", seen.len());
        let mut random = SplitMix::new(seed);
        let mut position = game.parse_position(start).unwrap();
        for _ in 0..random.below(longest) {
            let turns = game.turns(&position);
            if game.outcome(&position).is_some() || turns.is_empty() {
                break;
            }
            game.play(&mut position, &turns[random.below(turns.len() as u32) as usize]);
        }
        if game.outcome(&position).is_some() || !seen.insert(game.identity(&position)) {
            continue;
        }
        let mut root = SearchRoot::<G>::new(position);
        root.only = game.turns(&root.position).into_iter().take(width).collect();
        // Positions recur at other distances in shogi and, with passes, in the other games: a cache may
        // then know a deeper value. Beside a literal cache they are compared below.
        compare_values(&shared, &root, depth - 1, false);
        compare_selective(&shared, &root, (depth - 1, depth), false);
        compare_caches(&shared, &root, &[depth - 1, 1, depth, depth - 1], 1);
        root.only = game.turns(&root.position).into_iter().take(2 * width).collect();
        for range in [(1, 2), (1, 3), (2, 3)] {
            compare_selective(&shared, &root, range, false);
        }
    }
}

#[test]
fn a_hundred_positions_of_shogi() {
    compare::<Shogi>("startpos", 24, 3, 3);
}

#[test]
fn a_hundred_positions_of_shogi_with_mates() {
    compare::<Shogi>("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 4, 3, 3);
}

#[test]
fn a_hundred_positions_of_reversi() {
    compare::<Reversi>("startpos", 50, 6, 4);
}

#[test]
fn a_hundred_positions_of_sygo() {
    compare::<Sygo>("4/4/4/4 w - 0 1", 8, 6, 3);
}
