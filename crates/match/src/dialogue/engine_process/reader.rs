//! The thread that reads an engine's stdout: stamps each line the moment its end arrives, keeps
//! the last useful `info` line, and never lets an engine's output grow without bound.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crossbeam_channel::Sender;

use super::transcript::Transcript;
use kaeshi_engine::dialect::Dialect;

/// Longest line that is kept; the rest of a longer one is thrown away.
pub const LINE_LIMIT: usize = 64 << 10;

/// Bytes of output other than `info` lines that an engine may write per move.
pub const NOISE_LIMIT: u64 = 8 << 20;

/// Lines remembered for the report of a crash.
pub const TAIL: usize = 20;

/// Remarks that are kept; older ones are dropped.
pub const REMARKS: usize = 64;

/// What an engine says beside its answers: `info string …` and lines that are no protocol.
pub type EngineRemarks = Mutex<VecDeque<String>>;

/// What the reader reports.
#[derive(Debug)]
pub enum ProcessEvent {
    /// A line that is not mere information.
    Line(OutputLine),
    /// More than [`NOISE_LIMIT`] bytes since the last `go`.
    Noise,
    /// The engine closed its output; its last lines, escaped.
    Eof(Vec<String>),
}

/// One line of output.
#[derive(Debug)]
pub struct OutputLine {
    /// When the newline arrived.
    pub stamp: Instant,
    /// Without the line end; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// The last `info` line with a score before it; empty if there was none.
    pub info: String,
    /// The last `info` line that has time or nodes, if it came after that one; else empty.
    pub totals: String,
}

#[derive(PartialEq)]
enum LineSort {
    Answer,
    Info,
    Noise,
}

/// What a line of this dialect is: in USI, UGI and UCI known first words are answers, in GTP every line, in
/// NBoard `===`, `pong` and `set`.
fn sort(dialect: Dialect, line: &[u8]) -> LineSort {
    let word = line.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    match (dialect, word) {
        (Dialect::Gtp, _) => LineSort::Answer,
        (_, b"") => LineSort::Info,
        (Dialect::Usi | Dialect::Ugi | Dialect::Uci, b"info") => LineSort::Info,
        (
            Dialect::Usi | Dialect::Ugi | Dialect::Uci,
            b"bestmove" | b"readyok" | b"id" | b"option" | b"usiok" | b"ugiok" | b"uciok" | b"checkmate"
            | b"response",
        ) => LineSort::Answer,
        (Dialect::NBoard, b"pong" | b"set") => LineSort::Answer,
        (Dialect::NBoard, word) if word.starts_with(b"===") => LineSort::Answer,
        (Dialect::NBoard, b"status" | b"nodestats" | b"search" | b"learned") => LineSort::Info,
        (Dialect::Usi | Dialect::Ugi | Dialect::Uci | Dialect::NBoard, _) => LineSort::Noise,
    }
}

/// Whether an `info` line has the score of the best line, not of another or a mere bound.
fn tells_score(line: &str) -> bool {
    line.contains(" score ")
        && !line.contains("bound")
        && line.split(" multipv ").nth(1).is_none_or(|rest| rest.split(' ').next() == Some("1"))
}

fn keep(remarks: &EngineRemarks, text: &str) {
    if text.is_empty() {
        return;
    }
    if let Ok(mut kept) = remarks.lock() {
        if kept.len() == REMARKS {
            kept.pop_front();
        }
        kept.push_back(text.escape_debug().to_string());
    }
}

