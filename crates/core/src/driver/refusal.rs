//! Why a `position` is refused, and which side has lost by what it says.

use crate::driver::Engine;
use crate::game::end_words::why_refused;
use crate::game::{Game, GameError, Side, TerminalCause};

/// A `position` that was refused.
#[derive(Clone)]
pub(super) struct Refusal {
    pub(super) reason: GameError,
    /// The side whose last move breaks the rules, where nothing else is wrong with the position.
    pub(super) loser: Option<Side>,
}

impl From<GameError> for Refusal {
    fn from(reason: GameError) -> Refusal {
        Refusal { reason, loser: None }
    }
}

impl<G: Game> Engine<G> {
    /// A position, and the one before the last turn.
    pub(super) fn read_position(
        &self,
        text: &str,
        turns: &[&str],
    ) -> Result<(G::Position, Option<G::Position>), Refusal> {
        if text.is_empty() {
            return Err(GameError::new("position: neither startpos nor a position is given").into());
        }
        let mut position = self.game.parse_position(text).map_err(|reason| Refusal {
            reason,
            loser: self.game.loser_of_refused(text).filter(|_| turns.is_empty()),
        })?;
        let mut before = None;
        for (index, text) in turns.iter().enumerate() {
            let last = index + 1 == turns.len();
            let turn = self.game.parse_turn(&position, text).map_err(|reason| Refusal {
                reason: GameError(format!("move {} '{text}': {}", index + 1, why_refused(text, reason))),
                loser: self.loser_by(&position, text).filter(|_| last),
            })?;
            if last {
                before = Some(position.clone());
            }
            self.game.play(&mut position, &turn);
        }
        Ok((position, before))
    }

    /// The side to move, if it loses by `text`: a turn that is not legal. Once the game is over, no turn is, and
    /// it loses only if it was mated.
    fn loser_by(&self, position: &G::Position, text: &str) -> Option<Side> {
        let goes_on = self.game.outcome(position).is_none_or(|outcome| outcome.cause == TerminalCause::Mate);
        (goes_on && self.game.is_turn(position, text)).then(|| self.game.side_to_move(position))
    }
}
