//! The article's searches beside literal models of them: on 1,000 random trees, on 100 distinct positions of
//! each game, and on the article's worked example.

mod games;
mod models;
mod tree;
mod u_tree;

use std::collections::HashMap;
use std::sync::Arc;

use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::{Iteration, IterationStage, SearchRoot};
use kaeshi_core::game::{GameRules, GameSearch, SearchMemory, Worker, WorkerShared};
use kaeshi_core::random::SplitMix;
use kaeshi_core::reference::{Method, Reference, score, selective};
use models::Literal;
use tree::{ModelTree, layered, lines, recurring};

/// The trees of each test.
const TREES: u64 = 1_000;

fn shared<G: GameSearch>(game: G) -> Arc<WorkerShared<G>> {
    let memory = Arc::new(G::Memory::with_bytes(1 << 20).unwrap());
    Arc::new(WorkerShared { game: Arc::new(game), memory, threads: 1 })
}

fn plain<G: GameSearch>(game: &G) -> Literal<'_, G> {
    Literal { game, pruned: false, cache: None }
}

/// Score, selective depth and nodes of a search from `root`.
fn searched<G: GameSearch>(search: &mut Reference<G>, root: &SearchRoot<G>, depth: u16) -> (Score, u16, u64) {
    let control = SearchControl::free();
    let line = search.run(root, depth, &control).unwrap().unwrap();
    (line.score, line.seldepth, control.nodes())
}

/// Every search beside plain minimax, at all depths up to `deepest`. The cached ones start empty.
fn compare_values<G: GameSearch>(
    shared: &Arc<WorkerShared<G>>,
    root: &SearchRoot<G>,
    deepest: u16,
    cached: bool,
) {
    let turns: Vec<G::Turn> =
        shared.game.turns(&root.position).into_iter().filter(|turn| root.allows(turn)).collect();
    for depth in 1..=deepest {
        let expected = score(plain(&*shared.game).best(&root.position, &turns, depth));
        for method in [Method::Minimax, Method::AlphaBeta, Method::Selective { lag: 0 }] {
            for with_cache in [false, true].into_iter().filter(|&with_cache| cached || !with_cache) {
                for ordered in [false, true] {
                    let search = Reference::with(Arc::clone(shared), method, with_cache);
                    let mut search = if ordered { search.ordered() } else { search };
                    let found = searched(&mut search, root, depth).0;
                    assert_eq!(found, expected, "{method:?} cached {with_cache} ordered {ordered} {depth}");
                }
            }
        }
    }
}

/// The selective search with a minimum below the maximum beside the literal process: turn, value and depth.
fn compare_selective<G: GameSearch>(
    shared: &Arc<WorkerShared<G>>,
    root: &SearchRoot<G>,
    (minimum, maximum): (u16, u16),
    cached: bool,
) {
    let turns: Vec<G::Turn> =
        shared.game.turns(&root.position).into_iter().filter(|turn| root.allows(turn)).collect();
    let expected = plain(&*shared.game).selective(&root.position, &turns, minimum, maximum);
    let expected = (expected.turn, score(expected.value), expected.depth);
    let method = Method::Selective { lag: maximum - minimum };
    for with_cache in [false, true].into_iter().filter(|&with_cache| cached || !with_cache) {
        for ordered in [false, true] {
            let search = Reference::with(Arc::clone(shared), method, with_cache);
            let mut search = if ordered { search.ordered() } else { search };
            let line = search.run(root, minimum, &SearchControl::free()).unwrap().unwrap();
            let found = (line.turns[0].clone(), line.score, line.seldepth);
            assert_eq!(found, expected, "cached {with_cache} ordered {ordered} {minimum} to {maximum}");
        }
    }
}

/// Repeated requests with the cache beside a literal minimax and a literal alpha-beta with a cache, and a
/// literal selective process over that alpha-beta.
fn compare_caches<G: GameSearch>(
    shared: &Arc<WorkerShared<G>>,
    root: &SearchRoot<G>,
    requests: &[u16],
    lag: u16,
) {
    let turns: Vec<G::Turn> =
        shared.game.turns(&root.position).into_iter().filter(|turn| root.allows(turn)).collect();
    for method in [Method::Minimax, Method::AlphaBeta, Method::Selective { lag }] {
        let pruned = method != Method::Minimax;
        let mut model = Literal { game: &*shared.game, pruned, cache: Some(HashMap::new()) };
        let mut search = Reference::with(Arc::clone(shared), method, true);
        for &depth in requests {
            let expected = match method {
                Method::Selective { lag } => {
                    model.selective(&root.position, &turns, depth, depth + lag).value
                }
                _ => model.best(&root.position, &turns, depth),
            };
            let found = searched(&mut search, root, depth).0;
            assert_eq!(found, score(expected), "{method:?} {depth} of {requests:?}");
        }
    }
}

#[test]
fn random_trees_have_the_values_of_literal_searches() {
    for seed in 0..TREES {
        let mut random = SplitMix::new(seed);
        let shared = shared(layered(&mut random, 5, seed % 2 == 1));
        let root = SearchRoot::new(shared.game.start());
        compare_values(&shared, &root, 5, true);
        for (minimum, maximum) in [(1, 3), (2, 3), (2, 4), (3, 5), (4, 4)] {
            // With the cache, a position that several turns lead to may be known from a deeper search.
            compare_selective(&shared, &root, (minimum, maximum), seed % 2 == 0);
        }
    }
}

