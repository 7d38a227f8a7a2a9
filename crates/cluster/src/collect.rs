//! `kaeshi cluster collect`: waits for the parts, publishes those to come, puts results together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use futures_util::StreamExt;

use super::acquaintance::{self, Acquaintance};
use super::crew::{self, Quarantine};
use super::gather;
use super::gathering::{Gather, ResultFit};
use super::job::{ClusterJob, LAST_ROUND};
use super::pool::{ClusterPool, PartResult, UnfitObject};
use super::repeat::RepeatSample;
use super::worker_key::SignedResult;
use kaeshi_match::tournament::identity::hash_bytes;
use kaeshi_system::output::{progress_bar, remark};

/// Without news for so long, queue and outcomes are compared: something may have been lost.
const SILENCE: Duration = Duration::from_secs(20);

/// Pause after the server could not be asked.
const PAUSE: Duration = Duration::from_secs(2);
/// Questions without an answer, one after the other, before it is given up.
const MAX_FAILED_REQUESTS: u32 = 100;

/// When this many parts have failed and none is done, the rest is not tried.
const HOPELESS: usize = 8;

/// Put the results of a job together: the bytes of the local run.
///
/// Waits until all parts are there. Killed and started again, it goes on. A match with --sprt needs
/// it running, for it gives out pairs until the test has decided; a tuning, for it makes the steps.
#[derive(Debug, clap::Args)]
pub struct CollectArgs {
    /// The name of the job
    name: String,
    /// The file of an analysis or a tuning; the folder of a match or of self-play
    #[arg(short, long, value_name = "PATH")]
    output: PathBuf,
    /// Replace the file of an analysis, or files of other games of self-play
    #[arg(long)]
    overwrite: bool,
    /// Put up with missing and failed parts, and do not wait
    #[arg(long)]
    partial: bool,
    /// Hand out once more what failed
    #[arg(long, conflicts_with = "partial")]
    retry: bool,
    /// Parts that a second worker repeats, in percent; one at least, unless it is 0. In matches only of this
    /// program by nodes or depth. Unless it is 0, all parts of a worker that is not known yet are repeated, as long
    /// as another worker is there
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = clap::value_parser!(u8).range(0..=100))]
    repeat: u8,
}

impl CollectArgs {
    /// Collects.
    ///
    /// # Errors
    /// If there is no such job, parts failed, results contradict each other, or the disk refuses.
    pub async fn run(self, pool: &ClusterPool) -> anyhow::Result<()> {
        let mut job =
            pool.job(&self.name).await?.with_context(|| format!("there is no job '{}'", self.name))?;
        let mut gather = gather::of(&job, &self.output, self.overwrite)?;
        if job.closed && !self.partial {
            // Workers leave the parts of a closed job alone. It is closed again where nothing is missing.
            job = pool.reopen(job).await?;
        }
        if self.retry {
            retry(pool, &job).await?;
        }
        let percent = if self.partial { 0 } else { self.repeat };
        let mut run = CollectRun {
            pool,
            job: &job,
            have: BTreeMap::new(),
            failed: BTreeMap::new(),
            sample: RepeatSample::of(&job, percent)?,
            repeated: BTreeMap::new(),
            waiting: BTreeSet::new(),
            asked: BTreeSet::new(),
            suspects: BTreeSet::new(),
            crew: None,
            refused: BTreeMap::new(),
            unconfirmed: BTreeMap::new(),
            declined: BTreeSet::new(),
            offered: None,
            is_early: false,
        };
        let barred = crew::barred(pool).await?;
        run.suspects
            .extend(barred.into_iter().filter(|(_, barred)| barred.wrong_result).map(|(name, _)| name));
        if self.partial {
            run.take_all(&mut *gather).await?;
        } else {
            run.complete(&mut *gather).await?;
        }
        // Before the output is refused for what they lack.
        for failure in run.failed.values() {
            remark(format_args!("{failure}"));
        }
        let mut attempts: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for (number, by, reason) in pool.attempts(&job).await? {
            if !run.failed.contains_key(&(number % job.parts)) {
                let (count, last) = attempts.entry(by).or_default();
                (*count, *last) = (*count + 1, reason);
            }
        }
        for (name, (count, reason)) in attempts {
            remark(format_args!(
                "worker {name} failed at {count} parts that were done all the same: {reason}"
            ));
        }
        for (name, barred) in crew::barred(pool).await? {
            remark(format_args!("worker {name} is in quarantine: {}", barred.reason));
        }
        gather.finish(self.partial)?;
        run.tell_repeated();
        if !run.failed.is_empty() && !self.partial {
            bail!("{} of {} parts failed", run.failed.len(), job.parts);
        }
        Ok(())
    }
}

