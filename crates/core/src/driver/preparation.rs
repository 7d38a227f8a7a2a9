//! Preparation of a search, and cleanup between games.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::driver::Engine;
use crate::driver::event::EngineEvent;
use crate::driver::think::panic_message;
use crate::game::{Game, GameError};

impl<G: Game> Engine<G> {
    /// Forgets what searches found.
    pub(super) fn forget(&mut self) {
        // Clearing a large table takes long enough to lose a short game on time.
        if !std::mem::take(&mut self.resources.learned) {
            return;
        }
        self.quiesce();
        self.resources.forget(&self.options.settings, &self.interrupt);
    }

    /// Reloads the game if its options changed. After an error the former one stays in force.
    pub(super) fn refresh_game(&mut self) {
        if !std::mem::take(&mut self.options.stale.game) {
            return;
        }
        match G::load(&self.options.game_settings) {
            Ok(game) => {
                self.options.stale.pool = true;
                self.resources.replace_game(game, &self.options.settings, &self.interrupt);
                self.current.refresh(&self.resources.game);
            }
            Err(reason) => {
                self.report(EngineEvent::Message(format!("{reason}; the former settings stay in force")))
            }
        }
    }

    /// Makes everything a search needs, unless it is there. Only without a running search.
    pub(super) fn prepare(&mut self) -> Result<(), GameError> {
        let prepared = catch_unwind(AssertUnwindSafe(|| self.prepare_unguarded()));
        prepared.unwrap_or_else(|panic| {
            self.resources.pool = None;
            self.report(EngineEvent::Panic(panic_message(panic.as_ref())));
            Err(GameError::failed("the search cannot be set up"))
        })
    }

    fn prepare_unguarded(&mut self) -> Result<(), GameError> {
        let broken = self.resources.is_broken();
        if !self.options.stale.any() && !broken && self.resources.pool.is_some() {
            return Ok(());
        }
        self.quiesce();
        self.refresh_game();
        let stale = &mut self.options.stale;
        if std::mem::take(&mut stale.store) {
            self.resources.open_store(self.options.settings.store_file.as_deref(), &self.interrupt);
        }
        if std::mem::take(&mut stale.memory) {
            // The workers hold it, too, and two tables may be more than there is room for.
            (self.resources.pool, self.resources.memory) = (None, None);
        }
        if std::mem::take(&mut stale.pool) || broken {
            self.resources.drop_pool();
        }
        self.resources.equip(&self.options.settings)
    }
}
