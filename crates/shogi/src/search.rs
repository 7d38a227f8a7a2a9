//! The search of one thread: iterative deepening over a principal variation search.

mod checkmate;
mod depth;
pub mod entry;
pub(crate) mod history;
mod learning;
mod node;
pub mod parameters;
pub(crate) mod picker;
mod pruning;
mod quiescence;
pub(crate) mod see;
#[cfg(test)]
mod tests;
mod tree;
pub mod value;
#[cfg(test)]
mod witness;

use std::sync::Arc;

use crate::evaluate::{EVAL_LIMIT, Evaluator};
use crate::mate;
use crate::rules::checks::CheckMap;
use crate::rules::entering::{EnteringKingRule, may_declare, try_move};
use crate::rules::notation::parse_move;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, Piece, PieceKind};
use crate::search::checkmate::Checkmate;
use crate::search::entry::ShogiTtEntry;
use crate::search::history::{CONTINUATION_PLIES, ForContinuations, History, PieceTo};
use crate::search::node::SearchWindow;
use crate::search::parameters::ShogiSearchParameters;
use crate::search::picker::MoveStack;
use crate::search::value::{INFINITE, MATE, MATE_BOUND, MAX_PLY, score};
use crate::{Shogi, ShogiSettings};
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::level::Misjudgement;
use kaeshi_core::game::root_report::{RootNodes, RootReport, RootReportRequest};
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::{Bound, Iteration, IterationStage, PvLine, SearchRoot, SearchStopped};
use kaeshi_core::game::{BookOrDeclaration, GameError, GameRules, MateAnswer, Side, Worker, WorkerShared};
use kaeshi_core::random::{self, SplitMix};

/// From this evaluation error on, in centipawns, a player overlooks a mate in one beyond the searched plies.
const OVERLOOKS_MATES: i32 = 160;
/// The deepest iteration.
const MAX_DEPTH: u16 = 120;
/// A debug build evaluates one position in this many from scratch, too.
const SAMPLED: u64 = 64;
/// The state of the search at one ply.
struct StackFrame {
    line: Vec<Move>,
    /// Corrected static value; `-INFINITE` in check.
    eval: i32,
    /// Static value as evaluated.
    raw: i32,
    /// The move made here, as continuation histories see it.
    piece_to: PieceTo,
    /// The move left out by a singular test.
    excluded: Move,
    /// Value to return after a multi-cut.
    multicut: i32,
    /// Whether the TT move is a capture or a pawn promotion.
    tt_tactical: bool,
    /// The squares from which each kind of piece gives check.
    checks: CheckMap,
}

/// One search thread.
pub struct ShogiWorker {
    shared: Arc<WorkerShared<Shogi>>,
    tune: ShogiSearchParameters,
    /// The misjudgements of weakened play.
    misjudgement: Option<Misjudgement>,
    /// Draws among the moves of the book.
    draws: SplitMix,
    position: ShogiPosition,
    evaluator: Evaluator,
    history: History,
    /// The mate solver at the root; worker 0 has one.
    checkmate: Option<Checkmate>,
    /// The solver of `go mate` between two slices, with the start of its search.
    paused_mate: Option<mate::PausedMate>,
    move_stack: MoveStack,
    stack: Vec<StackFrame>,
    reductions: Box<[[i32; 64]; 64]>,
    /// Value of a draw by the side to move.
    draw: [i32; 2],
    seldepth: usize,
    iteration_depth: usize,
    /// Moves made before the root.
    root_plies: usize,
    root: Option<SearchRoot<Shogi>>,
    /// Whether the root may be stored in the TT: no move is excluded from it.
    whole_root: bool,
    /// Whether non-promotions count at the root.
    root_non_promotions: bool,
    /// Whether non-promotions count everywhere.
    all_moves: bool,
    best_line: Option<(i32, Bound, Vec<Move>)>,
    /// Upper edge of the window at the root: a value that reaches it is a lower bound.
    root_beta: i32,
    /// Nodes spent on each root move in this iteration.
    effort: Vec<(Move, u64)>,
    /// Nodes spent on each root move in all searches of this root.
    root_nodes: RootNodes<Move>,
    /// Share of the last iteration's nodes that its best move took.
    best_share: f32,
    /// Knows the positions that the TT entries belong to.
    #[cfg(test)]
    witness: Option<witness::Witness>,
}

