//! Options: name, kind, default, range, purpose and effect of each in one statement.

use std::ops::RangeInclusive;

use crate::game::GameError;

/// Largest table memory in MiB where searches run in slices: hosts without threads have addresses of 32 bits, and
/// browsers grant less than these.
const MAX_HASH_MIB_IN_SLICES: i64 = 256;

/// The values of an option, with its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check(bool),
    /// A whole number in a range.
    Spin(i64, RangeInclusive<i64>),
    /// One of several words.
    Combo(&'static str, Vec<&'static str>),
    /// Any text; the empty one is shown as `<empty>`.
    Text(&'static str),
    /// The path of a file, relative to the working directory or the executable's folder.
    File(&'static str),
    /// No value: an action.
    Button,
}

impl OptionKind {
    /// The value that a GUI gets as the default.
    pub fn default_value(&self) -> String {
        match self {
            OptionKind::Check(on) => on.to_string(),
            OptionKind::Spin(number, _) => number.to_string(),
            OptionKind::Combo(text, _) | OptionKind::Text(text) | OptionKind::File(text) => {
                (*text).to_string()
            }
            OptionKind::Button => String::new(),
        }
    }

    /// Whether `value` is the default.
    pub fn is_default(&self, value: &str) -> bool {
        let value = value.trim();
        let default = self.default_value();
        match self {
            OptionKind::Check(_) | OptionKind::Combo(..) => value.eq_ignore_ascii_case(&default),
            OptionKind::Spin(number, _) => value.parse() == Ok(*number),
            OptionKind::Text(_) | OptionKind::File(_) => {
                value == default || default.is_empty() && value == "<empty>"
            }
            OptionKind::Button => false,
        }
    }

    /// The same with another default; unchanged if it does not take this value.
    pub fn with_default(self, value: &str) -> OptionKind {
        match self {
            OptionKind::Check(on) => OptionKind::Check(value.parse().unwrap_or(on)),
            OptionKind::Spin(number, range) => OptionKind::Spin(value.parse().unwrap_or(number), range),
            OptionKind::Combo(word, choices) => {
                let chosen = choices.iter().find(|choice| choice.eq_ignore_ascii_case(value));
                OptionKind::Combo(chosen.copied().unwrap_or(word), choices)
            }
            // A file of defaults is read once, and its texts are needed until the program ends.
            OptionKind::Text(_) => OptionKind::Text(String::from(value).leak()),
            OptionKind::File(_) => OptionKind::File(String::from(value).leak()),
            OptionKind::Button => OptionKind::Button,
        }
    }
}

/// The files that an option lets an engine use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No files.
    Search,
    /// It reads a file or the files of a folder.
    Reads,
    /// It writes a file, or uses one that belongs to this machine.
    Local,
}

/// An option as protocols list it and as documents describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionLine {
    /// One word, as GUIs want it.
    pub name: &'static str,
    /// A name that it had before, or that it has elsewhere.
    pub alias: Option<&'static str>,
    /// Kind, default and range.
    pub kind: OptionKind,
    /// Its effect, in one sentence without a full stop.
    pub purpose: &'static str,
    /// The files that it lets the engine use.
    pub access: Access,
    /// It counts in searches for mates (`go mate`) alone.
    pub mates_only: bool,
}

impl OptionLine {
    /// An option without an alias. One that names a file reads it, and others reach nothing.
    pub fn new(name: &'static str, kind: OptionKind, purpose: &'static str) -> OptionLine {
        let access = if matches!(kind, OptionKind::File(_)) { Access::Reads } else { Access::Search };
        OptionLine { name, alias: None, kind, purpose, access, mates_only: false }
    }

    /// The same option, which writes a file or uses one that belongs to this machine.
    pub fn local(self) -> OptionLine {
        OptionLine { access: Access::Local, ..self }
    }

