//! What the files of a match or a tuning hold now. They are only read.

use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;

use super::LiveSource;
use crate::tournament::report::html::live::LiveParts;
use crate::tournament::running::{self, RunningGame, now_ms};
use kaeshi_core::game::picture::Picture;
use kaeshi_records::referee::replay::split_start;
use kaeshi_records::referee::{RefereeBoard, RefereeRules, rules_by_name};

/// The files are read again no sooner than this,
const PACE: Duration = Duration::from_secs(1);
/// and no more than a fifth of the time is spent on it.
const SHARE: u32 = 5;
/// A page asks at least so often while somebody looks at it.
const PRESENT: Duration = Duration::from_secs(3);

/// Length and time of a file.
type JournalStamp = (u64, SystemTime);

/// A match or a tuning as it was read last.
pub(super) struct LiveWatch {
    source: Box<dyn LiveSource>,
    /// The files that were read; those that were not there have none.
    seen: Vec<Option<JournalStamp>>,
    /// When it was read, and how long that took.
    read: Option<(Instant, Duration)>,
    version: u64,
    report: Option<LiveParts>,
    trouble: Option<String>,
    /// When a page asked last.
    asked: Option<Instant>,
    /// Whether that page knows of the end.
    end_known: bool,
}

/// What the page gets; names are those of `src/page/types.d.ts`.
#[derive(Serialize)]
pub(super) struct Now<'a> {
    /// Grows with each new report.
    version: u64,
    /// The report, if the page has an older one.
    report: Option<&'a LiveParts>,
    /// Why there is no newer one.
    trouble: Option<&'a str>,
    /// The games that are being played.
    running: Vec<LiveGame>,
}

/// A turn in the words of the protocol, in Japanese and in Western notation.
#[derive(Serialize)]
struct LiveTurn {
    t: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    j: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    w: Option<String>,
}

/// A running game.
#[derive(Serialize)]
struct LiveGame {
    game: &'static str,
    id: String,
    names: [String; 2],
    /// The position in which it began.
    start: String,
    ply: usize,
    /// The last turn; none at the start.
    last_turn: Option<LiveTurn>,
    picture: Picture,
    last: Vec<String>,
    turned: Vec<String>,
    scores: [Option<i32>; 2],
    /// Milliseconds left, without what is being used.
    rest: [Option<u64>; 2],
    /// Milliseconds since the side to move began to think.
    thinking: u64,
}

impl LiveWatch {
    /// Of this.
    pub(super) fn new(source: Box<dyn LiveSource>) -> LiveWatch {
        LiveWatch {
            source,
            seen: Vec::new(),
            read: None,
            version: 0,
            report: None,
            trouble: None,
            asked: None,
            end_known: false,
        }
    }

    /// What a page gets that has the report of this version.
    pub(super) fn now(&mut self, version: u64) -> Now<'_> {
        self.refresh();
        self.asked = Some(Instant::now());
        self.end_known = self.report.as_ref().is_some_and(|report| report.ended);
        let running = match &self.report {
            Some(report) if !report.ended => shown(&report.game, &running::read(&self.source.games())),
            _ => Vec::new(),
        };
        let report = self.report.as_ref().filter(|_| version != self.version);
        Now { version: self.version, report, trouble: self.trouble.as_deref(), running }
    }

    /// Whether somebody looks who does not know of the end.
    pub(super) fn is_awaited(&self) -> bool {
        !self.end_known && self.asked.is_some_and(|asked| asked.elapsed() < PRESENT)
    }

    /// Reads the files if one has changed and it is time to.
    fn refresh(&mut self) {
        if self.read.is_some_and(|(when, took)| when.elapsed() < PACE.max(SHARE * took)) {
            return;
        }
        let stamp = |data: std::fs::Metadata| Ok((data.len(), data.modified()?));
        let sources = self.source.files();
        let there: Vec<Option<JournalStamp>> =
            sources.iter().map(|path| std::fs::metadata(path).and_then(stamp).ok()).collect();
        if there == self.seen && self.report.is_some() {
            return;
        }
        let begin = Instant::now();
        match self.source.read() {
            Ok(report) => {
                (self.report, self.trouble) = (Some(report), None);
                self.version += 1;
            }
            // What was read before stays on the page.
            Err(error) => self.trouble = Some(format!("{error:#}")),
        }
        self.seen = there;
        self.read = Some((Instant::now(), begin.elapsed()));
    }
}

/// Replays the running games. One that cannot be replayed is left out.
fn shown(game: &str, running: &[RunningGame]) -> Vec<LiveGame> {
    let Ok(rules) = rules_by_name(game) else { return Vec::new() };
    running.iter().filter_map(|running| replayed(&*rules, running)).collect()
}

fn replayed(rules: &dyn RefereeRules, running: &RunningGame) -> Option<LiveGame> {
    let (start, opening) = split_start(&running.start);
    let mut board = rules.board(Some(start)).ok()?;
    let (mut last, mut turned, mut last_turn) = (Vec::new(), Vec::new(), None);
    let turns: Vec<&str> = opening.into_iter().chain(running.turns.iter().map(String::as_str)).collect();
    for (index, turn) in turns.iter().enumerate() {
        if index + 1 == turns.len() {
            (last, turned) = touched(&*board, turn)?;
            let (j, w) = (board.local_text(turn), board.western_text(turn));
            last_turn = Some(LiveTurn { t: (*turn).to_owned(), j, w });
        }
        board.play(turn).ok()?;
    }
    Some(LiveGame {
        game: rules.facts().name,
        id: format!("{}.{}", running.pair + 1, running.game + 1),
        names: running.names.clone(),
        start: start.to_owned(),
        ply: turns.len(),
        last_turn,
        picture: board.picture(),
        last,
        turned,
        scores: running.scores,
        rest: running.rest_us.map(|rest| Some(rest? / 1_000)),
        thinking: now_ms().saturating_sub(running.since_ms),
    })
}

/// The squares that a turn touches, and those whose men it turns over.
fn touched(board: &dyn RefereeBoard, turn: &str) -> Option<(Vec<String>, Vec<String>)> {
    let (picture, shown) = (board.picture(), board.turn_picture(turn).ok()?);
    let named = |cell: &u16| picture.names.get(usize::from(*cell)).cloned();
    let touched = shown.from.iter().chain(&shown.to).filter_map(named).collect();
    Some((touched, shown.captured.iter().filter_map(named).collect()))
}
