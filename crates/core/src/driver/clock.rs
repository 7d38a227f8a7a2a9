//! How long to think: from the limits of a `go` to a soft and a hard budget.

use std::fmt;
use std::time::Duration;

use crate::driver::settings::EngineSettings;
use crate::game::TimeAllocation;
use crate::game::root_report::RootReportRequest;
use crate::time::Instant;

/// One side's clock as the GUI sends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideClock {
    /// Main time left.
    pub left: Duration,
    /// Added after every move.
    pub increment: Duration,
    /// Time per move once the main time is used up; not saved.
    pub byoyomi: Duration,
}

impl SideClock {
    /// A clock before the first move, which includes its increment.
    pub fn at_start(main: Duration, increment: Duration, byoyomi: Duration) -> SideClock {
        SideClock { left: main.saturating_add(increment), increment, byoyomi }
    }

    /// Time that the next move may take.
    pub fn allowed(&self) -> Duration {
        self.left.saturating_add(self.byoyomi)
    }

    /// Main time and byoyomi that are left once a move has taken `used`.
    pub fn after(&self, used: Duration) -> (Duration, Duration) {
        let beyond = used.saturating_sub(self.left);
        (self.left.saturating_sub(used), self.byoyomi.saturating_sub(beyond))
    }

    /// Subtracts time without a move. Used byoyomi is restored.
    pub fn spend(&mut self, used: Duration) {
        self.left = self.left.saturating_sub(used);
    }

    /// A move was made in `used`; the increment for the next one is added.
    pub fn charge(&mut self, used: Duration) {
        self.spend(used);
        self.left = self.left.saturating_add(self.increment);
    }
}

/// How long `go mate` may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MateLimit {
    /// A duration.
    Time(Duration),
    /// Until it is decided, or `stop`.
    Infinite,
}

/// The limits of a `go`. All given limits hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// When the line was read: the clock runs from here.
    pub received: Instant,
    /// Clocks of the first and the second side.
    pub clocks: Option<[SideClock; 2]>,
    /// Exactly this long.
    pub movetime: Option<Duration>,
    /// Time a move, drawn anew for each from this duration to 1.5 times as much.
    pub random_time: Option<Duration>,
    /// A number of nodes.
    pub nodes: Option<u64>,
    /// Plies.
    pub depth: Option<u16>,
    /// Search for mate only.
    pub mate: Option<MateLimit>,
    /// Until `stop`.
    pub infinite: bool,
    /// On the opponent's time: until `stop` or `ponderhit`.
    pub ponder: bool,
    /// Only these turns.
    pub turns: Vec<String>,
    /// The reports about the root at the end.
    pub root_report: RootReportRequest,
}

impl Limits {
    /// Main time and byoyomi left to `side`, without increments to come; zero without a clock.
    pub fn at_hand(&self, side: usize) -> Duration {
        self.clocks.map_or(Duration::ZERO, |clocks| clocks[side & 1].allowed())
    }

    /// No limit at all, received now.
    pub fn none() -> Limits {
        Limits {
            received: Instant::now(),
            clocks: None,
            movetime: None,
            random_time: None,
            nodes: None,
            depth: None,
            mate: None,
            infinite: false,
            ponder: false,
            turns: Vec::new(),
            root_report: RootReportRequest::default(),
        }
    }
}

/// How long one search may take, counted from [`Limits::received`]. `None`: no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// No new iteration after this.
    pub soft: Option<Duration>,
    /// The search is cut off here.
    pub hard: Option<Duration>,
    /// Whether a clear case may end the search before `soft`.
    pub flexible: bool,
    /// Time counts in full seconds: a second begun is used up but for this margin.
    pub full_seconds: Option<Duration>,
}

impl Budget {
    /// No limit.
    pub const ENDLESS: Budget = Budget { soft: None, hard: None, flexible: false, full_seconds: None };

    fn fixed(time: Duration) -> Budget {
        Budget { soft: Some(time), hard: Some(time), flexible: false, full_seconds: None }
    }

    /// When no new iteration is to begin: the soft limit, stretched by `factor` if it is flexible.
    pub fn end(&self, factor: f32) -> Option<Duration> {
        let factor = if self.flexible { f64::from(factor) } else { 1.0 };
        let end = seconds(self.soft?.as_secs_f64() * factor);
        Some(match self.full_seconds {
            Some(delay) => full_seconds(end, delay).min(self.hard.unwrap_or(Duration::MAX)),
            None => end,
        })
    }
}

