//! One engine that analyses one position after the other.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, unbounded};

use super::effort::{AnalysisEffort, limits};
use super::line::{AnalysisVariation, Score, StoredAnalysis, win_rate};
use crate::store;
use kaeshi_core::driver::Controller;
use kaeshi_core::driver::clock::Limits;
use kaeshi_core::driver::event::{Best, EngineEvent, Info, Mate};
use kaeshi_core::game::GameError;
use kaeshi_core::game::options::OptionKind;
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
#[derive(Clone, Copy, Debug)]
pub struct AnalysisQuestion<'a> {
    /// For [`Controller::set_position`].
    pub start: &'a str,
    /// The turns from there.
    pub turns: &'a [&'a str],
    /// How much thought.
    pub effort: AnalysisEffort,
    /// Only these turns are considered; empty for all.
    pub only: &'a [String],
    /// Options for this question alone.
    pub settings: &'a [(String, String)],
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

/// Options that hold for all questions: they are memory, threads, or what the positions were read by.
const FIXED: [&str; 5] = ["Threads", "Hash", "MultiPV", "Ponder", "BoardSize"];

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
        Ok(Analyst { game, controller, events, multipv: 1, options: setup.options.clone() })
    }

    /// Forgets everything that was learned.
    pub fn forget(&mut self) {
        self.controller.new_game();
    }

    /// Sets options for one question; returns what they were.
    fn override_settings(&mut self, settings: &[(String, String)]) -> Result<Vec<(String, String)>, String> {
        let known = self.controller.options();
        let mut former = Vec::new();
        for (name, value) in settings {
            let is_named = |other: &str| other.eq_ignore_ascii_case(name);
            let refused = match known.iter().find(|option| is_named(option.name)) {
                None => Some(format!("there is no option '{name}'")),
                Some(option)
                    if FIXED.iter().any(|fixed| is_named(fixed))
                        || matches!(
                            option.kind,
                            OptionKind::File(_) | OptionKind::Text(_) | OptionKind::Button
                        ) =>
                {
                    Some(format!("option '{name}' is set for the whole service"))
                }
                Some(option) => {
                    let set = self.options.iter().rev().find(|(set, _)| is_named(set));
                    let was = set.map_or_else(|| option.kind.default_value(), |(_, value)| value.clone());
                    let refused = self.controller.set_option(name, value).err().map(|reason| reason.0);
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
        question: AnalysisQuestion<'_>,
        interval: Option<Duration>,
        watch: &mut dyn FnMut(StoredAnalysis) -> AnalystControl,
    ) -> Result<StoredAnalysis, String> {
        let former = self.override_settings(question.settings)?;
        let found = self.search(question, interval, watch);
        self.restore(former);
        found
    }

    fn search(
        &mut self,
        question: AnalysisQuestion<'_>,
        interval: Option<Duration>,
        watch: &mut dyn FnMut(StoredAnalysis) -> AnalystControl,
    ) -> Result<StoredAnalysis, String> {
        if self.multipv != question.effort.multipv {
            let lines = question.effort.multipv.to_string();
            self.controller.set_option("MultiPV", &lines).map_err(|reason| reason.0)?;
            self.multipv = question.effort.multipv;
        }
        if question.fresh {
            self.controller.new_game();
        }
        self.controller.set_position(question.start, question.turns).map_err(|reason| reason.0)?;
        self.events.try_iter().for_each(drop);
        let begun = Instant::now();
        self.controller.go(Limits { turns: question.only.to_vec(), ..limits(question.effort) });
        let mut reports: Vec<Info> = Vec::new();
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
        let mut analysis = self.gather(&reports, question);
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

    fn tell_mate(&self, analysis: &mut StoredAnalysis, answer: Mate, question: AnalysisQuestion<'_>) {
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

    fn variation(&self, score: Score, pv: Vec<String>, question: AnalysisQuestion<'_>) -> AnalysisVariation {
        let written = written_line(self.game, question.start, question.turns, &pv);
        let winrate = win_rate(self.game, score);
        AnalysisVariation { score, winrate, pv, japanese: written.local, western: written.western }
    }

    fn gather(&self, reports: &[Info], question: AnalysisQuestion<'_>) -> StoredAnalysis {
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
        }
    }
}
