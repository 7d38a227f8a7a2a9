//! The exact solver: against solved endgames, the general generator and plain minimax.

#[path = "sygo/minimax.rs"]
mod minimax;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::SearchMemory;
use kaeshi_core::game::control::SearchControl;
use kaeshi_sygo::evaluate::SygoWeights;
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::size::BoardSize;
use kaeshi_sygo::rules::turn::SygoTurn;
use kaeshi_sygo::rules::{generate, notation};
use kaeshi_sygo::search::playout::PlayoutScratch;
use kaeshi_sygo::search::propose::propose;
use kaeshi_sygo::solve::common_fate::CommonFate;
use kaeshi_sygo::solve::graph::Graph;
use kaeshi_sygo::solve::search::SolverBudget;
use kaeshi_sygo::solve::{self, SygoSolver, moves};

#[test]
fn all_best_turns_of_the_solved_endgames() {
    let data: serde_json::Value =
        serde_json::from_str(include_str!("../../../tests/data/sygo-endgames.json"))
            .expect("the table is JSON");
    for case in data.as_array().expect("cases") {
        let text = case["position"].as_str().expect("position");
        let position = notation::parse_position(text).expect(text);
        let size = position.board.size();
        let start = Instant::now();
        let solver = SygoSolver::of_board(size.columns(), size.rows(), 16 << 20).expect("small board");
        let solution = solver.solve(&position, &SearchControl::free()).expect("nothing stops it");
        let best: BTreeSet<String> = solution.best.iter().map(notation::format_turn).collect();
        let expected: BTreeSet<String> = case["best_turns"]
            .as_array()
            .expect("turns")
            .iter()
            .map(|turn| turn.as_str().expect("text").to_owned())
            .collect();
        assert_eq!(solution.margin, case["margin_for_side_to_move"], "{text}");
        assert_eq!(best, expected, "{text}");
        assert_eq!(generate::turns(&position, 1000).0.len() as u64, case["legal_turns"], "{text}");
        assert!(start.elapsed().as_secs() < 10, "{text} took {:?}", start.elapsed());
    }
}

#[test]
fn the_small_boards_generator_agrees_with_the_general_one() {
    let mut playout = PlayoutScratch::new(5);
    let mut list = Vec::new();
    for game in 0..200 {
        // Every other board is oblong.
        let size = 3 + game % 9;
        let columns = if game % 2 == 0 { size } else { 3 + game / 9 % 9 };
        let shape = solve::shape::BoardShape::new(columns, size).expect("fits");
        let mut position = SygoPosition::new(BoardSize::new(columns, size).expect("3 to 11"));
        while !position.is_over() {
            if position.board.vacant().len() < if size < 9 { 30 } else { 20 } {
                moves::children(&shape, solve::node(&position), u128::MAX, moves::MOST_TURNS, &mut list)
                    .expect("few turns");
                let small: Vec<_> = list.iter().map(|child| child.node).collect();
                let mut general = Vec::new();
                let _ = generate::walk(&mut position, &mut |after, stones| {
                    if stones.placement.is_some() || !stones.growth.is_empty() {
                        general.push(solve::node(after));
                    }
                    ControlFlow::Continue(())
                });
                let key = |node: &moves::SolverNode| (node.own, node.enemy, node.right as u8, node.passed);
                let small_set: BTreeSet<_> = small.iter().map(key).collect();
                assert_eq!(small_set.len(), small.len());
                let general: BTreeSet<_> = general.iter().map(key).collect();
                assert_eq!(small_set, general, "{}", notation::format_position(&position));
                let white = if position.side == kaeshi_sygo::rules::board::Colour::White { 1 } else { -1 };
                let node = solve::node(&position);
                let margin = moves::margin(&shape, node.own, node.enemy);
                assert_eq!(margin * white, kaeshi_sygo::rules::margin(&position.board));
            }
            playout.turn(&mut position);
        }
    }
}

