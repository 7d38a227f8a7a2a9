//! JSON requests, one object per line: a position, and the requested analysis.
//!
//! ```json
//! {"id": "a", "game": "shogi", "position": "startpos", "moves": ["7g7f"], "nodes": 10000, "multipv": 3}
//! ```

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::lines::guess;
use super::text::lines;
use super::{GameRecord, Item, RecordFault, RecordFormat};
use kaeshi_core::game::Side;
use kaeshi_core::game::end_words::take_end_words;
use kaeshi_core::game::facts::GameInfo;
use kaeshi_core::game::root_report::RootReportRequest;
use kaeshi_engine::games::GameName;

/// The fields of a request beside the position. The command line has the defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestOptions {
    /// Repeated in the answer.
    pub id: Option<String>,
    /// The positions to analyse, by the number of moves made; `None` for the last one.
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
    /// Requests of higher priority are served first, by the service.
    pub priority: i64,
    /// The priority of each of [`RequestOptions::turns`]; empty if `priority` holds for all.
    pub priorities: Vec<i64>,
    /// The turns that are searched.
    pub restriction: Restriction,
    /// Options of the engine for this request, by name.
    pub settings: Vec<(String, String)>,
    /// Seconds between reports of a running search, by the service.
    pub report_every: Option<f64>,
    /// Further values of the position that are reported beside its lines.
    pub root_report: RootReportRequest,
    /// Whether to find all turns that keep the exact value (Reversi).
    pub lossless: bool,
}

impl RequestOptions {
    /// The fields that change an answer beside position and effort, as text; empty if there are none.
    pub fn special(&self) -> String {
        let RequestOptions { restriction, settings, root_report, .. } = self;
        if restriction.is_empty() && settings.is_empty() && root_report.is_empty() {
            return String::new();
        }
        format!("{restriction:?} {settings:?} {root_report:?}\n")
    }
}

/// The turns of a position that are searched; by default all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restriction {
    /// Only these, for either side to move.
    pub only: Vec<String>,
    /// Only these where the side is to move.
    pub allowed: Vec<(Side, Vec<String>)>,
    /// Turns that may not be played, by the side to move.
    pub avoided: Vec<(Side, Vec<String>)>,
}

impl Restriction {
    /// Whether all turns are considered.
    pub fn is_empty(&self) -> bool {
        *self == Restriction::default()
    }

    /// The turns of `legal` that are considered where `side` is to move; `None` for all of them.
    pub fn of(&self, side: Side, legal: &[String]) -> Option<Vec<String>> {
        let of_side = |lists: &[(Side, Vec<String>)]| -> Vec<String> {
            let own = lists.iter().filter(|(player, _)| *player == side);
            own.flat_map(|(_, turns)| turns.iter().cloned()).collect()
        };
        let (allowed, avoided) = (of_side(&self.allowed), of_side(&self.avoided));
        let listed = |list: &[String], turn: &String| list.is_empty() || list.contains(turn);
        let restricted = !(self.only.is_empty() && allowed.is_empty() && avoided.is_empty());
        restricted.then(|| {
            let wanted = |turn: &&String| {
                listed(&self.only, turn) && listed(&allowed, turn) && !avoided.contains(turn)
            };
            legal.iter().filter(wanted).cloned().collect()
        })
    }

    /// The restriction with every turn rewritten by `write`.
    #[must_use]
    pub fn rewritten(&self, write: impl Fn(&str) -> String) -> Restriction {
        let list = |turns: &[String]| turns.iter().map(|turn| write(turn)).collect();
        let lists =
            |lists: &[(Side, Vec<String>)]| lists.iter().map(|(side, turns)| (*side, list(turns))).collect();
        Restriction { only: list(&self.only), allowed: lists(&self.allowed), avoided: lists(&self.avoided) }
    }

    /// All turns that are named.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        let lists = self.allowed.iter().chain(&self.avoided).flat_map(|(_, turns)| turns);
        self.only.iter().chain(lists).map(String::as_str)
    }
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRefusal {
    /// The field that is wrong, where it is known.
    pub field: Option<String>,
    /// The reason.
    pub reason: String,
}

