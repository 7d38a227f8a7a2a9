//! One player's clock, in whole microseconds.
//!
//! The increment is added *before* the move, so that `rest` is what may be used now; with the same
//! start this gives the same sequence as adding it afterwards to a clock that starts one increment
//! richer. A margin forgives an overstep but never adds time.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::dialogue::limits::ThinkingLimit;
use kaeshi_core::driver::clock::SideClock;

/// Time control and what is left of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchClock {
    limit: ThinkingLimit,
    margin_us: u64,
    clock: SideClock,
    /// Moves of the current period that are still to be made.
    moves_to_go: Option<NonZeroU32>,
    whole_seconds: bool,
}

/// What a move did to the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// How much longer the move took than was allowed.
    pub over_us: u64,
    /// Whether the overstep is beyond the margin.
    pub flag: bool,
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl MatchClock {
    /// A clock at the start of a game.
    pub fn new(limit: ThinkingLimit, margin: Duration) -> MatchClock {
        let (clock, moves_to_go) = match limit {
            ThinkingLimit::Clock { main, increment, byoyomi, moves } => {
                (SideClock::at_start(main, increment, byoyomi), moves)
            }
            _ => (SideClock::default(), None),
        };
        MatchClock { limit, margin_us: micros(margin), clock, moves_to_go, whole_seconds: false }
    }

    /// Counts as CSA servers do, if `wanted`: of the time of a move only whole seconds are charged, and
    /// the move loses when nothing is left after them. A byoyomi of 10 s is lost at 10.000 s, not before.
    pub fn in_whole_seconds(mut self, wanted: bool) -> MatchClock {
        self.whole_seconds = wanted;
        self
    }

    /// The limit it was made of.
    pub fn limit(&self) -> ThinkingLimit {
        self.limit
    }

    /// Main time that may be used for the next move, its increment included; 0 where none runs.
    pub fn rest_us(&self) -> u64 {
        micros(self.clock.left)
    }

    /// Moves until the main time is added again, the next one included; `None` where that never happens.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go.map(NonZeroU32::get)
    }

    /// As [`MatchClock::rest_us`], for the records: `None` where no clock runs.
    pub fn shown_rest(&self) -> Option<u64> {
        matches!(self.limit, ThinkingLimit::Clock { .. }).then(|| self.rest_us())
    }

    /// Time allowed for the next move, without the margin; `None` where no clock runs.
    pub fn allowed_us(&self) -> Option<u64> {
        match self.limit {
            ThinkingLimit::Clock { .. } => Some(micros(self.clock.allowed())),
            ThinkingLimit::MoveTime(time) => Some(micros(time)),
            ThinkingLimit::Nodes(_) | ThinkingLimit::Depth(_) => None,
        }
    }

    /// The same with the margin.
    pub fn deadline(&self) -> Option<Duration> {
        Some(Duration::from_micros(self.allowed_us()? + self.margin_us))
    }

    /// Adds main time, up to what there was at first.
    pub fn add(&mut self, us: u64) {
        if let ThinkingLimit::Clock { main, increment, .. } = self.limit {
            let more = self.clock.left.saturating_add(Duration::from_micros(us));
            self.clock.left = self.clock.left.max(more.min(main + increment));
        }
    }

    /// Takes the time of a move off.
    pub fn charge(&mut self, used_us: u64) -> Charge {
        let used_us = if self.whole_seconds { used_us - used_us % 1_000_000 } else { used_us };
        // Where whole seconds count, the last one must not be used up.
        let reached = used_us.saturating_add(u64::from(self.whole_seconds));
        let over_us = self.allowed_us().map_or(0, |allowed| reached.saturating_sub(allowed));
        if let ThinkingLimit::Clock { moves, main, .. } = self.limit {
            self.clock.charge(Duration::from_micros(used_us));
            self.moves_to_go = self.moves_to_go.and_then(|left| NonZeroU32::new(left.get() - 1));
            if moves.is_some() && self.moves_to_go.is_none() {
                self.clock.left += main;
                self.moves_to_go = moves;
            }
        }
        Charge { over_us, flag: over_us > self.margin_us }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(text: &str, margin_ms: u64) -> MatchClock {
        MatchClock::new(ThinkingLimit::parse_tc(text).unwrap(), Duration::from_millis(margin_ms))
    }

    #[test]
    fn fischer_adds_before_the_move() {
        let mut clock = clock("1+0.5", 0);
        assert_eq!(clock.allowed_us(), Some(1_500_000));
        assert_eq!(clock.charge(1_500_000), Charge { over_us: 0, flag: false });
        assert_eq!(clock.allowed_us(), Some(500_000));
        assert_eq!(clock.charge(500_001), Charge { over_us: 1, flag: true });
    }

    fn byoyomi(main: &str, byoyomi_s: u64) -> MatchClock {
        let limit =
            ThinkingLimit::parse_tc(main).unwrap().with_byoyomi(Duration::from_secs(byoyomi_s)).unwrap();
        MatchClock::new(limit, Duration::ZERO)
    }

    #[test]
    fn each_period_of_moves_has_its_main_time() {
        let mut clock = clock("2/10+1", 0);
        assert_eq!((clock.rest_us(), clock.moves_to_go()), (11_000_000, Some(2)));
        clock.charge(4_000_000);
        assert_eq!((clock.rest_us(), clock.moves_to_go()), (8_000_000, Some(1)));
        assert!(clock.charge(8_000_001).flag);
        assert_eq!((clock.rest_us(), clock.moves_to_go()), (11_000_000, Some(2)));
    }

    #[test]
    fn a_server_counts_whole_seconds() {
        let mut clock = byoyomi("3", 2).in_whole_seconds(true);
        assert_eq!(clock.charge(1_999_999), Charge { over_us: 0, flag: false });
        assert_eq!(clock.rest_us(), 2_000_000);
        assert!(!clock.charge(3_999_999).flag);
        assert_eq!(clock.rest_us(), 0);
        assert!(!clock.charge(1_999_999).flag);
        assert!(clock.charge(2_000_000).flag);
    }

    #[test]
    fn byoyomi_is_never_saved() {
        let mut clock = byoyomi("2", 1);
        assert!(!clock.charge(500_000).flag);
        assert_eq!(clock.allowed_us(), Some(2_500_000));
        assert!(!clock.charge(2_000_000).flag);
        assert_eq!(clock.rest_us(), 0);
        assert!(!clock.charge(999_999).flag);
        assert_eq!(clock.allowed_us(), Some(1_000_000));
        assert_eq!(clock.charge(1_000_001), Charge { over_us: 1, flag: true });
    }

    #[test]
    fn a_margin_forgives_but_never_adds() {
        let mut clock = clock("1", 100);
        assert_eq!(clock.charge(1_100_000), Charge { over_us: 100_000, flag: false });
        assert_eq!(clock.rest_us(), 0);
        assert!(clock.charge(100_001).flag);
    }

    #[test]
    fn time_is_added_up_to_what_there_was() {
        let mut clock = clock("60+1", 0);
        clock.charge(50_000_000);
        clock.add(20_000_000);
        assert_eq!(clock.rest_us(), 32_000_000);
        clock.add(u64::MAX);
        assert_eq!(clock.rest_us(), 61_000_000);
        // A side that has saved more than that keeps it.
        clock.charge(0);
        clock.add(5);
        assert_eq!(clock.rest_us(), 62_000_000);
        let mut nodes = MatchClock::new(ThinkingLimit::Nodes(9), Duration::ZERO);
        nodes.add(5);
        assert_eq!(nodes.rest_us(), 0);
    }

    #[test]
    fn without_a_clock_nothing_can_be_overstepped() {
        let mut clock = MatchClock::new(ThinkingLimit::Nodes(9), Duration::ZERO);
        assert_eq!(clock.charge(u64::MAX), Charge { over_us: 0, flag: false });
        assert_eq!(clock.deadline(), None);
        let mut movetime = MatchClock::new(ThinkingLimit::MoveTime(Duration::from_millis(1)), Duration::ZERO);
        assert!(movetime.charge(1_001).flag && !movetime.charge(1_000).flag);
    }
}
