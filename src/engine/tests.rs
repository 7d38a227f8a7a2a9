//! The rules of the driver, each shown once with a toy game.

mod time;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, unbounded};

use super::*;
use crate::engine::clock::MateLimit;
use crate::engine::event::{Best, Info};
use crate::engine::settings::FULL_SKILL;
use crate::game::control::Control;
use crate::game::facts::Facts;
use crate::game::level::Level;
use crate::game::picture::{Picture, Style, TurnPicture};
use crate::game::score::Score;
use crate::game::search::{Bound, Iteration, Line, Stage};
use crate::game::{Cause, Decision, Outcome, Shared, Side, Worker};
use crate::reference::{Method, Reference};

#[derive(Clone)]
struct Heap {
    left: u32,
    side: Side,
}

#[derive(Clone, Default)]
struct MatchSettings {
    /// Whether the worker knows its answer at once.
    book: bool,
    /// Whether the worker deepens for ever, one iteration each millisecond.
    endless: bool,
    /// Whether the worker panics.
    panics: bool,
    /// Whether the second iteration is cut off when all it knows is that the score rose.
    rises: bool,
    /// Whether the second iteration takes a second, whatever the clock says.
    deaf: bool,
    /// Whether no worker can be made.
    unmade: bool,
    /// Whether it takes a while to make one.
    slow: bool,
}

struct NoMemory;

impl Memory for NoMemory {
    fn with_bytes(_: usize) -> Result<Self, Rejected> {
        Ok(NoMemory)
    }
    fn clear_unless(&self, _: usize, _: &Interrupt) {}
    fn age(&self) {}
    fn hashfull(&self) -> u16 {
        0
    }
}

/// Take one, two or three matches; who takes the last one wins. A multiple of four is lost.
struct Loaded(MatchSettings);

static MATCHES: Facts = Facts { name: "matches", title: "matches", levels: &LEVELS, ..Facts::MINIMAL };
static LEVELS: [Level; 20] = [Level { depth: Some(2), nodes: None, error: 0, lines: 1, overlooked: 0 }; 20];

impl Game for Loaded {
    type Settings = MatchSettings;
    type Position = Heap;
    type Turn = u32;
    type Memory = NoMemory;
    type Worker = Player;
    const FACTS: &'static Facts = &MATCHES;

