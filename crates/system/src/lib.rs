//! Files that are there whole or not at all, locks between processes, progress bars, lines with checksums.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod background;
pub mod lock;
pub mod output;
pub mod sealed;
pub mod stderr;
pub mod stop_signal;
