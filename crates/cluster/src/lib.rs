//! `kaeshi cluster`: analysis, matches, tuning and self-play by a pool of machines over NATS JetStream.
//!
//! ```no_run
//! use clap::Parser;
//!
//! #[derive(Parser)]
//! struct Line {
//!     #[command(flatten)]
//!     cluster: kaeshi_cluster::ClusterArgs,
//! }
//!
//! // Takes parts of jobs from the pool at $NATS_URL, and does them on four threads.
//! Line::try_parse_from(["cluster", "worker", "--threads", "4"])?.cluster.run()?;
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! A `Job` is a command that would run locally, cut into numbered parts. Workers run the
//! same program's local command on one part after the other; the collector puts the results
//! together as the local command would have written them. Beside the parts nothing is stored twice:
//!
//! | what | where | why nothing is lost |
//! |---|---|---|
//! | parts to do | a work-queue stream, one subject each | handed out again unless acknowledged; lease kept up while running |
//! | jobs, steps of tunings, outcomes of parts | a key-value bucket | the first outcome of a part counts; acknowledged only after it is there |
//! | inputs, results | an object store | checked by digest; weights and programs lie under their SHA-256, once |
//!
//! What is still to publish follows from queue and outcomes, so a collector keeps no state.
//!
//! | file | what lies there |
//! |---|---|
//! | `job` | what is submitted, and the local command for one part of it |
//! | `context`, `pool` | connection and credentials; stream, bucket and object store |
//! | `submit`, `worker`, `collect`, `status` | the commands |
//! | `engines` | engines by content, and what a worker's owner allows |
//! | `crew` | what workers say of themselves, and quarantine |
//! | `worker_key`, `acquaintance` | the keys of workers; whose results count without a confirmation |
//! | `repeat` | which parts a second worker repeats, and whether it came to the same |
//! | `page` | the same as `status` for the browser |
//! | `metrics` | the same as `status` for Prometheus |
//! | `speed` | clocks by the speed of the machine |
//! | `permitted` | options and paths that a job may name |
//! | `part`, `gather`, `gathering` | one part as a child process; results made one |
//! | `match_check` | what a worker says of the games of a match, checked by schedule and rules |
//! | `cut`, `tuning` | how the pairs of a tuning are cut into parts, and how its steps follow from them |

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

use clap::Subcommand;

mod acquaintance;
mod collect;
mod context;
mod crew;
mod cut;
mod engines;
mod gather;
mod gathering;
#[cfg(test)]
mod growth;
mod job;
mod match_check;
mod metrics;
mod page;
mod part;
mod permitted;
mod pool;
mod repeat;
mod speed;
mod status;
mod submit;
mod tuning;
mod worker;
mod worker_key;

use context::Link;
use pool::ClusterPool;

/// Have a pool of machines work over NATS JetStream: analysis, matches, tuning, self-play.
#[derive(Debug, clap::Args)]
pub struct ClusterArgs {
    #[command(flatten)]
    link: Link,
    #[command(subcommand)]
    command: ClusterCommand,
}

#[derive(Debug, Subcommand)]
enum ClusterCommand {
    Submit(submit::SubmitArgs),
    Worker(worker::WorkerArgs),
    Status(status::StatusArgs),
    Collect(collect::CollectArgs),
    Page(page::PageArgs),
    Metrics(metrics::MetricsArgs),
    Pardon(crew::PardonArgs),
    Trust(crew::TrustArgs),
    Remove(submit::RemoveArgs),
}

impl ClusterArgs {
    /// Whether it does parts of the work of others.
    pub fn is_worker(&self) -> bool {
        matches!(self.command, ClusterCommand::Worker(_))
    }

    /// Does what was asked.
    ///
    /// # Errors
    /// Wrong usage, a server that cannot be reached or refuses, files that cannot be read or written.
    pub fn run(self) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let pool = ClusterPool::open(&self.link).await?;
            match self.command {
                ClusterCommand::Submit(args) => args.run(&pool).await,
                ClusterCommand::Worker(args) => args.run(pool).await,
                ClusterCommand::Status(args) => args.run(&pool).await,
                ClusterCommand::Collect(args) => args.run(&pool).await,
                ClusterCommand::Page(args) => args.run(&pool).await,
                ClusterCommand::Metrics(args) => args.run(&pool).await,
                ClusterCommand::Pardon(args) => args.run(&pool).await,
                ClusterCommand::Trust(args) => args.run(&pool).await,
                ClusterCommand::Remove(args) => args.run(&pool).await,
            }
        })
    }
}
