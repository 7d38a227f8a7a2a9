//! The clocks as a CSA server counts them: whole units, its rounding, the increment before the move.

use std::time::Duration;

use crate::dialogue::limits::ThinkingLimit;
use kaeshi_core::driver::clock::SideClock;

/// A move of an untimed game is thought about for so long.
const UNTIMED: Duration = Duration::from_secs(10);

/// The time control of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsaTimeControl {
    /// What the server counts in, microseconds.
    pub unit_us: u64,
    /// On the clock at the start, units.
    pub total: u64,
    /// For every move once the clock is empty, units.
    pub byoyomi: u64,
    /// Added before every move, units.
    pub increment: u64,
    /// Whether a unit that has begun counts as a whole one.
    pub round_up: bool,
}

impl Default for CsaTimeControl {
    fn default() -> CsaTimeControl {
        CsaTimeControl { unit_us: 1_000_000, total: 0, byoyomi: 0, increment: 0, round_up: false }
    }
}

impl CsaTimeControl {
    /// Whether a clock runs at all.
    pub fn is_timed(&self) -> bool {
        self.total + self.byoyomi + self.increment > 0
    }

    /// This number of units in microseconds; the largest number where that does not fit.
    pub fn micros(&self, units: u64) -> u64 {
        units.saturating_mul(self.unit_us)
    }

    fn time(&self, units: u64) -> Duration {
        Duration::from_micros(self.micros(units))
    }

    /// As an engine and a record have it.
    pub fn limit(&self) -> ThinkingLimit {
        if !self.is_timed() {
            return ThinkingLimit::MoveTime(UNTIMED);
        }
        ThinkingLimit::Clock {
            moves: None,
            main: self.time(self.total),
            increment: self.time(self.increment),
            byoyomi: self.time(self.byoyomi),
        }
    }
}

/// One side's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsaClock {
    terms: CsaTimeControl,
    /// What is left, the increment of the next move included.
    side: SideClock,
}

/// What an engine may use for its move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveBudget {
    /// Its time control, of which increment or byoyomi may be less than the server's.
    pub limit: ThinkingLimit,
    /// Main time that may be used now, the increment included, microseconds.
    pub rest_us: u64,
    /// When an answer is no longer waited for; `None` where no clock runs.
    pub deadline: Option<Duration>,
}

impl CsaClock {
    /// A clock at the start of a game.
    pub fn new(terms: CsaTimeControl) -> CsaClock {
        let [total, increment, byoyomi] =
            [terms.total, terms.increment, terms.byoyomi].map(|units| terms.time(units));
        CsaClock { terms, side: SideClock::at_start(total, increment, byoyomi) }
    }

    /// The clock of a game that goes on after moves that took `used` units each. Some servers have charged
    /// them and some begin anew; the worse case is taken.
    pub fn after(terms: CsaTimeControl, used: impl IntoIterator<Item = u64>) -> CsaClock {
        let mut clock = CsaClock::new(terms);
        used.into_iter().for_each(|used| clock.charge(used));
        clock.side.left = clock.side.left.min(CsaClock::new(terms).side.left);
        clock
    }

    /// Takes the time of a move off, as the server stated it in units.
    pub fn charge(&mut self, used: u64) {
        self.side.charge(self.terms.time(used));
    }

    /// When the flag falls, counted from the beginning of the turn; `None` where no clock runs.
    pub fn flag(&self) -> Option<Duration> {
        let begun = self.terms.time(u64::from(self.terms.round_up));
        self.terms.is_timed().then(|| self.side.allowed().saturating_sub(begun))
    }

    /// What the opponent has, as far as engines are interested.
    pub fn share(&self) -> MoveBudget {
        let rest_us = micros(self.side.left);
        MoveBudget { limit: self.terms.limit(), rest_us, deadline: self.flag() }
    }

