//! One game per line: USI positions, and transcripts of Reversi.

use super::{Record, one_line};
use crate::game::Side;

/// What stands behind the moves: players, result, cause, margin, separated by tabs.
fn tail(record: &Record) -> String {
    let game = record.game();
    let margin = game.margin.map(|margin| format!("\t{margin:+}")).unwrap_or_default();
    let [first, second] = [Side::First, Side::Second].map(|side| record.name(side).replace('\t', " "));
    format!("\t{first}\t{second}\t{}\t{}{margin}\n", game.result.text(), game.cause.word())
}

/// `position startpos moves …`, a tab, and how it ended.
pub fn usi(records: &[Record]) -> String {
    let line = |record: &Record| {
        let start = if record.replay.is_usual {
            "startpos".to_owned()
        } else {
            format!("sfen {}", record.replay.start)
        };
        let moves: String = record.replay.plies.iter().map(|ply| format!(" {}", ply.turn)).collect();
        let moves = if moves.is_empty() { String::new() } else { format!(" moves{moves}") };
        format!("position {start}{moves}{}", tail(record))
    };
    records.iter().map(line).collect()
}

/// `f5d6c3…`, a tab, and how it ended. Passes are left out, as usual; another start than the usual
/// one stands before the moves.
pub fn transcripts(records: &[Record]) -> String {
    let line = |record: &Record| {
        let start = if record.replay.is_usual {
            String::new()
        } else {
            format!("{} ", one_line(&record.replay.start))
        };
        let turns = record.replay.plies.iter().map(|ply| ply.turn.as_str());
        let moves: String = turns.filter(|turn| *turn != "pass").collect();
        format!("{start}{moves}{}", tail(record))
    };
    records.iter().map(line).collect()
}
