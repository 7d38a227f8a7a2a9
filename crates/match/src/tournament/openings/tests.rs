use super::*;
use kaeshi_core::game::{GameOptions, Side};
use kaeshi_records::referee::RefereedGame;
use kaeshi_reversi::Reversi;

fn reversi() -> RefereedGame<Reversi> {
    RefereedGame::new(Reversi::load(&Default::default()).unwrap())
}

/// The openings of a file with this content.
fn loaded(rules: &dyn RefereeRules, content: &[u8]) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.txt");
    std::fs::write(&path, content).unwrap();
    let usual = GameStart::usual(rules, None).unwrap();
    let starts = load(rules, &usual, &path, None).map_err(|error| format!("{error:#}"))?;
    Ok(starts.iter().map(GameStart::text).collect())
}

fn text(line: &str) -> Result<String, String> {
    loaded(&reversi(), line.as_bytes()).map(|mut all| all.remove(0))
}

#[test]
fn every_form_of_a_line() {
    for line in [
        "startpos moves f5 d6 c3",
        "\u{feff}position startpos moves f5 d6 c3\r",
        "f5 d6 c3 ; comment",
        "1. f5 2. d6 3. c3",
        "F5D6C3",
        "f5d6c3\t+2",
    ] {
        assert_eq!(text(line).as_deref(), Ok("startpos moves f5 d6 c3"), "{line}");
    }
    let obf = "---------------------------OX------XO--------------------------- X; G8:+18";
    assert!(text(obf).unwrap().starts_with("fen ------"));
    assert!(text("  # nothing").unwrap_err().contains("there is no opening in it"));
}

#[test]
fn records_of_every_form_are_openings() {
    let shogi = kaeshi_records::referee::rules_by_name("shogi").unwrap();
    let wanted = "startpos moves 7g7f 3c3d 8h2b+";
    for record in [
        "手合割：平手\n手数----指手--\n 1 ７六歩(77)\n 2 ３四歩(33)\n 3 ２二角成(88)\n 4 投了\n",
        "手合割：平手\n▲７六歩 △３四歩 ▲２二角成\nまで3手で先手の勝ち\n",
        "V2.2\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n%TORYO\n",
        r#"{"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},
            {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"}},
            {"move":{"from":{"x":8,"y":8},"to":{"x":2,"y":2},"piece":"KA","promote":true}}]}"#,
        "7g7f 3c3d 8h2b+",
    ] {
        assert_eq!(loaded(&*shogi, record.as_bytes()), Ok(vec![wanted.to_owned()]), "{record}");
    }
    let board = kaeshi_shogi::rules::japanese::diagram(
        &kaeshi_records::shogi_line::position("4k4/9/9/9/9/9/9/9/4K4 w 2r 1").unwrap(),
    );
    assert_eq!(loaded(&*shogi, board.as_bytes()), Ok(vec!["sfen 4k4/9/9/9/9/9/9/9/4K4 w 2r 1".to_owned()]));
    let ggf =
        "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6];)";
    let two = loaded(&reversi(), ggf.repeat(2).as_bytes()).unwrap();
    assert_eq!(two.len(), 2);
    assert!(two[0].ends_with(" moves f5 d6"), "{}", two[0]);
    let sygo = kaeshi_records::referee::rules_by_name("sygo").unwrap();
    let list = "[Sygo \"1\"] [Size \"5\"]\n1. c3\n2. d2\n";
    assert_eq!(loaded(&*sygo, list.as_bytes()).unwrap(), ["fen 5/5/5/5/5 w - 0 1 moves c3 d2"]);
    assert!(loaded(&*sygo, ggf.as_bytes()).unwrap_err().contains("this is reversi, not sygo"));
}

#[test]
fn finished_games_are_openings_by_their_first_turns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.txt");
    // The shortest game of Reversi: White has no disc left.
    std::fs::write(&path, "e6f4e3f6g5d6e7f5c5").unwrap();
    let usual = GameStart::usual(&reversi(), None).unwrap();
    let error = load(&reversi(), &usual, &path, None).unwrap_err().to_string();
    assert!(error.contains("over") && error.contains("--opening-plies"), "{error}");
    let openings = load(&reversi(), &usual, &path, Some(4)).unwrap();
    assert_eq!(openings[0].text(), "startpos moves e6 f4 e3 f6");
}

#[test]
fn bad_lines_are_reported() {
    assert!(text("startpos moves f5 f5").unwrap_err().contains("turn 2"));
    assert!(text("sfen rubbish").is_err());
    let over = format!("{} X", "X".repeat(64));
    assert!(text(&over).unwrap_err().contains("over"));
    let error = text("f5d6\n\nf5f5\n").unwrap_err();
    assert!(error.contains("line 3") && error.contains("f5"), "{error}");
    // One byte that is no letter costs its line, and that line is named.
    let error = loaded(&reversi(), b"f5d6\nf5\xff\n").unwrap_err();
    assert!(error.contains("line 2"), "{error}");
}

#[test]
fn random_plies_depend_on_the_seed_alone() {
    let rules = reversi();
    let usual = GameStart::usual(&rules, None).unwrap();
    let draw = |seed| extend_opening(&rules, &usual, 10, seed).unwrap();
    assert_eq!(draw(5), draw(5));
    assert_ne!(draw(5), draw(6));
    assert_eq!(draw(5).turns.len(), 10);
    assert_eq!(draw(5).turns[0].0, Side::First);
}

#[test]
fn random_plies_of_sygo_are_placements() {
    let rules = kaeshi_records::referee::rules_by_name("sygo").unwrap();
    let usual = GameStart::usual(&*rules, Some(9)).unwrap();
    for seed in 0..20 {
        let start = extend_opening(&*rules, &usual, 6, seed).unwrap();
        assert!(
            start.turns.iter().all(|(_, turn)| (rules.facts().boards.may_open)(turn)),
            "{}",
            start.text()
        );
    }
}
