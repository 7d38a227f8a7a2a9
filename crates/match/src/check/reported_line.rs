//! A principal variation that an engine reported, and what is wrong with it.

use super::session::{AwaitedLines, shown};
use kaeshi_engine::protocol::info_line::InfoLine;
use kaeshi_records::referee::RefereeRules;

/// A line (pv) of an `info` line.
pub struct ReportedLine {
    /// Turns made from the start before it, in the engine's words.
    before: Vec<String>,
    turns: Vec<String>,
    depth: Option<u32>,
    /// Whether it says that the game ends behind it.
    is_mate: bool,
    /// The answer that it belongs to, if it is the last line of the best move.
    answer: Option<String>,
}

impl ReportedLine {
    /// The lines that came with an answer after these turns.
    pub fn all(heard: &AwaitedLines, before: &[String]) -> Vec<ReportedLine> {
        let mut best = None;
        let mut lines = Vec::new();
        for text in &heard.lines {
            if let Some((line, is_best)) = read(text, before) {
                best = if is_best { Some(lines.len()) } else { best };
                lines.push(line);
            }
        }
        if let Some(line) = best.and_then(|index| lines.get_mut(index)) {
            let answer = heard.last().split_whitespace().nth(1);
            line.answer = answer.filter(|word| !["resign", "win"].contains(word)).map(str::to_owned);
        }
        lines
    }

    /// Whether there should be more than one turn: the search was deeper, and the game goes on.
    pub fn is_short(&self) -> bool {
        self.turns.len() == 1 && !self.is_mate && self.depth.is_some_and(|depth| depth > 1)
    }

    /// Whether it is the last line of the best move.
    pub fn is_last(&self) -> bool {
        self.answer.is_some()
    }

    /// Says that the engine answers with another turn than the line begins with, if it does.
    pub fn contradiction(&self) -> Option<String> {
        let answer = self.answer.as_ref().filter(|answer| self.turns.first() != Some(answer))?;
        let line = shown(&self.turns.join(" "));
        Some(format!(
            "the last line (pv) {}, '{line}', does not begin with the answer '{}'",
            self.place(),
            shown(answer)
        ))
    }

    /// Whether all turns are legal, up to the end of the game. `turn` reads a turn in the engine's words.
    ///
    /// # Errors
    /// The first turn that is not, and why.
    pub fn check(&self, rules: &dyn RefereeRules, turn: impl Fn(&str) -> String) -> Result<(), String> {
        let mut board = rules.board(None).map_err(|error| error.to_string())?;
        for word in &self.before {
            board.play(&turn(word)).map_err(|why| why.to_string())?;
        }
        for word in &self.turns {
            if board.outcome().is_some() {
                break;
            }
            board.play(&turn(word)).map_err(|why| {
                let line = shown(&self.turns.join(" "));
                format!("the line (pv) '{line}' {}: '{}': {why}", self.place(), shown(word))
            })?;
        }
        Ok(())
    }

    fn place(&self) -> String {
        match self.before.as_slice() {
            [] => "at the start".to_owned(),
            turns => format!("after '{}'", shown(&turns.join(" "))),
        }
    }
}

/// An `info` line that has a principal variation, and whether that is the best one.
fn read(text: &str, before: &[String]) -> Option<(ReportedLine, bool)> {
    text.strip_prefix("info ")?;
    let InfoLine { depth, mate, multipv, pv, .. } = InfoLine::parse(text);
    if pv.is_empty() {
        return None;
    }
    let is_best = multipv.is_none_or(|rank| rank == 1);
    let before = before.to_vec();
    Some((ReportedLine { before, turns: pv, depth, is_mate: mate.is_some(), answer: None }, is_best))
}
