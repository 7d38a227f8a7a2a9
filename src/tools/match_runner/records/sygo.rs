//! `.sygo` turn lists: tags, numbered turns with what the engine told, result.
//!
//! ```text
//! [Sygo "1"] [Size "13"] [White "a"] [Black "b"] [TC "tc=60+0.5"]
//! 1. c4 {t 1.234 e +0.30 d 9 n 53211}
//! 2. +k11@c9
//! 3. pass
//! [Result "B+12"] [End "two-passes"]
//! ```

use super::{Record, one_line};
use crate::game::Side;
use crate::tools::match_runner::journal::Move;

/// One game. White moves first; times are seconds, scores points from the mover's side.
pub fn write(record: &Record) -> String {
    let game = record.game();
    let size = record.replay.start.split(' ').next().unwrap_or_default().split('/').count();
    let mut text = format!("[Sygo \"1\"] [Size \"{size}\"]");
    text += &tag("White", game.name(Side::First));
    text += &tag("Black", game.name(Side::Second));
    if let Some(limit) = record.limit() {
        text += &tag("TC", limit);
    }
    if !game.t0.is_empty() {
        text += &tag("Date", &game.t0);
    }
    if !record.replay.is_usual && record.replay.start != empty_board(size) {
        text += &tag("Position", &record.replay.start);
    }
    text.push('\n');
    for (index, ply) in record.replay.plies.iter().enumerate() {
        text += &format!("{}. {}", index + 1, ply.turn);
        text += &record.told(index).map(told).unwrap_or_default();
        text.push('\n');
    }
    text + &format!("[Result \"{}\"]{}\n", result(record), tag("End", game.cause.word()))
}

/// The start position of a board of this size.
fn empty_board(size: usize) -> String {
    format!("{} w - 0 1", vec![size.to_string(); size].join("/"))
}

/// A tag with its value in quotes.
fn tag(name: &str, value: &str) -> String {
    format!(" [{name} \"{}\"]", one_line(value).replace('"', "'"))
}

/// What the engine told, in braces.
fn told(told: &Move) -> String {
    let mut text = format!(" {{t {}.{:03}", told.used_us / 1_000_000, told.used_us / 1_000 % 1_000);
    if let Some(cp) = told.cp {
        text += &format!(" e {:+.2}", f64::from(cp) / 100.0);
    }
    if let Some(depth) = told.depth {
        text += &format!(" d {depth}");
    }
    if let Some(nodes) = told.nodes {
        text += &format!(" n {nodes}");
    }
    text + "}"
}

/// `W+12`, `B+R` when the game did not come to its end, `0` for a draw.
fn result(record: &Record) -> String {
    let game = record.game();
    let letter = match game.result.winner() {
        None => return "0".into(),
        Some(Side::First) => 'W',
        Some(Side::Second) => 'B',
    };
    match game.margin {
        Some(margin) => format!("{letter}+{}", margin.abs()),
        None => format!("{letter}+R"),
    }
}