struct CollectRun<'a> {
    pool: &'a ClusterPool,
    job: &'a ClusterJob,
    /// The parts that are there or have failed, with the worker.
    have: BTreeMap<u64, String>,
    failed: BTreeMap<u64, String>,
    /// Which parts are to be repeated.
    sample: RepeatSample,
    /// Repeated parts, and whether another worker did it.
    repeated: BTreeMap<u64, bool>,
    /// Parts whose repetition is not there yet.
    waiting: BTreeSet<u64>,
    /// Numbers of repetitions that were asked for.
    asked: BTreeSet<u64>,
    /// Workers whose results two others contradict: none of their results counts.
    suspects: BTreeSet<String>,
    /// The workers, and when that was asked.
    crew: Option<(Instant, KnownCrew)>,
    /// Parts of which a result was refused, with the worker.
    refused: BTreeMap<u64, String>,
    /// Parts of strangers that count without a confirmation, by worker.
    unconfirmed: BTreeMap<String, u64>,
    /// Workers of which was said that they decline.
    declined: BTreeSet<String>,
    /// The number of the input that workers have.
    offered: Option<u64>,
    /// Results are there that come before their turn.
    is_early: bool,
}

/// What `collect` asks about workers again and again.
struct KnownCrew {
    /// Those that take parts of the job.
    there: Vec<String>,
    /// What is known of workers, also of those that are gone.
    known: BTreeMap<String, Acquaintance>,
}

/// What is known of a result.
enum ResultCheck {
    /// It may be taken.
    Fit,
    /// Its repetition is not there yet.
    Open,
    /// It may be wrong.
    Unfit(String),
}

/// What shows whose a result is.
#[derive(Clone, Copy)]
struct ResultProof<'a> {
    file: &'a str,
    by: &'a str,
    key: &'a str,
    signature: &'a str,
}

/// A result that cannot be used: asking the server again does not help.
#[derive(Debug, thiserror::Error)]
#[error("part {0} cannot be taken over")]
struct Unfit(u64);

/// The job is no longer there: no result of it will come.
#[derive(Debug, thiserror::Error)]
#[error("job '{0}' was removed")]
struct JobRemoved(String);

