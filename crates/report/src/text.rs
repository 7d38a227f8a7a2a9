//! Escaping of foreign text - names, options and answers of engines - in HTML, in JSON inside HTML, and in CSV.

use std::fmt::Display;

use kaeshi_core::visible::Visible;
use maud::{Markup, PreEscaped, Render};

/// A foreign text as the content of an element or of an attribute. It cannot become markup, and control
/// characters are shown as in [`Visible`].
pub struct Text<T>(pub T);

impl<T: Display> Render for Text<T> {
    fn render_to(&self, page: &mut String) {
        Visible(&self.0).to_string().render_to(page);
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

/// A cell of CSV, in quotes where it needs them (RFC 4180).
pub fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
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
