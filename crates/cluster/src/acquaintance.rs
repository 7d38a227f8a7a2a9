//! Which workers are known: the submitter trusts them, or others have confirmed enough of their results. The account
//! of a worker cannot write this.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::pool::{BucketEntry, ClusterPool};

/// Keys of the workers that are known.
const KNOWN: &str = "known";
/// Results of a worker that others have to confirm before it is known.
const PROBATION: u64 = 10;

/// What is known of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acquaintance {
    /// Results that another worker confirmed.
    pub confirmed: u64,
    /// Whether `kaeshi cluster trust` named it.
    pub trusted: bool,
}

impl Acquaintance {
    /// Whether its results need no confirmation beyond the usual share.
    pub fn is_known(&self) -> bool {
        self.trusted || self.confirmed >= PROBATION
    }

    /// What is known of a worker.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn of(pool: &ClusterPool, worker: &str) -> anyhow::Result<Acquaintance> {
        let bytes = pool.value(KNOWN, worker).await?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    /// Counts a result that another worker confirmed, and says what is known now.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn confirm(pool: &ClusterPool, worker: &str) -> anyhow::Result<Acquaintance> {
        // The submitter may have trusted it, or trusts it no longer, since this was read last.
        let known = Acquaintance::of(pool, worker).await?;
        if known.is_known() {
            return Ok(known);
        }
        let known = Acquaintance { confirmed: known.confirmed + 1, ..known };
        known.store(pool, worker).await?;
        Ok(known)
    }

    /// Writes it down.
    ///
    /// # Errors
    /// If the server refuses, as it does for the account of a worker.
    pub async fn store(&self, pool: &ClusterPool, worker: &str) -> anyhow::Result<()> {
        pool.put(KNOWN, worker, serde_json::to_vec(self)?).await
    }
}

/// Forgets what is known of a worker: one that gave a wrong result is a stranger.
///
/// # Errors
/// If the server refuses.
pub async fn forget(pool: &ClusterPool, worker: &str) -> anyhow::Result<()> {
    pool.take_back(KNOWN, worker).await
}

/// What is known of all workers, by identity.
///
/// # Errors
/// If the server refuses.
pub async fn all(pool: &ClusterPool) -> anyhow::Result<BTreeMap<String, Acquaintance>> {
    let entries = pool.entries(&format!("{KNOWN}.*")).await?;
    let read = |entry: BucketEntry| Some((entry.name, serde_json::from_slice(&entry.value).ok()?));
    Ok(entries.into_iter().filter_map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_known_after_its_probation_or_by_trust() {
        let known = |confirmed, trusted| Acquaintance { confirmed, trusted }.is_known();
        assert!(!known(0, false) && !known(PROBATION - 1, false));
        assert!(known(PROBATION, false) && known(0, true));
    }
}
