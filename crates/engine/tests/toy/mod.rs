#![allow(dead_code)]

//! A toy engine: `a1` is always its answer, and it takes as long as its argument says.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Sender, bounded};
use kaeshi_core::driver::clock::Limits;
use kaeshi_core::driver::event::{Best, EngineEvent, QueryResponse};
use kaeshi_core::driver::{Controller, Query, Show};
use kaeshi_core::game::GameError;
use kaeshi_core::game::options::{OptionKind, OptionLine};

/// The writing end of a stream in memory, whose reader waits until the end is dropped.
pub struct Pipe(SyncSender<Vec<u8>>);

/// Its reading end.
pub struct PipeReader {
    chunks: Receiver<Vec<u8>>,
    rest: VecDeque<u8>,
}

impl Pipe {
    /// Both ends.
    pub fn new() -> (Pipe, PipeReader) {
        let (sender, chunks) = sync_channel(1 << 10);
        (Pipe(sender), PipeReader { chunks, rest: VecDeque::new() })
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for PipeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            match self.chunks.recv() {
                Ok(chunk) => self.rest.extend(chunk),
                Err(_) => return Ok(0),
            }
        }
        self.rest.read(buffer)
    }
}

struct Toy {
    game: &'static str,
    hash: String,
    events: Sender<EngineEvent>,
    search: Option<(Sender<()>, bool, JoinHandle<()>)>,
    /// How long it takes to give its memory back.
    lingers: Duration,
}

impl Drop for Toy {
    fn drop(&mut self) {
        std::thread::sleep(self.lingers);
    }
}

/// The factory of toy engines, called `toy`, `other` and `reversi`.
pub fn engine(game: &str, events: Sender<EngineEvent>) -> Option<Result<Box<dyn Controller>, GameError>> {
    let game = ["toy", "other", "reversi"].into_iter().find(|name| *name == game)?;
    Some(Ok(Box::new(Toy { game, hash: "16".into(), events, search: None, lingers: Duration::ZERO })))
}

impl Toy {
    fn tell(&self, event: EngineEvent) {
        let _ = self.events.send(event);
    }
}

impl Controller for Toy {
    fn game(&self) -> &'static str {
        self.game
    }

    fn options(&self) -> Vec<OptionLine> {
        vec![OptionLine::new("Hash", OptionKind::Spin(16, 1..=64), "")]
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), GameError> {
        if !name.eq_ignore_ascii_case("Hash") || value.parse::<u32>().is_err() {
            return Err(GameError::option(format!("option {name}: '{value}'")));
        }
        self.hash = value.into();
        Ok(())
    }

    fn ready(&mut self) {
        self.tell(EngineEvent::Ready);
    }

    fn new_game(&mut self) {
        self.stop();
        self.wait();
    }

    fn refuse_position(&mut self, _: GameError) {}

    fn set_position(&mut self, text: &str, turns: &[&str]) -> Result<(), GameError> {
        assert!(text != "panic", "as it was asked to");
        if text == "lingering" {
            self.lingers = Duration::from_millis(800);
        } else if text != "startpos" {
            return Err(GameError::position(format!("no position: {text}")));
        }
        match turns.iter().position(|turn| *turn != "a1") {
            Some(at) => Err(GameError::turn(format!("move {} '{}' is not legal", at + 1, turns[at]))),
            None => Ok(()),
        }
    }

    fn go(&mut self, limits: Limits) {
        self.stop();
        self.wait();
        let endless = limits.infinite || limits.ponder;
        const LONGEST: Duration = Duration::from_millis(100);
        let time = limits.movetime.map_or(Duration::from_millis(1), |time| time.min(LONGEST));
        let (stop, stopped) = bounded::<()>(0);
        let events = self.events.clone();
        let thread = std::thread::spawn(move || {
            if endless {
                let _ = stopped.recv();
            } else {
                let _ = stopped.recv_timeout(time);
            }
            let best = Best::Turn { turn: "a1".into(), ponder: Some("a2".into()) };
            let _ = events.send(EngineEvent::Best(best));
        });
        self.search = Some((stop, endless, thread));
    }

    fn ponder_hit(&mut self, _limits: Option<Limits>) {
        self.stop();
    }

    fn stop(&mut self) {
        if let Some((stop, endless, thread)) = self.search.take() {
            drop(stop);
            // Kept for `wait`, with a stop that has no listener any more.
            self.search = Some((bounded(0).0, endless, thread));
        }
    }

    fn wait(&mut self) {
        if let Some((stop, endless, thread)) = self.search.take() {
            if endless {
                drop(stop);
            }
            thread.join().unwrap();
        }
    }

    fn query(&mut self, _query: Query) {
        self.tell(EngineEvent::Response(QueryResponse::Unfinished));
    }

    fn show(&mut self, _show: Show) {
        self.tell(EngineEvent::Text(format!("{} with {}", self.game, self.hash)));
    }
}
