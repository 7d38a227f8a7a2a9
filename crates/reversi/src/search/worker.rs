//! One search thread: iterative deepening by depth and selectivity, and the root.

use std::sync::Arc;

use crate::Reversi;
use crate::rules::board::ReversiBoard;
use crate::rules::position::{ReversiPosition, ReversiTurn};
use crate::rules::simd::{self, Isa, IsaJob};
use crate::search::endgame::EndgameContext;
use crate::search::estimate;
use crate::search::iteration_values::{IterationValue, IterationValues};
use crate::search::midgame::{IndexedBoard, MidgameSearch, Null, Principal, Sequence, extend, needs_line};
use crate::search::probcut;
use crate::search::table::{EXACT, NO_MOVE, key};
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::root_report::{RootNodes, RootReport, RootReportRequest};
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::{Bound, Iteration, IterationStage, PvLine, SearchRoot, SearchStopped};
use kaeshi_core::game::{BookOrDeclaration, GameError, GameSearch as _, Worker, WorkerShared};
use kaeshi_core::random::{self, SplitMix};

/// Plies before the end from which the depth jumps to it.
const END_JUMP: u32 = 10;
/// Up to this many empty squares the end is searched without a selective try before.
const DIRECT_EMPTIES: u32 = 12;
/// Up to this many empty squares one selective iteration precedes the exact one, then two, three and four.
const SELECTIVE_ITERATIONS: [u32; 4] = [20, 23, 26, 29];
/// Half width, in discs, of the first window around the last value.
const ASPIRATION: i32 = 2;
/// A window wider than this is replaced by the full window.
const WIDEST_WINDOW: i32 = 64;

/// One search thread of Reversi.
pub struct ReversiWorker {
    shared: Arc<WorkerShared<Reversi>>,
    context: EndgameContext,
    index: usize,
    /// Draws among the moves of the book.
    draws: SplitMix,
    /// Scores outside these bounds are only known to be outside.
    bounds: (i32, i32),
    /// Nodes below each turn of the root.
    root_nodes: RootNodes<ReversiTurn>,
    /// The values of the last iterations in discs, before they are shown as estimates.
    values: IterationValues,
}

/// The result of an iteration.
#[derive(Clone, Debug, Default)]
struct IterationResult {
    value: i32,
    line: Sequence,
}

/// The allowed turns of a root, searched one after the other.
struct RootSearch<'s, 'a> {
    search: &'s mut MidgameSearch<'a>,
    board: ReversiBoard,
    /// Squares to consider, best first.
    squares: &'s [u8],
    window: (i32, i32),
    depth: u32,
    /// Receives the best line so far, which is kept if the search is stopped.
    found: &'s mut Option<IterationResult>,
    nodes: &'s mut RootNodes<ReversiTurn>,
}

