//! KIF as it is written.

use super::{HEADINGS, end_word, said};
use crate::referee::ending::{EndCause, Ending};
use crate::text::one_line;
use crate::{GameRecord, PlyRemarks, RecordFormat, RecordPly, clock, setup, shogi_line};
use kaeshi_core::game::score::Score;
use kaeshi_core::game::{GameError, Side};
use kaeshi_shogi::rules::japanese;
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::sfen;
use kaeshi_shogi::rules::types::Move;

/// Moves of an expected line that are written.
const LINE_SHOWN: usize = 12;

/// The names of the sides.
pub const SIDES: [&str; 2] = ["先手", "後手"];
/// The names of the sides in handicap games.
const HANDICAP_SIDES: [&str; 2] = ["下手", "上手"];
/// Headers that are written from the data of the record, not copied from its headers.
const DERIVED: [&str; 5] = ["手合割", "先手", "後手", "下手", "上手"];

/// One game in UTF-8. Scores are from Black's side, with the keys that ShogiHome reads.
///
/// # Errors
/// A record that is not legal shogi.
pub fn write(record: &GameRecord) -> Result<String, GameError> {
    let mut text = String::from("#KIF version=2.0 encoding=UTF-8\n");
    text += &write_head(record)?;
    text += "手数----指手---------消費時間--\n";
    text += &starred(&record.comments);
    let mut sums = [0u64; 2];
    let (mut number, mut seconds) = (0, clock::whole_seconds(record));
    let last = shogi_line::walk(record, |ply, position, mv| {
        number += 1;
        let side = position.side_to_move();
        let used = seconds.next().unwrap_or(0);
        let [first, second] = &mut sums;
        let sum = if side == Side::First { first } else { second };
        *sum += used;
        text += &row_text(number, &move_text(position, mv), used, *sum);
        if let Some(remarks) = &ply.remarks {
            text += &comments(remarks, position);
        }
    })?;
    text += &end_text(record, number, last.side_to_move(), sums)?;
    for line in record.nested() {
        let mut number = record.after(line);
        text += &format!("\n変化：{}手\n", number + 1);
        let before = record.before(line);
        let mut sums = sums_of(record, &before);
        shogi_line::walk_variation(record, line, |ply, position, mv| {
            number += 1;
            let used = whole_seconds_of(ply);
            let [first, second] = &mut sums;
            let sum = if position.side_to_move() == Side::First { first } else { second };
            *sum += used;
            text += &row_text(number, &move_text(position, mv), used, if used > 0 { *sum } else { 0 });
            if let Some(remarks) = &ply.remarks {
                text += &comments(remarks, position);
            }
        })?;
    }
    Ok(text)
}

fn whole_seconds_of(ply: &RecordPly) -> u64 {
    ply.remarks.as_ref().and_then(|remarks| remarks.used_us).unwrap_or(0) / 1_000_000
}

/// Seconds that Black and White used for these turns from the start.
fn sums_of(record: &GameRecord, plies: &[&RecordPly]) -> [u64; 2] {
    let mut sums = [0; 2];
    for (index, ply) in plies.iter().enumerate() {
        let [first, second] = &mut sums;
        let sum = if shogi_line::mover(record, index) == Side::First { first } else { second };
        *sum += whole_seconds_of(ply);
    }
    sums
}

/// Comments, a line each.
pub fn starred(comments: &[String]) -> String {
    comments.iter().map(|comment| format!("*{}\n", one_line(comment))).collect()
}

/// The row that ends the game, its comments, and the closing sentence; empty for a game without an end.
fn end_text(record: &GameRecord, number: usize, to_move: Side, sums: [u64; 2]) -> Result<String, GameError> {
    let (word, sentence) = match (&record.ending, kept_end(record)) {
        (Some(end), _) => {
            let names = side_names(&shogi_line::position(&record.start)?);
            let (word, sentence) = end_words(end, to_move, names);
            (word.to_owned(), sentence)
        }
        (None, Some(word)) => (word.clone(), word),
        (None, None) => return Ok(String::new()),
    };
    let remarks = record.end_remarks.as_deref();
    let used = remarks.and_then(|remarks| remarks.used_us).unwrap_or(0) / 1_000_000;
    let [first, second] = sums;
    let sum = if to_move == Side::First { first } else { second };
    let mut text = row_text(number + 1, &word, used, sum + used);
    let kept = remarks.map_or(&[][..], |remarks| &remarks.comments);
    if let Some((cause, end)) = record.ending.as_ref().and_then(|end| Some((end.cause?, end))) {
        let shown = !end.detail.is_empty() || cause.is_fault();
        let said = kept.iter().any(|comment| comment.starts_with(&format!("{}: ", cause.word())));
        if shown && !said {
            text += &format!("*{}: {}\n", cause.word(), one_line(&end.detail));
        }
    }
    text += &starred(kept);
    Ok(text + &format!("まで{number}手で{sentence}\n"))
}

/// The word of an end whose cause is not known, in KIF.
pub fn kept_end(record: &GameRecord) -> Option<String> {
    let word = record.end.as_deref()?;
    let word = match record.form {
        RecordFormat::Kif => word,
        RecordFormat::Ki2 => said(word),
        RecordFormat::Csa | RecordFormat::Jkf if word.trim_start_matches('%') == "CHUDAN" => "中断",
        _ => return None,
    };
    // Read back it has to be the end again.
    (end_word(word) == Some(word)).then(|| word.to_owned())
}

