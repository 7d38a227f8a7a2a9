//! The position of an engine: the one that `position` set, or why it was refused and which side has lost by an illegal
//! move.

use crate::game::end_words::why_refused;
use crate::game::{GameError, GameNotation, Side, TerminalCause};

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

/// The position of the game, and how it came about.
pub(super) struct CurrentPosition<G: GameNotation> {
    pub(super) position: G::Position,
    /// The position before the last turn, if there was one.
    pub(super) before: Option<G::Position>,
    /// The position is still that of the start, which options may change.
    at_start: bool,
    /// Why the last `position` was refused: `go` must not answer for the one before.
    pub(super) refused: Option<Refusal>,
}

impl<G: GameNotation> CurrentPosition<G> {
    /// The start.
    pub(super) fn start(game: &G) -> CurrentPosition<G> {
        CurrentPosition { position: game.start(), before: None, at_start: true, refused: None }
    }

    /// Updates the start after the game was reloaded, as its options may change it.
    pub(super) fn refresh(&mut self, game: &G) {
        if self.at_start {
            self.position = game.start();
        }
    }

    /// Sets the position; a refused one leaves the former in place.
    ///
    /// # Errors
    /// The reason why the position or a turn is refused.
    pub(super) fn set(&mut self, game: &G, text: &str, turns: &[&str]) -> Result<(), GameError> {
        self.refused = None;
        match read(game, text, turns) {
            Ok((position, before)) => {
                self.at_start = turns.is_empty() && text.trim() == "startpos";
                (self.position, self.before) = (position, before);
                Ok(())
            }
            Err(refusal) => {
                let reason = refusal.reason.clone();
                self.refused = Some(refusal);
                Err(reason)
            }
        }
    }
}

/// A position, and the one before the last turn.
fn read<G: GameNotation>(
    game: &G,
    text: &str,
    turns: &[&str],
) -> Result<(G::Position, Option<G::Position>), Refusal> {
    if text.is_empty() {
        return Err(GameError::position("position: neither startpos nor a position is given").into());
    }
    let mut position = game.parse_position(text).map_err(|reason| Refusal {
        reason,
        loser: game.loser_of_refused(text).filter(|_| turns.is_empty()),
    })?;
    let mut before = None;
    for (index, text) in turns.iter().enumerate() {
        let last = index + 1 == turns.len();
        let turn = game.parse_turn(&position, text).map_err(|reason| Refusal {
            reason: why_refused(text, reason).with_context(format_args!("move {} '{text}'", index + 1)),
            loser: loser_by(game, &position, text).filter(|_| last),
        })?;
        if last {
            before = Some(position.clone());
        }
        game.play(&mut position, &turn);
    }
    Ok((position, before))
}

/// The side to move, if it loses by `text`: a turn that is not legal. Once the game is over, no turn is, and
/// it loses only if it was mated.
fn loser_by<G: GameNotation>(game: &G, position: &G::Position, text: &str) -> Option<Side> {
    let goes_on = game.outcome(position).is_none_or(|outcome| outcome.cause == TerminalCause::Mate);
    (goes_on && game.is_turn(position, text)).then(|| game.side_to_move(position))
}