/// For the log.
impl fmt::Display for Budget {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = |limit: Option<Duration>| match limit {
            Some(time) => format!("{} ms", time.as_millis()),
            None => "none".to_owned(),
        };
        write!(out, "soft limit {}, hard limit {}", limit(self.soft), limit(self.hard))
    }
}

/// The last moment of the second that `time` ends in, `delay` before its end; of the next one if `time` is
/// behind that.
fn full_seconds(time: Duration, delay: Duration) -> Duration {
    let begun = (time + delay).as_nanos().div_ceil(Duration::from_secs(1).as_nanos());
    Duration::from_secs(u64::try_from(begun).unwrap_or(u64::MAX)).saturating_sub(delay)
}

/// Main time below this multiple of the byoyomi is not worth saving.
const BYOYOMI_ALL_IN: f64 = 1.2;
/// The share of an increment that the plan counts on,
const INCREMENT_SHARE: f64 = 0.9;
/// and the factor of that share with an empty clock: near zero the clock has to grow first.
const INCREMENT_SHARE_WHEN_EMPTY: f64 = 0.3;
/// Upper limit of a move: its share and this part of the remaining main time.
const LARGEST_PART: f64 = 0.4;
/// An iteration begun late is often lost: stop at this part of the planned time.
const SOFT_PART: f64 = 0.7;
/// Main time is planned with down to this many delays: a machine may stall for longer than its configured delay, and
/// the reserve then still prevents a loss on time.
const RESERVE: f64 = 3.0;
/// With fewer turns than this to go, the reserve is smaller in proportion.
const RESERVE_TURNS: f64 = 12.0;
/// However little is left, this part of it is planned with: better a move than a reserve.
const SPENT_PART: f64 = 0.25;
/// However large the delays are set, this part of the time at hand is used.
const USABLE_PART: f64 = 0.8;

/// The budget that `limits` leave the side to move, `side` being 0 or 1, at this pace.
///
/// A clock as the GUI sends it may or may not hold the increment of the present move, so it is
/// counted only where there is nothing else.
pub fn budget(limits: &Limits, settings: &EngineSettings, side: usize, pace: TimeAllocation) -> Budget {
    let budget = unchecked_budget(limits, settings, side, pace);
    debug_assert!(budget.hard.is_none() || budget.soft <= budget.hard, "{budget:?}");
    budget
}

fn unchecked_budget(limits: &Limits, settings: &EngineSettings, side: usize, pace: TimeAllocation) -> Budget {
    if limits.infinite {
        return Budget::ENDLESS;
    }
    let by_clock = limits.clocks.map(|clocks| {
        let clock = clocks[side & 1];
        from_clock(clock, settings, pace)
    });
    let by_time = limits.movetime.map(|time| Budget::fixed(usable(time, settings.network_delay)));
    match (by_clock, by_time) {
        (Some(clock), Some(time)) if clock.hard < time.hard => clock,
        (_, Some(time)) => time,
        (Some(clock), None) => clock,
        (None, None) => Budget::ENDLESS,
    }
}

