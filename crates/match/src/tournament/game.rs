//! One game between two players, from the opening to its verdict.

use std::time::{Duration, Instant, SystemTime};

use kaeshi_core::game::{GameOutcome, Side, TerminalCause};

use super::journal::{
    EndCause, EngineFault, GameResult, GameWithMoves, JournalGame, JournalMove, WRONG_LINE,
};
use super::replay_rule::Replays;
use super::running::{RunningGame, RunningGameFile, now_ms};
use crate::dialogue::clock::MatchClock;
use crate::dialogue::player::{EngineFailure, EnginePlayer, MoveResult, StartFailure};
use crate::dialogue::speaker::{GameStart, GoAnswer, Times};
use kaeshi_engine::utc;
use kaeshi_records::referee::adjudicate::{Adjudicator, DrawRule, ResignRule};
use kaeshi_records::referee::impasse::{ImpasseRule, ImpasseWatch};
use kaeshi_records::referee::{RefereeBoard, RefereeRules};
use kaeshi_records::text::bounded;

/// Longest sentence about an end, in characters: it may repeat what an engine answered.
const MAX_DETAIL: usize = 1_000;

/// Longest turn of an expected line that is shown.
const MAX_SHOWN_TURN: usize = 40;

/// Void the game if wall clock - monotonic clock exceeds this: the machine was suspended.
const SUSPEND_THRESHOLD: Duration = Duration::from_secs(2);

/// The rules that all games of a match share.
#[derive(Clone, Copy, Debug, Default)]
pub struct Agreement {
    /// A draw after this many plies (opening included).
    pub max_plies: Option<u32>,
    /// Early draws.
    pub draw: Option<DrawRule>,
    /// Early wins.
    pub resign: Option<ResignRule>,
    /// Counts of an impasse.
    pub impasse: Option<ImpasseRule>,
    /// Games that are replayed after a repetition.
    pub sennichite: Option<Replays>,
    /// Time is counted in whole seconds, as CSA servers do.
    pub csa_seconds: bool,
    /// The factor by which the times of all limits were multiplied.
    pub time_scale: Option<f64>,
}

/// Which game of the schedule this is.
#[derive(Clone, Copy, Debug)]
pub struct GameSlot {
    /// Index of the pair.
    pub pair: u64,
    /// Which game of it.
    pub game: u8,
    /// How many games were replayed here before this one.
    pub leg: u8,
    /// Number of the opening.
    pub opening: Option<u64>,
    /// Number of the thread that plays it.
    pub slot: usize,
}

/// A finished game, and the fault that ended it, if any.
#[derive(Debug)]
pub struct Finished {
    /// For the journal.
    pub played: GameWithMoves,
    /// Faults, if any.
    pub fault: Option<EngineFault>,
}

/// Why a game must be played again.
#[derive(Debug)]
pub struct Void(pub String);

/// The verdict on a game.
struct GameVerdict {
    winner: Option<Side>,
    cause: EndCause,
    detail: String,
    margin: Option<i32>,
    tail: Vec<String>,
}

impl GameVerdict {
    fn loss(loser: Side, cause: EndCause, detail: impl Into<String>) -> GameVerdict {
        let winner = Some(loser.other());
        GameVerdict { winner, cause, detail: detail.into(), margin: None, tail: Vec::new() }
    }

    /// By the rules; the margin is kept where the game `counts` discs or points.
    fn of(outcome: GameOutcome, counts: bool) -> GameVerdict {
        let (cause, margin) = (cause_of(outcome), counts.then_some(outcome.margin));
        GameVerdict { winner: outcome.winner, cause, detail: String::new(), margin, tail: Vec::new() }
    }
}

/// How a journal names the rule that ended a game.
pub fn cause_of(outcome: GameOutcome) -> EndCause {
    match (outcome.cause, outcome.winner) {
        (TerminalCause::Mate, _) => EndCause::Mate,
        (TerminalCause::Repetition, _) => EndCause::Repetition,
        (TerminalCause::PerpetualCheck, _) => EndCause::Perpetual,
        (TerminalCause::EnteringKing, Some(_)) => EndCause::Declare,
        (TerminalCause::EnteringKing, None) => EndCause::Impasse,
        (TerminalCause::MaxPlies, _) => EndCause::MaxPlies,
        (TerminalCause::NoMoves, _) => EndCause::NoMoves,
        (TerminalCause::TwoPasses, _) => EndCause::TwoPasses,
    }
}

