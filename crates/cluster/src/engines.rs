//! Engines of a match by content: every worker plays with exactly the submitter's engines, or declines.
//!
//! The submitter seals each engine: SHA-256 of the program, its arguments, and SHA-256 of the files that options
//! name. A worker takes, in this order, its own program, a program of its roster with that hash, or one that was
//! sent and that the worker's owner allows. Everything else it declines.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, bail};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::permitted::{check_option, is_inside, names_a_file};
use kaeshi_core::files::{self, FileKind};
use kaeshi_match::dialogue::player::Spec;
use kaeshi_match::roster::{Roster, RosterEntry, Scalar};
use kaeshi_match::tournament::config::EngineConfig;
use kaeshi_match::tournament::engine_spec::locate;
use kaeshi_match::tournament::identity::{ContentHashes, hash_file};
use kaeshi_match::tournament::journal::EngineInfo;

/// Most bytes of a file that travels by its content.
pub const MAX_BYTES: u64 = 1 << 30;
/// Files of one engine at most.
const MAX_FILES: usize = 256;
/// Folder for files whose path leads out of the submitter's folder.
const FOLDER: &str = "content";

/// An engine of a match, as the submitter has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sealed {
    /// Its name in the match.
    pub name: String,
    /// The hashes of its program, arguments and files.
    pub content: ContentHashes,
    /// Whether it is the submitting program itself.
    pub own: bool,
    /// Whether the object store has the program.
    pub sent: bool,
    /// The options of the submitter's roster. An entry of a worker's roster must have the same options.
    pub preset: BTreeMap<String, String>,
    /// Files that options name: their places in the folder of the job, with their SHA-256.
    pub files: BTreeMap<PathBuf, String>,
}

/// A worker declines a part, which does not count as a failure.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Declined(pub String);

/// The permissions that the owner of a worker gives: `workers.toml`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkerPermissions {
    /// Programs that may be fetched and run.
    pub allow: Allow,
}

/// Programs by content and by name.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Allow {
    /// Their SHA-256.
    pub programs: BTreeSet<String>,
    /// Names of engines. The submitter chooses what is run under them.
    pub names: BTreeSet<String>,
}

impl WorkerPermissions {
    /// Reads the file.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn load(path: &Path) -> anyhow::Result<WorkerPermissions> {
        let shown = path.display();
        let text =
            files::read_text(path, FileKind::SETTINGS).with_context(|| format!("cannot read {shown}"))?;
        WorkerPermissions::parse(&text).with_context(|| format!("in {shown}"))
    }

    fn parse(text: &str) -> anyhow::Result<WorkerPermissions> {
        let rules: WorkerPermissions = toml::from_str(text)?;
        let is_hash =
            |hash: &&String| hash.len() == 64 && hash.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
        if let Some(wrong) = rules.allow.programs.iter().find(|hash| !is_hash(hash)) {
            bail!("'{wrong}' in programs is no SHA-256: 64 digits of 0-9a-f, as sha256sum prints them");
        }
        Ok(rules)
    }

    fn allow(&self, engine: &Sealed) -> bool {
        self.allow.programs.contains(&engine.content.program) || self.allow.names.contains(&engine.name)
    }
}

/// SHA-256 of programs that were read before. A roster is looked through for each job, and again for each part that
/// is declined; a program is read again when its size or time has changed.
#[derive(Debug, Default)]
pub struct Hashes(Mutex<HashMap<PathBuf, (u64, SystemTime, String)>>);

impl Hashes {
    fn of(&self, path: &Path) -> Option<String> {
        let data = std::fs::metadata(path).ok()?;
        let (size, time) = (data.len(), data.modified().ok()?);
        if let Some((_, _, hash)) = self.0.lock().get(path).filter(|known| (known.0, known.1) == (size, time))
        {
            return Some(hash.clone());
        }
        let hash = hash_file(path).ok()?;
        self.0.lock().insert(path.to_owned(), (size, time, hash.clone()));
        Some(hash)
    }
}

