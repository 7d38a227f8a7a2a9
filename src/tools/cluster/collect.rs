//! `kaeshi cluster collect`: waits for the parts, publishes those to come, puts results together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use futures_util::StreamExt;

use super::gather::{self, Gather};
use super::pool::{Outcome, Pool};
use super::repeat::Sample;
use super::work::Work;
use crate::output::progress_bar;

/// Without news for so long, queue and outcomes are compared: something may have been lost.
const SILENCE: Duration = Duration::from_secs(20);

/// Pause after the server could not be asked.
const PAUSE: Duration = Duration::from_secs(2);
/// Questions without an answer, one after the other, before it is given up.
const PATIENCE: u32 = 100;

/// Put the results of a work together: the bytes of the local run.
///
/// Waits until all parts are there. Killed and started again, it goes on. A match with --sprt needs
/// it running, for it gives out pairs until the test has decided.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The name of the work
    name: String,
    /// The file of an analysis; the folder of a match or of self-play
    #[arg(short, long, value_name = "PATH")]
    output: PathBuf,
    /// Replace the file of an analysis
    #[arg(long)]
    overwrite: bool,
    /// Put up with missing and failed parts, and do not wait
    #[arg(long)]
    partial: bool,
    /// Parts that a second worker repeats, in percent; one at least, unless it is 0. Not in matches
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = clap::value_parser!(u8).range(0..=100))]
    repeat: u8,
    /// The roster of engines, if not engines.toml here
    #[arg(long = "engines", alias = "roster", value_name = "FILE")]
    roster: Option<PathBuf>,
}

impl Args {
    /// Collects.
    ///
    /// # Errors
    /// If there is no such work, parts failed, results contradict each other, or the disk refuses.
    pub async fn run(self, pool: &Pool) -> anyhow::Result<()> {
        let work =
            pool.work(&self.name).await?.with_context(|| format!("there is no work '{}'", self.name))?;
        let mut gather = gather::of(&work, &self.output, self.overwrite, self.roster.as_deref())?;
        let percent = if self.partial { 0 } else { self.repeat };
        let mut run = Run {
            pool,
            work: &work,
            have: BTreeSet::new(),
            failed: Vec::new(),
            sample: Sample::of(&work, percent)?,
            repeated: BTreeMap::new(),
            waiting: BTreeSet::new(),
        };
        if self.partial {
            run.take_all(&mut *gather).await?;
        } else {
            run.complete(&mut *gather).await?;
        }
        // Before the output is refused for what they lack.
        for failure in &run.failed {
            eprintln!("{failure}");
        }
        gather.finish(self.partial)?;
        run.tell_repeated();
        if !run.failed.is_empty() && !self.partial {
            bail!("{} of {} parts failed", run.failed.len(), work.parts);
        }
        Ok(())
    }
}

struct Run<'a> {
    pool: &'a Pool,
    work: &'a Work,
    have: BTreeSet<u64>,
    failed: Vec<String>,
    /// Which parts are to be repeated.
    sample: Sample,
    /// Repeated parts, and whether another worker did it.
    repeated: BTreeMap<u64, bool>,
    /// Parts whose repetition is not there yet.
    waiting: BTreeSet<u64>,
}

/// What is known of a result.
enum Check {
    /// It may be taken.
    Fit,
    /// Its repetition is not there yet.
    Open,
    /// It may be wrong.
    Unfit(String),
}

/// A result that cannot be used: asking the server again does not help.
#[derive(Debug, thiserror::Error)]
#[error("part {0} is of no use")]
struct Unfit(u64);