/// The running game.
struct GameRunner<'a> {
    players: [&'a mut EnginePlayer; 2],
    board: Box<dyn RefereeBoard>,
    clocks: &'a mut [MatchClock; 2],
    place: GameSlot,
    agreement: Agreement,
    adjudicator: Adjudicator,
    impasse: Option<ImpasseWatch>,
    plies_before: u32,
    moves: Vec<JournalMove>,
    used_us: [u64; 2],
    max_over_us: [u64; 2],
    lags: [Vec<i64>; 2],
    guess: Option<String>,
    window: &'a mut RunningGameFile,
}

/// What is wrong with the PV of a move that is about to be played: it does not begin with the move, or one of its
/// turns is not legal. Turns after the end of the game are not checked.
fn wrong_line(board: &dyn RefereeBoard, turn: &str, line: &[String]) -> Option<String> {
    let mut board = board.duplicate();
    let begins = board.check(turn).ok()?;
    for (index, text) in line.iter().enumerate() {
        if board.outcome().is_some() || is_end(text) {
            return None;
        }
        match board.play(text) {
            Ok(played) if index == 0 && played != begins => {
                return Some(format!(
                    "{WRONG_LINE} it begins with '{}', not with the move",
                    text.escape_debug()
                ));
            }
            Ok(_) => {}
            Err(why) => {
                let text = bounded(&text.escape_debug().to_string(), MAX_SHOWN_TURN);
                return Some(format!("{WRONG_LINE} turn {}, '{text}': {why}", index + 1));
            }
        }
    }
    None
}

/// Whether a word of a PV says how the game ended, such as `rep_draw`.
fn is_end(word: &str) -> bool {
    word.starts_with("rep_") || ["resign", "win", "(none)", "none", "mate"].contains(&word)
}

/// The clocks at the start of a game.
pub fn clocks(players: [&EnginePlayer; 2], agreement: Agreement) -> [MatchClock; 2] {
    players.map(|player| {
        MatchClock::new(player.spec().limit, player.spec().margin).in_whole_seconds(agreement.csa_seconds)
    })
}

/// Plays one game. `players` are the first side's and the second side's, and so are `clocks`, which are left as
/// they stand at the end.
///
/// # Errors
/// The game is void if the machine was suspended during it, or if the opening cannot be set up.
pub fn play(
    rules: &dyn RefereeRules,
    players: [&mut EnginePlayer; 2],
    start: &GameStart,
    place: GameSlot,
    agreement: Agreement,
    clocks: &mut [MatchClock; 2],
    window: &mut RunningGameFile,
) -> Result<Finished, Void> {
    let (began, wall) = (Instant::now(), SystemTime::now());
    let t0 = utc::seconds(wall);
    let mut board = rules.board(start.position.as_deref()).map_err(|error| Void(error.to_string()))?;
    for (_, turn) in &start.turns {
        board.play(turn).map_err(|error| Void(error.to_string()))?;
    }
    let mut table = GameRunner {
        players,
        board,
        clocks,
        place,
        agreement,
        adjudicator: Adjudicator::new(agreement.draw, agreement.resign),
        impasse: agreement.impasse.map(ImpasseWatch::new),
        plies_before: start.turns.len() as u32,
        moves: Vec::new(),
        used_us: [0; 2],
        max_over_us: [0; 2],
        lags: [Vec::new(), Vec::new()],
        guess: None,
        window,
    };
    let verdict = match table.begin(start) {
        Some(verdict) => verdict,
        None => table.play_on(start),
    };
    let (duration, walked) = (began.elapsed(), wall.elapsed().unwrap_or_default());
    if walked > duration + SUSPEND_THRESHOLD {
        return Err(Void(format!("the machine slept for {:?} during the game", walked - duration)));
    }
    Ok(table.close(verdict, start, t0, duration))
}

