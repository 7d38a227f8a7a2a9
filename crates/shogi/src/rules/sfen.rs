//! SFEN: the text of a position.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fmt::Write;

use crate::rules::bitboard::Bitboard;
use crate::rules::legality::is_dead;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Piece, PieceKind, Square};
use kaeshi_core::game::set_up::{self, SetUp};
use kaeshi_core::game::{GameError, Side};

const HIGHEST_MOVE_NUMBER: u32 = 100_000;

/// Reads board, side, hands and, if it is there, the number of the next move. Kings may be missing.
///
/// # Errors
/// The text is no valid SFEN; the error names the fault and its place.
pub fn parse(text: &str) -> Result<ShogiPosition, GameError> {
    let position = read(text)?;
    let waiting = position.side_to_move().other();
    if let Some(checker) = checker_of_waiting(&position) {
        let king = position.king(waiting);
        return Err(GameError::position(format!(
            "{} is not to move, but its king on {king} is in check by the piece on {checker}",
            colour(waiting)
        )));
    }
    Ok(position)
}

/// The side that has just moved, if it left its king in check and nothing else is wrong with the text.
pub fn left_in_check(text: &str) -> Option<Side> {
    let position = read(text).ok()?;
    checker_of_waiting(&position).map(|_| position.side_to_move().other())
}

/// The square of a piece that gives check to the side that is not to move.
fn checker_of_waiting(position: &ShogiPosition) -> Option<Square> {
    let waiting = position.side_to_move().other();
    let king = position.king(waiting);
    let checkers = king.is_some().then(|| position.attackers(waiting.other(), king, position.occupied()))?;
    checkers.into_iter().next()
}

/// Reads a position in which the side that is not to move may be in check.
fn read(text: &str) -> Result<ShogiPosition, GameError> {
    let mut words = text.split_ascii_whitespace();
    let board = words.next().ok_or_else(|| GameError::position("the SFEN is empty"))?;
    let side = words
        .next()
        .ok_or_else(|| GameError::position("the SFEN ends before the side to move: 'b' or 'w'"))?;
    let hands =
        words.next().ok_or_else(|| GameError::position("the SFEN ends before the hands: '-' for none"))?;
    let number = words.next();
    if let Some(extra) = words.next() {
        return Err(GameError::position(format!("the SFEN has ended before '{extra}'")));
    }

    let mut position = ShogiPosition::default();
    read_board(board, &mut position)?;
    position.set_side_to_move(match side {
        "b" => Side::First,
        "w" => Side::Second,
        _ => return Err(GameError::position(format!("side to move '{side}' is neither 'b' nor 'w'"))),
    });
    read_hands(hands, &mut position)?;
    if let Some(number) = number {
        match number.parse() {
            Ok(number) if number <= HIGHEST_MOVE_NUMBER => position.set_move_number(number),
            _ => {
                return Err(GameError::position(format!(
                    "move number '{number}' is not one from 1 to {HIGHEST_MOVE_NUMBER}"
                )));
            }
        }
    }
    require_a_set(&position)?;
    require_legal_places(&position)?;
    position.refresh();
    Ok(position)
}

/// The name of a side in messages.
pub fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "Black",
        Side::Second => "White",
    }
}

fn read_board(text: &str, position: &mut ShogiPosition) -> Result<(), GameError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 9 {
        return Err(GameError::position(format!("the board has {} ranks instead of 9", ranks.len())));
    }
    for (rank, text) in (0u8..).zip(ranks) {
        let name = char::from(b'a' + rank);
        let mut files = 0u8;
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            if let Some(empty @ 1..=9) = letter.to_digit(10) {
                files = files.saturating_add(empty as u8);
                continue;
            }
            let (promoted, letter) = match letter {
                '+' => (
                    true,
                    letters
                        .next()
                        .ok_or_else(|| GameError::position(format!("rank {name} ends after '+'")))?,
                ),
                letter => (false, letter),
            };
            let kind = PieceKind::from_letter(letter).ok_or_else(|| {
                GameError::position(format!("'{}' on rank {name} is not a piece", letter.escape_default()))
            })?;
            let kind = match promoted {
                true if kind.can_promote() => kind.promoted(),
                true => {
                    return Err(GameError::position(format!(
                        "'+{letter}' on rank {name}: a {kind:?} cannot promote"
                    )));
                }
                false => kind,
            };
            if files >= 9 {
                return Err(GameError::position(format!("rank {name} ('{text}') is longer than 9 squares")));
            }
            let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
            let square = Square::new(8 - files, rank);
            if kind == PieceKind::KING && position.king(side).is_some() {
                return Err(GameError::position(format!("{} has a second king on {square}", colour(side))));
            }
            position.put(Piece::new(side, kind), square);
            files += 1;
        }
        if files != 9 {
            return Err(GameError::position(format!(
                "rank {name} ('{text}') has {files} squares instead of 9"
            )));
        }
    }
    Ok(())
}

