//! The lines that a GUI shows and ponders on: as long as the engine knows them, the best one first.

use crate::child_engine::ChildEngine;

/// The complete output of a search.
fn answer(engine: &mut ChildEngine, go: &str) -> Vec<String> {
    engine.say(go);
    engine.until("bestmove")
}

/// Time ran out while a new move was found to be better, of whose line nothing was known yet.
#[test]
fn a_line_cut_short_by_the_end_of_the_search_goes_on_from_the_table() {
    let mut engine = ChildEngine::start(&["--game", "shogi"]);
    engine.say(
        "position startpos moves 7g7f 3c3d 2g2f 4c4d 6i6h 2b3c 3i4h 3a3b 5i6i 8b4b 6i7h 5a6b 3g3f 6b7b 9g9f \
         9c9d 2i3g",
    );
    let heard = answer(&mut engine, "go nodes 30000");
    assert!(heard.last().is_some_and(|line| line.contains(" ponder ")), "{heard:?}");
    let line = heard.iter().rev().find_map(|line| line.split_once(" pv ")).expect("a line").1;
    assert!(line.split(' ').count() >= 5, "{line}");
}

/// The answers of a game played by the engine against itself with few nodes a move.
fn game(name: &str, nodes: u32, plies: usize) -> Vec<Vec<String>> {
    let mut engine = ChildEngine::start(&["--game", name]);
    engine.say("setoption name OwnBook value false");
    let mut moves = String::new();
    let mut answers = Vec::new();
    for _ in 0..plies {
        engine.say(&format!("position startpos{}{moves}", if moves.is_empty() { "" } else { " moves" }));
        let heard = answer(&mut engine, &format!("go nodes {nodes}"));
        let answer: Vec<String> = heard.last().expect("an answer").split(' ').map(str::to_owned).collect();
        if ["resign", "win", "none"].contains(&answer[1].as_str()) {
            break;
        }
        moves.push(' ');
        moves.push_str(&answer[1]);
        answers.push(heard);
    }
    answers
}

#[test]
fn all_but_one_in_a_hundred_answers_have_a_move_to_ponder_on() {
    for (name, plies) in [("shogi", 110), ("reversi", 56), ("sygo", 40)] {
        let answers = game(name, 1500, plies);
        let without: Vec<&Vec<String>> = answers
            .iter()
            .filter(|heard| !heard.iter().any(|line| line.contains(" ponder ")))
            .filter(|heard| !heard.iter().any(|line| line.contains(" score mate 1 ")))
            .collect();
        assert!(answers.len() > 20, "{name}: {} answers", answers.len());
        assert!(
            without.len() * 100 <= answers.len(),
            "{name}: {} of {}: {without:?}",
            without.len(),
            answers.len()
        );
    }
}

/// The value that a line states, mates beyond everything.
fn score(line: &str) -> i64 {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "score").expect("a score");
    let value: i64 = words[at + 2].parse().expect("a number");
    match words[at + 1] {
        "cp" => value,
        _ if words[at + 2].starts_with('-') => -1_000_000 - value,
        _ => 1_000_000 - value,
    }
}

/// Also where the search ends in the middle of an iteration, some of whose lines are those of the one before.
#[test]
fn several_lines_are_printed_best_first() {
    let mut engine = ChildEngine::start(&["--game", "shogi"]);
    engine.say("setoption name OwnBook value false");
    engine.say("setoption name MultiPV value 5");
    let mut moves = String::new();
    for ply in 0..60 {
        engine.say(&format!("position startpos{}{moves}", if moves.is_empty() { "" } else { " moves" }));
        let heard = answer(&mut engine, "go nodes 2000");
        let lines: Vec<&String> = heard.iter().filter(|line| line.contains(" multipv ")).collect();
        let last = lines.iter().rposition(|line| line.contains(" multipv 1 ")).expect("a first line");
        let scores: Vec<i64> = lines[last..].iter().map(|line| score(line)).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "ply {ply}: {heard:#?}");
        let best = heard.last().expect("an answer").split(' ').nth(1).expect("a move").to_owned();
        assert!(lines[last].contains(&format!(" pv {best}")), "ply {ply}: {heard:#?}");
        if best == "resign" || best == "win" {
            break;
        }
        moves.push(' ');
        moves.push_str(&best);
    }
}
