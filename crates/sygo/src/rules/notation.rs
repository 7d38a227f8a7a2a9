//! Turns and positions as text.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::fmt::Write;

use crate::rules::board::{Colour, SygoBoard};
use crate::rules::points::{Point, PointSet, SIZE_MAX, SIZE_MIN};
use crate::rules::position::SygoPosition;
use crate::rules::size::BoardSize;
use crate::rules::turn::{SygoTurn, TurnKind};
use kaeshi_core::game::GameError;
use kaeshi_core::game::facts::Recognition;

/// Writes a turn: `c3`, `+d4,e5`, `+d4,e5@k3` or `pass`; growth points by column, then row.
pub fn format_turn(turn: &SygoTurn) -> String {
    let growth = || turn.growth().iter().map(Point::to_string).collect::<Vec<_>>().join(",");
    match (turn.kind(), turn.placement()) {
        (TurnKind::Placement, Some(point)) => point.to_string(),
        (TurnKind::Balance, Some(point)) => format!("+{}@{point}", growth()),
        (TurnKind::Growth, _) => format!("+{}", growth()),
        _ => "pass".to_owned(),
    }
}

/// Reads a turn on a board of this size; the points may come in any order. Whether the rules
/// allow it is not looked at.
///
/// # Errors
/// The text is no turn; the error names the fault.
pub fn parse_turn(size: impl Into<BoardSize>, text: &str) -> Result<SygoTurn, GameError> {
    let size = size.into();
    match text {
        "" => return Err(GameError::turn("a turn is missing")),
        "pass" => return Ok(SygoTurn::pass()),
        "resign" => return Err(GameError::turn("'resign' is an answer, not a turn")),
        _ => {}
    }
    let Some(grown) = text.strip_prefix('+') else {
        return parse_point(size, text).map(SygoTurn::place);
    };
    let (growth, placement) = match grown.split_once('@') {
        Some((growth, placement)) => (growth, Some(parse_point(size, placement)?)),
        None => (grown, None),
    };
    if growth.is_empty() {
        return Err(GameError::turn(format!(
            "'{text}' grows nothing; a turn without stones is written 'pass'"
        )));
    }
    let mut seen = PointSet::EMPTY;
    for word in growth.split(',') {
        let point = parse_point(size, word)?;
        if seen.contains(point) {
            return Err(GameError::turn(format!("{point} is named twice")));
        }
        seen.insert(point);
    }
    if let Some(point) = placement.filter(|&point| seen.contains(point)) {
        return Err(GameError::turn(format!("{point} is named twice")));
    }
    Ok(SygoTurn::new(seen.iter(), placement))
}

fn parse_point(size: BoardSize, text: &str) -> Result<Point, GameError> {
    let refuse =
        || GameError::turn(format!("'{text}' is no point: a column letter a-s and a row number, as in c3"));
    let mut letters = text.chars();
    let letter = letters.next().ok_or_else(refuse)?;
    if letter.is_ascii_uppercase() {
        return Err(GameError::turn(format!("'{text}': points are written in lower case")));
    }
    let column = usize::from(u8::try_from(letter).map_err(|_| refuse())?.wrapping_sub(b'a'));
    let row = parse_number(letters.as_str()).filter(|&row| row >= 1).ok_or_else(refuse)?;
    if column >= SIZE_MAX {
        return Err(refuse());
    }
    match Some(row - 1).filter(|&row| row < SIZE_MAX).map(|row| Point::new(column, row)) {
        Some(point) if size.contains(point) => Ok(point),
        _ => Err(GameError::turn(format!("{text} is not on a board of {size}"))),
    }
}

/// A decimal number without sign or leading zeros, below a million.
fn parse_number(digits: &str) -> Option<usize> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.len() <= 6;
    let canonical = digits == "0" || !digits.starts_with('0');
    if plain && canonical { digits.parse().ok() } else { None }
}

/// Writes a position in its five fields.
pub fn format_position(position: &SygoPosition) -> String {
    let size = position.board.size();
    let mut text = String::new();
    for row in (0..size.rows()).rev() {
        let mut run = 0;
        for column in 0..size.columns() {
            match position.board.stone(Point::new(column, row)) {
                None => run += 1,
                Some(colour) => {
                    push_run(&mut text, &mut run);
                    text.push(letter(colour));
                }
            }
        }
        push_run(&mut text, &mut run);
        text.push(if row > 0 { '/' } else { ' ' });
    }
    let grown = if position.grown { 'g' } else { '-' };
    // Writing to a string cannot fail.
    let _ = write!(text, "{} {grown} {} {}", letter(position.side), position.passes, position.number);
    text
}

