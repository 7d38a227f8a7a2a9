//! `KEY=VALUE` words of the command line, which are tables in files, and the names of keys.

use std::str::FromStr;

use anyhow::anyhow;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::value_errors::plain;

/// Older names of keys, which are still read.
const ALIASES: [&str; 3] = ["proto", "st", "timemargin"];

/// Words of cutechess and fastchess that have another name here, and what to write.
const OTHER_RUNNERS: [(&str, &str); 10] = [
    ("rounds", "give games=N, an even number; each opening is played twice, with the colours exchanged"),
    ("noswap", "give single=true"),
    ("repeat", "each opening is played twice, with the colours exchanged, unless single=true"),
    ("stderr", "give logs=true; what engines write to stderr stands in OUT/logs"),
    ("initstr", "options are set by option.NAME=VALUE"),
    ("tscale", "give --timeout-scale FACTOR, for all engines"),
    ("book", "give --openings FILE, for all engines"),
    ("bookdepth", "give --opening-plies N, for all engines"),
    ("srand", "give seed=N"),
    ("pgnout", "give pgn=FILE"),
];

/// Names that are at least so similar (Jaro) are taken for a slip of the pen.
const NEAR: f64 = 0.7;

/// One `KEY=VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// What stands before the sign.
    pub key: String,
    /// What stands behind it.
    pub value: String,
}

impl FromStr for Word {
    type Err = String;

    fn from_str(text: &str) -> Result<Word, String> {
        match text.split_once('=') {
            Some((key, value)) => Ok(Word { key: key.to_owned(), value: value.to_owned() }),
            None => Err(format!("'{text}' is not of the form key=value")),
        }
    }
}

/// A list of words as a table of a file.
pub mod table {
    use super::*;
    use crate::roster::Scalar;
    use std::collections::BTreeMap;

    /// Writes the words as a table.
    ///
    /// # Errors
    /// Those of the format.
    pub fn serialize<S: serde::Serializer>(
        words: &Option<Vec<Word>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        words.as_ref().map(|words| object(words)).serialize(serializer)
    }

    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text, a number, true or false is wanted")]
    enum ConfigValue {
        One(Scalar),
        Inner(BTreeMap<String, Scalar>),
    }

    /// Reads a table; the key of a value in a table inside it is `outer.inner`.
    ///
    /// # Errors
    /// A value that is not a text, a number or a truth value.
    pub fn deserialize<'de, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Vec<Word>>, D::Error> {
        let table: Option<BTreeMap<String, ConfigValue>> = Option::deserialize(deserializer)?;
        let mut words = Vec::new();
        for (key, entry) in table.iter().flatten() {
            match entry {
                ConfigValue::One(Scalar(value)) => {
                    words.push(Word { key: key.clone(), value: value.clone() })
                }
                ConfigValue::Inner(inner) => words.extend(inner.iter().map(|(name, Scalar(value))| Word {
                    key: format!("{key}.{name}"),
                    value: value.clone(),
                })),
            }
        }
        Ok(table.is_some().then_some(words))
    }
}

/// The words as an object; numbers and truth values are recognised.
fn object(words: &[Word]) -> Map<String, Value> {
    let value = |text: &str| {
        serde_json::from_str(text)
            .ok()
            .filter(|value: &Value| value.is_number() || value.is_boolean())
            .unwrap_or_else(|| text.into())
    };
    words.iter().map(|word| (word.key.clone(), value(&word.value))).collect()
}

/// Reads words into anything that serde knows, with the `usual` ones where they are silent.
///
/// # Errors
/// An unknown or missing key, a value of the wrong kind; all name `flag`.
pub fn read_table<T: DeserializeOwned>(
    flag: &str,
    words: &Option<Vec<Word>>,
    usual: &[&str],
) -> anyhow::Result<Option<T>> {
    let Some(words) = words else { return Ok(None) };
    let usual: Vec<Word> = usual.iter().filter_map(|word| word.parse().ok()).collect();
    let mut all = object(&usual);
    all.extend(object(words));
    let read = serde_json::from_value(all.into());
    Ok(Some(read.map_err(|error| anyhow!("{flag}: {}", plain(&error.to_string())))?))
}

/// The first key of a table whose value `T` does not take, and what it takes instead.
pub fn wrong_value<T: DeserializeOwned>(table: &toml::Table) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        let alone = toml::Table::from_iter([(key.clone(), value.clone())]);
        let error = alone.try_into::<T>().err()?;
        Some(format!("key '{key}': {}", plain(error.message())))
    })
}

/// Which of `keys` the structure `T` does not have, with the nearest one that it has. `more` are keys that are read
/// beside those of the structure.
pub fn explain<T: Serialize + Default>(keys: &[String], more: &[&str]) -> Option<String> {
    let Ok(Value::Object(known)) = serde_json::to_value(T::default()) else { return None };
    let wrong = keys.iter().find(|key| !known.contains_key(*key) && !ALIASES.contains(&key.as_str()))?;
    if let Some((_, advice)) = OTHER_RUNNERS.iter().find(|(word, _)| word.eq_ignore_ascii_case(wrong)) {
        return Some(format!("unknown key '{wrong}': {advice}"));
    }
    let near = known.keys().max_by(|a, b| strsim::jaro(a, wrong).total_cmp(&strsim::jaro(b, wrong)));
    let near = near.filter(|near| strsim::jaro(near, wrong) > NEAR);
    let hint = near.map_or(".".into(), |near| format!("; did you mean '{near}'?"));
    let all: Vec<&str> = known.keys().map(String::as_str).chain(more.iter().copied()).collect();
    Some(format!("unknown key '{wrong}'{hint} There are {}", all.join(", ")))
}
