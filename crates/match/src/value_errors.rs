//! Errors of settings in words that their writers know: those of TOML and JSON, not of Rust.

use anyhow::anyhow;

/// What is wrong with a file of settings, and in which line.
pub fn in_file(error: &toml::de::Error, text: &str) -> anyhow::Error {
    let what = plain(error.message());
    match error.span().and_then(|span| text.get(..span.start)) {
        Some(before) => anyhow!("line {}: {what}", before.matches('\n').count() + 1),
        None => anyhow!(what),
    }
}

/// The message of a deserialiser, with types as the writer of the file knows them.
pub fn plain(message: &str) -> String {
    let message = message.trim_end();
    let body = ["invalid type: ", "invalid value: "].iter().find_map(|begin| message.strip_prefix(begin));
    if let Some((found, wanted)) = body.and_then(|body| body.rsplit_once(", expected ")) {
        return format!("{} is wanted, not {}", wanted_value(wanted), found_value(found));
    }
    if let Some((name, known)) = named(message, "unknown field ") {
        return format!("unknown key '{name}'; there are {known}");
    }
    if let Some((name, known)) = named(message, "unknown variant ") {
        return format!("'{name}' is none of {known}");
    }
    match message.strip_prefix("missing field ") {
        Some(name) => format!("the key '{}' is missing", name.trim_matches('`')),
        None => message.to_owned(),
    }
}

/// The name that is refused, and those that there are.
fn named(message: &str, begin: &str) -> Option<(String, String)> {
    let (name, known) = message.strip_prefix(begin)?.split_once(", ")?;
    let known = known.trim_start_matches("expected ").trim_start_matches("one of ");
    Some((name.trim_matches('`').to_owned(), known.replace('`', "").replace(" or ", ", ")))
}

/// A value that is wanted.
fn wanted_value(wanted: &str) -> String {
    match wanted {
        "u8" => "a whole number from 0 to 255".into(),
        "u16" | "u32" | "u64" | "usize" => "a whole number from 0".into(),
        "i8" | "i16" | "i32" | "i64" => "a whole number".into(),
        "f32" | "f64" => "a number".into(),
        "a boolean" => "true or false".into(),
        "a string" | "path string" | "string or map" => "a text in quotes".into(),
        "a sequence" => "a list".into(),
        "a map" => "a table".into(),
        other => other.into(),
    }
}

/// A value that was found.
fn found_value(found: &str) -> String {
    let quoted = |kind: &str| found.strip_prefix(kind).map(|value| value.trim_matches('`').to_owned());
    if let Some(number) = quoted("integer ").or_else(|| quoted("floating point ")) {
        return format!("the number {number}");
    }
    if let Some(truth) = quoted("boolean ") {
        return truth;
    }
    match (found.strip_prefix("string "), found) {
        (Some(text), _) => format!("the text '{}'", text.trim_matches('"')),
        (None, "sequence") => "a list".into(),
        (None, "map") => "a table".into(),
        (None, "null" | "unit value") => "nothing".into(),
        (None, other) => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_writers_of_files_know_them() {
        for (message, said) in [
            ("invalid type: string \"x\", expected u64", "a whole number from 0 is wanted, not the text 'x'"),
            (
                "invalid value: integer `300`, expected u8",
                "a whole number from 0 to 255 is wanted, not the number 300",
            ),
            (
                "invalid type: floating point `1.5`, expected i64",
                "a whole number is wanted, not the number 1.5",
            ),
            ("invalid type: boolean `true`, expected a string", "a text in quotes is wanted, not true"),
            ("invalid type: map, expected a sequence", "a list is wanted, not a table"),
            ("unknown field `a`, expected one of `b`, `c`", "unknown key 'a'; there are b, c"),
            ("unknown field `a`, expected `b` or `c`", "unknown key 'a'; there are b, c"),
            ("unknown variant `a`, expected one of `b`, `c`", "'a' is none of b, c"),
            ("missing field `command`", "the key 'command' is missing"),
            ("'5' is neither on nor off", "'5' is neither on nor off"),
        ] {
            assert_eq!(plain(message), said);
        }
    }
}
