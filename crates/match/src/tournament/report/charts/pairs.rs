//! Results by cell beside what the hypotheses expect.

use super::{Figure, row};
use crate::tournament::journal::Journal;
use crate::tournament::report::numbers::{name, percent};
use crate::tournament::summary::MatchSummary;
use kaeshi_report::svg::Chart;
use kaeshi_statistics::likelihood;

/// Names of the cells of pairs and of single games.
const PAIR_CELLS: [&str; 5] = ["LL", "LD", "DD, WL", "WD", "WW"];
const GAME_CELLS: [&str; 3] = ["L", "D", "W"];

/// Bars of the cells between two engines.
pub fn cells(journal: &Journal, summary: &MatchSummary) -> Option<Figure> {
    let pairing = summary.pairings.first().filter(|_| summary.engines.len() == 2)?;
    let counts = pairing.counts;
    let units = counts.units();
    if units == 0 {
        return None;
    }
    let names: &[&str] = if summary.single { &GAME_CELLS } else { &PAIR_CELLS };
    let shares: Vec<f64> = counts.cells().iter().map(|&count| count as f64 / units as f64).collect();
    let expected: Vec<(f64, Vec<f64>)> = journal
        .open
        .sprt
        .iter()
        .flat_map(|sprt| [(sprt.elo0, sprt.model), (sprt.elo1, sprt.model)])
        .filter_map(|(elo, model)| Some((elo, likelihood::likeliest(&counts, model, elo)?)))
        .collect();
    let most = shares.iter().chain(expected.iter().flat_map(|(_, cells)| cells)).copied().fold(0.1, f64::max);
    let own = name(summary, pairing.engines[0]);
    let title = format!("{} of {own}", if summary.single { "Games" } else { "Pairs" });
    let word = summary.unit_word();
    let mut chart = Chart::new(
        &title,
        ("result", &format!("% of {word}")),
        (0.0, names.len() as f64),
        (0.0, 110.0 * most),
    );
    let mut rows = Vec::new();
    for (index, cell) in names.iter().enumerate() {
        let left = index as f64;
        let hint = format!("{cell}: {} ({})", counts.cells()[index], percent(shares[index]));
        let tone = index * 4 / (names.len() - 1);
        chart.bar(&format!("c{tone}"), (left + 0.18, left + 0.82), (0.0, 100.0 * shares[index]), &hint);
        chart.x_label(left + 0.5, cell);
        let mut cells = vec![cell.to_string(), counts.cells()[index].to_string(), percent(shares[index])];
        for (number, (elo, likely)) in expected.iter().enumerate() {
            let hint = format!("expected at Elo {elo}: {}", percent(likely[index]));
            chart.level(&format!("h{number}"), (left + 0.08, left + 0.92), 100.0 * likely[index], &hint);
            cells.push(percent(likely[index]));
        }
        rows.push(cells);
    }
    let mut head = row(["result", word, "share"]);
    head.extend(expected.iter().map(|(elo, _)| format!("at Elo {elo}")));
    let strokes =
        if expected.is_empty() { "" } else { " Lines: the most likely shares under H0 (dashed) and H1." };
    Some(Figure {
        title,
        note: format!("L lost, D drawn, W won.{strokes}"),
        svg: chart.finish(),
        table: (head, rows),
    })
}
