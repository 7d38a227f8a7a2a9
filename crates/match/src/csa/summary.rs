//! The conditions of a game as the server proposes them: `Game_Summary`.

use super::clock::CsaTimeControl;
use super::message::{LARGEST, Wrong, number};
use kaeshi_core::game::Side;
use kaeshi_records::text::shown;
use kaeshi_records::{GameRecord, csa};

/// Most lines of a summary.
pub const MOST_LINES: usize = 4096;
/// Longest name of a game or a player, in characters.
const LONGEST_NAME: usize = 200;
/// The games that are played.
const FORMAT: &str = "Shogi 1.0";

/// A game as it is proposed.
#[derive(Clone, Debug, PartialEq)]
pub struct CsaGameSummary {
    /// The server's name of the game.
    pub id: String,
    /// Black and White.
    pub names: [String; 2],
    /// Who we are.
    pub me: Side,
    /// The time control of both sides.
    pub terms: [CsaTimeControl; 2],
    /// A game of this many moves ends without a winner.
    pub max_moves: Option<u64>,
    /// `startpos` or `sfen …`.
    pub start: String,
    /// The moves that were made before, with their time in units.
    pub made: Vec<(String, u64)>,
}

/// Which part of the summary a line belongs to.
#[derive(Clone, Copy, PartialEq)]
enum SummarySection {
    General,
    /// The time of one side, or of both.
    Time(Option<Side>),
    Position,
}

/// What has been read so far.
#[derive(Default)]
struct SummaryDraft {
    id: Option<String>,
    names: [Option<String>; 2],
    me: Option<Side>,
    terms: [CsaTimeControl; 2],
    max_moves: Option<u64>,
    position: String,
}

impl CsaGameSummary {
    /// Reads the lines between `BEGIN Game_Summary` and `END Game_Summary`.
    ///
    /// # Errors
    /// What is missing, or cannot be played.
    pub fn read(lines: &[String]) -> Result<CsaGameSummary, Wrong> {
        let mut draft = SummaryDraft::default();
        let mut part = SummarySection::General;
        for line in lines {
            part = match (part, line.as_str()) {
                (SummarySection::General, "BEGIN Time") => SummarySection::Time(None),
                (SummarySection::General, "BEGIN Time+") => SummarySection::Time(Some(Side::First)),
                (SummarySection::General, "BEGIN Time-") => SummarySection::Time(Some(Side::Second)),
                (SummarySection::General, "BEGIN Position") => SummarySection::Position,
                (SummarySection::Time(_), "END Time" | "END Time+" | "END Time-") => SummarySection::General,
                (SummarySection::Position, "END Position") => SummarySection::General,
                (_, line) if line.starts_with("BEGIN ") || line.starts_with("END ") => {
                    return Err(Wrong(format!("'{}' at a wrong place", shown(line))));
                }
                (SummarySection::General, line) => {
                    draft.general(line)?;
                    part
                }
                (SummarySection::Time(side), line) => {
                    draft.time(side, line)?;
                    part
                }
                (SummarySection::Position, line) => {
                    draft.position.push_str(line);
                    draft.position.push('\n');
                    part
                }
            };
        }
        if part != SummarySection::General {
            return Err(Wrong("a part of it has no end".into()));
        }
        draft.finish()
    }

    /// The moves made before, without their times.
    pub fn turns(&self) -> impl Iterator<Item = &str> {
        self.made.iter().map(|(turn, _)| turn.as_str())
    }
}

impl SummaryDraft {
    fn general(&mut self, line: &str) -> Result<(), Wrong> {
        let Some((key, value)) = line.split_once(':') else {
            return if line.is_empty() {
                Ok(())
            } else {
                Err(Wrong(format!("'{}' has no value", shown(line))))
            };
        };
        match key {
            "Format" if value != FORMAT => {
                return Err(Wrong(format!("the game is '{}', not {FORMAT}", shown(value))));
            }
            "Game_ID" => self.id = Some(name(key, value)?),
            "Name+" => self.names[0] = Some(name(key, value)?),
            "Name-" => self.names[1] = Some(name(key, value)?),
            "Your_Turn" => {
                self.me = Some(match value {
                    "+" => Side::First,
                    "-" => Side::Second,
                    _ => return Err(Wrong(format!("'{}' is neither + nor -", shown(line)))),
                });
            }
            "Max_Moves" => self.max_moves = Some(count(key, value)?).filter(|&moves| moves > 0),
            _ => {}
        }
        Ok(())
    }

