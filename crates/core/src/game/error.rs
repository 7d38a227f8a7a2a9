//! Why something was refused or failed, and of which kind that is.

use std::fmt::Display;

use thiserror::Error;

/// Why something was refused or failed. Each variant holds the reason: what is wrong, where, and what would
/// be right. [`Display`] writes the reason alone.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GameError {
    /// A text or bytes that are no position of the game.
    #[error("{0}")]
    InvalidPosition(String),
    /// A text that is no turn, or a turn that is illegal in its position.
    #[error("{0}")]
    InvalidTurn(String),
    /// An option or a setting that does not exist, or a value that it cannot have.
    #[error("{0}")]
    InvalidOption(String),
    /// A command of a protocol that is unknown, cannot be read, or has no meaning at this moment.
    #[error("{0}")]
    InvalidCommand(String),
    /// A file, or its content, that cannot be read or written, is damaged, or is of another kind.
    #[error("{0}")]
    InvalidFile(String),
    /// Something that this game, this build or this format cannot do.
    #[error("{0}")]
    Unsupported(String),
    /// Memory or threads that the system does not grant, or a limit on how much is held at once.
    #[error("{0}")]
    OutOfResources(String),
    /// An operation that was begun properly and could not be finished: a search panicked, or an engine was lost.
    #[error("{0}")]
    Failed(String),
}

impl GameError {
    /// A [`GameError::InvalidPosition`].
    pub fn position(reason: impl Into<String>) -> GameError {
        GameError::InvalidPosition(reason.into())
    }

    /// A [`GameError::InvalidTurn`].
    pub fn turn(reason: impl Into<String>) -> GameError {
        GameError::InvalidTurn(reason.into())
    }

    /// A [`GameError::InvalidOption`].
    pub fn option(reason: impl Into<String>) -> GameError {
        GameError::InvalidOption(reason.into())
    }

    /// A [`GameError::InvalidCommand`].
    pub fn command(reason: impl Into<String>) -> GameError {
        GameError::InvalidCommand(reason.into())
    }

    /// A [`GameError::InvalidFile`].
    pub fn file(reason: impl Into<String>) -> GameError {
        GameError::InvalidFile(reason.into())
    }

    /// A [`GameError::Unsupported`].
    pub fn unsupported(reason: impl Into<String>) -> GameError {
        GameError::Unsupported(reason.into())
    }

    /// A [`GameError::OutOfResources`].
    pub fn resources(reason: impl Into<String>) -> GameError {
        GameError::OutOfResources(reason.into())
    }

    /// A [`GameError::Failed`].
    pub fn failed(reason: impl Into<String>) -> GameError {
        GameError::Failed(reason.into())
    }

    /// The reason: what is wrong, where, and what would be right.
    pub fn reason(&self) -> &str {
        match self {
            GameError::InvalidPosition(reason)
            | GameError::InvalidTurn(reason)
            | GameError::InvalidOption(reason)
            | GameError::InvalidCommand(reason)
            | GameError::InvalidFile(reason)
            | GameError::Unsupported(reason)
            | GameError::OutOfResources(reason)
            | GameError::Failed(reason) => reason,
        }
    }

    /// An error of the same kind with another reason.
    pub fn map_reason(self, change: impl FnOnce(String) -> String) -> GameError {
        let (kind, reason) = self.into_parts();
        kind(change(reason))
    }

    /// An error of the same kind whose reason begins with `context` and a colon.
    pub fn with_context(self, context: impl Display) -> GameError {
        self.map_reason(|reason| format!("{context}: {reason}"))
    }

    fn into_parts(self) -> (fn(String) -> GameError, String) {
        match self {
            GameError::InvalidPosition(reason) => (GameError::InvalidPosition, reason),
            GameError::InvalidTurn(reason) => (GameError::InvalidTurn, reason),
            GameError::InvalidOption(reason) => (GameError::InvalidOption, reason),
            GameError::InvalidCommand(reason) => (GameError::InvalidCommand, reason),
            GameError::InvalidFile(reason) => (GameError::InvalidFile, reason),
            GameError::Unsupported(reason) => (GameError::Unsupported, reason),
            GameError::OutOfResources(reason) => (GameError::OutOfResources, reason),
            GameError::Failed(reason) => (GameError::Failed, reason),
        }
    }
}

impl From<GameError> for String {
    fn from(error: GameError) -> String {
        error.into_parts().1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_the_reason_keeps_the_kind() {
        for kind in [
            GameError::InvalidPosition,
            GameError::InvalidTurn,
            GameError::InvalidOption,
            GameError::InvalidCommand,
            GameError::InvalidFile,
            GameError::Unsupported,
            GameError::OutOfResources,
            GameError::Failed,
        ] {
            let error = kind("why".into());
            assert_eq!((error.reason(), error.to_string().as_str()), ("why", "why"));
            assert_eq!(error.clone().with_context("where"), kind("where: why".into()));
            assert_eq!(String::from(error), "why");
        }
    }
}
