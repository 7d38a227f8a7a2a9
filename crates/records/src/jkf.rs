//! JKF, the JSON form of shogi records: <https://github.com/na2hiro/Kifu-for-JS>.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::csa::{self, piece};
use super::setup::{self, SfenPiece, ShogiSetup};
use super::{GameRecord, Item, RecordFault, RecordFormat, RecordPly, clock, kif, shogi_line};
use kaeshi_core::game::{GameError, Side};
use kaeshi_engine::games::GameName;
use kaeshi_shogi::rules::japanese::{self, HAND};
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::types::{Move, PieceKind, Square as On};

/// The only game of this form.
pub const GAME: GameName = GameName::Shogi;

#[derive(Deserialize)]
struct Jkf {
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    header: BTreeMap<String, Option<String>>,
    initial: Option<Initial>,
    moves: Vec<Option<JkfMove>>,
}

#[derive(Deserialize)]
struct Initial {
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    preset: String,
    data: Option<JkfState>,
}

#[derive(Deserialize)]
struct JkfState {
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    color: u8,
    board: Vec<Vec<Option<JkfSquare>>>,
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    hands: Vec<Option<BTreeMap<String, Option<u8>>>>,
}

#[derive(Deserialize)]
struct JkfSquare {
    color: Option<u8>,
    kind: Option<String>,
}

#[derive(Default, Deserialize)]
struct JkfMove {
    #[serde(rename = "move")]
    made: Option<Made>,
    special: Option<String>,
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    comments: Vec<Option<String>>,
    time: Option<Time>,
    /// Lines that take the place of this step and those after it.
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    forks: Vec<Option<Vec<Option<JkfMove>>>>,
}

#[derive(Deserialize)]
struct Time {
    now: Option<Span>,
}

#[derive(Deserialize)]
struct Span {
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    h: u64,
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    m: u64,
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    s: f64,
}

impl Span {
    /// Microseconds; `None` beyond every game.
    fn used_us(&self) -> Option<u64> {
        let minutes = self.h.checked_mul(60)?.checked_add(self.m)?;
        clock::microseconds(&self.s.to_string())?.checked_add(minutes.checked_mul(60_000_000)?)
    }
}

impl JkfMove {
    fn used_us(&self) -> Option<u64> {
        self.time.as_ref()?.now.as_ref()?.used_us()
    }

    /// Comments on the last turn of a line, or on the start or the end of the game.
    fn read_comments(&self, record: &mut GameRecord, line: usize) {
        for comment in self.comments.iter().flatten() {
            kif::read_comment(record, line, comment);
        }
    }
}

#[derive(Deserialize)]
struct Made {
    from: Option<JkfPlace>,
    to: Option<JkfPlace>,
    piece: String,
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    promote: bool,
}

#[derive(Clone, Copy, Deserialize)]
struct JkfPlace {
    x: u8,
    y: u8,
}

/// Names of start positions with those of KIF.
const PRESETS: [(&str, &str); 16] = [
    ("HIRATE", "平手"),
    ("KY", "香落ち"),
    ("KY_R", "右香落ち"),
    ("KA", "角落ち"),
    ("HI", "飛車落ち"),
    ("HIKY", "飛香落ち"),
    ("2", "二枚落ち"),
    ("3", "三枚落ち"),
    ("4", "四枚落ち"),
    ("5", "五枚落ち"),
    ("5_L", "左五枚落ち"),
    ("6", "六枚落ち"),
    ("7_L", "左七枚落ち"),
    ("7_R", "右七枚落ち"),
    ("8", "八枚落ち"),
    ("10", "十枚落ち"),
];

/// Whether a text that begins with `{` is one JKF record.
pub fn is_jkf(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Probe {
        moves: Vec<Option<Map<String, Value>>>,
    }
    serde_json::from_str::<Probe>(text).is_ok_and(|probe| !probe.moves.is_empty())
}

