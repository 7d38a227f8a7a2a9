//! Certificates of Sygo's exact values: a checker that shares no line with the program confirms them, and refuses
//! whatever is not a proof.

#[path = "../examples/sygo_certificate.rs"]
#[allow(dead_code, reason = "its command line is not needed here")]
mod checker;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use checker::{Confirmed, Refused, check};
use kaeshi_core::game::control::SearchControl;
use kaeshi_sygo::rules::board::Colour;
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::size::BoardSize;
use kaeshi_sygo::rules::{self, generate, notation};
use kaeshi_sygo::search::playout::PlayoutScratch;
use kaeshi_sygo::solve::certificate::{self, CertificateError};
use kaeshi_sygo::solve::{self, SolverStart, SygoSolver};

/// The certified positions, and White's points.
const ASKED: [(&str, i32); 14] = [
    ("1x1", 0),
    ("2x1", 2),
    ("3x1", 3),
    ("5x1", -5),
    ("1x6", 6),
    ("2x2", 1),
    ("3x2", 1),
    ("2x4", 5),
    ("3x3", 9),
    ("fen 4/4/4 b g 1 7", -12),
    ("fen ww1w/bb1w/bbww/2bw b g 0 12", -16),
    ("fen 5/5/bbww1/1wbw1/wbb2 w g 0 20", 25),
    ("fen wbw/1b1/w1w b - 2 9", 2),
    ("fen bbbbbbbbb/b1b1bbbbb/bbbbbbbbb/wwwwwwwww/w1w1w1www/wwwwwwwww w g 1 30", 0),
];

/// `kaeshi solve --game sygo --certificate PATH` with these lines.
fn solve(lines: &str, path: &Path) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(["solve", "--game", "sygo", "--hash", "16", "--certificate"])
        .args([path, Path::new("-")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // It may end before it has read everything.
    let _ = child.stdin.take().expect("stdin is piped").write_all(lines.as_bytes());
    child.wait_with_output().expect("it ends")
}

/// The certificates of these lines.
fn certified(lines: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("certificates");
    let output = solve(lines, &path);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1, "nothing else is left");
    std::fs::read_to_string(&path).expect("the file is there")
}

fn refusal(file: impl AsRef<[u8]>) -> Refused {
    check(file.as_ref()).expect_err("this is no proof")
}

#[test]
fn values_of_boards_and_positions_are_confirmed() {
    let lines: String = ASKED.iter().map(|(asked, _)| format!("{asked}\n")).collect();
    let confirmed = check(certified(&lines).as_bytes()).expect("a proof");
    assert_eq!(confirmed.len(), ASKED.len());
    for (Confirmed { position, value, .. }, (asked, expected)) in confirmed.iter().zip(ASKED) {
        assert_eq!(*value, expected, "{position}");
        if let Some(fields) = asked.strip_prefix("fen ") {
            assert!(fields.starts_with(position.as_str()), "{position}");
        }
    }
}

#[test]
fn bad_lines_are_named_and_the_others_certified() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("certificates");
    let output = solve("2x2\n# a comment\nnonsense\n12x12\n3x1\n", &path);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.lines().count() == 2 && said.contains("line 3: ") && said.contains("line 4: "), "{said}");
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(said.starts_with("2x2: +1  white ") && said.contains("\n3x1: +3  white "), "{said}");
    assert_eq!(check(std::fs::read(&path).expect("a file").as_slice()).expect("a proof").len(), 2);
}

#[test]
fn a_value_one_higher_or_lower_has_no_certificate() {
    for (asked, for_white) in ASKED {
        let (start, solver) = read(asked);
        let value = if start.side == Colour::White { for_white } else { -for_white };
        let control = SearchControl::free();
        let write = |value| {
            certificate::write(&solver, &start, value, &mut io::sink(), &tempfile::tempfile, &control)
        };
        assert!(write(value).is_ok(), "{asked}");
        if !start.over {
            for wrong in [value - 1, value + 1] {
                assert!(matches!(write(wrong), Err(CertificateError::NoTurn { .. })), "{asked}: {wrong}");
            }
        }
    }
}

#[test]
fn what_is_proved_of_a_position_closes_in_on_its_value() {
    let (start, solver) = read("4x3");
    let control = SearchControl::free();
    assert_eq!(solver.proved(start.node), (-12, 12));
    assert_eq!(solver.reaches(&start, 5, &control), Ok(true));
    let (low, high) = solver.proved(start.node);
    assert!((5..=7).contains(&low) && (7..=12).contains(&high), "{low} {high}");
    assert!(solver.solve_start(&start, &control).is_ok_and(|solution| solution.margin == 7));
    assert_eq!(solver.proved(start.node), (7, 7));
}

