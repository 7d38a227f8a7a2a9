//! How the Monte-Carlo search of Sygo plays: endings, and tactical problems against the clock.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, unbounded};
use kaeshi_core::driver::Controller;
use kaeshi_core::driver::clock::Limits;
use kaeshi_core::driver::event::{Best, EngineEvent};
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::SearchMemory;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::random::SplitMix;
use kaeshi_engine::games::GameName;
use kaeshi_learn::sygo::selfplay::{SygoGame, SygoPlayer, opening, play};
use kaeshi_records::sygo_list;
use kaeshi_sygo::SygoSearchMethod;
use kaeshi_sygo::evaluate::SygoWeights;
use kaeshi_sygo::rules;
use kaeshi_sygo::rules::board::{Colour, SygoBoard};
use kaeshi_sygo::rules::notation;
use kaeshi_sygo::rules::points::Point;
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::settled;
use kaeshi_sygo::rules::size::BoardSize;
use kaeshi_sygo::rules::turn::SygoTurn;
use kaeshi_sygo::search::montecarlo::MctsParameters;
use kaeshi_sygo::search::propose::propose;
use kaeshi_sygo::solve::bounds::Bounds;
use kaeshi_sygo::solve::common_fate::CommonFate;
use kaeshi_sygo::solve::search::{SolverBudget, SolverSearch};
use kaeshi_sygo::solve::{SygoSolver, Unsolved};

/// Nodes of the solver for each pass that is looked at.
const NODES: u64 = 5_000_000;

/// Statistics of the ends of games.
#[derive(Debug, Default)]
struct Ends {
    games: usize,
    /// Passes that gave points away.
    lost: Vec<String>,
    /// Passes of which the solver does not know.
    open: Vec<String>,
    /// Stones on vacant points where neither side can gain.
    eyes: Vec<String>,
}

impl Ends {
    /// Looks at a finished game: at its last two passes, and at each stone of the players.
    fn look_at(&mut self, game: &SygoGame, size: usize, table: &TranspositionTable<Bounds>) {
        self.games += 1;
        let mut position = SygoPosition::new(size);
        for (number, turn) in game.turns.iter().enumerate() {
            let text = || format!("{} {}", notation::format_position(&position), notation::format_turn(turn));
            if number + 2 >= game.turns.len() {
                assert_eq!(*turn, SygoTurn::pass());
                let margin = if position.side == Colour::White { game.margin } else { -game.margin };
                match can_gain(&position, margin, table) {
                    Ok(true) => self.lost.push(text()),
                    Ok(false) => {}
                    Err(_) => self.open.push(text()),
                }
            }
            let idle = settled::idle(&position.board);
            if !game.random.contains(&number) && turn.stones().any(|point| idle.contains(point)) {
                self.eyes.push(text());
            }
            position.play(turn);
        }
    }
}

/// Whether the side to move can get more than `margin`.
fn can_gain(
    position: &SygoPosition,
    margin: i32,
    table: &TranspositionTable<Bounds>,
) -> Result<bool, Unsolved> {
    let (graph, node) = CommonFate::new(position).ok_or(Unsolved::TooManyTurns)?;
    let control = SearchControl::free();
    let mut search = SolverSearch::new(&graph, table, &control, 0);
    search.effort.nodes = NODES;
    search.reaches(node, margin + 1)
}

/// Plays games on this board, in which each turn is decided at `iteration`.
fn ends_of(size: usize, games: u64, iteration: u16) -> Ends {
    let weights = SygoWeights::embedded();
    let player = || {
        SygoPlayer::new(&weights, SygoSearchMethod::MonteCarlo, MctsParameters::default()).expect("memory")
    };
    let mut players = [player(), player()];
    let table = TranspositionTable::with_bytes(64 << 20).expect("memory");
    let mut ends = Ends::default();
    for number in 0..games {
        let mut random = SplitMix::new(number << 20 ^ size as u64);
        let start = opening(size, (2, 6), &mut random);
        let game = play(players.each_mut(), size, start, iteration, (0, &mut random));
        ends.look_at(&game, size, &table);
    }
    ends
}

#[test]
fn games_on_small_boards_end_with_nothing_left() {
    for size in 5..9 {
        let ends = ends_of(size, 4, 5);
        assert!(ends.lost.is_empty() && ends.open.is_empty() && ends.eyes.is_empty(), "{ends:?}");
    }
}

