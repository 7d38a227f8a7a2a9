use std::collections::HashSet;
use std::path::Path;

use super::*;
use kaeshi_learn::selfplay;
use kaeshi_learn::shogi::selfplay::ShogiSelfplayConfig;
use kaeshi_shogi::evaluate::Evaluation;

fn data(action: DataAction, files: &[PathBuf], out: Option<PathBuf>, memory: u64) -> anyhow::Result<()> {
    let common = DataOptions { action, files: files.to_vec(), out, seed: 3, memory };
    ShogiDataOptions::default().run(&common).map(|_| ())
}

fn searched(
    action: DataAction,
    files: &[PathBuf],
    out: Option<PathBuf>,
    options: &ShogiDataOptions,
) -> anyhow::Result<()> {
    let common = DataOptions { action, files: files.to_vec(), out, seed: 3, memory: 1 };
    options.run(&common).map(|_| ())
}

fn games(folder: &Path) -> Vec<PathBuf> {
    let plan = ShogiSelfplayConfig {
        seed: 6,
        nodes: 30,
        random: (7, 8),
        adjudicate: 2_500,
        evaluation: Evaluation::hand(),
    };
    selfplay::run(&plan, folder, 40, 0..1, 1, &|_| ()).expect("room");
    vec![folder.to_owned()]
}

fn sorted_records(path: &Path, form: LabelledFormat) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).expect("a file");
    let mut records: Vec<Vec<u8>> = bytes.chunks_exact(form.size()).map(<[u8]>::to_vec).collect();
    records.sort();
    records
}

#[test]
fn what_is_converted_there_and_back_is_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("games")).expect("room");
    let games = games(&path("games"));
    data(DataAction::Convert, &games, Some(path("a.psv")), 1).expect("games");
    data(DataAction::Convert, &games, Some(path("a.hcpe")), 1).expect("games");
    data(DataAction::Convert, &[path("a.psv")], Some(path("b.hcpe")), 1).expect("positions");
    let read = |name: &str| std::fs::read(path(name)).expect("a file");
    assert!(read("a.psv").len() > 40 * 1_000);
    assert_eq!(read("a.hcpe"), read("b.hcpe"));
    // hcpe does not know the number of the move.
    data(DataAction::Convert, &[path("b.hcpe")], Some(path("b.psv")), 1).expect("positions");
    let without_numbers = |name: &str| {
        let mut bytes = read(name);
        bytes.chunks_exact_mut(40).for_each(|record| record[36..38].fill(0));
        bytes
    };
    assert_eq!(without_numbers("a.psv"), without_numbers("b.psv"));
    data(DataAction::Count, &[path("a.psv"), path("a.hcpe")], None, 1).expect("positions");
}

#[test]
fn shuffled_records_are_the_same_in_another_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("games")).expect("room");
    data(DataAction::Convert, &games(&path("games")), Some(path("a.psv")), 1).expect("games");
    // Thrice, so that a MiB does not hold them.
    let many =
        vec![path("a.psv"); 1 + (2 << 20) / std::fs::metadata(path("a.psv")).expect("a file").len() as usize];
    data(DataAction::Convert, &many, Some(path("many.psv")), 1).expect("positions");
    data(DataAction::Shuffle, &[path("many.psv")], Some(path("s.psv")), 1).expect("positions");
    assert_eq!(
        sorted_records(&path("many.psv"), LabelledFormat::Psv),
        sorted_records(&path("s.psv"), LabelledFormat::Psv)
    );
    let [before, after] = ["many.psv", "s.psv"].map(|name| std::fs::read(path(name)).expect("a file"));
    let moved =
        before.chunks_exact(40).zip(after.chunks_exact(40)).filter(|(one, other)| one != other).count();
    assert!(moved > before.len() / 40 * 9 / 10, "{moved}");
    data(DataAction::Shuffle, &[path("many.psv")], Some(path("again.psv")), 1).expect("positions");
    assert_eq!(after, std::fs::read(path("again.psv")).expect("a file"), "another order with the same seed");

    data(DataAction::Unique, &[path("s.psv")], Some(path("u.psv")), 1).expect("positions");
    let all = sorted_records(&path("a.psv"), LabelledFormat::Psv);
    let positions: HashSet<&[u8]> = all.iter().map(|record| &record[..POSITION]).collect();
    let kept = sorted_records(&path("u.psv"), LabelledFormat::Psv);
    let kept_positions: HashSet<&[u8]> = kept.iter().map(|record| &record[..POSITION]).collect();
    assert_eq!((kept.len(), kept_positions), (positions.len(), positions));
    assert!(!path("u.psv.parts").exists());
}