/// Reads a JKF text.
///
/// # Errors
/// If it is not JKF, or its start position is unknown.
pub fn read(text: &str) -> Item {
    let jkf: Jkf =
        serde_json::from_str(text).map_err(|error| RecordFault::new(error.line(), error.to_string()))?;
    let start = match jkf.initial {
        None => ShogiSetup::even(),
        Some(initial) => start(&initial).map_err(|reason| RecordFault::new(1, reason))?,
    };
    let mut record = GameRecord::new(GAME, RecordFormat::Jkf, 1, start.text());
    record.tags = jkf.header.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
    record.fault = read_line(&mut record, 0, &jkf.moves, &mut Vec::new()).err();
    kif::take_headings(&mut record);
    Ok(record)
}

/// Reads the steps of a line, then those that leave it. `path` has the destinations of all moves before it, and
/// is left as it was.
fn read_line(
    record: &mut GameRecord,
    line: usize,
    steps: &[Option<JkfMove>],
    path: &mut Vec<(u8, u8)>,
) -> Result<(), RecordFault> {
    let after = path.len();
    let mut forks = Vec::new();
    let mut ended = false;
    for (index, step) in steps.iter().enumerate() {
        let Some(step) = step else { continue };
        forks.extend(step.forks.iter().flatten().map(|fork| (path.len(), fork)));
        if ended {
            if step.made.is_some() {
                return Err(RecordFault::new(1, format!("moves[{index}]: a move after the end")));
            }
            continue;
        }
        if let Some(special) = &step.special {
            ended = true;
            if line == 0 {
                let to_move = shogi_line::mover(record, record.plies.len());
                record.ending = csa::ending(&format!("%{special}"), to_move);
                record.end = Some(special.clone());
                if let Some(used) = step.used_us() {
                    record.end_remarks.get_or_insert_default().used_us = Some(used);
                }
            }
            step.read_comments(record, line);
            continue;
        }
        let Some(made) = &step.made else {
            step.read_comments(record, line);
            continue;
        };
        let pushed = turn(made, path.last().copied()).and_then(|(turn, to)| {
            path.push(to);
            record.push_to(line, RecordPly { line: 1, ..RecordPly::new(turn) }).map_err(|fault| fault.reason)
        });
        pushed.map_err(|reason| RecordFault::new(1, format!("moves[{index}]: {reason}")))?;
        if let Some(used) = step.used_us()
            && let Some(remarks) = record.last_remarks_of(line)
        {
            remarks.used_us = Some(used);
        }
        step.read_comments(record, line);
    }
    for (at, fork) in forks.into_iter().rev() {
        path.truncate(at);
        let branch = record.begin(line, at, 1)?;
        read_line(record, branch, fork, path)?;
    }
    path.truncate(after);
    Ok(())
}

/// One game as indented JSON.
///
/// # Errors
/// A record that is not legal shogi.
pub fn write(record: &GameRecord) -> Result<String, GameError> {
    let mut header = Map::new();
    for (key, value) in kif::kept_headers(record) {
        header.insert(key, Value::from(value));
    }
    let date = clock::slashed(&record.date);
    let start = shogi_line::position(&record.start)?;
    let [first, second] = kif::side_names(&start);
    let [black, white] = &record.players;
    for (key, value) in [
        (first, black),
        (second, white),
        ("棋戦", &record.event),
        ("開始日時", &date),
        ("持ち時間", &record.limit),
    ] {
        if !value.is_empty() {
            header.insert(key.to_owned(), Value::from(value.as_str()));
        }
    }
    let begin = if record.comments.is_empty() { json!({}) } else { json!({"comments": record.comments}) };
    let mut moves = vec![begin];
    let last = shogi_line::walk(record, |ply, position, mv| {
        moves.push(Value::Object(write_step(ply, position, mv)))
    })?;
    let special = match &record.ending {
        Some(end) => Some(csa::end_word(end, last.side_to_move(), csa::CsaVersion::V3)),
        None if record.form == RecordFormat::Jkf => record.end.as_deref(),
        None => kif::kept_end(record).filter(|word| word == "中断").map(|_| "CHUDAN"),
    };
    if let Some(special) = special {
        let mut step = Map::new();
        step.insert("special".to_owned(), json!(special.trim_start_matches('%')));
        if let Some(remarks) = &record.end_remarks {
            write_remarks(remarks.used_us, &remarks.comments, &mut step);
        }
        moves.push(Value::Object(step));
    }
    // The first step is that of the start.
    write_forks(record, 0, moves.get_mut(1..).unwrap_or_default())?;
    let initial = if shogi_line::is_usual(&start) {
        json!({"preset": "HIRATE"})
    } else {
        json!({"preset": "OTHER", "data": write_start(&start)})
    };
    let root = json!({"header": header, "initial": initial, "moves": moves});
    Ok(serde_json::to_string_pretty(&root).map_err(|error| GameError::failed(error.to_string()))? + "\n")
}

