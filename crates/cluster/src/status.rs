//! `kaeshi cluster status`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::crew::{Member, members};
use super::job::{ClusterJob, JobPriority};
use super::pool::{BucketEntry, ClusterPool, PartResult};
use kaeshi_system::output::print;

/// Seconds over which the rate is measured.
const WINDOW: f64 = 600.0;

/// Show jobs and workers.
#[derive(Debug, clap::Args)]
pub struct StatusArgs {
    /// Only this job, with its failed parts and who did how many
    name: Option<String>,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

impl StatusArgs {
    /// Shows what there is.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn run(self, pool: &ClusterPool) -> anyhow::Result<()> {
        let names = match &self.name {
            Some(name) => vec![name.clone()],
            None => pool.names().await?,
        };
        let mut is_empty = names.is_empty();
        for name in names {
            let Some(job) = pool.job(&name).await? else { anyhow::bail!("there is no job '{name}'") };
            let counts = JobProgress::of(pool, &job).await?;
            let details = if self.name.is_some() { Some(Details::of(pool, &job).await?) } else { None };
            if self.json {
                let mut line = json!({
                    "name": job.name, "kind": job.task.kind(), "parts": job.parts, "settled": counts.settled,
                    "queued": counts.queued, "closed": job.closed, "build": job.build,
                    "priority": job.priority.name(),
                });
                if let (Some(details), Value::Object(line)) = (details, &mut line) {
                    line.extend(details.json(&job, counts.settled));
                }
                print(line)?;
                continue;
            }
            let end = if job.closed { ", closed" } else { "" };
            let priority = match job.priority {
                JobPriority::Normal => String::new(),
                other => format!(", priority {}", other.name()),
            };
            print(format_args!(
                "{name}: {}, {} of {} parts settled, {} queued or in hand{end}{priority}, build {}",
                job.task.kind(),
                counts.settled,
                job.parts,
                counts.queued,
                job.build
            ))?;
            if let Some(details) = details {
                details.print(&job, counts.settled)?;
            }
        }
        if self.name.is_none() {
            for member in members(pool).await? {
                is_empty = false;
                if self.json {
                    print(worker_json(&member))?;
                } else {
                    print(worker_line(&member))?;
                }
            }
        }
        if is_empty && !self.json {
            print("no jobs, no workers")?;
        }
        Ok(())
    }
}

/// How far a job is.
pub struct JobProgress {
    /// Parts with an outcome.
    pub settled: u64,
    /// Parts and repetitions that wait or are in hand.
    pub queued: u64,
}

impl JobProgress {
    /// Asks the server.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn of(pool: &ClusterPool, job: &ClusterJob) -> anyhow::Result<JobProgress> {
        let queued = pool.queued(job).await?.len() as u64;
        // Numbers behind those of all parts are repetitions.
        let settled = pool.settled(job).await?.range(..job.parts).count() as u64;
        Ok(JobProgress { settled, queued })
    }
}

/// Who did what, and what failed.
#[derive(Debug, Default)]
pub struct Details {
    /// Parts that failed.
    pub failed: Vec<Value>,
    /// Attempts that failed, whatever came of the part.
    pub attempts: Vec<Value>,
    /// Workers that decline, and why.
    pub declined: BTreeMap<String, String>,
    /// Parts by worker, repetitions included.
    pub shares: BTreeMap<String, u64>,
    /// Parts a second.
    pub rate: f64,
}

impl Details {
    /// Asks the server.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn of(pool: &ClusterPool, job: &ClusterJob) -> anyhow::Result<Details> {
        let mut details = Details { declined: pool.declined(job).await?, ..Details::default() };
        for (part, by, reason) in pool.attempts(job).await? {
            details.attempts.push(json!({"part": part % job.parts, "by": by, "reason": reason}));
        }
        let outcomes = pool.entries(&format!("parts.{}.*", job.id)).await?;
        details.rate = rate(&outcomes);
        for entry in outcomes {
            let part: u64 = entry.name.parse().unwrap_or_default();
            match PartResult::read(&entry.value) {
                PartResult::Done { by, .. } => *details.shares.entry(by).or_default() += 1,
                PartResult::Failed { reason, by } => {
                    details.failed.push(json!({"part": part % job.parts, "by": by, "reason": reason}));
                }
            }
        }
        Ok(details)
    }

    /// Seconds until the last part is done, by the rate; `None` where no part is done, or none is worth doing.
    pub fn seconds_left(&self, job: &ClusterJob, settled: u64) -> Option<u64> {
        let left = (job.parts - settled) as f64;
        (self.rate > 0.0 && !job.closed).then(|| (left / self.rate).ceil() as u64)
    }

    /// The same as JSON.
    pub fn json(self, job: &ClusterJob, settled: u64) -> serde_json::Map<String, Value> {
        let left = self.seconds_left(job, settled);
        let mut map = serde_json::Map::new();
        map.insert("failed".into(), self.failed.into());
        map.insert("attempts".into(), self.attempts.into());
        map.insert("declined".into(), json!(self.declined));
        map.insert("shares".into(), json!(self.shares));
        map.insert("parts_per_minute".into(), json!(self.rate * 60.0));
        map.insert("seconds_left".into(), json!(left));
        map
    }

    fn print(&self, job: &ClusterJob, settled: u64) -> std::io::Result<()> {
        if let Some(left) = self.seconds_left(job, settled).filter(|_| settled < job.parts) {
            print(format_args!("  {:.1} parts a minute, about {} left", self.rate * 60.0, span(left)))?;
        }
        let all: u64 = self.shares.values().sum();
        for (name, parts) in &self.shares {
            print(format_args!(
                "  {name}: {parts} parts, {:.0} %",
                *parts as f64 * 100.0 / all.max(1) as f64
            ))?;
        }
        for (kind, lines) in [("failed", &self.failed), ("attempt failed", &self.attempts)] {
            for line in lines {
                print(format_args!("  {kind}: {line}"))?;
            }
        }
        for (name, reason) in &self.declined {
            print(format_args!("  {name} declines: {reason}"))?;
        }
        Ok(())
    }
}

