//! An engine of a running game: its process, its protocol, and the time it takes.

mod pondering;
mod reconfigure;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

use kaeshi_core::game::Side;

use crate::dialogue::engine_process::cpu;
use crate::dialogue::engine_process::leftovers::ProcessReaper;
use crate::dialogue::engine_process::transcript::Transcript;
use crate::dialogue::engine_process::{EngineLost, EngineProcess, Program};
use crate::dialogue::limits::ThinkingLimit;
use crate::dialogue::moved::JournalMove;
use crate::dialogue::option_refusal::is_refusal;
use crate::dialogue::speaker::{
    DialogueError, GameStart, GoAnswer, Identity, ProtocolClient, ProtocolQuirks, Times, asker,
};
use kaeshi_engine::dialect::Dialect;
use kaeshi_engine::protocol::option_line::{self, Declared};
use kaeshi_records::referee::ending::GameResult;

use pondering::Pondering;

/// Most bytes of one write, so that the engine never reads a part of it: `PIPE_BUF` of Linux.
const ATOMIC: usize = 4096;

/// Time beyond the deadline during which an answer is still read, to note it in the journal.
pub const GRACE: Duration = Duration::from_millis(100);

/// How often a thinking player checks whether its answer is still wanted.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Time limits of answers for which no clock runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineTimeouts {
    /// From the start to the end of the greeting.
    pub start: Duration,
    /// For the first `isready`.
    pub first_ready: Duration,
    /// For later ones.
    pub ready: Duration,
    /// For the answer after `stop`.
    pub stop: Duration,
    /// From `quit` to the end of the process.
    pub quit: Duration,
    /// For a move limited by nodes or depth; ten times the average move comes on top.
    pub stall: Duration,
}

impl EngineTimeouts {
    /// The usual limits, multiplied by `scale`.
    pub fn scaled(scale: f64) -> EngineTimeouts {
        let seconds = |seconds: f64| Duration::from_secs_f64(seconds * scale);
        EngineTimeouts {
            start: seconds(10.0),
            first_ready: seconds(60.0),
            ready: seconds(20.0),
            stop: seconds(2.0),
            quit: seconds(2.0),
            stall: seconds(60.0),
        }
    }
}

/// The option that chooses the game of an engine that plays several.
pub const GAME_OPTION: &str = "Game";

/// A participant as the match configures it.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Unique in the match.
    pub name: String,
    /// How to start it.
    pub program: Program,
    /// Its protocol.
    pub protocol: Dialect,
    /// Options to set after the greeting, in this order.
    pub options: Vec<(String, String)>,
    /// Options to set if the engine has them.
    pub usual_options: Vec<(String, String)>,
    /// How the engine reads unclear points of the protocol.
    pub quirks: ProtocolQuirks,
    /// Its limit of time, nodes or depth.
    pub limit: ThinkingLimit,
    /// Oversteps that are forgiven.
    pub margin: Duration,
    /// Whether it is started anew for every game.
    pub restart: bool,
    /// Whether it thinks on the opponent's time.
    pub ponder: bool,
    /// The entry of the roster whose settings apply although the program was given by its path.
    pub recognised_as: Option<String>,
}

impl Spec {
    /// The threads that its options set; 1 by default.
    pub fn threads(&self) -> usize {
        let option = self.options.iter().find(|(name, _)| name.to_ascii_lowercase().starts_with("thread"));
        option.and_then(|(_, value)| value.parse().ok()).unwrap_or(1)
    }
}

/// Why an engine cannot take part.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{reason}")]
pub struct StartFailure {
    /// One sentence.
    pub reason: String,
    /// Its last lines.
    pub tail: Vec<String>,
    /// Whether it started and completed the handshake, but did not answer `isready` in time.
    pub stalled: bool,
}

/// Why there is no answer to `go`.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum EngineFailure {
    /// Neither in time nor after `stop`; it was killed.
    #[error("no answer in time")]
    Silent,
    /// The process is gone.
    #[error("the engine {0}")]
    Gone(String),
    /// Its answer cannot be read.
    #[error("{0}")]
    Nonsense(String),
}

/// The answer of an engine to `go`.
#[derive(Clone, Debug)]
pub struct MoveResult {
    /// The answer, or why there is none.
    pub said: Result<GoAnswer, EngineFailure>,
    /// From `go` to the answer.
    pub used_us: u64,
    /// Score, depth, nodes and PV of its last `info`.
    pub record: JournalMove,
}

