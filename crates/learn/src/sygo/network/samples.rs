//! Positions of games, with what was played there and how the game ended.

use std::path::Path;

use anyhow::Context as _;

use crate::sygo::games::{self, PlayedSygoGame};
use kaeshi_sygo::rules;
use kaeshi_sygo::rules::board::{Colour, SygoBoard};
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

/// The positions of a file of games. Where the search says how often it visited each turn, these are learned from;
/// elsewhere it is the turn played, unless that was random.
///
/// # Errors
/// The file cannot be read, or a game is not whole.
pub fn read(path: &Path) -> anyhow::Result<Vec<Vec<SygoSample>>> {
    let games = games::read(path)?;
    games.iter().map(|game| samples(game).with_context(|| path.display().to_string())).collect()
}

fn samples(game: &PlayedSygoGame) -> anyhow::Result<Vec<SygoSample>> {
    let mut position = game.start.clone();
    let mut samples = Vec::with_capacity(game.turns.len());
    for (index, turn) in game.turns.iter().enumerate() {
        let search = game.searches[index].as_ref();
        let visits = search.map(|search| Visits::parse(&position, &search.visits)).transpose()?;
        let turns = match &visits {
            Some(visits) => visits.shares().map(|(turn, share)| (turn.clone(), share)).collect(),
            None if game.random.contains(&index) => Vec::new(),
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
        position.play(turn);
    }
    let [white, black] = rules::territory(&position.board);
    let owned =
        [*position.board.stones(Colour::White) | white, *position.board.stones(Colour::Black) | black];
    samples.iter_mut().for_each(|sample| sample.owned = owned);
    Ok(samples)
}
