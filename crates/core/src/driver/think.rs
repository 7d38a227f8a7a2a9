//! One search from `go` to its answer, on the thread of worker 0: iterative deepening, reports, the clock.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::Duration;

use log::debug;

use crate::driver::clock::Budget;
use crate::driver::event::{Best, EngineEvent, Info, Mate};
use crate::driver::reply::{BestSoFar, SearchOutput};
use crate::driver::root_cache::RootCache;
use crate::game::control::{SearchControl, Signal};
use crate::game::level::Misjudgement;
use crate::game::root_report::{RootReport, RootReportRequest, SearchedTurn};
use crate::game::score::Score;
use crate::game::search::{Bound, Iteration, IterationStage, PvLine, SearchRoot};
use crate::game::{
    BookOrDeclaration, GameNotation, GameRules, GameSearch, MateAnswer, SearchMemory, Side, TerminalCause,
    Worker,
};
use crate::mutex::Mutex;

/// How long reports come as they are; later ones come at intervals.
const FREE_REPORTS: Duration = Duration::from_secs(1);

/// The clock of a running search: its budget, and since when it counts after the search began.
pub struct Timing(Mutex<(Budget, Duration)>);

impl Default for Timing {
    /// Without a limit until [`Timing::start`].
    fn default() -> Timing {
        Timing(Mutex::new((Budget::ENDLESS, Duration::ZERO)))
    }
}

impl Timing {
    /// The clock runs: `budget` holds, counted from `since` after the search began.
    pub fn start(&self, signal: &Signal, budget: Budget, since: Duration) {
        *self.0.lock() = (budget, since);
        signal.set_deadline(budget.hard.map(|hard| since.saturating_add(hard)));
    }

    /// Whether no new iteration is to begin, `factor` stretching a flexible budget.
    fn is_over(&self, signal: &Signal, factor: f32) -> bool {
        let (budget, since) = *self.0.lock();
        budget.end(factor).is_some_and(|end| signal.elapsed() >= since.saturating_add(end))
    }

    fn is_under_clock(&self) -> bool {
        self.0.lock().0.flexible
    }
}

/// All that one search needs to know.
pub struct SearchTask<G: GameNotation + GameSearch> {
    /// Rules and notation.
    pub game: Arc<G>,
    /// For `hashfull`.
    pub memory: Option<Arc<G::Memory>>,
    /// Where to search.
    pub root: SearchRoot<G>,
    /// Where to stop.
    pub signal: Arc<Signal>,
    /// When to stop.
    pub timing: Timing,
    /// No deeper than this.
    pub depth: Option<u16>,
    /// How many lines.
    pub multipv: usize,
    /// Whether a search is wanted, whatever the book says.
    pub analysing: bool,
    /// Resign below minus this many hundredths.
    pub resign_value: Option<i32>,
    /// By how much turns are misjudged, where play is weakened and the game's search does not do it.
    pub misjudgement: Option<Misjudgement>,
    /// What earlier searches found.
    pub root_cache: Arc<Mutex<RootCache<G>>>,
    /// Shortest time between two reports.
    pub report_interval: Duration,
    /// Whether bounds are reported, too.
    pub output_bounds: bool,
    /// Whether only a mate is looked for.
    pub mating: bool,
    /// What is reported of the root at the end.
    pub root_report: RootReportRequest,
    /// Set before a panic is reported.
    pub panicked: Arc<AtomicBool>,
    /// Fill of the memory in permille, as last reported.
    pub hashfull: AtomicU16,
    /// Where reports and the answer go.
    pub reply: SearchOutput<G>,
}

impl<G: GameNotation + GameSearch> SearchTask<G> {
    /// Searches and answers, as worker 0.
    pub fn think(self: &Arc<Self>, worker: &mut dyn Worker<G>) {
        self.think_on(worker, &mut Thinking::new(&self.signal));
    }