/// A running engine.
pub struct EnginePlayer {
    spec: Arc<Spec>,
    reaper: Arc<ProcessReaper>,
    timeouts: EngineTimeouts,
    log: Option<PathBuf>,
    process: Option<EngineProcess>,
    speaker: Box<dyn ProtocolClient>,
    identity: Identity,
    pondering: Option<Pondering>,
    unwanted: Option<Arc<AtomicBool>>,
    before: Vec<u8>,
    go: Vec<u8>,
    moves: u32,
    thought: Duration,
    cpu_before: Option<Duration>,
    strays: u32,
    warnings: Vec<String>,
}

impl EnginePlayer {
    /// A player whose process is not started yet. The dialogue goes to the file `log`.
    pub fn new(
        spec: Arc<Spec>,
        reaper: Arc<ProcessReaper>,
        timeouts: EngineTimeouts,
        log: Option<PathBuf>,
    ) -> EnginePlayer {
        let speaker = asker(spec.protocol, spec.quirks.clone());
        EnginePlayer {
            spec,
            reaper,
            timeouts,
            log,
            process: None,
            speaker,
            identity: Identity::default(),
            pondering: None,
            unwanted: None,
            before: Vec::new(),
            go: Vec::new(),
            moves: 0,
            thought: Duration::ZERO,
            cpu_before: None,
            strays: 0,
            warnings: Vec::new(),
        }
    }

    /// How it was configured.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Its `id name` and `id author`, once started.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Sets a flag that stops the engine early if it is raised while the engine thinks.
    pub fn stop_when(&mut self, unwanted: Arc<AtomicBool>) {
        self.unwanted = Some(unwanted);
    }

    /// Warnings since the last call.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Starts the process unless it runs already.
    ///
    /// # Errors
    /// What went wrong, with the engine's last lines; it is dead then.
    pub fn start(&mut self) -> Result<(), StartFailure> {
        if self.process.is_some() {
            return Ok(());
        }
        let transcript = match &self.log {
            Some(path) => Some(Arc::new(Transcript::open(path).map_err(|error| StartFailure {
                reason: format!("cannot write {}: {error}", path.display()),
                tail: Vec::new(),
                stalled: false,
            })?)),
            None => None,
        };
        let program = &self.spec.program;
        let process = EngineProcess::start(&self.reaper, program, self.spec.protocol, transcript);
        self.speaker = asker(self.spec.protocol, self.spec.quirks.clone());
        self.process = Some(process.map_err(|error| StartFailure {
            reason: format!("cannot start '{}': {error}", program.command.display()),
            tail: Vec::new(),
            stalled: false,
        })?);
        self.greet().map_err(|(what, failure)| {
            let reason = match &failure {
                DialogueError::Lost(EngineLost::Timeout) => format!("no answer to {what} in time"),
                other => format!("{what}: {other}"),
            };
            let stalled = what == "isready";
            StartFailure { reason, tail: self.kill(), stalled }
        })
    }

    fn greet(&mut self) -> Result<(), (&'static str, DialogueError)> {
        let Some(process) = &mut self.process else { return Ok(()) };
        let now = Instant::now();
        let hello = match self.spec.protocol {
            Dialect::Usi => "usi",
            Dialect::Ugi => "ugi",
            Dialect::Uci => "uci",
            Dialect::Gtp => "the first GTP commands",
            Dialect::NBoard => "nboard 2",
        };
        let start = now + self.timeouts.start;
        self.identity = self.speaker.greet(process, start).map_err(|failure| (hello, failure))?;
        let game = self.spec.usual_options.iter().find(|(name, _)| name == GAME_OPTION);
        if let Some((name, game)) = game.filter(|_| self.identity.has_option(GAME_OPTION)) {
            self.speaker.set_option(process, name, game, start).map_err(|failure| ("setoption", failure))?;
            // Each game has its own options.
            self.identity = self.speaker.greet(process, start).map_err(|failure| (hello, failure))?;
        }
        process.take_remarks();
        for (name, value) in &self.spec.options {
            if let Some(known) = &self.identity.options {
                check_option(known, name, value).map_err(|why| ("options", DialogueError::Bad(why)))?;
            }
            self.speaker.set_option(process, name, value, start).map_err(|failure| ("setoption", failure))?;
        }
        for (name, value) in &self.spec.usual_options {
            let known = option_line::find(self.identity.options.as_deref().unwrap_or_default(), name);
            if let Some(Err(why)) = known.map(|option| option.check(value)) {
                self.warnings.push(format!("did not get {name}={value}: {why}"));
            } else if known.is_some() {
                self.speaker
                    .set_option(process, name, value, start)
                    .map_err(|failure| ("setoption", failure))?;
            }
        }
        let ready = Instant::now() + self.timeouts.first_ready;
        self.speaker.ready(process, ready).map_err(|failure| ("isready", failure))?;
        refused(process).map_err(|failure| ("setoption", failure))
    }

