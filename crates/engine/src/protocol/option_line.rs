//! The options that an engine declares, as one who asks reads them; [`words::option`](crate::protocol::words::option)
//! writes them.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

pub use kaeshi_core::game::options::nearest;
use thiserror::Error;

/// The kind of value that an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionType {
    /// `true` or `false`.
    Check,
    /// A whole number in a range; ends that the engine does not state are open.
    Spin(Option<i64>, Option<i64>),
    /// One of these words.
    Combo(Vec<String>),
    /// No value.
    Button,
    /// Any text.
    Text,
    /// The name of a file or of a folder.
    File,
}

impl OptionType {
    /// The word for it in a declaration.
    pub fn word(&self) -> &'static str {
        match self {
            OptionType::Check => "check",
            OptionType::Spin(..) => "spin",
            OptionType::Combo(_) => "combo",
            OptionType::Button => "button",
            OptionType::Text => "string",
            OptionType::File => "filename",
        }
    }
}

/// One `option name N type T default D …` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name; names may hold blanks.
    pub name: String,
    /// The kind of its value.
    pub kind: OptionType,
    /// The default as the engine wrote it.
    pub default: Option<String>,
}

/// Why an option does not take a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionValueError {
    /// The option is on or off.
    #[error("option {name}: '{value}' is not true or false")]
    NoSwitch {
        /// The option.
        name: String,
        /// The value.
        value: String,
    },
    /// The value is no whole number, or out of range.
    #[error("option {name}: '{value}' is not a whole number from {} to {}", end(*low), end(*high))]
    OutOfRange {
        /// The option.
        name: String,
        /// The value.
        value: String,
        /// The least number; `None` if the engine does not state it.
        low: Option<i64>,
        /// The largest number.
        high: Option<i64>,
    },
    /// The value is none of the option's words.
    #[error("option {name}: '{value}' is not one of {}", words.join(", "))]
    NoSuchWord {
        /// The option.
        name: String,
        /// The value.
        value: String,
        /// The words that it takes.
        words: Vec<String>,
    },
    /// A button takes no value.
    #[error("option {name} is a button and takes no value, not '{value}'")]
    Button {
        /// The option.
        name: String,
        /// The value.
        value: String,
    },
}

/// An end of a range.
fn end(end: Option<i64>) -> String {
    end.map_or_else(|| "…".to_owned(), |end| end.to_string())
}

impl Declared {
    /// Reads a line of the greeting; `None` if it declares nothing.
    pub fn parse(line: &str) -> Option<Declared> {
        let rest = line.strip_prefix("option name ")?;
        let (name, rest) = rest.split_once(" type ").unwrap_or((rest, "string"));
        let mut words = rest.split_ascii_whitespace();
        let kind = words.next().unwrap_or_default();
        let mut fields: Vec<(&str, String)> = Vec::new();
        for word in words {
            match (word, fields.last_mut()) {
                ("default" | "min" | "max" | "var", _) => fields.push((word, String::new())),
                (_, Some((_, value))) if value.is_empty() => value.push_str(word),
                (_, Some((_, value))) => {
                    value.push(' ');
                    value.push_str(word);
                }
                (_, None) => {}
            }
        }
        let field = |key: &str| fields.iter().find(|(found, _)| *found == key).map(|(_, value)| value);
        let number = |key: &str| field(key).and_then(|value| value.parse().ok());
        let kind = match kind {
            "check" => OptionType::Check,
            "spin" => OptionType::Spin(number("min"), number("max")),
            "combo" => OptionType::Combo(
                fields.iter().filter(|(key, _)| *key == "var").map(|(_, value)| value.clone()).collect(),
            ),
            "button" => OptionType::Button,
            "filename" => OptionType::File,
            _ => OptionType::Text,
        };
        Some(Declared { name: name.trim().to_owned(), kind, default: field("default").cloned() })
    }