    /// Gives `Threads` and `Hash` the ranges of hosts without threads, where searches run in slices.
    pub fn limit_to_slices(&mut self) {
        match (self.name, &self.kind) {
            ("Threads", _) => self.kind = OptionKind::Spin(1, 1..=1),
            ("Hash", &OptionKind::Spin(usual, _)) => {
                self.kind = OptionKind::Spin(usual, 1..=MAX_HASH_MIB_IN_SLICES);
            }
            _ => {}
        }
    }
}

/// The effect of an option on the settings `S`.
enum OptionEffect<S> {
    Check(fn(&mut S, bool)),
    Spin(fn(&mut S, i64)),
    SpinOrText(fn(&mut S, i64), OtherText<S>),
    Text(fn(&mut S, &str)),
    Load(fn(&mut S, &str) -> Result<(), GameError>),
    Button(fn(&mut S)),
}

/// Another form of a number's value, which GUIs do not show.
struct OtherText<S> {
    /// The form as messages show it: `COLUMNSxROWS`.
    form: &'static str,
    /// Sets it; false if the text has another form.
    set: fn(&mut S, &str) -> bool,
}

/// One option of the engine or of a game, acting on settings `S`.
pub struct OptionSpec<S> {
    /// Name, kind and purpose.
    pub line: OptionLine,
    effect: OptionEffect<S>,
}

impl<S> OptionSpec<S> {
    fn new(name: &'static str, kind: OptionKind, effect: OptionEffect<S>) -> Self {
        OptionSpec { line: OptionLine::new(name, kind, ""), effect }
    }

    /// An option that is on or off.
    pub fn check(name: &'static str, default: bool, set: fn(&mut S, bool)) -> Self {
        OptionSpec::new(name, OptionKind::Check(default), OptionEffect::Check(set))
    }

    /// A number.
    pub fn spin(name: &'static str, default: i64, range: RangeInclusive<i64>, set: fn(&mut S, i64)) -> Self {
        OptionSpec::new(name, OptionKind::Spin(default, range), OptionEffect::Spin(set))
    }

    /// A number, or a text of this `form`, of which `set_text` says whether it could be read.
    pub fn spin_or_text(
        name: &'static str,
        default: i64,
        range: RangeInclusive<i64>,
        set: fn(&mut S, i64),
        form: &'static str,
        set_text: fn(&mut S, &str) -> bool,
    ) -> Self {
        let other = OtherText { form, set: set_text };
        OptionSpec::new(name, OptionKind::Spin(default, range), OptionEffect::SpinOrText(set, other))
    }

