//! One HTML page with a chart and the boards of each game; no network, and readable without
//! scripts. The same lines give the same bytes.

use std::fmt::Write;

use serde_json::json;

use super::line::{PositionLine, Score, win_rate};
use super::plan::Plan;
use super::review::{Review, SideReview, for_first};
use crate::games::GameName;

/// Width and height of a chart in pixels, and what its frame leaves free.
const CHART: (f64, f64, f64) = (720.0, 200.0, 30.0);
const STYLE: &str = include_str!("report/style.css");
const SCRIPT: &str = include_str!("report/script.js");

/// The page.
pub fn html(plan: &Plan, reviews: &[Review]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'; img-src data:\">\n<title>Kaeshi analysis</title>\n<style>\n{STYLE}</style></head>\n\
         <body>\n<h1>Kaeshi analysis</h1>\n<p>{} games, {} effort. Values and win rates are those of the side that moves \
         first; {}.</p>\n",
        reviews.len(),
        escape(&plan.effort().text()),
        "the arrow keys step through the game whose board was clicked last",
    );
    let mut data = Vec::new();
    for (index, review) in reviews.iter().enumerate() {
        game(&mut page, index, review);
        data.push(game_data(review));
    }
    // In a script element only `<` could end it early.
    let data = serde_json::Value::Array(data).to_string().replace('<', "\\u003c");
    let _ = write!(
        page,
        "<script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n</body></html>\n"
    );
    page
}

/// `& < > " '` as entities.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            sign if sign.is_control() => safe.push(' '),
            sign => safe.push(sign),
        }
    }
    safe
}

fn game_of(review: &Review) -> GameName {
    GameName::parse(&review.game).unwrap_or(GameName::Shogi)
}

fn game(page: &mut String, index: usize, review: &Review) {
    let [first, second] = game_of(review).facts().colours;
    let name = |player: &str, colour: &str| {
        if player.is_empty() { colour.to_owned() } else { format!("{} ({colour})", escape(player)) }
    };
    let _ = write!(
        page,
        "<section id=\"game{index}\">\n<h2>{} – {}</h2>\n<p class=\"source\">{} game {}{}</p>\n",
        name(&review.players[0], first),
        name(&review.players[1], second),
        escape(&review.source),
        review.record,
        review.end.as_ref().map_or(String::new(), |end| format!(", {}", escape(end))),
    );
    page.push_str(
        "<table class=\"sides\"><tr><th></th><th>accuracy</th><th>best moves</th><th>inaccuracies</th>\
         <th>mistakes</th><th>blunders</th><th>mean loss</th></tr>\n",
    );
    for (side, colour) in review.sides.iter().zip([first, second]) {
        side_row(page, side, colour);
    }
    page.push_str("</table>\n");
    chart(page, review);
    page.push_str(
        "<div class=\"player\"><div class=\"board\"></div><div class=\"told\"></div><p class=\"buttons\">\
         <button data-step=\"first\">|◀</button><button data-step=\"-1\">◀</button>\
         <button data-step=\"1\">▶</button><button data-step=\"last\">▶|</button></p></div>\n\
         <details><summary>All positions</summary><table class=\"moves\"><tr><th>turn</th><th>move</th><th>value</th>\
         <th>win rate</th><th>best</th><th>line</th></tr>\n",
    );
    for (turn, line) in &review.lines {
        let best = line.analysis.lines.first();
        let _ = writeln!(
            page,
            "<tr><td>{turn}</td><td>{}</td><td>{}</td><td>{:.1} %</td><td>{}</td><td>{}</td></tr>",
            escape(&moved(review, *turn)),
            for_first(line).map_or(String::new(), Score::shown),
            100.0 * rate(line),
            escape(line.analysis.best.as_deref().unwrap_or("")),
            escape(&best.map_or(String::new(), line_text)),
        );
    }
    page.push_str("</table></details>\n</section>\n");
}

fn line_text(variation: &super::line::Variation) -> String {
    if variation.japanese.is_empty() { variation.pv.join(" ") } else { variation.japanese.clone() }
}

fn side_row(page: &mut String, side: &SideReview, colour: &str) {
    let accuracy = side.accuracy.map_or("–".to_owned(), |accuracy| format!("{accuracy:.1}"));
    let _ = writeln!(
        page,
        "<tr><th>{colour}</th><td>{accuracy}</td><td>{} of {}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2} %</td></tr>",
        side.best,
        side.turns,
        side.inaccuracies,
        side.mistakes,
        side.blunders,
        100.0 * side.mean_loss
    );
}

