//! The Go Text Protocol, version 2.

use std::time::Duration;

use super::session::{CheckSession, SLOW, SOON, shown};
use super::{CheckReport, CheckSubject, play};
use kaeshi_engine::protocol::gtp::codec::{self, GtpAnswerLine};

/// The commands that every engine must have, by the text of the protocol.
const REQUIRED: [&str; 11] = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
];

/// An answer: whether it was `=`, and its lines.
struct GtpResponse {
    good: bool,
    lines: Vec<String>,
}

struct GtpCheck<'a> {
    report: &'a mut CheckReport,
    session: CheckSession,
    id: u32,
    /// Whether an answer has lacked its id, or had a blank before it.
    odd_id: Option<String>,
    /// What came of the last question, for a sentence.
    instead: String,
}

/// All checks.
///
/// # Errors
/// The system cannot start the engine.
pub fn check(subject: &CheckSubject, report: &mut CheckReport) -> anyhow::Result<()> {
    let mut check = GtpCheck {
        report,
        session: CheckSession::start(subject)?,
        id: 0,
        odd_id: None,
        instead: String::new(),
    };
    let Some(version) = check.ask("protocol_version", SLOW) else {
        let (limit, instead) = (SLOW.as_secs(), &check.instead);
        check.report.fault(&format!(
            "protocol_version is not answered within {limit} s by lines that end with an empty one: {instead}"
        ));
        return Ok(());
    };
    check.report.expect(
        version.good && version.lines.first().is_some_and(|line| line.ends_with('2')),
        "it speaks version 2",
        "protocol_version is not 2",
    );
    for command in ["name", "version"] {
        let answered = check.ask(command, SOON).is_some_and(|answer| answer.good);
        check.report.expect(
            answered,
            &format!("{command} is answered"),
            &format!("{command} is refused or not answered"),
        );
    }
    let known = check.ask("list_commands", SOON).map_or_else(Vec::new, |answer| answer.lines);
    let missing: Vec<&str> =
        REQUIRED.into_iter().filter(|command| !known.iter().any(|line| line == command)).collect();
    check.report.expect(
        missing.is_empty(),
        "list_commands has every required command",
        &format!("list_commands lacks {}", missing.join(", ")),
    );
    for (command, wanted) in [("genmove", "true"), ("nonsense", "false")] {
        let answer = check.ask(&format!("known_command {command}"), SOON);
        let right = answer
            .is_some_and(|answer| answer.good && answer.lines.first().is_some_and(|line| line == wanted));
        check.report.expect(
            right,
            &format!("known_command {command} is {wanted}"),
            &format!("known_command {command} is not answered with {wanted}"),
        );
    }
    check.refusals(subject);
    check.report.expect(
        check.odd_id.is_none(),
        "answers repeat the id of their command",
        &format!(
            "an answer does not begin with = or ? and the id: '{}'",
            check.odd_id.clone().unwrap_or_default().escape_debug()
        ),
    );
    check.ends(subject)?;
    play::check(subject, check.report);
    Ok(())
}

impl GtpCheck<'_> {
    /// One command with an id; `None` if no whole answer comes.
    fn ask(&mut self, command: &str, timeout: Duration) -> Option<GtpResponse> {
        self.id += 1;
        let id = self.id.to_string();
        self.session.say(&codec::command(self.id, format_args!("{command}")));
        let first = self.session.until(timeout, |line| GtpAnswerLine::parse(line, false).is_some());
        self.instead = first.instead();
        let line = first.came().then(|| first.last().to_owned())?;
        let strict = GtpAnswerLine::parse(&line, false)?;
        let apart = strict.rest.is_empty() || strict.rest.starts_with(char::is_whitespace);
        if strict.id != id || !apart {
            self.odd_id.get_or_insert(line.clone());
        }
        let lenient = GtpAnswerLine::parse(&line, true).filter(|answer| answer.id == id);
        let mut lines = vec![lenient.unwrap_or(strict).text().to_owned()];
        let rest = self.session.until(timeout, str::is_empty);
        lines.extend(rest.lines.iter().filter(|line| !line.is_empty()).cloned());
        let heard = if rest.lines.is_empty() { format!("after '{}' ", shown(&line)) } else { String::new() };
        self.instead = heard + &rest.instead();
        rest.came().then_some(GtpResponse { good: strict.good, lines })
    }

    fn refusals(&mut self, subject: &CheckSubject) {
        let size = subject.rules.facts().boards.usual_size;
        for command in [format!("boardsize {size}"), "clear_board".into()] {
            let good = self.ask(&command, SOON).is_some_and(|answer| answer.good);
            self.report.expect(
                good,
                &format!("{command} is accepted"),
                &format!("{command} is refused or not answered"),
            );
        }
        for (command, what) in [
            ("nonsense 3", "an unknown command"),
            ("boardsize 99", "a board that there is not"),
            ("play purple d3", "a colour that there is not"),
            ("play b zz99", "a point that there is not"),
            ("genmove", "genmove without a colour"),
            ("play", "play without a move"),
        ] {
            let refused = self.ask(command, SOON).map(|answer| !answer.good);
            let wrong = if refused.is_none() { "is not answered" } else { "is not refused" };
            self.report.expect(
                refused == Some(true),
                &format!("{what} is refused with ?"),
                &format!("{what} ('{command}') {wrong}"),
            );
        }
        self.session.say("# a comment");
        self.session.say("");
        self.session.say(&"x".repeat(70_000));
        self.session.listen(Duration::from_millis(300));
        let alive = self.ask("name", SOON).is_some_and(|answer| answer.good);
        self.report.expect(
            alive,
            "comments, empty lines and a line of 70,000 letters are survived",
            "after a comment, an empty line and a line of 70,000 letters there is no answer",
        );
    }

    fn ends(&mut self, subject: &CheckSubject) -> anyhow::Result<()> {
        let answered = self.ask("quit", SOON).is_some_and(|answer| answer.good);
        self.report.expect(answered, "quit is answered", "quit is not answered with =");
        for (quit_command, what) in [("quit\n", "quit"), ("", "the end of its input")] {
            let mut session = CheckSession::start(subject)?;
            session.say("name");
            session.until(SLOW, str::is_empty);
            let ended = session.ends_after(quit_command);
            self.report.expect(
                ended,
                &format!("it ends at {what}"),
                &format!("it does not end within 3 s at {what}"),
            );
        }
        Ok(())
    }
}
