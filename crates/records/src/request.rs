//! JSON requests, one object per line: a position, and what is wanted of it.
//!
//! ```json
//! {"id": "a", "game": "shogi", "position": "startpos", "moves": ["7g7f"], "nodes": 10000, "multipv": 3}
//! ```

use serde::Deserialize;

use super::lines::guess;
use super::text::lines;
use super::{Fault, Form, Item, Record};
use kaeshi_core::game::end_words::take_end_words;
use kaeshi_engine::games::GameName;

/// What a request asks for beyond the position. Everything unsaid is as the command line has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// Comes back with the answer.
    pub id: Option<String>,
    /// Which positions along the moves, by the number of moves made; the last one if unsaid.
    pub turns: Option<Vec<usize>>,
    /// Node limit.
    pub nodes: Option<u64>,
    /// Milliseconds.
    pub movetime: Option<u64>,
    /// Depth limit.
    pub depth: Option<u16>,
    /// Milliseconds for a search for mate.
    pub mate: Option<u64>,
    /// Lines wanted.
    pub multipv: Option<usize>,
    /// Higher ones are served first, by the service.
    pub priority: i64,
    /// Seconds between reports of a running search, by the service.
    pub report_every: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Request {
    id: Option<String>,
    game: Option<String>,
    position: Option<String>,
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    moves: Moves,
    analyze_turns: Option<Vec<usize>>,
    nodes: Option<u64>,
    movetime: Option<u64>,
    depth: Option<u16>,
    mate: Option<u64>,
    multipv: Option<usize>,
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    priority: i64,
    report_during_search_every: Option<f64>,
}

/// A list, or one text with blanks.
#[derive(Deserialize)]
#[serde(untagged)]
enum Moves {
    List(Vec<String>),
    Text(String),
}

impl Default for Moves {
    fn default() -> Moves {
        Moves::List(Vec::new())
    }
}

/// Reads a request per line.
pub fn read(text: &str, game: Option<GameName>) -> Vec<Item> {
    lines(text)
        .filter(|line| !line.text.trim().is_empty())
        .map(|line| parse(line.text, line.number, game))
        .collect()
}

