//! `kaeshi cluster worker`: takes parts, does them, publishes their outcomes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use parking_lot::Mutex;
use tokio::sync::Mutex as AsyncMutex;

use super::crew::{BARRED, BEAT, Quarantine, REPORTS, Strikes, WorkerReport, members};
use super::engines::{Declined, EngineLocation, Hashes, WorkerPermissions};
use super::job::{ClusterJob, JobKind, JobPriority, LAST_ROUND, check_name};
use super::part::{Kit, Product};
use super::pool::{ClusterPool, LEASE, PartResult, boxed};
use super::speed;
use super::worker_key::{SignedResult, WorkerKey, identity};
use kaeshi_core::driver::machine;
use kaeshi_learn::selfplay;
use kaeshi_match::roster::Roster;
use kaeshi_match::tournament::identity::hash_file;
use kaeshi_system::output::remark;
use kaeshi_system::stop_signal::{self, StopSignal};

/// Time between two looks at whether a stop is asked for.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Signs of life in each lease.
const BEATS: u32 = 3;
/// How long one request for a part waits at the server.
const ASK: Duration = Duration::from_secs(5);
/// Pause after the server could not be asked.
const PAUSE: Duration = Duration::from_secs(2);
/// The longest pause of a worker whose parts fail.
const LONGEST_REST: Duration = Duration::from_secs(60);
/// A part has failed when this many workers could not do it, or the only one this many times.
const ATTEMPTS: usize = 3;
/// How often a part waits for another worker than one that failed at it, about [`PAUSE`] each time.
const WAITS: i64 = 15;
/// A part that was handed out so often is given up: workers die of it, or none may do it.
const DELIVERIES: i64 = 1000;
/// What the owner allows.
const RULES: &str = "workers.toml";
/// Works whose files are kept.
const KITS: usize = 4;

/// Do parts of what was submitted, with this program.
///
/// After Ctrl-C or SIGTERM the parts in hand have 10 seconds to end; then they are left to other workers. A second
/// signal leaves them at once.
#[derive(Debug, clap::Args)]
pub struct WorkerArgs {
    /// Parts at once; by default as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// The roster of engines for matches, if not engines.toml here
    #[arg(long = "engines", alias = "roster", value_name = "FILE")]
    roster: Option<PathBuf>,
    /// What may be run that is neither this program nor in the roster, if not workers.toml here
    #[arg(long, value_name = "FILE")]
    allow: Option<PathBuf>,
    /// What this worker is called, if not by its machine and process (with --key by its machine): letters, digits, -
    /// and _
    #[arg(long)]
    name: Option<String>,
    /// The file of its key, made if there is none; without it, the key is a new one with each start. A worker with
    /// another key is another worker
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// End after N seconds without work
    #[arg(long, value_name = "SECONDS")]
    idle_exit: Option<u64>,
}

/// What all slots of a worker share.
struct PoolWorker {
    pool: ClusterPool,
    key: WorkerKey,
    /// One for each of [`JobPriority::ALL`].
    consumers: [PullConsumer; 3],
    name: String,
    build: String,
    /// Its own program, and the SHA-256 of it.
    own: (PathBuf, String),
    roster: Option<PathBuf>,
    rules: WorkerPermissions,
    hashes: Hashes,
    kits: AsyncMutex<HashMap<String, Arc<Kit>>>,
    stop: &'static StopSignal,
    idle_exit: Option<Duration>,
    begun: Instant,
    speed: AsyncMutex<Option<f64>>,
    state: Mutex<WorkerState>,
}

/// What changes while a worker works.
struct WorkerState {
    report: WorkerReport,
    strikes: Strikes,
    barred: Option<Quarantine>,
    /// Troubles, one after the other.
    troubles: u32,
    /// Nothing is asked for before this.
    rest: Instant,
    /// The last time that a part was in hand.
    busy: Instant,
}

impl WorkerState {
    fn did(&mut self) {
        self.report.done += 1;
        self.strikes.did();
    }

    fn failed(&mut self, job: &str, part: u64, reason: &str) {
        self.report.failed += 1;
        self.strikes.failed(job, part, reason);
    }
}

/// What became of a part in hand.
enum PartOutcome {
    /// It need not be done any more, or was done.
    Good,
    /// It waits for another worker.
    Left,
    /// It failed.
    Bad(String),
}

/// How the race between a part and its lease ended.
enum PartEnding {
    Product(anyhow::Result<Product>),
    /// It is no longer wanted.
    Closed,
    /// This worker is to stop.
    Stopped,
}

