//! Games as files that other programs of these games read.
//!
//! | game | formats |
//! |---|---|
//! | shogi | KIF (one file per game: `.kifu` in UTF-8, `.kif` in Shift_JIS), CSA (all games in one file), USI lines |
//! | Reversi | GGF (one game per line), transcripts |
//! | Sygo | `.sygo` turn lists |
//!
//! All are written from positions that our own rules produced, see [`super::replay`].

use std::fs;
use std::path::Path;

use anyhow::Context;

use super::journal::{EngineInfo, Game, Journal, Move, Played};
use super::replay::{self, Replay};
use crate::game::Side;

pub mod csa;
pub mod ggf;
pub mod kif;
pub mod lines;
pub mod shogi_board;
pub mod sygo;

/// One game with all that a record tells of it.
pub struct Record<'a> {
    /// The match it belongs to.
    pub journal: &'a Journal,
    /// The game and its moves.
    pub played: &'a Played,
    /// The positions it went through.
    pub replay: Replay,
}

impl<'a> Record<'a> {
    /// The record of one game of `journal`.
    ///
    /// # Errors
    /// If the game or its start position is unknown.
    pub fn new(journal: &'a Journal, played: &'a Played) -> anyhow::Result<Record<'a>> {
        let rules = replay::rules_of(journal)?;
        let replay = Replay::new(rules.as_ref(), played)
            .with_context(|| format!("pair {} game {}", played.game.pair + 1, played.game.game + 1))?;
        Ok(Record { journal, played, replay })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.played.game
    }

    /// What the engine told about ply `index`; nothing for turns of the opening.
    pub fn told(&self, index: usize) -> Option<&Move> {
        self.played.moves.get(index.checked_sub(self.replay.opening)?)
    }

    /// The name of the player on `side`, on one line.
    pub fn name(&self, side: Side) -> String {
        one_line(self.game().name(side))
    }

    /// The engine on `side`.
    pub fn engine(&self, side: Side) -> Option<&EngineInfo> {
        let name = self.game().name(side);
        self.journal.open.engines.iter().find(|engine| engine.name == name)
    }

    /// The limit of both players, if it is the same.
    pub fn limit(&self) -> Option<&str> {
        let [first, second] = [Side::First, Side::Second].map(|side| self.engine(side));
        let (first, second) = (first?, second?);
        (first.limit == second.limit).then_some(first.limit.as_str())
    }

    /// The start as `2026/11/20 16:00:00`, if it is known.
    pub fn started(&self) -> Option<String> {
        let t0 = self.game().t0.get(..19)?;
        Some(t0.replace('-', "/").replace('T', " "))
    }

    /// Whole seconds of each ply: differences of the rounded-down sums of its player, so that the
    /// sums stay right in formats that know whole seconds only.
    pub fn whole_seconds(&self) -> Vec<u64> {
        let mut sums = [0u64; 2];
        let plies = self.replay.plies.iter().enumerate();
        plies
            .map(|(index, ply)| {
                let sum = &mut sums[ply.mover.index()];
                let before = *sum / 1_000_000;
                *sum += self.told(index).map_or(0, |told| told.used_us);
                *sum / 1_000_000 - before
            })
            .collect()
    }
}

/// A text without line breaks and other control characters.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A limit as the journal writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Seconds on the clock at the start.
    pub main: f64,
    /// Seconds added for each move.
    pub increment: f64,
    /// Seconds for each move once the clock is empty.
    pub byoyomi: f64,
}

impl Clock {
    /// Reads `tc=10+0.1`, `tc=300/30` or `byoyomi=1`; `None` where no clock runs.
    pub fn parse(limit: &str) -> Option<Clock> {
        if let Some(byoyomi) = limit.strip_prefix("byoyomi=") {
            return Some(Clock { byoyomi: byoyomi.parse().ok()?, ..Clock::default() });
        }
        let text = limit.strip_prefix("tc=")?;
        let (text, byoyomi) = match text.split_once('/') {
            Some((text, byoyomi)) => (text, byoyomi.parse().ok()?),
            None => (text, 0.0),
        };
        let (main, increment) = match text.split_once('+') {
            Some((main, increment)) => (main, increment.parse().ok()?),
            None => (text, 0.0),
        };
        Some(Clock { main: main.parse().ok()?, increment, byoyomi })
    }
}

/// Writes all games of a match below `folder`, in every format of its game.
///
/// # Errors
/// A game that cannot be replayed, or a file that cannot be written; names which.
pub fn write_all(journal: &Journal, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let records: Vec<Record> =
        journal.games.iter().map(|played| Record::new(journal, played)).collect::<anyhow::Result<_>>()?;
    match journal.open.game.as_str() {
        "shogi" => {
            let kif = folder.join("kif");
            fs::create_dir_all(&kif).with_context(|| format!("cannot create {}", kif.display()))?;
            for record in &records {
                let game = record.game();
                let name = format!("{:05}-{}", game.pair + 1, game.game + 1);
                let text = kif::write(record);
                put(&kif, &format!("{name}.kifu"), text.as_bytes())?;
                if let Some(bytes) = kif::shift_jis(&text) {
                    put(&kif, &format!("{name}.kif"), &bytes)?;
                }
            }
            let csa: Vec<String> =
                records.iter().map(|record| csa::write(record, csa::Version::V2)).collect();
            put(folder, "games.csa", csa.join("/\n").as_bytes())?;
            put(folder, "games.usi", lines::usi(&records).as_bytes())
        }
        "reversi" => {
            put(folder, "games.ggf", records.iter().map(ggf::write).collect::<String>().as_bytes())?;
            put(folder, "games.txt", lines::transcripts(&records).as_bytes())
        }
        _ => {
            let games: Vec<String> = records.iter().map(sygo::write).collect();
            put(folder, "games.sygo", games.join("\n").as_bytes())
        }
    }
}

fn put(folder: &Path, name: &str, text: &[u8]) -> anyhow::Result<()> {
    let path = folder.join(name);
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests;
