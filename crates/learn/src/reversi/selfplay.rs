//! Games against itself, the material of training.
//!
//! [`crate::selfplay`] drives it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrayvec::ArrayVec;

use crate::reversi::record::{
    EXTENSION, LabelSearch, ReversiFileHeader, ReversiGameRecord, ReversiRecordWriter, UNKNOWN,
};
use crate::selfplay::{GameCount, Series};
use kaeshi_core::game::SearchMemory as _;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::random::SplitMix;
use kaeshi_reversi::evaluate::pattern::GEOMETRY;
use kaeshi_reversi::evaluate::weights::{ReversiWeights, UNITS};
use kaeshi_reversi::rules::board::{ReversiBoard, squares};
use kaeshi_reversi::rules::simd;
use kaeshi_reversi::search::endgame::EndgameContext;
use kaeshi_reversi::search::memory::ReversiMemory;
use kaeshi_reversi::search::midgame::{IndexedBoard, MidgameSearch, Principal, Sequence};
use kaeshi_reversi::search::table::{EXACT, NO_MOVE};

/// Bytes of the table of one thread.
const TABLE_BYTES: usize = 4 << 20;

/// How the games are to be played.
#[derive(Clone, Debug)]
pub struct ReversiSelfplayConfig {
    /// The evaluation.
    pub weights: Arc<ReversiWeights>,
    /// Plies searched for each move.
    pub depth: u32,
    /// From this many empty squares on everything is exact.
    pub exact: u32,
    /// Fewest and most random plies at the beginning.
    pub random: (u32, u32),
    /// After these one ply in `stray` is random, too; none if 0. Positions after inferior moves are the ones that a
    /// search visits most.
    pub stray: u32,
    /// How many discs of loss, by the static value of the board after it, make a random ply rarer by the
    /// factor e; 0 if all moves are as likely.
    pub temperature: u32,
    /// Makes the games reproducible.
    pub seed: u64,
}

impl ReversiSelfplayConfig {
    fn header(&self, first: u64) -> ReversiFileHeader {
        ReversiFileHeader {
            seed: self.seed,
            first,
            depth: self.depth,
            exact: self.exact,
            random: self.random,
            stray: self.stray,
            temperature: self.temperature,
            weights: self.weights.label(),
        }
    }

    /// The search that the header of these games states for their values. Making the header would compute the checksum
    /// of the weights for every game.
    fn label_search(&self) -> Option<LabelSearch> {
        let search = LabelSearch { depth: self.depth, exact: self.exact };
        (!self.weights.is_by_hand()).then_some(search)
    }

    /// A random one of `moves`, by `temperature`.
    fn draw(&self, board: ReversiBoard, moves: u64, random: &mut SplitMix) -> usize {
        if self.temperature == 0 {
            return squares(moves).nth(random.below(moves.count_ones()) as usize).unwrap_or(0);
        }
        let unit = (self.temperature * UNITS as u32) as f32;
        let node = IndexedBoard::new(board);
        let choices: ArrayVec<(usize, i32), 64> = squares(moves)
            .map(|square| {
                let flips = board.flips(square);
                let after = node.indices.after(&GEOMETRY, square, flips);
                (square, -self.weights.value(board.after(square, flips), &after))
            })
            .collect();
        let best = choices.iter().map(|choice| choice.1).max().unwrap_or(0);
        let weights: ArrayVec<f32, 64> =
            choices.iter().map(|choice| exponential((choice.1 - best) as f32 / unit)).collect();
        let mut left = random.below(1 << 24) as f32 / (1 << 24) as f32 * weights.iter().sum::<f32>();
        let drawn = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        choices[drawn.unwrap_or(0)].0
    }
}

/// About e to the power of `x`, not above 0: by multiplications alone, so that it is the same everywhere.
fn exponential(x: f32) -> f32 {
    (0..8).fold((1.0 + x / 256.0).max(0.0), |power, _| power * power)
}

