//! Options and paths that a job may name.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use anyhow::{Context, bail};

use kaeshi_core::game::options::Access;
use kaeshi_engine::games::GameName;

/// Options of other engines that a job may set: those that change how an engine searches, and not one that writes
/// files, runs programs or opens connections.
const OF_OTHERS: [(&str, Access); 11] = [
    ("BookDepth", Access::Search),
    ("Contempt", Access::Search),
    ("EvalDir", Access::Reads),
    ("Game", Access::Search),
    ("Move_Overhead", Access::Search),
    ("Skill_Level", Access::Search),
    ("Thread", Access::Search),
    ("UCI_Variant", Access::Search),
    ("USI_OwnBook", Access::Search),
    ("USI_Ponder", Access::Search),
    ("Variant", Access::Search),
];

/// The options that a job may set, in any engine: Kaeshi's in all games, but those that write files or use one of
/// the machine, and those of [`OF_OTHERS`]. Some occur twice.
fn settable() -> Vec<(String, Access)> {
    let own =
        GameName::ALL.into_iter().flat_map(GameName::options).filter(|line| line.access != Access::Local);
    let names = own.flat_map(|line| {
        let usi = (line.name == "Hash").then(|| "USI_Hash".to_owned());
        let alias = line.alias.map(str::to_owned);
        [Some(line.name.to_owned()), alias, usi].into_iter().flatten().map(move |name| (name, line.access))
    });
    names.chain(OF_OTHERS.iter().map(|&(name, access)| (name.to_owned(), access))).collect()
}

/// Whether an option that a job may set names a file or a folder that travels with the job.
pub fn names_a_file(name: &str) -> bool {
    settable().iter().any(|(known, access)| *access == Access::Reads && known.eq_ignore_ascii_case(name))
}

/// Whether a job may set this option to this value.
///
/// # Errors
/// The option, and what is wrong with it.
pub fn check_option((name, value): (&str, &str)) -> anyhow::Result<()> {
    let settable = settable();
    let Some((_, access)) = settable.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) else {
        let names: BTreeSet<&str> = settable.iter().map(|(name, _)| name.as_str()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        bail!("option {name} is not for a pool; a job may set {}", names.join(", "));
    };
    if *access == Access::Reads {
        check_path(Path::new(value)).with_context(|| format!("option {name}"))?;
    } else if value.contains(['/', '\\']) {
        bail!("option {name}: '{value}' looks like a path");
    }
    Ok(())
}

/// Whether a path stays in the folder of the job.
pub fn check_path(path: &Path) -> anyhow::Result<()> {
    if !is_inside(path) {
        bail!("'{}' leads out of the folder of the job", path.display());
    }
    Ok(())
}

/// Whether a relative path leads nowhere but below where it starts.
pub fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
