use super::effort::SearchLimit;
use super::*;
use kaeshi_core::driver::root_cache::EarlierResults;
use kaeshi_core::game::{GameNotation, GameOptions, GameRules};
use kaeshi_reversi::Reversi;

fn effort(nodes: u64) -> AnalysisEffort {
    AnalysisEffort { limit: SearchLimit::Nodes(nodes), multipv: 1 }
}

fn analysis(nodes: u64) -> StoredAnalysis {
    StoredAnalysis { best: Some("7g7f".into()), nodes, ..StoredAnalysis::default() }
}

#[test]
fn a_result_is_found_again_where_it_covers_the_question() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let (shogi, here) = (GameName::Shogi, b"here".as_slice());
    let store = AnalysisStore::open(&path, "", 64).unwrap();
    assert!(store.is_empty());
    store.put(shogi, here, effort(100), &analysis(100)).unwrap();
    let get = |store: &AnalysisStore, game, identity: &[u8], nodes| {
        store.get(game, identity, effort(nodes)).map(|found| found.nodes)
    };
    assert_eq!(get(&store, shogi, here, 100), Some(100));
    assert!(AnalysisStore::open(&path, "", 64).err().unwrap().to_string().contains("another run"));
    drop(store);
    let store = AnalysisStore::open(&path, "", 64).unwrap();
    assert_eq!(get(&store, shogi, here, 100), Some(100));
    assert_eq!(get(&store, shogi, here, 50), Some(100));
    assert_eq!(get(&store, shogi, here, 101), None);
    assert_eq!(get(&store, shogi, b"her", 100), None);
    assert_eq!(get(&store, GameName::Sygo, here, 100), None);
    assert_eq!(store.get(shogi, here, AnalysisEffort { limit: SearchLimit::Depth(1), multipv: 1 }), None);
    store.put(shogi, here, effort(50), &analysis(50)).unwrap();
    store.put(shogi, here, effort(200), &analysis(200)).unwrap();
    assert_eq!(get(&store, shogi, here, 100), Some(200));
    store.flush();
    assert_eq!((get(&store, shogi, here, 200), store.len()), (Some(200), 1));
}

#[test]
fn other_options_are_another_question() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = AnalysisStore::open(&path, "boardsize=5", 64).unwrap();
    store.put(GameName::Sygo, b"x", effort(1), &analysis(1)).unwrap();
    drop(store);
    let store = AnalysisStore::open(&path, "boardsize=7", 64).unwrap();
    assert_eq!(store.get(GameName::Sygo, b"x", effort(1)), None);
}

#[test]
fn the_oldest_make_room() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = AnalysisStore::open(&path, "", 1).unwrap();
    let mut big = analysis(7);
    big.best = Some("x".repeat(1000));
    for index in 0..3000u32 {
        store.put(GameName::Shogi, &index.to_le_bytes(), effort(1), &big).unwrap();
    }
    store.flush();
    let kept = store.len();
    assert!((200..400).contains(&kept), "{kept}");
    assert_eq!(store.get(GameName::Shogi, &0u32.to_le_bytes(), effort(1)), None);
    assert!(store.get(GameName::Shogi, &2999u32.to_le_bytes(), effort(1)).is_some());
}

#[test]
fn what_is_no_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    std::fs::write(&path, "a text of somebody's, long enough to be no database").unwrap();
    assert!(AnalysisStore::open(&path, "", 1).is_err());
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("a text"));
}

/// A database as it is damaged: its bytes, and what it holds.
fn filled(results: u32) -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.db");
    let store = AnalysisStore::open(&path, "", 64).unwrap();
    for index in 0..results {
        store.put(GameName::Shogi, &index.to_le_bytes(), effort(100), &known(index)).unwrap();
    }
    drop(store);
    let bytes = std::fs::read(&path).unwrap();
    (folder, path, bytes)
}

