//! `kaeshi cluster page`: the pool on a page for the browser. Nothing can be changed there.

use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use maud::{Markup, html};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::crew::{Member, members};
use super::job::ClusterJob;
use super::pool::ClusterPool;
use super::status::{Details, JobProgress, span, state, worker_json};
use kaeshi_report::document::Document;
use kaeshi_report::page_info::looks;
use kaeshi_report::text::Text;
use kaeshi_report::web::http::{self, HttpRequest, HttpResponse};
use kaeshi_report::web::{Guard, Site, bind, open_browser, reachable, serve};
use kaeshi_system::output::{print, remark};

/// The server is asked so often, and the page loads itself anew.
const EVERY: Duration = Duration::from_secs(5);
/// The usual port.
const PORT: u16 = 4392;
/// Failed parts and attempts that are shown of a job.
const SHOWN: usize = 20;

/// Watch the pool in the browser: queue, rates, workers and failures; nothing is changed
#[derive(Debug, clap::Args)]
pub struct PageArgs {
    /// Where to listen; everybody who reaches another address than the loopback's is answered
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    ip: IpAddr,
    /// The port [default: 4392, or another one if it is taken]
    #[arg(long)]
    port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

/// What the server says of a job.
struct JobState {
    job: ClusterJob,
    counts: JobProgress,
    details: Details,
}

/// What the server says.
struct PoolState {
    jobs: Vec<JobState>,
    members: Vec<Member>,
}

/// The page and the same as JSON.
struct Content {
    page: String,
    status: String,
}

struct PoolPage {
    guard: Guard,
    content: Mutex<Content>,
}

impl Site for PoolPage {
    fn guard(&self) -> &Guard {
        &self.guard
    }

