//! An engine as a configuration and the roster name it: its program, its protocol and its settings in a match.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};

use super::config::{Config, EngineConfig, is_path};
use super::recognition;
use crate::dialogue::asking;
use crate::dialogue::engine_process::Program;
use crate::dialogue::limits::{ThinkingLimit, parse_time};
use crate::dialogue::player::{self, Spec};
use crate::dialogue::speaker::ProtocolQuirks;
use crate::roster::{Roster, RosterEntry, Scalar};
use kaeshi_engine::dialect::Dialect;
use kaeshi_engine::protocol::uci::notation::Variant;
use kaeshi_records::referee::ENTERING_KING_RULE;

/// Names the game in UCI.
const VARIANT_OPTION: &str = "UCI_Variant";

/// The entry of the roster for an engine, or one made for a program given by its path; and the name of the entry by
/// which such a program was recognised.
fn roster_entry(engine: &EngineConfig, roster: &Roster) -> anyhow::Result<(RosterEntry, Option<String>)> {
    let by_path = |path: &str| match recognition::by_file(roster, path) {
        Some((known, entry)) => (given_by_path(entry, path), Some(known.to_owned())),
        None => (RosterEntry { command: path.to_owned(), ..RosterEntry::default() }, None),
    };
    Ok(match (&engine.conf, &engine.cmd) {
        (Some(name), _) => match roster.engines.get(name) {
            Some(entry) => (entry.clone(), None),
            None if name == "kaeshi" => (ourselves(), None),
            None if is_path(name) => by_path(name),
            None => {
                let known: Vec<&str> = roster.engines.keys().map(String::as_str).collect();
                bail!(
                    "no engine '{name}'; there are: {} (see `kaeshi engines`); a program of your own is given by \
                     its path, such as ./{name}",
                    known.join(" ")
                );
            }
        },
        (None, Some(command)) => by_path(command),
        (None, None) => bail!("--engine needs cmd=PROGRAM or conf=NAME"),
    })
}

/// The name of an engine in the match: that of `name=`, of the roster, or of its program.
fn engine_name(engine: &EngineConfig, command: &str) -> anyhow::Result<String> {
    let stem = Path::new(command).file_stem();
    let plain = stem.map_or(command.to_owned(), |stem| stem.to_string_lossy().into());
    match &engine.name {
        Some(name) if name.trim().is_empty() => bail!("engine {plain}: its name= is empty"),
        Some(name) if name.contains(char::is_control) => {
            bail!("engine {plain}: its name= '{}' has a control character", name.escape_debug())
        }
        Some(name) => Ok(name.clone()),
        None => Ok(engine.conf.clone().filter(|conf| !is_path(conf)).unwrap_or(plain)),
    }
}

/// The options to set: those of the roster's entry, replaced by those of the match.
fn options(
    engine: &EngineConfig,
    entry: &RosterEntry,
    protocol: Dialect,
    game: &str,
) -> Vec<(String, String)> {
    let mut options = entry.options.clone();
    options.extend(engine.options.clone());
    let mut options: Vec<(String, String)> =
        options.into_iter().map(|(name, Scalar(value))| (name, value)).collect();
    if protocol == Dialect::Uci
        && let Some(variant) = Variant::of_game(game)
        && !options.iter().any(|(name, _)| name.eq_ignore_ascii_case(VARIANT_OPTION))
    {
        // Before the others, which may depend on it.
        options.insert(0, (VARIANT_OPTION.to_owned(), variant.name().to_owned()));
    }
    options
}

