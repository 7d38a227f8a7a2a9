//! Messages on stderr.

use std::fmt::Display;
use std::io::{self, Write as _};

use crate::visible::Visible;

/// Prints to stderr, which need not have a reader: `eprintln!` would end the work with a panic then. Texts of files,
/// engines and other machines may stand in the message: see [`Visible`].
pub fn remark(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}", Visible(text));
}

/// Prints to stderr what may contain escape sequences of a terminal: only what this program wrote itself.
pub fn draw(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
