//! Reports of matches in the language and the notation of their reader, in a real browser.

use crate::browser;
use std::process::{Command, Stdio};

use browser::Browser;
use serde_json::json;

/// Words in Latin letters that stand in the report, but not in what engines and people wrote.
pub(crate) const FOREIGN: &str = "(() => {
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode, text = node.nodeValue;
    if (node.parentElement.closest('script, style, pre, code, noscript, select, dd, details .left')) continue;
    const known = /one|two|kaeshi|match|nElo|Elo|LLR|Home|End|nodes=\\d+/g;
    if (/[A-Za-z]{3,}/.test(text.replace(known, ''))) found.push(text);
  }
  return found;
})()";

fn choose(page: &mut Browser, name: &str, value: &str) {
    page.value(&format!(
        "{{ const choice = document.getElementById('read-{name}'); choice.value = '{value}'; choice.dispatchEvent(new Event('change')); }}"
    ));
}

#[test]
fn a_report_of_handicap_games_names_the_sides_as_players_do() {
    let mut page = Browser::start(1366, 768);
    let folder = tempfile::tempdir().unwrap();
    let (report, records) = (folder.path().join("report.html"), folder.path().join("match"));
    let mut played = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    played.args(["match", "kaeshi", "kaeshi", "--game", "shogi", "--handicap", "2-piece", "--nodes", "50"]);
    played.args(["--games", "2", "--max-plies", "40", "--records", "--report"]).arg(&report);
    played.arg("--out").arg(&records);
    assert!(played.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
    let analysed = folder.path().join("analysed.html");
    let mut analyse = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    analyse.args(["analyse", "--nodes", "50", "--turns", "0-2", "--report"]);
    analyse.arg(&analysed).arg(records.join("records/games.usi"));
    assert!(analyse.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
    for (file, also) in [(&report, "二枚落ち"), (&analysed, "上手")] {
        page.open(&format!("file://{}?language=ja", file.display()));
        page.until("document.body.dataset.ready === '1'", "the page is there");
        let shown = page.value("document.querySelector('main').innerText").as_str().unwrap().to_owned();
        assert!(shown.contains("下手") && shown.contains(also), "{shown}");
        assert!(!shown.contains("先手") && !shown.contains("後手"), "{shown}");
    }
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn a_report_is_read_in_the_chosen_language_and_notation() {
    let mut page = Browser::start(1366, 768);
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_kaeshi");
    for (game, protocol, form, size) in [
        ("shogi", "usi", "usi", [].as_slice()),
        ("reversi", "ugi", "ggf", &[]),
        ("sygo", "ugi", "sygo", &["--size", "5"]),
    ] {
        let report = folder.path().join(format!("{game}.html"));
        let mut played = Command::new(program);
        played.args([
            "match",
            "--game",
            game,
            "--nodes",
            "50",
            "--games",
            "2",
            "--max-plies",
            "60",
            "--seed",
            "4",
            "--records",
            "--sprt",
            "elo0=0",
            "elo1=10",
        ]);
        for name in ["one", "two"] {
            played.args(["--engine", &format!("cmd={program}"), &format!("name={name}")]);
            played.arg(format!("protocol={protocol}"));
        }
        played.args(size).arg("--out").arg(folder.path().join(game)).arg("--report").arg(&report);
        assert!(played.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
        page.open(&format!("file://{}?language=ja", report.display()));
        page.until("document.body.dataset.ready === '1'", "the page is there");
        let language = page.value("document.documentElement.lang");
        assert_eq!(language, "ja", "this test needs a Japanese font: apt-get install fonts-ipaexfont-mincho");
        assert_eq!(page.value(FOREIGN), json!([]), "{game}: what is not translated");
        if game == "shogi" {
            let moves = |page: &mut Browser| {
                page.value("document.getElementById('moves').textContent").as_str().unwrap().to_owned()
            };
            assert!(moves(&mut page).contains("歩"));
            choose(&mut page, "notation", "western");
            assert!(moves(&mut page).contains("P-"));
            choose(&mut page, "notation", "protocol");
            assert!(!moves(&mut page).contains("P-") && !moves(&mut page).contains("歩"));
        }
        let analysed = folder.path().join(format!("{game}-analysed.html"));
        let records = folder.path().join(game).join("records/games").with_extension(form);
        let mut analyse = Command::new(program);
        analyse.args(["analyse", "--nodes", "50", "--turns", "0-2", "--report"]).args([&analysed, &records]);
        assert!(analyse.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
        page.open(&format!("file://{}?language=ja", analysed.display()));
        page.until("document.body.dataset.ready === '1'", "the page of the analysis is there");
        let foreign = format!("{FOREIGN}.filter((text) => !/^kaeshi analyse$|records/.test(text.trim()))");
        assert_eq!(page.value(&foreign), json!([]), "{game}: what is not translated in the analysis");
        page.open(&format!("file://{}?language=ja", report.display()));
        page.until("document.body.dataset.ready === '1'", "the page is there again");
        choose(&mut page, "language", "en");
        let text = page.value("document.querySelector('main').textContent").as_str().unwrap().to_owned();
        assert!(
            text.contains("Standings") && text.contains("How the games ended"),
            "{game}: back in English"
        );
    }
    assert_eq!(page.errors, Vec::<String>::new());
}
