//! Several games in a row: login, proposals, games, and login again where the connection broke.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{anyhow, bail};
use crossbeam_channel::RecvTimeoutError;

use super::connection::{Connection, ConnectionLost, DisconnectHandle, ServerLine};
use super::game::{CsaGame, CsaGameContext, CsaGameError, CsaGameOver, Manners, clocks, set_up, times};
use super::message::{CsaResult, ServerMessage, Wrong};
use super::record::CsaGameFile;
use super::summary::{CsaGameSummary, MOST_LINES};
use crate::dialogue::engine_process::leftovers::ProcessReaper;
use crate::dialogue::player::{EnginePlayer, EngineTimeouts, Spec, StartFailure};
use kaeshi_engine::utc;
use kaeshi_records::referee::RefereeRules;
use kaeshi_records::referee::ending::EndCause;
use kaeshi_records::text::{bounded, shown};
use kaeshi_system::output::say;
use kaeshi_system::stop_signal::StopSignal;

/// Time for the answer to a login.
const LOGIN: Duration = Duration::from_secs(30);
/// Time for the rest of a proposal, once it has begun.
const PROPOSAL: Duration = Duration::from_secs(30);
/// Time for the opponent to agree, too.
const AGREEMENT: Duration = Duration::from_secs(600);
/// Time for the answer to LOGOUT.
const LOGOUT: Duration = Duration::from_secs(5);
/// Time between two looks at whether the end is asked for.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Pause before the first new login; each further one is twice as long,
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// After this many failures in succession, without a game that ended, there is no further try.
const MOST_FAILURES: u32 = 30;
/// The option by which engines know after how many moves a game is drawn.
const MAX_MOVES: &str = "MaxMovesToDraw";

/// What is to be done.
pub struct CsaSessionConfig {
    /// Of the server.
    pub host: String,
    /// Of the server.
    pub port: u16,
    /// Of the player.
    pub name: String,
    /// The player's, with the name of the game on floodgate.
    pub password: String,
    /// Pause between signs of life; zero for none.
    pub keep_alive: Duration,
    /// Games to be finished.
    pub games: u64,
    /// Folder of the records.
    pub records: PathBuf,
    /// The engine.
    pub spec: Spec,
    /// How games are played.
    pub manners: Manners,
}

/// What came of the games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionTally {
    /// Won, drawn, lost, and without a result.
    pub scores: [u64; 4],
    /// Games that broke off and were not gone on with.
    pub interrupted: u64,
}

impl SessionTally {
    /// Games that were played to their end.
    pub fn played(&self) -> u64 {
        self.scores.iter().sum()
    }
}

/// Why there is no login.
enum Refused {
    /// The server does not want this name and password, now at least.
    Incorrect,
    /// There is no connection.
    Lost(String),
    /// The end is asked for before the server has answered.
    Stopped,
}

/// A player at a server.
pub struct CsaSession<'a> {
    plan: &'a CsaSessionConfig,
    rules: Arc<dyn RefereeRules>,
    reaper: Arc<ProcessReaper>,
    stop: &'static StopSignal,
    /// The present connection.
    line: DisconnectHandle,
    player: EnginePlayer,
    /// What the engine takes for the longest game.
    max_moves: Option<u64>,
    unfinished: Option<CsaGameFile>,
    failures: u32,
    tally: SessionTally,
}

/// What became of one proposal.
type ProposalOutcome = Result<ControlFlow<()>, CsaGameError>;

