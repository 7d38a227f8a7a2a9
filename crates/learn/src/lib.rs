//! Self-play, its files, and learning from them.
//!
//! | module | contents |
//! |---|---|
//! | [`selfplay`] | the driver of self-play of any game |
//! | [`blocks`] | files of blocks with checksums |
//! | [`shogi`], [`reversi`], [`sygo`] | self-play, records and the training of one game each |

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod blocks;
pub mod reversi;
pub mod selfplay;
pub mod shogi;
pub mod sygo;
