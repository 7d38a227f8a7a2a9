//! The man pages: one for each command.

use std::io;

use clap::Command;
use clap_mangen::Man;
use kaeshi::cli;
use kaeshi::help::{self, CommandHelp, Explained};

/// All pages: name, such as `kaeshi-match`, and text (roff).
///
/// # Errors
/// Never; writing into memory cannot fail.
pub fn pages() -> io::Result<Vec<(String, String)>> {
    let mut command = cli::command().name("kaeshi").bin_name("kaeshi").disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(&command, "", &mut pages)?;
    Ok(pages)
}

fn collect(command: &Command, path: &str, pages: &mut Vec<(String, String)>) -> io::Result<()> {
    let name = help::below("kaeshi", path).trim_end().replace(' ', "-");
    pages.push((name.clone(), page(command, &name, help::of(path))?));
    for inner in command.get_subcommands() {
        collect(inner, &help::below(path, inner.get_name()), pages)?;
    }
    Ok(())
}

fn page(command: &Command, name: &str, help: Option<&CommandHelp>) -> io::Result<String> {
    let version = command.get_version().unwrap_or(help::VERSION);
    let man = Man::new(command.clone()).title(name).source(format!("Kaeshi {version}")).manual("Kaeshi");
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut out)?;
    }
    let mut text = String::from_utf8_lossy(&out).into_owned();
    if let Some(CommandHelp { examples, files, .. }) = help {
        text += &section("EXAMPLES", examples);
        text += &section("EXIT STATUS", &help::STATUSES);
        text += &format!(".PP\n{}\n", escaped(help::SIGNALS));
        if !files.is_empty() {
            text += &section("FILES", files);
        }
    }
    Ok(text)
}

/// A section of texts with their meanings.
fn section(title: &str, items: &[Explained]) -> String {
    let items =
        items.iter().map(|(text, what)| format!(".TP\n\\fB{}\\fR\n{}\n", escaped(text), escaped(what)));
    format!(".SH \"{title}\"\n{}", items.collect::<String>())
}

/// A text that roff prints as it stands: a dot or an apostrophe at the beginning of a line is no control character.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\(rs").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}