    /// Searches on, as worker 0, until the search has its answer or the slice that `thinking` has begun is over;
    /// whether it has its answer.
    pub fn think_on(self: &Arc<Self>, worker: &mut dyn Worker<G>, thinking: &mut Thinking<G>) -> bool {
        let answer = if self.mating {
            self.mate(worker, &thinking.control).map(EngineEvent::Mate)
        } else {
            self.answer(worker, thinking).map(EngineEvent::Best)
        };
        let answered = answer.is_some();
        answer.into_iter().for_each(|answer| self.finish(answer));
        answered
    }

    /// Sends the answer, now or when it is released; then no thread need search any more.
    fn finish(&self, answer: EngineEvent) {
        if self.reply.answer(answer) || self.reply.is_answered() {
            self.signal.stop();
        }
        debug!("search ends after {} ms: {} nodes", self.signal.elapsed().as_millis(), self.signal.nodes());
    }

    /// Answers in place of a search that is late by what it has reached; whether the search is answered.
    pub fn answer_overdue(&self) -> bool {
        debug!("search is late after {} ms", self.signal.elapsed().as_millis());
        self.reply.answer_overdue(|reached| {
            if self.mating {
                return Some((Vec::new(), EngineEvent::Mate(Mate::Timeout)));
            }
            let reached = reached?;
            Some((
                self.reports(&reached.lines, reached.stage),
                EngineEvent::Best(self.conclusion(&reached.lines)),
            ))
        })
    }

    /// Searches for a mate; `None` if a slice ended before it was decided.
    fn mate(&self, worker: &mut dyn Worker<G>, control: &SearchControl) -> Option<Mate> {
        Some(match worker.mate(&self.root, control) {
            MateAnswer::Mate(turns) => Mate::Line(self.format_line(&turns)),
            MateAnswer::NoMate => Mate::NoMate,
            MateAnswer::Timeout if control.is_paused() => return None,
            MateAnswer::Timeout => Mate::Timeout,
            MateAnswer::NotImplemented => Mate::NotImplemented,
        })
    }

    /// Reports a panic of the search and answers in its place: a GUI must never wait in vain.
    pub fn report_panic(&self, panic: &(dyn Any + Send)) {
        self.note_panic(panic);
        let reached = self.reply.reached().filter(|_| !self.mating);
        self.finish(match reached {
            Some(reached) => EngineEvent::Best(self.conclusion(&reached.lines)),
            None => unsearched(&*self.game, &self.root, self.mating),
        });
    }

    /// Reports a panic of a search that need not answer.
    pub fn note_panic(&self, panic: &(dyn Any + Send)) {
        self.panicked.store(true, Ordering::Relaxed);
        self.reply.remark(EngineEvent::Panic(panic_message(panic)));
    }

    /// The answer; `None` if a slice ended before there was one.
    fn answer(self: &Arc<Self>, worker: &mut dyn Worker<G>, thinking: &mut Thinking<G>) -> Option<Best> {
        let Thinking { control, deepening } = thinking;
        if deepening.is_none()
            && let Some(best) = self.found_without_search(worker, control)
        {
            self.report_root(worker);
            return Some(best);
        }
        let deepening = deepening.get_or_insert_with(|| self.begin());
        if !self.deepen(worker, control, deepening) {
            return None;
        }
        // Before another position is searched: the worker knows one root.
        self.report_root(worker);
        let Some(reached) = deepening.reached.take() else { return Some(Best::None) };
        let reached = self.find_ponder_move(worker, reached);
        // A GUI takes the score from the last line before the answer.
        self.report(&reached.lines, reached.stage);
        Some(self.conclusion(&reached.lines))
    }