impl CollectRun<'_> {
    /// Whatever the server's trouble is, outcomes are not lost by it: ask again.
    async fn complete(&mut self, gather: &mut dyn Gather) -> anyhow::Result<()> {
        let mut troubles = 0;
        loop {
            let had = self.have.len();
            match self.attempt(gather).await {
                Err(error)
                    if !error.is::<Unfit>()
                        && !error.is::<JobRemoved>()
                        && troubles < MAX_FAILED_REQUESTS =>
                {
                    remark(format_args!("the server does not answer, asking again: {error:#}"));
                    troubles = if self.have.len() > had { 1 } else { troubles + 1 };
                    tokio::time::sleep(PAUSE).await;
                }
                end => return end,
            }
        }
    }

    async fn attempt(&mut self, gather: &mut dyn Gather) -> anyhow::Result<()> {
        let bar = progress_bar(self.job.parts, "parts");
        // Before the outcomes are read, so that none comes unseen in between.
        let mut news = self.pool.watch(self.job).await?;
        let mut heal = true;
        let mut window = 0;
        loop {
            if heal {
                self.take_all(gather).await?;
            }
            bar.set_position(self.have.len() as u64);
            if gather.is_decided() && !self.job.closed {
                self.pool.close(self.job).await?;
            }
            if self.failed.len() >= HOPELESS && self.failed.len() == self.have.len() {
                self.pool.close(self.job).await?;
                bar.finish_and_clear();
                remark("no part could be done, so the others are not tried");
                return Ok(());
            }
            if gather.is_decided() || self.have.len() as u64 == self.job.parts {
                bar.finish_and_clear();
                return Ok(());
            }
            if self.offer(gather).await? && std::mem::take(&mut self.is_early) {
                heal = true;
                continue;
            }
            let wanted =
                gather.input().map_or(self.prefix().saturating_add(self.job.ahead), |input| input.parts);
            if heal {
                publish(self.pool, self.job, wanted).await?;
                self.ask_for_repetitions().await?;
            } else if wanted > window {
                self.pool.publish(self.job, window..wanted.min(self.job.parts)).await?;
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
                    news = self.pool.watch(self.job).await?;
                    true
                }
                Err(_) => {
                    if !self.pool.has(self.job).await? {
                        return Err(JobRemoved(self.job.name.clone()).into());
                    }
                    for (name, reason) in self.pool.declined(self.job).await? {
                        if self.declined.insert(name.clone()) {
                            bar.suspend(|| {
                                remark(format_args!("worker {name} declines '{}': {reason}", self.job.name))
                            });
                        }
                    }
                    true
                }
            };
        }
    }

    /// Lets workers have what the next parts need; whether that is new.
    async fn offer(&mut self, gather: &dyn Gather) -> anyhow::Result<bool> {
        let Some(input) = gather.input().filter(|input| self.offered != Some(input.number)) else {
            return Ok(false);
        };
        self.pool.offer(self.job, input.number, input.text).await?;
        self.offered = Some(input.number);
        Ok(true)
    }

    /// How many parts from the first one on are there.
    fn prefix(&self) -> u64 {
        (0..).zip(self.have.keys()).take_while(|(index, part)| index == *part).count() as u64
    }

    async fn take_all(&mut self, gather: &mut dyn Gather) -> anyhow::Result<()> {
        let settled = self.pool.settled(self.job).await?;
        // A collector before this one may have asked for repetitions. Of what cannot be repeated there are
        // none, whatever a worker has stored.
        let repetitions =
            settled.iter().filter(|&&number| self.sample.is_possible() && number >= self.job.parts);
        self.waiting.extend(repetitions.map(|number| number % self.job.parts));
        self.waiting.retain(|part| !self.repeated.contains_key(part));
        for number in settled {
            self.take(number, gather).await?;
        }
        Ok(())
    }

    /// Publishes the repetitions that are neither in the queue nor settled.
    async fn ask_for_repetitions(&self) -> anyhow::Result<()> {
        if self.asked.is_empty() {
            return Ok(());
        }
        let queued = self.pool.queued(self.job).await?;
        let settled = self.pool.settled(self.job).await?;
        let open = self.asked.iter().filter(|number| !queued.contains(number) && !settled.contains(number));
        self.pool.publish(self.job, open.copied()).await
    }

    /// Asks for a part once more.
    async fn ask(&mut self, number: u64) -> anyhow::Result<ResultCheck> {
        if self.asked.insert(number) {
            self.pool.publish(self.job, std::iter::once(number)).await?;
        }
        Ok(ResultCheck::Open)
    }

    /// What came of a repetition, unless a worker did it whose results do not count.
    async fn repetition(&self, number: u64) -> anyhow::Result<Option<PartResult>> {
        match self.pool.outcome(self.job, number).await? {
            Some(PartResult::Done { by, .. }) if self.suspects.contains(&by) => {
                self.pool.redo(self.job, number, &[number]).await?;
                Ok(None)
            }
            outcome => Ok(outcome),
        }
    }

    /// Compares a result with its repetition, if there is to be one. Where they differ, further workers are asked
    /// until two agree.
    async fn check(
        &mut self,
        part: u64,
        bytes: &[u8],
        by: &str,
        gather: &mut dyn Gather,
    ) -> anyhow::Result<ResultCheck> {
        if !self.waiting.contains(&part) {
            if !self.sample.is_drawn(part) && !self.needs_confirmation(by).await? {
                return Ok(ResultCheck::Fit);
            }
            self.waiting.insert(part);
        }
        let mut seen = vec![(by.to_owned(), bytes.to_owned())];
        for round in 1..=LAST_ROUND {
            let number = self.job.number(round, part);
            let (result, other) = match self.repetition(number).await? {
                None => return self.ask(number).await,
                Some(PartResult::Done { object, file, by: other, key, signature }) => {
                    let proof = ResultProof { file: &file, by: &other, key: &key, signature: &signature };
                    let Some(bytes) = self.signed(number, &object, proof).await? else {
                        self.pool.redo(self.job, number, &[number]).await?;
                        return Ok(ResultCheck::Open);
                    };
                    (bytes, other)
                }
                Some(PartResult::Failed { reason, by: other }) if round == 1 => {
                    return Ok(ResultCheck::Unfit(format!(
                        "{by} did it, and {other} cannot repeat it: {reason}"
                    )));
                }
                Some(PartResult::Failed { reason, .. }) => {
                    return Ok(ResultCheck::Unfit(format!("{}, and {reason}", differing(&seen))));
                }
            };
            // A worker may have begun before the part was to be done anew.
            if gather.fit(part, &result) == ResultFit::Stale {
                self.pool.redo(self.job, number, &[number]).await?;
                return Ok(ResultCheck::Open);
            }
            let same = seen.iter().position(|(_, known)| self.job.task.is_same(known, &result));
            let Some(same) = same else {
                seen.push((other, result));
                continue;
            };
            let (witness, _) = seen.remove(same);
            let reason =
                format!("part {part} of '{}': {witness} and {other} agree on another result", self.job.name);
            for (suspect, _) in seen {
                self.convict(&suspect, &reason, gather).await?;
            }
            if same != 0 {
                return self.redo(part).await.map(|()| ResultCheck::Open);
            }
            self.waiting.remove(&part);
            self.asked.retain(|number| number % self.job.parts != part);
            self.repeated.insert(part, other != by);
            if other != by {
                self.confirm(by).await?;
                self.confirm(&other).await?;
            } else {
                self.note_unconfirmed(by).await?;
            }
            return Ok(ResultCheck::Fit);
        }
        Ok(ResultCheck::Unfit(differing(&seen)))
    }

    /// The content of a result, if the worker that it names has signed it.
    async fn signed(
        &self,
        number: u64,
        object: &str,
        proof: ResultProof<'_>,
    ) -> anyhow::Result<Option<Vec<u8>>> {
        let ResultProof { file, by, key, signature } = proof;
        let content = match self.pool.fetch(object).await {
            Err(error) if !error.is::<UnfitObject>() => return Err(error),
            content => content,
        };
        let verified = content.and_then(|bytes| {
            let sha256 = &hash_bytes(&bytes);
            let signed = SignedResult { job: &self.job.id, number, file, sha256, by };
            signed.verify(key, signature).map(|()| bytes)
        });
        match verified {
            Ok(bytes) => Ok(Some(bytes)),
            Err(reason) => {
                // The name is not verified.
                let by = by.escape_debug();
                remark(format_args!("a result that names worker {by} does not count: {reason}"));
                Ok(None)
            }
        }
    }

    /// The workers, as the server knew them at most [`crew::BEAT`] ago.
    async fn crew(&mut self) -> anyhow::Result<&KnownCrew> {
        let fresh = self.crew.take().filter(|(asked, _)| asked.elapsed() < crew::BEAT);
        let crew = match fresh {
            Some(crew) => crew,
            None => {
                let members = crew::members(self.pool).await?;
                let there = members.into_iter().filter(|member| member.works_on(&self.job.build));
                let there = there.map(|member| member.name).collect();
                (Instant::now(), KnownCrew { there, known: acquaintance::all(self.pool).await? })
            }
        };
        Ok(&self.crew.insert(crew).1)
    }

    async fn is_known(&mut self, worker: &str) -> anyhow::Result<bool> {
        Ok(self.crew().await?.known.get(worker).is_some_and(Acquaintance::is_known))
    }

    /// Whether another worker is to come to the same result before this one's counts: it is a stranger, and another
    /// one is there.
    async fn needs_confirmation(&mut self, by: &str) -> anyhow::Result<bool> {
        if !self.sample.is_possible() || self.is_known(by).await? {
            return Ok(false);
        }
        let is_alone = self.crew().await?.there.iter().all(|name| name == by);
        if is_alone {
            self.note_unconfirmed(by).await?;
        }
        Ok(!is_alone)
    }

    /// A stranger's result counts though no other worker has come to it.
    async fn note_unconfirmed(&mut self, by: &str) -> anyhow::Result<()> {
        if !self.is_known(by).await? {
            *self.unconfirmed.entry(by.to_owned()).or_default() += 1;
        }
        Ok(())
    }

    /// Another worker came to the same result.
    async fn confirm(&mut self, worker: &str) -> anyhow::Result<()> {
        let known = Acquaintance::confirm(self.pool, worker).await?;
        if let Some((_, crew)) = &mut self.crew {
            crew.known.insert(worker.to_owned(), known);
        }
        Ok(())
    }

    /// Puts a worker into quarantine, and takes back what it did.
    async fn convict(&mut self, name: &str, reason: &str, gather: &mut dyn Gather) -> anyhow::Result<()> {
        remark(format_args!("worker {name} gave a wrong result, and none of its results counts: {reason}"));
        Quarantine { reason: reason.to_owned(), wrong_result: true }.store(self.pool, name).await?;
        self.suspects.insert(name.to_owned());
        acquaintance::forget(self.pool, name).await?;
        self.crew = None;
        // What another worker confirmed stays.
        let is_doubtful = |part: &u64| self.repeated.get(part) != Some(&true);
        let theirs = self.have.iter().filter(|(part, by)| *by == name && is_doubtful(part));
        let theirs: Vec<u64> = theirs.map(|(part, _)| *part).collect();
        let mut kept = None;
        for part in theirs {
            if !gather.forget(part)? {
                kept = Some(part);
            }
            self.have.remove(&part);
            self.repeated.remove(&part);
            self.redo(part).await?;
        }
        match kept {
            Some(part) => Err(anyhow!(
                "results of worker {name}, which gave a wrong one, have been used: collect again, into a new place"
            )
            .context(Unfit(part))),
            None => Ok(()),
        }
    }

    /// Has a part done anew by another worker, as its result cannot be one. Where two workers come to such results of
    /// the same part, the fault may be ours.
    async fn refuse(
        &mut self,
        part: u64,
        by: &str,
        reason: &anyhow::Error,
        gather: &mut dyn Gather,
    ) -> anyhow::Result<()> {
        let reason = format!("part {part} of '{}': {reason:#}", self.job.name);
        if let Some(other) = self.refused.insert(part, by.to_owned()).filter(|other| other != by) {
            return Err(anyhow!("{by}, after {other}: {reason}").context(Unfit(part)));
        }
        self.convict(by, &reason, gather).await?;
        self.redo(part).await
    }

    /// Has a part done anew, and its repetitions.
    async fn redo(&mut self, part: u64) -> anyhow::Result<()> {
        let numbers: Vec<u64> = (0..=LAST_ROUND).map(|round| self.job.number(round, part)).collect();
        self.asked.retain(|number| number % self.job.parts != part);
        self.pool.redo(self.job, part, &numbers).await
    }

    fn tell_repeated(&self) {
        let by_others = self.repeated.values().filter(|other| **other).count();
        let alone = self.repeated.len() - by_others;
        if by_others > 0 {
            remark(format_args!(
                "{by_others} of {} parts were repeated by a second worker, with equal results",
                self.job.parts
            ));
        }
        if alone > 0 {
            remark(format_args!(
                "{alone} parts were repeated by the worker that did them: no other one took them"
            ));
        }
        for (worker, parts) in &self.unconfirmed {
            remark(format_args!(
                "worker {worker} is not known, and {parts} of its parts count though no other worker confirmed them: \
                 none was there"
            ));
        }
    }

    async fn take(&mut self, number: u64, gather: &mut dyn Gather) -> anyhow::Result<()> {
        let part = number % self.job.parts;
        if gather.is_decided() || self.have.contains_key(&part) {
            return Ok(());
        }
        let by = match self.pool.outcome(self.job, part).await? {
            None => return Ok(()),
            Some(PartResult::Done { by, .. }) if self.suspects.contains(&by) => return self.redo(part).await,
            Some(PartResult::Done { object, file, by, key, signature }) => {
                let proof = ResultProof { file: &file, by: &by, key: &key, signature: &signature };
                let Some(bytes) = self.signed(part, &object, proof).await? else {
                    return self.redo(part).await;
                };
                match gather.fit(part, &bytes) {
                    ResultFit::Good => {}
                    ResultFit::Early => {
                        self.is_early = true;
                        return Ok(());
                    }
                    ResultFit::Stale => {
                        self.offer(gather).await?;
                        return self.redo(part).await;
                    }
                }
                if let Err(reason) = gather.check(part, &file, &bytes) {
                    return self.refuse(part, &by, &reason, gather).await;
                }
                match self.check(part, &bytes, &by, gather).await? {
                    ResultCheck::Fit => gather.take(part, &file, &bytes).context(Unfit(part))?,
                    ResultCheck::Open => return Ok(()),
                    ResultCheck::Unfit(reason) => {
                        self.failed.insert(part, format!("part {part}: {reason}"));
                    }
                }
                by
            }
            Some(PartResult::Failed { reason, by }) if self.job.ahead < self.job.parts => {
                // The test counts pairs in order: behind a gap it would never decide.
                return Err(anyhow!("it failed at {by}: {reason}").context(Unfit(part)));
            }
            Some(PartResult::Failed { reason, by }) => {
                self.failed.insert(part, format!("part {part} failed at {by}: {reason}"));
                by
            }
        };
        self.have.insert(part, by);
        Ok(())
    }
}

