//! Access to a database that may be damaged: its panics become errors.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread expects panics, which are not worth a trace on stderr.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// What `work` returns, or its panic, of which nothing is printed.
fn catch<T>(work: impl FnOnce() -> T) -> std::thread::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                usual(panic);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    done
}

/// Why a database does not serve.
#[derive(Debug)]
pub enum StoreError {
    /// Another process has it open.
    Busy,
    /// The disk refuses, whatever the file holds.
    Io(io::Error),
    /// The file is damaged, or no database.
    Damaged(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Busy => f.write_str("another process has it open"),
            StoreError::Io(error) => error.fmt(f),
            StoreError::Damaged(reason) => f.write_str(reason),
        }
    }
}

/// Does `work`. A panic in it is damage: the database asserts what it reads.
///
/// # Errors
/// What the database says.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, redb::Error>) -> Result<T, StoreError> {
    match catch(work) {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(trouble(error)),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            let first = text.lines().next().unwrap_or_default();
            Err(StoreError::Damaged(format!("the database gave up: {}", kaeshi_records::text::shown(first))))
        }
    }
}

/// A read or write that the system refuses says nothing about what the file holds. Only a file that ends too early, or
/// places and values that cannot be, are damage.
fn trouble(error: redb::Error) -> StoreError {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    match error {
        redb::Error::DatabaseAlreadyOpen => StoreError::Busy,
        redb::Error::Io(error) if !matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof) => {
            StoreError::Io(error)
        }
        // The database refuses everything after a first error, which was reported.
        redb::Error::PreviousIo => StoreError::Io(io::Error::other("an earlier access failed")),
        error => StoreError::Damaged(error.to_string()),
    }
}

/// Closes a database; a damaged one may panic even then.
pub fn close<D>(database: Option<D>) {
    if catch(|| drop(database)).is_err() {
        log::warn!("the database did not close in order");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_and_errors_are_distinguished() {
        assert_eq!(guarded(|| Ok(7)).unwrap(), 7);
        let panicked = guarded(|| -> Result<(), redb::Error> { panic!("page {} is wrong", 7) });
        assert!(matches!(panicked, Err(StoreError::Damaged(reason)) if reason.ends_with("page 7 is wrong")));
        let io = |kind: io::ErrorKind| guarded(|| Err::<(), _>(redb::Error::Io(kind.into())));
        assert!(matches!(io(io::ErrorKind::StorageFull), Err(StoreError::Io(_))));
        assert!(matches!(io(io::ErrorKind::Other), Err(StoreError::Io(_))));
        assert!(matches!(guarded(|| Err::<(), _>(redb::Error::PreviousIo)), Err(StoreError::Io(_))));
        assert!(matches!(io(io::ErrorKind::UnexpectedEof), Err(StoreError::Damaged(_))));
        let busy = guarded(|| Err::<(), _>(redb::Error::DatabaseAlreadyOpen));
        assert!(matches!(busy, Err(StoreError::Busy)));
    }

    #[test]
    fn trouble_is_reported_in_words() {
        assert_eq!(StoreError::Busy.to_string(), "another process has it open");
        assert_eq!(StoreError::Damaged("page 7".into()).to_string(), "page 7");
        assert_eq!(StoreError::Io(io::Error::other("no disk")).to_string(), "no disk");
    }

    #[test]
    fn a_database_that_panics_when_it_closes_harms_nobody() {
        struct Damaged;
        impl Drop for Damaged {
            fn drop(&mut self) {
                panic!("a page is wrong");
            }
        }
        close(Some(Damaged));
        close(None::<Damaged>);
    }
}
