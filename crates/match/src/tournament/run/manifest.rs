//! The files around the journal: the configuration, and what is made of the games at the end.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use kaeshi_core::driver::machine;
use kaeshi_core::files::{self, FileKind};
use kaeshi_engine::utc;
use kaeshi_engine::version;
use kaeshi_system::crc32c::crc32c_append;
use kaeshi_system::output::write_whole;
use kaeshi_system::stop_signal::quoted;

use super::super::config::Config;
use super::super::journal::Journal;
use super::super::pgn;
use super::super::plan::MatchPlan;
use super::super::records::write_all;
use super::super::report::html;
use super::{CONFIG, MATCHES, RECORDS};

/// `match.json`, written once.
#[derive(Debug, Serialize, Deserialize)]
pub struct MatchManifest {
    /// Name and version of the runner.
    pub tool: String,
    /// Hash of everything that decides the games.
    pub plan: String,
    /// Decides everything that is drawn.
    pub seed: u64,
    /// The programs by name, with size and CRC-32C of their files.
    pub programs: Vec<(String, u64, String)>,
    /// The configuration, normalised.
    pub config: Config,
}

/// Name and version of this program.
pub fn tool() -> String {
    format!("kaeshi {}", version::stated())
}

/// Reads the paper of the match in `folder`.
///
/// # Errors
/// There is none, or it is wrong.
pub fn read(folder: &Path) -> anyhow::Result<MatchManifest> {
    let path = folder.join(CONFIG);
    let text = files::read_text(&path, FileKind::STATE)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let mut manifest: MatchManifest =
        serde_json::from_str(&text).with_context(|| format!("in {}", path.display()))?;
    manifest.config = manifest.config.with_older_clocks();
    Ok(manifest)
}

/// Writes the paper of a new match; all or nothing.
///
/// # Errors
/// The disk refuses.
pub fn write(plan: &MatchPlan, folder: &Path) -> anyhow::Result<()> {
    let programs = plan.specs.iter().map(|spec| {
        let (bytes, checksum) = size_and_checksum(&spec.program.command).unwrap_or_default();
        (spec.name.clone(), bytes, format!("{checksum:08x}"))
    });
    let manifest = MatchManifest {
        tool: tool(),
        plan: plan.hash.clone(),
        seed: plan.seed,
        programs: programs.collect(),
        config: Config { out: None, ..plan.config.clone() },
    };
    let mut text = serde_json::to_string_pretty(&manifest)?;
    text.push('\n');
    write_whole(&folder.join(CONFIG), text.as_bytes())
}

/// Size and CRC-32C of a program's file.
fn size_and_checksum(path: &Path) -> std::io::Result<(u64, u32)> {
    let mut checksum = 0;
    let bytes = files::visit(path, |bytes| checksum = crc32c_append(checksum, bytes))?;
    Ok((bytes, checksum))
}

/// Makes the default folder of a match: a separate one, also where another match of the
/// same players begins within the same second.
///
/// # Errors
/// The disk refuses.
pub fn new_folder(plan: &MatchPlan) -> anyhow::Result<PathBuf> {
    let now: String = utc::seconds(SystemTime::now()).chars().filter(|c| c.is_ascii_digit()).collect();
    let (day, time) = now.split_at(8.min(now.len()));
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let names: Vec<String> =
        plan.specs.iter().take(3).map(|spec| spec.name.chars().map(plain).collect()).collect();
    new_folder_in(Path::new(MATCHES), &format!("{day}-{time}-{}", names.join("-")))
}

/// Makes the folder `name`, or one with a number behind its name where that is taken.
fn new_folder_in(parent: &Path, name: &str) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    for name in std::iter::once(name.to_owned()).chain(numbered) {
        let folder = parent.join(name);
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("cannot create {}", folder.display())),
        }
    }
    unreachable!("the numbers do not end")
}

/// The command that goes on with the match in `folder`.
pub fn resume_command(folder: &Path) -> String {
    format!("kaeshi match --resume {}", quoted(&folder.to_string_lossy()))
}

/// Name, system and processors of this machine.
pub fn host() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{} {} {}, {cores} threads", machine::host_name(), std::env::consts::OS, std::env::consts::ARCH)
}

/// Writes what else was asked for: game records, and the report, be the records written or not.
///
/// # Errors
/// The disk refuses; names the file.
pub fn publish(
    plan: &MatchPlan,
    folder: &Path,
    journal: &Journal,
    tell: &dyn Fn(std::fmt::Arguments<'_>),
) -> anyhow::Result<()> {
    let records = folder.join(RECORDS);
    let recorded = match plan.config.records {
        Some(true) => {
            write_all(journal, &records).map(|()| tell(format_args!("Records: {}", records.display())))
        }
        _ => Ok(()),
    };
    if let Some(report) = &plan.config.report {
        write_report(journal, report)?;
        tell(format_args!("Report: {}", report.display()));
    }
    if let Some(file) = &plan.config.pgn {
        pgn::write(journal, file)?;
        tell(format_args!("PGN: {}", file.display()));
    }
    recorded
}

/// Writes the page for a browser.
///
/// # Errors
/// The disk refuses.
pub fn write_report(journal: &Journal, path: &Path) -> anyhow::Result<()> {
    write_whole(path, html(journal).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roster::{Roster, Scalar};
    use crate::tournament::config::{EngineConfig, PlayConditions};
    use crate::tournament::journal::JOURNAL;

    #[test]
    fn who_may_read_other_files_may_read_the_plan() {
        let folder = tempfile::tempdir().expect("a folder");
        let engine = EngineConfig { conf: Some("kaeshi".into()), ..EngineConfig::default() };
        let config = Config {
            game: Some("reversi".into()),
            engines: vec![engine; 2],
            terms: PlayConditions { depth: Some(Scalar("1".into())), ..PlayConditions::default() },
            ..Config::default()
        };
        write(&MatchPlan::new(config, &Roster::default()).expect("a plan"), folder.path()).expect("room");
        std::fs::write(folder.path().join(JOURNAL), "").expect("room");
        let [plan, journal] =
            [CONFIG, JOURNAL].map(|name| folder.path().join(name).metadata().expect("a file"));
        assert_eq!(plan.permissions(), journal.permissions());
        assert_eq!(read(folder.path()).expect("the plan").config.game.as_deref(), Some("reversi"));
    }

    #[test]
    fn matches_of_the_same_second_have_folders_of_their_own() {
        let parent = tempfile::tempdir().expect("a folder");
        let made = || new_folder_in(parent.path(), "20261123-120000-a-b").expect("a folder");
        let names = [made(), made(), made()].map(|folder| folder.file_name().map(ToOwned::to_owned));
        let wanted = ["20261123-120000-a-b", "20261123-120000-a-b-2", "20261123-120000-a-b-3"];
        assert_eq!(names, wanted.map(|name| Some(name.into())));
    }
}
