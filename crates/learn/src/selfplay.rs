//! The driver of self-play: it plays the games of a series on all threads and keeps them in files.
//!
//! A game is a function of the settings of its series and of its number alone. So the games of a file are the same with
//! any number of threads, machines and interruptions. Playing and the form of the files differ between the games and
//! are behind [`Series`].

use std::fs;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context as _, anyhow, bail};
use parking_lot::Mutex;

use crate::threads::Able;
use kaeshi_core::driver::machine::room_for_threads;
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::threads::side_by_side;
use kaeshi_system::stop_signal::StopSignal;

/// The extension of the file that names the program by which a series was played.
pub const PROGRAM: &str = "program";

/// Games against itself by equal settings, counted from 0.
pub trait Series: Sync {
    /// A player of games on one thread.
    type Player<'a>
    where
        Self: 'a;
    /// A finished game.
    type Game;
    /// A file that finished games are appended to.
    type File;

    /// Games in one file.
    const SHARD: u64;
    /// Games that are appended together; an interruption loses at most this many on each thread.
    const BLOCK: u64;
    /// The extension of the files.
    const EXTENSION: &'static str;

    /// The common beginning of the names of all files of the series.
    fn name(&self) -> String;

    /// A player for one thread.
    ///
    /// # Errors
    /// No memory for its tables.
    fn player(&self) -> anyhow::Result<Self::Player<'_>>;

    /// Plays the game with this number.
    fn play<'a>(&'a self, player: &mut Self::Player<'a>, number: u64) -> Self::Game;

    /// Searched positions of a game.
    fn positions(game: &Self::Game) -> u64;

    /// Opens or creates the file whose first game has the number `first`; also returns its counts.
    ///
    /// # Errors
    /// The file cannot be read or written, or its games were played by other settings.
    fn open(&self, path: &Path, first: u64) -> io::Result<(Self::File, GameCount)>;

    /// Appends games; returns when they are on the disk.
    ///
    /// # Errors
    /// The file cannot be written.
    fn append(file: &mut Self::File, games: &[Self::Game]) -> io::Result<()>;
}

/// Games, and the searched positions in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameCount {
    /// Games.
    pub games: u64,
    /// Positions with a value.
    pub positions: u64,
}

/// The files themselves and, of the folders given and those inside them, those with this extension in the order of
/// their paths.
///
/// # Errors
/// A folder cannot be read.
pub fn files(given: &[PathBuf], extension: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in given {
        if path.is_dir() {
            let mut below = files::files_below(path)?;
            below.retain(|file| file.extension().is_some_and(|found| found == extension));
            all.append(&mut below);
        } else {
            all.push(path.clone());
        }
    }
    Ok(all)
}

/// The report of a thread of the driver.
#[derive(Clone, Copy, Debug)]
pub enum SelfplayProgress {
    /// An earlier run left these games.
    Found(GameCount),
    /// These games were played and are on the disk.
    Played(GameCount),
}