    fn options() -> Vec<OptionSpec<MatchSettings>> {
        vec![
            OptionSpec::check("Book", false, |s: &mut MatchSettings, v| s.book = v),
            OptionSpec::check("Endless", false, |s, v| s.endless = v),
            OptionSpec::check("Panics", false, |s, v| s.panics = v),
            OptionSpec::check("Rises", false, |s, v| s.rises = v),
            OptionSpec::check("Deaf", false, |s, v| s.deaf = v),
            OptionSpec::check("Unmade", false, |s, v| s.unmade = v),
            OptionSpec::check("Slow", false, |s, v| s.slow = v),
        ]
    }
    fn load(settings: &MatchSettings) -> Result<Self, Rejected> {
        Ok(Loaded(settings.clone()))
    }
    fn start(&self) -> Heap {
        Heap { left: 9, side: Side::First }
    }
    fn parse_position(&self, text: &str) -> Result<Heap, Rejected> {
        if text == "startpos" {
            return Ok(self.start());
        }
        let left = text.parse().map_err(|_| Rejected(format!("'{text}' is not a number of matches")))?;
        Ok(Heap { left, side: Side::First })
    }
    fn format_position(&self, position: &Heap) -> String {
        position.left.to_string()
    }
    fn parse_turn(&self, position: &Heap, text: &str) -> Result<u32, Rejected> {
        let turn = text.parse().map_err(|_| Rejected(format!("'{text}' is not a number")))?;
        if self.turns(position).contains(&turn) { Ok(turn) } else { Err(Rejected::new("not so many")) }
    }
    fn format_turn(&self, _: &Heap, turn: &u32) -> String {
        turn.to_string()
    }
    fn play(&self, position: &mut Heap, turn: &u32) {
        position.left -= turn;
        position.side = position.side.other();
    }
    fn turns(&self, position: &Heap) -> Vec<u32> {
        (1..=position.left.min(3)).collect()
    }
    fn side_to_move(&self, position: &Heap) -> Side {
        position.side
    }
    fn outcome(&self, position: &Heap) -> Option<Outcome> {
        (position.left == 0).then(|| Outcome {
            winner: Some(position.side.other()),
            margin: 0,
            cause: Cause::Mate,
        })
    }
    fn turns_left(&self, position: &Heap) -> f32 {
        position.left as f32 / 4.0
    }
    fn identity(&self, position: &Heap) -> Vec<u8> {
        position.left.to_le_bytes().to_vec()
    }
    fn evaluate(&self, _: &Heap) -> i32 {
        0
    }
    fn perft(&self, position: &Heap, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let child = |turn: u32| Heap { left: position.left - turn, side: position.side.other() };
        self.turns(position).into_iter().map(|turn| self.perft(&child(turn), depth - 1)).sum()
    }
    fn picture(&self, heap: &Heap) -> Picture {
        Picture {
            style: Style::Stones,
            columns: 1,
            rows: 1,
            names: vec!["heap".into()],
            cells: vec![None],
            hands: Default::default(),
            to_move: heap.side,
            number: 1,
            check: None,
            counts: None,
            territory: Default::default(),
        }
    }
    fn turn_picture(&self, _: &Heap, _: &u32) -> TurnPicture {
        TurnPicture::default()
    }
    fn set_up_text(_: &crate::game::set_up::SetUp) -> String {
        String::new()
    }
    fn diagram(&self, position: &Heap) -> String {
        "|".repeat(position.left as usize)
    }
    fn explain(&self, _: &Heap) -> String {
        "nothing is known".into()
    }
    fn bench() -> &'static [(&'static str, u16)] {
        &[("9", 5), ("14", 6)]
    }
}

/// How long a deaf worker takes.
const DEAF: Duration = Duration::from_secs(1);

/// Alpha-beta, unless the settings make it misbehave.
struct Player {
    settings: MatchSettings,
    search: Reference<Loaded>,
}

impl Worker<Loaded> for Player {
    fn new(shared: Arc<Shared<Loaded>>, _: usize) -> Self {
        let settings = shared.game.0.clone();
        assert!(!settings.unmade, "as it was told to");
        if settings.slow {
            std::thread::sleep(Duration::from_millis(300));
        }
        Player { settings, search: Reference::with(shared, Method::AlphaBeta, true) }
    }
    fn new_game(&mut self) {
        self.search.new_game();
    }
    fn at_once(&mut self, _: &Root<Loaded>, _: &Control) -> Option<Decision<u32>> {
        self.settings.book.then(|| Decision::Book { turns: vec![2, 3], score: Score::Cp(17), depth: 5 })
    }
    fn next_stage(&self, root: &Root<Loaded>, done: Option<Stage>) -> Option<Stage> {
        if self.settings.endless {
            return Some(Stage::depth(done.map_or(1, |stage| stage.depth + 1)));
        }
        self.search.next_stage(root, done).filter(|next| next.depth <= 30)
    }
    fn search(&mut self, root: &Root<Loaded>, stage: Stage, control: &Control) -> Iteration<Loaded> {
        assert!(!self.settings.panics, "as it was told to");
        if self.settings.deaf && stage.depth == 2 {
            std::thread::sleep(DEAF);
        }
        if self.settings.rises && stage.depth == 2 {
            let (score, bound) = (Score::Cp(70), Bound::Lower);
            return Iteration::Partial(Line { score, bound, turns: vec![3], seldepth: stage.depth });
        }
        if !self.settings.endless {
            return self.search.search(root, stage, control);
        }
        std::thread::sleep(Duration::from_millis(1));
        let turns: Vec<u32> =
            (1..=root.position.left.min(3)).filter(|turn| root.allows(turn)).take(1).collect();
        match control.check() {
            _ if turns.is_empty() => Iteration::NoTurn,
            Ok(()) => Iteration::Complete(Line {
                score: Score::Cp(0),
                bound: Bound::Exact,
                turns,
                seldepth: stage.depth,
            }),
            Err(_) => Iteration::Stopped,
        }
    }
}

