//! Writing a journal: whole games in one `write`, locked against a second runner, synced to disk
//! at most once a second.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::load::{LoadedJournal, parse};
use super::{JournalEntry, SCHEMA};
use kaeshi_core::files::{self, FileKind};
use kaeshi_system::checksummed_json::seal;
use kaeshi_system::output::{open_to_append, shorten, sync_folder};

/// Longest time that a finished game may be lost by a power failure.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// The one writer of a journal.
#[derive(Debug)]
pub struct JournalWriter {
    file: File,
    seq: u64,
    buffer: String,
    synced: Instant,
    dirty: bool,
}

/// Opens the journal at `path` for writing, creating it if need be, and returns what it holds
/// already. A torn tail is cut off and kept in `journal.torn` beside it.
///
/// # Errors
/// Another runner holds it, it is damaged inside (unless `salvage`), or the disk refuses.
pub fn open(path: &Path, salvage: bool) -> anyhow::Result<(JournalWriter, LoadedJournal)> {
    let shown = path.display();
    files::check_regular(path).with_context(|| format!("cannot open the journal {shown}"))?;
    let mut file = open_to_append(path).with_context(|| format!("cannot open the journal {shown}"))?;
    match kaeshi_system::lock::lock(&file) {
        Ok(()) => {}
        Err(std::fs::TryLockError::WouldBlock) => bail!("another runner is writing {shown}"),
        Err(std::fs::TryLockError::Error(error)) => {
            return Err(error).with_context(|| format!("cannot lock {shown}"));
        }
    }
    let bytes =
        files::read_opened(&mut file, FileKind::JOURNAL).with_context(|| format!("cannot read {shown}"))?;
    let loaded = parse(&bytes, salvage).with_context(|| format!("in {shown}"))?;
    if loaded.good < bytes.len() {
        keep_torn(&path.with_extension("torn"), &bytes[loaded.good..])?;
        let mut cut = || {
            shorten(&mut file, loaded.good as u64)?;
            file.sync_data()
        };
        cut().with_context(|| format!("cannot cut the torn end off the journal {shown}"))?;
    }
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        sync_folder(directory)?;
    }
    let writer =
        JournalWriter { file, seq: loaded.seq, buffer: String::new(), synced: Instant::now(), dirty: false };
    Ok((writer, loaded))
}

/// Appends the torn end of a journal to the file `torn`; where the disk refuses, the journal keeps its end.
fn keep_torn(torn: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let keep = || {
        let mut file = open_to_append(torn)?;
        let before = file.seek(SeekFrom::End(0))?;
        let kept = file.write_all(bytes).and_then(|()| file.sync_data());
        kept.inspect_err(|_| {
            // Half of it would be there twice after the next try.
            let _ = file.set_len(before);
        })
    };
    keep().with_context(|| format!("cannot write the torn end of the journal to {}", torn.display()))
}