#[test]
fn the_solver_equals_plain_minimax_under_every_symmetry() {
    let mut playout = PlayoutScratch::new(9);
    let solver = SygoSolver::of_board(3, 3, 1 << 20).expect("small board");
    for _ in 0..40 {
        let mut position = SygoPosition::new(3);
        while !position.is_over() {
            if position.board.vacant().len() <= 5 {
                let solution = solver.solve(&position, &SearchControl::free()).expect("nothing stops it");
                assert_eq!(
                    solution.margin,
                    minimax::value(&position),
                    "{}",
                    notation::format_position(&position)
                );
                let mut end = position.clone();
                solution.line.iter().for_each(|turn| end.play(turn));
                assert!(end.is_over());
                let margin = kaeshi_sygo::rules::margin(&end.board);
                let sign = if position.side == kaeshi_sygo::rules::board::Colour::White { 1 } else { -1 };
                assert_eq!(margin * sign, solution.margin);
            }
            playout.turn(&mut position);
        }
    }
}

#[test]
fn late_positions_of_large_boards_have_the_values_of_plain_minimax() {
    let mut playout = PlayoutScratch::new(6);
    let mut compared = 0;
    for game in 0..90 {
        let size = 9 + game % 3;
        let mut position = SygoPosition::new(size);
        while !position.is_over() && position.board.vacant().len() > 6 {
            playout.turn(&mut position);
        }
        if position.is_over() {
            continue;
        }
        let text = notation::format_position(&position);
        let solver = SygoSolver::of_board(size, size, 1 << 20).expect("small board");
        let solution = solver.solve(&position, &SearchControl::free()).expect("nothing stops it");
        assert_eq!(solution.margin, minimax::value(&position), "{text}");
        let (turns, _) = generate::turns(&position, usize::MAX);
        let keeps = |turn: &&kaeshi_sygo::rules::turn::SygoTurn| {
            let mut after = position.clone();
            after.play(turn);
            -minimax::value(&after) == solution.margin
        };
        let best: BTreeSet<_> = turns.iter().filter(keeps).map(notation::format_turn).collect();
        assert_eq!(solution.best.iter().map(notation::format_turn).collect::<BTreeSet<_>>(), best, "{text}");
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn late_positions_of_every_board_have_the_values_of_plain_minimax() {
    let table = Arc::new(TranspositionTable::with_bytes(1 << 20).expect("memory"));
    let mut playout = PlayoutScratch::new(12);
    let mut compared = 0;
    let mut settled = 0;
    for game in 0..600 {
        let mut position = SygoPosition::new(3 + game % 17);
        while !position.is_over() && position.board.vacant().len() > 6 {
            playout.turn(&mut position);
        }
        let Some((graph, node)) = CommonFate::new(&position).filter(|_| !position.is_over()) else {
            continue;
        };
        let text = notation::format_position(&position);
        let solver = SygoSolver::new(graph, Arc::clone(&table));
        let (value, line) = solver
            .best_of(node, None, &SearchControl::free(), &mut SolverBudget::nodes(u64::MAX))
            .expect("nothing stops it");
        assert_eq!(value, minimax::value(&position), "{text}");
        let worth = |turn: &SygoTurn| {
            let mut after = position.clone();
            after.play(turn);
            -minimax::value(&after)
        };
        assert_eq!(worth(&line[0]), value, "{text}: {:?}", line[0]);
        assert_eq!(line[0] == SygoTurn::pass(), worth(&SygoTurn::pass()) == value, "{text}: {:?}", line[0]);
        let mut end = position.clone();
        line.iter().for_each(|turn| end.play(turn));
        assert!(end.is_over());
        settled += usize::from(solver.open(node) < position.board.vacant().len());
        compared += 1;
    }
    assert!(compared > 200 && settled > 100, "{compared} {settled}");
}

#[test]
fn points_that_mean_the_same_are_searched_once_and_change_no_value() {
    let table = Arc::new(TranspositionTable::with_bytes(4 << 20).expect("memory"));
    let mut playout = PlayoutScratch::new(21);
    let mut compared = 0;
    for game in 0..400 {
        let size = 5 + game % 7;
        let mut position = SygoPosition::new(size);
        while !position.is_over() && position.board.vacant().len() > 12 {
            playout.turn(&mut position);
        }
        let Some((graph, node)) = CommonFate::new(&position).filter(|_| !position.is_over()) else {
            continue;
        };
        let vacant = graph.full() & !(node.own | node.enemy);
        if graph.distinct(vacant) == vacant {
            continue;
        }
        let board = SygoSolver::of_board(size, size, 1 << 20).expect("small board");
        let mut values = [Ok((0, Vec::new())), Ok((0, Vec::new()))];
        values[0] = board.best_of(
            solve::node(&position),
            None,
            &SearchControl::free(),
            &mut SolverBudget::nodes(200_000),
        );
        let solver = SygoSolver::new(graph, Arc::clone(&table));
        values[1] = solver.best_of(node, None, &SearchControl::free(), &mut SolverBudget::nodes(200_000));
        if let [Ok((expected, _)), Ok((value, _))] = values {
            assert_eq!(value, expected, "{}", notation::format_position(&position));
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn tactical_problems_have_their_values_and_nearly_all_answers_are_proposed() {
    let table = Arc::new(TranspositionTable::with_bytes(16 << 20).expect("memory"));
    let weights = SygoWeights::embedded();
    // Of each half: problems, and those with a best turn among the proposed ones.
    let mut halves = [(0, 0); 2];
    let problems =
        include_str!("../../../tests/data/sygo-tactics.txt").lines().filter(|line| !line.starts_with('#'));
    for (number, problem) in problems.enumerate() {
        let [text, value, best] = problem.split("; ").collect::<Vec<_>>()[..] else { panic!("{problem}") };
        let position = notation::parse_position(text).expect(text);
        let value: i32 = value.parse().expect("a margin");
        let best = notation::parse_turn(position.board.size(), best).expect("a turn");
        let (graph, node) = CommonFate::new(&position).expect("few groups");
        let solver = SygoSolver::new(graph, Arc::clone(&table));
        let of = |turns: &[SygoTurn]| {
            let allowed = |turn: &SygoTurn| turns.is_empty() || turns.contains(turn);
            solver
                .best_of(node, Some(&allowed), &SearchControl::free(), &mut SolverBudget::nodes(u64::MAX))
                .expect("nothing stops it")
                .0
        };
        assert_eq!(of(&[]), value, "{problem}");
        assert_eq!(of(&[best]), value, "{problem}");
        let proposed: Vec<SygoTurn> =
            propose(&weights, &position, 24, 24).into_iter().map(|(_, turn)| turn).collect();
        let half = &mut halves[number % 2];
        *half = (half.0 + 1, half.1 + usize::from(of(&proposed) == value));
    }
    for (problems, found) in halves {
        assert!(problems > 60 && 100 * found >= 90 * problems, "{halves:?}");
    }
}

#[test]
fn white_wins_the_smallest_board_by_everything() {
    let solver = SygoSolver::of_board(3, 3, 1 << 20).expect("small board");
    let solution = solver.solve(&SygoPosition::new(3), &SearchControl::free()).expect("nothing stops it");
    let best: Vec<String> = solution.best.iter().map(notation::format_turn).collect();
    assert_eq!(solution.margin, 9);
    assert_eq!(best, ["b1", "a2", "b2", "c2", "b3"]);
}

#[test]
fn good_order_and_known_positions_keep_the_tree_of_a_board_small() {
    let solver = SygoSolver::of_board(5, 3, 16 << 20).expect("small board");
    let mut effort = SolverBudget::nodes(u64::MAX);
    let start = solve::SolverStart::empty(5, 3);
    let (margin, _) =
        solver.best_of(start.node, None, &SearchControl::free(), &mut effort).expect("nothing stops it");
    let nodes = u64::MAX - effort.nodes;
    // 367,785 nodes without the history, the fitted estimate and the cutoffs by known positions.
    assert!(margin == 12 && nodes < 200_000, "{margin} {nodes}");
}