fn read(asked: &str) -> (SolverStart, SygoSolver<solve::shape::BoardShape>) {
    let start = match asked.strip_prefix("fen ") {
        Some(fields) => {
            let position = notation::parse_position(fields).expect(fields);
            let size = position.board.size();
            let (width, height) = (size.columns(), size.rows());
            let (node, side, over) = (solve::node(&position), position.side, position.is_over());
            SolverStart { width, height, node, side, over }
        }
        None => {
            let (width, height) = asked.split_once('x').expect("a board");
            SolverStart::empty(width.parse().expect("a number"), height.parse().expect("a number"))
        }
    };
    (start, SygoSolver::of_board(start.width, start.height, 1 << 20).expect("a small board"))
}

#[test]
fn another_value_is_refused() {
    for (asked, value) in ASKED {
        let file = certified(&format!("{asked}\n"));
        let word = format!("value {value:+}\n");
        assert!(file.contains(&word), "{asked}");
        for wrong in [value - 1, value + 1] {
            let refused = refusal(file.replace(&word, &format!("value {wrong:+}\n")));
            assert!(refused.reason.contains("points for the side"), "{asked}: {refused}");
        }
    }
}

#[test]
fn every_line_is_needed_once() {
    let file = certified("3x1\n3x2\n");
    let lines: Vec<&str> = file.lines().collect();
    assert!(lines.len() > 50, "{}", lines.len());
    let whole = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    for (index, line) in lines.iter().enumerate() {
        let mut fewer = lines.clone();
        fewer.remove(index);
        assert!(refusal(whole(&fewer)).line as usize > index, "without line {}: {line}", index + 1);
        let mut more = lines.clone();
        more.insert(index, line);
        // A second `complete` stands behind the last line.
        let number = (index + 2) as u64;
        assert!(refusal(whole(&more)).line >= number, "with line {} twice: {line}", index + 1);
    }
}

#[test]
fn illegal_turns_are_refused_by_their_line() {
    let file =
        certified("3x2\nfen ww1w/bb1w/bbww/2bw b g 0 12\nfen wb1/1b1/w1b b g 0 9\nfen w1b/1w1/b1w b - 0 5\n");
    let lines: Vec<&str> = file.lines().collect();
    let mut tried = 0;
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.contains('/')) {
        let Some((position, _)) = line.rsplit_once(' ').filter(|_| !line.starts_with("position")) else {
            continue;
        };
        let fields = format!("{position} 9");
        let parsed = notation::parse_position(&fields).ok();
        let mut wrong = vec!["a9".to_owned(), "+".to_owned(), "a1@b1".to_owned(), "+a1,a1".to_owned()];
        wrong.extend(["A1", "a01", "", "pass ", "resign"].map(str::to_owned));
        // Boards of fewer than three rows are positions to the checker only.
        if let Some(position) = parsed {
            let (turns, _) = generate::turns(&position, usize::MAX);
            let legal: BTreeSet<String> = turns.iter().map(notation::format_turn).collect();
            let points = ["a1", "b2", "c3", "e5", "a2", "d1", "c2"];
            let all = points.iter().flat_map(|point| {
                let two = points.iter().map(move |other| format!("+{point},{other}"));
                let balance = points.iter().map(move |other| format!("+{point}@{other}"));
                [(*point).to_owned(), format!("+{point}")].into_iter().chain(two).chain(balance)
            });
            // A reader takes the points of a growth in any order.
            let turn = |text: &String| notation::parse_turn(position.board.size(), text).ok();
            wrong.extend(
                all.filter(|text| {
                    turn(text).is_none_or(|turn| !legal.contains(&notation::format_turn(&turn)))
                }),
            );
        }
        for turn in wrong {
            let changed = format!("{position} {turn}");
            let mut lines = lines.clone();
            lines[index] = &changed;
            let refused = refusal(lines.join("\n") + "\n");
            assert_eq!(refused.line as usize, index + 1, "{changed}: {refused}");
            tried += 1;
        }
    }
    assert!(tried > 2000, "{tried}");
}

#[test]
fn damaged_and_cut_files_are_refused() {
    let file = certified("3x1\n2x2\n");
    let bytes = file.as_bytes();
    for index in 0..bytes.len() {
        refusal(&bytes[..index]);
        for other in [b'~', b' ', b'\n', 0xFF] {
            let mut damaged = bytes.to_vec();
            if damaged[index] != other {
                damaged[index] = other;
                refusal(&damaged);
            }
        }
    }
    let reason = |file: &str| refusal(file).to_string();
    assert_eq!(reason(""), "line 1: the file ends before its last line");
    assert!(reason("sygo certificates 1\n").starts_with("line 2: the file ends"));
    assert!(reason("sygo certificates 1\ncomplete 0\n").starts_with("line 2: 0 certificates"));
    assert!(reason("sygo certificates 2\n").starts_with("line 1: not a file of certificates"));
    let after = file.lines().count() + 1;
    for behind in ["\n", "x", "complete 2\n", &file] {
        assert!(reason(&format!("{file}{behind}")).starts_with(&format!("line {after}: something stands")));
    }
}

