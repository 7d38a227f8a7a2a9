//! Positions of games, with what was played there and how the game ended.

use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use crate::sygo::selfplay::{VISITS, VISITS_VERSION};
use kaeshi_core::files::{self, FileKind};
use kaeshi_records::{GameRecord, sygo_list};
use kaeshi_sygo::rules;
use kaeshi_sygo::rules::board::{Colour, SygoBoard};
use kaeshi_sygo::rules::notation;
use kaeshi_sygo::rules::points::{Point, PointSet};
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::size::BoardSize;
use kaeshi_sygo::rules::turn::SygoTurn;
use kaeshi_sygo::search::montecarlo::Visits;

/// A position of a game.
#[derive(Clone, Debug)]
pub struct SygoSample {
    size: BoardSize,
    stones: [PointSet; 2],
    side: Colour,
    grown: bool,
    passes: u8,
    /// What is to be played, and its share; all shares sum to 1. Nothing where a random turn was played unsearched.
    turns: Vec<(SygoTurn, f32)>,
    /// The worth for the side to move by the search.
    worth: Option<f32>,
    /// Whose the points were in the end.
    owned: [PointSet; 2],
}

/// A sample, turned round.
pub struct SymmetricSample {
    /// The position.
    pub position: SygoPosition,
    /// What is to be played, and its share.
    pub turns: Vec<(SygoTurn, f32)>,
    /// The worth for the side to move by the search.
    pub worth: Option<f32>,
    /// Points that the mover, and the other side, owned in the end.
    pub owned: [PointSet; 2],
}

impl SygoSample {
    /// Points of the board.
    pub fn points(&self) -> usize {
        self.size.points()
    }

    /// Some bytes that differ from those of other samples.
    pub(super) fn digest(&self) -> [u8; 16] {
        let mut position = 0;
        for (index, set) in self.stones.iter().chain(&self.owned).enumerate() {
            for point in set.iter() {
                position = kaeshi_core::random::mix(position ^ (4 * point.index() + index) as u64);
            }
        }
        let mut turn = u64::from(self.worth.map_or(0, f32::to_bits));
        for (stones, share) in self.turns.iter().map(|(turn, share)| (turn.stones(), share)) {
            let begin = turn ^ u64::from(share.to_bits());
            turn = stones.fold(begin, |hash, point| kaeshi_core::random::mix(hash ^ point.index() as u64));
        }
        let mut digest = [0; 16];
        digest[..8].copy_from_slice(&position.to_le_bytes());
        digest[8..].copy_from_slice(&(turn ^ self.side as u64).to_le_bytes());
        digest
    }

    /// The sample, mirrored along three axes as three bits say; only square boards are turned.
    pub fn seen(&self, symmetry: u32) -> SymmetricSample {
        let (columns, rows) = (self.size.columns(), self.size.rows());
        let square = columns == rows;
        let turned = |point: Point| {
            let (mut column, mut row) = (point.column(), point.row());
            if symmetry & 1 != 0 {
                column = columns - 1 - column;
            }
            if symmetry & 2 != 0 {
                row = rows - 1 - row;
            }
            if square && symmetry & 4 != 0 { Point::new(row, column) } else { Point::new(column, row) }
        };
        let turned_turn = |turn: &SygoTurn| {
            SygoTurn::new(turn.growth().iter().map(|&point| turned(point)), turn.placement().map(turned))
        };
        let set = |points: &PointSet| points.iter().map(turned).collect::<PointSet>();
        let [white, black] = [set(&self.stones[0]), set(&self.stones[1])];
        let position = SygoPosition {
            board: SygoBoard::with_stones(self.size, &white, &black),
            side: self.side,
            grown: self.grown,
            passes: self.passes,
            number: 1,
        };
        let side = self.side as usize;
        SymmetricSample {
            position,
            turns: self.turns.iter().map(|(turn, share)| (turned_turn(turn), *share)).collect(),
            worth: self.worth,
            owned: [set(&self.owned[side]), set(&self.owned[1 - side])],
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

/// The positions of a file of games. Where the search says how often it visited each turn, these are learned from;
/// elsewhere it is the turn played, unless that was random.
///
/// # Errors
/// The file cannot be read, or a game is not whole.
pub fn read(path: &Path) -> anyhow::Result<Vec<Vec<SygoSample>>> {
    let place = || path.display().to_string();
    let text =
        files::read_text(path, FileKind::GAMES).with_context(|| format!("cannot read {}", path.display()))?;
    let mut games = Vec::new();
    for item in sygo_list::read(&text) {
        let record = item.map_err(|fault| anyhow::anyhow!("{fault}")).with_context(place)?;
        ensure!(record.fault.is_none(), "{}: {:?}", place(), record.fault);
        let settings = record.tag("Settings").unwrap_or_default();
        // Older files do not say which turns were random: then all that may have been so count as such.
        let random: Vec<usize> = match record.tag("Random") {
            Some(places) => places.split_whitespace().filter_map(|place| place.parse().ok()).collect(),
            None => {
                let most =
                    settings.split(" to ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
                (1..=most.unwrap_or(0)).collect()
            }
        };
        let with_visits = has_visits(&record).with_context(place)?;
        let start = record.start.strip_prefix("fen ").unwrap_or(&record.start);
        let mut position = notation::parse_position(start).map_err(|error| anyhow::anyhow!("{error}"))?;
        let mut samples = Vec::with_capacity(record.plies.len());
        for (index, ply) in record.plies.iter().enumerate() {
            let turn = notation::parse_turn(position.board.size(), &ply.turn)
                .map_err(|error| anyhow::anyhow!("{}: {error}", place()))?;
            let comments = ply.remarks.as_ref().map(|remarks| &remarks.comments[..]).unwrap_or_default();
            let visits = match comments.iter().find(|text| with_visits && Visits::is_text(text)) {
                Some(text) => Some(Visits::parse(&position, text).with_context(place)?),
                None => None,
            };
            let turns = match &visits {
                Some(visits) => visits.shares().map(|(turn, share)| (turn.clone(), share)).collect(),
                None if random.contains(&(index + 1)) => Vec::new(),
                None => vec![(turn.clone(), 1.0)],
            };
            let board = &position.board;
            samples.push(SygoSample {
                size: board.size(),
                stones: [*board.stones(Colour::White), *board.stones(Colour::Black)],
                side: position.side,
                grown: position.grown,
                passes: position.passes,
                turns,
                worth: visits.map(|visits| visits.worth),
                owned: [PointSet::EMPTY; 2],
            });
            position.play(&turn);
        }
        ensure!(position.is_over(), "{}: a game is not over", place());
        let [white, black] = rules::territory(&position.board);
        let owned =
            [*position.board.stones(Colour::White) | white, *position.board.stones(Colour::Black) | black];
        samples.iter_mut().for_each(|sample| sample.owned = owned);
        games.push(samples);
    }
    Ok(games)
}
