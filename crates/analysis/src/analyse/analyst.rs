//! One engine that analyses one position after the other.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, unbounded};

use super::effort::{AnalysisEffort, SearchLimit, limits};
use super::line::{AnalysisVariation, Score, StoredAnalysis, win_rate};
use crate::store::{self, AnalysisCandidate};
use kaeshi_core::driver::Controller;
use kaeshi_core::driver::clock::Limits;
use kaeshi_core::driver::event::{Best, EngineEvent, Info, Mate};
use kaeshi_core::game::GameError;
use kaeshi_core::game::root_report::{RootReport, RootReportRequest, RootWork, SearchedTurn};
use kaeshi_engine::games::GameName;
use kaeshi_records::referee::written_line;

/// How the engines are set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSetup {
    /// Search threads of each.
    pub threads: usize,
    /// Table memory of each in MiB.
    pub hash_mib: usize,
    /// Further options, in order.
    pub options: Vec<(String, String)>,
}

/// What is to be analysed.
#[derive(Clone, Debug)]
pub struct AnalysisQuestion<'a> {
    /// For [`Controller::set_position`].
    pub start: &'a str,
    /// The turns from there.
    pub turns: Vec<&'a str>,
    /// How much thought.
    pub effort: AnalysisEffort,
    /// Only these turns are considered; empty for all.
    pub only: &'a [String],
    /// Options for this question alone.
    pub settings: &'a [(String, String)],
    /// What is reported of the position beside its lines.
    pub root_report: RootReportRequest,
    /// Turns of which those are looked for that keep the exact value; empty if that is not asked for.
    pub lossless_among: &'a [String],
    /// Whether everything learned before is forgotten first, so that the answer depends on nothing
    /// but the question.
    pub fresh: bool,
}

/// What the one who waits for an answer wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalystControl {
    /// Go on.
    Continue,
    /// Answer now.
    Stop,
}

/// An engine of one game.
pub struct Analyst {
    game: GameName,
    controller: Box<dyn Controller>,
    events: Receiver<EngineEvent>,
    multipv: usize,
    /// Options that were set for all questions.
    options: Vec<(String, String)>,
}

/// The field of a request with its options; refusals of them begin with it.
pub const OVERRIDES: &str = "overrideSettings";

/// The option of engines that says which moves count in the length of a mate.
pub const MATE_LENGTH: &str = "MateLength";
/// Its value unless another one is named.
pub const USUAL_MATE_LENGTH: &str = "tsume";

/// Options that a question may set for itself: they cost no memory, name no file, and change no position.
const FREE: [&str; 17] = [
    "SkillLevel",
    "Skill",
    "Search",
    "Searcher",
    "EnteringKingRule",
    "MateLength",
    "MaxMovesToDraw",
    "DrawValueBlack",
    "DrawValueWhite",
    "GenerateAllLegalMoves",
    "OwnBook",
    "BookMoves",
    "BookEvalDiff",
    "BookEvalBlackLimit",
    "BookEvalWhiteLimit",
    "BookDepthLimit",
    "BookIgnoreRate",
];
/// How long a report of the root may come behind the answer: a search that is late is answered in its stead.
const REPORT_TIMEOUT: Duration = Duration::from_secs(10);

impl Analyst {
    /// A new engine.
    ///
    /// # Errors
    /// A value that an option does not take.
    pub fn new(game: GameName, setup: &EngineSetup) -> Result<Analyst, GameError> {
        let (sender, events) = unbounded();
        let mut controller = game.engine_with_results(sender, store::reader::open)?;
        let known = controller.options();
        for (name, value) in &setup.options {
            // What only another game has is none of this engine's business.
            if known.iter().any(|option| option.name.eq_ignore_ascii_case(name)) {
                controller.set_option(name, value)?;
            }
        }
        controller.set_option("Threads", &setup.threads.to_string())?;
        controller.set_option("Hash", &setup.hash_mib.to_string())?;
        let options = setup.options.clone();
        Ok(Analyst { game, controller, events, multipv: 1, options })
    }

    /// Forgets everything that was learned.
    pub fn forget(&mut self) {
        self.controller.new_game();
    }

    /// Has the engine count mates in the usual way, unless another one was named. Before the first search for a mate
    /// only: it makes the engine load its game anew. Other searches do not depend on it.
    fn set_usual_mate_length(&mut self) -> Result<(), GameError> {
        let is_named = |name: &str| name.eq_ignore_ascii_case(MATE_LENGTH);
        let is_set = self.options.iter().any(|(name, _)| is_named(name));
        if !is_set && self.controller.options().iter().any(|option| is_named(option.name)) {
            self.controller.set_option(MATE_LENGTH, USUAL_MATE_LENGTH)?;
            self.options.push((MATE_LENGTH.to_owned(), USUAL_MATE_LENGTH.to_owned()));
        }
        Ok(())
    }

