//! The positions of self-played games, as training wants them.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rayon::prelude::*;

use crate::shogi::record::{self, EXTENSION, Record};
use kaeshi_core::game::Game;
use kaeshi_core::random;
use kaeshi_shogi::rules::position::Position;
use kaeshi_shogi::rules::types::Move;
use kaeshi_shogi::{Settings, Shogi};
use kaeshi_system::output::remark;

/// A searched position of a game.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The position, with the way that led to it.
    pub position: &'a Position,
    /// What was played here.
    pub played: Move,
    /// What the search found here and at every ply after it, each for its side to move, in hundredths
    /// of a pawn; from 31,000 on mates. Never empty.
    pub scores: &'a [i16],
    /// How the game ended for the side to move: 1 won, 0 drawn, -1 lost.
    pub result: i8,
    /// Identifies its game among all others.
    pub game: u64,
}

/// One game in so many is for validation.
const VALIDATION: u64 = 20;

impl Sample<'_> {
    /// What the search found for the side to move.
    pub fn score(&self) -> i16 {
        self.scores[0]
    }

    /// Whether the sample's game is kept out of training, so that the error on it is that on new
    /// games. All samples of a game stay together.
    pub fn validates(&self) -> bool {
        random::mix(self.game).is_multiple_of(VALIDATION)
    }
}

/// Which samples count. Plies played at random have no score and never count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Leave positions in check out: their static value means little.
    pub in_check: bool,
    /// Leave positions out in which a capture or promotion was played: it is not yet quiet there.
    pub tactical: bool,
    /// Leave positions out that were scored higher than this, in centipawns, for either side.
    pub highest_score: i16,
    /// Leave positions out that came before, in any of the files; the first one counts.
    pub duplicates: bool,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter { in_check: true, tactical: true, highest_score: 3_000, duplicates: true }
    }
}

impl Filter {
    /// Everything that was scored.
    pub const NONE: Filter =
        Filter { in_check: false, tactical: false, highest_score: i16::MAX, duplicates: false };
}

/// What was met, and what became of it. A sample left out counts for the first reason that applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games read.
    pub games: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Left out: in check.
    pub in_check: u64,
    /// Left out: a capture or promotion was played.
    pub tactical: u64,
    /// Left out: scored too high.
    pub lopsided: u64,
    /// Left out: seen before.
    pub duplicates: u64,
    /// Samples that passed.
    pub taken: u64,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.games += other.games;
        self.positions += other.positions;
        self.in_check += other.in_check;
        self.tactical += other.tactical;
        self.lopsided += other.lopsided;
        self.taken += other.taken;
    }
}

/// A set of keys that are random numbers already.
type Keys = HashSet<u64, BuildHasherDefault<Unchanged>>;

#[derive(Default)]
struct Unchanged(u64);

