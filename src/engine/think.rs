//! One search from `go` to its answer, on the thread of worker 0: iterative deepening, reports,
//! the clock, and the answer held back while pondering.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_channel::Sender;
use parking_lot::{Condvar, Mutex};

use crate::engine::clock::Budget;
use crate::engine::event::{Best, Event, Info, Mate};
use crate::engine::recall::Recall;
use crate::game::control::{Control, Signal};
use crate::game::score::Score;
use crate::game::search::{Bound, Iteration, Line, Root, Stage};
use crate::game::{Cause, Decision, Game, MateAnswer, Memory, Side, Worker};

/// Reports in the first second come as they are; later ones at most this often.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);
/// How long reports come as they are.
const FREE_REPORTS: Duration = Duration::from_secs(1);
/// A soft limit that never comes, in microseconds.
const NEVER: u64 = u64::MAX;

/// The clock of a running search, and whether its answer is held back.
pub struct Timing {
    soft_us: AtomicU64,
    flexible: AtomicBool,
    /// Whether the answer waits for `stop` or `ponderhit`.
    held: Mutex<bool>,
    released: Condvar,
}

impl Timing {
    /// Held back if `held`; the budget comes with [`Timing::start`].
    pub fn new(held: bool) -> Timing {
        Timing {
            soft_us: AtomicU64::new(NEVER),
            flexible: AtomicBool::new(false),
            held: Mutex::new(held),
            released: Condvar::new(),
        }
    }

    /// The clock runs: `budget` holds, counted from `since` after the search began.
    pub fn start(&self, signal: &Signal, budget: Budget, since: Duration) {
        let soft = budget.soft.map_or(NEVER, |soft| micros(since.saturating_add(soft)));
        self.soft_us.store(soft, Ordering::Relaxed);
        self.flexible.store(budget.flexible, Ordering::Relaxed);
        signal.set_deadline(budget.hard.map(|hard| since.saturating_add(hard)));
    }

    /// The answer may go out.
    pub fn release(&self) {
        *self.held.lock() = false;
        self.released.notify_all();
    }

    fn wait_for_release(&self) {
        let mut held = self.held.lock();
        while *held {
            self.released.wait(&mut held);
        }
    }

    fn is_held(&self) -> bool {
        *self.held.lock()
    }

    /// Whether no new iteration is to begin, `factor` stretching a flexible budget.
    fn is_over(&self, signal: &Signal, factor: f32) -> bool {
        let soft = self.soft_us.load(Ordering::Relaxed);
        if soft == NEVER {
            return false;
        }
        let factor = if self.flexible.load(Ordering::Relaxed) { f64::from(factor) } else { 1.0 };
        micros(signal.elapsed()) as f64 >= soft as f64 * factor
    }

    fn is_under_clock(&self) -> bool {
        self.flexible.load(Ordering::Relaxed)
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(NEVER)
}

/// All that one search needs to know.
pub struct Task<G: Game> {
    /// Rules and notation.
    pub game: Arc<G>,
    /// For `hashfull`.
    pub memory: Arc<G::Memory>,
    /// Where to search.
    pub root: Root<G>,
    /// Where to stop.
    pub signal: Arc<Signal>,
    /// When to stop.
    pub timing: Arc<Timing>,
    /// No deeper than this.
    pub depth: Option<u16>,
    /// How many lines.
    pub multipv: usize,
    /// Whether a search is wanted, whatever the book says.
    pub analysing: bool,
    /// Resign below minus this many hundredths.
    pub resign_value: Option<i32>,
    /// What earlier searches found.
    pub recall: Arc<Mutex<Recall<G>>>,
    /// Where reports and the answer go.
    pub events: Sender<Event>,
}

impl<G: Game> Task<G> {
    /// Searches and answers, as worker 0.
    pub fn think(&self, worker: &mut dyn Worker<G>) {
        let control = Control::new(Arc::clone(&self.signal), 0);
        let answer = self.answer(worker, &control);
        self.timing.wait_for_release();
        self.signal.stop();
        self.tell(Event::Best(answer));
    }

    /// Searches for a mate and answers, as worker 0.
    pub fn mate(&self, worker: &mut dyn Worker<G>) {
        let control = Control::new(Arc::clone(&self.signal), 0);
        let answer = match worker.mate(&self.root, &control) {
            MateAnswer::Mate(turns) => Mate::Line(self.format_line(&turns)),
            MateAnswer::NoMate => Mate::NoMate,
            MateAnswer::Timeout => Mate::Timeout,
            MateAnswer::NotImplemented => Mate::NotImplemented,
        };
        self.timing.wait_for_release();
        self.signal.stop();
        self.tell(Event::Mate(answer));
    }

