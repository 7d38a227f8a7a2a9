//! Openings: read from files in every usual form, checked by our own rules when loaded, and
//! lengthened by random plies on request.

pub mod make;
pub mod symmetry;

use std::path::Path;

use anyhow::{Context, anyhow};

use super::config::Config;
use super::schedule::{Random, mix};
use crate::dialogue::speaker::Start;
use crate::referee::{Board, Rules};

/// Attempts to find random plies that do not end the game.
const ATTEMPTS: u64 = 1000;

impl Start {
    /// The usual start of a game.
    ///
    /// # Errors
    /// A board size that the game does not have.
    pub fn usual(rules: &dyn Rules, size: Option<u8>) -> Result<Start, String> {
        let position = match (rules.name(), size) {
            (_, None) => None,
            ("sygo", Some(size @ 3..=19)) => {
                let row = size.to_string();
                let rows = vec![row; usize::from(size)].join("/");
                (size != 19).then(|| format!("{rows} w - 0 1"))
            }
            ("sygo", Some(size)) => return Err(format!("Sygo boards have 3 to 19 points, not {size}")),
            ("reversi", Some(8)) | ("shogi", Some(9)) => None,
            (game, Some(size)) => return Err(format!("{game} has no board of size {size}")),
        };
        let board = rules.board(position.as_deref()).map_err(|error| error.to_string())?;
        Ok(Start {
            game: rules.name(),
            size: size.unwrap_or(match rules.name() {
                "shogi" => 9,
                "reversi" => 8,
                _ => 19,
            }),
            position,
            mover: Some(board.side_to_move()),
            turns: Vec::new(),
        })
    }

    /// What stands after `position ` in USI or UGI.
    pub fn text(&self) -> String {
        let mut text = match (&self.position, self.game) {
            (None, _) => "startpos".to_owned(),
            (Some(position), "shogi") => format!("sfen {position}"),
            (Some(position), _) => format!("fen {position}"),
        };
        if !self.turns.is_empty() {
            text.push_str(" moves");
        }
        for (_, turn) in &self.turns {
            text.push(' ');
            text.push_str(turn);
        }
        text
    }

    /// Plays the opening out.
    fn board(&self, rules: &dyn Rules) -> Result<Box<dyn Board>, String> {
        let mut board = rules.board(self.position.as_deref()).map_err(|error| error.to_string())?;
        for (_, turn) in &self.turns {
            board.play(turn).map_err(|error| error.to_string())?;
        }
        Ok(board)
    }
}

/// Reads one line: `startpos moves …`, `sfen …`, `fen …`, a bare position text or OBF, a list of
/// turns, or a Reversi transcript. `None` for an empty line or a mere comment.
///
/// # Errors
/// What is illegal, unreadable or over already.
pub fn parse_line(rules: &dyn Rules, usual: &Start, line: &str) -> Result<Option<Start>, String> {
    let line = line.trim_start_matches('\u{feff}').split(['\t', ';', '#']).next().unwrap_or_default().trim();
    let line = line.strip_prefix("position ").unwrap_or(line).trim();
    if line.is_empty() {
        return Ok(None);
    }
    let (head, turns) = match line.split_once(" moves") {
        Some((head, turns)) => (head.trim(), turns.trim()),
        None => (line, ""),
    };
    let (position, turns) = if head == "startpos" {
        (usual.position.clone(), turns.to_owned())
    } else if let Some(text) = head.strip_prefix("sfen ").or_else(|| head.strip_prefix("fen ")) {
        (Some(text.trim().to_owned()), turns.to_owned())
    } else if head.contains('/')
        || head.split(' ').next().is_some_and(|word| word.len() >= 64) && !is_transcript(head)
    {
        (Some(head.to_owned()), turns.to_owned())
    } else if usual.game == "reversi" && is_transcript(head) {
        let pairs: Vec<&str> =
            head.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok()).collect();
        (usual.position.clone(), pairs.join(" "))
    } else {
        (usual.position.clone(), head.to_owned())
    };
    let mut board = rules.board(position.as_deref()).map_err(|error| error.to_string())?;
    let size = match (&position, usual.game) {
        (Some(text), "sygo") => {
            text.split(' ').next().map_or(usual.size, |rows| rows.split('/').count() as u8)
        }
        _ => usual.size,
    };
    let mut start =
        Start { position, size, mover: Some(board.side_to_move()), turns: Vec::new(), ..usual.clone() };
    let numbered = |word: &str| word.strip_suffix('.').is_some_and(|number| number.parse::<u32>().is_ok());
    for (index, turn) in turns.split_whitespace().filter(|word| !numbered(word)).enumerate() {
        let mut side = board.side_to_move();
        let played = board.play(turn).or_else(|error| {
            // Transcripts leave passes out.
            if usual.game != "reversi" || turn == "pass" || board.play("pass").is_err() {
                return Err(error);
            }
            start.turns.push((side, "pass".into()));
            side = board.side_to_move();
            board.play(turn)
        });
        let turn = played.map_err(|error| format!("turn {}: {error}", index + 1))?;
        start.turns.push((side, turn));
    }
    if board.outcome().is_some() {
        return Err("the game is over in this position".into());
    }
    Ok(Some(start))
}

