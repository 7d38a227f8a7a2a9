//! A game as one `position` line of USI or UGI.

use super::GameRecord;
use crate::referee::ending::EndCause;
use kaeshi_core::game::Side;

/// The text behind the turns of a game: players, result, cause, margin, each behind a tab. Only the line's end if
/// nothing is known.
pub(super) fn tail(record: &GameRecord) -> String {
    let Some(end) = &record.ending else { return "\n".to_owned() };
    let [first, second] = [Side::First, Side::Second].map(|side| record.name(side).replace('\t', " "));
    let cause = end.cause.map_or("", EndCause::word);
    let margin = end.margin.map(|margin| format!("\t{margin:+}")).unwrap_or_default();
    format!("\t{first}\t{second}\t{}\t{cause}{margin}\n", end.result().text())
}

/// `position startpos moves …`, a tab, and how it ended. The turns are written as they are.
pub fn write(record: &GameRecord) -> String {
    let mut text = format!("position {}", record.start);
    if !record.plies.is_empty() {
        text += " moves";
    }
    for ply in &record.plies {
        text.push(' ');
        text += &ply.turn;
    }
    text + &tail(record)
}