#[test]
fn rescored_records_have_the_values_of_the_search_whatever_the_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("games")).expect("room");
    let games = games(&path("games"));
    let options = |threads, sample| ShogiDataOptions {
        nodes: Some(200),
        sample,
        evaluation: vec!["hand".to_owned()],
        threads: Some(threads),
    };
    let rescored = |name: &str, threads, sample| {
        searched(DataAction::Rescore, &games, Some(path(name)), &options(threads, sample)).expect("games");
        std::fs::read(path(name)).expect("a file")
    };
    data(DataAction::Convert, &games, Some(path("a.psv")), 1).expect("games");
    let before = std::fs::read(path("a.psv")).expect("a file");
    let after = rescored("b.psv", 1, None);
    assert_eq!(after, rescored("c.psv", 3, None));
    assert_eq!(before.len(), after.len());
    // Position, number of the move and result stay; values differ from those of 30 nodes.
    let kept = |bytes: &[u8]| -> Vec<Vec<u8>> {
        bytes.chunks_exact(40).map(|record| [&record[..32], &record[36..39]].concat()).collect()
    };
    assert_eq!(kept(&before), kept(&after));
    let other = before.chunks_exact(40).zip(after.chunks_exact(40)).filter(|(a, b)| a[32..34] != b[32..34]);
    assert!(other.count() > before.len() / 40 / 2);

    // The same values for a sample of all, and for the positions of a file that keeps no earlier moves.
    let sampled = rescored("sampled.psv", 2, Some(1 << 20));
    assert_eq!(sampled, after);
    let positions = vec![path("a.psv")];
    searched(DataAction::Rescore, &positions, Some(path("d.psv")), &options(2, None)).expect("positions");
    assert_eq!(std::fs::read(path("d.psv")).expect("a file"), after);
    let some = rescored("some.psv", 2, Some(50));
    let all: HashSet<&[u8]> = after.chunks_exact(40).map(|record| &record[..36]).collect();
    assert_eq!(some.len(), 50 * 40);
    assert!(some.chunks_exact(40).all(|record| all.contains(&record[..36])));
}

#[test]
fn what_cannot_be_rescored_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let out = Some(path("out.psv"));
    std::fs::create_dir(path("in")).expect("room");
    std::fs::write(path("in/positions.psv"), [0; 40]).expect("room");
    let rescore = |file: &str| {
        let said = searched(DataAction::Rescore, &[path(file)], out.clone(), &ShogiDataOptions::default());
        format!("{:#}", said.expect_err("no games"))
    };
    assert!(rescore("in").contains("no games (.ksg) are in this folder"));
    assert!(rescore("in/positions.psv").contains("positions.psv, record 1"));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "a part is left");
}

#[test]
fn rescoring_goes_on_behind_what_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("games")).expect("room");
    let games = games(&path("games"));
    let options = ShogiDataOptions { nodes: Some(100), ..ShogiDataOptions::default() };
    let rescore = || searched(DataAction::Rescore, &games, Some(path("b.psv")), &options).expect("games");
    rescore();
    let whole = std::fs::read(path("b.psv")).expect("a file");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2, "no part is left");
    std::fs::remove_file(path("b.psv")).expect("a file");

    let common =
        DataOptions { action: DataAction::Rescore, files: games.clone(), out: None, seed: 3, memory: 1 };
    let files = dataset::files(&games).expect("games");
    let plan = rescore::plan(&files, &common, &options, 100, &Evaluation::embedded()).expect("a plan");
    let part = path(&format!("b.psv.{plan:08x}.part"));

    // A kill left some records, the last one incomplete; existing records are not searched again.
    let mut torn = whole[..40 * 70 + 13].to_vec();
    torn[32] ^= 1;
    let mut damaged = torn.clone();
    damaged[40..72].fill(0xff);
    std::fs::write(&part, &damaged).expect("room");
    let said = searched(DataAction::Rescore, &games, Some(path("b.psv")), &options).expect_err("damaged");
    let said = format!("{said:#}");
    assert!(said.contains("record 2: ") && said.contains("; remove the file"), "{said}");
    // Another position at the same place, and more records than the input has.
    let mut other = whole.clone();
    other.copy_within(..40, 40);
    other.truncate(40 * 70);
    std::fs::write(&part, &other).expect("room");
    let said = searched(DataAction::Rescore, &games, Some(path("b.psv")), &options).expect_err("other input");
    assert!(said.to_string().contains("record 2: the input has another position"), "{said}");
    std::fs::write(&part, [&whole[..], &whole[..40]].concat()).expect("room");
    let said = searched(DataAction::Rescore, &games, Some(path("b.psv")), &options).expect_err("too many");
    assert!(said.to_string().contains("has more than the"), "{said}");
    std::fs::write(&part, &torn).expect("room");
    rescore();
    let again = std::fs::read(path("b.psv")).expect("a file");
    assert_eq!((again[32] ^ 1, &again[33..]), (whole[32], &whole[33..]));
}

