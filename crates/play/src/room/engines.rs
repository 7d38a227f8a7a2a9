//! The engines of a room: play, analysis, hints, review.

use std::time::Duration;

use super::*;
use crate::engine_thread::{EngineOrder, PlayLimit};
use crate::view::SideReviewView;
use kaeshi_core::driver::clock::SideClock;
use kaeshi_core::driver::event::{Best, EngineEvent, Info, Mate};
use kaeshi_core::game::score::Score;
use kaeshi_statistics::accuracy::game_accuracy;

/// Shortest time between two reports of a search to the page.
pub(super) const SEARCH_EVERY: Duration = Duration::from_millis(90);
/// How long an engine thinks where no clock runs.
const THINKING: Duration = Duration::from_millis(1_200);
/// How long each position of a review is searched.
const REVIEWING: Duration = Duration::from_millis(350);
/// Shortest time until the engine's turn is shown, so that people see their own turn first.
const SOONEST: Duration = Duration::from_millis(450);
/// A mate in `n` plies is sent to the page as the value `MATE - n`.
const MATE: i32 = 200_000;
/// Losses of win rate from which on a turn is a blunder, a mistake, an inaccuracy.
const GRADES: [(f64, u8); 3] = [(0.20, 3), (0.10, 2), (0.05, 1)];
/// Lines of an analysis or a hint.
const LINES: usize = 3;
/// Transposition table of each engine, in MiB.
const HASH_MIB: u32 = 32;
/// Least depth of a value that is kept.
const WORTH_KEEPING: u16 = 4;

/// The kind of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EngineTaskKind {
    /// A turn of the game.
    Turn,
    /// Analysis of the position that is shown, until another one is.
    Analysis,
    /// The three best turns.
    Hint,
    /// A mate.
    Mate,
    /// The exact end.
    Solve,
    /// One position of a review.
    Review,
}

impl EngineTaskKind {
    fn name(self) -> &'static str {
        match self {
            EngineTaskKind::Turn | EngineTaskKind::Analysis | EngineTaskKind::Review => "analysis",
            EngineTaskKind::Hint => "hint",
            EngineTaskKind::Solve => "solve",
            EngineTaskKind::Mate => "mate",
        }
    }

    /// The number of lines to search: `wanted`, or all turns if `all` ([`every_turn_valued`]).
    ///
    /// [`every_turn_valued`]: kaeshi_core::game::facts::ValueInfo::every_turn_valued
    fn lines(self, all: bool, wanted: usize) -> usize {
        match self {
            EngineTaskKind::Hint | EngineTaskKind::Analysis if all => usize::MAX,
            EngineTaskKind::Hint | EngineTaskKind::Analysis => wanted,
            EngineTaskKind::Turn | EngineTaskKind::Mate | EngineTaskKind::Solve | EngineTaskKind::Review => 1,
        }
    }
}

/// A running search.
pub(super) struct EngineTask {
    pub id: u64,
    pub node: usize,
    pub kind: EngineTaskKind,
    since: Instant,
    lines: Vec<Info>,
}

/// A turn of the engine that is not shown yet.
pub(super) struct PendingTurn {
    pub(super) due: Instant,
    pub(super) turn: String,
    /// The engine's value of the position, if it reported one.
    pub(super) score: Option<Score>,
}

/// The engines of a room, and their results.
pub(super) struct RoomEngines {
    /// Engines made so far; the number of the next one.
    made: u64,
    /// Searches begun so far.
    orders: u64,
    player: Option<EngineThread>,
    analyst: Option<EngineThread>,
    pub(super) playing: Option<EngineTask>,
    pub(super) analysing: Option<EngineTask>,
    /// The engine's turn while it is held back; see [`SOONEST`].
    pub(super) answer: Option<PendingTurn>,
    pub(super) found: Option<SearchView>,
    pub(super) reports: (Sender<EngineReport>, Receiver<EngineReport>),
    pub(super) last_search: Instant,
    pub(super) held_search: bool,
    pub(super) review: Option<ReviewView>,
    /// The best turn and the value of a position, for the first side.
    pub(super) known: HashMap<usize, (String, i32)>,
}

