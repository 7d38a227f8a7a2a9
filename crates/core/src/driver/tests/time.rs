//! When a search under a clock ends, and who is waited for.

use super::*;

/// A clock of a minute, as it stands a number of seconds after the line was read: 18.6 s are the soft limit of a
/// heap of nine, 50.5 s the hard one.
fn minute(seconds_ago: f64) -> Limits {
    let clock = clock::SideClock { left: Duration::from_secs(60), ..Default::default() };
    let received = Instant::now() - Duration::from_secs_f64(seconds_ago);
    Limits { received, clocks: Some([clock; 2]), ..Limits::none() }
}

#[test]
fn under_a_clock_no_iteration_begins_behind_the_soft_limit() {
    let mut console = Console::new(&[("Endless", "true")]);
    console.engine.ready();
    console.go(minute(25.0));
    assert_eq!(console.answer().0.last().unwrap().depth, 1);
    console.engine.new_game();
    console.go(minute(18.2));
    assert!(console.answer().0.last().unwrap().depth > 1);
}

#[test]
fn a_forced_turn_takes_no_time_from_a_clock() {
    let mut console = Console::new(&[("Endless", "true")]);
    console.engine.set_position("1", &[]).unwrap();
    console.go(minute(0.0));
    assert_eq!(console.answer().0.last().unwrap().depth, 1);
    // A time for this turn alone is used.
    console.engine.new_game();
    console.engine.ready();
    console.go(Limits { movetime: Some(Duration::from_millis(200)), ..Limits::none() });
    assert!(console.answer().0.last().unwrap().depth > 1);
    // Of three turns two may be forbidden.
    console.engine.set_position("9", &[]).unwrap();
    console.go(Limits { turns: vec!["2".into()], ..minute(0.0) });
    assert_eq!(console.answer().0.last().unwrap().depth, 1);
}

#[test]
fn a_mate_within_the_depth_takes_no_more_time_from_a_clock() {
    let mut console = Console::new(&[]);
    console.go(minute(0.0));
    let last = console.answer().0.pop().unwrap();
    assert_eq!((last.score, last.depth), (Score::MateIn(5), 5));
    console.engine.new_game();
    console.go(depth(9));
    assert_eq!(console.answer().0.last().unwrap().depth, 9);
}

#[test]
fn at_the_end_of_input_work_with_a_limit_is_finished_and_a_held_answer_is_given() {
    let mut console = Console::new(&[("Endless", "true")]);
    console.go(depth(40));
    console.engine.wait();
    assert_eq!(console.answer().0.last().unwrap().depth, 40);
    for held in [Limits { infinite: true, ..depth(3) }, Limits { ponder: true, ..depth(3) }] {
        console.go(held);
        console.engine.wait();
        console.answer();
    }
}

#[test]
fn a_search_for_mate_is_the_first_workers() {
    let mut console = Console::new(&[("Threads", "2")]);
    console.go(Limits { mate: Some(MateLimit::Infinite), ..Limits::none() });
    assert_eq!(console.events.recv_timeout(DEAF), Ok(EngineEvent::Mate(Mate::NotImplemented)));
}
