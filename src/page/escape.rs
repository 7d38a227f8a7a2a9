//! Keeping foreign text from becoming markup: names, options and answers of engines are hostile.

/// A text as the content of an element or of an attribute in quotes; control characters are shown
/// as `␀` and its like.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            '\n' | '\t' => safe.push(c),
            '\u{0}'..='\u{1f}' => safe.extend(char::from_u32(0x2400 + c as u32)),
            '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => safe.push('\u{fffd}'),
            _ => safe.push(c),
        }
    }
    safe
}

/// JSON that can stand inside a `script` element: it can neither end it nor begin a comment.
pub fn json_in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(escape("<script>'\"&"), "&lt;script&gt;&#39;&quot;&amp;");
        assert_eq!(escape("a\u{0}b\u{1b}[2J\u{202e}"), "a␀b␛[2J\u{fffd}");
    }

    #[test]
    fn json_cannot_leave_its_script() {
        let text = serde_json::to_string("</script><!--\u{2028}").unwrap();
        let safe = json_in_script(&text);
        assert!(!safe.contains('<') && !safe.contains('\u{2028}'), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), "</script><!--\u{2028}");
    }
}
