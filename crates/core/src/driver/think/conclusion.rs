//! The turn to play: found without a search, or from the lines of one.

use std::sync::Arc;

use super::task::SearchTask;
use crate::driver::event::{Best, EngineEvent};
use crate::driver::reply::BestSoFar;
use crate::game::control::SearchControl;
use crate::game::score::Score;
use crate::game::search::{Bound, Iteration, IterationStage, PvLine, SearchRoot};
use crate::game::{BookOrDeclaration, GameNotation, GameSearch, Side, TerminalCause, Worker};

impl<G: GameNotation + GameSearch> SearchTask<G> {
    /// The answer where nothing need be searched: the game is over, or rules or book decide.
    pub(super) fn found_without_search(
        &self,
        worker: &mut dyn Worker<G>,
        control: &SearchControl,
    ) -> Option<Best> {
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
    pub(super) fn find_ponder_move(
        &self,
        worker: &mut dyn Worker<G>,
        reached: Arc<BestSoFar<G>>,
    ) -> Arc<BestSoFar<G>> {
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
    pub(super) fn conclusion(&self, lines: &[PvLine<G>]) -> Best {
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
}