/// Fields of KataGo's analysis engine that Kaeshi does not have, and what to write instead.
const FOREIGN: [(&str, &str); 17] = [
    ("rules", "the rules are those of the game: write \"game\""),
    ("komi", "no game of Kaeshi has a komi"),
    ("whiteHandicapBonus", "no game of Kaeshi has a handicap in points"),
    ("boardXSize", "the size of the board is part of \"position\""),
    ("boardYSize", "the size of the board is part of \"position\""),
    ("initialStones", "the stones on the board are part of \"position\""),
    ("initialPlayer", "the side to move is part of \"position\""),
    ("maxVisits", "write \"nodes\", which counts the nodes of the search"),
    ("rootPolicyTemperature", "the search has no such parameter"),
    ("rootFpuReductionMax", "the search has no such parameter"),
    ("includeOwnershipStdev", "deviations are not reported"),
    ("includeMovesOwnership", "ownership is reported for the whole position: write \"includeOwnership\""),
    ("includeMovesOwnershipStdev", "deviations are not reported"),
    ("includeNoResultValue", "no game of Kaeshi ends without a result"),
    (
        "includePVVisits",
        "visits of a line are not reported: write \"includeCandidates\" for those of each turn",
    ),
    (
        "firstReportDuringSearchAfter",
        "write \"reportDuringSearchEvery\", which counts for the first report, too",
    ),
    ("analysisPVLen", "lines are reported whole"),
];

/// KataGo's `allowMoves` and `avoidMoves`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PlayerMoves {
    player: String,
    moves: Vec<String>,
    until_depth: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RequestLine {
    id: Option<String>,
    game: Option<String>,
    position: Option<String>,
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    moves: RequestMoves,
    analyze_turns: Option<Vec<usize>>,
    nodes: Option<u64>,
    movetime: Option<u64>,
    depth: Option<u16>,
    mate: Option<u64>,
    multipv: Option<usize>,
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    priority: i64,
    priorities: Option<Vec<i64>>,
    report_during_search_every: Option<f64>,
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    search_moves: RequestMoves,
    allow_moves: Option<Vec<PlayerMoves>>,
    avoid_moves: Option<Vec<PlayerMoves>>,
    override_settings: Option<BTreeMap<String, Value>>,
    include_candidates: Option<bool>,
    include_policy: Option<bool>,
    include_ownership: Option<bool>,
    lossless: Option<bool>,
}

/// A list, or one text with blanks.
#[derive(Deserialize)]
#[serde(untagged)]
enum RequestMoves {
    List(Vec<String>),
    Text(String),
}

impl RequestMoves {
    fn list(self) -> Vec<String> {
        match self {
            RequestMoves::List(moves) => moves,
            RequestMoves::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
        }
    }
}

