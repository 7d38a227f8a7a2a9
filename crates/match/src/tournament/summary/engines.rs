//! What one engine did: points, colours, faults, time, depth and speed.

use std::collections::BTreeMap;

use serde::Serialize;

use super::pairings::{PairResult, by_side};
use super::{ByColour, Strength};
use crate::tournament::journal::{EndCause, GameWithMoves, Journal, JournalMove, WRONG_LINE};
use kaeshi_core::game::Side;
use kaeshi_statistics::ResultCounts;

/// The lines (principal variations) that an engine reported with its moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Lines {
    /// Moves with a line.
    pub reported: u64,
    /// Lines that do not begin with the move, or have an illegal turn.
    pub wrong: u64,
    /// Lines of one turn where the search was deeper and the game went on.
    pub short: u64,
    /// The first wrong one: where it was, and what is wrong.
    pub first_wrong: Option<String>,
}

impl Lines {
    fn add(&mut self, played: &GameWithMoves, side: Side) {
        for (index, own) in played.moves.iter().enumerate().filter(|(_, own)| own.mover() == side) {
            if own.pv.is_empty() {
                continue;
            }
            self.reported += 1;
            let goes_on = index + 1 < played.moves.len() && own.mate.is_none();
            self.short += u64::from(own.pv.len() == 1 && goes_on && own.depth.is_some_and(|depth| depth > 1));
            if let Some(what) = own.warn.iter().find_map(|warning| warning.strip_prefix(WRONG_LINE)) {
                self.wrong += 1;
                let (pair, game) = (played.game.pair + 1, played.game.game + 1);
                self.first_wrong
                    .get_or_insert_with(|| format!("pair {pair} game {game} move {}:{what}", own.ply));
            }
        }
    }
}

/// One participant in numbers. Times are microseconds.
#[derive(Clone, Debug, Serialize)]
pub struct EngineSummary {
    /// Its name in this match.
    pub name: String,
    /// Games that count.
    pub games: u64,
    /// Won, drawn and lost.
    pub wins_draws_losses: [u64; 3],
    /// Strength against the field, over finished units.
    pub strength: Strength,
    /// Results of its games when it moved first, and when it moved second.
    pub by_side: [ByColour; 2],
    /// Games it lost by its own failure to play, by cause.
    pub faults: BTreeMap<&'static str, u64>,
    /// Games it gave up though its own last score did not say that it was behind.
    pub odd_resignations: u64,
    /// The lines that it expected.
    pub lines: Lines,
    /// Moves made.
    pub moves: u64,
    /// Time used for all of them.
    pub used_us: u64,
    /// Time per move: median, and what 95 % of the moves stay below.
    pub move_us: Option<[u64; 2]>,
    /// Mean depth of the moves that reported one.
    pub depth: Option<f64>,
    /// Nodes per second, by our clock, of the moves that reported their nodes.
    pub nps: Option<f64>,
    /// Longest overstep of the time allowed.
    pub overstep_us: u64,
    /// Games in which an overstep was forgiven.
    pub forgiven: u64,
    /// Largest 99th percentile of our measure of a move's time minus the engine's own.
    pub lag_us: Option<i64>,
}

impl EngineSummary {
    /// One for each participant.
    pub(super) fn all(
        journal: &Journal,
        games: &[&GameWithMoves],
        units: &[PairResult],
    ) -> Vec<EngineSummary> {
        (0..journal.open.engines.len())
            .map(|index| EngineSummary::new(journal, index, games, units))
            .collect()
    }

    fn new(journal: &Journal, index: usize, games: &[&GameWithMoves], units: &[PairResult]) -> EngineSummary {
        let name = journal.open.engines[index].name.as_str();
        let mut counts = ResultCounts::empty(journal.open.single);
        let most = if journal.open.single { 2 } else { 4 };
        for unit in units {
            if unit.engines[0] == index {
                counts.add(unit.half_points);
            } else if unit.engines[1] == index {
                counts.add(most - unit.half_points);
            }
        }
        let mut own = EngineSummary {
            name: name.to_owned(),
            games: 0,
            wins_draws_losses: [0; 3],
            strength: Strength::from(&counts),
            by_side: by_side(games, name),
            faults: BTreeMap::new(),
            odd_resignations: 0,
            lines: Lines::default(),
            moves: 0,
            used_us: 0,
            move_us: None,
            depth: None,
            nps: None,
            overstep_us: 0,
            forgiven: 0,
            lag_us: None,
        };
        let mut moves: Vec<&JournalMove> = Vec::new();
        for played in games.iter().filter(|played| played.game.first == name || played.game.second == name) {
            own.take(played, &mut moves);
        }
        own.measure(&moves);
        own
    }

    /// Counts one of its games.
    fn take<'a>(&mut self, played: &'a GameWithMoves, moves: &mut Vec<&'a JournalMove>) {
        let game = &played.game;
        let side = played.side_of(&self.name);
        self.games += 1;
        self.wins_draws_losses[2 - game.result.half_points(side)] += 1;
        let lost = game.result.half_points(side) == 0;
        if lost && game.cause.is_fault() {
            *self.faults.entry(game.cause.word()).or_default() += 1;
        }
        self.lines.add(played, side);
        let from = moves.len();
        moves.extend(played.moves.iter().filter(|played| played.mover() == side));
        if lost && game.cause == EndCause::Resign && moves[from..].last().is_some_and(|m| not_behind(m)) {
            self.odd_resignations += 1;
        }
        self.used_us += game.used_us[side.index()];
        let overstep = game.max_over_us[side.index()];
        self.overstep_us = self.overstep_us.max(overstep);
        if overstep > 0 && !(lost && game.cause == EndCause::Time) {
            self.forgiven += 1;
        }
        let lag = game.lag_us_p99[side.index()];
        if lag != 0 {
            self.lag_us = Some(self.lag_us.map_or(lag, |most| most.max(lag)));
        }
    }

    /// Computes what is read from the single moves.
    fn measure(&mut self, moves: &[&JournalMove]) {
        self.moves = moves.len() as u64;
        let mut used: Vec<u64> = moves.iter().map(|m| m.used_us).collect();
        used.sort_unstable();
        self.move_us = quantile(&used, 50).zip(quantile(&used, 95)).map(|(median, high)| [median, high]);
        let depths: Vec<u32> = moves.iter().filter_map(|m| m.depth).collect();
        if !depths.is_empty() {
            self.depth =
                Some(depths.iter().map(|&depth| f64::from(depth)).sum::<f64>() / depths.len() as f64);
        }
        let (nodes, time) = moves
            .iter()
            .filter_map(|m| Some((m.nodes?, m.used_us)))
            .fold((0u64, 0u64), |(nodes, time), (n, t)| (nodes.saturating_add(n), time.saturating_add(t)));
        self.nps = (time > 0).then(|| nodes as f64 / (time as f64 / 1e6));
    }

    /// Games lost by its own failure to play.
    pub fn fault_count(&self) -> u64 {
        self.faults.values().sum()
    }
}

/// Whether the engine itself saw no reason to give up.
fn not_behind(last: &JournalMove) -> bool {
    last.mate.map_or(last.cp.is_some_and(|cp| cp >= 0), |mate| mate > 0)
}

/// The smallest value that `percent` of the sorted values do not exceed.
pub fn quantile(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}