    fn answer(&self, stream: &mut TcpStream, request: &HttpRequest) {
        let response = match request.path.as_str() {
            "/" => HttpResponse::ok("text/html; charset=utf-8", self.content.lock().page.clone()),
            "/status.json" => HttpResponse::ok("application/json", self.content.lock().status.clone()),
            _ => HttpResponse::refusal(404, "there are only / and /status.json"),
        };
        if let Err(error) = http::send(stream, &response) {
            log::debug!("the page was not taken: {error}");
        }
    }
}

impl PageArgs {
    /// Shows the pool until the program is interrupted.
    ///
    /// # Errors
    /// No port.
    pub async fn run(self, pool: &ClusterPool) -> anyhow::Result<()> {
        let listener = bind(self.ip, self.port, PORT)?;
        let address = listener.local_addr()?;
        let content = Mutex::new(read(pool).await);
        let site = Arc::new(PoolPage { guard: Guard::new(address, None), content });
        let answering = Arc::clone(&site);
        kaeshi_core::threads::spawn_free(move || serve(&answering, &listener))?;
        let link = format!("http://{}/", reachable(address));
        print(&link)?;
        if !self.no_open && !open_browser(&link) {
            remark("No browser was found: open the address above in one.");
        }
        loop {
            tokio::time::sleep(EVERY).await;
            let now = read(pool).await;
            *site.content.lock() = now;
        }
    }
}

async fn read(pool: &ClusterPool) -> Content {
    let ask = async {
        let mut jobs = Vec::new();
        for name in pool.names().await? {
            if let Some(job) = pool.job(&name).await? {
                let (counts, details) = (JobProgress::of(pool, &job).await?, Details::of(pool, &job).await?);
                jobs.push(JobState { job, counts, details });
            }
        }
        anyhow::Ok(PoolState { jobs, members: members(pool).await? })
    };
    content(ask.await)
}

fn content(pool: anyhow::Result<PoolState>) -> Content {
    let (body, status) = match pool {
        Ok(pool) => (body(&pool), status(pool)),
        Err(error) => {
            let said = format!("The server does not answer: {error:#}");
            (html! { h1 { "Pool" } p { (Text(&said)) } }, json!({ "error": said }))
        }
    };
    let script = format!("setTimeout(() => location.reload(), {});", EVERY.as_millis());
    let looks = looks();
    let page =
        Document { language: "en", title: "Pool", body, looks: &looks, data: "{}", script: &script }.html();
    Content { page, status: status.to_string() }
}

fn status(pool: PoolState) -> Value {
    let workers: Vec<Value> = pool.members.iter().map(worker_json).collect();
    let job = |JobState { job, counts, details }: JobState| {
        let mut line = json!({
            "name": job.name, "kind": job.task.kind(), "parts": job.parts, "settled": counts.settled,
            "queued": counts.queued, "closed": job.closed, "build": job.build,
            "priority": job.priority.name(),
        });
        if let Value::Object(line) = &mut line {
            line.extend(details.json(&job, counts.settled));
        }
        line
    };
    let jobs: Vec<Value> = pool.jobs.into_iter().map(job).collect();
    json!({ "jobs": jobs, "workers": workers })
}

fn body(pool: &PoolState) -> Markup {
    html! {
        h1 { "Pool" }
        h2 { "Jobs" }
        @if pool.jobs.is_empty() { p { "There are no jobs." } } @else {
            table {
                thead { tr {
                    th { "job" } th { "kind" } th { "priority" } th { "done" } th { "parts" } th { "waiting or in hand" }
                    th { "a minute" } th { "left" } th { "failed" } th { "build" }
                } }
                tbody { @for one in &pool.jobs { (job_row(one)) } }
            }
        }
        h2 { "Workers" }
        @if pool.members.is_empty() { p { "No worker has reported." } } @else {
            table {
                thead { tr {
                    th { "worker" } th { "does" } th { "parts done" } th { "a minute" } th { "attempts failed" }
                    th { "at once" } th { "known" } th { "build" }
                } }
                tbody { @for member in &pool.members { (worker_row(member)) } }
            }
        }
        @for one in &pool.jobs { (results(one)) }
    }
}

fn job_row(JobState { job, counts, details }: &JobState) -> Markup {
    let left = match details.seconds_left(job, counts.settled) {
        _ if job.closed => "closed".to_owned(),
        _ if counts.settled >= job.parts => "done".to_owned(),
        Some(seconds) => span(seconds),
        None => String::new(),
    };
    html! {
        tr {
            td { (Text(&job.name)) } td { (job.task.kind()) } td { (job.priority.name()) } td { (counts.settled) } td { (job.parts) }
            td { (counts.queued) } td { (format!("{:.1}", details.rate * 60.0)) } td { (left) }
            td { (details.failed.len()) } td { (Text(&job.build)) }
        }
    }
}

fn worker_row(member: &Member) -> Markup {
    let report = &member.report;
    let rate = report.done as f64 * 60.0 / report.up.max(1) as f64;
    html! {
        tr {
            td { (Text(&member.name)) } td { (Text(&state(member))) } td { (report.done) }
            td { (format!("{rate:.1}")) } td { (report.failed) } td { (report.jobs) }
            td { (if member.known.is_known() { "yes" } else { "no" }) } td { (Text(&report.build)) }
        }
    }
}

/// Who did a job's parts, repetitions included, and what failed.
fn results(JobState { job, details, .. }: &JobState) -> Markup {
    let failures = [("failed", &details.failed), ("attempt failed", &details.attempts)];
    html! {
        h2 { (Text(&job.name)) }
        @if details.shares.is_empty() { p { "No part is done yet." } } @else {
            table {
                thead { tr { th { "worker" } th { "parts" } } }
                tbody { @for (name, parts) in &details.shares { tr { td { (Text(name)) } td { (parts) } } } }
            }
        }
        ul {
            @for (kind, lines) in failures {
                @for line in lines.iter().take(SHOWN) { li { (kind) ": " (Text(&line.to_string())) } }
                @if lines.len() > SHOWN { li { (kind) ": " (lines.len() - SHOWN) " more" } }
            }
            @for (name, reason) in &details.declined { li { (Text(name)) " declines: " (Text(reason)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::acquaintance::Acquaintance;
    use super::super::crew::{Quarantine, WorkerReport};
    use super::super::job::{JobKind, JobPriority, SCHEMA};
    use super::*;

    #[test]
    fn the_page_shows_jobs_workers_and_failures_and_no_foreign_markup() {
        let job = ClusterJob {
            v: SCHEMA,
            name: "night".into(),
            id: "night-1".into(),
            build: "b1".into(),
            priority: JobPriority::High,
            task: JobKind::Selfplay { words: Vec::new() },
            parts: 40,
            ahead: 40,
            speed: None,
            files: false,
            closed: false,
        };
        let mut details = Details { rate: 0.5, ..Details::default() };
        details.shares.insert("host-1".into(), 12);
        details.failed = (0..30).map(|part| json!({"part": part, "reason": "<b>no disk</b>"})).collect();
        let counts = JobProgress { settled: 10, queued: 30 };
        let report = WorkerReport {
            done: 12,
            busy: vec!["night/3".into()],
            build: "b1".into(),
            ..WorkerReport::default()
        };
        let barred = Some(Quarantine { reason: "<script>".into(), wrong_result: true });
        let known = Acquaintance { confirmed: 10, trusted: false };
        let members = vec![
            Member { name: "host-1".into(), report: report.clone(), silent: 3, barred: None, known },
            Member { name: "host-2".into(), report, silent: 3, barred, known: Acquaintance::default() },
        ];
        let Content { page, status } =
            content(Ok(PoolState { jobs: vec![JobState { job, counts, details }], members }));
        for shown in [
            "<td>night</td><td>self-play</td><td>high</td>",
            "<td>10</td><td>40</td><td>30</td><td>30.0</td><td>60 s</td><td>30</td>",
            "night/3",
            "10 more",
            "in quarantine: &lt;script&gt;",
            "&lt;b&gt;no disk",
        ] {
            assert!(page.contains(shown), "{shown} is not in\n{page}");
        }
        assert!(!page.contains("<b>no disk") && !page.contains("quarantine: <script>"));
        let status: Value = serde_json::from_str(&status).expect("JSON");
        assert_eq!(status["jobs"][0]["settled"], 10);
        assert_eq!(status["workers"][1]["quarantine"], "<script>");
        assert_eq!([&status["workers"][0]["known"], &status["workers"][1]["known"]], [true, false]);
        let gone = content(Err(anyhow::anyhow!("<refused>")));
        assert!(gone.page.contains("does not answer: &lt;refused&gt;"));
    }
}
