//! A shogi record played on a board, for the forms that are written from positions.

use super::{GameRecord, RecordPly};
use kaeshi_core::game::end_words::why_refused;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::{GameError, Side};
use kaeshi_shogi::rules::notation::parse_move;
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::types::Move;
use kaeshi_shogi::rules::{handicap, sfen};

/// The position that `startpos` or `sfen …` describes.
///
/// # Errors
/// The reason why the SFEN is invalid.
pub fn position(start: &str) -> Result<ShogiPosition, GameError> {
    let start = start.trim();
    match start.split_once(' ') {
        Some(("sfen" | "fen", text)) => sfen::parse(text),
        _ if start == "startpos" => sfen::parse(handicap::START),
        _ => sfen::parse(start),
    }
}

/// Whether this is the usual start, its move number included.
pub fn is_usual(position: &ShogiPosition) -> bool {
    sfen::format(position) == handicap::START
}

/// The side that made, or is to make, turn `index` of a record as its reader left it.
pub fn mover(record: &GameRecord, index: usize) -> Side {
    let white_began = record.start.split_whitespace().nth(2) == Some("w");
    if white_began != (index % 2 == 1) { Side::Second } else { Side::First }
}

/// The value as `side` sees it, from one for Black, and the other way round.
pub fn seen_by(side: Side, score: Score) -> Score {
    match side {
        Side::First => score,
        Side::Second => -score,
    }
}

/// Plays a record: `each` gets every turn with the position before it. Returns the last position.
///
/// # Errors
/// A start that is no position, or an illegal turn; names its number.
pub fn walk(
    record: &GameRecord,
    mut each: impl FnMut(&RecordPly, &ShogiPosition, Move),
) -> Result<ShogiPosition, GameError> {
    let mut position = position(&record.start)?;
    for (ply, number) in record.plies.iter().zip(1..) {
        let mv = parse_move(&position, &ply.turn)
            .map_err(|reason| why_refused(&ply.turn, reason).with_context(format_args!("turn {number}")))?;
        each(ply, &position, mv);
        position.make(mv);
    }
    Ok(position)
}

/// Plays a variation: `each` gets every turn of the variation with the position before it.
///
/// # Errors
/// As [`walk`].
pub fn walk_variation(
    record: &GameRecord,
    line: usize,
    mut each: impl FnMut(&RecordPly, &ShogiPosition, Move),
) -> Result<(), GameError> {
    let mut position = position(&record.start)?;
    let before = record.before(line);
    for (number, ply) in (1..).zip(before.iter().copied().chain(record.line(line))) {
        let mv = parse_move(&position, &ply.turn)
            .map_err(|reason| reason.with_context(format_args!("turn {number} of a variation")))?;
        if number > before.len() {
            each(ply, &position, mv);
        }
        position.make(mv);
    }
    Ok(())
}

/// The moves of `line` from `position` as far as they are legal, each with the position before it.
pub fn follow(position: &ShogiPosition, line: &[String], mut each: impl FnMut(&ShogiPosition, Move)) {
    let mut position = position.clone();
    for text in line {
        let Ok(mv) = parse_move(&position, text) else { return };
        each(&position, mv);
        position.make(mv);
    }
}
