//! One game: the engine is asked, its answer checked by the rules and sent, what the server says believed.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::clock::{Clock, Share};
use super::connection::{Connection, Heard, Lost};
use super::message::{Message, Score, Wrong, ending};
use super::record::Kept;
use super::summary::Summary;
use crate::dialogue::moved::Move;
use crate::dialogue::player::{GRACE, Player, Thought, Trouble};
use crate::dialogue::speaker::{Said, Start, Times};
use kaeshi_core::game::{Rejected, Side};
use kaeshi_records::csa::wire;
use kaeshi_records::referee::ending::{EndCause, Ending, GameResult};
use kaeshi_records::referee::{Board, Rules};
use kaeshi_records::text::shown;
use kaeshi_records::{Record, Remarks};
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
pub enum Broken {
    /// The connection is over.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// The server and we disagree about the game.
    #[error("the server does not keep to the protocol: {0}")]
    Wrong(#[from] Wrong),
}

/// A game that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Over {
    /// Who scored, as the server said.
    pub score: Score,
    /// For the record; `None` if there is no result.
    pub ending: Option<Ending>,
    /// What was wrong with the engine, if it could not go on.
    pub failure: Option<String>,
}

/// What is to be sent.
enum Answer {
    Move(Box<Sent>),
    Resign,
    Win,
}

/// A move that was sent and not confirmed yet.
struct Sent {
    text: String,
    remarks: Remarks,
    reply: Option<String>,
}

/// Who and what a game is played with.
pub struct Table<'a> {
    /// To the server.
    pub connection: &'a Connection,
    /// The engine, which has been set up.
    pub player: &'a mut Player,
    /// The referee of what the engine answers.
    pub rules: &'a dyn Rules,
    /// The conditions.
    pub summary: &'a Summary,
    /// How it is played.
    pub manners: Manners,
    /// The record, which ends where the game begins or goes on.
    pub kept: &'a mut Kept,
}