/// Reads `source` until its end.
pub(super) fn read(
    mut source: impl Read,
    events: &Sender<ProcessEvent>,
    noise: &AtomicU64,
    remarks: &EngineRemarks,
    dialect: Dialect,
    transcript: Option<&Transcript>,
) {
    let mut buffer = vec![0; LINE_LIMIT];
    let mut line = Vec::new();
    let mut length = 0;
    let (mut info, mut totals) = (String::new(), String::new());
    let mut tail: VecDeque<Vec<u8>> = VecDeque::new();
    while let Ok(read @ 1..) = source.read(&mut buffer) {
        let stamp = Instant::now();
        let mut loud = false;
        for chunk in buffer[..read].split_inclusive(|&byte| byte == b'\n') {
            let (body, ended) = match chunk.split_last() {
                Some((b'\n', body)) => (body, true),
                _ => (chunk, false),
            };
            line.extend_from_slice(&body[..body.len().min(LINE_LIMIT - line.len())]);
            length += body.len() as u64;
            loud |= length > NOISE_LIMIT;
            if !ended {
                continue;
            }
            let text = line.trim_ascii();
            if let Some(transcript) = transcript {
                transcript.note('<', text);
            }
            let sort = if length > LINE_LIMIT as u64 { LineSort::Noise } else { sort(dialect, text) };
            if sort != LineSort::Info {
                loud |= noise.fetch_add(length, Ordering::Relaxed) + length > NOISE_LIMIT;
            }
            match sort {
                LineSort::Answer => {
                    let text = String::from_utf8_lossy(text).into_owned();
                    let line = OutputLine {
                        stamp,
                        text,
                        info: std::mem::take(&mut info),
                        totals: std::mem::take(&mut totals),
                    };
                    if events.send(ProcessEvent::Line(line)).is_err() {
                        return;
                    }
                }
                LineSort::Info => {
                    let text = std::str::from_utf8(text).unwrap_or_default();
                    if text.starts_with("info string") {
                        keep(remarks, text);
                    } else if tells_score(text) {
                        text.clone_into(&mut info);
                        totals.clear();
                    } else if text.contains(" time ") || text.contains(" nodes ") {
                        text.clone_into(&mut totals);
                    }
                }
                LineSort::Noise => keep(remarks, &String::from_utf8_lossy(&text[..text.len().min(400)])),
            }
            let mut oldest =
                if tail.len() < TAIL { Vec::new() } else { tail.pop_front().unwrap_or_default() };
            oldest.clear();
            oldest.extend_from_slice(&line[..line.len().min(400)]);
            tail.push_back(oldest);
            line.clear();
            length = 0;
        }
        if loud {
            noise.store(0, Ordering::Relaxed);
            length = 0;
            if events.send(ProcessEvent::Noise).is_err() {
                return;
            }
        }
    }
    let _ = events.send(ProcessEvent::Eof(tail.iter().map(|line| line.escape_ascii().to_string()).collect()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(input: &[u8], dialect: Dialect) -> Vec<ProcessEvent> {
        let (sender, receiver) = crossbeam_channel::unbounded();
        read(input, &sender, &AtomicU64::new(0), &EngineRemarks::default(), dialect, None);
        drop(sender);
        receiver.iter().collect()
    }

    #[test]
    fn answers_carry_the_last_exact_score_of_the_first_line() {
        let input = b"hello\r\ninfo depth 1 score cp 5 pv a\ninfo depth 2 multipv 2 score cp 9 pv b\n\
            info depth 2 score cp 7 lowerbound pv c\ninfo string x\nbestmove a\n";
        let events = events(input, Dialect::Usi);
        let [ProcessEvent::Line(line), ProcessEvent::Eof(tail)] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert_eq!(line.text, "bestmove a");
        assert_eq!(line.info, "info depth 1 score cp 5 pv a");
        assert_eq!(line.totals, "");
        assert_eq!(tail.len(), 6);
    }

    #[test]
    fn what_a_search_took_is_read_at_its_end() {
        let input = b"info depth 9 score cp 7 nodes 10 time 21 pv a\n\
            info depth 10 score cp 9 lowerbound nodes 900 time 940 pv b\n\
            info nodes 1000 time 949\nbestmove a\n";
        let events = events(input, Dialect::Usi);
        let [ProcessEvent::Line(line), ..] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(line.info, "info depth 9 score cp 7 nodes 10 time 21 pv a");
        assert_eq!(line.totals, "info nodes 1000 time 949");
    }

    #[test]
    fn a_line_without_end_is_noticed_and_not_kept() {
        let events = events(&vec![b'x'; NOISE_LIMIT as usize + LINE_LIMIT], Dialect::Usi);
        assert!(matches!(events[0], ProcessEvent::Noise), "{events:?}");
    }

    #[test]
    fn rubbish_between_is_survived() {
        let events = events(b"\xff\xfe\0\x1b[31m\n\n\nbestmove 7g7f \xff\n", Dialect::Usi);
        let [ProcessEvent::Line(line), ProcessEvent::Eof(tail)] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert_eq!(line.text, "bestmove 7g7f \u{fffd}");
        assert_eq!(tail[0], r"\xff\xfe\x00\x1b[31m");
    }
}
