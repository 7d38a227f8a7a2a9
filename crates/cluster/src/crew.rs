//! The workers: what they say of themselves, and which of them are in quarantine.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

use super::acquaintance::{self, Acquaintance};
use super::pool::ClusterPool;
use super::worker_key::resolve;
use kaeshi_system::output::remark;

/// A worker says what it does so often.
pub const BEAT: Duration = Duration::from_secs(20);
/// A worker that has been silent for this many seconds is gone.
const GONE: i64 = 60;
/// A day in seconds.
const DAY: i64 = 86_400;
/// Keys of what workers say.
pub const REPORTS: &str = "workers";
/// Keys of the workers in quarantine.
pub const BARRED: &str = "barred";

/// What a worker says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerReport {
    /// Its program.
    pub build: String,
    /// Parts at once.
    pub jobs: usize,
    /// Parts that it did.
    pub done: u64,
    /// Attempts at parts that failed.
    pub failed: u64,
    /// Seconds for all these parts together.
    pub seconds: f64,
    /// Nodes a second, once a match wanted to know; see [`super::speed`].
    pub speed: Option<f64>,
    /// Seconds since it began.
    pub up: u64,
    /// What it is doing: `WORK/PART`.
    pub busy: Vec<String>,
    /// Why it could not do a part, or will not, if the last one was such.
    pub trouble: String,
}

/// Why a worker gets no parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarantine {
    /// For people.
    pub reason: String,
    /// Whether its results were wrong: then it stays in quarantine when it is started anew.
    #[serde(rename = "lied")]
    pub wrong_result: bool,
}

impl Quarantine {
    /// Why this worker is in quarantine, if it is.
    ///
    /// # Errors
    /// If the server refuses, or it is of another version.
    pub async fn of(pool: &ClusterPool, worker: &str) -> anyhow::Result<Option<Quarantine>> {
        let bytes = pool.value(BARRED, worker).await?;
        Ok(bytes.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }

    /// Puts this worker into quarantine.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn store(&self, pool: &ClusterPool, worker: &str) -> anyhow::Result<()> {
        pool.put(BARRED, worker, serde_json::to_vec(self)?).await
    }
}

/// A worker, as the server knows it.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// What it says.
    pub report: WorkerReport,
    /// How many seconds ago it said so, by the newest word of all.
    pub silent: i64,
    /// Why it is in quarantine, if it is.
    pub barred: Option<Quarantine>,
    /// Whether its results count without a confirmation.
    pub known: Acquaintance,
}

impl Member {
    /// Whether it takes parts of this build.
    pub fn works_on(&self, build: &str) -> bool {
        self.silent <= GONE && self.barred.is_none() && self.report.build == build
    }
}

/// Let a worker out of quarantine.
#[derive(Debug, clap::Args)]
pub struct PardonArgs {
    /// The worker: its name, or name and key as `status` shows them where several have the name
    worker: String,
}

impl PardonArgs {
    /// Lets it out.
    ///
    /// # Errors
    /// If it is in none, or the server refuses.
    pub async fn run(self, pool: &ClusterPool) -> anyhow::Result<()> {
        let mut barred = barred(pool).await?;
        let worker = resolve(&self.worker, barred.keys().cloned()).context("in quarantine")?;
        let reason = barred.remove(&worker).map(|barred| barred.reason).unwrap_or_default();
        pool.take_back(BARRED, &worker).await?;
        remark(format_args!("worker {worker} is out of quarantine; it was there because: {reason}"));
        Ok(())
    }
}

/// Trust a worker from its first result on: without this, others repeat its first ten parts
#[derive(Debug, clap::Args)]
pub struct TrustArgs {
    /// The worker: its name, or name and key as `status` shows them where several have the name
    worker: String,
    /// Trust it no longer: it is as unknown as a new one
    #[arg(long)]
    revoke: bool,
}

impl TrustArgs {
    /// Notes it.
    ///
    /// # Errors
    /// There is no such worker, or several, or the server refuses.
    pub async fn run(self, pool: &ClusterPool) -> anyhow::Result<()> {
        let known = acquaintance::all(pool).await?.into_keys();
        let reported = members(pool).await?.into_iter().map(|member| member.name);
        let worker = resolve(&self.worker, reported.chain(known))?;
        if self.revoke {
            acquaintance::forget(pool, &worker).await?;
            remark(format_args!("worker {worker} is not trusted any more"));
            return Ok(());
        }
        if Quarantine::of(pool, &worker).await?.is_some() {
            bail!("worker {worker} is in quarantine; `kaeshi cluster pardon` lets it out");
        }
        let known = Acquaintance::of(pool, &worker).await?;
        Acquaintance { trusted: true, ..known }.store(pool, &worker).await?;
        remark(format_args!("worker {worker} is trusted"));
        Ok(())
    }
}

