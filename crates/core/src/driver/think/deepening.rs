//! Iterative deepening.

use std::sync::Arc;
use std::time::Duration;

use super::lines::{IterationLines, order};
use super::task::SearchTask;
use crate::driver::reply::BestSoFar;
use crate::game::control::SearchControl;
use crate::game::score::Score;
use crate::game::search::{Iteration, IterationStage, PvLine, SearchRoot};
use crate::game::{GameNotation, GameRules, GameSearch, Worker};

/// How long reports come as they are; later ones come at intervals.
const FREE_REPORTS: Duration = Duration::from_secs(1);

/// Iterative deepening, as far as it has come.
pub struct DeepeningState<G: GameRules> {
    /// The key under which the result is remembered, if all turns are searched.
    identity: Option<Vec<u8>>,
    root: SearchRoot<G>,
    /// The best lines so far.
    pub reached: Option<Arc<BestSoFar<G>>>,
    /// The best lines of the complete iterations of this search.
    iterations: Vec<(IterationStage, PvLine<G>)>,
    /// The lines that earlier slices found in the incomplete iteration.
    begun: IterationLines<G>,
    last_report: Duration,
}

impl<G: GameNotation + GameSearch> SearchTask<G> {
    /// The state before the first iteration, with the cached result of the position if there is one.
    pub(super) fn begin(self: &Arc<Self>) -> DeepeningState<G> {
        let identity = self.root.only.is_empty().then(|| self.game.identity(&self.root.position));
        let mut root = self.root.clone();
        if self.output_bounds {
            let task = Arc::clone(self);
            root.observer = Some(Arc::new(move |line, stage| task.report(std::slice::from_ref(line), stage)));
        }
        let reached = identity.as_deref().and_then(|identity| self.resume(identity));
        let mut iterations: Vec<(IterationStage, PvLine<G>)> = Vec::new();
        if let Some(reached) = &reached {
            self.reply.reach(Arc::clone(reached));
            self.report(&reached.lines, reached.stage);
            iterations.push((reached.stage, reached.lines[0].clone()));
        }
        let (begun, last_report) = (IterationLines::default(), Duration::ZERO);
        DeepeningState { identity, root, reached, iterations, begun, last_report }
    }

    /// Runs the iterations; false if a slice ended before the search did.
    pub(super) fn deepen(
        &self,
        worker: &mut dyn Worker<G>,
        control: &SearchControl,
        DeepeningState { identity, root, reached, iterations, begun, last_report }: &mut DeepeningState<G>,
    ) -> bool {
        loop {
            root.previous = reached.as_ref().map_or_else(Vec::new, |reached| reached.lines.clone());
            let done = reached.as_ref().map(|reached| reached.stage);
            let Some(stage) = worker.next_stage(root, done) else { break };
            if reached.is_some() && self.depth.is_some_and(|depth| stage.depth > depth) {
                break;
            }
            let mut found =
                self.iteration(worker, root, stage, control, reached.is_none(), std::mem::take(begun));
            control.publish();
            if !found.complete && control.is_paused() {
                *begun = found;
                return false;
            }
            for line in found.lines.iter_mut().chain(&mut found.partial) {
                self.extend_pv(worker, line, &root.previous, stage);
            }
            let complete = found.complete;
            let lines = match (&*reached, complete) {
                (Some(former), false) => found.merged(&former.lines),
                (_, _) => found.sorted(),
            };
            debug_assert!(lines.is_sorted_by(|a, b| order(a.score, b.score).is_ge()), "lines out of order");
            debug_assert!(lines.iter().all(|line| self.is_playable(line)), "a line that cannot be played");
            let Some(best) = lines.first().cloned() else { break };
            if complete {
                if let Some(identity) = identity {
                    self.root_cache.lock().put(identity.clone(), stage, &lines, self.wanted());
                }
                iterations.push((stage, best.clone()));
            }
            let reached_stage = match reached {
                Some(former) if !complete => former.stage,
                _ => stage,
            };
            let now_reached = Arc::new(BestSoFar { lines, stage: reached_stage });
            *reached = Some(Arc::clone(&now_reached));
            self.reply.reach(Arc::clone(&now_reached));
            if !complete {
                break;
            }
            let now = self.signal.elapsed();
            if now < FREE_REPORTS || now >= *last_report + self.report_interval {
                *last_report = now;
                self.report(&now_reached.lines, stage);
            }
            if self.is_enough(worker, control, stage, best.score, iterations) {
                break;
            }
        }
        true
    }

