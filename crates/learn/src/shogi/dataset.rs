//! The positions of self-played games and of other programs' files, as training wants them.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rayon::prelude::*;

use crate::shogi::labelled::{Labelled, LabelledFormat};
use crate::shogi::position_file::PositionFile;
use crate::shogi::record::{self, EXTENSION, ShogiGameRecord};
use kaeshi_core::game::{GameOptions, GameRules};
use kaeshi_core::random;
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::types::Move;
use kaeshi_shogi::{Shogi, ShogiSettings};
use kaeshi_system::output::remark;
use kaeshi_system::stop_signal::StopSignal;

/// A searched position of a game.
#[derive(Clone, Copy, Debug)]
pub struct ShogiSample<'a> {
    /// The position, with the way that led to it.
    pub position: &'a ShogiPosition,
    /// The move played here.
    pub played: Move,
    /// The scores that the search found here and, in a game, at every ply after it, each for its side to move, in
    /// centipawns; from 31,000 on mates. Never empty.
    pub scores: &'a [i16],
    /// Whether the scores reach to the end of a game. A record of PSV or hcpe has its own score alone.
    pub in_game: bool,
    /// How the game ended for the side to move: 1 won, 0 drawn, -1 lost.
    pub result: i8,
    /// Identifies its game among all others; 0 for a record of PSV or hcpe.
    pub game: u64,
    /// Whether the sample is kept out of training, so that the error on it is that on new games. All samples of
    /// a game stay together, and those of a block of records.
    pub validates: bool,
}

/// One game in this many is for validation, and one block of records.
const VALIDATION: u64 = 20;
/// Records of a block, at most: in a file that is not shuffled the positions of a game stand together.
const BLOCK: u64 = 1_024;
/// Least blocks of a file, so that some of them validate.
const LEAST_BLOCKS: u64 = 2 * VALIDATION;
/// Blocks that are decoded at once.
const BLOCKS: u64 = 64;

impl ShogiSample<'_> {
    /// The score of the search for the side to move.
    pub fn score(&self) -> i16 {
        self.scores[0]
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
    /// Lets every scored position pass.
    pub const NONE: Filter =
        Filter { in_check: false, tactical: false, highest_score: i16::MAX, duplicates: false };
}

/// Counts of the positions read, used and left out. A sample left out counts for the first reason that applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DatasetCounts {
    /// Games read; records of PSV and hcpe belong to none.
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

impl DatasetCounts {
    fn add(&mut self, other: DatasetCounts) {
        self.games += other.games;
        self.positions += other.positions;
        self.in_check += other.in_check;
        self.tactical += other.tactical;
        self.lopsided += other.lopsided;
        self.taken += other.taken;
    }
}

/// Sets of keys that are random numbers already.
///
/// A set that grows needs the memory of the old and of the new table; many small ones grow one after the other.
struct KeySet(Vec<HashSet<u64, BuildHasherDefault<Unchanged>>>);

/// Sets of a [`KeySet`], selected by bits that the tables do not use.
const KEY_SETS: u64 = 256;
const SET_SHIFT: u32 = 40;

impl KeySet {
    fn new() -> KeySet {
        KeySet((0..KEY_SETS).map(|_| HashSet::default()).collect())
    }

