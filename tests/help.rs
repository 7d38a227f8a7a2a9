//! The help of every command, and its man page.

#[path = "../examples/manual/page.rs"]
mod manual_page;

use std::ffi::OsString;
use std::process::Command;

use kaeshi::cli::Cli;
use kaeshi::help::{self, COMMANDS, EXAMPLES, EXIT_STATUS};

use crate::all_commands::all_commands;

/// Options under one heading at most, where there are more of them.
const LONGEST_LIST: usize = 15;
/// Commands that read and write no file but those that they are given.
const WITHOUT_FILES: [&str; 19] = [
    "perft",
    "bench",
    "bench ideas",
    "bench cache",
    "match simulate",
    "analyse",
    "analyse merge",
    "book",
    "solve",
    "selfplay",
    "selfplay stats",
    "data",
    "cluster status",
    "cluster collect",
    "cluster page",
    "cluster metrics",
    "cluster pardon",
    "cluster remove",
    "cluster trust",
];

#[test]
fn every_command_has_examples_and_exit_statuses() {
    for (path, mut command) in all_commands() {
        let text = command.render_long_help().to_string();
        for heading in [EXAMPLES, EXIT_STATUS] {
            assert!(text.contains(&format!("\n{heading}\n")), "{path}: no {heading} in\n{text}");
        }
        let entry = help::of(&path).unwrap_or_else(|| panic!("{path}: no entry"));
        for (line, _) in entry.examples {
            let begins = help::below("kaeshi", &path);
            assert!(path.is_empty() || line.starts_with(begins.trim_end()), "{path}: {line}");
        }
        assert!(path != "match" || entry.examples.len() >= 2);
    }
    #[cfg(feature = "cluster")]
    for entry in COMMANDS {
        assert!(
            all_commands().iter().any(|(path, _)| path == entry.path),
            "there is no command {}",
            entry.path
        );
    }
}

#[test]
fn examples_are_command_lines_that_the_program_takes() {
    let examples =
        COMMANDS.iter().filter(|entry| cfg!(feature = "cluster") || !entry.path.starts_with("cluster"));
    for (line, _) in examples.flat_map(|entry| entry.examples) {
        let words = line.split(' ').map(OsString::from);
        if let Err(error) = Cli::read(words) {
            panic!("{line}: {error}");
        }
    }
}

#[test]
fn long_lists_of_options_have_headings() {
    for (path, command) in all_commands() {
        let visible: Vec<_> =
            command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set()).collect();
        if visible.len() <= LONGEST_LIST {
            continue;
        }
        let headings: std::collections::BTreeSet<_> =
            visible.iter().map(|option| option.get_help_heading()).collect();
        assert!(headings.len() > 2, "{path}: {headings:?}");
        for heading in headings {
            let below = visible.iter().filter(|option| option.get_help_heading() == heading).count();
            assert!(below <= LONGEST_LIST, "{path}: {below} options under {heading:?}");
        }
    }
}

/// An option that follows those with a heading would stand under it.
#[test]
fn the_game_is_a_common_option() {
    for (path, command) in all_commands() {
        for option in command.get_opts().filter(|option| option.get_id() == "game") {
            let heading = option.get_help_heading();
            assert!(
                [None, Some("The game"), Some("What is analysed")].contains(&heading),
                "{path}: {heading:?}"
            );
        }
    }
}

#[test]
fn every_command_has_a_whole_man_page() {
    let pages = manual_page::pages().expect("pages");
    for (path, _) in all_commands() {
        let name = help::below("kaeshi", &path).trim_end().replace(' ', "-");
        let (_, text) =
            pages.iter().find(|(found, _)| *found == name).unwrap_or_else(|| panic!("no page {name}"));
        let title =
            text.lines().find(|line| line.starts_with(".TH")).unwrap_or_else(|| panic!("{name}: no title"));
        assert!(title.contains(help::VERSION), "{name}: {title}");
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "EXIT STATUS"] {
            let is_heading = |line: &str| line.trim_start_matches(".SH ").trim_matches('"') == heading;
            assert!(
                text.lines().any(|line| line.starts_with(".SH") && is_heading(line)),
                "{name}: no {heading}\n{text}"
            );
        }
        assert!(text.contains(".SH \"FILES\"") || WITHOUT_FILES.contains(&path.as_str()), "{name}: no FILES");
        assert!(
            help::of(&path).is_some_and(|entry| entry.files.is_empty()) != text.contains("FILES\""),
            "{name}"
        );
    }
}

#[test]
fn the_program_names_its_protocols() {
    let output = Command::new(env!("CARGO_BIN_EXE_kaeshi")).arg("--help").output().expect("starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for word in ["USI", "UGI", "UCI", "GTP", "NBoard", EXAMPLES, EXIT_STATUS] {
        assert!(text.contains(word), "no {word} in\n{text}");
    }
    assert!(output.status.success() && !text.contains('\u{1b}'), "no colours in a pipe");
}
