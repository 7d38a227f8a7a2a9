//! CSA, the record format of the Computer Shogi Association, V2.2 and V3.0.

use super::shogi_board::{ShogiBoard, UsiMove, csa_move};
use super::{Clock, Record, one_line};
use crate::game::Side;
use crate::tools::match_runner::journal::{EndCause, Move};

/// What a mate is worth in the comment that floodgate made usual.
const MATE_SCORE: i32 = 30_000;
/// Moves of the expected line that are written.
const LINE_SHOWN: usize = 12;

/// Version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Whole seconds; read by everything.
    V2,
    /// Times with fractions, maximum moves as an end of its own.
    V3,
}

/// One game, with a comment `'** score line #nodes` behind each move (score from Black's side).
pub fn write(record: &Record, version: Version) -> String {
    let mut text = String::from("'CSA encoding=UTF-8\n");
    text += if version == Version::V2 { "V2.2\n" } else { "V3.0\n" };
    text += &format!("N+{}\nN-{}\n", record.name(Side::First), record.name(Side::Second));
    text += &format!("$EVENT:{}\n", one_line(&record.journal.open.tool));
    if let Some(started) = record.started() {
        text += &format!("$START_TIME:{started}\n");
    }
    text += &record.limit().and_then(Clock::parse).map(|clock| time_line(clock, version)).unwrap_or_default();
    let start = ShogiBoard::parse(&record.replay.start);
    text += &if record.replay.is_usual { "PI\n".to_owned() } else { start.csa() };
    text += if start.black_to_move { "+\n" } else { "-\n" };
    let seconds = record.whole_seconds();
    for (index, ply) in record.replay.plies.iter().enumerate() {
        let board = ShogiBoard::parse(record.replay.before(index));
        let Some(turn) = UsiMove::parse(&ply.turn) else { break };
        text += &format!("{}\n", csa_move(&board, turn));
        match (version, record.told(index)) {
            (Version::V3, Some(told)) if told.used_us % 1_000_000 != 0 => {
                text += &format!("T{}.{:03}\n", told.used_us / 1_000_000, told.used_us / 1_000 % 1_000);
            }
            _ => text += &format!("T{}\n", seconds[index]),
        }
        if let Some(told) = record.told(index) {
            text += &comment(told, ply.mover, board, &ply.expected);
        }
    }
    if !record.game().detail.is_empty() || record.game().cause.is_fault() {
        text += &format!("'{}: {}\n", record.game().cause.word(), one_line(&record.game().detail));
    }
    text + &format!("{}\n", end(record, version))
}

/// The limit as the header tells it.
fn time_line(clock: Clock, version: Version) -> String {
    let whole = clock.main as u64;
    match version {
        Version::V2 => {
            let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
            // V2.2 counts minutes, and knows neither seconds nor increments.
            if rest != 0 || clock.increment != 0.0 || clock.byoyomi.fract() != 0.0 {
                return String::new();
            }
            format!("$TIME_LIMIT:{hours:02}:{minutes:02}+{:02}\n", clock.byoyomi as u64)
        }
        Version::V3 => format!("$TIME:{}+{}+{}\n", clock.main, clock.byoyomi, clock.increment),
    }
}

fn comment(told: &Move, mover: Side, board: ShogiBoard, expected: &[String]) -> String {
    let sign = if mover == Side::First { 1 } else { -1 };
    let score = match (told.mate, told.cp) {
        (Some(mate), _) => Some(if mate > 0 { MATE_SCORE } else { -MATE_SCORE }),
        (None, cp) => cp,
    };
    let Some(score) = score else { return String::new() };
    let mut text = format!("'** {}", score * sign);
    let mut walk = board.walk(None);
    for (index, turn) in expected.iter().filter_map(|turn| UsiMove::parse(turn)).take(LINE_SHOWN).enumerate()
    {
        if index > 0 {
            text += &format!(" {}", csa_move(&walk.board, turn));
        }
        walk.play(turn);
    }
    if let Some(nodes) = told.nodes {
        text += &format!(" #{nodes}");
    }
    text.push('\n');
    text
}

/// The word that ends the game.
fn end(record: &Record, version: Version) -> &'static str {
    use EndCause::*;
    let game = record.game();
    let Some(winner) = game.result.winner() else {
        return match game.cause {
            Repetition => "%SENNICHITE",
            Impasse => "%JISHOGI",
            MaxPlies if version == Version::V3 => "%MAX_MOVES",
            _ => "%HIKIWAKE",
        };
    };
    let mover_won = winner == record.replay.to_move;
    match game.cause {
        Declare if mover_won => "%KACHI",
        Mate if !mover_won => "%TSUMI",
        Time if !mover_won => "%TIME_UP",
        Illegal | FalseClaim if !mover_won => "%ILLEGAL_MOVE",
        AdjWin if mover_won => "%CHUDAN",
        Resign | AdjWin if !mover_won => "%TORYO",
        _ if winner == Side::First => "%-ILLEGAL_ACTION",
        _ => "%+ILLEGAL_ACTION",
    }
}
