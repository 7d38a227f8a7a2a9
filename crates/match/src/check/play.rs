//! Some plies of a game against itself, by the same code that plays matches.

use std::sync::Arc;
use std::time::Duration;

use super::{CheckReport, CheckSubject};
use crate::dialogue::player::{EnginePlayer, EngineTimeouts};
use crate::dialogue::speaker::{GameStart, GoAnswer, Times};
use kaeshi_core::game::Side;

/// Plies that are played.
const PLIES: usize = 8;

/// Time after which an answer is not waited for.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// The engine plays both sides; every turn is checked by the rules.
pub fn check(subject: &CheckSubject, report: &mut CheckReport) {
    match play(subject) {
        Ok(turns) => report.good(&format!("plays legal moves: {turns}")),
        Err(why) => report.fault(&why),
    }
}

fn play(subject: &CheckSubject) -> Result<String, String> {
    let start = GameStart::usual(&*subject.rules, None)?;
    let mut board = subject.rules.board(start.position.as_deref()).map_err(|error| error.to_string())?;
    let timeouts = EngineTimeouts::scaled(1.0);
    let mut player =
        EnginePlayer::new(Arc::clone(&subject.spec), Arc::clone(&subject.reaper), timeouts, None);
    let limit = subject.spec.limit;
    let mut turns: Vec<String> = Vec::new();
    let times =
        |me: Side| Times { me, limits: [limit, limit], rest_us: [1_000_000; 2], moves_to_go: [None; 2] };
    player.new_game(&start, &times(board.side_to_move())).map_err(|failure| failure.reason)?;
    while turns.len() < PLIES && board.outcome().is_none() {
        let me = board.side_to_move();
        let thought = player.think(&times(me), Some(ANSWER_TIMEOUT), turns.last().map(String::as_str));
        let after =
            || if turns.is_empty() { "at the start".into() } else { format!("after {}", turns.join(" ")) };
        let turn = match thought.said {
            Ok(GoAnswer::Turn(turn, _)) => board
                .play(&turn)
                .map_err(|why| format!("plays '{}' {}: {why}", turn.escape_debug(), after()))?,
            Ok(GoAnswer::Resign) => return Err(format!("resigns {}", after())),
            Ok(GoAnswer::Win) => return Err(format!("claims the win {}", after())),
            Ok(GoAnswer::Nonsense(text)) => {
                return Err(format!("answers '{}' {}", text.escape_debug(), after()));
            }
            Err(trouble) => return Err(format!("no move {}: {}", after(), trouble)),
        };
        player.played(me, &turn, true);
        turns.push(turn);
    }
    player.quit();
    Ok(turns.join(" "))
}
