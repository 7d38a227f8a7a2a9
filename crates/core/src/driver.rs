//! The driver of a search, shared by all games.
//!
//! [`Engine`] owns options, position, worker pool and the running search of one game. It prints nothing: every report
//! goes into the channel of [`event::EngineEvent`]s.

pub mod bench;
pub mod clock;
pub mod controller;
mod current_position;
mod engine_options;
pub mod event;
pub mod machine;
pub mod option_value;
pub mod pages;
pub mod pool;
mod preparation;
pub mod reply;
mod resources;
pub mod root_cache;
mod running;
pub mod settings;
pub mod slice;
mod slices;
mod strength;
pub mod table;
pub mod think;

use crossbeam_channel::Sender;
use log::debug;

pub use crate::driver::bench::bench;
use crate::driver::clock::{Limits, budget};
pub use crate::driver::controller::{Controller, Query, Show};
use crate::driver::current_position::{CurrentPosition, Refusal};
use crate::driver::engine_options::EngineOptions;
pub use crate::driver::engine_options::options_of;
use crate::driver::event::{Best, EngineEvent, Mate, QueryResponse};
use crate::driver::reply::SearchOutput;
use crate::driver::resources::{SearchResources, clearing_threads};
use crate::driver::root_cache::OpenResults;
use crate::driver::running::{GRACE, PonderRequest, SearchState};
use crate::driver::strength::PlayStrength;
use crate::driver::think::unsearched;
use crate::game::interrupt::Interrupt;
use crate::game::options::OptionLine;
use crate::game::search::SearchRoot;
use crate::game::{Game, GameError, SearchMemory, Side};
use crate::time::Instant;

/// The driver of one game.
pub struct Engine<G: Game> {
    events: Sender<EngineEvent>,
    /// Raised while `stop`, `quit` or `go` is queued; long operations poll it and return early.
    interrupt: Interrupt,
    options: EngineOptions<G>,
    resources: SearchResources<G>,
    current: CurrentPosition<G>,
    strength: PlayStrength,
    searches: SearchState<G>,
}

impl<G: Game> Engine<G> {
    /// An engine with default options; it reports everything through `events`.
    ///
    /// # Errors
    /// If the game does not load with its default settings.
    pub fn new(events: Sender<EngineEvent>) -> Result<Engine<G>, GameError> {
        let options = EngineOptions::<G>::new();
        let game = G::load(&options.game_settings)?;
        Ok(Engine {
            interrupt: Interrupt::default(),
            options,
            current: CurrentPosition::start(&game),
            resources: SearchResources::new(game, events.clone()),
            strength: PlayStrength::new(),
            searches: SearchState::default(),
            events,
        })
    }

    /// The same engine with results of earlier searches to be opened by the option `StoreFile`.
    pub fn with_results(mut self, open_results: OpenResults) -> Engine<G> {
        self.resources.open_results = open_results;
        self
    }

    fn report(&self, event: EngineEvent) {
        // The receiver is gone only while the program ends.
        let _ = self.events.send(event);
    }
}

