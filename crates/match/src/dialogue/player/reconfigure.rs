//! Other values of options between two games.

use std::sync::Arc;
use std::time::Instant;

use super::{EnginePlayer, StartFailure, refused};
use crate::dialogue::speaker::DialogueError;

impl EnginePlayer {
    /// Plays with these options from the next game on. A running engine gets those that changed.
    ///
    /// # Errors
    /// What it says against them, or that it is gone; it is dead then.
    pub fn reconfigure(&mut self, options: Vec<(String, String)>) -> Result<(), StartFailure> {
        let spec = Arc::make_mut(&mut self.spec);
        let changed: Vec<_> =
            options.iter().filter(|option| !spec.options.contains(option)).cloned().collect();
        spec.options = options;
        self.give(&changed).map_err(|failure| StartFailure {
            reason: format!("setoption: {failure}"),
            tail: self.kill(),
            stalled: false,
        })
    }

    fn give(&mut self, options: &[(String, String)]) -> Result<(), DialogueError> {
        let Some(process) = self.process.as_mut().filter(|_| !options.is_empty()) else { return Ok(()) };
        let deadline = Instant::now() + self.timeouts.ready;
        process.take_remarks();
        for (name, value) in options {
            self.speaker.set_option(process, name, value, deadline)?;
        }
        self.speaker.ready(process, deadline)?;
        refused(process)
    }
}
