//! Words that stand in a list of turns and are no turns: how the game ended, and passes.
//!
//! GUIs copy games as `startpos moves 7g7f 3c3d resign`, and engines end their lines with `rep_inf`. Protocols and
//! records drop such words at the end of a list.

/// Words behind the last turn: those of USI and of its engines and GUIs.
const END_WORDS: [&str; 18] = [
    "resign",
    "win",
    "lose",
    "draw",
    "rep_inf",
    "rep_draw",
    "rep_win",
    "rep_lose",
    "rep_sup",
    "timeout",
    "time_up",
    "interrupt",
    "abort",
    "break",
    "mate",
    "nyugyoku_win",
    "none",
    "(none)",
];

/// How protocols and records write a pass.
const PASSES: [&str; 5] = [crate::game::PASS, "0000", "null", "(pass)", "パス"];

/// Why a pass is refused where the rules have none.
pub const NO_PASSES_IN_SHOGI: &str = "passes are not supported in shogi";

/// Whether a word says how a game ended; letter case does not count.
pub fn is_end_word(word: &str) -> bool {
    END_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Whether a word is a pass.
pub fn is_pass(word: &str) -> bool {
    PASSES.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Drops the end words behind the last turn; returns the first of them.
pub fn take_end_words<T: AsRef<str>>(turns: &mut Vec<T>) -> Option<T> {
    let turn = turns.iter().rposition(|word| !is_end_word(word.as_ref()));
    let behind = turn.map_or(0, |last| last + 1);
    turns.drain(behind..).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_behind_the_last_turn_are_dropped() {
        for (text, turns, end) in [
            ("7g7f resign", "7g7f", Some("resign")),
            ("7g7f 3c3d rep_inf WIN", "7g7f 3c3d", Some("rep_inf")),
            ("resign", "", Some("resign")),
            ("7g7f win 3c3d", "7g7f win 3c3d", None),
            ("7g7f", "7g7f", None),
            ("", "", None),
        ] {
            let mut words: Vec<&str> = text.split_whitespace().collect();
            assert_eq!(take_end_words(&mut words), end, "{text}");
            assert_eq!(words.join(" "), turns);
        }
    }

    #[test]
    fn a_pass_is_no_end() {
        for word in ["pass", "PASS", "0000", "パス"] {
            assert!(is_pass(word) && !is_end_word(word), "{word}");
        }
    }
}