fn write_step(ply: &RecordPly, position: &ShogiPosition, mv: Move) -> Map<String, Value> {
    let mut step = Map::new();
    step.insert("move".to_owned(), write_move(position, mv));
    if let Some(remarks) = &ply.remarks {
        let comments: Vec<String> = kif::comments(remarks, position)
            .lines()
            // In JKF, a comment has no star.
            .filter_map(|comment| comment.strip_prefix('*').map(str::to_owned))
            .collect();
        write_remarks(remarks.used_us, &comments, &mut step);
    }
    step
}

fn write_remarks(used_us: Option<u64>, comments: &[String], step: &mut Map<String, Value>) {
    if !comments.is_empty() {
        step.insert("comments".to_owned(), json!(comments));
    }
    if let Some(used_us) = used_us {
        let (minutes, seconds) = (used_us / 60_000_000, used_us / 1_000_000 % 60);
        step.insert("time".to_owned(), json!({"now": {"m": minutes, "s": seconds}}));
    }
}

/// Hangs the variations that leave a line on its steps. JKF has no place for one that goes on behind the last.
fn write_forks(record: &GameRecord, line: usize, steps: &mut [Value]) -> Result<(), GameError> {
    for branch in record.branches(line).into_iter().rev() {
        let Some(Value::Object(step)) = steps.get_mut(record.after(branch) - record.after(line)) else {
            continue;
        };
        let mut fork = Vec::new();
        shogi_line::walk_variation(record, branch, |ply, position, mv| {
            fork.push(Value::Object(write_step(ply, position, mv)));
        })?;
        write_forks(record, branch, &mut fork)?;
        if let Value::Array(forks) = step.entry("forks").or_insert_with(|| json!([])) {
            forks.push(Value::Array(fork));
        }
    }
    Ok(())
}

fn colour(side: Side) -> usize {
    side.index()
}

fn place(square: On) -> Value {
    json!({"x": square.file() + 1, "y": square.rank() + 1})
}

fn write_move(position: &ShogiPosition, mv: Move) -> Value {
    let mut made = Map::new();
    made.insert("color".to_owned(), json!(colour(position.side_to_move())));
    made.insert("to".to_owned(), place(mv.to()));
    let kind = japanese::mover(position, mv);
    made.insert("piece".to_owned(), json!(csa::code_of(kind)));
    if !mv.is_drop() {
        made.insert("from".to_owned(), place(mv.from()));
        if let Some(taken) = position.piece_on(mv.to()).some() {
            made.insert("capture".to_owned(), json!(csa::code_of(taken.kind())));
        }
        if kind.can_promote() {
            made.insert("promote".to_owned(), json!(mv.is_promotion()));
        }
    }
    Value::Object(made)
}

fn write_start(position: &ShogiPosition) -> Value {
    let square = |file, rank| match position.piece_on(On::new(file, rank)).some() {
        Some(piece) => json!({"color": colour(piece.side()), "kind": csa::code_of(piece.kind())}),
        None => json!({}),
    };
    let board: Vec<Vec<Value>> = (0..9).map(|file| (0..9).map(|rank| square(file, rank)).collect()).collect();
    let hands = [Side::First, Side::Second].map(|side| {
        let kinds = HAND.into_iter().filter_map(PieceKind::from_letter);
        let held = kinds.map(|kind| (csa::code_of(kind).to_owned(), json!(position.hand(side).count(kind))));
        held.collect::<Map<String, Value>>()
    });
    json!({"color": colour(position.side_to_move()), "board": board, "hands": hands})
}

fn inside(place: JkfPlace) -> Option<(u8, u8)> {
    let good = (1..=9).contains(&place.x) && (1..=9).contains(&place.y);
    good.then_some((place.x, place.y))
}

