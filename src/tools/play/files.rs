//! Records and positions in and out.

use super::tree::Tree;
use super::view::{Over, Reason};
use crate::games::GameName;
use crate::records::{self, Record};

/// A game that was read.
pub(super) struct Read {
    /// Which game.
    pub game: GameName,
    /// Where it begins.
    pub start: String,
    /// Its turns.
    pub turns: Vec<String>,
    /// The players, first mover first.
    pub names: [String; 2],
}

/// A game to be written.
pub(super) struct Written<'a> {
    /// Which game.
    pub game: GameName,
    /// The game with its variations; the main line is written.
    pub tree: &'a dyn Tree,
    /// The position that is shown.
    pub node: usize,
    /// The players, first mover first.
    pub names: [String; 2],
    /// How it ended.
    pub over: Option<Over>,
}

/// The forms in which a game is written, the usual one first.
pub(super) fn forms(game: GameName) -> &'static [&'static str] {
    match game {
        GameName::Shogi => &["usi", "sfen"],
        GameName::Reversi => &["txt", "obf"],
        GameName::Sygo => &["sygo", "fen"],
    }
}

/// The first game or position that the bytes hold; `game` settles what they leave open.
///
/// # Errors
/// Why they hold none.
pub(super) fn read(bytes: &[u8], game: GameName) -> Result<Read, Reason> {
    let first = |wanted| records::read(bytes, wanted).into_iter().next();
    let found: Option<Record> = match first(None) {
        Some(Ok(record)) => Some(record),
        Some(Err(fault)) => match first(Some(game)) {
            Some(Ok(record)) => Some(record),
            _ => return Err(Reason::told("bad-record", fault)),
        },
        None => None,
    };
    let record = found.ok_or_else(|| Reason::new("no-record"))?;
    if let Some(fault) = &record.fault {
        return Err(Reason::told("bad-record", fault));
    }
    let name = |name: &String| name.chars().filter(|c| !c.is_control()).take(60).collect();
    Ok(Read {
        game: record.game,
        names: record.players.each_ref().map(name),
        start: record.start.clone(),
        turns: record.plies.iter().map(|ply| ply.turn.clone()).collect(),
    })
}

/// The game in this form: name of the file, and its bytes.
///
/// # Errors
/// If the game is not written in this form.
pub(super) fn write(written: &Written, form: &str) -> Result<(String, Vec<u8>), Reason> {
    if !forms(written.game).contains(&form) {
        let known = forms(written.game).join(", ");
        return Err(Reason::told("bad-record", format!("'{form}' is none of the forms {known}")));
    }
    let text = match form {
        "sfen" | "obf" | "fen" => written.tree.position(written.node) + "\n",
        _ => game(written, form)?,
    };
    Ok((format!("{}.{form}", written.game.name()), text.into_bytes()))
}

/// The main line as text.
fn game(written: &Written, form: &str) -> Result<String, Reason> {
    let turns = written.tree.turns(written.tree.main_end(0));
    Ok(match form {
        "sygo" => {
            let [white, black] = written.names.each_ref().map(|name| name.replace(['"', ']'], "'"));
            let start = written.tree.start().trim_start_matches("fen ");
            let mut text =
                format!("[Sygo \"1\"] [Position \"{start}\"] [White \"{white}\"] [Black \"{black}\"]\n");
            for (index, turn) in turns.iter().enumerate() {
                text += &format!("{}. {turn}\n", index + 1);
            }
            if let Some(over) = &written.over {
                let winner = over.winner.map_or("draw".to_owned(), |side| {
                    format!("{}+{}", ["W", "B"][side % 2], over.margin.abs())
                });
                text += &format!("[Result \"{winner}\"]\n");
            }
            text
        }
        _ => format!("position {} moves {}\n", written.tree.start(), turns.join(" ")),
    })
}