/// Seals an engine of a match: what it is, and its configuration without anything that only this machine has.
/// The third value says where the files lie here, by their SHA-256.
///
/// # Errors
/// Files that cannot be read or are too many; a name that is a path.
pub fn seal(
    spec: &Spec,
    engine: &EngineConfig,
    roster: &Roster,
    own: &str,
) -> anyhow::Result<(Sealed, EngineConfig, BTreeMap<String, PathBuf>)> {
    let mut content = ContentHashes::of(spec)?;
    // A word that happens to be the name of a file here is none elsewhere.
    let named: BTreeSet<&String> =
        spec.options.iter().filter(|(option, _)| names_a_file(option)).map(|(_, value)| value).collect();
    content.files.retain(|file, _| named.contains(file));
    let folder = spec.program.directory.as_deref().unwrap_or(Path::new(""));
    let mut here = BTreeMap::from([(content.program.clone(), spec.program.command.clone())]);
    let mut files = BTreeMap::new();
    let mut placed = BTreeMap::new();
    for (option, value) in
        spec.options.iter().filter(|(option, value)| names_a_file(option) && !value.is_empty())
    {
        let path = folder.join(value);
        if !path.exists() {
            continue;
        }
        let place = if is_inside(Path::new(value)) {
            PathBuf::from(value)
        } else {
            Path::new(FOLDER).join(option).join(path.file_name().unwrap_or_default())
        };
        placed.insert(option.clone(), place.to_string_lossy().into_owned());
        let found = if path.is_dir() { plain_files(&path)? } else { vec![path.clone()] };
        for file in found {
            let hash = hash_file(&file)?;
            let below = file.strip_prefix(&path).unwrap_or(Path::new(""));
            let place = if below.as_os_str().is_empty() { place.clone() } else { place.join(below) };
            files.insert(place, hash.clone());
            here.insert(hash, file);
        }
    }
    if files.len() > MAX_FILES {
        bail!("engine {}: its options name {} files, and {MAX_FILES} may travel", spec.name, files.len());
    }
    let entry = engine.conf.as_ref().and_then(|conf| roster.engines.get(conf));
    let mut preset: BTreeMap<String, String> = entry
        .map(|entry| &entry.options)
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.clone(), value.0.clone()))
        .collect();
    let mut options = engine.options.clone();
    for (option, place) in placed {
        preset.remove(&option);
        options.insert(option, Scalar(place));
    }
    let mut config = EngineConfig {
        conf: None,
        name: Some(spec.name.clone()),
        cmd: None,
        args: None,
        dir: None,
        protocol: Some(spec.protocol.word().into()),
        options,
        ..engine.clone()
    };
    config.terms.margin = Some(Scalar(format!("{}ms", spec.margin.as_micros() as f64 / 1e3)));
    config.terms.usi_fischer = Some(spec.quirks.reading);
    let own = content.program == own;
    Ok((Sealed { name: spec.name.clone(), content, own, sent: false, preset, files }, config, here))
}

fn plain_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect())
}

/// How a worker starts an engine.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineLocation {
    /// A program that is here, and its working directory.
    Here(PathBuf, Option<PathBuf>),
    /// The program that was sent.
    Fetched,
}

impl Sealed {
    /// Checks what was sealed before anything is touched.
    ///
    /// # Errors
    /// Hashes that are none, and places outside the folder of the job.
    pub fn check(&self) -> anyhow::Result<()> {
        let hashes = self.files.values().chain([&self.content.program]);
        if hashes.clone().any(|hash| hash.len() != 64 || !hash.bytes().all(|c| c.is_ascii_hexdigit())) {
            bail!("engine {}: its content is not given by SHA-256", self.name);
        }
        match self.files.keys().find(|place| !is_inside(place)) {
            Some(place) => {
                bail!("engine {}: '{}' leads out of the folder of the job", self.name, place.display())
            }
            None => Ok(()),
        }
    }