/// Forgets workers that have been silent for a day.
///
/// # Errors
/// If the server refuses.
pub async fn forget_silent(pool: &ClusterPool) -> anyhow::Result<()> {
    for member in members(pool).await?.iter().filter(|member| (DAY..i64::MAX).contains(&member.silent)) {
        pool.take_back(REPORTS, &member.name).await?;
    }
    Ok(())
}

/// All workers that have not said that they go, by name.
///
/// # Errors
/// If the server refuses.
pub async fn members(pool: &ClusterPool) -> anyhow::Result<Vec<Member>> {
    let mut barred = barred(pool).await?;
    let known = acquaintance::all(pool).await?;
    let reports = pool.entries(&format!("{REPORTS}.*")).await?;
    // Every worker that asks has just reported, so no clock but the server's is needed.
    let now = reports.iter().map(|entry| entry.written).fold(0.0, f64::max);
    let mut members: Vec<Member> = reports
        .into_iter()
        .map(|entry| Member {
            report: serde_json::from_slice(&entry.value).unwrap_or_default(),
            silent: (now - entry.written) as i64,
            barred: barred.remove(&entry.name),
            known: known.get(&entry.name).copied().unwrap_or_default(),
            name: entry.name,
        })
        .collect();
    let absent = barred.into_iter().map(|(name, barred)| Member {
        name,
        report: WorkerReport::default(),
        silent: i64::MAX,
        barred: Some(barred),
        known: Acquaintance::default(),
    });
    members.extend(absent);
    members.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(members)
}

/// The workers in quarantine.
///
/// # Errors
/// If the server refuses.
pub async fn barred(pool: &ClusterPool) -> anyhow::Result<BTreeMap<String, Quarantine>> {
    let entries = pool.entries(&format!("{BARRED}.*")).await?;
    let read =
        |entry: super::pool::BucketEntry| Some((entry.name, serde_json::from_slice(&entry.value).ok()?));
    Ok(entries.into_iter().filter_map(read).collect())
}

/// A worker's strikes: parts that it could not do and another worker did, less the parts that it did.
#[derive(Debug, Default)]
pub struct Strikes {
    count: usize,
    /// Parts that it could not do, by job, with the reason, of which nothing has come yet.
    open: Vec<(String, u64, String)>,
}

impl Strikes {
    /// Strikes with which a worker goes into quarantine.
    const LIMIT: usize = 3;
    /// Parts that are remembered.
    const OPEN: usize = 64;

    /// It could not do this part.
    pub fn failed(&mut self, job: &str, part: u64, reason: &str) {
        if self.open.len() < Self::OPEN {
            self.open.push((job.to_owned(), part, reason.to_owned()));
        }
    }

    /// It did a part.
    pub fn did(&mut self) {
        self.count = self.count.saturating_sub(1);
    }

    /// The parts of which something may have come.
    pub fn open(&self) -> Vec<(String, u64)> {
        self.open.iter().map(|(job, part, _)| (job.clone(), *part)).collect()
    }

    /// What came of such a part: whether another worker did it. The reason for a quarantine, if that is one.
    pub fn settled(&mut self, job: &str, part: u64, by_another: bool) -> Option<String> {
        let at = self.open.iter().position(|(known, number, _)| known == job && *number == part)?;
        let (_, _, reason) = self.open.swap_remove(at);
        self.count += usize::from(by_another);
        (self.count >= Self::LIMIT).then(|| {
            format!("it failed at {} parts that other workers did; the last time: {reason}", self.count)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parts_that_others_did_count_against_a_worker() {
        let mut strikes = Strikes::default();
        for part in 0..6 {
            strikes.failed("w", part, "no disk");
        }
        assert_eq!(strikes.open().len(), 6);
        assert_eq!((0..3).find_map(|part| strikes.settled("w", part, false)), None);
        assert_eq!(strikes.settled("w", 3, true), None);
        assert_eq!(strikes.settled("w", 3, true), None, "a part counts once");
        assert_eq!(strikes.settled("w", 4, true), None);
        strikes.did();
        assert_eq!(strikes.settled("w", 5, true), None);
        strikes.failed("w", 6, "no disk");
        let reason = strikes.settled("w", 6, true).unwrap();
        assert!(reason.contains("no disk"), "{reason}");
        assert!(strikes.open().is_empty());
    }
}
