//! `kaeshi solve --make-problems`, and the problems that are inside the program: each has the one solution
//! that it says.

use std::path::Path;
use std::process::{Command, Output};

use kaeshi_reversi::rules::notation;
use serde_json::Value;

fn kaeshi(folder: &Path, arguments: &str) -> Output {
    let words = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_kaeshi")).args(words).current_dir(folder).output().unwrap()
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Grade, position, turns and values of the problems of a game.
fn problems(game: &str) -> Vec<[String; 4]> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("crates/report/src/problems/{game}.txt"));
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut fields = line.split(" | ").map(str::to_owned);
            [0; 4].map(|_| fields.next().unwrap_or_default())
        })
        .collect()
}

/// The output of `kaeshi solve` for these positions.
fn solved(game: &str, positions: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("positions"), positions.join("\n")).unwrap();
    let output = kaeshi(folder.path(), &format!("solve --game {game} --json --hash 16 positions"));
    assert!(output.status.success(), "{}", error(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let answers = text.lines().map(|line| serde_json::from_str(line).unwrap());
    answers.filter(|answer: &Value| answer["solved"].is_null()).collect()
}

/// A few problems of each grade up to `hardest`.
fn sample(game: &str, hardest: u32) -> Vec<[String; 4]> {
    let all = problems(game);
    assert!(all.len() >= 200, "{game} has {} problems", all.len());
    let mut kept: Vec<[String; 4]> = Vec::new();
    for problem in all {
        let grade: u32 = problem[0].parse().unwrap();
        if grade <= hardest && kept.iter().filter(|other| other[0] == problem[0]).count() < 5 {
            kept.push(problem);
        }
    }
    kept
}

#[test]
fn mates_of_the_program_are_mates_of_their_length() {
    let problems = sample("shogi", 7);
    let positions: Vec<&str> = problems.iter().map(|problem| problem[1].as_str()).collect();
    for (problem, answer) in problems.iter().zip(solved("shogi", &positions)) {
        let [grade, position, turns, _] = problem;
        let pv: Vec<&str> =
            answer["pv"].as_array().unwrap().iter().map(|turn| turn.as_str().unwrap()).collect();
        let first = turns.split([' ', '/']).next().unwrap();
        assert_eq!((pv.len().to_string().as_str(), pv[0]), (grade.as_str(), first), "{position}");
        assert_eq!(turns.split('/').next().unwrap().split(' ').count(), pv.len(), "{position}");
    }
}

#[test]
fn endgames_of_the_program_have_the_best_move_that_they_say() {
    let problems = sample("reversi", 9);
    let positions: Vec<&str> = problems.iter().map(|problem| problem[1].as_str()).collect();
    for (problem, answer) in problems.iter().zip(solved("reversi", &positions)) {
        let [_, position, turn, values] = problem;
        let best = values.split(' ').next().unwrap();
        let score = format!("{:+}", answer["score"].as_i64().unwrap());
        assert_eq!((answer["best"].as_str().unwrap(), score.as_str()), (turn.as_str(), best), "{position}");
    }
}

#[test]
fn turns_of_sygo_of_the_program_are_the_only_best_ones() {
    let problems = sample("sygo", 2);
    let positions: Vec<&str> = problems.iter().map(|problem| problem[1].as_str()).collect();
    for (problem, answer) in problems.iter().zip(solved("sygo", &positions)) {
        let [_, position, turn, values] = problem;
        assert_eq!(answer["best"], serde_json::json!([turn]), "{position}");
        assert_eq!(format!("{:+}", answer["margin"].as_i64().unwrap()), values.split(' ').next().unwrap());
    }
}

#[test]
fn problems_are_made_from_games_and_no_input_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let game = "f5d6c3d3c4f4f6f3e6e7d7g6d8c5c6c7c8b4\n";
    std::fs::write(folder.join("games.txt"), game).unwrap();
    std::fs::write(folder.join("mate.usi"), "sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1 moves G*5b\n")
        .unwrap();
    let made = kaeshi(folder, "solve --game reversi --hash 8 --make-problems out games.txt");
    assert!(made.status.success(), "{}", error(&made));
    assert!(std::fs::read_to_string(folder.join("out")).unwrap().starts_with("# Problems of Reversi"));
    let made = kaeshi(folder, "solve --game shogi --hash 8 --make-problems out mate.usi");
    assert!(made.status.success(), "{}", error(&made));
    let text = std::fs::read_to_string(folder.join("out")).unwrap();
    assert!(text.contains("1 | sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1 | G*5b"), "{text}");
    let lost = kaeshi(folder, "solve --game reversi --make-problems games.txt games.txt");
    assert!(!lost.status.success() && error(&lost).contains("also an input"), "{}", error(&lost));
    assert_eq!(std::fs::read_to_string(folder.join("games.txt")).unwrap(), game);
    std::fs::write(folder.join("empty"), "").unwrap();
    let none = kaeshi(folder, "solve --game sygo --make-problems out empty");
    assert!(!none.status.success() && error(&none).contains("holds no games"), "{}", error(&none));
}

