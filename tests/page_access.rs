//! The pages before axe-core: no finding that it calls serious or critical, in light and dark.
//!
//! Runs by `.ci/page --access`, which installs axe-core and names its file in `KAESHI_AXE`.

use crate::browser;
use std::process::{Command, Stdio};

use browser::Browser;
use browser::play::table;
use serde_json::{Value, json};

/// Checks that axe-core finds nothing serious or critical on the page in its present state.
fn check(page: &mut Browser, axe: &str, view: &str) {
    page.value(&format!("{axe}; undefined"));
    let found = page.value(
        "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations \
         .filter((rule) => ['serious', 'critical'].includes(rule.impact)) \
         .map((rule) => [rule.id, rule.nodes.length, rule.nodes[0].html]))",
    );
    assert_eq!(found, Value::Array(Vec::new()), "{view}");
}

fn close(page: &mut Browser) {
    page.value("document.querySelectorAll('dialog').forEach((dialog) => dialog.close())");
}

#[test]
#[ignore = "needs axe-core: .ci/page --access"]
fn no_view_of_the_board_page_has_a_serious_finding() {
    let path = std::env::var("KAESHI_AXE").expect("KAESHI_AXE names axe.min.js");
    let axe = std::fs::read_to_string(path).unwrap();
    for scheme in ["light", "dark"] {
        for game in ["shogi", "reversi", "sygo"] {
            let (_program, mut page) = table(game, &[]);
            let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
            page.call("Emulation.setEmulatedMedia", media);
            check(&mut page, &axe, &format!("{scheme}, {game}"));
            for (button, dialog) in [
                ("#do-new", "#new-game"),
                ("#do-games", "#my-games"),
                ("#do-files", "#files"),
                ("#do-settings", "#settings"),
                ("#do-help", "#help"),
            ] {
                page.click(button);
                page.until(&format!("document.querySelector('{dialog}')"), dialog);
                check(&mut page, &axe, &format!("{scheme}, {game}, {dialog}"));
                close(&mut page);
            }
            page.click("#do-files");
            page.click("#to-setup");
            check(&mut page, &axe, &format!("{scheme}, {game}, set-up"));
            close(&mut page);
            for (width, height) in [(320, 640), (844, 390)] {
                page.resize(width, height);
                check(&mut page, &axe, &format!("{scheme}, {game}, {width} wide"));
            }
        }
    }
}

#[test]
#[ignore = "needs axe-core: .ci/page --access"]
fn a_review_has_no_serious_finding() {
    let path = std::env::var("KAESHI_AXE").expect("KAESHI_AXE names axe.min.js");
    let axe = std::fs::read_to_string(path).unwrap();
    let (_program, mut page) = table("shogi", &[]);
    page.click("#do-files");
    page.value("document.querySelector('#paste').value = 'position startpos moves 7g7f 3c3d 8h5e 2b5e 2g2f'");
    page.click("#load");
    page.until("document.querySelector('#do-review')", "the game is loaded");
    page.click("#do-review");
    page.until("document.querySelector('.moment')", "the review is done");
    for scheme in ["light", "dark"] {
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        page.call("Emulation.setEmulatedMedia", media);
        check(&mut page, &axe, &format!("a review, {scheme}"));
    }
}

#[test]
#[ignore = "needs axe-core: .ci/page --access"]
fn no_report_has_a_serious_finding() {
    let path = std::env::var("KAESHI_AXE").expect("KAESHI_AXE names axe.min.js");
    let axe = std::fs::read_to_string(path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_kaeshi");
    let run = |arguments: &[&str]| {
        let status = Command::new(program)
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "{arguments:?}");
    };
    std::fs::write(folder.path().join("game.usi"), "startpos moves 7g7f 3c3d 8h5e 2b5e 2g2f\n").unwrap();
    run(&["analyse", "--nodes", "300", "--report", "analysis.html", "game.usi"]);
    let [first, second] = ["a", "b"].map(|name| [format!("name={name}"), format!("cmd={program}")]);
    run(&[
        "match",
        "--game",
        "reversi",
        "--engine",
        &first[0],
        &first[1],
        "--engine",
        &second[0],
        &second[1],
        "--each",
        "tc=0.3+0.01",
        "--games",
        "2",
        "--report",
        "match.html",
    ]);
    let mut page = Browser::start(1366, 768);
    for report in ["analysis.html", "match.html"] {
        for width in [320, 1366] {
            page.resize(width, 768);
            page.open(&format!("file://{}", folder.path().join(report).display()));
            let wider =
                page.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assert_eq!(wider, 0, "{report}, {width} wide");
            for scheme in ["light", "dark"] {
                let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
                page.call("Emulation.setEmulatedMedia", media);
                check(&mut page, &axe, &format!("{report}, {scheme}, {width} wide"));
            }
        }
    }
}
