//! The lines that come out: one JSON object per position, schema [`SCHEMA`]; the same as CSV.
//!
//! `docs/reference/analysis.md` describes every field.

use serde::{Deserialize, Serialize};

pub use crate::store::{AnalysisVariation, StoredAnalysis};
use kaeshi_core::game::Side;
pub use kaeshi_core::game::score::Score;
use kaeshi_engine::games::GameName;
use kaeshi_report::text::csv_cell;
use kaeshi_system::checksummed_json::seal;

/// Version of the lines written here: it changes when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

/// Probability that the side to move of `game` wins, counting a draw as half; in play by equals.
///
/// Estimates become probabilities by [`kaeshi_core::game::facts::ValueInfo::win_rate`].
pub fn win_rate(game: GameName, score: Score) -> f64 {
    let rate = match score {
        Score::Cp(value) => game.facts().values.win_rate(value),
        Score::Exact(0) => 0.5,
        Score::Exact(value) => f64::from(u8::from(value > 0)),
        Score::MateIn(_) => 1.0,
        Score::MatedIn(_) => 0.0,
    };
    (rate * 1e4).round() / 1e4
}

/// Where a position comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PositionOrigin {
    /// Number of this line in the whole work, from 1; shards leave gaps.
    pub n: u64,
    /// Number of lines of the whole work.
    pub of: u64,
    /// The id of a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The input, `-` for stdin.
    pub source: String,
    /// Number of the game or position in the input, from 1.
    pub record: usize,
    /// Line of the input.
    pub line: usize,
}

/// The line of a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionLine {
    /// [`SCHEMA`].
    pub v: u32,
    /// Where it comes from.
    #[serde(flatten)]
    pub origin: PositionOrigin,
    /// Turns made before.
    pub turn: usize,
    /// `shogi`, `reversi` or `sygo`.
    pub game: String,
    /// Its text.
    pub position: String,
    /// 128 bits, in hexadecimal, of game, options and exact identity.
    pub key: String,
    /// `first` or `second` to move.
    pub side: String,
    /// The turn that the record goes on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<String>,
    /// Limit and lines wanted.
    pub effort: String,
    /// The search goes on: more will come of this position. Only from the service.
    #[serde(default, rename = "isDuringSearch", skip_serializing_if = "std::ops::Not::not")]
    pub during_search: bool,
    /// What was found.
    #[serde(flatten)]
    pub analysis: StoredAnalysis,
}

/// The line of an item that could not be analysed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorLine {
    /// [`SCHEMA`].
    pub v: u32,
    /// Where it comes from.
    #[serde(flatten)]
    pub origin: PositionOrigin,
    /// What is wrong.
    pub error: String,
}

/// Any line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AnalysisLine {
    /// An item that failed.
    Error(ErrorLine),
    /// A position.
    Position(Box<PositionLine>),
}

impl AnalysisLine {
    /// Where it comes from.
    pub fn origin(&self) -> &PositionOrigin {
        match self {
            AnalysisLine::Error(line) => &line.origin,
            AnalysisLine::Position(line) => &line.origin,
        }
    }

    /// As JSON, ended.
    pub fn json(&self) -> String {
        self.object() + "\n"
    }

    /// The same with a checksum as its last field.
    pub fn sealed(&self) -> String {
        let mut text = self.object();
        seal(&mut text);
        text + "\n"
    }

    fn object(&self) -> String {
        // Nothing in a line can fail to be written.
        serde_json::to_string(self).unwrap_or_else(|_| "{}".to_owned())
    }

    /// What a resumed run must find equal to leave the line as it is.
    pub fn mark(&self) -> u128 {
        let origin = self.origin();
        let place = format!("{}\n{}\n{}\n", origin.source, origin.record, origin.line);
        let what = match self {
            AnalysisLine::Error(line) => format!("error\n{}", line.error),
            AnalysisLine::Position(line) => mark_of(line.turn, &line.key, &line.effort),
        };
        hash([place.as_bytes(), what.as_bytes()])
    }

    /// As a row of CSV, ended; [`CSV_HEAD`] names the columns.
    pub fn csv(&self) -> String {
        let origin = self.origin();
        let mut cells = vec![
            origin.n.to_string(),
            origin.id.clone().unwrap_or_default(),
            origin.source.clone(),
            origin.record.to_string(),
            origin.line.to_string(),
        ];
        match self {
            AnalysisLine::Error(line) => {
                cells.resize(CSV_HEAD.split(',').count() - 1, String::new());
                cells.push(line.error.clone());
            }
            AnalysisLine::Position(line) => {
                let best = line.analysis.lines.first();
                let score = |wanted: fn(Score) -> Option<i32>| {
                    best.and_then(|best| wanted(best.score)).map_or(String::new(), |value| value.to_string())
                };
                cells.extend([
                    line.turn.to_string(),
                    line.game.clone(),
                    line.position.clone(),
                    line.side.clone(),
                    line.played.clone().unwrap_or_default(),
                    line.effort.clone(),
                    line.analysis.best.clone().unwrap_or_default(),
                    score(|score| match score {
                        Score::Cp(value) | Score::Exact(value) => Some(value),
                        Score::MateIn(_) | Score::MatedIn(_) => None,
                    }),
                    score(Score::plies_to_mate),
                    best.map_or(String::new(), |best| best.winrate.to_string()),
                    line.analysis.depth.to_string(),
                    line.analysis.nodes.to_string(),
                    line.analysis.time_ms.map_or(String::new(), |ms| ms.to_string()),
                    best.map_or(String::new(), |best| best.pv.join(" ")),
                    String::new(),
                ]);
            }
        }
        let cells: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
        cells.join(",") + "\n"
    }
}

