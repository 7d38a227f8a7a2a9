//! USI, UGI and UCI.

use std::time::Duration;

use super::reported_line::ReportedLine;
use super::session::{AwaitedLines, CheckSession, SLOW, SOON, shown};
use super::{CheckReport, CheckSubject, play};
use kaeshi_core::driver::clock::{Limits, SideClock};
use kaeshi_core::driver::event::{Best, Mate};
use kaeshi_engine::dialect::Dialect;
use kaeshi_engine::protocol::option_line::{Declared, OptionType};
use kaeshi_engine::protocol::uci::notation::Variant;
use kaeshi_engine::protocol::vocabulary::{UGI, Vocabulary, read_best_move, read_checkmate};
use kaeshi_system::output::check_printed;

/// Silence that is listened to.
const WHILE: Duration = Duration::from_millis(300);
/// Time for one move.
const MOVE: u64 = 500;
/// Lateness that no clock of a server or GUI forgives.
const LATE: u64 = 1000;
/// More memory than this after some games is a leak, MiB.
const LEAK: u64 = 64;

/// Black to move: a gold on 5b is mate.
const MATE: &str = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
/// White is mated.
const MATED: &str = "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";

/// All checks.
///
/// # Errors
/// The system cannot start the engine.
pub fn check(subject: &CheckSubject, dialect: Dialect, report: &mut CheckReport) -> anyhow::Result<()> {
    let variant = match dialect {
        Dialect::Uci => Variant::of_game(subject.rules.facts().name),
        _ => None,
    };
    let usi = dialect == Dialect::Usi;
    let words = Vocabulary::of(dialect).unwrap_or(&UGI);
    let session = CheckSession::start(subject)?;
    let mut check = UsiUgiCheck { subject, report, usi, words, variant, session };
    let Some(options) = check.hello() else { return Ok(()) };
    if !check.ready(SLOW) {
        check.report.fault("isready is not answered with readyok within 30 s");
        return Ok(());
    }
    check.report.good("isready is answered with readyok");
    check.new_game();
    check.moves()?;
    check_printed()?;
    check.thinking()?;
    if check.usi {
        check.ponder()?;
        check.mate()?;
    }
    check_printed()?;
    check.bad_lines()?;
    check.memory();
    check.options(&options)?;
    check_printed()?;
    check.ends()?;
    play::check(subject, check.report);
    Ok(())
}

struct UsiUgiCheck<'a> {
    subject: &'a CheckSubject,
    report: &'a mut CheckReport,
    usi: bool,
    words: &'static Vocabulary,
    /// The variant, over UCI.
    variant: Option<Variant>,
    session: CheckSession,
}

fn is_answer(line: &str) -> bool {
    read_best_move(line).is_some()
}