/// Plays until `folder` holds those of the first `games` games of the series that lie in `shards`.
///
/// All threads stop at the first error, and when the process is asked to stop, each after the games that it appends
/// together.
///
/// # Errors
/// The first error: the process is to stop, a file cannot be read or written, was made by other settings or another
/// program, or a thread panicked.
pub fn run<S: Series>(
    series: &S,
    folder: &Path,
    games: u64,
    shards: Range<u64>,
    threads: u16,
    progress: &(dyn Fn(SelfplayProgress) + Sync),
) -> anyhow::Result<()> {
    check_program(&folder.join(format!("{}.{PROGRAM}", series.name())), &program()?)?;
    let able = Able::new();
    let (next, failed) = (AtomicU64::new(shards.start), AtomicBool::new(false));
    let work = || -> anyhow::Result<()> {
        let Some(mut player) = able.equip(|| series.player())? else { return Ok(()) };
        while !failed.load(Ordering::Relaxed) {
            let shard = next.fetch_add(1, Ordering::Relaxed);
            if shard >= shards.end {
                break;
            }
            StopSignal::of_process().check()?;
            let path = folder.join(format!("{}-{shard:05}.{}", series.name(), S::EXTENSION));
            let numbers = shard * S::SHARD..games.min((shard + 1) * S::SHARD);
            fill(series, &mut player, &path, numbers, &failed, progress)
                .with_context(|| path.display().to_string())?;
        }
        Ok(())
    };
    let first_error = Mutex::new(None);
    let guarded = || {
        let result = catch_unwind(AssertUnwindSafe(work));
        if let Err(error) = result.unwrap_or_else(|_| Err(anyhow!("a thread panicked"))) {
            failed.store(true, Ordering::Relaxed);
            first_error.lock().get_or_insert(error);
        }
    };
    let wanted = usize::from(threads);
    side_by_side(wanted, room_for_threads(wanted), |_| guarded());
    first_error.into_inner().map_or(Ok(()), Err)
}

/// Plays the games `numbers` that the file does not hold yet, until they are there or `failed` is set.
fn fill<'a, S: Series>(
    series: &'a S,
    player: &mut S::Player<'a>,
    path: &Path,
    numbers: Range<u64>,
    failed: &AtomicBool,
    progress: &(dyn Fn(SelfplayProgress) + Sync),
) -> anyhow::Result<()> {
    let (mut file, found) = series.open(path, numbers.start)?;
    progress(SelfplayProgress::Found(found));
    let mut number = numbers.start + found.games;
    while number < numbers.end && !failed.load(Ordering::Relaxed) {
        StopSignal::of_process().check()?;
        let next = numbers.end.min(number + S::BLOCK);
        let games: Vec<S::Game> = (number..next).map(|number| series.play(player, number)).collect();
        S::append(&mut file, &games)?;
        let positions = games.iter().map(S::positions).sum();
        progress(SelfplayProgress::Played(GameCount { games: next - number, positions }));
        number = next;
    }
    Ok(())
}

/// Names this program by its bytes, not by its version: only the same program plays the same games.
///
/// # Errors
/// The program's file cannot be read.
pub fn program() -> anyhow::Result<String> {
    let path = std::env::current_exe().context("where is this program?")?;
    let mut checksum = crc32fast::Hasher::new();
    files::visit(&path, |bytes| checksum.update(bytes))
        .with_context(|| format!("cannot read {}", path.display()))?;
    Ok(format!("{:08x}", checksum.finalize()))
}