#[test]
fn caches_have_the_values_of_literal_ones_where_positions_recur() {
    for seed in 0..TREES {
        let mut random = SplitMix::new(seed);
        let shared = shared(recurring(&mut random, 12));
        let root = SearchRoot::new(shared.game.start());
        compare_caches(&shared, &root, &[3, 1, 5, 4, 2, 6, 6], 2);
    }
}

#[test]
fn a_deeper_result_is_used_and_a_shallower_one_orders() {
    for seed in 0..TREES {
        let mut random = SplitMix::new(seed);
        let shared = shared(layered(&mut random, 5, false));
        let root = SearchRoot::new(shared.game.start());
        let turns = shared.game.turns(&root.position).len() as u64;
        for method in [Method::Minimax, Method::Selective { lag: 0 }] {
            let mut search = Reference::with(Arc::clone(&shared), method, true);
            let deep = searched(&mut search, &root, 5);
            // Asked for less: the deep value again, at the price of looking up each turn.
            let (score, _, nodes) = searched(&mut search, &root, 2);
            assert_eq!(score, deep.0, "seed {seed}");
            let steps = if method == Method::Minimax { 1 } else { 2 };
            assert!(nodes <= steps * turns, "seed {seed}: {nodes} nodes for {turns} turns");
        }
    }
}

#[test]
fn turns_are_tried_as_the_article_orders_them() {
    use tree::ModelNode;
    // Values for the side that moves next: the lower, the better for the side that chooses.
    let node = |value, captured| ModelNode { value, captured, ..ModelNode::default() };
    let mut nodes = vec![node(0, false)];
    nodes[0].next = vec![1, 2, 3, 4];
    nodes.extend([node(10, false), node(-20, false), node(40, true), node(-10, false)]);
    // The best-looking turn loses a great deal.
    nodes[2].next = vec![5];
    nodes.push(node(-900, false));
    for place in [1, 3, 4] {
        nodes.push(node(0, false));
        let last = nodes.len() - 1;
        nodes[place].next = vec![last];
    }
    let shared = shared(ModelTree(nodes));
    let root = SearchRoot::new(shared.game.start());
    let order = |search: &Reference<ModelTree>, depth| -> Vec<usize> {
        let turns = shared.game.turns(&root.position);
        search.tried(&root.position, turns, depth).into_iter().map(|(_, turn)| turn).collect()
    };
    let unordered = Reference::with(Arc::clone(&shared), Method::AlphaBeta, true);
    assert_eq!(order(&unordered, 3), [1, 2, 3, 4]);
    let mut ordered = unordered.ordered();
    assert_eq!(order(&ordered, 3), [3, 2, 4, 1], "the capture, then by static value");
    assert_eq!(order(&ordered, 1), [3, 1, 2, 4], "in the last ply captures alone come forward");
    // After alpha-beta to depth 2 the cache has the value of turn 3, and limits of the others, which do not count.
    searched(&mut ordered, &root, 2);
    assert_eq!(order(&ordered, 3), [3, 2, 4, 1], "the known value, then by static value");
    // The selective search leaves the values of all turns: -900 for turn 2, 0 for the others.
    let mut selective = Reference::with(Arc::clone(&shared), Method::Selective { lag: 0 }, true).ordered();
    searched(&mut selective, &root, 2);
    assert_eq!(order(&selective, 3), [1, 3, 4, 2], "by the values of the cache");
}

#[test]
fn thirty_turns_of_random_value_mostly_reach_the_maximum() {
    let (mut full, mut expected) = (0, 0);
    for seed in 0..TREES {
        let mut random = SplitMix::new(seed);
        let shared = shared(lines(&mut random, 30, 4));
        let start = shared.game.start();
        let turns = shared.game.turns(&start);
        expected += plain(&*shared.game).selective(&start, &turns, 2, 4).full;
        let mut search = Reference::with(Arc::clone(&shared), Method::Selective { lag: 2 }, false);
        let mut process = selective::SelectiveDeepening::new(turns, 2, 2);
        process.run(&mut search, &start, &SearchControl::free()).unwrap();
        full += process.candidates.iter().filter(|candidate| candidate.depth == 4).count();
    }
    assert_eq!(full, expected);
    let mean = full as f64 / TREES as f64;
    assert!((27.0..27.5).contains(&mean), "{mean} of 30 turns reach the maximum");
}

#[test]
fn an_interrupted_iteration_answers_with_the_best_turn_at_the_maximum() {
    let mut answered = 0;
    for seed in 0..200 {
        let mut random = SplitMix::new(seed);
        let shared = shared(layered(&mut random, 5, false));
        let mut search = Reference::with(Arc::clone(&shared), Method::Selective { lag: 2 }, false);
        let mut root = SearchRoot::new(shared.game.start());
        let whole = SearchControl::free();
        let Iteration::Complete(first) = search.search(&root, IterationStage::depth(1), &whole) else {
            panic!()
        };
        root.previous = vec![first.clone()];
        let control = SearchControl::free();
        search.search(&root, IterationStage::depth(3), &control);
        for nodes in 1..control.nodes() {
            match search.search(&root, IterationStage::depth(3), &SearchControl::with_nodes(nodes)) {
                Iteration::Partial(line) => {
                    assert_eq!(line.seldepth, 5);
                    answered += 1;
                }
                Iteration::Stopped => {}
                Iteration::Complete(_) | Iteration::NoTurn => panic!("seed {seed}, {nodes} nodes"),
            }
        }
    }
    assert!(answered > 0);
}
