//! Reads an `info` line; [`words::info`](crate::protocol::words::info) writes one.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

/// The fields of an `info` line. A field that is absent or cannot be read is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InfoLine {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Selective depth.
    pub seldepth: Option<u32>,
    /// Rank of the line, 1 for the best.
    pub multipv: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// Time in milliseconds.
    pub time_ms: Option<u64>,
    /// Fill of the table in permille.
    pub hashfull: Option<u32>,
    /// Centipawns, or hundredths of a disc or point.
    pub cp: Option<i32>,
    /// Distance to mate in what the protocol counts, plies or moves; negative when mated.
    pub mate: Option<i32>,
    /// Principal variation.
    pub pv: Vec<String>,
}

impl InfoLine {
    /// Reads a line that begins with `info`; unknown words are skipped, and text has none.
    pub fn parse(line: &str) -> InfoLine {
        let mut found = InfoLine::default();
        let mut words = line.split_ascii_whitespace().skip(1);
        while let Some(word) = words.next() {
            match word {
                "depth" => found.depth = number(words.next()),
                "seldepth" => found.seldepth = number(words.next()),
                "multipv" => found.multipv = number(words.next()),
                "nodes" => found.nodes = number(words.next()),
                "nps" => found.nps = number(words.next()),
                "time" => found.time_ms = number(words.next()),
                "hashfull" => found.hashfull = number(words.next()),
                "score" => match words.next() {
                    Some("cp") => found.cp = number(words.next()),
                    Some("mate") => found.mate = words.next().and_then(mate),
                    _ => {}
                },
                "pv" => {
                    found.pv = words.by_ref().map(String::from).collect();
                    break;
                }
                "string" => break,
                _ => {}
            }
        }
        found
    }
}

fn number<T: std::str::FromStr>(word: Option<&str>) -> Option<T> {
    word?.parse().ok()
}

/// Plies to mate; `+` and `-` alone are a mate of unknown length, `-0` is being mated already.
fn mate(word: &str) -> Option<i32> {
    match word {
        "+" => Some(i32::from(i16::MAX)),
        "-" => Some(-i32::from(i16::MAX)),
        "-0" => Some(-1),
        _ => word.trim_start_matches('+').parse().ok(),
    }
}