impl WorkerArgs {
    /// Works until asked to stop.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn run(self, pool: ClusterPool) -> anyhow::Result<()> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.jobs.map_or(processors, usize::from);
        let stop = StopSignal::of_process();
        // The slots see for themselves that their time is over, and give their parts back.
        stop_signal::on_stop(|| {}, || {});
        let build = selfplay::program()?;
        let name = match self.name {
            Some(name) => name,
            None => default_name(self.key.is_some()),
        };
        check_name(&name)?;
        let key = match &self.key {
            Some(path) => WorkerKey::of_file(path)?,
            None => WorkerKey::new(),
        };
        let name = identity(&name, &key.public());
        let roster = self.roster.map(std::path::absolute).transpose()?;
        let roster =
            roster.or_else(|| Some(std::path::absolute("engines.toml").ok()?).filter(|path| path.is_file()));
        let rules = match self.allow {
            Some(path) => WorkerPermissions::load(&path)?,
            None if Path::new(RULES).is_file() => WorkerPermissions::load(Path::new(RULES))?,
            None => WorkerPermissions::default(),
        };
        let own = std::env::current_exe().context("where is this program?")?;
        let own = (own.clone(), hash_file(&own)?);
        // A restart shows that the cause of failed parts is repaired; wrong results still count.
        let barred = Quarantine::of(&pool, &name).await?;
        if barred.as_ref().is_some_and(|barred| !barred.wrong_result) {
            pool.take_back(BARRED, &name).await?;
        }
        let now = Instant::now();
        let [high, normal, low] = JobPriority::ALL.map(|priority| priority.queue(&build));
        let worker = PoolWorker {
            consumers: [
                pool.consumer(&high).await?,
                pool.consumer(&normal).await?,
                pool.consumer(&low).await?,
            ],
            pool,
            key,
            name,
            own,
            roster,
            rules,
            hashes: Hashes::default(),
            kits: AsyncMutex::default(),
            stop,
            idle_exit: self.idle_exit.map(Duration::from_secs),
            begun: now,
            speed: AsyncMutex::default(),
            state: Mutex::new(WorkerState {
                report: WorkerReport { build: build.clone(), jobs, ..WorkerReport::default() },
                strikes: Strikes::default(),
                barred: None,
                troubles: 0,
                rest: now,
                busy: now,
            }),
            build,
        };
        remark(format_args!("worker {}: {jobs} at once, build {}", worker.name, worker.build));
        worker.beat().await?;
        // Behind a pointer, so that the code of a slot is there once and not for each way of waiting for it.
        type Slot<'a> = Pin<Box<dyn Future<Output = anyhow::Result<()>> + 'a>>;
        let slots = try_join_all((0..jobs).map(|_| Box::pin(worker.slot()) as Slot<'_>));
        tokio::select! {
            end = slots => end.map(drop)?,
            () = worker.beats() => {}
        }
        worker.pool.take_back(REPORTS, &worker.name).await?;
        Ok(stop.check()?)
    }
}

/// The name of this machine, and the number of this process unless a key identifies the worker: one that keeps its
/// key keeps its name.
fn default_name(has_key: bool) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let host: String = machine::host_name().chars().take(48).map(plain).collect();
    match host.as_str() {
        "" if has_key => "worker".to_owned(),
        _ if has_key => host,
        _ => format!("{host}-{}", std::process::id()),
    }
}

