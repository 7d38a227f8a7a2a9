//! The rules of the driver, each shown once with a toy game.

mod answers;
mod heap;
mod options;
mod slices;
mod time;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, unbounded};

use super::*;
use crate::driver::clock::MateLimit;
use crate::driver::event::{Best, Info};
use crate::driver::settings::FULL_SKILL;
use crate::game::control::SearchControl;
use crate::game::facts::{GameInfo, SearchInfo};
use crate::game::level::SkillLevel;
use crate::game::picture::{Picture, Style, TurnPicture};
use crate::game::score::Score;
use crate::game::search::{Bound, Iteration, IterationStage, PvLine};
use crate::game::{
    BookOrDeclaration, GameNotation, GameOptions, GameOutcome, GameRules, GameSearch, GameView, Side,
    TerminalCause, TimeAllocation, Worker, WorkerShared,
};
use crate::reference::{Method, Reference};
use heap::{DEAF, Heap, HeapMemory, LoadedHeap};

struct Console {
    engine: Engine<LoadedHeap>,
    events: Receiver<EngineEvent>,
}

impl Console {
    fn new(options: &[(&str, &str)]) -> Console {
        let (sender, events) = unbounded();
        let mut engine = Engine::new(sender).unwrap();
        for (name, value) in options {
            engine.set_option(name, value).unwrap();
        }
        Console { engine, events }
    }

    fn go(&mut self, limits: Limits) {
        self.engine.go(limits);
    }

    /// All events up to the answer.
    fn answer(&self) -> (Vec<Info>, Best) {
        let mut infos = Vec::new();
        loop {
            match self.events.recv_timeout(Duration::from_secs(10)).expect("an answer") {
                EngineEvent::Info(info) => infos.push(info),
                EngineEvent::Best(best) => return (infos, best),
                _ => {}
            }
        }
    }

    fn no_answer_within(&self, time: Duration) {
        let until = Instant::now() + time;
        while let Ok(event) = self.events.recv_deadline(until) {
            assert!(!matches!(event, EngineEvent::Best(_)), "an early answer");
        }
    }
}

fn turn(best: &Best) -> &str {
    match best {
        Best::Turn { turn, .. } => turn,
        other => panic!("{other:?}"),
    }
}

fn depth(depth: u16) -> Limits {
    Limits { depth: Some(depth), ..Limits::none() }
}

#[test]
fn a_depth_is_searched_and_answered_with_the_best_turn() {
    let mut console = Console::new(&[]);
    console.go(depth(9));
    let (infos, best) = console.answer();
    assert_eq!(turn(&best), "1");
    assert_eq!(infos.last().unwrap().score, Score::MateIn(5));
}

#[test]
fn infinite_holds_its_answer_until_stop_though_the_book_has_one() {
    for options in [&[("Book", "true")][..], &[]] {
        let mut console = Console::new(options);
        console.go(Limits { infinite: true, ..Limits::none() });
        console.no_answer_within(Duration::from_millis(80));
        console.engine.stop();
        console.answer();
    }
}

#[test]
fn a_book_line_is_reported_like_a_search_and_left_alone_in_analysis() {
    let mut console = Console::new(&[("Book", "true")]);
    console.go(depth(5));
    let (infos, best) = console.answer();
    assert_eq!(best, Best::Turn { turn: "2".into(), ponder: Some("3".into()) });
    assert_eq!((infos.len(), infos[0].score, infos[0].depth), (1, Score::Cp(17), 5));
    console.go(Limits { infinite: true, ..Limits::none() });
    std::thread::sleep(Duration::from_millis(20));
    console.engine.stop();
    assert_eq!(turn(&console.answer().1), "1");
}

#[test]
fn ponder_holds_its_answer_until_the_hit_and_then_runs_on_the_clock() {
    let mut console = Console::new(&[("Endless", "true")]);
    console.go(Limits { ponder: true, movetime: Some(Duration::from_millis(60)), ..Limits::none() });
    console.no_answer_within(Duration::from_millis(120));
    let hit = Instant::now();
    console.engine.ponder_hit(None);
    console.answer();
    let after = hit.elapsed();
    assert!(after > Duration::from_millis(30), "{after:?} is too early");
}

