//! The lines of one game together: what each turn cost, mistakes and accuracy of both sides.

use std::collections::BTreeMap;

use serde::Serialize;

use super::line::{AnalysisLine, PositionLine, SCHEMA, Score, win_rate};
use super::plan::AnalysisPlan;
use kaeshi_engine::games::GameName;
use kaeshi_statistics::accuracy::game_accuracy;

/// Loss of win rate from which on a turn is an inaccuracy, a mistake, a blunder.
const GRADES: [(f64, Grade); 3] = [(0.20, Grade::Blunder), (0.10, Grade::Mistake), (0.05, Grade::Inaccuracy)];
/// Hundredths that a mate counts as where values are averaged.
const MATE_HUNDREDTHS: i32 = 3000;

/// How bad a turn was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Costs 5 % of win rate or more.
    Inaccuracy,
    /// Costs 10 % or more.
    Mistake,
    /// Costs 20 % or more.
    Blunder,
}

impl Grade {
    /// As records mark it.
    pub fn sign(self) -> &'static str {
        match self {
            Grade::Inaccuracy => "?!",
            Grade::Mistake => "?",
            Grade::Blunder => "??",
        }
    }
}

/// One turn that was analysed before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewedTurn {
    /// Its number, from 1.
    pub turn: usize,
    /// Whose it was.
    pub side: String,
    /// The turn.
    pub played: String,
    /// What the engine would have played.
    pub best: Option<String>,
    /// Win rate lost, from 0 to 1.
    pub loss: f64,
    /// What that makes it.
    pub grade: Option<Grade>,
}

/// One side's record in a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SideReview {
    /// Turns judged.
    pub turns: usize,
    /// Of them the engine's own choice.
    pub best: usize,
    /// Costing 5 % and more.
    pub inaccuracies: usize,
    /// Costing 10 % and more.
    pub mistakes: usize,
    /// Costing 20 % and more.
    pub blunders: usize,
    /// Mean win rate lost per turn.
    pub mean_loss: f64,
    /// Mean hundredths lost per turn.
    pub mean_loss_cp: f64,
    /// From 0 to 100, by [`game_accuracy`].
    pub accuracy: Option<f64>,
}

/// A game with its analysed positions.
#[derive(Clone, Debug, Serialize)]
pub struct GameReview {
    /// Schema.
    pub v: u32,
    /// Input.
    pub source: String,
    /// Number in the input.
    pub record: usize,
    /// Game.
    pub game: String,
    /// First and second player, where the record names them.
    pub players: [String; 2],
    /// How it ended, in the words of the record.
    pub end: Option<String>,
    /// Why it ended, in the words of `kaeshi match`; `illegal` for a foul.
    pub cause: Option<&'static str>,
    /// A sentence about that: which move was the foul.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Positions analysed.
    pub positions: usize,
    /// The side that moves first, the other one.
    pub sides: [SideReview; 2],
    /// Turns that cost something.
    pub errors: Vec<ReviewedTurn>,
    /// Index of the entry in the plan.
    #[serde(skip)]
    pub entry: usize,
    /// All turns judged, in order.
    #[serde(skip)]
    pub judged: Vec<ReviewedTurn>,
    /// The positions by turn.
    #[serde(skip)]
    pub lines: BTreeMap<usize, PositionLine>,
}

impl GameReview {
    /// As a line of JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// The verdict on turn `turn`, from 1.
    pub fn judged(&self, turn: usize) -> Option<&ReviewedTurn> {
        let at = self.judged.binary_search_by_key(&turn, |judged| judged.turn).ok()?;
        self.judged.get(at)
    }
}

/// The value for the first side.
pub fn for_first(line: &PositionLine) -> Option<Score> {
    line.analysis.score().map(|score| for_first_of(line, score))
}

/// A score for the side to move of this position, for the first side.
pub fn for_first_of(line: &PositionLine, score: Score) -> Score {
    match score {
        score if line.side == "first" => score,
        // Mated already and about to mate in 0 would look alike; the mated side has lost.
        Score::MatedIn(0) => Score::MateIn(1),
        score => -score,
    }
}

