//! NBoard 2.

use std::time::Duration;

use super::session::{AwaitedLines, CheckSession, SLOW, SOON};
use super::{CheckReport, CheckSubject, play};
use kaeshi_engine::protocol::nboard::codec::{self, NBoardAnswer, NBoardGame, read_name};

/// All checks.
///
/// # Errors
/// The system cannot start the engine.
pub fn check(subject: &CheckSubject, report: &mut CheckReport) -> anyhow::Result<()> {
    let mut session = CheckSession::start(subject)?;
    session.say(codec::HELLO);
    let heard = ping(&mut session, 1, SLOW);
    if !report.expect(
        heard.came(),
        "ping is answered with pong",
        &format!("ping 1 is not answered with pong 1: {}", heard.instead()),
    ) {
        return Ok(());
    }
    if !heard.lines.iter().any(|line| read_name(line).is_some()) {
        report.note("it does not say its name with set myname");
    }
    for line in ["set depth 2", "set contempt 0", &NBoardGame::new(None, Vec::new()).line()] {
        session.say(line);
    }
    session.say("go");
    let heard = session.until(SLOW, |line| NBoardAnswer::parse(line).is_some());
    let board = subject.rules.board(None).map_err(|error| anyhow::anyhow!(error.to_string()))?;
    let answer = NBoardAnswer::parse(heard.last()).unwrap_or_default();
    let legal = heard.came() && board.check(&answer.turn).is_ok();
    report.expect(
        legal,
        &format!("go is answered with a legal move: '{}'", heard.last().escape_debug()),
        &format!("go at the start: '{}' ({})", heard.last().escape_debug(), heard.instead()),
    );
    session.say("hint 2");
    let heard = session.until(SOON, |line| line.starts_with("search "));
    report.expect(
        heard.came(),
        "hint is answered with search lines",
        "hint 2 is not answered with a search line within 3 s",
    );
    session.say("set depth 60");
    session.say("go");
    session.listen(Duration::from_millis(300));
    let heard = ping(&mut session, 2, SOON);
    report.expect(
        heard.came(),
        "ping is answered while it thinks",
        &format!("ping is not answered within 3 s while it thinks: {}", heard.instead()),
    );
    if !heard.came() {
        session = CheckSession::start(subject)?;
        session.say(codec::HELLO);
        ping(&mut session, 3, SLOW);
    }
    let long = "x".repeat(70_000);
    let lines = [
        "",
        "nonsense",
        "set",
        "set depth",
        "set depth many",
        "set game nonsense",
        "move",
        "move Z9",
        "hint many",
        &long,
    ];
    let mut survived = true;
    for (line, number) in lines.iter().zip(10..) {
        session.say(line);
        let heard = ping(&mut session, number, SOON);
        if !heard.came() {
            survived = false;
            let line: String = line.chars().take(60).collect();
            report.fault(&format!("the line '{line}' is not survived: {}", heard.instead()));
            session = CheckSession::start(subject)?;
            session.say(codec::HELLO);
            ping(&mut session, 9, SLOW);
        }
    }
    if survived {
        report.good(&format!("{} bad lines are survived", lines.len()));
    }
    for (quit_command, what) in [("quit\n", "quit"), ("", "the end of its input")] {
        let mut session = CheckSession::start(subject)?;
        session.say(codec::HELLO);
        ping(&mut session, 1, SLOW);
        let ended = session.ends_after(quit_command);
        report.expect(ended, &format!("it ends at {what}"), &format!("it does not end within 3 s at {what}"));
    }
    play::check(subject, report);
    Ok(())
}

fn ping(session: &mut CheckSession, number: u32, timeout: Duration) -> AwaitedLines {
    session.say(&codec::ping(number));
    let pong = codec::pong(number);
    session.until(timeout, |line| line.trim_end() == pong)
}
