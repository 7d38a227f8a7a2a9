//! Headings of `kaeshi match --help`.

/// Who plays, and in what manner.
pub const ENGINES: &str = "Engines";
/// Which games are played, and how many at once.
pub const GAMES: &str = "Games and pairings";
/// Clocks, and work for each move.
pub const TIME: &str = "Time and limits";
/// Where games begin.
pub const OPENINGS: &str = "Openings and handicaps";
/// When a game or the match ends early.
pub const ENDS: &str = "Adjudication and stopping";
/// Files, and what is printed.
pub const OUTPUT: &str = "Output";
/// A match that was interrupted.
pub const RESUME: &str = "Resuming";
