//! What a journal amounts to: standings, pairings, colours, ends, faults, and the test's state.
//!
//! Tables, `--json` and the report show a [`MatchSummary`] and compute nothing themselves.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::bracket::{Bracket, BracketMeeting};
use super::journal::{EndCause, GameResult, GameWithMoves, Journal};
use kaeshi_statistics::sprt::SprtUnit;
use kaeshi_statistics::{ResultCounts, Sprt, SprtDecision, SprtMonitor, SprtVerdict};

pub mod engines;
pub mod pairings;
pub mod rating_list;

pub use engines::EngineSummary;
pub use pairings::{PairResult, PairingSummary};
pub use rating_list::RatingList;

/// Which games count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameSelection {
    /// Leave out every pair in which a game was decided by an engine's failure to play.
    pub without_faults: bool,
}

/// Wins of the player who moves first, draws, wins of the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ByColour {
    /// Won by the player who moves first.
    pub first: u64,
    /// Drawn.
    pub drawn: u64,
    /// Won by the player who moves second.
    pub second: u64,
}

impl ByColour {
    fn add(&mut self, result: GameResult) {
        match result {
            GameResult::FirstWins => self.first += 1,
            GameResult::Draw => self.drawn += 1,
            GameResult::SecondWins => self.second += 1,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.first + self.drawn + self.second
    }

    /// Share of the points that went to the player who moves first; `None` without games.
    pub fn first_share(&self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| (self.first as f64 + self.drawn as f64 / 2.0) / total as f64)
    }
}

/// State of the sequential test.
#[derive(Clone, Debug, Serialize)]
pub struct SprtSummary {
    /// Hypothesis H0.
    pub elo0: f64,
    /// Hypothesis H1.
    pub elo1: f64,
    /// Allowed rate of false acceptance of H1.
    pub alpha: f64,
    /// Allowed rate of false acceptance of H0.
    pub beta: f64,
    /// `normalized`, `logistic` or `bayesian`.
    pub model: &'static str,
    /// The bounds of the log-likelihood ratio.
    pub bounds: [f64; 2],
    /// The ratio at the decision, or now.
    pub ratio: f64,
    /// `continue`, `H0` or `H1`.
    pub verdict: &'static str,
    /// Units, along the schedule, that decided.
    pub decided_at: Option<u64>,
    /// The ratio after each unit of the finished prefix of the schedule.
    #[serde(skip)]
    pub ratios: Vec<f64>,
}

/// A match in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct MatchSummary {
    /// `shogi`, `reversi` or `sygo`.
    pub game: String,
    /// Whether the unit is a single game instead of a pair.
    pub single: bool,
    /// Units of the schedule.
    pub planned: u64,
    /// Games that count here.
    pub games: u64,
    /// Games that were played.
    pub played: u64,
    /// Games that were replayed, after a repetition or a drawn impasse; they do not count.
    pub replayed: u64,
    /// Games that repeat an earlier one, move by move; a pair with such a game does not count.
    pub repeated: u64,
    /// Units all of whose games are finished and count.
    pub units: u64,
    /// Finished games whose partner is not finished.
    pub unpaired: u64,
    /// Games that were decided by a fault, whether or not they count here.
    pub faulted: u64,
    /// Games finished after the test had decided; not in the numbers of the pairings.
    pub after_stop: u64,
    /// The participants, in the order of the command line.
    pub engines: Vec<EngineSummary>,
    /// Who played whom with what result, in the order of the schedule.
    pub pairings: Vec<PairingSummary>,
    /// Ratings by all games together, of more than two engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratings: Option<RatingList>,
    /// The meetings of a knock-out, round by round.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub meetings: Vec<BracketMeeting>,
    /// The finished units that count, in the order of the schedule.
    #[serde(skip)]
    pub finished: Vec<PairResult>,
    /// Results by colour.
    pub colours: ByColour,
    /// The same by the cause of the end.
    pub causes: BTreeMap<EndCause, ByColour>,
    /// The sequential test, if one is played.
    pub sprt: Option<SprtSummary>,
    /// Why the match ended, if it did.
    pub closed: Option<String>,
}