#[test]
fn games_that_cannot_be_read_are_named_and_the_status_is_1() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let game = "f5d6c3d3c4f4f6f3e6e7d7g6d8c5c6c7c8b4\n";
    std::fs::write(folder.join("games.txt"), format!("{game}nonsense\n")).unwrap();
    std::fs::write(folder.join("good.txt"), game).unwrap();
    let kif = "手合割：平手\n   1 ７六歩(77)\n   2 投了\n";
    std::fs::write(folder.join("good.kif"), kif).unwrap();
    std::fs::write(folder.join("games.kif"), format!("{kif}手合割：平手\n   1 ７六歩(77)\nnonsense\n"))
        .unwrap();
    for (command, line) in [
        ("solve --game reversi --hash 8 --make-problems out FILE.txt", 2),
        ("solve --game shogi --hash 8 --make-problems out FILE.kif", 6),
        ("book --game shogi --out book.db --games FILE.kif", 6),
    ] {
        for (file, status) in [("good", 0), ("games", 1)] {
            let done = kaeshi(folder, &command.replace("FILE", file));
            assert_eq!(done.status.code(), Some(status), "{command}: {}", error(&done));
            assert_eq!(error(&done).contains(&format!(", line {line}: ")), status == 1, "{}", error(&done));
        }
    }
}

#[test]
fn options_that_a_book_does_not_use_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for options in [
        "--games x --minimax",
        "--games x --positions 5",
        "--games x --nodes 500",
        "--from x --rates",
        "--from x --winners",
        "--from x --game-plies 5",
        "--from x --positions 5",
    ] {
        let refused = kaeshi(folder, &format!("book --game shogi --out book.db {options}"));
        assert_eq!(refused.status.code(), Some(2), "{options}");
        assert!(error(&refused).contains("cannot be used with"), "{options}: {}", error(&refused));
    }
}

/// A rook that mates from afar: whatever is dropped between it and the king is captured and changes nothing.
const FAR_ROOK: &str = "8k/9/6NG1/9/9/9/9/8P/R8 b r2b3g4s3n4l17p 1";

fn printed(folder: &Path, arguments: &str) -> String {
    let output = kaeshi(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", error(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn mates_of_a_folder_are_counted_without_useless_interpositions_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::create_dir(folder.join("all")).unwrap();
    let list = format!("# two positions\n{FAR_ROOK}\nsfen 4k4/9/9/9/9/9/9/9/9 b G2r2b3g4s4n4l18p 1\n");
    std::fs::write(folder.join("all/a.sfen"), list).unwrap();
    std::fs::write(folder.join("all/b.csa"), "V2.2\nP-51OU\nP+53FU\nP+00KI\nP-00AL\n+\n+0052KI\n%TSUMI\n")
        .unwrap();
    let table = printed(folder, "solve --hash 16 --cooks --notation western all");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["problem", "plies", "left", "check", "seconds", "nodes", "solution"]);
    assert_eq!(rows[1][..4], ["a.sfen:2", "1", "0", "unique"], "{table}");
    assert_eq!(rows[1][6..], ["R-9a+"], "{table}");
    assert!(rows[2].join(" ").contains("(promotion, "), "{table}");
    assert_eq!(rows[3][..3], ["a.sfen:3", "nomate", "-"], "{table}");
    assert!(rows[4][0].starts_with("b.csa:") && rows[4][1..4] == ["1", "0", "unique"], "{table}");
    assert!(table.contains("3 problems: 2 mates, 1 without mate, 0 unknown; 2 unique, 0 cooked"), "{table}");
    let json = printed(folder, "solve --hash 16 --json --mate-length legal all/a.sfen");
    let legal: Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert!(legal["plies"].as_u64().unwrap() > 1, "{json}");
    let csv = printed(folder, "solve --hash 16 --csv all");
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(csv.lines().nth(1).unwrap().contains(",true,1,true,9i9a+,0,-,"), "{csv}");
}

#[test]
fn a_search_for_mates_counts_as_problem_solvers_do() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("far.sfen"), FAR_ROOK).unwrap();
    let plies = |arguments: &str| {
        let line: Value = serde_json::from_str(&printed(folder, arguments)).unwrap();
        line["lines"][0]["score"]["mate"].as_i64().unwrap()
    };
    assert_eq!(plies("analyse --mate 30s --hash 16 far.sfen"), 1);
    assert!(plies("analyse --mate 30s --hash 16 --mate-length legal far.sfen") > 1);
    assert!(plies("analyse --mate 30s --hash 16 --option MateLength=legal far.sfen") > 1);
}

