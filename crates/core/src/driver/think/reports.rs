//! The reports of a search: its lines, and data about the root on request.

use std::sync::atomic::Ordering;

use super::task::SearchTask;
use crate::driver::event::{EngineEvent, Info};
use crate::game::root_report::{RootReport, SearchedTurn};
use crate::game::search::{IterationStage, PvLine};
use crate::game::{GameNotation, GameSearch, SearchMemory, Worker};

impl<G: GameNotation + GameSearch> SearchTask<G> {
    /// Reports the lines that were found.
    pub(super) fn report(&self, lines: &[PvLine<G>], stage: IterationStage) {
        let hashfull = self.memory.as_ref().map_or(0, |memory| memory.hashfull());
        self.hashfull.store(hashfull, Ordering::Relaxed);
        self.reply.report(self.reports(lines, stage));
    }

    /// Sends the requested reports about the root.
    pub(super) fn report_root(&self, worker: &mut dyn Worker<G>) {
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

    /// The reports of these lines. Asks nothing that another thread of the search may hold.
    pub(super) fn reports(&self, lines: &[PvLine<G>], stage: IterationStage) -> Vec<EngineEvent> {
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

    /// The turns of a line that begins at the root.
    pub(super) fn format_line(&self, turns: &[G::Turn]) -> Vec<String> {
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