#[test]
fn errors_compare_evaluations_and_options_of_other_actions_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let games = games(folder.path());
    let errors = |options: ShogiDataOptions| searched(DataAction::Errors, &games, None, &options);
    let evaluation = ["embedded", "hand", "article"].map(str::to_owned).to_vec();
    errors(ShogiDataOptions { evaluation, sample: Some(500), threads: Some(2), ..Default::default() })
        .expect("games");
    let said = errors(ShogiDataOptions { sample: Some(2), ..Default::default() }).expect_err("too few");
    assert!(said.to_string().contains("at least 3"));
    let said = errors(ShogiDataOptions { nodes: Some(9), ..Default::default() }).expect_err("no search");
    assert!(said.to_string().contains("--nodes: errors has no such option"));
    let said = searched(DataAction::Errors, &games, Some(folder.path().join("out.psv")), &Default::default());
    assert!(said.expect_err("nothing is written").to_string().contains("--out: errors has no such option"));
    for (name, expected) in [("", "a name is wanted"), ("nope", "--evaluation nope: not embedded")] {
        let said = errors(ShogiDataOptions { evaluation: vec![name.to_owned()], ..Default::default() });
        let said = format!("{:#}", said.expect_err("no evaluation"));
        assert!(said.contains(expected), "{said}");
    }
    let two = vec!["hand".to_owned(); 2];
    let options = ShogiDataOptions { evaluation: two, ..Default::default() };
    let out = Some(folder.path().join("out.psv"));
    let said = searched(DataAction::Rescore, &games, out, &options).expect_err("two");
    assert!(said.to_string().contains("rescore searches with one"));
    let said = searched(DataAction::Rescore, &games, Some("/dev/null".into()), &ShogiDataOptions::default());
    // Windows has no such device, so that its name is that of a file without a known extension.
    let said = format!("{:#}", said.expect_err("no file"));
    assert!(said.contains("/dev/null") || cfg!(windows), "{said}");
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("cut.psv"), [0; 41]).expect("room");
    std::fs::write(path("zero.psv"), [0; 40]).expect("room");
    let said = |files: &[PathBuf], out: Option<PathBuf>| {
        format!("{:#}", data(DataAction::Convert, files, out, 1).expect_err("wrong"))
    };
    let out = || Some(path("out.hcpe"));
    assert!(said(&[path("cut.psv")], out()).contains("1 bytes after 1 records of 40"));
    assert!(said(&[path("zero.psv")], out()).contains("zero.psv, record 1 (byte 0): "));
    assert!(said(&[path("none.psv")], out()).contains("none.psv"));
    assert!(said(&[path("cut.psv")], None).contains("--out is missing"));
    assert!(said(&[path("cut.psv")], Some(path("out.txt"))).contains("the extension names the form"));
    assert!(!path("out.hcpe").exists());
}

/// A list of positions in which one byte is wrong.
fn damaged(record: &[u8], at: usize, value: u8) -> Vec<u8> {
    let mut bytes = record.repeat(3);
    bytes[40 + at] = value;
    bytes
}

#[test]
fn every_action_checks_what_it_reads() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("games")).expect("room");
    let games = games(&path("games"));
    data(DataAction::Convert, &games, Some(path("a.psv")), 1).expect("games");
    let whole = std::fs::read(path("a.psv")).expect("a file");
    let record = &whole[..40];
    // The position, the move, the result.
    for (at, value) in [(0, 0xff), (4, 0xff), (20, 0x55), (34, 0xff), (35, 0xff), (38, 2)] {
        std::fs::write(path("bad.psv"), damaged(record, at, value)).expect("room");
        for action in [DataAction::Count, DataAction::Convert, DataAction::Shuffle, DataAction::Unique] {
            for out in ["out.psv", "out.hcpe"] {
                let out = (action != DataAction::Count).then(|| path(out));
                let said = data(action, &[path("bad.psv")], out.clone(), 1).expect_err("damaged");
                let said = format!("{said:#}");
                assert!(said.contains("bad.psv, record 2 (byte 40): "), "{action:?}, byte {at}: {said}");
                assert!(out.is_none_or(|out| !out.exists()), "{action:?}, byte {at}");
            }
        }
    }
    let name =
        std::fs::read_dir(path("games")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let file = name.into_iter().find(|path| path.extension().is_some_and(|end| end == "ksg")).expect("games");
    let sound = std::fs::read(&file).expect("games");
    for at in [5, sound.len() / 2, sound.len() - 1] {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        std::fs::write(&file, bytes).expect("room");
        for action in [DataAction::Count, DataAction::Convert, DataAction::Shuffle, DataAction::Unique] {
            let out = (action != DataAction::Count).then(|| path("out.psv"));
            let said = data(action, &games, out, 1).expect_err("damaged");
            assert!(format!("{said:#}").contains(".ksg"), "{action:?}, byte {at}: {said:#}");
        }
    }
}
