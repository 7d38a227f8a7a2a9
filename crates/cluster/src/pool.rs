//! The state on the server: the stream of parts, the bucket of jobs and outcomes, the object store.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, anyhow, bail};
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::kv::{self, CreateErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::{self, GetErrorKind, ObjectStore};
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context};
use futures_util::{StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;

use super::context::Link;
use super::engines::MAX_BYTES;
use super::job::{ClusterJob, SCHEMA};
use kaeshi_core::files;
use kaeshi_match::tournament::identity::hash_bytes;

/// How long a worker holds a part without renewing its lease.
pub const LEASE: Duration = Duration::from_secs(15);

/// Name of the stream of parts; its subjects are `kaeshi.work.QUEUE.ID.PART`.
const QUEUE: &str = "kaeshi-work";
/// Name of the bucket and of the object store.
const BUCKET: &str = "kaeshi";
/// Time limit for an answer of the server.
const SERVER_TIMEOUT: Duration = Duration::from_secs(20);
/// Parts published before their acknowledgements are waited for.
const BATCH: usize = 256;
/// Workers of one build at most.
const MAX_WORKERS: i64 = 100_000;
/// Prefix of the names of objects that are stored under their SHA-256.
const CONTENT: &str = "content/";
/// How long a file without a job is kept: a job that is being submitted may need it.
const KEPT: Duration = Duration::from_secs(3600);
/// Largest input or result in bytes.
const MAX_OBJECT_BYTES: usize = 4 << 30;

/// The outcome of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartResult {
    /// Its result.
    Done {
        /// Name of the object.
        object: String,
        /// Name of the file that it was.
        file: String,
        /// The worker.
        by: String,
        /// Its public key.
        #[serde(default)]
        key: String,
        /// Its signature; see [`super::worker_key`].
        #[serde(default)]
        signature: String,
    },
    /// It cannot be done.
    Failed {
        /// Why.
        reason: String,
        /// The workers that failed at it.
        by: String,
    },
}

impl PartResult {
    /// Reads an outcome. Unreadable bytes give a result without object and signature, which does not count: the part
    /// is done again.
    pub fn read(bytes: &[u8]) -> PartResult {
        serde_json::from_slice(bytes).unwrap_or_else(|_| {
            let [object, file, by, key, signature] = Default::default();
            PartResult::Done { object, file, by, key, signature }
        })
    }
}

/// An object that cannot be used: asking the server again does not help.
#[derive(Debug, thiserror::Error)]
#[error("object '{name}' {why}")]
pub struct UnfitObject {
    name: String,
    why: String,
}

/// A value of the bucket.
#[derive(Debug)]
pub struct BucketEntry {
    /// Its key.
    pub key: String,
    /// The last word of its key.
    pub name: String,
    /// Its bytes.
    pub value: Vec<u8>,
    /// When it was written, in seconds by the server's clock.
    pub written: f64,
}

/// The pool, as the server knows it.
#[derive(Clone)]
pub struct ClusterPool {
    jetstream: Context,
    queue: Stream,
    state: kv::Store,
    objects: ObjectStore,
}

impl ClusterPool {
    /// Connects, and creates the stream, the bucket and the object store if they are missing.
    ///
    /// # Errors
    /// If there is no server, it refuses, or has no JetStream.
    pub async fn open(link: &Link) -> anyhow::Result<ClusterPool> {
        let (client, domain) = link.connect().await?;
        let mut jetstream = match domain {
            Some(domain) => jetstream::with_domain(client, domain),
            None => jetstream::new(client),
        };
        jetstream.set_timeout(SERVER_TIMEOUT);
        let replicas = usize::from(link.replicas);
        let queue = match jetstream.get_stream(QUEUE).await {
            Ok(queue) => queue,
            Err(_) => jetstream
                .create_stream(stream::Config {
                    name: QUEUE.into(),
                    subjects: vec!["kaeshi.work.>".into()],
                    retention: RetentionPolicy::WorkQueue,
                    num_replicas: replicas,
                    ..stream::Config::default()
                })
                .await
                .context("the server has no JetStream for us (nats-server needs -js)")?,
        };
        let state = match jetstream.get_key_value(BUCKET).await {
            Ok(state) => state,
            Err(_) => {
                // The client's own way of making buckets asks what servers before 2.10 cannot answer.
                let config = stream::Config {
                    name: format!("KV_{BUCKET}"),
                    subjects: vec![format!("$KV.{BUCKET}.>")],
                    max_messages_per_subject: 1,
                    discard: DiscardPolicy::New,
                    allow_rollup: true,
                    deny_delete: true,
                    allow_direct: true,
                    num_replicas: replicas,
                    ..stream::Config::default()
                };
                jetstream.create_stream(config).await?;
                jetstream.get_key_value(BUCKET).await?
            }
        };
        let objects = match jetstream.get_object_store(BUCKET).await {
            Ok(objects) => objects,
            Err(_) => {
                let config = object_store::Config {
                    bucket: BUCKET.into(),
                    num_replicas: replicas,
                    ..object_store::Config::default()
                };
                jetstream.create_object_store(config).await?
            }
        };
        Ok(ClusterPool { jetstream, queue, state, objects })
    }