/// A game that the server has begun.
pub struct Game<'a> {
    table: Table<'a>,
    board: Box<dyn Board>,
    clocks: [Clock; 2],
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
pub fn set_up(rules: &dyn Rules, record: &Record) -> Result<(Start, Box<dyn Board>), Rejected> {
    let position = record.start.strip_prefix("sfen ");
    let mut board = rules.board(position)?;
    let facts = rules.facts();
    let mut start = Start {
        game: facts.name,
        size: facts.usual_size,
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
pub fn clocks(summary: &Summary, board: &dyn Board) -> [Clock; 2] {
    [Side::First, Side::Second].map(|side| {
        let last = usize::from(side == board.side_to_move());
        let own = summary.made.iter().rev().skip(last).step_by(2);
        Clock::after(summary.terms[side.index()], own.map(|(_, used)| *used))
    })
}

/// The clocks as an engine gets them: `own` for the one that is asked.
pub fn times(clocks: &[Clock; 2], me: Side, own: Share) -> Times {
    let mut shares = clocks.map(|clock| clock.share());
    shares[me.index()] = own;
    let rest_us = shares.map(|share| share.rest_us);
    Times { me, limits: shares.map(|share| share.limit), rest_us, moves_to_go: [None; 2] }
}

impl<'a> Game<'a> {
    /// A game at `board`, whose first turn here begins at `began`.
    pub fn new(table: Table<'a>, board: Box<dyn Board>, clocks: [Clock; 2], began: Instant) -> Game<'a> {
        Game { table, board, clocks, began, sent: None, ending: false, restarted: false, failure: None }
    }

    /// Plays to the end.
    ///
    /// # Errors
    /// The connection is over, or the server says what cannot be.
    pub fn play(mut self) -> Result<Over, Broken> {
        let over = self.play_on();
        let result = match &over {
            Ok(Over { score: Score::Win, .. }) => GameResult::of_winner(Some(self.table.summary.me)),
            Ok(Over { score: Score::Loss, .. }) => GameResult::of_winner(Some(self.table.summary.me.other())),
            _ => GameResult::Draw,
        };
        self.table.player.end_game(result, self.table.summary.me);
        self.table.player.take_warnings().iter().for_each(|warning| log::warn!("engine: {warning}"));
        over
    }

    fn play_on(&mut self) -> Result<Over, Broken> {
        loop {
            if self.board.side_to_move() == self.table.summary.me && self.sent.is_none() && !self.ending {
                self.make_move()?;
            }
            let heard = self.table.connection.receive(Instant::now() + SILENCE)?;
            match Message::read(&heard.text)? {
                Message::Move { text, used } => self.confirm(&text, used, &heard)?,
                Message::Cause(cause) => return self.result(Some(cause)),
                Message::Result(score) => return Ok(self.over(None, score)),
                Message::Start(_) | Message::Reject { .. } => {
                    return Err(Wrong(format!("'{}' during a game", shown(&heard.text))).into());
                }
                Message::Other => {}
            }
        }
    }

    /// Waits for the result after the cause of the end.
    fn result(&mut self, cause: Option<EndCause>) -> Result<Over, Broken> {
        let deadline = Instant::now() + RESULT;
        loop {
            let heard = self.table.connection.receive(deadline)?;
            if let Message::Result(score) = Message::read(&heard.text)? {
                return Ok(self.over(cause, score));
            }
        }
    }

    fn over(&mut self, cause: Option<EndCause>, score: Score) -> Over {
        let ending = ending(cause, score, self.table.summary.me);
        Over { score, ending, failure: self.failure.take() }
    }

    /// A move that the server states, ours or the opponent's.
    fn confirm(&mut self, text: &str, used: u64, heard: &Heard) -> Result<(), Broken> {
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

    fn times(&self, own: Share) -> Times {
        times(&self.clocks, self.table.summary.me, own)
    }

    /// What the engine may use of the present turn, of which `spent` has passed.
    fn share(&self, spent: Duration) -> Share {
        self.clocks[self.table.summary.me.index()].share_after(spent, self.table.manners.margin)
    }

    /// Asks the engine and sends its answer, unless the game has ended meanwhile.
    fn make_move(&mut self) -> Result<(), Broken> {
        let answer = self.answer();
        if self.is_unwanted() {
            return Ok(());
        }
        match answer {
            Answer::Move(sent) => {
                let comment = self.comment(&sent);
                self.table.connection.send(&format!("{}{comment}", sent.text))?;
                self.sent = Some(*sent);
            }
            Answer::Resign => {
                self.ending = true;
                self.table.connection.send("%TORYO")?;
            }
            Answer::Win => {
                self.ending = true;
                self.table.connection.send("%KACHI")?;
            }
        }
        Ok(())
    }

    /// What the engine wants. One that fails is started anew; the second time in a game it has lost.
    fn answer(&mut self) -> Answer {
        loop {
            let why = match self.think() {
                Ok(answer) => return answer,
                Err(why) => why,
            };
            if self.is_unwanted() {
                return Answer::Resign;
            }
            if !self.restarted && self.restart() {
                say(format_args!("The engine {why}; it was started anew."));
                continue;
            }
            say(format_args!("The engine {why}; the game is given up."));
            self.failure = Some(why);
            return Answer::Resign;
        }
    }

    fn think(&mut self) -> Result<Answer, String> {
        let share = self.share(self.began.elapsed());
        let allowed = share.deadline.map(|deadline| deadline.saturating_sub(GRACE));
        let last = self.table.kept.record.plies.last().map(|ply| ply.turn.clone());
        let times = self.times(share);
        let Thought { said, record, .. } = self.table.player.think(&times, allowed, last.as_deref());
        match said {
            Ok(Said::Turn(turn, reply)) => self.judge(&turn, reply, record),
            Ok(Said::Resign) => Ok(Answer::Resign),
            Ok(Said::Win) if self.board.may_claim_win() => Ok(Answer::Win),
            Ok(Said::Win) => Err("claims a win that the rules do not give".into()),
            Ok(Said::Nonsense(text)) | Err(Trouble::Nonsense(text)) => {
                Err(format!("answers '{}'", shown(&text)))
            }
            Err(Trouble::Silent) => Err("does not answer".into()),
            Err(Trouble::Gone(how)) => Err(how),
        }
    }

    /// A move of the engine, if it is legal.
    fn judge(&self, turn: &str, reply: Option<String>, record: Move) -> Result<Answer, String> {
        let position = self.board.text();
        let legal = self.board.check(turn).and_then(|turn| Ok((wire::write_move(&position, &turn)?, turn)));
        let (text, turn) = legal.map_err(|why| format!("plays '{}': {why}", shown(turn)))?;
        let score = record.score();
        let Move { depth, nodes, pv, .. } = record;
        let expected = if pv.first() == Some(&turn) { pv } else { vec![turn] };
        let remarks = Remarks { score, depth, nodes, expected, ..Remarks::default() };
        Ok(Answer::Move(Box::new(Sent { text, remarks, reply })))
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