fn push_run(text: &mut String, run: &mut usize) {
    if *run > 0 {
        text.push_str(&run.to_string());
        *run = 0;
    }
}

fn letter(colour: Colour) -> char {
    match colour {
        Colour::White => 'w',
        Colour::Black => 'b',
    }
}

/// Reads a position from its five fields.
///
/// # Errors
/// The text is no position; the error names the fault and the field.
pub fn parse_position(text: &str) -> Result<SygoPosition, GameError> {
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let [rows, side, grown, passes, number] = fields[..] else {
        return Err(GameError::position(format!(
            "a Sygo position has five fields, <rows> <w|b> <g|-> <passes> <turn>; these are {}",
            fields.len()
        )));
    };
    let board = parse_board(rows)?;
    let side = match side {
        "w" => Colour::White,
        "b" => Colour::Black,
        _ => return Err(GameError::position(format!("side to move '{side}' is neither w nor b"))),
    };
    let grown = match grown {
        "g" => true,
        "-" => false,
        _ => return Err(GameError::position(format!("growth flag '{grown}' is neither g nor -"))),
    };
    let passes = match passes {
        "0" => 0,
        "1" => 1,
        "2" => 2,
        _ => return Err(GameError::position(format!("passes '{passes}' is not 0, 1 or 2"))),
    };
    let number = parse_number(number)
        .and_then(|number| u32::try_from(number).ok())
        .filter(|&number| number >= 1)
        .ok_or_else(|| {
            GameError::position(format!("turn number '{number}' is not a number from 1 to 999999"))
        })?;
    Ok(SygoPosition { board, side, grown, passes, number })
}

fn parse_board(text: &str) -> Result<SygoBoard, GameError> {
    let rows: Vec<&str> = text.split('/').collect();
    if !(SIZE_MIN..=SIZE_MAX).contains(&rows.len()) {
        return Err(GameError::position(format!(
            "{} rows; a board has {SIZE_MIN} to {SIZE_MAX}",
            rows.len()
        )));
    }
    let mut width = None;
    let mut stones = [PointSet::EMPTY; 2];
    for (index, row) in rows.iter().enumerate() {
        let refuse = |why: &str| GameError::position(format!("row {} '{row}' {why}", rows.len() - index));
        let mut column = 0;
        let mut rest = *row;
        while let Some(first) = rest.chars().next() {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (token, after) = rest.split_at(if digits > 0 { digits } else { first.len_utf8() });
            rest = after;
            if digits > 0 {
                let run = parse_number(token).filter(|&run| run >= 1);
                column += run.ok_or_else(|| refuse("has a run length that is no number"))?;
            } else {
                let colour = match first {
                    'w' => Colour::White,
                    'b' => Colour::Black,
                    _ => return Err(refuse("holds something else than w, b and run lengths")),
                };
                if column < SIZE_MAX {
                    let point = Point::new(column, rows.len() - 1 - index);
                    stones.iter_mut().skip(colour as usize).take(1).for_each(|set| set.insert(point));
                }
                column += 1;
            }
        }
        let width = *width.get_or_insert(column);
        if column != width {
            return Err(refuse(&format!("has {column} points; the row above it has {width}")));
        }
        if !(SIZE_MIN..=SIZE_MAX).contains(&column) {
            return Err(refuse(&format!("has {column} points; a row has {SIZE_MIN} to {SIZE_MAX}")));
        }
    }
    let size = BoardSize::new(width.unwrap_or(0), rows.len())
        .ok_or_else(|| GameError::position("a board without points"))?;
    let [white, black] = stones;
    let board = SygoBoard::with_stones(size, &white, &black);
    for (_, group) in board.groups() {
        if let Some(point) = group.stones.first().filter(|_| group.liberties.is_empty()) {
            return Err(GameError::position(format!("the group of {point} has no liberty")));
        }
    }
    Ok(board)
}

/// Whether these words are the five fields of a position.
pub fn owns_position(words: &[&str]) -> bool {
    matches!(words, [_, "w" | "b", "g" | "-", "0" | "1" | "2", _])
}

/// A growth is Sygo's own; any other turn may be one of Reversi as well.
pub fn recognise_turns(turns: &[&str]) -> Recognition {
    let grows = |turn: &&str| turn.starts_with('+');
    if turns.iter().any(grows) { Recognition::Sure } else { Recognition::Possible }
}

/// Whether a turn puts down one stone that stands alone. Openings are made of these, so that neither side has
/// grown yet and Black still has the balancing turn.
pub fn is_placement(turn: &str) -> bool {
    !turn.starts_with('+') && turn != "pass"
}
