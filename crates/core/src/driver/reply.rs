//! The output of a search: its reports, and its answer, sent exactly once.
//!
//! The answer is sent by the search, or by the driver where the search is late: a thread that the system
//! keeps waiting then delays no client. While pondering it is held back.

use std::sync::{Arc, Condvar, PoisonError};
use std::time::Duration;

use crossbeam_channel::Sender;

use crate::driver::event::{EngineEvent, MOST_PENDING};
use crate::game::GameRules;
use crate::game::search::{IterationStage, PvLine};
use crate::mutex::Mutex;

/// The lines of the last complete iteration, best first, and perhaps newer ones of the next.
pub struct BestSoFar<G: GameRules> {
    /// Never empty.
    pub lines: Vec<PvLine<G>>,
    /// The last complete iteration.
    pub stage: IterationStage,
}

/// The reports and the answer of one search.
pub struct SearchOutput<G: GameRules> {
    events: Sender<EngineEvent>,
    state: Mutex<SearchOutputState<G>>,
    answered: Condvar,
}

struct SearchOutputState<G: GameRules> {
    /// Whether the answer waits for `stop` or `ponderhit`.
    held: bool,
    /// Whether reports are suppressed.
    quiet: bool,
    /// The answer that is held back.
    answer: Option<EngineEvent>,
    answered: bool,
    reached: Option<Arc<BestSoFar<G>>>,
}

impl<G: GameRules> SearchOutput<G> {
    /// Everything is sent through `events`; the answer is held back if `held`.
    pub fn new(events: Sender<EngineEvent>, held: bool) -> SearchOutput<G> {
        let state = SearchOutputState { held, quiet: false, answer: None, answered: false, reached: None };
        SearchOutput { events, state: Mutex::new(state), answered: Condvar::new() }
    }

    /// An output without reports whose answer is held back.
    pub fn quiet(events: Sender<EngineEvent>) -> SearchOutput<G> {
        let reply = SearchOutput::new(events, true);
        reply.state.lock().quiet = true;
        reply
    }

    /// Sends this answer instead of the search's, or none at all.
    pub fn supersede(&self, answer: Option<EngineEvent>) {
        let mut state = self.state.lock();
        if !state.answered {
            answer.into_iter().for_each(|answer| self.send(answer));
            state.answered = true;
            self.answered.notify_all();
        }
    }

    /// Sends reports, unless the answer has been sent already.
    pub fn report(&self, reports: impl IntoIterator<Item = EngineEvent>) {
        let state = self.state.lock();
        if !state.answered && !state.quiet && self.events.len() < MOST_PENDING {
            reports.into_iter().for_each(|report| self.send(report));
        }
    }

    /// Sends a remark, also after the answer.
    pub fn remark(&self, remark: EngineEvent) {
        let _state = self.state.lock();
        self.send(remark);
    }

    /// The result of the last iteration.
    pub fn reached(&self) -> Option<Arc<BestSoFar<G>>> {
        self.state.lock().reached.clone()
    }

    /// Stores a result from which [`SearchOutput::answer_overdue`] can answer in place of the search.
    pub fn reach(&self, reached: Arc<BestSoFar<G>>) {
        self.state.lock().reached = Some(reached);
    }

    /// Sets the answer of the search and sends it unless it is held back. Returns whether it was sent.
    pub fn answer(&self, answer: EngineEvent) -> bool {
        let mut state = self.state.lock();
        if state.answered {
            return false;
        }
        if state.held {
            state.answer = Some(answer);
            return false;
        }
        self.send_answer(&mut state, answer);
        true
    }

    /// Stops holding the answer back. Returns whether one was sent.
    pub fn release(&self) -> bool {
        let mut state = self.state.lock();
        state.held = false;
        match state.answer.take() {
            Some(answer) if !state.answered => {
                self.send_answer(&mut state, answer);
                true
            }
            _ => false,
        }
    }

    /// Answers in place of a search that is late: `conclude` makes the reports and the answer from the last result, if
    /// it suffices. Returns whether the search is answered, now or before.
    pub fn answer_overdue(
        &self,
        conclude: impl FnOnce(Option<&BestSoFar<G>>) -> Option<(Vec<EngineEvent>, EngineEvent)>,
    ) -> bool {
        let mut state = self.state.lock();
        if !state.answered && !state.held {
            let reached = state.reached.clone();
            if let Some((reports, answer)) = conclude(reached.as_deref()) {
                reports.into_iter().for_each(|report| self.send(report));
                self.send_answer(&mut state, answer);
            }
        }
        state.answered
    }

    /// Whether the answer waits for `stop` or `ponderhit`.
    pub fn is_held(&self) -> bool {
        self.state.lock().held
    }

    /// Whether the answer has been sent.
    pub fn is_answered(&self) -> bool {
        self.state.lock().answered
    }

    /// Waits until the answer is sent, or for `longest`.
    pub fn wait(&self, longest: Option<Duration>) {
        let state = self.state.lock();
        match longest {
            _ if state.answered => {}
            Some(longest) => {
                let waited = self.answered.wait_timeout(state, longest);
                drop(waited.unwrap_or_else(PoisonError::into_inner));
            }
            None => drop(self.answered.wait(state).unwrap_or_else(PoisonError::into_inner)),
        }
    }

    fn send_answer(&self, state: &mut SearchOutputState<G>, answer: EngineEvent) {
        self.send(answer);
        state.answered = true;
        self.answered.notify_all();
    }

    fn send(&self, event: EngineEvent) {
        // The receiver is gone only while the program ends.
        let _ = self.events.send(event);
    }
}
