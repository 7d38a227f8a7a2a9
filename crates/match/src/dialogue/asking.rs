//! Which protocol a program speaks, found out by asking.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::engine_process::leftovers::ProcessReaper;
use super::engine_process::{EngineProcess, Program};
use kaeshi_engine::dialect::Dialect;
use kaeshi_system::output::remark;

/// Time for an answer to one hello: programs load their files before it.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);

/// The first of `dialects` whose greeting the program answers, and what it calls itself (`id name`; empty if it
/// does not say). Each dialect is tried on a new process.
pub fn ask(program: &Program, dialects: &[Dialect]) -> Option<(Dialect, String)> {
    let reaper = Arc::new(ProcessReaper::default());
    let shown = program.command.display();
    dialects.iter().find_map(|&dialect| {
        // The first question is answered at once by most programs.
        if dialects.first() != Some(&dialect) {
            remark(format_args!("{shown}: no answer yet; asking whether it speaks {}", dialect.word()));
        }
        Some((dialect, answer(program, &reaper, dialect)?))
    })
}

/// The name that the program gives in its answer to the greeting of `dialect`; `None` if it does not answer.
fn answer(program: &Program, reaper: &Arc<ProcessReaper>, dialect: Dialect) -> Option<String> {
    let (hello, sign) = match dialect {
        Dialect::Usi => ("usi\n", "usiok"),
        Dialect::Ugi => ("ugi\n", "ugiok"),
        Dialect::Uci => ("uci\n", "uciok"),
        Dialect::Gtp => ("1 protocol_version\n", "=1 2"),
        Dialect::NBoard => ("nboard 2\nping 1\n", "pong 1"),
    };
    // GTP is the dialect in which no line is chatter.
    let mut process = EngineProcess::start(reaper, program, Dialect::Gtp, None).ok()?;
    let deadline = Instant::now() + HELLO_TIMEOUT;
    process.send(hello.as_bytes(), deadline).ok()?;
    let mut name = String::new();
    while let Ok(line) = process.receive(deadline) {
        let line = line.text.trim();
        // Some write `= 1 2` or leave the id out.
        if line == sign || dialect == Dialect::Gtp && line.starts_with('=') {
            return Some(name);
        }
        if dialect != Dialect::Gtp && line.starts_with('?') {
            return None;
        }
        if let Some(given) = line.strip_prefix("id name ") {
            name = given.trim().to_owned();
        }
    }
    None
}
