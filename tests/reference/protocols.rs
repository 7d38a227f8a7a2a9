//! The commands of GTP and NBoard, and the refusals of options and moves, as the reference has them.

use std::path::Path;

use kaeshi_engine::protocol::command_info::ProtocolCommandInfo;
use kaeshi_engine::protocol::{gtp, nboard};

use super::{cell, compare};

/// The files whose error types say why an option or a move is refused, with a heading for each.
const REFUSALS: [(&str, &str); 3] = [
    ("a value of an option", "crates/engine/src/protocol/option_line.rs"),
    ("a move of shogi", "crates/shogi/src/rules/legality.rs"),
    ("a turn of Sygo", "crates/sygo/src/rules/illegal.rs"),
];

fn rows<'a>(commands: impl IntoIterator<Item = &'a ProtocolCommandInfo>) -> String {
    let mut text = String::from("| command | does or answers |\n|---|---|\n");
    for command in commands {
        let words = format!("{} {}", command.name, command.arguments);
        text += &format!("| `{}` | {} |\n", words.trim(), cell(command.meaning));
    }
    text
}

#[test]
fn every_command_of_gtp_and_nboard_is_in_the_reference() {
    let gtp = gtp::COMMANDS.iter().chain(&gtp::sygo::COMMANDS);
    compare("protocols.md", &[("gtp".to_owned(), rows(gtp)), ("nboard".to_owned(), rows(&nboard::COMMANDS))]);
}

/// The message of an `#[error]` attribute, its parts that differ as `…`.
fn message(attribute: &str) -> String {
    let text = attribute.split('"').nth(1).expect("a message");
    let mut plain = String::new();
    for (index, part) in text.split(['{', '}']).enumerate() {
        plain += if index % 2 == 0 { part } else { "…" };
    }
    plain.replace("……", "…")
}

#[test]
fn every_refusal_is_in_the_reference() {
    let mut text = String::from("| refused | message |\n|---|---|\n");
    for (what, file) in REFUSALS {
        let source =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a file");
        let messages: Vec<String> =
            source.lines().filter(|line| line.trim().starts_with("#[error(\"")).map(message).collect();
        assert!(messages.len() > 3, "{file}: {messages:?}");
        for message in messages {
            text += &format!("| {what} | `{message}` |\n");
        }
    }
    compare("errors.md", &[("refusals".to_owned(), text)]);
}
