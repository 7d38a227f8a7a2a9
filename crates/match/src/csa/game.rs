//! One game: the engine is asked, its answer checked by the rules and sent, what the server says believed.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::clock::{CsaClock, MoveBudget};
use super::connection::{Connection, ConnectionLost, ServerLine};
use super::message::{CsaResult, ServerMessage, Wrong, ending};
use super::record::CsaGameFile;
use super::summary::CsaGameSummary;
use crate::dialogue::moved::JournalMove;
use crate::dialogue::player::{EngineFailure, EnginePlayer, GRACE, MoveResult};
use crate::dialogue::speaker::{GameStart, GoAnswer, Times};
use kaeshi_core::game::{GameError, Side};
use kaeshi_records::csa::wire;
use kaeshi_records::referee::ending::{EndCause, Ending, GameResult};
use kaeshi_records::referee::{RefereeBoard, RefereeRules};
use kaeshi_records::text::shown;
use kaeshi_records::{GameRecord, PlyRemarks};
use kaeshi_system::output::say;

/// Time from the cause of an end to the result.
const RESULT: Duration = Duration::from_secs(10);
/// A server that says nothing for so long in a game is gone; games take hours.
const SILENCE: Duration = Duration::from_secs(24 * 3600);

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    /// Time kept for the network in every move.
    pub margin: Duration,
    /// Whether value and expected moves are sent with each move.
    pub comments: bool,
}

/// Why a game stopped before its end.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CsaGameError {
    /// The connection is over.
    #[error(transparent)]
    Lost(#[from] ConnectionLost),
    /// The server and we disagree about the game.
    #[error("the server does not keep to the protocol: {0}")]
    Wrong(#[from] Wrong),
}

/// A game that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct CsaGameOver {
    /// Who scored, as the server said.
    pub score: CsaResult,
    /// For the record; `None` if there is no result.
    pub ending: Option<Ending>,
    /// What was wrong with the engine, if it could not go on.
    pub failure: Option<String>,
}

/// What is to be sent.
enum CsaReply {
    Move(Box<Sent>),
    Resign,
    Win,
}

/// A move that was sent and not confirmed yet.
struct Sent {
    text: String,
    remarks: PlyRemarks,
    reply: Option<String>,
}

/// Who and what a game is played with.
pub struct CsaGameContext<'a> {
    /// To the server.
    pub connection: &'a Connection,
    /// The engine, which has been set up.
    pub player: &'a mut EnginePlayer,
    /// The referee of what the engine answers.
    pub rules: &'a dyn RefereeRules,
    /// The conditions.
    pub summary: &'a CsaGameSummary,
    /// How it is played.
    pub manners: Manners,
    /// The record, which ends where the game begins or goes on.
    pub kept: &'a mut CsaGameFile,
}

/// A game that the server has begun.
pub struct CsaGame<'a> {
    table: CsaGameContext<'a>,
    board: Box<dyn RefereeBoard>,
    clocks: [CsaClock; 2],
    /// When the present turn began.
    began: Instant,
    sent: Option<Sent>,
    /// Whether the end was asked for.
    ending: bool,
    /// Whether the engine was started anew.
    restarted: bool,
    failure: Option<String>,
}

/// The board where a record ends, and the way there as engines get it.
///
/// # Errors
/// The record is not legal.
pub fn set_up(
    rules: &dyn RefereeRules,
    record: &GameRecord,
) -> Result<(GameStart, Box<dyn RefereeBoard>), GameError> {
    let position = record.start.strip_prefix("sfen ");
    let mut board = rules.board(position)?;
    let facts = rules.facts();
    let mut start = GameStart {
        game: facts.name,
        size: facts.boards.usual_size,
        position: position.map(str::to_owned),
        mover: Some(board.side_to_move()),
        turns: Vec::new(),
    };
    for ply in &record.plies {
        let side = board.side_to_move();
        start.turns.push((side, board.play(&ply.turn)?));
    }
    Ok((start, board))
}

/// The clocks of a game that the server begins at `board`.
pub fn clocks(summary: &CsaGameSummary, board: &dyn RefereeBoard) -> [CsaClock; 2] {
    [Side::First, Side::Second].map(|side| {
        let last = usize::from(side == board.side_to_move());
        let own = summary.made.iter().rev().skip(last).step_by(2);
        CsaClock::after(summary.terms[side.index()], own.map(|(_, used)| *used))
    })
}