/// Writes down in the file `path` by which program a series is played, or compares it.
fn check_program(path: &Path, program: &str) -> anyhow::Result<()> {
    let here = format!("kaeshi {} {program}\n", env!("CARGO_PKG_VERSION"));
    let there = match files::read_text(path, FileKind::SETTINGS) {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    if there == here {
        return Ok(());
    }
    // An interruption may have left a part of the line.
    if here.starts_with(&there) {
        return fs::write(path, here).with_context(|| format!("cannot write {}", path.display()));
    }
    bail!(
        "{}: these games were played by another program:\n  there {}\n  here  {}\n\
         take another folder or --seed; or remove this file if both programs play alike",
        path.display(),
        there.trim_end(),
        here.trim_end()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Games" that are their numbers, and a series that fails at one of them.
    struct NumberedGames {
        fails_at: u64,
    }

    impl Series for NumberedGames {
        type Player<'a> = ();
        type Game = u64;
        type File = (fs::File, bool);
        const SHARD: u64 = 1000;
        const BLOCK: u64 = 2;
        const EXTENSION: &'static str = "numbers";

        fn name(&self) -> String {
            "games".to_owned()
        }

        fn player(&self) -> anyhow::Result<()> {
            Ok(())
        }

        fn play(&self, (): &mut (), number: u64) -> u64 {
            assert_ne!(number, 7_000, "the number at which a thread panics");
            std::thread::sleep(std::time::Duration::from_millis(1));
            number
        }

        fn positions(_: &u64) -> u64 {
            3
        }

        fn open(&self, path: &Path, first: u64) -> io::Result<((fs::File, bool), GameCount)> {
            let file = fs::OpenOptions::new().create(true).append(true).open(path)?;
            let games = fs::read_to_string(path)?.lines().count() as u64;
            let fails = (first..first + Self::SHARD).contains(&self.fails_at);
            Ok(((file, fails), GameCount { games, positions: 3 * games }))
        }

        fn append((file, fails): &mut (fs::File, bool), games: &[u64]) -> io::Result<()> {
            if *fails {
                return Err(io::Error::other("the disk is full"));
            }
            games.iter().try_for_each(|game| io::Write::write_all(file, format!("{game}\n").as_bytes()))
        }
    }

    fn played(
        series: &NumberedGames,
        folder: &Path,
        games: u64,
        shards: Range<u64>,
    ) -> anyhow::Result<(u64, u64)> {
        let (found, played) = (AtomicU64::new(0), AtomicU64::new(0));
        let result = run(series, folder, games, shards, 3, &|progress| match progress {
            SelfplayProgress::Found(count) => drop(found.fetch_add(count.games, Ordering::Relaxed)),
            SelfplayProgress::Played(count) => drop(played.fetch_add(count.games, Ordering::Relaxed)),
        });
        result.map(|()| (found.into_inner(), played.into_inner()))
    }

    const SOUND: NumberedGames = NumberedGames { fails_at: u64::MAX };

    #[test]
    fn a_series_goes_on_where_it_stopped_and_ends_at_its_last_game() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(played(&SOUND, folder.path(), 5, 0..1).expect("room"), (0, 5));
        assert_eq!(played(&SOUND, folder.path(), 1_003, 0..2).expect("room"), (5, 998));
        let text = |shard| fs::read_to_string(folder.path().join(format!("games-{shard:05}.numbers")));
        assert_eq!(text(1).expect("a file"), "1000\n1001\n1002\n");
        assert!(text(0).expect("a file").lines().map(str::parse).eq((0..1000).map(Ok)));
    }

    #[test]
    fn folders_inside_a_folder_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("b/c")).expect("a folder");
        for name in ["a.sygo", "b/c/games.sygo", "b/notes.txt", "z.sygo"] {
            fs::write(path(name), "").expect("a file");
        }
        let found = files(&[folder.path().to_owned(), path("b/notes.txt")], "sygo").expect("a list");
        assert_eq!(found, ["a.sygo", "b/c/games.sygo", "z.sygo", "b/notes.txt"].map(path));
    }

    #[test]
    fn all_threads_stop_at_the_first_error_or_panic() {
        for (series, shards, said) in [
            (NumberedGames { fails_at: 2_500 }, 0..3, "the disk is full"),
            (SOUND, 5..8, "a thread panicked"),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let failed = played(&series, folder.path(), 9_000, shards).expect_err("an error");
            assert!(format!("{failed:#}").contains(said), "{failed:#}");
            for entry in fs::read_dir(folder.path()).expect("a folder") {
                let lines =
                    fs::read_to_string(entry.expect("an entry").path()).expect("text").lines().count();
                assert!(lines < 900, "a thread went on for {lines} games");
            }
        }
    }

    #[test]
    fn another_program_is_refused_and_a_torn_line_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games-1.program");
        check_program(&path, "0123abcd").expect("room");
        check_program(&path, "0123abcd").expect("the same program");
        let said = format!("{:#}", check_program(&path, "0123abce").expect_err("another program"));
        assert!(said.contains("another program") && said.contains("0123abcd"), "{said}");
        fs::write(&path, "kaes").expect("room");
        check_program(&path, "0123abcd").expect("an interruption");
        assert!(fs::read_to_string(&path).expect("text").ends_with("0123abcd\n"));
    }
}
