//! `kaeshi cluster metrics`: the pool for Prometheus, in its text format.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::crew::{Member, members};
use super::pool::ClusterPool;
use super::status::JobProgress;
use kaeshi_report::web::http::{self, HttpRequest, HttpResponse};
use kaeshi_report::web::{Guard, Site, bind, reachable, serve};
use kaeshi_system::output::remark;

/// The server is asked so often.
const EVERY: Duration = Duration::from_secs(15);
/// The usual port.
const PORT: u16 = 9464;

/// Serve the state of the pool for Prometheus, at /metrics.
#[derive(Debug, clap::Args)]
pub struct MetricsArgs {
    /// Where to listen; everybody who reaches another address than the loopback's is answered
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    ip: IpAddr,
    /// Where to listen
    #[arg(long, default_value_t = PORT)]
    port: u16,
}

struct Metrics {
    guard: Guard,
    text: Mutex<String>,
}

impl Site for Metrics {
    fn guard(&self) -> &Guard {
        &self.guard
    }

    fn answer(&self, stream: &mut TcpStream, request: &HttpRequest) {
        let response = if request.path == "/metrics" {
            HttpResponse::ok("text/plain; version=0.0.4; charset=utf-8", self.text.lock().clone())
        } else {
            HttpResponse::refusal(404, "there is only /metrics")
        };
        if let Err(error) = http::send(stream, &response) {
            log::debug!("metrics were not taken: {error}");
        }
    }
}

impl MetricsArgs {
    /// Serves until it is ended.
    ///
    /// # Errors
    /// If the address cannot be had.
    pub async fn run(self, pool: &ClusterPool) -> anyhow::Result<()> {
        let listener = bind(self.ip, Some(self.port), self.port)?;
        let address = listener.local_addr()?;
        let site = Arc::new(Metrics { guard: Guard::new(address, None), text: Mutex::new(text(&[], None)) });
        *site.text.lock() = read(pool).await;
        let answering = Arc::clone(&site);
        kaeshi_core::threads::spawn_free(move || serve(&answering, &listener))?;
        remark(format_args!("metrics: http://{}/metrics", reachable(address)));
        loop {
            tokio::time::sleep(EVERY).await;
            let now = read(pool).await;
            *site.text.lock() = now;
        }
    }
}

/// What the server says now; that it says nothing, if it does not.
async fn read(pool: &ClusterPool) -> String {
    let ask = async {
        let mut jobs = Vec::new();
        for name in pool.names().await? {
            if let Some(job) = pool.job(&name).await? {
                jobs.push((name, job.parts, JobProgress::of(pool, &job).await?));
            }
        }
        anyhow::Ok((jobs, members(pool).await?))
    };
    match ask.await {
        Ok((jobs, members)) => text(&jobs, Some(&members)),
        Err(error) => {
            log::warn!("the server does not answer: {error:#}");
            text(&[], None)
        }
    }
}

/// A label with its value, as Prometheus quotes it: the server has names that no program of ours has checked.
fn label(name: &str, value: &str) -> String {
    let value = value.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n");
    format!("{{{name}=\"{value}\"}}")
}

/// The text of all metrics.
fn text(jobs: &[(String, u64, JobProgress)], members: Option<&[Member]>) -> String {
    let mut out = String::new();
    let mut metric = |name: &str, kind: &str, help: &str, values: Vec<(String, f64)>| {
        let _ = writeln!(out, "# HELP kaeshi_{name} {help}\n# TYPE kaeshi_{name} {kind}");
        for (labels, value) in values {
            let _ = writeln!(out, "kaeshi_{name}{labels} {value}");
        }
    };
    let up = if members.is_some() { 1.0 } else { 0.0 };
    metric("server_up", "gauge", "Whether the NATS server answers.", vec![(String::new(), up)]);
    let jobs = |value: fn(u64, &JobProgress) -> u64| -> Vec<_> {
        let line = |(name, parts, counts): &(String, u64, JobProgress)| {
            (label("job", name), value(*parts, counts) as f64)
        };
        jobs.iter().map(line).collect()
    };
    metric("job_parts", "gauge", "Parts of a job.", jobs(|parts, _| parts));
    metric("job_settled", "gauge", "Parts with an outcome.", jobs(|_, counts| counts.settled));
    metric("job_queued", "gauge", "Parts that wait or are in hand.", jobs(|_, counts| counts.queued));
    let workers = |value: fn(&Member) -> f64| -> Vec<_> {
        let line = |member: &Member| (label("worker", &member.name), value(member));
        members.unwrap_or_default().iter().filter(|member| member.silent < i64::MAX).map(line).collect()
    };
    metric("worker_done_total", "counter", "Parts that a worker did.", workers(|one| one.report.done as f64));
    metric(
        "worker_failed_total",
        "counter",
        "Attempts that failed.",
        workers(|one| one.report.failed as f64),
    );
    metric("worker_seconds_total", "counter", "Time for parts.", workers(|one| one.report.seconds));
    metric("worker_busy", "gauge", "Parts in hand.", workers(|one| one.report.busy.len() as f64));
    metric("worker_silent_seconds", "gauge", "Time since it spoke.", workers(|one| one.silent as f64));
    metric(
        "worker_quarantined",
        "gauge",
        "1 in quarantine.",
        workers(|one| f64::from(u8::from(one.barred.is_some()))),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::super::acquaintance::Acquaintance;
    use super::super::crew::WorkerReport;
    use super::*;

    #[test]
    fn prometheus_reads_every_line() {
        let report = WorkerReport { done: 7, seconds: 1.5, ..WorkerReport::default() };
        let members = [Member {
            name: "host-1".into(),
            report,
            silent: 3,
            barred: None,
            known: Acquaintance::default(),
        }];
        let jobs = [("night".to_owned(), 10, JobProgress { settled: 4, queued: 6 })];
        let text = text(&jobs, Some(&members));
        for line in [
            "kaeshi_server_up 1",
            "kaeshi_job_settled{job=\"night\"} 4",
            "kaeshi_worker_done_total{worker=\"host-1\"} 7",
            "kaeshi_worker_seconds_total{worker=\"host-1\"} 1.5",
            "kaeshi_worker_quarantined{worker=\"host-1\"} 0",
        ] {
            assert!(text.lines().any(|there| there == line), "{line} is not in\n{text}");
        }
        let value = |line: &str| line.rsplit(' ').next().is_some_and(|value| value.parse::<f64>().is_ok());
        assert!(text.lines().filter(|line| !line.starts_with('#')).all(value));
        assert!(super::text(&[], None).contains("kaeshi_server_up 0"));
        assert_eq!(label("worker", "a\"b\\c\nd"), r#"{worker="a\"b\\c\nd"}"#);
    }
}
