//! Squares, turns and positions as text.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use crate::rules::board::ReversiBoard;
use crate::rules::position::{ReversiPosition, ReversiTurn};
use kaeshi_core::game::{GameError, Side};

/// `a1` … `h8`: column letter, row counted from the top.
pub fn square_name(square: usize) -> String {
    let column = char::from(b'a' + (square % 8) as u8);
    format!("{column}{}", square / 8 % 8 + 1)
}

/// The text of a turn.
pub fn format_turn(turn: ReversiTurn) -> String {
    match turn {
        ReversiTurn::Place(square) => square_name(usize::from(square)),
        ReversiTurn::Pass => "pass".to_owned(),
    }
}

/// Reads a turn, letter case ignored; `pa`, `ps`, `--` and `@@` mean a pass as well. Says nothing about legality.
pub fn read_turn(text: &str) -> Result<ReversiTurn, GameError> {
    let lower = text.to_ascii_lowercase();
    if matches!(lower.as_str(), "pass" | "pa" | "ps" | "--" | "@@" | "0000") {
        return Ok(ReversiTurn::Pass);
    }
    match lower.as_bytes() {
        [column @ b'a'..=b'h', row @ b'1'..=b'8'] => {
            Ok(ReversiTurn::Place(8 * (row - b'1') + (column - b'a')))
        }
        _ => Err(GameError::turn(format!("'{text}' is no square from a1 to h8 and no pass"))),
    }
}

/// 64 squares row by row and the side to move: Black `X`, White `O`, empty `-` (the OBF form).
pub fn format_position(position: &ReversiPosition) -> String {
    let [black, white] = position.discs();
    let mut text: String = (0..64).map(|square| disc(black, white, square)).collect();
    text.push_str(if position.side == Side::First { " X" } else { " O" });
    text
}

/// `X`, `O` or `-`.
fn disc(black: u64, white: u64, square: u32) -> char {
    match (black >> square & 1, white >> square & 1) {
        (1, _) => 'X',
        (_, 1) => 'O',
        _ => '-',
    }
}

/// The board with its frame and a line that says whose turn it is.
pub fn diagram(position: &ReversiPosition) -> String {
    let [black, white] = position.discs();
    let moves = position.board.moves();
    let mut text = String::from("  a b c d e f g h\n");
    for row in 0..8 {
        text.push_str(&(row + 1).to_string());
        for square in 8 * row..8 * row + 8 {
            text.push(' ');
            let mark = disc(black, white, square);
            text.push(if mark == '-' && moves >> square & 1 == 1 { '.' } else { mark });
        }
        text.push('\n');
    }
    let side = if position.side == Side::First { "Black (X)" } else { "White (O)" };
    let (x, o) = (black.count_ones(), white.count_ones());
    text.push_str(&format!("{side} to move, X {x}, O {o}, {} empty", position.board.empties()));
    text
}

/// Reads what stands after `position`: `startpos`, or a position with or without the word `fen`.
/// A position is 64 characters (or eight rows with digits for empty squares, divided by `/`, from
/// the top), then the side to move. Whatever follows a `;` is left out.
pub fn parse_position(text: &str) -> Result<ReversiPosition, GameError> {
    let text = text.split(';').next().unwrap_or_default();
    let mut words = text.split_whitespace().peekable();
    if words.next_if(|word| matches!(*word, "fen" | "obf")).is_none() && words.peek() == Some(&"startpos") {
        return match words.nth(1) {
            None => Ok(ReversiPosition::START),
            Some(word) => Err(GameError::position(format!("'{word}' after startpos"))),
        };
    }
    let squares = words.next().ok_or_else(|| GameError::position("a position is missing"))?;
    let (squares, side) = match words.next() {
        Some(side) => (squares.to_owned(), side.to_owned()),
        None => split_side(squares)?,
    };
    let side = match side.to_ascii_lowercase().as_str() {
        "x" | "b" | "black" | "*" => Side::First,
        "o" | "w" | "white" => Side::Second,
        other => return Err(GameError::position(format!("'{other}' is no side to move: X or O"))),
    };
    // Move counters of other engines' forms are allowed, anything else is not.
    if let Some(word) = words.find(|word| word.parse::<u32>().is_err()) {
        return Err(GameError::position(format!("'{word}' after the side to move")));
    }
    let (black, white) = read_squares(&squares)?;
    let board = match side {
        Side::First => ReversiBoard { me: black, opponent: white },
        Side::Second => ReversiBoard { me: white, opponent: black },
    };
    Ok(ReversiPosition { board, side })
}

