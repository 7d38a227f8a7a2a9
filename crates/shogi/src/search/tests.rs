use std::sync::Arc;

use super::*;
use crate::evaluate::Evaluation;
use crate::rules::sfen::parse;
use crate::rules::types::Square;
use crate::search::value::{MATE, mated_in};
use crate::{ShogiMemory, ShogiSettings};
use kaeshi_core::game::GameOptions;
use kaeshi_core::game::SearchMemory;

pub(super) fn searcher(settings: &ShogiSettings) -> ShogiWorker {
    let game = Arc::new(Shogi::load(settings).unwrap());
    let memory = Arc::new(ShogiMemory::with_bytes(1 << 22).unwrap());
    ShogiWorker::new(Arc::new(WorkerShared { game, memory, threads: 1 }), 0).expect("memory")
}

/// Iterative deepening up to `depth`.
fn deepen(searcher: &mut ShogiWorker, sfen: &str, depth: u16) -> PvLine<Shogi> {
    let mut root = SearchRoot::new(parse(sfen).unwrap());
    let control = SearchControl::free();
    for depth in 1..=depth {
        match searcher.search(&root, IterationStage::depth(depth), &control) {
            Iteration::Complete(line) => root.previous = vec![line],
            _ => panic!("iteration {depth} is not complete"),
        }
    }
    root.previous.remove(0)
}

/// The definition all else is measured against.
fn minimax(position: &mut ShogiPosition, depth: u16, ply: usize) -> i32 {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return mated_in(ply);
    }
    if depth == 0 {
        return Evaluation::embedded().value(position);
    }
    let mut best = -INFINITE;
    for mv in moves {
        position.make(mv);
        best = best.max(-minimax(position, depth - 1, ply + 1));
        position.unmake();
    }
    best
}

#[test]
fn without_forward_pruning_the_value_is_that_of_minimax() {
    let mut searcher = searcher(&ShogiSettings::default());
    searcher.tune.forward_pruning = false;
    for sfen in [
        "4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
        "3gk4/4p4/3P5/9/9/9/9/6r2/3GK4 w P 1",
        "ln1k5/9/p1p6/9/2S6/9/P1P6/9/LN1K5 b - 1",
        "4k4/4+R4/9/9/9/9/9/9/4K4 w - 1",
        "8k/7pp/6N2/9/9/9/9/5r3/4K4 b L 1",
    ] {
        for depth in 1..=3 {
            searcher.shared.memory.clear(1);
            let line = deepen(&mut searcher, sfen, depth);
            let value = minimax(&mut parse(sfen).unwrap(), depth, 0);
            assert_eq!(line.score, score(value), "{sfen} at depth {depth}");
        }
    }
}

#[test]
fn mates_are_found_with_their_lines() {
    let mut searcher = searcher(&ShogiSettings::default());
    for (sfen, plies, depth) in [
        ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 1, 2),
        ("4k4/9/9/4P4/9/9/9/9/4K4 b 2G2S 1", 5, 9),
        ("7nl/7k1/6ppp/9/9/9/9/9/4K4 b RBGS 1", 5, 11),
    ] {
        let line = deepen(&mut searcher, sfen, depth);
        let Score::MateIn(found) = line.score else { panic!("{sfen}: {:?}", line.score) };
        assert!(found <= plies, "{sfen}: mate in {found}");
        let mut position = parse(sfen).unwrap();
        assert_eq!(line.turns.len(), usize::from(found), "{sfen}: {:?}", line.turns);
        for turn in &line.turns {
            assert!(position.is_legal(*turn));
            position.make(*turn);
        }
        assert!(position.in_check() && !position.has_legal_move());
    }
}

#[test]
fn the_solver_finds_mates_beyond_the_horizon() {
    let sfen = "5B1n1/8k/6Rpp/9/9/9/9/9/4K4 b rb4g4s3n4l16p 1";
    let mut with = searcher(&ShogiSettings::default());
    let line = deepen(&mut with, sfen, 7);
    let Score::MateIn(plies) = line.score else { panic!("{:?}", line.score) };
    assert_eq!(usize::from(plies), line.turns.len());
    let mut position = parse(sfen).unwrap();
    for (ply, turn) in line.turns.iter().enumerate() {
        assert!(position.is_legal(*turn));
        position.make(*turn);
        assert!(ply % 2 == 1 || position.in_check());
    }
    assert!(!position.has_legal_move());
    // The search alone does not see it so soon, and a game that ends before the mate has none.
    let mut without = searcher(&ShogiSettings::default());
    without.checkmate = None;
    assert!(matches!(deepen(&mut without, sfen, 7).score, Score::Cp(_)));
    let mut short = searcher(&ShogiSettings { max_moves: u32::from(plies) - 1, ..ShogiSettings::default() });
    assert!(!matches!(deepen(&mut short, sfen, 7).score, Score::MateIn(_)));
}

#[test]
fn the_checker_avoids_perpetual_check() {
    // Black is hopelessly behind; endless checks would lose, too, so they are no draw.
    let mut searcher = searcher(&ShogiSettings::default());
    let line = deepen(&mut searcher, "R8/8k/9/9/9/9/9/4r4/3K5 b 2b4g4s 1", 8);
    assert!(line.score.clamped(MATE) < -500, "{:?}", line.score);
}

