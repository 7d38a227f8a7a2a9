//! The file of defaults.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use crate::protocol::tokens::engine_option;

/// The file beside the program that changes defaults, as YaneuraOu has it.
pub const DEFAULTS_FILE: &str = "engine_options.txt";

/// The settings in a file of defaults: lines as the `usi` command prints them (`option name ... default ...`),
/// as a GUI sends them (`setoption name ... value ...`), or `NAME VALUE`; `#` and `//` begin remarks.
pub fn read_defaults(text: &str) -> Vec<(String, String)> {
    let setting = |line: &str| {
        let line = line.trim();
        let line = line.strip_prefix("setoption ").or_else(|| line.strip_prefix("option ")).unwrap_or(line);
        let line = line.strip_prefix("name ").unwrap_or(line);
        let (name, rest) = line.split_once(char::is_whitespace)?;
        let mut words = rest.split_whitespace().peekable();
        if let Some(&("type" | "value")) = words.peek() {
            words.by_ref().find(|word| ["default", "value"].contains(word))?;
        }
        let value: Vec<&str> = words.take_while(|word| !["min", "max", "var"].contains(word)).collect();
        let ignored = name.starts_with('#') || name.starts_with("//");
        (!ignored).then(|| (engine_option(name).to_string(), value.join(" ")))
    };
    text.trim_start_matches('\u{feff}').lines().filter_map(setting).collect()
}
