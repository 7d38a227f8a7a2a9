//! What makes an experiment doubtful, said before its first game.

use super::journal::EngineInfo;
use super::participants::equals;
use super::plan::MatchPlan;
use crate::dialogue::limits::ThinkingLimit;
use kaeshi_core::files;

/// Processes that other programs run, above which their load disturbs clocks.
const OTHER_LOAD: f64 = 0.5;

/// Every doubt about `plan` between these participants, one sentence each; about this machine only if
/// the games are played `here`.
pub fn warnings(plan: &MatchPlan, engines: &[EngineInfo], here: bool) -> Vec<String> {
    let mut found = Vec::new();
    for [first, second] in equals(engines) {
        found.push(format!(
            "{first} and {second} are the same program with the same options and limit: the match measures chance"
        ));
    }
    found.extend(plan.specs.iter().filter_map(|spec| {
        let known = spec.recognised_as.as_ref()?;
        Some(format!(
            "{} is the program of '{known}' in engines.toml: its margin, options and reading of clocks apply where \
             the command gives none (`kaeshi engines` lists them)",
            spec.name
        ))
    }));
    found.extend(repetitions(plan));
    if here {
        found.extend(processors(plan, available()));
        found.extend(other_load(load_average()));
    }
    found
}

/// Games that are bound to repeat.
fn repetitions(plan: &MatchPlan) -> Option<String> {
    let rounds = plan.schedule.rounds(plan.pairs);
    if plan.config.random_plies.is_some_and(|plies| plies > 0) || rounds <= 1 {
        return None;
    }
    let deterministic =
        plan.specs.iter().all(|spec| matches!(spec.limit, ThinkingLimit::Nodes(_) | ThinkingLimit::Depth(_)));
    match plan.openings.len() as u64 {
        0 if deterministic => Some(
            "all games begin with the usual start under limits that do not depend on time: engines that always \
             answer the same repeat one pair; give --openings or --random-plies"
                .into(),
        ),
        0 => Some("all games begin with the usual start; --openings or --random-plies make them independent".into()),
        openings if openings < rounds && deterministic => Some(format!(
            "{rounds} pairs of every pairing share {openings} openings: engines that always answer the same repeat \
             games, which count once"
        )),
        _ => None,
    }
}

/// Threads that the games need at the same time, against what the machine has.
fn processors(plan: &MatchPlan, there: usize) -> Option<String> {
    let needed = plan.concurrency * threads_of_a_game(plan);
    (needed > there).then(|| {
        format!(
            "{} games at once need {needed} processors, and {there} are there: engines wait for each other on the clock",
            plan.concurrency
        )
    })
}

/// Threads that a game keeps busy: those of the engine to move, or of both if they ponder.
pub fn threads_of_a_game(plan: &MatchPlan) -> usize {
    let mut threads: Vec<usize> = plan.specs.iter().map(|spec| spec.threads()).collect();
    threads.sort_unstable_by(|a, b| b.cmp(a));
    let busy = if plan.specs.iter().any(|spec| spec.ponder) { 2 } else { 1 };
    threads.iter().take(busy).sum()
}

fn other_load(average: Option<f64>) -> Option<String> {
    average.filter(|&average| average > OTHER_LOAD).map(|average| {
        format!(
            "other programs keep {average:.1} processors busy: times and strengths are measured under load"
        )
    })
}

/// Processors that this process may use.
pub fn available() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Mean number of processes that ran or waited in the last minute; `None` where the system does not say.
pub fn load_average() -> Option<f64> {
    files::system("/proc/loadavg").split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roster::{Roster, Scalar};
    use crate::tournament::config::{Config, EngineConfig, PlayConditions};

    fn plan(change: impl FnOnce(&mut Config)) -> MatchPlan {
        let own = EngineConfig { conf: Some("kaeshi".into()), ..EngineConfig::default() };
        let mut config = Config {
            game: Some("reversi".into()),
            engines: vec![own.clone(), own],
            terms: PlayConditions { nodes: Some(Scalar("9".into())), ..PlayConditions::default() },
            games: Some(10),
            openings: Some("none".into()),
            ..Config::default()
        };
        change(&mut config);
        MatchPlan::new(config, &Roster::default()).unwrap()
    }

    #[test]
    fn games_that_must_repeat_are_foreseen() {
        assert!(repetitions(&plan(|_| {})).unwrap().contains("always answer the same"));
        assert!(repetitions(&plan(|config| config.terms.nodes = Some(Scalar("1".into())))).is_some());
        assert_eq!(repetitions(&plan(|config| config.random_plies = Some(4))), None);
        assert_eq!(repetitions(&plan(|config| config.games = Some(2))), None);
        assert_eq!(repetitions(&plan(|config| config.openings = None)), None);
        let many = plan(|config| (config.openings, config.games) = (None, Some(100_000)));
        assert!(repetitions(&many).unwrap().contains("share"));
        let timed =
            plan(|config| (config.terms.nodes, config.terms.movetime) = (None, Some(Scalar("100ms".into()))));
        assert!(repetitions(&timed).unwrap().contains("usual start"));
    }

    #[test]
    fn more_threads_than_processors_are_said() {
        let four = plan(|config| config.concurrency = Some(4));
        assert_eq!(processors(&four, 4), None);
        assert!(processors(&four, 3).unwrap().contains("need 4 processors, and 3"));
        let threads = plan(|config| {
            config.engines[1].options.insert("Threads".into(), Scalar("3".into()));
        });
        assert_eq!(threads_of_a_game(&threads), 3);
        assert!(processors(&threads, 2).is_some());
        assert!(other_load(Some(1.7)).unwrap().contains("1.7"));
        assert_eq!(other_load(Some(0.2)), None);
        assert_eq!(other_load(None), None);
    }
}
