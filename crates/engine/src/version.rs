//! The version that the program states, with its commit.
//!
//! The program sets the commit when it starts, so the library need not be compiled anew for each commit.

use std::sync::OnceLock;

static STATED: OnceLock<&str> = OnceLock::new();

/// States this version from now on; only the first one counts.
pub fn state(version: &'static str) {
    // The first one stays.
    let _ = STATED.set(version);
}

/// The version that the program stated, or that of the package.
pub fn stated() -> &'static str {
    STATED.get().copied().unwrap_or(env!("CARGO_PKG_VERSION"))
}