/// The options to set if the engine declares them: the rules of the match. Those of `options` take precedence.
fn usual_options(
    config: &Config,
    protocol: Dialect,
    game: &str,
    ponder: bool,
    options: &[(String, String)],
) -> Vec<(String, String)> {
    let usual = [
        ponder.then(|| ("USI_Ponder", "true".to_owned())),
        config.entering_king_rule.clone().map(|rule| (ENTERING_KING_RULE, rule)),
        config.max_plies.map(|plies| ("MaxMovesToDraw", plies.to_string())),
        (protocol == Dialect::Ugi).then(|| (player::GAME_OPTION, game.to_owned())),
    ];
    let is_given = |usual: &str| options.iter().any(|(name, _)| name == usual);
    let usual = usual.into_iter().flatten().filter(|(name, _)| !is_given(name));
    usual.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Finds the program of an engine, its protocol, and its settings in this match.
///
/// # Errors
/// The first thing that is wrong, by its name.
pub fn resolve(engine: &EngineConfig, config: &Config, roster: &Roster, game: &str) -> anyhow::Result<Spec> {
    let (mut entry, mut recognised_as) = roster_entry(engine, roster)?;
    let command = engine.cmd.clone().unwrap_or_else(|| entry.command.clone());
    let name = engine_name(engine, &command)?;
    let about = |what: &str| format!("engine {name}: {what}");
    if let Some(only) = &entry.game
        && only != game
    {
        bail!("engine {name} plays {only}, not {game}");
    }
    let named = engine.protocol.as_deref().or(entry.protocol.as_deref());
    let protocol = match named {
        Some(word) => Dialect::parse(word).map_err(|why| anyhow!(about(&why.to_string())))?,
        None => Dialect::usual(game),
    };
    if !protocol.asks_about(game) {
        bail!("engine {name}: {game} is not played over {}", protocol.word());
    }
    let limit = match engine.terms.limit().with_context(|| about("its limit"))? {
        Some(limit) => limit,
        None => {
            config.terms.limit()?.context("no limit: give --tc, --byoyomi, --movetime, --nodes or --depth")?
        }
    };
    let limit = config.time_scale.map_or(limit, |factor| limit.scaled(factor));
    let arguments = engine.args.clone().unwrap_or(entry.args.clone());
    let program = Program {
        command: locate(&command, if engine.cmd.is_some() { Path::new("") } else { &entry.folder })
            .with_context(|| match &entry.install {
                Some(install) => format!("engine {name} is not installed ({install})"),
                None => format!("engine {name}"),
            })?,
        arguments: arguments.into_iter().map(|argument| argument.replace("{game}", game)).collect(),
        directory: engine.dir.clone().or_else(|| entry.dir.as_ref().map(|dir| entry.folder.join(dir))),
    };
    let others = Dialect::ASKED.into_iter().filter(|&other| other != protocol && other.asks_about(game));
    let candidates: Vec<Dialect> = std::iter::once(protocol).chain(others).collect();
    // An engine without a stated protocol is probed.
    let answer = match named {
        None if command != "kaeshi" => asking::ask(&program, &candidates),
        _ => None,
    };
    let protocol = answer.as_ref().map_or(protocol, |(dialect, _)| *dialect);
    let id_name = answer.map(|(_, name)| name).unwrap_or_default();
    if let Some((known, of_roster)) = recognition::by_id_name(roster, &id_name)
        && recognised_as.is_none()
    {
        entry = given_by_path(of_roster, &command);
        recognised_as = Some(known.to_owned());
    }
    let margin = engine.terms.margin.as_ref().or(config.terms.margin.as_ref()).or(entry.margin.as_ref());
    let margin = margin
        .map_or(Ok(Duration::ZERO), |Scalar(text)| parse_time(text))
        .map_err(|why| anyhow!("margin: {why}"))?;
    let options = options(engine, &entry, protocol, game);
    let ponder = engine.terms.ponder.or(config.terms.ponder) == Some(true) && protocol == Dialect::Usi;
    let usual_options = usual_options(config, protocol, game, ponder, &options);
    let depth = match limit {
        ThinkingLimit::Depth(depth) => Some(depth),
        _ => None,
    };
    let reading =
        engine.terms.usi_fischer.or(config.terms.usi_fischer).or(entry.usi_fischer).unwrap_or_default();
    let quirks = ProtocolQuirks { reading, depth };
    let restart = engine.terms.restart.or(config.terms.restart) == Some(true);
    Ok(Spec {
        name,
        program,
        protocol,
        options,
        usual_options,
        quirks,
        limit,
        margin,
        restart,
        ponder,
        recognised_as,
    })
}

/// The settings of `entry` for the program at `path`, which is relative to the working directory.
fn given_by_path(entry: &RosterEntry, path: &str) -> RosterEntry {
    let dir = entry.dir.as_ref().map(|dir| entry.folder.join(dir));
    RosterEntry { command: path.to_owned(), dir, folder: PathBuf::new(), ..entry.clone() }
}

fn ourselves() -> RosterEntry {
    let args = ["--game", "{game}"].map(String::from).to_vec();
    RosterEntry { command: "kaeshi".into(), args, ..RosterEntry::default() }
}

/// The path of a command. Debian keeps games where not every path leads.
///
/// # Errors
/// There is no such program.
pub fn locate(command: &str, folder: &Path) -> anyhow::Result<PathBuf> {
    if command == "kaeshi" {
        return std::env::current_exe().context("where is this program?");
    }
    if is_path(command) {
        let path = folder.join(command);
        if !path.is_file() {
            bail!("there is no program {}", path.display());
        }
        return Ok(std::path::absolute(path)?);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let games = PathBuf::from("/usr/games");
    std::env::split_paths(&path)
        .chain([games])
        .map(|folder| folder.join(command))
        .find(|path| path.is_file())
        .with_context(|| format!("there is no program '{command}' on the path"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows divides folders by either sign.
    #[test]
    fn a_program_given_by_its_path_is_not_looked_for_elsewhere() {
        for path in ["./no-such-engine", "dir\\no-such-engine"] {
            let said = locate(path, Path::new("")).unwrap_err().to_string();
            assert_eq!(said, format!("there is no program {path}"));
        }
    }
}
