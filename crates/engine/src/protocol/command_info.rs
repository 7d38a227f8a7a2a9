//! What a protocol's commands are called and what they do. The tables say which commands are accepted, answer
//! `list_commands`, and fill the reference.

/// A command of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolCommandInfo {
    /// Its first word.
    pub name: &'static str,
    /// What follows it, placeholders in capitals; empty if nothing does.
    pub arguments: &'static str,
    /// What it does.
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
