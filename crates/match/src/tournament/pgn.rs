//! Games in PGN, for rating programs (Ordo, BayesElo) and for viewers that know the variants of Fairy-Stockfish.
//!
//! `White` is the side that moves first at the usual start, as in these variants. Positions and moves are written as
//! Fairy-Stockfish writes them in UCI; of a game that UCI has no name for the moves stand in a comment.

use std::fmt::Write as _;
use std::path::Path;

use kaeshi_core::game::Side;
use kaeshi_engine::protocol::uci::notation::{Translator, Variant};
use kaeshi_records::referee::ending::{EndCause, GameResult};
use kaeshi_records::referee::replay::{Replay, split_start};
use kaeshi_records::referee::rules_by_name;
use kaeshi_system::output::write_whole;

use super::journal::{GameWithMoves, Journal, JournalMove};
use super::records::{opening_plies, replay};

/// Longest line of moves.
const WIDTH: usize = 80;

/// Writes the games of a match that count to one file, in the order of the schedule.
///
/// # Errors
/// A game that cannot be replayed, or the disk refuses.
pub fn write(journal: &Journal, path: &Path) -> anyhow::Result<()> {
    write_whole(path, text(journal)?.as_bytes())
}

/// The games of a match that count.
///
/// # Errors
/// A game that cannot be replayed; names it.
pub fn text(journal: &Journal) -> anyhow::Result<String> {
    let rules = rules_by_name(&journal.open.game)?;
    let mut text = String::new();
    for played in &journal.games {
        let replayed = replay(&*rules, played, |_| {})?;
        one(journal, played, &replayed, &mut text);
    }
    Ok(text)
}

fn one(journal: &Journal, played: &GameWithMoves, replay: &Replay, text: &mut String) {
    let game = &played.game;
    let result = match game.result {
        GameResult::FirstWins => "1-0",
        GameResult::Draw => "1/2-1/2",
        GameResult::SecondWins => "0-1",
    };
    let mut tag = |name: &str, value: &str| {
        let value: String = value.chars().filter(|c| !c.is_control()).collect();
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("[{name} \"{value}\"]\n"));
    };
    let (date, time) = game.t0.split_once('T').unwrap_or((&game.t0, ""));
    tag("Event", &journal.open.tool);
    tag("Site", "?");
    tag("Date", &date.replace('-', "."));
    tag("Round", &format!("{}.{}", game.pair + 1, game.game + 1));
    tag("White", &game.first);
    tag("Black", &game.second);
    tag("Result", result);
    let variant = Variant::of_game(&journal.open.game);
    tag("Variant", variant.map_or(journal.open.game.as_str(), |variant| variant.name()));
    if !replay.is_usual {
        let fen = variant.and_then(|variant| variant.fen_of(&replay.start));
        tag("SetUp", "1");
        tag("FEN", fen.as_deref().unwrap_or(&replay.start));
    }
    if !time.is_empty() {
        tag("UTCTime", time.trim_end_matches('Z'));
    }
    for (name, side) in [("WhiteTimeControl", Side::First), ("BlackTimeControl", Side::Second)] {
        let player = journal.open.engines.iter().find(|engine| engine.name == game.name(side));
        if let Some(engine) = player {
            tag(name, &engine.limit);
        }
    }
    tag("PlyCount", &replay.plies.len().to_string());
    tag("Termination", termination(game.cause));
    text.push('\n');

    let mut words = Vec::new();
    if !game.detail.is_empty() || game.cause.is_fault() {
        let detail = if game.detail.is_empty() { game.cause.word() } else { &game.detail };
        words.push(format!("{{{}}}", comment(detail)));
    }
    match variant {
        Some(variant) => moves(variant, played, replay, &mut words),
        None => {
            let turns: Vec<&str> = replay.plies.iter().map(|ply| ply.turn.as_str()).collect();
            words.push(format!("{{{}}}", comment(&turns.join(" "))));
        }
    }
    words.push(result.to_owned());
    wrap(&words, text);
    text.push('\n');
}

fn moves(variant: Variant, played: &GameWithMoves, replay: &Replay, words: &mut Vec<String>) {
    let opening = opening_plies(played, replay);
    let position = split_start(&played.game.start).0;
    let position = Some(replay.start.as_str()).filter(|_| position != "startpos");
    let mut translator = Translator::new(variant, position);
    let mut number = 1;
    for (index, ply) in replay.plies.iter().enumerate() {
        if ply.mover == Side::First {
            words.push(format!("{number}."));
        } else if index == 0 {
            words.push(format!("{number}..."));
        }
        number += u32::from(ply.mover == Side::Second);
        words.push(translator.next(&ply.turn));
        let of_match = index.checked_sub(opening).and_then(|index| played.moves.get(index));
        words.push(of_match.map_or_else(|| "{book}".to_owned(), evaluation));
    }
}

