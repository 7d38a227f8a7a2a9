//! The reference pages name everything that the program has: commands, options, keys of files, fields of JSON.
//!
//! Parts between `<!-- generated: NAME -->` and `<!-- end -->` are made of the source. With
//! `KAESHI_REFERENCE=write` the tests write them instead of comparing them:
//!
//! `KAESHI_REFERENCE=write cargo test --features cluster --test program reference`

#[path = "reference/answers.rs"]
mod answers;
#[path = "reference/protocols.rs"]
mod protocols;
#[path = "reference/source.rs"]
mod source;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Arg, ArgAction, Command as ClapCommand};
use kaeshi::help;

use crate::all_commands::all_commands;

/// Characters of a line of prose at most.
const WIDTH: usize = 110;
/// The source files of the parts of docs/reference/formats.md.
const FORMATS: [(&str, &[&str]); 8] = [
    ("roster", &["crates/match/src/roster.rs"]),
    (
        "match file",
        &[
            "crates/match/src/tournament/config.rs",
            "crates/statistics/src/sprt/settings.rs",
            "crates/statistics/src/elo_model.rs",
            "crates/match/src/tournament/replay_rule.rs",
            "crates/records/src/referee/adjudicate.rs",
            "crates/records/src/referee/impasse.rs",
            "crates/match/src/tournament/schedule.rs",
        ],
    ),
    (
        "journal",
        &[
            "crates/match/src/tournament/journal.rs",
            "crates/match/src/tournament/identity.rs",
            "crates/match/src/tournament/knockout.rs",
            "crates/match/src/dialogue/moved.rs",
            "crates/records/src/referee/ending.rs",
        ],
    ),
    (
        "stats",
        &[
            "crates/match/src/tournament/report.rs",
            "crates/match/src/tournament/summary.rs",
            "crates/match/src/tournament/summary/engines.rs",
            "crates/match/src/tournament/summary/pairings.rs",
            "crates/match/src/tournament/summary/rating_list.rs",
            "crates/match/src/tournament/bracket.rs",
        ],
    ),
    ("analysis", &["crates/analysis/src/analyse/line.rs", "crates/analysis/src/store.rs"]),
    ("review", &["crates/analysis/src/analyse/review.rs"]),
    ("check", &["crates/match/src/check.rs"]),
    (
        "solve",
        &[
            "crates/train/src/reversi/tasks/solve.rs",
            "crates/train/src/sygo/tasks/solve.rs",
            "crates/train/src/shogi/tasks/solve/output.rs",
        ],
    ),
];

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference").join(name)
}

/// Compares the parts of a page with the generated ones, or writes them.
fn compare(name: &str, parts: &[(String, String)]) {
    let path = page(name);
    let before = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut after = before.clone();
    for (part, text) in parts {
        let begin = format!("<!-- generated: {part} -->\n");
        let at = after.find(&begin).unwrap_or_else(|| panic!("{name} has no part {part}")) + begin.len();
        let end =
            at + after[at..].find("<!-- end -->").unwrap_or_else(|| panic!("{name}: {part} does not end"));
        after.replace_range(at..end, &format!("\n{}\n\n", text.trim()));
    }
    assert_eq!(after.matches("<!-- generated: ").count(), parts.len(), "{name}: parts that nothing fills");
    if std::env::var_os("KAESHI_REFERENCE").is_some_and(|wish| wish == "write") {
        fs::write(&path, after).expect("the page is written");
        return;
    }
    let difference = before.lines().zip(after.lines()).find(|(before, after)| before != after);
    assert!(
        before == after,
        "docs/reference/{name} is not what the source has: {difference:?}; tests/reference.rs writes it"
    );
}

/// A text in lines of prose.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("a line");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(word.to_owned());
        } else {
            *line = [line.as_str(), word].join(" ").trim_start().to_owned();
        }
    }
    lines.join("\n")
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_end_matches('.').replace('|', "\\|").replace('<', "&lt;")
}

/// Keys or fields of all types in these files.
fn tables(files: &[&str]) -> String {
    let mut text = String::new();
    for of_source in files.iter().flat_map(|file| source::types(file)) {
        if of_source.entries.is_empty() {
            continue;
        }
        text += &format!(
            "\n{}\n\n| name | meaning |\n|---|---|\n",
            wrapped(&format!("**{}**: {}", of_source.name, of_source.purpose))
        );
        for (names, meaning) in &of_source.entries {
            assert!(!meaning.is_empty(), "{}.{}: no documentation", of_source.name, names[0]);
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            text += &format!("| {} | {} |\n", names.join(", "), cell(meaning));
        }
    }
    text
}

#[test]
fn every_key_and_field_of_files_is_in_the_reference() {
    let parts: Vec<(String, String)> =
        FORMATS.iter().map(|(part, files)| ((*part).to_owned(), tables(files))).collect();
    compare("formats.md", &parts);
}

