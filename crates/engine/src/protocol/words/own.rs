//! The words without any crate.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use super::{abbreviated, nodes_per_second, or_empty};
use crate::protocol::ProtocolCommand;
use kaeshi_core::driver::event::Info;
use kaeshi_core::game::GameError;
use kaeshi_core::game::options::OptionKind;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::Bound;

/// The characters that separate words.
const BLANKS: [char; 2] = [' ', '\t'];

/// `id name …`.
pub fn id_name(name: &str) -> String {
    format!("id name {name}")
}

/// `id author …`.
pub fn id_author(author: &str) -> String {
    format!("id author {author}")
}

/// `readyok`.
pub fn ready_ok() -> String {
    "readyok".to_owned()
}

/// `info string …` of a text that is one line.
pub fn info_string(text: &str) -> String {
    format!("info string {text}")
}

/// `option name … type …`; empty texts are shown as `<empty>`.
pub fn option(name: &str, kind: &OptionKind) -> String {
    let of_type = match kind {
        OptionKind::Check(default) => format!("check default {default}"),
        OptionKind::Spin(default, range) => {
            format!("spin default {default} min {} max {}", range.start(), range.end())
        }
        OptionKind::Combo(default, choices) => {
            let choices: String = choices.iter().map(|choice| format!(" var {choice}")).collect();
            format!("combo default {default}{choices}")
        }
        OptionKind::Text(default) => format!("string default {}", or_empty(default)),
        OptionKind::File(default) => format!("filename default {}", or_empty(default)),
        OptionKind::Button => "button".to_owned(),
    };
    format!("option name {name} type {of_type}")
}

/// `info depth … pv …`, tokens in the order that all clients read, `pv` last.
pub fn info(info: &Info) -> String {
    let mut line = format!("info depth {} seldepth {}", info.depth, info.seldepth);
    if info.lines > 1 {
        line += &format!(" multipv {}", info.multipv);
    }
    let milliseconds = i64::try_from(info.time.as_millis()).unwrap_or(i64::MAX);
    line += &format!(
        " score {} nodes {} nps {} hashfull {} time {milliseconds}",
        score(info.score, info.bound),
        info.nodes,
        nodes_per_second(info.nodes, info.time),
        info.hashfull
    );
    if !info.pv.is_empty() {
        line += &format!(" pv {}", info.pv.join(" "));
    }
    line
}

/// Mates are counted in plies. To be mated now is `mate -0`: GUIs read `mate 0` as a win.
fn score(score: Score, bound: Bound) -> String {
    let bound = match bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    };
    match score {
        Score::Cp(value) | Score::Exact(value) => format!("cp {value}{bound}"),
        Score::MateIn(plies) => format!("mate {plies}{bound}"),
        Score::MatedIn(plies) => format!("mate -{plies}{bound}"),
    }
}

/// Reads `isready`, `setoption`, `stop`, `ponderhit` without times, `quit` and `debug`; `None`
/// for a line that begins with any other word.
pub fn parse_shared(line: &str) -> Option<Result<ProtocolCommand, GameError>> {
    let mut tokens = line.split_whitespace();
    let refused = || GameError::command(format!("cannot read '{}'", abbreviated(line)));
    Some(match tokens.next()? {
        "isready" => Ok(ProtocolCommand::IsReady),
        "stop" => Ok(ProtocolCommand::Stop),
        "quit" => Ok(ProtocolCommand::Quit),
        "ponderhit" if tokens.next().is_none() => Ok(ProtocolCommand::PonderHit(None)),
        "setoption" => set_option(&line.trim().replace(['\r', '\n'], " ")).ok_or_else(refused),
        "debug" => {
            let switch = tokens.next().unwrap_or_default().to_ascii_lowercase();
            if matches!(&*switch, "on" | "off") { Ok(ProtocolCommand::Nothing) } else { Err(refused()) }
        }
        _ => return None,
    })
}

/// Reads `setoption name NAME value VALUE`; blanks inside NAME and VALUE are kept.
fn set_option(line: &str) -> Option<ProtocolCommand> {
    let (_, rest) = first_word(line);
    let (name, text) = first_word(rest);
    if !name.eq_ignore_ascii_case("name") {
        return None;
    }
    let (mut rest, mut value) = (text, "");
    let mut end = text.len();
    while !rest.is_empty() {
        let (word, behind) = first_word(rest);
        if word.eq_ignore_ascii_case("value") {
            (end, value) = (text.len() - rest.len(), behind);
            break;
        }
        rest = behind;
    }
    let name = text.get(..end)?.trim_end_matches(BLANKS);
    (!name.is_empty()).then(|| ProtocolCommand::SetOption { name: name.to_owned(), value: value.to_owned() })
}

/// The first word of a text, and what stands behind it and its blanks.
fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_at(text.find(BLANKS).unwrap_or(text.len()));
    (word, rest.trim_start_matches(BLANKS))
}
