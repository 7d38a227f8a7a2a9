//! One HTML page with a board, a curve and tables for each game; no network, and what was found is readable
//! without scripts. The same lines give the same bytes.

use serde::Serialize;

use super::line::{PositionLine, Score, win_rate};
use super::plan::AnalysisPlan;
use super::review::{GameReview, Grade, ReviewedTurn, for_first};
use kaeshi_core::game::picture::{Picture, PictureHand, PicturePiece};
use kaeshi_core::game::{Game, Side};
use kaeshi_engine::games::{GameName, GameVisitor};
use kaeshi_records::referee::written_line;
use kaeshi_report::document::Document;
use kaeshi_report::files::analysed;
use kaeshi_report::page_info::looks;

mod body;

/// Hundredths that a mate counts as, less its plies, in what the page reads.
const MATE: i32 = 200_000;

#[derive(Serialize)]
struct ReportData<'a> {
    language: Option<&'a str>,
    games: Vec<Analysed>,
}

/// One game as the page reads it; the names are those of `src/page/types.d.ts`.
#[derive(Serialize)]
struct Analysed {
    game: &'static str,
    /// The name of each cell.
    names: Vec<String>,
    /// Columns and rows of the board.
    size: [u8; 2],
    sides: [String; 2],
    /// The position in which it began; empty where that was not analysed.
    start: String,
    positions: Vec<ReportPosition>,
}

#[derive(Serialize)]
struct ReportPosition {
    turn: usize,
    board: String,
    hands: [String; 2],
    side: usize,
    s: Option<i32>,
    x: bool,
    rate: f64,
    moved: Option<Moved>,
    lines: Vec<ReportLine>,
    /// Turns that keep the exact value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keep: Vec<ReportTurn>,
}

/// A turn, in the words of the protocol, in Japanese and in Western notation.
#[derive(Serialize)]
struct ReportTurn {
    t: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    j: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    w: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<String>,
}

#[derive(Serialize)]
struct Moved {
    #[serde(flatten)]
    turn: ReportTurn,
    #[serde(skip_serializing_if = "Option::is_none")]
    g: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<ReportTurn>,
}

#[derive(Serialize)]
struct ReportLine {
    s: i32,
    x: bool,
    t: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    j: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    w: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
}

/// The page; in this language, or in that of the browser.
pub fn html(plan: &AnalysisPlan, reviews: &[GameReview], language: Option<&str>) -> String {
    let data = ReportData { language, games: reviews.iter().map(game).collect() };
    let document = Document {
        language: language.unwrap_or("en"),
        title: "Kaeshi analysis",
        body: body::body(plan, reviews),
        looks: &looks(),
        data: &serde_json::to_string(&data).unwrap_or_default(),
        script: &analysed(),
    };
    document.html()
}

fn game_of(review: &GameReview) -> GameName {
    GameName::parse(&review.game).unwrap_or(GameName::USUAL)
}

/// The position before the turn `turn`.
fn before(review: &GameReview, turn: usize) -> Option<&PositionLine> {
    turn.checked_sub(1).and_then(|turn| review.lines.get(&turn))
}

/// Probability that the first side wins.
fn rate(line: &PositionLine) -> f64 {
    let game = GameName::parse(&line.game).unwrap_or(GameName::USUAL);
    let own = line.analysis.score().map_or(0.5, |score| win_rate(game, score));
    if line.side == "first" { own } else { 1.0 - own }
}

/// Hundredths for the side that the score is for, mates beyond 100,000; and whether it is proven.
fn hundredths(score: Score) -> (i32, bool) {
    match score {
        Score::Cp(value) => (value, false),
        Score::Exact(value) => (value, true),
        Score::MateIn(plies) => (MATE - i32::from(plies), true),
        Score::MatedIn(plies) => (i32::from(plies) - MATE, true),
    }
}

fn game(review: &GameReview) -> Analysed {
    let board = review.lines.values().find_map(|line| game_of(review).visit(Drawn(&line.position)));
    Analysed {
        game: game_of(review).name(),
        size: board.as_ref().map_or([0; 2], |board| [board.columns, board.rows]),
        names: board.map_or_else(Vec::new, |board| board.names),
        sides: review.players.clone(),
        start: review.lines.get(&0).map_or_else(String::new, |line| line.position.clone()),
        positions: review.lines.iter().map(|(&turn, line)| position(review, turn, line)).collect(),
    }
}

fn position(review: &GameReview, turn: usize, line: &PositionLine) -> ReportPosition {
    let name = game_of(review);
    let picture = name.visit(Drawn(&line.position));
    let (board, hands) = picture.as_ref().map_or_else(Default::default, |picture| texts(name, picture));
    let value = for_first(line).map(hundredths);
    let sign = if line.side == "first" { 1 } else { -1 };
    let lines = line.analysis.lines.iter().map(|variation| {
        let (s, x) = hundredths(variation.score);
        let [j, w] = [&variation.japanese, &variation.western]
            .map(|text| Some(text.clone()).filter(|text| !text.is_empty()));
        ReportLine { s: sign * s, x, t: variation.pv.join(" "), j, w, first: variation.pv.first().cloned() }
    });
    ReportPosition {
        turn,
        board,
        hands,
        side: usize::from(line.side != "first"),
        s: value.map(|(value, _)| value),
        x: value.is_some_and(|(_, proven)| proven),
        rate: (rate(line) * 1000.0).round() / 10.0,
        moved: before(review, turn).and_then(|before| moved(review, turn, before)),
        lines: lines.collect(),
        keep: line.analysis.lossless.iter().flatten().map(|turn| worded(name, line, turn)).collect(),
    }
}

