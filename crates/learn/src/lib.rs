//! Self-play, its files, and learning from them.
//!
//! | module | contents |
//! |---|---|
//! | [`selfplay`] | the driver of self-play of any game |
//! | [`blocks`] | files of blocks with checksums |
//! | [`shogi`], [`reversi`], [`sygo`] | self-play, records and the training of one game each |
//!
//! ```
//! use kaeshi_learn::blocks::{Appender, Blocks, Tail};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("games");
//! let (mut file, known) = Appender::open(&path, *b"game")?;
//! assert!(known.is_empty());
//! file.append(b"the first game")?;
//! file.append(b"the second")?;
//! drop(file);
//!
//! let mut bytes = std::fs::read(&path)?;
//! bytes.extend(b"game\x05"); // An interrupted write.
//! let mut blocks = Blocks::new(*b"game", &bytes);
//! let bodies: Vec<&[u8]> = blocks.by_ref().collect();
//! assert_eq!(bodies, [&b"the first game"[..], b"the second"]);
//! assert_eq!(blocks.tail(), Tail::Torn(5));
//! # Ok::<(), std::io::Error>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod adam;
pub mod blocks;
mod gradient;
pub mod reversi;
pub mod selfplay;
pub mod shogi;
pub mod sygo;
pub mod threads;
