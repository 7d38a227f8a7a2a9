//! The fuzz targets. `fuzz/fuzz_targets/all.rs` makes a program for libFuzzer of them, and `crates/corpus`
//! runs them over the corpus without libFuzzer.

mod controller;
mod files;
mod play;
mod services;
mod session;
mod speak;

/// A target: its name, and what takes an input.
pub type FuzzTarget = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[FuzzTarget] = &[
    ("book-reversi", files::book_of_reversi),
    ("book-shogi", files::book_of_shogi),
    ("controller", controller::run),
    ("engine-words", speak::engine_words),
    ("games-reversi", files::games_of_reversi),
    ("games-shogi", files::games_of_shogi),
    ("gtp", speak::gtp),
    ("journal", files::journal),
    ("lines", speak::lines),
    ("match-file", files::match_file),
    ("nboard", speak::nboard),
    ("openings", files::openings),
    ("options", speak::options),
    ("output", files::output),
    ("page-request", services::page_request),
    ("records", files::records),
    ("reversi", play::reversi),
    ("roster", files::roster),
    ("service", services::service),
    ("session", session::run),
    ("shogi", play::shogi),
    ("store", files::store),
    ("sygo", play::sygo),
    ("ugi", speak::ugi),
    ("usi", speak::usi),
    ("weights-nnue", files::nnue),
    ("weights-shogi", files::weights_of_shogi),
];