#[test]
fn the_points_that_games_were_passed_out_with_are_found() {
    // The neutral points of a long row mean the same; each order of filling them was a separate line.
    let missed = [
        "1bbbbbwbb1bww1b1/wwbwwwwbwbbbbbbb/wwbwwb1bwbbbbbbb/bbbbbbbbwbbbbbbb/bwwwwwwwwbbbbbbb/\
         bwwwwbbbbbbbbbbb/1wwwwwwwwwwwwwww/wwwwwwwwwwwwwwww/wwwwwwwwwwwwwwww/wwwwwwwwwwwwwwww/\
         wwwwwwwwwwwwwwww/1wwwww1w7w/wwwwwbbbbbbbbbbw/wwwwwbwwwwwwwwww/wwwwwb1wbbbbbwww/\
         wwwwwb1wb1wwwwww w g 1 67",
        "wwwbwwbbbbbbbbbbw1/1bbbwwbbbbbwwwwwwb/bbbbbwbbbbbwbw1www/bbbbbwbbb1bw1wwwww/bbbb1wb1bbbwww1www/\
         bbwwwwbwwwbwwwwwww/bbwb1wbbwwbbbbbbbb/bbbbwwbbwwww3wbb/bbbbwwbwwwwwwwwwww/bbbw1wb1wwwwwwwww1/\
         bbwwbwbb1wwwwwwwww/bbwwwwwbb4wwww1/bbbwwwwwbbbbbwww1w/bbbbbbbbwwwb1wwwww/bbwwwwwww1wbbwwwww/\
         bbbwbbbb1wbbwwwwww/bbbwwwwwwwwbbwwwww/bbbbbbbbbbwbwwwwww w g 1 91",
        "wwwwwww1bbwwwwwwwwb/wwwwwwwwbbbbbwbbbwb/wwwwwwwbbbbb1wbbbbb/wwwwwwwwbbbb1wbbbbb/\
         wwwwwww1bbbb1wbbbbb/wwwwwww1b2b1wbbbbb/wwwwwwwwwwwbbwbbbbb/wwwwwww1wwwbbbbbbbb/\
         wwwwwwbbwwwbbbbbbbb/wwww1bb1wbbbbbbbbbb/wwwww1bwwbbbbbbbbbb/wwwwwwb1wbbbbbbbbbb/\
         wwwww1bbbbbbbbbbbbb/wwwwwwwwbbbbbbbbbbb/wwwwwwbbbbbbbbbbbbb/wwwwwwbbbbbbbbbbbb1/\
         wwwwwwbwbbbbbbwwwbb/wwwwwwbwwwwwwwwwwbb/wwwwwwbw1w1bbw1bwbb b g 1 114",
    ];
    for text in missed {
        let (graph, node) =
            CommonFate::new(&notation::parse_position(text).expect(text)).expect("few groups");
        let solver =
            SygoSolver::new(graph, Arc::new(TranspositionTable::with_bytes(4 << 20).expect("memory")));
        let found = solver.gain(node, &SearchControl::free(), &mut SolverBudget::nodes(50_000));
        assert!(matches!(found, Ok(Some(_))), "{text}: {found:?}");
    }
}

/// 34 games on each board from 5x5 to 19x19; `cargo test --release -p kaeshi-learn --test learn -- --ignored
/// --nocapture games_on_all_boards`, and `SIZES=5..12` for a part of them.
#[test]
#[ignore = "takes a quarter of an hour"]
fn games_on_all_boards_end_with_nothing_left() {
    let sizes = std::env::var("SIZES").unwrap_or_else(|_| "5..20".to_owned());
    let (first, end) = sizes.split_once("..").expect("SIZES=first..end");
    let mut lost = 0;
    for size in first.parse().expect("a number")..end.parse().expect("a number") {
        let ends = ends_of(size, 34, 5);
        let mut text = format!(
            "{size}x{size}: {} games, {} passes with points left, {} unknown, {} eyes filled",
            ends.games,
            ends.lost.len(),
            ends.open.len(),
            ends.eyes.len()
        );
        for line in ends.lost.iter().chain(&ends.open).chain(&ends.eyes) {
            let _ = write!(text, "\n  {line}");
        }
        println!("{text}");
        lost += ends.lost.len() + ends.eyes.len();
    }
    assert_eq!(lost, 0);
}

/// The Sygo engine, asked on this thread.
struct ArenaEngine {
    engine: Box<dyn Controller>,
    events: Receiver<EngineEvent>,
}

/// An answer, its value in points for the side to move, and by how much it was late.
struct TimedAnswer {
    turn: SygoTurn,
    points: f64,
    late: Duration,
}