#[test]
fn a_declaration_ahead_is_a_win() {
    // The king steps into the camp; there is time to declare on the next move.
    let mut searcher = searcher(&ShogiSettings::default());
    let mut root = SearchRoot::new(parse("+P+P+P+P1+R+B2/+N+N+L+L5/9/7K1/9/9/9/4k4/9 b R8P 1").unwrap());
    root.only = vec![crate::rules::notation::parse_move(&root.position, "2d2c").unwrap()];
    let Iteration::Complete(line) = searcher.search(&root, IterationStage::depth(3), &SearchControl::free())
    else {
        panic!()
    };
    assert_eq!(line.score, Score::MateIn(3));
    // The declaration itself is no move, and stands in no line.
    let mut position = root.position.clone();
    for turn in line.turns {
        assert!(position.is_legal(turn));
        position.make(turn);
    }
}

#[test]
fn moves_left_out_are_not_played() {
    let mut searcher = searcher(&ShogiSettings::default());
    let mut root = SearchRoot::new(parse(crate::rules::handicap::START).unwrap());
    let Iteration::Complete(first) = searcher.search(&root, IterationStage::depth(5), &SearchControl::free())
    else {
        panic!()
    };
    root.skip = vec![first.turns[0]];
    let Iteration::Complete(second) =
        searcher.search(&root, IterationStage::depth(5), &SearchControl::free())
    else {
        panic!()
    };
    assert_ne!(first.turns[0], second.turns[0]);
    root.skip = root.position.legal_moves().to_vec();
    assert!(matches!(
        searcher.search(&root, IterationStage::depth(5), &SearchControl::free()),
        Iteration::NoTurn
    ));
}

#[test]
fn the_deepest_iteration_overruns_no_table() {
    let mut searcher = searcher(&ShogiSettings::default());
    for sfen in [
        crate::rules::handicap::START,
        "4k4/9/9/9/9/9/9/9/4K4 b - 1",
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
    ] {
        let root = SearchRoot::new(parse(sfen).unwrap());
        let iteration =
            searcher.search(&root, IterationStage::depth(MAX_DEPTH), &SearchControl::with_nodes(30_000));
        assert!(!matches!(iteration, Iteration::NoTurn), "{sfen}");
    }
}

#[test]
fn a_stopped_search_leaves_a_legal_line_or_none() {
    for nodes in [1, 10, 100, 1_000, 5_000] {
        let mut searcher = searcher(&ShogiSettings::default());
        let root = SearchRoot::new(parse(crate::rules::handicap::START).unwrap());
        let control = SearchControl::with_nodes(nodes);
        let mut depth = 1;
        loop {
            match searcher.search(&root, IterationStage::depth(depth), &control) {
                Iteration::Complete(line) => assert!(root.position.is_legal(line.turns[0])),
                Iteration::Partial(line) => {
                    assert!(root.position.is_legal(line.turns[0]));
                    break;
                }
                Iteration::Stopped => break,
                Iteration::NoTurn => panic!("there are moves"),
            }
            depth += 1;
        }
    }
}

#[test]
fn a_mate_in_one_is_stored_with_its_move_and_a_depth_that_can_be_replaced() {
    let mut searcher = searcher(&ShogiSettings::default());
    let mut root = SearchRoot::new(parse("4k3p/9/4P4/9/9/9/9/9/4K4 w G 1").unwrap());
    let mv = crate::rules::notation::parse_move(&root.position, "1a1b").unwrap();
    root.only = vec![mv];
    let Iteration::Complete(line) = searcher.search(&root, IterationStage::depth(3), &SearchControl::free())
    else {
        panic!()
    };
    assert_eq!(line.score, Score::MatedIn(2));
    root.position.make(mv);
    let entry = searcher.tt().probe(root.position.key()).expect("the mate is stored");
    assert_eq!(entry.best.to_string(), "G*5b");
    assert_eq!((entry.bound, entry.value(1)), (Bound::Exact, MATE - 2));
    assert!(entry.depth() <= 3 + 6, "depth {}", entry.depth());
}

#[test]
fn a_declaration_is_never_stored_as_a_move() {
    let mut searcher = searcher(&ShogiSettings::default());
    let root = SearchRoot::new(parse("+P+P+P+P1+R+B2/+N+N+L+L5/9/7K1/9/9/9/4k4/9 b R8P 1").unwrap());
    for depth in 1..=4 {
        assert!(matches!(
            searcher.search(&root, IterationStage::depth(depth), &SearchControl::free()),
            Iteration::Complete(_)
        ));
    }
    let (mut stored, mut declared) = (0, 0);
    let mut position = root.position.clone();
    for first in position.legal_moves() {
        position.make(first);
        for second in position.legal_moves() {
            position.make(second);
            let entry = searcher.tt().probe(position.key());
            if may_declare(&position, EnteringKingRule::Csa27) {
                assert!(entry.is_none(), "{first} {second}: {entry:?}");
                declared += 1;
            } else if let Some(entry) = entry {
                let best = entry.best;
                assert!(!best.is_some() || position.is_legal(best), "{first} {second}: {entry:?}");
                stored += 1;
            }
            position.unmake();
        }
        position.unmake();
    }
    assert!(stored > 100 && declared > 10, "{stored} stored, {declared} declarations");
}