/// The turn that led to the position after `turn` turns, with its mark.
fn moved(review: &Review, turn: usize) -> String {
    let Some(before) = turn.checked_sub(1).and_then(|turn| review.lines.get(&turn)) else {
        return String::new();
    };
    let sign = review.judged(turn).and_then(|judged| judged.grade).map_or("", |grade| grade.sign());
    before.played.as_ref().map_or(String::new(), |played| format!("{played}{sign}"))
}

/// Probability that the first side wins.
fn rate(line: &PositionLine) -> f64 {
    let game = GameName::parse(&line.game).unwrap_or(GameName::Shogi);
    let own = line.analysis.score().map_or(0.5, |score| win_rate(game, score));
    if line.side == "first" { own } else { 1.0 - own }
}

/// The win rate of the first side over the turns: a path, and a point for each position.
fn chart(page: &mut String, review: &Review) {
    let (width, height, free) = CHART;
    let last = review.lines.keys().next_back().copied().unwrap_or(0).max(1) as f64;
    let x = |turn: usize| free + (width - 2.0 * free) * turn as f64 / last;
    let y = |rate: f64| free / 2.0 + (height - 1.5 * free) * (1.0 - rate);
    let _ = writeln!(
        page,
        "<svg class=\"chart\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\"><title>Win rate of {} by turn</title>",
        game_of(review).facts().colours[0]
    );
    for percent in [0, 50, 100] {
        let at = y(f64::from(percent) / 100.0);
        let _ = writeln!(
            page,
            "<line class=\"grid\" x1=\"{free}\" x2=\"{:.2}\" y1=\"{at:.2}\" y2=\"{at:.2}\"/><text x=\"2\" y=\"{:.2}\">{percent}</text>",
            width - free,
            at + 4.0
        );
    }
    let step = ((last / 8.0 / 5.0).ceil() * 5.0).max(1.0) as usize;
    for turn in (0..=last as usize).step_by(step) {
        let _ = writeln!(page, "<text x=\"{:.2}\" y=\"{:.2}\">{turn}</text>", x(turn) - 4.0, height - 4.0);
    }
    let path: Vec<String> =
        review.lines.iter().map(|(turn, line)| format!("{:.2},{:.2}", x(*turn), y(rate(line)))).collect();
    let _ = writeln!(page, "<polyline points=\"{}\"/>", path.join(" "));
    for (place, (turn, line)) in review.lines.iter().enumerate() {
        let class =
            if review.judged(*turn).is_some_and(|judged| judged.grade.is_some()) { "bad" } else { "point" };
        let _ = writeln!(
            page,
            "<circle class=\"{class}\" data-place=\"{place}\" cx=\"{:.2}\" cy=\"{:.2}\" r=\"4\"><title>{turn} {}: {}</title></circle>",
            x(*turn),
            y(rate(line)),
            escape(&moved(review, *turn)),
            for_first(line).map_or(String::new(), Score::shown)
        );
    }
    page.push_str("</svg>\n");
}

fn game_data(review: &Review) -> serde_json::Value {
    let positions: Vec<_> = review
        .lines
        .iter()
        .map(|(turn, line)| {
            json!({
                "turn": turn,
                "position": line.position,
                "moved": moved(review, *turn),
                "value": for_first(line).map_or(String::new(), Score::shown),
                "rate": (rate(line) * 1000.0).round() / 10.0,
                "line": line.analysis.lines.first().map_or(String::new(), line_text),
            })
        })
        .collect();
    json!({ "game": review.game, "positions": positions })
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
        html(&plan, &reviews(&plan, &lines))
    }

    #[test]
    fn a_chart_has_a_point_for_each_position() {
        let page = page("N+<b>\nN-\"x\"\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n");
        assert_eq!(page.matches("<circle").count(), 4);
        assert_eq!(page.matches("<tr><td>").count(), 4);
        assert!(page.contains("8h2b+?"), "the marks of mistakes are shown");
    }

    #[test]
    fn what_inputs_say_cannot_break_the_page() {
        let page = page("N+<b>\nN-\"x\"\nPI\n+\n+7776FU\n");
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(page.contains("&lt;b&gt;") && !page.contains("<b>"));
        assert!(page.contains("&lt;a&amp;b&gt;.csa"));
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    }
}
