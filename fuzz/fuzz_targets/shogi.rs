//! Positions and turns of Shogi: a position in the first line, a turn in each of the others.

#![no_main]

use kaeshi::shogi::Shogi;
use libfuzzer_sys::fuzz_target;

#[path = "../common.rs"]
mod common;

fuzz_target!(|text: &str| common::play::<Shogi>(text));
