//! One engine's process: started in its own session, fed without ever blocking the runner,
//! read by its own thread, and ended with everything it started.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use thiserror::Error;

pub mod affinity;
pub mod cpu;
pub mod input;
pub mod leftovers;
pub mod reader;
pub mod system;
pub mod transcript;

use kaeshi_engine::dialect::Dialect;

use input::{EngineInput, InputRefusal};
use leftovers::{Descendants, ProcessReaper};
use reader::{EngineRemarks, OutputLine, ProcessEvent, TAIL};
use system::Group;
use transcript::Transcript;

/// Answers that may wait unread; beyond it the engine's pipe fills and it has to wait.
const PENDING: usize = 256;
/// How long the end of an engine's pipes is waited for before its last lines are reported.
const LAST_WORDS: Duration = Duration::from_millis(100);
/// Time between two looks at whether a silent engine has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// How to start an engine.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The executable; a bare name is looked for on the path.
    pub command: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Working directory; ours if `None`.
    pub directory: Option<PathBuf>,
}

/// Why an engine has no answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EngineLost {
    /// Nothing came in time.
    #[error("no answer in time")]
    Timeout,
    /// It wrote megabytes beside its `info` lines.
    #[error("flooded its output with rubbish")]
    Noise,
    /// It ended or closed its pipes.
    #[error("{0}")]
    Gone(String),
}

/// A running engine.
#[derive(Debug)]
pub struct EngineProcess {
    child: Child,
    stdin: Option<EngineInput>,
    events: Receiver<ProcessEvent>,
    noise: Arc<AtomicU64>,
    remarks: Arc<EngineRemarks>,
    stderr: Arc<Mutex<VecDeque<String>>>,
    /// Says nothing, and is disconnected when stderr was read to its end.
    stderr_ended: Receiver<()>,
    transcript: Option<Arc<Transcript>>,
    /// A line that came after the deadline of the call that read it.
    late: Option<OutputLine>,
    tail: Vec<String>,
    reaper: Arc<ProcessReaper>,
    mark: String,
    group: Arc<Group>,
    /// What it was seen to have started.
    descendants: Descendants,
}

impl EngineProcess {
    /// Starts the program.
    ///
    /// # Errors
    /// The system's reason why it cannot be started.
    pub fn start(
        reaper: &Arc<ProcessReaper>,
        program: &Program,
        dialect: Dialect,
        transcript: Option<Arc<Transcript>>,
    ) -> std::io::Result<EngineProcess> {
        let mut command = Command::new(&program.command);
        command.args(&program.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        system::isolate(&mut command);
        let (mut child, mark, group) = reaper.spawn(&mut command)?;
        let stdin = child.stdin.take().map(EngineInput::new).transpose()?;
        let (sender, events) = crossbeam_channel::bounded(PENDING);
        let noise = Arc::new(AtomicU64::new(0));
        let remarks = Arc::new(EngineRemarks::default());
        if let Some(stdout) = child.stdout.take() {
            let (noise, remarks, transcript) = (Arc::clone(&noise), Arc::clone(&remarks), transcript.clone());
            thread::Builder::new().name("engine-out".into()).spawn(move || {
                reader::read(stdout, &sender, &noise, &remarks, dialect, transcript.as_deref())
            })?;
        }
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let (reading, stderr_ended) = crossbeam_channel::bounded(0);
        if let Some(pipe) = child.stderr.take() {
            let (kept, transcript) = (Arc::clone(&stderr), transcript.clone());
            thread::Builder::new().name("engine-err".into()).spawn(move || {
                drain(pipe, &kept, transcript.as_deref());
                drop(reading);
            })?;
        }
        Ok(EngineProcess {
            child,
            stdin,
            events,
            noise,
            remarks,
            stderr,
            stderr_ended,
            transcript,
            late: None,
            tail: Vec::new(),
            reaper: Arc::clone(reaper),
            mark,
            group,
            descendants: Descendants::default(),
        })
    }

    /// Number of the process, which is also that of its group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes whole lines. An engine that does not read has until `deadline`.
    ///
    /// # Errors
    /// [`EngineLost::Timeout`] at the deadline; [`EngineLost::Gone`] if the engine closed its input.
    pub fn send(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), EngineLost> {
        if let Some(transcript) = &self.transcript {
            for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                transcript.note('>', line);
            }
        }
        let Some(stdin) = &mut self.stdin else { return Err(self.gone()) };
        stdin.send(bytes, deadline).map_err(|refusal| match refusal {
            InputRefusal::Timeout => self.ended().unwrap_or(EngineLost::Timeout),
            InputRefusal::Closed => self.gone(),
        })
    }