impl ShogiWorker {
    fn settings(&self) -> &ShogiSettings {
        self.shared.game.settings()
    }

    fn tt(&self) -> &TranspositionTable<ShogiTtEntry> {
        self.shared.memory.table()
    }

    /// The TT entry of the present position.
    #[inline(always)]
    fn probe_tt(&mut self) -> Option<ShogiTtEntry> {
        let entry = self.tt().probe(self.position.key());
        #[cfg(test)]
        self.witness_recall();
        entry
    }

    /// Stores the entry of the present position.
    #[inline(always)]
    fn store_tt(&mut self, entry: ShogiTtEntry) {
        self.tt().store(self.position.key(), entry);
        #[cfg(test)]
        self.witness_keep();
    }

    /// Whether a mate that a look at the king shows is seen beyond the searched plies; weak players overlook it.
    fn sees_mates(&self) -> bool {
        self.misjudgement.is_none_or(|misjudgement| misjudgement.error < OVERLOOKS_MATES)
    }

    /// Plies from the root to the present position.
    fn ply(&self) -> usize {
        self.position.plies_made() - self.root_plies
    }

    /// Asserts that the window is not empty, that it is a null window where the node is no PV node, and that the
    /// stack has an entry for the next ply.
    #[inline(always)]
    fn debug_assert_node<const PV: bool>(&self, ply: usize, window: SearchWindow) {
        let SearchWindow { alpha, beta } = window;
        debug_assert!(
            -INFINITE <= alpha && alpha < beta && beta <= INFINITE,
            "a window from {alpha} to {beta}"
        );
        debug_assert!(PV || beta - alpha == 1, "a null window from {alpha} to {beta}");
        debug_assert!(ply == self.ply() && ply + 1 < self.stack.len(), "ply {ply} is {}", self.ply());
    }