    /// The answer where nothing need be searched: the game is over, or rules or book decide.
    fn found_without_search(&self, worker: &mut dyn Worker<G>, control: &SearchControl) -> Option<Best> {
        if let Some(score) = self.finished() {
            self.report(
                &[PvLine { score, bound: Bound::Exact, turns: Vec::new(), seldepth: 0 }],
                IterationStage { depth: 0, confidence: 100 },
            );
            return Some(Best::None);
        }
        let decision = worker.book_or_declaration(&self.root, control);
        self.reply.report(control.take_remarks().into_iter().map(EngineEvent::Message));
        match decision? {
            BookOrDeclaration::DeclareWin => Some(Best::Win),
            BookOrDeclaration::Book { turns, score, depth }
                if !self.analysing && turns.first().is_some_and(|turn| self.root.allows(turn)) =>
            {
                let line = PvLine { score, bound: Bound::Exact, turns, seldepth: depth };
                self.report(std::slice::from_ref(&line), IterationStage::depth(depth));
                Some(self.best(&line))
            }
            BookOrDeclaration::Play(turn) if self.root.allows(&turn) => {
                Some(Best::Turn { turn: self.game.format_turn(&self.root.position, &turn), ponder: None })
            }
            BookOrDeclaration::Play(_) | BookOrDeclaration::Book { .. } => None,
        }
    }

    /// A reply to ponder on, where neither the iterations nor the memory know one: that of the shallowest search.
    fn find_ponder_move(&self, worker: &mut dyn Worker<G>, reached: Arc<BestSoFar<G>>) -> Arc<BestSoFar<G>> {
        let [only] = reached.lines[0].turns.as_slice() else { return reached };
        // One that ended in its first iteration has taken too long already.
        if reached.stage.depth <= 1 && self.signal.past_deadline() {
            return reached;
        }
        let mut after = self.root.position.clone();
        self.game.play(&mut after, only);
        if self.game.outcome(&after).is_some() {
            return reached;
        }
        // No other thread is to search any more: the memory may be that of one position only.
        self.signal.stop();
        let Iteration::Complete(reply) =
            worker.search(&SearchRoot::new(after), IterationStage::depth(1), &SearchControl::free())
        else {
            return reached;
        };
        let mut lines = reached.lines.clone();
        lines[0].turns.extend(reply.turns);
        Arc::new(BestSoFar { lines, stage: reached.stage })
    }

    /// Lines to search: where play is weakened, there must be something to choose from.
    fn wanted(&self) -> usize {
        self.misjudgement.map_or(self.multipv, |misjudgement| misjudgement.lines.max(self.multipv))
    }

