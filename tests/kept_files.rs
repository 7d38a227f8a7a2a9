//! No output overwrites the user's files: `kaeshi analyse` and `kaeshi play --record`.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const KIF: &str =
    "手合割：平手\n先手：a\n後手：b\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 ３四歩(33)\n";

/// Runs `kaeshi` in a folder with these lines on its input.
fn kaeshi(folder: &Path, words: &str, input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(words.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that ends before it reads is no fault here.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn refused(folder: &Path, words: &str, reason: &str) {
    let output = kaeshi(folder, words, "");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{words}: {said}");
    assert!(said.contains(reason), "{words}: {said}");
}

#[test]
fn an_analysis_overwrites_neither_its_input_nor_what_it_did_not_make() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    write("g.kif", KIF);
    write("notes.txt", "mine");
    fs::create_dir(folder.join("sub")).unwrap();
    fs::hard_link(folder.join("g.kif"), folder.join("link.kif")).unwrap();
    let run = "analyse --depth 1 --hash 1";
    for words in [
        "g.kif --summary g.kif",
        "g.kif --report ./sub/../g.kif --overwrite",
        "g.kif --annotate .",
        "g.kif --annotate . --overwrite",
        "g.kif -o g.kif --overwrite",
        "g.kif -o link.kif --overwrite",
    ] {
        refused(folder, &format!("{run} {words}"), "also an input");
    }
    refused(folder, &format!("{run} g.kif -o new.jsonl --report new.jsonl"), "also --output of this command");
    refused(folder, &format!("{run} g.kif --summary sum --report sum"), "also --summary of this command");
    refused(folder, &format!("{run} g.kif --report notes.txt"), "--overwrite replaces it");
    refused(folder, &format!("{run} g.kif --summary notes.txt"), "--overwrite replaces it");
    refused(folder, &format!("{run} g.kif --report sub"), "is a folder");
    assert_eq!(read("g.kif"), KIF);
    assert_eq!(read("notes.txt"), "mine");
    assert!(!folder.join("new.jsonl").exists() && !folder.join("sum").exists(), "nothing was begun");

    let derived = "g.kif --summary sum --report page.html --annotate sub";
    assert!(kaeshi(folder, &format!("{run} {derived}"), "").status.success());
    refused(folder, &format!("{run} {derived}"), "g.kif exists; --overwrite replaces it");
    // Outputs of an earlier run are replaced.
    assert!(kaeshi(folder, &format!("{run} g.kif --summary sum --report page.html"), "").status.success());
    assert!(kaeshi(folder, &format!("{run} {derived} --overwrite"), "").status.success());
    assert!(kaeshi(folder, &format!("{run} {derived} -o out.jsonl --overwrite"), "").status.success());
    assert!(kaeshi(folder, &format!("{run} {derived} -o out.jsonl --resume"), "").status.success());
    let lines = read("out.jsonl");
    refused(folder, "analyse merge out.jsonl -o out.jsonl --overwrite", "also an input");
    assert_eq!(read("out.jsonl"), lines);
    assert!(kaeshi(folder, &format!("{run} g.kif --report notes.txt --overwrite"), "").status.success());
    assert!(read("notes.txt").contains("Kaeshi analysis"));
}

#[test]
fn positions_and_books_are_not_written_onto_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let list = "startpos moves 7g7f # 12\n";
    let book = "#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f none 0 0 1\n";
    fs::write(folder.join("list.bin"), list).unwrap();
    fs::write(folder.join("book.db"), book).unwrap();
    for action in ["convert", "shuffle", "unique"] {
        refused(folder, &format!("data {action} list.bin --out ./list.bin"), "also an input");
    }
    refused(folder, "book --game shogi --from book.db --out book.db", "also --from of this command");
    assert_eq!(fs::read_to_string(folder.join("list.bin")).unwrap(), list);
    assert_eq!(fs::read_to_string(folder.join("book.db")).unwrap(), book);
}

#[test]
fn the_file_of_a_record_keeps_what_it_held() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let play = |name: &str, input: &str| {
        kaeshi(folder, &format!("play --terminal --games games --record {name}"), input)
    };
    // Opened and closed.
    let signed = format!("# a remark\n{KIF}まで2手で中断\n-- \nsent from my phone\n");
    write("signed.kif", &signed);
    assert!(play("signed.kif", "turns\nquit\n").status.success());
    assert_eq!(read("signed.kif"), signed, "what was only opened stays as it was");
    // A turn more: what the form does not keep is beside it.
    let output = play("signed.kif", "2g2f\nquit\n");
    assert!(output.status.success());
    assert!(read("signed.kif").contains("２六歩"), "{}", read("signed.kif"));
    assert_eq!(read("signed.kif.before"), signed);
    assert!(String::from_utf8_lossy(&output.stderr).contains("signed.kif.before"));
    // Its own file needs no copy.
    assert!(play("signed.kif", "8c8d\nquit\n").status.success());
    assert!(read("signed.kif").contains("８四歩"));
    assert!(!folder.join("signed.kif.before-1").exists());
    // Several games.
    for (name, text) in [
        ("two.kif", format!("{KIF}まで2手で中断\n\n{KIF}")),
        ("two.csa", "PI\n+\n+7776FU\n%CHUDAN\n/\nPI\n+\n+2726FU\n%CHUDAN\n".to_owned()),
    ] {
        write(name, &text);
        refused(folder, &format!("play --terminal --games games --record {name}"), "it holds 2 games");
        assert_eq!(read(name), text);
    }
    refused(folder, "play --terminal --record none/g.kif", "there is no folder none");
    // An empty file is a new game.
    write("new.kif", "");
    assert!(play("new.kif", "7g7f\nquit\n").status.success());
    assert!(read("new.kif").contains("７六歩"));
    // A mistyped path does not replace a file.
    write("mine.txt.kif", "mine");
    let said = play("new.kif", "save mine.txt.kif\nquit\n").stdout;
    assert!(String::from_utf8_lossy(&said).contains("save! mine.txt.kif"));
    assert_eq!(read("mine.txt.kif"), "mine");
    play("new.kif", "save! mine.txt.kif\nquit\n");
    assert!(read("mine.txt.kif").contains("７六歩"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_record_that_cannot_be_written_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "ulimit -f 0; printf '7g7f\\nquit\\n' | {} play --terminal --games games --record g.kif",
        env!("CARGO_BIN_EXE_kaeshi")
    );
    let output = Command::new("bash").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    let (shown, said) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(shown.contains("not saved on disk") && said.contains("cannot write g.kif"), "{shown}{said}");
}