    fn static_value(&mut self) -> i32 {
        let value = self.evaluator.value(&self.position);
        debug_assert!(
            !self.position.key().is_multiple_of(SAMPLED)
                || value == self.settings().evaluation.value(&self.position),
            "the accumulators lead to {value} in {}",
            crate::sfen::format(&self.position)
        );
        let error = self.misjudgement.map_or(0, |misjudgement| misjudgement.of(self.position.key()));
        (value + error).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// The correction of the static value by the correction histories, in centipawns.
    #[inline(always)]
    fn correction(&self) -> i32 {
        self.history.correction(&self.position, self.last_piece_tos())
    }

    /// The [`PieceTo`]s of the moves two plies and one ply ago.
    fn last_piece_tos(&self) -> [PieceTo; 2] {
        match self.ply() {
            ply @ 2.. => [self.stack[ply - 2].piece_to, self.stack[ply - 1].piece_to],
            _ => [PieceTo::NONE; 2],
        }
    }

    /// Prefetches the TT entry of the position after a move.
    #[inline(always)]
    fn prefetch_tt(&self, mv: Move) {
        self.tt().prefetch(self.position.key_after(mv));
    }

    /// Prefetches the TT entry of the position after a pass.
    #[inline(always)]
    fn prefetch_tt_after_pass(&self) {
        self.tt().prefetch(self.position.key_after_pass());
    }

    /// Makes a move from `ply`.
    fn enter(&mut self, ply: usize, mv: Move) {
        self.prefetch_tt(mv);
        let piece_to = self.position.piece_to(mv);
        self.enter_as(ply, mv, piece_to);
    }

    /// Makes a move from `ply` for which the TT was asked before.
    fn enter_as(&mut self, ply: usize, mv: Move, piece_to: PieceTo) {
        if ply > 0 {
            self.history.prefetch([self.stack[ply - 1].piece_to, piece_to]);
        }
        self.stack[ply].piece_to = piece_to;
        self.evaluator.prefetch(&self.position, mv);
        self.position.make(mv);
    }

    /// Captures, and promotions of pawns.
    fn is_tactical(&self, mv: Move) -> bool {
        !mv.is_drop()
            && (self.position.piece_on(mv.to()).is_some()
                || (mv.is_promotion() && self.position.piece_on(mv.from()).kind() == PieceKind::PAWN))
    }

    /// The [`PieceTo`]s of the moves of [`CONTINUATION_PLIES`].
    fn earlier_piece_tos(&self) -> ForContinuations<PieceTo> {
        let ply = self.ply();
        CONTINUATION_PLIES
            .map(|back| if ply >= back { self.stack[ply - back].piece_to } else { PieceTo::NONE })
    }

    fn root_allows(&self, mv: Move) -> bool {
        self.root.as_ref().is_none_or(|root| root.allows(&mv))
    }

    /// The move to begin with at the root: that of the former iteration.
    fn root_hint(&self) -> Option<Move> {
        let root = self.root.as_ref()?;
        root.previous.iter().map(|line| line.turns[0]).find(|turn| root.allows(turn))
    }

    fn note_root(&mut self, value: i32) {
        let bound = if value >= self.root_beta { Bound::Lower } else { Bound::Exact };
        self.best_line = Some((value, bound, self.stack[0].line.clone()));
    }

    fn note_effort(&mut self, mv: Move, nodes: u64) {
        self.root_nodes.add(mv, nodes);
        match self.effort.iter_mut().find(|(known, _)| *known == mv) {
            Some((_, sum)) => *sum += nodes,
            None => self.effort.push((mv, nodes)),
        }
    }

    fn prepare(&mut self, root: &SearchRoot<Shogi>, stage: IterationStage) {
        self.position = root.position.clone();
        self.root_plies = self.position.plies_made();
        self.move_stack.lower(0);
        self.seldepth = 0;
        self.iteration_depth = usize::from(stage.depth);
        self.whole_root = root.only.is_empty() && root.skip.is_empty();
        self.root_non_promotions = !root.only.is_empty();
        self.root = Some(root.clone());
        self.best_line = None;
        self.misjudgement = root.misjudgement;
        self.effort.clear();
        self.root_nodes.begin(self.position.key());
        for frame in &mut self.stack {
            frame.excluded = Move::NONE;
        }
        let us = self.position.side_to_move();
        let value = self.settings().draw_value[us.index()];
        self.draw = if us == Side::First { [value, -value] } else { [-value, value] };
    }

    /// The line found, if any, as the driver wants it.
    fn line(&self) -> Option<PvLine<Shogi>> {
        let (value, bound, turns) = self.best_line.clone()?;
        Some(PvLine { score: score(value), bound, turns, seldepth: self.seldepth as u16 })
    }

    /// Aspiration: a narrow window around the former value, widened on the side that fails (Marsland,
    /// "A review of game-tree pruning", 1986).
    fn aspire(
        &mut self,
        depth: i32,
        expected: Option<i32>,
        control: &SearchControl,
    ) -> Result<(), SearchStopped> {
        let ShogiSearchParameters {
            aspiration_depth, aspiration, aspiration_growth, aspiration_limit, ..
        } = self.tune;
        let mut delta = aspiration;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if let Some(expected) = expected.filter(|value| depth >= aspiration_depth && value.abs() < MATE_BOUND)
        {
            (alpha, beta) = (expected - delta, expected + delta);
        }
        loop {
            self.root_beta = beta;
            let value = self.node::<true>(depth, 0, SearchWindow { alpha, beta }, false, control)?;
            debug_assert!((-MATE..=MATE).contains(&value), "a value of {value}");
            if (value <= alpha && alpha > -INFINITE) || (value >= beta && beta < INFINITE) {
                self.tell_bound(depth, value, if value <= alpha { Bound::Upper } else { Bound::Lower });
            }
            if value <= alpha && alpha > -INFINITE {
                self.best_line = None;
                beta = (alpha + beta) / 2;
                alpha = (value - delta).max(-INFINITE);
            } else if value >= beta && beta < INFINITE {
                beta = (value + delta).min(INFINITE);
            } else {
                return Ok(());
            }
            delta += delta / 2 + aspiration_growth;
            if delta > aspiration_limit {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }
}

impl ShogiWorker {
    /// Reports to the observer that the value of the root lies outside of the window.
    fn tell_bound(&self, depth: i32, value: i32, bound: Bound) {
        let Some((observer, root)) =
            self.root.as_ref().and_then(|root| Some((root.observer.as_ref()?, root)))
        else {
            return;
        };
        let found =
            self.best_line.as_ref().filter(|_| bound == Bound::Lower).map(|(_, _, turns)| turns.clone());
        let before =
            || root.previous.iter().map(|line| line.turns.clone()).find(|turns| root.allows(&turns[0]));
        if let Some(turns) = found.or_else(before) {
            let line = PvLine { score: score(value), bound, turns, seldepth: self.seldepth as u16 };
            observer(&line, IterationStage::depth(depth as u16));
        }
    }
}

impl ShogiPosition {
    /// The place where a move of the side to move brings its piece.
    fn piece_to(&self, mv: Move) -> PieceTo {
        let piece = if mv.is_drop() {
            Piece::new(self.side_to_move(), mv.dropped())
        } else {
            let piece = self.piece_on(mv.from());
            if mv.is_promotion() { Piece::new(piece.side(), piece.kind().promoted()) } else { piece }
        };
        PieceTo::new(piece, mv.to())
    }
}

/// The static value with what experience adds to it.
#[inline(always)]
fn corrected(raw: i32, correction: i32) -> i32 {
    (raw + correction).clamp(-EVAL_LIMIT, EVAL_LIMIT)
}

/// `ln(depth) * ln(number)` scaled by the factor in 1024ths.
fn reduction_table(factor: i32) -> Box<[[i32; 64]; 64]> {
    let mut table = Box::new([[0; 64]; 64]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, cell) in row.iter_mut().enumerate().skip(1) {
            *cell = ((depth as f64).ln() * (number as f64).ln() * f64::from(factor)) as i32;
        }
    }
    table
}

impl Worker<Shogi> for ShogiWorker {
    fn new(shared: Arc<WorkerShared<Shogi>>, index: usize) -> Result<Self, GameError> {
        let tune = shared.game.settings().parameters.clone();
        let position = shared.game.start();
        let checks = CheckMap::of(&position);
        let frame = || StackFrame {
            line: Vec::new(),
            eval: 0,
            raw: 0,
            piece_to: PieceTo::NONE,
            excluded: Move::NONE,
            multicut: 0,
            tt_tactical: false,
            checks,
        };
        Ok(ShogiWorker {
            misjudgement: None,
            all_moves: shared.game.settings().all_moves,
            draws: SplitMix::new(random::seed(0)),
            evaluator: Evaluator::new(&shared.game.settings().evaluation),
            shared,
            position,
            history: History::new()?,
            checkmate: (index == 0).then(Checkmate::default),
            paused_mate: None,
            move_stack: MoveStack::default(),
            stack: (0..MAX_PLY + 2).map(|_| frame()).collect(),
            reductions: reduction_table(tune.lmr_factor),
            tune,
            draw: [0; 2],
            seldepth: 0,
            iteration_depth: 0,
            root: None,
            root_plies: 0,
            whole_root: true,
            root_non_promotions: false,
            best_line: None,
            root_beta: INFINITE,
            effort: Vec::new(),
            root_nodes: RootNodes::default(),
            best_share: 0.0,
            #[cfg(test)]
            witness: None,
        })
    }

    fn new_game(&mut self) {
        self.history.clear();
        self.root_nodes.clear();
        self.checkmate = self.checkmate.take().map(|_| Checkmate::default());
    }

    fn book_or_declaration(
        &mut self,
        root: &SearchRoot<Shogi>,
        control: &SearchControl,
    ) -> Option<BookOrDeclaration<Move>> {
        let settings = self.shared.game.settings();
        let rule = settings.entering_king;
        if may_declare(&root.position, rule) {
            return Some(BookOrDeclaration::DeclareWin);
        }
        if rule == EnteringKingRule::Try
            && let Some(mv) = try_move(&root.position).filter(|mv| root.allows(mv))
        {
            return Some(BookOrDeclaration::Play(mv));
        }
        let choice = settings.book.choose(&root.position, |mv| root.allows(mv), &mut self.draws);
        choice.remarks.into_iter().for_each(|remark| control.remark(remark));
        let (mv, known) = choice.chosen?;
        let mut next = root.position.clone();
        next.make(mv);
        let reply = known.reply.and_then(|reply| parse_move(&next, &reply).ok());
        let turns = [mv].into_iter().chain(reply).collect();
        Some(BookOrDeclaration::Book { turns, score: Score::Cp(known.value), depth: known.depth })
    }

    fn next_stage(&self, root: &SearchRoot<Shogi>, done: Option<IterationStage>) -> Option<IterationStage> {
        let depth = done.map_or(0, |stage| stage.depth);
        let decided = root.previous.first().is_some_and(|line| match line.score {
            Score::MateIn(plies) | Score::MatedIn(plies) => depth > plies + 4,
            Score::Cp(_) | Score::Exact(_) => false,
        });
        let decided = decided || root.previous.len() == 1 && self.proven(root).is_some();
        (depth < MAX_DEPTH && !decided).then(|| IterationStage::depth(depth + 1))
    }

    fn search(
        &mut self,
        root: &SearchRoot<Shogi>,
        stage: IterationStage,
        control: &SearchControl,
    ) -> Iteration<Shogi> {
        self.prepare(root, stage);
        let legal = self.position.legal_moves();
        if !legal.iter().any(|mv| root.allows(mv)) {
            return Iteration::NoTurn;
        }
        let expected =
            root.previous.iter().find(|line| root.allows(&line.turns[0])).and_then(|line| match line.score {
                Score::Cp(value) | Score::Exact(value) => Some(value),
                Score::MateIn(_) | Score::MatedIn(_) => None,
            });
        if self.tune.forward_pruning
            && let Some(line) = self.seek_mate(root, control)
        {
            return Iteration::Complete(line);
        }
        match self.aspire(i32::from(stage.depth), expected, control) {
            Ok(()) => {
                let total: u64 = self.effort.iter().map(|(_, nodes)| nodes).sum();
                let best = self.best_line.as_ref().map_or(Move::NONE, |(_, _, turns)| turns[0]);
                let spent = self.effort.iter().find(|(mv, _)| *mv == best).map_or(0, |(_, nodes)| *nodes);
                self.best_share = spent as f32 / total.max(1) as f32;
                self.line().map_or(Iteration::NoTurn, Iteration::Complete)
            }
            Err(SearchStopped) => self.line().map_or(Iteration::Stopped, Iteration::Partial),
        }
    }

    /// More time while the best move is disputed or the value falls, less when all agrees, as in
    /// Stockfish.
    fn time_factor(&self, _: &SearchRoot<Shogi>, iterations: &[(IterationStage, PvLine<Shogi>)]) -> f32 {
        let Some(((_, last), before)) = iterations.split_last() else { return 1.0 };
        let share = (2.0 - 1.5 * self.best_share).clamp(0.5, 1.7);
        let same = before.iter().rev().take_while(|(_, line)| line.turns[0] == last.turns[0]).count();
        let stability = match same {
            0 => 1.3,
            1..=3 => 1.05,
            _ => 0.85,
        };
        let fall = before.last().map_or(0, |(_, line)| line.score.clamped(2_000) - last.score.clamped(2_000));
        let worry = 1.0 + (fall as f32 / 400.0).clamp(-0.1, 0.4);
        share * stability * worry
    }

    fn expected(&self, position: &ShogiPosition) -> Option<Move> {
        let known = self.tt().probe(position.key()).map(|entry| entry.best);
        let legal = known.filter(|best| best.is_some() && position.is_legal(*best));
        legal.or_else(|| match position.legal_moves()[..] {
            [only] => Some(only),
            _ => None,
        })
    }

    fn root_report(&mut self, root: &SearchRoot<Shogi>, _: RootReportRequest) -> RootReport<Move> {
        RootReport { candidates: self.root_nodes.candidates(root.position.key()), ..RootReport::default() }
    }

    fn mate(&mut self, root: &SearchRoot<Shogi>, control: &SearchControl) -> MateAnswer<Move> {
        let (mib, length) = (self.settings().mate_hash_mib, self.settings().mate_length);
        mate::answer(&root.position, mib, length, control, &mut self.paused_mate)
    }
}