    /// Sets options for one question; returns what they were.
    fn override_settings(&mut self, settings: &[(String, String)]) -> Result<Vec<(String, String)>, String> {
        let known = self.controller.options();
        let mut former = Vec::new();
        for (name, value) in settings {
            let is_named = |other: &str| other.eq_ignore_ascii_case(name);
            let refused = match known.iter().find(|option| is_named(option.name)) {
                None => Some(format!("there is no option '{name}'")),
                Some(_) if !FREE.iter().any(|free| is_named(free)) => {
                    Some(format!("option '{name}' is set for the whole service"))
                }
                Some(option) => {
                    let set = self.options.iter().rev().find(|(set, _)| is_named(set));
                    let was = set.map_or_else(|| option.kind.default_value(), |(_, value)| value.clone());
                    let refused = self.controller.set_option(name, value).err().map(String::from);
                    former.push((name.clone(), was));
                    refused
                }
            };
            if let Some(reason) = refused {
                self.restore(former);
                return Err(format!("{OVERRIDES}: {reason}"));
            }
        }
        Ok(former)
    }

    fn restore(&mut self, former: Vec<(String, String)>) {
        for (name, value) in former {
            if let Err(reason) = self.controller.set_option(&name, &value) {
                log::error!("option {name} cannot be set back: {reason}");
            }
        }
    }

    /// Analyses one position. Every `interval`, if there is one, `watch` is shown the analysis so far
    /// and says whether to go on.
    ///
    /// # Errors
    /// If the question is refused, or the search failed.
    pub fn analyse(
        &mut self,
        question: &AnalysisQuestion<'_>,
        interval: Option<Duration>,
        watch: &mut dyn FnMut(StoredAnalysis) -> AnalystControl,
    ) -> Result<StoredAnalysis, String> {
        if matches!(question.effort.limit, SearchLimit::Mate(_)) {
            self.set_usual_mate_length()?;
        }
        let former = self.override_settings(question.settings)?;
        let mut found = self.search(question, interval, watch);
        if let Ok(analysis) = &mut found {
            match self.lossless(question, analysis, interval, watch) {
                Ok(turns) => analysis.lossless = turns,
                Err(reason) => found = Err(reason),
            }
        }
        self.restore(former);
        found
    }

    /// All turns that keep the exact value of `analysis`; `None` where it is not exact, or not known of all turns.
    fn lossless(
        &mut self,
        question: &AnalysisQuestion<'_>,
        analysis: &StoredAnalysis,
        interval: Option<Duration>,
        watch: &mut dyn FnMut(StoredAnalysis) -> AnalystControl,
    ) -> Result<Option<Vec<String>>, String> {
        let Some(Score::Exact(value)) = analysis.score().filter(|_| !question.lossless_among.is_empty())
        else {
            return Ok(None);
        };
        let mut found = analysis.lines.clone();
        let mut kept: Vec<String> = Vec::new();
        loop {
            for line in &found {
                match line.score {
                    Score::Exact(score) if score == value => kept.extend(line.pv.first().cloned()),
                    // The other turns are worth no more.
                    Score::Exact(_) => return Ok(Some(kept)),
                    _ => return Ok(None),
                }
            }
            let rest: Vec<String> =
                question.lossless_among.iter().filter(|turn| !kept.contains(turn)).cloned().collect();
            if rest.is_empty() {
                return Ok(Some(kept));
            }
            let root_report = RootReportRequest::default();
            let others = AnalysisQuestion { only: &rest, fresh: false, root_report, ..question.clone() };
            // Reports go on to be those of all turns.
            found = self.search(&others, interval, &mut |_| watch(analysis.clone()))?.lines;
            // A search that was stopped may know nothing new.
            if !found.iter().filter_map(|line| line.pv.first()).any(|turn| rest.contains(turn)) {
                return Ok(None);
            }
        }
    }