/// That these workers disagree.
fn differing(seen: &[(String, Vec<u8>)]) -> String {
    let names: Vec<&str> = seen.iter().map(|(name, _)| name.as_str()).collect();
    format!("{} come to different results", names.join(", "))
}

/// Forgets the failures of a job, and hands out their parts once more.
async fn retry(pool: &ClusterPool, job: &ClusterJob) -> anyhow::Result<()> {
    for entry in pool.entries(&format!("parts.{}.*", job.id)).await? {
        if let PartResult::Failed { .. } = PartResult::read(&entry.value) {
            let number = entry.name.parse()?;
            pool.redo(job, number, &[number]).await?;
        }
    }
    Ok(())
}

/// Publishes those of the first `wanted` parts that are neither in the queue nor settled.
///
/// A part leaves the queue only after it was settled; as the queue is read first, one that is in
/// neither was never published, or lost with the queue.
///
/// # Errors
/// If the server refuses.
pub async fn publish(pool: &ClusterPool, job: &ClusterJob, wanted: u64) -> anyhow::Result<()> {
    let queued = pool.queued(job).await?;
    let settled = pool.settled(job).await?;
    let open = (0..wanted.min(job.parts)).filter(|part| !queued.contains(part) && !settled.contains(part));
    pool.publish(job, open).await
}
