//! KIF, the record format of Japanese programs (Kakinoki, 2024-08), in UTF-8.

use super::shogi_board::{ShogiBoard, Square, UsiMove, kif_move};
use super::{Record, one_line};
use crate::game::Side;
use crate::tools::match_runner::journal::{EndCause, Move};

/// Moves of the expected line that are written.
const LINE_SHOWN: usize = 12;

/// One game. Scores are from Black's side, with the keys that ShogiHome reads.
pub fn write(record: &Record) -> String {
    let mut text = String::from("#KIF version=2.0 encoding=UTF-8\n");
    if let Some(started) = record.started() {
        text += &format!("開始日時：{started}\n");
    }
    text += &format!("棋戦：{}\n", one_line(&record.journal.open.tool));
    if let Some(limit) = record.limit() {
        text += &format!("持ち時間：{}\n", one_line(limit));
    }
    if record.replay.is_usual {
        text += "手合割：平手\n";
    } else {
        text += "手合割：その他\n";
        text += &ShogiBoard::parse(&record.replay.start).diagram();
    }
    text += &format!("先手：{}\n後手：{}\n", record.name(Side::First), record.name(Side::Second));
    text += "手数----指手---------消費時間--\n";
    let mut sums = [0u64; 2];
    let mut last = None;
    let seconds = record.whole_seconds();
    for (index, ply) in record.replay.plies.iter().enumerate() {
        let board = ShogiBoard::parse(record.replay.before(index));
        let Some(turn) = UsiMove::parse(&ply.turn) else { break };
        sums[ply.mover.index()] += seconds[index];
        let shown = kif_move(&board, turn, last);
        text += &row(index + 1, &shown, seconds[index], sums[ply.mover.index()]);
        if let Some(told) = record.told(index) {
            text += &comment(told, ply.mover, line(board, &ply.expected, last));
        }
        last = Some(turn.to());
    }
    let number = record.replay.plies.len();
    let (word, sentence) = end(record);
    text += &row(number + 1, word, 0, sums[record.replay.to_move.index()]);
    if !record.game().detail.is_empty() || record.game().cause.is_fault() {
        text += &format!("*{}: {}\n", record.game().cause.word(), one_line(&record.game().detail));
    }
    text + &format!("まで{number}手で{sentence}\n")
}

/// The same text for programs that read only Shift_JIS with CRLF; `None` if a name needs letters
/// that Shift_JIS lacks.
pub fn shift_jis(text: &str) -> Option<Vec<u8>> {
    let text = text.replacen("encoding=UTF-8", "encoding=Shift_JIS", 1).replace('\n', "\r\n");
    // An unknown letter would become a numeric reference.
    let (bytes, _, lossy) = encoding_rs::SHIFT_JIS.encode(&text);
    (!lossy).then(|| bytes.into_owned())
}

/// One line of the list of moves.
fn row(number: usize, what: &str, seconds: u64, sum: u64) -> String {
    format!(
        "{number:4} {what}   ({:2}:{:02}/{:02}:{:02}:{:02})\n",
        seconds / 60,
        seconds % 60,
        sum / 3600,
        sum / 60 % 60,
        sum % 60
    )
}

/// What the engine told, behind its move.
fn comment(told: &Move, mover: Side, line: String) -> String {
    let sign = if mover == Side::First { 1 } else { -1 };
    let mut text = String::new();
    if let Some(mate) = told.mate {
        let winner = if mate * sign >= 0 { "先手勝ち" } else { "後手勝ち" };
        text += &format!("**詰み={winner}:{}手\n", mate.abs());
    } else if let Some(cp) = told.cp {
        text += &format!("**評価値={}\n", cp * sign);
    }
    if !line.is_empty() {
        text += &format!("**読み筋={line}\n");
    }
    if let Some(depth) = told.depth {
        text += &format!("**深さ={depth}\n");
    }
    if let Some(nodes) = told.nodes {
        text += &format!("**ノード数={nodes}\n");
    }
    text
}

/// An expected line behind its first move, which is the move played.
fn line(board: ShogiBoard, turns: &[String], last: Option<Square>) -> String {
    let mut walk = board.walk(last);
    let mut text = String::new();
    for (index, turn) in turns.iter().filter_map(|turn| UsiMove::parse(turn)).take(LINE_SHOWN).enumerate() {
        let sign = if walk.board.black_to_move { '▲' } else { '△' };
        let shown = kif_move(&walk.board, turn, walk.last);
        if index > 0 {
            text.push(sign);
            text += &shown;
        }
        walk.play(turn);
    }
    text
}

/// The end word, whose subject is the player to move, and the closing sentence.
fn end(record: &Record) -> (&'static str, String) {
    use EndCause::*;
    let game = record.game();
    let to_move = record.replay.to_move;
    let name = |side: Side| if side == Side::First { "先手" } else { "後手" };
    let Some(winner) = game.result.winner() else {
        return match game.cause {
            Repetition => ("千日手", "千日手".into()),
            _ => ("持将棋", "持将棋".into()),
        };
    };
    let mover_won = winner == to_move;
    let won = format!("{}の勝ち", name(winner));
    match game.cause {
        Declare if mover_won => ("入玉勝ち", format!("{}の入玉勝ち", name(winner))),
        Mate if !mover_won => ("詰み", won),
        Time if !mover_won => ("切れ負け", format!("時間切れにより{won}")),
        AdjWin if mover_won => ("中断", "中断".into()),
        Resign | AdjWin if !mover_won => ("投了", won),
        _ if mover_won => ("反則勝ち", format!("{}の反則負け", name(winner.other()))),
        _ => ("反則負け", format!("{}の反則負け", name(to_move))),
    }
}