impl Series for ReversiSelfplayConfig {
    type Player<'a> = ReversiPlayer<'a>;
    type Game = ReversiGameRecord;
    type File = ReversiRecordWriter;

    const SHARD: u64 = 1000;
    const BLOCK: u64 = 64;
    const EXTENSION: &'static str = EXTENSION;

    fn name(&self) -> String {
        format!("games-{}", self.seed)
    }

    fn player(&self) -> anyhow::Result<ReversiPlayer<'_>> {
        ReversiPlayer::new(self)
    }

    fn play<'a>(&'a self, player: &mut ReversiPlayer<'a>, number: u64) -> ReversiGameRecord {
        player.play(number)
    }

    fn positions(game: &ReversiGameRecord) -> u64 {
        game.plies.iter().filter(|(_, value)| *value != UNKNOWN).count() as u64
    }

    fn open(&self, path: &Path, first: u64) -> io::Result<(ReversiRecordWriter, GameCount)> {
        let (writer, found) = ReversiRecordWriter::open(path, &self.header(first))?;
        let positions = found.iter().map(Self::positions).sum();
        Ok((writer, GameCount { games: found.len() as u64, positions }))
    }

    fn append(file: &mut ReversiRecordWriter, games: &[ReversiGameRecord]) -> io::Result<()> {
        file.append(games)
    }
}

/// Wins, draws and losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultTally {
    /// Games won by the plan's weights.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

/// Plays `pairs` of games of the plan's weights against `others`, each random opening twice with
/// colours exchanged, both sides searching as the plan says.
///
/// # Errors
/// There is no memory for the tables.
pub fn duel(
    plan: &ReversiSelfplayConfig,
    others: &Arc<ReversiWeights>,
    pairs: u64,
    mut progress: impl FnMut(u64),
) -> anyhow::Result<ResultTally> {
    let their_plan = ReversiSelfplayConfig { weights: Arc::clone(others), ..plan.clone() };
    let mut players = [ReversiPlayer::new(plan)?, ReversiPlayer::new(&their_plan)?];
    let mut tally = ResultTally::default();
    for pair in 0..pairs {
        let opening = opening(plan, pair);
        for first in 0..2 {
            let (mut board, mut mover) = (opening, first);
            while !board.is_over() {
                if board.moves() != 0 {
                    let to_end = board.empties() <= plan.exact;
                    let depth = if to_end { 60 } else { plan.depth };
                    let square = players[mover].search(board, depth).1.first().map_or(0, |&s| usize::from(s));
                    board = board.after(square, board.flips(square));
                } else {
                    board = board.passed();
                }
                mover = 1 - mover;
            }
            let score = board.final_score() * if mover == 0 { 1 } else { -1 };
            match score.signum() {
                1 => tally.wins += 1,
                0 => tally.draws += 1,
                _ => tally.losses += 1,
            }
        }
        players.iter().for_each(|player| player.memory.clear(1));
        progress(pair + 1);
    }
    Ok(tally)
}

/// The random opening of one pair of games.
fn opening(plan: &ReversiSelfplayConfig, pair: u64) -> ReversiBoard {
    let mut random = SplitMix::new(plan.seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ pair << 20);
    let (fewest, most) = plan.random;
    loop {
        let mut board = ReversiBoard::START;
        for _ in 0..fewest + random.below(most - fewest + 1) {
            let moves = board.moves();
            if moves == 0 {
                board = board.passed();
                continue;
            }
            let square = plan.draw(board, moves, &mut random);
            board = board.after(square, board.flips(square));
        }
        if !board.is_over() {
            return board;
        }
    }
}

/// Plays both sides.
pub struct ReversiPlayer<'a> {
    plan: &'a ReversiSelfplayConfig,
    memory: ReversiMemory,
    context: EndgameContext,
    control: SearchControl,
}

