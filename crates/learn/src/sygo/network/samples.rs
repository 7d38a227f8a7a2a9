//! Positions of games with the turns played, the worth found and the result of the game.

use std::path::Path;

use anyhow::Context as _;

use crate::sygo::games::{self, PlayedSygoGame};
use kaeshi_sygo::rules;
use kaeshi_sygo::rules::board::{Colour, SygoBoard};
use kaeshi_sygo::rules::points::{Point, PointSet};
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::size::BoardSize;
use kaeshi_sygo::rules::turn::SygoTurn;
use kaeshi_sygo::search::montecarlo::{MctsParameters, Visits};

/// A position of a game.
#[derive(Clone, Debug)]
pub struct SygoSample {
    size: BoardSize,
    stones: [PointSet; 2],
    side: Colour,
    grown: bool,
    passes: u8,
    /// The target policy: turns and their shares, which sum to 1. Empty after an unsearched random turn.
    turns: Vec<(SygoTurn, f32)>,
    /// The target worth for the side to move, from -1 to 1, mixed from the values found there and later.
    worth: f32,
    /// Points that White, and Black, owned in the end.
    owned: [PointSet; 2],
}

/// A sample, turned round.
pub struct SymmetricSample {
    /// The position.
    pub position: SygoPosition,
    /// The target policy: turns and their shares.
    pub turns: Vec<(SygoTurn, f32)>,
    /// The target worth for the side to move, from -1 to 1, mixed from the values found there and later.
    pub worth: f32,
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
        let mut turn = u64::from(self.worth.to_bits());
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

/// The positions of a file of games. The target policy is the share of visits of each turn if the game has them,
/// otherwise the turn played, unless that was random. `lambda` is the share of later values in the worth.
///
/// # Errors
/// The file cannot be read, or a game is not whole.
pub fn read(path: &Path, lambda: f32) -> anyhow::Result<Vec<Vec<SygoSample>>> {
    let games = games::read(path)?;
    games.iter().map(|game| samples(game, lambda).with_context(|| path.display().to_string())).collect()
}

fn samples(game: &PlayedSygoGame, lambda: f32) -> anyhow::Result<Vec<SygoSample>> {
    let mut position = game.start.clone();
    let mut samples = Vec::with_capacity(game.turns.len());
    let mut found = Vec::with_capacity(game.turns.len());
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
            worth: 0.0,
            owned: [PointSet::EMPTY; 2],
        });
        found.push(visits.map(|visits| visits.worth));
        position.play(turn);
    }
    let [white, black] = rules::territory(&position.board);
    let owned =
        [*position.board.stones(Colour::White) | white, *position.board.stones(Colour::Black) | black];
    samples.iter_mut().for_each(|sample| sample.owned = owned);
    mix_worth(&mut samples, &found, game, lambda);
    Ok(samples)
}

/// Sets the worth of each sample as in TD(lambda) (Sutton, "Learning to predict by the methods of temporal
/// differences", 1988): the worth that the search `found` there, mixed with the share `lambda` of that of the next
/// position; behind the last position comes the worth of the result. Positions after a random turn do not count for
/// those before it.
fn mix_worth(samples: &mut [SygoSample], found: &[Option<f32>], game: &PlayedSygoGame, lambda: f32) {
    let Some([own, other]) = samples.last().map(|sample| sample.owned) else { return };
    let points = samples[0].points() as f32;
    // Seen by White.
    let mut later = MctsParameters::default().worth(own.len() as f32 - other.len() as f32, points);
    for (index, (sample, found)) in samples.iter_mut().zip(found).enumerate().rev() {
        let sign = if sample.side == Colour::White { 1.0 } else { -1.0 };
        if let Some(found) = found {
            let share = if game.random.contains(&index) { 0.0 } else { lambda };
            later = (1.0 - share) * sign * found + share * later;
        }
        sample.worth = sign * later;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worth of each sample of a game of six turns with these random turns (counted from 1).
    fn worth(random: &str, lambda: f32) -> Vec<f32> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sygo");
        let head = format!("[Sygo \"1\"] [Size \"5\"] [Visits \"1\"] [Random \"{random}\"]\n");
        let turns =
            "1. b2\n2. d4 {visits -0.2 d4 3}\n3. +b3 {visits 0.4 +b3 3}\n4. +d3 {visits -0.8 +d3 3}\n";
        std::fs::write(&path, format!("{head}{turns}5. pass\n6. pass\n[Result \"0\"]\n")).unwrap();
        read(&path, lambda).unwrap()[0].iter().map(|sample| sample.worth).collect()
    }

    #[test]
    fn the_worth_is_mixed_with_what_was_found_later() {
        // No turn is random, but the first has no search: it takes the worth found after it.
        assert_eq!(worth("", 0.0), [0.2, -0.2, 0.4, -0.8, 0.0, 0.0]);
        let third = 0.5 * 0.4 + 0.5 * (0.5 * 0.8);
        let second = 0.5 * 0.2 + 0.5 * third;
        assert_eq!(worth("1", 0.5), [second, -second, third, -0.4, 0.0, 0.0]);
    }

    #[test]
    fn what_follows_a_random_turn_is_left_out() {
        assert_eq!(worth("1 3", 0.5)[..3], [0.3, -0.3, 0.4]);
        assert_eq!(worth("1 3", 1.0)[..4], [0.4, -0.4, 0.4, 0.0]);
    }
}