struct Desk {
    engine: Engine<Loaded>,
    events: Receiver<Event>,
}

impl Desk {
    fn new(options: &[(&str, &str)]) -> Desk {
        let (sender, events) = unbounded();
        let mut engine = Engine::new(sender).unwrap();
        for (name, value) in options {
            engine.set_option(name, value).unwrap();
        }
        Desk { engine, events }
    }

    fn go(&mut self, limits: Limits) {
        self.engine.go(limits);
    }

    /// All events up to the answer.
    fn answer(&self) -> (Vec<Info>, Best) {
        let mut infos = Vec::new();
        loop {
            match self.events.recv_timeout(Duration::from_secs(10)).expect("an answer") {
                Event::Info(info) => infos.push(info),
                Event::Best(best) => return (infos, best),
                _ => {}
            }
        }
    }

    fn no_answer_within(&self, time: Duration) {
        let until = Instant::now() + time;
        while let Ok(event) = self.events.recv_deadline(until) {
            assert!(!matches!(event, Event::Best(_)), "an early answer");
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
    let mut desk = Desk::new(&[]);
    desk.go(depth(9));
    let (infos, best) = desk.answer();
    assert_eq!(turn(&best), "1");
    assert_eq!(infos.last().unwrap().score, Score::MateIn(5));
}

#[test]
fn infinite_holds_its_answer_until_stop_though_the_book_has_one() {
    for options in [&[("Book", "true")][..], &[]] {
        let mut desk = Desk::new(options);
        desk.go(Limits { infinite: true, ..Limits::none() });
        desk.no_answer_within(Duration::from_millis(80));
        desk.engine.stop();
        desk.answer();
    }
}

#[test]
fn a_book_line_is_told_like_a_search_and_left_alone_in_analysis() {
    let mut desk = Desk::new(&[("Book", "true")]);
    desk.go(depth(5));
    let (infos, best) = desk.answer();
    assert_eq!(best, Best::Turn { turn: "2".into(), ponder: Some("3".into()) });
    assert_eq!((infos.len(), infos[0].score, infos[0].depth), (1, Score::Cp(17), 5));
    desk.go(Limits { infinite: true, ..Limits::none() });
    std::thread::sleep(Duration::from_millis(20));
    desk.engine.stop();
    assert_eq!(turn(&desk.answer().1), "1");
}

#[test]
fn ponder_holds_its_answer_until_the_hit_and_then_runs_on_the_clock() {
    let mut desk = Desk::new(&[("Endless", "true")]);
    desk.go(Limits { ponder: true, movetime: Some(Duration::from_millis(60)), ..Limits::none() });
    desk.no_answer_within(Duration::from_millis(120));
    let hit = Instant::now();
    desk.engine.ponder_hit(None);
    desk.answer();
    let after = hit.elapsed();
    assert!(after > Duration::from_millis(30), "{after:?} is too early");
}

#[test]
fn new_clocks_with_the_hit_replace_the_old_ones() {
    let mut desk = Desk::new(&[("Endless", "true")]);
    desk.go(Limits { ponder: true, movetime: Some(Duration::from_secs(100)), ..Limits::none() });
    desk.engine.ponder_hit(Some(Limits { movetime: Some(Duration::from_millis(20)), ..Limits::none() }));
    desk.answer();
}

#[test]
fn every_go_is_answered_exactly_once() {
    let mut desk = Desk::new(&[("Threads", "3")]);
    for round in 0..50 {
        desk.go(match round % 3 {
            0 => depth(5),
            1 => Limits { infinite: true, ..Limits::none() },
            _ => Limits { movetime: Some(Duration::ZERO), ..Limits::none() },
        });
        desk.engine.stop();
        desk.engine.stop();
    }
    desk.engine.wait();
    let answers = desk.events.try_iter().filter(|event| matches!(event, Event::Best(_))).count();
    assert_eq!(answers, 50);
}

#[test]
fn stop_without_a_search_is_silent() {
    let mut desk = Desk::new(&[]);
    desk.engine.stop();
    desk.engine.ponder_hit(None);
    desk.engine.wait();
    assert!(desk.events.is_empty());
}

#[test]
fn the_first_iteration_completes_though_there_is_no_time_at_all() {
    let mut desk = Desk::new(&[]);
    for limits in [
        Limits { movetime: Some(Duration::ZERO), ..Limits::none() },
        Limits { nodes: Some(1), ..Limits::none() },
        Limits { clocks: Some(Default::default()), ..Limits::none() },
    ] {
        desk.engine.new_game();
        desk.go(limits);
        let (infos, best) = desk.answer();
        assert!(!turn(&best).is_empty());
        assert_eq!(infos.last().unwrap().depth, 1);
        assert!(!infos.last().unwrap().pv.is_empty());
    }
}

#[test]
fn a_bad_position_is_named_and_leaves_the_former_one() {
    let mut desk = Desk::new(&[]);
    desk.engine.set_position("7", &["3"]).unwrap();
    let error = desk.engine.set_position("9", &["1", "7", "1"]).unwrap_err();
    assert!(error.0.contains("move 2 '7'"), "{error}");
    assert!(desk.engine.set_position("many", &[]).is_err());
    desk.engine.show(Show::Board);
    assert_eq!(desk.events.recv().unwrap(), Event::Text("||||".into()));
}

#[test]
fn the_end_of_input_finishes_bounded_work_and_stops_endless_work() {
    let mut desk = Desk::new(&[("Endless", "true")]);
    desk.go(Limits { movetime: Some(Duration::from_millis(40)), ..Limits::none() });
    desk.engine.wait();
    desk.answer();
    desk.go(Limits { infinite: true, ..Limits::none() });
    desk.engine.wait();
    desk.answer();
}

#[test]
fn the_clock_starts_when_the_line_was_read() {
    let mut desk = Desk::new(&[("Endless", "true")]);
    desk.engine.ready();
    let read = Instant::now();
    std::thread::sleep(Duration::from_millis(150));
    let late = Instant::now();
    desk.go(Limits { received: read, movetime: Some(Duration::from_millis(200)), ..Limits::none() });
    desk.answer();
    assert!(late.elapsed() < Duration::from_millis(150), "{:?} since go", late.elapsed());
}

#[test]
fn a_position_asked_again_is_resumed_until_a_new_game() {
    let mut desk = Desk::new(&[]);
    desk.engine.set_position("60", &[]).unwrap();
    let nodes = |desk: &mut Desk| {
        desk.go(depth(9));
        desk.answer().0.last().unwrap().nodes
    };
    let (first, second) = (nodes(&mut desk), nodes(&mut desk));
    assert!(second * 5 <= first, "{second} nodes after {first}");
    desk.engine.new_game();
    assert_eq!(nodes(&mut desk), first);
}

#[test]
fn the_end_of_a_game_is_forgotten_at_the_next_ready() {
    let mut desk = Desk::new(&[]);
    desk.engine.set_position("60", &[]).unwrap();
    let nodes = |desk: &mut Desk| {
        desk.go(depth(9));
        desk.answer().0.last().unwrap().nodes
    };
    let first = nodes(&mut desk);
    desk.engine.game_over();
    assert!(nodes(&mut desk) * 5 <= first, "the end alone forgets nothing");
    desk.engine.ready();
    assert_eq!(nodes(&mut desk), first);
}

#[test]
fn repeated_requests_go_deeper() {
    let mut desk = Desk::new(&[("Endless", "true")]);
    let mut reached = 0;
    for _ in 0..3 {
        desk.go(Limits { movetime: Some(Duration::from_millis(20)), ..Limits::none() });
        let depth = desk.answer().0.last().unwrap().depth;
        assert!(depth > reached, "{depth} after {reached}");
        reached = depth;
    }
}

#[test]
fn multipv_shows_distinct_lines_best_first_and_never_more_than_there_are() {
    let mut desk = Desk::new(&[("MultiPV", "9"), ("Threads", "3")]);
    desk.go(depth(9));
    let (infos, best) = desk.answer();
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
    let mut desk = Desk::new(&[]);
    desk.go(Limits { turns: vec!["2".into()], ..depth(5) });
    assert_eq!(turn(&desk.answer().1), "2");
    desk.go(Limits { turns: vec!["4".into()], ..depth(5) });
    let refusal = desk.events.recv().unwrap();
    assert!(matches!(&refusal, Event::Message(text) if text.contains("'4'")), "{refusal:?}");
    assert_eq!(turn(&desk.answer().1), "1");
}

#[test]
fn a_finished_game_has_nothing_to_play() {
    let mut desk = Desk::new(&[]);
    desk.engine.set_position("0", &[]).unwrap();
    desk.go(depth(5));
    let (infos, best) = desk.answer();
    assert_eq!(best, Best::None);
    assert_eq!(infos.last().unwrap().score, Score::MatedIn(0));
}

#[test]
fn the_bound_of_a_search_cut_off_is_told_as_one() {
    let mut desk = Desk::new(&[("Rises", "true")]);
    desk.go(depth(5));
    let (infos, best) = desk.answer();
    assert_eq!(turn(&best), "3");
    let last = infos.last().unwrap();
    assert_eq!((last.score, last.bound), (Score::Cp(70), Bound::Lower));
    assert_eq!(infos[0].bound, Bound::Exact);
}

#[test]
fn ready_is_answered_during_a_search() {
    let mut desk = Desk::new(&[("Endless", "true")]);
    desk.go(Limits { infinite: true, ..Limits::none() });
    desk.engine.ready();
    while desk.events.recv_timeout(Duration::from_secs(5)).unwrap() != Event::Ready {}
    desk.engine.stop();
    desk.answer();
}

/// On a busy machine a search thread may be kept waiting for long.
#[test]
fn a_search_that_does_not_look_at_its_clock_is_answered_for() {
    let mut desk = Desk::new(&[("Deaf", "true")]);
    desk.engine.ready();
    let begun = Instant::now();
    desk.go(Limits { movetime: Some(Duration::from_millis(50)), ..Limits::none() });
    assert!(desk.engine.wake_at().is_some());
    desk.engine.wait();
    assert!(begun.elapsed() < DEAF, "{:?}", begun.elapsed());
    let (infos, best) = desk.answer();
    assert_eq!((turn(&best), infos.last().unwrap().depth), ("1", 1));
    // It answers once, and its thread is free again for the next search.
    assert_eq!(desk.engine.wake_at(), None);
    desk.go(depth(1));
    desk.engine.wait();
    desk.answer();
    assert!(begun.elapsed() >= DEAF);
    desk.no_answer_within(Duration::from_millis(50));
}

#[test]
fn a_stop_is_answered_for_a_search_that_does_not_hear_it() {
    let mut desk = Desk::new(&[("Deaf", "true")]);
    desk.engine.ready();
    desk.go(Limits { infinite: true, ..Limits::none() });
    std::thread::sleep(Duration::from_millis(100));
    let begun = Instant::now();
    desk.engine.stop();
    desk.engine.wait();
    assert!(begun.elapsed() < DEAF / 2, "{:?}", begun.elapsed());
    assert_eq!(turn(&desk.answer().1), "1");
}

#[test]
fn without_any_worker_go_is_answered_all_the_same() {
    let mut desk = Desk::new(&[("Unmade", "true"), ("Threads", "2")]);
    desk.engine.ready();
    desk.go(depth(3));
    assert_eq!(turn(&desk.answer().1), "1");
    desk.engine.set_option("Unmade", "false").unwrap();
    desk.go(depth(9));
    assert_eq!(desk.answer().0.last().unwrap().score, Score::MateIn(5));
}

#[test]
fn what_is_loaded_late_does_not_shorten_the_search() {
    let mut desk = Desk::new(&[("Slow", "true"), ("Endless", "true")]);
    desk.go(Limits { movetime: Some(Duration::from_millis(200)), ..Limits::none() });
    let (infos, _) = desk.answer();
    assert!(infos.last().unwrap().depth > 2, "{:?}", infos.last());
}

#[test]
fn limits_of_options_hold_beside_those_of_go() {
    let mut desk = Desk::new(&[("DepthLimit", "3")]);
    desk.engine.set_position("60", &[]).unwrap();
    desk.go(depth(9));
    assert_eq!(desk.answer().0.last().unwrap().depth, 3);
    desk.engine.set_option("DepthLimit", "0").unwrap();
    desk.engine.set_option("NodesLimit", "100").unwrap();
    desk.engine.new_game();
    desk.go(depth(9));
    assert!(desk.answer().0.last().unwrap().nodes <= 100);
}

#[test]
fn reports_come_at_the_interval_that_was_asked_for() {
    let reports = |interval: &str| {
        let mut desk = Desk::new(&[("Endless", "true"), ("PvInterval", interval)]);
        desk.go(Limits { movetime: Some(Duration::from_millis(1_600)), ..Limits::none() });
        desk.answer().0.iter().filter(|info| info.time > Duration::from_secs(1)).count()
    };
    // The last line before the answer is always there.
    assert!(reports("100000") <= 2);
    assert!(reports("0") > 10);
}

#[test]
fn a_random_time_is_kept() {
    let mut desk = Desk::new(&[("Endless", "true")]);
    desk.engine.ready();
    let begun = Instant::now();
    desk.go(Limits { random_time: Some(Duration::from_millis(200)), ..Limits::none() });
    desk.answer();
    assert!(begun.elapsed() > Duration::from_millis(150), "{:?}", begun.elapsed());
}

#[test]
fn considering_plays_no_book_and_resigns_nothing() {
    let mut desk = Desk::new(&[("Book", "true"), ("ConsiderationMode", "true")]);
    desk.go(depth(5));
    assert_eq!(turn(&desk.answer().1), "1");
    let mut desk = Desk::new(&[("ResignValue", "100")]);
    desk.engine.set_position("8", &[]).unwrap();
    desk.go(depth(9));
    assert_eq!(desk.answer().1, Best::Resign);
    desk.engine.set_option("ConsiderationMode", "true").unwrap();
    desk.go(depth(9));
    assert!(!turn(&desk.answer().1).is_empty());
}

#[test]
fn stochastic_pondering_is_silent_until_the_hit() {
    let mut desk = Desk::new(&[("Stochastic_Ponder", "true")]);
    desk.engine.set_position("60", &["1"]).unwrap();
    for hit in [true, false] {
        desk.go(Limits { ponder: true, depth: Some(5), ..Limits::none() });
        desk.no_answer_within(Duration::from_millis(60));
        if hit {
            desk.engine.ponder_hit(None)
        } else {
            desk.engine.stop()
        }
        let (infos, best) = desk.answer();
        assert_eq!(infos.is_empty(), !hit);
        assert!(["1", "2", "3"].contains(&turn(&best)));
        desk.no_answer_within(Duration::from_millis(30));
    }
}

#[test]
fn options_that_are_not_there_are_refused_with_what_is() {
    let mut desk = Desk::new(&[]);
    let reason = desk.engine.set_option("EvalDir", "eval").unwrap_err();
    assert!(reason.0.contains("EvalFile"), "{reason}");
}

/// What a GUI would take for an answer about the position that it has sent.
#[test]
fn after_a_refused_position_go_does_not_search_the_former_one() {
    let mut desk = Desk::new(&[]);
    desk.engine.set_position("7", &["3"]).unwrap();
    desk.engine.set_position("7", &["3", "9"]).unwrap_err();
    desk.go(depth(5));
    let remark = desk.events.recv().unwrap();
    assert!(matches!(&remark, Event::Message(text) if text.contains("move 2 '9'")), "{remark:?}");
    assert_eq!(desk.answer(), (Vec::new(), Best::None));
    desk.go(Limits { mate: Some(MateLimit::Infinite), ..Limits::none() });
    desk.events.recv().unwrap();
    assert_eq!(desk.events.recv().unwrap(), Event::Mate(Mate::Timeout));
    desk.go(Limits { infinite: true, ..Limits::none() });
    desk.no_answer_within(Duration::from_millis(30));
    desk.engine.stop();
    assert_eq!(desk.answer().1, Best::None);
    desk.engine.set_position("7", &["3"]).unwrap();
    desk.go(depth(5));
    assert!(!turn(&desk.answer().1).is_empty());
}

#[test]
fn a_panic_in_a_search_still_answers_and_the_next_search_is_sound() {
    let mut desk = Desk::new(&[("Panics", "true")]);
    desk.go(depth(5));
    assert_eq!(desk.events.recv().unwrap(), Event::Panic("as it was told to".into()));
    assert_eq!(turn(&desk.answer().1), "1");
    desk.engine.set_option("Panics", "false").unwrap();
    desk.go(depth(9));
    assert_eq!(desk.answer().0.last().unwrap().score, Score::MateIn(5));
    assert!(desk.engine.failure().is_some(), "it is not forgotten");
}

#[test]
fn bench_counts_the_same_nodes_every_time() {
    assert_eq!(bench::<Loaded>().unwrap(), bench::<Loaded>().unwrap());
}

#[test]
fn every_reference_search_has_the_value_of_minimax() {
    let shared = Arc::new(Shared {
        game: Arc::new(Loaded::load(&Default::default()).unwrap()),
        memory: Arc::new(NoMemory),
        threads: 1,
    });
    for left in 1..=14 {
        for depth in 1..=7 {
            let root = Root::<Loaded>::new(Heap { left, side: Side::First });
            let mut values = Vec::new();
            for method in [Method::Minimax, Method::AlphaBeta, Method::Selective { lag: 0 }] {
                for cached in [false, true] {
                    let mut search = Reference::with(Arc::clone(&shared), method, cached);
                    let line = search.run(&root, depth, &Control::free()).unwrap().unwrap();
                    values.push(line.score);
                }
            }
            assert!(values.iter().all(|&value| value == values[0]), "{left} at {depth}: {values:?}");
        }
    }
}

#[test]
fn skill_holds_a_search_back_but_neither_full_strength_nor_analysis() {
    let mut desk = Desk::new(&[("Endless", "true")]);
    for (skill, reached) in [(2, 2), (FULL_SKILL, 25)] {
        desk.engine.settings.skill_level = skill;
        desk.engine.new_game();
        desk.go(depth(25));
        assert_eq!(desk.answer().0.last().unwrap().depth, reached, "level {skill}");
    }
    desk.engine.settings.skill_level = 2;
    desk.engine.new_game();
    desk.go(Limits { infinite: true, ..depth(5) });
    let is_fifth = |event| matches!(event, Event::Info(info) if info.depth == 5);
    while !is_fifth(desk.events.recv_timeout(Duration::from_secs(10)).expect("five iterations")) {}
    desk.engine.stop();
    desk.answer();
}
