//! Texts that a terminal shows as they are.

use std::fmt::{self, Display, Write as _};

/// A text without control characters but tabs and ends of lines: `␛` and its like stand for them. Escape sequences
/// would let a file or an engine change what a terminal shows; so would characters that turn the direction of others.
pub struct Visible<T>(pub T);

impl<T: Display> Display for Visible<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(VisibleWriter(f), "{}", self.0)
    }
}

struct VisibleWriter<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for VisibleWriter<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.chars().all(|c| visible(c) == c) {
            return self.0.write_str(text);
        }
        text.chars().try_for_each(|c| self.0.write_char(visible(c)))
    }
}

/// The visible replacement of a character that cannot be seen or that changes the direction of the text.
fn visible(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_steers_a_terminal() {
        assert_eq!(Visible("a\u{0}b\u{1b}[2J\u{202e}").to_string(), "a␀b␛[2J\u{fffd}");
        assert_eq!(Visible("a\u{9b}\n\t\u{2067}\u{7f}\r").to_string(), "a\u{fffd}\n\t\u{fffd}\u{fffd}␍");
        assert_eq!(Visible(format_args!("{} 後手 {}", 7, "\u{7}")).to_string(), "7 後手 ␇");
    }
}
