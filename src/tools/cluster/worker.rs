//! `kaeshi cluster worker`: takes parts, does them, publishes their outcomes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use tokio::sync::Mutex;

use super::part::{Kit, Product};
use super::pool::{LEASE, Outcome, Pool, boxed};
use super::work::Work;
use crate::selfplay;
use crate::tools::match_runner::tournament::Wish;

/// Signs of life, so many in each lease.
const BEATS: u32 = 3;
/// How long one request for a part waits at the server.
const ASK: Duration = Duration::from_secs(5);
/// Pause after the server could not be asked.
const PAUSE: Duration = Duration::from_secs(2);
/// A part that was handed out so often has failed.
const ATTEMPTS: i64 = 4;
/// How often a repetition waits for another worker than the one that did the part, [`PAUSE`] each time.
const WAITS: i64 = 15;
/// Works whose files are kept.
const KITS: usize = 4;

/// Do parts of what was submitted, with this program.
///
/// Ctrl-C finishes the parts in hand; a second one leaves them to others at once.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Parts at once; by default as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// The roster of engines for matches, if not engines.toml here
    #[arg(long = "engines", alias = "roster", value_name = "FILE")]
    roster: Option<PathBuf>,
    /// End after so many seconds without work
    #[arg(long, value_name = "SECONDS")]
    idle_exit: Option<u64>,
}

/// What all slots of a worker share.
struct Worker {
    pool: Pool,
    consumer: PullConsumer,
    name: String,
    roster: Option<PathBuf>,
    kits: Mutex<HashMap<String, Arc<Kit>>>,
    wish: Arc<Wish>,
    idle_exit: Option<Duration>,
}

/// How the race between a part and its lease ended.
enum End {
    Product(anyhow::Result<Product>),
    /// Nobody wants it any more.
    Closed,
}

impl Args {
    /// Works until asked to stop.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn run(self, pool: Pool) -> anyhow::Result<()> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.jobs.map_or(processors, usize::from);
        let wish = Arc::new(Wish::default());
        let asked = Arc::clone(&wish);
        ctrlc::set_handler(move || {
            if asked.ask() == 0 {
                eprintln!("\nThe parts in hand are finished first; once more leaves them to others.");
            } else {
                std::process::exit(130);
            }
        })?;
        let build = selfplay::program()?;
        let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
        let roster = self.roster.map(std::path::absolute).transpose()?;
        let roster =
            roster.or_else(|| Some(std::path::absolute("engines.toml").ok()?).filter(|path| path.is_file()));
        let worker = Worker {
            consumer: pool.consumer(&build).await?,
            pool,
            name: format!("{}:{}", host.trim(), std::process::id()),
            roster,
            kits: Mutex::default(),
            wish,
            idle_exit: self.idle_exit.map(Duration::from_secs),
        };
        eprintln!("worker {}: {jobs} at once, build {build}", worker.name);
        try_join_all((0..jobs).map(|_| worker.slot())).await?;
        Ok(())
    }
}

