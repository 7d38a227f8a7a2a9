//! Which positions of a game are analysed, by which shard, and how much thought they get.

use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::ValueEnum;

use kaeshi_core::driver::clock::{Limits, MateLimit};
use kaeshi_core::game::Side;
use kaeshi_core::game::facts::GameInfo;
use kaeshi_records::request::RequestOptions;

pub use crate::store::effort::{AnalysisEffort, SearchLimit};

/// What is forgotten between positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryScope {
    /// Everything: each answer depends on its question alone.
    Fresh,
    /// Nothing within a record: later positions of a game profit from earlier ones.
    Game,
}

/// `effort` with what a request wants otherwise.
pub fn requested_effort(effort: AnalysisEffort, requested: Option<&RequestOptions>) -> AnalysisEffort {
    let Some(requested) = requested else { return effort };
    let limit = None
        .or(requested.nodes.map(SearchLimit::Nodes))
        .or(requested.movetime.map(SearchLimit::Movetime))
        .or(requested.depth.map(SearchLimit::Depth))
        .or(requested.mate.map(SearchLimit::Mate))
        .unwrap_or(effort.limit);
    AnalysisEffort { limit, multipv: requested.multipv.unwrap_or(effort.multipv) }
}

/// The limits of a search, received now.
pub fn limits(effort: AnalysisEffort) -> Limits {
    let mut limits = Limits { received: Instant::now(), ..Limits::none() };
    match effort.limit {
        SearchLimit::Nodes(nodes) => limits.nodes = Some(nodes),
        SearchLimit::Movetime(ms) => limits.movetime = Some(Duration::from_millis(ms)),
        SearchLimit::Depth(depth) => limits.depth = Some(depth),
        SearchLimit::Mate(ms) => limits.mate = Some(MateLimit::Time(Duration::from_millis(ms))),
    }
    limits
}

/// Which positions of a game, by the number of turns before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnSelection(Vec<Range>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    Between(usize, usize),
    Last,
}

impl TurnSelection {
    /// Every position.
    pub fn all() -> TurnSelection {
        TurnSelection(vec![Range::Between(0, usize::MAX)])
    }

    /// The final position only.
    pub fn last() -> TurnSelection {
        TurnSelection(vec![Range::Last])
    }

    /// The chosen numbers for a game of `turns` turns, rising.
    pub fn of(&self, turns: usize) -> Vec<usize> {
        let chosen = |turn: usize| {
            self.0.iter().any(|range| match *range {
                Range::Between(first, last) => (first..=last).contains(&turn),
                Range::Last => turn == turns,
            })
        };
        (0..=turns).filter(|&turn| chosen(turn)).collect()
    }
}

impl FromStr for TurnSelection {
    type Err = String;

    /// Reads `20-60`, `20-`, `-60`, `0,10,20`, `last`, `all`, and lists of them.
    fn from_str(text: &str) -> Result<TurnSelection, String> {
        let refuse = || format!("'{text}' selects no turns: write 20-60, 20-, -60, 0,10,20, last or all");
        let number = |digits: &str, empty: usize| match digits {
            "" => Ok(empty),
            digits => digits.parse().map_err(|_| refuse()),
        };
        let mut ranges = Vec::new();
        for word in text.split(',').map(str::trim) {
            ranges.push(match (word, word.split_once('-')) {
                ("last", _) => Range::Last,
                ("all", _) => Range::Between(0, usize::MAX),
                ("" | "-", _) => return Err(refuse()),
                (_, Some((first, last))) => {
                    let (first, last) = (number(first, 0)?, number(last, usize::MAX)?);
                    if first > last {
                        return Err(refuse());
                    }
                    Range::Between(first, last)
                }
                (only, None) => {
                    let only = number(only, 0)?;
                    Range::Between(only, only)
                }
            });
        }
        Ok(TurnSelection(ranges))
    }
}

/// A side, as people call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Player {
    /// Moves first in the usual start position
    #[value(alias = "sente")]
    First,
    /// Moves second there
    #[value(alias = "gote")]
    Second,
    /// First in shogi and Reversi, second in Sygo
    Black,
    /// Second in shogi and Reversi, first in Sygo
    White,
}