impl MatchSummary {
    /// The numbers of `journal`, of the games that `selection` lets in.
    pub fn new(journal: &Journal, selection: GameSelection) -> MatchSummary {
        let faulted = faulted_pairs(journal);
        let dropped: &[u64] = if selection.without_faults { &faulted } else { &[] };
        let games: Vec<&GameWithMoves> =
            journal.games.iter().filter(|played| dropped.binary_search(&played.game.pair).is_err()).collect();
        // The schedule closes up over what is left out.
        let place = |pair: u64| pair - dropped.partition_point(|&left_out| left_out < pair) as u64;
        let all = pairings::units(journal, &games);
        let sprt = watch(journal, all.iter().map(|unit| (place(unit.order), unit.watched())));
        let (repeated, copies) = repetitions(&games, &all);
        let games: Vec<&GameWithMoves> =
            games.into_iter().filter(|played| copies.binary_search(&played.game.pair).is_err()).collect();
        let all: Vec<PairResult> =
            all.into_iter().filter(|unit| copies.binary_search(&unit.order).is_err()).collect();
        let decision = sprt.as_ref().and_then(SprtMonitor::decision);
        let prefix = decision.map_or(u64::MAX, |decision| decision.pairs);
        let units: Vec<PairResult> = all.into_iter().filter(|unit| place(unit.order) < prefix).collect();
        let pairings = PairingSummary::all(journal, &units);
        let in_units: u64 = units.iter().map(|unit| unit.games).sum();
        let after_stop = games.iter().filter(|played| place(played.game.pair) >= prefix).count() as u64;
        let mut colours = ByColour::default();
        let mut causes: BTreeMap<EndCause, ByColour> = BTreeMap::new();
        for played in &games {
            colours.add(played.game.result);
            causes.entry(played.game.cause).or_default().add(played.game.result);
        }
        MatchSummary {
            game: journal.open.game.clone(),
            single: journal.open.single,
            planned: journal.open.pairs.max(units.len() as u64),
            games: games.len() as u64,
            replayed: journal.games.iter().map(|played| played.legs.len() as u64).sum(),
            repeated,
            played: journal.games.len() as u64,
            units: units.len() as u64,
            unpaired: games.len() as u64 - in_units - after_stop,
            faulted: journal.games.iter().filter(|played| played.game.cause.is_fault()).count() as u64,
            after_stop,
            engines: EngineSummary::all(journal, &games, &units),
            pairings,
            ratings: RatingList::new(journal, &games),
            meetings: Bracket::of(journal).map_or_else(Vec::new, |bracket| bracket.meetings),
            finished: units,
            colours,
            causes,
            sprt: sprt.map(|watch| test(&watch, decision)),
            closed: journal.close.as_ref().map(|close| close.why.clone()),
        }
    }

    /// Share of all games that a fault decided, from 0 to 1.
    pub fn fault_share(&self) -> f64 {
        if self.games == 0 { 0.0 } else { self.faulted as f64 / self.games as f64 }
    }

    /// Who has won the knock-out, as an index.
    pub fn champion(&self) -> Option<usize> {
        self.meetings.last()?.winner.map(|(winner, _)| winner)
    }

    /// `pairs` or `games`: what [`MatchSummary::units`] counts.
    pub fn unit_word(&self) -> &'static str {
        if self.single { "games" } else { "pairs" }
    }
}

/// Indices of the pairs in which a fault decided a game, ascending.
fn faulted_pairs(journal: &Journal) -> Vec<u64> {
    let mut pairs: Vec<u64> = journal
        .games
        .iter()
        .filter(|played| played.game.cause.is_fault())
        .map(|played| played.game.pair)
        .collect();
    pairs.dedup();
    pairs
}