impl JournalWriter {
    /// Appends entries that belong together with one `write`.
    ///
    /// # Errors
    /// The disk refuses; then the caller must not count the game.
    pub fn append(&mut self, entries: &[JournalEntry]) -> anyhow::Result<()> {
        self.buffer.clear();
        let first = self.seq;
        for entry in entries {
            let json = serde_json::to_string(entry)?;
            let mut line = format!(r#"{{"v":{SCHEMA},"seq":{},{}"#, self.seq, &json[1..]);
            seal(&mut line);
            self.buffer += &line;
            self.buffer.push('\n');
            self.seq += 1;
        }
        let before = self.file.metadata().map(|data| data.len());
        if let Err(error) = self.file.write_all(self.buffer.as_bytes()) {
            // A torn line, or a number that is missing, would be damage once the disk has room again.
            self.seq = first;
            if let Ok(before) = before {
                let _ = shorten(&mut self.file, before);
            }
            return Err(error).context("cannot write the journal");
        }
        self.dirty = true;
        if self.synced.elapsed() >= SYNC_EVERY { self.sync() } else { Ok(()) }
    }

    /// Forces what was written to the disk.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn sync(&mut self) -> anyhow::Result<()> {
        if self.dirty {
            self.file.sync_data().context("cannot sync the journal")?;
            self.dirty = false;
            self.synced = Instant::now();
        }
        Ok(())
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        if let Err(error) = self.sync() {
            log::error!("{error:#}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        EndCause, EngineFault, EngineInfo, GameResult, GameWithMoves, JournalClose, JournalGame, JournalMove,
        JournalOpen,
    };
    use super::*;

    fn game(pair: u64) -> Vec<JournalEntry> {
        let game = JournalGame {
            pair,
            game: 0,
            leg: 0,
            first: "a".into(),
            second: "b".into(),
            opening: None,
            start: "startpos".into(),
            result: GameResult::FirstWins,
            cause: EndCause::Illegal,
            detail: "played \"x\"".into(),
            loser: Some("b".into()),
            plies: 1,
            margin: None,
            rest_us: [Some(5), None],
            used_us: [1, 2],
            max_over_us: [0, 0],
            lag_us_p99: [0, -3],
            slot: 0,
            t0: "2026-11-20T16:00:00Z".into(),
            time_scale: None,
            dur_us: 9,
            warn: vec![],
        };
        let played = JournalMove { pair, ply: 1, m: "7g7f".into(), cp: Some(-4), ..JournalMove::default() };
        let fault = EngineFault {
            pair,
            game: 0,
            engine: "b".into(),
            what: EndCause::Illegal,
            detail: "…".into(),
            tail: vec![],
        };
        vec![
            JournalEntry::Move(Box::new(played)),
            JournalEntry::Fault(fault),
            JournalEntry::Game(Box::new(game)),
        ]
    }

    /// The entries of a game that was replayed once.
    fn replayed(pair: u64) -> Vec<JournalEntry> {
        let mut entries = game(pair);
        entries.remove(1);
        let [first, JournalEntry::Game(last)] = &entries[..] else { panic!("a move and its game") };
        let (mut again, mut leg) = (last.clone(), last.clone());
        (leg.result, leg.cause) = (GameResult::Draw, EndCause::Repetition);
        (again.leg, again.cause) = (1, EndCause::Mate);
        vec![first.clone(), JournalEntry::Leg(leg), first.clone(), JournalEntry::Game(again)]
    }

    #[test]
    fn a_replayed_game_is_whole_only_with_all_its_legs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let begin = whole(&path).len();
        let (mut writer, _) = open(&path, false).unwrap();
        writer.append(&replayed(7)).unwrap();
        drop(writer);
        let bytes = std::fs::read(&path).unwrap();
        let journal = super::super::load::load(&path).unwrap();
        let last = journal.games.last().unwrap();
        assert_eq!((last.game.pair, last.game.leg, last.moves.len(), last.legs.len()), (7, 1, 1, 1));
        assert_eq!((last.legs[0].game.cause, last.legs[0].moves.len()), (EndCause::Repetition, 1));
        assert_eq!((journal.games.len(), journal.all_games().count()), (4, 5));
        // It repeats only a game with the same legs.
        let alone = GameWithMoves::new(last.game.clone(), last.moves.clone());
        assert!(last.key.is_some() && last.key != alone.key);
        for cut in begin..bytes.len() {
            assert_eq!(parse(&bytes[..cut], false).unwrap().good, begin, "cut at {cut}");
        }
    }

    fn whole(path: &Path) -> Vec<u8> {
        let (mut writer, loaded) = open(path, false).unwrap();
        assert!(loaded.journal.is_none());
        let engine = EngineInfo { name: "a".into(), ..EngineInfo::default() };
        let opening = JournalOpen { engines: vec![engine], pairs: 3, ..JournalOpen::default() };
        writer.append(&[JournalEntry::Open(Box::new(opening))]).unwrap();
        for pair in 0..3 {
            writer.append(&game(pair)).unwrap();
        }
        writer.append(&[JournalEntry::Close(JournalClose { why: "all-played".into(), at_pair: 3 })]).unwrap();
        drop(writer);
        std::fs::read(path).unwrap()
    }

    #[test]
    fn what_was_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        whole(&path);
        let journal = super::super::load::load(&path).unwrap();
        assert_eq!(journal.games.len(), 3);
        assert_eq!(journal.faults.len(), 3);
        assert_eq!(journal.games[1].moves[0].m, "7g7f");
        assert_eq!(journal.games[2].game.detail, "played \"x\"");
        assert_eq!(journal.close.unwrap().at_pair, 3);
    }

