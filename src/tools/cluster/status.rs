//! `kaeshi cluster status`.

use serde_json::json;

use super::pool::{Outcome, Pool};

/// Show works and workers.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this work, with its failed parts
    name: Option<String>,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Shows what there is.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn run(self, pool: &Pool) -> anyhow::Result<()> {
        let names = match &self.name {
            Some(name) => vec![name.clone()],
            None => pool.names().await?,
        };
        for name in names {
            let Some(work) = pool.work(&name).await? else { anyhow::bail!("there is no work '{name}'") };
            let queued = pool.queued(&work).await?.len();
            // Numbers behind those of all parts are repetitions.
            let settled = pool.settled(&work).await?;
            let settled: Vec<u64> = settled.into_iter().filter(|&part| part < work.parts).collect();
            let mut failed = Vec::new();
            if self.name.is_some() {
                for &part in &settled {
                    if let Some(Outcome::Failed { reason, by }) = pool.outcome(&work, part).await? {
                        failed.push(json!({"part": part, "by": by, "reason": reason}));
                    }
                }
            }
            if self.json {
                let line = json!({
                    "name": work.name, "kind": work.task.kind(), "parts": work.parts, "settled": settled.len(),
                    "queued": queued, "closed": work.closed, "build": work.build, "failed": failed,
                });
                println!("{line}");
                continue;
            }
            let end = if work.closed { ", closed" } else { "" };
            println!(
                "{name}: {}, {} of {} parts settled, {queued} queued or in hand{end}, build {}",
                work.task.kind(),
                settled.len(),
                work.parts,
                work.build
            );
            for failure in failed {
                println!("  {failure}");
            }
        }
        if self.name.is_none() {
            for (build, [in_hand, waiting, idle]) in pool.crews().await? {
                if self.json {
                    println!(
                        "{}",
                        json!({"build": build, "in_hand": in_hand, "waiting": waiting, "idle": idle})
                    );
                } else {
                    println!(
                        "workers of build {build}: {in_hand} parts in hand, {waiting} waiting, {idle} idle"
                    );
                }
            }
        }
        Ok(())
    }
}
