//! Perft, the bench, and the article's searches compared.
//!
//! ```
//! use kaeshi_engine::games::GameName;
//! use kaeshi_lab::perft::PerftArgs;
//!
//! let perft = PerftArgs {
//!     game: GameName::Reversi,
//!     position: "startpos".into(),
//!     options: Vec::new(),
//!     divide: true,
//!     no_bulk: false,
//!     depth: 3,
//! };
//! perft.run()?; // f5 14 …, and at last `nodes 56`.
//! # Ok::<(), anyhow::Error>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod bench;
pub mod perft;