#[test]
fn new_clocks_with_the_hit_replace_the_old_ones() {
    let mut console = Console::new(&[("Endless", "true")]);
    console.go(Limits { ponder: true, movetime: Some(Duration::from_secs(100)), ..Limits::none() });
    console.engine.ponder_hit(Some(Limits { movetime: Some(Duration::from_millis(20)), ..Limits::none() }));
    console.answer();
}

#[test]
fn the_first_iteration_completes_though_there_is_no_time_at_all() {
    let mut console = Console::new(&[]);
    for limits in [
        Limits { movetime: Some(Duration::ZERO), ..Limits::none() },
        Limits { nodes: Some(1), ..Limits::none() },
        Limits { clocks: Some(Default::default()), ..Limits::none() },
    ] {
        console.engine.new_game();
        console.go(limits);
        let (infos, best) = console.answer();
        assert!(!turn(&best).is_empty());
        assert_eq!(infos.last().unwrap().depth, 1);
        assert!(!infos.last().unwrap().pv.is_empty());
    }
}

#[test]
fn a_bad_position_is_named_and_leaves_the_former_one() {
    let mut console = Console::new(&[]);
    console.engine.set_position("7", &["3"]).unwrap();
    let error = console.engine.set_position("9", &["1", "7", "1"]).unwrap_err();
    assert!(error.reason().contains("move 2 '7'"), "{error}");
    assert!(console.engine.set_position("many", &[]).is_err());
    console.engine.show(Show::Board);
    assert!(
        matches!(console.events.recv().unwrap(), EngineEvent::Message(text) if text.contains("was refused"))
    );
    assert_eq!(console.events.recv().unwrap(), EngineEvent::Text("||||".into()));
}

#[test]
fn the_clock_starts_when_the_line_was_read() {
    let mut console = Console::new(&[("Endless", "true")]);
    console.engine.ready();
    let read = Instant::now();
    std::thread::sleep(Duration::from_millis(150));
    let late = Instant::now();
    console.go(Limits { received: read, movetime: Some(Duration::from_millis(200)), ..Limits::none() });
    console.answer();
    assert!(late.elapsed() < Duration::from_millis(150), "{:?} since go", late.elapsed());
}

#[test]
fn a_position_asked_again_is_resumed_until_a_new_game() {
    let mut console = Console::new(&[]);
    console.engine.set_position("60", &[]).unwrap();
    let nodes = |console: &mut Console| {
        console.go(depth(9));
        console.answer().0.last().unwrap().nodes
    };
    let (first, second) = (nodes(&mut console), nodes(&mut console));
    assert!(second * 5 <= first, "{second} nodes after {first}");
    console.engine.new_game();
    assert_eq!(nodes(&mut console), first);
}

#[test]
fn the_end_of_a_game_is_forgotten_at_the_next_ready() {
    let mut console = Console::new(&[]);
    console.engine.set_position("60", &[]).unwrap();
    let nodes = |console: &mut Console| {
        console.go(depth(9));
        console.answer().0.last().unwrap().nodes
    };
    let first = nodes(&mut console);
    console.engine.game_over();
    assert!(nodes(&mut console) * 5 <= first, "the end alone forgets nothing");
    console.engine.ready();
    assert_eq!(nodes(&mut console), first);
}

#[test]
fn repeated_requests_go_deeper() {
    let mut console = Console::new(&[("Endless", "true")]);
    let mut reached = 0;
    for _ in 0..3 {
        console.go(Limits { movetime: Some(Duration::from_millis(20)), ..Limits::none() });
        let depth = console.answer().0.last().unwrap().depth;
        assert!(depth > reached, "{depth} after {reached}");
        reached = depth;
    }
}

