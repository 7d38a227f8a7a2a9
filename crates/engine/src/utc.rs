//! Times as journals and logs write them: in UTC, by RFC 3339.

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};

/// To the second: `2026-11-20T16:00:00Z`.
pub fn seconds(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// To the millisecond: `2026-11-20T16:00:00.250Z`.
pub fn milliseconds(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_follow_the_calendar() {
        let at = |milliseconds| SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds);
        assert_eq!(seconds(at(0)), "1970-01-01T00:00:00Z");
        assert_eq!(seconds(at(1_795_190_400_999)), "2026-11-20T16:00:00Z");
        assert_eq!(milliseconds(at(951_782_400_000)), "2000-02-29T00:00:00.000Z");
        assert_eq!(milliseconds(at(1_735_689_599_999)), "2024-12-31T23:59:59.999Z");
        assert_eq!(milliseconds(at(4_107_542_400_000)), "2100-03-01T00:00:00.000Z");
    }
}