    fn time(&mut self, side: Option<Side>, line: &str) -> Result<(), Wrong> {
        let Some((key, value)) = line.split_once(':') else { return Ok(()) };
        for (terms, owner) in self.terms.iter_mut().zip([Side::First, Side::Second]) {
            if side.is_some_and(|side| side != owner) {
                continue;
            }
            match key {
                "Time_Unit" => terms.unit_us = unit(value)?,
                "Total_Time" => terms.total = count(key, value)?,
                "Byoyomi" => terms.byoyomi = count(key, value)?,
                "Increment" => terms.increment = count(key, value)?,
                "Time_Roundup" => terms.round_up = value == "YES",
                // The least time of a move is in the times that the server states. A delay is left unused.
                _ => {}
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<CsaGameSummary, Wrong> {
        let missing = |key: &str| Wrong(format!("{key} is missing"));
        let [black, white] = self.names;
        let record = position(&self.position)?;
        Ok(CsaGameSummary {
            id: self.id.ok_or_else(|| missing("Game_ID"))?,
            names: [black.ok_or_else(|| missing("Name+"))?, white.ok_or_else(|| missing("Name-"))?],
            me: self.me.ok_or_else(|| missing("Your_Turn"))?,
            terms: self.terms,
            max_moves: self.max_moves,
            start: record.start,
            made: record
                .plies
                .into_iter()
                .map(|ply| {
                    // The form has seconds, and the server writes its units there.
                    let used = ply.remarks.and_then(|remarks| remarks.used_us).unwrap_or(0) / 1_000_000;
                    (ply.turn, used)
                })
                .collect(),
        })
    }
}

/// The position part, which is a record in the form of CSA.
fn position(text: &str) -> Result<GameRecord, Wrong> {
    let refuse = |why: &dyn std::fmt::Display| Wrong(format!("the position: {why}"));
    let mut items = csa::read(text).into_iter();
    let record = match (items.next(), items.next()) {
        (Some(Ok(record)), None) => record,
        (Some(Err(fault)), _) => return Err(refuse(&fault)),
        (None, _) => return Err(refuse(&"it is missing")),
        (Some(_), Some(_)) => return Err(refuse(&"there are several")),
    };
    match (&record.fault, &record.end) {
        (Some(fault), _) => Err(refuse(fault)),
        (None, Some(end)) => Err(refuse(&format!("the game is over: {}", shown(end)))),
        (None, None) => Ok(record),
    }
}

/// A name of a game or a player.
fn name(key: &str, value: &str) -> Result<String, Wrong> {
    let good =
        !value.is_empty() && value.chars().count() <= LONGEST_NAME && !value.contains(char::is_control);
    good.then(|| value.to_owned()).ok_or_else(|| Wrong(format!("'{key}:{}' is no name", shown(value))))
}

fn count(key: &str, value: &str) -> Result<u64, Wrong> {
    number(value).ok_or_else(|| Wrong(format!("'{key}:{}' is no number up to {LARGEST}", shown(value))))
}

/// Microseconds of `1sec`, `1min`, `1msec` and the like.
fn unit(value: &str) -> Result<u64, Wrong> {
    let refuse = || Wrong(format!("'Time_Unit:{}' is no unit such as 1sec", shown(value)));
    let letters = value.trim_start_matches(|c: char| c.is_ascii_digit());
    let many = match &value[..value.len() - letters.len()] {
        "" => 1,
        digits => number(digits).filter(|many| (1..=60_000).contains(many)).ok_or_else(refuse)?,
    };
    let one = match letters {
        "msec" => 1_000,
        "sec" => 1_000_000,
        "min" => 60_000_000,
        _ => return Err(refuse()),
    };
    Ok(many * one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_core::random::SplitMix;

    const TEXT: &str = "Protocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\n\
        Game_ID:t+g-10-1F+a+b+1\nName+:a\nName-:b\nYour_Turn:-\nRematch_On_Draw:NO\nTo_Move:+\nMax_Moves:256\n\
        BEGIN Time\nTime_Unit:1sec\nTotal_Time:10\nByoyomi:0\nIncrement:1\nLeast_Time_Per_Move:0\nEND Time\n\
        BEGIN Position\nPI\n+\n+7776FU,T3\n-3334FU,T0\nEND Position";

    fn read(text: &str) -> Result<CsaGameSummary, Wrong> {
        CsaGameSummary::read(&text.lines().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_summary_is_read() {
        let summary = read(TEXT).unwrap();
        let terms = CsaTimeControl { total: 10, increment: 1, ..CsaTimeControl::default() };
        assert_eq!((summary.terms, summary.me, summary.max_moves), ([terms; 2], Side::Second, Some(256)));
        assert_eq!((summary.id.as_str(), summary.names), ("t+g-10-1F+a+b+1", ["a".into(), "b".into()]));
        assert_eq!(summary.start, "startpos");
        assert_eq!(summary.made, [("7g7f".to_owned(), 3), ("3c3d".to_owned(), 0)]);
    }

    #[test]
    fn each_side_may_have_its_own_time() {
        let own = "BEGIN Time+\nTime_Unit:1min\nTotal_Time:5\nTime_Roundup:YES\nEND Time+\n\
            BEGIN Time-\nTime_Unit:1msec\nTotal_Time:9\nLeast_Time_Per_Move:1\nDelay:2\nEND Time-";
        let (before, rest) = TEXT.split_once("BEGIN Time").unwrap();
        let (_, after) = rest.split_once("END Time").unwrap();
        let [black, white] = read(&format!("{before}{own}{after}")).unwrap().terms;
        assert_eq!((black.unit_us, black.total, black.round_up), (60_000_000, 5, true));
        assert_eq!((white.unit_us, white.total, white.round_up), (1_000, 9, false));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (from, to, reason) in [
            ("Format:Shogi 1.0", "Format:Chess", "'Chess', not Shogi 1.0"),
            ("Game_ID", "Gam_ID", "Game_ID is missing"),
            ("Name+:a", "Name+:", "is no name"),
            ("Your_Turn:-", "Your_Turn:b", "neither + nor -"),
            ("Max_Moves:256", "Max_Moves:many", "is no number"),
            ("Total_Time:10", "Total_Time:-10", "is no number"),
            ("Increment:1", "Increment:99999999999", "is no number"),
            ("Time_Unit:1sec", "Time_Unit:1year", "is no unit"),
            ("Time_Unit:1sec", "Time_Unit:0sec", "is no unit"),
            ("END Time\n", "", "at a wrong place"),
            ("END Position", "", "has no end"),
            ("PI\n+\n", "PI\n", "the position: line 2"),
            ("+7776FU", "+7775XX", "'+7775XX' is no move"),
            ("-3334FU,T0", "%TORYO", "the game is over"),
            ("PI\n+\n+7776FU,T3\n-3334FU,T0\n", "", "the position: it is missing"),
        ] {
            let text = TEXT.replacen(from, to, 1);
            assert_ne!(text, TEXT, "{from}");
            let refused = read(&text).unwrap_err().to_string();
            assert!(refused.contains(reason), "{to}: {refused}");
        }
    }

    #[test]
    fn damaged_summaries_are_read_or_refused() {
        let mut random = SplitMix::new(7);
        for _ in 0..2_000 {
            let mut bytes = TEXT.as_bytes().to_vec();
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len() as u32) as usize;
                match random.below(3) {
                    0 => drop(bytes.remove(at)),
                    1 => bytes[at] = random.below(256) as u8,
                    _ => bytes.truncate(at + 1),
                }
            }
            let _ = read(&String::from_utf8_lossy(&bytes));
        }
    }
}
