//! All fuzz targets in one program; the environment variable `TARGET` names the one that runs.
//!
//! `.ci/fuzz` builds and runs them; `docs/evidence/robustness.md` has the results.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

mod controller;
mod files;
mod play;
mod services;
mod session;
mod speak;

/// The targets by their names.
const TARGETS: &[(&str, fn(&[u8]))] = &[
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

static CHOSEN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("TARGET").unwrap_or_default();
    let chosen = TARGETS.iter().find(|(known, _)| *known == name);
    let names: Vec<&str> = TARGETS.iter().map(|(known, _)| *known).collect();
    chosen.unwrap_or_else(|| panic!("TARGET={name} is none of: {}", names.join(" "))).1
});

fuzz_target!(|bytes: &[u8]| CHOSEN(bytes));
