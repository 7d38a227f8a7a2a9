//! Names and descriptions of a protocol's commands. The tables determine which commands are accepted, answer
//! `list_commands`, and fill the reference.

/// A command of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolCommandInfo {
    /// Its first word.
    pub name: &'static str,
    /// Its arguments, placeholders in capitals; empty if it has none.
    pub arguments: &'static str,
    /// Its effect.
    pub meaning: &'static str,
}

/// A row of a table: name, arguments, meaning.
pub const fn row(name: &'static str, arguments: &'static str, meaning: &'static str) -> ProtocolCommandInfo {
    ProtocolCommandInfo { name, arguments, meaning }
}

/// Whether a table has a command of this name.
pub fn has(commands: &[ProtocolCommandInfo], name: &str) -> bool {
    commands.iter().any(|command| command.name == name)
}