impl RoomEngines {
    /// No engine yet.
    pub(super) fn new() -> RoomEngines {
        RoomEngines {
            made: 0,
            orders: 0,
            player: None,
            analyst: None,
            playing: None,
            analysing: None,
            answer: None,
            found: None,
            reports: unbounded(),
            last_search: Instant::now(),
            held_search: false,
            review: None,
            known: HashMap::new(),
        }
    }

    /// The engines that exist.
    pub(super) fn threads(&mut self) -> impl Iterator<Item = &mut EngineThread> {
        [&mut self.player, &mut self.analyst].into_iter().flatten()
    }

    /// Whether an engine searches, or is about to make its turn.
    fn are_busy(&self) -> bool {
        self.playing.is_some() || self.analysing.is_some() || self.answer.is_some()
    }

    /// Ends the game's search and drops the turn that is held back.
    fn stop_playing(&mut self) {
        self.answer = None;
        if self.playing.take().is_some()
            && let Some(engine) = &mut self.player
        {
            engine.stop();
        }
    }

    /// Ends the search of the second engine: analysis, hint, mate, solve or review.
    fn stop_analysing(&mut self) {
        self.analysing = None;
        if let Some(engine) = &mut self.analyst {
            engine.stop();
        }
    }

    fn is_reviewing(&self) -> bool {
        self.review.as_ref().is_some_and(|review| review.sides.is_none())
    }
}

/// A score for the first side, in hundredths; mates beyond 100,000.
pub(super) fn for_first(score: Score, side: Side) -> (i32, bool) {
    let (value, proven) = match score {
        Score::Cp(value) => (value.clamp(-99_999, 99_999), false),
        Score::Exact(value) => (value.clamp(-99_999, 99_999), true),
        Score::MateIn(plies) => (MATE - i32::from(plies), true),
        Score::MatedIn(plies) => (i32::from(plies) - MATE, true),
    };
    (if side == Side::First { value } else { -value }, proven)
}

impl Room {
    /// Whether no search and no clock runs.
    pub(super) fn is_idle(&self) -> bool {
        let runs = self.play.clocks.as_ref().is_some_and(|clocks| clocks.runner().is_some());
        !self.engines.are_busy() && !runs
    }

    /// Ends all searches and stops the clocks, until a page listens again.
    pub(super) fn rest(&mut self) {
        for engine in self.engines.threads() {
            engine.stop();
        }
        (self.engines.playing, self.engines.analysing, self.engines.answer) = (None, None, None);
        if let Some(clocks) = &mut self.play.clocks {
            self.kept.dirty |= clocks.runner().is_some();
            clocks.stop(Instant::now());
        }
        self.play.thought = None;
        self.keep();
    }

    /// Starts and stops searches and clocks according to the state of the room.
    pub(super) fn drive(&mut self) {
        if self.listeners.alone_since.is_some() {
            return;
        }
        let running = self.running();
        if let Some(clocks) = &mut self.play.clocks {
            match running.filter(|_| clocks.have_begun()) {
                Some(side) => clocks.run(side, Instant::now()),
                None => clocks.stop(Instant::now()),
            }
        }
        let counted = running.filter(|_| self.play.clocks.as_ref().is_none_or(Clocks::have_begun));
        match counted {
            Some(_) if self.play.thought.is_some_and(|(node, _)| node == self.live) => {}
            Some(_) => self.play.thought = Some((self.live, Instant::now())),
            None => self.play.thought = None,
        }
        let wanted = running.filter(|side| self.play.seats[side.index()].kind == SeatKind::Engine);
        match wanted {
            Some(side) => {
                let answered = self.engines.answer.is_some();
                if !answered && self.engines.playing.as_ref().is_none_or(|task| task.node != self.live) {
                    self.think(side);
                }
            }
            None => self.engines.stop_playing(),
        }
        self.drive_analysis();
    }