    #[test]
    fn cut_anywhere_the_whole_games_before_the_cut_remain_and_writing_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let bytes = whole(&path);
        for cut in (0..bytes.len()).step_by(37) {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let complete =
                parse(&bytes[..cut], false).unwrap().journal.map_or(0, |journal| journal.games.len());
            let (mut writer, loaded) = open(&path, false).unwrap();
            assert_eq!(std::fs::metadata(&path).unwrap().len(), loaded.good as u64);
            if loaded.journal.is_none() {
                continue;
            }
            writer.append(&game(9)).unwrap();
            drop(writer);
            let journal = super::super::load::load(&path).unwrap();
            assert_eq!(journal.games.len(), complete + 1, "cut at {cut}");
            assert_eq!(journal.faults.len(), complete + 1, "cut at {cut}");
        }
    }

    #[test]
    fn damage_inside_stops_with_the_line_number_unless_salvaged() {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = whole(&folder.path().join("journal.jsonl"));
        let at = bytes.windows(8).position(|window| window == b"\"pair\":1").unwrap();
        bytes[at + 7] = b'7';
        assert!(parse(&bytes, false).unwrap_err().to_string().contains("line 5"));
        let salvaged = parse(&bytes, true).unwrap();
        assert_eq!(salvaged.journal.unwrap().games.len(), 3);
        assert_eq!(salvaged.warnings.len(), 1);
    }

    #[test]
    fn salvaged_games_have_their_own_moves_and_faults() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        whole(&path);
        let (mut writer, _) = open(&path, false).unwrap();
        writer.append(&replayed(7)).unwrap();
        drop(writer);
        let text = std::fs::read_to_string(&path).unwrap();
        let salvaged = |damaged: &str| {
            let (kind, pair) = damaged.split_once(' ').unwrap();
            let is_it = |line: &&str| line.contains(kind) && line.contains(pair);
            let line = text.lines().find(is_it).unwrap();
            parse(text.replace(line, &line.replace("startpos", "startpoz")).as_bytes(), true)
                .unwrap()
                .journal
                .unwrap()
        };
        let last = salvaged("\"leg\",\"pair\" \"pair\":7").games.pop().unwrap();
        assert_eq!((last.game.leg, last.legs.len(), last.moves.len()), (1, 0, 1));
        let journal = salvaged("\"k\":\"game\" \"pair\":1");
        let faults: Vec<u64> = journal.faults.iter().map(|fault| fault.pair).collect();
        assert_eq!((journal.games.len(), faults), (3, vec![0, 2]));
    }

    #[test]
    fn a_line_that_is_gone_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let bytes = whole(&path);
        let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        for gone in 1..lines.len() - 1 {
            let mut rest = lines.clone();
            rest.remove(gone);
            let error = parse(&rest.concat(), false).unwrap_err().to_string();
            let wanted = format!("line {} is the one that was written as number {}", gone + 1, gone + 1);
            assert!(error.contains(&wanted), "{error}");
            let salvaged = parse(&rest.concat(), true).unwrap();
            assert_eq!(salvaged.warnings.len(), 1, "{:?}", salvaged.warnings);
            // Without its moves or its fault a game still counts.
            assert!(salvaged.journal.unwrap().games.len() >= 2);
        }
        // A line that stands there again is noticed, too.
        let again = [&lines[..3], &lines[2..]].concat().concat();
        assert!(parse(&again, false).is_err());
    }

    /// A run that was killed amid a game leaves lines that the next one cuts off; earlier versions
    /// went on with the number behind them.
    #[test]
    fn numbers_may_leap_where_a_match_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let bytes = whole(&path);
        let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        std::fs::write(&path, lines[..4].concat()).unwrap();
        let (mut writer, loaded) = open(&path, false).unwrap();
        assert_eq!(loaded.seq, 4);
        writer.seq = 9;
        writer.append(&[JournalEntry::Open(Box::default())]).unwrap();
        writer.append(&game(7)).unwrap();
        drop(writer);
        assert_eq!(super::super::load::load(&path).unwrap().games.len(), 2);
    }

    #[test]
    fn a_second_runner_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let _first = open(&path, false).unwrap();
        assert!(open(&path, false).unwrap_err().to_string().contains("another runner"));
    }
}