    /// What is left for a move when `spent` of the turn has passed and `margin` is kept for the network: at
    /// most half of the time, so that short byoyomi and increments are not eaten up. It is taken from the
    /// main time first, then from increment and byoyomi of this move.
    pub fn share_after(&self, spent: Duration, margin: Duration) -> MoveBudget {
        let Some(flag) = self.flag() else { return self.share() };
        let left = flag.saturating_sub(spent);
        let margin = margin.min(left / 2);
        let begun = self.terms.time(u64::from(self.terms.round_up));
        let mut lost = begun.saturating_add(spent).saturating_add(margin);
        let mut take = |time: Duration| {
            let kept = time.saturating_sub(lost);
            lost = lost.saturating_sub(time);
            kept
        };
        let SideClock { left: on_clock, increment, byoyomi } = self.side;
        let rest = take(on_clock.saturating_sub(increment));
        let increment = take(increment);
        let byoyomi = take(byoyomi);
        let main = self.terms.time(self.terms.total);
        MoveBudget {
            limit: ThinkingLimit::Clock { moves: None, main, increment, byoyomi },
            rest_us: micros(rest + increment),
            deadline: Some(left.saturating_sub(margin / 2)),
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn seconds(total: u64, byoyomi: u64, increment: u64) -> CsaTimeControl {
        CsaTimeControl { total, byoyomi, increment, ..CsaTimeControl::default() }
    }

    fn parts(share: MoveBudget) -> (u64, u64, u64) {
        let ThinkingLimit::Clock { increment, byoyomi, .. } = share.limit else { panic!("no clock") };
        (share.rest_us / 1000, micros(increment) / 1000, micros(byoyomi) / 1000)
    }

    #[test]
    fn the_increment_comes_before_the_move() {
        let mut clock = CsaClock::new(seconds(10, 0, 1));
        assert_eq!(clock.flag(), Some(ms(11_000)));
        clock.charge(4);
        assert_eq!(clock.flag(), Some(ms(8_000)));
        clock.charge(0);
        assert_eq!(clock.flag(), Some(ms(9_000)));
        clock.charge(100);
        assert_eq!(clock.flag(), Some(ms(1_000)));
    }

    #[test]
    fn units_and_rounding_move_the_flag() {
        let minute = CsaTimeControl { unit_us: 60_000_000, ..seconds(10, 0, 0) };
        assert_eq!(CsaClock::new(minute).flag(), Some(ms(600_000)));
        let up = CsaTimeControl { round_up: true, ..seconds(10, 2, 0) };
        assert_eq!(CsaClock::new(up).flag(), Some(ms(11_000)));
        let milli = CsaTimeControl { unit_us: 1_000, ..seconds(1_500, 0, 20) };
        assert_eq!(CsaClock::new(milli).flag(), Some(ms(1_520)));
        assert_eq!(CsaClock::new(seconds(0, 0, 0)).flag(), None);
    }

    #[test]
    fn the_margin_is_taken_from_the_main_time_first() {
        let share = |terms, used, spent, margin| {
            let mut clock = CsaClock::new(terms);
            clock.charge(used);
            clock.share_after(ms(spent), ms(margin))
        };
        let fischer = seconds(10, 0, 1);
        assert_eq!(parts(share(fischer, 3, 200, 1_000)), (7_800, 1_000, 0));
        assert_eq!(parts(share(fischer, 11, 0, 1_000)), (500, 500, 0));
        let byoyomi = seconds(10, 5, 0);
        assert_eq!(parts(share(byoyomi, 10, 100, 1_000)), (0, 0, 3_900));
        assert_eq!(parts(share(byoyomi, 8, 100, 1_000)), (900, 0, 5_000));
        assert_eq!(share(byoyomi, 10, 100, 1_000).deadline, Some(ms(4_400)));
        // A second that has begun counts whole.
        let up = CsaTimeControl { round_up: true, ..seconds(0, 5, 0) };
        assert_eq!(parts(share(up, 0, 0, 1_000)), (0, 0, 3_000));
        assert_eq!(parts(share(seconds(0, 2, 0), 0, 5_000, 1_000)), (0, 0, 0));
    }

    #[test]
    fn a_game_that_goes_on_has_the_worse_of_both_clocks() {
        let terms = seconds(100, 0, 2);
        assert_eq!(CsaClock::after(terms, [10, 1, 10]).flag(), Some(ms(87_000)));
        assert_eq!(CsaClock::after(terms, [1, 1]).flag(), Some(ms(102_000)));
    }

    #[test]
    fn no_time_of_a_server_overflows() {
        let much = CsaTimeControl { unit_us: 60_000_000, ..seconds(1 << 31, 1 << 31, 1 << 31) };
        let mut clock = CsaClock::new(much);
        clock.charge(u64::MAX >> 1);
        assert!(clock.share_after(Duration::MAX, Duration::MAX).deadline.is_some());
    }
}
