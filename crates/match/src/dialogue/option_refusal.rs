//! What an engine says when it refuses the value of an option.

/// Whether a line that came between `setoption` and `readyok` refuses a value: the ways of Stockfish
/// (`No such option: X`), of YaneuraOu (`info string Error! : …`, `failed to read …`) and of Kaeshi
/// (`info string option X: …; the former value stays`).
pub fn is_refusal(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let said = line.strip_prefix("info string ").unwrap_or(&line).trim_start();
    const BEGINNINGS: [&str; 4] = ["error", "option ", "failed", "cannot "];
    const INSIDE: [&str; 12] = [
        "no such option",
        "has no option",
        "unknown option",
        "no option '",
        "unknown command: setoption",
        "the former value stays",
        "invalid value",
        "invalid option",
        "illegal value",
        "out of range",
        "failed to ",
        "error!",
    ];
    // `option name …` repeats a declaration; `option X = 3` confirms.
    let declares = said.starts_with("option name ");
    let confirms = said.starts_with("option ")
        && ![
            "not", "refus", "invalid", "stays", "cannot", "fail", "ignored", "no such", "unknown", "range",
            "error",
        ]
        .iter()
        .any(|word| said.contains(word));
    !declares
        && !confirms
        && (BEGINNINGS.iter().any(|word| said.starts_with(word))
            || INSIDE.iter().any(|word| said.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_distinguished_from_chatter() {
        for line in [
            "No such option: Hsah",
            "info string option EvalFile: nets/w2.bin: No such file or directory (os error 2); the former value stays",
            "info string shogi has no option 'Nope'",
            "info string Error! : failed to read nn.bin",
            "info string ERROR: The network file was not loaded successfully",
            "Error! : open failed : eval/nn.bin",
            "unknown option Foo",
        ] {
            assert!(is_refusal(line), "{line}");
        }
        for line in [
            "info string variant shogi files 9 ranks 9",
            "info string NNUE evaluation using nn.nnue enabled",
            "info string option Hash set to 64",
            "option name Hash type spin default 1 min 1 max 2",
            "Stockfish 16 by the Stockfish developers",
            "info string Using 1 thread",
            "book: not found, playing without",
        ] {
            assert!(!is_refusal(line), "{line}");
        }
    }
}
