//! The worked example of minimax, alpha-beta and selective search: a tree of 17 positions, U0 to U16.
//!
//! The article's are the names U0 to U16, the terminal values (a win is 1, a loss -1, a draw 0) and what the
//! searches do with them. Its picture is lost, so the shape of the tree, the results at its ends and the static
//! values are ours:
//!
//! ```text
//!                                   U0
//!          +------------------------+------------------+
//!          U1                       U2                 U3
//!      +---+-------+            +---+---+          +---+---+
//!      U4          U5           U6      U7         U8      U9
//!    +-+--+      +--+--+        |       +1       +--+--+   +1
//!   U10  U11    U12   U13      U14             U15   U16
//!   -1    0     +1    -1       -1               0    +1
//! ```
//!
//! The results are those of the side to move at U0.

use std::sync::Arc;

use super::{ModelTree, Reference, compare_selective, compare_values, searched, selective, shared};
use crate::reference_models::tree::ModelNode;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::SearchRoot;
use kaeshi_core::game::{GameRules, WorkerShared};
use kaeshi_core::reference::Method;

/// Position by position: the turns, the result for the side to move at U0, its static value for that side in
/// centipawns.
const POSITIONS: [(&[usize], Option<i32>, i32); 17] = [
    (&[1, 2, 3], None, 0),
    (&[4, 5], None, 20),
    (&[6, 7], None, 30),
    (&[8, 9], None, 10),
    (&[10, 11], None, 0),
    (&[12, 13], None, 40),
    (&[14], None, -50),
    (&[], Some(1), 0),
    (&[15, 16], None, 60),
    (&[], Some(1), 0),
    (&[], Some(-1), 0),
    (&[], Some(0), 0),
    (&[], Some(1), 0),
    (&[], Some(-1), 0),
    (&[], Some(-1), 0),
    (&[], Some(0), 0),
    (&[], Some(1), 0),
];

/// How many plies each position is from U0.
const PLIES: [usize; 17] = [0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3];

fn example() -> Arc<WorkerShared<ModelTree>> {
    // The game wants everything for the side to move, which changes from ply to ply.
    let node = |((next, result, value), ply): (&(&[usize], Option<i32>, i32), usize)| {
        let sign = if ply % 2 == 0 { 1 } else { -1 };
        ModelNode {
            next: next.to_vec(),
            value: sign * value,
            result: result.map(|r| sign * r),
            captured: false,
        }
    };
    shared(ModelTree(POSITIONS.iter().zip(PLIES).map(node).collect()))
}

fn run(method: Method) -> (Score, Vec<usize>, u64) {
    let mut search = Reference::with(example(), method, false);
    let root = SearchRoot::new(search.shared.game.start());
    let control = SearchControl::free();
    let line = search.run(&root, 3, &control).unwrap().unwrap();
    (line.score, line.turns, control.nodes())
}

#[test]
fn every_search_wins_by_u3() {
    // The opponent holds out longest by U8; then U16 wins.
    let won = (Score::MateIn(3), vec![3, 8, 16]);
    let found = |method| {
        let (score, line, nodes) = run(method);
        assert_eq!((score, line), won, "{method:?}");
        nodes
    };
    // Of the 16 positions below U0 alpha-beta leaves out U13 and U7.
    assert_eq!(found(Method::Minimax), 16);
    assert_eq!(found(Method::AlphaBeta), 14);
}

#[test]
fn the_values_are_minimax_and_the_selective_process_is_the_articles() {
    let shared = example();
    let root = SearchRoot::new(shared.game.start());
    compare_values(&shared, &root, 3, true);
    for range in [(1, 3), (2, 3), (3, 3)] {
        compare_selective(&shared, &root, range, true);
    }
}

#[test]
fn the_best_turn_goes_on_until_all_have_the_minimum() {
    let shared = example();
    let mut search = Reference::with(Arc::clone(&shared), Method::Selective { lag: 1 }, false);
    let start = shared.game.start();
    let mut process = selective::SelectiveDeepening::new(shared.game.turns(&start), 2, 1);
    process.run(&mut search, &start, &SearchControl::free()).unwrap();
    // At depth 1 the values are 20, 30 and 10. U2 goes to depth 2 and is worth -50; U1 goes to depth 2, is
    // worth 0 and behind U3, which goes to depth 2. With 60 U3 would go on, but all have the minimum.
    let reached: Vec<(u16, i32)> = process.candidates.iter().map(|c| (c.depth, c.value)).collect();
    assert_eq!(reached, [(2, 0), (2, -50), (2, 60)]);
    let root = SearchRoot::new(start);
    assert_eq!(searched(&mut search, &root, 2).0, Score::Cp(60));
}