/// The columns of [`AnalysisLine::csv`].
pub const CSV_HEAD: &str = "n,id,source,record,line,turn,game,position,side,played,effort,best,cp,mate,winrate,depth,\
    nodes,time_ms,pv,error";

/// The part of a mark that says what was asked of a position.
fn mark_of(turn: usize, key: &str, effort: &str) -> String {
    format!("position\n{turn}\n{key}\n{effort}")
}

/// FNV-1a of 128 bits over parts: the same on every machine and in every build.
pub fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    parts.into_iter().flatten().fold(BASIS, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

/// What a side is called in the lines.
pub fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position() -> PositionLine {
        PositionLine {
            v: SCHEMA,
            origin: PositionOrigin { n: 3, of: 9, id: None, source: "a,b.kif".into(), record: 1, line: 7 },
            turn: 2,
            game: "shogi".into(),
            position: "x".into(),
            key: "00".into(),
            side: "first".into(),
            played: Some("7g7f".into()),
            effort: "nodes 10 multipv 1".into(),
            during_search: false,
            analysis: StoredAnalysis {
                best: Some("2g2f".into()),
                lines: vec![AnalysisVariation {
                    score: Score::MatedIn(4),
                    winrate: 0.0,
                    pv: vec!["2g2f".into(), "3c3d".into()],
                    japanese: String::new(),
                    western: String::new(),
                }],
                ..StoredAnalysis::default()
            },
        }
    }

    #[test]
    fn lines_are_read_as_they_are_written() {
        let good = AnalysisLine::Position(Box::new(position()));
        let bad = AnalysisLine::Error(ErrorLine {
            v: SCHEMA,
            origin: PositionOrigin::default(),
            error: "why".into(),
        });
        for line in [good, bad] {
            let json = line.json();
            let back: AnalysisLine = serde_json::from_str(&json).unwrap();
            assert_eq!(back, line);
            assert_eq!(back.json(), json);
            assert_eq!(back.mark(), line.mark());
        }
    }

    #[test]
    fn a_mark_changes_with_everything_that_was_asked() {
        let mark = |change: fn(&mut PositionLine)| {
            let mut line = position();
            change(&mut line);
            AnalysisLine::Position(Box::new(line)).mark()
        };
        let same = mark(|_| {});
        assert_eq!(mark(|line| line.analysis.nodes = 7), same);
        for changed in [
            mark(|line| line.turn = 3),
            mark(|line| line.key = "01".into()),
            mark(|line| line.effort.push('0')),
            mark(|line| line.origin.source.push('x')),
            mark(|line| line.origin.record = 2),
        ] {
            assert_ne!(changed, same);
        }
    }

    #[test]
    fn csv_has_a_cell_for_every_column() {
        let row = AnalysisLine::Position(Box::new(position())).csv();
        assert_eq!(
            row,
            "3,,\"a,b.kif\",1,7,2,shogi,x,first,7g7f,nodes 10 multipv 1,2g2f,,-4,0,0,0,,2g2f 3c3d,\n"
        );
        let error = ErrorLine { v: SCHEMA, origin: PositionOrigin::default(), error: "say \"no\"".into() };
        let row = AnalysisLine::Error(error).csv();
        assert_eq!(row.matches(',').count(), CSV_HEAD.matches(',').count());
        assert!(row.ends_with(",\"say \"\"no\"\"\"\n"));
    }

    #[test]
    fn win_rates_are_fair() {
        for game in GameName::ALL {
            assert_eq!(win_rate(game, Score::Cp(0)), 0.5);
            for value in [1, 99, 600, 5000] {
                let sum = win_rate(game, Score::Cp(value)) + win_rate(game, Score::Cp(-value));
                assert!((sum - 1.0).abs() < 1.5e-4);
            }
            assert_eq!(win_rate(game, Score::MatedIn(0)), 0.0);
            assert_eq!(win_rate(game, Score::MateIn(3)), 1.0);
            assert_eq!(win_rate(game, Score::Exact(-200)), 0.0);
        }
        assert_eq!(win_rate(GameName::Shogi, Score::Cp(600)), 0.7311);
    }

    #[test]
    fn the_hash_is_fnv() {
        assert_eq!(hash([b"".as_slice()]), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(hash([b"a".as_slice()]), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(hash([b"a".as_slice(), b"b"]), hash([b"ab".as_slice()]));
    }
}
