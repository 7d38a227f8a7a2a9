//! SGF for editors of Go that show games of Sygo. Written only; [`super::sygo_list`] is the exact form.
//!
//! A move of SGF is one stone and captures by the rules of Go. So every turn is a node that sets stones by position
//! (`AB`, `AW`: those that were put and those that changed colour), with the side to move behind it (`PL`), circles
//! on the new stones (`CR`), and the turn in the comment.

use super::text::one_line;
use super::{GameRecord, PlyRemarks};
use crate::referee::ending::GameResult;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::{Game as _, GameError};
use kaeshi_engine::games::GameName;
use kaeshi_engine::version;
use kaeshi_sygo::Sygo;
use kaeshi_sygo::rules::board::{Colour, SygoBoard};
use kaeshi_sygo::rules::points::Point;
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::{check, notation};

/// The only game that is written so.
pub const GAME: GameName = GameName::Sygo;

/// One game with its variations.
///
/// # Errors
/// If the start is no position or a turn is illegal.
pub fn write(record: &GameRecord) -> Result<String, GameError> {
    let position = match record.start.trim() {
        "startpos" => SygoPosition::new(usize::from(Sygo::FACTS.boards.usual_size)),
        start => notation::parse_position(start.strip_prefix("fen ").unwrap_or(start))?,
    };
    let size = position.board.size();
    let (columns, rows) = (size.columns(), size.rows());
    let size = if columns == rows { rows.to_string() } else { format!("{columns}:{rows}") };
    let mut text = format!(
        "(;FF[4]GM[1]CA[UTF-8]AP[Kaeshi:{}]SZ[{size}]RU[Sygo]KM[0]",
        escaped(version::stated()).replace(':', "\\:")
    );
    let [white, black] = &record.players;
    let end = record.ending.as_ref().map(|end| {
        let letter = match end.result() {
            GameResult::Draw => return "0".to_owned(),
            GameResult::FirstWins => 'W',
            GameResult::SecondWins => 'B',
        };
        end.margin.map_or_else(|| format!("{letter}+R"), |margin| format!("{letter}+{}", margin.abs()))
    });
    // SGF has dates without a time of the day.
    let date = record.date.get(..10).unwrap_or(&record.date);
    for (name, value) in [
        ("PW", &**white),
        ("PB", black),
        ("DT", date),
        ("EV", &record.event),
        ("RE", end.as_deref().unwrap_or("")),
    ] {
        if !value.is_empty() {
            text += &format!("{name}[{}]", escaped(&one_line(value)));
        }
    }
    if !record.comments.is_empty() {
        text += &format!("C[{}]", escaped(&record.comments.join("\n")));
    }
    text += &changes(&SygoBoard::new(position.board.size()), &position.board);
    text += &side_to_move(&position);
    text.push('\n');
    write_line(record, 0, position, &mut text)?;
    Ok(text + ")\n")
}

/// Writes the turns of a line from this position, each followed by its variations.
fn write_line(
    record: &GameRecord,
    line: usize,
    mut position: SygoPosition,
    text: &mut String,
) -> Result<(), GameError> {
    let mut branches = record.branches(line);
    // The closing parts of the open trees, the innermost one last.
    let mut closing = Vec::new();
    for (ply, number) in record.line(line).iter().zip(record.after(line) + 1..) {
        let mut variations = String::new();
        while let Some(branch) = branches.pop_if(|branch| record.after(*branch) < number) {
            variations += &variation(record, branch, &position)?;
        }
        if !variations.is_empty() {
            text.push_str("(\n");
            closing.push(format!(")\n{variations}"));
        }
        *text += &node(&mut position, &ply.turn, ply.remarks.as_deref())?;
    }
    while let Some(branch) = branches.pop() {
        *text += &variation(record, branch, &position)?;
    }
    text.extend(closing.into_iter().rev());
    Ok(())
}

/// A variation as a separate tree.
fn variation(record: &GameRecord, line: usize, position: &SygoPosition) -> Result<String, GameError> {
    if record.line(line).is_empty() {
        return Ok(String::new());
    }
    let mut text = String::from("(\n");
    write_line(record, line, position.clone(), &mut text)?;
    Ok(text + ")\n")
}

