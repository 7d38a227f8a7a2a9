//! Every command of the program, as the tests of its help and of its reference walk through them.

use clap::Command as ClapCommand;
use kaeshi::cli;
use kaeshi::help;

/// All commands by their paths, each before the commands below it. The path of the program itself is empty.
pub fn all_commands() -> Vec<(String, ClapCommand)> {
    fn collect(command: &ClapCommand, path: &str, found: &mut Vec<(String, ClapCommand)>) {
        found.push((path.to_owned(), command.clone()));
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
            collect(inner, &help::below(path, inner.get_name()), found);
        }
    }
    let mut all = cli::command().name("kaeshi").bin_name("kaeshi");
    all.build();
    let mut found = Vec::new();
    collect(&all, "", &mut found);
    assert!(found.len() > 20, "{} commands", found.len());
    found
}