/// Takes the side to move from the end of 65 characters without a blank.
fn split_side(text: &str) -> Result<(String, String), GameError> {
    let mut chars: Vec<char> = text.chars().collect();
    match chars.pop() {
        Some(side) if chars.len() == 64 => Ok((chars.into_iter().collect(), side.to_string())),
        _ => Err(GameError::position("the side to move is missing: X or O after the 64 squares")),
    }
}

fn read_squares(text: &str) -> Result<(u64, u64), GameError> {
    let (mut black, mut white, mut square) = (0u64, 0u64, 0u32);
    let in_rows = text.contains('/');
    for (row, line) in text.split('/').enumerate() {
        for mark in line.chars() {
            let length = match mark {
                '1'..='8' => mark.to_digit(10).unwrap_or(1),
                _ => 1,
            };
            if square + length > 64 {
                return Err(GameError::position("more than 64 squares"));
            }
            match mark {
                'X' | 'x' | '*' | 'B' | 'b' => black |= 1 << square,
                'O' | 'o' | 'W' | 'w' => white |= 1 << square,
                '-' | '.' | '1'..='8' => {}
                _ => {
                    return Err(GameError::position(format!(
                        "'{mark}' at square {} is none of - X O",
                        square + 1
                    )));
                }
            }
            square += length;
        }
        if in_rows && square as usize != 8 * (row + 1) {
            return Err(GameError::position(format!("row {} has not 8 squares", row + 1)));
        }
    }
    if square != 64 {
        return Err(GameError::position(format!("{square} squares instead of 64")));
    }
    Ok((black, white))
}

/// Whether these words are an OBF, that word before it or not, or eight rows and a side.
pub fn owns_position(words: &[&str]) -> bool {
    let disc = |c: char| matches!(c, '-' | '.' | 'X' | 'x' | 'O' | 'o' | '*' | 'B' | 'b' | 'W' | 'w');
    match words {
        ["obf", ..] => true,
        [board, ..] if !board.contains('/') => matches!(board.len(), 64 | 65) && board.chars().all(disc),
        // Five fields with a mark of growth are no position of Reversi.
        [_, "w" | "b", "g" | "-", "0" | "1" | "2", _] => false,
        [board, _, ..] => {
            board.matches('/').count() == 7 && board.chars().all(|c| disc(c) || matches!(c, '/' | '1'..='8'))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";

    #[test]
    fn the_start_position_has_its_text() {
        assert_eq!(format_position(&ReversiPosition::START), START);
        for text in [
            "startpos",
            START,
            "8/8/8/3ox3/3xo3/8/8/8 x",
            "fen 8/8/8/3OX3/3XO3/8/8/8 b 0 1",
            &START.replace(' ', ""),
        ] {
            assert_eq!(parse_position(text), Ok(ReversiPosition::START), "{text}");
        }
        assert_eq!(parse_position(&format!("{START}; D3:+0; C4:+0;")), Ok(ReversiPosition::START));
    }

    #[test]
    fn white_to_move_is_kept() {
        let text = START.replace(" X", " O");
        let position = parse_position(&text);
        assert_eq!(position.as_ref().map(format_position), Ok(text));
    }

    #[test]
    fn bad_positions_are_refused_with_the_reason() {
        for (text, reason) in [
            ("", "missing"),
            ("fen", "missing"),
            ("startpos x", "after startpos"),
            (&START[..64], "side to move is missing"),
            (&START[1..], "63 squares"),
            (&format!("-{START}"), "more than 64"),
            (&START.replace(" X", " Z"), "no side"),
            (&START.replacen('-', "Q", 1), "'Q' at square 1"),
            ("8/8/8/3ox3/3xo2/8/8/8 x", "row 5"),
            (&format!("{START} what"), "'what'"),
        ] {
            let refusal = parse_position(text).map_err(String::from);
            assert!(refusal.as_ref().is_err_and(|e| e.contains(reason)), "{text:?}: {refusal:?}");
        }
    }

    #[test]
    fn every_square_is_read_as_it_is_written() {
        for square in 0..64 {
            let turn = ReversiTurn::Place(square);
            assert_eq!(read_turn(&format_turn(turn)), Ok(turn));
        }
        assert_eq!(read_turn("A1"), Ok(ReversiTurn::Place(0)));
        assert_eq!(read_turn("h8"), Ok(ReversiTurn::Place(63)));
        assert_eq!(read_turn("b1"), Ok(ReversiTurn::Place(1)));
        for pass in ["pass", "PA", "ps", "--", "@@"] {
            assert_eq!(read_turn(pass), Ok(ReversiTurn::Pass));
        }
        for bad in ["", "i1", "a9", "a0", "a", "a1a", "ä1"] {
            assert!(read_turn(bad).is_err(), "{bad}");
        }
    }
}