/// Outcomes a second, in the [`WINDOW`] before the newest one.
fn rate(outcomes: &[BucketEntry]) -> f64 {
    let newest = outcomes.iter().map(|entry| entry.written).fold(0.0, f64::max);
    let recent = || outcomes.iter().map(|entry| entry.written).filter(|written| newest - written < WINDOW);
    let oldest = recent().fold(newest, f64::min);
    // The first of them began a span before it that is not known: one second.
    recent().count() as f64 / (newest - oldest + 1.0)
}

/// A time for people.
pub fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

/// A worker as JSON.
pub fn worker_json(member: &Member) -> Value {
    let report = &member.report;
    json!({
        "worker": member.name, "build": report.build, "jobs": report.jobs, "done": report.done,
        "failed": report.failed, "seconds": report.seconds, "up": report.up, "speed": report.speed, "busy": report.busy,
        "trouble": report.trouble, "silent": member.silent,
        "quarantine": member.barred.as_ref().map(|barred| &barred.reason),
        "known": member.known.is_known(), "confirmed": member.known.confirmed,
    })
}

fn worker_line(member: &Member) -> String {
    let report = &member.report;
    let rate = report.done as f64 * 60.0 / report.up.max(1) as f64;
    format!(
        "worker {}, build {}{}: {} done, {} failed, {rate:.1} a minute; {}",
        member.name,
        report.build,
        if member.known.is_known() { ", known" } else { "" },
        counted_parts(report.done),
        report.failed,
        state(member)
    )
}

/// A number of parts as text.
pub fn counted_parts(count: u64) -> String {
    if count == 1 { "1 part".to_owned() } else { format!("{count} parts") }
}

/// What a worker does, or why it does nothing.
pub fn state(member: &Member) -> String {
    let report = &member.report;
    if let Some(barred) = &member.barred {
        format!("in quarantine: {}", barred.reason)
    } else if !member.works_on(&report.build) {
        format!("silent for {} s", member.silent)
    } else if !report.trouble.is_empty() {
        format!("last trouble: {}", report.trouble)
    } else if report.busy.is_empty() {
        "idle".into()
    } else {
        report.busy.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::acquaintance::Acquaintance;
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_minutes() {
        let outcome =
            |written| BucketEntry { key: "parts.w.0".into(), name: "0".into(), value: Vec::new(), written };
        assert_eq!(rate(&[]), 0.0);
        let steady: Vec<BucketEntry> = (1000..1100).map(f64::from).map(outcome).collect();
        assert_eq!(rate(&steady), 1.0);
        let after_a_night: Vec<BucketEntry> =
            [0, 1].into_iter().chain(50_000..50_060).map(f64::from).map(outcome).collect();
        assert_eq!(rate(&after_a_night), 1.0);
    }

    #[test]
    fn a_worker_is_shown_with_what_it_does() {
        let report = super::super::crew::WorkerReport {
            build: "b".into(),
            done: 30,
            up: 600,
            busy: vec!["night/3".into()],
            ..Default::default()
        };
        let mut member =
            Member { name: "w".into(), report, silent: 0, barred: None, known: Acquaintance::default() };
        assert_eq!(worker_line(&member), "worker w, build b: 30 parts done, 0 failed, 3.0 a minute; night/3");
        member.report.done = 1;
        assert!(worker_line(&member).starts_with("worker w, build b: 1 part done"));
        member.report.done = 30;
        member.silent = 90;
        assert!(worker_line(&member).ends_with("silent for 90 s"));
        member.barred =
            Some(super::super::crew::Quarantine { reason: "no disk".into(), wrong_result: false });
        assert!(worker_line(&member).ends_with("in quarantine: no disk"));
        assert_eq!(worker_json(&member)["quarantine"], "no disk");
        member.known.trusted = true;
        assert!(worker_line(&member).starts_with("worker w, build b, known: 30 parts done"));
    }
}
