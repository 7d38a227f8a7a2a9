//! How score and likelihood ratio developed over the schedule.

use super::{Figure, row, spread};
use crate::tournament::report::numbers::{name, percent};
use crate::tournament::summary::MatchSummary;
use kaeshi_report::svg::Chart;
use kaeshi_statistics::ResultCounts;

/// Rows of the table twins.
const ROWS: usize = 12;
/// Lines that a chart of more than two engines shows.
const MOST_LINES: usize = 6;

/// Score over the finished units: with its band between two engines, else one line each.
pub fn score(summary: &MatchSummary) -> Option<Figure> {
    if summary.finished.is_empty() {
        return None;
    }
    if summary.engines.len() == 2 { duel(summary) } else { field(summary) }
}

fn duel(summary: &MatchSummary) -> Option<Figure> {
    let own = name(summary, summary.pairings.first()?.engines[0]);
    let mut counts = ResultCounts::empty(summary.single);
    let (mut middle, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
    for (index, unit) in summary.finished.iter().enumerate() {
        counts.add(unit.half_points);
        let score = counts.score()?;
        let x = (index + 1) as f64;
        middle.push((x, 100.0 * score.value));
        low.push((x, 100.0 * score.low));
        high.push((x, 100.0 * score.high));
    }
    // The first units say nothing and would squeeze the rest.
    let settled = middle.len() / 10;
    let bottom = low[settled..].iter().map(|p| p.1).fold(45.0, f64::min);
    let top = high[settled..].iter().map(|p| p.1).fold(55.0, f64::max);
    let word = summary.unit_word();
    let title = format!("Score of {own}");
    let mut chart =
        Chart::new(&title, (word, "score %"), (0.0, middle.len() as f64), (bottom, top)).x_ticks();
    chart.band("s0", &low, &high);
    chart.rule("even", 50.0, "");
    chart.line("s0", &middle);
    let rows = spread(middle.len(), ROWS).into_iter().map(|i| {
        row([
            (i + 1).to_string(),
            percent(middle[i].1 / 100.0),
            percent(low[i].1 / 100.0),
            percent(high[i].1 / 100.0),
        ])
    });
    Some(Figure {
        note: format!("After each of the {word}, with the 95 % confidence band."),
        svg: chart.finish(),
        table: (row([word, "score", "from", "to"]), rows.collect()),
        title,
    })
}

fn field(summary: &MatchSummary) -> Option<Figure> {
    let count = summary.engines.len().min(MOST_LINES);
    let mut sums = vec![(0.0, 0.0); summary.engines.len()];
    let mut lines: Vec<Vec<(f64, f64)>> = vec![Vec::new(); count];
    for (index, unit) in summary.finished.iter().enumerate() {
        let most = 2.0 * unit.games as f64;
        let shares = [unit.half_points as f64, most - unit.half_points as f64];
        for (engine, share) in unit.engines.into_iter().zip(shares) {
            let sum = sums.get_mut(engine)?;
            *sum = (sum.0 + share, sum.1 + most);
            if engine < count {
                lines[engine].push(((index + 1) as f64, 100.0 * sum.0 / sum.1));
            }
        }
    }
    let word = summary.unit_word();
    let title = "Score of each engine".to_owned();
    let mut chart =
        Chart::new(&title, (word, "score %"), (0.0, summary.finished.len() as f64), (0.0, 100.0)).x_ticks();
    chart.rule("even", 50.0, "");
    for (engine, line) in lines.iter().enumerate() {
        chart.line(&format!("s{engine}"), line);
    }
    let rows = summary.engines.iter().enumerate().map(|(index, _)| {
        let (sum, most) = sums[index];
        row([name(summary, index), if most > 0.0 { percent(sum / most) } else { "–".into() }])
    });
    Some(Figure {
        note: "Share of the points of all games so far. Colours as in the table of engines.".into(),
        svg: chart.finish(),
        table: (row(["engine", "score"]), rows.collect()),
        title,
    })
}

/// The log-likelihood ratio between its bounds; what came after the decision is dashed.
pub fn ratio(summary: &MatchSummary) -> Option<Figure> {
    let test = summary.sprt.as_ref()?;
    if test.ratios.is_empty() {
        return None;
    }
    let [lower, upper] = test.bounds;
    let points: Vec<(f64, f64)> =
        test.ratios.iter().enumerate().map(|(index, &ratio)| ((index + 1) as f64, ratio)).collect();
    let decided = test.decided_at.map_or(points.len(), |at| at as usize);
    let bottom = points.iter().map(|p| p.1).fold(lower, f64::min) - 0.3;
    let top = points.iter().map(|p| p.1).fold(upper, f64::max) + 0.5;
    let word = summary.unit_word();
    let mut chart =
        Chart::new("Sequential test", (word, "LLR"), (0.0, points.len() as f64), (bottom, top)).x_ticks();
    chart.rule("bound", upper, &format!("H1: Elo ≥ {}", test.elo1));
    chart.rule("bound", lower, &format!("H0: Elo ≤ {}", test.elo0));
    chart.line("s0", &points[..decided.min(points.len())]);
    if decided < points.len() {
        chart.line("s0 drained", &points[decided.saturating_sub(1)..]);
    }
    if test.decided_at.is_some() {
        chart.mark(decided as f64, &format!("{} after {decided}", test.verdict));
    }
    let rows = spread(points.len(), ROWS)
        .into_iter()
        .map(|index| row([(index + 1).to_string(), format!("{:.2}", points[index].1)]));
    Some(Figure {
        title: "Sequential test".into(),
        note: format!(
            "Log-likelihood ratio [{}] in the order of the schedule; the first crossing of a bound decides.",
            test.model
        ),
        svg: chart.finish(),
        table: (row([word, "LLR"]), rows.collect()),
    })
}
