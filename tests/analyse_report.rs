//! The page of `kaeshi analyse --report` in a real browser.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::browser;

/// The page after its scripts ran, as the browser has it.
fn dom(page: &Path) -> String {
    let output = Command::new(browser::program())
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn stepping_through_a_game_changes_the_board() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/records/games.ggf");
    let made = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(["analyse", "--nodes", "100", "--report"])
        .args([&page, &game])
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(made.success());
    let text = fs::read_to_string(&page).unwrap();
    let attribute = |dom: &str, name: &str| {
        let rest = dom.split(&format!("{name}=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    // The keys work without a click before.
    for (keys, place) in [(2, 2), (99, 5)] {
        let press = "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));".repeat(keys);
        let stepped = folder.path().join("stepped.html");
        fs::write(&stepped, text.replace("</body>", &format!("<script>{press}</script></body>"))).unwrap();
        let dom = dom(&stepped);
        assert!(dom.contains("data-ready=\"1\""), "the scripts ran");
        assert_eq!(attribute(&dom, "data-place"), place.to_string());
        let board = attribute(&dom, "data-board");
        let discs = board.chars().filter(|&sign| sign != '.').count();
        assert_eq!(discs, 4 + place, "every turn of Reversi adds a disc");
        assert_eq!(dom.matches("class=\"ply").count(), 6, "an entry for each position");
    }
}

#[test]
fn moves_of_the_tables_are_written_as_the_reader_writes_them() {
    let folder = tempfile::tempdir().unwrap();
    let (page, game) = (folder.path().join("report.html"), folder.path().join("game.usi"));
    fs::write(&game, "position startpos moves 7g7f 3c3d 2g2f\n").unwrap();
    for (language, written) in [("en", "P-7f"), ("ja", "▲７六歩")] {
        let made = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
            .args(["analyse", "--game", "shogi", "--nodes", "100", "--turns", "all", "--language", language])
            .args(["--overwrite", "--report"])
            .args([&page, &game])
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(made.success());
        let dom = dom(&page);
        assert!(
            dom.contains(&format!("lang=\"{language}\"")),
            "this test needs a Japanese font: apt-get install fonts-ipaexfont-mincho"
        );
        let cells: Vec<&str> = dom
            .split("data-t=\"7g7f\"")
            .skip(1)
            .filter_map(|rest| rest.split_once('>'))
            .map(|(_, rest)| rest.split('<').next().unwrap())
            .collect();
        assert!(cells.iter().any(|cell| cell.starts_with(written)), "{language}: {cells:?}");
    }
}