impl<G: Game> Controller for Engine<G> {
    fn game(&self) -> &'static str {
        G::NAME
    }

    fn options(&self) -> Vec<OptionLine> {
        self.options.lines()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), GameError> {
        self.options.set(name, value, &self.interrupt)
    }

    fn ready(&mut self) {
        if std::mem::take(&mut self.searches.over) {
            self.new_game();
        }
        // During a search the workers are busy; new settings take effect at the next `go`.
        if !self.is_searching() {
            let fresh = self.resources.memory.is_none() || self.options.stale.memory;
            if let Err(reason) = self.prepare() {
                self.report(EngineEvent::Message(reason.into()));
            }
            if let Some(memory) = self.resources.memory.as_ref().filter(|_| fresh) {
                memory.prefault(clearing_threads(&self.options.settings), &self.interrupt);
            }
        }
        self.report(EngineEvent::Ready);
    }

    fn prepare(&mut self) {
        if !self.is_searching()
            && let Err(reason) = Engine::prepare(self)
        {
            self.report(EngineEvent::Message(reason.into()));
        }
    }

    fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    fn new_game(&mut self) {
        self.finish();
        self.strength.new_game();
        self.forget();
    }

    fn set_position(&mut self, text: &str, turns: &[&str]) -> Result<(), GameError> {
        self.refresh_game();
        self.current.set(&self.resources.game, text, turns)
    }

    fn refuse_position(&mut self, reason: GameError) {
        self.current.refused = Some(reason.into());
    }

    fn reword_refusal(&mut self, reason: GameError) {
        if let Some(refusal) = &mut self.current.refused {
            refusal.reason = reason;
        }
    }

    fn go(&mut self, limits: Limits) {
        self.finish();
        let limits = self.restricted(limits);
        if let Err(reason) = Engine::prepare(self) {
            self.report(EngineEvent::Message(reason.reason().to_owned()));
            self.searches.unsearched = Some(reason);
        }
        let mating = limits.mate.is_some();
        let held = limits.infinite || limits.ponder;
        let reply = SearchOutput::new(self.events.clone(), held);
        if let Some(Refusal { reason, loser }) = &self.current.refused {
            let why = loser.map_or("", |_| "; the opponent's last move breaks the rules: it has lost");
            self.report(EngineEvent::Message(format!(
                "no search: the last position was refused ({reason}){why}"
            )));
            let answer = match loser {
                _ if mating => EngineEvent::Mate(Mate::Timeout),
                Some(_) => EngineEvent::Best(Best::Win),
                None => EngineEvent::Best(Best::None),
            };
            return self.answer_without_search(reply, answer, &limits);
        }
        let root = self.root(&limits);
        if self.resources.pool.is_none() || self.resources.memory.is_none() {
            let answer = unsearched(&*self.resources.game, &root, mating);
            return self.answer_without_search(reply, answer, &limits);
        }
        match self.current.before.clone().filter(|_| self.options.settings.stochastic_ponder && limits.ponder)
        {
            Some(before) => {
                self.search(
                    limits.clone(),
                    SearchRoot::new(before),
                    SearchOutput::quiet(self.events.clone()),
                );
                if let Some(running) = &mut self.searches.running {
                    running.stochastic = Some(PonderRequest { limits, root });
                }
            }
            None => self.search(limits, root, reply),
        }
    }

    fn ponder_hit(&mut self, limits: Option<Limits>) {
        if let Some(asked) = self.searches.running.as_mut().and_then(|running| running.stochastic.take()) {
            return self.search_after_hit(asked, limits);
        }
        let Some(running) =
            self.searches.running.as_mut().filter(|running| !running.task.reply.is_answered())
        else {
            return;
        };
        let (task, signal) = (&running.task, &running.task.signal);
        if let Some(limits) = &limits {
            let position = &task.root.position;
            let side = self.resources.game.side_to_move(position).index();
            let pace = self.resources.game.pace(position, limits.at_hand(side));
            running.after_ponder = budget(limits, &self.options.settings, side, pace);
        }
        debug!("ponderhit after {} ms: {}", signal.elapsed().as_millis(), running.after_ponder);
        task.timing.start(signal, running.after_ponder, signal.elapsed());
        running.endless = running.after_ponder.hard.is_none();
        running.overdue = running.after_ponder.hard.and_then(|hard| Instant::now().checked_add(hard + GRACE));
        if task.reply.release() {
            signal.stop();
        }
    }

    fn stop(&mut self) {
        if let Some(running) = &mut self.searches.running {
            running.task.signal.stop();
            if let Some(asked) = running.stochastic.take() {
                // Its result belongs to another position than the one that was asked for.
                running.task.reply.supersede(Some(unsearched(&*self.resources.game, &asked.root, false)));
            }
            running.task.reply.release();
            running.overdue = Some(Instant::now() + GRACE);
        }
    }

    fn game_over(&mut self) {
        self.stop();
        self.searches.over = true;
    }

    fn wait(&mut self) {
        if self.searches.running.as_ref().is_some_and(|running| running.endless) {
            self.stop();
        }
        while let Some(running) =
            self.searches.running.as_ref().filter(|running| !running.task.reply.is_answered())
        {
            if self.searches.unfinished.is_some() {
                self.finish_slices();
                continue;
            }
            let longest = running.overdue.map(|overdue| overdue.saturating_duration_since(Instant::now()));
            running.task.reply.wait(longest);
            self.wake();
        }
    }

    fn search_on(&mut self) -> bool {
        self.slice()
    }

    fn wake_at(&self) -> Option<Instant> {
        self.searches.wake_at()
    }

    fn wake(&mut self) {
        self.searches.wake();
    }

    fn failure(&self) -> Option<GameError> {
        self.searches.failure()
    }

    fn query(&mut self, query: Query) {
        let mut to_move = self.resources.game.side_to_move(&self.current.position);
        let mut winner = self.resources.game.outcome(&self.current.position).map(|outcome| outcome.winner);
        if let Some(loser) = self.current.refused.as_ref().and_then(|refusal| refusal.loser) {
            (to_move, winner) = (loser.other(), Some(Some(loser.other())));
        }
        self.report(EngineEvent::Response(match query {
            Query::GameOver => QueryResponse::Truth(winner.is_some()),
            Query::FirstToMove => QueryResponse::Truth(to_move == Side::First),
            Query::Result => match winner {
                None => QueryResponse::Unfinished,
                Some(None) => QueryResponse::Draw,
                Some(Some(Side::First)) => QueryResponse::FirstWins,
                Some(Some(Side::Second)) => QueryResponse::SecondWins,
            },
        }));
    }

    fn show(&mut self, show: Show) {
        self.refresh_game();
        if let Some(Refusal { reason, .. }) = self.current.refused.as_ref().filter(|_| show != Show::Bench) {
            let text = format!("the last position was refused ({reason}): this is about the one before");
            self.report(EngineEvent::Message(text));
        }
        let text = match show {
            Show::Board => self.resources.game.diagram(&self.current.position),
            Show::Evaluation => self.resources.game.explain(&self.current.position),
            Show::Turns => {
                let turns = self.resources.game.turns(&self.current.position);
                let texts: Vec<_> = turns
                    .iter()
                    .map(|turn| self.resources.game.format_turn(&self.current.position, turn))
                    .collect();
                texts.join(" ")
            }
            Show::Side => match self.resources.game.side_to_move(&self.current.position) {
                Side::First => "first".to_string(),
                Side::Second => "second".to_string(),
            },
            Show::Perft(depth) => {
                format!("nodes {}", self.resources.game.perft(&self.current.position, depth))
            }
            Show::Bench => match bench::<G>() {
                Ok(nodes) => format!("Bench: {} {nodes}", G::NAME),
                Err(reason) => reason.into(),
            },
        };
        text.lines().for_each(|line| self.report(EngineEvent::Text(line.to_string())));
    }
}

impl<G: Game> Drop for Engine<G> {
    fn drop(&mut self) {
        self.quiesce();
    }
}

#[cfg(test)]
mod tests;
