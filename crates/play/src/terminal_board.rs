//! The board as text, for `kaeshi play --terminal`.

use kaeshi_system::output::Stdout;
use serde_json::Value;

/// How a board is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BoardStyle {
    /// Pieces of shogi as kanji, those of the second player behind a `v`.
    pub kanji: bool,
    /// Colours by ANSI sequences.
    pub colour: bool,
}

impl BoardStyle {
    /// With colours on a terminal, unless `NO_COLOR` is set (no-color.org) or the terminal is a dumb one.
    pub(super) fn of_terminal(kanji: bool) -> BoardStyle {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        BoardStyle { kanji, colour: Stdout.is_terminal() && !is_set("NO_COLOR") && !dumb }
    }
}

/// The last turn.
const LAST: char = '*';
/// A square where a disc or stone may be placed.
const OPEN: char = '+';
/// ANSI sequences: inverted, green, and back.
const INVERTED: &str = "\x1b[7m";
const GREEN: &str = "\x1b[32m";
const PLAIN: &str = "\x1b[0m";

/// Kanji of pieces by their letter of SFEN.
const KANJI: [(&str, &str); 14] = [
    ("K", "玉"),
    ("R", "飛"),
    ("B", "角"),
    ("G", "金"),
    ("S", "銀"),
    ("N", "桂"),
    ("L", "香"),
    ("P", "歩"),
    ("+R", "龍"),
    ("+B", "馬"),
    ("+S", "全"),
    ("+N", "圭"),
    ("+L", "杏"),
    ("+P", "と"),
];
const RANKS: [&str; 9] = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];

fn kanji(kind: &str) -> &str {
    KANJI.iter().find(|(letter, _)| *letter == kind).map_or("？", |(_, sign)| sign)
}