impl Hasher for Unchanged {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Shows `take` every sample of the files that passes the filter, in their order.
///
/// # Errors
/// A file cannot be read or holds no games of shogi, or a game breaks the rules.
pub fn visit(files: &[PathBuf], filter: &Filter, mut take: impl FnMut(Sample<'_>)) -> anyhow::Result<Counts> {
    let mut seen = Seen::new(filter);
    let mut counts = Counts::default();
    for path in files {
        counts.add(scan(path, filter, |sample| {
            if seen.is_new(sample.position.key()) {
                take(sample);
            }
        })?);
    }
    Ok(seen.completed(counts))
}

/// The same on all threads of the present pool: `pack` makes of each sample, on any thread, what
/// `take` receives in the order of the files.
///
/// # Errors
/// Those of [`visit`].
pub fn collect<T: Send>(
    files: &[PathBuf],
    filter: &Filter,
    pack: impl Fn(Sample<'_>) -> T + Sync,
    mut take: impl FnMut(T),
) -> anyhow::Result<Counts> {
    let mut seen = Seen::new(filter);
    let mut counts = Counts::default();
    for files in files.chunks(2 * rayon::current_num_threads()) {
        let scanned: Vec<anyhow::Result<Scanned<T>>> = files
            .par_iter()
            .map(|path| {
                let mut samples = Vec::new();
                let counts =
                    scan(path, filter, |sample| samples.push((sample.position.key(), pack(sample))))?;
                Ok((counts, samples))
            })
            .collect();
        for file in scanned {
            let (its, samples) = file?;
            counts.add(its);
            samples.into_iter().filter(|(key, _)| seen.is_new(*key)).for_each(|(_, sample)| take(sample));
        }
    }
    Ok(seen.completed(counts))
}

/// What one file holds: the packed samples by their positions' keys.
type Scanned<T> = (Counts, Vec<(u64, T)>);

/// Shows `take` the samples of one file that pass the filter, those that came before among them.
fn scan(path: &Path, filter: &Filter, mut take: impl FnMut(Sample<'_>)) -> anyhow::Result<Counts> {
    let content = record::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    if content.lost > 0 {
        remark(format_args!("{}: left out {} bytes of an interrupted block", path.display(), content.lost));
    }
    let mut visitor = Visitor { filter, counts: Counts::default() };
    for (index, game) in content.games.iter().enumerate() {
        visitor
            .game(game, content.header.game(index), &mut take)
            .with_context(|| format!("{}, game {index}", path.display()))?;
    }
    Ok(visitor.counts)
}

/// Which positions came before.
struct Seen {
    keys: Option<Keys>,
    duplicates: u64,
}

impl Seen {
    fn new(filter: &Filter) -> Seen {
        Seen { keys: filter.duplicates.then(Keys::default), duplicates: 0 }
    }

    fn is_new(&mut self, key: u64) -> bool {
        let new = self.keys.as_mut().is_none_or(|keys| keys.insert(key));
        self.duplicates += u64::from(!new);
        new
    }

    /// The counts of all files, in which the duplicates are among the samples taken.
    fn completed(self, counts: Counts) -> Counts {
        Counts { duplicates: self.duplicates, taken: counts.taken - self.duplicates, ..counts }
    }
}

struct Visitor<'a> {
    filter: &'a Filter,
    counts: Counts,
}

impl Visitor<'_> {
    fn game(&mut self, game: &Record, id: u64, take: &mut impl FnMut(Sample<'_>)) -> anyhow::Result<()> {
        self.counts.games += 1;
        let mut position = Shogi::load(&Settings::default())?.start();
        for (ply, &mv) in game.moves.iter().enumerate() {
            if let Err(reason) = position.check(mv) {
                bail!("ply {}: {mv} is illegal: {reason}", ply + 1);
            }
            if let Some(scored) = ply.checked_sub(game.unscored()) {
                let scores = &game.scores[scored..];
                self.counts.positions += 1;
                if self.passes(&position, mv, scores[0]) {
                    self.counts.taken += 1;
                    let result = game.end.result(position.side_to_move());
                    take(Sample { position: &position, played: mv, scores, result, game: id });
                }
            }
            position.make(mv);
        }
        Ok(())
    }

    fn passes(&mut self, position: &Position, mv: Move, score: i16) -> bool {
        let Visitor { filter, counts } = self;
        let reason = if filter.in_check && position.in_check() {
            &mut counts.in_check
        } else if filter.tactical && (mv.is_promotion() || position.piece_on(mv.to()).is_some()) {
            &mut counts.tactical
        } else if score.unsigned_abs() > filter.highest_score.unsigned_abs() {
            &mut counts.lopsided
        } else {
            return true;
        };
        *reason += 1;
        false
    }
}

/// The files themselves and, of the folders given, those of shogi games.
///
/// # Errors
/// A folder cannot be read.
pub fn files(given: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    crate::selfplay::files(given, EXTENSION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::run;
    use crate::shogi::selfplay::Plan;
    use kaeshi_shogi::evaluate::Evaluation;

    fn games(folder: &Path) -> Vec<PathBuf> {
        let plan =
            Plan { seed: 6, nodes: 30, random: (7, 8), adjudicate: 2_500, evaluation: Evaluation::hand() };
        run(&plan, folder, 60, 0..1, 1, &|_| ()).expect("room");
        files(&[folder.to_path_buf()]).expect("a folder")
    }

    #[test]
    fn every_position_is_taken_or_left_out_for_a_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = games(folder.path());
        let all = visit(&files, &Filter::NONE, |_| ()).expect("games");
        assert_eq!((all.games, all.taken), (60, all.positions));
        let filter = Filter { highest_score: 1_000, ..Filter::default() };
        let mut seen = HashSet::new();
        let some = visit(&files, &filter, |sample| {
            assert!(!sample.position.in_check() && sample.score().abs() <= 1_000);
            assert!(seen.insert(sample.position.key()));
        })
        .expect("games");
        let left_out = [some.in_check, some.tactical, some.lopsided];
        assert!(left_out.iter().all(|&count| count > 0), "{some:?}");
        assert_eq!(some.taken + some.duplicates + left_out.iter().sum::<u64>(), all.positions);
        assert_eq!(seen.len() as u64, some.taken);
        let mut order = Vec::new();
        let counts = collect(&files, &filter, |sample| sample.position.key(), |key| order.push(key));
        assert_eq!(counts.expect("games"), some);
        let mut one_by_one = Vec::new();
        visit(&files, &filter, |sample| one_by_one.push(sample.position.key())).expect("games");
        assert!(order == one_by_one, "another order");
        // The same files again are nothing new.
        let twice: Vec<PathBuf> = files.iter().chain(&files).cloned().collect();
        assert_eq!(visit(&twice, &filter, |_| ()).expect("games").taken, some.taken);
    }

    #[test]
    fn results_change_with_the_side_and_scores_agree_with_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut products, mut validating) = (0i64, HashSet::new());
        let (mut last, mut games_seen) = (None, HashSet::new());
        visit(&games(folder.path()), &Filter::NONE, |sample| {
            if let Some((game, result)) = last.replace((sample.game, sample.result))
                && game == sample.game
            {
                assert_eq!(result, -sample.result);
            }
            games_seen.insert(sample.game);
            products += i64::from(sample.score().signum()) * i64::from(sample.result);
            if sample.validates() {
                validating.insert(sample.game);
            }
        })
        .expect("games");
        assert!(products > 0, "whoever is ahead wins more often");
        assert_eq!(games_seen.len(), 60);
        assert!((1..15).contains(&validating.len()), "{}", validating.len());
    }

    #[test]
    fn an_illegal_move_is_reported_with_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = games(folder.path()).remove(0);
        let content = record::read(&path).expect("games");
        let mut broken = content.games[3].clone();
        broken.moves[10] = Move::from_bits(0x7fff);
        let other = folder.path().join("broken");
        let (mut writer, _) = record::Writer::open(&other, &content.header).expect("room");
        writer.append(&[broken]).expect("room");
        let said = format!("{:#}", visit(&[other], &Filter::NONE, |_| ()).expect_err("illegal"));
        assert!(said.contains("game 0") && said.contains("ply 11"), "{said}");
    }
}
