//! The clocks of a game between people and engines: main time, increment, byoyomi; they can be paused.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use kaeshi_core::driver::clock::SideClock;
use kaeshi_core::game::Side;
use kaeshi_core::time::Instant;

/// The time control, in the units in which people say it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TimeControl {
    /// Main time in minutes, up to 600.
    pub minutes: f64,
    /// Seconds for each turn once the main time is used up, up to 3600.
    pub byoyomi: f64,
    /// Seconds added after each turn, up to 600.
    pub increment: f64,
}

impl TimeControl {
    /// The same control, if each time is within its bounds and not all are zero.
    pub(super) fn checked(self) -> Option<TimeControl> {
        let fits = |value: f64, most: f64| (0.0..=most).contains(&value);
        let bounded = fits(self.minutes, 600.0) && fits(self.byoyomi, 3600.0) && fits(self.increment, 600.0);
        let any = self.minutes > 0.0 || self.byoyomi >= 1.0 || self.increment >= 1.0;
        (bounded && any).then_some(self)
    }
}

/// Both clocks.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    control: TimeControl,
    /// Time left while no clock runs.
    sides: [SideClock; 2],
    running: Option<(Side, Instant)>,
    /// The first turn costs no time: the clocks begin to run after it.
    begun: bool,
}

impl Clocks {
    /// Clocks at the start of a game.
    pub(super) fn new(control: TimeControl) -> Clocks {
        let seconds = Duration::from_secs_f64;
        let side = SideClock::at_start(
            seconds(control.minutes * 60.0),
            seconds(control.increment),
            seconds(control.byoyomi),
        );
        Clocks { control, sides: [side; 2], running: None, begun: false }
    }

    /// The time control.
    pub(super) fn control(&self) -> TimeControl {
        self.control
    }

    /// Whether the first turn has been made.
    pub(super) fn have_begun(&self) -> bool {
        self.begun
    }

    /// Sets the main times left, as a saved game has them, and whether the clocks have begun to run.
    pub(super) fn set(&mut self, main: [Duration; 2], begun: bool) {
        self.begun = begun;
        for (clock, left) in self.sides.iter_mut().zip(main) {
            clock.left = left.min(Duration::from_secs(36_000 + 600));
        }
    }

    /// Time for one turn beside the main time.
    pub(super) fn byoyomi(&self) -> Duration {
        self.sides[0].byoyomi
    }

    /// Main time and byoyomi left for the turn that is being thought about.
    pub(super) fn left(&self, side: Side, now: Instant) -> (Duration, Duration) {
        let used = match self.running {
            Some((runner, since)) if runner == side => now.saturating_duration_since(since),
            _ => Duration::ZERO,
        };
        self.sides[side.index()].after(used)
    }

    /// When the running clock has run out.
    pub(super) fn deadline(&self) -> Option<(Side, Instant)> {
        let (side, since) = self.running?;
        Some((side, since + self.sides[side.index()].allowed()))
    }

    /// The side whose clock runs.
    pub(super) fn runner(&self) -> Option<Side> {
        self.running.map(|(side, _)| side)
    }

    /// The clock of `side` runs, that of the other stands.
    pub(super) fn run(&mut self, side: Side, now: Instant) {
        if self.runner() != Some(side) {
            self.stop(now);
            self.running = Some((side, now));
        }
    }

    /// Stops the clocks. Used byoyomi is restored.
    pub(super) fn stop(&mut self, now: Instant) {
        if let Some((side, since)) = self.running.take() {
            self.sides[side.index()].spend(now.saturating_duration_since(since));
        }
    }

    /// A turn was made: the increment is added, and no clock runs.
    pub(super) fn turn_made(&mut self, side: Side, now: Instant) {
        self.begun = true;
        self.stop(now);
        self.sides[side.index()].charge(Duration::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn main_time_is_used_before_byoyomi_which_comes_anew() {
        let control = TimeControl { minutes: 1.0, byoyomi: 10.0, increment: 0.0 };
        let (mut clocks, start) = (Clocks::new(control), Instant::now());
        clocks.run(Side::First, start);
        assert_eq!(clocks.left(Side::First, start + 59 * SECOND), (SECOND, 10 * SECOND));
        assert_eq!(clocks.left(Side::First, start + 63 * SECOND), (Duration::ZERO, 7 * SECOND));
        assert_eq!(clocks.deadline(), Some((Side::First, start + 70 * SECOND)));
        clocks.turn_made(Side::First, start + 63 * SECOND);
        clocks.run(Side::Second, start + 63 * SECOND);
        assert_eq!(clocks.left(Side::Second, start + 64 * SECOND).0, 59 * SECOND);
        clocks.run(Side::First, start + 65 * SECOND);
        assert_eq!(clocks.left(Side::First, start + 65 * SECOND), (Duration::ZERO, 10 * SECOND));
    }

    #[test]
    fn the_increment_comes_before_each_turn() {
        let control = TimeControl { minutes: 0.0, byoyomi: 0.0, increment: 3.0 };
        let (mut clocks, start) = (Clocks::new(control), Instant::now());
        clocks.run(Side::First, start);
        assert_eq!(clocks.left(Side::First, start + SECOND).0, 2 * SECOND);
        clocks.turn_made(Side::First, start + SECOND);
        assert_eq!(clocks.left(Side::First, start + SECOND).0, 5 * SECOND);
    }

    #[test]
    fn a_clock_without_time_or_beyond_its_bounds_is_refused() {
        let checked = |minutes, byoyomi, increment| TimeControl { minutes, byoyomi, increment }.checked();
        for [minutes, byoyomi, increment] in
            [[0.0, 0.0, 0.0], [-5.0, 30.0, 0.0], [f64::NAN, 30.0, 0.0], [1e300, 0.0, 0.0], [10.0, 0.0, -1.0]]
        {
            assert_eq!(checked(minutes, byoyomi, increment), None, "{minutes} {byoyomi} {increment}");
        }
        assert!(checked(0.0, 30.0, 0.0).is_some() && checked(600.0, 3600.0, 600.0).is_some());
    }
}