impl UsiUgiCheck<'_> {
    /// Names the game over UCI.
    fn set_variant(&self, session: &mut CheckSession) {
        if let Some(variant) = self.variant {
            session.say(&format!("setoption name UCI_Variant value {}", variant.name()));
        }
    }

    /// A turn in the words of the game.
    fn turn(&self, word: &str) -> String {
        self.variant.map_or_else(|| word.to_owned(), |variant| variant.turn(word))
    }

    fn hello_words(&self) -> (&'static str, &'static str) {
        (self.words.hello, self.words.hello_done)
    }

    /// The declared options; `None` if there is no talking to the engine.
    fn hello(&mut self) -> Option<Vec<Declared>> {
        let (hello, done) = self.hello_words();
        self.session.say(hello);
        let heard = self.session.until(SLOW, |line| line == done);
        if !heard.came() {
            self.report.fault(&format!("{hello} is not answered with {done}: {}", heard.instead()));
            return None;
        }
        self.report.good(&format!("{hello} is answered with {done}"));
        let named = heard
            .lines
            .iter()
            .any(|line| line.strip_prefix("id name ").is_some_and(|name| !name.trim().is_empty()));
        self.report.expect(named, "it says its name", "there is no `id name NAME` line");
        if !heard.has("id author ") {
            self.report.note("there is no `id author` line");
        }
        let known = ["id ", "option ", "info "];
        let strange = heard.lines.iter().find(|line| {
            !line.is_empty() && *line != done && !known.iter().any(|word| line.starts_with(word))
        });
        if let Some(line) = strange {
            self.report
                .note(&format!("a line of the greeting is none of id, option, info: '{}'", shown(line)));
        }
        let lines: Vec<&String> = heard.lines.iter().filter(|line| line.starts_with("option ")).collect();
        let mut wrong = Vec::new();
        let mut options = Vec::new();
        for line in &lines {
            let kind =
                line.split(" type ").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or("");
            let known = ["check", "spin", "combo", "button", "string", "filename"].contains(&kind);
            match Declared::parse(line).filter(|_| known) {
                None => wrong.push(format!("'{}' declares no option of a known type", shown(line))),
                Some(option) => {
                    match (&option.kind, &option.default) {
                        (OptionType::Check | OptionType::Spin(..) | OptionType::Combo(_), Some(default)) => {
                            wrong
                                .extend(option.check(default).err().map(|why| format!("the default: {why}")));
                        }
                        (OptionType::Check | OptionType::Spin(..) | OptionType::Combo(_), None) => {
                            wrong.push(format!("option {} has no default", option.name));
                        }
                        _ => {}
                    }
                    options.push(option);
                }
            }
        }
        self.report.expect(
            wrong.is_empty(),
            &format!("{} options are declared as they should be", options.len()),
            &wrong.join("; "),
        );
        if let Some(variant) = self.variant {
            self.session.say(&format!("setoption name UCI_Variant value {}", variant.name()));
            let declared = options.iter().find(|option| option.name.eq_ignore_ascii_case("UCI_Variant"));
            let known = declared.is_some_and(|option| option.check(variant.name()).is_ok());
            let right = format!("UCI_Variant has {}", variant.name());
            self.report.expect(known, &right, &format!("no option UCI_Variant with {}", variant.name()));
        }
        Some(options)
    }

    /// Whether `readyok` comes.
    fn ready(&mut self, timeout: Duration) -> bool {
        self.session.say("isready");
        self.session.until(timeout, |line| line == "readyok").came()
    }

    fn new_game(&mut self) {
        let word = self.words.new_game;
        self.session.say(word);
        let ready = self.ready(SLOW);
        self.report.expect(
            ready,
            &format!("{word} leaves it ready"),
            &format!("after {word}, isready is not answered"),
        );
    }

    /// A new process, greeted and ready.
    fn fresh(&self) -> anyhow::Result<CheckSession> {
        let mut session = CheckSession::start(self.subject)?;
        let (hello, done) = self.hello_words();
        session.say(hello);
        session.until(SLOW, |line| line == done);
        self.set_variant(&mut session);
        session.say("isready");
        session.until(SLOW, |line| line == "readyok");
        session.say(self.words.new_game);
        Ok(session)
    }

    fn restart(&mut self) -> anyhow::Result<()> {
        self.session = self.fresh()?;
        Ok(())
    }

    fn ask(&mut self, position: &str, go: &str, timeout: Duration) -> AwaitedLines {
        self.session.say(&format!("position {position}"));
        self.session.say(go);
        self.session.until(timeout, is_answer)
    }

    /// The `go` for one move of a fixed time.
    fn go_fixed(&self, ponder: bool) -> String {
        self.go_for(Duration::from_millis(MOVE), ponder)
    }

    /// The `go` for one move of this time; USI has no word for it but byoyomi.
    fn go_for(&self, time: Duration, ponder: bool) -> String {
        let limits = if self.usi {
            let clock = SideClock { byoyomi: time, ..SideClock::default() };
            Limits { clocks: Some([clock; 2]), ponder, ..Limits::none() }
        } else {
            Limits { movetime: Some(time), ponder, ..Limits::none() }
        };
        self.words.go.line(&limits, None)
    }

    fn moves(&mut self) -> anyhow::Result<()> {
        let fixed = self.go_fixed(false);
        let clock = SideClock {
            left: Duration::from_secs(3),
            increment: Duration::from_millis(100),
            ..SideClock::default()
        };
        let clock = self.words.go.line(&Limits { clocks: Some([clock; 2]), ..Limits::none() }, None);
        let mut lines = Vec::new();
        let mut answer = None;
        for (go, allowed) in [(fixed.as_str(), MOVE), (&clock, 3100)] {
            let heard = self.ask("startpos", go, Duration::from_millis(allowed) + SLOW);
            let Ok(used) = heard.end else {
                self.report.fault(&format!("'{go}' is not answered with bestmove: {}", heard.instead()));
                self.restart()?;
                continue;
            };
            lines.extend(ReportedLine::all(&heard, &[]));
            let used = used.as_millis() as u64;
            let legal = self.legality(heard.last());
            if legal.is_ok() {
                answer = heard.last().split_whitespace().nth(1).map(str::to_owned);
            }
            self.report.expect(
                legal.is_ok(),
                &format!("'{go}': {} after {used} ms", shown(heard.last())),
                &legal.err().unwrap_or_default(),
            );
            match used.saturating_sub(allowed) {
                0 => {}
                late @ ..=LATE => self.report.note(&format!("'{go}' is answered {late} ms too late")),
                late => self.report.fault(&format!("'{go}' is answered {late} ms too late")),
            }
        }
        // Lines of the other side, too.
        if let Some(answer) = answer {
            let go = self.go_fixed(false);
            let timeout = Duration::from_millis(MOVE) + SLOW;
            let heard = self.ask(&format!("startpos moves {answer}"), &go, timeout);
            if heard.came() {
                lines.extend(ReportedLine::all(&heard, &[answer]));
            } else {
                let reason = heard.instead();
                self.report.fault(&format!("after '{}', '{go}' is not answered: {reason}", shown(&answer)));
                self.restart()?;
            }
        }
        self.lines(&lines);
        Ok(())
    }

    /// Whether the expected lines are legal, begin with the answer, and are longer than a turn.
    fn lines(&mut self, lines: &[ReportedLine]) {
        let rules = &*self.subject.rules;
        let wrong = lines.iter().find_map(|line| line.check(rules, |word| self.turn(word)).err());
        match (wrong, lines.len()) {
            (_, 0) => self.report.note("no info line has a pv"),
            (Some(why), _) => self.report.fault(&why),
            (None, count) => self.report.good(&format!("the turns of {count} lines (pv) are legal")),
        }
        if let Some(contradiction) = lines.iter().find_map(ReportedLine::contradiction) {
            self.report.note(&contradiction);
        }
        if lines.iter().any(|line| line.is_last() && line.is_short()) {
            let short = lines.iter().filter(|line| line.is_short()).count();
            let count = lines.len();
            self.report.note(&format!(
                "{short} of {count} lines (pv) have one turn though the search was deeper, the last of an answer among them"
            ));
        }
    }

    /// Whether the answer at the start is a legal move.
    fn legality(&self, line: &str) -> Result<(), String> {
        let turn = match read_best_move(line) {
            Some(Best::Turn { turn, .. }) => self.turn(&turn),
            _ => self.turn(line.split_whitespace().nth(1).unwrap_or_default()),
        };
        let board = self.subject.rules.board(None).map_err(|error| error.to_string())?;
        board.check(&turn).map(drop).map_err(|why| format!("'{}' at the start: {why}", shown(line)))
    }

    /// Sets it thinking; whether it does, without an answer before anyone asks for one.
    fn think(&mut self) -> bool {
        self.session.say("position startpos");
        self.session.say("go infinite");
        let heard = self.session.listen(WHILE);
        heard.is_alive() && !heard.has("bestmove")
    }

    fn thinking(&mut self) -> anyhow::Result<()> {
        let thinks = self.think();
        self.report.expect(
            thinks,
            "go infinite is not answered before stop",
            "go infinite is answered before stop, or ends the engine",
        );
        if !thinks {
            return self.restart();
        }
        self.session.say("isready");
        let heard = self.session.until(SOON, |line| line == "readyok");
        let goes_on = heard.came() && !heard.has("bestmove");
        let right = "isready is answered while it thinks";
        if heard.has("bestmove") {
            self.report.fault("isready ends the search: bestmove comes before stop");
        } else {
            let wrong = format!("isready is not answered within 3 s while it thinks: {}", heard.instead());
            self.report.expect(goes_on, right, &wrong);
        }
        if !goes_on {
            self.restart()?;
            self.think();
        }
        self.session.say("stop");
        let heard = self.session.until(SOON, is_answer);
        let Ok(used) = heard.end else {
            self.report.fault(&format!("stop is not answered with bestmove within 3 s: {}", heard.instead()));
            return self.restart();
        };
        self.report.good(&format!("stop is answered after {} ms", used.as_millis()));
        self.session.say("stop");
        let again = self.session.listen(WHILE).has("bestmove");
        self.report.expect(
            !again,
            "a stop while it does not think is passed over",
            "a stop while it does not think is answered with bestmove",
        );
        Ok(())
    }

    fn ponder(&mut self) -> anyhow::Result<()> {
        let Some(turn) =
            self.subject.rules.board(None).ok().and_then(|board| board.turns().into_iter().next())
        else {
            return Ok(());
        };
        for (word, limit) in [("ponderhit", Duration::from_millis(MOVE) + SOON), ("stop", SOON)] {
            self.session.say(&format!("position startpos moves {turn}"));
            self.session.say(&self.go_fixed(true));
            let heard = self.session.listen(Duration::from_millis(MOVE) + WHILE);
            if !heard.is_alive() {
                self.report.fault(&format!("after go ponder {}", heard.instead()));
                self.restart()?;
                continue;
            }
            let early = heard.has("bestmove");
            if !self.report.expect(
                !early,
                &format!("go ponder waits for {word}"),
                &format!("go ponder is answered before {word}"),
            ) {
                self.session.say(word);
                self.session.listen(WHILE);
                continue;
            }
            self.session.say(word);
            let heard = self.session.until(limit, is_answer);
            let wrong = format!("after go ponder, {word} is not answered with bestmove: {}", heard.instead());
            if !self.report.expect(heard.came(), &format!("after go ponder, {word} is answered"), &wrong) {
                self.restart()?;
            }
        }
        Ok(())
    }

    fn mate(&mut self) -> anyhow::Result<()> {
        self.session.say(&format!("position {MATE}"));
        self.session.say("go mate 2000");
        let heard = self.session.until(SOON, |line| read_checkmate(line).is_some() || is_answer(line));
        match (read_checkmate(heard.last()), heard.last()) {
            (Some(Mate::Line(turns)), _) if turns == ["G*5b"] => {
                self.report.good("go mate finds a mate in one")
            }
            (Some(Mate::NotImplemented), _) => self.report.note("go mate is not implemented, and it says so"),
            (_, other) if heard.came() => self
                .report
                .fault(&format!("go mate is answered with '{}', not with 'checkmate G*5b'", shown(other))),
            _ => {
                self.report.note(&format!("go mate is not answered: {}", heard.instead()));
                self.session.say("stop");
                self.session.listen(WHILE);
                if !self.ready(SOON) {
                    self.report.fault("after go mate it does not answer any more");
                    self.restart()?;
                }
            }
        }
        let heard = self.ask(MATED, &self.go_fixed(false), SOON + Duration::from_millis(MOVE));
        match (heard.came(), heard.last()) {
            (true, last) if read_best_move(last) == Some(Best::Resign) => {
                self.report.good("it resigns where it is mated")
            }
            (true, other) => self
                .report
                .fault(&format!("where it is mated it answers '{}', not bestmove resign", shown(other))),
            (false, _) => {
                self.report.fault(&format!("where it is mated there is no bestmove: {}", heard.instead()));
                self.restart()?;
            }
        }
        Ok(())
    }

    fn bad_lines(&mut self) -> anyhow::Result<()> {
        let long = "x".repeat(70_000);
        let lines = [
            "",
            "   ",
            "nonsense",
            "position",
            "position sfen nonsense",
            "position startpos moves nonsense",
            "setoption",
            "setoption name",
            "setoption name NoSuchOption value 3",
            "ponderhit",
            "gameover",
            "go nonsense 3",
            "\u{0}\u{1}\u{fffd}",
            &long,
        ];
        let mut survived = true;
        for line in lines {
            self.session.say(line);
            self.session.say("stop");
            self.session.say("isready");
            let heard = self.session.until(SOON + SOON, |line| line == "readyok");
            if !heard.came() {
                survived = false;
                self.report.fault(&format!(
                    "the line '{}' is not survived: {}",
                    shown(line),
                    heard.instead()
                ));
                self.restart()?;
            }
        }
        if survived {
            self.report.good(&format!("{} bad lines are survived", lines.len()));
        }
        let heard = self.ask("startpos", &self.go_fixed(false), SLOW);
        let legal = if heard.came() { self.legality(heard.last()) } else { Err(heard.instead()) };
        self.report.expect(
            legal.is_ok(),
            "after them it plays a legal move",
            &format!("after bad lines: {}", legal.err().unwrap_or_default()),
        );
        Ok(())
    }

    fn memory(&mut self) {
        let mut course = Vec::new();
        for _ in 0..6 {
            self.session.say(if self.usi { "gameover draw" } else { "isready" });
            self.session.say(self.words.new_game);
            self.ready(SLOW);
            let go = self.go_for(Duration::from_millis(100), false);
            self.ask("startpos", &go, SLOW);
            course.extend(self.session.memory());
        }
        if let [_, second, .., last] = course[..] {
            self.report.expect(
                last < second + LEAK,
                &format!("memory stays at {last} MiB in six games"),
                &format!("memory grows from {second} to {last} MiB in four games"),
            );
        }
    }

    fn options(&mut self, options: &[Declared]) -> anyhow::Result<()> {
        let mut faults = 0;
        for option in options {
            let harmless = |value: i64, least: i64| {
                let name = option.name.to_ascii_lowercase();
                let most = if name.contains("thread") {
                    4
                } else if name.contains("hash") || name.contains("mem") || name.contains("cache") {
                    64
                } else {
                    i64::MAX
                };
                value.min(most.max(least)).to_string()
            };
            let mut values: Vec<String> = match &option.kind {
                OptionType::Check => ["true", "false", "perhaps", ""].map(String::from).to_vec(),
                OptionType::Spin(low, high) => {
                    let least = low.unwrap_or(0);
                    let beyond = high.unwrap_or(0).saturating_add(1);
                    let mut values = vec![
                        least.to_string(),
                        harmless(high.unwrap_or(least), least),
                        "many".into(),
                        String::new(),
                    ];
                    values
                        .extend((harmless(beyond, least) == beyond.to_string()).then(|| beyond.to_string()));
                    values
                }
                OptionType::Combo(words) => words.iter().cloned().chain(["no such word".into()]).collect(),
                OptionType::Button => continue,
                OptionType::Text | OptionType::File => vec!["no such thing".into(), String::new()],
            };
            values.extend(option.default.clone());
            for value in &values {
                self.session.say(&format!("setoption name {} value {value}", option.name));
                self.session.say("isready");
                let heard = self.session.until(SLOW, |line| line == "readyok");
                if !heard.came() {
                    faults += 1;
                    let text = format!(
                        "after setoption name {} value {} isready is not answered: {}",
                        option.name,
                        shown(value),
                        heard.instead()
                    );
                    // Without its files an engine cannot get ready.
                    if matches!(option.kind, OptionType::File | OptionType::Text) {
                        self.report.note(&text)
                    } else {
                        self.report.fault(&text)
                    }
                    self.restart()?;
                    break;
                }
            }
        }
        if faults == 0 {
            self.report.good("every option may be set to its ends, its default and nonsense");
        }
        self.restart()?;
        Ok(())
    }

    fn ends(&mut self) -> anyhow::Result<()> {
        let ways = [
            ("quit\n", false, "quit"),
            ("quit\n", true, "quit while it thinks"),
            ("", false, "the end of its input"),
        ];
        for (quit_command, thinks, what) in ways {
            let mut session = self.fresh()?;
            if thinks {
                session.say("position startpos");
                session.say("go infinite");
                session.listen(WHILE);
            }
            let (right, wrong) =
                (format!("it ends at {what}"), format!("it does not end within 3 s at {what}"));
            self.report.expect(session.ends_after(quit_command), &right, &wrong);
        }
        Ok(())
    }
}