fn from_clock(clock: SideClock, settings: &EngineSettings, pace: TimeAllocation) -> Budget {
    let at_hand = clock.left.max(clock.increment) + clock.byoyomi;
    let last_moment = usable(at_hand, settings.network_delay2);
    if clock.left.as_secs_f64() < clock.byoyomi.as_secs_f64() * BYOYOMI_ALL_IN {
        return Budget::fixed(last_moment);
    }
    let turns = f64::from(pace.turns_left());
    // Until the reserve is saved, only a part of the increment is spent.
    let reserve = settings.network_delay2.as_secs_f64() * RESERVE * (turns / RESERVE_TURNS).min(1.0);
    let left = clock.left.as_secs_f64();
    let saved = (left - reserve).max(left * SPENT_PART);
    let fill = (left / reserve.max(0.001)).min(1.0);
    let increment_share = INCREMENT_SHARE_WHEN_EMPTY + (INCREMENT_SHARE - INCREMENT_SHARE_WHEN_EMPTY) * fill;
    let increment = clock.increment.as_secs_f64() * increment_share;
    let share = first_share(&pace.weights, saved, increment) / f64::from(pace.mean_use);
    let share = share + clock.byoyomi.as_secs_f64();
    let share = share * f64::from(settings.slow_mover) / 100.0;
    let longest = (share * f64::from(pace.longest)).min(saved * LARGEST_PART + share);
    let hard = seconds(longest).max(settings.minimum_thinking_time).min(last_moment);
    let planned = usable(seconds(share * SOFT_PART), settings.network_delay);
    let soft = planned.max(clock.byoyomi.mul_f64(USABLE_PART)).max(settings.minimum_thinking_time).min(hard);
    if !settings.full_seconds {
        return Budget { soft: Some(soft), hard: Some(hard), flexible: true, full_seconds: None };
    }
    let delay = settings.network_delay;
    let hard = full_seconds(hard, delay).min(last_moment);
    Budget { soft: Some(soft), hard: Some(hard), flexible: true, full_seconds: Some(delay) }
}

/// The share of the first of these turns in `saved` seconds, where each later turn brings `increment` seconds: in
/// proportion to the weights, except that every turn gets an increment at least.
///
/// Later turns whose share would be smaller than that live on their increments, and neither take nor give; so the
/// heaviest ones are taken in as long as they need more.
fn first_share(weights: &[f32], saved: f64, increment: f64) -> f64 {
    let Some((&first, later)) = weights.split_first() else { return saved };
    let mut later = later.to_vec();
    later.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut time, mut weight) = (saved, f64::from(first));
    for other in later.into_iter().map(f64::from) {
        if time * other <= increment * weight {
            break;
        }
        time += increment;
        weight += other;
    }
    (time / weight * f64::from(first)).max(increment)
}

/// `time` less `delay`, and at least [`USABLE_PART`] of it; less 1 ms.
fn usable(time: Duration, delay: Duration) -> Duration {
    time.saturating_sub(delay).max(time.mul_f64(USABLE_PART)).saturating_sub(Duration::from_millis(1))
}

fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(value: u64) -> Duration {
        Duration::from_millis(value)
    }

    fn plan(left: u64, increment: u64, byoyomi: u64) -> Budget {
        let clock = SideClock { left: ms(left), increment: ms(increment), byoyomi: ms(byoyomi) };
        let limits = Limits { clocks: Some([clock; 2]), ..Limits::none() };
        budget(&limits, &EngineSettings::default(), 0, TimeAllocation::even(40.0))
    }

    #[test]
    fn no_budget_reaches_the_flag() {
        for left in [0, 1, 5, 10, 100, 1_000, 60_000, 36_000_000] {
            for increment in [0, 1, 100, 10_000] {
                for byoyomi in [0, 10, 1_000, 60_000] {
                    let plan = plan(left, increment, byoyomi);
                    let flag = ms(left.max(increment) + byoyomi);
                    assert!(plan.soft <= plan.hard, "{left}+{increment}/{byoyomi}: {plan:?}");
                    assert!(
                        plan.hard.unwrap() < flag || flag.is_zero(),
                        "{left}+{increment}/{byoyomi}: {plan:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn byoyomi_alone_is_used_up_to_the_delay() {
        let plan = plan(0, 0, 10_000);
        assert_eq!(plan.soft, plan.hard);
        assert_eq!(plan.hard, Some(ms(10_000 - 50 - 1)));
    }

    #[test]
    fn a_stall_of_two_delays_costs_no_game() {
        for left in (150..3_000).step_by(10) {
            let plan = plan(left, 10, 0);
            assert!(plan.hard.unwrap() + ms(100) < ms(left), "{left}: {plan:?}");
        }
    }

    #[test]
    fn little_is_kept_where_few_turns_are_left() {
        let left = |turns| {
            let mut left = ms(1_000);
            for turns in (1..=turns).rev() {
                let clock = (left.as_millis() as u64, 0, 0);
                left -= plan_with(clock, turns as f32, &EngineSettings::default()).soft.unwrap();
            }
            left
        };
        assert!(left(20) < ms(250) && left(20) > ms(40), "{:?}", left(20));
    }

    #[test]
    fn without_any_time_the_answer_is_immediate() {
        assert_eq!(plan(0, 0, 0).hard, Some(Duration::ZERO));
    }

    #[test]
    fn byoyomi_is_never_left_unused_while_main_time_remains() {
        assert!(plan(600_000, 0, 10_000).soft.unwrap() >= ms(8_000));
    }

    #[test]
    fn infinite_knows_no_clock() {
        let clock = SideClock { left: ms(1_000), ..SideClock::default() };
        let limits = Limits { clocks: Some([clock; 2]), infinite: true, ..Limits::none() };
        assert_eq!(
            budget(&limits, &EngineSettings::default(), 0, TimeAllocation::even(40.0)),
            Budget::ENDLESS
        );
    }

    #[test]
    fn the_second_side_plays_on_its_own_clock() {
        let rich = SideClock { left: ms(600_000), ..SideClock::default() };
        let poor = SideClock { left: ms(1_000), ..SideClock::default() };
        let limits = Limits { clocks: Some([rich, poor]), ..Limits::none() };
        let settings = EngineSettings::default();
        assert!(budget(&limits, &settings, 1, TimeAllocation::even(40.0)).hard < Some(ms(1_000)));
        assert!(budget(&limits, &settings, 0, TimeAllocation::even(40.0)).hard > Some(ms(10_000)));
    }

    type Plan = ((u64, u64, u64), f32, (u64, u64));

    /// Worked through by hand from the constants: clock (left, increment, byoyomi), turns left, soft and hard
    /// limit, all times in milliseconds. 600 s for 40 turns are (600 - 0.15) / 40 = 14.996 s a turn, of which 0.7
    /// less 20 ms and 1 ms are the soft limit, and four times as much the hard one. 5 s for six turns keep half
    /// of the reserve: (5 - 0.075) / 6 = 0.821 s a turn.
    const PLANS: [Plan; 14] = [
        ((600_000, 0, 0), 40.0, (10_476, 59_985)),
        ((600_000, 5_000, 0), 40.0, (13_547, 77_535)),
        ((1_000, 1_000, 0), 40.0, (609, 949)),
        ((60_000, 0, 10_000), 40.0, (8_026, 35_436)),
        ((11_000, 0, 10_000), 40.0, (20_949, 20_949)),
        ((12_500, 0, 10_000), 40.0, (8_000, 15_248)),
        ((100, 2_000, 0), 30.0, (959, 1_410)),
        ((0, 2_000, 0), 30.0, (399, 600)),
        ((300, 10, 0), 40.0, (6, 50)),
        ((5_000, 0, 0), 1.0, (1_720, 4_477)),
        ((5_000, 0, 0), 6.0, (553, 2_790)),
        ((180_000, 2_000, 0), 20.0, (7_470, 42_810)),
        ((900, 0, 0), 40.0, (9, 75)),
        ((75, 1_000, 0), 40.0, (399, 607)),
    ];

    fn in_ms(budget: Budget) -> (u64, u64) {
        (budget.soft.unwrap().as_millis() as u64, budget.hard.unwrap().as_millis() as u64)
    }

    fn plan_with(clock: (u64, u64, u64), turns_left: f32, settings: &EngineSettings) -> Budget {
        let clock = SideClock { left: ms(clock.0), increment: ms(clock.1), byoyomi: ms(clock.2) };
        budget(
            &Limits { clocks: Some([clock; 2]), ..Limits::none() },
            settings,
            0,
            TimeAllocation::even(turns_left),
        )
    }

    #[test]
    fn plans_are_those_of_the_formula() {
        for (clock, turns_left, wanted) in PLANS {
            let plan = plan_with(clock, turns_left, &EngineSettings::default());
            assert_eq!(in_ms(plan), wanted, "{clock:?} for {turns_left} turns");
            assert_eq!(plan.flexible, plan.soft != plan.hard, "only what is left of a byoyomi is used up");
        }
    }

    /// By hand: 4 s and two increments of 1 s are 6 s for a weight of 4, so 1.5 s for a weight of 1. With increments
    /// of 2 s the last turn needs no more than its increment: 4 s and 2 s for a weight of 3. With increments of 5 s
    /// each turn has its own.
    #[test]
    fn time_is_shared_by_weight() {
        for (increment, share) in [(0.0, 1.0), (1.0, 1.5), (2.0, 2.0), (5.0, 5.0)] {
            assert_eq!(first_share(&[1.0, 1.0, 2.0], 4.0, increment), share, "{increment}");
        }
        assert_eq!(first_share(&[3.0], 4.0, 1.0), 4.0);
        assert_eq!(first_share(&[0.5, 0.25, 0.25], 4.0, 0.0), 2.0);
    }

    #[test]
    fn options_change_the_plan() {
        let fixed = |settings: &EngineSettings| in_ms(plan_with((600_000, 0, 0), 40.0, settings));
        let slow = EngineSettings { slow_mover: 200, ..EngineSettings::default() };
        assert_eq!(fixed(&slow), (20_973, 119_970));
        let patient = EngineSettings { minimum_thinking_time: ms(30_000), ..EngineSettings::default() };
        assert_eq!(fixed(&patient), (30_000, 59_985));
        let far = EngineSettings {
            network_delay: ms(1_000),
            network_delay2: ms(2_000),
            ..EngineSettings::default()
        };
        assert_eq!(fixed(&far), (9_394, 59_400));
        let patient = EngineSettings { minimum_thinking_time: ms(80_000), ..EngineSettings::default() };
        assert_eq!(fixed(&patient), (80_000, 80_000));
    }

    #[test]
    fn of_a_time_and_a_clock_the_shorter_one_holds() {
        let clock = SideClock { left: ms(600_000), ..SideClock::default() };
        let both = |time| {
            let limits = Limits { clocks: Some([clock; 2]), movetime: Some(ms(time)), ..Limits::none() };
            in_ms(budget(&limits, &EngineSettings::default(), 0, TimeAllocation::even(40.0)))
        };
        assert_eq!(both(1_000), (979, 979));
        assert_eq!(both(100_000), (10_476, 59_985));
        assert_eq!(
            budget(&Limits::none(), &EngineSettings::default(), 0, TimeAllocation::even(40.0)),
            Budget::ENDLESS
        );
    }

    #[test]
    fn only_a_flexible_limit_is_stretched() {
        let budget =
            Budget { soft: Some(ms(1_000)), hard: Some(ms(5_000)), flexible: true, full_seconds: None };
        assert_eq!((budget.end(1.5), budget.end(0.5)), (Some(ms(1_500)), Some(ms(500))));
        assert_eq!(Budget { flexible: false, ..budget }.end(1.5), Some(ms(1_000)));
        assert_eq!(Budget::ENDLESS.end(1.5), None);
    }

    /// A server that rounds down does not charge for the rest of a second, so it is used.
    #[test]
    fn full_seconds_are_used_up_to_the_delay() {
        let settings = EngineSettings { full_seconds: true, ..EngineSettings::default() };
        let plan = plan_with((600_000, 0, 0), 40.0, &settings);
        assert_eq!(plan.hard, Some(ms(59_980 + 1_000)));
        assert_eq!(plan.end(1.0), Some(ms(10_980)));
        assert_eq!(plan.end(0.01), Some(ms(980)));
        assert_eq!(plan.end(10.0), plan.hard);
        let byoyomi = plan_with((0, 0, 10_000), 40.0, &settings);
        assert_eq!((byoyomi.hard, byoyomi.end(1.0)), (Some(ms(9_949)), Some(ms(9_949))));
        let short = plan_with((900, 0, 0), 40.0, &settings);
        assert!(short.hard < Some(ms(900)), "{short:?}");
        assert_eq!(full_seconds(ms(980), ms(20)), ms(980));
        assert_eq!(full_seconds(ms(981), ms(20)), ms(1_980));
    }

    #[test]
    fn a_time_that_ends_with_the_clock_is_used_to_its_end() {
        let clock = SideClock { left: ms(600_000), ..SideClock::default() };
        let time = Some(ms(60_980 + 20 + 1));
        let limits = Limits { clocks: Some([clock; 2]), movetime: time, ..Limits::none() };
        let settings = EngineSettings { full_seconds: true, ..EngineSettings::default() };
        assert_eq!(budget(&limits, &settings, 0, TimeAllocation::even(40.0)), Budget::fixed(ms(60_980)));
    }
}