    /// Waits for the next answer line that arrives by `deadline`. A later line is kept for the next call: otherwise an
    /// engine that never stops writing would never miss a deadline.
    ///
    /// # Errors
    /// As [`EngineLost`] says.
    pub fn receive(&mut self, deadline: Instant) -> Result<OutputLine, EngineLost> {
        let line = match self.late.take() {
            Some(line) => line,
            None => self.next_line(deadline)?,
        };
        self.unless_late(line, deadline).ok_or(EngineLost::Timeout)
    }

    /// The line, if it arrived by `deadline`; else it is kept.
    fn unless_late(&mut self, line: OutputLine, deadline: Instant) -> Option<OutputLine> {
        if line.stamp > deadline {
            self.late = Some(line);
            return None;
        }
        Some(line)
    }

    fn next_line(&mut self, deadline: Instant) -> Result<OutputLine, EngineLost> {
        loop {
            let until = deadline.min(Instant::now() + POLL_INTERVAL);
            let end = match self.events.recv_deadline(until) {
                Ok(event) => return self.line_of(event),
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
                Err(RecvTimeoutError::Timeout) => self.ended(),
            };
            match end {
                // What it wrote last may still be on its way.
                Some(end) => {
                    return self
                        .events
                        .recv_timeout(LAST_WORDS)
                        .map_or(Err(end), |event| self.line_of(event));
                }
                None if until < deadline => {}
                None => return Err(EngineLost::Timeout),
            }
        }
    }

    fn line_of(&mut self, event: ProcessEvent) -> Result<OutputLine, EngineLost> {
        match event {
            ProcessEvent::Line(line) => Ok(line),
            ProcessEvent::Noise => Err(EngineLost::Noise),
            ProcessEvent::Eof(tail) => {
                self.tail = tail;
                Err(self.gone())
            }
        }
    }

    /// An answer line that arrived by `deadline` and is already there. A later line is kept for the next call.
    pub fn pending(&mut self, deadline: Instant) -> Option<OutputLine> {
        loop {
            let line = match self.late.take() {
                Some(line) => line,
                None => match self.events.try_recv().ok()? {
                    ProcessEvent::Line(line) => line,
                    ProcessEvent::Noise => continue,
                    ProcessEvent::Eof(tail) => {
                        self.tail = tail;
                        continue;
                    }
                },
            };
            return self.unless_late(line, deadline);
        }
    }

    /// What the engine said beside its answers since the last call, escaped.
    pub fn take_remarks(&self) -> Vec<String> {
        self.remarks.lock().map(|mut kept| kept.drain(..).collect()).unwrap_or_default()
    }

    /// Ends the process and reads its last lines.
    pub fn drain(&mut self) {
        self.descendants.add(self.id());
        self.group.kill();
        let _ = self.child.kill();
        let deadline = Instant::now() + LAST_WORDS;
        // A process that has left the group may go on writing.
        while Instant::now() < deadline
            && let Ok(event) = self.events.recv_deadline(deadline)
        {
            if let ProcessEvent::Eof(tail) = event {
                self.tail = tail;
                return;
            }
        }
    }

    /// Forgets the noise so far: a new move begins.
    pub fn hush(&self) {
        self.noise.store(0, Ordering::Relaxed);
    }

    /// The last lines of output and of stderr, escaped; of a process that has just ended they may
    /// still be on their way.
    pub fn last_words(&self) -> Vec<String> {
        let _ = self.stderr_ended.recv_timeout(LAST_WORDS);
        let stderr = self.stderr.lock().map(|lines| lines.clone()).unwrap_or_default();
        self.tail.iter().cloned().chain(stderr.into_iter().map(|line| format!("stderr: {line}"))).collect()
    }

    /// How the process ended, if it has. A process that the engine started may hold its pipes open after its end, so
    /// that only its exit status shows it.
    fn ended(&mut self) -> Option<EngineLost> {
        let status = self.child.try_wait().ok()??;
        Some(EngineLost::Gone(format!("ended with {}", system::describe(status))))
    }

