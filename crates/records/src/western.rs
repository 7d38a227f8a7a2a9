//! Games of shogi for readers of European languages: a line each, the moves in Western notation.

use super::{GameRecord, position_line, shogi_line};
use kaeshi_core::game::GameError;
use kaeshi_engine::games::GameName;
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::types::Move;
use kaeshi_shogi::rules::western;

/// The only game of this form.
pub const GAME: GameName = GameName::Shogi;

/// A legal move in Western notation, such as `P-7f`.
pub fn move_text(position: &ShogiPosition, mv: Move) -> String {
    western::format_move(position, mv)
}

/// Puts USI's words in the place of Western ones, as far as the moves are legal.
pub fn into_usi(record: &mut GameRecord) {
    if record.game != GAME || !record.plies.iter().any(|ply| western::is_move(&ply.turn)) {
        return;
    }
    let mut words = Vec::new();
    // The caller that plays the moves reports faults.
    let _ = shogi_line::walk(record, |_, _, mv| words.push(mv.to_string()));
    for (ply, word) in record.plies.iter_mut().zip(words) {
        ply.turn = word;
    }
}

/// `position startpos moves P-7f P-3d …`, a tab, and how it ended; read as any other position line.
///
/// # Errors
/// A record that is not legal shogi.
pub fn write(record: &GameRecord) -> Result<String, GameError> {
    let mut words = Vec::new();
    shogi_line::walk(record, |_, position, mv| words.push(move_text(position, mv)))?;
    let mut written = record.clone();
    for (ply, word) in written.plies.iter_mut().zip(words) {
        ply.turn = word;
    }
    Ok(position_line::write(&written))
}

#[cfg(test)]
mod tests {
    use crate::read;

    #[test]
    fn moves_that_are_read_are_those_of_usi() {
        let turns = |text: &str| {
            let record = read(text.as_bytes(), None).remove(0).expect("a record");
            record.plies.iter().map(|ply| ply.turn.clone()).collect::<Vec<_>>()
        };
        assert_eq!(turns("startpos moves 1. P-7f 2. P-3d 3. Bx2b+"), ["7g7f", "3c3d", "8h2b+"]);
        // An illegal move stays as it is written, for the caller that plays it.
        assert_eq!(turns("startpos moves P-7f P-9a P-2f"), ["7g7f", "P-9a", "P-2f"]);
    }
}
