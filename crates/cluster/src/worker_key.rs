//! Who a worker is: a name and an Ed25519 key. It signs its results, so that no other worker reports in its place.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use nkeys::{KeyPair, KeyPairType};

use super::job::check_name;
use kaeshi_core::files::{self, FileKind};

/// Between the name and the letters of the key in a worker's identity.
const BEHIND_NAME: char = '=';
/// Letters of the key in an identity: the first has 2 bits of it, the others 5, which makes 77.
const LETTERS: usize = 16;
/// What a signature says, in its first line.
const STATEMENT: &str = "kaeshi result 1";

/// The key pair of a worker.
pub struct WorkerKey(KeyPair);

impl WorkerKey {
    /// A key that ends with this process.
    pub fn new() -> WorkerKey {
        WorkerKey(KeyPair::new(KeyPairType::User))
    }

    /// The key of a file; a new one is written if there is no such file.
    ///
    /// # Errors
    /// It cannot be read or written, or holds no key.
    pub fn of_file(path: &Path) -> anyhow::Result<WorkerKey> {
        let shown = path.display();
        if !path.exists() {
            let key = WorkerKey::new();
            if key.write(path).with_context(|| format!("cannot write the key {shown}"))? {
                return Ok(key);
            }
        }
        let bytes =
            files::read(path, FileKind::SETTINGS).with_context(|| format!("cannot read the key {shown}"))?;
        let seed = String::from_utf8(bytes).unwrap_or_default();
        let pair =
            KeyPair::from_seed(seed.trim()).map_err(|error| anyhow!("{shown} holds no key: {error}"))?;
        if pair.key_pair_type() != KeyPairType::User {
            bail!("{shown} holds a key of another kind; `nk -gen user` makes the right one");
        }
        Ok(WorkerKey(pair))
    }

    /// Writes a file that only its owner may read; `false` if another program wrote one at the same time.
    fn write(&self, path: &Path) -> anyhow::Result<bool> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        writeln!(file, "{}", self.0.seed()?)?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(path) {
            Ok(_) => Ok(true),
            Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(refused) => Err(refused.error.into()),
        }
    }

    /// The public key, as NATS writes it.
    pub fn public(&self) -> String {
        self.0.public_key()
    }

    /// The signature of a result, in hexadecimal.
    ///
    /// # Errors
    /// Never with a key of this program.
    pub fn sign(&self, result: &SignedResult<'_>) -> anyhow::Result<String> {
        let signature = self.0.sign(result.statement().as_bytes())?;
        Ok(signature.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }))
    }
}

/// What a worker signs.
#[derive(Clone, Copy, Debug)]
pub struct SignedResult<'a> {
    /// The id of the job.
    pub job: &'a str,
    /// The number of the part in its round.
    pub number: u64,
    /// The name of the file.
    pub file: &'a str,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: &'a str,
    /// The identity of the worker.
    pub by: &'a str,
}

impl SignedResult<'_> {
    fn statement(&self) -> String {
        let SignedResult { job, number, file, sha256, by } = self;
        format!("{STATEMENT}\n{job}\n{number}\n{file}\n{sha256}\n{by}\n")
    }

    /// Whether the worker with this public key signed it, and is the one that the result names.
    ///
    /// # Errors
    /// What does not fit.
    pub fn verify(&self, key: &str, signature: &str) -> anyhow::Result<()> {
        let (name, _) = split(self.by).context("the worker has no key")?;
        // What is known of a worker is stored under its identity, and shown.
        check_name(name)?;
        if identity(name, key) != self.by {
            bail!("the key is not that of worker {}", self.by);
        }
        let pair = KeyPair::from_public_key(key).map_err(|error| anyhow!("no key: {error}"))?;
        let bytes = bytes(signature).context("no signature")?;
        pair.verify(self.statement().as_bytes(), &bytes).map_err(|_| anyhow!("the signature is wrong"))
    }
}

/// The bytes of a text in hexadecimal.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| {
            u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?, 16).ok()
        })
        .collect()
}