/// A file as Edax users have it: comments, scores, positions without scores, games.
#[test]
fn files_of_edax_are_solved_and_written_with_all_scores() {
    // FFO 40, played on by the first legal moves until six squares are empty.
    let text = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
    let mut position = notation::parse_position(text).unwrap();
    while position.board.empties() > 6 {
        let turn = position.turns()[0];
        position.play(turn);
    }
    let board = notation::format_position(&position);
    let turn = notation::format_turn(position.turns()[0]).to_ascii_uppercase();
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "% three kinds; A1:+9\n\n{board}; {turn}:+6;\n{board}; +8; % wrong: on purpose\n{board} % bare\n"
    );
    std::fs::write(folder.path().join("test.obf"), text).unwrap();
    let output = kaeshi(folder.path(), "solve --game reversi --lossless --hash 1 --obf out.obf test.obf");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let answers: Vec<&str> = printed.lines().collect();
    assert_eq!(answers.len(), 4, "{printed}{}", error(&output));
    assert!(answers[..3].iter().all(|line| line.contains(" lossless ")), "{printed}");
    assert!(!answers[3].contains("bad lines"), "{printed}");
    let written = std::fs::read_to_string(folder.path().join("out.obf")).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!((lines.len(), lines[0]), (4, "% three kinds; A1:+9"));
    assert!(lines[2].ends_with("; % wrong: on purpose") && lines[3].ends_with("; % bare"), "{written}");
    let scores = |line: &str| line.split('%').next().unwrap().trim().to_owned();
    assert_eq!((scores(lines[1]), scores(lines[2])), (scores(lines[2]), scores(lines[3])));
    assert!(lines[1].starts_with(&format!("{board}; ")) && lines[1].matches(':').count() > 0, "{written}");
    // The written problems are solved with the same result.
    let again = kaeshi(folder.path(), "solve --game reversi --hash 1 out.obf");
    assert!(again.status.success() && String::from_utf8_lossy(&again.stdout).contains("as expected 3 of 3"));
    let refused = kaeshi(folder.path(), "solve --game reversi --obf test.obf test.obf");
    assert!(error(&refused).contains("would be lost"), "{}", error(&refused));
}

#[test]
fn values_of_searches_are_compared_with_exact_scores() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let positions = [
        "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
        "-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X",
    ];
    let [first, second] = positions;
    std::fs::write(folder.join("exact.obf"), format!("% FFO 40, 41\n{first}; A2:+38;\n{second}; +0;\n"))
        .unwrap();
    let table = printed(folder, "solve --game reversi --hash 1 --errors 2 exact.obf");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["depth", "empties", "positions", "rms", "bias"]);
    let depths: Vec<[&str; 3]> = rows[1..].iter().map(|row| [row[0], row[1], row[2]]).collect();
    assert_eq!(depths, [["0", "even", "2"], ["1", "even", "2"], ["2", "even", "2"]], "{table}");
    let json = printed(folder, "solve --game reversi --hash 1 --json --errors 2 exact.obf");
    let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 5, "{json}");
    assert_eq!((lines[0]["line"].as_u64(), lines[0]["score"].as_i64()), (Some(2), Some(38)));
    let error_of = |line: &Value| line["values"][2].as_f64().unwrap() - line["score"].as_f64().unwrap();
    let bias = (error_of(&lines[0]) + error_of(&lines[1])) / 2.0;
    assert!((lines[4]["bias"].as_f64().unwrap() - bias).abs() < 1e-9, "{json}");
    std::fs::write(folder.join("bare.obf"), format!("{first};\n")).unwrap();
    let refused = kaeshi(folder, "solve --game reversi --errors 2 bare.obf");
    assert!(!refused.status.success() && error(&refused).contains("no position with a score"));
}

/// A folder of WTHOR, as the game base is distributed: games, players and tournaments.
#[test]
fn players_of_a_game_base_have_names() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("base")).unwrap();
    let file = |name: &str, head: [u8; 16], body: Vec<u8>| {
        std::fs::write(folder.path().join("base").join(name), [head.to_vec(), body].concat()).unwrap();
    };
    let padded = |text: &str, width| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(width, 0);
        bytes
    };
    let names = |width| ["???", "Rose Brian", "Tastet Marc"].map(|name| padded(name, width)).concat();
    file("WTHOR.JOU", [20, 26, 1, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0], names(20));
    file("WTHOR.TRN", [20, 26, 1, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0], names(26));
    let game = |black: u8, white: u8, moves: &[u8]| {
        let mut game = vec![1, 0, black, 0, white, 0, 33, 33];
        game.extend(moves);
        game.resize(68, 0);
        game
    };
    let games = [game(1, 2, &[56, 64, 33]), game(2, 0, &[56, 66])].concat();
    file("WTH_2026.wtb", [20, 26, 1, 1, 2, 0, 0, 0, 0, 0, 0xea, 7, 8, 0, 0, 0], games);

    let book = |player: &str| {
        let arguments =
            ["book", "--game", "reversi", "--games", "base", "--out", "b.txt", "--player", player];
        let program = env!("CARGO_BIN_EXE_kaeshi");
        Command::new(program).args(arguments).current_dir(folder.path()).output().unwrap()
    };
    let made = book("Rose Brian");
    assert_eq!((made.status.code(), error(&made).as_str()), (Some(0), "b.txt: 2 positions\n"));
    assert!(!book("1").status.success(), "no player is called by the number");
    let analysed = kaeshi(folder.path(), "analyse --game reversi --depth 1 --summary games.json base");
    assert!(analysed.status.success(), "{}", error(&analysed));
    let summary = std::fs::read_to_string(folder.path().join("games.json")).unwrap();
    assert!(summary.contains("Rose Brian") && summary.contains("Tastet Marc"), "{summary}");
}