impl Worker {
    /// One part after the other.
    async fn slot(&self) -> anyhow::Result<()> {
        let mut busy = Instant::now();
        while !self.wish.is_stop() && self.idle_exit.is_none_or(|idle| busy.elapsed() < idle) {
            match self.ask().await {
                Ok(None) => {}
                Ok(Some(message)) => {
                    if let Err(error) = self.handle(&message).await {
                        // The part is handed out again when its lease ends.
                        eprintln!("part {}: {error:#}", message.subject);
                        tokio::time::sleep(PAUSE).await;
                    }
                    busy = Instant::now();
                }
                Err(error) => {
                    eprintln!("the server gives no work: {error:#}");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        Ok(())
    }

    async fn ask(&self) -> anyhow::Result<Option<Message>> {
        let mut batch = self.consumer.batch().max_messages(1).expires(ASK).messages().await?;
        batch.next().await.transpose().map_err(boxed)
    }

    async fn handle(&self, message: &Message) -> anyhow::Result<()> {
        let mut words = message.subject.rsplit('.');
        let (part, id) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let part: u64 = part.parse().context("no number of a part")?;
        let name = std::str::from_utf8(&message.payload).context("no name of a work")?;
        let attempt = message.info().map_err(boxed)?.delivered;
        let work = self.pool.work(name).await?.filter(|work| work.id == id && !work.closed);
        let Some(work) = work else { return message.ack().await.map_err(boxed) };
        if self.pool.outcome(&work, part).await?.is_some() {
            return message.ack().await.map_err(boxed);
        }
        let by = self.name.clone();
        let (index, attempt) = match part.checked_sub(work.parts) {
            None => (part, attempt),
            Some(index) => {
                let own = matches!(self.pool.outcome(&work, index).await?, Some(Outcome::Done { by, .. }) if by == self.name);
                if own && attempt <= WAITS {
                    return message.ack_with(AckKind::Nak(Some(PAUSE))).await.map_err(boxed);
                }
                (index, attempt - WAITS)
            }
        };
        let end = if attempt > ATTEMPTS {
            End::Product(Err(anyhow::anyhow!("{ATTEMPTS} workers took it and never came back")))
        } else {
            self.hold(message, &work, index).await?
        };
        match end {
            End::Closed => {}
            End::Product(Ok(product)) => {
                let object = self.pool.store(&work.id, &format!("part-{part}"), product.file).await?;
                let outcome = Outcome::Done { object: object.clone(), file: product.name, by };
                if !self.pool.settle(&work, part, &outcome).await? {
                    self.pool.drop_object(&object).await?;
                }
            }
            End::Product(Err(error)) if attempt >= ATTEMPTS => {
                let outcome = Outcome::Failed { reason: format!("{error:#}"), by };
                self.pool.settle(&work, part, &outcome).await?;
            }
            End::Product(Err(error)) => {
                eprintln!("'{name}' part {part}, attempt {attempt}: {error:#}");
                return message.ack_with(AckKind::Nak(Some(PAUSE))).await.map_err(boxed);
            }
        }
        // Only now: until here another worker would get the part after the lease.
        message.double_ack().await.map_err(boxed)
    }

    /// Does a part while keeping its lease up.
    async fn hold(&self, message: &Message, work: &Work, part: u64) -> anyhow::Result<End> {
        let run = async { self.kit(work).await?.run(part).await };
        tokio::pin!(run);
        let mut beat = tokio::time::interval(LEASE / BEATS);
        loop {
            tokio::select! {
                product = &mut run => return Ok(End::Product(product)),
                _ = beat.tick() => {
                    // A server that is away for a moment costs no more than the part's repetition.
                    if let Err(error) = message.ack_with(AckKind::Progress).await {
                        log::warn!("part {part} of '{}': no sign of life: {error}", work.name);
                    }
                    let now = self.pool.work(&work.name).await;
                    if now.is_ok_and(|now| now.is_none_or(|now| now.id != work.id || now.closed)) {
                        return Ok(End::Closed);
                    }
                }
            }
        }
    }

    /// The work's files, fetched once.
    async fn kit(&self, work: &Work) -> anyhow::Result<Arc<Kit>> {
        let mut kits = self.kits.lock().await;
        if let Some(kit) = kits.get(&work.id) {
            return Ok(Arc::clone(kit));
        }
        if kits.len() >= KITS {
            kits.retain(|_, kit| Arc::strong_count(kit) > 1);
        }
        let archive = if work.files { self.pool.files(work).await? } else { Vec::new() };
        let (copy, roster) = (work.clone(), self.roster.clone());
        let made = tokio::task::spawn_blocking(move || Kit::new(copy, &archive, roster)).await?;
        let kit = match made {
            Ok(kit) => Arc::new(kit),
            Err(error) => bail!("'{}': {error:#}", work.name),
        };
        kits.insert(work.id.clone(), Arc::clone(&kit));
        Ok(kit)
    }
}