/// The games of a plan with what their lines say.
pub fn reviews(plan: &AnalysisPlan, lines: &[AnalysisLine]) -> Vec<GameReview> {
    let mut by_place: BTreeMap<(&str, usize), BTreeMap<usize, PositionLine>> = BTreeMap::new();
    for line in lines {
        if let AnalysisLine::Position(line) = line {
            let place = (line.origin.source.as_str(), line.origin.record);
            by_place.entry(place).or_default().insert(line.turn, (**line).clone());
        }
    }
    let mut reviews = Vec::new();
    for (index, entry) in plan.entries.iter().enumerate() {
        let Some(record) = &entry.record else { continue };
        let Some(source) = plan.sources.get(entry.source) else { continue };
        let Some(lines) = by_place.remove(&(source.as_str(), entry.number)) else { continue };
        let judged = judge(record.game, &lines);
        reviews.push(GameReview {
            v: SCHEMA,
            source: source.clone(),
            record: entry.number,
            game: record.game.name().to_owned(),
            players: record.players.clone(),
            end: record.end.clone(),
            cause: record.ending.as_ref().and_then(|end| Some(end.cause?.word())),
            detail: record.ending.as_ref().map_or_else(String::new, |end| end.detail.clone()),
            positions: lines.len(),
            sides: ["first", "second"].map(|side| total(side, &judged, &lines)),
            errors: judged.iter().filter(|judged| judged.grade.is_some()).cloned().collect(),
            entry: index,
            judged,
            lines,
        });
    }
    reviews
}

/// Every turn whose positions before and after were both analysed.
fn judge(game: GameName, lines: &BTreeMap<usize, PositionLine>) -> Vec<ReviewedTurn> {
    let mut all = Vec::new();
    for (&turn, before) in lines {
        let (Some(after), Some(played)) = (lines.get(&(turn + 1)), &before.played) else { continue };
        let (Some(hoped), Some(got)) = (before.analysis.score(), after.analysis.score()) else { continue };
        let is_best = before.analysis.best.as_ref() == Some(played);
        // The engine's own choice cannot be a mistake, however its mind changes a turn later.
        let loss = if is_best { 0.0 } else { (win_rate(game, hoped) - (1.0 - win_rate(game, got))).max(0.0) };
        let loss = (loss * 1e4).round() / 1e4;
        all.push(ReviewedTurn {
            turn: turn + 1,
            side: before.side.clone(),
            played: played.clone(),
            best: before.analysis.best.clone(),
            loss,
            grade: GRADES.iter().find(|(from, _)| loss >= *from).map(|&(_, grade)| grade),
        });
    }
    all
}

/// How accurate the turns of a side were.
fn accuracy(side: &str, own: &[&ReviewedTurn], lines: &BTreeMap<usize, PositionLine>) -> Option<f64> {
    let rate = |line: &PositionLine| {
        let game = GameName::parse(&line.game).unwrap_or(GameName::USUAL);
        let own = line.analysis.score().map_or(0.5, |score| win_rate(game, score));
        if line.side == "first" { own } else { 1.0 - own }
    };
    let places: BTreeMap<usize, usize> =
        lines.keys().enumerate().map(|(place, &turn)| (turn, place)).collect();
    let rates: Vec<f64> = lines.values().map(rate).collect();
    let by = usize::from(side != "first");
    let turns = own.iter().filter_map(|judged| Some((*places.get(&(judged.turn - 1))?, by, judged.loss)));
    let slope = lines
        .values()
        .next()
        .and_then(|line| GameName::parse(&line.game))
        .map_or(1.0, |game| game.facts().values.accuracy_slope);
    game_accuracy(&rates, &turns.collect::<Vec<_>>(), slope)[by]
}

