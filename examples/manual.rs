//! Writes man pages and shell completions of `kaeshi` into a folder; `.ci/release` packs them.
//!
//! usage: cargo run --example manual -- FOLDER

use std::path::Path;
use std::{env, fs, io};

use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;
use kaeshi::cli::Cli;

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1) else {
        return Err(io::Error::other("the folder for the pages is missing"));
    };
    let folder = Path::new(&folder);
    let pages = folder.join("man1");
    let completions = folder.join("completions");
    fs::create_dir_all(&pages)?;
    fs::create_dir_all(&completions)?;
    let mut command = Cli::command().name("kaeshi").bin_name("kaeshi");
    clap_mangen::generate_to(command.clone(), &pages)?;
    for shell in Shell::value_variants() {
        clap_complete::generate_to(*shell, &mut command, "kaeshi", &completions)?;
    }
    Ok(())
}
