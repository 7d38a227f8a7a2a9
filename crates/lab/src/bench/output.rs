//! Output of the experiments: Markdown tables, and charts over powers of ten.

use std::fmt::Write;
use std::path::Path;

use kaeshi_report::svg::Chart;
use kaeshi_system::output::write_whole;

/// A Markdown table, its columns padded for reading as text.
pub(super) fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.chain(head.get(column)).map(String::len).max().unwrap_or(0)
    };
    let line = |cells: &[String]| {
        let mut line = String::from("|");
        for (column, cell) in cells.iter().enumerate() {
            let _ = write!(line, " {cell:<0$} |", width(column));
        }
        line
    };
    let rule: Vec<String> = (0..head.len()).map(|column| "-".repeat(width(column))).collect();
    let lines = [line(head), line(&rule)].into_iter().chain(rows.iter().map(|row| line(row)));
    lines.collect::<Vec<_>>().join("\n")
}

/// A whole number with commas between its thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A line of a chart.
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// Draws the curves into a file. If `decades` is set, x is the decimal logarithm of the labels.
pub(super) fn draw(
    path: &Path,
    title: &str,
    labels: (&str, &str),
    decades: bool,
    curves: &[Curve],
) -> anyhow::Result<()> {
    const CLASSES: [&str; 6] = ["s0", "s1", "s2", "s3", "s4", "s5"];
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let highest = |of: fn(&(f64, f64)) -> f64| all().map(of).fold(1.0, f64::max);
    let least = all().map(|point| point.0).fold(f64::INFINITY, f64::min).min(highest(|point| point.0));
    let (x, y) = ((least.floor(), highest(|point| point.0).ceil()), (0.0, highest(|point| point.1).ceil()));
    let mut chart = Chart::new(title, labels, x, y);
    if decades {
        for power in x.0 as i32..=x.1 as i32 {
            chart.x_label(f64::from(power), &format!("{}", 10f64.powi(power)));
        }
    } else {
        chart = chart.x_ticks();
    }
    let named: Vec<(&str, &str)> =
        curves.iter().zip(CLASSES).map(|(curve, class)| (class, curve.name.as_str())).collect();
    for (curve, class) in curves.iter().zip(CLASSES) {
        chart.line(class, &curve.points);
    }
    chart.legend(&named);
    write_whole(path, chart.finish_alone().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_distinguished() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let text = table(&words("a depth"), &[words("long 1")]);
        assert_eq!(text, "| a    | depth |\n| ---- | ----- |\n| long | 1     |");
    }
}