    /// How the process ended; one that merely closed its pipes is killed.
    fn gone(&mut self) -> EngineLost {
        for _ in 0..40 {
            match self.ended() {
                Some(end) => return end,
                None => thread::sleep(Duration::from_millis(5)),
            }
        }
        EngineLost::Gone("closed its pipe but lives".into())
    }

    /// Says `farewell`, closes the input, waits up to `patience`, then asks the group to end, then
    /// ends it. Whether force was needed.
    pub fn quit(mut self, quit_command: &str, timeout: Duration) -> bool {
        self.descendants.add(self.id());
        let _ = self.send(quit_command.as_bytes(), Instant::now() + timeout);
        self.stdin = None;
        if self.ends_within(timeout) {
            return false;
        }
        self.group.terminate();
        self.ends_within(timeout / 2);
        true
    }

    fn ends_within(&mut self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let mut pause = Duration::from_micros(200);
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(10));
                }
                Ok(None) => return false,
                Ok(Some(_)) | Err(_) => return true,
            }
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.descendants.add(self.id());
        self.group.kill();
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.reaper.sweep(self.id(), &self.mark, &self.descendants, &self.group);
    }
}

/// Reads stderr to its end so that it never fills, and keeps the last lines.
fn drain(pipe: impl std::io::Read, kept: &Mutex<VecDeque<String>>, transcript: Option<&Transcript>) {
    let mut reader = BufReader::new(pipe);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = std::io::Read::take(&mut reader, reader::LINE_LIMIT as u64);
        match limited.read_until(b'\n', &mut line) {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        if let Some(transcript) = transcript {
            transcript.note('!', line.trim_ascii());
        }
        if let Ok(mut kept) = kept.lock() {
            if kept.len() == TAIL {
                kept.pop_front();
            }
            kept.push_back(line.trim_ascii().escape_ascii().to_string());
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_ends_is_gone_although_its_child_holds_the_pipes() {
        let program = Program {
            command: "/bin/sh".into(),
            arguments: ["-c", "sleep 60 & exit 7"].map(String::from).to_vec(),
            directory: None,
        };
        let reaper = Arc::new(ProcessReaper::default());
        let mut process = EngineProcess::start(&reaper, &program, Dialect::Ugi, None).unwrap();
        let begun = Instant::now();
        let lost = process.receive(begun + Duration::from_secs(50)).map(|line| line.text);
        assert_eq!(lost, Err(EngineLost::Gone("ended with exit code 7".into())));
        assert!(begun.elapsed() < Duration::from_secs(25), "it was waited for");
    }

    #[test]
    fn a_deadline_holds_however_much_an_engine_writes() {
        let program = Program {
            command: "/bin/sh".into(),
            arguments: ["-c", "exec yes readyok"].map(String::from).to_vec(),
            directory: None,
        };
        let missed = Instant::now();
        let reaper = Arc::new(ProcessReaper::default());
        let mut process = EngineProcess::start(&reaper, &program, Dialect::Usi, None).unwrap();
        let deadline = missed + Duration::from_secs(50);
        assert_eq!(process.receive(deadline).map(|line| line.text), Ok("readyok".into()));
        for _ in 0..3 {
            assert_eq!(process.receive(missed).map(|line| line.text), Err(EngineLost::Timeout));
            assert!(process.pending(missed).is_none());
        }
        assert_eq!(process.receive(deadline).map(|line| line.text), Ok("readyok".into()), "it was not lost");
        let before = Instant::now();
        while process.pending(before).is_some() {}
        while let Ok(line) = process.receive(deadline) {
            assert!(line.stamp < deadline);
        }
        assert!(Instant::now() < deadline, "a flood of answers ends as noise");
    }

    #[test]
    fn what_an_engine_wrote_before_its_end_is_read() {
        let program = Program {
            command: "/bin/sh".into(),
            arguments: ["-c", "sleep 60 & echo readyok"].map(String::from).to_vec(),
            directory: None,
        };
        let reaper = Arc::new(ProcessReaper::default());
        let mut process = EngineProcess::start(&reaper, &program, Dialect::Ugi, None).unwrap();
        let deadline = Instant::now() + Duration::from_secs(50);
        assert_eq!(process.receive(deadline).map(|line| line.text), Ok("readyok".into()));
    }
}