    /// Announces a new game to the engine.
    ///
    /// # Errors
    /// As for [`EnginePlayer::start`].
    pub fn new_game(&mut self, start: &GameStart, times: &Times) -> Result<(), StartFailure> {
        self.start()?;
        self.moves = 0;
        self.thought = Duration::ZERO;
        self.pondering = None;
        self.note_strays(Instant::now());
        let deadline = Instant::now() + self.timeouts.ready;
        let Some(process) = &mut self.process else { return Ok(()) };
        match self.speaker.new_game(process, start, times, deadline) {
            Ok(()) => {
                self.cpu_before = cpu::used(process.id());
                Ok(())
            }
            Err(failure) => {
                let stalled = matches!(failure, DialogueError::Lost(EngineLost::Timeout));
                let reason = format!("new game: {failure}");
                Err(StartFailure { reason, tail: self.kill(), stalled })
            }
        }
    }

    /// Begins a game from `start` that is not played, to check that the engine accepts the start.
    ///
    /// # Errors
    /// As for [`EnginePlayer::start`].
    pub fn try_start(&mut self, start: &GameStart) -> Result<(), StartFailure> {
        let limit = self.spec.limit;
        let (limits, rest_us) = ([limit, limit], [1_000_000; 2]);
        self.new_game(start, &Times { me: Side::First, limits, rest_us, moves_to_go: [None; 2] })
    }

    /// A turn was played on the board.
    pub fn played(&mut self, side: Side, turn: &str, own: bool) {
        self.speaker.played(side, turn, own);
    }

    /// Discards unsolicited answers.
    fn note_strays(&mut self, before: Instant) {
        let Some(process) = &mut self.process else { return };
        while let Some(line) = process.pending(before) {
            if self.speaker.understand(&line, &mut JournalMove::default()).is_some() {
                self.strays += 1;
                self.warnings.push(format!("unexpected answer '{}' was dropped", line.text.escape_debug()));
            }
        }
    }

    /// Whether the unsolicited answers of the engine exceed the limit for a restart.
    pub fn is_confused(&self) -> bool {
        self.strays >= 3
    }

    /// Asks for a move. `allowed` is its time with the margin, `None` where no clock runs.
    /// If the engine ponders on exactly this position, the pondering becomes thinking.
    pub fn think(&mut self, times: &Times, allowed: Option<Duration>, last: Option<&str>) -> MoveResult {
        if let Some(pondering) = self.pondering.take() {
            if last == Some(pondering.guess.as_str()) {
                return self.ponder_hit(pondering, allowed);
            }
            if pondering.early.is_none()
                && let Err(trouble) = self.end_pondering()
            {
                return MoveResult { said: Err(trouble), used_us: 0, record: JournalMove::default() };
            }
        }
        self.note_strays(Instant::now());
        let limit = self.read_limit(allowed);
        let Some(process) = &mut self.process else {
            return MoveResult::trouble(EngineFailure::Gone("is not running".into()));
        };
        process.hush();
        let mut start = Instant::now();
        if let Err(failure) = self.speaker.prepare(process, start + limit) {
            return self.failed(failure, start);
        }
        self.before.clear();
        self.go.clear();
        self.speaker.compose(times, None, &mut self.before, &mut self.go);
        let sent = if self.before.len() + self.go.len() <= ATOMIC {
            self.before.extend_from_slice(&self.go);
            process.send(&self.before, start + limit)
        } else {
            let sent = process.send(&self.before, start + limit);
            if sent.is_ok() && self.speaker.stop_word().is_some() {
                start = Instant::now();
            }
            sent.and_then(|()| process.send(&self.go, start + limit))
        };
        match sent {
            Ok(()) => self.await_answer(start, start + limit, JournalMove::default()),
            Err(lost) => self.failed(lost.into(), start),
        }
    }

    /// How long to read for an answer.
    fn read_limit(&self, allowed: Option<Duration>) -> Duration {
        allowed.map_or_else(
            || self.timeouts.stall + self.thought * 10 / self.moves.max(1),
            |allowed| allowed + GRACE,
        )
    }

    fn failed(&mut self, failure: DialogueError, start: Instant) -> MoveResult {
        let trouble = match failure {
            DialogueError::Lost(EngineLost::Timeout) => {
                self.kill();
                EngineFailure::Silent
            }
            DialogueError::Lost(EngineLost::Gone(how)) => EngineFailure::Gone(how),
            DialogueError::Lost(EngineLost::Noise) => EngineFailure::Nonsense("megabytes of rubbish".into()),
            DialogueError::Bad(why) => EngineFailure::Nonsense(why),
        };
        MoveResult { said: Err(trouble), used_us: micros(start.elapsed()), record: JournalMove::default() }
    }