/// Score in pawns or discs, depth and time as cutechess and fastchess write them: `{+0.31/12 1.234s}`.
fn evaluation(of_match: &JournalMove) -> String {
    let mut text = String::from("{");
    match (of_match.mate, of_match.cp) {
        (Some(mate), _) => {
            let sign = if mate < 0 { '-' } else { '+' };
            let written = write!(text, "{sign}M{}/{} ", mate.unsigned_abs(), of_match.depth.unwrap_or(0));
            debug_assert!(written.is_ok(), "a string takes every character");
        }
        (None, Some(cp)) => {
            let written = write!(text, "{:+.2}/{} ", f64::from(cp) / 100.0, of_match.depth.unwrap_or(0));
            debug_assert!(written.is_ok(), "a string takes every character");
        }
        (None, None) => {}
    }
    text + &format!("{:.3}s}}", of_match.used_us as f64 / 1e6)
}

/// The standard's word for the cause.
fn termination(cause: EndCause) -> &'static str {
    match cause {
        EndCause::Time => "time forfeit",
        EndCause::Illegal | EndCause::BadAnswer | EndCause::FalseClaim => "rules infraction",
        EndCause::Stall | EndCause::Crash | EndCause::StartFailed => "abandoned",
        EndCause::AdjDraw | EndCause::AdjWin | EndCause::MaxPlies => "adjudication",
        _ => "normal",
    }
}

/// A text that can stand in braces.
fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || "{}".contains(c) { ' ' } else { c }).collect()
}

fn wrap(words: &[String], text: &mut String) {
    let mut column = 0;
    for word in words.iter().flat_map(|word| word.split(' ')).filter(|word| !word.is_empty()) {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            text.push('\n');
            column = 0;
        }
        if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::summary::tests::journal;

    #[test]
    fn games_have_the_tags_of_the_standard_and_moves_of_uci() {
        let mut journal = journal(&[[0, 1]], &["wd", "Tl"]);
        journal.open.engines[0].name = "a \"quoted\\\" name\n".into();
        let games = journal.games.len();
        for played in &mut journal.games {
            for name in [&mut played.game.first, &mut played.game.second] {
                if name == "a" {
                    name.clone_from(&journal.open.engines[0].name);
                }
            }
        }
        journal.games[0].game.detail = "so { it } went".into();
        let text = text(&journal).unwrap();
        assert_eq!(text.matches("[Event ").count(), games);
        assert!(text.contains("[White \"a \\\"quoted\\\\\\\" name\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[Variant \"shogi\"]\n"), "{text}");
        assert!(text.contains("{so   it   went} 1. c3c4") || text.contains("{so it went} 1. c3c4"), "{text}");
        assert!(text.contains("g7g6") && text.contains("[Termination \"time forfeit\"]"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH.max(90)), "{text}");
        for result in ["1-0\n\n", "1/2-1/2\n\n", "0-1\n\n"] {
            assert!(text.contains(result), "{result} {text}");
        }
    }

    #[test]
    fn moves_of_a_game_without_variant_are_a_comment_and_white_may_move_second() {
        let mut journal = journal(&[[0, 1]], &["wd"]);
        journal.games[0].game.start = "sfen 4k4/9/9/9/9/9/9/9/4K4 w - 1".into();
        journal.games[0].moves.truncate(2);
        for (played, turn) in journal.games[0].moves.iter_mut().zip(["5a5b", "5i5h"]) {
            turn.clone_into(&mut played.m);
        }
        let text = text(&journal).unwrap();
        assert!(text.contains("[SetUp \"1\"]\n[FEN \"4k4/9/9/9/9/9/9/9/4K4[] b - - 0 1\"]"), "{text}");
        assert!(text.contains("\n1... e9e8"), "{text}");
        let score = evaluation(&JournalMove {
            cp: Some(-31),
            depth: Some(9),
            used_us: 1_234_000,
            ..JournalMove::default()
        });
        assert_eq!(score, "{-0.31/9 1.234s}");
        assert_eq!(evaluation(&JournalMove { mate: Some(-4), ..JournalMove::default() }), "{-M4/0 0.000s}");
        journal.open.game = "sygo".into();
        journal.games.truncate(1);
        journal.games[0].game.start = "startpos".into();
        for (played, turn) in journal.games[0].moves.iter_mut().zip(["c3", "d4"]) {
            turn.clone_into(&mut played.m);
        }
        let text = super::text(&journal).unwrap();
        assert!(text.contains("[Variant \"sygo\"]") && text.contains("{c3 d4} 1-0"), "{text}");
    }
}
