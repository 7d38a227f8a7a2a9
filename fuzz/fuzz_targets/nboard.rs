//! Lines of NBoard, one after another, as a session feeds them.

#![no_main]

use kaeshi::protocol::Dialect;
use libfuzzer_sys::fuzz_target;

#[path = "../common.rs"]
mod common;

fuzz_target!(|text: &str| common::speak(Dialect::NBoard, text));
