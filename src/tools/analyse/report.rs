//! One HTML page with a board, a curve and tables for each game; no network, and what was found is readable
//! without scripts. The same lines give the same bytes.

use std::fmt::Write;

use serde::Serialize;

use super::line::{PositionLine, Score, win_rate};
use super::plan::Plan;
use super::review::{Grade, Judged, Review, SideReview, for_first};
use crate::game::picture::{Held, Man, Picture};
use crate::game::{Game, Side};
use crate::games::{GameName, Visitor};
use crate::page::escape::{escape, json_in_script};
use crate::page::files::{STYLE, analysed, words};
use crate::referee::local_line;
use crate::tools::looks::looks;

/// Mates count as so many hundredths, less their plies, in what the page reads.
const MATE: i32 = 200_000;
const BODY: &str = include_str!("report/body.html");
/// Nothing is loaded, nothing is sent.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

#[derive(Serialize)]
struct Data<'a> {
    language: Option<&'a str>,
    games: Vec<Analysed>,
}

/// One game as the page reads it; the names are those of `src/page/types.d.ts`.
#[derive(Serialize)]
struct Analysed {
    game: &'static str,
    /// The name of each cell.
    names: Vec<String>,
    sides: [String; 2],
    positions: Vec<Position>,
}

#[derive(Serialize)]
struct Position {
    turn: usize,
    board: String,
    hands: [String; 2],
    side: usize,
    s: Option<i32>,
    x: bool,
    rate: f64,
    moved: Option<Moved>,
    lines: Vec<Line>,
}

/// A turn, in the words of the protocol and in Japanese.
#[derive(Serialize)]
struct Turn {
    t: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    j: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<String>,
}

#[derive(Serialize)]
struct Moved {
    #[serde(flatten)]
    turn: Turn,
    #[serde(skip_serializing_if = "Option::is_none")]
    g: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<Turn>,
}

#[derive(Serialize)]
struct Line {
    s: i32,
    x: bool,
    t: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    j: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
}

/// The page; in this language, or in that of the browser.
pub fn html(plan: &Plan, reviews: &[Review], language: Option<&str>) -> String {
    let (mut index, mut options, mut tables) = (String::new(), String::new(), String::new());
    for (number, review) in reviews.iter().enumerate() {
        let names = names(review);
        let _ = write!(options, "<option value=\"{number}\">{}</option>", escape(&names.join(" – ")));
        rows(&mut index, number, review, &names);
        positions(&mut tables, number, review, &names);
    }
    // A name may look like a place of the page that is yet to be filled.
    let filled = |text: &str| text.replace('{', "&#123;");
    let body = BODY
        .replace("{count}", &reviews.len().to_string())
        .replace("{effort}", &filled(&escape(&plan.effort().text())))
        .replace("{index}", &filled(&index))
        .replace("{options}", &filled(&options))
        .replace("{tables}", &tables);
    let data = Data { language, games: reviews.iter().map(game).collect() };
    let data = serde_json::to_string(&data).unwrap_or_default();
    format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Kaeshi analysis</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n\
         <script type=\"application/json\" id=\"words\">{}</script>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
        language.unwrap_or("en"),
        words(&looks()),
        json_in_script(&data),
        analysed(),
    )
}

fn game_of(review: &Review) -> GameName {
    GameName::parse(&review.game).unwrap_or(GameName::USUAL)
}

/// The players with their colours.
fn names(review: &Review) -> [String; 2] {
    let colours = game_of(review).facts().colours;
    [0, 1].map(|side| match review.players[side].as_str() {
        "" => colours[side].to_owned(),
        player => format!("{player} ({})", colours[side]),
    })
}

/// Both sides of a game in the index.
fn rows(page: &mut String, number: usize, review: &Review, names: &[String; 2]) {
    for (side, name) in review.sides.iter().zip(names) {
        let SideReview { turns, best, inaccuracies, mistakes, blunders, mean_loss, .. } = side;
        let accuracy = side.accuracy.map_or("–".to_owned(), |accuracy| format!("{accuracy:.1}"));
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\"><a href=\"#g{number}\">{}</a></th><td>{accuracy}</td><td>{best} / {turns}</td>\
             <td class=\"g1\">{inaccuracies}</td><td class=\"g2\">{mistakes}</td><td class=\"g3\">{blunders}</td>\
             <td>{:.2} %</td></tr>",
            escape(name),
            100.0 * mean_loss
        );
    }
}

