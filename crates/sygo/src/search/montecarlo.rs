//! Monte-Carlo tree search over whole turns.
//!
//! The turns of a node are those that [`propose`](super::propose) finds. A simulation goes down
//! the tree to a position whose turns were not listed, lists them, plays the best of them and then
//! some times at random to the end of the game: so the play-outs begin where no capture is pending,
//! and judge what the static value does not know, which groups live. A
//! [`network`](crate::network) judges the position too, and says which turns are promising.

mod field;
mod liberties;
mod parameters;
mod playout;
mod root_report;
mod tree;
mod visits;

use std::sync::Arc;

use crate::Sygo;
use crate::evaluate::SygoWeights;
use crate::network::{Policy, QuantizedEvaluator, QuantizedSygoNetwork};
use crate::rules;
use crate::rules::board::Colour;
use crate::rules::points::SIZE_MIN;
use crate::rules::position::SygoPosition;
use crate::rules::turn::SygoTurn;
use crate::search::propose::propose;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::{Bound, Iteration, IterationStage, PvLine, SearchRoot, SearchStopped};
use kaeshi_core::mutex::Mutex;
use kaeshi_core::random::SplitMix;
pub use parameters::MctsParameters;
pub use playout::MctsPlayout;
pub use root_report::final_owners;
pub use tree::MctsTree;
use tree::{Judgement, MctsNode, SimulationResult, Taken};
pub use visits::Visits;

/// Iterations at most.
pub const ITERATIONS: u16 = 120;
/// Simulations of the first iteration: few, as each takes up to a millisecond on 19x19, and one of them is made
/// even if there is no time.
const FIRST_ITERATION: u64 = 4;
/// Simulations of the fifth iteration; from the second one on, four more iterations double them.
const FIFTH_ITERATION: f64 = 64.0;

/// Simulations below the root at the end of an iteration.
pub fn simulations(stage: IterationStage) -> u64 {
    if stage.depth <= 1 {
        return FIRST_ITERATION;
    }
    (FIFTH_ITERATION * ((f64::from(stage.depth) - 5.0) / 4.0).exp2()) as u64
}

/// The state of one search thread.
#[derive(Debug)]
pub struct MonteCarlo {
    index: u64,
    parameters: MctsParameters,
    random: SplitMix,
    seldepth: u16,
    simulated: u64,
    network: Arc<QuantizedSygoNetwork>,
    judge: QuantizedEvaluator,
}

impl MonteCarlo {
    /// For thread `index`.
    pub fn new(index: usize, parameters: MctsParameters, network: Arc<QuantizedSygoNetwork>) -> MonteCarlo {
        let judge = QuantizedEvaluator::new(SIZE_MIN.into());
        let (index, random) = (index as u64, SplitMix::new(0));
        MonteCarlo { index, parameters, random, seldepth: 1, simulated: 0, network, judge }
    }

    /// Judges and plays out a position, so that the first search finds memory and tables in place.
    pub fn warm_up(&mut self, weights: &SygoWeights, position: &SygoPosition) {
        self.list(weights, position, self.parameters.width as usize, &[]);
        MctsPlayout::new(position, &self.parameters).run(&mut SplitMix::new(0));
    }

    /// Simulations made so far.
    pub fn simulated(&self) -> u64 {
        self.simulated
    }

    /// One iteration: simulations until the turns that `root` allows have as many as it asks for.
    pub fn search(
        &mut self,
        weights: &SygoWeights,
        tree: &Mutex<MctsTree>,
        root: &SearchRoot<Sygo>,
        stage: IterationStage,
        control: &SearchControl,
    ) -> Iteration<Sygo> {
        if root.position.is_over() {
            return Iteration::NoTurn;
        }
        if stage.depth == 1 {
            self.random = SplitMix::new(root.position.key() ^ self.index);
            self.seldepth = 1;
        }
        // Lines beside the best one get fewer simulations.
        let wanted = simulations(stage) / (1 + root.skip.len() as u64);
        loop {
            // A search that is over does not take the tree from another one. All searches but the latest are stopped,
            // so no two take it from each other in turn.
            if !tree.lock().is_of(&root.position) && control.check() == Err(SearchStopped) {
                return Iteration::Stopped;
            }
            if let Ok(iteration) = self.simulate_until(wanted, weights, tree, root, control) {
                return iteration;
            }
        }
    }

