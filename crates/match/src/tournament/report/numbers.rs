//! Numbers and names as people read them.

use crate::tournament::journal::{EngineInfo, JournalOpen};
use crate::tournament::summary::{Estimate, MatchSummary, Strength};
use kaeshi_engine::games::GameName;

/// An Elo difference with its error; bounds where one end is infinite.
pub fn elo(strength: &Strength) -> String {
    let Some(Estimate { value, low, high }) = strength.elo else { return "–".into() };
    match (value, low, high) {
        (Some(value), Some(low), Some(high)) if is_lopsided(value, low, high) => {
            format!("{} ({low:+.0} … {high:+.0})", signed(value))
        }
        (Some(value), Some(low), Some(high)) => format!("{} ± {:.1}", signed(value), (high - low) / 2.0),
        (Some(value), Some(low), None) => format!("{value:+.1} (> {low:+.0})"),
        (Some(value), None, Some(high)) => format!("{value:+.1} (< {high:+.0})"),
        (None, Some(low), _) => format!("> {low:+.0}"),
        (None, _, Some(high)) => format!("< {high:+.0}"),
        _ => "unknown".into(),
    }
}

/// Whether the ends of an interval are so unlike that half its width says little.
fn is_lopsided(value: f64, low: f64, high: f64) -> bool {
    let (below, above) = (value - low, high - value);
    below.max(above) > 1.25 * below.min(above)
}

/// A number with its sign and one decimal; what rounds to nothing is `+0.0`.
fn signed(value: f64) -> String {
    let value = if value.abs() < 0.05 { 0.0 } else { value };
    format!("{value:+.1}")
}

/// Normalised Elo with its error.
pub fn normalised_elo(strength: &Strength) -> String {
    match strength.normalised_elo {
        Some(Estimate { value: Some(value), low: Some(low), high: Some(high) }) => {
            format!("{} ± {:.1}", signed(value), (high - low) / 2.0)
        }
        _ => "–".into(),
    }
}

/// A share as per cent with one decimal.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Points, without needless decimals.
pub fn points(points: f64) -> String {
    if points.fract() == 0.0 { format!("{points:.0}") } else { format!("{points:.1}") }
}

/// A time in the unit that suits it.
pub fn duration(us: u64) -> String {
    match us {
        0 => "0".into(),
        1..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{:.1} ms", us as f64 / 1e3),
        1_000_000..120_000_000 => format!("{:.2} s", us as f64 / 1e6),
        120_000_000..7_200_000_000 => format!("{:.1} min", us as f64 / 6e7),
        _ => format!("{:.1} h", us as f64 / 3.6e9),
    }
}

/// A large count in thousands or millions.
pub fn large(count: f64) -> String {
    match count {
        c if c >= 1e9 => format!("{:.2} G", c / 1e9),
        c if c >= 1e6 => format!("{:.2} M", c / 1e6),
        c if c >= 1e3 => format!("{:.1} k", c / 1e3),
        c => format!("{c:.0}"),
    }
}

/// What one line of a table can show of a text that an engine chose.
pub fn printable(text: &str) -> String {
    const LONGEST: usize = 60;
    cut(text, LONGEST)
}

/// What a separate line can show of a text with names that engines chose.
pub fn printable_long(text: &str) -> String {
    const LONGEST: usize = 300;
    cut(text, LONGEST)
}

fn cut(text: &str, longest: usize) -> String {
    let mut shown: String =
        text.chars().take(longest).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().count() > longest {
        shown.push('…');
    }
    shown
}

/// The limits of all engines, once if they are equal.
pub fn limits(open: &JournalOpen) -> String {
    let limit = |engine: &EngineInfo| engine.limit.clone();
    match open.engines.split_first() {
        Some((first, rest)) if rest.iter().all(|engine| engine.limit == first.limit) => limit(first),
        _ => open
            .engines
            .iter()
            .map(|engine| format!("{} {}", printable(&engine.name), limit(engine)))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// The name of engine `index`.
pub fn name(summary: &MatchSummary, index: usize) -> String {
    summary.engines.get(index).map_or_else(|| "?".into(), |engine| printable(&engine.name))
}

/// What the two players of a game are called, first mover first.
pub fn colours(game: &str) -> [&'static str; 2] {
    GameName::facts_of(game).map_or(["first", "second"], |facts| facts.colours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_statistics::ResultCounts;

    #[test]
    fn elo_shows_what_is_known() {
        let shown = |counts: ResultCounts| elo(&Strength::from(&counts));
        assert_eq!(shown(ResultCounts::Pairs([12, 85, 201, 118, 24])), "+22.5 ± 14.3");
        assert_eq!(shown(ResultCounts::games(20, 0, 0)), "> +277");
        assert_eq!(shown(ResultCounts::games(0, 0, 20)), "< -277");
        assert_eq!(shown(ResultCounts::Pairs([0, 0, 1, 1, 6])), "+394.1 (+112 … +865)");
        assert_eq!(shown(ResultCounts::Pairs([0, 0, 1, 0, 9])), "+511.5 (+192 … +1159)");
        assert_eq!(shown(ResultCounts::Pairs([0, 0, 1, 0, 0])), "+0.0 ± 757.9");
        assert_eq!(shown(ResultCounts::Pairs([1, 100, 202, 100, 1])), "+0.0 ± 12.2");
        assert_eq!(shown(ResultCounts::Pairs([0; 5])), "–");
    }

    #[test]
    fn times_have_a_fitting_unit() {
        let shown: Vec<String> = [0, 999, 12_345, 1_234_567, 300_000_000, 9_000_000_000].map(duration).into();
        assert_eq!(shown, ["0", "999 µs", "12.3 ms", "1.23 s", "5.0 min", "2.5 h"]);
    }

    #[test]
    fn a_name_cannot_steer_the_terminal() {
        assert_eq!(printable("evil\u{1b}[2J\r\nname"), "evil?[2J??name");
        assert_eq!(printable(&"x".repeat(99)).chars().count(), 61);
    }
}