    /// How this worker starts it: `own` is the SHA-256 of its own program.
    ///
    /// # Errors
    /// [`Declined`], with the reason.
    pub fn find(
        &self,
        game: &str,
        own: (&Path, &str),
        roster: &Roster,
        rules: &WorkerPermissions,
        hashes: &Hashes,
    ) -> Result<EngineLocation, Declined> {
        let usual = ["--game".to_owned(), game.to_owned()];
        let is_plain = self.content.arguments.is_empty() || self.content.arguments == usual;
        let decline = |why: String| {
            let hash: String = self.content.program.chars().take(12).collect();
            Err(Declined(format!("engine {} (SHA-256 {hash}…): {why}", self.name)))
        };
        let presets = self.preset.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let strange = presets.map(check_option).find_map(Result::err);
        let entries = roster.engines.values().filter_map(|entry| Some((entry, self.path_of(entry, hashes)?)));
        if let Some((entry, path)) = { entries }.find(|(entry, _)| self.is_entry(entry, game)) {
            return Ok(EngineLocation::Here(path, entry.dir.as_ref().map(|dir| entry.folder.join(dir))));
        }
        if let Some(strange) = strange {
            return decline(format!("{strange:#}"));
        }
        if !is_plain {
            return decline(format!(
                "no engine of this worker's roster is this program with the arguments '{}', and others are started \
                 without arguments",
                self.content.arguments.join(" ")
            ));
        }
        if self.content.program == own.1 {
            return Ok(EngineLocation::Here(own.0.to_owned(), None));
        }
        if !rules.allow(self) {
            return decline(
                "it is not this worker's program, not in its roster, and its owner does not allow it (workers.toml)".into(),
            );
        }
        if !self.sent {
            return decline("it is allowed, but was not sent (submit --send-engines)".into());
        }
        Ok(EngineLocation::Fetched)
    }

    /// The program of an entry, if it is this one.
    fn path_of(&self, entry: &RosterEntry, hashes: &Hashes) -> Option<PathBuf> {
        let path = locate(&entry.command, &entry.folder).ok()?;
        (hashes.of(&path)? == self.content.program).then_some(path)
    }

    /// Whether an entry starts this program in this way.
    fn is_entry(&self, entry: &RosterEntry, game: &str) -> bool {
        let arguments: Vec<String> =
            entry.args.iter().map(|argument| argument.replace("{game}", game)).collect();
        let preset = entry
            .options
            .iter()
            .filter(|(option, _)| self.preset.contains_key(*option) || !names_a_file(option));
        arguments == self.content.arguments
            && preset.map(|(option, value)| (option, &value.0)).eq(self.preset.iter())
    }

    /// The configuration with which a part starts it. It is complete, so no roster is read.
    pub fn configure(
        &self,
        engine: &EngineConfig,
        command: &Path,
        directory: Option<PathBuf>,
        folder: &Path,
    ) -> EngineConfig {
        let mut options: BTreeMap<String, Scalar> =
            self.preset.iter().map(|(name, value)| (name.clone(), Scalar(value.clone()))).collect();
        options.extend(engine.options.clone());
        // An engine with its own working directory needs the whole path.
        if directory.is_some() {
            for (option, value) in options.iter_mut().filter(|(option, _)| names_a_file(option)) {
                if self.files.keys().any(|place| place.starts_with(&value.0)) {
                    log::debug!("{option} is {}", value.0);
                    value.0 = folder.join(&value.0).to_string_lossy().into_owned();
                }
            }
        }
        EngineConfig {
            conf: None,
            name: Some(self.name.clone()),
            cmd: Some(command.to_string_lossy().into_owned()),
            args: Some(self.content.arguments.clone()),
            dir: directory,
            options,
            ..engine.clone()
        }
    }

    /// How the engine of a result differs from this one; `None` if it does not.
    pub fn difference(&self, played: &EngineInfo) -> Option<String> {
        let name = &self.name;
        if played.name != *name {
            return Some(format!("{name} is called {} there", played.name));
        }
        self.other_content(&played.content)
    }

