//! Words that stand in a list of turns and are no turns: how the game ended, and passes.
//!
//! GUIs copy games as `startpos moves 7g7f 3c3d resign`, and engines end their lines with `rep_inf`. Protocols and
//! records drop such words at the end of a list.

use crate::game::GameError;

/// Words behind the last turn: those of USI and of its engines and GUIs, those of CSA without `%`, those of KIF.
const END_WORDS: [&str; 39] = [
    "resign",
    "win",
    "lose",
    "draw",
    "rep_inf",
    "rep_draw",
    "rep_win",
    "rep_lose",
    "rep_sup",
    "sennichite",
    "jishogi",
    "illegal",
    "illegal_move",
    "timeout",
    "time_up",
    "interrupt",
    "abort",
    "break",
    "mate",
    "nyugyoku_win",
    "none",
    "(none)",
    "toryo",
    "kachi",
    "chudan",
    "tsumi",
    "fuzumi",
    "hikiwake",
    "max_moves",
    "投了",
    "詰み",
    "千日手",
    "持将棋",
    "中断",
    "切れ負け",
    "入玉勝ち",
    "反則勝ち",
    "反則負け",
    "引き分け",
];

/// How protocols and records write a pass.
const PASSES: [&str; 5] = [crate::game::PASS, "0000", "null", "(pass)", "パス"];

/// Why a pass is refused where the rules have none.
pub const NO_PASSES_IN_SHOGI: &str = "passes are not supported in shogi";

/// Whether a word says how a game ended; letter case and the `%` of CSA do not count.
pub fn is_end_word(word: &str) -> bool {
    let word = word.strip_prefix('%').unwrap_or(word);
    END_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Whether a word is a pass.
pub fn is_pass(word: &str) -> bool {
    PASSES.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Whether a word of a list says nothing about the game that is played: a pass, or how it ended.
pub fn is_of_every_game(word: &str) -> bool {
    is_pass(word) || is_end_word(word)
}

/// Why the turn `word` of a list is refused, `reason` unless it is an end word.
pub fn why_refused(word: &str, reason: GameError) -> GameError {
    if is_end_word(word) {
        return GameError::turn(format!("moves stand behind '{}', which ends a game", word.escape_default()));
    }
    reason
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
            ("7g7f %TORYO", "7g7f", Some("%TORYO")),
            ("7g7f TORYO", "7g7f", Some("TORYO")),
            ("7g7f sennichite", "7g7f", Some("sennichite")),
            ("7g7f jishogi illegal", "7g7f", Some("jishogi")),
            ("7g7f 投了", "7g7f", Some("投了")),
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
