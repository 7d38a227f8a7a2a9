//! `kaeshi analyse --serve`: JSON requests in, JSON answers out, as they come, in the manner of
//! KataGo's analysis engine: ids, priorities, `terminate`, reports during a search, many
//! positions at once. When the input ends the queue is finished. What KataGo means otherwise is refused by the
//! name of its field.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::bail;
use parking_lot::{Condvar, Mutex};
use serde::Deserialize;
use serde_json::{Value, json};

use super::analyst::{Analyst, AnalystControl, EngineSetup, OVERRIDES};
use super::effort::{AnalysisEffort, MemoryScope};
use super::line::{AnalysisLine, PositionLine, SCHEMA};
use super::plan::{AnalysisOptions, AnalysisPlan, AnalysisTask, PlannedRecord};
use super::pool::analyst_for;
use crate::store::AnalysisStore;
use kaeshi_core::driver::machine::has_room_for_a_thread;
use kaeshi_core::game::GameError;
use kaeshi_core::threads;
use kaeshi_engine::games::GameName;
use kaeshi_engine::version;
use kaeshi_records::request::{self, RequestRefusal};
use kaeshi_system::output::remark;

/// Longest request in bytes.
const MAX_REQUEST_BYTES: u64 = 1 << 20;
/// Positions that may wait; a request beyond it waits to be read until there is room.
const MAX_WAITING: usize = 10_000;
/// How often a running search looks whether it was terminated.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// What the service is made of.
pub struct Service {
    /// The game of requests that leave it open.
    pub game: Option<GameName>,
    /// The thought for requests that ask for none.
    pub effort: AnalysisEffort,
    /// How engines are set up.
    pub setup: EngineSetup,
    /// Engines at once.
    pub jobs: usize,
    /// Whether engines forget everything between positions.
    pub fresh: bool,
    /// Whether times are left out.
    pub no_timing: bool,
    /// Whether all turns are looked for that keep the exact value of a position of Reversi.
    pub lossless: bool,
    /// Results that outlive the service.
    pub store: Option<AnalysisStore>,
}

/// One request: a plan with a single entry.
struct ServeRequest {
    plan: AnalysisPlan,
    /// The id as it came: text or number.
    id: Value,
    report_every: Option<Duration>,
    terminated: AtomicBool,
    /// Numbers of turns whose positions alone were terminated.
    terminated_turns: Mutex<BTreeSet<usize>>,
    /// Positions without an answer.
    left: AtomicUsize,
}

impl ServeRequest {
    /// An answer with the id as it came.
    fn line(&self, line: PositionLine) -> String {
        let text = AnalysisLine::Position(Box::new(line)).json();
        match &self.id {
            Value::Number(number) => {
                text.replacen(&format!("\"id\":\"{number}\""), &format!("\"id\":{number}"), 1)
            }
            _ => text,
        }
    }

    fn is_terminated(&self, turn: usize) -> bool {
        self.terminated.load(Ordering::Relaxed) || self.terminated_turns.lock().contains(&turn)
    }

    fn entry(&self) -> Option<&PlannedRecord> {
        self.plan.entries.first()
    }
}

/// Positions that wait, most urgent first: by priority, then by arrival.
#[derive(Default)]
struct Queue {
    waiting: BTreeMap<(i64, u64, usize), Arc<ServeRequest>>,
    /// Requests without all their answers, by the JSON of their id.
    open: HashMap<String, Vec<Arc<ServeRequest>>>,
    arrived: u64,
    ended: bool,
}

/// Requests about the service itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServiceAction {
    action: String,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    terminate_id: Value,
    turn_numbers: Option<Vec<usize>>,
}

/// A refusal as it is answered.
fn refused(id: &Value, refusal: RequestRefusal) -> Value {
    let mut answer = json!({"error": refusal.reason});
    if !id.is_null() {
        answer["id"] = id.clone();
    }
    if let Some(field) = refusal.field {
        answer["field"] = field.into();
    }
    answer
}

/// A refusal that concerns no field.
fn plain(reason: String) -> RequestRefusal {
    RequestRefusal { field: None, reason }
}

