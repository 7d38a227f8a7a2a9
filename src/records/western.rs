//! Games of shogi for readers of European languages: a line each, the moves in Western notation.

use super::{Record, lines, shogi_line};
use crate::game::Rejected;
use crate::games::GameName;
use crate::shogi::rules::western;

/// The only game of this form.
pub const GAME: GameName = GameName::Shogi;

/// `position startpos moves P-7f P-3d …`, a tab, and how it ended; read as any other position line.
///
/// # Errors
/// A record that is not legal shogi.
pub fn write(record: &Record) -> Result<String, Rejected> {
    let mut words = Vec::new();
    shogi_line::walk(record, |_, position, mv| words.push(western::format_move(position, mv)))?;
    let mut written = record.clone();
    for (ply, word) in written.plies.iter_mut().zip(words) {
        ply.turn = word;
    }
    Ok(lines::write(&written))
}
