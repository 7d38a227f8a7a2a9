//! Searches in slices, on the thread that drives the engine.

use super::*;

impl Console {
    fn in_slices(options: &[(&str, &str)]) -> Console {
        let Console { engine, events } = Console::new(options);
        Console { engine: engine.in_slices(), events }
    }

    /// Searches on until the search ends; in how many slices.
    fn search_to_the_end(&mut self) -> usize {
        1 + std::iter::from_fn(|| self.engine.search_on().then_some(())).count()
    }
}

#[test]
fn the_answer_is_that_of_a_search_on_a_thread() {
    let mut alone = Console::in_slices(&[]);
    alone.go(depth(9));
    assert!(alone.events.is_empty(), "nothing is searched yet");
    alone.search_to_the_end();
    let mut threaded = Console::new(&[]);
    threaded.go(depth(9));
    let [(alone, best), (threaded, wanted)] = [alone.answer(), threaded.answer()];
    assert_eq!(best, wanted);
    let found = |infos: &[Info]| infos.last().map(|info| (info.depth, info.score, info.pv.clone()));
    assert_eq!(found(&alone), found(&threaded));
}

#[test]
fn a_clock_ends_a_search_of_many_slices() {
    let mut console = Console::in_slices(&[("Endless", "true")]);
    let begun = Instant::now();
    console.go(Limits { movetime: Some(Duration::from_millis(120)), ..Limits::none() });
    assert!(console.search_to_the_end() > 1);
    assert!(begun.elapsed() > Duration::from_millis(60));
    assert!(!console.engine.search_on(), "nothing is left to search");
    let (infos, _) = console.answer();
    assert!(
        infos.is_sorted_by_key(|info| (info.depth, info.nodes)),
        "each slice goes on where the last ended"
    );
}

#[test]
fn stop_is_answered_in_the_next_slice() {
    for limits in [Limits { infinite: true, ..Limits::none() }, Limits { ponder: true, ..Limits::none() }] {
        let mut console = Console::in_slices(&[("Endless", "true")]);
        console.go(limits);
        assert!((0..5).all(|_| console.engine.search_on()));
        console.engine.stop();
        assert!(!console.engine.search_on());
        console.answer();
    }
}

#[test]
fn whatever_waits_for_the_answer_searches_to_the_end() {
    let mut console = Console::in_slices(&[]);
    console.go(depth(5));
    console.go(depth(9));
    console.engine.wait();
    assert_eq!(console.answer().0.last().map(|info| info.depth), Some(1), "the first one was stopped");
    assert_eq!(turn(&console.answer().1), "1");
    console.go(depth(3));
    console.engine.new_game();
    console.answer();
    console.go(depth(3));
}

#[test]
fn a_panic_in_a_slice_is_reported_and_answered() {
    let mut console = Console::in_slices(&[("Panics", "true")]);
    console.go(depth(3));
    console.search_to_the_end();
    console.answer();
    assert!(console.engine.failure().is_some());
    console.engine.set_option("Panics", "false").unwrap();
    console.go(depth(9));
    console.search_to_the_end();
    assert_eq!(turn(&console.answer().1), "1");
}

#[test]
fn threads_and_memory_are_those_of_a_small_host() {
    let mut console = Console::in_slices(&[]);
    assert!(console.engine.set_option("Threads", "2").is_err());
    assert!(console.engine.set_option("Hash", "257").is_err());
    assert_eq!(console.engine.set_option("Hash", "256"), Ok(()));
}
