//! `kaeshi csa`: games at servers that speak the CSA protocol, such as floodgate and those of tournaments.
//!
//! Protocol: <http://www2.computer-shogi.org/protocol/tcp_ip_server_121.html>.
//!
//! | file | what lies there |
//! |---|---|
//! | `session` | login, proposals, games in a row, login again |
//! | `game` | one game between the server and the engine |
//! | `connection` | lines in and out, signs of life |
//! | `message`, `summary` | what lines of the server mean; the conditions of a game |
//! | `clock` | the server's clocks, and what the engine may use of them |
//! | `record` | the files in which games are kept |

mod clock;
mod connection;
mod game;
mod message;
mod record;
mod session;
mod summary;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::builder::BoolishValueParser;

use super::roster::{Roster, Scalar};
use super::tournament::config::{Config, EngineConfig, PlayConditions};
use super::tournament::engine_spec::resolve;
use crate::dialogue::engine_process::leftovers::ProcessReaper;
use crate::dialogue::limits::parse_time;
use game::Manners;
use kaeshi_core::files::{self, FileKind};
use kaeshi_records::csa::GAME;
use kaeshi_records::referee::rules;
use kaeshi_system::output::say;
use kaeshi_system::stop_signal::{self, StopSignal};
use session::{CsaSession, CsaSessionConfig, SessionTally};

/// The port of the protocol.
const PORT: u16 = 4081;
/// The variable with the password.
const PASSWORD: &str = "KAESHI_CSA_PASSWORD";
/// Longest password, in bytes.
const LONGEST_PASSWORD: usize = 200;
/// Names of floodgate's games begin so.
const FLOODGATE: &str = "floodgate";

/// Play at a server that speaks the CSA protocol: floodgate, tournaments
///
/// The password is read from a file or from the variable KAESHI_CSA_PASSWORD, so that no list of processes shows it. On
/// floodgate it begins with the name of the game: floodgate-300-10F,secret. Each game is kept as a CSA file.
/// After Ctrl-C or SIGTERM a running game has 10 seconds to end; then the connection is closed, which servers
/// count as a loss.
#[derive(Debug, clap::Args)]
pub struct CsaArgs {
    /// The server: HOST or HOST:PORT [default port: 4081]
    server: String,
    /// The name to log in with: letters, digits, and - _ . @
    #[arg(long)]
    name: String,
    /// A file whose first line is the password
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// The engine: a name of `kaeshi engines` or a path, with options: ./mine:Threads=2
    #[arg(long, value_name = "ENGINE", default_value = "kaeshi")]
    engine: String,
    /// An option of the engine, once for each
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Let the engine think on the opponent's time
    #[arg(long)]
    ponder: bool,
    /// Games to play; broken ones do not count
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// The folder of the records
    #[arg(long, value_name = "FOLDER", default_value = "records")]
    records: PathBuf,
    /// Time kept for the network in each move, of short times at most half
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_time)]
    margin: Duration,
    /// Send an empty line after this time without another one, 0 for never; servers want 30s or more
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = keep_alive)]
    keep_alive: Duration,
    /// Send value and expected moves with each move [default: at games of floodgate]
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), hide_possible_values = true, value_name = "BOOL")]
    floodgate_comments: Option<bool>,
    /// A roster of engines instead of engines.toml here
    #[arg(long = "engines", value_name = "FILE")]
    roster: Option<PathBuf>,
}