    /// Simulates until the turns that `root` allows have this many visits.
    fn simulate_until(
        &mut self,
        wanted: u64,
        weights: &SygoWeights,
        tree: &Mutex<MctsTree>,
        root: &SearchRoot<Sygo>,
        control: &SearchControl,
    ) -> Result<Iteration<Sygo>, Taken> {
        self.plant(weights, tree, root);
        loop {
            let done = visits(&tree.lock(), root)?;
            if done >= wanted || done > 0 && control.is_late() {
                break;
            }
            // Simulations take long, so each checks the clock.
            control.add_nodes(1);
            if control.check() == Err(SearchStopped) {
                return Ok(self.line(tree, root)?.map_or(Iteration::Stopped, Iteration::Partial));
            }
            if !self.simulate(weights, tree, root, control)? {
                return Ok(Iteration::NoTurn);
            }
        }
        Ok(self.line(tree, root)?.map_or(Iteration::NoTurn, Iteration::Complete))
    }

    /// The line of the best turn.
    fn line(&self, tree: &Mutex<MctsTree>, root: &SearchRoot<Sygo>) -> Result<Option<PvLine<Sygo>>, Taken> {
        let tree = tree.lock();
        let node = tree.root(&root.position)?;
        let line = |first: usize| PvLine {
            score: Score::Cp((100.0 * node.edges()[first].points()) as i32),
            bound: Bound::Exact,
            turns: node.line(first),
            seldepth: self.seldepth,
        };
        Ok(node.best(&self.parameters, |turn| root.allows(turn)).map(line))
    }

    /// One simulation; false if no turn is allowed.
    fn simulate(
        &mut self,
        weights: &SygoWeights,
        tree: &Mutex<MctsTree>,
        root: &SearchRoot<Sygo>,
        control: &SearchControl,
    ) -> Result<bool, Taken> {
        let mut leaf = tree.lock().descend(&root.position, &self.parameters, |turn| root.allows(turn))?;
        if leaf.path.is_empty() {
            return Ok(false);
        }
        self.simulated += 1;
        // Every position on the way is a node; one of them was counted before.
        control.add_nodes(leaf.path.len() as u64 - 1);
        self.seldepth = self.seldepth.max(leaf.path.len() as u16);
        let width = self.parameters.width as usize;
        let listed = leaf.grows.then(|| self.list(weights, &leaf.position, width, &[]));
        let (grown, judgement) = listed.unzip();
        let mut found = SimulationResult { worth: 0.0, points: 0.0, area: area(&leaf.position) };
        let mut judged = 0.0;
        if let Some(judgement) = judgement.flatten() {
            judged = self.parameters.judged as f32;
            let sign = if root.position.side == leaf.position.side { 1.0 } else { -1.0 };
            found.worth = judged * sign * judgement.worth;
            found.points = judged * sign * judgement.points;
        }
        if judged < 1.0 {
            if let Some(best) = grown.as_ref().and_then(|node| node.edges().first()) {
                leaf.position.play(&best.turn);
            }
            let played = self.play_out(&leaf.position, root.position.side);
            found.worth += (1.0 - judged) * played.worth;
            found.points += (1.0 - judged) * played.points;
        }
        tree.lock().learn(&leaf, &self.parameters, found, grown);
        Ok(true)
    }

    /// The mean of some play-outs of `position`, or the result if it is over, for `side`.
    fn play_out(&mut self, position: &SygoPosition, side: Colour) -> SimulationResult {
        let (area, parameters) = (area(position), &self.parameters);
        let found = |margin: i32| {
            let points = if side == Colour::White { margin } else { -margin } as f32;
            SimulationResult { worth: parameters.worth(points, area), points, area }
        };
        if position.is_over() {
            return found(rules::margin(&position.board));
        }
        let begin = MctsPlayout::new(position, parameters);
        let mut mean = SimulationResult { worth: 0.0, points: 0.0, area };
        let playouts = parameters.playouts;
        for _ in 0..playouts {
            let one = found(begin.clone().run(&mut self.random));
            mean.worth += one.worth / playouts as f32;
            mean.points += one.points / playouts as f32;
        }
        mean
    }

