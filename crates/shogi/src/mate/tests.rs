use super::*;
use crate::mate::reference::{Plain, plain};
use crate::mate::samples::{XorshiftStar, problem};
use crate::rules::sfen::{format, parse};

const TSUME: &str = include_str!("../../../../tests/data/tsume.sfen");

fn solve(sfen: &str, bytes: usize, nodes: u64) -> MateVerdict {
    MateSolver::with_bytes(bytes).solve(&parse(sfen).unwrap(), nodes, &SearchControl::free())
}

#[test]
fn known_problems() {
    for line in TSUME.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [name, plies, sfen] = fields[..] else { panic!("{line}") };
        if name == "microcosmos" {
            continue;
        }
        match solve(sfen, 256 << 20, 20_000_000) {
            MateVerdict::Mate(moves) => {
                let known: usize = plies.split_whitespace().next().unwrap().parse().unwrap();
                println!("{name}: {} plies, known {known}", moves.len());
                assert_ne!(plies, "none", "{name}");
                assert!(line::is_mate(&parse(sfen).unwrap(), &moves));
            }
            MateVerdict::NoMate => assert_eq!(plies, "none", "{name}"),
            MateVerdict::Unknown => panic!("{name}: unknown"),
        }
    }
}

/// Solver and plain search must never contradict each other.
fn agree(problems: usize, seed: u64, bytes: usize, nodes: u64) {
    let mut random = XorshiftStar(seed);
    let mut solver = MateSolver::with_bytes(bytes);
    let (mut mates, mut no_mates, mut open) = (0, 0, 0);
    for _ in 0..problems {
        let (white, black) = (random.below(8), 3 + random.below(4));
        let position = problem(&mut random, white, black);
        let expected = plain(&position, 7, 2_000);
        let found = solver.solve(&position, nodes, &SearchControl::free());
        let text = format(&position);
        match (&found, expected) {
            (MateVerdict::Mate(line), Plain::Mate(plies)) => {
                assert!(line.len() >= plies, "{text}: {line:?} is quicker than {plies}");
                mates += 1;
            }
            (MateVerdict::Mate(line), Plain::Deeper) => assert!(line.len() > 7, "{text}: {line:?}"),
            (MateVerdict::Mate(line), Plain::NoMate) => panic!("{text}: there is no mate, but {line:?}"),
            (MateVerdict::NoMate, Plain::Mate(plies)) => panic!("{text}: there is a mate in {plies}"),
            (MateVerdict::NoMate, Plain::NoMate) => no_mates += 1,
            (MateVerdict::Unknown, Plain::Mate(_) | Plain::NoMate) => open += 1,
            _ => {}
        }
        if let MateVerdict::Mate(line) = &found {
            assert!(line::is_mate(&position, line), "{text}: {line:?}");
        }
    }
    println!("{mates} mates and {no_mates} no-mates agree, {open} left open");
    assert!(mates > problems / 80 && no_mates > problems / 20);
    assert!(open <= problems / 100, "too many left open: {open}");
}

#[test]
fn random_problems_agree_with_plain_search() {
    agree(250, 0x6d61_7465, 16 << 20, 8_000);
}

#[test]
#[ignore = "takes a minute"]
fn ten_thousand_random_problems_agree_with_plain_search() {
    agree(10_000, 0x7465_6e6b, 16 << 20, 8_000);
}

#[test]
fn random_problems_agree_under_a_table_of_a_hundred_entries() {
    agree(150, 0x7469_6e79, 8 << 10, 3_000);
}

#[test]
fn what_is_no_mate_is_never_reported() {
    let root = parse("4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1").unwrap();
    let line = |text: &str| -> Vec<Move> {
        let mut at = root.clone();
        text.split_whitespace()
            .map(|word| {
                let mv = crate::rules::notation::parse_move(&at, word).unwrap();
                at.make(mv);
                mv
            })
            .collect()
    };
    assert!(line::is_mate(&root, &line("G*5b")));
    for (why, text) in [
        ("empty", ""),
        ("not to the end", "G*4b"),
        ("an even number of plies", "G*4b 5a6a"),
        ("a move that does not check", "G*3c 5a4a G*4b"),
    ] {
        assert!(!line::is_mate(&root, &line(text)), "{why}");
    }
    let twice = [line("G*5b")[0]; 3];
    assert!(!line::is_mate(&root, &twice), "illegal moves");
}

/// The board seen in a mirror, and from the other side with colours exchanged.
fn images(sfen: &str) -> [String; 3] {
    let fields: Vec<&str> = sfen.split_whitespace().collect();
    let [board, side, hands, number] = fields[..] else { panic!("{sfen}") };
    let backwards = |text: &str| -> String {
        let mut pieces: Vec<String> = Vec::new();
        for letter in text.chars() {
            match pieces.last_mut() {
                Some(last) if last == "+" => last.push(letter),
                _ => pieces.push(letter.to_string()),
            }
        }
        pieces.into_iter().rev().collect()
    };
    let swapped = |text: &str| -> String {
        let swap =
            |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
        text.chars().map(swap).collect()
    };
    let other = if side == "b" { "w" } else { "b" };
    let mirrored = board.split('/').map(backwards).collect::<Vec<_>>().join("/");
    let turned = swapped(&backwards(board));
    let upside_down = board.split('/').rev().map(swapped).collect::<Vec<_>>().join("/");
    [
        format!("{mirrored} {side} {hands} {number}"),
        format!("{turned} {other} {} {number}", swapped(hands)),
        format!("{upside_down} {other} {} {number}", swapped(hands)),
    ]
}

#[test]
fn no_file_and_no_side_is_special() {
    let mut problems = 0;
    for line in TSUME.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [name, plies, sfen] = fields[..] else { panic!("{line}") };
        if name == "microcosmos" || name.starts_with("floodgate") {
            continue;
        }
        for image in images(sfen) {
            let verdict = solve(&image, 64 << 20, 1_000_000);
            assert_eq!(
                matches!(verdict, MateVerdict::Mate(_)),
                plies != "none",
                "{name}: {image}: {verdict:?}"
            );
            assert_ne!(verdict, MateVerdict::Unknown, "{name}: {image}");
            problems += 1;
        }
    }
    assert!(problems >= 18);
}
