//! WTHOR, the game base of the French federation of Othello.
//!
//! A header of 16 bytes, then 68 bytes for each game, little endian; a move is 10 * row + column.
//! Passes are not stored. A game has the numbers of its players and its tournament; their names are in other
//! files (`names.rs`).

pub(crate) mod names;

use super::transcript::Passing;
use super::{GameRecord, Headings, Item, RecordFault, RecordFormat};
use crate::referee::ending::Ending;
use kaeshi_engine::games::GameName;
use kaeshi_reversi::rules::position::{ReversiPosition, ReversiTurn};

/// The only game of this form.
pub const GAME: GameName = GameName::Reversi;

const HEADER_BYTES: usize = 16;
const GAME_BYTES: usize = 68;
/// Offset of the first move in a game.
const MOVES_AT: usize = 8;

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// Whether the bytes begin with the date of a WTHOR file: century, year, month, day.
pub(crate) fn is_dated(bytes: &[u8]) -> bool {
    bytes.first_chunk::<4>().is_some_and(|&[century, year, month, day]| {
        (19..=29).contains(&century) && year < 100 && month <= 12 && day <= 31
    })
}

/// Whether the bytes begin with the header of a game base of 8x8 boards.
pub fn is_wthor(bytes: &[u8]) -> bool {
    let header = u16_at(bytes, 8) == Some(0) && bytes.get(12).is_some_and(|&size| size == 0 || size == 8);
    is_dated(bytes) && header && bytes.len() >= HEADER_BYTES
}

/// Reads all games; line numbers of faults are the numbers of games.
pub fn read(bytes: &[u8]) -> Vec<Item> {
    let remarks = u32_at(bytes, 4).and_then(|games| usize::try_from(games).ok()).unwrap_or(0);
    let body = bytes.get(HEADER_BYTES..).unwrap_or_default();
    let mut items: Vec<Item> = body
        .chunks_exact(GAME_BYTES)
        .take(remarks)
        .enumerate()
        .map(|(index, game)| Ok(read_game(game, index + 1)))
        .collect();
    if items.len() != remarks || body.len() != remarks.saturating_mul(GAME_BYTES) {
        let reason =
            format!("the header tells of {remarks} games, the file has {} bytes for them", body.len());
        items.push(Err(RecordFault::new(items.len() + 1, reason)));
    }
    items
}

fn read_game(bytes: &[u8], number: usize) -> GameRecord {
    let mut record = GameRecord::new(GAME, RecordFormat::Wthor, number, "startpos");
    for (key, at) in [("tournament", 0), ("black", 2), ("white", 4)] {
        record.tags.push((key.to_owned(), u16_at(bytes, at).unwrap_or(0).to_string()));
    }
    let headings =
        Headings { players: [&["black"], &["white"]], event: &["tournament"], ..Headings::default() };
    record.take_headings(headings);
    record.end = bytes.get(6).map(|black| format!("{black} black discs"));
    // Vacant squares count for the winner, so both sides have 64 together.
    record.ending =
        bytes.get(6).filter(|&&black| black <= 64).map(|&black| Ending::by_margin(2 * i32::from(black) - 64));
    let mut game = Passing::new(ReversiPosition::START);
    for &code in bytes.get(MOVES_AT..).unwrap_or_default().iter().take_while(|&&code| code != 0) {
        let (row, column) = (code / 10, code % 10);
        let pushed = if (1..=8).contains(&row) && (1..=8).contains(&column) {
            game.push(&mut record, ReversiTurn::Place(8 * (row - 1) + column - 1), number)
        } else {
            Err(RecordFault::new(
                number,
                format!("move {} is {code}, which is no square", record.plies.len() + 1),
            ))
        };
        if let Err(fault) = pushed {
            record.fault = Some(fault);
            break;
        }
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(games: &[&[u8]]) -> Vec<u8> {
        let mut bytes = vec![20, 26, 11, 20];
        bytes.extend((games.len() as u32).to_le_bytes());
        bytes.extend([0, 0, 0xea, 0x07, 8, 0, 0, 0]);
        for moves in games {
            let mut game = [0u8; GAME_BYTES];
            game[2..7].copy_from_slice(&[1, 0, 2, 0, 33]);
            game[MOVES_AT..MOVES_AT + moves.len()].copy_from_slice(moves);
            bytes.extend(game);
        }
        bytes
    }

    #[test]
    fn games_are_read() {
        let bytes = base(&[&[56, 64, 33], &[]]);
        assert!(is_wthor(&bytes));
        let items = read(&bytes);
        let first = items[0].as_ref().unwrap();
        let turns: Vec<_> = first.plies.iter().map(|ply| ply.turn.as_str()).collect();
        assert_eq!(turns, ["f5", "d6", "c3"]);
        assert_eq!((first.tag("white"), first.end.as_deref()), (Some("2"), Some("33 black discs")));
        assert_eq!((items.len(), items[1].as_ref().unwrap().plies.len()), (2, 0));
    }

    #[test]
    fn a_broken_base_is_reported_by_the_number_of_the_game() {
        let items = read(&base(&[&[56, 56], &[99]]));
        assert_eq!(items[0].as_ref().unwrap().fault.as_ref().unwrap().line, 1);
        assert_eq!(items[1].as_ref().unwrap().fault.as_ref().unwrap().line, 2);
        let mut cut = base(&[&[56], &[56]]);
        cut.truncate(100);
        let items = read(&cut);
        assert!(items[0].is_ok() && items[1].is_err());
        assert!(!is_wthor(b"f5d6c3d3f5d6c3d3f5d6"));
        assert!(!is_wthor(b""));
    }

    #[test]
    fn a_base_is_known_by_its_header() {
        let header = |change: &dyn Fn(&mut [u8])| {
            let mut bytes = base(&[]);
            change(&mut bytes);
            is_wthor(&bytes)
        };
        for (place, value, known) in [
            (0, 19, true),
            (0, 29, true),
            (0, 18, false),
            (0, 30, false),
            (1, 99, true),
            (1, 100, false),
            (2, 12, true),
            (2, 13, false),
            (3, 31, true),
            (3, 32, false),
            (8, 1, false),
            (9, 1, false),
            (12, 0, true),
            (12, 10, false),
        ] {
            assert_eq!(header(&|bytes| bytes[place] = value), known, "byte {place} is {value}");
        }
        assert!(is_wthor(&base(&[])[..16]) && !is_wthor(&base(&[])[..15]));
    }

    #[test]
    fn ends_and_names_are_numbers() {
        let mut bytes = base(&[&[56], &[56]]);
        bytes[HEADER_BYTES + GAME_BYTES + 6] = 65;
        bytes[HEADER_BYTES + 1] = 2;
        let records: Vec<_> = read(&bytes).into_iter().map(Result::unwrap).collect();
        assert_eq!(records[0].ending, Some(Ending::by_margin(2)));
        assert_eq!((&records[0].event, &records[0].players[0]), (&"512".to_owned(), &"1".to_owned()));
        assert_eq!(records[1].ending, None);
        for code in [9, 10, 19, 90, 99] {
            let record = read(&base(&[&[56, code]])).remove(0).unwrap();
            let reason = record.fault.unwrap().reason;
            assert_eq!(reason, format!("move 2 is {code}, which is no square"));
        }
        let mut more = base(&[&[56]]);
        more.push(0);
        assert!(
            read(&more)[1].as_ref().is_err_and(|fault| fault.line == 2 && fault.reason.contains("1 games"))
        );
    }
}
