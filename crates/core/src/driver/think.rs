//! One search from `go` to its answer, on the thread of worker 0: iterative deepening, reports, the clock.

mod conclusion;
mod deepening;
mod lines;
mod reports;
mod task;
mod timing;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use log::debug;

use crate::driver::event::{Best, EngineEvent, Mate};
use crate::game::control::{SearchControl, Signal};
use crate::game::search::SearchRoot;
use crate::game::{GameNotation, GameSearch, MateAnswer, Worker};
use deepening::DeepeningState;

pub use task::SearchTask;
pub use timing::Timing;

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

    /// Answers in place of a late search with its last result. Returns whether the search is answered.
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

    /// Reports a panic of the search and answers in its place, as a GUI waits for the answer.
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
}

/// The message of a panic.
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
