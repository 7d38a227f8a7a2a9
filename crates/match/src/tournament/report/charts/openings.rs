//! Which starts brought what.

use maud::{Markup, html};

use super::{Figure, row};
use crate::tournament::summary::{MatchSummary, PairResult};
use kaeshi_report::svg::{WIDTH, drawing, number};
use kaeshi_report::text::Text;

/// Cells that are drawn; of more, evenly spread ones.
const MOST_CELLS: usize = 1_000;
/// Rows of the table.
const WORST: usize = 20;

/// A strip of all units from lost to won, and the table of the worst.
pub fn strip(summary: &MatchSummary) -> Option<Figure> {
    if summary.engines.len() != 2 || summary.finished.len() < 2 {
        return None;
    }
    let title =
        if summary.finished.iter().any(|unit| unit.opening.is_some()) { "Openings" } else { "All results" };
    let mut units: Vec<&PairResult> = summary.finished.iter().collect();
    units.sort_by_key(|unit| (unit.half_points, unit.opening, unit.order));
    let step = units.len().div_ceil(MOST_CELLS);
    let shown: Vec<&&PairResult> = units.iter().step_by(step).collect();
    let columns = (shown.len() as f64).sqrt().mul_add(2.6, 0.5).round().clamp(1.0, 60.0) as usize;
    let size = (WIDTH / columns as f64).min(34.0);
    let rows = shown.len().div_ceil(columns);
    let most = if summary.single { 2 } else { 4 };
    let cells: Vec<Markup> = shown
        .iter()
        .enumerate()
        .map(|(index, unit)| {
            let at = |place: usize| number(place as f64 * size + 1.0);
            let side = number(size - 2.0);
            let class = format!("bar c{}", unit.half_points * 4 / most);
            let hint = format!("{}: {}", opening(unit), result(unit));
            html! {
                rect class=(class) x=(at(index % columns)) y=(at(index / columns))
                    width=(side) height=(side) rx="2" {
                    title { (Text(hint)) }
                }
            }
        })
        .collect();
    let name = format!("{title} from lost to won");
    let svg = drawing("chart strip", (0.0, rows as f64 * size), &name, &cells);
    let worst =
        units.iter().take(WORST).map(|unit| row([opening(unit), (unit.order + 1).to_string(), result(unit)]));
    Some(Figure {
        title: title.into(),
        note: "One cell for each start played, from lost to won. The table lists the worst.".into(),
        svg,
        table: (row(["start", "number", "result"]), worst.collect()),
    })
}

fn opening(unit: &PairResult) -> String {
    unit.opening
        .map_or_else(|| format!("start {}", unit.order + 1), |number| format!("opening {}", number + 1))
}

/// The results of the games: `W`, `D` and `L`, that with the first colour first.
fn result(unit: &PairResult) -> String {
    let letters: Vec<&str> =
        unit.each.iter().map(|&half_points| ["L", "D", "W"][half_points.min(2)]).collect();
    letters.join(" ")
}
