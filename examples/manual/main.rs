//! Writes man pages and shell completions of `kaeshi` into a folder; `.ci/release` packs them.
//!
//! usage: cargo run --example manual -- FOLDER

mod page;

use std::path::Path;
use std::{env, fs, io};

use clap::ValueEnum;
use clap_complete::Shell;
use kaeshi::cli;

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1) else {
        return Err(io::Error::other("the folder for the pages is missing"));
    };
    let folder = Path::new(&folder);
    let pages = folder.join("man1");
    let completions = folder.join("completions");
    fs::create_dir_all(&pages)?;
    fs::create_dir_all(&completions)?;
    for (name, text) in page::pages()? {
        fs::write(pages.join(format!("{name}.1")), text)?;
    }
    let mut command = cli::command().name("kaeshi").bin_name("kaeshi");
    for shell in Shell::value_variants() {
        clap_complete::generate_to(*shell, &mut command, "kaeshi", &completions)?;
    }
    Ok(())
}
