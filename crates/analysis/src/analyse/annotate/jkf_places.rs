//! Where comments belong in the text of a JKF record.

use std::ops::Range;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use kaeshi_records::text::Edit;

#[derive(Deserialize)]
struct RawJkf<'a> {
    #[serde(borrow)]
    moves: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawJkfMove<'a> {
    #[serde(rename = "move")]
    made: Option<IgnoredAny>,
    special: Option<IgnoredAny>,
    #[serde(borrow, default, deserialize_with = "present")]
    comments: Option<&'a RawValue>,
}

/// A value that is there, be it `null`.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(value).map(Some)
}

/// What puts comments on the moves of a JKF text, in order; all other text stays.
///
/// # Errors
/// If the text is no JKF.
pub fn edits(text: &str, comments: &[Vec<String>]) -> serde_json::Result<Vec<Edit>> {
    let root: RawJkf<'_> = serde_json::from_str(text)?;
    let mut comments = comments.iter();
    let mut edits = Vec::new();
    for raw in root.moves {
        let Some(step) = serde_json::from_str::<Option<RawJkfMove<'_>>>(raw.get())? else { continue };
        if step.special.is_some() {
            break;
        }
        if step.made.is_none() {
            continue;
        }
        let Some(comments) = comments.next() else { break };
        if !comments.is_empty() {
            edits.push(edit(text, raw, step.comments, comments)?);
        }
    }
    Ok(edits)
}

fn edit(
    text: &str,
    step: &RawValue,
    kept: Option<&RawValue>,
    comments: &[String],
) -> serde_json::Result<Edit> {
    let quoted = comments.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?.join(", ");
    // `null` is as if there were none.
    Ok(match kept.map(|kept| (kept.get(), place(text, kept))) {
        Some((array, range)) if array.starts_with('[') => {
            let items = array.strip_suffix(']').unwrap_or(array).trim_end();
            let at = range.start + items.len();
            let text = if items == "[" { quoted } else { format!(", {quoted}") };
            Edit { range: at..at, text }
        }
        Some((_, range)) => Edit { range, text: format!("[{quoted}]") },
        None => {
            let at = place(text, step).start + 1;
            Edit { range: at..at, text: format!("\"comments\": [{quoted}],") }
        }
    })
}

/// Where a value that was borrowed from `text` stands in it.
fn place(text: &str, value: &RawValue) -> Range<usize> {
    let start = value.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + value.get().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_join_those_that_are_there() {
        for (step, wanted) in [
            (r#"{"move":{}}"#, r#"{"comments": ["x", "y\"z"],"move":{}}"#),
            ("{ \n \"move\":{} }", "{\"comments\": [\"x\", \"y\\\"z\"], \n \"move\":{} }"),
            (r#"{"move":{},"comments":null}"#, r#"{"move":{},"comments":["x", "y\"z"]}"#),
            (r#"{"comments":[ ],"move":{}}"#, r#"{"comments":["x", "y\"z" ],"move":{}}"#),
            (
                "{\"comments\":[\"a]\"\n],\"move\":{}}",
                "{\"comments\":[\"a]\", \"x\", \"y\\\"z\"\n],\"move\":{}}",
            ),
        ] {
            let around =
                |step: &str| format!(r#"{{"a":1.0,"moves":[{{}},null,{step},{{"special":"TORYO"}}]}}"#);
            let text = around(step);
            let mut got = text.clone();
            for edit in edits(&text, &[vec!["x".into(), "y\"z".into()]]).unwrap().iter().rev() {
                got.replace_range(edit.range.clone(), &edit.text);
            }
            assert_eq!(got, around(wanted));
        }
        assert_eq!(
            edits(r#"{"moves":[{},{"special":"TORYO"},{"move":{}}]}"#, &[vec!["x".into()]]).unwrap(),
            []
        );
        assert!(edits("{", &[]).is_err());
    }
}