impl Run<'_> {
    /// Whatever the server's trouble is, outcomes are not lost by it: ask again.
    async fn complete(&mut self, gather: &mut dyn Gather) -> anyhow::Result<()> {
        let mut troubles = 0;
        loop {
            let had = self.have.len();
            match self.attempt(gather).await {
                Err(error) if error.downcast_ref::<Unfit>().is_none() && troubles < PATIENCE => {
                    eprintln!("the server does not answer, asking again: {error:#}");
                    troubles = if self.have.len() > had { 1 } else { troubles + 1 };
                    tokio::time::sleep(PAUSE).await;
                }
                end => return end,
            }
        }
    }

    async fn attempt(&mut self, gather: &mut dyn Gather) -> anyhow::Result<()> {
        let bar = progress_bar(self.work.parts, "parts");
        // Before the outcomes are read, so that none comes unseen in between.
        let mut news = self.pool.watch(self.work).await?;
        let mut heal = true;
        let mut window = 0;
        loop {
            if heal {
                self.take_all(gather).await?;
            }
            bar.set_position(self.have.len() as u64);
            if gather.is_decided() && !self.work.closed {
                self.pool.close(self.work).await?;
            }
            if gather.is_decided() || self.have.len() as u64 == self.work.parts {
                bar.finish_and_clear();
                return Ok(());
            }
            let wanted = self.prefix() + self.work.ahead;
            if heal {
                publish(self.pool, self.work, wanted).await?;
                self.ask_for_repetitions().await?;
            } else if wanted > window {
                self.pool.publish(self.work, window..wanted.min(self.work.parts)).await?;
            }
            window = wanted.max(window);
            heal = match tokio::time::timeout(SILENCE, news.next()).await {
                Ok(Some(Ok(entry))) => {
                    let part = entry.key.rsplit('.').next().and_then(|part| part.parse().ok());
                    self.take(part.context("no number of a part")?, gather).await?;
                    false
                }
                Ok(Some(Err(error))) => {
                    log::warn!("{error}");
                    true
                }
                Ok(None) => {
                    news = self.pool.watch(self.work).await?;
                    true
                }
                Err(_) => true,
            };
        }
    }

    /// How many parts from the first one on are there.
    fn prefix(&self) -> u64 {
        (0..).zip(&self.have).take_while(|(index, part)| index == *part).count() as u64
    }

    async fn take_all(&mut self, gather: &mut dyn Gather) -> anyhow::Result<()> {
        let settled = self.pool.settled(self.work).await?;
        // A collector before this one may have asked for repetitions.
        self.waiting.extend(settled.iter().filter_map(|number| number.checked_sub(self.work.parts)));
        for part in settled {
            self.take(part, gather).await?;
        }
        Ok(())
    }

    /// Publishes the repetitions that are neither in the queue nor settled.
    async fn ask_for_repetitions(&self) -> anyhow::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let queued = self.pool.queued(self.work).await?;
        let settled = self.pool.settled(self.work).await?;
        let numbers = self.waiting.iter().map(|part| self.work.repetition(*part));
        let open = numbers.filter(|number| !queued.contains(number) && !settled.contains(number));
        self.pool.publish(self.work, open).await
    }

    /// Compares a result with its repetition, if there is to be one.
    async fn check(&mut self, part: u64, bytes: &[u8], by: &str) -> anyhow::Result<Check> {
        if !self.waiting.contains(&part) {
            if !self.sample.is_drawn(part) {
                return Ok(Check::Fit);
            }
            self.waiting.insert(part);
            self.pool.publish(self.work, std::iter::once(self.work.repetition(part))).await?;
        }
        let (other, same) = match self.pool.outcome(self.work, self.work.repetition(part)).await? {
            None => return Ok(Check::Open),
            Some(Outcome::Done { object, by: other, .. }) => {
                let repeated = self.pool.fetch(&object).await?;
                let same = self.work.task.is_same(bytes, &repeated);
                (other, same)
            }
            Some(Outcome::Failed { reason, by: other }) => {
                return Ok(Check::Unfit(format!("{by} did it, and {other} cannot repeat it: {reason}")));
            }
        };
        if !same {
            return Ok(Check::Unfit(format!(
                "{by} and {other} come to different results: one of them is wrong"
            )));
        }
        self.waiting.remove(&part);
        self.repeated.insert(part, other != by);
        Ok(Check::Fit)
    }

    fn tell_repeated(&self) {
        let by_others = self.repeated.values().filter(|other| **other).count();
        let alone = self.repeated.len() - by_others;
        if by_others > 0 {
            eprintln!(
                "{by_others} of {} parts were repeated by a second worker, with equal results",
                self.work.parts
            );
        }
        if alone > 0 {
            eprintln!("{alone} parts were repeated by the worker that did them: no other one took them");
        }
    }

    async fn take(&mut self, part: u64, gather: &mut dyn Gather) -> anyhow::Result<()> {
        // A repetition has the number of its part behind those of all parts.
        let part = part.checked_sub(self.work.parts).unwrap_or(part);
        if gather.is_decided() || self.have.contains(&part) || part >= self.work.parts {
            return Ok(());
        }
        match self.pool.outcome(self.work, part).await? {
            Some(Outcome::Done { object, file, by }) => {
                let bytes = self.pool.fetch(&object).await?;
                match self.check(part, &bytes, &by).await? {
                    Check::Fit => {}
                    Check::Open => return Ok(()),
                    Check::Unfit(reason) => {
                        self.failed.push(format!("part {part}: {reason}"));
                        self.have.insert(part);
                        return Ok(());
                    }
                }
                gather.take(&file, &bytes).context(Unfit(part))?;
            }
            Some(Outcome::Failed { reason, by }) if self.work.ahead < self.work.parts => {
                // The test counts pairs in order: behind a gap it would never decide.
                return Err(anyhow!("it failed at {by}: {reason}").context(Unfit(part)));
            }
            Some(Outcome::Failed { reason, by }) => {
                self.failed.push(format!("part {part} failed at {by}: {reason}"));
            }
            None => return Ok(()),
        }
        self.have.insert(part);
        Ok(())
    }
}

/// Publishes those of the first `wanted` parts that are neither in the queue nor settled.
///
/// A part leaves the queue only after it was settled; as the queue is read first, one that is in
/// neither was never published, or lost with the queue.
///
/// # Errors
/// If the server refuses.
pub async fn publish(pool: &Pool, work: &Work, wanted: u64) -> anyhow::Result<()> {
    let queued = pool.queued(work).await?;
    let settled = pool.settled(work).await?;
    let open = (0..wanted.min(work.parts)).filter(|part| !queued.contains(part) && !settled.contains(part));
    pool.publish(work, open).await
}
