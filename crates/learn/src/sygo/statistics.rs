//! Statistics of games of Sygo: who wins, when the first growth comes, what groups, stones and liberties are worth,
//! and which groups survive.

mod regression;
mod sample_mean;

use std::collections::BTreeMap;
use std::path::Path;

use crate::sygo::games::{self, PlayedSygoGame};
use kaeshi_sygo::rules;
use kaeshi_sygo::rules::board::{Colour, SygoBoard};
use kaeshi_sygo::rules::points::{Point, PointSet};
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::size::BoardSize;
use kaeshi_sygo::rules::turn::TurnKind;
pub use regression::LinearRegression;
pub use sample_mean::SampleMean;

/// Numbers of turns after which positions are compared; White is to move.
pub const CHECKPOINTS: [usize; 7] = [8, 12, 16, 24, 32, 48, 64];
/// Predictors of the margin besides a constant, each as White's count minus Black's.
pub const PREDICTORS: [&str; 3] = ["group", "stone", "liberty"];
/// Groups with more liberties are counted with those that have as many.
pub const MOST_LIBERTIES: usize = 8;
/// Groups with more attackers are counted with those that have as many.
pub const MOST_ATTACKERS: usize = 4;
/// Classes of first captures: the most stones of each. Larger captures are one more class.
pub const CAPTURE_SIZES: [usize; 3] = [1, 3, 6];

/// The side that grew first, and the kind of that growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FirstGrowth {
    /// White, who thereby takes the balance right away.
    White,
    /// Black, with a balancing placement.
    BlackBalanced,
    /// Black, without one.
    Black,
}

/// Statistics of the games on one board size. Margins are points by which White is ahead at the end.
#[derive(Clone, Debug, Default)]
pub struct SygoStatistics {
    /// Turns of all games.
    pub turns: u64,
    /// Games that White won, drew and lost.
    pub results: [u64; 3],
    /// Margin.
    pub margin: SampleMean,
    /// Games by margin.
    margins: BTreeMap<i32, u64>,
    /// Number of the turn with the first growth.
    pub first_growth: SampleMean,
    /// Margin by who grew first, and whether that turn was random.
    pub margin_by_first_grower: BTreeMap<(FirstGrowth, bool), SampleMean>,
    /// Points by which the owner of a random stone of the beginning is ahead at the end, by the line of the stone (1 is
    /// the edge) and its colour.
    pub first_stones: BTreeMap<usize, [SampleMean; 2]>,
    /// By class of [`CAPTURE_SIZES`], points by which the side that captured first is ahead at the end, and its share
    /// of the wins.
    pub first_captures: BTreeMap<usize, [SampleMean; 2]>,
    /// The loss by random turns after the beginning, in the search's value (from -1 to 1), by the index of the next
    /// checkpoint and by whether they were growths.
    pub random_turns: BTreeMap<(usize, bool), SampleMean>,
    /// By index into [`CHECKPOINTS`].
    pub checkpoints: BTreeMap<usize, SygoCheckpoint>,
}

/// Statistics of the positions after the same number of turns.
#[derive(Clone, Debug, Default)]
pub struct SygoCheckpoint {
    /// Groups of a side.
    pub groups: SampleMean,
    /// Margin by [`PREDICTORS`].
    pub margin_regression: LinearRegression<4>,
    /// Placements since the checkpoint before.
    pub placements: u64,
    /// Growths since the checkpoint before.
    pub growths: u64,
    /// Groups of the mover before these growths.
    pub growing_groups: u64,
    /// Groups of them that grew.
    pub grown_groups: u64,
    /// By liberties and attackers (enemy groups next to one of the liberties): groups, and those of them that changed
    /// their colour by the end.
    pub survival: BTreeMap<(usize, usize), [u64; 2]>,
}