    /// Lets the analysis follow the position that is shown, unless another search was requested.
    fn drive_analysis(&mut self) {
        let busy = self.engines.analysing.as_ref().is_some_and(|task| {
            task.kind != EngineTaskKind::Analysis
                && (task.kind == EngineTaskKind::Review) == self.engines.is_reviewing()
        });
        if busy {
            return;
        }
        if self.engines.is_reviewing() {
            return self.review_next();
        }
        let wanted =
            (self.settings.analysis || self.settings.mistakes) && self.tree.outcome(self.node).is_none();
        match (&self.engines.analysing, wanted) {
            (Some(task), true) if task.kind == EngineTaskKind::Analysis && task.node == self.node => {}
            (_, true) => self.ask(EngineTaskKind::Analysis, self.node, PlayLimit::Endless),
            (Some(_), false) => self.engines.stop_analysing(),
            (None, false) => {}
        }
    }

    /// The name of the requested search that is not answered yet, the analysis excepted.
    pub(super) fn asked(&self) -> Option<&'static str> {
        let kind = task_kind(&self.engines.analysing)?;
        matches!(kind, EngineTaskKind::Hint | EngineTaskKind::Mate | EngineTaskKind::Solve)
            .then(|| kind.name())
    }

    /// Ends the requested search.
    pub(super) fn stop_asked(&mut self) {
        if self.asked().is_none() {
            return;
        }
        self.engines.stop_analysing();
    }

    /// An engine for the room.
    fn new_thinker(&mut self) -> EngineThread {
        self.engines.made += 1;
        EngineThread::new(self.game, self.engines.made, self.means.engines, self.engines.reports.0.clone())
    }

    fn order(&mut self, node: usize, effort: PlayLimit, lines: usize, level: Option<u8>) -> EngineOrder {
        self.engines.orders += 1;
        EngineOrder {
            id: self.engines.orders,
            start: self.tree.start().to_owned(),
            turns: self.tree.turns(node),
            effort,
            lines,
            level,
            threads: self.settings.threads.map_or(self.means.threads, |threads| threads as usize),
            hash: self.settings.hash.unwrap_or(HASH_MIB),
        }
    }

    /// Starts the search for the turn of `side`.
    fn think(&mut self, side: Side) {
        let effort = match &self.play.clocks {
            None => {
                let wanted = self.settings.thinking.map(u64::from);
                PlayLimit::Time(wanted.map_or(THINKING, Duration::from_millis))
            }
            Some(clocks) => {
                let now = Instant::now();
                let increment = Duration::from_secs_f64(clocks.control().increment);
                PlayLimit::Clocks(Side::BOTH.map(|side| SideClock {
                    left: clocks.left(side, now).0,
                    increment,
                    byoyomi: clocks.byoyomi(),
                }))
            }
        };
        let level = self.play.seats[side.index()].level;
        let order = self.order(self.live, effort, 1, Some(level));
        self.engines.playing = Some(EngineTask {
            id: order.id,
            node: self.live,
            kind: EngineTaskKind::Turn,
            since: Instant::now(),
            lines: Vec::new(),
        });
        if self.engines.player.is_none() {
            self.engines.player = Some(self.new_thinker());
        }
        if let Some(engine) = &mut self.engines.player {
            engine.think(order);
        }
    }

    /// Starts a search of a node on the second engine.
    fn ask(&mut self, kind: EngineTaskKind, node: usize, effort: PlayLimit) {
        // No position has more turns than squares.
        let squares = usize::from(*self.tree.facts().boards.sizes.end()).pow(2);
        let wanted = self.settings.lines.map_or(LINES, usize::from);
        let lines = kind.lines(self.tree.facts().values.every_turn_valued, wanted).min(squares);
        let order = self.order(node, effort, lines, None);
        self.engines.analysing =
            Some(EngineTask { id: order.id, node, kind, since: Instant::now(), lines: Vec::new() });
        if self.engines.analyst.is_none() {
            self.engines.analyst = Some(self.new_thinker());
        }
        if let Some(engine) = &mut self.engines.analyst {
            engine.think(order);
        }
    }

    /// Starts a requested search of the position that is shown.
    pub(super) fn begin(&mut self, kind: EngineTaskKind, time: Duration) {
        self.engines.found = None;
        let effort = if kind == EngineTaskKind::Mate { PlayLimit::Mate(time) } else { PlayLimit::Time(time) };
        self.ask(kind, self.node, effort);
    }

    /// Starts a review: a search of every position of the line that is shown.
    pub(super) fn begin_review(&mut self) {
        let end = self.tree.main_end(self.node);
        let total = self.tree.path(end).len() + 1;
        self.engines.review = Some(ReviewView { done: 0, total, sides: None });
        self.engines.analysing = None;
        self.engines.found = None;
        self.engines.known.clear();
        if self.mode == Mode::Play {
            (self.mode, self.live) = (Mode::Study, end);
        }
    }

    fn review_next(&mut self) {
        let end = self.tree.main_end(self.node);
        let mut line = vec![0];
        line.extend(self.tree.path(end));
        let Some(review) = &mut self.engines.review else { return };
        review.total = line.len();
        let Some(&node) = line.get(review.done) else {
            let sides = [0, 1].map(|side| self.side_review(&line, side));
            self.engines.review =
                Some(ReviewView { done: line.len(), total: line.len(), sides: Some(sides) });
            self.kept.dirty = true;
            return self.drive_analysis();
        };
        match self.over_by_rule(node) {
            Some(value) => {
                self.tree.set_value(node, Some(value));
                self.grade(node);
                if let Some(review) = &mut self.engines.review {
                    review.done += 1;
                }
                self.review_next();
            }
            None => self.ask(EngineTaskKind::Review, node, PlayLimit::Time(REVIEWING)),
        }
    }

    /// The value of a position at which the game is over.
    fn over_by_rule(&self, node: usize) -> Option<(i32, bool)> {
        let outcome = self.tree.outcome(node)?;
        let value = match outcome.winner {
            None => 0,
            Some(_) if outcome.margin != 0 => 100 * outcome.margin,
            Some(Side::First) => MATE,
            Some(Side::Second) => -MATE,
        };
        Some((value, true))
    }

    /// Handles a report of an engine.
    pub(super) fn handle_report(&mut self, report: EngineReport) {
        let from = |engine: &Option<EngineThread>| {
            engine.as_ref().is_some_and(|engine| engine.engine == report.engine)
        };
        if from(&self.engines.player)
            && self.engines.playing.as_ref().is_some_and(|task| task.id == report.id)
        {
            self.handle_player_report(report.event);
        } else if from(&self.engines.analyst)
            && self.engines.analysing.as_ref().is_some_and(|task| task.id == report.id)
        {
            self.handle_analyst_report(report.event);
        }
    }

    pub(super) fn handle_player_report(&mut self, event: EngineEvent) {
        let best = match event {
            EngineEvent::Best(best) => best,
            EngineEvent::Info(info) => {
                if let Some(task) = self.engines.playing.as_mut().filter(|_| info.multipv == 1) {
                    task.lines = vec![info];
                }
                return;
            }
            _ => return,
        };
        let Some(task) = self.engines.playing.take() else { return };
        match best {
            Best::Turn { turn, .. } => {
                let soonest = if self.play.seats.iter().any(|seat| seat.kind == SeatKind::Person) {
                    SOONEST
                } else {
                    SOONEST / 2
                };
                let score = task.lines.first().map(|info| info.score);
                self.engines.answer = Some(PendingTurn { due: task.since + soonest, turn, score });
                return;
            }
            Best::Win => self.won_by_claim(),
            // The engine could not search. Another one is made when the game continues.
            Best::None => {
                self.engines.player = None;
                self.play.paused = true;
                self.note = Some(Note { code: "no-answer", values: Default::default() });
            }
            Best::Resign => {
                let winner = self.tree.side(self.live).other().index();
                self.end(GameOver { winner: Some(winner), cause: "Resign".into(), margin: 0 });
            }
        }
        self.drive();
        self.changed();
    }

    fn handle_analyst_report(&mut self, event: EngineEvent) {
        let Some(task) = &mut self.engines.analysing else { return };
        match event {
            EngineEvent::Info(info) => {
                task.lines.retain(|line| line.multipv < info.multipv);
                task.lines.push(info);
                self.keep_value();
                self.show_search();
            }
            EngineEvent::Best(_) => {
                self.keep_value();
                let kind = task_kind(&self.engines.analysing);
                self.show_done();
                self.engines.analysing = None;
                if kind == Some(EngineTaskKind::Review)
                    && let Some(review) = &mut self.engines.review
                {
                    review.done += 1;
                }
                if kind != Some(EngineTaskKind::Analysis) {
                    self.drive();
                    self.changed();
                }
            }
            EngineEvent::Mate(mate) => {
                let (node, side) = (task.node, self.tree.side(task.node));
                let ms = millis(task.since.elapsed());
                let (word, lines) = match mate {
                    Mate::Line(turns) => {
                        let plies = u16::try_from(turns.len()).unwrap_or(u16::MAX);
                        let (s, x) = for_first(Score::MateIn(plies), side);
                        let [j, w] = self.tree.written_line(node, &turns);
                        ("mate", vec![SearchLine { s, x, t: turns, j, w }])
                    }
                    Mate::NoMate => ("nomate", Vec::new()),
                    Mate::Timeout | Mate::NotImplemented => ("unknown", Vec::new()),
                };
                self.engines.found = Some(SearchView {
                    node,
                    kind: "mate",
                    depth: 0,
                    nodes: 0,
                    ms,
                    lines,
                    done: true,
                    mate: Some(word),
                });
                self.engines.analysing = None;
                self.send_search();
                self.drive();
                self.changed();
            }
            EngineEvent::Panic(reason) => log::error!("the search panicked: {reason}"),
            EngineEvent::Message(_)
            | EngineEvent::Text(_)
            | EngineEvent::Ready
            | EngineEvent::Response(_)
            | EngineEvent::Root(_)
            | EngineEvent::Hello(_) => {}
        }
    }

    /// Keeps the value and the best turn of a position.
    fn keep_value(&mut self) {
        let Some(task) = &self.engines.analysing else { return };
        let Some(best) = task.lines.first() else { return };
        if best.depth < WORTH_KEEPING && task.kind == EngineTaskKind::Analysis {
            return;
        }
        let (node, side) = (task.node, self.tree.side(task.node));
        let (value, proven) = for_first(best.score, side);
        if let Some(turn) = best.pv.first() {
            self.engines.known.insert(node, (turn.clone(), value));
        }
        self.tree.set_value(node, Some((value, proven)));
        if task.kind == EngineTaskKind::Review || self.settings.mistakes {
            self.grade(node);
            let next = self.tree.child(node);
            if let Some(next) = next {
                self.grade(next);
            }
        }
    }

    /// Grades the turn that led to `node`, if both positions were searched.
    pub(super) fn grade(&mut self, node: usize) {
        if node == 0 {
            return;
        }
        let ply = &self.tree.plies()[node];
        let (parent, played, Some(got)) = (ply.parent, ply.t.clone(), ply.s) else { return };
        let Some((best, hoped)) = self.engines.known.get(&parent).cloned() else { return };
        let loss = if best == played { 0.0 } else { self.loss(parent, hoped, got) };
        let grade = GRADES.iter().find(|(from, _)| loss >= *from).map(|&(_, grade)| grade);
        let better = grade.map(|_| {
            let [j, w] = self.tree.written_line(parent, std::slice::from_ref(&best));
            Better { t: best, j, w, loss: Some(self.lost(parent, hoped, got, loss)) }
        });
        self.tree.set_grade(node, grade, better);
    }

    /// Win rate that the mover at `node` lost, from 0 to 1.
    fn loss(&self, node: usize, hoped: i32, got: i32) -> f64 {
        let sign = if self.tree.side(node) == Side::First { 1 } else { -1 };
        let facts = self.tree.facts();
        (facts.values.win_rate(sign * hoped) - facts.values.win_rate(sign * got)).max(0.0)
    }

    /// The loss as text: in the unit of the game, or as win rate if one of the values is a mate.
    fn lost(&self, node: usize, hoped: i32, got: i32, loss: f64) -> String {
        if hoped.abs().max(got.abs()) > 50_000 {
            return format!("-{:.0} %", 100.0 * loss);
        }
        let sign = if self.tree.side(node) == Side::First { 1 } else { -1 };
        let lost = sign * (hoped - got);
        let unit = self.tree.facts().values.unit;
        if unit.shown_in_hundredths { format!("-{lost}") } else { format!("-{:.1}", f64::from(lost) / 100.0) }
    }

    /// Accuracy and counts of one side.
    fn side_review(&self, line: &[usize], side: usize) -> SideReviewView {
        let mut review = SideReviewView::default();
        let facts = self.tree.facts();
        let rate =
            |&node: &usize| self.tree.plies()[node].s.map_or(0.5, |value| facts.values.win_rate(value));
        let rates: Vec<f64> = line.iter().map(rate).collect();
        let mut losses = Vec::new();
        for (place, &node) in line.iter().enumerate().skip(1) {
            let ply = &self.tree.plies()[node];
            let (Some(got), Some((best, hoped))) = (ply.s, self.engines.known.get(&ply.parent)) else {
                continue;
            };
            if ply.by != side {
                continue;
            }
            let is_best = *best == ply.t;
            let loss = if is_best { 0.0 } else { self.loss(ply.parent, *hoped, got) };
            review.turns += 1;
            review.best += usize::from(is_best);
            if let Some(grade) = ply.g {
                review.grades[usize::from(grade) - 1] += 1;
            }
            losses.push((place - 1, side, loss));
        }
        let accuracy = game_accuracy(&rates, &losses, self.game.facts().values.accuracy_slope)[side.min(1)];
        review.accuracy = accuracy.map(|accuracy| (10.0 * accuracy).round() / 10.0);
        review
    }

    /// Sends the search's lines to the page, if [`SEARCH_EVERY`] has passed and the page may see them.
    pub(super) fn show_search(&mut self) {
        self.engines.held_search = self.engines.last_search.elapsed() < SEARCH_EVERY;
        if !self.engines.held_search {
            self.gather(false);
        }
    }

    fn show_done(&mut self) {
        self.engines.held_search = false;
        self.gather(true);
    }

    fn gather(&mut self, done: bool) {
        let Some(task) = &self.engines.analysing else { return };
        let secret = match task.kind {
            EngineTaskKind::Review => true,
            EngineTaskKind::Analysis => !self.settings.analysis,
            EngineTaskKind::Turn | EngineTaskKind::Hint | EngineTaskKind::Mate | EngineTaskKind::Solve => {
                false
            }
        };
        let Some(best) = task.lines.first() else { return };
        if secret {
            return;
        }
        let (node, side) = (task.node, self.tree.side(task.node));
        let lines = task.lines.iter().map(|info| {
            let (s, x) = for_first(info.score, side);
            let [j, w] = self.tree.written_line(node, &info.pv);
            SearchLine { s, x, t: info.pv.clone(), j, w }
        });
        self.engines.found = Some(SearchView {
            node,
            kind: task.kind.name(),
            depth: best.depth,
            nodes: best.nodes,
            ms: millis(best.time),
            lines: lines.collect(),
            done,
            mate: None,
        });
        self.send_search();
    }

    fn send_search(&mut self) {
        self.engines.last_search = Instant::now();
        if let Some(found) = &self.engines.found {
            let json = serde_json::to_string(found).unwrap_or_default();
            self.listeners.send("search", &json);
        }
    }
}

fn task_kind(task: &Option<EngineTask>) -> Option<EngineTaskKind> {
    task.as_ref().map(|task| task.kind)
}
