//! Time and score by ply.

use super::{Figure, fewest_at_ply, reported_score, row, spread};
use crate::tournament::journal::{Journal, JournalMove};
use crate::tournament::report::numbers::{duration, name};
use crate::tournament::summary::MatchSummary;
use crate::tournament::summary::engines::quantile;
use kaeshi_core::game::Side;
use kaeshi_engine::games::GameName;
use kaeshi_report::svg::Chart;

/// Engines that are drawn.
const MOST_LINES: usize = 6;
/// Scores beyond this count as this, in hundredths.
const FARTHEST: i32 = 2_000;
/// Rows of the table twins.
const ROWS: usize = 12;

/// Values of one engine's moves, two plies together: with colours exchanged an engine moves at both,
/// and lines would jump from one half of the games to the other.
fn by_ply<T>(journal: &Journal, engine: &str, of: impl Fn(&JournalMove) -> Option<T>) -> Vec<Vec<T>> {
    let mut plies: Vec<Vec<T>> = Vec::new();
    for played in &journal.games {
        for side in [Side::First, Side::Second] {
            if played.game.name(side) != engine {
                continue;
            }
            for one in played.moves.iter().filter(|one| one.mover() == side) {
                let Some(value) = of(one) else { continue };
                let index = one.ply.div_ceil(2) as usize;
                if index > 100_000 {
                    continue;
                }
                if plies.len() <= index {
                    plies.resize_with(index + 1, Vec::new);
                }
                plies[index].push(value);
            }
        }
    }
    plies
}

/// Median time and what 95 % of the moves stay below.
pub fn time(journal: &Journal, summary: &MatchSummary) -> Option<Figure> {
    let mut lines = Vec::new();
    for engine in summary.engines.iter().take(MOST_LINES) {
        let mut points = (Vec::new(), Vec::new());
        for (ply, mut used) in by_ply(journal, &engine.name, |one| Some(one.used_us)).into_iter().enumerate()
        {
            let ply = 2 * ply;
            if used.len() < fewest_at_ply(journal.games.len()) {
                continue;
            }
            used.sort_unstable();
            let (median, high) = (quantile(&used, 50)?, quantile(&used, 95)?);
            points.0.push((ply as f64, median as f64 / 1e3));
            points.1.push((ply as f64, high as f64 / 1e3));
        }
        lines.push(points);
    }
    let all = || lines.iter().flat_map(|(_, high)| high);
    let right = all().map(|p| p.0).fold(0.0, f64::max);
    let top = all().map(|p| p.1).fold(0.0, f64::max);
    if right == 0.0 || top == 0.0 {
        return None;
    }
    let mut chart = Chart::new("Time per move", ("ply", "ms"), (0.0, right), (0.0, top * 1.05)).x_ticks();
    for (index, (median, high)) in lines.iter().enumerate() {
        chart.line(&format!("s{index} faint"), high);
        chart.line(&format!("s{index}"), median);
    }
    let rows = lines.iter().enumerate().flat_map(|(index, (median, high))| {
        spread(median.len(), ROWS).into_iter().map(move |i| {
            let time = |ms: f64| duration((ms * 1e3) as u64);
            row([name(summary, index), format!("{:.0}", median[i].0), time(median[i].1), time(high[i].1)])
        })
    });
    Some(Figure {
        title: "Time per move".into(),
        note: format!("Median; the thin line is the 95th percentile. {}", legend(summary)),
        svg: chart.finish(),
        table: (row(["engine", "ply", "median", "95 %"]), rows.collect()),
    })
}

/// Mean of the engines' own scores.
pub fn score(journal: &Journal, summary: &MatchSummary) -> Option<Figure> {
    let reported = |one: &JournalMove| reported_score(one, FARTHEST);
    let mut lines = Vec::new();
    for engine in summary.engines.iter().take(MOST_LINES) {
        let mut points = Vec::new();
        for (ply, scores) in by_ply(journal, &engine.name, reported).into_iter().enumerate() {
            let ply = 2 * ply;
            if scores.len() >= fewest_at_ply(journal.games.len()) {
                let mean = scores.iter().map(|&score| f64::from(score)).sum::<f64>() / scores.len() as f64;
                points.push((ply as f64, mean / 100.0));
            }
        }
        lines.push(points);
    }
    let all = || lines.iter().flatten();
    let right = all().map(|p| p.0).fold(0.0, f64::max);
    if right == 0.0 {
        return None;
    }
    let reach = all().map(|p| p.1.abs()).fold(0.5, f64::max) * 1.1;
    let unit = GameName::facts_of(&summary.game).map_or("value", |facts| facts.values.unit.name);
    let mut chart = Chart::new("Reported scores", ("ply", unit), (0.0, right), (-reach, reach)).x_ticks();
    chart.rule("even", 0.0, "");
    for (index, line) in lines.iter().enumerate() {
        chart.line(&format!("s{index}"), line);
    }
    let rows = lines.iter().enumerate().flat_map(|(index, line)| {
        spread(line.len(), ROWS).into_iter().map(move |i| {
            row([name(summary, index), format!("{:.0}", line[i].0), format!("{:+.2}", line[i].1)])
        })
    });
    Some(Figure {
        title: "Reported scores".into(),
        note: format!("Mean score that each engine reported for its own side. {}", legend(summary)),
        svg: chart.finish(),
        table: (row(["engine", "ply", "score"]), rows.collect()),
    })
}

/// Which colour is whose.
fn legend(summary: &MatchSummary) -> String {
    if summary.engines.len() > 2 {
        return "Colours as in the table of engines.".into();
    }
    let names: Vec<String> = (0..summary.engines.len()).map(|index| name(summary, index)).collect();
    match names.as_slice() {
        [first, second] => format!("Red {first}, blue {second}."),
        _ => String::new(),
    }
}
