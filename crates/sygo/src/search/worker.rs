//! The search of one thread by the searcher that is set. Positions near their end are solved exactly as far as the time
//! allows.

use std::sync::Arc;

use crate::evaluate::SygoWeights;
use crate::rules;
use crate::rules::position::SygoPosition;
use crate::rules::turn::SygoTurn;
use crate::search::alphabeta::{self, AlphaBeta};
use crate::search::endgame::Endgame;
use crate::search::memory::SygoMemory;
use crate::search::montecarlo::{self, MonteCarlo, Visits};
use crate::search::simple;
use crate::{Sygo, SygoSearchMethod, SygoSettings};
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::root_report::{RootReport, RootReportRequest};
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::{Bound, Iteration, IterationStage, PvLine, SearchRoot, SearchStopped};
use kaeshi_core::game::{GameError, GameRules, Worker, WorkerShared};

/// Positions of the tree, at most, by which ownership is judged.
const OWNERSHIP_SAMPLE: usize = 128;
/// The iteration at which a position that is small enough is tried to be solved.
const SOLVING_ITERATION: u16 = 3;
/// Alpha-beta: nodes after which solving is given up, so that the search goes on, and vacant points at most.
const SOLVING_NODES: u64 = 400_000;
const SOLVING_OPEN: usize = 13;

/// One search thread.
pub struct SygoWorker {
    game: Arc<Sygo>,
    weights: Arc<SygoWeights>,
    store: Arc<SygoMemory>,
    monte_carlo: MonteCarlo,
    alpha_beta: AlphaBeta,
    endgame: Option<Endgame>,
    /// Whether all lines of this iteration so far are exact.
    solving: bool,
    /// Value of the last exact line of this iteration: no remaining turn is worth more.
    ceiling: i32,
}

impl Worker<Sygo> for SygoWorker {
    fn new(shared: Arc<WorkerShared<Sygo>>, index: usize) -> Result<Self, GameError> {
        let SygoSettings { searcher, parameters, network, .. } = shared.game.settings().clone();
        let parameters =
            if searcher == SygoSearchMethod::Uct { parameters.without_static_values() } else { parameters };
        let mut monte_carlo = MonteCarlo::new(index, parameters, network);
        if matches!(searcher, SygoSearchMethod::MonteCarlo | SygoSearchMethod::Uct) {
            monte_carlo.warm_up(&shared.game.weights, &shared.game.start());
        }
        Ok(SygoWorker {
            game: Arc::clone(&shared.game),
            weights: Arc::clone(&shared.game.weights),
            store: Arc::clone(&shared.memory),
            monte_carlo,
            alpha_beta: AlphaBeta::default(),
            endgame: None,
            solving: false,
            ceiling: i32::MAX,
        })
    }

    fn new_game(&mut self) {
        self.endgame = None;
        self.alpha_beta.clear();
    }

    fn next_stage(&self, root: &SearchRoot<Sygo>, done: Option<IterationStage>) -> Option<IterationStage> {
        let Some(done) = done else { return Some(IterationStage::depth(1)) };
        let iterations = match self.searcher() {
            SygoSearchMethod::MonteCarlo | SygoSearchMethod::Uct => montecarlo::ITERATIONS,
            SygoSearchMethod::AlphaBeta => alphabeta::ITERATIONS,
            SygoSearchMethod::Greedy | SygoSearchMethod::Random => 1,
        };
        let solved = !root.previous.is_empty() && root.previous.iter().all(is_exact);
        (done.depth < iterations && !solved).then(|| IterationStage::depth(done.depth + 1))
    }

    fn expected(&self, position: &SygoPosition) -> Option<SygoTurn> {
        let table = self.store.table_in_use()?;
        alphabeta::expected(&self.weights, &table, position)
    }

