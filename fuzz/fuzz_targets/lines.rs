//! Any bytes at all, cut into lines.

#![no_main]

use std::io::BufReader;

use kaeshi::protocol::lines::{LONGEST_LINE, Lines};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for line in Lines::new(BufReader::with_capacity(5, bytes)).flatten() {
        // A broken byte becomes a letter of three.
        assert!(line.len() <= 3 * LONGEST_LINE && !line.contains(char::is_control));
    }
});
