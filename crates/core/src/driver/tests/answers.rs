//! Every search is answered once, whatever happens to it.

use std::sync::atomic::Ordering;

use super::*;

#[test]
fn ready_is_answered_during_a_search() {
    let mut console = Console::new(&[("Endless", "true")]);
    console.go(Limits { infinite: true, ..Limits::none() });
    console.engine.ready();
    while console.events.recv_timeout(Duration::from_secs(5)).unwrap() != EngineEvent::Ready {}
    console.engine.stop();
    console.answer();
}

/// On a busy machine a search thread may be kept waiting for long.
#[test]
fn a_search_that_does_not_look_at_its_clock_is_answered_for() {
    let mut console = Console::new(&[("Deaf", "true")]);
    console.engine.ready();
    let begun = Instant::now();
    console.go(Limits { movetime: Some(Duration::from_millis(50)), ..Limits::none() });
    assert!(console.engine.wake_at().is_some());
    console.engine.wait();
    assert!(begun.elapsed() < DEAF, "{:?}", begun.elapsed());
    let (infos, best) = console.answer();
    assert_eq!((turn(&best), infos.last().unwrap().depth), ("1", 1));
    // It answers once, and its thread is free again for the next search.
    assert_eq!(console.engine.wake_at(), None);
    console.go(depth(1));
    console.engine.wait();
    console.answer();
    assert!(begun.elapsed() >= DEAF);
    console.no_answer_within(Duration::from_millis(50));
}

#[test]
fn a_stop_is_answered_for_a_search_that_does_not_hear_it() {
    let mut console = Console::new(&[("Deaf", "true")]);
    console.engine.ready();
    console.go(Limits { infinite: true, ..Limits::none() });
    std::thread::sleep(Duration::from_millis(100));
    let begun = Instant::now();
    console.engine.stop();
    console.engine.wait();
    assert!(begun.elapsed() < DEAF / 2, "{:?}", begun.elapsed());
    assert_eq!(turn(&console.answer().1), "1");
}

#[test]
fn without_any_worker_go_is_answered_all_the_same() {
    let mut console = Console::new(&[("Unmade", "true"), ("Threads", "2")]);
    console.engine.ready();
    console.go(depth(3));
    assert_eq!(turn(&console.answer().1), "1");
    console.engine.set_option("Unmade", "false").unwrap();
    console.go(depth(9));
    assert_eq!(console.answer().0.last().unwrap().score, Score::MateIn(5));
}

#[test]
fn what_is_loaded_late_does_not_shorten_the_search() {
    let mut console = Console::new(&[("Slow", "true"), ("Endless", "true")]);
    console.go(Limits { movetime: Some(Duration::from_millis(200)), ..Limits::none() });
    let (infos, _) = console.answer();
    assert!(infos.last().unwrap().depth > 2, "{:?}", infos.last());
}

/// The article's searches value positions by what the game may load at the first value.
#[test]
fn ready_has_a_position_valued_for_a_reference_search() {
    for (search, valued) in [("strong", false), ("alphabeta", true), ("minimax", true), ("selective", true)] {
        let mut console = Console::new(&[("Search", search)]);
        console.engine.ready();
        assert_eq!(console.engine.resources.game.0.valued.load(Ordering::Relaxed), valued, "{search}");
    }
}

#[test]
fn an_illegal_last_turn_loses_and_is_claimed() {
    let mut console = Console::new(&[]);
    let mut claim = |turns: &[&str]| {
        assert!(console.engine.set_position("startpos", turns).is_err());
        console.go(depth(1));
        console.answer().1
    };
    assert_eq!(claim(&["1", "4"]), Best::Win);
    // In the middle, or no turn at all.
    assert_eq!(claim(&["1", "4", "1"]), Best::None);
    assert_eq!(claim(&["1", "x"]), Best::None);
    console.engine.set_position("startpos", &["1", "4"]).unwrap_err();
    for (query, response) in [
        (Query::GameOver, QueryResponse::Truth(true)),
        (Query::Result, QueryResponse::FirstWins),
        (Query::FirstToMove, QueryResponse::Truth(true)),
    ] {
        console.engine.query(query);
        assert_eq!(console.events.try_iter().last(), Some(EngineEvent::Response(response)), "{query:?}");
    }
    console.engine.show(Show::Side);
    let shown: Vec<EngineEvent> = console.events.try_iter().collect();
    assert!(
        matches!(&shown[..], [EngineEvent::Message(text), EngineEvent::Text(_)] if text.contains("refused")),
        "{shown:?}"
    );
}

#[test]
fn a_panic_in_a_search_still_answers_and_the_next_search_is_sound() {
    let mut console = Console::new(&[("Panics", "true")]);
    console.go(depth(5));
    assert_eq!(console.events.recv().unwrap(), EngineEvent::Panic("as it was asked to".into()));
    assert_eq!(turn(&console.answer().1), "1");
    console.engine.set_option("Panics", "false").unwrap();
    console.go(depth(9));
    assert_eq!(console.answer().0.last().unwrap().score, Score::MateIn(5));
    assert!(console.engine.failure().is_some(), "it is not forgotten");
}

#[test]
fn every_go_is_answered_exactly_once() {
    let mut console = Console::new(&[("Threads", "3")]);
    for round in 0..50 {
        console.go(match round % 3 {
            0 => depth(5),
            1 => Limits { infinite: true, ..Limits::none() },
            _ => Limits { movetime: Some(Duration::ZERO), ..Limits::none() },
        });
        console.engine.stop();
        console.engine.stop();
    }
    console.engine.wait();
    let answers = console.events.try_iter().filter(|event| matches!(event, EngineEvent::Best(_))).count();
    assert_eq!(answers, 50);
}

#[test]
fn stop_without_a_search_is_silent() {
    let mut console = Console::new(&[]);
    console.engine.stop();
    console.engine.ponder_hit(None);
    console.engine.wait();
    assert!(console.events.is_empty());
}

#[test]
fn the_end_of_input_finishes_bounded_work_and_stops_endless_work() {
    let mut console = Console::new(&[("Endless", "true")]);
    console.go(Limits { movetime: Some(Duration::from_millis(40)), ..Limits::none() });
    console.engine.wait();
    console.answer();
    console.go(Limits { infinite: true, ..Limits::none() });
    console.engine.wait();
    console.answer();
}