/// All positions of a game as a table, for those without scripts.
fn positions(page: &mut String, number: usize, review: &Review, names: &[String; 2]) {
    let _ = writeln!(
        page,
        "<details class=\"positions\" id=\"game{number}\"><summary>{} · {} {}{}</summary><div class=\"scroll\"><table>\
         <thead><tr><th data-say=\"turn\">Turn</th><th data-say=\"moves\">Moves</th><th data-say=\"value\">Value</th>\
         <th data-say=\"win-rate\">wins</th><th data-say=\"best\">Best</th><th data-say=\"line\">Line</th></tr></thead><tbody>",
        escape(&names.join(" – ")),
        escape(&review.source),
        review.record,
        review.end.as_ref().map_or(String::new(), |end| format!(", {}", escape(end))),
    );
    for (turn, line) in &review.lines {
        let best = line.analysis.lines.first();
        let shown = |score| shown(game_of(review), score);
        let _ = writeln!(
            page,
            "<tr><td>{turn}</td><td>{}</td><td>{}</td><td>{:.1} %</td><td>{}</td><td>{}</td></tr>",
            escape(&marked(review, *turn)),
            for_first(line).map_or(String::new(), shown),
            100.0 * rate(line),
            escape(line.analysis.best.as_deref().unwrap_or("")),
            escape(&best.map_or(String::new(), line_text)),
        );
    }
    page.push_str("</tbody></table></div></details>\n");
}

/// A value as people read it: whole centipawns in shogi, else discs or points.
fn shown(game: GameName, score: Score) -> String {
    match (score, game.facts().unit.shown_in_hundredths) {
        (Score::Cp(value), true) => format!("{value:+}"),
        (score, _) => score.shown(),
    }
}

fn line_text(variation: &super::line::Variation) -> String {
    if variation.japanese.is_empty() { variation.pv.join(" ") } else { variation.japanese.clone() }
}

/// The turn that led to the position after `turn` turns, with its mark.
fn marked(review: &Review, turn: usize) -> String {
    let sign = review.judged(turn).and_then(|judged| judged.grade).map_or("", Grade::sign);
    before(review, turn)
        .and_then(|line| line.played.as_ref())
        .map_or(String::new(), |played| format!("{played}{sign}"))
}

