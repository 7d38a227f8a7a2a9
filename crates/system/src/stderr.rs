//! Messages on stderr.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints to stderr, which need not have a reader: `eprintln!` would end the work with a panic then.
pub fn remark(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