    fn root_report(&mut self, root: &SearchRoot<Sygo>, wanted: RootReportRequest) -> RootReport<SygoTurn> {
        let position = &root.position;
        let mut report = RootReport::default();
        if position.is_over() {
            if wanted.ownership {
                report.ownership = montecarlo::final_owners(&position.board, position.side);
            }
            return report;
        }
        let is_tree = matches!(self.searcher(), SygoSearchMethod::MonteCarlo | SygoSearchMethod::Uct);
        if wanted.candidates && is_tree {
            report.candidates = self.store.tree().lock().candidates(position);
        }
        if wanted.policy {
            report.policy = Some(self.monte_carlo.root_policy(position));
        }
        if wanted.ownership {
            let sample = if is_tree {
                self.store.tree().lock().sample(position, OWNERSHIP_SAMPLE)
            } else {
                vec![(position.clone(), 1)]
            };
            report.ownership = self.monte_carlo.ownership(&sample, position.side);
        }
        report
    }

    fn search(
        &mut self,
        root: &SearchRoot<Sygo>,
        stage: IterationStage,
        control: &SearchControl,
    ) -> Iteration<Sygo> {
        if root.skip.is_empty() {
            let solves =
                matches!(self.searcher(), SygoSearchMethod::MonteCarlo | SygoSearchMethod::AlphaBeta);
            (self.solving, self.ceiling) = (solves, i32::MAX);
        }
        if self.solving {
            match self.exact(root, stage, control) {
                Some(Ok(line)) => {
                    self.ceiling = line.score.clamped(i32::MAX);
                    return Iteration::Complete(line);
                }
                Some(Err(SearchStopped)) => return Iteration::Stopped,
                None => self.solving = false,
            }
        }
        let iteration = match self.searcher() {
            SygoSearchMethod::MonteCarlo => {
                let iteration =
                    self.monte_carlo.search(&self.weights, self.store.tree(), root, stage, control);
                self.no_pass_with_points_left(iteration, root, stage, control)
            }
            SygoSearchMethod::Uct => {
                self.monte_carlo.search(&self.weights, self.store.tree(), root, stage, control)
            }
            SygoSearchMethod::AlphaBeta => {
                self.alpha_beta.search(&self.weights, &self.store.table(), root, stage, control)
            }
            SygoSearchMethod::Greedy => simple::greedy(&self.weights, root),
            SygoSearchMethod::Random => simple::random(root),
        };
        match iteration {
            Iteration::Complete(line) => Iteration::Complete(self.capped(line)),
            Iteration::Partial(line) => Iteration::Partial(self.capped(line)),
            nothing => nothing,
        }
    }
}

fn is_exact(line: &PvLine<Sygo>) -> bool {
    matches!(line.score, Score::Exact(_))
}

impl SygoWorker {
    /// The visits of the turns of a position that the Monte-Carlo search has just searched.
    pub fn visits(&self, position: &SygoPosition) -> Option<Visits> {
        self.store.tree().lock().visits(position)
    }

    fn searcher(&self) -> SygoSearchMethod {
        self.game.settings().searcher
    }

    /// The exact best line: that of a former iteration, or a new one if it is time to look for it.
    fn exact(
        &mut self,
        root: &SearchRoot<Sygo>,
        stage: IterationStage,
        control: &SearchControl,
    ) -> Option<Result<PvLine<Sygo>, SearchStopped>> {
        // In an iteration they come first, so that each is the best without those before it.
        let mut known = root.previous.iter().filter(|line| is_exact(line));
        if root.skip.iter().all(|turn| known.next().is_some_and(|line| line.turns.first() == Some(turn)))
            && let Some(line) = known.next()
        {
            return Some(Ok(line.clone()));
        }
        self.solve(root, stage, control)
    }