/// The headers of KIF and KI2, with the diagram of a start that is not the usual one.
///
/// # Errors
/// If the start is no position.
pub fn write_head(record: &GameRecord) -> Result<String, GameError> {
    let mut text = String::new();
    if !record.date.is_empty() {
        text += &format!("開始日時：{}\n", clock::slashed(&record.date));
    }
    if !record.event.is_empty() {
        text += &format!("棋戦：{}\n", one_line(&record.event));
    }
    if !record.limit.is_empty() {
        text += &format!("持ち時間：{}\n", one_line(&record.limit));
    }
    for (key, value) in kept_headers(record) {
        text += &format!("{key}：{value}\n");
    }
    let start = shogi_line::position(&record.start)?;
    if shogi_line::is_usual(&start) {
        text += "手合割：平手\n";
    } else if let Some(name) = setup::handicap_name(&sfen::format(&start)) {
        text += &format!("手合割：{name}\n");
    } else {
        text += "手合割：その他\n";
        text += &japanese::diagram(&start);
    }
    let [first, second] = side_names(&start);
    Ok(text + &format!("{first}：{}\n{second}：{}\n", record.name(Side::First), record.name(Side::Second)))
}

/// The names of the sides of a game with this start.
pub fn side_names(start: &ShogiPosition) -> [&'static str; 2] {
    let is_even = shogi_line::is_usual(start) || setup::handicap_name(&sfen::format(start)).is_none();
    if is_even { SIDES } else { HANDICAP_SIDES }
}

/// Headers of a record in KIF, KI2 or JKF that are written back as they were, each on one line.
pub fn kept_headers(record: &GameRecord) -> impl Iterator<Item = (String, String)> {
    let kept = matches!(record.form, RecordFormat::Kif | RecordFormat::Ki2 | RecordFormat::Jkf);
    let written = |key: &str| {
        DERIVED.contains(&key) || [HEADINGS.event, HEADINGS.date, HEADINGS.limit].concat().contains(&key)
    };
    let tags = record.tags.iter().filter(move |(key, _)| kept && !key.is_empty() && !written(key));
    tags.map(|(key, value)| (one_line(key), one_line(value)))
}

/// A legal move as KIF writes it, without the time: `７六歩(77)`, `同　銀(31)`, `４五角打`.
pub fn move_text(position: &ShogiPosition, mv: Move) -> String {
    let last = position.last_move();
    let place = if last.is_some() && last.to() == mv.to() {
        "同　".to_owned()
    } else {
        japanese::square_name(mv.to())
    };
    let piece = japanese::piece_name(japanese::mover(position, mv));
    if mv.is_drop() {
        return format!("{place}{piece}打");
    }
    let promotes = if mv.is_promotion() { "成" } else { "" };
    format!("{place}{piece}{promotes}({}{})", mv.from().file() + 1, mv.from().rank() + 1)
}

/// One row of the list of moves.
pub(super) fn row_text(number: usize, what: &str, seconds: u64, sum: u64) -> String {
    format!(
        "{number:4} {what}   ({:2}:{:02}/{:02}:{:02}:{:02})\n",
        seconds / 60,
        seconds % 60,
        sum / 3600,
        sum / 60 % 60,
        sum % 60
    )
}

/// The comments on a move from `position`, behind its row.
pub fn comments(remarks: &PlyRemarks, position: &ShogiPosition) -> String {
    let mut text = String::new();
    match remarks.score.map(|score| shogi_line::seen_by(position.side_to_move(), score)) {
        Some(Score::MateIn(plies)) => text += &format!("**詰み=先手勝ち:{plies}手\n"),
        Some(Score::MatedIn(plies)) => text += &format!("**詰み=後手勝ち:{plies}手\n"),
        Some(Score::Cp(cp) | Score::Exact(cp)) => text += &format!("**評価値={cp}\n"),
        None => {}
    }
    let line = line_text(position, &remarks.expected);
    if !line.is_empty() {
        text += &format!("**読み筋={line}\n");
    }
    if let Some(depth) = remarks.depth {
        text += &format!("**深さ={depth}\n");
    }
    if let Some(nodes) = remarks.nodes {
        text += &format!("**ノード数={nodes}\n");
    }
    text + &starred(&remarks.comments)
}

/// An expected line behind its first move, which is the move played.
fn line_text(position: &ShogiPosition, line: &[String]) -> String {
    let mut text = String::new();
    let shown = line.get(..LINE_SHOWN).unwrap_or(line);
    let mut first = true;
    shogi_line::follow(position, shown, |position, mv| {
        if !std::mem::take(&mut first) {
            text.push(if position.side_to_move() == Side::First { '▲' } else { '△' });
            text += &move_text(position, mv);
        }
    });
    text
}

/// The word that ends the list, whose subject is the side to move, and the closing sentence with these names of the
/// sides.
pub fn end_words(end: &Ending, to_move: Side, [first, second]: [&str; 2]) -> (&'static str, String) {
    use EndCause::*;
    let name = |side: Side| if side == Side::First { first } else { second };
    let Some(winner) = end.winner else {
        return match end.cause {
            Some(Repetition) => ("千日手", "千日手".into()),
            _ => ("持将棋", "持将棋".into()),
        };
    };
    let mover_won = winner == to_move;
    let won = format!("{}の勝ち", name(winner));
    match end.cause {
        Some(Declare | Impasse) if mover_won => ("入玉勝ち", format!("{}の入玉勝ち", name(winner))),
        Some(Mate) if !mover_won => ("詰み", won),
        Some(Time) if !mover_won => ("切れ負け", format!("時間切れにより{won}")),
        Some(AdjWin) if mover_won => ("中断", "中断".into()),
        None | Some(Resign | AdjWin | Impasse) if !mover_won => ("投了", won),
        _ if mover_won => ("反則勝ち", format!("{}の反則負け", name(winner.other()))),
        _ => ("反則負け", format!("{}の反則負け", name(to_move))),
    }
}