/// A turn at the position of `line`.
fn worded(game: GameName, line: &PositionLine, turn: &str) -> ReportTurn {
    let [j, w] = written(game, &line.position, turn);
    ReportTurn { t: turn.to_owned(), j, w, loss: None }
}

/// The turn that was made at `line`, and what would have been better.
fn moved(review: &GameReview, turn: usize, line: &PositionLine) -> Option<Moved> {
    let name = game_of(review);
    let judged = review.judged(turn);
    let grade = judged.and_then(|judged| judged.grade);
    let better = grade.and(judged).and_then(|judged| {
        let best = judged.best.as_ref()?;
        Some(ReportTurn { loss: Some(lost(review, turn, judged)), ..worded(name, line, best) })
    });
    let g = grade.map(|grade| match grade {
        Grade::Inaccuracy => 1,
        Grade::Mistake => 2,
        Grade::Blunder => 3,
    });
    Some(Moved { turn: worded(name, line, line.played.as_ref()?), g, b: better })
}

/// What a turn cost: in the unit of the game, or where a mate was in it, in win rate.
fn lost(review: &GameReview, turn: usize, judged: &ReviewedTurn) -> String {
    let value = |turn: usize| review.lines.get(&turn).and_then(|line| line.analysis.score());
    match (turn.checked_sub(1).and_then(value), value(turn)) {
        (Some(Score::Cp(hoped) | Score::Exact(hoped)), Some(Score::Cp(got) | Score::Exact(got))) => {
            let loss = hoped + got;
            match game_of(review).facts().values.unit.shown_in_hundredths {
                true => format!("{:+}", -loss),
                false => format!("{:+.1}", -f64::from(loss) / 100.0),
            }
        }
        _ => format!("-{:.0} %", 100.0 * judged.loss),
    }
}

/// A turn in Japanese and in Western notation.
fn written(game: GameName, position: &str, turn: &str) -> [Option<String>; 2] {
    let line = written_line(game, position, &[], &[turn.to_owned()]);
    [line.local, line.western].map(|text| Some(text).filter(|text| !text.is_empty()))
}

/// Draws a position.
struct Drawn<'a>(&'a str);

impl GameVisitor for Drawn<'_> {
    type Output = Option<Picture>;

    fn visit<G: Game>(self) -> Option<Picture> {
        let game = G::load(&G::Settings::default()).ok()?;
        Some(game.picture(&game.parse_position(self.0).ok()?))
    }
}

/// Cells row by row with commas between them, and the hands, `R B2 P11`. A piece is its letter, capital for the
/// first side; a disc or stone the letter of its colour.
fn texts(game: GameName, picture: &Picture) -> (String, [String; 2]) {
    let cell = |cell: &Option<PicturePiece>| match cell {
        None => String::new(),
        Some(man) if man.kind.is_empty() => game.facts().colour(man.side)[..1].to_ascii_lowercase(),
        Some(man) if man.side == Side::First => man.kind.to_owned(),
        Some(man) => man.kind.to_ascii_lowercase(),
    };
    let held = |held: &PictureHand| match held.count {
        1 => held.kind.to_owned(),
        count => format!("{}{count}", held.kind),
    };
    let cells: Vec<String> = picture.cells.iter().map(cell).collect();
    (
        cells.join(","),
        picture.hands.each_ref().map(|hand| hand.iter().map(held).collect::<Vec<_>>().join(" ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::effort::{AnalysisEffort, MemoryScope, SearchLimit};
    use crate::analyse::line::{AnalysisLine, AnalysisVariation, StoredAnalysis};
    use crate::analyse::plan::AnalysisOptions;
    use crate::analyse::review::reviews;

    fn page(text: &str) -> String {
        let effort = AnalysisEffort { limit: SearchLimit::Nodes(1), multipv: 1 };
        let mut plan = AnalysisPlan::new(AnalysisOptions {
            game: None,
            turns: None,
            side: None,
            effort,
            options: Vec::new(),
            memory: MemoryScope::Fresh,
            lossless: false,
        })
        .unwrap();
        plan.add("<a&b>.csa", text.as_bytes());
        let mut lines = Vec::new();
        for place in 0..plan.entries[0].turns.len() {
            let mut line = plan.task(&plan.entries[0], place).unwrap().line;
            let pv = vec!["</script>".to_owned()];
            let variation = AnalysisVariation {
                score: Score::Cp(300),
                winrate: 0.5,
                pv,
                japanese: String::new(),
                western: String::new(),
            };
            line.analysis = StoredAnalysis { lines: vec![variation], ..StoredAnalysis::default() };
            lines.push(AnalysisLine::Position(Box::new(line)));
        }
        html(&plan, &reviews(&plan, &lines), None)
    }

    #[test]
    fn every_position_is_there_with_its_turn_and_what_was_better() {
        let page = page("N+<b>\nN-\"x\"\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n");
        assert_eq!(page.matches("<tr><td>").count(), 4);
        assert_eq!(page.matches("{\"turn\":").count(), 4);
        assert!(
            page.contains("\"t\":\"8h2b+\",\"j\":\"▲２二角成\",\"w\":\"Bx2b+\",\"g\":"),
            "a turn with its grade"
        );
        assert!(page.contains("8h2b+?"), "the marks of mistakes are shown");
    }

    #[test]
    fn what_inputs_say_cannot_break_the_page() {
        let page = page("N+<b>\nN-\"x\"\nPI\n+\n+7776FU\n");
        assert_eq!(page.matches("</script>").count(), 3);
        assert!(page.contains("&lt;b&gt;") && !page.contains("<b>"));
        assert!(page.contains("&lt;a&amp;b&gt;.csa"));
        assert!(!page.contains("http://a") && page.contains("default-src 'none'"));
    }
}