    /// Answers in place of a search that panicked: a GUI must never wait in vain.
    pub fn apologise(&self, mating: bool, panic: &(dyn Any + Send)) {
        let reason = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no reason given");
        self.tell(Event::Message(format!("internal error, please report: {reason}")));
        self.timing.wait_for_release();
        self.signal.stop();
        self.tell(unsearched(&*self.game, &self.root, mating));
    }

    fn answer(&self, worker: &mut dyn Worker<G>, control: &Control) -> Best {
        if let Some(score) = self.finished() {
            self.report(
                &[Line { score, bound: Bound::Exact, turns: Vec::new(), seldepth: 0 }],
                Stage { depth: 0, confidence: 100 },
            );
            return Best::None;
        }
        let decision = worker.at_once(&self.root, control);
        control.take_remarks().into_iter().for_each(|remark| self.tell(Event::Message(remark)));
        match decision {
            Some(Decision::DeclareWin) => return Best::Win,
            Some(Decision::Book { turns, score, depth })
                if !self.analysing && turns.first().is_some_and(|turn| self.root.allows(turn)) =>
            {
                let line = Line { score, bound: Bound::Exact, turns, seldepth: depth };
                self.report(std::slice::from_ref(&line), Stage::depth(depth));
                return self.best(&line);
            }
            Some(Decision::Play(turn)) if self.root.allows(&turn) => {
                return Best::Turn { turn: self.game.format_turn(&self.root.position, &turn), ponder: None };
            }
            Some(Decision::Play(_) | Decision::Book { .. }) | None => {}
        }
        let Some(reached) = self.deepen(worker, control) else { return Best::None };
        // A GUI takes the score from the last line before the answer.
        self.report(&reached.lines, reached.stage);
        let best = &reached.lines[0];
        if self.resign_value.is_some_and(|limit| best.score.clamped(limit.saturating_add(1)) < -limit) {
            return Best::Resign;
        }
        self.best(best)
    }

    /// The first turn of a line, and the reply expected.
    fn best(&self, line: &Line<G>) -> Best {
        let mut turns = self.format_line(&line.turns[..line.turns.len().min(2)]).into_iter();
        match turns.next() {
            Some(turn) => Best::Turn { turn, ponder: turns.next() },
            None => Best::None,
        }
    }

    /// The final score, if the game is over in a way that leaves no turn to play.
    fn finished(&self) -> Option<Score> {
        let outcome = self.game.outcome(&self.root.position)?;
        match outcome.cause {
            Cause::Mate => Some(Score::MatedIn(0)),
            Cause::NoMoves | Cause::TwoPasses => {
                let margin = match self.game.side_to_move(&self.root.position) {
                    Side::First => outcome.margin,
                    Side::Second => -outcome.margin,
                };
                Some(Score::Exact(margin * 100))
            }
            // The board still has moves: analysis goes on, and a GUI may overrule the referee.
            Cause::Repetition | Cause::PerpetualCheck | Cause::EnteringKing | Cause::MaxPlies => None,
        }
    }

    fn deepen(&self, worker: &mut dyn Worker<G>, control: &Control) -> Option<Reached<G>> {
        let identity = self.root.only.is_empty().then(|| self.game.identity(&self.root.position));
        let mut root = self.root.clone();
        let mut reached = identity.as_deref().and_then(|identity| self.resume(identity));
        let mut iterations: Vec<(Stage, Line<G>)> = Vec::new();
        let mut last_report = Duration::ZERO;
        if let Some(reached) = &reached {
            self.report(&reached.lines, reached.stage);
            iterations.push((reached.stage, reached.lines[0].clone()));
        }
        loop {
            root.previous = reached.as_ref().map_or_else(Vec::new, |reached| reached.lines.clone());
            let done = reached.as_ref().map(|reached| reached.stage);
            let Some(stage) = worker.next_stage(&root, done) else { break };
            if reached.is_some() && self.depth.is_some_and(|depth| stage.depth > depth) {
                break;
            }
            let (lines, complete) = self.iteration(worker, &mut root, stage, control, reached.is_none());
            let Some(best) = lines.first().cloned() else { break };
            control.publish();
            if complete {
                if let Some(identity) = &identity {
                    self.recall.lock().put(identity.clone(), stage, &lines, self.multipv);
                }
                iterations.push((stage, best.clone()));
                reached = Some(Reached { lines, stage });
            } else {
                reached = Some(merge(lines, reached, stage));
                break;
            }
            let now = self.signal.elapsed();
            if now < FREE_REPORTS || now >= last_report + REPORT_INTERVAL {
                last_report = now;
                self.report(&reached.as_ref()?.lines, stage);
            }
            if self.is_enough(worker, control, stage, best.score, &iterations) {
                break;
            }
        }
        reached
    }