    /// The consumer that all workers of a queue share: one for each build and priority.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn consumer(&self, queue: &str) -> anyhow::Result<PullConsumer> {
        let name = format!("workers-{queue}");
        let config = pull::Config {
            durable_name: Some(name.clone()),
            filter_subject: format!("kaeshi.work.{queue}.>"),
            ack_policy: AckPolicy::Explicit,
            ack_wait: LEASE,
            max_ack_pending: MAX_WORKERS,
            max_waiting: MAX_WORKERS,
            ..pull::Config::default()
        };
        Ok(self.queue.get_or_create_consumer(&name, config).await?)
    }

    /// The job called `name`.
    ///
    /// # Errors
    /// If the server refuses, or the job is of another version.
    pub async fn job(&self, name: &str) -> anyhow::Result<Option<ClusterJob>> {
        let Some(bytes) = self.state.get(format!("jobs.{name}")).await? else { return Ok(None) };
        let job: ClusterJob =
            serde_json::from_slice(&bytes).with_context(|| format!("job '{name}' of another version"))?;
        if job.v != SCHEMA {
            bail!("job '{name}' has schema {}; this program knows {SCHEMA}", job.v);
        }
        job.check_parts()?;
        Ok(Some(job))
    }

    /// Whether a job is still there, and not another one of its name.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn has(&self, job: &ClusterJob) -> anyhow::Result<bool> {
        Ok(self.job(&job.name).await?.is_some_and(|there| there.id == job.id))
    }

    /// Names of all jobs.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn names(&self) -> anyhow::Result<Vec<String>> {
        let prefix = format!("{}jobs.", self.state.prefix);
        let subjects = subjects(&self.state.stream, &format!("{prefix}>")).await?;
        Ok(subjects.iter().filter_map(|subject| subject.strip_prefix(&prefix)).map(String::from).collect())
    }

    /// Makes a job known.
    ///
    /// # Errors
    /// If its name is taken, or the server refuses.
    pub async fn create(&self, job: &ClusterJob) -> anyhow::Result<()> {
        let key = format!("jobs.{}", job.name);
        match self.state.create(&key, serde_json::to_vec(job)?.into()).await {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == CreateErrorKind::AlreadyExists => {
                bail!("there is a job '{}' already; `kaeshi cluster remove` makes room", job.name)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Publishes no part any more, takes back those in the queue, and asks workers to give up.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn close(&self, job: &ClusterJob) -> anyhow::Result<()> {
        // A collector may close a job late; one that was removed meanwhile must not come back.
        if self.has(job).await? {
            let closed = ClusterJob { closed: true, ..job.clone() };
            self.state.put(format!("jobs.{}", job.name), serde_json::to_vec(&closed)?.into()).await?;
        }
        self.queue.purge().filter(format!("kaeshi.work.{}.{}.*", job.queue(), job.id)).await?;
        Ok(())
    }

    /// Lets workers go on with a job that was closed.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn reopen(&self, job: ClusterJob) -> anyhow::Result<ClusterJob> {
        let open = ClusterJob { closed: false, ..job };
        self.state.put(format!("jobs.{}", open.name), serde_json::to_vec(&open)?.into()).await?;
        Ok(open)
    }

    /// Forgets a job and everything that belongs to it.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn remove(&self, job: &ClusterJob) -> anyhow::Result<()> {
        self.close(job).await?;
        let ours = format!("{}/", job.id);
        let mut needed = BTreeSet::new();
        for name in self.names().await?.iter().filter(|name| **name != job.name) {
            if let Some(other) = self.job(name).await? {
                needed.extend(other.task.contents().map(|hash| format!("{CONTENT}{hash}")));
            }
        }
        let old = SystemTime::now() - KEPT;
        let all: Vec<_> = self.objects.list().await?.try_collect().await?;
        let is_left = |object: &object_store::ObjectInfo| {
            let is_old = object.modified.is_some_and(|modified| SystemTime::from(modified) < old);
            object.name.starts_with(CONTENT) && !needed.contains(&object.name) && is_old
        };
        for object in all.iter().filter(|object| object.name.starts_with(&ours) || is_left(object)) {
            self.objects.delete(&object.name).await?;
        }
        let prefix = &self.state.prefix;
        self.state.stream.purge().filter(format!("{prefix}parts.{}.*", job.id)).await?;
        self.state.stream.purge().filter(format!("{prefix}tries.{}.>", job.id)).await?;
        self.state.stream.purge().filter(format!("{prefix}declined.{}.*", job.id)).await?;
        self.state.stream.purge().filter(format!("{prefix}steps.{}.*", job.id)).await?;
        self.state.stream.purge().filter(format!("{prefix}jobs.{}", job.name)).await?;
        Ok(())
    }

    /// Parts that are in the queue or in a worker's hand.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn queued(&self, job: &ClusterJob) -> anyhow::Result<BTreeSet<u64>> {
        let prefix = format!("kaeshi.work.{}.{}.", job.queue(), job.id);
        Ok(numbers(subjects(&self.queue, &format!("{prefix}*")).await?, &prefix))
    }

    /// Parts with an outcome.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn settled(&self, job: &ClusterJob) -> anyhow::Result<BTreeSet<u64>> {
        let prefix = format!("{}parts.{}.", self.state.prefix, job.id);
        Ok(numbers(subjects(&self.state.stream, &format!("{prefix}*")).await?, &prefix))
    }

    /// Puts parts into the queue.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn publish(&self, job: &ClusterJob, parts: impl Iterator<Item = u64>) -> anyhow::Result<()> {
        let mut waiting = Vec::new();
        for part in parts {
            let subject = format!("kaeshi.work.{}.{}.{part}", job.queue(), job.id);
            let mut message = PublishMessage::build().payload(job.name.clone().into());
            // The server drops a message whose number it has seen in the last minutes. A repetition may be wanted
            // again by then: after a lie its part is done anew.
            if part < job.parts {
                message = message.message_id(format!("{}.{part}", job.id));
            }
            waiting.push(self.jetstream.send_publish(subject, message).await?);
            if waiting.len() >= BATCH {
                for acknowledgement in waiting.drain(..) {
                    acknowledgement.await?;
                }
            }
        }
        for acknowledgement in waiting {
            acknowledgement.await?;
        }
        Ok(())
    }

    /// Notes what parts need.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn offer(&self, job: &ClusterJob, number: u64, text: &str) -> anyhow::Result<()> {
        self.put(&format!("steps.{}", job.id), &number.to_string(), text.into()).await
    }

    /// What parts need that [`ClusterPool::offer`] has noted under this number.
    ///
    /// # Errors
    /// If there is nothing, or the server refuses.
    pub async fn input(&self, job: &ClusterJob, number: u64) -> anyhow::Result<Vec<u8>> {
        let input = self.value(&format!("steps.{}", job.id), &number.to_string()).await?;
        input.with_context(|| format!("there is no input {number} of '{}'", job.name))
    }

    /// What came of a part, if something did.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn outcome(&self, job: &ClusterJob, part: u64) -> anyhow::Result<Option<PartResult>> {
        let bytes = self.state.get(format!("parts.{}.{part}", job.id)).await?;
        Ok(bytes.map(|bytes| PartResult::read(&bytes)))
    }

    /// Notes what came of a part, unless another worker was first; whether ours counts.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn settle(&self, job: &ClusterJob, part: u64, outcome: &PartResult) -> anyhow::Result<bool> {
        let key = format!("parts.{}.{part}", job.id);
        match self.state.create(&key, serde_json::to_vec(outcome)?.into()).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == CreateErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Forgets what came of these numbers, and the failures at them, and hands them out anew.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn redo(&self, job: &ClusterJob, part: u64, forget: &[u64]) -> anyhow::Result<()> {
        for number in forget {
            for keys in [format!("parts.{}.{number}", job.id), format!("tries.{}.{number}.*", job.id)] {
                self.state.stream.purge().filter(format!("{}{keys}", self.state.prefix)).await?;
            }
        }
        // The server drops a message whose number it has just seen, so this one has another.
        let subject = format!("kaeshi.work.{}.{}.{part}", job.queue(), job.id);
        let message = PublishMessage::build().payload(job.name.clone().into());
        self.jetstream.send_publish(subject, message).await?.await?;
        Ok(())
    }

    /// Notes why a worker could not do a part.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn note_failure(
        &self,
        job: &ClusterJob,
        part: u64,
        by: &str,
        reason: &str,
    ) -> anyhow::Result<()> {
        self.put(&format!("tries.{}.{part}", job.id), by, reason.into()).await
    }

    /// The workers that could not do a part, with their reasons.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn failures(&self, job: &ClusterJob, part: u64) -> anyhow::Result<BTreeMap<String, String>> {
        self.texts(&format!("tries.{}.{part}.*", job.id)).await
    }

    /// All failures at parts of a job: number, worker, reason.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn attempts(&self, job: &ClusterJob) -> anyhow::Result<Vec<(u64, String, String)>> {
        let entries = self.entries(&format!("tries.{}.>", job.id)).await?;
        let attempt = |entry: BucketEntry| {
            let part = entry.key.rsplit('.').nth(1)?.parse().ok()?;
            Some((part, entry.name, String::from_utf8_lossy(&entry.value).into_owned()))
        };
        Ok(entries.into_iter().filter_map(attempt).collect())
    }

    /// Notes why a worker will not do the parts of a job.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn decline(&self, job: &ClusterJob, by: &str, reason: &str) -> anyhow::Result<()> {
        self.put(&format!("declined.{}", job.id), by, reason.into()).await
    }

    /// The workers that will not do the parts of a job, with their reasons.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn declined(&self, job: &ClusterJob) -> anyhow::Result<BTreeMap<String, String>> {
        self.texts(&format!("declined.{}.*", job.id)).await
    }

    async fn texts(&self, filter: &str) -> anyhow::Result<BTreeMap<String, String>> {
        let text = |value: Vec<u8>| String::from_utf8_lossy(&value).into_owned();
        Ok(self.entries(filter).await?.into_iter().map(|entry| (entry.name, text(entry.value))).collect())
    }

    /// Writes a value under `kind.name`.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn put(&self, kind: &str, name: &str, value: Vec<u8>) -> anyhow::Result<()> {
        self.state.put(format!("{kind}.{name}"), value.into()).await?;
        Ok(())
    }

    /// The value under `kind.name`, if there is one.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn value(&self, kind: &str, name: &str) -> anyhow::Result<Option<Vec<u8>>> {
        Ok(self.state.get(format!("{kind}.{name}")).await?.map(Vec::from))
    }

    /// Takes the value under `kind.name` back: a mark is left, for workers must not purge the bucket.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn take_back(&self, kind: &str, name: &str) -> anyhow::Result<()> {
        Ok(self.state.delete(format!("{kind}.{name}")).await?)
    }

    /// The values whose keys match `filter`.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn entries(&self, filter: &str) -> anyhow::Result<Vec<BucketEntry>> {
        let mut found = Vec::new();
        if subjects(&self.state.stream, &format!("{}{filter}", self.state.prefix)).await?.is_empty() {
            return Ok(found);
        }
        let mut values = self.state.watch_with_history(filter.to_owned()).await?;
        // Values that were taken away in between leave the last ones waiting for.
        while let Ok(Some(entry)) = tokio::time::timeout(SERVER_TIMEOUT, values.next()).await {
            let entry = entry?;
            if entry.operation == kv::Operation::Put {
                found.push(BucketEntry {
                    name: entry.key.rsplit('.').next().unwrap_or_default().to_owned(),
                    value: entry.value.to_vec(),
                    written: entry.created.unix_timestamp_nanos() as f64 / 1e9,
                    key: entry.key,
                });
            }
            if entry.delta == 0 {
                break;
            }
        }
        Ok(found)
    }

    /// Waits until some part gets an outcome.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn watch(&self, job: &ClusterJob) -> anyhow::Result<kv::Watch> {
        Ok(self.state.watch(format!("parts.{}.*", job.id)).await?)
    }

    /// Stores a file under `id/name` and something unique; the object's name.
    ///
    /// # Errors
    /// If it is too large, cannot be read, or the server refuses.
    pub async fn store(&self, id: &str, name: &str, file: std::fs::File) -> anyhow::Result<String> {
        let bytes = file.metadata()?.len();
        if bytes > MAX_OBJECT_BYTES as u64 {
            bail!("{bytes} bytes are too many; {MAX_OBJECT_BYTES} may travel at once");
        }
        let object = format!("{id}/{name}-{}", unique());
        self.objects.put(&*object, &mut tokio::fs::File::from_std(file)).await?;
        Ok(object)
    }

    /// Stores a file under its SHA-256, unless it is there.
    ///
    /// # Errors
    /// As [`ClusterPool::store`].
    pub async fn store_content(&self, hash: &str, path: &std::path::Path) -> anyhow::Result<()> {
        let about = || format!("cannot read {}", path.display());
        let file = files::open(path).with_context(about)?;
        let bytes = file.metadata().with_context(about)?.len();
        if bytes > MAX_BYTES {
            bail!(
                "{} has {bytes} bytes; a file that travels by its content has at most {MAX_BYTES}",
                path.display()
            );
        }
        let name = format!("{CONTENT}{hash}");
        if self.objects.info(&*name).await.is_ok_and(|info| !info.deleted && info.size as u64 == bytes) {
            return Ok(());
        }
        self.objects.put(&*name, &mut tokio::fs::File::from_std(file)).await?;
        Ok(())
    }

    /// The file with this SHA-256.
    ///
    /// # Errors
    /// As [`ClusterPool::fetch`]; and if it is another one.
    pub async fn content(&self, hash: &str) -> anyhow::Result<Vec<u8>> {
        let bytes = self.fetch(&format!("{CONTENT}{hash}")).await?;
        let found = hash_bytes(&bytes);
        if found != hash {
            bail!("the server has another file under the SHA-256 {hash}: its own is {found}");
        }
        Ok(bytes)
    }

    /// Stores the files of a job.
    ///
    /// # Errors
    /// As [`ClusterPool::store`].
    pub async fn store_files(&self, job: &ClusterJob, file: std::fs::File) -> anyhow::Result<()> {
        self.objects.put(&*format!("{}/files", job.id), &mut tokio::fs::File::from_std(file)).await?;
        Ok(())
    }

    /// The archive with the files of a job.
    ///
    /// # Errors
    /// As [`ClusterPool::fetch`].
    pub async fn files(&self, job: &ClusterJob) -> anyhow::Result<Vec<u8>> {
        self.fetch(&format!("{}/files", job.id)).await
    }

    /// The content of an object; its digest is checked.
    ///
    /// # Errors
    /// [`UnfitObject`], or the server refuses.
    pub async fn fetch(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        let unfit = |why: String| UnfitObject { name: name.to_owned(), why };
        let mut object = match self.objects.get(name).await {
            Ok(object) => object,
            Err(error) if matches!(error.kind(), GetErrorKind::NotFound | GetErrorKind::InvalidName) => {
                bail!(unfit("is not there".into()))
            }
            Err(error) => return Err(anyhow!(error).context(format!("object '{name}'"))),
        };
        let size = object.info().size;
        if size > MAX_OBJECT_BYTES {
            bail!(unfit(format!("has {size} bytes; {MAX_OBJECT_BYTES} may travel at once")));
        }
        // The size is what its sender states: memory is taken for what comes.
        let mut bytes = Vec::with_capacity(size.min(1 << 20));
        loop {
            match tokio::time::timeout(SERVER_TIMEOUT, object.read_buf(&mut bytes)).await {
                Ok(Ok(0)) => return Ok(bytes),
                Ok(Ok(_)) if bytes.len() > size => bail!(unfit(format!("has more than its {size} bytes"))),
                Ok(Ok(_)) => {}
                Ok(Err(error)) if error.kind() == ErrorKind::InvalidData => {
                    bail!(unfit(format!("is damaged: {error}")))
                }
                Ok(Err(error)) => return Err(anyhow!(error).context(format!("object '{name}'"))),
                Err(_) => bail!(unfit("does not come to its end".into())),
            }
        }
    }
}

