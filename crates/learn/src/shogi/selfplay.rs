//! Games of shogi against itself, the material of training.
//!
//! [`crate::selfplay`] drives it.

mod openings;
mod player;

use std::io;
use std::path::Path;

use crate::selfplay::{GameCount, Series};
use crate::shogi::record::{EXTENSION, ShogiFileHeader, ShogiGameRecord, ShogiRecordWriter};
use kaeshi_core::game::GameOptions;
use kaeshi_shogi::evaluate::Evaluation;
use kaeshi_shogi::{Shogi, ShogiSettings};
pub use player::ShogiPlayer;
pub use player::play_on;

/// How the games are to be played.
#[derive(Clone, Debug)]
pub struct ShogiSelfplayConfig {
    /// Makes the games reproducible.
    pub seed: u64,
    /// Nodes after which no deeper search of a move begins.
    pub nodes: u64,
    /// Fewest and most random plies from the usual start position.
    pub random: (u32, u32),
    /// The score at which a game is given up, in centipawns.
    pub adjudicate: i16,
    /// The evaluation of both players.
    pub evaluation: Evaluation,
}

impl ShogiSelfplayConfig {
    /// The header of the files of this plan.
    fn header(&self, first: u64) -> ShogiFileHeader {
        ShogiFileHeader {
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
        Ok(Shogi::load(&ShogiSettings { draw_value: [0; 2], evaluation, ..ShogiSettings::default() })?)
    }
}

impl Series for ShogiSelfplayConfig {
    type Player<'a> = ShogiPlayer;
    type Game = ShogiGameRecord;
    type File = ShogiRecordWriter;

    const SHARD: u64 = 500;
    const BLOCK: u64 = 10;
    const EXTENSION: &'static str = EXTENSION;

    fn name(&self) -> String {
        format!("games-{}", self.seed)
    }

    fn player(&self) -> anyhow::Result<ShogiPlayer> {
        Ok(ShogiPlayer::new(self.game()?, self.nodes)?)
    }

    fn play(&self, player: &mut ShogiPlayer, number: u64) -> ShogiGameRecord {
        player.play(self, number)
    }

    fn positions(game: &ShogiGameRecord) -> u64 {
        game.scores.len() as u64
    }

    fn open(&self, path: &Path, first: u64) -> io::Result<(ShogiRecordWriter, GameCount)> {
        let (writer, found) = ShogiRecordWriter::open(path, &self.header(first))?;
        let positions = found.iter().map(Self::positions).sum();
        Ok((writer, GameCount { games: found.len() as u64, positions }))
    }

    fn append(file: &mut ShogiRecordWriter, games: &[ShogiGameRecord]) -> io::Result<()> {
        file.append(games)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::run;
    use crate::shogi::record;

    const SHARD: u64 = ShogiSelfplayConfig::SHARD;

    fn plan() -> ShogiSelfplayConfig {
        ShogiSelfplayConfig {
            seed: 4,
            nodes: 20,
            random: (7, 8),
            adjudicate: 2_500,
            evaluation: Evaluation::hand(),
        }
    }

    fn played(games: u64, threads: u16) -> Vec<ShogiGameRecord> {
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
        let mut player = ShogiPlayer::new(plan.game().expect("rules"), plan.nodes).expect("memory");
        assert_eq!(player.play(&plan, 29), all[29]);
        assert_eq!(player.play(&plan, 2), all[2]);
        assert_ne!(all[2].moves, all[3].moves);
    }

    #[test]
    fn other_settings_do_not_mix() {
        let folder = tempfile::tempdir().expect("a folder");
        run(&plan(), folder.path(), 5, 0..1, 1, &|_| ()).expect("room");
        let other = ShogiSelfplayConfig { nodes: 21, ..plan() };
        let said = format!("{:#}", run(&other, folder.path(), 5, 0..1, 1, &|_| ()).expect_err("refused"));
        assert!(said.contains("other settings") && said.contains("games-4-00000.ksg"), "{said}");
    }
}
