//! Every input of the corpus through its fuzz target: as it is, and with a few changes that are the same in each run.
//! Neither libFuzzer nor a sanitizer takes part, so this is done with each change of the sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use kaeshi_core::random::SplitMix;

#[path = "../../../fuzz/fuzz_targets/targets/mod.rs"]
mod targets;

use targets::TARGETS;

/// Targets that search: an input takes milliseconds, and is run as it is.
const SEARCHING: [&str; 2] = ["controller", "session"];
/// Changed copies of each other input.
const CHANGED_COPIES: u64 = 4;
/// As many bytes as .ci/fuzz gives a target at most.
const LONGEST: usize = 4096;

struct CorpusInput {
    name: &'static str,
    target: fn(&[u8]),
    path: PathBuf,
}

/// The inputs of all targets. A target need not have a folder, but a folder needs a target.
fn inputs() -> Vec<CorpusInput> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut found = Vec::new();
    for folder in fs::read_dir(&corpus).expect("the corpus") {
        let folder = folder.expect("an entry");
        let known = TARGETS.iter().find(|(name, _)| folder.file_name() == *name);
        let &(name, target) = known.unwrap_or_else(|| panic!("{} has no target", folder.path().display()));
        for entry in fs::read_dir(folder.path()).expect("a folder") {
            found.push(CorpusInput { name, target, path: entry.expect("an entry").path() });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// A copy with one to four places changed: a bit flipped, or bytes overwritten, left out or repeated.
fn change(bytes: &[u8], random: &mut SplitMix) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..random.within((1, 4)) {
        let Ok(length @ 1..) = u32::try_from(bytes.len()) else { return bytes };
        let at = random.below(length) as usize;
        let end = (at + 1 + random.below(8) as usize).min(bytes.len());
        match random.below(4) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at..end].fill(random.draw() as u8),
            2 => drop(bytes.drain(at..end)),
            _ => {
                let repeated = bytes[at..end].to_vec();
                bytes.splice(at..at, repeated);
            }
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Names the input when the target panics.
struct PanicNote<'a> {
    input: &'a CorpusInput,
    copy: u64,
    bytes: &'a [u8],
}

impl Drop for PanicNote<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let bytes = self.bytes.escape_ascii();
            eprintln!(
                "{}, changed copy {} of {}: \"{bytes}\"",
                self.input.name,
                self.copy,
                self.input.path.display()
            );
        }
    }
}

#[test]
fn every_target_takes_its_corpus() {
    let inputs = inputs();
    assert!(inputs.len() > 1000, "{} inputs", inputs.len());
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(input) = inputs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let bytes = fs::read(&input.path).expect("an input");
            let copies = if SEARCHING.contains(&input.name) { 0 } else { CHANGED_COPIES };
            let mut random = SplitMix::new(bytes.len() as u64);
            for copy in 0..=copies {
                let bytes = if copy == 0 { bytes.clone() } else { change(&bytes, &mut random) };
                let _note = PanicNote { input, copy, bytes: &bytes };
                (input.target)(&bytes);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
        work();
    });
}