/// Subjects of a stream that match `filter`.
async fn subjects(stream: &Stream, filter: &str) -> anyhow::Result<Vec<String>> {
    let found: Vec<(String, usize)> = stream.info_with_subjects(filter).await?.try_collect().await?;
    Ok(found.into_iter().map(|(subject, _)| subject).collect())
}

fn numbers(subjects: Vec<String>, prefix: &str) -> BTreeSet<u64> {
    subjects.iter().filter_map(|subject| subject.strip_prefix(prefix)?.parse().ok()).collect()
}

/// Something that no other call gives, on any machine, as far as clocks and process numbers go.
pub fn unique() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{:x}", now.as_nanos(), std::process::id())
}

/// An error of the acknowledging functions, which are boxed.
pub fn boxed(error: async_nats::Error) -> anyhow::Error {
    anyhow!(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_that_cannot_be_read_is_a_result_without_a_signature() {
        let failed = PartResult::Failed { reason: "no disk".into(), by: "a=B".into() };
        assert_eq!(PartResult::read(&serde_json::to_vec(&failed).unwrap()), failed);
        for bytes in [&b""[..], b"\xff", b"{}", br#"{"done":{"object":1}}"#, br#"{"lost":{}}"#] {
            let PartResult::Done { object, by, signature, .. } = PartResult::read(bytes) else {
                panic!("{}", bytes.escape_ascii())
            };
            assert_eq!((object, by, signature), Default::default());
        }
    }
}
