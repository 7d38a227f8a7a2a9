//! Every reference search has the value of plain minimax, in every game, with and without cache;
//! and the cache makes repeated requests go deeper.

use std::sync::Arc;

use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::SearchRoot;
use kaeshi_core::game::{Game, SearchMemory, WorkerShared};
use kaeshi_core::reference::{Method, Reference};
use kaeshi_engine::games::{GameName, GameVisitor};

/// Positions small enough for plain minimax to look to the given depth.
const POSITIONS: &[(GameName, &str, u16)] = &[
    (GameName::Shogi, "startpos", 2),
    (GameName::Shogi, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 3),
    (GameName::Shogi, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1", 2),
    (GameName::Shogi, "7nl/7k1/6p2/6S1p/9/9/9/9/K8 b GS 1", 3),
    (GameName::Reversi, "startpos", 5),
    (GameName::Reversi, "-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X", 3),
    (GameName::Reversi, "OOOOOOOOOXOOOOOOOXXOOOOOOXXXOOOOOXXXXOOOOXXXXXOOOXXXXXX--XXXXXX- X", 6),
    (GameName::Sygo, "3/3/3 w - 0 1", 5),
    (GameName::Sygo, "1w1b/b2w/4/w2b w g 0 9", 2),
    (GameName::Sygo, "bbw1w/2ww1/wbb1b/w1wbb/ww1b1 b g 0 14", 4),
];

struct Compare {
    text: &'static str,
    depth: u16,
}

impl GameVisitor for Compare {
    type Output = ();

    fn visit<G: Game>(self) {
        let game = Arc::new(G::load(&G::Settings::default()).unwrap());
        let position = game.parse_position(self.text).unwrap();
        let memory = Arc::new(G::Memory::with_bytes(1 << 20).unwrap());
        let shared = Arc::new(WorkerShared { game, memory, threads: 1 });
        let root = SearchRoot::<G>::new(position);
        for depth in 1..=self.depth {
            let value = |method, cached, ordered| {
                let search = Reference::with(Arc::clone(&shared), method, cached);
                let mut search = if ordered { search.ordered() } else { search };
                let control = SearchControl::free();
                let line = search.run(&root, depth, &control).unwrap().unwrap();
                (line.score, control.nodes())
            };
            let (minimax, all) = value(Method::Minimax, false, false);
            for method in [Method::Minimax, Method::AlphaBeta, Method::Selective { lag: 0 }] {
                for (cached, ordered) in [(false, false), (true, false), (false, true), (true, true)] {
                    let (score, nodes) = value(method, cached, ordered);
                    let how = format!("{method:?} cached {cached} ordered {ordered}");
                    assert_eq!(score, minimax, "{} '{}' {depth} {how}", G::NAME, self.text);
                    if method == Method::AlphaBeta {
                        assert!(nodes <= all, "{nodes} nodes, minimax {all}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_reference_search_has_the_value_of_minimax() {
    for &(game, text, depth) in POSITIONS {
        game.visit(Compare { text, depth });
    }
}

struct AskAgain(&'static str);

impl GameVisitor for AskAgain {
    type Output = ();

    fn visit<G: Game>(self) {
        let game = Arc::new(G::load(&G::Settings::default()).unwrap());
        let root = SearchRoot::<G>::new(game.parse_position(self.0).unwrap());
        let memory = Arc::new(G::Memory::with_bytes(1 << 20).unwrap());
        let shared = Arc::new(WorkerShared { game, memory, threads: 1 });
        let mut search = Reference::with(shared, Method::AlphaBeta, true);
        let mut nodes = || {
            let control = SearchControl::free();
            search.run(&root, 3, &control).unwrap();
            control.nodes()
        };
        let (first, second) = (nodes(), nodes());
        assert!(second * 5 <= first, "{}: {second} nodes after {first}", G::NAME);
    }
}

#[test]
fn the_second_search_to_a_depth_costs_a_fifth_at_most() {
    GameName::Shogi.visit(AskAgain("startpos"));
    GameName::Reversi.visit(AskAgain("startpos"));
    GameName::Sygo.visit(AskAgain("3/3/3 w - 0 1"));
}