fn read_hands(text: &str, position: &mut ShogiPosition) -> Result<(), GameError> {
    if text == "-" {
        return Ok(());
    }
    let mut count: Option<u32> = None;
    for letter in text.chars() {
        if let Some(digit) = letter.to_digit(10) {
            count = Some(count.unwrap_or(0).saturating_mul(10).saturating_add(digit));
            continue;
        }
        let kind =
            PieceKind::from_letter(letter).filter(|&kind| kind != PieceKind::KING).ok_or_else(|| {
                GameError::position(format!(
                    "'{}' in the hands '{text}' cannot be held in hand",
                    letter.escape_default()
                ))
            })?;
        let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
        let in_set = in_set(kind);
        let number = count.take().unwrap_or(1);
        if number == 0 || number > in_set || position.hand(side).count(kind) + number > in_set {
            return Err(GameError::position(format!(
                "{number} times '{letter}' in the hands '{text}': a game has 1 to {in_set} of them"
            )));
        }
        for _ in 0..number {
            position.put_in_hand(side, kind);
        }
    }
    match count {
        Some(_) => Err(GameError::position(format!("the hands '{text}' end with a number"))),
        None => Ok(()),
    }
}

fn in_set(kind: PieceKind) -> u32 {
    PieceKind::IN_SET.get(kind.index()).copied().unwrap_or(0)
}

fn require_a_set(position: &ShogiPosition) -> Result<(), GameError> {
    for kind in PieceKind::DROPPABLE {
        let mut total = position.kind(kind).count();
        if kind.can_promote() {
            total += position.kind(kind.promoted()).count();
        }
        total += position.hand(Side::First).count(kind) + position.hand(Side::Second).count(kind);
        if total > in_set(kind) {
            return Err(GameError::position(format!(
                "there are {total} pieces of kind {kind:?}; a game has {}",
                in_set(kind)
            )));
        }
    }
    Ok(())
}

fn require_legal_places(position: &ShogiPosition) -> Result<(), GameError> {
    for side in [Side::First, Side::Second] {
        for kind in [PieceKind::PAWN, PieceKind::LANCE, PieceKind::KNIGHT] {
            if let Some(square) = position.pieces(side, kind).into_iter().find(|&s| is_dead(side, kind, s)) {
                return Err(GameError::position(format!(
                    "{}'s {kind:?} on {square} could never move",
                    colour(side)
                )));
            }
        }
        for file in 0..9 {
            if (position.pieces(side, PieceKind::PAWN) & Bitboard::file(file)).many() {
                return Err(GameError::position(format!(
                    "{} has two pawns on file {}",
                    colour(side),
                    file + 1
                )));
            }
        }
    }
    Ok(())
}

/// The canonical SFEN: hands in the order rook, bishop, gold, silver, knight, lance, pawn.
pub fn format(position: &ShogiPosition) -> String {
    let mut text = String::new();
    for rank in 0..9 {
        if rank > 0 {
            text.push('/');
        }
        let mut empty = 0;
        for file in (0..9).rev() {
            match position.piece_on(Square::new(file, rank)).some() {
                None => empty += 1,
                Some(piece) => {
                    push_count(&mut text, &mut empty);
                    let _ = write!(text, "{piece}");
                }
            }
        }
        push_count(&mut text, &mut empty);
    }
    text.push_str(if position.side_to_move() == Side::First { " b " } else { " w " });
    text.push_str(&format_hands(position));
    let _ = write!(text, " {}", position.move_number());
    text
}

fn push_count(text: &mut String, empty: &mut u32) {
    if *empty > 0 {
        let _ = write!(text, "{empty}");
        *empty = 0;
    }
}

fn format_hands(position: &ShogiPosition) -> String {
    let mut text = String::new();
    for side in [Side::First, Side::Second] {
        for kind in PieceKind::STAND {
            let count = position.hand(side).count(kind);
            if count > 1 {
                let _ = write!(text, "{count}");
            }
            if count > 0 {
                let _ = write!(text, "{}", Piece::new(side, kind));
            }
        }
    }
    if text.is_empty() { "-".to_owned() } else { text }
}