impl Default for RequestMoves {
    fn default() -> RequestMoves {
        RequestMoves::List(Vec::new())
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
/// The reason why it is invalid.
pub fn parse(text: &str, line: usize, game: Option<GameName>) -> Item {
    parse_with_field(text, line, game).map_err(|refusal| RecordFault::new(line, refusal.reason))
}

/// [`parse`] with the field that is wrong.
///
/// # Errors
/// The reason why the request is invalid, and the field.
pub fn parse_with_field(
    text: &str,
    line: usize,
    game: Option<GameName>,
) -> Result<GameRecord, RequestRefusal> {
    // serde would read the elements of a list as the fields in their order.
    if text.trim_start().starts_with('[') {
        let reason = "a request is one line with an object of JSON, not a list".to_owned();
        return Err(RequestRefusal { field: None, reason });
    }
    let mut request: RequestLine = read_fields(text)?;
    let mut moves = std::mem::take(&mut request.moves).list();
    take_end_words(&mut moves);
    let start = request.position.as_deref().unwrap_or("startpos").trim();
    let start = start.strip_prefix("position ").unwrap_or(start).trim();
    let named = match &request.game {
        Some(name) => Some(GameName::parse(name).ok_or_else(|| {
            refusal("game", format!("'{name}' is none of the games: {}", GameName::NAMES.join(" ")))
        })?),
        None => None,
    };
    let words: Vec<&str> = moves.iter().map(String::as_str).collect();
    let game = named.or_else(|| guess(start, &words)).or(game).unwrap_or(GameName::USUAL);
    let mut record = GameRecord::new(game, RecordFormat::Request, line, start);
    for turn in &moves {
        record.push(turn, line, 0).map_err(|fault| refusal("moves", fault.reason))?;
    }
    request.check(moves.len())?;
    let facts = game.facts();
    let restriction = Restriction {
        only: request.search_moves.list(),
        allowed: of_players("allowMoves", request.allow_moves, facts)?,
        avoided: of_players("avoidMoves", request.avoid_moves, facts)?,
    };
    let settings = option_values(request.override_settings.unwrap_or_default())?;
    let root_report = RootReportRequest {
        candidates: request.include_candidates == Some(true),
        policy: request.include_policy == Some(true),
        ownership: request.include_ownership == Some(true),
    };
    let lossless = request.lossless == Some(true);
    check_features(root_report, lossless, facts)?;
    record.requested = Some(Box::new(RequestOptions {
        id: request.id,
        turns: request.analyze_turns,
        nodes: request.nodes,
        movetime: request.movetime,
        depth: request.depth,
        mate: request.mate,
        multipv: request.multipv,
        priority: request.priority,
        priorities: request.priorities.unwrap_or_default(),
        restriction,
        settings,
        report_every: request.report_during_search_every,
        root_report,
        lossless,
    }));
    Ok(record)
}

fn refusal(field: &str, reason: impl Into<String>) -> RequestRefusal {
    RequestRefusal { field: Some(field.to_owned()), reason: reason.into() }
}

impl RequestLine {
    /// Checks the fields that do not depend on the game, for a game of `moves` moves.
    fn check(&self, moves: usize) -> Result<(), RequestRefusal> {
        if let Some(turn) = self.analyze_turns.iter().flatten().find(|&&turn| turn > moves) {
            return Err(refusal(
                "analyzeTurns",
                format!("analyzeTurns has {turn}, but there are {moves} moves"),
            ));
        }
        if self.analyze_turns.as_ref().is_some_and(Vec::is_empty) {
            return Err(refusal("analyzeTurns", "analyzeTurns names no position"));
        }
        let mut seen = HashSet::new();
        if let Some(turn) = self.analyze_turns.iter().flatten().find(|&&turn| !seen.insert(turn)) {
            return Err(refusal("analyzeTurns", format!("analyzeTurns has {turn} more than once")));
        }
        let limits = [
            ("nodes", self.nodes),
            ("movetime", self.movetime),
            ("depth", self.depth.map(u64::from)),
            ("mate", self.mate),
        ];
        let positive = [("multipv", self.multipv.map(|lines| lines as u64))].into_iter().chain(limits);
        for (name, value) in positive {
            if value == Some(0) {
                return Err(refusal(name, format!("{name} must be at least 1")));
            }
        }
        let mut given = limits.iter().filter(|(_, limit)| limit.is_some());
        if let (Some((first, _)), Some((second, _))) = (given.next(), given.next()) {
            return Err(refusal(second, format!("{second}: a search has one limit, and {first} is one")));
        }
        if self.report_during_search_every.is_some_and(|seconds| !(0.001..=1e6).contains(&seconds)) {
            let reason = "reportDuringSearchEvery must be from 0.001 to 1000000 seconds";
            return Err(refusal("reportDuringSearchEvery", reason));
        }
        let priorities = self.priorities.as_deref().unwrap_or_default();
        let positions = self.analyze_turns.as_ref().map_or(1, Vec::len);
        if !priorities.is_empty() && priorities.len() != positions {
            let reason = format!("priorities has {} numbers for {positions} positions", priorities.len());
            return Err(refusal("priorities", reason));
        }
        if self.allow_moves.as_ref().is_some_and(|lists| lists.len() > 1) {
            return Err(refusal("allowMoves", "allowMoves has more than one list"));
        }
        Ok(())
    }
}

/// The values of `overrideSettings` as `setoption` takes them.
fn option_values(values: BTreeMap<String, Value>) -> Result<Vec<(String, String)>, RequestRefusal> {
    let text = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok((name, text)),
        Value::Bool(_) | Value::Number(_) => Ok((name, value.to_string())),
        _ => Err(refusal("overrideSettings", format!("the value of '{name}' is no text or number"))),
    };
    values.into_iter().map(text).collect()
}

/// Checks that the engine of the game supports the requested reports.
fn check_features(
    root_report: RootReportRequest,
    lossless: bool,
    facts: &GameInfo,
) -> Result<(), RequestRefusal> {
    if !facts.search.point_estimates {
        let wanted = [("includePolicy", root_report.policy), ("includeOwnership", root_report.ownership)];
        if let Some((field, _)) = wanted.iter().find(|(_, is_wanted)| *is_wanted) {
            let reason = format!("{field}: the evaluation of {} has no such values", facts.name);
            return Err(refusal(field, reason));
        }
    }
    if lossless && !facts.search.lossless_turns {
        return Err(refusal("lossless", format!("lossless: {} has no such search", facts.name)));
    }
    Ok(())
}

/// The fields of a request.
fn read_fields(text: &str) -> Result<RequestLine, RequestRefusal> {
    let error = match serde_json::from_str::<RequestLine>(text) {
        Ok(request) => return Ok(request),
        Err(error) => error,
    };
    let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(text) else {
        return Err(RequestRefusal { field: None, reason: error.to_string() });
    };
    // A field that requests nothing is no reason to refuse.
    fields.retain(|name, value| {
        !(matches!(value, Value::Null | Value::Bool(false)) && FOREIGN.iter().any(|(known, _)| known == name))
    });
    let mut foreign = FOREIGN.iter().filter(|(known, _)| fields.contains_key(*known));
    if let Some((field, reason)) = foreign.next() {
        let others: Vec<&str> = foreign.map(|(other, _)| *other).collect();
        let also = if others.is_empty() { String::new() } else { format!("; also {}", others.join(", ")) };
        return Err(RequestRefusal {
            field: Some((*field).to_owned()),
            reason: format!("{field}: {reason}{also}"),
        });
    }
    let is_wrong = |(name, value): (&String, &Value)| {
        let alone = Map::from_iter([(name.clone(), value.clone())]);
        serde_json::from_value::<RequestLine>(Value::Object(alone)).is_err().then(|| name.clone())
    };
    match fields.iter().find_map(is_wrong) {
        Some(field) => {
            let pairs = field == "moves" && fields.get("moves").is_some_and(Value::is_array);
            let reason = if pairs {
                "moves: write turns as the game writes them, as in [\"c3\", \"+d4,e5\"], without players"
                    .to_owned()
            } else {
                error.to_string()
            };
            Err(RequestRefusal { field: Some(field), reason })
        }
        None => serde_json::from_value(Value::Object(fields))
            .map_err(|error| RequestRefusal { field: None, reason: error.to_string() }),
    }
}

/// Lists of turns by the side that they are meant for.
fn of_players(
    field: &str,
    lists: Option<Vec<PlayerMoves>>,
    facts: &GameInfo,
) -> Result<Vec<(Side, Vec<String>)>, RequestRefusal> {
    let refuse = |reason: String| RequestRefusal { field: Some(field.to_owned()), reason };
    let mut found = Vec::new();
    for list in lists.unwrap_or_default() {
        let side = Side::BOTH.into_iter().find(|side| {
            let colour = facts.colour(*side);
            let letter = colour.get(..1).unwrap_or_default();
            [colour, letter].iter().any(|name| name.eq_ignore_ascii_case(&list.player))
        });
        let side = side.ok_or_else(|| refuse(format!("{field}: player '{}' is not B or W", list.player)))?;
        if list.until_depth != 1 {
            return Err(refuse(format!("{field}: untilDepth must be 1: turns are chosen at the root only")));
        }
        if list.moves.is_empty() {
            return Err(refuse(format!("{field} has a list without moves")));
        }
        found.push((side, list.moves));
    }
    Ok(found)
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
        let requested = record.requested.unwrap();
        assert_eq!(requested.turns, Some(vec![0, 2]));
        assert_eq!((requested.nodes, requested.multipv, requested.priority), (Some(500), Some(3), -1));
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
            (r#"{"moves":["7g7f"],"analyzeTurns":[]}"#, "no position"),
            (r#"{"moves":["7g7f"],"analyzeTurns":[1,0,1]}"#, "has 1 more than once"),
            (r#"["a","shogi","startpos"]"#, "not a list"),
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
    fn the_field_that_is_wrong_is_named() {
        for (text, field, reason) in [
            (r#"{"rules":"tromp-taylor","moves":[]}"#, "rules", "those of the game"),
            (r#"{"boardXSize":9,"boardYSize":9}"#, "boardXSize", "part of \"position\"; also boardYSize"),
            (r#"{"maxVisits":100}"#, "maxVisits", "nodes"),
            (r#"{"includeOwnership":true}"#, "includeOwnership", "shogi has no such values"),
            (r#"{"game":"reversi","includePolicy":true}"#, "includePolicy", "reversi has no"),
            (r#"{"lossless":true}"#, "lossless", "shogi has no"),
            (r#"{"game":"sygo","includeMovesOwnership":true}"#, "includeMovesOwnership", "includeOwnership"),
            (r#"{"game":"sygo","moves":[["W","C3"]]}"#, "moves", "without players"),
            (r#"{"nodes":"many"}"#, "nodes", "many"),
            (r#"{"node":1}"#, "node", "unknown field"),
            (r#"{"nodes":0}"#, "nodes", "at least 1"),
            (r#"{"mate":9,"nodes":9}"#, "mate", "nodes is one"),
            (r#"{"moves":["7g7f"],"analyzeTurns":[0,1],"priorities":[1]}"#, "priorities", "2 positions"),
            (r#"{"avoidMoves":[{"player":"B","moves":["7g7f"],"untilDepth":3}]}"#, "avoidMoves", "must be 1"),
            (r#"{"avoidMoves":[{"player":"R","moves":["7g7f"],"untilDepth":1}]}"#, "avoidMoves", "'R'"),
            (r#"{"overrideSettings":{"SkillLevel":[1]}}"#, "overrideSettings", "SkillLevel"),
        ] {
            let refusal = parse_with_field(text, 1, None).unwrap_err();
            assert_eq!(refusal.field.as_deref(), Some(field), "{text}");
            assert!(refusal.reason.contains(reason), "{text}: {}", refusal.reason);
        }
        assert_eq!(parse_with_field("{", 1, None).unwrap_err().field, None);
        let same = r#"{"includeOwnership":false,"komi":null}"#;
        assert_eq!(parse(same, 1, None).unwrap(), parse("{}", 1, None).unwrap());
    }

    #[test]
    fn turns_are_allowed_and_avoided_for_one_side() {
        let text = r#"{"moves":["7g7f"],"searchMoves":"2g2f 7g7f 5g5f",
            "allowMoves":[{"player":"B","moves":["2g2f","5g5f"],"untilDepth":1}],
            "avoidMoves":[{"player":"black","moves":["5g5f"],"untilDepth":1}],
            "overrideSettings":{"SkillLevel":3,"A":"b","C":true}}"#;
        let requested = parse(text, 1, None).unwrap().requested.unwrap();
        let legal = ["1g1f", "2g2f", "5g5f", "7g7f"].map(str::to_owned);
        assert_eq!(requested.restriction.of(Side::First, &legal).unwrap(), ["2g2f"]);
        assert_eq!(requested.restriction.of(Side::Second, &legal).unwrap(), ["2g2f", "5g5f", "7g7f"]);
        assert_eq!(requested.restriction.named().count(), 6);
        assert_eq!(Restriction::default().of(Side::First, &legal), None);
        let settings: Vec<String> =
            requested.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(settings, ["A=b", "C=true", "SkillLevel=3"]);
    }

    #[test]
    fn limits_reach_from_their_least_value() {
        let requested = |text: &str| *parse(text, 1, None).unwrap().requested.unwrap();
        let all =
            |limits: RequestOptions| RequestOptions { multipv: Some(1), report_every: Some(0.001), ..limits };
        for (field, wanted) in [
            ("nodes", RequestOptions { nodes: Some(1), ..RequestOptions::default() }),
            ("movetime", RequestOptions { movetime: Some(1), ..RequestOptions::default() }),
            ("depth", RequestOptions { depth: Some(1), ..RequestOptions::default() }),
            ("mate", RequestOptions { mate: Some(1), ..RequestOptions::default() }),
        ] {
            let text = format!(r#"{{"{field}":1,"multipv":1,"reportDuringSearchEvery":0.001}}"#);
            assert_eq!(requested(&text), all(wanted));
        }
        for field in ["nodes", "movetime", "depth", "mate", "multipv"] {
            let fault = parse(&format!(r#"{{"{field}":0}}"#), 1, None).unwrap_err();
            assert_eq!(fault.reason, format!("{field} must be at least 1"));
        }
        assert!(parse(r#"{"reportDuringSearchEvery":1000001}"#, 1, None).is_err());
        assert_eq!(requested(r#"{"moves":["7g7f"],"analyzeTurns":[1]}"#).turns, Some(vec![1]));
        assert!(parse("{\"moves\":\n[}", 7, None).is_err_and(|fault| fault.line == 7));
        assert_eq!(
            read("\n{\"position\":\"position startpos\"}\n", None)[0].as_ref().unwrap().start,
            "startpos"
        );
    }
}
