//! All fuzz targets in one program; the environment variable `TARGET` names the one that runs.
//!
//! `.ci/fuzz` builds and runs them; `docs/evidence/robustness.md` has the results.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

mod targets;

use targets::TARGETS;

static CHOSEN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("TARGET").unwrap_or_default();
    let chosen = TARGETS.iter().find(|(known, _)| *known == name);
    let names: Vec<&str> = TARGETS.iter().map(|(known, _)| *known).collect();
    chosen.unwrap_or_else(|| panic!("TARGET={name} is none of: {}", names.join(" "))).1
});

fuzz_target!(|bytes: &[u8]| CHOSEN(bytes));
