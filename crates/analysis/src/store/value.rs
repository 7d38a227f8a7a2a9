//! Keys and values of the store. A value holds its key and a checksum, so that it is known again
//! wherever it lies in a damaged file.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | [`MARK`] |
//! | 4 | length of the key, little endian like all numbers |
//! | 4 | length of the body |
//! | 4 | CRC-32 of key and body |
//! | | the key |
//! | | the body: effort, line feed, analysis as JSON |

use super::StoredAnalysis;
use super::effort::AnalysisEffort;

/// Begins every value.
pub const MARK: [u8; 4] = *b"KaS\x01";
/// Bytes before the key.
pub const HEAD: usize = 16;
/// Longest value, in bytes.
pub const LONGEST: usize = 4 << 20;

/// The key of a result: program version, options (`name=value`, names in lower case, sorted, one a
/// line), game, kind of limit, and the bytes of [`kaeshi_core::game::GameRules::identity`].
pub fn key(options: &str, game: &str, kind: &str, identity: &[u8]) -> Vec<u8> {
    let head = [env!("CARGO_PKG_VERSION"), "\n", options, "\n", game, "\n", kind, "\n"].concat();
    [head.as_bytes(), identity].concat()
}

fn checksum(key: &[u8], body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(body);
    hasher.finalize()
}

/// The value of a result.
///
/// # Errors
/// If it is longer than [`LONGEST`].
pub fn write(key: &[u8], effort: AnalysisEffort, analysis: &StoredAnalysis) -> anyhow::Result<Vec<u8>> {
    let body = (effort.text() + "\n" + &serde_json::to_string(analysis)?).into_bytes();
    if HEAD + key.len() + body.len() > LONGEST {
        anyhow::bail!("a result of {} bytes is too long for the store", body.len());
    }
    let mut value = MARK.to_vec();
    value.extend((key.len() as u32).to_le_bytes());
    value.extend((body.len() as u32).to_le_bytes());
    value.extend(checksum(key, &body).to_le_bytes());
    value.extend(key);
    value.extend(body);
    Ok(value)
}

/// Key and body of the value that begins `bytes`, and its length; `None` if it is none, or damaged.
pub fn split(bytes: &[u8]) -> Option<(&[u8], &[u8], usize)> {
    let rest = bytes.strip_prefix(&MARK)?;
    let (head, rest) = rest.split_at_checked(HEAD - MARK.len())?;
    let number = |at: usize| Some(u32::from_le_bytes(head.get(at..at + 4)?.try_into().ok()?));
    let key_length = usize::try_from(number(0)?).ok()?;
    let body_length = usize::try_from(number(4)?).ok()?;
    let length =
        HEAD.checked_add(key_length)?.checked_add(body_length).filter(|&length| length <= LONGEST)?;
    let (key, rest) = rest.split_at_checked(key_length)?;
    let (body, _) = rest.split_at_checked(body_length)?;
    (checksum(key, body) == number(8)?).then_some((key, body, length))
}

/// Effort and analysis of a value that was found under `key`; `None` if it is damaged or belongs to
/// another key.
pub fn read(key: &[u8], value: &[u8]) -> Option<(AnalysisEffort, StoredAnalysis)> {
    let (own, body, length) = split(value)?;
    if own != key || length != value.len() {
        return None;
    }
    let (effort, json) = std::str::from_utf8(body).ok()?.split_once('\n')?;
    Some((effort.parse().ok()?, serde_json::from_str(json).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::effort::SearchLimit;

    #[test]
    fn a_value_is_read_under_its_own_key_and_unharmed_only() {
        let effort = AnalysisEffort { limit: SearchLimit::Nodes(7), multipv: 2 };
        let analysis = StoredAnalysis { best: Some("7g7f".into()), nodes: 7, ..StoredAnalysis::default() };
        let key = key("a=1", "shogi", "nodes", b"here");
        let value = write(&key, effort, &analysis).unwrap();
        assert_eq!(read(&key, &value), Some((effort, analysis)));
        assert_eq!(read(b"another", &value), None);
        assert_eq!(split(&value).unwrap().2, value.len());
        for bit in 0..value.len() * 8 {
            let mut harmed = value.clone();
            harmed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&key, &harmed), None, "bit {bit}");
        }
        for cut in 0..value.len() {
            assert_eq!(read(&key, &value[..cut]), None, "cut at {cut}");
        }
        assert_eq!(read(&key, &[&value[..], b"x"].concat()), None);
        assert_eq!(read(&key, b"nodes 7 multipv 2\n{}"), None);
    }

    #[test]
    fn a_key_changes_with_everything_that_an_answer_depends_on() {
        let same = key("", "shogi", "nodes", b"x");
        for other in [
            key("a=1", "shogi", "nodes", b"x"),
            key("", "sygo", "nodes", b"x"),
            key("", "shogi", "depth", b"x"),
            key("", "shogi", "nodes", b"y"),
        ] {
            assert_ne!(other, same);
        }
    }

    #[test]
    fn a_value_may_be_as_long_as_the_longest() {
        let effort = AnalysisEffort { limit: SearchLimit::Nodes(7), multipv: 2 };
        let key = key("", "shogi", "nodes", b"here");
        let of_length = |extra: usize| {
            let analysis = StoredAnalysis { best: Some("x".repeat(extra)), ..StoredAnalysis::default() };
            write(&key, effort, &analysis)
        };
        let room = LONGEST - of_length(0).unwrap().len();
        let longest = of_length(room).unwrap();
        assert_eq!(longest.len(), LONGEST);
        assert!(read(&key, &longest).is_some() && of_length(room + 1).is_err());
    }
}
