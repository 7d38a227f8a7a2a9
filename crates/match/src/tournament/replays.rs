//! Games that end by repetition (sennichite) or by a drawn impasse (jishogi) are replayed at once, as in Japanese
//! events: from the same opening, with the colours exchanged, while the clocks go on.
//!
//! The games of one place in the schedule are its legs. They are played at one table and written to the journal
//! together, so that schedule and resuming know nothing of them; only the last leg counts.

use super::game::{self, Agreement, Finished, GameSlot, Void};
use super::journal::{EndCause, GameResult, JournalGame};
use super::running::RunningGameFile;
use crate::dialogue::player::EnginePlayer;
use crate::dialogue::speaker::GameStart;
use kaeshi_records::referee::RefereeRules;

/// Plays the legs of one place in the schedule. `players` are the first side's and the second side's of the first.
///
/// # Errors
/// As for [`game::play`]; then all legs are void.
pub fn play(
    rules: &dyn RefereeRules,
    players: [&mut EnginePlayer; 2],
    start: &GameStart,
    place: GameSlot,
    agreement: Agreement,
    window: &mut RunningGameFile,
) -> Result<Finished, Void> {
    let [mut first, mut second] = players;
    let mut clocks = game::clocks([first, second], agreement);
    let mut legs = Vec::new();
    loop {
        let place = GameSlot { leg: legs.len() as u8, ..place };
        let pair = [&mut *first, &mut *second];
        let finished = game::play(rules, pair, start, place, agreement, &mut clocks, window)?;
        let again = agreement
            .sennichite
            .filter(|replays| is_undecided(&finished.played.game) && legs.len() < usize::from(replays.most));
        let Some(replays) = again else {
            return Ok(Finished { played: finished.played.after(legs), ..finished });
        };
        legs.push(finished.played);
        replays.carry_over(&mut clocks);
        if replays.exchanged {
            std::mem::swap(&mut first, &mut second);
        }
    }
}

/// Whether a game is replayed where games are: neither side has won by the rules of shogi.
pub fn is_undecided(game: &JournalGame) -> bool {
    match game.cause {
        EndCause::Repetition => true,
        EndCause::Impasse => game.result == GameResult::Draw,
        _ => false,
    }
}