/// The node of a turn, which is played.
fn node(position: &mut SygoPosition, text: &str, remarks: Option<&PlyRemarks>) -> Result<String, GameError> {
    let turn = notation::parse_turn(position.board.size(), text)?;
    check(position, &turn)?;
    let before = position.board.clone();
    position.play(&turn);
    let stones: Vec<Point> = turn.stones().collect();
    let mut comment = format!("{}. {text}", position.number.saturating_sub(1));
    if let Some(Score::Cp(value) | Score::Exact(value)) = remarks.and_then(|remarks| remarks.score) {
        comment += &format!(" {:+.2}", f64::from(value) / 100.0);
    }
    for line in remarks.map(|remarks| &remarks.comments[..]).unwrap_or_default() {
        comment += &format!("\n{line}");
    }
    Ok(format!(
        ";{}{}{}C[{}]\n",
        changes(&before, &position.board),
        property("CR", &stones, &position.board),
        side_to_move(position),
        escaped(&comment)
    ))
}

/// The stones that are new on a board, or have another colour.
fn changes(before: &SygoBoard, after: &SygoBoard) -> String {
    let of = |name, colour| {
        let new = after.stones(colour).without(before.stones(colour));
        property(name, &new.iter().collect::<Vec<_>>(), after)
    };
    of("AB", Colour::Black) + &of("AW", Colour::White)
}

/// A property with a list of points; nothing for none.
fn property(name: &str, points: &[Point], board: &SygoBoard) -> String {
    if points.is_empty() {
        return String::new();
    }
    // Columns from the left, rows from the top, as letters.
    let letter = |index: usize| char::from(b'a' + u8::try_from(index).unwrap_or(0));
    let rows = board.size().rows();
    let point = |point: &Point| {
        format!("[{}{}]", letter(point.column()), letter(rows.saturating_sub(point.row() + 1)))
    };
    name.to_owned() + &points.iter().map(point).collect::<String>()
}

fn side_to_move(position: &SygoPosition) -> String {
    format!("PL[{}]", if position.side == Colour::White { 'W' } else { 'B' })
}

/// A text between brackets.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::ending::{EndCause, Ending};
    use crate::{RecordFormat, RecordPly, RecordVariation};
    use kaeshi_core::game::Side;

    fn plies(turns: &str) -> Vec<RecordPly> {
        turns.split(' ').map(RecordPly::new).collect()
    }

    #[test]
    fn a_turn_sets_the_stones_that_are_new_or_have_turned() {
        // The placement b1 turns three white groups over.
        let mut record = GameRecord::new(GAME, RecordFormat::SygoList, 1, "fen 5/5/1b3/bwb2/w1wb1 b g 0 10");
        record.players = ["a]b".into(), "c".into()];
        record.plies = plies("b1 pass pass");
        record.plies[0].remarks_mut().comments = vec!["[good]".into()];
        record.ending = Some(Ending::by_margin(-25));
        let text = write(&record).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("(;FF[4]GM[1]CA[UTF-8]AP[Kaeshi:"), "{text}");
        let head = "]SZ[5]RU[Sygo]KM[0]PW[a\\]b]PB[c]RE[B+25]AB[de][ad][cd][bc]AW[ae][ce][bd]PL[B]";
        assert!(lines[0].ends_with(head), "{text}");
        assert_eq!(lines[1], ";AB[ae][be][ce][bd]CR[be]PL[W]C[10. b1\n".trim_end_matches("\n"));
        assert_eq!(lines[2], "[good\\]]");
        assert_eq!(&lines[3..], [";PL[B]C[11. pass]", ";PL[W]C[12. pass]", ")"]);
    }

    #[test]
    fn variations_are_trees_beside_the_game() {
        let mut record = GameRecord::new(GAME, RecordFormat::SygoList, 1, "fen 5/5/5/5/5 w - 0 1");
        record.plies = plies("c3 a1 +c2");
        record.variations.push(RecordVariation { of: 0, after: 1, plies: plies("e5 +c4") });
        record.variations.push(RecordVariation { of: 0, after: 3, plies: plies("+a2") });
        record.ending = Some(Ending::new(Some(Side::First), EndCause::Resign));
        let text = write(&record).unwrap();
        assert!(text.contains("RE[W+R]"), "{text}");
        let wanted = ";AW[cc]CR[cc]PL[B]C[1. c3]\n(\n;AB[ae]CR[ae]PL[W]C[2. a1]\n;AW[cd]CR[cd]PL[B]C[3. +c2]\n\
                      (\n;AB[ad]CR[ad]PL[W]C[4. +a2]\n)\n)\n(\n;AB[ea]CR[ea]PL[W]C[2. e5]\n\
                      ;AW[cb]CR[cb]PL[B]C[3. +c4]\n)\n)\n";
        assert_eq!(text.split_once('\n').unwrap().1, wanted);
    }

    #[test]
    fn what_is_illegal_is_refused() {
        let mut record = GameRecord::new(GAME, RecordFormat::SygoList, 1, "startpos");
        record.plies = plies("c3 c3");
        assert!(write(&record).is_err());
        record.start = "fen x".into();
        assert!(write(&record).is_err());
    }
}