impl SygoStatistics {
    /// Games.
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }

    /// The komi with which both sides win as many games, the median of the margins, between the ends of its 95 %
    /// interval; `None` without games.
    pub fn fair_komi(&self) -> Option<[i32; 3]> {
        let games = self.games();
        let reach = (0.98 * (games as f64).sqrt()) as u64;
        let middle = games.checked_sub(1)? / 2;
        let at = |rank: u64| {
            let mut passed = 0;
            self.margins.iter().find_map(|(&margin, &count)| {
                passed += count;
                (passed > rank).then_some(margin)
            })
        };
        Some([at(middle.saturating_sub(reach))?, at(middle)?, at((middle + reach).min(games - 1))?])
    }

    /// Adds a finished game.
    fn add(&mut self, game: &PlayedSygoGame) {
        let mut replay = SygoReplay::new(game);
        while replay.next_turn() {
            self.add_turn(game, &replay);
        }
        let end = &replay.position.board;
        let margin = rules::margin(end);
        self.turns += game.turns.len() as u64;
        self.results[(1 - margin.signum()) as usize] += 1;
        self.margin.add(f64::from(margin));
        *self.margins.entry(margin).or_default() += 1;
        if let Some((number, grower)) = replay.first_growth {
            self.first_growth.add(number as f64);
            let is_random = game.random.contains(&(number - 1));
            self.margin_by_first_grower.entry((grower, is_random)).or_default().add(f64::from(margin));
        }
        let of = |colour: Colour| f64::from(if colour == Colour::White { margin } else { -margin });
        for (line, colour) in first_stones(game) {
            self.first_stones.entry(line).or_default()[colour as usize].add(of(colour));
        }
        if let Some((captor, stones)) = replay.first_capture {
            let size = CAPTURE_SIZES.iter().filter(|&&most| stones > most).count();
            let [ahead, won] = self.first_captures.entry(size).or_default();
            ahead.add(of(captor));
            won.add(0.5 + 0.5 * of(captor).signum() * f64::from(u8::from(margin != 0)));
        }
        for checkpoint in replay.checkpoints {
            let statistics = self.checkpoints.entry(checkpoint.place).or_default();
            checkpoint.groups.iter().for_each(|&count| statistics.groups.add(count as f64));
            statistics.margin_regression.add(checkpoint.predictors, f64::from(margin));
            for group in checkpoint.tracked {
                let [all, lost] = statistics.survival.entry((group.liberties, group.attackers)).or_default();
                *all += 1;
                *lost += u64::from(end.stone(group.stone) != Some(group.colour));
            }
        }
    }

    fn add_turn(&mut self, game: &PlayedSygoGame, replay: &SygoReplay<'_>) {
        let index = replay.played - 1;
        let place = CHECKPOINTS.partition_point(|&checkpoint| checkpoint <= index);
        let kind = game.turns[index].kind();
        if place < CHECKPOINTS.len() {
            let checkpoint = self.checkpoints.entry(place).or_default();
            match kind {
                TurnKind::Placement => checkpoint.placements += 1,
                TurnKind::Growth | TurnKind::Balance => {
                    checkpoint.growths += 1;
                    checkpoint.growing_groups += replay.own_groups as u64;
                    checkpoint.grown_groups += replay.grown_groups as u64;
                }
                TurnKind::Pass => {}
            }
        }
        if index < beginning(game) || !game.random.contains(&index) || kind == TurnKind::Pass {
            return;
        }
        // The opponent's search before the random turn is compared with the one after it. Where the opponent's turn
        // was random, too, its own loss would be counted.
        let value = |index: usize| Some(game.searches.get(index)?.as_ref()?.value);
        let before = index.checked_sub(1).filter(|before| !game.random.contains(before)).and_then(value);
        if let (Some(before), Some(after)) = (before, value(index + 1)) {
            let is_growth = kind != TurnKind::Placement;
            self.random_turns.entry((place, is_growth)).or_default().add(after - before);
        }
    }
}

/// Number of random turns at the beginning of a game. They are not searched, as later random turns are.
fn beginning(game: &PlayedSygoGame) -> usize {
    (0..game.turns.len())
        .take_while(|turn| game.random.contains(turn) && game.searches[*turn].is_none())
        .count()
}

/// Line and colour of the random stones that a game begins with.
fn first_stones(game: &PlayedSygoGame) -> impl Iterator<Item = (usize, Colour)> + '_ {
    let size = game.start.board.size();
    (0..beginning(game)).filter_map(move |turn| {
        let point = game.turns[turn].placement().filter(|_| game.turns[turn].growth().is_empty())?;
        let line =
            [point.column(), point.row(), size.columns() - 1 - point.column(), size.rows() - 1 - point.row()];
        let colour = if turn % 2 == 0 { game.start.side } else { game.start.side.other() };
        Some((line.into_iter().min()? + 1, colour))
    })
}

/// A game that is replayed.
struct SygoReplay<'a> {
    game: &'a PlayedSygoGame,
    position: SygoPosition,
    /// Turns played.
    played: usize,
    /// Own groups before the last turn.
    own_groups: usize,
    /// Own groups that the last turn grew.
    grown_groups: usize,
    first_growth: Option<(usize, FirstGrowth)>,
    /// The side that captured first, and the number of captured stones.
    first_capture: Option<(Colour, usize)>,
    checkpoints: Vec<ReplayedCheckpoint>,
}