    /// The line to play: the best one, or where turns are misjudged the one that looks best. A pass is never
    /// preferred by mistake: it could end the game.
    fn chosen<'a>(&self, lines: &'a [PvLine<G>]) -> &'a PvLine<G> {
        let Some(misjudgement) = self.misjudgement else { return &lines[0] };
        let scale = self.game.value_scale(&self.root.position);
        let looks = |line: &PvLine<G>| {
            let first = line.turns.first()?;
            if line.turns != lines[0].turns && self.game.is_pass(&self.root.position, first) {
                return None;
            }
            let mut after = self.root.position.clone();
            self.game.play(&mut after, first);
            let key = u64::from(crc32fast::hash(&self.game.identity(&after)));
            Some(line.score.clamped(1_000_000) + (misjudgement.of(key) as f32 * scale) as i32)
        };
        lines.iter().rev().max_by_key(|line| looks(line)).unwrap_or(&lines[0])
    }

    /// The answer that the lines lead to.
    fn conclusion(&self, lines: &[PvLine<G>]) -> Best {
        let best = self.chosen(lines);
        let is_low = |limit: i32| best.score.clamped(limit.saturating_add(1)) < -limit;
        if best.bound != Bound::Lower && self.resign_value.is_some_and(is_low) {
            return Best::Resign;
        }
        self.best(best)
    }

    /// The first turn of a line, and the reply expected.
    fn best(&self, line: &PvLine<G>) -> Best {
        let mut turns = self.format_line(&line.turns[..line.turns.len().min(2)]).into_iter();
        let Some(turn) = turns.next() else { return Best::None };
        if let Some(misjudgement) = self.misjudgement.filter(|misjudgement| misjudgement.overlooked > 0) {
            let place = u64::from(crc32fast::hash(&self.game.identity(&self.root.position))) << 32;
            let overlooks = |part: u64| misjudgement.overlooks(place | part);
            let made = self.game.overlook(&self.root.position, &line.turns[0], &overlooks);
            return Best::Turn { turn: self.game.format_turn(&self.root.position, &made), ponder: None };
        }
        Best::Turn { turn, ponder: turns.next() }
    }

    /// The final score, if the game is over in a way that leaves no turn to play.
    fn finished(&self) -> Option<Score> {
        let outcome = self.game.outcome(&self.root.position)?;
        match outcome.cause {
            TerminalCause::Mate => Some(Score::MatedIn(0)),
            TerminalCause::NoMoves | TerminalCause::TwoPasses => {
                let margin = match self.game.side_to_move(&self.root.position) {
                    Side::First => outcome.margin,
                    Side::Second => -outcome.margin,
                };
                Some(Score::Exact(margin * 100))
            }
            // The board still has moves: analysis goes on, and a GUI may overrule the referee.
            TerminalCause::Repetition
            | TerminalCause::PerpetualCheck
            | TerminalCause::EnteringKing
            | TerminalCause::MaxPlies => None,
        }
    }

    /// Where iterative deepening begins, with what is known of the position.
    fn begin(self: &Arc<Self>) -> DeepeningState<G> {
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

    /// Iteration after iteration; false if a slice ended before the search did.
    fn deepen(
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

    /// What is known of the position already.
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

    fn report(&self, lines: &[PvLine<G>], stage: IterationStage) {
        let hashfull = self.memory.as_ref().map_or(0, |memory| memory.hashfull());
        self.hashfull.store(hashfull, Ordering::Relaxed);
        self.reply.report(self.reports(lines, stage));
    }

    /// Reports what was asked of the root.
    fn report_root(&self, worker: &mut dyn Worker<G>) {
        if self.root_report.is_empty() {
            return;
        }
        let RootReport { candidates, policy, ownership } = worker.root_report(&self.root, self.root_report);
        let allowed = candidates.into_iter().filter(|candidate| self.root.allows(&candidate.turn));
        let candidates = allowed
            .map(|SearchedTurn { turn, work, prior, score }| {
                let turn = self.game.format_turn(&self.root.position, &turn);
                SearchedTurn { turn, work, prior, score }
            })
            .collect();
        self.reply.remark(EngineEvent::Root(RootReport { candidates, policy, ownership }));
    }

    /// Asks nothing that another thread of the search may hold.
    fn reports(&self, lines: &[PvLine<G>], stage: IterationStage) -> Vec<EngineEvent> {
        let (nodes, time) = (self.signal.nodes(), self.signal.elapsed());
        let report = |(index, line): (usize, &PvLine<G>)| {
            EngineEvent::Info(Info {
                depth: stage.depth,
                seldepth: line.seldepth.max(stage.depth),
                confidence: stage.confidence,
                multipv: index + 1,
                lines: self.multipv,
                score: line.score,
                bound: line.bound,
                nodes,
                time,
                hashfull: self.hashfull.load(Ordering::Relaxed),
                pv: self.format_line(&line.turns),
            })
        };
        lines.iter().take(self.multipv).enumerate().map(report).collect()
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
}

/// What a panic said.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given").to_owned()
}

/// The answer where no search can be had: the first turn allowed.
pub fn unsearched<G: GameNotation>(game: &G, root: &SearchRoot<G>, mating: bool) -> EngineEvent {
    if mating {
        return EngineEvent::Mate(Mate::Timeout);
    }
    let turns = game.turns(&root.position);
    EngineEvent::Best(match turns.iter().find(|turn| root.allows(turn)) {
        Some(turn) => Best::Turn { turn: game.format_turn(&root.position, turn), ponder: None },
        None => Best::None,
    })
}

/// How far worker 0 has come with a search, which may be interrupted and go on ([`SearchControl::begin_slice`]).
pub struct Thinking<G: GameNotation + GameSearch> {
    /// The worker's end of the line.
    pub(super) control: SearchControl,
    /// The iterations, once they have begun.
    deepening: Option<DeepeningState<G>>,
}

impl<G: GameNotation + GameSearch> Thinking<G> {
    /// Before the search.
    pub fn new(signal: &Arc<Signal>) -> Thinking<G> {
        Thinking { control: SearchControl::new(Arc::clone(signal), 0), deepening: None }
    }
}

/// Iterative deepening, as far as it has come.
struct DeepeningState<G: GameRules> {
    /// The key under which the result is remembered, if all turns are searched.
    identity: Option<Vec<u8>>,
    root: SearchRoot<G>,
    reached: Option<Arc<BestSoFar<G>>>,
    /// The best lines of the complete iterations of this search.
    iterations: Vec<(IterationStage, PvLine<G>)>,
    /// What earlier slices have found in the iteration that is not complete.
    begun: IterationLines<G>,
    last_report: Duration,
}

/// The lines of an iteration.
struct IterationLines<G: GameRules> {
    /// Each is the best of all turns but those before it.
    lines: Vec<PvLine<G>>,
    /// The line that was being searched when the search was stopped.
    partial: Option<PvLine<G>>,
    complete: bool,
}

impl<G: GameRules> Default for IterationLines<G> {
    fn default() -> IterationLines<G> {
        IterationLines { lines: Vec::new(), partial: None, complete: false }
    }
}

impl<G: GameRules> IterationLines<G> {
    /// Best first.
    fn sorted(self) -> Vec<PvLine<G>> {
        let mut lines: Vec<PvLine<G>> = self.lines.into_iter().chain(self.partial).collect();
        lines.sort_by(|a, b| order(b.score, a.score));
        lines
    }

    /// With the lines of the iteration before in place of those that are missing, best first. The turns that
    /// are left are worth no more than a complete line, which was preferred to them.
    fn merged(mut self, former: &[PvLine<G>]) -> Vec<PvLine<G>> {
        let ceiling = self.lines.iter().map(|line| line.score).min_by(|a, b| order(*a, *b));
        for old in former {
            let count = self.lines.len() + usize::from(self.partial.is_some());
            let mut known = self.lines.iter().chain(&self.partial);
            if count < former.len() && known.all(|new| new.turns.first() != old.turns.first()) {
                let mut line = old.clone();
                if let Some(ceiling) = ceiling.filter(|ceiling| *ceiling < line.score) {
                    (line.score, line.bound) = (ceiling, Bound::Upper);
                }
                self.lines.push(line);
            }
        }
        self.sorted()
    }
}

fn order(a: Score, b: Score) -> std::cmp::Ordering {
    a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn an_iteration_begins_up_to_the_soft_limit_counted_from_the_start_of_the_clock() {
        let signal = Signal::new(Instant::now() - Duration::from_secs(60), 1, None);
        let timing = Timing::default();
        assert!(!timing.is_over(&signal, 1.0) && !timing.is_under_clock());
        let [soft, hard] = [30, 90].map(|seconds| Some(Duration::from_secs(seconds)));
        let budget = Budget { soft, hard, flexible: true, full_seconds: None };
        timing.start(&signal, budget, Duration::ZERO);
        assert!(timing.is_over(&signal, 1.0) && !timing.is_over(&signal, 3.0) && timing.is_under_clock());
        assert!(SearchControl::new(Arc::clone(&signal), 0).check().is_ok());
        // A clock that began to run half a minute ago.
        timing.start(&signal, budget, Duration::from_secs(31));
        assert!(!timing.is_over(&signal, 1.0) && timing.is_over(&signal, 0.9));
        timing.start(&signal, Budget { flexible: false, ..budget }, Duration::ZERO);
        assert!(timing.is_over(&signal, 3.0) && !timing.is_under_clock());
        timing.start(&signal, Budget { hard: soft, ..budget }, Duration::ZERO);
        assert!(SearchControl::new(Arc::clone(&signal), 0).check().is_err());
    }
}