impl PoolWorker {
    /// One part after the other.
    async fn slot(&self) -> anyhow::Result<()> {
        while !self.stop.is_raised() && !self.is_idle_too_long() {
            if let Err(error) = self.look_back().await {
                log::warn!("what became of failed parts: {error:#}");
            }
            let rest = {
                let state = self.state.lock();
                if state.barred.is_some() {
                    PAUSE
                } else {
                    state.rest.saturating_duration_since(Instant::now())
                }
            };
            if !rest.is_zero() {
                tokio::time::sleep(rest.min(PAUSE)).await;
                continue;
            }
            match self.ask().await {
                Ok(None) => {}
                Ok(Some(message)) => match self.handle(&message).await {
                    Ok(turn) => self.note(turn),
                    Err(error) => {
                        // The part is handed out again when its lease ends.
                        remark(format_args!("part {}: {error:#}", message.subject));
                        tokio::time::sleep(PAUSE).await;
                    }
                },
                Err(error) => {
                    remark(format_args!("the server gives no work: {error:#}"));
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        Ok(())
    }

    fn is_idle_too_long(&self) -> bool {
        self.idle_exit.is_some_and(|idle| self.state.lock().busy.elapsed() >= idle)
    }

    /// Says again and again what this worker does, and hears whether it is in quarantine.
    async fn beats(&self) {
        loop {
            tokio::time::sleep(BEAT).await;
            if let Err(error) = self.beat().await {
                log::warn!("no sign of life: {error:#}");
            }
        }
    }

    async fn beat(&self) -> anyhow::Result<()> {
        let report = {
            let mut state = self.state.lock();
            state.report.up = self.begun.elapsed().as_secs();
            state.report.clone()
        };
        self.pool.put(REPORTS, &self.name, serde_json::to_vec(&report)?).await?;
        let barred = Quarantine::of(&self.pool, &self.name).await?;
        let mut state = self.state.lock();
        match (&state.barred, &barred) {
            (None, Some(now)) => {
                remark(format_args!("in quarantine, no parts are asked for: {}", now.reason))
            }
            (Some(_), None) => remark("out of quarantine"),
            _ => {}
        }
        state.barred = barred;
        Ok(())
    }

    /// Whether the parts that failed here were done elsewhere: then it is the fault of this machine.
    async fn look_back(&self) -> anyhow::Result<()> {
        let open = self.state.lock().strikes.open();
        for (name, part) in open {
            let outcome = match self.pool.job(&name).await? {
                Some(job) => match self.pool.outcome(&job, part).await? {
                    None => continue,
                    outcome => outcome,
                },
                None => None,
            };
            let by_another = matches!(outcome, Some(PartResult::Done { by, .. }) if by != self.name);
            let reason = self.state.lock().strikes.settled(&name, part, by_another);
            if let Some(reason) = reason {
                Quarantine { reason, wrong_result: false }.store(&self.pool, &self.name).await?;
                return self.beat().await;
            }
        }
        Ok(())
    }

    /// A worker whose parts fail, or that may not do them, asks less and less often.
    fn note(&self, turn: PartOutcome) {
        let mut state = self.state.lock();
        state.busy = Instant::now();
        match turn {
            PartOutcome::Good => (state.troubles, state.report.trouble) = (0, String::new()),
            PartOutcome::Left => {}
            PartOutcome::Bad(trouble) => {
                let rest = (PAUSE * (1 << state.troubles.min(6))).min(LONGEST_REST);
                state.troubles += 1;
                state.report.trouble = trouble;
                state.rest = Instant::now() + rest;
            }
        }
    }

    /// Whether another worker is there that takes such parts.
    async fn is_alone(&self) -> anyhow::Result<bool> {
        let members = members(&self.pool).await?;
        Ok(!members.iter().any(|member| member.name != self.name && member.works_on(&self.build)))
    }

    /// A part of the most urgent job that has one.
    async fn ask(&self) -> anyhow::Result<Option<Message>> {
        for consumer in &self.consumers {
            let mut batch = consumer.fetch().max_messages(1).messages().await?;
            if let Some(message) = batch.next().await.transpose().map_err(boxed)? {
                return Ok(Some(message));
            }
        }
        // Requests that are dropped end with their inboxes, so that they take no part.
        let [high, normal, low] = &self.consumers;
        tokio::select! {
            message = wait_for_part(high) => message,
            message = wait_for_part(normal) => message,
            message = wait_for_part(low) => message,
        }
    }

    async fn handle(&self, message: &Message) -> anyhow::Result<PartOutcome> {
        let mut words = message.subject.rsplit('.');
        let (part, id) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let part: u64 = part.parse().context("no number of a part")?;
        let name = std::str::from_utf8(&message.payload).context("no name of a job")?;
        let delivered = message.info().map_err(boxed)?.delivered;
        let job = self.pool.job(name).await?.filter(|job| job.id == id && !job.closed);
        let Some(job) = job else { return finish(message).await };
        if self.pool.outcome(&job, part).await?.is_some() {
            return finish(message).await;
        }
        let (round, index) = (part / job.parts, part % job.parts);
        if round > LAST_ROUND {
            // No collector asks for it.
            return finish(message).await;
        }
        let did = self.did_before(&job, round, index).await?;
        let failed = delivered > 1 && self.pool.failures(&job, part).await?.contains_key(&self.name);
        if did || failed {
            let has_waited = !did && delivered > WAITS;
            if !has_waited && !self.is_alone().await? {
                message.ack_with(AckKind::Nak(Some(a_while()))).await.map_err(boxed)?;
                return Ok(PartOutcome::Left);
            }
            // The same worker may repeat a part if it is alone, but not decide between itself and another.
            if did && round > 1 {
                self.fail(&job, part, "there is no further worker".into()).await?;
                return finish(message).await;
            }
        }
        if delivered > DELIVERIES {
            self.fail(&job, part, format!("it was handed out {DELIVERIES} times and never done")).await?;
            return finish(message).await;
        }
        let shown = format!("{name}/{part}");
        let begun = Instant::now();
        self.state.lock().report.busy.push(shown.clone());
        let end = self.hold(message, &job, index).await;
        let seconds = begun.elapsed().as_secs_f64();
        {
            let report = &mut self.state.lock().report;
            report.busy.retain(|busy| *busy != shown);
            report.seconds += seconds;
        }
        match end? {
            PartEnding::Closed => finish(message).await,
            PartEnding::Stopped => {
                message.ack_with(AckKind::Nak(None)).await.map_err(boxed)?;
                remark(format_args!("{shown}: left to others"));
                Ok(PartOutcome::Left)
            }
            PartEnding::Product(Ok(product)) => {
                let sha256 = &product.sha256;
                let (by, file) = (self.name.clone(), product.name);
                let signed = SignedResult { job: &job.id, number: part, file: &file, sha256, by: &by };
                let signature = self.key.sign(&signed)?;
                let object = self.pool.store(&job.id, &format!("part-{part}"), product.file).await?;
                let outcome = PartResult::Done { object, file, by, key: self.key.public(), signature };
                // Where another worker was first, its result counts, and `remove` drops the object of ours.
                self.pool.settle(&job, part, &outcome).await?;
                remark(format_args!("{shown}: done in {seconds:.1} s"));
                self.state.lock().did();
                finish(message).await
            }
            PartEnding::Product(Err(error)) if error.downcast_ref::<Declined>().is_some() => {
                let reason = error.to_string();
                remark(format_args!("{shown}: declined: {reason}"));
                self.pool.decline(&job, &self.name, &reason).await?;
                message.ack_with(AckKind::Nak(None)).await.map_err(boxed)?;
                Ok(PartOutcome::Bad(reason))
            }
            PartEnding::Product(Err(error)) => {
                let reason = format!("{error:#}");
                remark(format_args!("{shown}: failed after {seconds:.1} s: {reason}"));
                self.state.lock().failed(name, part, &reason);
                self.pool.note_failure(&job, part, &self.name, &reason).await?;
                let failures = self.pool.failures(&job, part).await?;
                let times = usize::try_from(delivered).unwrap_or_default();
                let is_hopeless = failures.len() >= ATTEMPTS
                    || (times >= ATTEMPTS && (delivered > WAITS || self.is_alone().await?));
                if is_hopeless {
                    self.fail(&job, part, reasons_once(&failures)).await?;
                    finish(message).await?;
                } else {
                    message.ack_with(AckKind::Nak(None)).await.map_err(boxed)?;
                }
                Ok(PartOutcome::Bad(reason))
            }
        }
    }

    /// Whether this worker did the part in an earlier round, so that another one is wanted.
    async fn did_before(&self, job: &ClusterJob, round: u64, index: u64) -> anyhow::Result<bool> {
        for earlier in 0..round {
            let outcome = self.pool.outcome(job, job.number(earlier, index)).await?;
            if matches!(outcome, Some(PartResult::Done { by, .. }) if by == self.name) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Settles a part that cannot be done.
    async fn fail(&self, job: &ClusterJob, part: u64, reason: String) -> anyhow::Result<()> {
        let failures = self.pool.failures(job, part).await?;
        let names: Vec<&str> = failures.keys().map(String::as_str).collect();
        let by = if names.is_empty() { self.name.clone() } else { names.join(", ") };
        self.pool.settle(job, part, &PartResult::Failed { reason, by }).await.map(drop)
    }

    /// Does a part while keeping its lease up.
    async fn hold(&self, message: &Message, job: &ClusterJob, part: u64) -> anyhow::Result<PartEnding> {
        let run = async {
            let input = match job.task.input(part) {
                Some(number) => Some(self.pool.input(job, number).await?),
                None => None,
            };
            self.kit(job).await?.run(part, input.as_deref()).await
        };
        tokio::pin!(run);
        let mut beat = tokio::time::interval(LEASE / BEATS);
        loop {
            tokio::select! {
                product = &mut run => return Ok(PartEnding::Product(product)),
                () = self.overdue() => return Ok(PartEnding::Stopped),
                _ = beat.tick() => {
                    // A server that is away for a moment costs no more than the part's repetition.
                    if let Err(error) = message.ack_with(AckKind::Progress).await {
                        log::warn!("part {part} of '{}': no sign of life: {error}", job.name);
                    }
                    let now = self.pool.job(&job.name).await;
                    if now.is_ok_and(|now| now.is_none_or(|now| now.id != job.id || now.closed)) {
                        return Ok(PartEnding::Closed);
                    }
                }
            }
        }
    }

    /// Ends when this worker was asked to stop, and the time for what it has in hand is over.
    async fn overdue(&self) {
        while !self.stop.is_overdue() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// The speed of this machine, measured once.
    async fn speed(&self) -> anyhow::Result<f64> {
        let mut known = self.speed.lock().await;
        if let Some(speed) = *known {
            return Ok(speed);
        }
        let jobs = self.state.lock().report.jobs;
        let speed = speed::measure(jobs).await?;
        self.state.lock().report.speed = Some(speed);
        *known = Some(speed);
        Ok(speed)
    }

    /// How the engines of a match are started here.
    fn ways(&self, task: &JobKind) -> anyhow::Result<Vec<EngineLocation>> {
        let Some(config) = task.config() else { return Ok(Vec::new()) };
        let roster = Roster::load(self.roster.as_deref())?;
        let game = config.game.as_deref().unwrap_or_default();
        let own = (self.own.0.as_path(), self.own.1.as_str());
        let ways =
            task.engines().iter().map(|engine| engine.find(game, own, &roster, &self.rules, &self.hashes));
        Ok(ways.collect::<Result<_, Declined>>()?)
    }

    /// The job's files, fetched once.
    async fn kit(&self, job: &ClusterJob) -> anyhow::Result<Arc<Kit>> {
        let mut kits = self.kits.lock().await;
        if let Some(kit) = kits.get(&job.id) {
            return Ok(Arc::clone(kit));
        }
        if kits.len() >= KITS {
            kits.retain(|_, kit| Arc::strong_count(kit) > 1);
        }
        job.task.check()?;
        let ways = self.ways(&job.task)?;
        let mut contents = BTreeMap::new();
        for hash in needed(&job.task, &ways) {
            contents.insert(hash.clone(), self.pool.content(hash).await?);
        }
        let archive = if job.files { self.pool.files(job).await? } else { Vec::new() };
        let mut copy = job.clone();
        if let (Some(config), Some(there)) = (copy.task.config_mut(), job.speed) {
            config.time_scale =
                Some(config.time_scale.unwrap_or(1.0) * speed::scale(there, self.speed().await?));
        }
        let made = tokio::task::spawn_blocking(move || Kit::new(copy, &archive, ways, &contents)).await?;
        let kit = match made {
            Ok(kit) => Arc::new(kit),
            Err(error) => bail!("the files of '{}': {error:#}", job.name),
        };
        kits.insert(job.id.clone(), Arc::clone(&kit));
        Ok(kit)
    }
}

/// SHA-256 of the files to fetch: all files of the engines, and the programs that are not here.
fn needed<'a>(task: &'a JobKind, ways: &[EngineLocation]) -> BTreeSet<&'a String> {
    let engines = task.engines();
    let programs = engines.iter().zip(ways).filter(|(_, way)| **way == EngineLocation::Fetched);
    let programs = programs.map(|(engine, _)| &engine.content.program);
    programs.chain(engines.iter().flat_map(|engine| engine.files.values())).collect()
}

/// Waits for a part for a while.
async fn wait_for_part(consumer: &PullConsumer) -> anyhow::Result<Option<Message>> {
    let mut batch = consumer.batch().max_messages(1).expires(ASK).messages().await?;
    batch.next().await.transpose().map_err(boxed)
}

/// The part is off the queue. Only after its outcome is there: until then another worker would get it.
async fn finish(message: &Message) -> anyhow::Result<PartOutcome> {
    message.double_ack().await.map_err(boxed)?;
    Ok(PartOutcome::Good)
}

/// How long a part waits for another worker: [`PAUSE`], more or less. Were it always as long, two workers that each
/// wait for the other's part could be handed their own again and again, in the same order.
fn a_while() -> Duration {
    let drawn = RandomState::new().hash_one(0) % 1024;
    PAUSE.mul_f64(0.5 + drawn as f64 / 1024.0)
}

/// Why workers failed, each reason once.
fn reasons_once(failures: &BTreeMap<String, String>) -> String {
    let reasons: BTreeSet<&str> = failures.values().map(String::as_str).collect();
    reasons.into_iter().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_keeps_its_key_keeps_its_name() {
        let process = format!("-{}", std::process::id());
        let (kept, other) = (default_name(true), default_name(false));
        check_name(&kept).unwrap();
        check_name(&other).unwrap();
        assert!(!kept.ends_with(&process) && other.ends_with(&process), "{kept} {other}");
    }
}