impl ArenaEngine {
    fn new() -> ArenaEngine {
        let (sender, events) = unbounded();
        let mut engine = GameName::Sygo.engine(sender).expect("an engine");
        // All of the time is for thinking: fifty times the time is not to be more than that.
        engine.set_option("NetworkDelay", "0").expect("an option");
        ArenaEngine { engine, events }
    }

    /// Its answer without knowledge of the former game.
    fn ask(&mut self, position: &SygoPosition, movetime: Duration) -> TimedAnswer {
        self.engine.new_game();
        let text = format!("fen {}", notation::format_position(position));
        self.engine.set_position(&text, &[]).expect("a position");
        let limits = Limits { movetime: Some(movetime), ..Limits::none() };
        let begun = limits.received;
        self.engine.go(limits);
        let mut points = 0.0;
        let answer = self.events.iter().find_map(|event| match event {
            EngineEvent::Info(info) => {
                points = f64::from(info.score.clamped(i32::MAX)) / 100.0;
                None
            }
            EngineEvent::Best(Best::Turn { turn, .. }) => Some(turn),
            _ => None,
        });
        let late = begun.elapsed().saturating_sub(movetime);
        let size = position.board.size();
        let turn = notation::parse_turn(size, &answer.expect("an answer")).expect("a turn");
        TimedAnswer { turn, points, late }
    }
}

impl ArenaEngine {
    /// The value of a turn in points for the side that makes it. Values are optimistic for the side to move, so this is
    /// the mean of two: with the other side to move, and with the same one after the best reply.
    fn worth(&mut self, position: &SygoPosition, turn: &SygoTurn, movetime: Duration) -> f64 {
        let mut after = position.clone();
        after.play(turn);
        if after.is_over() {
            return end(&after, position.side);
        }
        let reply = self.ask(&after, movetime);
        after.play(&reply.turn);
        let then =
            if after.is_over() { end(&after, position.side) } else { self.ask(&after, movetime).points };
        (then - reply.points) / 2.0
    }

    /// The value of a turn among others, in points for the side that makes it: after each of them the other side moves,
    /// so its values compare. Two searches agree, and one sees the position in the mirror.
    fn beside(&mut self, position: &SygoPosition, turn: &SygoTurn, movetime: Duration) -> f64 {
        let mut after = position.clone();
        after.play(turn);
        if after.is_over() {
            return end(&after, position.side);
        }
        let seen = [after.clone(), mirrored(&after)].map(|after| self.ask(&after, movetime).points);
        -(seen[0] + seen[1]) / 2.0
    }
}

/// The margin of a finished game for a side.
fn end(position: &SygoPosition, side: Colour) -> f64 {
    let margin = f64::from(rules::margin(&position.board));
    if side == Colour::White { margin } else { -margin }
}

/// A number that the environment may name.
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
}

/// Problems of `tests/data/sygo-tactics.txt` answered in half a second each; `cargo test --release -p
/// kaeshi-learn --test learn -- --ignored --nocapture tactical`, and `MILLISECONDS=100` for another time.
#[test]
#[ignore = "takes minutes"]
fn tactical_problems_are_solved_in_half_a_second() {
    let time = Duration::from_millis(number("MILLISECONDS", 500));
    let mut asked = ArenaEngine::new();
    let table = Arc::new(TranspositionTable::with_bytes(16 << 20).expect("memory"));
    // Of each half: problems, and those answered.
    let mut halves = [(0, 0); 2];
    let mut latest = Duration::ZERO;
    let problems =
        include_str!("../../../tests/data/sygo-tactics.txt").lines().filter(|line| !line.starts_with('#'));
    for (number, problem) in problems.enumerate() {
        let [text, value, _] = problem.split("; ").collect::<Vec<_>>()[..] else { panic!("{problem}") };
        let value: i32 = value.parse().expect("a margin");
        let position = notation::parse_position(text).expect(text);
        let TimedAnswer { turn, late, .. } = asked.ask(&position, time);
        latest = latest.max(late);
        let (graph, node) = CommonFate::new(&position).expect("few groups");
        let solver = SygoSolver::new(graph, Arc::clone(&table));
        let allowed = |other: &SygoTurn| *other == turn;
        let found =
            solver.best_of(node, Some(&allowed), &SearchControl::free(), &mut SolverBudget::nodes(u64::MAX));
        let (margin, _) = found.expect("nothing stops it");
        let half = &mut halves[number % 2];
        *half = (half.0 + 1, half.1 + usize::from(margin == value));
        if margin != value {
            println!("{problem}: {} gets {margin}", notation::format_turn(&turn));
        }
    }
    println!("{time:?}: {:?} of the half to tune by, {:?} of the other", halves[0], halves[1]);
    println!("the latest answer was {latest:?} late");
    assert!(20 * halves[1].1 >= 19 * halves[1].0, "{halves:?}");
}