    /// The turns of a position, those `wanted` among them, and what the network says of it, if it is asked.
    fn list(
        &mut self,
        weights: &SygoWeights,
        position: &SygoPosition,
        width: usize,
        wanted: &[SygoTurn],
    ) -> (MctsNode, Option<Judgement>) {
        let mut turns = propose(weights, position, width, width);
        let mut policy = None;
        let mut added = wanted.to_vec();
        if self.parameters.asks_network() {
            self.judge.run(&self.network, position);
            let found = policy.insert(Policy::new(&self.judge.outputs, position));
            let most = self.parameters.added as usize;
            added.extend(found.propose(position, most, most));
        }
        let mut after = position.clone();
        for turn in added {
            if turns.iter().all(|(_, other)| *other != turn) {
                let undo = after.apply(&turn);
                turns.push((-weights.position(&after), turn));
                after.undo(undo);
            }
        }
        turns.sort_by_key(|(value, _)| std::cmp::Reverse(*value));
        let judgement = policy.map(|policy| {
            let listed = turns.iter().map(|(_, turn)| turn);
            let right = position.has_balance_right();
            let outputs = &self.judge.outputs;
            Judgement {
                worth: outputs.worth(),
                points: outputs.margin(),
                priors: policy.priors(listed, right, self.parameters.temperatures()),
            }
        });
        let before = weights.position(position);
        let node = MctsNode::new(turns, before, judgement.as_ref(), area(position), &self.parameters);
        (node, judgement)
    }

    /// Makes the root that of the tree, with the turns it asks for.
    fn plant(&mut self, weights: &SygoWeights, tree: &Mutex<MctsTree>, root: &SearchRoot<Sygo>) {
        if tree.lock().turn_to(&root.position, &root.only) {
            return;
        }
        let width = 2 * self.parameters.width as usize;
        let (node, _) = self.list(weights, &root.position, width, &root.only);
        tree.lock().plant(&root.position, node);
    }
}

fn area(position: &SygoPosition) -> f32 {
    position.board.size().points() as f32
}

