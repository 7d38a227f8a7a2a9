//! Any file at all, as `kaeshi analyse` reads it: what is no record gives faults with lines, and what
//! is one can be followed to every position that was announced.

#![no_main]

use kaeshi::tools::analyse::effort::{Effort, Limit, Selection};
use kaeshi::tools::analyse::plan::{Plan, Wanted};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let wanted = Wanted {
        game: None,
        turns: Some(Selection::all()),
        effort: Effort { limit: Limit::Depth(1), multipv: 1 },
        options: Vec::new(),
    };
    let mut plan = Plan::new(wanted).expect("no options, no refusal");
    plan.add("-", bytes);
    // A fault of a WTHOR file names a game, of 68 bytes each.
    let lines = bytes.iter().filter(|&&byte| byte == b'\n' || byte == b'\r').count().max(bytes.len() / 68) + 1;
    for entry in &plan.entries {
        assert!(entry.fault.as_ref().is_none_or(|fault| fault.line <= lines), "{:?}", entry.fault);
        for place in 0..entry.turns.len() {
            plan.task(entry, place).expect("an announced position can be reached");
        }
    }
});