    /// Reads until the answer. At the deadline, or when the answer is no longer wanted, sends `stop` and reads on
    /// until the `stop` timeout. An answer after the deadline is recorded and keeps the process alive, but its time
    /// counts.
    fn await_answer(&mut self, start: Instant, mut deadline: Instant, mut record: JournalMove) -> MoveResult {
        let mut stopped = false;
        loop {
            let Some(process) = &mut self.process else {
                return MoveResult::trouble(EngineFailure::Gone("is not running".into()));
            };
            let unwanted = self.unwanted.as_ref().filter(|_| !stopped);
            let until = unwanted.map_or(deadline, |_| deadline.min(Instant::now() + POLL_INTERVAL));
            match process.receive(until) {
                Ok(line) if line.stamp < start => {
                    if self.speaker.understand(&line, &mut JournalMove::default()).is_some() {
                        self.strays += 1;
                        self.warnings.push(format!("answered twice: '{}'", line.text.escape_debug()));
                    }
                }
                Ok(line) => {
                    if let Some(said) = self.speaker.understand(&line, &mut record) {
                        let used = line.stamp.saturating_duration_since(start);
                        self.moves += 1;
                        self.thought += used;
                        return MoveResult { said: Ok(said), used_us: micros(used), record };
                    }
                }
                Err(EngineLost::Timeout)
                    if until < deadline
                        && unwanted.is_some_and(|unwanted| !unwanted.load(Ordering::Relaxed)) => {}
                Err(EngineLost::Timeout) if !stopped && self.speaker.stop_word().is_some() => {
                    stopped = true;
                    deadline = Instant::now() + self.timeouts.stop;
                    let word = self.speaker.stop_word().unwrap_or_default();
                    if let Err(lost) = process.send(word.as_bytes(), deadline) {
                        return self.failed(lost.into(), start);
                    }
                }
                Err(lost) => return self.failed(lost.into(), start),
            }
        }
    }

    /// Sends the result of the game; quits the process if the next game needs a new one.
    pub fn end_game(&mut self, result: GameResult, me: Side) {
        if self.pondering.take().is_some_and(|pondering| pondering.early.is_none())
            && let Err(trouble) = self.end_pondering()
        {
            self.warnings.push(format!("while pondering at the end of the game: {trouble:?}"));
            self.kill();
        }
        self.judge_cpu();
        let deadline = Instant::now() + self.timeouts.stop;
        if let (Some(word), Some(process)) = (self.speaker.send_result(result, me), &mut self.process)
            && process.send(word.as_bytes(), deadline).is_err()
        {
            self.kill();
        }
        if self.spec.restart || self.is_confused() {
            self.quit();
        }
    }

    /// Warns if the engine used more processor time than its moves explain.
    fn judge_cpu(&mut self) {
        let (Some(before), Some(process), false) = (self.cpu_before, &self.process, self.spec.ponder) else {
            return;
        };
        let Some(after) = cpu::used(process.id()) else { return };
        self.warnings.extend(cpu::judge(
            after.saturating_sub(before),
            self.thought,
            self.spec.threads() as u32,
        ));
    }

    /// Sends `quit`, and kills the process if it does not end in time.
    pub fn quit(&mut self) {
        self.strays = 0;
        if let Some(process) = self.process.take() {
            process.quit(self.speaker.quit_word(), self.timeouts.quit);
        }
    }

    /// Kills the process. Returns its last lines.
    pub fn kill(&mut self) -> Vec<String> {
        self.strays = 0;
        self.pondering = None;
        self.process.take().map_or_else(Vec::new, |mut process| {
            process.drain();
            process.last_words()
        })
    }

    /// Whether a process runs.
    pub fn is_running(&self) -> bool {
        self.process.is_some()
    }
}

impl MoveResult {
    fn trouble(trouble: EngineFailure) -> MoveResult {
        MoveResult { said: Err(trouble), used_us: 0, record: JournalMove::default() }
    }
}

/// The error that the engine reports about the options that were set.
fn refused(process: &mut EngineProcess) -> Result<(), DialogueError> {
    let refusals: Vec<String> = process.take_remarks().into_iter().filter(|line| is_refusal(line)).collect();
    if refusals.is_empty() {
        return Ok(());
    }
    Err(DialogueError::Bad(format!("the engine says: {}", refusals.join(" | "))))
}

/// Whether an engine that declares these options takes `value` for the one called `name`.
fn check_option(declared: &[Declared], name: &str, value: &str) -> Result<(), String> {
    match option_line::find(declared, name) {
        Some(option) => option.check(value).map_err(|refused| refused.to_string()),
        None => Err(option_line::missing(declared, name)),
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
