//! Protocols: words in, [`Command`]s out; events in, words out.

use crate::engine::clock::Limits;
use crate::engine::{Query, Show};

/// One line of input, without its protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// The hello of a protocol.
    Hello,
    /// Are you there, and done with what is slow?
    IsReady,
    /// `setoption`.
    SetOption {
        /// As written.
        name: String,
        /// Empty for a button or an empty text.
        value: String,
    },
    /// A new game begins.
    NewGame,
    /// `position`.
    Position {
        /// What stands between `position` and `moves`.
        text: String,
        /// The turns after it.
        turns: Vec<String>,
    },
    /// `go`.
    Go(Limits),
    /// `stop`.
    Stop,
    /// `ponderhit`, with new clocks if the GUI sent some.
    PonderHit(Option<Limits>),
    /// The game is over.
    GameOver,
    /// UGI's `query`.
    Query(Query),
    /// A debug word.
    Show(Show),
    /// Nothing to do: an empty line, `debug on` …
    Nothing,
    /// End.
    Quit,
}
