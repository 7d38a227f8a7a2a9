//! Times as journals and logs write them: in UTC, by RFC 3339.

use std::time::{Duration, SystemTime};

/// Days of 400 years.
const ERA_DAYS: u64 = 146_097;
/// Days from the first of March of the year 0 to 1970.
const BEFORE_1970: u64 = 719_468;
const DAY: u64 = 24 * 60 * 60;

/// To the second: `2026-11-20T16:00:00Z`.
pub fn seconds(time: SystemTime) -> String {
    format!("{}Z", to_second(since_1970(time).as_secs()))
}

/// To the millisecond: `2026-11-20T16:00:00.250Z`.
pub fn milliseconds(time: SystemTime) -> String {
    let since = since_1970(time);
    format!("{}.{:03}Z", to_second(since.as_secs()), since.subsec_millis())
}

/// A clock set before 1970 shows its beginning.
fn since_1970(time: SystemTime) -> Duration {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

fn to_second(since: u64) -> String {
    let ((year, month, day), second) = (date(since / DAY), since % DAY);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

/// Year, month and day of the Gregorian calendar, by the days since 1970 (H. Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms", `civil_from_days`). Years begin in March, so that a leap day is the last of its year.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + BEFORE_1970;
    let (era, of_era) = (days / ERA_DAYS, days % ERA_DAYS);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (400 * era + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_follow_the_calendar() {
        let at = |milliseconds| SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds);
        assert_eq!(seconds(at(0)), "1970-01-01T00:00:00Z");
        assert_eq!(seconds(at(1_795_190_400_999)), "2026-11-20T16:00:00Z");
        assert_eq!(milliseconds(at(951_782_400_000)), "2000-02-29T00:00:00.000Z");
        assert_eq!(milliseconds(at(1_735_689_599_999)), "2024-12-31T23:59:59.999Z");
        assert_eq!(seconds(at(1_709_164_799_000)), "2024-02-28T23:59:59Z");
        assert_eq!(seconds(at(1_709_164_800_000)), "2024-02-29T00:00:00Z");
        assert_eq!(milliseconds(at(4_107_542_400_000)), "2100-03-01T00:00:00.000Z");
    }
}