/// A position at a checkpoint.
struct ReplayedCheckpoint {
    place: usize,
    groups: [usize; 2],
    predictors: [f64; 4],
    tracked: Vec<TrackedGroup>,
}

/// A group that is followed to the end of the game.
struct TrackedGroup {
    stone: Point,
    colour: Colour,
    liberties: usize,
    attackers: usize,
}

impl SygoReplay<'_> {
    fn new(game: &PlayedSygoGame) -> SygoReplay<'_> {
        let position = game.start.clone();
        SygoReplay {
            game,
            position,
            played: 0,
            own_groups: 0,
            grown_groups: 0,
            first_growth: None,
            first_capture: None,
            checkpoints: Vec::new(),
        }
    }

    /// Plays the next turn, if there is one.
    fn next_turn(&mut self) -> bool {
        let Some(turn) = self.game.turns.get(self.played) else { return false };
        let side = self.position.side;
        let board = &self.position.board;
        let touched = turn.growth().iter().flat_map(|&point| board.groups_next_to(point, side));
        let mut touched: Vec<_> = touched.collect();
        touched.sort_unstable();
        touched.dedup();
        self.own_groups = board.groups_of(side).count();
        self.grown_groups = touched.len();
        let before = board.stones(side).len() + turn.stones().count();
        if self.first_growth.is_none() && !turn.growth().is_empty() {
            let grower = match (side, turn.kind()) {
                (Colour::White, _) => FirstGrowth::White,
                (Colour::Black, TurnKind::Balance) => FirstGrowth::BlackBalanced,
                (Colour::Black, _) => FirstGrowth::Black,
            };
            self.first_growth = Some((self.played + 1, grower));
        }
        self.position.play(turn);
        self.played += 1;
        let captured = self.position.board.stones(side).len() - before;
        if captured > 0 && self.first_capture.is_none() {
            self.first_capture = Some((side, captured));
        }
        if let Some(place) = CHECKPOINTS.iter().position(|&checkpoint| checkpoint == self.played) {
            self.checkpoints.push(checkpoint(place, &self.position.board));
        }
        true
    }
}

fn checkpoint(place: usize, board: &SygoBoard) -> ReplayedCheckpoint {
    let colours = [Colour::White, Colour::Black];
    let groups = colours.map(|colour| board.groups_of(colour).count());
    let stones = colours.map(|colour| board.stones(colour).len());
    let vacant = board.vacant();
    let liberties = colours.map(|colour| (board.stones(colour).neighbours() & vacant).len());
    let difference = |counts: [usize; 2]| counts[0] as f64 - counts[1] as f64;
    ReplayedCheckpoint {
        place,
        groups,
        predictors: [1.0, difference(groups), difference(stones), difference(liberties)],
        tracked: colours.into_iter().flat_map(|colour| tracked_groups(board, colour)).collect(),
    }
}

fn tracked_groups(board: &SygoBoard, colour: Colour) -> Vec<TrackedGroup> {
    let tracked = |stones: &PointSet, liberties: &PointSet| {
        let near = liberties.neighbours();
        let attackers = board.groups_of(colour.other()).filter(|(_, group)| group.stones.meets(&near));
        Some(TrackedGroup {
            stone: stones.first()?,
            colour,
            liberties: liberties.len().min(MOST_LIBERTIES),
            attackers: attackers.count().min(MOST_ATTACKERS),
        })
    };
    board.groups_of(colour).filter_map(|(_, group)| tracked(&group.stones, &group.liberties)).collect()
}

/// Statistics of the games in these files, by columns and rows of their board; `done` is called after each file.
///
/// # Errors
/// A file cannot be read, or holds a game that is not whole.
pub fn statistics<'a>(
    files: impl IntoIterator<Item = &'a Path>,
    mut done: impl FnMut(),
) -> anyhow::Result<BTreeMap<(usize, usize), SygoStatistics>> {
    let mut by_size: BTreeMap<(usize, usize), SygoStatistics> = BTreeMap::new();
    for path in files {
        for game in games::read(path)? {
            let size: BoardSize = game.start.board.size();
            by_size.entry((size.columns(), size.rows())).or_default().add(&game);
        }
        done();
    }
    Ok(by_size)
}

#[cfg(test)]
mod tests;
