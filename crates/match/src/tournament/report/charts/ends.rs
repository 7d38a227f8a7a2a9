//! How long games were, and how they ended.

use super::{Figure, row};
use crate::tournament::journal::{GameResult, Journal};
use crate::tournament::report::numbers::colours;
use crate::tournament::summary::{ByColour, MatchSummary, cause_text};
use kaeshi_report::svg::{Chart, WIDTH, bar, drawing, text, ticks};

/// Classes of the parts of a bar: won by the first player, drawn, won by the second.
fn part_classes(game: &str) -> [&'static str; 3] {
    if colours(game)[0] == "Black" { ["dark", "drawn", "light"] } else { ["light", "drawn", "dark"] }
}

/// Histogram of game lengths, stacked by result.
pub fn lengths(journal: &Journal, summary: &MatchSummary) -> Option<Figure> {
    let longest = journal.games.iter().map(|played| played.game.plies).max()?;
    let step = ticks(0.0, f64::from(longest.max(1)), 16).get(1).map_or(1.0, |step| step.max(1.0)) as u32;
    let mut stacks = vec![[0u64; 3]; (longest / step + 1) as usize];
    for played in &journal.games {
        let part = match played.game.result {
            GameResult::FirstWins => 0,
            GameResult::Draw => 1,
            GameResult::SecondWins => 2,
        };
        stacks[(played.game.plies / step) as usize][part] += 1;
    }
    let tallest = stacks.iter().map(|stack| stack.iter().sum::<u64>()).max()?;
    let [first, second] = colours(&summary.game);
    let words = [format!("{first} won"), "drawn".into(), format!("{second} won")];
    let right = f64::from(step) * stacks.len() as f64;
    let mut chart =
        Chart::new("Length of the games", ("plies", "games"), (0.0, right), (0.0, tallest as f64 * 1.05))
            .x_ticks();
    let mut rows = Vec::new();
    for (index, stack) in stacks.iter().enumerate() {
        let left = index as f64 * f64::from(step);
        let span = format!("{}–{}", index as u32 * step, (index as u32 + 1) * step - 1);
        let mut bottom = 0.0;
        for ((count, part), word) in stack.iter().zip(part_classes(&summary.game)).zip(&words) {
            let top = bottom + *count as f64;
            if *count > 0 {
                let inset = f64::from(step) * 0.06;
                let x = (left + inset, left + f64::from(step) - inset);
                chart.bar(part, x, (bottom, top), &format!("{span} plies, {word}: {count}"));
            }
            bottom = top;
        }
        if bottom > 0.0 {
            rows.push(row([span, stack[0].to_string(), stack[1].to_string(), stack[2].to_string()]));
        }
    }
    let mut head = row(["plies"]);
    head.extend(words);
    Some(Figure {
        title: "Length of the games".into(),
        note: format!("Plies after the opening. From below: {first} won, drawn, {second} won."),
        svg: chart.finish(),
        table: (head, rows),
    })
}

/// One stacked bar for each cause of the end.
pub fn causes(summary: &MatchSummary) -> Option<Figure> {
    let causes = &summary.causes;
    let most = causes.values().map(ByColour::total).max()?;
    let [first, second] = colours(&summary.game);
    const ROW: f64 = 26.0;
    const NAME: f64 = 150.0;
    let width = |count: u64| count as f64 / most as f64 * (WIDTH - NAME - 44.0);
    let mut shapes = Vec::new();
    let mut rows = Vec::new();
    for (index, (cause, counts)) in causes.iter().enumerate() {
        let y = index as f64 * ROW + 4.0;
        let class = if cause.is_fault() { "label end fault" } else { "label end" };
        shapes.push(text(class, (NAME - 8.0, y + 14.0), cause_text(*cause)));
        let mut x = NAME;
        for (count, part) in parts(counts).into_iter().zip(part_classes(&summary.game)) {
            if count > 0 {
                shapes.push(bar(part, (x, y), (width(count).max(0.5), 18.0), &count.to_string()));
            }
            x += width(count);
        }
        shapes.push(text("tick", (x + 6.0, y + 14.0), &counts.total().to_string()));
        let mut cells = vec![cause_text(*cause).to_owned()];
        cells.extend(parts(counts).map(|count| count.to_string()));
        rows.push(cells);
    }
    let svg = drawing("chart", (0.0, causes.len() as f64 * ROW + 6.0), "How the games ended", &shapes);
    let head = row(["ended by".to_owned(), format!("{first} won"), "drawn".into(), format!("{second} won")]);
    Some(Figure {
        title: "How the games ended".into(),
        note: format!("From the left: {first} won, drawn, {second} won."),
        svg,
        table: (head, rows),
    })
}

fn parts(counts: &ByColour) -> [u64; 3] {
    [counts.first, counts.drawn, counts.second]
}