    fn search(
        &mut self,
        question: &AnalysisQuestion<'_>,
        interval: Option<Duration>,
        watch: &mut dyn FnMut(StoredAnalysis) -> AnalystControl,
    ) -> Result<StoredAnalysis, String> {
        if self.multipv != question.effort.multipv {
            let lines = question.effort.multipv.to_string();
            self.controller.set_option("MultiPV", &lines).map_err(String::from)?;
            self.multipv = question.effort.multipv;
        }
        if question.fresh {
            self.controller.new_game();
        }
        self.controller.set_position(question.start, &question.turns).map_err(String::from)?;
        self.events.try_iter().for_each(drop);
        let begun = Instant::now();
        let root_report = question.root_report;
        let limits = Limits { turns: question.only.to_vec(), root_report, ..limits(question.effort) };
        self.controller.go(limits);
        let mut reports: Vec<Info> = Vec::new();
        let mut root = None;
        let mut failed = None;
        let answer = loop {
            let event = match interval {
                None => self.events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(interval) => self.events.recv_timeout(interval),
            };
            match event {
                Ok(EngineEvent::Info(info)) => {
                    if info.multipv == 1 {
                        reports.clear();
                    }
                    reports.push(info);
                }
                Ok(EngineEvent::Root(report)) => root = Some(report),
                Ok(EngineEvent::Panic(reason)) => failed = Some(format!("the search panicked: {reason}")),
                Ok(EngineEvent::Message(text)) => log::warn!("{}: {text}", self.game.name()),
                Ok(answer @ (EngineEvent::Best(_) | EngineEvent::Mate(_))) => break answer,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {
                    if watch(self.gather(&reports, question)) == AnalystControl::Stop {
                        self.controller.stop();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err("the engine is gone".to_owned()),
            }
        };
        self.controller.wait();
        if let Some(reason) = failed {
            return Err(reason);
        }
        if root.is_none() && !root_report.is_empty() && matches!(answer, EngineEvent::Best(_)) {
            root = self.late_report();
        }
        let mut analysis = self.gather(&reports, question);
        if let Some(report) = root {
            self.add_report(&mut analysis, report, root_report);
        }
        match answer {
            EngineEvent::Best(Best::Turn { turn, .. }) => analysis.best = Some(turn),
            EngineEvent::Best(Best::Win) => analysis.best = Some("win".to_owned()),
            EngineEvent::Best(Best::Resign) => {
                analysis.best = analysis.lines.first().and_then(|line| line.pv.first().cloned());
            }
            EngineEvent::Mate(answer) => {
                // The mate solver reports nothing on its way.
                analysis.time_ms = u64::try_from(begun.elapsed().as_millis()).ok();
                self.tell_mate(&mut analysis, answer, question);
            }
            _ => {}
        }
        Ok(analysis)
    }

    /// The report of the root where the answer came before it.
    fn late_report(&self) -> Option<RootReport> {
        let deadline = Instant::now() + REPORT_TIMEOUT;
        loop {
            match self.events.recv_deadline(deadline) {
                Ok(EngineEvent::Root(report)) => return Some(report),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    fn add_report(&self, analysis: &mut StoredAnalysis, report: RootReport, wanted: RootReportRequest) {
        let candidate = |SearchedTurn { turn, work, prior, score }| {
            let (visits, nodes) = match work {
                RootWork::Visits(visits) => (Some(visits), None),
                RootWork::Nodes(nodes) => (None, Some(nodes)),
            };
            let line = analysis.lines.iter().find(|line| line.pv.first() == Some(&turn));
            let score = line.map(|line| line.score).or(score);
            let winrate = score.map(|score| win_rate(self.game, score));
            AnalysisCandidate { turn, visits, nodes, prior, score, winrate }
        };
        let candidates = report.candidates.into_iter().map(candidate).collect();
        analysis.candidates = wanted.candidates.then_some(candidates);
        analysis.policy = report.policy;
        analysis.ownership = wanted.ownership.then_some(report.ownership);
    }

    fn tell_mate(&self, analysis: &mut StoredAnalysis, answer: Mate, question: &AnalysisQuestion<'_>) {
        let word = match answer {
            Mate::Line(pv) => {
                let score = Score::MateIn(u16::try_from(pv.len()).unwrap_or(u16::MAX));
                analysis.best = pv.first().cloned();
                analysis.lines = vec![self.variation(score, pv, question)];
                "mate"
            }
            Mate::NoMate => "nomate",
            Mate::Timeout => "timeout",
            Mate::NotImplemented => "notimplemented",
        };
        analysis.mate = Some(word.to_owned());
    }

    fn variation(&self, score: Score, pv: Vec<String>, question: &AnalysisQuestion<'_>) -> AnalysisVariation {
        let written = written_line(self.game, question.start, &question.turns, &pv);
        let winrate = win_rate(self.game, score);
        AnalysisVariation { score, winrate, pv, japanese: written.local, western: written.western }
    }

    fn gather(&self, reports: &[Info], question: &AnalysisQuestion<'_>) -> StoredAnalysis {
        let Some(first) = reports.first() else {
            return StoredAnalysis { confidence: 100, ..StoredAnalysis::default() };
        };
        StoredAnalysis {
            best: first.pv.first().cloned(),
            mate: None,
            depth: first.depth,
            seldepth: first.seldepth,
            confidence: first.confidence,
            nodes: first.nodes,
            time_ms: Some(u64::try_from(first.time.as_millis()).unwrap_or(u64::MAX)),
            lines: reports.iter().map(|info| self.variation(info.score, info.pv.clone(), question)).collect(),
            ..StoredAnalysis::default()
        }
    }
}