impl CsaArgs {
    /// Plays the games.
    ///
    /// # Errors
    /// What is wrong with the request, the login or the engine.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.plan()?;
        let rules = rules(GAME, &[])?;
        let reaper = Arc::new(ProcessReaper::default());
        reaper.own_all_children();
        let stop = StopSignal::of_process();
        let games = plan.games;
        let session = CsaSession::new(&plan, rules, Arc::clone(&reaper), stop)?;
        let line = session.line();
        stop_signal::on_stop(move || line.hang_up(), move || reaper.kill_all());
        let tally = session.run()?;
        let SessionTally { scores: [won, drawn, lost, without], interrupted } = tally;
        say(format_args!(
            "{} games: {won} won, {drawn} drawn, {lost} lost, {without} without result; {interrupted} interrupted",
            tally.played()
        ));
        match tally.played() >= games {
            true => Ok(ExitCode::SUCCESS),
            false => Err(stop.stopped().into()),
        }
    }

    fn plan(self) -> anyhow::Result<CsaSessionConfig> {
        let (host, port) = address(&self.server)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.@".contains(c);
        if self.name.is_empty() || self.name.len() > 32 || !self.name.chars().all(plain) {
            bail!("--name '{}': 1 to 32 letters, digits, and - _ . @", self.name.escape_debug());
        }
        let password = self.password()?;
        let floodgate = password.split(',').next().is_some_and(|game| game.starts_with(FLOODGATE));
        let comments = self.floodgate_comments.unwrap_or(floodgate);
        let mut engine = EngineConfig::from_name(&self.engine)?;
        for option in &self.options {
            let (name, value) =
                option.split_once('=').ok_or_else(|| anyhow!("--option '{option}' is not NAME=VALUE"))?;
            engine.options.insert(name.to_owned(), Scalar(value.to_owned()));
        }
        // Limits come from the server; this one is never used.
        let terms = PlayConditions {
            movetime: Some(Scalar("1s".into())),
            ponder: Some(self.ponder),
            ..PlayConditions::default()
        };
        let config = Config { terms, ..Config::default() };
        let spec = resolve(&engine, &config, &Roster::load(self.roster.as_deref())?, GAME.name())?;
        Ok(CsaSessionConfig {
            host,
            port,
            name: self.name,
            password,
            keep_alive: self.keep_alive,
            games: self.games,
            records: self.records,
            spec,
            manners: Manners { margin: self.margin, comments },
        })
    }

    fn password(&self) -> anyhow::Result<String> {
        let text = match &self.password_file {
            Some(path) => files::read_text_piped(path, FileKind::SETTINGS)
                .with_context(|| format!("cannot read the password from {}", path.display()))?,
            None => std::env::var(PASSWORD)
                .with_context(|| format!("the password is missing: --password-file FILE, or {PASSWORD}"))?,
        };
        let password = text.lines().next().unwrap_or_default().trim_end();
        let good = !password.is_empty()
            && password.len() <= LONGEST_PASSWORD
            && password.bytes().all(|byte| byte.is_ascii_graphic());
        if !good {
            bail!("the password must have 1 to {LONGEST_PASSWORD} signs of ASCII without blanks");
        }
        Ok(password.to_owned())
    }
}

/// `HOST`, `HOST:PORT`, `[ADDRESS]:PORT`.
fn address(text: &str) -> anyhow::Result<(String, u16)> {
    let refuse = || anyhow!("'{}' is no server: write HOST or HOST:PORT", text.escape_debug());
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
            (host, port.parse().ok().filter(|&port| port > 0).ok_or_else(refuse)?)
        }
        _ => (text, PORT),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if host.is_empty() || host.contains(char::is_whitespace) {
        Err(refuse())
    } else {
        Ok((host.to_owned(), port))
    }
}

/// A pause of a second or more, or none.
fn keep_alive(text: &str) -> Result<Duration, String> {
    let time = parse_time(text)?;
    let good = time.is_zero() || time >= Duration::from_secs(1);
    good.then_some(time).ok_or_else(|| format!("'{text}' is less than a second"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_a_host_and_perhaps_a_port() {
        let read = |text: &str| address(text).ok();
        assert_eq!(read("wdoor.c.u-tokyo.ac.jp"), Some(("wdoor.c.u-tokyo.ac.jp".into(), 4081)));
        assert_eq!(read("localhost:81"), Some(("localhost".into(), 81)));
        assert_eq!(read("::1"), Some(("::1".into(), 4081)));
        assert_eq!(read("[::1]:81"), Some(("::1".into(), 81)));
        for bad in ["", ":4081", "host:", "host:0", "host:70000", "a b"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn signs_of_life_have_pauses() {
        assert_eq!(keep_alive("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(keep_alive("0"), Ok(Duration::ZERO));
        assert!(keep_alive("10ms").is_err());
    }
}
