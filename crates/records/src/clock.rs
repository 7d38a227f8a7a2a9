//! Times in records: limits, dates, and whole seconds of turns.

use super::text::one_line;
use super::{GameRecord, RecordPly};

/// A limit of both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RecordTimeControl {
    /// Seconds on the clock at the start.
    pub main: f64,
    /// Seconds added for each move.
    pub increment: f64,
    /// Seconds for each move once the clock is empty.
    pub byoyomi: f64,
}

impl RecordTimeControl {
    /// Reads `tc=10+0.1`, `tc=300/30` or `byoyomi=1`; `None` where no clock runs.
    pub fn parse(limit: &str) -> Option<RecordTimeControl> {
        if let Some(byoyomi) = limit.strip_prefix("byoyomi=") {
            return Some(RecordTimeControl {
                byoyomi: byoyomi.parse().ok()?,
                ..RecordTimeControl::default()
            });
        }
        let text = limit.strip_prefix("tc=")?;
        let (text, byoyomi) = match text.split_once('/') {
            Some((text, byoyomi)) => (text, byoyomi.parse().ok()?),
            None => (text, 0.0),
        };
        let (main, increment) = match text.split_once('+') {
            Some((main, increment)) => (main, increment.parse().ok()?),
            None => (text, 0.0),
        };
        Some(RecordTimeControl { main: main.parse().ok()?, increment, byoyomi })
    }
}

/// Seconds with or without a fraction, in microseconds; `None` if the text is no such number.
pub fn microseconds(text: &str) -> Option<u64> {
    let seconds: f64 = text.parse().ok()?;
    // A year is more than any turn takes; it keeps the product in range.
    (0.0..=31_536_000.0).contains(&seconds).then(|| (seconds * 1e6).round() as u64)
}

/// Whole seconds of each ply: differences of the rounded-down sums of its player, so that the
/// sums stay right in forms that know whole seconds only.
pub fn whole_seconds(record: &GameRecord) -> impl Iterator<Item = u64> {
    let used = |ply: &RecordPly| ply.remarks.as_ref().and_then(|remarks| remarks.used_us).unwrap_or(0);
    let (mut mover, mut other) = (0u64, 0u64);
    record.plies.iter().map(move |ply| {
        let before = mover / 1_000_000;
        mover = mover.saturating_add(used(ply));
        let seconds = mover / 1_000_000 - before;
        std::mem::swap(&mut mover, &mut other);
        seconds
    })
}

/// `2026/11/20 16:00:00` of a date as [`GameRecord::date`] holds it; any other text as it is, on one line.
pub fn slashed(date: &str) -> String {
    match date.strip_suffix('Z').filter(|date| utc(date) == format!("{date}Z")) {
        Some(date) => date.replace('-', "/").replace('T', " "),
        None => one_line(date),
    }
}

/// The inverse; a text that is no such date stays unchanged.
pub fn utc(text: &str) -> String {
    let bytes = text.as_bytes();
    let shaped = matches!(
        bytes,
        [_, _, _, _, b'/' | b'-', _, _, b'/' | b'-', _, _, b' ' | b'T', _, _, b':', _, _, b':', _, _, ..]
    );
    match text.get(..19) {
        Some(date) if shaped => date.replace('/', "-").replacen(' ', "T", 1) + "Z",
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlyRemarks, RecordFormat};
    use kaeshi_engine::games::GameName;

    #[test]
    fn clocks_are_read_from_their_words() {
        let clock = |main, increment, byoyomi| Some(RecordTimeControl { main, increment, byoyomi });
        assert_eq!(RecordTimeControl::parse("tc=10+0.1"), clock(10.0, 0.1, 0.0));
        assert_eq!(RecordTimeControl::parse("tc=300/30"), clock(300.0, 0.0, 30.0));
        assert_eq!(RecordTimeControl::parse("byoyomi=1"), clock(0.0, 0.0, 1.0));
        assert_eq!(RecordTimeControl::parse("nodes=20000"), None);
    }

    #[test]
    fn rounded_seconds_add_up_for_each_player() {
        let mut record = GameRecord::new(GameName::Shogi, RecordFormat::Line, 1, "startpos");
        for used_us in [1_600_000, 900_000, 1_600_000, 50_000, 800_000, 60_000] {
            let remarks = PlyRemarks { used_us: Some(used_us), ..PlyRemarks::default() };
            record.plies.push(RecordPly { remarks: Some(Box::new(remarks)), ..RecordPly::new("") });
        }
        assert_eq!(whole_seconds(&record).collect::<Vec<_>>(), [1, 0, 2, 0, 1, 1]);
    }

    #[test]
    fn dates_and_seconds() {
        assert_eq!(slashed("2026-11-20T16:00:00Z"), "2026/11/20 16:00:00");
        assert_eq!(utc("2026/11/20 16:00:00"), "2026-11-20T16:00:00Z");
        assert_eq!(utc("2026-11-20 16:00:00 GMT"), "2026-11-20T16:00:00Z");
        assert_eq!(
            (utc("2026/11/20"), slashed("2026年11月20日 午後4時から")),
            ("2026/11/20".into(), "2026年11月20日 午後4時から".into())
        );
        assert_eq!(microseconds("1.234"), Some(1_234_000));
        for bad in ["", "x", "-1", "1e99", "NaN"] {
            assert_eq!(microseconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_a_text_of_the_shape_of_a_date_is_one() {
        for text in
            ["2026/11/20 16:00", "2026.11.20 16:00:00", "the twentieth of November", "2026/11/20x16:00:00"]
        {
            assert_eq!(utc(text), text);
        }
    }
}