#[test]
fn what_cannot_be_written_leaves_one_line_and_no_half_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = solve("2x2\n", &folder.path().join("missing/certificates"));
    let said = String::from_utf8(missing.stderr).expect("text");
    assert!(!missing.status.success() && said.lines().count() == 1, "{said}");
    assert!(said.contains("cannot write ") && missing.stdout.is_empty(), "{said}");
}

/// A limit on the size of files stands for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_what_was_there_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("certificates");
    std::fs::write(&path, "before").expect("writable");
    let mut child = Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 8; exec \"$0\" solve --game sygo --hash 16 --certificate \"$1\" -",
        ])
        .args([Path::new(env!("CARGO_BIN_EXE_kaeshi")), &path])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("there is a shell");
    child.stdin.take().expect("stdin is piped").write_all(b"3x3\n").expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(
        !output.status.success() && said.lines().count() == 1 && said.contains("cannot write "),
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), "before");
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1, "nothing else is left");
}

#[test]
fn the_rules_written_again_agree_with_the_programs() {
    let mut playout = PlayoutScratch::new(17);
    let mut compared = 0;
    for game in 0..60 {
        let size = BoardSize::new(3 + game % 4, 3 + game / 4 % 3).expect("3 to 6");
        let mut position = SygoPosition::new(size);
        while !position.is_over() {
            compare(&mut position);
            compared += 1;
            playout.turn(&mut position);
        }
    }
    assert!(compared > 400, "{compared}");
}

/// Compares all turns of a position, and its value if the game ended.
fn compare(position: &mut SygoPosition) {
    let text = notation::format_position(position);
    let four = text.rsplit_once(' ').expect("five fields").0;
    let (grid, start, over) = checker::start(four).expect(four);
    assert!(!over);
    assert_eq!(grid.score(&start.board), rules::margin(&position.board), "{text}");
    let mut expected = BTreeSet::new();
    let _ = generate::walk(position, &mut |after, stones| {
        if stones.placement.is_some() || !stones.growth.is_empty() {
            let node = solve::node(after);
            let white_moves = after.side == Colour::White;
            expected.insert((
                if white_moves { [node.own, node.enemy] } else { [node.enemy, node.own] },
                after.grown,
            ));
        }
        ControlFlow::Continue(())
    });
    let found: BTreeSet<_> =
        grid.turns(start).into_iter().map(|(board, grown)| (board.stones, grown)).collect();
    assert_eq!(found, expected, "{text}");
}

/// The worked examples of the rules.
#[test]
fn the_rules_written_again_settle_what_is_ambiguous() {
    let symmetric = "3ww3/1w1bw3/1wbbw3/1wwbw3/1wbww3/1wbbw3/1wb1w3/1ww5 w g 0";
    let chain = "5/5/bbww1/1wbw1/wbb2 w g 0";
    let full = "5/bbbb1/wwwb1/wbwb1/bb1b1";
    for (position, turn, reason) in [
        ("5/5/1w1w1/5/2b2 w g 0", "+c3", ""),
        ("5/5/1w1w1/5/2b2 w g 0", "+b4,c3", "no such growth"),
        ("5/1w3/1wbw1/2w2/5 w g 0", "+c4,e3", ""),
        (symmetric, "+c7", ""),
        (symmetric, "+d2", ""),
        (symmetric, "+c7,d2", "no such growth"),
        (chain, "+a2", "suicide"),
        (chain, "+a2,d1", ""),
        (&format!("{full} w g 0"), "c1", "no stone may be placed"),
        (&format!("{full} w g 0"), "+c1", "suicide"),
        (&format!("{full} b g 0"), "+c1", ""),
        ("5/5/1b3/bwb2/w1wb1 b g 0", "b1", ""),
        ("3/1b1/2w b - 0", "+a2@c3", ""),
        ("3/1b1/2w b g 0", "+a2@c3", "no balance right"),
        ("3/1w1/2b w - 0", "+a2@c3", "no balance right"),
        ("3/1b1/2w b - 0", "+a2@a3", "no stone may be placed"),
        ("3/1b1/2w b - 0", "b2", "no stone may be placed"),
        ("3/1b1/2w b - 0", "+c1", "not vacant"),
    ] {
        let (grid, start, _) = checker::start(position).expect(position);
        let (growth, placement) = grid.turn(turn).expect(turn).expect("stones");
        let said = grid.play(start, growth, placement).err().unwrap_or_default();
        assert!(
            if reason.is_empty() { said.is_empty() } else { said.contains(reason) },
            "{position}: {turn}: {said}"
        );
    }
}