/// Simulations so far of the turns that `root` allows.
fn visits(tree: &MctsTree, root: &SearchRoot<Sygo>) -> Result<u64, Taken> {
    let allowed = tree.root(&root.position)?.edges().iter().filter(|edge| root.allows(&edge.turn));
    Ok(allowed.map(|edge| u64::from(edge.visits)).sum())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::rules::notation::{format_turn, parse_position};
    use crate::rules::points::Point;
    use crate::rules::turn::SygoTurn;
    use crate::search::playout;
    use kaeshi_core::game::control::Signal;

    const MIDDLE: &str = "1w7/ww7/ww2b4/w3b4/2bbb4/2b6/9/2bbb4/9 w g 0 13";

    fn root(text: &str) -> SearchRoot<Sygo> {
        SearchRoot::new(parse_position(text).expect(text))
    }

    fn deepen(tree: &Mutex<MctsTree>, root: &SearchRoot<Sygo>, iterations: u16) -> PvLine<Sygo> {
        let mut searcher = MonteCarlo::new(0, MctsParameters::default(), QuantizedSygoNetwork::embedded());
        let control = SearchControl::free();
        let mut best = None;
        for depth in 1..=iterations {
            match searcher.search(
                &SygoWeights::embedded(),
                tree,
                root,
                IterationStage::depth(depth),
                &control,
            ) {
                Iteration::Complete(line) => best = Some(line),
                _ => panic!("iteration {depth}"),
            }
        }
        best.expect("a line")
    }

    fn bytes_below(tree: &MctsTree, root: &SearchRoot<Sygo>) -> usize {
        tree.root(&root.position).expect("its root").bytes_with_all_below()
    }

    fn fresh() -> Mutex<MctsTree> {
        Mutex::new(MctsTree::new(1 << 24))
    }

    #[test]
    fn the_same_search_finds_the_same() {
        let [one, two] = [0, 1].map(|_| deepen(&fresh(), &root(MIDDLE), 14));
        assert_eq!((one.turns, one.score), (two.turns, two.score));
    }

    #[test]
    fn a_first_iteration_without_time_is_one_simulation() {
        let signal = Signal::new(Instant::now(), 1, None);
        let control = SearchControl::new(Arc::clone(&signal), 0);
        for (deadline, simulations) in [(Some(Duration::ZERO), 1), (None, FIRST_ITERATION)] {
            signal.set_deadline(deadline);
            control.set_unstoppable(true);
            let mut searcher =
                MonteCarlo::new(0, MctsParameters::default(), QuantizedSygoNetwork::embedded());
            let found = searcher.search(
                &SygoWeights::embedded(),
                &fresh(),
                &root(MIDDLE),
                IterationStage::depth(1),
                &control,
            );
            assert!(matches!(found, Iteration::Complete(_)));
            assert_eq!(searcher.simulated(), simulations);
        }
    }

    #[test]
    fn lines_are_legal_in_positions_of_random_games() {
        let mut random = playout::PlayoutScratch::new(8);
        for game in 0..12 {
            let mut position = SygoPosition::new(3 + game % 6);
            while !position.is_over() {
                let line = deepen(&fresh(), &SearchRoot::new(position.clone()), 5);
                let mut after = position.clone();
                for turn in &line.turns {
                    assert_eq!(rules::check(&after, turn), Ok(()), "{turn:?}");
                    after.play(turn);
                }
                random.turn(&mut position);
            }
        }
    }

    #[test]
    fn a_capture_of_several_stones_at_once_is_found() {
        // a12 and e7 together take the large black group, though e7 alone would be suicide.
        let text = "wwbbbwwb2b2/1bbbbw1b2b1b/bbbbbwwbbbbbb/bbbbbbwwbbbbb/bbbbbbbbwbbbb/bbbbbbwwwwbbb/\
            bbbb1w1wwbbbb/bbbbwww1wbbbb/wwwbbwwwbbbbb/1wbbwwbb1bbbb/wwwbwbbb5/bbbbwwwb1b1bb/\
            bbbww1wbbbbbb w g 0 49";
        let line = deepen(&fresh(), &root(text), 12);
        assert!(format_turn(&line.turns[0]).starts_with("+a12,e7"), "{}", format_turn(&line.turns[0]));
    }

    #[test]
    fn the_tree_stays_within_its_memory() {
        const BYTES: usize = 100_000;
        let small = Mutex::new(MctsTree::new(BYTES));
        let root = root(MIDDLE);
        deepen(&small, &root, 20);
        let tree = small.lock();
        // The root's own turns stay, however little there is.
        assert!(tree.bytes() < BYTES + 8_000, "{}", tree.bytes());
        assert_eq!(tree.bytes(), bytes_below(&tree, &root));
        assert!(visits(&tree, &root) >= Ok(simulations(IterationStage::depth(20))));
        assert!(tree.fill() > 300, "{}", tree.fill());
    }

    #[test]
    fn a_full_tree_goes_on_growing_where_it_is_visited() {
        let [small, large] = [60_000, 1 << 24].map(|bytes| {
            let tree = Mutex::new(MctsTree::new(bytes));
            let line = deepen(&tree, &root(MIDDLE), 22);
            (line.turns.len(), tree.lock().bytes())
        });
        assert!(large.1 > 4 * small.1, "{} {}", small.1, large.1);
        assert!(small.0 >= 3, "a line of {} turns", small.0);
    }

    #[test]
    fn what_was_foreseen_is_kept_when_it_is_played() {
        let tree = fresh();
        let mut root = root(MIDDLE);
        let line = deepen(&tree, &root, 20);
        line.turns[..2].iter().for_each(|turn| root.position.play(turn));
        let mut searcher = MonteCarlo::new(0, MctsParameters::default(), QuantizedSygoNetwork::embedded());
        searcher.plant(&SygoWeights::embedded(), &tree, &root);
        {
            let tree = tree.lock();
            assert!(visits(&tree, &root) > Ok(10));
            assert_eq!(tree.bytes(), bytes_below(&tree, &root));
        }
        // Somewhere else nothing is known.
        let elsewhere = SearchRoot::new(SygoPosition::new(9));
        searcher.plant(&SygoWeights::embedded(), &tree, &elsewhere);
        assert_eq!(visits(&tree.lock(), &elsewhere), Ok(0));
        assert_eq!(visits(&tree.lock(), &root), Err(Taken));
    }

    /// The helper of a search that is over needs a moment to end; the next one has begun meanwhile.
    #[test]
    fn searches_of_other_positions_do_not_disturb_each_other() {
        let (old, new) = (root("2b2/1www1/bw1wb/1www1/2b2 w g 0 21"), root("5/1w3/5/3b1/5 w - 0 3"));
        let tree = fresh();
        let (orders, ordered) = crossbeam_channel::unbounded::<Arc<Signal>>();
        std::thread::scope(|scope| {
            let helper = scope.spawn(|| {
                let mut searcher =
                    MonteCarlo::new(1, MctsParameters::default(), QuantizedSygoNetwork::embedded());
                for signal in ordered {
                    let control = SearchControl::new(signal, 1);
                    let search =
                        |stage| searcher.search(&SygoWeights::embedded(), &tree, &old, stage, &control);
                    let complete = |found| matches!(found, Iteration::Complete(_));
                    (1..=ITERATIONS).map(IterationStage::depth).map(search).all(complete);
                }
            });
            for _ in 0..200 {
                let signal = Signal::new(std::time::Instant::now(), 2, None);
                orders.send(Arc::clone(&signal)).expect("the helper listens");
                deepen(&tree, &old, 6);
                signal.stop();
                let mut after = new.position.clone();
                for turn in &deepen(&tree, &new, 3).turns {
                    assert_eq!(rules::check(&after, turn), Ok(()), "{turn:?}");
                    after.play(turn);
                }
            }
            drop(orders);
            helper.join().expect("no panic");
        });
    }

    #[test]
    fn what_began_in_another_tree_is_not_learned() {
        let (tree, root, parameters) = (fresh(), root(MIDDLE), MctsParameters::default());
        let mut searcher = MonteCarlo::new(0, parameters, QuantizedSygoNetwork::embedded());
        searcher.plant(&SygoWeights::embedded(), &tree, &root);
        let descend = || tree.lock().descend(&root.position, &parameters, |_| true);
        let leaf = descend().expect("its root");
        let elsewhere = SearchRoot::new(SygoPosition::new(9));
        searcher.plant(&SygoWeights::embedded(), &tree, &elsewhere);
        assert_eq!(descend().err(), Some(Taken));
        // The same position again, but none of the old turns.
        searcher.plant(&SygoWeights::embedded(), &tree, &root);
        let known = || format!("{:?}", tree.lock().root(&root.position));
        let before = known();
        let found = SimulationResult { worth: 1.0, points: 9.0, area: 81.0 };
        tree.lock().learn(&leaf, &parameters, found, None);
        assert_eq!(known(), before);
        let leaf = descend().expect("its root");
        tree.lock().learn(&leaf, &parameters, found, None);
        assert_ne!(known(), before);
    }

    #[test]
    fn only_the_turns_asked_for_are_played() {
        let tree = fresh();
        let mut root = root(MIDDLE);
        let best = deepen(&tree, &root, 12).turns[0].clone();
        root.skip = vec![best.clone()];
        let second = deepen(&tree, &root, 12).turns[0].clone();
        assert_ne!(second, best);
        root.skip.clear();
        root.only = vec![SygoTurn::pass(), SygoTurn::place(Point::new(8, 0))];
        let line = deepen(&tree, &root, 12);
        assert!(root.only.contains(&line.turns[0]), "{:?}", line.turns[0]);
    }
}
