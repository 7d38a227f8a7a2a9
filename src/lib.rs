//! Kaeshi: one engine for the three games in which pieces turn over.
//!
//! A line of text comes in, loses its protocol in [`protocol`], and is a typed
//! [`protocol::Command`] from there on; [`engine`] turns it into a search by a pool of
//! [`game::Worker`]s; their [`engine::event::Event`]s get their protocol back at the single writer.
//!
//! | room | what lies there |
//! |---|---|
//! | [`game`], [`games`] | the seam: what a game, and one search thread of it, must provide; the three by name |
//! | [`search`], [`score`] | the words all searches share; the reference searches |
//! | [`engine`] | the driver: options, clock, worker pool, ladder, transposition table |
//! | [`protocol`] | USI, UGI and their like; the loop over stdin and stdout |
//! | [`simd`] | code compiled for several generations of processors |
//! | [`shogi`], [`reversi`], [`sygo`] | rules, evaluation and search of one game each |
//! | [`blocks`], [`random`] | files of blocks with checksums, random numbers: for self-play |
//! | [`tuned`], [`spsa`] | numbers of a search by name; how games tune them |
//! | [`tools`] | what a person runs besides a GUI: perft, bench, match … |

pub mod blocks;
pub mod cli;
pub mod engine;
pub mod formats;
pub mod game;
pub mod games;
pub mod protocol;
pub mod random;
pub mod reversi;
pub mod score;
pub mod search;
pub mod shogi;
pub mod simd;
pub mod spsa;
pub mod sygo;
pub mod tools;
pub mod tuned;
