//! Openings: records and position lists of every form, checked by our own rules when loaded, and
//! lengthened by random plies on request.

pub mod symmetry;

use std::path::Path;

use anyhow::{Context, anyhow};

use super::config::Config;
use super::schedule::ScheduleRandom;
use crate::dialogue::speaker::GameStart;
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::PASS;
use kaeshi_core::random::drawn_at;
use kaeshi_engine::games::GameName;
use kaeshi_records as records;
use kaeshi_records::GameRecord;
use kaeshi_records::referee::{RefereeBoard, RefereeRules};

/// Attempts to find random plies that do not end the game.
const ATTEMPTS: u64 = 1000;

impl GameStart {
    /// The usual start of a game.
    ///
    /// # Errors
    /// A board size that the game does not have.
    pub fn usual(rules: &dyn RefereeRules, size: Option<u8>) -> Result<GameStart, String> {
        let facts = rules.facts();
        let size = size.unwrap_or(facts.boards.usual_size);
        let board = rules.board_of_size(size).map_err(|error| error.to_string())?;
        Ok(GameStart {
            game: facts.name,
            size,
            position: (size != facts.boards.usual_size).then(|| board.text()),
            mover: Some(board.side_to_move()),
            turns: Vec::new(),
        })
    }

    /// What stands after `position ` in USI or UGI.
    pub fn text(&self) -> String {
        let mut text = match (&self.position, GameName::facts_of(self.game)) {
            (None, _) => "startpos".to_owned(),
            (Some(position), Some(facts)) => facts.notation.position_argument(position),
            (Some(position), None) => position.clone(),
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
    pub(super) fn board(&self, rules: &dyn RefereeRules) -> Result<Box<dyn RefereeBoard>, String> {
        let mut board = rules.board(self.position.as_deref()).map_err(|error| error.to_string())?;
        for (_, turn) in &self.turns {
            board.play(turn).map_err(|error| error.to_string())?;
        }
        Ok(board)
    }

    /// The position and the turns of a record.
    ///
    /// # Errors
    /// What is illegal, or that the game is over already.
    fn of_record(
        rules: &dyn RefereeRules,
        usual: &GameStart,
        record: &GameRecord,
    ) -> Result<GameStart, String> {
        let word = format!("{} ", rules.facts().notation.position_word);
        let position = match record.start.as_str() {
            "startpos" => usual.position.clone(),
            start => Some(start.strip_prefix(&word).unwrap_or(start).to_owned()),
        };
        let mut board = rules.board(position.as_deref()).map_err(|error| error.to_string())?;
        let mover = Some(board.side_to_move());
        let mut start =
            GameStart { position, size: board.picture().columns, mover, turns: Vec::new(), ..usual.clone() };
        for (ply, number) in record.plies.iter().zip(1..) {
            // Lists of turns leave out passes of a side that has nothing else.
            if ply.turn != PASS && board.turns() == [PASS] {
                start.turns.push((board.side_to_move(), PASS.to_owned()));
                board.play(PASS).map_err(|error| error.to_string())?;
            }
            let side = board.side_to_move();
            let turn = board.play(&ply.turn).map_err(|error| format!("turn {number}: {error}"))?;
            start.turns.push((side, turn));
        }
        if board.outcome().is_some() {
            return Err(
                "the game is over in this position; --opening-plies keeps its first turns only".into()
            );
        }
        Ok(start)
    }
}

/// The word that asks for no openings.
const NONE: &str = "none";

/// The openings of a match: those of its file; without one those that come with the program (balanced by our own
/// search at few nodes; docs/reference/match.md has the commands that made them), unless random plies are
/// asked for or the file is called `none`.
///
/// # Errors
/// As for [`load`].
pub fn chosen(
    config: &Config,
    rules: &dyn RefereeRules,
    usual: &GameStart,
) -> anyhow::Result<Vec<GameStart>> {
    match &config.openings {
        _ if config.handicap.is_some() => Ok(Vec::new()),
        Some(path) if path.as_os_str() == NONE => Ok(Vec::new()),
        Some(path) => load(rules, usual, path, config.opening_plies),
        None if config.random_plies.is_some_and(|plies| plies > 0) => Ok(Vec::new()),
        None => (rules.facts().boards.openings)(usual.size).map_or(Ok(Vec::new()), |text| {
            parse(rules, usual, text.as_bytes(), config.opening_plies).map_err(anyhow::Error::msg)
        }),
    }
}

/// Reads openings in any form of [`kaeshi_records`]: position lines, OBF, transcripts, game records.
/// They are checked by the rules.
///
/// # Errors
/// The first thing that cannot be read or is illegal, with its line; no opening at all.
fn parse(
    rules: &dyn RefereeRules,
    usual: &GameStart,
    bytes: &[u8],
    plies: Option<usize>,
) -> Result<Vec<GameStart>, String> {
    let mut openings = Vec::new();
    for item in records::read(bytes, GameName::parse(usual.game)) {
        let mut record = match item {
            Ok(GameRecord { fault: Some(fault), .. }) | Err(fault) => return Err(fault.to_string()),
            Ok(record) => record,
        };
        record.plies.truncate(plies.unwrap_or(usize::MAX));
        let opening = GameStart::of_record(rules, usual, &record);
        openings.push(opening.map_err(|why| format!("line {}: {why}", record.line))?);
    }
    if openings.is_empty() { Err("there is no opening in it".into()) } else { Ok(openings) }
}

/// Reads a file of openings in any form, `plies` turns of each at most.
///
/// # Errors
/// The first thing that cannot be read or is illegal, with its line.
pub fn load(
    rules: &dyn RefereeRules,
    usual: &GameStart,
    path: &Path,
    plies: Option<usize>,
) -> anyhow::Result<Vec<GameStart>> {
    let shown = path.display();
    let bytes = files::read_piped(path, FileKind::RECORDS)
        .with_context(|| format!("cannot read the openings {shown}"))?;
    parse(rules, usual, &bytes, plies).map_err(|why| anyhow!("{shown}, {why}"))
}

/// Adds `plies` random turns, drawn uniformly by `seed` from the legal ones that may open a game.
///
/// # Errors
/// No such turns were found that leave the game running.
pub fn extend_opening(
    rules: &dyn RefereeRules,
    start: &GameStart,
    plies: u32,
    seed: u64,
) -> Result<GameStart, String> {
    for attempt in 0..ATTEMPTS {
        let mut random = ScheduleRandom::new(drawn_at(seed, attempt));
        let mut longer = start.clone();
        let mut board = start.board(rules)?;
        for _ in 0..plies {
            let mut turns = board.turns();
            turns.retain(|turn| (rules.facts().boards.may_open)(turn));
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