    /// The iteration, but instead of a pass a turn that gains more than to pass out, if one is known.
    fn no_pass_with_points_left(
        &mut self,
        iteration: Iteration<Sygo>,
        root: &SearchRoot<Sygo>,
        stage: IterationStage,
        control: &SearchControl,
    ) -> Iteration<Sygo> {
        let (Iteration::Complete(line) | Iteration::Partial(line)) = &iteration else { return iteration };
        let all = root.only.is_empty() && root.skip.is_empty();
        if line.turns.first() != Some(&SygoTurn::pass()) || !all || stage.depth < SOLVING_ITERATION {
            return iteration;
        }
        let Some(endgame) = self.endgame.as_mut().filter(|endgame| endgame.is_of(&root.position)) else {
            return iteration;
        };
        endgame.serve(control, self.monte_carlo.simulated());
        match endgame.gain(control) {
            Ok(None) => iteration,
            Ok(Some(turn)) => {
                let least = 100 * (rules::margin_of_mover(&root.position) + 1);
                let line = PvLine {
                    score: Score::Cp(least.max(line.score.clamped(i32::MAX))),
                    bound: Bound::Exact,
                    turns: vec![turn],
                    seldepth: line.seldepth,
                };
                match iteration {
                    Iteration::Complete(_) => Iteration::Complete(line),
                    _ => Iteration::Partial(line),
                }
            }
            // An earlier result is better than a pass that was not searched.
            Err(_) if control.check().is_err() && !root.previous.is_empty() => Iteration::Stopped,
            Err(_) => iteration,
        }
    }

    /// The line without hopes that exact lines have refuted.
    fn capped(&self, mut line: PvLine<Sygo>) -> PvLine<Sygo> {
        if let Score::Cp(value) = &mut line.score {
            *value = self.ceiling.min(*value);
        }
        line
    }