impl IsaJob for RootSearch<'_, '_> {
    type Output = Result<i32, SearchStopped>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Result<i32, SearchStopped> {
        let RootSearch { search, board, squares, window: (mut alpha, beta), depth, found, nodes } = self;
        let node = IndexedBoard::new(board);
        let mut best = -65;
        for &square in squares {
            let (next, depth) = if square == NO_MOVE {
                (node.passed(search.geometry), depth)
            } else {
                let place = usize::from(square);
                let flips = isa.flips(place, board.me, board.opponent);
                let indices = node.indices.after(search.geometry, place, flips);
                (IndexedBoard { board: board.after(place, flips), indices }, depth - 1)
            };
            let nodes_before = search.control.nodes();
            let mut below = Sequence::new();
            let mut value = 65;
            if best > -65 {
                value = -isa.run(Null { search, node: &next, alpha: -alpha - 1, depth })?;
            }
            if best == -65 || needs_line(value, (alpha, beta)) {
                let window = (-beta, -alpha);
                value = -isa.run(Principal { search, node: &next, window, depth, line: &mut below })?;
            }
            nodes.add(turn_of(square), search.control.nodes() - nodes_before);
            if value > best {
                best = value;
                if value > alpha || found.is_none() {
                    let mut line = Sequence::new();
                    extend(&mut line, square, &below);
                    *found = Some(IterationResult { value, line });
                }
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }
}

impl ReversiWorker {
    /// Only scores within these bounds matter; outside they are merely known to be outside.
    pub fn set_bounds(&mut self, bounds: (i32, i32)) {
        self.bounds = bounds;
    }

    /// The score that the search reports, in hundredths of a disc, where a search of `depth` plies from `board` found
    /// `value` discs and one of one ply less found `before`. With the embedded weights it is an estimate of the final
    /// margin; with other weights it is `value` itself.
    fn shown(&self, value: i32, before: Option<f32>, board: ReversiBoard, depth: u32) -> i32 {
        if !self.shared.game.has_usual_weights() {
            return 100 * value;
        }
        // A pass is not one of the plies: the other side begins.
        let sign = if board.moves() == 0 { -1 } else { 1 };
        let empties = board.empties();
        sign * match before {
            Some(before) => estimate::estimate_of_two(sign * value, sign as f32 * before, empties, depth),
            None => estimate::estimate(sign * value, empties, depth),
        }
    }

    /// The discs that the search of `depth` plies found for a line.
    fn found(&self, line: &PvLine<Reversi>, board: ReversiBoard, depth: u32) -> i32 {
        let hundredths = line.score.clamped(6400);
        if let Some(found) = self.values.of_line(first_square(line), hundredths) {
            return found.value;
        }
        // Another search found the line, so only its estimate is known; the estimate from a single value is close to
        // it.
        if !self.shared.game.has_usual_weights() {
            return (hundredths as f32 / 100.0).round() as i32;
        }
        let sign = if board.moves() == 0 { -1 } else { 1 };
        sign * estimate::value(sign * hundredths, board.empties(), depth)
    }

    /// The value one ply less deep than an iteration, whose former best line is `former`.
    fn before(
        &self,
        root: &SearchRoot<Reversi>,
        stage: IterationStage,
        former: Option<&PvLine<Reversi>>,
    ) -> FormerValue {
        if !root.skip.is_empty() {
            // The same difference for all lines, or estimates could have another order than values.
            return self.values.difference(stage).map_or(FormerValue::Unknown, FormerValue::Difference);
        }
        if stage.depth == 1 {
            return FormerValue::Value(self.shared.game.evaluate(&root.position) as f32 / 100.0);
        }
        former
            .and_then(|line| self.values.of_line(first_square(line), line.score.clamped(6400)))
            .filter(|found| found.stage.depth + 1 == stage.depth)
            .map_or(FormerValue::Unknown, |found| FormerValue::Value(found.value as f32))
    }

    /// Searches the allowed squares until the value lies inside the window.
    fn deepen(
        &mut self,
        root: &SearchRoot<Reversi>,
        squares: &mut [u8],
        (guess, before): (Option<i32>, FormerValue),
        stage: IterationStage,
        control: &SearchControl,
    ) -> (Option<IterationResult>, Result<(), SearchStopped>) {
        let (position, depth) = (&root.position, u32::from(stage.depth));
        let level = probcut::level(stage.confidence);
        let mut window = guess.map_or(self.bounds, |value| (value - ASPIRATION, value + ASPIRATION));
        let (least, most) = self.bounds;
        let mut safe: Option<IterationResult> = None;
        let mut width = ASPIRATION;
        loop {
            let (low, high) = (window.0.clamp(least, most - 1), window.1.clamp(least + 1, most));
            let shared = &self.shared;
            let (memory, weights) = (&shared.memory, shared.game.weights());
            let mut search = MidgameSearch::new(memory, weights, control, &mut self.context, shared.threads);
            search.level = level;
            let mut found = None;
            let top = RootSearch {
                search: &mut search,
                board: position.board,
                squares,
                window: (low, high),
                depth,
                found: &mut found,
                nodes: &mut self.root_nodes,
            };
            let value = match simd::run(simd::best(), top) {
                Ok(value) => value,
                // A result from before the stop counts unless it is a bound that failed low.
                Err(stopped) => return (found.filter(|f| f.value > low).or(safe), Err(stopped)),
            };
            if let Some(first) = found.as_ref().and_then(|f| f.line.first()).copied()
                && value > low
            {
                let place = squares.iter().position(|&square| square == first).unwrap_or(0);
                squares[..=place].rotate_right(1);
                safe = found.clone();
            }
            if let Some(observer) = &root.observer
                && let Some(line) = found.as_ref().or(safe.as_ref())
            {
                let bound = match value {
                    _ if value <= low && low > least => Some(Bound::Upper),
                    _ if value >= high && high < most => Some(Bound::Lower),
                    _ => None,
                };
                let turns = playable(position, &line.line);
                if let Some(bound) = bound.filter(|_| !turns.is_empty()) {
                    let score = Score::Cp(self.shown(value, before.of(value), position.board, depth));
                    observer(&PvLine { score, bound, seldepth: turns.len() as u16, turns }, stage);
                }
            }
            width *= 2;
            if let Some(wider) = widened(value, (low, high), self.bounds, width) {
                window = wider;
            } else {
                return (found.map(|f| IterationResult { value, ..f }), Ok(()));
            }
        }
    }
}

/// The window of the next search after `value` failed low or high in `window`; `None` if `value` lies inside it, or at
/// one of `bounds`.
///
/// Searches with other windows cut off elsewhere, and other threads change the table meanwhile, so values may
/// contradict each other. The window therefore becomes the full one after a few steps.
fn widened(value: i32, window: (i32, i32), bounds: (i32, i32), width: i32) -> Option<(i32, i32)> {
    let too_low = value <= window.0 && window.0 > bounds.0;
    let too_high = value >= window.1 && window.1 < bounds.1;
    match (too_low, too_high) {
        (false, false) => None,
        _ if width > WIDEST_WINDOW => Some(bounds),
        (true, _) => Some((value - width, value + 1)),
        (false, true) => Some((value - 1, value + width)),
    }
}

/// The value one ply less deep, as far as it is known.
#[derive(Clone, Copy, Debug)]
enum FormerValue {
    /// In discs.
    Value(f32),
    /// Surplus over the present value, in discs.
    Difference(f32),
    Unknown,
}

impl FormerValue {
    /// The former value of a line whose value is `value` now.
    fn of(self, value: i32) -> Option<f32> {
        match self {
            FormerValue::Value(before) => Some(before),
            FormerValue::Difference(more) => Some(value as f32 + more),
            FormerValue::Unknown => None,
        }
    }
}

/// The square that a line begins with, [`NO_MOVE`] for a pass.
fn first_square(line: &PvLine<Reversi>) -> u8 {
    match line.turns.first() {
        Some(ReversiTurn::Place(square)) => *square,
        _ => NO_MOVE,
    }
}

/// The turn that a square, or [`NO_MOVE`], stands for.
fn turn_of(square: u8) -> ReversiTurn {
    if square == NO_MOVE { ReversiTurn::Pass } else { ReversiTurn::Place(square) }
}

/// The turns of a line up to the first that is not legal.
fn playable(position: &ReversiPosition, line: &Sequence) -> Vec<ReversiTurn> {
    let mut position = *position;
    let mut turns = Vec::new();
    for &square in line {
        let turn = turn_of(square);
        if !position.is_legal(turn) {
            break;
        }
        position.play(turn);
        turns.push(turn);
    }
    turns
}

impl Worker<Reversi> for ReversiWorker {
    fn new(shared: Arc<WorkerShared<Reversi>>, index: usize) -> Result<ReversiWorker, GameError> {
        // Unpacking them takes a while, which `isready` may take and the first move may not.
        shared.game.unpack_weights()?;
        Ok(ReversiWorker {
            shared,
            context: EndgameContext::new()?,
            index,
            draws: SplitMix::new(random::seed(index as u64)),
            bounds: (-64, 64),
            root_nodes: RootNodes::default(),
            values: IterationValues::default(),
        })
    }

    fn new_game(&mut self) {
        self.context.clear();
        self.root_nodes.clear();
        self.values = IterationValues::default();
    }

    fn book_or_declaration(
        &mut self,
        root: &SearchRoot<Reversi>,
        _control: &SearchControl,
    ) -> Option<BookOrDeclaration<ReversiTurn>> {
        let allowed = |square| root.allows(&ReversiTurn::Place(square));
        let known = self.shared.game.book().choose(root.position.board, allowed, &mut self.draws)?;
        let depth = self.shared.game.book().depth() as u16;
        let score = Score::Cp(100 * i32::from(known.value));
        Some(BookOrDeclaration::Book { turns: vec![ReversiTurn::Place(known.square)], score, depth })
    }

    fn next_stage(&self, root: &SearchRoot<Reversi>, done: Option<IterationStage>) -> Option<IterationStage> {
        next_iteration(root.position.board.empties(), done)
    }

    fn search(
        &mut self,
        root: &SearchRoot<Reversi>,
        stage: IterationStage,
        control: &SearchControl,
    ) -> Iteration<Reversi> {
        let position = root.position;
        let mut turns = position.turns();
        turns.retain(|turn| root.allows(turn));
        let known = |turn: &ReversiTurn| {
            root.previous.iter().position(|line| line.turns.first() == Some(turn)).unwrap_or(usize::MAX)
        };
        let mobility = |turn: &ReversiTurn| {
            let mut next = position;
            next.play(*turn);
            next.board.moves().count_ones()
        };
        turns.sort_by_cached_key(|turn| (known(turn), mobility(turn)));
        let mut squares: Vec<u8> = turns
            .iter()
            .map(|turn| match turn {
                ReversiTurn::Place(square) => *square,
                ReversiTurn::Pass => NO_MOVE,
            })
            .collect();
        if squares.is_empty() {
            return Iteration::NoTurn;
        }
        self.root_nodes.begin(key(position.board));
        let level = probcut::level(stage.confidence);
        let depth = u32::from(stage.depth);
        let empties = position.board.empties();
        self.values.begin(key(position.board));
        if root.skip.is_empty() {
            self.values.begin_iteration(stage);
        }
        let former = root.previous.iter().find(|line| line.turns.first() == turns.first());
        let guess = former.map(|line| self.found(line, position.board, depth_before(empties, stage)));
        let before = self.before(root, stage, former);
        // Threads begin with three different windows.
        let guess = guess.map(|value| value + (self.index % 3) as i32);
        let (found, outcome) = self.deepen(root, &mut squares, (guess, before), stage, control);
        let Some(found) = found else { return Iteration::Stopped };
        // The value of a stopped search may be only a bound.
        let exact = outcome.is_ok() && level == EXACT && depth >= empties;
        let before = before.of(found.value);
        let shown = self.shown(found.value, before, position.board, depth);
        let score = if exact { Score::Exact(shown) } else { Score::Cp(shown) };
        let turns = playable(&position, &found.line);
        let line = PvLine { score, bound: Bound::Exact, seldepth: turns.len() as u16, turns };
        match outcome {
            Ok(()) => {
                let first = first_square(&line);
                self.values.add(IterationValue { stage, first, value: found.value, before, shown });
                Iteration::Complete(line)
            }
            Err(SearchStopped) => Iteration::Partial(line),
        }
    }

    fn root_report(&mut self, root: &SearchRoot<Reversi>, _: RootReportRequest) -> RootReport<ReversiTurn> {
        RootReport {
            candidates: self.root_nodes.candidates(key(root.position.board)),
            ..RootReport::default()
        }
    }

    fn expected(&self, position: &ReversiPosition) -> Option<ReversiTurn> {
        if let [only] = position.turns()[..] {
            return Some(only);
        }
        let [best, _] = self.shared.memory.table.probe(key(position.board))?.moves;
        let turn = ReversiTurn::Place(best);
        (best != NO_MOVE && position.is_legal(turn)).then_some(turn)
    }

    fn time_factor(
        &self,
        root: &SearchRoot<Reversi>,
        iterations: &[(IterationStage, PvLine<Reversi>)],
    ) -> f32 {
        let Some(((stage, last), before)) = iterations.split_last() else { return 1.0 };
        let next = self.next_stage(root, Some(*stage));
        if next.is_some_and(|next| next.confidence == 100) {
            // A solved position saves the time of all later moves.
            return 2.5;
        }
        if next.is_some_and(|next| next.depth > stage.depth + 1) {
            // The iteration to the end takes several times as long as all iterations before it.
            return 0.5;
        }
        let changed = before.last().is_some_and(|(_, line)| line.turns.first() != last.turns.first());
        let found = |stage: &IterationStage, line: &PvLine<Reversi>| {
            self.found(line, root.position.board, u32::from(stage.depth))
        };
        let falling =
            before.last().is_some_and(|(earlier, line)| found(stage, last) + 2 < found(earlier, line));
        match (changed, falling) {
            (_, true) => 1.6,
            (true, false) => 1.3,
            (false, false) => 0.9,
        }
    }
}

/// The depth of the iteration before `stage` in the order of [`next_iteration`].
fn depth_before(empties: u32, stage: IterationStage) -> u32 {
    let depth = u32::from(stage.depth);
    if depth < empties {
        return depth.saturating_sub(1);
    }
    // The first iteration to the end follows the last one that is not.
    let first = empties <= DIRECT_EMPTIES || stage.confidence == probcut::PER_CENT[0];
    if first { empties.saturating_sub(END_JUMP).max(1) } else { empties }
}

/// The next iteration: ply by ply at the lowest confidence, from [`END_JUMP`] plies before the end the whole
/// rest, more and more surely.
fn next_iteration(empties: u32, done: Option<IterationStage>) -> Option<IterationStage> {
    let end = empties.max(1);
    let last = IterationStage { depth: end as u16, confidence: 100 };
    let Some(done) = done else {
        return Some(if end <= DIRECT_EMPTIES / 2 {
            last
        } else {
            IterationStage { depth: 1, confidence: probcut::PER_CENT[0] }
        });
    };
    if u32::from(done.depth) >= end {
        // The fewer squares, the cheaper is proof beside another selective iteration.
        let guesses = 1 + SELECTIVE_ITERATIONS.iter().filter(|&&most| end > most).count();
        if done.confidence < 100 && usize::from(probcut::level(done.confidence)) + 1 >= guesses {
            return Some(last);
        }
        let next = probcut::PER_CENT.iter().find(|&&per_cent| per_cent > done.confidence)?;
        return Some(IterationStage { depth: end as u16, confidence: *next });
    }
    let depth = u32::from(done.depth) + 1;
    if depth + END_JUMP <= end {
        Some(IterationStage { depth: depth as u16, confidence: probcut::PER_CENT[0] })
    } else if end <= DIRECT_EMPTIES {
        Some(last)
    } else {
        Some(IterationStage { depth: end as u16, confidence: probcut::PER_CENT[0] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::notation;
    use crate::search::memory::ReversiMemory;
    use kaeshi_core::game::SearchMemory as _;

    fn worker() -> ReversiWorker {
        let memory = Arc::new(ReversiMemory::with_bytes(8 << 20).expect("a small table"));
        ReversiWorker::new(Arc::new(WorkerShared { game: Arc::default(), memory, threads: 1 }), 0)
            .expect("memory")
    }

    #[test]
    fn values_that_contradict_each_other_end_in_the_whole_window() {
        let bounds = (-64, 64);
        for (low_first, start) in [(true, -16), (false, 3), (true, 64), (false, -64)] {
            let (mut window, mut width, mut low) = ((start - 2, start + 2), 2, low_first);
            let mut tries = 0;
            while let Some(wider) = {
                let clamped = (window.0.clamp(-64, 63), window.1.clamp(-63, 64));
                width *= 2;
                widened(if low { clamped.0 } else { clamped.1 }, clamped, bounds, width)
            } {
                assert!(wider.0 < wider.1, "{wider:?}");
                (window, low, tries) = (wider, !low, tries + 1);
                assert!(tries < 10, "{window:?}");
            }
        }
        assert_eq!(widened(-64, bounds, bounds, 4), None);
        assert_eq!(widened(5, (3, 7), bounds, 4), None);
        assert_eq!(widened(3, (3, 7), bounds, 4), Some((-1, 4)));
        assert_eq!(widened(7, (3, 7), bounds, 4), Some((6, 11)));
    }

    #[test]
    fn the_last_iteration_is_the_exact_end() {
        for empties in 0..=60 {
            let (mut done, mut count) = (None, 0);
            while let Some(stage) = next_iteration(empties, done) {
                assert!(done.is_none_or(|before| before < stage), "{done:?} {stage:?}");
                if let Some(before) = done {
                    assert_eq!(depth_before(empties, stage), u32::from(before.depth), "{empties} {stage:?}");
                }
                done = Some(stage);
                count += 1;
            }
            assert_eq!(done, Some(IterationStage { depth: empties.max(1) as u16, confidence: 100 }));
            assert!(count <= 60);
        }
    }

    #[test]
    fn estimates_of_an_iteration_take_the_one_before_into_account() {
        let text = "--OO----X-OOOO--XOOXXXXO-XXOOXXO-XXOXOXX-OXXXOXX--OXXX---XXXXX-- O";
        let position = notation::parse_position(text).expect("a position");
        let mut worker = worker();
        let (mut root, control) = (SearchRoot::<Reversi>::new(position), SearchControl::free());
        let (empties, mut before) = (position.board.empties(), worker.shared.game.evaluate(&position) as f32);
        before /= 100.0;
        for depth in 1..=5 {
            let stage = IterationStage { depth, confidence: probcut::PER_CENT[0] };
            let mut lines: Vec<PvLine<Reversi>> = Vec::new();
            root.skip.clear();
            for _ in 0..3 {
                let Iteration::Complete(line) = worker.search(&root, stage, &control) else {
                    panic!("not complete")
                };
                root.skip.push(line.turns[0]);
                lines.push(line);
            }
            let found: Vec<i32> =
                lines.iter().map(|line| worker.found(line, position.board, u32::from(depth))).collect();
            for (line, value) in lines.iter().zip(&found) {
                let former = before + (value - found[0]) as f32;
                let shown = estimate::estimate_of_two(*value, former, empties, u32::from(depth));
                assert_eq!(line.score, Score::Cp(shown), "depth {depth}");
            }
            before = found[0] as f32;
            root.previous = lines;
        }
        // A search that continues from lines of another worker has no value one ply less deep.
        let stage = IterationStage { depth: 6, confidence: probcut::PER_CENT[0] };
        root.skip.clear();
        let mut other = self::worker();
        let Iteration::Complete(line) = other.search(&root, stage, &control) else { panic!("not complete") };
        let value = other.found(&line, position.board, 6);
        assert_eq!(line.score, Score::Cp(estimate::estimate(value, empties, 6)));
    }

    /// Lines of the iterations 1 to `depth` of a root, three of each.
    fn three_lines(worker: &mut ReversiWorker, root: &mut SearchRoot<Reversi>, depth: u16) -> Vec<Score> {
        let control = SearchControl::free();
        let mut scores = Vec::new();
        root.previous.clear();
        for depth in 1..=depth {
            let stage = IterationStage { depth, confidence: probcut::PER_CENT[0] };
            let mut lines = Vec::new();
            root.skip.clear();
            for _ in 0..3 {
                let Iteration::Complete(line) = worker.search(root, stage, &control) else { break };
                root.skip.push(line.turns[0]);
                lines.push(line);
            }
            scores.extend(lines.iter().map(|line| line.score));
            root.previous = lines;
        }
        scores
    }

    #[test]
    fn estimates_do_not_depend_on_earlier_searches_of_the_root() {
        let mut position = ReversiPosition::START;
        for turn in "d3 c5 f6 f5 e6 e3 d6".split(' ') {
            position.play(notation::read_turn(turn).expect("a turn"));
        }
        let mut root = SearchRoot::<Reversi>::new(position);
        let expected = three_lines(&mut worker(), &mut root, 3);
        let mut used = worker();
        let mut restricted = SearchRoot::<Reversi>::new(position);
        restricted.only = vec![notation::read_turn("c2").expect("a turn")];
        three_lines(&mut used, &mut restricted, 3);
        used.shared.memory.clear(1);
        assert_eq!(three_lines(&mut used, &mut root, 3), expected);
        used.shared.memory.clear(1);
        assert_eq!(three_lines(&mut used, &mut root, 3), expected);
    }

    #[test]
    fn a_search_that_was_stopped_proves_nothing() {
        let mut position = ReversiPosition::START;
        for turn in
            "c4 c3 d3 e3 e2 c5 f5 e1 f1 f4 d1 g6 b3 d2 c2 a3 g5 h5 a4 b1 b6 b5 c6 a5 f3 c7 a6 b4 f6 e7 c8 d7 \
                     f7 d6 h7 f2 e6 d8 g3 h6 a7 g4 b2 h2 b7 a2 e8 c1"
                .split_whitespace()
        {
            position.play(notation::read_turn(turn).expect("a turn"));
        }
        let stage = IterationStage { depth: position.board.empties() as u16, confidence: 100 };
        let root = SearchRoot::<Reversi>::new(position);
        let mut stopped = 0;
        for nodes in (50..5_000).step_by(50) {
            match worker().search(&root, stage, &SearchControl::with_nodes(nodes)) {
                Iteration::Complete(line) => assert_eq!(line.score, Score::Exact(800), "{nodes}"),
                Iteration::Partial(line) => {
                    assert!(matches!(line.score, Score::Cp(_)), "{nodes}: {line:?}");
                    stopped += 1;
                }
                _ => {}
            }
        }
        assert!(stopped > 0);
    }

    #[test]
    fn all_discs_are_no_estimate() {
        let mut position = ReversiPosition::START;
        for turn in "e6 f4 e3 f6 g5 d6 e7 f5".split(' ') {
            position.play(notation::read_turn(turn).expect("a turn"));
        }
        let mut root = SearchRoot::<Reversi>::new(position);
        let scores = three_lines(&mut worker(), &mut root, 1);
        assert_eq!(scores[0], Score::Cp(6400), "c5 takes all discs");
        // The best line says nothing of the others: they are worth about -12 discs.
        let Score::Cp(score) = scores[1] else { panic!("{scores:?}") };
        assert!((-2_000..0).contains(&score), "{score}");
    }

    #[test]
    fn lines_of_multipv_are_exact_values_of_their_first_moves() {
        // FFO problem 40 with six more moves played.
        let text = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
        let mut position = notation::parse_position(text).expect("a position");
        let mut worker = worker();
        while position.board.empties() > 11 {
            let turn = position.turns()[0];
            position.play(turn);
        }
        let stage = IterationStage { depth: position.board.empties() as u16, confidence: 100 };
        let control = SearchControl::free();
        let mut root = SearchRoot::<Reversi>::new(position);
        let mut last = i32::MAX;
        for _ in 0..position.turns().len() {
            let Iteration::Complete(line) = worker.search(&root, stage, &control) else {
                panic!("not complete")
            };
            let Score::Exact(score) = line.score else { panic!("not exact") };
            assert!(score <= last);
            last = score;
            let mut end = position;
            line.turns.iter().for_each(|turn| end.play(*turn));
            let sign = if end.side == position.side { 1 } else { -1 };
            assert_eq!(sign * end.board.final_score() * 100, score, "the line shows its value");
            root.skip.push(line.turns[0]);
        }
        assert!(matches!(worker.search(&root, stage, &control), Iteration::NoTurn));
    }
}