/// The clocks as an engine gets them: `own` for the one that is asked.
pub fn times(clocks: &[CsaClock; 2], me: Side, own: MoveBudget) -> Times {
    let mut shares = clocks.map(|clock| clock.share());
    shares[me.index()] = own;
    let rest_us = shares.map(|share| share.rest_us);
    Times { me, limits: shares.map(|share| share.limit), rest_us, moves_to_go: [None; 2] }
}

impl<'a> CsaGame<'a> {
    /// A game at `board`, whose first turn here begins at `began`.
    pub fn new(
        table: CsaGameContext<'a>,
        board: Box<dyn RefereeBoard>,
        clocks: [CsaClock; 2],
        began: Instant,
    ) -> CsaGame<'a> {
        CsaGame { table, board, clocks, began, sent: None, ending: false, restarted: false, failure: None }
    }

    /// Plays to the end.
    ///
    /// # Errors
    /// The connection is over, or the server says what cannot be.
    pub fn play(mut self) -> Result<CsaGameOver, CsaGameError> {
        let over = self.play_on();
        let result = match &over {
            Ok(CsaGameOver { score: CsaResult::Win, .. }) => {
                GameResult::of_winner(Some(self.table.summary.me))
            }
            Ok(CsaGameOver { score: CsaResult::Loss, .. }) => {
                GameResult::of_winner(Some(self.table.summary.me.other()))
            }
            _ => GameResult::Draw,
        };
        self.table.player.end_game(result, self.table.summary.me);
        self.table.player.take_warnings().iter().for_each(|warning| log::warn!("engine: {warning}"));
        over
    }

    fn play_on(&mut self) -> Result<CsaGameOver, CsaGameError> {
        loop {
            if self.board.side_to_move() == self.table.summary.me && self.sent.is_none() && !self.ending {
                self.make_move()?;
            }
            let heard = self.table.connection.receive(Instant::now() + SILENCE)?;
            match ServerMessage::read(&heard.text)? {
                ServerMessage::Move { text, used } => self.confirm(&text, used, &heard)?,
                ServerMessage::Cause(cause) => return self.result(Some(cause)),
                ServerMessage::Result(score) => return Ok(self.over(None, score)),
                ServerMessage::Start(_) | ServerMessage::Reject { .. } => {
                    return Err(Wrong(format!("'{}' during a game", shown(&heard.text))).into());
                }
                ServerMessage::Other => {}
            }
        }
    }

    /// Waits for the result after the cause of the end.
    fn result(&mut self, cause: Option<EndCause>) -> Result<CsaGameOver, CsaGameError> {
        let deadline = Instant::now() + RESULT;
        loop {
            let heard = self.table.connection.receive(deadline)?;
            if let ServerMessage::Result(score) = ServerMessage::read(&heard.text)? {
                return Ok(self.over(cause, score));
            }
        }
    }

    fn over(&mut self, cause: Option<EndCause>, score: CsaResult) -> CsaGameOver {
        let ending = ending(cause, score, self.table.summary.me);
        CsaGameOver { score, ending, failure: self.failure.take() }
    }

    /// A move that the server states, ours or the opponent's.
    fn confirm(&mut self, text: &str, used: u64, heard: &ServerLine) -> Result<(), CsaGameError> {
        let (me, mover) = (self.table.summary.me, self.board.side_to_move());
        let own = mover == me;
        let sent = self.sent.take();
        if own && sent.as_ref().is_none_or(|sent| sent.text != text) {
            return Err(Wrong(format!("'{text}' is not our move")).into());
        }
        let turn = wire::read_move(&self.board.text(), text);
        let turn = turn.and_then(|turn| self.board.play(&turn)).map_err(|why| Wrong(why.to_string()))?;
        self.began = heard.stamp;
        self.clocks[mover.index()].charge(used);
        self.table.player.played(mover, &turn, own);
        let (remarks, reply) = sent.map(|sent| (sent.remarks, sent.reply)).unzip();
        self.table.kept.add(&turn, used, &self.table.summary.terms[mover.index()], remarks);
        if own && let Some(guess) = reply.flatten().and_then(|reply| self.board.check(&reply).ok()) {
            self.ponder(&guess);
        }
        Ok(())
    }

    fn ponder(&mut self, guess: &str) {
        if self.table.player.spec().ponder && self.board.outcome().is_none() {
            let times = self.times(self.share(Duration::ZERO));
            self.table.player.ponder(&times, guess);
        }
    }

    fn times(&self, own: MoveBudget) -> Times {
        times(&self.clocks, self.table.summary.me, own)
    }

    /// What the engine may use of the present turn, of which `spent` has passed.
    fn share(&self, spent: Duration) -> MoveBudget {
        self.clocks[self.table.summary.me.index()].share_after(spent, self.table.manners.margin)
    }

    /// Asks the engine and sends its answer, unless the game has ended meanwhile.
    fn make_move(&mut self) -> Result<(), CsaGameError> {
        let answer = self.answer();
        if self.is_unwanted() {
            return Ok(());
        }
        match answer {
            CsaReply::Move(sent) => {
                let comment = self.comment(&sent);
                self.table.connection.send(&format!("{}{comment}", sent.text))?;
                self.sent = Some(*sent);
            }
            CsaReply::Resign => {
                self.ending = true;
                self.table.connection.send("%TORYO")?;
            }
            CsaReply::Win => {
                self.ending = true;
                self.table.connection.send("%KACHI")?;
            }
        }
        Ok(())
    }

    /// What the engine wants. One that fails is started anew; the second time in a game it has lost.
    fn answer(&mut self) -> CsaReply {
        loop {
            let why = match self.think() {
                Ok(answer) => return answer,
                Err(why) => why,
            };
            if self.is_unwanted() {
                return CsaReply::Resign;
            }
            if !self.restarted && self.restart() {
                say(format_args!("The engine {why}; it was started anew."));
                continue;
            }
            say(format_args!("The engine {why}; the game is given up."));
            self.failure = Some(why);
            return CsaReply::Resign;
        }
    }

    fn think(&mut self) -> Result<CsaReply, String> {
        let share = self.share(self.began.elapsed());
        let allowed = share.deadline.map(|deadline| deadline.saturating_sub(GRACE));
        let last = self.table.kept.record.plies.last().map(|ply| ply.turn.clone());
        let times = self.times(share);
        let MoveResult { said, record, .. } = self.table.player.think(&times, allowed, last.as_deref());
        match said {
            Ok(GoAnswer::Turn(turn, reply)) => self.judge(&turn, reply, record),
            Ok(GoAnswer::Resign) => Ok(CsaReply::Resign),
            Ok(GoAnswer::Win) if self.board.may_claim_win() => Ok(CsaReply::Win),
            Ok(GoAnswer::Win) => Err("claims a win that the rules do not give".into()),
            Ok(GoAnswer::Nonsense(text)) | Err(EngineFailure::Nonsense(text)) => {
                Err(format!("answers '{}'", shown(&text)))
            }
            Err(EngineFailure::Silent) => Err("does not answer".into()),
            Err(EngineFailure::Gone(how)) => Err(how),
        }
    }

    /// A move of the engine, if it is legal.
    fn judge(&self, turn: &str, reply: Option<String>, record: JournalMove) -> Result<CsaReply, String> {
        let position = self.board.text();
        let legal = self.board.check(turn).and_then(|turn| Ok((wire::write_move(&position, &turn)?, turn)));
        let (text, turn) = legal.map_err(|why| format!("plays '{}': {why}", shown(turn)))?;
        let score = record.score();
        let JournalMove { depth, nodes, pv, .. } = record;
        let expected = if pv.first() == Some(&turn) { pv } else { vec![turn] };
        let remarks = PlyRemarks { score, depth, nodes, expected, ..PlyRemarks::default() };
        Ok(CsaReply::Move(Box::new(Sent { text, remarks, reply })))
    }

    /// What goes with a move: nothing, or value and expected moves.
    fn comment(&self, sent: &Sent) -> String {
        let Some(score) = sent.remarks.score.filter(|_| self.table.manners.comments) else {
            return String::new();
        };
        let comment = wire::comment(&self.board.text(), score, &sent.remarks.expected);
        comment.map(|comment| format!(",{comment}")).unwrap_or_default()
    }

    fn restart(&mut self) -> bool {
        self.restarted = true;
        self.table.player.kill();
        let times = self.times(self.share(Duration::ZERO));
        let now = set_up(self.table.rules, &self.table.kept.record);
        now.is_ok_and(|(start, _)| self.table.player.new_game(&start, &times).is_ok())
    }

    fn is_unwanted(&self) -> bool {
        self.table.connection.alarm().load(Ordering::Relaxed)
    }
}
