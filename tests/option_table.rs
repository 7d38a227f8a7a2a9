//! The table of all options in docs/reference/options.md is what the engines accept.

use kaeshi_core::game::options::{Access, OptionKind, OptionLine};
use kaeshi_engine::games::GameName;
use kaeshi_engine::protocol::session::log_options;

/// The options with the games that have them, in the order of the engines.
fn options() -> Vec<(OptionLine, Vec<&'static str>)> {
    let mut rows: Vec<(OptionLine, Vec<&'static str>)> = Vec::new();
    let games = GameName::ALL.into_iter().filter(|game| game.name() != "tictactoe");
    for game in games {
        for line in game.options().into_iter().chain(log_options()) {
            match rows.iter_mut().find(|(known, _)| *known == line) {
                Some((_, games)) => games.push(game.name()),
                None => rows.push((line, vec![game.name()])),
            }
        }
    }
    rows
}

/// The values that an option takes.
fn values(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Check(_) => "true or false".to_owned(),
        OptionKind::Spin(_, range) if *range.end() == i64::MAX => format!("{} or more", range.start()),
        OptionKind::Spin(_, range) => format!("{} to {}", range.start(), range.end()),
        OptionKind::Combo(_, choices) => choices.join(", "),
        OptionKind::Text(_) => "a text".to_owned(),
        OptionKind::File(_) => "a file".to_owned(),
        OptionKind::Button => "none".to_owned(),
    }
}

fn table() -> String {
    let head = "| option | games | default | values | what it does |\n|---|---|---|---|---|\n".to_owned();
    options().iter().fold(head, |table, (line, games)| {
        let games = if games.len() == 3 { "all".to_owned() } else { games.join(", ") };
        let default = match line.kind.default_value() {
            empty if empty.is_empty() => "empty".to_owned(),
            value => format!("`{value}`"),
        };
        let alias = line.alias.map(|alias| format!(", `{alias}`")).unwrap_or_default();
        let (name, values, purpose) = (line.name, values(&line.kind), line.purpose);
        table + &format!("| `{name}`{alias} | {games} | {default} | {values} | {purpose} |\n")
    })
}

#[test]
fn the_document_lists_all_options() {
    let document = include_str!("../docs/reference/options.md");
    let table = table();
    assert!(document.contains(&table), "docs/reference/options.md should have this table:\n\n{table}");
}

#[test]
fn every_option_says_what_it_does_and_what_it_reaches() {
    for (line, _) in options() {
        assert!(!line.purpose.is_empty() && !line.purpose.ends_with('.'), "{}", line.name);
        let is_file = matches!(line.kind, OptionKind::File(_));
        assert!(!is_file || line.access != Access::Search, "{} names a file", line.name);
    }
}
