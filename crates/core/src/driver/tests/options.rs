//! Options of the driver.

use super::*;

#[test]
fn limits_of_options_hold_beside_those_of_go() {
    let mut console = Console::new(&[("DepthLimit", "3")]);
    console.engine.set_position("60", &[]).unwrap();
    console.go(depth(9));
    assert_eq!(console.answer().0.last().unwrap().depth, 3);
    console.engine.set_option("DepthLimit", "0").unwrap();
    console.engine.set_option("NodesLimit", "100").unwrap();
    console.engine.new_game();
    console.go(depth(9));
    assert!(console.answer().0.last().unwrap().nodes <= 100);
}

#[test]
fn the_option_that_is_meant_is_named() {
    let mut console = Console::new(&[]);
    let mut refusal = |name: &str| console.engine.set_option(name, "1").unwrap_err().to_string();
    assert!(refusal("Hsah").ends_with("has no option 'Hsah'; did you mean 'Hash'?"));
    assert!(refusal("multi_pv").ends_with("did you mean 'MultiPV'?"));
    for other in ["Contempt?!", &"Hash".repeat(1000)] {
        assert!(!refusal(other).contains("did you mean"), "{other}");
    }
}

#[test]
fn reports_come_at_the_interval_that_was_asked_for() {
    let reports = |interval: &str| {
        let mut console = Console::new(&[("Endless", "true"), ("PvInterval", interval)]);
        console.go(Limits { movetime: Some(Duration::from_millis(1_600)), ..Limits::none() });
        console.answer().0.iter().filter(|info| info.time > Duration::from_secs(1)).count()
    };
    // The last line before the answer is always there.
    assert!(reports("100000") <= 2);
    assert!(reports("0") > 10);
}

#[test]
fn a_random_time_is_kept() {
    let mut console = Console::new(&[("Endless", "true")]);
    console.engine.ready();
    let begun = Instant::now();
    console.go(Limits { random_time: Some(Duration::from_millis(200)), ..Limits::none() });
    console.answer();
    assert!(begun.elapsed() > Duration::from_millis(150), "{:?}", begun.elapsed());
}

#[test]
fn considering_plays_no_book_and_resigns_nothing() {
    let mut console = Console::new(&[("Book", "true"), ("ConsiderationMode", "true")]);
    console.go(depth(5));
    assert_eq!(turn(&console.answer().1), "1");
    let mut console = Console::new(&[("ResignValue", "100")]);
    console.engine.set_position("8", &[]).unwrap();
    console.go(depth(9));
    assert_eq!(console.answer().1, Best::Resign);
    console.engine.set_option("ConsiderationMode", "true").unwrap();
    console.go(depth(9));
    assert!(!turn(&console.answer().1).is_empty());
}

/// Levels of this game make no mistakes but search two plies only.
#[test]
fn a_level_does_not_play_what_full_strength_found() {
    let mut console = Console::new(&[]);
    console.engine.set_position("60", &[]).unwrap();
    console.go(depth(6));
    let deepest = |infos: &[Info]| infos.iter().map(|info| info.depth).max();
    assert_eq!(deepest(&console.answer().0), Some(6));
    console.engine.set_option("SkillLevel", "0").unwrap();
    console.go(depth(6));
    assert_eq!(deepest(&console.answer().0), Some(2));
    console.engine.set_option("SkillLevel", "20").unwrap();
    console.go(depth(6));
    assert_eq!(deepest(&console.answer().0), Some(6));
}

#[test]
fn stochastic_pondering_is_silent_until_the_hit() {
    let mut console = Console::new(&[("Stochastic_Ponder", "true")]);
    console.engine.set_position("60", &["1"]).unwrap();
    for hit in [true, false] {
        console.go(Limits { ponder: true, depth: Some(5), ..Limits::none() });
        console.no_answer_within(Duration::from_millis(60));
        if hit {
            console.engine.ponder_hit(None)
        } else {
            console.engine.stop()
        }
        let (infos, best) = console.answer();
        assert_eq!(infos.is_empty(), !hit);
        assert!(["1", "2", "3"].contains(&turn(&best)));
        console.no_answer_within(Duration::from_millis(30));
    }
}

#[test]
fn stochastic_pondering_answers_for_the_position_it_was_asked_for() {
    for hit in [true, false] {
        let mut console = Console::new(&[("Stochastic_Ponder", "true")]);
        // The game is over by the expected turn.
        console.engine.set_position("1", &["1"]).unwrap();
        console.go(Limits { ponder: true, depth: Some(5), ..Limits::none() });
        console.engine.set_position("60", &[]).unwrap();
        if hit {
            console.engine.ponder_hit(None)
        } else {
            console.engine.stop()
        }
        assert_eq!(console.answer().1, Best::None, "hit: {hit}");
    }
}

#[test]
fn skill_holds_a_search_back_but_neither_full_strength_nor_analysis() {
    let mut console = Console::new(&[("Endless", "true")]);
    for (skill, reached) in [(2, 2), (FULL_SKILL, 25)] {
        console.engine.options.settings.skill_level = skill;
        console.engine.new_game();
        console.go(depth(25));
        assert_eq!(console.answer().0.last().unwrap().depth, reached, "level {skill}");
    }
    console.engine.options.settings.skill_level = 2;
    console.engine.new_game();
    console.go(Limits { infinite: true, ..depth(5) });
    let is_fifth = |event| matches!(event, EngineEvent::Info(info) if info.depth == 5);
    while !is_fifth(console.events.recv_timeout(Duration::from_secs(10)).expect("five iterations")) {}
    console.engine.stop();
    console.answer();
}
