//! The `kaeshi` binary: parse the arguments, start the logger, run.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::SystemTime;

use env_logger::fmt::Formatter;
use env_logger::{Target, WriteStyle};
use kaeshi::cli::Cli;
use kaeshi::log_sink::LogSink;
use kaeshi_core::visible::Visible;
use kaeshi_engine::utc;
use kaeshi_system::{output, stop_signal};

fn main() -> ExitCode {
    kaeshi_engine::version::state(env!("KAESHI_VERSION"));
    kaeshi_core::driver::machine::spare_addresses();
    kaeshi_core::driver::machine::refine_timers();
    stop_signal::report_file_size_limit();
    report_panics_briefly();
    start_log();
    match Cli::read(std::env::args_os()) {
        Ok(cli) => output::exit_code(cli.run()),
        Err(error) => output::exit_code_of_usage(&error),
    }
}

/// What `KAESHI_LOG` asks for goes to stderr, in colour if that is a terminal.
fn start_log() {
    let coloured = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    env_logger::Builder::from_env(env_logger::Env::new().filter("KAESHI_LOG"))
        .format(log_line)
        .target(Target::Pipe(Box::new(LogSink::default())))
        .write_style(if coloured { WriteStyle::Always } else { WriteStyle::Never })
        .init();
}

/// A line of the log: time, level, module and text.
fn log_line(out: &mut Formatter, record: &log::Record<'_>) -> std::io::Result<()> {
    let (time, level) = (utc::milliseconds(SystemTime::now()), record.level());
    let style = out.default_level_style(level);
    writeln!(out, "[{time} {style}{level:<5}{style:#} {}] {}", record.target(), Visible(record.args()))
}

/// One line for a panic. A backtrace, which takes memory, could hang where there is none left; it is made
/// with `RUST_BACKTRACE=full` only.
fn report_panics_briefly() {
    if std::env::var_os("RUST_BACKTRACE").is_some_and(|wanted| wanted == "full") {
        return;
    }
    std::panic::set_hook(Box::new(|panic| {
        // The reader closed it on purpose.
        let _ = writeln!(std::io::stderr(), "kaeshi: internal error, please report: {panic}");
    }));
}