fn total(side: &str, judged: &[ReviewedTurn], lines: &BTreeMap<usize, PositionLine>) -> SideReview {
    let own: Vec<&ReviewedTurn> = judged.iter().filter(|judged| judged.side == side).collect();
    if own.is_empty() {
        return SideReview::default();
    }
    let count = own.len() as f64;
    let graded = |grade: Grade| own.iter().filter(|judged| judged.grade == Some(grade)).count();
    let hundredths = |turn: usize| {
        let score = lines.get(&turn).and_then(|line| line.analysis.score());
        score.map_or(0, |score| score.clamped(MATE_HUNDREDTHS))
    };
    let lost = |judged: &ReviewedTurn| {
        let is_best = judged.best.as_ref() == Some(&judged.played);
        if is_best { 0 } else { (hundredths(judged.turn - 1) + hundredths(judged.turn)).max(0) }
    };
    let rounded = |value: f64, digits: f64| (value * digits).round() / digits;
    SideReview {
        turns: own.len(),
        best: own.iter().filter(|judged| judged.best.as_ref() == Some(&judged.played)).count(),
        inaccuracies: graded(Grade::Inaccuracy),
        mistakes: graded(Grade::Mistake),
        blunders: graded(Grade::Blunder),
        mean_loss: rounded(own.iter().map(|judged| judged.loss).sum::<f64>() / count, 1e4),
        mean_loss_cp: rounded(own.iter().map(|judged| f64::from(lost(judged))).sum::<f64>() / count, 10.0),
        accuracy: accuracy(side, &own, lines).map(|accuracy| rounded(accuracy, 10.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::line::{AnalysisVariation, PositionOrigin, StoredAnalysis};

    fn line(turn: usize, score: Score, best: &str, played: Option<&str>) -> (usize, PositionLine) {
        let variation = AnalysisVariation {
            score,
            winrate: 0.0,
            pv: vec![best.into()],
            japanese: String::new(),
            western: String::new(),
        };
        let line = PositionLine {
            v: SCHEMA,
            origin: PositionOrigin::default(),
            turn,
            game: "shogi".into(),
            position: String::new(),
            key: String::new(),
            side: if turn.is_multiple_of(2) { "first" } else { "second" }.into(),
            played: played.map(str::to_owned),
            effort: String::new(),
            during_search: false,
            analysis: StoredAnalysis {
                best: Some(best.into()),
                lines: vec![variation],
                ..StoredAnalysis::default()
            },
        };
        (turn, line)
    }

    #[test]
    fn turns_are_judged_by_the_win_rate_they_cost() {
        let lines: BTreeMap<_, _> = [
            line(0, Score::Cp(0), "a", Some("b")),
            line(1, Score::Cp(600), "c", Some("c")),
            line(2, Score::MatedIn(3), "d", Some("e")),
            line(3, Score::MateIn(2), "f", None),
        ]
        .into();
        let judged = judge(GameName::Shogi, &lines);
        let grades: Vec<_> = judged.iter().map(|judged| (judged.turn, judged.loss, judged.grade)).collect();
        assert_eq!(grades, [(1, 0.2311, Some(Grade::Blunder)), (2, 0.0, None), (3, 0.0, None)]);
        let first = total("first", &judged, &lines);
        assert_eq!((first.turns, first.blunders, first.best), (2, 1, 0));
        assert_eq!(first.mean_loss_cp, 300.0);
        let second = total("second", &judged, &lines);
        assert_eq!((second.turns, second.best, second.accuracy), (1, 1, Some(100.0)));
        assert_eq!(total("first", &[], &lines).accuracy, None);
    }

    #[test]
    fn values_are_turned_to_the_first_side() {
        assert_eq!(for_first(&line(1, Score::Cp(50), "a", None).1), Some(Score::Cp(-50)));
        assert_eq!(for_first(&line(0, Score::Cp(50), "a", None).1), Some(Score::Cp(50)));
        assert_eq!(for_first(&line(1, Score::MatedIn(0), "a", None).1), Some(Score::MateIn(1)));
    }
}
