//! How often drawn games are replayed, and with which clocks.

use std::time::Duration;

use serde::Deserialize;

use crate::dialogue::clock::MatchClock;
use crate::dialogue::limits::{ThinkingLimit, parse_time};
use crate::roster::Scalar;

/// Most replays of a game.
const MOST: u8 = 100;

/// How drawn games are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "ReplayLimits")]
pub struct Replays {
    /// So often at most; then such a game is a draw.
    pub most: u8,
    /// The side with the least time gets as much as this, and the opponent as much on top; neither more than at the
    /// start of the first leg. The Japan Shogi Association has an hour.
    pub floor: Duration,
    /// Whether the colours are exchanged; in handicap games they are not.
    pub exchanged: bool,
}

/// The same in the words of the command line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplayLimits {
    /// Replays of a game at most, 1 to 100; then such a game is a draw.
    replays: u32,
    /// Time that the shorter clock is raised to, for instance 60s.
    #[serde(default)]
    floor: Option<Scalar>,
}

impl TryFrom<ReplayLimits> for Replays {
    type Error = String;

    fn try_from(words: ReplayLimits) -> Result<Replays, String> {
        let most = u8::try_from(words.replays).ok().filter(|most| (1..=MOST).contains(most));
        let most = most.ok_or_else(|| format!("replays={} is not between 1 and {MOST}", words.replays))?;
        let floor = words.floor.map_or(Ok(Duration::ZERO), |Scalar(text)| parse_time(&text))?;
        Ok(Replays { most, floor, exchanged: true })
    }
}

impl Replays {
    /// The clocks of the next leg.
    pub(super) fn carry_over(self, clocks: &mut [MatchClock; 2]) {
        let running = clocks.iter().filter(|clock| matches!(clock.limit(), ThinkingLimit::Clock { .. }));
        let floor = u64::try_from(self.floor.as_micros()).unwrap_or(u64::MAX);
        let lacking = running.map(|clock| floor.saturating_sub(clock.rest_us())).max().unwrap_or(0);
        clocks.iter_mut().for_each(|clock| clock.add(lacking));
        if self.exchanged {
            clocks.swap(0, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replays(json: &str) -> Result<Replays, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    fn carried(floor: &str, limits: [&str; 2], used_s: [u64; 2]) -> [u64; 2] {
        let rule = replays(&format!(r#"{{"replays":2,"floor":"{floor}"}}"#)).unwrap();
        let clock = |text: &str| match text.parse() {
            Ok(nodes) => MatchClock::new(ThinkingLimit::Nodes(nodes), Duration::ZERO),
            Err(_) => MatchClock::new(ThinkingLimit::parse_tc(text).unwrap(), Duration::ZERO),
        };
        let mut clocks = limits.map(clock);
        for (clock, seconds) in clocks.iter_mut().zip(used_s) {
            clock.charge(seconds * 1_000_000);
        }
        rule.carry_over(&mut clocks);
        clocks.map(|clock| clock.rest_us() / 1_000_000)
    }

    #[test]
    fn clocks_go_on_with_their_owners() {
        assert_eq!(carried("0", ["100+0", "100+0"], [60, 10]), [90, 40]);
        assert_eq!(carried("0", ["100s", "100s"], [100, 10]), [90, 0]);
    }

    #[test]
    fn a_floor_lifts_the_shorter_clock_and_the_other_by_as_much() {
        assert_eq!(carried("60", ["100+0", "100+0"], [60, 70]), [60, 70]);
        assert_eq!(carried("60", ["100+0", "100+0"], [60, 10]), [100, 60], "never more than at first");
        assert_eq!(carried("1m", ["30+0", "30+0"], [10, 20]), [30, 30], "nor for the shorter one");
        assert_eq!(carried("20", ["100+0", "100+0"], [60, 10]), [90, 40]);
        // A clock that does not run raises no other clock.
        assert_eq!(carried("60", ["1000", "100+0"], [9, 60]), [60, 0]);
    }

    #[test]
    fn the_number_of_replays_is_bounded() {
        assert_eq!(replays(r#"{"replays":3}"#).unwrap().most, 3);
        for wrong in [0, 101, 300] {
            let error = replays(&format!(r#"{{"replays":{wrong}}}"#)).unwrap_err();
            assert!(error.contains("is not between 1 and 100"), "{error}");
        }
        assert!(replays(r#"{"replays":1,"flor":"1"}"#).unwrap_err().contains("flor"));
        assert!(replays(r#"{"replays":1,"floor":"soon"}"#).unwrap_err().contains("'soon'"));
    }
}