/// Prints problems for `tests/data/sygo-tactics.txt` from the games in a folder: positions in which the turn of
/// the best static value loses a tenth of the board or more by exact values, two of a game at most;
/// `GAMES=folder cargo test --release -p kaeshi-learn --test learn -- --ignored --nocapture problems_of_games`.
#[test]
#[ignore = "needs games"]
fn problems_of_games() {
    let nodes = number("NODES", 60_000);
    let folder = std::env::var("GAMES").expect("GAMES=folder");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sygo"))
        .collect();
    files.sort();
    let weights = SygoWeights::embedded();
    for file in files {
        for game in sygo_list::read(&std::fs::read_to_string(&file).expect("text")) {
            let game = game.expect("a game");
            let start = game.start.strip_prefix("fen ").unwrap_or(&game.start);
            let mut position = notation::parse_position(start).expect("a position");
            let size = position.board.size();
            let mut positions = Vec::new();
            for ply in &game.plies {
                positions.push(position.clone());
                position.play(&notation::parse_turn(size, &ply.turn).expect("a turn"));
            }
            let hard = positions.iter().rev().filter_map(|position| problem(position, &weights, nodes));
            hard.take(2).for_each(|problem| println!("problem {problem}"));
        }
    }
}

/// The line of a problem, if `nodes` nodes solve the position.
fn problem(position: &SygoPosition, weights: &SygoWeights, nodes: u64) -> Option<String> {
    const OPEN: usize = 20;
    let (graph, node) = CommonFate::new(position)?;
    let solver = SygoSolver::new(graph, Arc::new(TranspositionTable::with_bytes(4 << 20).expect("memory")));
    if position.is_over() || solver.open(node) > OPEN {
        return None;
    }
    let mut effort = SolverBudget::nodes(nodes);
    let mut of = |turns: Option<&dyn Fn(&SygoTurn) -> bool>| {
        solver.best_of(node, turns, &SearchControl::free(), &mut effort).ok()
    };
    let (value, line) = of(None)?;
    let greedy = propose(weights, position, 24, 24).swap_remove(0).1;
    let (reached, _) = of(Some(&|turn| *turn == greedy))?;
    let text =
        || format!("{}; {value}; {}", notation::format_position(position), notation::format_turn(&line[0]));
    (10 * (value - reached) >= position.board.size().points() as i32).then(text)
}

/// A position in the mirror: columns from the other side.
fn mirrored(position: &SygoPosition) -> SygoPosition {
    let size = position.board.size();
    let [white, black] = [Colour::White, Colour::Black]
        .map(|colour| position.board.stones(colour).iter().map(|point| mirror(size, point)).collect());
    SygoPosition { board: SygoBoard::with_stones(size, &white, &black), ..position.clone() }
}

/// A turn in the mirror.
fn mirrored_turn(size: BoardSize, turn: &SygoTurn) -> SygoTurn {
    SygoTurn::new(
        turn.growth().iter().map(|&point| mirror(size, point)),
        turn.placement().map(|point| mirror(size, point)),
    )
}

fn mirror(size: BoardSize, point: Point) -> Point {
    Point::new(size.columns() - 1 - point.column(), point.row())
}

#[test]
fn a_turn_in_the_mirror_leads_to_the_position_in_the_mirror() {
    let position = notation::parse_position("5/1w1w1/5/1b3/1b1w1 w g 0 7").expect("a position");
    let turn = notation::parse_turn(position.board.size(), "+a4,e1").expect("a turn");
    let (mut after, mut other) = (position.clone(), mirrored(&position));
    after.play(&turn);
    other.play(&mirrored_turn(position.board.size(), &turn));
    assert_eq!(notation::format_position(&mirrored(&after)), notation::format_position(&other));
    assert_ne!(notation::format_position(&after), notation::format_position(&other));
}

/// The judge's verdict about a position.
struct JudgeVerdict {
    /// The player's value less that of the judge, in points.
    error: f64,
    /// The loss of the player's turn against that of the judge, in points.
    lost: f64,
    /// The loss of the turn of the judge that sees the mirrored position, a measure of the judge's own error.
    control: f64,
}

