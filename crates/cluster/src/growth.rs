//! How many parts a second go through a server, by the number of workers: `.ci/cluster --growth`.

use std::time::{Duration, Instant};

use clap::{Args as _, FromArgMatches as _};

use super::context::Link;
use super::job::{ClusterJob, JobKind, JobPriority, SCHEMA};
use super::pool::{ClusterPool, PartResult, boxed, unique};
use futures_util::StreamExt as _;

/// So long for each number of workers.
const TIME: Duration = Duration::from_secs(8);
/// Parts for each number of workers: more than are done in the time.
const PARTS: u64 = 30_000;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

async fn pool() -> ClusterPool {
    let matches = Link::augment_args(clap::Command::new("pool")).get_matches_from(["pool"]);
    ClusterPool::open(&Link::from_arg_matches(&matches).unwrap()).await.unwrap()
}

/// What a worker asks of the server for one part, without the part.
async fn idle(job: &ClusterJob, end: Instant) -> anyhow::Result<()> {
    let pool = pool().await;
    let consumer = pool.consumer(&job.queue()).await?;
    while Instant::now() < end {
        let mut batch = consumer.batch().max_messages(1).expires(Duration::from_secs(1)).messages().await?;
        let Some(message) = batch.next().await.transpose().map_err(boxed)? else { continue };
        let part: u64 = message.subject.rsplit('.').next().unwrap_or_default().parse()?;
        assert!(pool.job(&job.name).await?.is_some());
        assert!(pool.outcome(job, part).await?.is_none());
        let file = tempfile::tempfile()?;
        let object = pool.store(&job.id, &format!("part-{part}"), file).await?;
        let outcome = PartResult::Done {
            object,
            file: String::new(),
            by: "idle".into(),
            key: String::new(),
            signature: String::new(),
        };
        assert!(pool.settle(job, part, &outcome).await?);
        message.double_ack().await.map_err(boxed)?;
    }
    Ok(())
}

#[test]
#[ignore = "needs a server; .ci/cluster --growth runs it"]
fn parts_a_second() {
    for workers in [1, 10, 100] {
        let id = unique();
        let task = JobKind::Selfplay { words: Vec::new() };
        let (name, build) = (format!("growth-{workers}"), format!("growth{workers}"));
        let job = ClusterJob {
            v: SCHEMA,
            name,
            id,
            build,
            priority: JobPriority::default(),
            task,
            parts: PARTS,
            ahead: PARTS,
            speed: None,
            files: false,
            closed: false,
        };
        let runtime = runtime();
        let pool = runtime.block_on(pool());
        runtime.block_on(async {
            pool.create(&job).await.unwrap();
            pool.publish(&job, 0..PARTS).await.unwrap();
        });
        let begun = Instant::now();
        let end = begun + TIME;
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| self::runtime().block_on(idle(&job, end)).unwrap());
            }
        });
        runtime.block_on(async {
            let outcomes = pool.entries(&format!("parts.{}.*", job.id)).await.unwrap();
            let written = || outcomes.iter().map(|outcome| outcome.written);
            let seconds = written().fold(0.0, f64::max) - written().fold(f64::INFINITY, f64::min);
            println!("{workers} workers: {:.0} parts a second", outcomes.len() as f64 / seconds);
            pool.remove(&job).await.unwrap();
        });
    }
}
