//! Files that are there whole or not at all, locks between processes, progress bars, lines with checksums.
//!
//! ```
//! use kaeshi_system::output::write_whole;
//! use kaeshi_system::stop_signal::StopSignal;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("result.txt");
//! // Long work asks in between whether the user has pressed Ctrl-C.
//! StopSignal::of_process().check()?;
//! write_whole(&path, b"done\n")?;
//! assert_eq!(std::fs::read_to_string(&path)?, "done\n");
//! # Ok::<(), anyhow::Error>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod background;
pub mod checksummed_json;
pub mod crc32c;
pub mod lock;
pub mod output;
pub mod stop_signal;