    /// What is known of the position already.
    fn resume(&self, identity: &[u8]) -> Option<Reached<G>> {
        let recall = self.recall.lock();
        let held = recall.get(identity, self.multipv)?;
        let lines = held.lines.iter().take(self.multipv).cloned().collect();
        Some(Reached { lines, stage: held.stage })
    }

    /// All lines of one iteration, best first, and whether it is complete.
    fn iteration(
        &self,
        worker: &mut dyn Worker<G>,
        root: &mut Root<G>,
        stage: Stage,
        control: &Control,
        first: bool,
    ) -> (Vec<Line<G>>, bool) {
        let mut lines: Vec<Line<G>> = Vec::new();
        let mut complete = true;
        root.skip.clear();
        while lines.len() < self.multipv {
            control.set_unstoppable(first && lines.is_empty());
            let iteration = worker.search(root, stage, control);
            control.set_unstoppable(false);
            match iteration {
                Iteration::Complete(line) => {
                    root.skip.extend(line.turns.first().cloned());
                    lines.push(line);
                }
                Iteration::Partial(line) => {
                    lines.push(line);
                    complete = false;
                    break;
                }
                Iteration::Stopped => {
                    complete = false;
                    break;
                }
                Iteration::NoTurn => break,
            }
            if self.signal.is_stopped() && lines.len() < self.multipv && !first {
                complete = false;
                break;
            }
        }
        root.skip.clear();
        lines.sort_by(|a, b| b.score.partial_cmp(&a.score).unwrap_or(std::cmp::Ordering::Equal));
        (lines, complete)
    }

    /// Whether there is no point, or no time, for another iteration.
    fn is_enough(
        &self,
        worker: &dyn Worker<G>,
        control: &Control,
        stage: Stage,
        score: Score,
        iterations: &[(Stage, Line<G>)],
    ) -> bool {
        if control.check().is_err() {
            return true;
        }
        let decided = match score {
            Score::MateIn(plies) | Score::MatedIn(plies) => plies <= stage.depth,
            Score::Cp(_) | Score::Exact(_) => false,
        };
        if decided && !self.timing.is_held() && self.timing.is_under_clock() {
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

    fn report(&self, lines: &[Line<G>], stage: Stage) {
        let (nodes, time) = (self.signal.nodes(), self.signal.elapsed());
        for (index, line) in lines.iter().enumerate() {
            self.tell(Event::Info(Info {
                depth: stage.depth,
                seldepth: line.seldepth.max(stage.depth),
                confidence: stage.confidence,
                multipv: index + 1,
                lines: self.multipv,
                score: line.score,
                bound: line.bound,
                nodes,
                time,
                hashfull: self.memory.hashfull(),
                pv: self.format_line(&line.turns),
            }));
        }
    }

    fn format_line(&self, turns: &[G::Turn]) -> Vec<String> {
        let mut position = self.root.position.clone();
        turns
            .iter()
            .map(|turn| {
                let text = self.game.format_turn(&position, turn);
                self.game.play(&mut position, turn);
                text
            })
            .collect()
    }

    fn tell(&self, event: Event) {
        // Nobody listens any more only while the program ends.
        let _ = self.events.send(event);
    }
}

/// The answer where no search can be had: the first turn allowed.
pub fn unsearched<G: Game>(game: &G, root: &Root<G>, mating: bool) -> Event {
    if mating {
        return Event::Mate(Mate::Timeout);
    }
    let turns = game.turns(&root.position);
    Event::Best(match turns.iter().find(|turn| root.allows(turn)) {
        Some(turn) => Best::Turn { turn: game.format_turn(&root.position, turn), ponder: None },
        None => Best::None,
    })
}

/// The lines of the highest iteration reached.
struct Reached<G: Game> {
    lines: Vec<Line<G>>,
    stage: Stage,
}

/// New lines of an unfinished iteration, before those of the last complete one.
fn merge<G: Game>(mut lines: Vec<Line<G>>, former: Option<Reached<G>>, stage: Stage) -> Reached<G> {
    let Some(former) = former else { return Reached { lines, stage } };
    for old in former.lines.iter() {
        if lines.len() < former.lines.len() && lines.iter().all(|new| new.turns.first() != old.turns.first())
        {
            lines.push(old.clone());
        }
    }
    Reached { lines, stage: former.stage }
}