/// The board of a state with the names of rows and columns, the last turn, the destinations of drops and placements,
/// and the pieces in hand.
pub(super) fn board(state: &Value, style: BoardStyle) -> String {
    let picture = &state["picture"];
    let size = |name: &str| picture[name].as_u64().unwrap_or(0) as usize;
    let (columns, rows) = (size("columns"), size("rows"));
    let pieces = picture["style"] == "pieces";
    let style = BoardStyle { kanji: style.kanji && pieces, ..style };
    let name = |index: usize| picture["names"][index].as_str().unwrap_or_default();
    let touched: Vec<&str> =
        state["last"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let open = open_squares(state);
    let mut text = String::new();
    if pieces {
        text += &format!("White holds: {}\n", hand(&picture["hands"][1], style));
    }
    let letter = |name: &str| name.chars().next().map_or(String::new(), |letter| letter.to_string());
    let width = if style.kanji { 4 } else { 3 };
    let head: String = (0..columns).map(|column| format!("{:>width$}", letter(name(column)))).collect();
    text += &format!("  {head}\n");
    for row in 0..rows {
        let cells: String = (0..columns)
            .map(|column| {
                let index = row * columns + column;
                let square = name(index);
                let mark = match () {
                    () if touched.contains(&square) => LAST,
                    () if open.contains(&square) => OPEN,
                    () => ' ',
                };
                cell(&picture["cells"][index], picture, mark, style)
            })
            .collect();
        let label = match RANKS.get(row) {
            Some(rank) if style.kanji => (*rank).to_owned(),
            _ => format!("{:>2}", name(row * columns).get(1..).unwrap_or_default()),
        };
        text += &format!("{label}{cells}\n");
    }
    if pieces {
        text += &format!("Black holds: {}\n", hand(&picture["hands"][0], style));
    } else if let Some([first, second]) = picture["counts"].as_array().map(Vec::as_slice) {
        let names = if picture["style"] == "discs" { ["Black X", "White O"] } else { ["White O", "Black X"] };
        text += &format!("{} {first}, {} {second}\n", names[0], names[1]);
    }
    text
}

/// Squares where a turn may end that begins nowhere: a disc, a stone.
fn open_squares(state: &Value) -> Vec<&str> {
    let placed = state["choices"].as_array().into_iter().flatten();
    let placed = placed.filter(|choice| choice["from"].is_null()).filter_map(|choice| choice["to"].as_str());
    let points = state["draft"]["points"].as_object().into_iter().flatten();
    let grown = points.filter(|(_, kind)| *kind == "grow").map(|(point, _)| point.as_str());
    placed.chain(grown).collect()
}

/// A cell with its mark, as wide as every other one.
fn cell(man: &Value, picture: &Value, mark: char, style: BoardStyle) -> String {
    let first = man["side"] == "first";
    let kind = man["kind"].as_str().unwrap_or_default();
    let sign = match (man["side"].as_str(), style.kanji) {
        (None, true) => " ・".to_owned(),
        (Some(_), true) => format!("{}{}", if first { ' ' } else { 'v' }, kanji(kind)),
        (None, false) => " .".to_owned(),
        (Some(_), false) if picture["style"] == "pieces" => {
            format!("{:>2}", if first { kind.to_owned() } else { kind.to_ascii_lowercase() })
        }
        // Black is X and White is O.
        (Some(_), false) => (if first == (picture["style"] == "discs") { " X" } else { " O" }).to_owned(),
    };
    match (style.colour, mark) {
        (true, LAST) => format!(" {INVERTED}{sign}{PLAIN}"),
        (true, OPEN) => format!(" {GREEN}{sign}{PLAIN}"),
        _ => format!("{mark}{sign}"),
    }
}

fn hand(held: &Value, style: BoardStyle) -> String {
    let held: Vec<String> = held
        .as_array()
        .into_iter()
        .flatten()
        .map(|held| {
            let kind = held["kind"].as_str().unwrap_or_default();
            if style.kanji {
                format!("{}{}", kanji(kind), held["count"])
            } else {
                format!("{kind}x{}", held["count"])
            }
        })
        .collect();
    held.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(style: &str, cells: [Value; 4], names: [&str; 4], hand: Value) -> Value {
        serde_json::json!({
            "picture": { "style": style, "columns": 2, "rows": 2, "names": names, "cells": cells,
                "hands": [hand, []], "counts": [1, 1] },
            "last": [names[1]],
            "choices": [{ "from": null, "to": names[3], "turns": [names[3]] }, { "from": "1a", "to": names[2] }],
        })
    }

    #[test]
    fn marks_show_the_last_turn_and_where_a_disc_may_be_placed() {
        let disc = |side: &str| serde_json::json!({ "side": side, "kind": "" });
        let state = state(
            "discs",
            [disc("first"), disc("second"), Value::Null, Value::Null],
            ["a1", "b1", "a2", "b2"],
            Value::Null,
        );
        let plain = board(&state, BoardStyle::default());
        assert_eq!(plain, "    a  b\n 1  X* O\n 2  .+ .\nBlack X 1, White O 1\n");
        let coloured = board(&state, BoardStyle { colour: true, kanji: true });
        assert!(
            coloured.contains("\x1b[7m O\x1b[0m") && coloured.contains("\x1b[32m .\x1b[0m"),
            "{coloured}"
        );
    }

    #[test]
    fn pieces_are_letters_or_kanji_in_columns_of_one_width() {
        let man = |side: &str, kind: &str| serde_json::json!({ "side": side, "kind": kind });
        let cells = [man("second", "+P"), man("first", "K"), Value::Null, man("first", "R")];
        let held = serde_json::json!([{ "kind": "P", "count": 3 }]);
        let state = state("pieces", cells, ["2a", "1a", "2b", "1b"], held);
        let letters = board(&state, BoardStyle::default());
        assert_eq!(letters, "White holds: \n    2  1\n a +p* K\n b  .+ R\nBlack holds: Px3\n");
        let kanji = board(&state, BoardStyle { kanji: true, colour: false });
        assert_eq!(kanji, "White holds: \n     2   1\n一 vと* 玉\n二  ・+ 飛\nBlack holds: 歩3\n");
    }
}