impl<'a> CsaSession<'a> {
    /// A session whose engine is running.
    ///
    /// # Errors
    /// The engine cannot be started; with its last words.
    pub fn new(
        plan: &'a CsaSessionConfig,
        rules: Arc<dyn RefereeRules>,
        reaper: Arc<ProcessReaper>,
        stop: &'static StopSignal,
    ) -> anyhow::Result<CsaSession<'a>> {
        let timeouts = EngineTimeouts::scaled(1.0);
        let mut player = EnginePlayer::new(Arc::new(plan.spec.clone()), Arc::clone(&reaper), timeouts, None);
        player.start().map_err(explain)?;
        let (unfinished, failures) = (None, 0);
        let (line, tally) = (DisconnectHandle::default(), SessionTally::default());
        Ok(CsaSession {
            plan,
            rules,
            reaper,
            stop,
            line,
            player,
            max_moves: None,
            unfinished,
            failures,
            tally,
        })
    }

    /// The line to the server, so that another thread can close it.
    pub fn line(&self) -> DisconnectHandle {
        self.line.clone()
    }

    /// Plays until all games are played, or a stop is requested.
    ///
    /// # Errors
    /// No login, an engine that fails, a record that cannot be written, too many failures.
    pub fn run(mut self) -> anyhow::Result<SessionTally> {
        let mut connection = match self.login() {
            Ok(connection) => Some(connection),
            Err(Refused::Incorrect) => bail!("the server refuses the name or the password"),
            Err(Refused::Lost(_)) if self.stop.is_raised() => None,
            Err(Refused::Stopped) => None,
            Err(Refused::Lost(why)) => bail!("{}:{}: {why}", self.plan.host, self.plan.port),
        };
        let done = loop {
            if self.tally.played() >= self.plan.games || self.stop.is_raised() {
                break Ok(());
            }
            if connection.is_none() && self.failures >= MOST_FAILURES {
                break Err(anyhow!("no game was finished in {MOST_FAILURES} tries"));
            }
            let Some(link) = connection.take().or_else(|| self.login_again()) else { continue };
            match self.wait_and_play(&link) {
                Ok(Ok(ControlFlow::Continue(()))) => connection = Some(link),
                Ok(Ok(ControlFlow::Break(()))) => break self.log_out(&link),
                Ok(Err(_)) if self.stop.is_overdue() => break Ok(()),
                Ok(Err(broken)) => self.fail(&broken.to_string()),
                Err(error) => break Err(error),
            }
        };
        if let Some(link) = &connection {
            self.log_out(link)?;
        }
        self.forget_unfinished();
        self.player.quit();
        done.map(|()| self.tally)
    }

    fn fail(&mut self, why: &str) {
        self.failures += 1;
        // A server may close the connection after each game.
        if self.failures > 1 || self.unfinished.is_some() {
            say(format_args!("{why}"));
        }
    }

    /// Connects, on another thread: the name of the host and its addresses may not answer for long.
    fn connect(&self) -> Result<Connection, Refused> {
        let (host, port, keep_alive) = (self.plan.host.clone(), self.plan.port, self.plan.keep_alive);
        let (sender, opened) = crossbeam_channel::bounded(1);
        let connect = move || drop(sender.send(Connection::open(&host, port, keep_alive)));
        let started = thread::Builder::new().name("csa-connect".into()).spawn(connect);
        started.map_err(|error| Refused::Lost(error.to_string()))?;
        loop {
            match opened.recv_timeout(POLL_INTERVAL) {
                Ok(opened) => return opened.map_err(|error| Refused::Lost(error.to_string())),
                Err(RecvTimeoutError::Timeout) if self.stop.is_raised() => return Err(Refused::Stopped),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Refused::Lost("no connection".into())),
            }
        }
    }

    /// Connects and logs in.
    fn login(&self) -> Result<Connection, Refused> {
        let CsaSessionConfig { host, port, name, password, .. } = self.plan;
        let lost = |why: &dyn std::fmt::Display| Refused::Lost(why.to_string());
        let connection = self.connect()?;
        self.line.is(&connection);
        log::debug!("csa > LOGIN {name} …");
        connection.send_secret(&format!("LOGIN {name} {password}")).map_err(|why| lost(&why))?;
        let deadline = Instant::now() + LOGIN;
        loop {
            let heard = self.next_line(&connection, Some(deadline)).map_err(|why| lost(&why))?;
            let Some(ServerLine { text, .. }) = heard else { return Err(Refused::Stopped) };
            match text.strip_prefix("LOGIN:") {
                Some("incorrect") => return Err(Refused::Incorrect),
                Some(rest) if rest.strip_suffix(" OK") == Some(name) => break,
                _ => {}
            }
        }
        say(format_args!("Logged in at {host}:{port} as {name}."));
        Ok(connection)
    }

    /// After a pause that grows with the failures. The server may still take the name for logged in.
    fn login_again(&mut self) -> Option<Connection> {
        let pause = FIRST_PAUSE * 2u32.saturating_pow(self.failures.saturating_sub(1).min(6));
        let until = Instant::now() + pause.min(LONGEST_PAUSE);
        while Instant::now() < until && !self.stop.is_raised() {
            thread::sleep(POLL_INTERVAL.min(until.saturating_duration_since(Instant::now())));
        }
        if self.stop.is_raised() {
            return None;
        }
        match self.login() {
            Ok(connection) => return Some(connection),
            Err(Refused::Incorrect) => self.fail("the server refuses the new login"),
            Err(Refused::Lost(why)) => self.fail(&why),
            Err(Refused::Stopped) => {}
        }
        None
    }

    /// The next line; `None` if the end is asked for before one comes.
    fn next_line(
        &self,
        connection: &Connection,
        deadline: Option<Instant>,
    ) -> Result<Option<ServerLine>, ConnectionLost> {
        loop {
            let poll_interval = Instant::now() + POLL_INTERVAL;
            let until = deadline.map_or(poll_interval, |deadline| deadline.min(poll_interval));
            match connection.receive(until) {
                Err(ConnectionLost::Timeout) if self.stop.is_raised() => return Ok(None),
                Err(ConnectionLost::Timeout) if deadline.is_none_or(|deadline| Instant::now() < deadline) => {
                }
                heard => return heard.map(Some),
            }
        }
    }

    /// Waits for a proposal and plays the game. The outer error ends everything.
    fn wait_and_play(&mut self, connection: &Connection) -> anyhow::Result<ProposalOutcome> {
        let summary = loop {
            let heard = match self.next_line(connection, None) {
                Ok(Some(heard)) => heard,
                Ok(None) => return Ok(Ok(ControlFlow::Break(()))),
                Err(lost) => return Ok(Err(lost.into())),
            };
            if heard.text != "BEGIN Game_Summary" {
                continue;
            }
            match read_proposal(connection) {
                Ok(summary) => break summary,
                Err(CsaGameError::Wrong(why)) => return Ok(self.refuse(connection, &why)),
                Err(lost) => return Ok(Err(lost)),
            }
        };
        self.agree_and_play(connection, &summary)
    }

    /// A game that cannot be played is refused; the next one may be better.
    fn refuse(&mut self, connection: &Connection, why: &Wrong) -> ProposalOutcome {
        say(format_args!("The proposed game is refused: {why}"));
        connection.send("REJECT")?;
        self.failures += 1;
        if self.failures >= MOST_FAILURES {
            return Err(Wrong("it proposes no game that can be played".into()).into());
        }
        Ok(ControlFlow::Continue(()))
    }

    fn agree_and_play(
        &mut self,
        connection: &Connection,
        summary: &CsaGameSummary,
    ) -> anyhow::Result<ProposalOutcome> {
        if self.unfinished.as_ref().is_some_and(|kept| !kept.goes_on_as(summary)) {
            self.forget_unfinished();
        }
        let resumed = self.unfinished.is_some();
        let mut kept = self.unfinished.take().unwrap_or_else(|| {
            CsaGameFile::begin(&self.plan.records, summary, utc::seconds(SystemTime::now()))
        });
        kept.go_on(summary);
        let (start, board) = match set_up(&*self.rules, &kept.record) {
            Ok(set_up) => set_up,
            Err(why) => return Ok(self.refuse(connection, &Wrong(why.to_string()))),
        };
        let clocks = clocks(summary, &*board);
        self.take_max_moves(summary.max_moves)?;
        let own = clocks[summary.me.index()].share();
        // The engine is ready before the clocks run.
        if let Err(failure) = self.player.new_game(&start, &times(&clocks, summary.me, own)) {
            let _ = connection.send("REJECT");
            return Err(explain(failure));
        }
        connection.alarm().store(false, Ordering::Relaxed);
        self.player.stop_when(Arc::clone(connection.alarm()));
        let began = match self.agree(connection, summary) {
            Ok(Some(began)) => began,
            not_begun => {
                self.unfinished = Some(kept).filter(|_| resumed);
                return Ok(not_begun.map(|_| ControlFlow::Continue(())));
            }
        };
        self.announce(summary, resumed);
        let (player, rules, manners) = (&mut self.player, &*self.rules, self.plan.manners);
        let table = CsaGameContext { connection, player, rules, summary, manners, kept: &mut kept };
        match CsaGame::new(table, board, clocks, began).play() {
            Ok(over) => self.close(kept, over).map(|()| Ok(ControlFlow::Continue(()))),
            Err(broken) => {
                say(format_args!("The game stopped after {} moves.", kept.record.plies.len()));
                kept.write(None)?;
                self.unfinished = Some(kept);
                Ok(Err(broken))
            }
        }
    }

    /// Agrees and waits for the start; `None` if there is none.
    fn agree(
        &self,
        connection: &Connection,
        summary: &CsaGameSummary,
    ) -> Result<Option<Instant>, CsaGameError> {
        connection.send("AGREE")?;
        let deadline = Instant::now() + AGREEMENT;
        loop {
            let Some(heard) = self.next_line(connection, Some(deadline))? else {
                connection.send("REJECT")?;
                return Ok(None);
            };
            match ServerMessage::read(&heard.text)? {
                ServerMessage::Start(id) if id == summary.id => return Ok(Some(heard.stamp)),
                ServerMessage::Start(id) => {
                    let why = format!("'{}' begins, not '{}'", shown(&id), shown(&summary.id));
                    return Err(Wrong(why).into());
                }
                ServerMessage::Reject { by, .. } => {
                    say(format_args!("{} does not agree to the game.", bounded(&by, 40)));
                    return Ok(None);
                }
                _ => {}
            }
        }
    }

    fn announce(&self, summary: &CsaGameSummary, resumed: bool) {
        let [black, white] = &summary.names;
        say(format_args!(
            "Game {} of {}{}: {black} - {white}, {}, {}.",
            self.tally.played() + 1,
            self.plan.games,
            if resumed { " goes on" } else { "" },
            summary.terms[summary.me.index()].limit(),
            summary.id
        ));
    }

    /// A game that came to its end.
    fn close(&mut self, mut kept: CsaGameFile, over: CsaGameOver) -> anyhow::Result<()> {
        let cause = over.ending.as_ref().and_then(|ending| ending.cause).map_or("", EndCause::word);
        let plies = kept.record.plies.len();
        let path = kept.write(over.ending)?;
        let (word, count) = match over.score {
            CsaResult::Win => ("won", 0),
            CsaResult::Draw => ("drawn", 1),
            CsaResult::Loss => ("lost", 2),
            CsaResult::None => ("no result", 3),
        };
        say(format_args!("  {word} {cause} after {plies} moves: {}", path.display()));
        self.tally.scores[count] += 1;
        self.failures = 0;
        match over.failure {
            Some(why) => bail!("the engine {why}"),
            None => Ok(()),
        }
    }

    /// An engine that knows when games are drawn gets the server's number of moves; it is started anew for it.
    fn take_max_moves(&mut self, moves: Option<u64>) -> anyhow::Result<()> {
        if moves == self.max_moves || !self.player.identity().has_option(MAX_MOVES) {
            return Ok(());
        }
        let mut spec = self.plan.spec.clone();
        if spec.options.iter().any(|(name, _)| name.eq_ignore_ascii_case(MAX_MOVES)) {
            return Ok(());
        }
        spec.usual_options.extend(moves.map(|moves| (MAX_MOVES.to_owned(), moves.to_string())));
        self.player.quit();
        let timeouts = EngineTimeouts::scaled(1.0);
        self.player = EnginePlayer::new(Arc::new(spec), Arc::clone(&self.reaper), timeouts, None);
        self.max_moves = moves;
        self.player.start().map_err(explain)
    }

    /// The server did not go on with a game that broke off.
    fn forget_unfinished(&mut self) {
        if self.unfinished.take().is_some() {
            self.tally.interrupted += 1;
            say(format_args!("The interrupted game was not gone on with."));
        }
    }

    fn log_out(&self, connection: &Connection) -> anyhow::Result<()> {
        let deadline = Instant::now() + LOGOUT;
        // A server that has closed the connection needs no farewell.
        if connection.send("LOGOUT").is_ok() {
            while let Ok(heard) = connection.receive(deadline) {
                if heard.text == "LOGOUT:completed" {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// The rest of a proposal.
fn read_proposal(connection: &Connection) -> Result<CsaGameSummary, CsaGameError> {
    let deadline = Instant::now() + PROPOSAL;
    let mut lines = Vec::new();
    loop {
        let ServerLine { text, .. } = connection.receive(deadline)?;
        if text == "END Game_Summary" {
            return Ok(CsaGameSummary::read(&lines)?);
        }
        // Endless proposals are no proposals.
        if lines.len() >= MOST_LINES {
            return Err(ConnectionLost::Closed(format!(
                "the server proposed a game in more than {MOST_LINES} lines"
            ))
            .into());
        }
        lines.push(text);
    }
}

/// Why an engine cannot take part, with its last lines.
fn explain(failure: StartFailure) -> anyhow::Error {
    let mut message = format!("the engine: {}", failure.reason);
    for line in &failure.tail {
        message.push_str("\n    ");
        message.push_str(line);
    }
    anyhow::Error::msg(message)
}