fn known(index: u32) -> StoredAnalysis {
    StoredAnalysis {
        best: Some(format!("{index}")),
        mate: Some("x".repeat(300)),
        ..analysis(u64::from(index))
    }
}

/// Opens a damaged store, reads everything, writes, and reads with an engine. Every answer is the
/// right one or none. Returns how many are there.
fn use_damaged(path: &Path, results: u32) -> u32 {
    let store = match AnalysisStore::open(path, "", 64) {
        Ok(store) => store,
        Err(error) => panic!("{error:#}"),
    };
    let mut found = 0;
    for index in 0..results {
        match store.get(GameName::Shogi, &index.to_le_bytes(), effort(50)) {
            Some(analysis) => {
                assert_eq!(analysis, known(index));
                found += 1;
            }
            None => store.put(GameName::Shogi, &index.to_le_bytes(), effort(100), &known(index)).unwrap(),
        }
    }
    store.flush();
    drop(store);
    let store = AnalysisStore::open(path, "", 64).unwrap();
    for index in 0..results {
        let again = store.get(GameName::Shogi, &index.to_le_bytes(), effort(100));
        assert_eq!(again, Some(known(index)));
    }
    found
}

fn clean(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
}

#[test]
fn a_store_cut_anywhere_is_made_anew_of_what_is_left() {
    const RESULTS: u32 = 40;
    let (folder, path, bytes) = filled(RESULTS);
    for cut in (0..bytes.len()).step_by(4096) {
        clean(folder.path());
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let found = use_damaged(&path, RESULTS);
        assert!(cut > 4096 || found == 0, "{found} results in {cut} bytes");
        assert!(folder.path().join("results.db.damaged-1").exists(), "cut at {cut}");
    }
}

#[test]
fn a_store_with_a_byte_too_many_keeps_its_results() {
    let (folder, path, mut bytes) = filled(40);
    bytes.push(7);
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(use_damaged(&path, 40), 40);
    let reader = {
        std::fs::write(&path, &bytes).unwrap();
        reader::open(&path).unwrap()
    };
    drop(reader);
    let names = std::fs::read_dir(folder.path()).unwrap().count();
    assert!((1..=3).contains(&names));
}

#[test]
fn flipped_bits_give_no_panic_and_no_other_analysis() {
    const RESULTS: u32 = 40;
    let (folder, path, bytes) = filled(RESULTS);
    let mut random = kaeshi_core::random::SplitMix::new(22);
    // Half of them in the used part of the file, where they hurt.
    let used = bytes.iter().rposition(|&byte| byte != 0).unwrap() as u32;
    for number in 0..100 {
        clean(folder.path());
        let mut harmed = bytes.clone();
        let at = random.below(if number % 2 == 0 { used } else { 8192 });
        // The first bytes say whose file it is.
        let at = (at as usize).max(9);
        harmed[at] ^= 1 << random.below(8);
        std::fs::write(&path, &harmed).unwrap();
        if let Ok((reader, _)) = reader::open(&path) {
            for index in 0..RESULTS {
                let earlier = reader.find("", "shogi", &index.to_le_bytes(), 1);
                assert!(earlier.is_none_or(|earlier| earlier.wanted == 1 && earlier.lines.is_empty()));
            }
        }
        use_damaged(&path, RESULTS);
    }
}