struct ServiceState<W> {
    /// Without entries: what those of requests are made from.
    plan: AnalysisPlan,
    service: Service,
    queue: Mutex<Queue>,
    news: Condvar,
    /// How often `clear_cache` was asked for.
    clearings: AtomicUsize,
    /// There is room for further positions.
    room: Condvar,
    out: Mutex<W>,
}

impl Service {
    /// Serves until `input` ends and everything is answered, or the reader of `output` is gone.
    ///
    /// # Errors
    /// If an engine cannot be made, or the store not be written.
    pub fn run<R: Read, W: Write + Send>(self, input: R, output: W) -> anyhow::Result<ExitCode> {
        // An option that no engine takes is reported at once, not with the first request.
        Analyst::new(self.game.unwrap_or(GameName::USUAL), &self.setup)?;
        let jobs = self.jobs;
        let options = self.setup.options.clone();
        let plan = AnalysisPlan::new(AnalysisOptions {
            game: self.game,
            turns: None,
            side: None,
            effort: self.effort,
            options,
            memory: if self.fresh { MemoryScope::Fresh } else { MemoryScope::Game },
            lossless: self.lossless,
        })?;
        let shared = ServiceState {
            plan,
            service: self,
            queue: Mutex::new(Queue::default()),
            news: Condvar::new(),
            clearings: AtomicUsize::new(0),
            room: Condvar::new(),
            out: Mutex::new(output),
        };
        std::thread::scope(|scope| {
            let started = (0..jobs)
                .take_while(|&number| {
                    (number == 0 || has_room_for_a_thread()) && threads::spawn(scope, || shared.work())
                })
                .count();
            if started == 0 {
                bail!("the system grants no thread for the analysis");
            }
            if started < jobs {
                remark(format_args!("kaeshi: memory and system allow {started} of {jobs} engines at once"));
            }
            let mut input = BufReader::new(input);
            let mut line = Vec::new();
            loop {
                line.clear();
                let read = (&mut input).take(MAX_REQUEST_BYTES + 1).read_until(b'\n', &mut line);
                if !read.is_ok_and(|bytes| bytes > 0) {
                    break;
                }
                if line.len() as u64 > MAX_REQUEST_BYTES {
                    shared.send(
                        &json!({"error": format!("a request is longer than {MAX_REQUEST_BYTES} bytes")}),
                    );
                    // Its rest is read over; the next line is a separate request.
                    if !line.ends_with(b"\n") && input.skip_until(b'\n').is_err() {
                        break;
                    }
                    continue;
                }
                let text = String::from_utf8_lossy(&line);
                // Some shells write a byte order mark before the first line.
                let text = text.trim_start_matches('\u{feff}').trim();
                if !text.is_empty() {
                    shared.handle_line(text);
                }
            }
            shared.queue.lock().ended = true;
            shared.news.notify_all();
            Ok(())
        })?;
        if let Some(store) = &shared.service.store {
            store.flush();
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl<W: Write + Send> ServiceState<W> {
    fn send(&self, value: &serde_json::Value) {
        self.say(&(value.to_string() + "\n"));
    }

    fn say(&self, text: &str) {
        let mut out = self.out.lock();
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            // The client is gone: no search is needed.
            drop(out);
            let mut queue = self.queue.lock();
            queue.waiting.clear();
            queue
                .open
                .values()
                .flatten()
                .for_each(|request| request.terminated.store(true, Ordering::Relaxed));
            queue.ended = true;
            self.news.notify_all();
            self.room.notify_all();
        }
    }

    fn handle_line(&self, text: &str) {
        let mut value = match serde_json::from_str::<Value>(text) {
            Ok(value) => value,
            Err(error) => {
                let refusal = plain(format!("a request is one line with an object of JSON: {error}"));
                self.send(&refused(&Value::Null, refusal));
                return;
            }
        };
        let id = value.get("id").cloned().unwrap_or_default();
        // Requests are read with ids of text; a number comes back as the number that it was.
        let text = match (&id, value.get_mut("id")) {
            (Value::Number(number), Some(slot)) => {
                *slot = Value::String(number.to_string());
                value.to_string()
            }
            _ => text.to_owned(),
        };
        if let Ok(mut action) = serde_json::from_str::<ServiceAction>(&text) {
            action.id.clone_from(&id);
            if let Err(refusal) = self.act(action, &value) {
                self.send(&refused(&id, refusal));
            }
            return;
        }
        if let Err(refusal) = self.accept(&text, id.clone()) {
            self.send(&refused(&id, refusal));
        }
    }

    /// `query_version`, `query_models`, `clear_cache`, `terminate`, `terminate_all`.
    fn act(&self, action: ServiceAction, asked: &Value) -> Result<(), RequestRefusal> {
        // The answer has the fields of the question.
        let mut answer = asked.as_object().cloned().unwrap_or_default();
        answer.insert("id".to_owned(), action.id);
        let requests: Vec<Arc<ServeRequest>> = match &*action.action {
            "query_version" => {
                let version = version::stated();
                answer.insert("version".to_owned(), version.into());
                answer.insert("v".to_owned(), SCHEMA.into());
                self.send(&answer.into());
                return Ok(());
            }
            "query_models" => {
                answer.insert("models".to_owned(), self.models().map_err(|reason| plain(reason.into()))?);
                self.send(&answer.into());
                return Ok(());
            }
            "clear_cache" => {
                self.clearings.fetch_add(1, Ordering::Relaxed);
                self.send(&answer.into());
                return Ok(());
            }
            "terminate" => {
                if action.terminate_id.is_null() {
                    let reason = "terminate needs terminateId".to_owned();
                    return Err(RequestRefusal { field: Some("terminateId".to_owned()), reason });
                }
                self.queue.lock().open.get(&action.terminate_id.to_string()).cloned().unwrap_or_default()
            }
            "terminate_all" => self.queue.lock().open.values().flatten().cloned().collect(),
            other => {
                let reason = format!("action '{other}' is not known");
                return Err(RequestRefusal { field: Some("action".to_owned()), reason });
            }
        };
        for request in &requests {
            match &action.turn_numbers {
                Some(turns) => request.terminated_turns.lock().extend(turns),
                None => request.terminated.store(true, Ordering::Relaxed),
            }
        }
        self.send(&answer.into());
        Ok(())
    }

    /// The evaluation of each game that is played.
    fn models(&self) -> Result<Value, GameError> {
        let mut models = Vec::new();
        for game in
            GameName::ALL.into_iter().filter(|game| self.service.game.is_none_or(|only| only == *game))
        {
            let option = "EvalFile";
            let set = self.service.setup.options.iter().rev();
            let set =
                set.filter(|(name, _)| name.eq_ignore_ascii_case(option)).map(|(_, value)| value.clone());
            let (events, _) = crossbeam_channel::unbounded();
            let known = game.engine(events)?.options();
            let default =
                known.iter().find(|known| known.name == option).map(|known| known.kind.default_value());
            let name = set.chain(default).next().unwrap_or_default();
            models.push(json!({"game": game.name(), "name": name}));
        }
        Ok(models.into())
    }

    /// Queues a request; waits while the queue is full.
    fn accept(&self, text: &str, id: Value) -> Result<(), RequestRefusal> {
        let item = request::parse_with_field(text, 1, self.service.game)?;
        let (priority, priorities, report_every) = match &item.requested {
            Some(requested) => {
                let every = requested.report_every.map(Duration::from_secs_f64);
                (requested.priority, requested.priorities.clone(), every)
            }
            None => (0, Vec::new(), None),
        };
        let mut plan = self.plan.sibling();
        plan.add_items("-", vec![Ok(item)]);
        let entry = plan.entries.first().ok_or_else(|| plain("nothing to analyse".to_owned()))?;
        if let Some(fault) = &entry.fault {
            return Err(plain(fault.reason.clone()));
        }
        let positions = entry.turns.len();
        let request = Arc::new(ServeRequest {
            plan,
            id,
            report_every,
            terminated: AtomicBool::new(false),
            terminated_turns: Mutex::default(),
            left: AtomicUsize::new(positions),
        });
        let mut queue = self.queue.lock();
        while queue.waiting.len() >= MAX_WAITING && !queue.ended {
            self.room.wait(&mut queue);
        }
        queue.arrived += 1;
        let arrived = queue.arrived;
        if !request.id.is_null() {
            queue.open.entry(request.id.to_string()).or_default().push(Arc::clone(&request));
        }
        for place in 0..positions {
            // Higher priorities come first.
            let priority = priorities.get(place).unwrap_or(&priority);
            let key = (priority.saturating_neg(), arrived, place);
            queue.waiting.insert(key, Arc::clone(&request));
        }
        drop(queue);
        self.news.notify_all();
        Ok(())
    }

    /// One engine's life.
    fn work(&self) {
        let mut analysts = Vec::new();
        let mut cleared = 0;
        while let Some((request, place)) = self.next() {
            let asked = self.clearings.load(Ordering::Relaxed);
            if asked != cleared {
                cleared = asked;
                analysts.iter_mut().for_each(|(_, analyst): &mut (GameName, Analyst)| analyst.forget());
            }
            let line = self.answer(&request, place, &mut analysts);
            self.say(&line);
            if request.left.fetch_sub(1, Ordering::Relaxed) == 1 && !request.id.is_null() {
                let id = &request.id.to_string();
                let mut queue = self.queue.lock();
                if let Some(open) = queue.open.get_mut(id) {
                    open.retain(|other| !Arc::ptr_eq(other, &request));
                    if open.is_empty() {
                        queue.open.remove(id);
                    }
                }
            }
        }
    }

    fn next(&self) -> Option<(Arc<ServeRequest>, usize)> {
        let mut queue = self.queue.lock();
        loop {
            if let Some(((_, _, place), request)) = queue.waiting.pop_first() {
                self.room.notify_one();
                return Some((request, place));
            }
            if queue.ended {
                return None;
            }
            self.news.wait(&mut queue);
        }
    }

    /// The line that answers one position of a request.
    fn answer(
        &self,
        request: &ServeRequest,
        place: usize,
        analysts: &mut Vec<(GameName, Analyst)>,
    ) -> String {
        let failed = |reason: String| {
            let field = reason.starts_with(OVERRIDES).then(|| OVERRIDES.to_owned());
            refused(&request.id, RequestRefusal { field, reason }).to_string() + "\n"
        };
        let Some(entry) = request.entry() else { return failed("nothing to analyse".to_owned()) };
        let task = match request.plan.task(entry, place) {
            Ok(task) => task,
            Err(reason) => return failed(reason.into()),
        };
        let turn = task.line.turn;
        if request.is_terminated(turn) {
            return json!({"id": request.id, "turn": turn, "isDuringSearch": false, "noResults": true})
                .to_string()
                + "\n";
        }
        let store = self.service.store.as_ref().filter(|_| task.is_plain());
        let AnalysisTask { game, effort, ref identity, .. } = task;
        let known = store.and_then(|store| store.get(game, identity, effort));
        let found = match known {
            Some(analysis) => Ok(analysis),
            None => {
                let analyst = match analyst_for(game, &self.service.setup, analysts) {
                    Ok(analyst) => analyst,
                    Err(error) => return failed(format!("{error:#}")),
                };
                let question = task.question(entry, self.service.fresh);
                let mut reported = Instant::now();
                let found = analyst.analyse(&question, Some(POLL_INTERVAL), &mut |so_far| {
                    if request.is_terminated(turn) {
                        return AnalystControl::Stop;
                    }
                    let due = request.report_every.is_some_and(|every| reported.elapsed() >= every);
                    if due && !so_far.lines.is_empty() {
                        reported = Instant::now();
                        let mut report = task.line.clone();
                        report.during_search = true;
                        report.analysis = so_far;
                        self.say(&request.line(report));
                    }
                    AnalystControl::Continue
                });
                match &found {
                    Ok(analysis) if !request.is_terminated(turn) => {
                        if let Some(Err(error)) =
                            store.map(|store| store.put(game, identity, effort, analysis))
                        {
                            log::error!("the store refuses: {error:#}");
                        }
                    }
                    Ok(_) => {}
                    Err(_) => analysts.retain(|(known, _)| *known != game),
                }
                found
            }
        };
        match found {
            Ok(mut analysis) => {
                if self.service.no_timing {
                    analysis.time_ms = None;
                }
                let mut line = task.line;
                line.analysis = analysis;
                request.line(line)
            }
            Err(reason) => failed(reason),
        }
    }
}