#[test]
fn multipv_shows_distinct_lines_best_first_and_never_more_than_there_are() {
    let mut console = Console::new(&[("MultiPV", "9"), ("Threads", "3")]);
    console.go(depth(9));
    let (infos, best) = console.answer();
    let last = &infos[infos.len() - 3..];
    assert_eq!(last.iter().map(|info| info.multipv).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(last[0].score > last[1].score);
    let mut firsts: Vec<_> = last.iter().map(|info| info.pv[0].clone()).collect();
    firsts.sort();
    assert_eq!(firsts, ["1", "2", "3"]);
    assert_eq!(turn(&best), "1");
}

#[test]
fn only_the_turns_named_are_searched_and_illegal_ones_ignored() {
    let mut console = Console::new(&[]);
    console.go(Limits { turns: vec!["2".into()], ..depth(5) });
    assert_eq!(turn(&console.answer().1), "2");
    console.go(Limits { turns: vec!["4".into()], ..depth(5) });
    let refusal = console.events.recv().unwrap();
    assert!(matches!(&refusal, EngineEvent::Message(text) if text.contains("'4'")), "{refusal:?}");
    assert_eq!(turn(&console.answer().1), "1");
}

#[test]
fn a_finished_game_has_nothing_to_play() {
    let mut console = Console::new(&[]);
    console.engine.set_position("0", &[]).unwrap();
    console.go(depth(5));
    let (infos, best) = console.answer();
    assert_eq!(best, Best::None);
    assert_eq!(infos.last().unwrap().score, Score::MatedIn(0));
}

#[test]
fn the_bound_of_a_search_cut_off_is_printed_as_one() {
    let mut console = Console::new(&[("Rises", "true")]);
    console.go(depth(5));
    let (infos, best) = console.answer();
    assert_eq!(turn(&best), "3");
    let last = infos.last().unwrap();
    assert_eq!((last.score, last.bound), (Score::Cp(70), Bound::Lower));
    assert_eq!(infos[0].bound, Bound::Exact);
}

/// The turns that were not searched may be better.
#[test]
fn a_loss_of_the_first_turn_alone_is_no_loss() {
    let mut console = Console::new(&[("Falls", "true"), ("ResignValue", "100")]);
    console.engine.set_position("7", &[]).unwrap();
    console.go(depth(5));
    let (infos, best) = console.answer();
    assert!(!turn(&best).is_empty());
    assert!(infos.iter().all(|info| !matches!(info.score, Score::MatedIn(_))), "{infos:?}");
}

/// A GUI would take that answer for one about the position that it has sent.
#[test]
fn after_a_refused_position_go_does_not_search_the_former_one() {
    let mut console = Console::new(&[]);
    console.engine.set_position("7", &["3"]).unwrap();
    console.engine.set_position("7", &["3", "x"]).unwrap_err();
    console.go(depth(5));
    let remark = console.events.recv().unwrap();
    assert!(matches!(&remark, EngineEvent::Message(text) if text.contains("move 2 'x'")), "{remark:?}");
    assert_eq!(console.answer(), (Vec::new(), Best::None));
    console.go(Limits { mate: Some(MateLimit::Infinite), ..Limits::none() });
    console.events.recv().unwrap();
    assert_eq!(console.events.recv().unwrap(), EngineEvent::Mate(Mate::Timeout));
    console.go(Limits { infinite: true, ..Limits::none() });
    console.no_answer_within(Duration::from_millis(30));
    console.engine.stop();
    assert_eq!(console.answer().1, Best::None);
    console.engine.set_position("7", &["3"]).unwrap();
    console.go(depth(5));
    assert!(!turn(&console.answer().1).is_empty());
}

#[test]
fn bench_counts_the_same_nodes_every_time() {
    assert_eq!(bench::<LoadedHeap>().unwrap(), bench::<LoadedHeap>().unwrap());
}

#[test]
fn every_reference_search_has_the_value_of_minimax() {
    let shared = Arc::new(WorkerShared {
        game: Arc::new(LoadedHeap::load(&Default::default()).unwrap()),
        memory: Arc::new(HeapMemory),
        threads: 1,
    });
    for left in 1..=14 {
        for depth in 1..=7 {
            let root = SearchRoot::<LoadedHeap>::new(Heap { left, side: Side::First });
            let mut values = Vec::new();
            for method in [Method::Minimax, Method::AlphaBeta, Method::Selective { lag: 0 }] {
                for cached in [false, true] {
                    let mut search = Reference::with(Arc::clone(&shared), method, cached);
                    let line = search.run(&root, depth, &SearchControl::free()).unwrap().unwrap();
                    values.push(line.score);
                }
            }
            assert!(values.iter().all(|&value| value == values[0]), "{left} at {depth}: {values:?}");
        }
    }
}
