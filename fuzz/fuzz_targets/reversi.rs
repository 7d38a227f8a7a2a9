//! Positions and turns of Reversi: a position in the first line, a turn in each of the others.

#![no_main]

use kaeshi::reversi::Reversi;
use libfuzzer_sys::fuzz_target;

#[path = "../common.rs"]
mod common;

fuzz_target!(|text: &str| common::play::<Reversi>(text));
