//! The options that every game has.

use std::path::PathBuf;
use std::time::Duration;

use crate::game::options::OptionSpec;
use crate::reference::Method;

/// The settings of the driver's options.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Search threads.
    pub threads: usize,
    /// Table memory in MiB.
    pub hash_mib: usize,
    /// How many lines to show.
    pub multipv: usize,
    /// Whether the GUI may let the engine think on the opponent's time.
    pub ponder: bool,
    /// Never answer faster under a clock, unless the time does not allow it.
    pub minimum_thinking_time: Duration,
    /// Latency between engine and GUI, subtracted from the planned time of every move.
    pub network_delay: Duration,
    /// Latency subtracted from the hard limit of a move.
    pub network_delay2: Duration,
    /// Per cent of the planned time.
    pub slow_mover: u32,
    /// Resign below minus this many centipawns; `None` for never.
    pub resign_value: Option<i32>,
    /// One of the article's searches instead of the strong one.
    pub reference: Option<Method>,
    /// Whether the article's searches use their cache.
    pub reference_cache: bool,
    /// Whether the article's searches order the turns.
    pub reference_ordering: bool,
    /// How strong to play where the driver weakens: 0 to 19, or 20 for full strength.
    pub skill_level: u8,
    /// The store of `kaeshi analyse --store` whose results seed searches.
    pub store_file: Option<PathBuf>,
    /// No search has more nodes than this.
    pub nodes_limit: Option<u64>,
    /// No search goes deeper than this.
    pub depth_limit: Option<u16>,
    /// Shortest time between two reports once a search runs for a second.
    pub report_interval: Duration,
    /// For studying a position: the book is not played from, and nothing is resigned.
    pub considering: bool,
    /// Whether values that are only known to be bounds are reported, too.
    pub output_bounds: bool,
    /// Whether time counts in full seconds, as servers count byoyomi: a second begun is used up.
    pub full_seconds: bool,
    /// Whether to ponder on the position before the expected turn, for all replies.
    pub stochastic_ponder: bool,
}

/// The value of `ResignValue` that means never.
const NEVER_RESIGN: i64 = 99_999;
/// The level at which nothing is held back.
pub const FULL_SKILL: u8 = 20;
/// Default shortest time between two reports, in milliseconds.
const DEFAULT_PV_INTERVAL: i64 = 100;
/// Default table memory: enough for a minute's thought, bearable on any machine.
const DEFAULT_HASH_MIB: usize = 64;
/// Largest table memory in MiB that can be asked for.
const MAX_HASH_MIB: i64 = 1 << 20;

impl Default for EngineSettings {
    fn default() -> EngineSettings {
        EngineSettings {
            threads: 1,
            hash_mib: DEFAULT_HASH_MIB,
            multipv: 1,
            ponder: false,
            minimum_thinking_time: Duration::ZERO,
            network_delay: Duration::from_millis(20),
            network_delay2: Duration::from_millis(50),
            slow_mover: 100,
            resign_value: None,
            reference: None,
            reference_cache: true,
            reference_ordering: true,
            skill_level: FULL_SKILL,
            store_file: None,
            nodes_limit: None,
            depth_limit: None,
            report_interval: millis(DEFAULT_PV_INTERVAL),
            considering: false,
            output_bounds: false,
            full_seconds: false,
            stochastic_ponder: false,
        }
    }
}

fn millis(value: i64) -> Duration {
    Duration::from_millis(value.unsigned_abs())
}