/// An option as it is typed.
fn option(arg: &Arg) -> String {
    let names: Vec<String> =
        [arg.get_long().map(|long| format!("--{long}")), arg.get_short().map(|short| format!("-{short}"))]
            .into_iter()
            .flatten()
            .chain(arg.get_visible_aliases().unwrap_or_default().iter().map(|alias| format!("--{alias}")))
            .collect();
    let value = match arg.get_action() {
        ArgAction::Set | ArgAction::Append => {
            let names = arg.get_value_names().unwrap_or_default();
            names.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    };
    match names.is_empty() {
        true => value,
        false => format!("{} {value}", names.join(", ")).trim().to_owned(),
    }
}

/// The description of an option, with its default and its words.
fn meaning(arg: &Arg) -> String {
    let mut text =
        arg.get_help().map(ToString::to_string).unwrap_or_default().trim_end_matches('.').to_owned();
    let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) {
        let values = arg.get_possible_values();
        let words: Vec<&str> =
            values.iter().filter(|value| !value.is_hide_set()).map(|value| value.get_name()).collect();
        if !words.is_empty() && !arg.is_hide_possible_values_set() {
            text += &format!(": {}", words.join(", "));
        }
        if !default.is_empty() {
            text += &format!(" [default: {}]", default.join(" "));
        }
    }
    text
}

/// A command with its options.
fn section(path: &str, command: &ClapCommand) -> String {
    let name = help::below("kaeshi", path);
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text =
        format!("## {}\n\n{}\n", name.trim(), wrapped(&format!("{}.", about.trim_end_matches('.'))));
    let args = || {
        command
            .get_arguments()
            .filter(|arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str()))
    };
    if args().next().is_some() {
        text += "\n| option | meaning |\n|---|---|\n";
    }
    for arg in args() {
        text += &format!("| `{}` | {} |\n", option(arg), cell(&meaning(arg)));
    }
    text
}

#[test]
fn every_command_and_option_is_in_the_reference() {
    let sections: Vec<(String, String)> =
        all_commands().into_iter().map(|(path, command)| (path.clone(), section(&path, &command))).collect();
    if cfg!(feature = "cluster") {
        let text: Vec<&str> = sections.iter().map(|(_, text)| text.as_str()).collect();
        compare("command-line.md", &[("commands".to_owned(), text.join("\n"))]);
        return;
    }
    let document = fs::read_to_string(page("command-line.md")).expect("the page");
    for (path, text) in sections.iter().filter(|(path, _)| !path.starts_with("cluster")) {
        assert!(document.contains(text.trim()), "{path}: docs/reference/command-line.md should have\n{text}");
    }
}

/// Lines that the engine prints in answer to a greeting.
fn greeting(game: &str, hello: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(["--game", game])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("piped").write_all(format!("{hello}\nquit\n").as_bytes()).expect("it listens");
    String::from_utf8(child.wait_with_output().expect("it ends").stdout).expect("text")
}

#[test]
fn every_option_of_every_protocol_is_in_the_reference() {
    let document = fs::read_to_string(page("options.md")).expect("the page");
    let mut count = 0;
    for game in ["shogi", "reversi", "sygo"] {
        for hello in ["usi", "ugi", "uci"] {
            let lines = greeting(game, hello);
            let names =
                lines.lines().filter_map(|line| line.strip_prefix("option name ")?.split_once(" type "));
            for (name, _) in names {
                count += 1;
                // The page says that these begin with `USI_` in USI.
                let plain = name.strip_prefix("USI_").unwrap_or(name);
                let is_there = [name, plain].iter().any(|name| document.contains(&format!("`{name}`")));
                assert!(is_there, "{game} over {hello}: {name} is not in docs/reference/options.md");
            }
        }
    }
    assert!(count > 150, "{count} options");
}

#[test]
fn every_field_of_a_request_is_in_the_reference() {
    let document = fs::read_to_string(page("analysis.md")).expect("the page");
    let types = source::types("crates/records/src/request.rs");
    let names: Vec<&String> = types.iter().flat_map(|of| &of.entries).flat_map(|(names, _)| names).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names.iter().filter(|name| name.starts_with(char::is_lowercase)) {
        let is_there = document.contains(&format!("`{name}`")) || document.contains(&format!("\"{name}\""));
        assert!(is_there, "{name} is not in docs/reference/analysis.md");
    }
}

/// Verdicts, kinds of lines and forms that a reader of a journal meets.
#[test]
fn every_verdict_has_its_row() {
    let document = fs::read_to_string(page("formats.md")).expect("the page");
    for cause in kaeshi_records::referee::ending::EndCause::ALL {
        let word = serde_json::to_value(cause).expect("a word");
        let word = word.as_str().expect("a word");
        assert!(document.contains(&format!("| `{word}` |")), "{word}");
    }
}
