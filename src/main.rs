//! The `kaeshi` binary: parse the arguments, start the logger, run.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::new().filter("KAESHI_LOG")).init();
    match kaeshi::cli::Cli::parse().run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("kaeshi: {error:#}");
            ExitCode::from(2)
        }
    }
}
