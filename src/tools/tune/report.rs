//! The course of a tuning as one HTML page.

use std::path::Path;

use anyhow::Context;
use maud::html;

use crate::page::document::Document;
use crate::page::svg::Chart;
use crate::page::text::Text;
use crate::tasks::spsa::State;
use crate::tools::looks::looks;
use crate::tools::match_runner::report::charts::{Figure, spread};
use crate::tools::match_runner::report::html::{figure, table};
use crate::tools::write_whole;

/// Rows of the table beside a curve.
const ROWS: usize = 12;

/// Writes what the tuning of `out` has come to; `verdict` is that of the closing test.
///
/// # Errors
/// There is no tuning, or the file cannot be written.
pub fn write(out: &Path, page: &Path, verdict: Option<&str>) -> anyhow::Result<()> {
    let state = State::read(out)?.with_context(|| format!("{}: nothing was tuned yet", out.display()))?;
    write_whole(page, html(&state, &out.display().to_string(), verdict).as_bytes())
}

/// The page: a curve for every parameter, each with its table.
fn html(state: &State, name: &str, verdict: Option<&str>) -> String {
    let head = ["parameter", "at first", "now"].map(String::from);
    let rows: Vec<Vec<String>> = state
        .averaged
        .iter()
        .map(|(name, now)| {
            let first = state.curves.get(name).and_then(|curve| curve.first());
            vec![name.clone(), first.map_or("–".into(), |value| shown(*value)), shown(*now)]
        })
        .collect();
    let body = html! {
        header {
            h1 { (Text(name)) }
            p { (state.pairs) " pairs of games" }
            @if let Some(verdict) = verdict { p { (Text(verdict)) } }
        }
        section {
            h2 { "Conditions" }
            p { code { (Text(&state.terms)) } }
        }
        section {
            h2 { "Parameters" }
            (table("", &head, &rows))
        }
        section {
            h2 { "Curves" }
            div.figures {
                @for (name, curve) in &state.curves { (figure(&drawn(name, &state.at, curve))) }
            }
        }
    };
    let title = format!("{name} · kaeshi tune");
    Document { language: "en", title: &title, body, looks: &looks(), data: "{}", script: "" }.html()
}

/// How one parameter came to its value.
fn drawn(name: &str, at: &[u64], curve: &[f64]) -> Figure {
    let points: Vec<(f64, f64)> =
        at.iter().zip(curve).map(|(&pairs, &value)| (pairs as f64, value)).collect();
    let least = curve.iter().copied().fold(f64::INFINITY, f64::min);
    let most = curve.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // A flat curve has a range, too.
    let room = ((most - least) / 20.0).max(0.01 * most.abs()).max(0.01);
    let range = (least - room, most + room);
    let end = points.last().map_or(1.0, |point| point.0);
    let mut chart = Chart::new(name, ("pairs", "value"), (0.0, end), range).x_ticks();
    chart.line("s0", &points);
    let rows = spread(points.len(), ROWS).into_iter();
    Figure {
        title: name.to_owned(),
        note: "The running mean, which is the result.".into(),
        svg: chart.finish(),
        table: (
            vec!["pairs".into(), "value".into()],
            rows.map(|index| vec![at[index].to_string(), shown(curve[index])]).collect(),
        ),
    }
}

fn shown(value: f64) -> String {
    format!("{value:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_has_its_curve_and_its_numbers() {
        let state: State = toml::from_str(
            "terms = \"--seed 1 <x>\"\npairs = 24\nat = [8, 16, 24]\n[now]\na = 1.0\nb = 2.0\n\
             [averaged]\na = 1.5\nb = 2.0\n[curves]\na = [1.0, 1.25, 1.5]\nb = [2.0, 2.0, 2.0]\n",
        )
        .unwrap();
        let page = html(&state, "x.toml", Some("H1 & more"));
        assert_eq!(page.matches("<svg").count(), 2);
        for part in ["1.250", "24 pairs", "--seed 1 &lt;x&gt;", "H1 &amp; more", "<td>1.500</td>"] {
            assert!(page.contains(part), "{part}");
        }
    }
}
