//! What is shown while a match runs: a bar with live standings on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::journal::{GameWithMoves, Journal, JournalGame};
use super::plan::MatchPlan;
use super::report::table;
use super::schedule::Schedule;
use super::summary::{GameSelection, MatchSummary};
use kaeshi_statistics::SprtMonitor;
use kaeshi_system::output::remark;

/// The standings are computed at most so often.
const EVERY: Duration = Duration::from_secs(1);
/// Without a terminal, at most so often.
const EVERY_PLAIN: Duration = Duration::from_secs(30);

/// The display of one match.
pub struct MatchProgress {
    bar: Option<ProgressBar>,
    drawn: Instant,
    games: u64,
    done: u64,
    single: bool,
    /// The schedule of shogi games whose colours are drawn by lot, to show the toss.
    lots: Option<Schedule>,
    /// Whether ties may make more games than planned.
    open_ended: bool,
}

impl MatchProgress {
    /// A display for a match.
    pub fn new(plan: &MatchPlan) -> MatchProgress {
        let games = plan.pairs * u64::from(plan.schedule.games_per_pair());
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(games);
            let style = ProgressStyle::with_template(
                "{wide_bar:.cyan/blue} {pos}/{len} games, {elapsed} gone, {eta} to go\n{msg}",
            );
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        MatchProgress {
            bar,
            drawn: Instant::now(),
            games,
            done: 0,
            single: plan.single(),
            lots: (plan.rules.facts().notation.local_language == Some("ja")).then(|| plan.schedule.clone()),
            open_ended: plan.schedule.knockout().is_some(),
        }
    }

    /// Adds the games that an earlier run played.
    pub fn resume(&mut self, done: u64) {
        self.done = done;
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
        self.say(&format!("{done} of {} games are played already.", self.games));
    }

    /// Shows a line that stays.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => remark(format_args!("{line}")),
        }
    }

    /// These games were replayed.
    pub fn replayed(&self, legs: &[GameWithMoves]) {
        for GameWithMoves { game, .. } in legs.iter().filter(|_| self.bar.is_none()) {
            remark(format_args!(
                "{} - {}: {} after {} plies{}, replayed",
                game.first,
                game.second,
                game.cause.word(),
                game.plies,
                self.toss(game)
            ));
        }
    }

    /// How the pawns fell that gave the colours of this game; empty where none were thrown.
    fn toss(&self, game: &JournalGame) -> String {
        let lots = self.lots.as_ref().filter(|_| game.leg == 0);
        let toss = lots.and_then(|lots| lots.furigoma(game.pair));
        toss.map_or(String::new(), |toss| format!(", furigoma {}", toss.pawns()))
    }

    /// A game has finished.
    pub fn finished(&mut self, game: &JournalGame) {
        self.done += 1;
        // Ties of a knock-out make more games than planned.
        self.games = self.games.max(self.done);
        let number = match self.single {
            _ if self.open_ended => self.done,
            true => game.pair + 1,
            false => game.pair * 2 + u64::from(game.game) + 1,
        };
        let detail = if game.detail.is_empty() { String::new() } else { format!(" ({})", game.detail) };
        let line = format!(
            "Game {number} of {}: {} - {}  {} by {} after {} plies{}{detail}",
            self.games,
            game.first,
            game.second,
            game.result.text(),
            game.cause.word(),
            game.plies,
            self.toss(game),
        );
        match &self.bar {
            Some(bar) => {
                bar.set_length(self.games);
                bar.set_position(self.done);
                if game.cause.is_fault() {
                    bar.println(line);
                }
            }
            None => remark(format_args!("{line}")),
        }
    }

    /// Shows who stands where, unless that was done a moment ago.
    pub fn standings(&mut self, journal: &Journal, watch: Option<&SprtMonitor>) {
        let every = if self.bar.is_some() { EVERY } else { EVERY_PLAIN };
        if self.drawn.elapsed() < every {
            return;
        }
        self.drawn = Instant::now();
        let summary = MatchSummary::new(journal, GameSelection::default());
        let mut text = table::standings(&summary);
        if let Some(watch) = watch
            && let Some(ratio) = watch.ratios().last()
        {
            let (lower, upper) = (watch.sprt().lower(), watch.sprt().upper());
            text.push_str(&format!("LLR {ratio:.2} [{lower:.2}, {upper:.2}]"));
        }
        match &self.bar {
            Some(bar) => bar.set_message(text),
            None => remark(format_args!("{text}")),
        }
    }

    /// Makes room for the final tables.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
