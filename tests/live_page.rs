//! `kaeshi live` in a real browser: a match advances on the page while it is played.

use crate::browser;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::child_lines::ChildLines;

use browser::Browser;

use crate::report_languages::FOREIGN;

/// Ends a program with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the program, and waits until it says its address on stdout or stderr.
fn started(command: &mut Command) -> (Ended, String) {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let (out, err) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let mut lines = ChildLines::of_all([Box::new(out), Box::new(err)]);
    let address = lines.find_map(|line| Some(line[line.find("http://")?..].trim().to_owned()));
    let address = address.expect("an address is said");
    (Ended(child), address)
}

fn played(game: &str, size: &[&str], nodes: &str, folder: &Path) -> Command {
    let program = env!("CARGO_BIN_EXE_kaeshi");
    let mut command = Command::new(program);
    command.args(["match", "--live", "--game", game, "--nodes", nodes, "--games", "4", "--seed", "4"]);
    command.args(size).arg("--out").arg(folder);
    for name in ["one", "two"] {
        command.args(["--engine", &format!("cmd={program}"), &format!("name={name}")]);
        command.arg(format!("protocol={}", if game == "shogi" { "usi" } else { "ugi" }));
    }
    command
}

fn picture(browser: &mut Browser, name: &str) {
    if let Some(folder) = std::env::var_os("KAESHI_PICTURES") {
        browser.picture(&Path::new(&folder).join(format!("{name}.png")));
    }
}

/// Chooses Japanese and asserts that nothing else is left but names; then English again.
fn is_japanese(browser: &mut Browser, shown: &str) {
    let choose = |language: &str| {
        format!(
            "{{ const choice = document.getElementById('read-language'); choice.value = '{language}'; choice.dispatchEvent(new Event('change')); }}"
        )
    };
    let english = browser.value(&format!("document.querySelector('{shown}').textContent"));
    browser.value(&choose("ja"));
    let language = browser.value("document.documentElement.lang");
    assert_eq!(language, "ja", "this test needs a Japanese font: apt-get install fonts-ipaexfont-mincho");
    assert_ne!(browser.value(&format!("document.querySelector('{shown}').textContent")), english);
    // Names of parameters and files, and the command that shows them again, are the same in every language.
    let foreign = format!("{FOREIGN}.filter((text) => !/^[a-z0-9_.]+$|kaeshi live/.test(text.trim()))");
    assert_eq!(browser.value(&foreign), serde_json::json!([]), "what is not translated");
    browser.value(&choose("en"));
    assert_eq!(browser.value(&format!("document.querySelector('{shown}').textContent")), english);
}

const WIDER: &str = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

#[test]
fn a_running_match_advances_on_the_page() {
    let mut browser = Browser::start(1366, 768);
    for (game, size, nodes) in
        [("shogi", [].as_slice(), "120000"), ("reversi", &[], "400000"), ("sygo", &["--size", "7"], "8000")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = folder.path().join("match");
        let plies = if game == "shogi" { "40" } else { "400" };
        let mut command = played(game, size, nodes, &journal);
        let (mut running, address) = started(command.args(["--max-plies", plies]));
        browser.resize(1366, 768);
        browser.open(&address);
        browser.value("window.loadedOnce = true");
        // Another turn, or one of the next game.
        let place =
            "(({ game, ply }) => `${game} ${ply}`)(document.querySelector('#tables figure')?.dataset ?? {})";
        browser.until("document.querySelector('#tables figure')", "a running game is shown");
        let first = browser.value(place);
        browser.until(&format!("{place} !== {first}"), "the running game advances");
        let board = browser.value("document.querySelector('#tables figure [data-board]').dataset.board");
        assert!(board.as_str().is_some_and(|board| board.len() > 8), "{board}");
        picture(&mut browser, &format!("live-{game}"));
        browser.until("document.querySelectorAll('#choose option').length", "a finished game can be chosen");
        browser.click("#first");
        browser.click("#next");
        assert_eq!(browser.value("document.getElementById('player').dataset.ply"), "1");
        let choose = "document.getElementById('choose').selectedOptions[0].textContent";
        let chosen = browser.value(choose);
        browser.until("document.querySelectorAll('#choose option').length > 1", "the next game ends");
        assert_eq!(
            browser.value("document.getElementById('player').dataset.ply"),
            "1",
            "it stays at its ply"
        );
        assert_eq!(browser.value(choose), chosen);
        browser.resize(390, 844);
        assert_eq!(browser.value(WIDER), false, "{game}: wider than a telephone");
        picture(&mut browser, &format!("live-{game}-phone"));
        browser.until("document.getElementById('running').hidden", "the games are over");
        browser.until("document.querySelectorAll('#choose option').length === 4", "all games are there");
        assert_eq!(browser.value("window.loadedOnce"), true, "the page was loaded once");
        assert!(running.0.wait().expect("it ends").success());
        let lost = "!document.getElementById('lost').hidden";
        browser.until(lost, "the page says that the program has ended");

        let mut again = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
        let (_serving, address) = started(again.args(["live", "--no-open"]).arg(&journal));
        browser.open(&address);
        browser
            .until("document.querySelectorAll('#choose option').length === 4", "a finished match is shown");
        assert_eq!(browser.value("document.getElementById('running').hidden"), true);
        let standings = "document.getElementById('report').textContent.includes('Standings')";
        assert_eq!(browser.value(standings), true);
        is_japanese(&mut browser, "#report header");
    }
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn the_curves_of_a_tuning_grow_on_the_page() {
    let mut browser = Browser::start(1366, 768);
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("tuned.toml");
    let mut tune = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    tune.args(["tune", "--live", "--game", "shogi", "--nodes", "200", "--pairs", "64", "--out"]).arg(&out);
    let (mut running, address) = started(&mut tune);
    browser.open(&address);
    browser.value("window.loadedOnce = true");
    browser
        .until("document.querySelectorAll('#report figure svg').length > 4", "every parameter has a curve");
    let pairs =
        "Number(/(\\d+)( of 64)? pairs/.exec(document.querySelector('#report header').textContent)[1])";
    let curve = "document.querySelector('#report figure svg path.line').getAttribute('d')";
    let (first, drawn) = (browser.value(pairs), browser.value(curve));
    browser.until(&format!("{pairs} > {first}"), "further pairs are played");
    assert_ne!(browser.value(curve), drawn, "the curve has grown");
    picture(&mut browser, "live-tuning");
    browser.resize(390, 844);
    assert_eq!(browser.value(WIDER), false, "wider than a telephone");
    picture(&mut browser, "live-tuning-phone");
    browser.until(&format!("{pairs} === 64"), "the last pair is there");
    assert_eq!(browser.value("window.loadedOnce"), true, "the page was loaded once");
    assert!(running.0.wait().expect("it ends").success());

    for path in [out.clone(), folder.path().join("tuned.toml.state")] {
        let mut again = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
        let (_serving, address) = started(again.args(["live", "--no-open"]).arg(&path));
        browser.open(&address);
        browser.until(
            &format!("document.querySelector('#report header') && {pairs} === 64"),
            "it is shown again",
        );
        is_japanese(&mut browser, "#report header");
    }
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn a_folder_without_a_match_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(["live", "--no-open"])
        .arg(folder.path())
        .output()
        .expect("the program starts");
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("there is no match, whose folder"), "{said}");
}