/// How far values and turns are from those of a judge of fifty times the time, in positions of games that the
/// program plays against itself on 9x9; `cargo test --release -p kaeshi-learn --test learn -- --ignored
/// --nocapture judge`, and `MILLISECONDS=100 POSITIONS=90` for other numbers, `SKIP=45` for the last of them
/// alone.
#[test]
#[ignore = "takes minutes"]
fn values_and_turns_before_a_judge() {
    const SIZE: usize = 9;
    const TENTH: f64 = (SIZE * SIZE) as f64 / 10.0;
    let time = Duration::from_millis(number("MILLISECONDS", 50));
    let mut phases: [Vec<JudgeVerdict>; 3] = Default::default();
    // To forget what the judge found would take the player a part of its time.
    let [mut player, mut judge] = [ArenaEngine::new(), ArenaEngine::new()];
    let positions = positions_of_games(SIZE, number("POSITIONS", 60) as usize);
    for position in positions.into_iter().skip(number("SKIP", 0) as usize) {
        let size = position.board.size();
        let own = player.ask(&position, time);
        let error = own.points - judge.worth(&position, &own.turn, 50 * time);
        let best = judge.ask(&position, 50 * time).turn;
        let control = mirrored_turn(size, &judge.ask(&mirrored(&position), 50 * time).turn);
        let mut of_best = None;
        let mut loss = |turn: &SygoTurn| {
            if *turn == best {
                return 0.0;
            }
            let of_best = *of_best.get_or_insert_with(|| judge.beside(&position, &best, 50 * time));
            of_best - judge.beside(&position, turn, 50 * time)
        };
        let verdict = JudgeVerdict { error, lost: loss(&own.turn), control: loss(&control) };
        if verdict.lost.abs().max(verdict.control.abs()) > TENTH {
            let text = notation::format_position(&position);
            let [own, best, control] = [&own.turn, &best, &control].map(notation::format_turn);
            println!(
                "{text}: to {best} {own} loses {:.1}, {control} of the mirror {:.1}",
                verdict.lost, verdict.control
            );
        }
        let filled = SIZE * SIZE - position.board.vacant().len();
        phases[filled * 3 / (SIZE * SIZE)].push(verdict);
    }
    let all: Vec<&JudgeVerdict> = phases.iter().flatten().collect();
    let parts = phases.iter().map(|phase| phase.iter().collect()).chain([all]);
    for (name, found) in ["first", "second", "last", "whole"].iter().zip(parts) {
        let found: Vec<&JudgeVerdict> = found;
        let mean = |of: &dyn Fn(&JudgeVerdict) -> f64| {
            found.iter().map(|verdict| of(verdict)).sum::<f64>() / found.len() as f64
        };
        let bias = mean(&|verdict| verdict.error);
        let spread = mean(&|verdict| (verdict.error - bias).powi(2)).sqrt();
        // Worse and better by a tenth of the board.
        let apart = |of: &dyn Fn(&JudgeVerdict) -> f64| {
            let count = |sign: f64| found.iter().filter(|verdict| sign * of(verdict) > TENTH).count();
            format!("{} worse, {} better", count(1.0), count(-1.0))
        };
        println!(
            "{name}: {} positions, bias {bias:+.1} ± {:.1}, mean error {:.1}, mean loss of a turn {:.1}, {}; the \
             judge in the mirror {:.1}, {}",
            found.len(),
            1.96 * spread / (found.len() as f64).sqrt(),
            mean(&|verdict| verdict.error.abs()),
            mean(&|verdict| verdict.lost),
            apart(&|verdict| verdict.lost),
            mean(&|verdict| verdict.control),
            apart(&|verdict| verdict.control),
        );
    }
}

/// Positions of games of the program against itself, one in five.
fn positions_of_games(size: usize, wanted: usize) -> Vec<SygoPosition> {
    let weights = SygoWeights::embedded();
    let player = || {
        SygoPlayer::new(&weights, SygoSearchMethod::MonteCarlo, MctsParameters::default()).expect("memory")
    };
    let mut players = [player(), player()];
    let mut positions = Vec::new();
    for round in 0_u64.. {
        let mut random = SplitMix::new(round << 20 ^ 0x9999);
        let start = opening(size, (4, 4), &mut random);
        let game = play(players.each_mut(), size, start, 13, (0, &mut random));
        let mut position = SygoPosition::new(size);
        for (number, turn) in game.turns.iter().enumerate() {
            if number >= 4 && number as u64 % 5 == round % 5 && !position.is_over() {
                positions.push(position.clone());
            }
            position.play(turn);
        }
        if positions.len() >= wanted {
            break;
        }
    }
    positions.truncate(wanted);
    positions
}