/// Reads one request.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str, line: usize, game: Option<GameName>) -> Item {
    let refuse = |reason: String| Fault::new(line, reason);
    let request: Request = serde_json::from_str(text).map_err(|error| refuse(error.to_string()))?;
    let mut moves: Vec<String> = match request.moves {
        Moves::List(moves) => moves,
        Moves::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
    };
    take_end_words(&mut moves);
    let start = request.position.as_deref().unwrap_or("startpos").trim();
    let start = start.strip_prefix("position ").unwrap_or(start).trim();
    let remarks = match &request.game {
        Some(name) => Some(GameName::parse(name).ok_or_else(|| {
            refuse(format!("'{name}' is none of the games: {}", GameName::NAMES.join(" ")))
        })?),
        None => None,
    };
    let words: Vec<&str> = moves.iter().map(String::as_str).collect();
    let game = remarks.or_else(|| guess(start, &words)).or(game).unwrap_or(GameName::USUAL);
    let mut record = Record::new(game, Form::Request, line, start);
    for turn in &moves {
        record.push(turn, line, 0)?;
    }
    if let Some(turn) = request.analyze_turns.iter().flatten().find(|&&turn| turn > moves.len()) {
        return Err(refuse(format!("analyzeTurns has {turn}, but there are {} moves", moves.len())));
    }
    let positive = |name: &str, value: Option<u64>| match value {
        Some(0) => Err(refuse(format!("{name} must be at least 1"))),
        _ => Ok(value),
    };
    positive("multipv", request.multipv.map(|lines| lines as u64))?;
    if request.report_during_search_every.is_some_and(|seconds| !(0.001..=1e6).contains(&seconds)) {
        return Err(refuse("reportDuringSearchEvery must be from 0.001 to 1000000 seconds".to_owned()));
    }
    record.wishes = Some(Box::new(Wishes {
        id: request.id,
        turns: request.analyze_turns,
        nodes: positive("nodes", request.nodes)?,
        movetime: positive("movetime", request.movetime)?,
        depth: positive("depth", request.depth.map(u64::from)).map(|_| request.depth)?,
        mate: positive("mate", request.mate)?,
        multipv: request.multipv,
        priority: request.priority,
        report_every: request.report_during_search_every,
    }));
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_what_is_wanted() {
        let record = parse(
            r#"{"id":"a","moves":"7g7f 3c3d","analyzeTurns":[0,2],"nodes":500,"multipv":3,"priority":-1}"#,
            4,
            None,
        )
        .unwrap();
        assert_eq!((record.game, record.plies.len(), record.line), (GameName::Shogi, 2, 4));
        let wishes = record.wishes.unwrap();
        assert_eq!(wishes.turns, Some(vec![0, 2]));
        assert_eq!((wishes.nodes, wishes.multipv, wishes.priority), (Some(500), Some(3), -1));
        let nulls = r#"{"id":null,"game":null,"position":null,"moves":null,"analyzeTurns":null,"nodes":null,"movetime":null,
            "depth":null,"mate":null,"multipv":null,"priority":null,"reportDuringSearchEvery":null}"#;
        assert_eq!(parse(nulls, 1, None).unwrap(), parse("{}", 1, None).unwrap());
        assert_eq!(parse(r#"{"moves":"7g7f resign"}"#, 1, None).unwrap().plies.len(), 1);
        let sygo = parse(r#"{"game":"Sygo","moves":["d4","q16"]}"#, 1, None).unwrap();
        assert_eq!(sygo.game, GameName::Sygo);
        let remarks = parse(r#"{"moves":["f5"]}"#, 1, Some(GameName::Reversi)).unwrap();
        assert_eq!(remarks.game, GameName::Reversi);
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line() {
        for (text, reason) in [
            ("{", "EOF"),
            (r#"{"node":1}"#, "unknown field `node`"),
            (r#"{"nodes":-1}"#, "-1"),
            (r#"{"nodes":0}"#, "at least 1"),
            (r#"{"game":"go"}"#, "'go'"),
            (r#"{"moves":["7g7f"],"analyzeTurns":[2]}"#, "1 moves"),
            (r#"{"reportDuringSearchEvery":0}"#, "from 0.001"),
        ] {
            let fault = parse(text, 9, None).unwrap_err();
            assert_eq!(fault.line, 9);
            assert!(fault.reason.contains(reason), "{text}: {fault}");
        }
        let items = read("{\"nodes\":1}\n\n{\"nodes\":x}\n", None);
        assert!(items[0].is_ok() && items[1].as_ref().is_err_and(|fault| fault.line == 3));
    }

    #[test]
    fn limits_reach_from_their_least_value() {
        let wishes = |text: &str| *parse(text, 1, None).unwrap().wishes.unwrap();
        let all = wishes(
            r#"{"nodes":1,"movetime":1,"depth":1,"mate":1,"multipv":1,"reportDuringSearchEvery":0.001}"#,
        );
        let wanted = Wishes {
            nodes: Some(1),
            movetime: Some(1),
            depth: Some(1),
            mate: Some(1),
            multipv: Some(1),
            report_every: Some(0.001),
            ..Wishes::default()
        };
        assert_eq!(all, wanted);
        for field in ["nodes", "movetime", "depth", "mate", "multipv"] {
            let fault = parse(&format!(r#"{{"{field}":0}}"#), 1, None).unwrap_err();
            assert_eq!(fault.reason, format!("{field} must be at least 1"));
        }
        assert!(parse(r#"{"reportDuringSearchEvery":1000001}"#, 1, None).is_err());
        assert_eq!(wishes(r#"{"moves":["7g7f"],"analyzeTurns":[1]}"#).turns, Some(vec![1]));
        assert!(parse("{\"moves\":\n[}", 7, None).is_err_and(|fault| fault.line == 7));
        assert_eq!(
            read("\n{\"position\":\"position startpos\"}\n", None)[0].as_ref().unwrap().start,
            "startpos"
        );
    }
}
