//! A full disk: existing files stay unchanged, failed writes are reported, and with room again the same command
//! resumes. The disk is a small one in memory, which only root can mount.

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kaeshi_analysis::store::effort::{AnalysisEffort, SearchLimit};
use kaeshi_analysis::store::{AnalysisStore, StoredAnalysis};
use kaeshi_engine::games::GameName;
use kaeshi_match::tournament::journal::load::load;

/// A small disk.
struct Disk(tempfile::TempDir);

impl Disk {
    /// A disk of `kibibytes` KiB.
    fn new(kibibytes: u32) -> Disk {
        let folder = tempfile::tempdir().expect("a folder");
        let size = format!("size={kibibytes}k");
        let mut mount = Command::new("mount");
        let output = mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path()).output();
        let output = output.expect("this test needs the program mount");
        let reason = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "this test needs root, to mount a small disk: {reason}");
        Disk(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn resize(&self, kibibytes: u32) {
        let size = format!("remount,size={kibibytes}k");
        let done = Command::new("mount").args(["-o", &size]).arg(self.0.path()).status().expect("mount");
        assert!(done.success());
    }

    /// Takes all room that is left.
    fn fill(&self) {
        let mut file = File::create(self.path("filler")).expect("a name");
        while file.write_all(&[1; 4096]).is_ok() {}
    }

    fn empty(&self) {
        // A child process that another test starts at this moment may have the file open: to remove it frees its room
        // only when that process closes it.
        fs::write(self.path("filler"), "").expect("the filler");
        fs::remove_file(self.path("filler")).expect("the filler");
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .expect("the disk")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
            .filter(|name| name != "filler")
            .collect();
        names.sort();
        names
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

fn kaeshi(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kaeshi")).args(words).output().expect("the binary starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A result that takes some room.
fn result(number: u32) -> StoredAnalysis {
    StoredAnalysis {
        best: Some("7g7f".into()),
        mate: Some("x".repeat(4_000)),
        nodes: number.into(),
        ..StoredAnalysis::default()
    }
}

const EFFORT: AnalysisEffort = AnalysisEffort { limit: SearchLimit::Nodes(100), multipv: 1 };

fn put(store: &AnalysisStore, numbers: std::ops::Range<u32>) {
    for number in numbers {
        store.put(GameName::Shogi, &number.to_le_bytes(), EFFORT, &result(number)).expect("a short result");
    }
    store.flush();
}

fn has(store: &AnalysisStore, number: u32) -> bool {
    store.get(GameName::Shogi, &number.to_le_bytes(), EFFORT) == Some(result(number))
}

#[test]
#[ignore = "needs root: .ci/run runs it"]
fn a_full_disk_is_no_damage_of_a_store() {
    let disk = Disk::new(8 << 10);
    let path = disk.path("results.db");
    let store = AnalysisStore::open(&path, "", 64).expect("a new store");
    put(&store, 0..100);
    disk.fill();
    // Far more than the file has free pages for.
    for number in 100..2_000 {
        put(&store, number..number + 1);
    }
    assert!((0..100).all(|number| has(&store, number)), "what was stored is read");
    drop(store);
    assert_eq!(disk.names(), ["results.db"]);
    // The store opens on the full disk, and has its content.
    let store = AnalysisStore::open(&path, "", 64).expect("a sound store");
    assert!((0..100).all(|number| has(&store, number)));
    let stored = store.len();
    assert!((100..2_000).contains(&stored), "{stored}");
    put(&store, 1_990..2_000);
    drop(store);
    assert_eq!(disk.names(), ["results.db"]);
    disk.empty();
    let store = AnalysisStore::open(&path, "", 64).expect("a sound store");
    put(&store, 1_000..1_100);
    assert!((0..100).chain(1_000..1_100).all(|number| has(&store, number)));
    drop(store);
    assert_eq!(disk.names(), ["results.db"]);
}

#[test]
#[ignore = "needs root: .ci/run runs it"]
fn an_analysis_goes_on_where_its_store_has_no_room() {
    let disk = Disk::new(8 << 10);
    let folder = tempfile::tempdir().expect("a folder");
    let (store, input, out) =
        (disk.path("r.db"), folder.path().join("in.txt"), folder.path().join("out.jsonl"));
    drop(AnalysisStore::open(&store, "", 64).expect("a new store"));
    // All room inside the file is taken, too.
    let full = AnalysisStore::open(&store, "", 64).expect("a store");
    disk.fill();
    for number in 0..2_000 {
        put(&full, number..number + 1);
    }
    drop(full);
    fs::write(&input, "startpos\nstartpos moves 7g7f\nstartpos moves 2g2f\n").expect("room");
    let words =
        ["analyse", "--nodes", "50", "--no-timing", "--store", text(&store), "-o", text(&out), text(&input)];
    for _ in 0..4 {
        let output = kaeshi(&[&words[..], &["--overwrite"]].concat());
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(fs::read_to_string(&out).expect("lines").lines().count(), 3);
        assert_eq!(disk.names(), ["r.db"]);
    }
    disk.empty();
    let output = kaeshi(&[&words[..], &["--overwrite"]].concat());
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
    assert_eq!(disk.names(), ["r.db"]);
}

#[test]
#[ignore = "needs root: .ci/run runs it"]
fn a_damaged_store_stays_where_no_new_one_has_room() {
    let disk = Disk::new(8 << 10);
    let path = disk.path("r.db");
    let store = AnalysisStore::open(&path, "", 64).expect("a new store");
    put(&store, 0..100);
    drop(store);
    let mut bytes = fs::read(&path).expect("a store");
    bytes.truncate(bytes.len() - 4096);
    fs::write(&path, &bytes).expect("room");
    disk.fill();
    let refused = AnalysisStore::open(&path, "", 64).err().expect("no room");
    let reason = format!("{refused:#}");
    assert!(reason.contains("damaged") && reason.contains("No space left"), "{reason}");
    assert_eq!(disk.names(), ["r.db"]);
    assert!(fs::read(&path).expect("the store") == bytes, "it is as it was");
    disk.empty();
    let store = AnalysisStore::open(&path, "", 64).expect("made anew");
    assert!((0..100).filter(|&number| has(&store, number)).count() > 50);
    drop(store);
    assert_eq!(disk.names(), ["r.db", "r.db.damaged-1"]);
}

#[test]
#[ignore = "needs root: .ci/run runs it"]
fn files_that_are_written_whole_stay_as_they_were() {
    let disk = Disk::new(256);
    let folder = tempfile::tempdir().expect("a folder");
    let (summary, input) = (disk.path("s.jsonl"), folder.path().join("in.txt"));
    fs::write(&input, "f5d6c3d3c4f4f6\n").expect("room");
    let words = ["analyse", "--nodes", "20", "--summary", text(&summary), text(&input)];
    assert!(kaeshi(&words).status.success());
    let before = fs::read(&summary).expect("a summary");
    disk.fill();
    let output = kaeshi(&words);
    assert!(!output.status.success() && said(&output).contains(text(&summary)), "{}", said(&output));
    assert!(said(&output).contains("No space left"), "{}", said(&output));
    assert_eq!((disk.names(), fs::read(&summary).expect("a summary")), (vec!["s.jsonl".to_owned()], before));
    let book = disk.path("b.db");
    let output =
        kaeshi(&["book", "--game", "shogi", "--positions", "1", "--nodes", "100", "--out", text(&book)]);
    assert!(!output.status.success() && said(&output).contains(text(&book)), "{}", said(&output));
    assert_eq!(disk.names(), ["s.jsonl"]);
}

#[test]
#[ignore = "needs root: .ci/run runs it"]
fn a_match_goes_on_with_room_again() {
    let disk = Disk::new(96);
    let folder = disk.path("m");
    let words = [
        "match",
        "kaeshi",
        "kaeshi",
        "--game",
        "reversi",
        "--nodes",
        "1",
        "--games",
        "40",
        "--random-plies",
        "4",
    ];
    let output = kaeshi(&[&words[..], &["--out", text(&folder)]].concat());
    assert!(!output.status.success() && said(&output).contains("No space left"), "{}", said(&output));
    let journal = folder.join("journal.jsonl");
    let before = load(&journal).expect("a journal").games.len();
    assert!(before < 40, "the disk was large enough");
    disk.resize(64 << 10);
    let output = kaeshi(&["match", "--resume", text(&folder)]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(load(&journal).expect("a journal").games.len(), 40);
    assert!(!folder.join("journal.torn").exists(), "no line was torn");
}

#[test]
#[ignore = "needs root: .ci/run runs it"]
fn self_play_goes_on_with_room_again() {
    let disk = Disk::new(64);
    let whole = tempfile::tempdir().expect("a folder");
    let words = ["selfplay", "--game", "reversi", "--games", "1000", "--depth", "1", "--exact", "2", "--out"];
    assert!(kaeshi(&[&words[..], &[text(whole.path())]].concat()).status.success());
    let folder = disk.path("g");
    let again = [&words[..], &[text(&folder)]].concat();
    let output = kaeshi(&again);
    assert!(!output.status.success() && said(&output).contains("No space left"), "{}", said(&output));
    assert!(said(&output).contains("games-1-00000.krg"), "{}", said(&output));
    disk.resize(64 << 10);
    let output = kaeshi(&again);
    assert!(output.status.success(), "{}", said(&output));
    let read = |folder: &Path| fs::read(folder.join("games-1-00000.krg")).expect("games");
    assert!(read(&folder) == read(whole.path()), "other games");
}