    /// The cached result of the position, if it has enough lines.
    fn resume(&self, identity: &[u8]) -> Option<Arc<BestSoFar<G>>> {
        let root_cache = self.root_cache.lock();
        let held = root_cache.get(identity, self.wanted())?;
        let lines = held.lines.iter().take(self.wanted()).cloned().collect();
        Some(Arc::new(BestSoFar { lines, stage: held.stage }))
    }

    /// Whether the line begins with a turn that is allowed, and every turn is legal.
    fn is_playable(&self, line: &PvLine<G>) -> bool {
        let mut position = self.root.position.clone();
        let legal = line.turns.iter().all(|turn| {
            let text = self.game.format_turn(&position, turn);
            let legal = self.game.parse_turn(&position, &text).is_ok_and(|read| read == *turn);
            if legal {
                self.game.play(&mut position, turn);
            }
            legal
        });
        legal && line.turns.first().is_some_and(|first| self.root.allows(first))
    }

    /// Adds what the former iteration or the worker's memory expect behind a line that a cutoff made short.
    fn extend_pv(
        &self,
        worker: &dyn Worker<G>,
        line: &mut PvLine<G>,
        former: &[PvLine<G>],
        stage: IterationStage,
    ) {
        let wanted = match line.score {
            Score::MateIn(plies) | Score::MatedIn(plies) => usize::from(plies),
            Score::Cp(_) | Score::Exact(_) => usize::from(stage.depth).max(2),
        };
        if line.turns.len() >= wanted {
            return;
        }
        let longer = former.iter().map(|former| &former.turns).find(|turns| turns.starts_with(&line.turns));
        if let Some(turns) = longer {
            line.turns.clone_from(turns);
            line.turns.truncate(wanted);
        }
        let mut position = self.root.position.clone();
        line.turns.iter().for_each(|turn| self.game.play(&mut position, turn));
        while line.turns.len() < wanted && self.game.outcome(&position).is_none() {
            let Some(turn) = worker.expected(&position) else { return };
            self.game.play(&mut position, &turn);
            line.turns.push(turn);
        }
    }

    /// The lines of one iteration, of which an earlier slice has found those that are `begun`.
    fn iteration(
        &self,
        worker: &mut dyn Worker<G>,
        root: &mut SearchRoot<G>,
        stage: IterationStage,
        control: &SearchControl,
        first: bool,
        begun: IterationLines<G>,
    ) -> IterationLines<G> {
        let IterationLines { mut lines, mut partial, .. } = begun;
        let mut complete = true;
        root.skip = lines.iter().filter_map(|line| line.turns.first().cloned()).collect();
        while lines.len() < self.wanted() {
            control.set_unstoppable(first && lines.is_empty());
            let iteration = worker.search(root, stage, control);
            control.set_unstoppable(false);
            match iteration {
                Iteration::Complete(line) => {
                    root.skip.extend(line.turns.first().cloned());
                    lines.push(line);
                    partial = None;
                }
                Iteration::Partial(line) => {
                    // Turns that were not searched may be better than those that are mated.
                    let is_known = |former: &PvLine<G>| matches!(former.score, Score::MatedIn(_));
                    let counts = !matches!(line.score, Score::MatedIn(_))
                        || root.previous.first().is_none_or(is_known);
                    partial = Some(line).filter(|_| counts);
                    complete = false;
                    break;
                }
                Iteration::Stopped => {
                    complete = false;
                    break;
                }
                Iteration::NoTurn => break,
            }
            if self.signal.is_stopped() && lines.len() < self.wanted() && !first {
                complete = false;
                break;
            }
        }
        root.skip.clear();
        IterationLines { lines, partial, complete }
    }

    /// Whether there is no point, or no time, for another iteration.
    fn is_enough(
        &self,
        worker: &dyn Worker<G>,
        control: &SearchControl,
        stage: IterationStage,
        score: Score,
        iterations: &[(IterationStage, PvLine<G>)],
    ) -> bool {
        if control.check().is_err() && !control.is_paused() {
            return true;
        }
        let decided = match score {
            Score::MateIn(plies) | Score::MatedIn(plies) => plies <= stage.depth,
            Score::Cp(_) | Score::Exact(_) => false,
        };
        if decided && self.timing.is_under_clock() {
            return true;
        }
        if self.timing.is_under_clock() && iterations.len() == 1 && self.is_forced() {
            return true;
        }
        self.timing.is_over(&self.signal, worker.time_factor(&self.root, iterations))
    }

    fn is_forced(&self) -> bool {
        self.game.turns(&self.root.position).iter().filter(|turn| self.root.allows(turn)).count() == 1
    }
}
