use super::*;
use crate::shogi::mate::reference::{Plain, plain};
use crate::shogi::mate::samples::{Random, problem};
use crate::shogi::sfen::{format, parse};

const TSUME: &str = include_str!("../../../tests/data/tsume.sfen");

fn solve(sfen: &str, bytes: usize, nodes: u64) -> Verdict {
    Solver::with_bytes(bytes).solve(&parse(sfen).unwrap(), nodes, &Control::free())
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
            Verdict::Mate(moves) => {
                let known: usize = plies.split_whitespace().next().unwrap().parse().unwrap();
                println!("{name}: {} plies, known {known}", moves.len());
                assert_ne!(plies, "none", "{name}");
                assert!(line::is_mate(&parse(sfen).unwrap(), &moves));
            }
            Verdict::NoMate => assert_eq!(plies, "none", "{name}"),
            Verdict::Unknown => panic!("{name}: unknown"),
        }
    }
}

/// Solver and plain search must never contradict each other.
fn agree(problems: usize, seed: u64, bytes: usize, nodes: u64) {
    let mut random = Random(seed);
    let mut solver = Solver::with_bytes(bytes);
    let (mut mates, mut no_mates, mut open) = (0, 0, 0);
    for _ in 0..problems {
        let (white, black) = (random.below(8), 3 + random.below(4));
        let position = problem(&mut random, white, black);
        let expected = plain(&position, 7, 2_000);
        let found = solver.solve(&position, nodes, &Control::free());
        let text = format(&position);
        match (&found, expected) {
            (Verdict::Mate(line), Plain::Mate(plies)) => {
                assert!(line.len() >= plies, "{text}: {line:?} is quicker than {plies}");
                mates += 1;
            }
            (Verdict::Mate(line), Plain::Deeper) => assert!(line.len() > 7, "{text}: {line:?}"),
            (Verdict::Mate(line), Plain::NoMate) => panic!("{text}: there is no mate, but {line:?}"),
            (Verdict::NoMate, Plain::Mate(plies)) => panic!("{text}: there is a mate in {plies}"),
            (Verdict::NoMate, Plain::NoMate) => no_mates += 1,
            (Verdict::Unknown, Plain::Mate(_) | Plain::NoMate) => open += 1,
            _ => {}
        }
        if let Verdict::Mate(line) = &found {
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
