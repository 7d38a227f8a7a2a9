//! Thinking on the opponent's time, as USI has it: hold what comes too early, ask for nothing twice.

use std::time::{Duration, Instant};

use super::{EngineFailure, EnginePlayer, MoveResult};
use crate::dialogue::moved::JournalMove;
use crate::dialogue::speaker::{GoAnswer, Times};

/// Thinking on the opponent's time.
pub(super) struct Pondering {
    pub(super) guess: String,
    /// An answer that came too early.
    pub(super) early: Option<(GoAnswer, JournalMove)>,
}

impl EnginePlayer {
    /// Lets the engine think about the position after `guess`.
    pub fn ponder(&mut self, times: &Times, guess: &str) {
        if self.speaker.ponder_word().is_none() {
            return;
        }
        let Some(process) = &mut self.process else { return };
        self.before.clear();
        self.go.clear();
        self.speaker.compose(times, Some(guess), &mut self.before, &mut self.go);
        self.before.extend_from_slice(&self.go);
        process.hush();
        // An engine that died shows it when it is asked for its move.
        if process.send(&self.before, Instant::now() + self.timeouts.stop).is_ok() {
            self.pondering = Some(Pondering { guess: guess.to_owned(), early: None });
        }
    }

    /// The opponent played what was expected.
    pub(super) fn ponder_hit(&mut self, mut pondering: Pondering, allowed: Option<Duration>) -> MoveResult {
        let limit = self.read_limit(allowed);
        self.collect_early(&mut pondering);
        let start = Instant::now();
        let Some(process) = &mut self.process else {
            return MoveResult::trouble(EngineFailure::Gone("is not running".into()));
        };
        let word = self.speaker.ponder_word().unwrap_or_default();
        let mut thought = match (process.send(word.as_bytes(), start + limit), pondering.early) {
            (Ok(()), Some((said, record))) => {
                self.warnings.push("answered before ponderhit".into());
                MoveResult { said: Ok(said), used_us: 0, record }
            }
            (Ok(()), None) => self.await_answer(start, start + limit, JournalMove::default()),
            (Err(lost), _) => self.failed(lost.into(), start),
        };
        thought.record.ponderhit = true;
        thought
    }

    /// An answer that came without `ponderhit` or `stop`.
    fn collect_early(&mut self, pondering: &mut Pondering) {
        let Some(process) = &mut self.process else { return };
        let now = Instant::now();
        while let Some(line) = process.pending(now) {
            let mut record = JournalMove::default();
            if let Some(said) = self.speaker.understand(&line, &mut record) {
                pondering.early.get_or_insert((said, record));
            }
        }
    }

    /// Stops pondering in vain, and drops its one answer.
    pub(super) fn end_pondering(&mut self) -> Result<(), EngineFailure> {
        let mut pondering = Pondering { guess: String::new(), early: None };
        self.collect_early(&mut pondering);
        if pondering.early.is_some() {
            self.warnings.push("answered before ponderhit".into());
            return Ok(());
        }
        let start = Instant::now();
        let deadline = start + self.timeouts.stop;
        let Some(process) = &mut self.process else { return Ok(()) };
        let sent = process.send(self.speaker.stop_word().unwrap_or_default().as_bytes(), deadline);
        if let Err(lost) = sent {
            return self.failed(lost.into(), start).said.map(|_| ());
        }
        loop {
            let Some(process) = &mut self.process else { return Ok(()) };
            match process.receive(deadline) {
                Ok(line) if self.speaker.understand(&line, &mut JournalMove::default()).is_some() => {
                    return Ok(());
                }
                Ok(_) => {}
                Err(lost) => return self.failed(lost.into(), start).said.map(|_| ()),
            }
        }
    }
}