    /// Whether the key was not there yet.
    fn insert(&mut self, key: u64) -> bool {
        self.0[(key >> SET_SHIFT & (KEY_SETS - 1)) as usize].insert(key)
    }
}

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
/// A file cannot be read or holds neither games of shogi nor positions, or a game breaks the rules.
pub fn visit(
    files: &[PathBuf],
    filter: &Filter,
    mut take: impl FnMut(ShogiSample<'_>),
) -> anyhow::Result<DatasetCounts> {
    let mut seen = SeenPositions::new(filter);
    let mut counts = DatasetCounts::default();
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
    pack: impl Fn(ShogiSample<'_>) -> T + Sync,
    mut take: impl FnMut(T),
) -> anyhow::Result<DatasetCounts> {
    let mut seen = SeenPositions::new(filter);
    let mut counts = DatasetCounts::default();
    let mut rest = files;
    while let Some(first) = rest.first() {
        if let Some(form) = form(first) {
            counts.add(collect_positions(first, form, filter, &pack, |key, sample| {
                if seen.is_new(key) {
                    take(sample);
                }
            })?);
            rest = &rest[1..];
            continue;
        }
        let games =
            rest.iter().take(2 * rayon::current_num_threads()).take_while(|path| form(path).is_none());
        let (games, others) = rest.split_at(games.count());
        rest = others;
        let scanned: Vec<anyhow::Result<Scanned<T>>> = games
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

/// The content of one file: counts, and the packed samples with their positions' keys.
type Scanned<T> = (DatasetCounts, Vec<(u64, T)>);

/// The form of a file of positions; `None` for games.
pub fn form(path: &Path) -> Option<LabelledFormat> {
    LabelledFormat::of(path).ok()
}

/// Packs the samples of a file of positions on all threads, block by block; `take` receives them in their order.
fn collect_positions<T: Send>(
    path: &Path,
    form: LabelledFormat,
    filter: &Filter,
    pack: &(impl Fn(ShogiSample<'_>) -> T + Sync),
    mut take: impl FnMut(u64, T),
) -> anyhow::Result<DatasetCounts> {
    let mut file = PositionFile::open(path, form)?;
    let block = block_size(&file);
    let mut counts = DatasetCounts::default();
    let mut bytes = Vec::new();
    while let Some(before) = file.read_block((BLOCKS * block) as usize, &mut bytes)? {
        StopSignal::of_process().check()?;
        let scanned: Vec<anyhow::Result<Scanned<T>>> = bytes
            .par_chunks(block as usize * form.size())
            .enumerate()
            .map(|(at, records)| {
                let before = before + at as u64 * block;
                let mut samples = Vec::new();
                let each = |sample: ShogiSample<'_>| samples.push((sample.position.key(), pack(sample)));
                let counts = scan_block(&file, form, records, before, filter, each)?;
                Ok((counts, samples))
            })
            .collect();
        for block in scanned {
            let (its, samples) = block?;
            counts.add(its);
            samples.into_iter().for_each(|(key, sample)| take(key, sample));
        }
    }
    Ok(counts)
}

/// Records of one block of a file.
fn block_size(file: &PositionFile) -> u64 {
    (file.records() / LEAST_BLOCKS).clamp(1, BLOCK)
}

/// Shows `take` the samples of a block of records that pass the filter; `before` records stand before it.
fn scan_block(
    file: &PositionFile,
    form: LabelledFormat,
    records: &[u8],
    before: u64,
    filter: &Filter,
    mut take: impl FnMut(ShogiSample<'_>),
) -> anyhow::Result<DatasetCounts> {
    let validates = (before / block_size(file)) % VALIDATION == VALIDATION / 2;
    let mut visitor = DatasetVisitor { filter, counts: DatasetCounts::default() };
    for (record, number) in records.chunks_exact(form.size()).zip(before..) {
        let labelled = form.read(record).with_context(|| file.place(number))?;
        visitor.labelled(&labelled, validates, &mut take);
    }
    Ok(visitor.counts)
}

/// Shows `take` the samples of one file that pass the filter, those that came before among them.
fn scan(
    path: &Path,
    filter: &Filter,
    mut take: impl FnMut(ShogiSample<'_>),
) -> anyhow::Result<DatasetCounts> {
    if let Some(form) = form(path) {
        let mut file = PositionFile::open(path, form)?;
        let (mut counts, mut bytes) = (DatasetCounts::default(), Vec::new());
        while let Some(before) = file.read_block(block_size(&file) as usize, &mut bytes)? {
            StopSignal::of_process().check()?;
            counts.add(scan_block(&file, form, &bytes, before, filter, &mut take)?);
        }
        return Ok(counts);
    }
    let content = record::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    if content.lost > 0 {
        remark(format_args!("{}: left out {} bytes of an interrupted block", path.display(), content.lost));
    }
    let mut visitor = DatasetVisitor { filter, counts: DatasetCounts::default() };
    for (index, game) in content.games.iter().enumerate() {
        visitor
            .game(game, content.header.game(index), &mut take)
            .with_context(|| format!("{}, game {index}", path.display()))?;
    }
    Ok(visitor.counts)
}

/// Which positions came before.
struct SeenPositions {
    keys: Option<KeySet>,
    duplicates: u64,
}

impl SeenPositions {
    fn new(filter: &Filter) -> SeenPositions {
        SeenPositions { keys: filter.duplicates.then(KeySet::new), duplicates: 0 }
    }

    fn is_new(&mut self, key: u64) -> bool {
        let new = self.keys.as_mut().is_none_or(|keys| keys.insert(key));
        self.duplicates += u64::from(!new);
        new
    }

    /// The counts of all files, in which the duplicates are among the samples taken.
    fn completed(self, counts: DatasetCounts) -> DatasetCounts {
        DatasetCounts { duplicates: self.duplicates, taken: counts.taken - self.duplicates, ..counts }
    }
}

struct DatasetVisitor<'a> {
    filter: &'a Filter,
    counts: DatasetCounts,
}

impl DatasetVisitor<'_> {
    fn game(
        &mut self,
        game: &ShogiGameRecord,
        id: u64,
        take: &mut impl FnMut(ShogiSample<'_>),
    ) -> anyhow::Result<()> {
        self.counts.games += 1;
        let mut position = Shogi::load(&ShogiSettings::default())?.start();
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
                    let (validates, in_game) = (random::mix(id).is_multiple_of(VALIDATION), true);
                    take(ShogiSample {
                        position: &position,
                        played: mv,
                        scores,
                        in_game,
                        result,
                        game: id,
                        validates,
                    });
                }
            }
            position.make(mv);
        }
        Ok(())
    }

    fn labelled(&mut self, labelled: &Labelled, validates: bool, take: &mut impl FnMut(ShogiSample<'_>)) {
        let Labelled { position, value, best, result } = labelled;
        self.counts.positions += 1;
        if self.passes(position, *best, *value) {
            self.counts.taken += 1;
            let scores = std::slice::from_ref(value);
            let (played, result) = (*best, *result);
            take(ShogiSample { position, played, scores, in_game: false, result, game: 0, validates });
        }
    }

    fn passes(&mut self, position: &ShogiPosition, mv: Move, score: i16) -> bool {
        let DatasetVisitor { filter, counts } = self;
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
    use crate::shogi::selfplay::ShogiSelfplayConfig;
    use kaeshi_shogi::evaluate::Evaluation;

    fn games(folder: &Path) -> Vec<PathBuf> {
        let plan = ShogiSelfplayConfig {
            seed: 6,
            nodes: 30,
            random: (7, 8),
            adjudicate: 2_500,
            evaluation: Evaluation::hand(),
        };
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
            if sample.validates {
                validating.insert(sample.game);
            }
        })
        .expect("games");
        assert!(products > 0, "the side that is ahead wins more often");
        assert_eq!(games_seen.len(), 60);
        assert!((1..15).contains(&validating.len()), "{}", validating.len());
    }

    /// Writes the samples of `games` as a file of positions.
    fn positions_of(games: &[PathBuf], path: &Path) {
        let (form, mut bytes) = (LabelledFormat::of(path).expect("a form"), Vec::new());
        visit(games, &Filter::NONE, |sample| {
            let (position, value) = (sample.position.clone(), sample.score());
            let labelled = Labelled { position, value, best: sample.played, result: sample.result };
            form.write(&labelled, &mut bytes).expect("two kings");
        })
        .expect("games");
        std::fs::write(path, bytes).expect("room");
    }

    #[test]
    fn positions_of_other_programs_are_the_samples_of_the_games() {
        type Known = (u64, i16, i8, Move);
        let known = |sample: ShogiSample<'_>| -> Known {
            (sample.position.key(), sample.score(), sample.result, sample.played)
        };
        let folder = tempfile::tempdir().expect("a folder");
        let games = games(folder.path());
        let mut expected: Vec<Known> = Vec::new();
        let of_games = collect(&games, &Filter::default(), known, |one| expected.push(one)).expect("games");
        for name in ["some.psv", "some.bin", "some.hcpe"] {
            let path = folder.path().join(name);
            positions_of(&games, &path);
            let (mut found, mut validating, mut all) = (Vec::new(), 0, 0);
            let pack = |sample: ShogiSample<'_>| {
                assert!(!sample.in_game && sample.scores.len() == 1);
                (sample.validates, known(sample))
            };
            let files = [path.clone()];
            let counts = collect(&files, &Filter::default(), pack, |(validates, one)| {
                found.push(one);
                validating += u32::from(validates);
                all += 1;
            })
            .expect("positions");
            assert!(found == expected, "{name}: other samples");
            assert_eq!(counts, DatasetCounts { games: 0, ..of_games }, "{name}");
            assert!((all / 40..all / 10).contains(&validating), "{validating} of {all} validate");
            let mut one_by_one = Vec::new();
            let again = visit(&files, &Filter::default(), |sample| one_by_one.push(known(sample)));
            assert!(again.expect("positions") == counts && one_by_one == found);
            // Games and their positions together: nothing is new.
            let both: Vec<PathBuf> = games.iter().cloned().chain(files).collect();
            let both = collect(&both, &Filter::default(), known, |_| ()).expect("both");
            assert_eq!(both.taken, of_games.taken);
        }
    }

    #[test]
    fn a_bad_record_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("some.psv");
        positions_of(&games(folder.path()), &path);
        let good = std::fs::read(&path).expect("positions");
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("room");
            let files = [path.clone()];
            let said = collect(&files, &Filter::NONE, |_| (), |()| ()).expect_err("damaged");
            let again = visit(&files, &Filter::NONE, |_| ()).expect_err("damaged");
            assert_eq!(format!("{said:#}"), format!("{again:#}"));
            format!("{said:#}")
        };
        let mut bad = good.clone();
        bad[40 * 7 + 38] = 9;
        let said = refused(&bad);
        assert!(said.contains("record 8 (byte 280)") && said.contains("9 is no result"), "{said}");
        let said = refused(&good[..good.len() - 3]);
        assert!(said.contains("ends within a record: 37 bytes"), "{said}");
    }

    #[test]
    fn an_illegal_move_is_reported_with_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = games(folder.path()).remove(0);
        let content = record::read(&path).expect("games");
        let mut broken = content.games[3].clone();
        broken.moves[10] = Move::from_bits(0x7fff);
        let other = folder.path().join("broken");
        let (mut writer, _) = record::ShogiRecordWriter::open(&other, &content.header).expect("room");
        writer.append(&[broken]).expect("room");
        let said = format!("{:#}", visit(&[other], &Filter::NONE, |_| ()).expect_err("illegal"));
        assert!(said.contains("game 0") && said.contains("ply 11"), "{said}");
    }
}
