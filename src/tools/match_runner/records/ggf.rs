//! GGF, the record format of the Generic Game Server, for Reversi (M. Buro).

use super::{Clock, Record};
use crate::game::Side;
use crate::tools::match_runner::journal::{EndCause, Move};

/// One game on one line: moves with the score in discs from the mover's side and the seconds used.
pub fn write(record: &Record) -> String {
    let mut text = String::from("(;GM[Othello]");
    text += &format!("PC[{}]", value(&record.journal.open.tool));
    if let Some(date) = record.game().t0.get(..19) {
        text += &format!("DT[{} GMT]", date.replace('T', " "));
    }
    text += &format!("PB[{}]PW[{}]", value(&record.name(Side::First)), value(&record.name(Side::Second)));
    text += &format!("RE[{}]", result(record));
    if let Some(clock) = record.limit().and_then(Clock::parse) {
        text += &format!("TI[{}/{}/]", time(clock.main), time(clock.increment.max(clock.byoyomi)));
    }
    text += &format!("TY[8]BO[8 {}]", board(&record.replay.start));
    for (index, ply) in record.replay.plies.iter().enumerate() {
        let colour = if ply.mover == Side::First { 'B' } else { 'W' };
        let turn = if ply.turn == "pass" { "PA".into() } else { ply.turn.to_ascii_uppercase() };
        text += &format!("{colour}[{turn}{}]", record.told(index).map(told).unwrap_or_default());
    }
    text + ";)\n"
}

/// `/score/seconds`; a missing score leaves its place empty.
fn told(told: &Move) -> String {
    let score = told.cp.map(|cp| format!("{:.2}", f64::from(cp) / 100.0)).unwrap_or_default();
    format!("/{score}/{:.2}", told.used_us as f64 / 1e6)
}

/// A text that cannot end its bracket.
fn value(text: &str) -> String {
    super::one_line(text).replace('[', "(").replace(']', ")").replace('\\', "/")
}

/// `mm:ss`; empty for none.
fn time(seconds: f64) -> String {
    let whole = seconds.ceil() as u64;
    if whole == 0 { String::new() } else { format!("{:02}:{:02}", whole / 60, whole % 60) }
}

/// 64 squares and the side to move, with `*` for Black.
fn board(text: &str) -> String {
    text.replace(['X', 'x'], "*")
}

/// Discs by which Black is ahead; a game that was broken off counts as all discs.
fn result(record: &Record) -> String {
    let game = record.game();
    let discs = match (game.margin, game.result.winner()) {
        (Some(margin), _) => margin,
        (None, None) => 0,
        (None, Some(Side::First)) => 64,
        (None, Some(Side::Second)) => -64,
    };
    let why = match game.cause {
        EndCause::Resign => ":r",
        EndCause::Time => ":t",
        _ => "",
    };
    format!("{:+.2}{why}", f64::from(discs))
}
