//! Keeping foreign text from becoming markup: names, options and answers of engines are hostile.

use maud::{Markup, PreEscaped, Render};

/// A foreign text as the content of an element or of an attribute. It cannot become markup, and control
/// characters are shown as `␀` and its like.
pub struct Text<T>(pub T);

impl<T: AsRef<str>> Render for Text<T> {
    fn render_to(&self, page: &mut String) {
        let shown: String = self.0.as_ref().chars().map(shown).collect();
        shown.render_to(page);
    }
}

/// What stands for a character that cannot be seen, or that would turn the direction of the others.
fn shown(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        _ => c,
    }
}

/// JSON that can stand inside a `script` element: it can neither end it nor begin a comment.
pub fn json_in_script(json: &str) -> Markup {
    let safe = json
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    PreEscaped(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        let shown = |text: &str| Text(text).render().into_string();
        assert_eq!(shown("<script>'\"&"), "&lt;script&gt;'&quot;&amp;");
        assert_eq!(shown("a\u{0}b\u{1b}[2J\u{202e}"), "a␀b␛[2J\u{fffd}");
        assert_eq!(shown("a\u{9b}\n\t\u{2067}"), "a\u{fffd}\n\t\u{fffd}");
    }

    #[test]
    fn json_cannot_leave_its_script() {
        let text = serde_json::to_string("</script><!--\u{2028}").unwrap();
        let safe = json_in_script(&text).into_string();
        assert!(!safe.contains('<') && !safe.contains('\u{2028}'), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), "</script><!--\u{2028}");
    }
}
