//! Which protocol a program speaks, found out by asking.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::engine_process::leftovers::Nursery;
use super::engine_process::{Process, Program};
use crate::dialect::Dialect;

/// Time for an answer to one hello: programs load their files before it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The first of `dialects` in whose hello the program finds sense; each is tried on a process of its own.
pub fn ask(program: &Program, dialects: &[Dialect]) -> Option<Dialect> {
    let nursery = Arc::new(Nursery::default());
    dialects.iter().copied().find(|&dialect| answers(program, &nursery, dialect))
}

fn answers(program: &Program, nursery: &Arc<Nursery>, dialect: Dialect) -> bool {
    let (hello, sign) = match dialect {
        Dialect::Usi => ("usi\n", "usiok"),
        Dialect::Ugi => ("ugi\n", "ugiok"),
        Dialect::Uci => ("uci\n", "uciok"),
        Dialect::Gtp => ("1 protocol_version\n", "=1 2"),
        Dialect::NBoard => ("nboard 2\nping 1\n", "pong 1"),
    };
    // GTP is the dialect in which no line is chatter.
    let Ok(mut process) = Process::start(nursery, program, Dialect::Gtp, None) else { return false };
    let deadline = Instant::now() + PATIENCE;
    if process.send(hello.as_bytes(), deadline).is_err() {
        return false;
    }
    while let Ok(line) = process.receive(deadline) {
        let line = line.text.trim();
        // Some write `= 1 2` or leave the id out.
        if line == sign || dialect == Dialect::Gtp && line.starts_with('=') {
            return true;
        }
        if dialect != Dialect::Gtp && line.starts_with('?') {
            return false;
        }
    }
    false
}