impl ReversiPlayer<'_> {
    fn new(plan: &ReversiSelfplayConfig) -> anyhow::Result<ReversiPlayer<'_>> {
        let memory = ReversiMemory::with_bytes(TABLE_BYTES)?;
        Ok(ReversiPlayer { plan, memory, context: EndgameContext::new()?, control: SearchControl::free() })
    }

    /// Game `number` of this plan.
    fn play(&mut self, number: u64) -> ReversiGameRecord {
        let mut random = SplitMix::new(self.plan.seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ number << 20);
        let (fewest, most) = self.plan.random;
        let mut random_left = fewest + random.below(most - fewest + 1);
        let search = self.plan.label_search();
        let mut record = ReversiGameRecord { search, random: 0, result: 0, plies: Vec::with_capacity(64) };
        let mut board = ReversiBoard::START;
        let mut black = true;
        let mut exact: Option<Sequence> = None;
        let mut value = 0;
        // Each game begins with what the table would hold in any other run.
        self.memory.clear(1);
        loop {
            let moves = board.moves();
            if moves == 0 && board.passed().moves() == 0 {
                let score = board.final_score();
                record.result = if black { score } else { -score } as i8;
                return record;
            }
            let square = if moves == 0 {
                record.plies.push((NO_MOVE, UNKNOWN));
                value = -value;
                if let Some(line) = &mut exact {
                    line.pop_at(0);
                }
                board = board.passed();
                black = !black;
                continue;
            } else if random_left > 0 {
                random_left -= 1;
                record.random += 1;
                let square = self.plan.draw(board, moves, &mut random);
                record.plies.push((square as u8, UNKNOWN));
                square
            } else if self.plan.stray > 0 && random.below(self.plan.stray) == 0 {
                exact = None;
                let square = self.plan.draw(board, moves, &mut random);
                record.plies.push((square as u8, UNKNOWN));
                square
            } else {
                let square = match &mut exact {
                    Some(line) => line.pop_at(0),
                    None => {
                        let to_end = board.empties() <= self.plan.exact;
                        let (found, mut line) = self.search(board, if to_end { 60 } else { self.plan.depth });
                        value = found;
                        let first = line.pop_at(0);
                        exact = to_end.then_some(line);
                        first
                    }
                };
                let square = square.map_or_else(|| moves.trailing_zeros() as usize, usize::from);
                record.plies.push((square as u8, value as i8));
                square
            };
            board = board.after(square, board.flips(square));
            black = !black;
            value = -value;
        }
    }

    fn search(&mut self, board: ReversiBoard, depth: u32) -> (i32, Sequence) {
        let mut line = Sequence::new();
        let node = IndexedBoard::new(board);
        let mut search =
            MidgameSearch::new(&self.memory, &self.plan.weights, &self.control, &mut self.context, 1);
        search.level = if depth >= board.empties() { EXACT } else { 2 };
        let window = (-64, 64);
        let job = Principal { search: &mut search, node: &node, window, depth, line: &mut line };
        // A free control never stops a search.
        let value = simd::run(simd::best(), job).unwrap_or(0);
        (value, line)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::reversi::record;
    use crate::selfplay::{SelfplayProgress, run};

    const BLOCK: u64 = ReversiSelfplayConfig::BLOCK;

    #[test]
    fn equal_players_win_and_lose_alike() {
        let weights = Arc::new(ReversiWeights::by_hand());
        let plan = ReversiSelfplayConfig {
            weights: Arc::clone(&weights),
            depth: 1,
            exact: 6,
            random: (8, 12),
            stray: 0,
            temperature: 0,
            seed: 1,
        };
        let tally = duel(&plan, &weights, 10, |_| ()).expect("memory for two small tables");
        assert_eq!(tally.wins + tally.draws + tally.losses, 20);
        assert_eq!(tally.wins, tally.losses);
    }

    #[test]
    fn worse_moves_are_drawn_less_often() {
        let weights = Arc::new(ReversiWeights::by_hand());
        let plan = ReversiSelfplayConfig {
            weights,
            depth: 1,
            exact: 6,
            random: (0, 0),
            stray: 0,
            temperature: 2,
            seed: 1,
        };
        let mut random = SplitMix::new(3);
        // After f5 the parallel opening is the worst reply.
        let board = ReversiBoard::START.after(37, ReversiBoard::START.flips(37));
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..3_000 {
            *counts.entry(plan.draw(board, board.moves(), &mut random)).or_insert(0) += 1;
        }
        let value = |square| {
            let after = board.after(square, board.flips(square));
            f64::from(-plan.weights.value(after, &IndexedBoard::new(after).indices)) / f64::from(UNITS)
        };
        let all: f64 = counts.keys().map(|&square| (value(square) / 2.0).exp()).sum();
        for (&square, &count) in &counts {
            let expected = 3_000.0 * (value(square) / 2.0).exp() / all;
            assert!((f64::from(count) - expected).abs() < 5.0 * expected.sqrt() + 3.0, "{square}: {count}");
        }
    }

    #[test]
    fn games_are_legal_to_the_end_and_an_interruption_changes_nothing() {
        let weights = Arc::new(ReversiWeights::by_hand());
        let plan = ReversiSelfplayConfig {
            weights,
            depth: 1,
            exact: 8,
            random: (6, 50),
            stray: 9,
            temperature: 4,
            seed: 4,
        };
        let folder = tempfile::tempdir().expect("a folder");
        let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
        for (place, games, threads) in [(&whole, 3 * BLOCK, 2), (&parts, BLOCK, 1), (&parts, 3 * BLOCK, 1)] {
            std::fs::create_dir_all(place).expect("room");
            let counted = AtomicU64::new(0);
            run(&plan, place, games, 0..1, threads, &|progress| {
                let (SelfplayProgress::Found(count) | SelfplayProgress::Played(count)) = progress;
                counted.fetch_add(count.games, Ordering::Relaxed);
            })
            .expect("room");
            assert_eq!(counted.into_inner(), games);
        }
        let whole = whole.join("games-4-00000.krg");
        let parts = std::fs::read(parts.join("games-4-00000.krg")).expect("a file");
        assert_eq!(std::fs::read(&whole).expect("a file"), parts);
        for game in record::read(&whole).expect("a file") {
            let (mut board, mut black) = (ReversiBoard::START, true);
            let drawn = game.last_random();
            for (ply, &(square, value)) in game.plies.iter().enumerate() {
                let result = i32::from(if black { game.result } else { -game.result });
                if value != UNKNOWN && board.empties() <= 8 && ply >= drawn {
                    assert_eq!(i32::from(value), result);
                }
                board = if square == NO_MOVE {
                    board.passed()
                } else {
                    assert!(board.moves() >> square & 1 == 1);
                    board.after(usize::from(square), board.flips(usize::from(square)))
                };
                black = !black;
            }
            assert!(board.is_over());
        }
    }

    #[test]
    fn other_settings_do_not_mix() {
        let folder = tempfile::tempdir().expect("a folder");
        let weights = Arc::new(ReversiWeights::by_hand());
        let plan = ReversiSelfplayConfig {
            weights,
            depth: 1,
            exact: 4,
            random: (40, 50),
            stray: 0,
            temperature: 0,
            seed: 4,
        };
        run(&plan, folder.path(), 2, 0..1, 1, &|_| ()).expect("room");
        for other in [
            ReversiSelfplayConfig { depth: 2, ..plan.clone() },
            ReversiSelfplayConfig { exact: 5, ..plan.clone() },
            ReversiSelfplayConfig { random: (41, 50), ..plan.clone() },
            ReversiSelfplayConfig { stray: 9, ..plan.clone() },
            ReversiSelfplayConfig { temperature: 3, ..plan.clone() },
        ] {
            let failed = run(&other, folder.path(), 2, 0..1, 1, &|_| ()).expect_err("other settings");
            let said = format!("{failed:#}");
            assert!(said.contains("other settings") && said.contains("games-4-00000.krg"), "{said}");
        }
    }
}
