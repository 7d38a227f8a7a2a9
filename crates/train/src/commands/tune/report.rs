//! The course of a tuning as one HTML page.

use std::path::{Path, PathBuf};

use anyhow::Context;
use maud::{Markup, html};

use super::engine::closing_test;

use crate::tasks::spsa::{SpsaState, place_of};
use kaeshi_match::tournament::journal::JOURNAL;
use kaeshi_match::tournament::journal::load::load;
use kaeshi_match::tournament::live_page::LiveSource;
use kaeshi_match::tournament::report::charts::{Figure, spread};
use kaeshi_match::tournament::report::html::live::LiveParts;
use kaeshi_match::tournament::report::html::{figure, table};
use kaeshi_match::tournament::report::table::verdict;
use kaeshi_match::tournament::summary::{GameSelection, MatchSummary};
use kaeshi_report::document::Document;
use kaeshi_report::files::player;
use kaeshi_report::page_info::looks;
use kaeshi_report::svg::Chart;
use kaeshi_report::text::Text;
use kaeshi_system::output::write_whole;

/// Rows of the table beside a curve.
const ROWS: usize = 12;

/// Writes what the tuning of `out` has come to; `verdict` is that of the closing test.
///
/// # Errors
/// There is no tuning, or the file cannot be written.
pub fn write(out: &Path, page: &Path, verdict: Option<&str>) -> anyhow::Result<()> {
    let state = SpsaState::read(out)?.with_context(|| format!("{}: nothing was tuned yet", out.display()))?;
    write_whole(page, html(&state, &out.display().to_string(), verdict).as_bytes())
}

/// The page: a curve for every parameter, each with its table.
fn html(state: &SpsaState, name: &str, verdict: Option<&str>) -> String {
    let body = curves(state, name, verdict);
    let title = format!("{name} · kaeshi tune");
    Document { language: "en", title: &title, body, looks: &looks(), data: "{}", script: &player() }.html()
}

/// The files from which `live` reads the tuning of `out`.
pub fn sources(out: &Path) -> [PathBuf; 2] {
    [place_of(out), closing_test(out).join(JOURNAL)]
}

/// The tuning that writes this file, for its live page.
#[derive(Debug)]
pub struct Tuning(pub PathBuf);

impl LiveSource for Tuning {
    fn files(&self) -> Vec<PathBuf> {
        sources(&self.0).into()
    }

    fn games(&self) -> PathBuf {
        closing_test(&self.0)
    }

    fn read(&self) -> anyhow::Result<LiveParts> {
        live(&self.0)
    }
}

/// The tuning of `out` for its live page: the curves, and then the closing test.
///
/// # Errors
/// Files that cannot be read.
fn live(out: &Path) -> anyhow::Result<LiveParts> {
    let name = out.file_name().unwrap_or(out.as_os_str()).to_string_lossy().into_owned();
    let title = format!("{name} · kaeshi live");
    let Some(state) = SpsaState::read(out)? else {
        let html =
            html! { header { h1 { (Text(&name)) } p { "The first pairs of games are being played." } } };
        return Ok(LiveParts::without_games(title, html.into_string(), false));
    };
    let is_played = state.of > 0 && state.pairs >= state.of;
    let [_, test] = sources(out);
    if is_played && test.is_file() {
        let journal = load(&test)?;
        let verdict = verdict(&MatchSummary::new(&journal, GameSelection::default()));
        let mut parts = LiveParts::new(&journal);
        parts.title = title;
        parts.html.insert_str(0, &curves(&state, &name, Some(&verdict)).into_string());
        return Ok(parts);
    }
    let html = curves(&state, &name, None).into_string();
    Ok(LiveParts::without_games(title, html, is_played))
}

/// How far the tuning has come, and a curve for every parameter.
fn curves(state: &SpsaState, name: &str, verdict: Option<&str>) -> Markup {
    let head = ["parameter", "at first", "now"].map(String::from);
    let rows: Vec<Vec<String>> = state
        .averaged
        .iter()
        .map(|(name, now)| {
            let first = state.curves.get(name).and_then(|curve| curve.first());
            vec![name.clone(), first.map_or("–".into(), |value| shown(*value)), shown(*now)]
        })
        .collect();
    html! {
        header {
            h1 { (Text(name)) }
            p {
                (state.pairs)
                @if state.of > state.pairs { " of " (state.of) }
                " pairs of games"
            }
            @if let Some(verdict) = verdict { p { (Text(verdict)) } }
        }
        section {
            h2 { "Curves" }
            div.figures {
                @for (name, curve) in &state.curves { (figure(&drawn(name, &state.at, curve))) }
            }
        }
        section {
            h2 { "Parameters" }
            (table("", &head, &rows))
        }
        section {
            h2 { "Conditions of the tuning" }
            p { code { (Text(&state.terms)) } }
        }
    }
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
        let state: SpsaState = toml::from_str(
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

    #[test]
    fn a_tuning_is_shown_from_its_first_game_to_its_last() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("x.toml");
        let seen = || {
            let parts = live(&out).unwrap();
            (parts.html, parts.ended)
        };
        assert!(seen().0.contains("first pairs of games are being played"));
        let keep = |pairs: u64| {
            let text = format!(
                "terms = \"t\"\npairs = {pairs}\nof = 16\nat = [0, {pairs}]\n[now]\na = 1.0\n[averaged]\na = 1.5\n\
                 [curves]\na = [1.0, 1.5]\n"
            );
            std::fs::write(place_of(&out), text).unwrap();
        };
        keep(8);
        let (html, ended) = seen();
        assert!(html.contains("8 of 16 pairs of games") && html.contains("<svg") && !ended, "{html}");
        keep(16);
        let (html, ended) = seen();
        assert!(html.contains(">16 pairs of games") && ended, "{html}");
    }
}
