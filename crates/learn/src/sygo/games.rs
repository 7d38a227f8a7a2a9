//! Finished games of self-play, read back from `.sygo` files.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use crate::sygo::selfplay::{VISITS, VISITS_VERSION};
use kaeshi_core::files::{self, FileKind};
use kaeshi_records::{GameRecord, sygo_list};
use kaeshi_sygo::rules;
use kaeshi_sygo::rules::notation;
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::turn::SygoTurn;
use kaeshi_sygo::search::montecarlo::Visits;

/// A finished game.
#[derive(Clone, Debug)]
pub struct PlayedSygoGame {
    /// Where it began.
    pub start: SygoPosition,
    /// All turns.
    pub turns: Vec<SygoTurn>,
    /// The random ones among them, counted from 0.
    pub random: BTreeSet<usize>,
    /// By turn, the text of what the search visited there, for [`Visits::parse`].
    pub visits: Vec<Option<String>>,
}

/// The games of a file.
///
/// # Errors
/// The file cannot be read, or a game is not whole.
pub fn read(path: &Path) -> anyhow::Result<Vec<PlayedSygoGame>> {
    let place = || path.display().to_string();
    let text = files::read_text(path, FileKind::GAMES).with_context(|| format!("cannot read {}", place()))?;
    let mut games = Vec::new();
    for item in sygo_list::read(&text) {
        let record = item.map_err(|fault| anyhow::anyhow!("{fault}")).with_context(place)?;
        ensure!(record.fault.is_none(), "{}: {:?}", place(), record.fault);
        games.push(played(&record).with_context(place)?);
    }
    Ok(games)
}

fn played(record: &GameRecord) -> anyhow::Result<PlayedSygoGame> {
    let with_visits = has_visits(record)?;
    let start = record.start.strip_prefix("fen ").unwrap_or(&record.start);
    let start = notation::parse_position(start).map_err(|error| anyhow::anyhow!("{error}"))?;
    let mut position = start.clone();
    let mut game = PlayedSygoGame { start, turns: Vec::new(), random: random(record), visits: Vec::new() };
    for (index, ply) in record.plies.iter().enumerate() {
        let turn = notation::parse_turn(position.board.size(), &ply.turn)
            .map_err(|error| anyhow::anyhow!("{error}"))?;
        rules::check(&position, &turn).with_context(|| format!("turn {}, {}", index + 1, ply.turn))?;
        let comments = ply.remarks.as_ref().map(|remarks| &remarks.comments[..]).unwrap_or_default();
        game.visits.push(comments.iter().find(|text| with_visits && Visits::is_text(text)).cloned());
        position.play(&turn);
        game.turns.push(turn);
    }
    ensure!(position.is_over(), "a game is not over");
    Ok(game)
}

/// Which turns were random, counted from 0. Older files do not say: then all that may have been so count as such.
fn random(record: &GameRecord) -> BTreeSet<usize> {
    match record.tag("Random") {
        Some(places) => {
            let places = places.split_whitespace().filter_map(|place| place.parse::<usize>().ok());
            places.filter_map(|place| place.checked_sub(1)).collect()
        }
        None => {
            let settings = record.tag("Settings").unwrap_or_default();
            let most = settings.split(" to ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
            (0..most.unwrap_or(0)).collect()
        }
    }
}

/// Whether a game says how often its turns were visited.
///
/// # Errors
/// It does so in another version of the form.
fn has_visits(record: &GameRecord) -> anyhow::Result<bool> {
    match record.tag(VISITS) {
        None => Ok(false),
        Some(VISITS_VERSION) => Ok(true),
        Some(other) => bail!("[{VISITS} \"{other}\"] is another version than {VISITS_VERSION}"),
    }
}
