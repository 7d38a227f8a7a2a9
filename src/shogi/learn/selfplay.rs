//! Games of shogi against itself, the material of training.
//!
//! A game is a function of the plan and its number alone, so that any number of threads, machines
//! and interruptions give the same games. They lie in shards of [`SHARD`] games, one file each.

mod openings;
mod player;

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context as _;

use crate::game::Game;
use crate::shogi::evaluate::Evaluation;
use crate::shogi::learn::record::{EXTENSION, Header, Record, Writer};
use crate::shogi::{Settings, Shogi};
pub(in crate::shogi) use player::{Player, play_on};

/// Games in one file.
pub const SHARD: u64 = 500;
/// Games in one block of a file; at most so many are lost by an interruption.
const BLOCK: u64 = 10;
/// How the games are to be played.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Makes the games reproducible.
    pub seed: u64,
    /// Nodes after which no deeper search of a move begins.
    pub nodes: u64,
    /// Fewest and most random plies from the usual start position.
    pub random: (u32, u32),
    /// The score at which a game is given up, in hundredths of a pawn.
    pub adjudicate: i16,
    /// What both players value positions by.
    pub evaluation: Evaluation,
}

impl Plan {
    /// What the files of this plan begin with.
    fn header(&self, first: u64) -> Header {
        Header {
            seed: self.seed,
            first,
            nodes: self.nodes,
            random: self.random,
            adjudicate: self.adjudicate,
            weights: self.evaluation.label(),
        }
    }

    /// Rules and evaluation of both players.
    fn game(&self) -> anyhow::Result<Shogi> {
        let evaluation = self.evaluation.clone();
        Ok(Shogi::load(&Settings { draw_value: [0; 2], evaluation, ..Settings::default() })?)
    }
}

/// What was appended to a file, or found there at the beginning.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Whether an earlier run played these games.
    pub found: bool,
    /// Games.
    pub games: u64,
    /// Positions with a score.
    pub positions: u64,
}

/// Plays until `folder` holds those of the games 0 to `games - 1` of the plan that lie in `shards`.
///
/// # Errors
/// A file cannot be read or written, or was made by another plan.
pub fn run(
    plan: &Plan,
    folder: &Path,
    games: u64,
    shards: Range<u64>,
    threads: u16,
    progress: &(dyn Fn(Progress) + Sync),
) -> anyhow::Result<()> {
    let next = AtomicU64::new(shards.start);
    let end = shards.end;
    let work = || {
        let mut player = Player::new(plan.game()?, plan.nodes)?;
        loop {
            let shard = next.fetch_add(1, Ordering::Relaxed);
            if shard >= end {
                return Ok(());
            }
            let path = folder.join(format!("games-{}-{shard:05}.{EXTENSION}", plan.seed));
            let numbers = shard * SHARD..games.min((shard + 1) * SHARD);
            let result = fill(plan, &mut player, &path, numbers, progress);
            if result.is_err() {
                next.store(end, Ordering::Relaxed);
                return result;
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a thread panicked"))))
            .fold(Ok(()), Result::and)
    })
}

/// Plays the games of a shard that its file does not hold yet, and appends them.
fn fill(
    plan: &Plan,
    player: &mut Player,
    path: &Path,
    numbers: Range<u64>,
    progress: &(dyn Fn(Progress) + Sync),
) -> anyhow::Result<()> {
    let place = || path.display().to_string();
    let tell = |found, games: &[Record]| {
        let positions = games.iter().map(|game| game.scores.len() as u64).sum();
        progress(Progress { found, games: games.len() as u64, positions });
    };
    let (mut writer, found) = Writer::open(path, &plan.header(numbers.start)).with_context(place)?;
    tell(true, &found);
    let mut number = numbers.start + found.len() as u64;
    while number < numbers.end {
        let next = numbers.end.min(number + BLOCK);
        let games: Vec<Record> = (number..next).map(|number| player.play(plan, number)).collect();
        writer.append(&games).with_context(place)?;
        tell(false, &games);
        number = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::learn::record;

    fn plan() -> Plan {
        Plan { seed: 4, nodes: 20, random: (7, 8), adjudicate: 2_500, evaluation: Evaluation::hand() }
    }

    fn played(games: u64, threads: u16) -> Vec<Record> {
        let folder = tempfile::tempdir().expect("a folder");
        run(&plan(), folder.path(), games, 0..games.div_ceil(SHARD), threads, &|_| ()).expect("room");
        let shards =
            (0..games.div_ceil(SHARD)).map(|shard| folder.path().join(format!("games-4-{shard:05}.ksg")));
        shards.flat_map(|path| record::read(&path).expect("games").games).collect()
    }

    #[test]
    fn a_game_is_a_function_of_its_number() {
        let all = played(30, 1);
        assert_eq!(all.len(), 30);
        assert_eq!(played(13, 2), all[..13]);
        let plan = plan();
        let mut player = Player::new(plan.game().expect("rules"), plan.nodes).expect("memory");
        assert_eq!(player.play(&plan, 29), all[29]);
        assert_eq!(player.play(&plan, 2), all[2]);
        assert_ne!(all[2].moves, all[3].moves);
    }

    #[test]
    fn other_settings_do_not_mix() {
        let folder = tempfile::tempdir().expect("a folder");
        run(&plan(), folder.path(), 5, 0..1, 1, &|_| ()).expect("room");
        let other = Plan { nodes: 21, ..plan() };
        let said = format!("{:#}", run(&other, folder.path(), 5, 0..1, 1, &|_| ()).expect_err("refused"));
        assert!(said.contains("other settings") && said.contains("games-4-00000.ksg"), "{said}");
    }
}
