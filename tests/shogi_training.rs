//! Self-play, training and use of a network in miniature, as a person would do it.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Instant;

use kaeshi_core::random::SplitMix;

/// The files that a training leaves, by the ends of their names.
const KINDS: [&str; 4] = ["", ".state", ".txt", ".svg"];

/// Runs `kaeshi` with these arguments in `folder`. Returns its output.
fn kaeshi(folder: &Path, arguments: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .expect("kaeshi starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "kaeshi {arguments}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// The answers of an engine in `folder` to `lines`.
fn session(folder: &Path, lines: &str) -> String {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("kaeshi starts");
    engine.stdin.take().expect("piped").write_all(lines.as_bytes()).expect("it listens");
    String::from_utf8(engine.wait_with_output().expect("it ends").stdout).expect("text")
}

/// The number behind the last `word` of `text`.
fn number_after(text: &str, word: &str) -> f64 {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().rposition(|&found| found == word).unwrap_or_else(|| panic!("no {word} in {text}"));
    words[at + 1].trim_end_matches(',').parse().expect("a number")
}

#[test]
fn too_few_games_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::create_dir(folder.join("empty")).expect("room");
    kaeshi(folder, "selfplay --game sygo --size 3 --games 1 --out one");
    for (arguments, said) in [
        ("train --game shogi empty --out w.bin", "play more games by `kaeshi selfplay --game shogi`"),
        ("train --game reversi empty --out w.bin", "no games in these files; play some by `kaeshi selfplay"),
        ("train --game sygo empty --out w.bin", "no games in these files; play some by `kaeshi selfplay"),
        ("train --game sygo one --out w.bin", "one game: a second one is needed"),
        ("train --game reversi --out w.bin", "name those of kaeshi selfplay"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
        let output = command.args(arguments.split(' ')).current_dir(folder).output().expect("kaeshi starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(said), "kaeshi {arguments}: {errors}");
    }
}

#[test]
fn games_make_a_network_that_the_engine_loads() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    kaeshi(
        folder,
        "selfplay --game shogi --weights hand --seed 5 --nodes 20 --threads 2 --games 500 --out games",
    );

    let train = "train --game shogi games --hidden 16 --batch 256";
    let printed = kaeshi(folder, &format!("{train} --epochs 1 --out one.bin"));
    assert!(number_after(&printed, "validation") < 0.95 * number_after(&printed, "constant"), "{printed}");
    kaeshi(folder, &format!("{train} --epochs 1 --out two.bin --threads 2"));
    let bytes = |name: &str| fs::read(folder.join(name)).expect("weights");
    for kind in KINDS {
        assert!(
            bytes(&format!("one.bin{kind}")) == bytes(&format!("two.bin{kind}")),
            "one.bin{kind} differs"
        );
    }
    let further = kaeshi(folder, &format!("{train} --epochs 1 --from one.bin.state --out next.bin"));
    // On the positions learned from: a second pass may overfit so few games.
    assert!(number_after(&further, "training") < number_after(&printed, "training"), "{further}");

    let loaded = session(folder, "setoption name EvalFile value one.bin\nposition startpos\neval\nquit\n");
    assert!(loaded.contains("network of 16 units"), "{loaded}");
    let wrong = "setoption name EvalFile value hand\nsetoption name EvalFile value one.bin.txt\n";
    let printed = session(folder, &format!("{wrong}position startpos\neval\nquit\n"));
    assert_eq!(printed.matches("EvalFile").count(), 1, "one message: {printed}");
    assert!(printed.contains("one.bin.txt") && printed.contains("pieces"), "{printed}");
    assert!(!printed.contains("network of"), "the former evaluation stays: {printed}");

    let printed = kaeshi(folder, "train --game shogi games --hand --batch 256 --epochs 1 --out hand.bin");
    assert!(number_after(&printed, "validation") < 0.9 * number_after(&printed, "constant"), "{printed}");
    let loaded = session(folder, "setoption name EvalFile value hand.bin\nposition startpos\neval\nquit\n");
    assert!(loaded.contains("defence") && !loaded.contains("network of"), "{loaded}");

    buckets(folder, train);
    files_of_yaneuraou(folder);
    killed_again_and_again(folder, train);
}

/// A network gets king buckets and output buckets; its positions may lie on disk, and the engine loads it.
fn buckets(folder: &Path, train: &str) {
    let buckets = format!("{train} --epochs 1 --king-buckets 4 --output-buckets 4 --from one.bin.state");
    let printed = kaeshi(folder, &format!("{buckets} --rate 0 --last-rate 0 --decay 0 --out same.bin"));
    let (training, same) = (number_after(&printed, "training"), number_after(&printed, "validation"));
    let begun = kaeshi(
        folder,
        &format!("{train} --epochs 1 --from one.bin.state --rate 0 --last-rate 0 --decay 0 --out begun.bin"),
    );
    assert!((same - number_after(&begun, "validation")).abs() < 2e-6, "the same function: {printed} {begun}");
    for out in ["memory.bin", "disk.bin --memory 1", "again.bin --memory 1 --threads 2"] {
        let printed = kaeshi(folder, &format!("{buckets} --out {out}"));
        assert!(number_after(&printed, "training") < training, "{printed}");
    }
    let bytes = |name: &str| fs::read(folder.join(name)).expect("weights");
    assert!(bytes("disk.bin.state") == bytes("again.bin.state"), "threads change nothing");
    assert!(bytes("disk.bin.state") != bytes("memory.bin.state"), "positions on disk have another order");
    let loaded = session(folder, "setoption name EvalFile value disk.bin\nposition startpos\neval\nquit\n");
    assert!(loaded.contains("network of 16 units, 4 king buckets, 4 output buckets"), "{loaded}");
    for (option, reason) in [("--king-buckets 5", "[1, 4, 9, 15, 45]"), ("--output-buckets 2", "[1, 4, 8]")] {
        let output = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
            .args(format!("{train} {option} --out none.bin").split(' '))
            .current_dir(folder)
            .output()
            .expect("kaeshi starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains(reason), "{errors}");
    }
}

/// Networks in YaneuraOu's form are trained, loaded and go on from each other.
fn files_of_yaneuraou(folder: &Path) {
    let train = "train --game shogi games --batch 256 --epochs 1 --scale 600";
    let kp = format!("{train} --architecture k_p_32x2-8-32 --out");
    let told = kaeshi(folder, &format!("{kp} kp.bin"));
    assert!(number_after(&told, "validation") < 0.95 * number_after(&told, "constant"), "{told}");
    kaeshi(folder, &format!("{kp} twice.bin --threads 2"));
    for kind in KINDS {
        let read = |name: &str| fs::read(folder.join(format!("{name}.bin{kind}"))).expect("weights");
        assert!(read("kp") == read("twice"), "kp.bin{kind} differs");
    }
    let further = kaeshi(folder, &format!("{kp} further.bin --from kp.bin"));
    assert!(number_after(&further, "training") < number_after(&told, "training"), "{further}");
    let pairs = format!("{train} --architecture halfkp_32x2-8-32 --rate 0.0003 --out");
    let told = kaeshi(folder, &format!("{pairs} halfkp.bin --from kp.bin.state"));
    assert!(number_after(&told, "validation") < 0.95 * number_after(&told, "constant"), "{told}");
    for (file, name) in [("kp", "K+P 32x2-8-32"), ("halfkp", "HalfKP 32x2-8-32")] {
        let lines = format!("setoption name EvalFile value {file}.bin\nposition startpos\neval\nquit\n");
        let loaded = session(folder, &lines);
        assert!(loaded.contains(name) && loaded.contains("nnue value"), "{loaded}");
    }
    for (name, reason) in [("halfka2_32x2-8-32", "cannot be trained"), ("k_p", "names are such as")] {
        let output = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
            .args(format!("{train} --architecture {name} --out none.bin").split(' '))
            .current_dir(folder)
            .output()
            .expect("kaeshi starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains(reason), "{errors}");
    }
}

/// A training killed at moments drawn by lot ends with the bytes of one that was left alone.
fn killed_again_and_again(folder: &Path, train: &str) {
    let train = format!("{train} --epochs 6 --out");
    let begun = Instant::now();
    kaeshi(folder, &format!("{train} whole.bin"));
    let whole = begun.elapsed();
    let seed = RandomState::new().hash_one(0);
    let mut random = SplitMix::new(seed);
    let state = folder.join("broken.bin.state");
    let (mut runs, mut interrupted) = (0, 0);
    while interrupted < 3 || !state.exists() {
        runs += 1;
        assert!(runs <= 40, "seed {seed}: {interrupted} of {runs} trainings were interrupted");
        let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
            .args(format!("{train} broken.bin").split(' '))
            .current_dir(folder)
            .stdout(Stdio::null())
            .spawn()
            .expect("kaeshi starts");
        sleep(whole * random.below(1_000) / 1_000);
        match child.try_wait().expect("a status") {
            None => interrupted += 1,
            // A finished training leaves nothing to interrupt: the next one begins anew.
            Some(status) => {
                assert!(status.success(), "seed {seed}: {status}");
                fs::remove_file(&state).expect("the state of a finished training");
            }
        }
        // SIGKILL: nothing can be tidied up.
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    kaeshi(folder, &format!("{train} broken.bin"));
    for kind in KINDS {
        let read = |name: &str| fs::read(folder.join(format!("{name}.bin{kind}"))).expect("weights");
        assert!(read("whole") == read("broken"), "seed {seed}: broken.bin{kind} differs");
    }
}