/// The position before the turn `turn`.
fn before(review: &Review, turn: usize) -> Option<&PositionLine> {
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

fn game(review: &Review) -> Analysed {
    Analysed {
        game: game_of(review).name(),
        names: review
            .lines
            .values()
            .find_map(|line| game_of(review).visit(Drawn(&line.position)))
            .map_or_else(Vec::new, |picture| picture.names),
        sides: review.players.clone(),
        positions: review.lines.iter().map(|(&turn, line)| position(review, turn, line)).collect(),
    }
}

fn position(review: &Review, turn: usize, line: &PositionLine) -> Position {
    let name = game_of(review);
    let picture = name.visit(Drawn(&line.position));
    let (board, hands) = picture.as_ref().map_or_else(Default::default, |picture| texts(name, picture));
    let value = for_first(line).map(hundredths);
    let sign = if line.side == "first" { 1 } else { -1 };
    let lines = line.analysis.lines.iter().map(|variation| {
        let (s, x) = hundredths(variation.score);
        let j = Some(variation.japanese.clone()).filter(|text| !text.is_empty());
        Line { s: sign * s, x, t: variation.pv.join(" "), j, first: variation.pv.first().cloned() }
    });
    Position {
        turn,
        board,
        hands,
        side: usize::from(line.side != "first"),
        s: value.map(|(value, _)| value),
        x: value.is_some_and(|(_, proven)| proven),
        rate: (rate(line) * 1000.0).round() / 10.0,
        moved: before(review, turn).and_then(|before| moved(review, turn, before)),
        lines: lines.collect(),
    }
}

/// The turn that was made at `line`, and what would have been better.
fn moved(review: &Review, turn: usize, line: &PositionLine) -> Option<Moved> {
    let name = game_of(review);
    let worded =
        |turn: &str| Turn { t: turn.to_owned(), j: in_japanese(name, &line.position, turn), loss: None };
    let judged = review.judged(turn);
    let grade = judged.and_then(|judged| judged.grade);
    let better = grade.and(judged).and_then(|judged| {
        let best = judged.best.as_ref()?;
        Some(Turn { loss: Some(lost(review, turn, judged)), ..worded(best) })
    });
    let g = grade.map(|grade| match grade {
        Grade::Inaccuracy => 1,
        Grade::Mistake => 2,
        Grade::Blunder => 3,
    });
    Some(Moved { turn: worded(line.played.as_ref()?), g, b: better })
}

/// What a turn cost: in the unit of the game, or where a mate was in it, in win rate.
fn lost(review: &Review, turn: usize, judged: &Judged) -> String {
    let value = |turn: usize| review.lines.get(&turn).and_then(|line| line.analysis.score());
    match (turn.checked_sub(1).and_then(value), value(turn)) {
        (Some(Score::Cp(hoped) | Score::Exact(hoped)), Some(Score::Cp(got) | Score::Exact(got))) => {
            let loss = hoped + got;
            match game_of(review).facts().unit.shown_in_hundredths {
                true => format!("{:+}", -loss),
                false => format!("{:+.1}", -f64::from(loss) / 100.0),
            }
        }
        _ => format!("-{:.0} %", 100.0 * judged.loss),
    }
}

fn in_japanese(game: GameName, position: &str, turn: &str) -> Option<String> {
    let text = local_line(game, position, &[], &[turn.to_owned()]);
    Some(text).filter(|text| !text.is_empty())
}

/// Draws a position.
struct Drawn<'a>(&'a str);

impl Visitor for Drawn<'_> {
    type Output = Option<Picture>;

    fn visit<G: Game>(self) -> Option<Picture> {
        let game = G::load(&G::Settings::default()).ok()?;
        Some(game.picture(&game.parse_position(self.0).ok()?))
    }
}

/// Cells row by row with commas between them, and the hands, `R B2 P11`. A piece is its letter, capital for the
/// first side; a disc or stone the letter of its colour.
fn texts(game: GameName, picture: &Picture) -> (String, [String; 2]) {
    let cell = |cell: &Option<Man>| match cell {
        None => String::new(),
        Some(man) if man.kind.is_empty() => game.facts().colour(man.side)[..1].to_ascii_lowercase(),
        Some(man) if man.side == Side::First => man.kind.to_owned(),
        Some(man) => man.kind.to_ascii_lowercase(),
    };
    let held = |held: &Held| match held.count {
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
    use crate::tools::analyse::effort::{Effort, Limit};
    use crate::tools::analyse::line::{Analysis, Line, Variation};
    use crate::tools::analyse::plan::Wanted;
    use crate::tools::analyse::review::reviews;

    fn page(text: &str) -> String {
        let effort = Effort { limit: Limit::Nodes(1), multipv: 1 };
        let mut plan = Plan::new(Wanted { game: None, turns: None, effort, options: Vec::new() }).unwrap();
        plan.add("<a&b>.csa", text.as_bytes());
        let mut lines = Vec::new();
        for place in 0..plan.entries[0].turns.len() {
            let mut line = plan.task(&plan.entries[0], place).unwrap().line;
            let pv = vec!["</script>".to_owned()];
            let variation = Variation { score: Score::Cp(300), winrate: 0.5, pv, japanese: String::new() };
            line.analysis = Analysis { lines: vec![variation], ..Analysis::default() };
            lines.push(Line::Position(Box::new(line)));
        }
        html(&plan, &reviews(&plan, &lines), None)
    }

    #[test]
    fn every_position_is_there_with_its_turn_and_what_was_better() {
        let page = page("N+<b>\nN-\"x\"\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n");
        assert_eq!(page.matches("<tr><td>").count(), 4);
        assert_eq!(page.matches("{\"turn\":").count(), 4);
        assert!(page.contains("\"t\":\"8h2b+\",\"j\":\"▲２二角成\",\"g\":"), "a turn with its grade");
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