    /// Whether the option takes this value.
    ///
    /// # Errors
    /// The value is invalid; the error states the valid ones.
    pub fn check(&self, value: &str) -> Result<(), OptionValueError> {
        let (name, value) = (self.name.clone(), value.to_owned());
        match &self.kind {
            OptionType::Check if !matches!(value.as_str(), "true" | "false") => {
                Err(OptionValueError::NoSwitch { name, value })
            }
            &OptionType::Spin(low, high) => match value.parse::<i64>() {
                Ok(number)
                    if low.is_none_or(|low| number >= low) && high.is_none_or(|high| number <= high) =>
                {
                    Ok(())
                }
                _ => Err(OptionValueError::OutOfRange { name, value, low, high }),
            },
            OptionType::Combo(words)
                if !words.is_empty() && !words.iter().any(|word| word.eq_ignore_ascii_case(&value)) =>
            {
                Err(OptionValueError::NoSuchWord { name, value, words: words.clone() })
            }
            OptionType::Button if !value.is_empty() => Err(OptionValueError::Button { name, value }),
            _ => Ok(()),
        }
    }
}

/// The option that is called `name`; the protocols do not distinguish small letters from capitals.
pub fn find<'a>(declared: &'a [Declared], name: &str) -> Option<&'a Declared> {
    declared.iter().find(|option| option.name.eq_ignore_ascii_case(name))
}

/// Says that an engine that declares these options has none of this name, and which one is meant; all of them if no
/// name is like it.
pub fn missing(declared: &[Declared], name: &str) -> String {
    let names = || declared.iter().map(|option| option.name.as_str());
    match nearest(names(), name) {
        Some(near) => format!("the engine has no option '{name}'; did you mean '{near}'?"),
        None => {
            format!("the engine has no option '{name}'; it has: {}", names().collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn option(line: &str) -> Declared {
        Declared::parse(line).expect("a declaration")
    }

    #[test]
    fn declarations_are_read_with_type_and_range() {
        let hash = option("option name USI_Hash type spin default 64 min 1 max 1024");
        assert_eq!((&*hash.name, &hash.kind), ("USI_Hash", &OptionType::Spin(Some(1), Some(1024))));
        assert_eq!(hash.default.as_deref(), Some("64"));
        let style = option("option name Book Style type combo default so so var so so var fine");
        assert_eq!(
            (&*style.name, &style.kind),
            ("Book Style", &OptionType::Combo(vec!["so so".into(), "fine".into()]))
        );
        assert_eq!(option("option name Clear type button").kind, OptionType::Button);
        assert_eq!(option("option name Book File type filename default x y").default.as_deref(), Some("x y"));
        assert_eq!(Declared::parse("id name x"), None);
        let declared = [hash, style];
        for wrong in ["Hash", "USI_Hsah", "Hsah"] {
            assert!(missing(&declared, wrong).ends_with("; did you mean 'USI_Hash'?"), "{wrong}");
        }
        assert!(missing(&declared, "MultiPV").ends_with("'MultiPV'; it has: USI_Hash, Book Style"));
    }

    #[test]
    fn values_are_checked_against_type_range_and_list() {
        let refused = |line: &str, value: &str| option(line).check(value).unwrap_err().to_string();
        let spin = "option name Hash type spin default 64 min 1 max 1024";
        for value in ["0", "1025", "x", "", "1.5", "99999999999999999999"] {
            let reason = format!("option Hash: '{value}' is not a whole number from 1 to 1024");
            assert_eq!(refused(spin, value), reason);
        }
        assert!(refused("option name N type spin default 0", "x").ends_with("from … to …"));
        assert_eq!(option(spin).check("1024"), Ok(()));
        assert_eq!(option(spin).check("1"), Ok(()));
        assert!(
            refused("option name P type check default true", "yes")
                .ends_with("P: 'yes' is not true or false")
        );
        let combo = "option name S type combo default a var a var Big one";
        assert_eq!(option(combo).check("big one"), Ok(()));
        assert_eq!(refused(combo, "b"), "option S: 'b' is not one of a, Big one");
        let button = "option C is a button and takes no value, not '3'";
        assert_eq!(refused("option name C type button", "3"), button);
        assert_eq!(option("option name F type string default").check("anything at all"), Ok(()));
    }
}