fn turn(made: &Made, last: Option<(u8, u8)>) -> Result<(String, (u8, u8)), String> {
    let (letter, _) = piece(&made.piece).ok_or_else(|| format!("no piece is called '{}'", made.piece))?;
    let to = match made.to {
        Some(to) => inside(to),
        None => last,
    };
    let to = to.ok_or("the destination is no square")?;
    let from = match made.from {
        Some(from) => Some(inside(from).ok_or("the origin is no square")?),
        None => None,
    };
    Ok((setup::usi(from, to, letter, made.promote), to))
}

fn start(initial: &Initial) -> Result<ShogiSetup, String> {
    if let Some((_, name)) = PRESETS.iter().find(|(preset, _)| *preset == initial.preset) {
        return setup::handicap(name).ok_or_else(|| format!("preset '{}' is not known", initial.preset));
    }
    let Some(state) = &initial.data else {
        return match initial.preset.as_str() {
            "" => Ok(ShogiSetup::even()),
            "OTHER" => Err("initial: preset 'OTHER' needs the board in 'data', which is missing".to_owned()),
            other => Err(format!("preset '{other}' is not known")),
        };
    };
    let side = |colour: u8| if colour == 0 { Side::First } else { Side::Second };
    let mut setup = ShogiSetup::empty();
    setup.side = side(state.color);
    for (file, column) in (1u8..).zip(&state.board) {
        for (rank, square) in (1u8..).zip(column) {
            let Some(square) = square else { continue };
            let Some(kind) = &square.kind else { continue };
            let (letter, promoted) = piece(kind).ok_or_else(|| format!("no piece is called '{kind}'"))?;
            let man = SfenPiece { side: side(square.color.unwrap_or(0)), letter, promoted };
            if !setup.put(file, rank, Some(man)) {
                return Err("the board is larger than 9x9".to_owned());
            }
        }
    }
    for (hand, side) in state.hands.iter().zip([Side::First, Side::Second]) {
        for (kind, count) in hand.iter().flatten() {
            let count = count.unwrap_or(0);
            let held = piece(kind).is_some_and(|(letter, promoted)| {
                !promoted && (count == 0 || setup.hold(side, letter, count))
            });
            if !held {
                return Err(format!("'{kind}' cannot be held"));
            }
        }
    }
    Ok(setup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::ending::{EndCause, Ending};
    use crate::{PlyRemarks, RecordPly, RecordVariation};
    use kaeshi_core::game::score::Score;

    const GAME: &str = r#"{"header":{"先手":"a"},"initial":{"preset":"HIRATE"},"moves":[{},
        {"move":{"color":0,"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"},"time":{"now":{"m":0,"s":1}}},
        {"move":{"color":1,"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"}},
        {"move":{"color":0,"from":{"x":8,"y":8},"to":{"x":2,"y":2},"piece":"KA","promote":true,"capture":"KA"}},
        {"move":{"color":1,"from":{"x":3,"y":1},"same":true,"piece":"GI","capture":"UM"}},
        {"move":{"color":0,"to":{"x":4,"y":5},"piece":"KA"}},{"special":"TORYO"}]}"#;

    #[test]
    fn a_start_without_a_board_is_named() {
        let start = |initial: &str| {
            read(&format!(r#"{{"initial":{initial},"moves":[{{}}]}}"#)).map(|record| record.start)
        };
        for initial in [r#"{"preset":"OTHER"}"#, r#"{"preset":"OTHER","data":null}"#] {
            let fault = start(initial).unwrap_err();
            assert!(fault.reason.contains("needs the board in 'data', which is missing"), "{fault}");
        }
        assert!(start(r#"{"preset":"x"}"#).unwrap_err().reason.contains("'x' is not known"));
        for initial in ["{}", r#"{"preset":""}"#, r#"{"preset":null,"data":null}"#] {
            assert_eq!(start(initial).as_deref(), Ok("startpos"), "{initial}");
        }
    }

    #[test]
    fn a_game_is_read() {
        assert!(is_jkf(GAME));
        let record = read(GAME).unwrap();
        let turns: Vec<_> = record.plies.iter().map(|ply| ply.turn.as_str()).collect();
        assert_eq!(turns, ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"]);
        assert_eq!(record.end.as_deref(), Some("TORYO"));
        assert_eq!(record.start, "startpos");
    }

    #[test]
    fn variations_are_written_and_read() {
        let mut record = read(GAME).unwrap();
        for (of, after, turns) in [(0, 2, "2g2f 8c8d 2f2e"), (1, 4, "7i6h"), (0, 2, "7i6h")] {
            let plies = turns.split(' ').map(RecordPly::new).collect();
            record.variations.push(RecordVariation { of, after, plies });
        }
        let back = read(&write(&record).unwrap()).unwrap();
        let shown = |record: &GameRecord| -> Vec<(usize, String)> {
            let text =
                |line| record.line(line).iter().map(|ply| ply.turn.as_str()).collect::<Vec<_>>().join(" ");
            record.nested().into_iter().map(|line| (record.after(line), text(line))).collect()
        };
        assert_eq!((back.fault.as_ref(), back.plies.len()), (None, 5));
        assert_eq!(shown(&back), shown(&record));
    }

    #[test]
    fn a_start_of_its_own_is_read() {
        let mut board = vec![vec!["{}".to_owned(); 9]; 9];
        board[4][0] = r#"{"color":1,"kind":"OU"}"#.to_owned();
        board[4][8] = r#"{"color":0,"kind":"OU"}"#.to_owned();
        board[0][2] = r#"{"color":0,"kind":"TO"}"#.to_owned();
        let board: Vec<_> = board.iter().map(|file| format!("[{}]", file.join(","))).collect();
        let text = format!(
            r#"{{"initial":{{"preset":"OTHER","data":{{"color":1,"board":[{}],"hands":[{{"FU":2,"KI":0}},{{"HI":1}}]}}}},"moves":[{{}}]}}"#,
            board.join(",")
        );
        assert_eq!(read(&text).unwrap().start, "sfen 4k4/9/8+P/9/9/9/9/9/4K4 w 2Pr 1");
    }

    #[test]
    fn what_is_wrong_is_reported() {
        let broken = read(&GAME.replace(r#""piece":"GI""#, r#""piece":"XX""#)).unwrap();
        assert_eq!(broken.plies.len(), 3);
        assert!(broken.fault.unwrap().reason.contains("moves[4]"));
        assert!(read(&GAME.replace("HIRATE", "NEVER")).is_err());
        assert_eq!(read("{\"moves\":\n3}").map_err(|fault| fault.line), Err(2));
        assert!(!is_jkf(r#"{"moves":["7g7f"]}"#));
    }

    /// A game of these steps, as JSON.
    fn game(initial: &str, steps: &str) -> Item {
        read(&format!(r#"{{"initial":{initial},"moves":[{{}},{steps}]}}"#))
    }

    const FIRST: &str = r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}"#;

    #[test]
    fn starts_have_names_or_are_drawn() {
        let start = |initial: &str| game(initial, "{}").map(|record| record.start);
        let of = |board: &str| Ok(format!("sfen {board}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"));
        assert_eq!(start(r#"{"preset":"KA"}"#), of("lnsgkgsnl/1r7"));
        assert_eq!(start(r#"{"preset":"5"}"#), of("2sgkgsn1/9"));
        assert_eq!(start(r#"{"preset":"5_L"}"#), of("1nsgkgs2/9"));
        assert_eq!(start(r#"{"preset":"7_L"}"#), of("2sgkg3/9"));
        assert_eq!(start(r#"{"preset":"7_R"}"#), of("3gkgs2/9"));
        assert_eq!(start(r#"{"preset":"10"}"#), of("4k4/9"));
        let drawn = |board: &str, hands: &str| {
            start(&format!(
                r#"{{"preset":"OTHER","data":{{"color":0,"board":[{board}],"hands":[{hands}]}}}}"#
            ))
        };
        assert_eq!(drawn(r#"[{"kind":"OU"}]"#, "{},{}").unwrap(), "sfen 8K/9/9/9/9/9/9/9/9 b - 1");
        let no_square = r#"[],[],[],[],[],[],[],[],[],[{"kind":"FU"}]"#;
        for (board, hands, reason) in [
            (r#"[{"kind":"QQ"}]"#, "", "'QQ'"),
            (no_square, "", "larger than 9x9"),
            ("", r#"{"TO":1}"#, "'TO' cannot be held"),
            ("", r#"{"OU":1}"#, "'OU' cannot be held"),
            ("", r#"{"QQ":1}"#, "'QQ' cannot be held"),
        ] {
            assert!(drawn(board, hands).unwrap_err().reason.contains(reason), "{reason}");
        }
    }

    #[test]
    fn null_is_as_if_absent() {
        let nulls = r#"{"header":{"先手":"a","場所":null},"initial":null,"moves":[null,
            {"comments":null,"time":null,"forks":null,"special":null,"move":{"from":{"x":7,"y":7},
             "to":{"x":7,"y":6},"piece":"FU","promote":null,"same":null}},
            {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"},"comments":["a",null],
             "time":{"now":{"h":null,"m":null,"s":5},"total":null},"forks":[null]},
            {"move":null,"special":"TORYO","time":{"now":null}}]}"#;
        assert!(is_jkf(nulls));
        let record = read(nulls).unwrap();
        assert_eq!((record.plies.len(), record.fault, record.end.as_deref()), (2, None, Some("TORYO")));
        assert_eq!(record.plies[1].remarks.as_ref().unwrap().used_us, Some(5_000_000));
        let start = r#"{"initial":{"preset":null,"data":{"color":null,"board":[[{"kind":"OU","color":null},null]],
            "hands":[{"FU":null},null]}},"moves":[{}]}"#;
        assert_eq!(read(start).unwrap().start, "sfen 8K/9/9/9/9/9/9/9/9 b - 1");
        assert!(read(r#"{"header":null,"initial":{"preset":"KA","data":null},"moves":[{}]}"#).is_ok());
    }

    #[test]
    fn start_and_end_keep_their_comments_and_the_record_its_headers() {
        let text = r#"{"header":{"先手":"a","場所":"東京"},"moves":[{"comments":["first"]},
            {"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},
            {"special":"FUSEN","comments":["last"],"time":{"now":{"m":0,"s":3}}}]}"#;
        let record = read(text).unwrap();
        assert_eq!((&record.comments, record.plies[0].remarks.as_ref()), (&vec!["first".to_owned()], None));
        let back = read(&write(&record).unwrap()).unwrap();
        assert_eq!(
            (back.comments, back.tags, back.end, back.end_remarks),
            (record.comments, record.tags, record.end, record.end_remarks)
        );
    }

    #[test]
    fn a_move_after_the_end_is_reported() {
        let moved =
            |x: u8| format!(r#"{{"move":{{"from":{{"x":{x},"y":7}},"to":{{"x":{x},"y":6}},"piece":"FU"}}}}"#);
        let record =
            read(&format!(r#"{{"moves":[{{}},{},{{"special":"TORYO"}},{}]}}"#, moved(7), moved(2))).unwrap();
        assert_eq!(record.plies.len(), 1);
        assert!(record.fault.is_some_and(|fault| fault.reason.contains("after the end")));
    }

    #[test]
    fn times_and_comments_belong_to_their_turn() {
        for (time, used_us) in [
            (r#"{"now":{"h":1,"m":2,"s":3.5}}"#, Some(3_723_500_000)),
            (r#"{"now":{"m":2}}"#, Some(120_000_000)),
            (r#"{"now":{"s":-1}}"#, None),
            (r#"{"now":{"h":18446744073709551615}}"#, None),
            ("{}", None),
        ] {
            let record = game(r#"{"preset":"HIRATE"}"#, &format!("{FIRST},\"time\":{time}}}")).unwrap();
            let remarks = record.plies[0].remarks.as_ref();
            assert_eq!(remarks.and_then(|remarks| remarks.used_us), used_us, "{time}");
        }
        let steps = format!(r#"{FIRST},"comments":["*評価値=55","remark"]}}"#);
        let remarks = game(r#"{"preset":"HIRATE"}"#, &steps).unwrap().plies.remove(0).remarks.unwrap();
        assert_eq!((remarks.score, &*remarks.comments), (Some(Score::Cp(55)), &["remark".to_owned()][..]));
    }

    #[test]
    fn ends_and_faults_of_turns_are_reported() {
        let after = |step: &str| game(r#"{"preset":"HIRATE"}"#, &format!("{FIRST}}},{step}")).unwrap();
        let end = after(r#"{"special":"KACHI"},{"special":"TORYO"}"#);
        assert_eq!(end.end.as_deref(), Some("KACHI"));
        assert_eq!(end.ending, Some(Ending::new(Some(Side::Second), EndCause::Declare)));
        assert_eq!(after(r#"{"special":"CHUDAN"}"#).ending, None);
        for (made, reason) in [
            (r#"{"from":{"x":3,"y":3},"to":{"x":0,"y":4},"piece":"FU"}"#, "destination"),
            (r#"{"from":{"x":3,"y":3},"to":{"x":3,"y":10},"piece":"FU"}"#, "destination"),
            (r#"{"from":{"x":10,"y":3},"to":{"x":3,"y":4},"piece":"FU"}"#, "origin"),
            (r#"{"from":{"x":3,"y":0},"to":{"x":3,"y":4},"piece":"FU"}"#, "origin"),
        ] {
            let record = after(&format!(r#"{{"move":{made}}}"#));
            assert!(record.fault.unwrap().reason.contains(reason), "{made}");
            assert_eq!(record.plies.len(), 1);
        }
        let nowhere = game(r#"{"preset":"HIRATE"}"#, r#"{"move":{"from":{"x":7,"y":7},"piece":"FU"}}"#);
        assert!(nowhere.unwrap().fault.unwrap().reason.contains("destination"));
    }

    #[test]
    fn all_that_is_known_of_a_game_is_written() {
        let turns = ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e", "5a4b"];
        let mut record = GameRecord::new(super::GAME, RecordFormat::Jkf, 1, "startpos");
        record.plies = turns.into_iter().map(RecordPly::new).collect();
        *record.plies[0].remarks_mut() = PlyRemarks {
            used_us: Some(75_500_000),
            comments: vec!["a remark".into()],
            ..PlyRemarks::default()
        };
        record.plies[1].remarks_mut().depth = Some(3);
        record.plies[2].remarks_mut().nodes = None;
        record.players = ["a".into(), String::new()];
        record.date = "2026-11-20T16:00:00Z".into();
        record.ending = Some(Ending::new(Some(Side::Second), EndCause::Resign));
        let written: Value = serde_json::from_str(&write(&record).unwrap()).unwrap();
        assert_eq!(written["header"], json!({"先手": "a", "開始日時": "2026/11/20 16:00:00"}));
        assert_eq!(written["initial"], json!({"preset": "HIRATE"}));
        let wanted = json!([
            {},
            {
                "move": {"color": 0, "from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}, "piece": "FU", "promote": false},
                "comments": ["a remark"],
                "time": {"now": {"m": 1, "s": 15}},
            },
            {
                "move": {"color": 1, "from": {"x": 3, "y": 3}, "to": {"x": 3, "y": 4}, "piece": "FU", "promote": false},
                "comments": ["*深さ=3"],
            },
            {
                "move": {
                    "color": 0, "from": {"x": 8, "y": 8}, "to": {"x": 2, "y": 2}, "piece": "KA",
                    "capture": "KA", "promote": true,
                },
            },
            {
                "move": {
                    "color": 1, "from": {"x": 3, "y": 1}, "to": {"x": 2, "y": 2}, "piece": "GI",
                    "capture": "UM", "promote": false,
                },
            },
            {"move": {"color": 0, "to": {"x": 4, "y": 5}, "piece": "KA"}},
            {"move": {"color": 1, "from": {"x": 5, "y": 1}, "to": {"x": 4, "y": 2}, "piece": "OU"}},
            {"special": "TORYO"},
        ]);
        assert_eq!(written["moves"], wanted);
    }

    #[test]
    fn another_start_is_written_and_read_back() {
        let start = "sfen 4k4/9/4+P4/9/9/9/9/9/4K3L w 2Rg3p 1";
        let record = GameRecord::new(super::GAME, RecordFormat::Jkf, 1, start);
        assert_eq!(read(&write(&record).unwrap()).unwrap().start, start);
    }
}
