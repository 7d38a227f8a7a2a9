//! Files as the program reads them. No reader may panic, and its result must be consistent.

use std::cell::RefCell;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use kaeshi_analysis::analyse::effort::{AnalysisEffort, MemoryScope, SearchLimit, TurnSelection};
use kaeshi_analysis::analyse::plan::{AnalysisOptions, AnalysisPlan};
use kaeshi_match::dialogue::speaker::GameStart;
use kaeshi_match::roster::Roster;
use kaeshi_match::tournament::config::Config;
use kaeshi_match::tournament::journal::load;
use kaeshi_match::tournament::openings as openings_file;
use kaeshi_match::tournament::{records as match_records, report, run};
use kaeshi_records::referee::{RefereeRules, rules_by_name};
use kaeshi_records::text::{self, Edit};
use kaeshi_records::written;
use tempfile::TempDir;

thread_local! {
    static FOLDER: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

/// A file of this name with these bytes, in memory where there is such a place.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| {
            let memory = Path::new("/dev/shm");
            if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.expect("a folder")
        });
        let path = folder.path().join(name);
        let mut file = std::fs::File::create(&path).expect("a file");
        file.write_all(bytes).expect("there is room");
        path
    })
}

pub fn journal(bytes: &[u8]) {
    let _ = load::parse(bytes, false);
    let Ok(loaded) = load::parse(bytes, true) else { return };
    let Some(journal) = loaded.journal else { return };
    let _ = report::table(&journal);
    if let Ok(rules) = rules_by_name(&journal.open.game) {
        for played in &journal.games {
            if let Ok(replay) = match_records::replay(&*rules, played, |_| {}) {
                let _ = match_records::record(&journal, played, &replay);
            }
        }
    }
}

/// `match.json` of a match that is to be gone on with, and the same as `--config`.
pub fn match_file(bytes: &[u8]) {
    let path = file("match.json", bytes);
    let _ = run::read_config(path.parent().expect("a folder"));
    if let Ok(config) = Config::load(&path) {
        let _ = config.terms.limit();
    }
}

pub fn roster(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = Roster::parse(text);
}

pub fn openings(bytes: &[u8]) {
    static RULES: LazyLock<[Arc<dyn RefereeRules>; 3]> =
        LazyLock::new(|| ["shogi", "reversi", "sygo"].map(|name| rules_by_name(name).expect("known")));
    let path = file("openings", bytes);
    for rules in &*RULES {
        let usual = GameStart::usual(&**rules, None).expect("the usual start");
        let _ = openings_file::load(&**rules, &usual, &path, Some(8));
    }
}

/// Bytes that are no record give faults with lines. A record can be followed to every position that was announced, and
/// written in every form of its game. An inserted text changes no other byte.
pub fn records(bytes: &[u8]) {
    let decoded = text::decode(bytes);
    let end = decoded.text.len();
    let edit = Edit { range: end..end, text: "x".to_owned() };
    let spliced = decoded.splice(bytes, &[edit]);
    // Behind an odd byte of UTF-16, or in JIS that does not end in ASCII, "x" is more than one byte; an escape of JIS
    // at the end stays behind it.
    assert!(spliced.len() > bytes.len());
    assert_eq!(decoded.splice(bytes, &[]), bytes);
    let wanted = AnalysisOptions {
        game: None,
        turns: Some(TurnSelection::all()),
        side: None,
        effort: AnalysisEffort { limit: SearchLimit::Depth(1), multipv: 1 },
        options: Vec::new(),
        memory: MemoryScope::Fresh,
        lossless: false,
    };
    let mut plan = AnalysisPlan::new(wanted).expect("no options, no refusal");
    plan.add("-", bytes);
    // A fault of a WTHOR file names a game, of 68 bytes each.
    let lines =
        bytes.iter().filter(|&&byte| byte == b'\n' || byte == b'\r').count().max(bytes.len() / 68) + 1;
    for entry in &plan.entries {
        assert!(entry.fault.as_ref().is_none_or(|fault| fault.line <= lines), "{:?}", entry.fault);
        for place in 0..entry.turns.len() {
            plan.task(entry, place).expect("an announced position can be reached");
        }
        let Some(record) = &entry.record else { continue };
        for form in written(record.game) {
            let Ok(text) = (form.write)(record) else { continue };
            let _ = kaeshi_records::read(text.as_bytes(), Some(record.game));
        }
    }
}

/// The output of an analysis that is to be gone on with.
pub fn output(bytes: &[u8]) {
    if let Ok((_, good)) = kaeshi_analysis::analyse::output::parse(bytes) {
        assert!(good <= bytes.len());
    }
}

/// The database of results: a damaged one is set aside, and saved results are read again.
pub fn store(bytes: &[u8]) {
    let path = file("results.db", bytes);
    let _ = kaeshi_analysis::store::reader::open(&path);
    let folder = path.parent().expect("a folder");
    for entry in std::fs::read_dir(folder).expect("it is there").flatten() {
        let _ = std::fs::remove_file(entry.path());
    }
}

pub fn book_of_shogi(bytes: &[u8]) {
    let Ok(text) = String::from_utf8(bytes.to_vec()) else { return };
    let _ = kaeshi_shogi::book::ShogiBook::parse(text);
}

pub fn book_of_reversi(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(book) = kaeshi_reversi::book::ReversiBook::parse(text) {
        let again =
            kaeshi_reversi::book::ReversiBook::parse(&book.format()).expect("what was written is read");
        assert_eq!(again.format(), book.format());
    }
}

/// Weights of all kinds that have files; the checksums of most let few through.
pub fn weights_of_shogi(bytes: &[u8]) {
    let _ = kaeshi_shogi::network::NetworkParameters::from_bytes(bytes);
    let _ = kaeshi_shogi::evaluate::hce::HceWeights::from_bytes(bytes);
    let _ = kaeshi_learn::shogi::train::Model::from_bytes(bytes);
    let _ = kaeshi_sygo::evaluate::SygoWeights::from_bytes(bytes);
    let _ = kaeshi_reversi::evaluate::weights::ReversiWeights::read(&file("weights", bytes));
}

/// An `nn.bin`.
pub fn nnue(bytes: &[u8]) {
    let _ = kaeshi_shogi::nnue::NnueNetwork::read(bytes, bytes.len() as u64);
}

/// Headers and games of self-play.
pub fn games_of_shogi(bytes: &[u8]) {
    let _ = kaeshi_learn::shogi::record::read(&file("games", bytes));
}

pub fn games_of_reversi(bytes: &[u8]) {
    let _ = kaeshi_learn::reversi::record::read(&file("games", bytes));
}
