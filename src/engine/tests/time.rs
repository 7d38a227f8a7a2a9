//! When a search under a clock ends, and who is waited for.

use super::*;

/// A clock of a minute, as it stands so many seconds after the line was read: 18.6 s are the soft limit of a
/// heap of nine, 50.5 s the hard one.
fn minute(seconds_ago: f64) -> Limits {
    let clock = clock::Clock { left: Duration::from_secs(60), ..Default::default() };
    let received = Instant::now() - Duration::from_secs_f64(seconds_ago);
    Limits { received, clocks: Some([clock; 2]), ..Limits::none() }
}

#[test]
fn under_a_clock_no_iteration_begins_behind_the_soft_limit() {
    let mut desk = Desk::new(&[("Endless", "true")]);
    desk.engine.ready();
    desk.go(minute(25.0));
    assert_eq!(desk.answer().0.last().unwrap().depth, 1);
    desk.engine.new_game();
    desk.go(minute(18.2));
    assert!(desk.answer().0.last().unwrap().depth > 1);
}

#[test]
fn a_forced_turn_takes_no_time_from_a_clock() {
    let mut desk = Desk::new(&[("Endless", "true")]);
    desk.engine.set_position("1", &[]).unwrap();
    desk.go(minute(0.0));
    assert_eq!(desk.answer().0.last().unwrap().depth, 1);
    // A time for this turn alone is used.
    desk.engine.new_game();
    desk.engine.ready();
    desk.go(Limits { movetime: Some(Duration::from_millis(200)), ..Limits::none() });
    assert!(desk.answer().0.last().unwrap().depth > 1);
    // Of three turns two may be forbidden.
    desk.engine.set_position("9", &[]).unwrap();
    desk.go(Limits { turns: vec!["2".into()], ..minute(0.0) });
    assert_eq!(desk.answer().0.last().unwrap().depth, 1);
}

#[test]
fn a_mate_within_the_depth_takes_no_more_time_from_a_clock() {
    let mut desk = Desk::new(&[]);
    desk.go(minute(0.0));
    let last = desk.answer().0.pop().unwrap();
    assert_eq!((last.score, last.depth), (Score::MateIn(5), 5));
    desk.engine.new_game();
    desk.go(depth(9));
    assert_eq!(desk.answer().0.last().unwrap().depth, 9);
}

#[test]
fn at_the_end_of_input_work_with_a_limit_is_finished_and_a_held_answer_is_given() {
    let mut desk = Desk::new(&[("Endless", "true")]);
    desk.go(depth(40));
    desk.engine.wait();
    assert_eq!(desk.answer().0.last().unwrap().depth, 40);
    for held in [Limits { infinite: true, ..depth(3) }, Limits { ponder: true, ..depth(3) }] {
        desk.go(held);
        desk.engine.wait();
        desk.answer();
    }
}

#[test]
fn a_search_for_mate_is_the_first_workers() {
    let mut desk = Desk::new(&[("Threads", "2")]);
    desk.go(Limits { mate: Some(MateLimit::Infinite), ..Limits::none() });
    assert_eq!(desk.events.recv_timeout(DEAF), Ok(Event::Mate(Mate::NotImplemented)));
}
