//! Messages on stderr.

use std::fmt::Display;
use std::io::{self, Write};

/// Says something on stderr. Nobody need listen there: `eprintln!` would end the work with a panic then.
pub fn remark(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
