//! What puts the results of parts together, for any kind of job.

/// Whether a result is the one that is wanted now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultFit {
    /// It is.
    Good,
    /// It will be, when what comes before it is there.
    Early,
    /// It was made of what was not right: it is to be done anew.
    Stale,
}

/// What workers need for the next parts.
#[derive(Debug)]
pub struct GatherInput<'a> {
    /// Its number: a new one for each input.
    pub number: u64,
    /// What it is.
    pub text: &'a str,
    /// It is for the parts before this one; those from here on wait for another.
    pub parts: u64,
}

/// Puts results together.
pub trait Gather {
    /// Whether a result is wanted now.
    fn fit(&self, _part: u64, _bytes: &[u8]) -> ResultFit {
        ResultFit::Good
    }

    /// What workers need for the next parts, where a part follows from others.
    fn input(&self) -> Option<GatherInput<'_>> {
        None
    }

    /// Whether a file of this name can be the result of a part.
    ///
    /// # Errors
    /// Why no worker that works correctly leaves it.
    fn check(&self, part: u64, file: &str, bytes: &[u8]) -> anyhow::Result<()>;

    /// One part's result, which [`Gather::check`] has seen; parts come in any order.
    ///
    /// # Errors
    /// If it does not fit the others, or the disk refuses.
    fn take(&mut self, part: u64, file: &str, bytes: &[u8]) -> anyhow::Result<()>;

    /// Takes a part's result back; whether that can be done.
    ///
    /// # Errors
    /// If the disk refuses.
    fn forget(&mut self, part: u64) -> anyhow::Result<bool>;

    /// Whether no further part is needed.
    fn is_decided(&self) -> bool {
        false
    }

    /// Writes what has come together.
    ///
    /// # Errors
    /// If something is missing and not `partial`, or the disk refuses.
    fn finish(self: Box<Self>, partial: bool) -> anyhow::Result<()>;
}