/// How many of the games repeat one of an earlier unit, and the indices of the units that therefore do
/// not count, ascending.
fn repetitions(games: &[&GameWithMoves], units: &[PairResult]) -> (u64, Vec<u64>) {
    let mut seen = HashSet::new();
    let copies: Vec<u64> =
        units.iter().filter(|unit| unit.watched().repeats(&mut seen)).map(|unit| unit.order).collect();
    let mut seen = HashSet::new();
    let repeated = games.iter().filter_map(|played| played.key).filter(|&key| !seen.insert(key)).count();
    (repeated as u64, copies)
}

/// Follows the test over the units; `None` if none is played or its settings make no sense.
fn watch(journal: &Journal, units: impl Iterator<Item = (u64, SprtUnit)>) -> Option<SprtMonitor> {
    let sprt = Sprt::new(journal.open.sprt?, journal.open.single).ok()?;
    let mut watch = SprtMonitor::new(sprt, journal.open.single, journal.open.decide_from);
    for (place, unit) in units {
        watch.finish_unit(place as usize, unit);
    }
    Some(watch)
}

fn test(watch: &SprtMonitor, decision: Option<SprtDecision>) -> SprtSummary {
    let sprt = watch.sprt();
    let settings = sprt.settings();
    let now = watch.ratios().last().copied().unwrap_or(0.0);
    SprtSummary {
        elo0: settings.elo0,
        elo1: settings.elo1,
        alpha: settings.alpha,
        beta: settings.beta,
        model: settings.model.name(),
        bounds: [sprt.lower(), sprt.upper()],
        ratio: decision.map_or(now, |decision| decision.ratio),
        verdict: match decision.map(|decision| decision.verdict) {
            None | Some(SprtVerdict::Continue) => "continue",
            Some(SprtVerdict::AcceptH0) => "H0",
            Some(SprtVerdict::AcceptH1) => "H1",
        },
        decided_at: decision.map(|decision| decision.pairs),
        ratios: watch.ratios().to_vec(),
    }
}

/// An estimate with its 95 % interval; what is infinite is absent.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub value: Option<f64>,
    /// Lower end of the interval.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
}

impl From<kaeshi_statistics::Interval> for Estimate {
    fn from(interval: kaeshi_statistics::Interval) -> Estimate {
        let finite = |x: f64| x.is_finite().then_some(x);
        Estimate { value: finite(interval.value), low: finite(interval.low), high: finite(interval.high) }
    }
}

/// What counts say about the difference in strength.
#[derive(Clone, Debug, Serialize)]
pub struct Strength {
    /// Units by result, worst first.
    pub cells: Vec<u64>,
    /// Mean score of the first-named engine, from 0 to 1.
    pub score: Option<Estimate>,
    /// Elo difference; biased towards the winner when a test stopped the match.
    pub elo: Option<Estimate>,
    /// Normalised Elo.
    pub normalised_elo: Option<Estimate>,
    /// Likelihood of superiority, from 0 to 1.
    pub superiority: Option<f64>,
}

impl From<&ResultCounts> for Strength {
    fn from(counts: &ResultCounts) -> Strength {
        Strength {
            cells: counts.cells().to_vec(),
            score: counts.score().map(Estimate::from),
            elo: counts.elo().map(Estimate::from),
            normalised_elo: counts.normalised_elo().map(Estimate::from),
            superiority: counts.superiority(),
        }
    }
}

/// Words for people, in the order in which the tables list them.
pub fn cause_text(cause: EndCause) -> &'static str {
    use EndCause::*;
    match cause {
        Mate => "mate",
        Resign => "resignation",
        Declare => "entering king declared",
        Repetition => "fourfold repetition",
        Perpetual => "perpetual check",
        Impasse => "impasse",
        NoMoves => "no moves left",
        TwoPasses => "two passes",
        MaxPlies => "maximum plies",
        AdjDraw => "adjudicated draw",
        AdjWin => "adjudicated win",
        Time => "time",
        Illegal => "illegal move",
        BadAnswer => "unreadable answer",
        Stall => "no answer",
        Crash => "crash",
        StartFailed => "failed to start",
        FalseClaim => "false claim",
    }
}

#[cfg(test)]
pub(super) mod tests;