/// The SFEN of a position that a person put together.
pub fn of_set_up(cells: &SetUp) -> String {
    let cased = |side: Side, kind: &str| match side {
        Side::First => kind.to_ascii_uppercase(),
        Side::Second => kind.to_ascii_lowercase(),
    };
    let rows = cells.rows(|piece: &set_up::SetUpPiece| cased(piece.side, &piece.kind));
    let mut hands = String::new();
    for (side, hand) in Side::BOTH.into_iter().zip(&cells.hands) {
        for letter in ["R", "B", "G", "S", "N", "L", "P"] {
            for held in hand.iter().filter(|held| held.kind == letter && held.count > 0) {
                let count = if held.count > 1 { held.count.to_string() } else { String::new() };
                hands += &(count + &cased(side, letter));
            }
        }
    }
    let hands = if hands.is_empty() { "-".to_owned() } else { hands };
    format!("sfen {rows} {} {hands} 1", if cells.to_move() == Side::First { 'b' } else { 'w' })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, reason: &str) {
        let said = parse(text).unwrap_err().to_string();
        assert!(said.contains(reason), "'{said}' does not say '{reason}'");
    }

    #[test]
    fn texts_are_read_and_written_back() {
        for text in [
            "9/9/9/9/9/9/9/9/9 b - 1",
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
            "+P+P+P+P1+R+BK1/+N+N+L+L5/9/9/9/9/9/4k4/9 b R8P 211",
            "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        ] {
            assert_eq!(format(&parse(text).unwrap()), text);
        }
    }

    #[test]
    fn hands_may_come_in_any_order_and_the_number_may_be_missing() {
        let position = parse("4k4/9/9/9/9/9/9/9/4K4 w p3PRbP").unwrap();
        assert_eq!(format(&position), "4k4/9/9/9/9/9/9/9/4K4 w R4Pbp 1");
    }

    #[test]
    fn what_is_wrong_is_said() {
        refused("", "empty");
        refused("9/9/9/9/9/9/9/9/9", "side to move");
        refused("9/9/9/9/9/9/9/9/9 b", "hands");
        refused("9/9/9/9/9/9/9/9 b - 1", "8 ranks");
        refused("9/9/9/9/9/9/9/9/9/9 b - 1", "10 ranks");
        refused("9/9/8/9/9/9/9/9/9 b - 1", "rank c ('8') has 8 squares");
        refused("9/9/55/9/9/9/9/9/9 b - 1", "rank c ('55') has 10 squares");
        refused("9/9/9P/9/9/9/9/9/9 b - 1", "rank c ('9P') is longer");
        refused("9/9/9/4x4/9/9/9/9/9 b - 1", "'x' on rank d");
        refused("9/9/9/404/9/9/9/9/9 b - 1", "'0' on rank d");
        refused("9/9/9/8+/9/9/9/9/9 b - 1", "rank d ends after '+'");
        refused("9/9/9/4+G4/9/9/9/9/9 b - 1", "a gold cannot promote");
        refused("9/9/9/4+k4/9/9/9/9/9 b - 1", "a king cannot promote");
        refused("k8/9/k8/9/9/9/9/9/9 b - 1", "White has a second king on 9c");
        refused("9/9/9/9/9/9/9/9/9 x - 1", "side to move 'x'");
        refused("9/9/9/9/9/9/9/9/9 b K 1", "'K' in the hands");
        refused("9/9/9/9/9/9/9/9/9 b 19P 1", "1 to 18");
        refused("9/9/9/9/9/9/9/9/9 b 0P 1", "1 to 18");
        refused("9/9/9/9/9/9/9/9/9 b 99999999999999999999P 1", "1 to 18");
        refused("9/9/9/9/9/9/9/9/9 b 2 1", "end with a number");
        refused("9/9/9/9/9/9/9/9/9 b - one", "move number 'one'");
        refused("9/9/9/9/9/9/9/9/9 b - 1 moves", "ended before 'moves'");
        refused("9/9/9/9/R8/9/9/9/9 b Rr 1", "3 pieces of kind rook");
        refused("9/9/9/9/+P8/9/9/9/9 b 18P 1", "19 pieces of kind pawn");
        refused("P8/9/9/9/9/9/9/9/9 b - 1", "Black's pawn on 9a could never move");
        refused("9/9/9/9/9/9/9/9/l8 b - 1", "White's lance on 9i could never move");
        refused("9/8N/9/9/9/9/9/9/9 b - 1", "Black's knight on 1b could never move");
        refused("9/9/4P4/9/4P4/9/9/9/9 b - 1", "Black has two pawns on file 5");
        refused("4k4/4G4/9/9/9/9/9/9/4K4 b - 1", "White is not to move");
    }
}