impl GameRunner<'_> {
    fn times(&self, me: Side) -> Times {
        let [first, second] = &*self.clocks;
        Times {
            me,
            limits: [first.limit(), second.limit()],
            rest_us: [first.rest_us(), second.rest_us()],
            moves_to_go: [first.moves_to_go(), second.moves_to_go()],
        }
    }

    /// Readies both players; a failure is the verdict.
    fn begin(&mut self, start: &GameStart) -> Option<GameVerdict> {
        for side in [Side::First, Side::Second] {
            let times = self.times(side);
            if let Err(StartFailure { reason, tail, stalled }) =
                self.players[side.index()].new_game(start, &times)
            {
                let cause = if stalled { EndCause::Stall } else { EndCause::StartFailed };
                return Some(GameVerdict { tail, ..GameVerdict::loss(side, cause, reason) });
            }
        }
        None
    }

    fn play_on(&mut self, start: &GameStart) -> GameVerdict {
        let mut last: Option<String> = start.turns.last().map(|(_, turn)| turn.clone());
        loop {
            self.show(start);
            if let Some(outcome) = self.board.outcome() {
                return GameVerdict::of(outcome, self.board.picture().counts.is_some());
            }
            let plies = self.plies_before + self.moves.len() as u32;
            if self.agreement.max_plies.is_some_and(|limit| plies >= limit) {
                return GameVerdict {
                    winner: None,
                    cause: EndCause::MaxPlies,
                    detail: String::new(),
                    margin: None,
                    tail: Vec::new(),
                };
            }
            match self.move_once(last.as_deref()) {
                Ok(turn) => last = Some(turn),
                Err(verdict) => return *verdict,
            }
        }
    }

    /// Publishes the current position for the live page.
    fn show(&mut self, start: &GameStart) {
        let (players, moves, clocks, place) = (&self.players, &self.moves, &self.clocks, &self.place);
        self.window.show(|| {
            let said = |side: Side| moves.iter().rev().find(|one| one.mover() == side)?.score_for_first();
            RunningGame {
                pair: place.pair,
                game: place.game,
                names: players.each_ref().map(|player| player.spec().name.clone()),
                start: start.text(),
                turns: moves.iter().map(|one| one.m.clone()).collect(),
                scores: [Side::First, Side::Second].map(said),
                rest_us: clocks.each_ref().map(MatchClock::shown_rest),
                since_ms: now_ms(),
            }
        });
    }

    /// One move of the side to move.
    fn move_once(&mut self, last: Option<&str>) -> Result<String, Box<GameVerdict>> {
        let side = self.board.side_to_move();
        let index = side.index();
        let times = self.times(side);
        let allowed = self.clocks[index].deadline();
        let MoveResult { said, used_us, mut record } = self.players[index].think(&times, allowed, last);
        let allowed_us = self.clocks[index].allowed_us();
        let charge = self.clocks[index].charge(used_us);
        self.used_us[index] += used_us;
        if !charge.flag {
            self.max_over_us[index] = self.max_over_us[index].max(charge.over_us);
        }
        if let Some(reported) = record.time_ms {
            self.lags[index].push(used_us as i64 - reported as i64 * 1000);
        }
        let said = said.map_err(|trouble| Box::new(self.judge_trouble(side, trouble, used_us)))?;
        if charge.flag {
            let detail = format!(
                "answered {} after {:.3} s; {:.3} s were allowed",
                shown(&said),
                used_us as f64 / 1e6,
                allowed_us.unwrap_or_default() as f64 / 1e6
            );
            return Err(Box::new(GameVerdict::loss(side, EndCause::Time, detail)));
        }
        let (text, reply) = self.judge_answer(side, said, &record)?;
        let wrong_line = wrong_line(&*self.board, &text, &record.pv);
        let turn = match self.board.play(&text) {
            Ok(turn) => turn,
            Err(rejected) => {
                let detail = format!("played '{}': {rejected}", text.escape_debug());
                return Err(Box::new(GameVerdict::loss(side, EndCause::Illegal, detail)));
            }
        };
        for owner in [Side::First, Side::Second] {
            self.players[owner.index()].played(side, &turn, owner == side);
        }
        record.pair = self.place.pair;
        record.game = self.place.game;
        record.ply = self.moves.len() as u32 + 1;
        record.side = index as u8;
        record.m.clone_from(&turn);
        record.used_us = used_us;
        record.rest_us = self.clocks[index].shown_rest();
        record.warn = self.players[index].take_warnings();
        record.warn.extend(wrong_line);
        if charge.over_us > 0 {
            record.warn.push(format!("overstepped by {} µs within the margin", charge.over_us));
        }
        let points = self.board.impasse_points().filter(|_| self.board.outcome().is_none());
        let counted = self.impasse.as_mut().and_then(|watch| watch.add(record.score(), points));
        let ended = self.adjudicator.add(record.ply, side, record.score()).or(counted);
        self.moves.push(record);
        if let Some((winner, cause)) = ended {
            let detail = match points {
                Some([first, second]) if cause == EndCause::Impasse => format!("{first} points to {second}"),
                _ if cause == EndCause::AdjWin && self.adjudicator.is_one_sided() => {
                    "the loser's score decides".into()
                }
                _ => "both engines agree".into(),
            };
            return Err(Box::new(GameVerdict { winner, cause, detail, margin: None, tail: Vec::new() }));
        }
        self.start_pondering(side, reply.as_deref());
        Ok(turn)
    }

    /// Lets the mover ponder on the reply that it expects, if the reply is legal.
    fn start_pondering(&mut self, side: Side, reply: Option<&str>) {
        self.guess = None;
        if !self.players[side.index()].spec().ponder || self.board.outcome().is_some() {
            return;
        }
        if let Some(guess) = reply.and_then(|reply| self.board.check(reply).ok()) {
            let times = self.times(side);
            self.players[side.index()].ponder(&times, &guess);
            self.guess = Some(guess);
        }
    }

    /// The turn in an answer, or the verdict if the answer ends the game.
    fn judge_answer(
        &self,
        side: Side,
        said: GoAnswer,
        record: &JournalMove,
    ) -> Result<(String, Option<String>), Box<GameVerdict>> {
        let verdict = match said {
            GoAnswer::Turn(turn, reply) => return Ok((turn, reply)),
            GoAnswer::Resign => {
                let odd = record.cp.is_some_and(|cp| cp >= 0) || record.mate.is_some_and(|mate| mate > 0);
                let detail = if odd { "resigned although it reported a score of 0 or more" } else { "" };
                GameVerdict::loss(side, EndCause::Resign, detail)
            }
            GoAnswer::Win if self.board.may_claim_win() => {
                GameVerdict::loss(side.other(), EndCause::Declare, "declared the win")
            }
            GoAnswer::Win => {
                GameVerdict::loss(side, EndCause::FalseClaim, "claimed a win that the rules do not give")
            }
            GoAnswer::Nonsense(text) => {
                let detail = format!("answered '{}'", text.escape_debug());
                GameVerdict::loss(side, EndCause::BadAnswer, detail)
            }
        };
        Err(Box::new(verdict))
    }

    /// The verdict on an engine that did not answer.
    fn judge_trouble(&mut self, side: Side, trouble: EngineFailure, used_us: u64) -> GameVerdict {
        let player = &mut self.players[side.index()];
        let tail = player.kill();
        let timed = self.clocks[side.index()].limit().has_clock();
        let (cause, detail) = match trouble {
            EngineFailure::Silent => {
                let cause = if timed { EndCause::Time } else { EndCause::Stall };
                (cause, format!("no answer for {:.3} s, nor after stop", used_us as f64 / 1e6))
            }
            EngineFailure::Gone(how) => (EndCause::Crash, how),
            EngineFailure::Nonsense(what) => (EndCause::BadAnswer, what),
        };
        GameVerdict { tail, ..GameVerdict::loss(side, cause, detail) }
    }

    fn close(mut self, verdict: GameVerdict, start: &GameStart, t0: String, duration: Duration) -> Finished {
        let result = GameResult::of_winner(verdict.winner);
        let mut warn = Vec::new();
        for side in [Side::First, Side::Second] {
            let player = &mut self.players[side.index()];
            player.end_game(result, side);
            let name = player.spec().name.clone();
            warn.extend(player.take_warnings().into_iter().map(|warning| format!("{name}: {warning}")));
        }
        let name = |side: Side| self.players[side.index()].spec().name.clone();
        let detail = bounded(&verdict.detail, MAX_DETAIL);
        let loser = verdict.winner.map(|winner| name(winner.other()));
        let fault = verdict.cause.is_fault().then(|| EngineFault {
            pair: self.place.pair,
            game: self.place.game,
            engine: loser.clone().unwrap_or_default(),
            what: verdict.cause,
            detail: detail.clone(),
            tail: verdict.tail,
        });
        let game = JournalGame {
            pair: self.place.pair,
            game: self.place.game,
            leg: self.place.leg,
            first: name(Side::First),
            second: name(Side::Second),
            opening: self.place.opening,
            start: start.text(),
            result,
            cause: verdict.cause,
            detail,
            loser,
            plies: self.moves.len() as u32,
            margin: verdict.margin,
            rest_us: [self.clocks[0].shown_rest(), self.clocks[1].shown_rest()],
            used_us: self.used_us,
            max_over_us: self.max_over_us,
            lag_us_p99: self.lags.map(|lags| percentile(lags, 99)),
            time_scale: self.agreement.time_scale,
            slot: self.place.slot,
            t0,
            dur_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            warn,
        };
        Finished { played: GameWithMoves::new(game, self.moves), fault }
    }
}

fn shown(said: &GoAnswer) -> String {
    match said {
        GoAnswer::Turn(turn, _) => format!("'{}'", turn.escape_debug()),
        GoAnswer::Resign => "'resign'".into(),
        GoAnswer::Win => "'win'".into(),
        GoAnswer::Nonsense(text) => format!("'{}'", text.escape_debug()),
    }
}

fn percentile(mut values: Vec<i64>, percent: usize) -> i64 {
    values.sort_unstable();
    let last = values.len().saturating_sub(1);
    values.get((values.len() * percent / 100).min(last)).copied().unwrap_or_default()
}