/// What a worker with this name and this public key is called in the pool.
pub fn identity(name: &str, key: &str) -> String {
    // The first letter is the same for all.
    let letters: String = key.chars().skip(1).take(LETTERS).collect();
    format!("{name}{BEHIND_NAME}{letters}")
}

/// Name and letters of the key of an identity.
pub fn split(identity: &str) -> Option<(&str, &str)> {
    identity.rsplit_once(BEHIND_NAME)
}

/// The identity that `text` means: it is one, or the name of exactly one.
///
/// # Errors
/// There is none, or several have the name.
pub fn resolve(text: &str, identities: impl Iterator<Item = String>) -> anyhow::Result<String> {
    let mut found: Vec<String> = identities
        .filter(|identity| identity == text || split(identity).is_some_and(|(name, _)| name == text))
        .collect();
    found.sort();
    found.dedup();
    match found.as_slice() {
        [] => bail!("there is no worker '{text}'"),
        [one] => Ok(one.clone()),
        several => bail!("several workers are called '{text}': {}", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_the_only_worker_that_has_it() {
        let there = ["ada=AAAA", "ada=BBBB", "ben=CCCC", "ben=CCCC"].map(str::to_owned);
        let of = |text: &str| resolve(text, there.iter().cloned()).map_err(|error| error.to_string());
        assert_eq!(of("ben"), Ok("ben=CCCC".to_owned()));
        assert_eq!(of("ada=BBBB"), Ok("ada=BBBB".to_owned()));
        assert_eq!(of("ada"), Err("several workers are called 'ada': ada=AAAA, ada=BBBB".to_owned()));
        assert_eq!(of("eve"), Err("there is no worker 'eve'".to_owned()));
    }

    #[test]
    fn a_result_counts_as_that_of_the_worker_that_signed_it() {
        let (key, other) = (WorkerKey::new(), WorkerKey::new());
        let by = identity("w", &key.public());
        let result = SignedResult { job: "j-1", number: 3, file: "part.jsonl", sha256: "ab", by: &by };
        let signature = key.sign(&result).unwrap();
        result.verify(&key.public(), &signature).unwrap();
        let refused = |result: SignedResult<'_>, key: &WorkerKey, signature: &str| {
            result.verify(&key.public(), signature).unwrap_err().to_string()
        };
        for changed in [
            SignedResult { job: "j-2", ..result },
            SignedResult { number: 4, ..result },
            SignedResult { file: "x", ..result },
            SignedResult { sha256: "ac", ..result },
        ] {
            assert_eq!(refused(changed, &key, &signature), "the signature is wrong");
        }
        assert!(refused(result, &other, &other.sign(&result).unwrap()).contains("not that of worker"));
        let renamed = identity("other", &key.public());
        assert!(
            refused(SignedResult { by: &renamed, ..result }, &key, &signature).contains("signature is wrong")
        );
        assert_eq!(refused(SignedResult { by: "w", ..result }, &key, &signature), "the worker has no key");
        for name in ["", "w.x", "w*", "w\u{1b}[2J", "w\nx"] {
            let named = SignedResult { by: &identity(name, &key.public()), ..result };
            let why = refused(named, &key, &key.sign(&named).unwrap());
            assert!(why.contains("is no name"), "{why}");
        }
        for bad in ["", "zz", "é0", &signature[1..]] {
            assert!(!refused(result, &key, bad).is_empty(), "{bad}");
        }
        assert!(result.verify("", &signature).is_err());
    }

    #[test]
    fn a_key_is_kept_in_its_file_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("worker.key");
        let made = WorkerKey::of_file(&path).unwrap().public();
        assert_eq!(WorkerKey::of_file(&path).unwrap().public(), made);
        assert!(!WorkerKey::new().write(&path).unwrap());
        assert_eq!(WorkerKey::of_file(&path).unwrap().public(), made);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        std::fs::write(&path, "nonsense\n").unwrap();
        assert!(WorkerKey::of_file(&path).err().unwrap().to_string().contains("holds no key"));
        assert_ne!(WorkerKey::new().public(), made);
        assert_eq!(split(&identity("a-b", &made)), Some(("a-b", &made[1..17])));
    }
}