    /// How the content of the engine that played differs from this one; `None` if it does not.
    pub fn other_content(&self, played: &ContentHashes) -> Option<String> {
        let name = &self.name;
        if played.program != self.content.program {
            return Some(format!("the program of {name} is another one"));
        }
        if played.arguments != self.content.arguments {
            return Some(format!("the arguments of {name} are others"));
        }
        // Other machines have them under other names.
        let there: BTreeSet<&String> = played.files.values().collect();
        let lacking = self.content.files.iter().find(|(_, hash)| !there.contains(hash));
        lacking.map(|(file, _)| format!("the file '{file}' of {name} is another one"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(folder: &Path, text: &str) -> Roster {
        let path = folder.join("engines.toml");
        std::fs::write(&path, text).unwrap();
        Roster::load(Some(&path)).unwrap()
    }

    fn sealed(program: &str, arguments: &[&str]) -> Sealed {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let content = ContentHashes { program: program.to_owned(), arguments, ..ContentHashes::default() };
        Sealed { name: "dev".into(), content, ..Sealed::default() }
    }

    #[test]
    fn a_worker_runs_what_it_has_or_may_and_declines_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let engine = folder.path().join("engine");
        std::fs::write(&engine, "abc").unwrap();
        let hash = hash_file(&engine).unwrap();
        let own = (Path::new("/kaeshi"), "own");
        let roster = roster(
            folder.path(),
            "[engines.x]\ncommand = \"./engine\"\nargs = [\"-a\"]\noptions = { LogFile = \"x\" }\n",
        );
        let rules = WorkerPermissions::default();
        let hashes = Hashes::default();
        let find =
            |engine: &Sealed, rules: &WorkerPermissions| engine.find("shogi", own, &roster, rules, &hashes);

        assert_eq!(
            find(&sealed("own", &["--game", "shogi"]), &rules),
            Ok(EngineLocation::Here("/kaeshi".into(), None))
        );
        assert!(find(&sealed("own", &["match"]), &rules).unwrap_err().0.contains("'match'"));

        // The same program under any name, with the same arguments and options.
        let mut listed = sealed(&hash, &["-a"]);
        assert!(find(&listed, &rules).is_err());
        listed.preset.insert("LogFile".into(), "x".into());
        assert_eq!(find(&listed, &rules), Ok(EngineLocation::Here(folder.path().join("./engine"), None)));
        listed.preset.insert("LogFile".into(), "/etc/x".into());
        assert!(find(&listed, &rules).unwrap_err().0.contains("LogFile"));
        assert!(find(&sealed(&hash, &["-b"]), &rules).is_err());

        let foreign = Sealed { sent: true, ..sealed(&"7".repeat(64), &[]) };
        let refusal = find(&foreign, &rules).unwrap_err().0;
        assert!(refusal.contains("dev") && refusal.contains("does not allow"), "{refusal}");
        let by_hash =
            WorkerPermissions::parse(&format!("[allow]\nprograms = [\"{}\"]\n", "7".repeat(64))).unwrap();
        assert_eq!(find(&foreign, &by_hash), Ok(EngineLocation::Fetched));
        let by_name = WorkerPermissions::parse("[allow]\nnames = [\"dev\"]\n").unwrap();
        assert_eq!(find(&foreign, &by_name), Ok(EngineLocation::Fetched));
        assert!(
            find(&Sealed { sent: false, ..foreign.clone() }, &by_hash)
                .unwrap_err()
                .0
                .contains("was not sent")
        );
        let other = Sealed { sent: true, ..sealed(&"8".repeat(64), &[]) };
        assert!(find(&other, &by_hash).is_err());
        let mut armed = foreign.clone();
        armed.content.arguments = vec!["-x".into()];
        assert!(find(&armed, &by_name).is_err());
    }

    #[test]
    fn a_program_is_read_again_when_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        let hashes = Hashes::default();
        assert_eq!(hashes.of(&path), None);
        let time = SystemTime::UNIX_EPOCH;
        let write = |text: &str, time: SystemTime| {
            std::fs::write(&path, text).unwrap();
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
            hashes.of(&path).unwrap()
        };
        let first = write("abc", time);
        assert_eq!(write("abd", time), first, "it was not read");
        let second = write("abd", time + std::time::Duration::from_secs(1));
        assert!(second != first && write("abde", time) != second);
    }

    #[test]
    fn rules_that_cannot_be_meant_are_refused() {
        assert!(
            WorkerPermissions::parse("[allow]\nprograms = [\"abc\"]\n")
                .unwrap_err()
                .to_string()
                .contains("'abc'")
        );
        assert!(WorkerPermissions::parse("[alow]\n").unwrap_err().to_string().contains("alow"));
        let mut engine = sealed(&"7".repeat(64), &[]);
        engine.check().unwrap();
        engine.files.insert("../w.bin".into(), "7".repeat(64));
        assert!(engine.check().unwrap_err().to_string().contains("../w.bin"));
        assert!(sealed("abc", &[]).check().is_err());
    }

    #[test]
    fn files_are_compared_by_content_whatever_they_are_called() {
        let mut engine = sealed("p", &[]);
        engine.content.files.insert("w.bin".into(), "f".into());
        let mut played =
            EngineInfo { name: "dev".into(), content: engine.content.clone(), ..EngineInfo::default() };
        played.content.files = BTreeMap::from([("/tmp/job/w.bin".to_owned(), "f".to_owned())]);
        assert_eq!(engine.difference(&played), None);
        played.content.files = BTreeMap::from([("w.bin".to_owned(), "g".to_owned())]);
        assert!(engine.difference(&played).unwrap().contains("'w.bin' of dev"));
        played.content.program = "q".into();
        assert!(engine.difference(&played).unwrap().contains("program of dev"));
    }

    #[test]
    fn what_is_sealed_has_nothing_of_the_submitter() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("engine"), "abc").unwrap();
        std::fs::create_dir(path("nets")).unwrap();
        std::fs::write(path("nets/nn.bin"), "w").unwrap();
        let text = "[engines.x]\ncommand = \"./engine\"\nprotocol = \"usi\"\noptions = { Style = \"x\" }\n";
        let roster = roster(folder.path(), text);
        let nets = path("nets").to_string_lossy().into_owned();
        let engine = EngineConfig {
            conf: Some("x".into()),
            options: BTreeMap::from([("EvalDir".to_owned(), Scalar(nets))]),
            ..EngineConfig::default()
        };
        let config = kaeshi_match::tournament::config::Config::default();
        let config = kaeshi_match::tournament::config::Config {
            terms: kaeshi_match::tournament::config::PlayConditions {
                nodes: Some("9".into()),
                ..config.terms
            },
            ..config
        };
        let spec =
            kaeshi_match::tournament::engine_spec::resolve(&engine, &config, &roster, "shogi").unwrap();
        let (sealed, said, here) = seal(&spec, &engine, &roster, "own").unwrap();
        assert_eq!(sealed.preset, BTreeMap::from([("Style".to_owned(), "x".to_owned())]));
        assert_eq!(said.options["EvalDir"].0, "content/EvalDir/nets");
        let hash = hash_file(&path("nets/nn.bin")).unwrap();
        assert_eq!(
            sealed.files,
            BTreeMap::from([(PathBuf::from("content/EvalDir/nets/nn.bin"), hash.clone())])
        );
        assert_eq!(here[&hash], path("nets/nn.bin"));
        assert!(said.cmd.is_none() && said.conf.is_none() && !sealed.own);
        sealed.check().unwrap();
        let ready = sealed.configure(&said, Path::new("/e"), Some("/d".into()), Path::new("/job"));
        assert_eq!(ready.options["EvalDir"].0, "/job/content/EvalDir/nets");
        assert_eq!((&*ready.options["Style"].0, ready.cmd.as_deref()), ("x", Some("/e")));
    }
}
