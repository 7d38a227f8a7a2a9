//! Some plies of a game against itself, by the same code that plays matches.

use std::sync::Arc;
use std::time::Duration;

use super::{Report, Subject};
use crate::dialogue::player::{Patience, Player};
use crate::dialogue::speaker::{Said, Start, Times};
use kaeshi_core::game::Side;

/// Plies that are played.
const PLIES: usize = 8;

/// Time after which an answer is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The engine plays both sides; every turn is checked by the rules.
pub fn check(subject: &Subject, report: &mut Report) {
    match play(subject) {
        Ok(turns) => report.good(&format!("plays legal moves: {turns}")),
        Err(why) => report.fault(&why),
    }
}

fn play(subject: &Subject) -> Result<String, String> {
    let start = Start::usual(&*subject.rules, None)?;
    let mut board = subject.rules.board(start.position.as_deref()).map_err(|error| error.to_string())?;
    let patience = Patience::scaled(1.0);
    let mut player = Player::new(Arc::clone(&subject.spec), Arc::clone(&subject.nursery), patience, None);
    let limit = subject.spec.limit;
    let mut turns: Vec<String> = Vec::new();
    let times =
        |me: Side| Times { me, limits: [limit, limit], rest_us: [1_000_000; 2], moves_to_go: [None; 2] };
    player.new_game(&start, &times(board.side_to_move())).map_err(|failure| failure.reason)?;
    while turns.len() < PLIES && board.outcome().is_none() {
        let me = board.side_to_move();
        let thought = player.think(&times(me), Some(PATIENCE), turns.last().map(String::as_str));
        let after =
            || if turns.is_empty() { "at the start".into() } else { format!("after {}", turns.join(" ")) };
        let turn = match thought.said {
            Ok(Said::Turn(turn, _)) => board
                .play(&turn)
                .map_err(|why| format!("plays '{}' {}: {why}", turn.escape_debug(), after()))?,
            Ok(Said::Resign) => return Err(format!("resigns {}", after())),
            Ok(Said::Win) => return Err(format!("claims the win {}", after())),
            Ok(Said::Nonsense(text)) => return Err(format!("answers '{}' {}", text.escape_debug(), after())),
            Err(trouble) => return Err(format!("no move {}: {trouble:?}", after())),
        };
        player.played(me, &turn, true);
        turns.push(turn);
    }
    player.quit();
    Ok(turns.join(" "))
}