    /// The exact best line if the position is small enough and can be solved in the time for that; `None` if
    /// not.
    fn solve(
        &mut self,
        root: &SearchRoot<Sygo>,
        stage: IterationStage,
        control: &SearchControl,
    ) -> Option<Result<PvLine<Sygo>, SearchStopped>> {
        let later = stage.depth.checked_sub(SOLVING_ITERATION)?;
        let position = &root.position;
        if position.is_over() {
            return None;
        }
        if self.endgame.as_ref().is_none_or(|endgame| !endgame.is_of(position)) {
            self.endgame = Some(Endgame::new(position, self.store.solved()));
        }
        let lines = root.skip.len();
        let allowed: &dyn Fn(&SygoTurn) -> bool = &|turn| root.allows(turn);
        let allowed = Some(allowed).filter(|_| lines > 0 || !root.only.is_empty());
        let monte_carlo = self.searcher() == SygoSearchMethod::MonteCarlo;
        let endgame = self.endgame.as_mut()?;
        endgame.serve(control, self.monte_carlo.simulated());
        let found = if monte_carlo {
            let previous = root.previous.first().and_then(|line| line.turns.first());
            let liked = previous.filter(|turn| lines == 0 && root.allows(turn));
            endgame.best_of(allowed, liked, control, lines)
        } else if later == 0 {
            // As in the iterations, lines beside the best one get fewer nodes.
            endgame.best_within(allowed, control, (SOLVING_OPEN, SOLVING_NODES / (1 + lines as u64)))
        } else {
            return None;
        };
        match found {
            Ok((margin, turns)) if !turns.is_empty() => {
                let seldepth = turns.len() as u16;
                Some(Ok(PvLine { score: Score::Exact(100 * margin), bound: Bound::Exact, turns, seldepth }))
            }
            Ok(_) => None,
            Err(_) if control.check().is_err() => Some(Err(SearchStopped)),
            Err(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::notation;
    use crate::search::propose::propose;
    use crate::solve::SygoSolver;
    use kaeshi_core::game::{Game, GameOptions, SearchMemory};

    fn worker() -> SygoWorker {
        worker_by(SygoSearchMethod::MonteCarlo)
    }

    fn worker_by(searcher: SygoSearchMethod) -> SygoWorker {
        let settings = SygoSettings { searcher, ..SygoSettings::default() };
        let game = Arc::new(Sygo::load(&settings).expect("default settings load"));
        let memory = Arc::new(SearchMemory::with_bytes(1 << 20).expect("memory"));
        SygoWorker::new(Arc::new(WorkerShared { game, memory, threads: 1 }), 0).expect("memory")
    }

    /// A release build needs some milliseconds for each; a slow machine may need more.
    const TIME_TO_SOLVE: std::time::Duration = std::time::Duration::from_secs(5);

    /// The lines after a limited number of iterations, as the driver requests them.
    fn deepen_for(
        worker: &mut SygoWorker,
        root: &mut SearchRoot<Sygo>,
        iterations: u16,
        wanted: usize,
    ) -> Option<IterationStage> {
        let control = SearchControl::free();
        let mut done = None;
        while let Some(stage) = worker.next_stage(root, done).filter(|stage| stage.depth <= iterations) {
            let mut lines: Vec<PvLine<Sygo>> = Vec::new();
            while lines.len() < wanted
                && let Iteration::Complete(line) = worker.search(root, stage, &control)
            {
                root.skip.push(line.turns[0].clone());
                lines.push(line);
            }
            lines.sort_by(|a, b| b.score.partial_cmp(&a.score).expect("an order"));
            root.skip.clear();
            root.previous = lines;
            done = Some(stage);
        }
        done
    }

    /// The line after a limited number of iterations.
    fn deepen(worker: &mut SygoWorker, root: &mut SearchRoot<Sygo>, iterations: u16) -> PvLine<Sygo> {
        deepen_for(worker, root, iterations, 1);
        root.previous[0].clone()
    }

    #[test]
    fn solved_endgames_are_played_exactly() {
        let data: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/data/sygo-endgames.json")).expect("JSON");
        let mut worker = worker();
        for case in data.as_array().expect("cases") {
            let started = std::time::Instant::now();
            let text = case["position"].as_str().expect("position");
            let mut root = SearchRoot::new(notation::parse_position(text).expect(text));
            let line = deepen(&mut worker, &mut root, montecarlo::ITERATIONS);
            let margin = case["margin_for_side_to_move"].as_i64().expect("margin") as i32;
            assert_eq!(line.score, Score::Exact(100 * margin), "{text}");
            let best = notation::format_turn(&line.turns[0]);
            assert!(started.elapsed() < TIME_TO_SOLVE, "{text}: {:?}", started.elapsed());
            assert!(
                case["best_turns"].as_array().expect("turns").iter().any(|turn| *turn == best),
                "{text} {best}"
            );
        }
    }

    #[test]
    fn late_positions_of_the_usual_board_are_solved() {
        let text = "ww1wwbbbw/w1wwwbbww/wwbbbbww1/bwbw1b1ww/bbwwwwwww/1bbb1bbbb/bbbb1bbb1/bbbbbbbbb/bbb1bbbb1 b g 0 34";
        let mut root = SearchRoot::new(notation::parse_position(text).expect("position"));
        let line = deepen(&mut worker(), &mut root, montecarlo::ITERATIONS);
        let solver = SygoSolver::of_board(9, 9, 1 << 24).expect("memory");
        let solution = solver.solve(&root.position, &SearchControl::free()).expect("nothing stops it");
        assert_eq!(line.score, Score::Exact(100 * solution.margin));
        assert!(solution.best.contains(&line.turns[0]), "{:?} {:?}", line.turns[0], solution.best);
    }

    /// Games that were once passed out with points left: position, value for the side to move, turn.
    const PASSED_OUT: [(&str, i32, &str); 3] = [
        (
            "bbbbbbbbbbbbbbb/bbbbbbbbbbbw1bb/bbbbbbbbbbbbbbb/1bbbbbbb1bbbbbb/bbbbbbbbbbbbbbb/bbbbbbbbbbbbbbb/bbbbbbbbbbbbbbb/\
             bbbbbbbbbbbbbbb/bbbbbbbbbbbbbbb/bbbbbbbbbbbbbbb/bbbbbbbbbbbbbbb/bbbbbbbbbbbbbbb/bbbbbbbbbbbbbbb/\
             bbb1bbbbbbbbbbb/bbbbbbbbbbbbbb1 b g 1 98",
            225,
            "+m14",
        ),
        (
            "bbbbbbbbbb1w/bbbbbbbbbbbb/bbbbbbbbbbbb/bbbbbbbbb1b1/bbbbbbbbbbbb/bbbbbbbbbwbb/bbbbbbwwwwwb/bbbbbbbw1w1w/\
             bbbbwwwwwwww/bbbbwwwwwwww/bbbbww1wwwww/bbbwwwwwwwww b g 0 60",
            56,
            "+k12",
        ),
        (
            "wwwwb1bbbbbwwww/wbbbbbbbbbbwwww/wwbb1bbwwwwwwww/1wbbbwwwwwwwwww/bwbbwwwwwwwwwww/wwwwwwwwwwwwwww/wwwbww1wwwwwwww/\
             bbbbwwbwwwwwwww/1b1bw1wwwwwwwww/bbbbbwwbbbwbwbb/bbbbbbbbbbbbbbb/bbbwwwwwwwbbwww/bbbbbw1bwwwbwww/\
             bbbbbwwwww1wwww/bbbbbbbbbwwwwww w g 0 75",
            45,
            "+g9",
        ),
    ];

    #[test]
    fn no_points_are_left_when_the_game_is_passed_out() {
        for (text, value, turn) in PASSED_OUT {
            let mut root = SearchRoot::new(notation::parse_position(text).expect(text));
            let line = deepen(&mut worker(), &mut root, montecarlo::ITERATIONS);
            assert_eq!(line.score, Score::Exact(100 * value), "{text}");
            assert_eq!(notation::format_turn(&line.turns[0]), turn, "{text}");
        }
    }

    #[test]
    fn a_pass_that_gives_points_away_is_not_answered() {
        for (text, _, _) in PASSED_OUT {
            let position = notation::parse_position(text).expect(text);
            let mut root = SearchRoot::new(position.clone());
            let line = deepen(&mut worker(), &mut root, SOLVING_ITERATION);
            assert_ne!(line.turns[0], SygoTurn::pass(), "{text}");
            // The same after a pass of the other side, where passing would end the game.
            let mut passed = position;
            passed.passes = 1;
            let line = deepen(&mut worker(), &mut SearchRoot::new(passed), SOLVING_ITERATION);
            assert_ne!(line.turns[0], SygoTurn::pass(), "{text}");
        }
    }

    #[test]
    fn the_same_search_of_a_late_position_takes_the_same_nodes() {
        let nodes = [0, 1].map(|_| {
            let (text, _) = Sygo::bench()[4];
            let mut root = SearchRoot::new(notation::parse_position(text).expect(text));
            let (mut worker, control) = (worker(), SearchControl::free());
            let mut done = None;
            while let Some(stage) = worker.next_stage(&root, done).filter(|stage| stage.depth <= 16) {
                let Iteration::Complete(line) = worker.search(&root, stage, &control) else {
                    panic!("{text}")
                };
                root.previous = vec![line];
                done = Some(stage);
            }
            (control.nodes(), root.previous[0].turns.clone())
        });
        assert_eq!(nodes[0], nodes[1]);
    }

    #[test]
    fn own_eyes_are_not_filled_where_the_pass_is_as_good() {
        // All is White's; the region of two points in the middle is settled as the eyes are.
        for size in [9, 19] {
            let rows: Vec<String> = (0..size)
                .map(|row| match row {
                    0 => format!("1{}1", "w".repeat(size - 2)),
                    4 => format!("{}2{}", "w".repeat(3), "w".repeat(size - 5)),
                    _ => "w".repeat(size),
                })
                .collect();
            for passes in 0..2 {
                let text = format!("{} w g {passes} 90", rows.join("/"));
                let position = notation::parse_position(&text).expect("position");
                let turns = propose(&worker().weights, &position, 24, 24);
                assert_eq!(
                    turns.iter().map(|(_, turn)| turn).collect::<Vec<_>>(),
                    [&SygoTurn::pass()],
                    "{text}"
                );
                let line = deepen(&mut worker(), &mut SearchRoot::new(position), montecarlo::ITERATIONS);
                assert_eq!(line.turns[0], SygoTurn::pass());
                assert_eq!(line.score, Score::Exact(100 * (size * size) as i32));
            }
        }
    }

    const EIGHT_BEST: &str = "bw2/2wb/ww1b/3b w g 0 9";

    #[test]
    fn every_line_is_solved_before_the_last_iteration() {
        let mut root = SearchRoot::new(notation::parse_position(EIGHT_BEST).expect("position"));
        let last = deepen_for(&mut worker(), &mut root, montecarlo::ITERATIONS, 9).expect("an iteration");
        assert!(last.depth < montecarlo::ITERATIONS);
        assert!(root.previous.iter().all(is_exact));
        let (best, ninth) = root.previous.split_at(8);
        assert!(best.iter().all(|line| line.score == Score::Exact(1600)));
        assert!(ninth[0].score < Score::Exact(1600), "eight turns are best, not nine");
        let turns: std::collections::HashSet<_> =
            root.previous.iter().map(|line| notation::format_turn(&line.turns[0])).collect();
        assert_eq!(turns.len(), 9);
    }

    #[test]
    fn what_was_solved_stays_solved() {
        let mut root = SearchRoot::new(notation::parse_position(EIGHT_BEST).expect("position"));
        let solved = deepen(&mut worker(), &mut root, montecarlo::ITERATIONS);
        // Resumed by a worker that has done something else since.
        let mut other = worker();
        deepen(&mut other, &mut SearchRoot::new(SygoPosition::new(7)), 2);
        assert_eq!(other.next_stage(&root, Some(IterationStage::depth(3))), None);
        // A second line that is not solved takes the search on, but neither the first one nor its place.
        let hopeful = PvLine { score: Score::Cp(9_900), turns: vec![SygoTurn::pass()], ..solved.clone() };
        root.previous.push(hopeful);
        let stage = other.next_stage(&root, Some(IterationStage::depth(3))).expect("another iteration");
        let mut ask = |root: &SearchRoot<Sygo>| match other.search(root, stage, &SearchControl::free()) {
            Iteration::Complete(line) => line,
            _ => panic!("no line"),
        };
        assert_eq!(ask(&root).turns, solved.turns);
        root.skip.push(solved.turns[0].clone());
        let second = ask(&root);
        assert!(!is_exact(&second) && second.score <= solved.score, "{:?}", second.score);
    }

    #[test]
    fn many_groups_grow_in_one_turn_on_a_large_board() {
        let text = "19/19/3w11w3/19/5b7b5/19/19/3w11w3/19/9b9/19/3w11w3/19/5b7b5/19/19/3w11w3/19/19 w g 0 14";
        let start = notation::parse_position(text).expect("position");
        let turns = propose(&worker().weights, &start, 8, 8);
        let growth =
            turns.iter().map(|(_, turn)| turn).find(|turn| !turn.growth().is_empty()).expect("a growth");
        assert!(growth.growth().len() >= 6, "{growth:?}");
        for searcher in [SygoSearchMethod::MonteCarlo, SygoSearchMethod::AlphaBeta] {
            let line = deepen(&mut worker_by(searcher), &mut SearchRoot::new(start.clone()), 2);
            let mut position = start.clone();
            for turn in &line.turns {
                rules::check(&position, turn).expect("the line is legal");
                position.play(turn);
            }
        }
    }
}