    /// A choice of words.
    pub fn combo(
        name: &'static str,
        default: &'static str,
        choices: &[&'static str],
        set: fn(&mut S, &str),
    ) -> Self {
        OptionSpec::new(name, OptionKind::Combo(default, choices.to_vec()), OptionEffect::Text(set))
    }

    /// A text.
    pub fn text(name: &'static str, default: &'static str, set: fn(&mut S, &str)) -> Self {
        OptionSpec::new(name, OptionKind::Text(default), OptionEffect::Text(set))
    }

    /// A file name.
    pub fn file(name: &'static str, default: &'static str, set: fn(&mut S, &str)) -> Self {
        OptionSpec::new(name, OptionKind::File(default), OptionEffect::Text(set))
    }

    /// The name of a file that is read at once; if that fails, nothing is changed.
    pub fn loaded_file(
        name: &'static str,
        default: &'static str,
        load: fn(&mut S, &str) -> Result<(), GameError>,
    ) -> Self {
        OptionSpec::new(name, OptionKind::File(default), OptionEffect::Load(load))
    }

    /// An action.
    pub fn button(name: &'static str, act: fn(&mut S)) -> Self {
        OptionSpec::new(name, OptionKind::Button, OptionEffect::Button(act))
    }

    /// The same option, which also answers to `alias`.
    pub fn also_called(mut self, alias: &'static str) -> Self {
        self.line.alias = Some(alias);
        self
    }

    /// The same option with its purpose: one sentence without a full stop.
    pub fn described(mut self, purpose: &'static str) -> Self {
        self.line.purpose = purpose;
        self
    }

    /// The same option, which writes a file or uses one that belongs to this machine.
    pub fn local(mut self) -> Self {
        self.line.access = Access::Local;
        self
    }

    /// The same option, which counts in searches for mates alone.
    pub fn for_mates(mut self) -> Self {
        self.line.mates_only = true;
        self
    }

    /// Applies `value` to `settings`.
    ///
    /// # Errors
    /// Why it does not fit; then nothing is changed.
    pub fn apply(&self, settings: &mut S, value: &str) -> Result<(), GameError> {
        let value = value.trim();
        match (&self.line.kind, &self.effect) {
            (OptionKind::Check(_), OptionEffect::Check(set)) => match value.to_ascii_lowercase().as_str() {
                "true" => set(settings, true),
                "false" => set(settings, false),
                _ => return Err(self.refuse(value, "true or false")),
            },
            (OptionKind::Spin(_, range), OptionEffect::Spin(set)) => match value.parse::<i64>() {
                Ok(number) if range.contains(&number) => set(settings, number),
                _ => {
                    let wanted = format!("a whole number from {} to {}", range.start(), range.end());
                    return Err(self.refuse(value, &wanted));
                }
            },
            (OptionKind::Spin(_, range), OptionEffect::SpinOrText(set, other)) => {
                match value.parse::<i64>() {
                    Ok(number) if range.contains(&number) => set(settings, number),
                    _ if (other.set)(settings, value) => {}
                    _ => {
                        let (low, high) = (range.start(), range.end());
                        let wanted = format!("a whole number from {low} to {high}, or {}", other.form);
                        return Err(self.refuse(value, &wanted));
                    }
                }
            }
            (OptionKind::Combo(_, choices), OptionEffect::Text(set)) => {
                match choices.iter().find(|choice| choice.eq_ignore_ascii_case(value)) {
                    Some(choice) => set(settings, choice),
                    None => return Err(self.refuse(value, &format!("one of: {}", choices.join(" ")))),
                }
            }
            (OptionKind::Text(_) | OptionKind::File(_), OptionEffect::Text(set)) => {
                set(settings, if value == "<empty>" { "" } else { value });
            }
            (OptionKind::File(_), OptionEffect::Load(load)) => {
                load(settings, if value == "<empty>" { "" } else { value }).map_err(|reason| {
                    reason
                        .map_reason(|why| format!("option {}: {why}; the former value stays", self.line.name))
                })?;
            }
            (_, OptionEffect::Button(act)) => act(settings),
            _ => {
                return Err(GameError::failed(format!(
                    "option {}: kind and effect do not fit",
                    self.line.name
                )));
            }
        }
        Ok(())
    }

    fn refuse(&self, value: &str, wanted: &str) -> GameError {
        GameError::option(format!(
            "option {}: '{value}' is not {wanted}; the former value stays",
            self.line.name
        ))
    }
}

/// The known name that is most like `name`, if one is: a slip of the pen, or USI's `USI_Hash` for `Hash`.
pub fn nearest<'a>(known: impl Iterator<Item = &'a str>, name: &str) -> Option<&'a str> {
    /// Names that are more alike than this (Jaro) are taken for one another.
    const NEAR: f64 = 0.7;
    // Names are short; a long text is none.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    // USI begins with `USI_` what other protocols write without it.
    let plain = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.strip_prefix("usi_").map(str::to_owned).unwrap_or(name)
    };
    let wanted = plain(name);
    let alike = known.map(|known| (known, strsim::jaro(&plain(known), &wanted)));
    alike.filter(|&(_, share)| share > NEAR).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(known, _)| known)
}

/// The option called `name`, letter case ignored.
pub fn find<'a, S>(specs: &'a [OptionSpec<S>], name: &str) -> Option<&'a OptionSpec<S>> {
    let is_meant = |known: &str| known.eq_ignore_ascii_case(name);
    specs
        .iter()
        .find(|spec| is_meant(spec.line.name))
        .or_else(|| specs.iter().find(|spec| spec.line.alias.is_some_and(is_meant)))
}