impl Player {
    /// Whether that is `side` in a game with these facts.
    pub fn is(self, side: Side, facts: &GameInfo) -> bool {
        match self {
            Player::First => side == Side::First,
            Player::Second => side == Side::Second,
            Player::Black => facts.colour(side) == "Black",
            Player::White => facts.colour(side) == "White",
        }
    }
}

/// One part of the work of several machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    pub index: u64,
    /// How many there are.
    pub of: u64,
}

impl Shard {
    /// Reads `2/7`, `auto/7` (number from `SLURM_ARRAY_TASK_ID` or `JOB_COMPLETION_INDEX`), or `auto`
    /// (count from `SLURM_ARRAY_TASK_COUNT`, too). `variable` looks variables up.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn parse(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Shard, String> {
        let number = |name: &str| -> Result<Option<u64>, String> {
            match variable(name) {
                None => Ok(None),
                Some(value) => {
                    value.trim().parse().map(Some).map_err(|_| format!("{name} is '{value}', not a number"))
                }
            }
        };
        let refuse = || format!("'{text}' is no shard: write 2/7, auto/7 or auto");
        let (index, of) = text.split_once('/').unwrap_or((text, ""));
        let of = match of {
            "" if index == "auto" => number("SLURM_ARRAY_TASK_COUNT")?
                .ok_or("the number of shards is not known: write auto/7, or set SLURM_ARRAY_TASK_COUNT")?,
            of => of.parse().map_err(|_| refuse())?,
        };
        let index = if index != "auto" {
            index.parse::<u64>().ok().and_then(|index| index.checked_sub(1)).ok_or_else(refuse)?
        } else if let Some(task) = number("SLURM_ARRAY_TASK_ID")? {
            let first = number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(0);
            task.checked_sub(first).ok_or("SLURM_ARRAY_TASK_ID lies before SLURM_ARRAY_TASK_MIN")?
        } else {
            number("JOB_COMPLETION_INDEX")?
                .ok_or("neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set")?
        };
        if index >= of {
            return Err(format!("there is no shard {} of {of}", index + 1));
        }
        Ok(Shard { index, of })
    }

    /// Whether unit `unit` of the work belongs to this shard.
    pub fn takes(self, unit: u64) -> bool {
        unit % self.of == self.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_selected() {
        let of = |text: &str| text.parse::<TurnSelection>().unwrap().of(6);
        assert_eq!(of("2-4"), [2, 3, 4]);
        assert_eq!(of("5-"), [5, 6]);
        assert_eq!(of("-1"), [0, 1]);
        assert_eq!(of("0,last"), [0, 6]);
        assert_eq!(of("9-12"), [0usize; 0]);
        assert_eq!(of("3,2-3"), [2, 3]);
        assert_eq!(of("all").len(), 7);
        for bad in ["", "-", "a", "4-2", "1,,2", "1-2-3"] {
            assert!(bad.parse::<TurnSelection>().is_err(), "{bad}");
        }
    }

    #[test]
    fn shards_come_from_the_text_or_the_surroundings() {
        let none = |_: &str| None;
        assert_eq!(Shard::parse("2/7", none), Ok(Shard { index: 1, of: 7 }));
        for bad in ["0/7", "8/7", "2", "auto", "auto/7", "x/7", "2/x", "2/0"] {
            assert!(Shard::parse(bad, none).is_err(), "{bad}");
        }
        let slurm = |name: &str| {
            let value = match name {
                "SLURM_ARRAY_TASK_ID" => "13",
                "SLURM_ARRAY_TASK_MIN" => "10",
                "SLURM_ARRAY_TASK_COUNT" => "4",
                _ => return None,
            };
            Some(value.to_owned())
        };
        assert_eq!(Shard::parse("auto", slurm), Ok(Shard { index: 3, of: 4 }));
        let kubernetes = |name: &str| (name == "JOB_COMPLETION_INDEX").then(|| "0".to_owned());
        assert_eq!(Shard::parse("auto/5", kubernetes), Ok(Shard { index: 0, of: 5 }));
    }
}