#[test]
fn a_stronger_hand_before_the_root_hides_no_mate() {
    // Six plies ago the same board, when Black held two golds; one is enough to mate.
    let mut position = parse("4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1").unwrap();
    for text in ["5i5h", "5a4a", "G*4b", "4a4b", "5h5i"] {
        let mv = crate::rules::notation::parse_move(&position, text).unwrap();
        position.make(mv);
    }
    let back = crate::rules::notation::parse_move(&position, "4b5a").unwrap();
    let mut root = SearchRoot::new(position);
    root.only = vec![back];
    let mut searcher = searcher(&ShogiSettings::default());
    let Iteration::Complete(line) = searcher.search(&root, IterationStage::depth(3), &SearchControl::free())
    else {
        panic!()
    };
    assert_eq!(line.score, Score::MatedIn(2));
}

/// The factors of the best move's share of the nodes, of how often it stayed the best, and of a falling score,
/// each worked out by hand and multiplied.
#[test]
fn an_unsure_search_is_given_more_time() {
    let mut searcher = searcher(&ShogiSettings::default());
    let position = parse(crate::rules::handicap::START).unwrap();
    let root = SearchRoot::new(position.clone());
    let lines = |iterations: &[(&str, i32)]| -> Vec<(IterationStage, PvLine<Shogi>)> {
        let line = |&(turn, score): &(&str, i32)| {
            let turns = vec![parse_move(&position, turn).unwrap()];
            (
                IterationStage::depth(1),
                PvLine { score: Score::Cp(score), bound: Bound::Exact, turns, seldepth: 1 },
            )
        };
        iterations.iter().map(line).collect()
    };
    let (same, other) = ("7g7f", "2g2f");
    for (best_share, iterations, wanted) in [
        (0.6, vec![], 1.0),
        (0.6, vec![(same, 0)], 1.1 * 1.3),
        (1.0, vec![(same, 0)], 0.5 * 1.3),
        (0.1, vec![(same, 0)], 1.7 * 1.3),
        (0.6, vec![(other, 0), (same, 0)], 1.1 * 1.3),
        (0.6, vec![(same, 0); 2], 1.1 * 1.05),
        (0.6, vec![(same, 0); 4], 1.1 * 1.05),
        (0.6, vec![(same, 0); 5], 1.1 * 0.85),
        (0.6, vec![(same, 0), (other, 0), (same, 0), (same, 0)], 1.1 * 1.05),
        (0.6, vec![(same, 100), (same, 20)], 1.1 * 1.05 * 1.2),
        (0.6, vec![(same, 500), (same, 0)], 1.1 * 1.05 * 1.4),
        (0.6, vec![(same, 0), (same, 20)], 1.1 * 1.05 * 0.95),
        (0.6, vec![(same, 0), (same, 500)], 1.1 * 1.05 * 0.9),
        (0.6, vec![(same, 9_000), (same, 1_960)], 1.1 * 1.05 * 1.1),
    ] {
        searcher.best_share = best_share;
        let factor = searcher.time_factor(&root, &lines(&iterations));
        assert!((factor - wanted).abs() < 1e-3, "{best_share} {iterations:?}: {factor} instead of {wanted}");
    }
}

#[test]
fn histories_say_the_same_of_a_drop_alone_and_of_all_drops_of_a_kind() {
    let mut worker = searcher(&ShogiSettings::default());
    deepen(&mut worker, "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 5);
    let (mut compared, mut learned) = (0, 0);
    for side in [Side::First, Side::Second] {
        let before = [PieceTo::new(Piece::new(side.other(), PieceKind::PAWN), Square(40)); 3];
        let quiets = worker.history.quiets(side, before);
        for kind in (0..7).map(PieceKind) {
            let by_square = quiets.of_drops(side, kind);
            for square in (0..81).map(Square) {
                let piece_to = PieceTo::new(Piece::new(side, kind), square);
                let alone = quiets.of(Move::drop(kind, square), piece_to);
                assert_eq!(by_square[square.index()], alone, "{side:?} {kind:?} {square:?}");
                compared += 1;
                learned += u32::from(alone != 0);
            }
        }
    }
    assert_eq!(compared, 2 * 7 * 81);
    assert!(learned > 20, "{learned}");
}

#[test]
fn a_new_game_forgets_all_histories() {
    let mut worker = searcher(&ShogiSettings::default());
    let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
    let first = deepen(&mut worker, sfen, 6);
    assert!(!worker.history.is_clear());
    worker.shared.memory.clear(1);
    worker.new_game();
    assert!(worker.history.is_clear());
    let again = deepen(&mut worker, sfen, 6);
    assert_eq!((first.score, first.turns), (again.score, again.turns));
}
