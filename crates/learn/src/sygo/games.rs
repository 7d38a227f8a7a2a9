//! Finished games of self-play, read back from `.sygo` files.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use kaeshi_core::files::{self, FileKind};
use kaeshi_records::{GameRecord, sygo_list};
use kaeshi_sygo::rules;
use kaeshi_sygo::rules::notation;
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::turn::SygoTurn;
use kaeshi_sygo::search::montecarlo::Visits;

/// The tag of a game with visits, and the version of their form.
pub(super) const VISITS: &str = "Visits";
pub(super) const VISITS_VERSION: &str = "1";

/// A finished game.
#[derive(Clone, Debug)]
pub struct PlayedSygoGame {
    /// The start position.
    pub start: SygoPosition,
    /// All turns.
    pub turns: Vec<SygoTurn>,
    /// The random ones among them, counted from 0.
    pub random: BTreeSet<usize>,
    /// By turn, the result of the search, if there was one.
    pub searches: Vec<Option<TurnSearch>>,
}

/// The result of the search at a turn.
#[derive(Clone, Debug)]
pub struct TurnSearch {
    /// Its value, from -1 to 1 for the side to move.
    pub value: f64,
    /// The text of its visits, for [`Visits::parse`].
    pub visits: String,
}

impl TurnSearch {
    /// # Errors
    /// The text has no value, or one outside of its range.
    fn parse(visits: &str) -> anyhow::Result<TurnSearch> {
        let value: Option<f64> = visits.split_whitespace().nth(1).and_then(|word| word.parse().ok());
        let value = value.filter(|value| (-1.0..=1.0).contains(value));
        let value = value.with_context(|| format!("visits: no worth from -1 to 1 in {{{visits}}}"))?;
        Ok(TurnSearch { value, visits: visits.to_owned() })
    }
}

/// The games of a file.
///
/// # Errors
/// The file cannot be read, or a game is not whole.
pub fn read(path: &Path) -> anyhow::Result<Vec<PlayedSygoGame>> {
    let place = || path.display().to_string();
    let text = files::read_text(path, FileKind::GAMES).with_context(|| format!("cannot read {}", place()))?;
    parse(&text).with_context(place)
}

/// Reads the games of a text.
///
/// # Errors
/// As those of [`read`].
pub(super) fn parse(text: &str) -> anyhow::Result<Vec<PlayedSygoGame>> {
    let mut games = Vec::new();
    for item in sygo_list::read(text) {
        let record = item.map_err(|fault| anyhow::anyhow!("{fault}"))?;
        if let Some(fault) = &record.fault {
            bail!("{fault}");
        }
        games.push(played(&record).with_context(|| format!("the game that begins in line {}", record.line))?);
    }
    Ok(games)
}

fn played(record: &GameRecord) -> anyhow::Result<PlayedSygoGame> {
    let with_visits = has_visits(record)?;
    let start = record.start.strip_prefix("fen ").unwrap_or(&record.start);
    let start = notation::parse_position(start).map_err(|error| anyhow::anyhow!("{error}"))?;
    let mut position = start.clone();
    let mut game = PlayedSygoGame { start, turns: Vec::new(), random: random(record)?, searches: Vec::new() };
    for (index, ply) in record.plies.iter().enumerate() {
        let turn = notation::parse_turn(position.board.size(), &ply.turn)
            .map_err(|error| anyhow::anyhow!("{error}"))?;
        let place = || format!("turn {}, {}", index + 1, ply.turn);
        rules::check(&position, &turn).with_context(place)?;
        let comments = ply.remarks.as_ref().map(|remarks| &remarks.comments[..]).unwrap_or_default();
        let visits = comments.iter().find(|text| with_visits && Visits::is_text(text));
        game.searches.push(visits.map(|text| TurnSearch::parse(text)).transpose().with_context(place)?);
        position.play(&turn);
        game.turns.push(turn);
    }
    ensure!(position.is_over(), "it is not over");
    if let Some(stated) = record.ending.as_ref().and_then(|ending| ending.margin) {
        // Other turns than those that were played nearly always lead to another result.
        let margin = rules::margin(&position.board);
        ensure!(stated == margin, "White is ahead by {margin} at its end, and its result says {stated}");
    }
    Ok(game)
}

/// Which turns were random, counted from 0. Older files do not say: then all that may have been so count as such.
///
/// # Errors
/// A number that is not one of the turns.
fn random(record: &GameRecord) -> anyhow::Result<BTreeSet<usize>> {
    let turns = record.plies.len();
    match record.tag("Random") {
        Some(places) => {
            let index = |word: &str| {
                let index = word.parse::<usize>().ok().and_then(|place| place.checked_sub(1));
                index
                    .filter(|index| *index < turns)
                    .with_context(|| format!("[Random \"{places}\"]: {word} is not one of the {turns} turns"))
            };
            places.split_whitespace().map(index).collect()
        }
        None => {
            let settings = record.tag("Settings").unwrap_or_default();
            let most = settings.split(" to ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
            Ok((0..most.unwrap_or(0).min(turns)).collect())
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