/// `f5d6c3` and the like: squares without blanks.
fn is_transcript(text: &str) -> bool {
    text.len().is_multiple_of(2)
        && !text.is_empty()
        && text
            .as_bytes()
            .chunks(2)
            .all(|pair| pair[0].is_ascii_alphabetic() && (b'1'..=b'8').contains(&pair[1]))
}

/// The word that asks for no openings.
const NONE: &str = "none";

/// The openings that come with the program: balanced by our own search at few nodes. `kaeshi openings`
/// made them; docs/match.md has the commands.
fn bundled(game: &str, size: u8) -> Option<&'static str> {
    Some(match (game, size) {
        ("shogi", _) => include_str!("openings/shogi.txt"),
        ("reversi", _) => include_str!("openings/reversi.txt"),
        ("sygo", 9) => include_str!("openings/sygo-9.txt"),
        ("sygo", 13) => include_str!("openings/sygo-13.txt"),
        ("sygo", 19) => include_str!("openings/sygo-19.txt"),
        _ => return None,
    })
}

/// The openings of a match: those of its file; without one the bundled ones, unless random plies are
/// asked for or the file is called `none`.
///
/// # Errors
/// As for [`load`].
pub fn chosen(config: &Config, rules: &dyn Rules, usual: &Start) -> anyhow::Result<Vec<Start>> {
    match &config.openings {
        Some(path) if path.as_os_str() == NONE => Ok(Vec::new()),
        Some(path) => load(rules, usual, path),
        None if config.random_plies > 0 => Ok(Vec::new()),
        None => bundled(usual.game, usual.size)
            .map_or(Ok(Vec::new()), |text| parse(rules, usual, text).map_err(anyhow::Error::msg)),
    }
}

/// Reads openings, one a line.
///
/// # Errors
/// The first bad line, with its number; no opening at all.
fn parse(rules: &dyn Rules, usual: &Start, text: &str) -> Result<Vec<Start>, String> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match parse_line(rules, usual, line) {
            Ok(opening) => openings.extend(opening),
            Err(why) => return Err(format!("line {}: {why}: '{}'", index + 1, line.trim().escape_debug())),
        }
    }
    if openings.is_empty() { Err("there is no opening in it".into()) } else { Ok(openings) }
}

/// Reads a file of openings, one a line.
///
/// # Errors
/// The first bad line, with its number; a file without any opening.
pub fn load(rules: &dyn Rules, usual: &Start, path: &Path) -> anyhow::Result<Vec<Start>> {
    let shown = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read the openings {shown}"))?;
    parse(rules, usual, &String::from_utf8_lossy(&bytes)).map_err(|why| anyhow!("{shown}, {why}"))
}

/// Whether a Sygo turn puts down one stone that stands alone. Openings are made of these, so that
/// nobody has grown yet and Black still has the balancing turn.
fn is_placement(turn: &str) -> bool {
    !turn.starts_with('+') && turn != "pass"
}

/// Adds `plies` random turns, drawn uniformly from all legal ones by `seed`; in Sygo placements.
///
/// # Errors
/// No such turns were found that leave the game running.
pub fn lengthen(rules: &dyn Rules, start: &Start, plies: u32, seed: u64) -> Result<Start, String> {
    for attempt in 0..ATTEMPTS {
        let mut random = Random::new(mix(seed, attempt));
        let mut longer = start.clone();
        let mut board = start.board(rules)?;
        for _ in 0..plies {
            let mut turns = board.turns();
            if start.game == "sygo" {
                turns.retain(|turn| is_placement(turn));
            }
            if board.outcome().is_some() || turns.is_empty() {
                break;
            }
            let side = board.side_to_move();
            let turn = board.play(&turns[random.below(turns.len())]).map_err(|error| error.to_string())?;
            longer.turns.push((side, turn));
        }
        let complete = longer.turns.len() - start.turns.len() == plies as usize;
        if complete && board.outcome().is_none() && !board.turns().is_empty() {
            return Ok(longer);
        }
    }
    Err(format!("no {plies} random plies lead to a game that goes on"))
}

#[cfg(test)]
mod tests;
