//! The article's searches beside literal models of them on positions of the real games.

use super::{compare_caches, compare_selective, compare_values, shared};
use kaeshi_core::game::Game;
use kaeshi_core::game::search::SearchRoot;
use kaeshi_core::random::SplitMix;
use kaeshi_reversi::Reversi;
use kaeshi_shogi::Shogi;
use kaeshi_sygo::Sygo;

/// The positions of each game.
const POSITIONS: u64 = 100;

/// Compares at positions that random turns from `start` lead to. At most `width` turns of the root are allowed,
/// so that literal minimax can look to `depth`.
fn compare<G: Game>(start: &str, longest: u32, width: usize, depth: u16) {
    let shared = shared(G::load(&G::Settings::default()).unwrap());
    let game = &shared.game;
    let mut compared = 0;
    for seed in 0.. {
        if compared == POSITIONS {
            break;
        }
        let mut random = SplitMix::new(seed);
        let mut position = game.parse_position(start).unwrap();
        for _ in 0..random.below(longest) {
            let turns = game.turns(&position);
            if game.outcome(&position).is_some() || turns.is_empty() {
                break;
            }
            game.play(&mut position, &turns[random.below(turns.len() as u32) as usize]);
        }
        if game.outcome(&position).is_some() {
            continue;
        }
        let mut root = SearchRoot::<G>::new(position);
        root.only = game.turns(&root.position).into_iter().take(width).collect();
        // Positions recur at other distances in shogi and, with passes, in the other games: a cache may
        // then know a deeper value. Beside a literal cache they are compared below.
        compare_values(&shared, &root, depth - 1, false);
        compare_selective(&shared, &root, (depth - 1, depth), false);
        compare_caches(&shared, &root, &[depth - 1, 1, depth, depth - 1], 1);
        compared += 1;
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
    compare::<Sygo>("3/3/3 w - 0 1", 6, 6, 3);
}