/// A store of Reversi's start as engines read it.
#[test]
fn engines_read_the_deepest_result_of_the_very_position() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let game = Reversi::load(&Default::default()).unwrap();
    let start = game.start();
    let identity = game.identity(&start);
    let put = |options: &str, limit: SearchLimit, multipv: usize, depth: u16, pv: &[&str]| {
        let store = AnalysisStore::open(&path, options, 64).unwrap();
        let pv = pv.iter().map(|&turn| turn.to_owned()).collect();
        let line = AnalysisVariation {
            score: Score::Cp(-30),
            winrate: 0.4,
            pv,
            japanese: String::new(),
            western: String::new(),
        };
        let analysis = StoredAnalysis {
            depth,
            seldepth: 9,
            confidence: 80,
            lines: vec![line],
            ..StoredAnalysis::default()
        };
        store.put(GameName::Reversi, &identity, AnalysisEffort { limit, multipv }, &analysis).unwrap();
    };
    put("", SearchLimit::Nodes(100), 2, 8, &["f5", "d6"]);
    put("", SearchLimit::Depth(12), 1, 12, &["f5", "f6"]);
    put("x=1", SearchLimit::Depth(30), 1, 30, &["f5"]);
    put("bad", SearchLimit::Depth(30), 1, 30, &["f5", "a1"]);
    let writing = AnalysisStore::open(&path, "", 64).unwrap();
    assert!(reader::open(&path).is_err(), "somebody is writing it");
    drop(writing);
    let (one, two) = (reader::open(&path).unwrap().0, reader::open(&path).unwrap().0);
    let depth = |store: &dyn EarlierResults, options: &str, identity: &[u8], wanted: usize| {
        let earlier = store.find(options, "reversi", identity, wanted)?;
        earlier.lines(&game, &start).map(|_| earlier.stage.depth)
    };
    assert_eq!(depth(&*one, "", &identity, 1), Some(12));
    assert_eq!(depth(&*two, "", &identity, 2), Some(8));
    assert_eq!(depth(&*one, "", &identity, 3), None);
    assert_eq!(depth(&*one, "bad", &identity, 1), None);
    assert_eq!(depth(&*one, "y=1", &identity, 1), None);
    let mut later = start;
    game.play(&mut later, &game.parse_turn(&start, "f5").unwrap());
    assert_eq!(depth(&*one, "", &game.identity(&later), 1), None);
    let lines = one.find("", "reversi", &identity, 1).unwrap().lines(&game, &start).unwrap();
    assert_eq!((lines[0].score, lines[0].turns.len(), lines[0].seldepth), (Score::Cp(-30), 2, 9));
}

#[test]
fn what_is_no_store_is_refused_by_name_and_left_alone() {
    let refused = reader::open(Path::new("Cargo.toml")).err().unwrap();
    assert!(refused.reason().contains("Cargo.toml"), "{refused}");
    assert!(reader::open(Path::new("there/is/none")).is_err());
    assert!(Path::new("Cargo.toml").exists());
}

#[test]
fn results_reach_the_disk_together_when_there_are_many_or_they_are_old() {
    let folder = tempfile::tempdir().unwrap();
    let store = AnalysisStore::open(&folder.path().join("store"), "", 64).unwrap();
    let put = |index: usize| {
        store.put(GameName::Shogi, &index.to_le_bytes(), effort(1), &analysis(1)).unwrap();
        store.pending.lock().results.len()
    };
    let later = Instant::now() + Duration::from_secs(3_600);
    store.pending.lock().since = later;
    assert_eq!(put(0), 1);
    for index in 1..COMMIT_AT - 1 {
        put(index);
    }
    assert!(store.is_empty());
    assert_eq!(put(COMMIT_AT), 0);
    assert!(!store.is_empty());
    store.pending.lock().since = Instant::now() - COMMIT_EVERY;
    assert_eq!(put(COMMIT_AT + 1), 0);
    assert_eq!(store.len(), COMMIT_AT as u64 + 1);
}

#[test]
fn what_just_fits_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    create(&path, &[]).unwrap();
    let database = open_tables(&path).unwrap();
    let count = || database.begin_read().unwrap().open_table(RESULTS).unwrap().len().unwrap();
    insert(&database, &[(b"a", b"123")], 8).unwrap();
    insert(&database, &[(b"b", b"456")], 8).unwrap();
    assert_eq!(count(), 2);
    // The same key with a longer value: the oldest makes room, which it is itself.
    insert(&database, &[(b"b", b"4567")], 8).unwrap();
    assert_eq!(count(), 1);
    insert(&database, &[(b"b", b"4")], 2).unwrap();
    assert_eq!(count(), 1);
}