fn count(value: i64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// The option of games whose own search knows no weaker play.
pub fn skill_option() -> OptionSpec<EngineSettings> {
    let most = i64::from(FULL_SKILL);
    let set = |s: &mut EngineSettings, v| s.skill_level = u8::try_from(v).unwrap_or(FULL_SKILL);
    OptionSpec::spin("SkillLevel", most, 0..=most, set)
        .also_called("Skill")
        .described("strength, where the largest value is full strength; errors are drawn anew for each game")
}

/// The options of the driver. Dialects may show some under other names.
pub fn options() -> Vec<OptionSpec<EngineSettings>> {
    vec![
        OptionSpec::spin("Threads", 1, 1..=256, |s: &mut EngineSettings, v| s.threads = count(v))
            .described("search threads; fewer, if the system grants fewer"),
        OptionSpec::spin("Hash", DEFAULT_HASH_MIB as i64, 1..=MAX_HASH_MIB, |s: &mut EngineSettings, v| {
            s.hash_mib = count(v)
        })
        .described("MiB of the transposition table; less, if less memory is free"),
        OptionSpec::check("Ponder", false, |s: &mut EngineSettings, v| s.ponder = v)
            .described("whether the GUI may let the engine think on the opponent's time"),
        OptionSpec::spin("MultiPV", 1, 1..=600, |s: &mut EngineSettings, v| s.multipv = count(v))
            .described("number of lines shown, best first"),
        OptionSpec::spin("MinimumThinkingTime", 0, 0..=60_000, |s: &mut EngineSettings, v| {
            s.minimum_thinking_time = millis(v)
        })
        .described("shortest time of a move under a clock, in milliseconds, if the clock allows it"),
        OptionSpec::spin("NetworkDelay", 20, 0..=10_000, |s: &mut EngineSettings, v| {
            s.network_delay = millis(v)
        })
        .described("milliseconds of each planned time that are kept for the way to the GUI and back"),
        OptionSpec::spin("NetworkDelay2", 50, 0..=10_000, |s: &mut EngineSettings, v| {
            s.network_delay2 = millis(v)
        })
        .described("milliseconds that are kept free before the last moment"),
        OptionSpec::spin("SlowMover", 100, 1..=1_000, |s: &mut EngineSettings, v| {
            s.slow_mover = u32::try_from(v).unwrap_or(100);
        })
        .described("per cent of the usual time of a move"),
        OptionSpec::spin("ResignValue", NEVER_RESIGN, 0..=NEVER_RESIGN, |s: &mut EngineSettings, v| {
            s.resign_value = if v == NEVER_RESIGN { None } else { i32::try_from(v).ok() };
        })
        .described("centipawns by which the engine must be behind to resign; at the largest value never"),
        OptionSpec::check("RoundUpToFullSecond", false, |s: &mut EngineSettings, v| s.full_seconds = v)
            .described("whether the second that has begun is used up, as servers count byoyomi"),
        OptionSpec::check("Stochastic_Ponder", false, |s: &mut EngineSettings, v| s.stochastic_ponder = v)
            .described("ponders on the position before the expected move, for all replies"),
        OptionSpec::spin("NodesLimit", 0, 0..=i64::MAX, |s: &mut EngineSettings, v| {
            s.nodes_limit = u64::try_from(v).ok().filter(|&v| v > 0)
        })
        .described("most nodes of a search; 0 for no limit"),
        OptionSpec::spin("DepthLimit", 0, 0..=i64::from(u16::MAX), |s: &mut EngineSettings, v| {
            s.depth_limit = u16::try_from(v).ok().filter(|&v| v > 0);
        })
        .described("deepest iteration; 0 for no limit"),
        OptionSpec::spin("PvInterval", DEFAULT_PV_INTERVAL, 0..=100_000_000, |s: &mut EngineSettings, v| {
            s.report_interval = millis(v)
        })
        .described("shortest time between two reports after the first second, in milliseconds"),
        OptionSpec::check("ConsiderationMode", false, |s: &mut EngineSettings, v| s.considering = v)
            .described("for studying a position: no move from the book, no resignation"),
        OptionSpec::check("OutputFailLHPV", false, |s: &mut EngineSettings, v| s.output_bounds = v)
            .described("whether values that are only bounds are reported, too"),
        OptionSpec::combo(
            "Search",
            "strong",
            &["strong", "selective", "alphabeta", "minimax"],
            |s: &mut EngineSettings, v| {
                s.reference = Method::named(v);
            },
        )
        .described("the strong search, or one of the searches of the article that the engine began with"),
        OptionSpec::check("ReferenceCache", true, |s: &mut EngineSettings, v| s.reference_cache = v)
            .described("whether the article's searches use their cache"),
        OptionSpec::check("ReferenceOrdering", true, |s: &mut EngineSettings, v| s.reference_ordering = v)
            .described("whether the article's searches order moves"),
        OptionSpec::file("StoreFile", "", |s: &mut EngineSettings, v| {
            s.store_file = (!v.is_empty()).then(|| v.into())
        })
        .described("results of `kaeshi analyse --store` that searches start from")
        .local(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::options::OptionKind;

    #[test]
    fn defaults_printed_are_the_defaults_in_force() {
        let mut settings = EngineSettings::default();
        for spec in options() {
            let value = match &spec.line.kind {
                OptionKind::Check(on) => on.to_string(),
                OptionKind::Spin(number, _) => number.to_string(),
                OptionKind::Combo(word, _) => (*word).to_string(),
                OptionKind::Text(_) | OptionKind::File(_) | OptionKind::Button => continue,
            };
            spec.apply(&mut settings, &value).unwrap();
        }
        assert_eq!(format!("{settings:?}"), format!("{:?}", EngineSettings::default()));
    }

    #[test]
    fn nonsense_is_refused_with_the_range_and_changes_nothing() {
        // Any text may be the name of a file.
        for spec in options().into_iter().filter(|spec| !matches!(spec.line.kind, OptionKind::File(_))) {
            let mut settings = EngineSettings::default();
            let error = spec.apply(&mut settings, "nonsense").unwrap_err();
            assert!(
                error.reason().contains(spec.line.name) && error.reason().contains("nonsense"),
                "{error}"
            );
            assert_eq!(format!("{settings:?}"), format!("{:?}", EngineSettings::default()));
        }
    }

    #[test]
    fn both_ends_of_every_range_are_taken_and_one_beyond_is_not() {
        for spec in options() {
            let OptionKind::Spin(_, range) = spec.line.kind.clone() else { continue };
            let mut settings = EngineSettings::default();
            for inside in [range.start(), range.end()] {
                spec.apply(&mut settings, &inside.to_string()).unwrap();
            }
            for outside in [range.start().checked_sub(1), range.end().checked_add(1)].into_iter().flatten() {
                assert!(spec.apply(&mut settings, &outside.to_string()).is_err(), "{}", spec.line.name);
            }
        }
    }
}
