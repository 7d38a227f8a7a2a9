use super::*;
use crate::game::{Game, Side};
use crate::referee::GameRules;
use crate::reversi::Reversi;

fn reversi() -> GameRules<Reversi> {
    GameRules::new(Reversi::load(&Default::default()).unwrap())
}

fn text(line: &str) -> Result<Option<String>, String> {
    let rules = reversi();
    let usual = Start::usual(&rules, None).unwrap();
    parse_line(&rules, &usual, line).map(|start| start.map(|start| start.text()))
}

#[test]
fn every_form_of_a_line() {
    let wanted = Ok(Some("startpos moves f5 d6 c3".to_owned()));
    for line in [
        "startpos moves f5 d6 c3",
        "\u{feff}position startpos moves f5 d6 c3\r",
        "f5 d6 c3 ; comment",
        "1. f5 2. d6 3. c3",
        "F5D6C3",
        "f5d6c3\t+2",
    ] {
        assert_eq!(text(line), wanted, "{line}");
    }
    let obf = "---------------------------OX------XO--------------------------- X; G8:+18";
    assert!(text(obf).unwrap().unwrap().starts_with("fen ------"));
    assert_eq!(text("  # nothing"), Ok(None));
}

#[test]
fn bad_lines_are_told() {
    assert!(text("startpos moves f5 f5").unwrap_err().contains("turn 2"));
    assert!(text("sfen rubbish").is_err());
    let over = format!("{} X", "X".repeat(64));
    assert!(text(&over).unwrap_err().contains("over"));
}

#[test]
fn a_file_with_a_bad_line_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.txt");
    std::fs::write(&path, "f5d6\n\nf5f5\n").unwrap();
    let rules = reversi();
    let usual = Start::usual(&rules, None).unwrap();
    let error = load(&rules, &usual, &path).unwrap_err().to_string();
    assert!(error.contains("line 3") && error.contains("f5f5"), "{error}");
}

#[test]
fn random_plies_depend_on_the_seed_alone() {
    let rules = reversi();
    let usual = Start::usual(&rules, None).unwrap();
    let draw = |seed| lengthen(&rules, &usual, 10, seed).unwrap();
    assert_eq!(draw(5), draw(5));
    assert_ne!(draw(5), draw(6));
    assert_eq!(draw(5).turns.len(), 10);
    assert_eq!(draw(5).turns[0].0, Side::First);
}

#[test]
fn random_plies_of_sygo_are_placements() {
    let rules = crate::referee::rules("sygo", None).unwrap();
    let usual = Start::usual(&*rules, Some(9)).unwrap();
    for seed in 0..20 {
        let start = lengthen(&*rules, &usual, 6, seed).unwrap();
        assert!(start.turns.iter().all(|(_, turn)| is_placement(turn)), "{}", start.text());
    }
}
