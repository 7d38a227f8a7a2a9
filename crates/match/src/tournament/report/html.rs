//! The report: one page that needs nothing but itself.
//!
//! The same journal gives the same bytes: no clock, no hash order. Without JavaScript everything
//! but stepping through the games is there.

use maud::{Markup, html};

use games::ChosenGames;
use kaeshi_report::document::Document;
use kaeshi_report::files::player;
use kaeshi_report::page_info::looks;
use kaeshi_report::text::Text;

use super::charts::{self, Figure};
use super::numbers::{colours, duration, elo, limits, name, normalised_elo, percent, points, printable};
use super::table::{
    SUSPECT_FAULTS, engine_cells, engine_points, headline, meeting, meeting_cells, ranked, scaled_clocks,
    test_state, warning,
};
use crate::tournament::journal::Journal;
use crate::tournament::summary::{GameSelection, MatchSummary, cause_text};

pub mod comebacks;
pub mod games;
pub mod live;
pub mod tiles;

/// Faults that the page lists.
const MOST_FAULTS: usize = 50;

/// The report of a match as one HTML page.
pub fn html(journal: &Journal) -> String {
    let games = ChosenGames::new(journal);
    let body = html! {
        (charts_and_tables(journal))
        (games.section())
    };
    let document = Document {
        language: "en",
        title: &format!("{} · kaeshi match", title(journal)),
        body,
        looks: &looks(),
        data: &games.json(),
        script: &player(),
    };
    document.html()
}

/// Who plays.
fn title(journal: &Journal) -> String {
    journal.open.engines.iter().map(|engine| printable(&engine.name)).collect::<Vec<_>>().join(" – ")
}

/// All but the games: verdict, conditions, charts, tables.
fn charts_and_tables(journal: &Journal) -> Markup {
    let summary = MatchSummary::new(journal, GameSelection::default());
    let figures = charts::all(journal, &summary);
    html! {
        (tiles::header(journal, &summary, &title(journal)))
        (conditions(journal))
        @if !figures.is_empty() {
            section {
                h2 { "Charts" }
                div.figures {
                    @for chart in &figures { (figure(chart)) }
                }
            }
        }
        (tables(journal, &summary))
    }
}

/// A chart with its heading, its note and its table.
pub fn figure(figure: &Figure) -> Markup {
    let (head, rows) = &figure.table;
    html! {
        figure {
            figcaption {
                h3 { (Text(&figure.title)) }
                p { (Text(&figure.note)) }
            }
            (figure.svg)
            details {
                summary { "As a table" }
                (table("", head, rows))
            }
        }
    }
}

/// A table; the first cell of each row is its head.
pub fn table(caption: &str, head: &[String], rows: &[Vec<String>]) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                @if !caption.is_empty() {
                    caption { (caption) }
                }
                thead {
                    tr {
                        @for cell in head { th scope="col" { (Text(cell)) } }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            @if let Some((name, cells)) = row.split_first() {
                                th scope="row" { (Text(name)) }
                                @for cell in cells { td { (Text(cell)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn owned<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// Under which conditions the match was played.
fn conditions(journal: &Journal) -> Markup {
    let open = &journal.open;
    let mut facts = vec![("Game", open.game.clone()), ("Limit", limits(open))];
    let mut fact = |name, value: &str| {
        if !value.is_empty() {
            facts.push((name, value.to_owned()));
        }
    };
    fact("Openings", &open.openings);
    fact("Seed", &open.seed.to_string());
    let unit = if open.single { "games" } else { "pairs of games with colours exchanged" };
    fact("Schedule", &format!("{} {unit}, {} at the same time", open.pairs, open.concurrency.max(1)));
    if let Some(sprt) = &open.sprt {
        let text = format!(
            "Elo {} … {} [{}], α {}, β {}",
            sprt.elo0,
            sprt.elo1,
            sprt.model.name(),
            sprt.alpha,
            sprt.beta
        );
        fact("Test", &text);
    }
    fact("Clocks", &scaled_clocks(journal).unwrap_or_default());
    fact("Runner", &open.tool);
    fact("Machine", &open.host);
    fact("Started", &open.utc);
    let rows: Vec<Vec<String>> = open
        .engines
        .iter()
        .map(|engine| {
            let options: Vec<String> =
                engine.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let margin = if engine.margin_us > 0 { duration(engine.margin_us) } else { "–".into() };
            vec![
                engine.name.clone(),
                engine.id.clone(),
                engine.protocol.clone(),
                engine.limit.clone(),
                margin,
                options.join(" "),
                engine.command.clone(),
            ]
        })
        .collect();
    let head = owned(["engine", "reported name", "protocol", "limit", "margin", "options", "command"]);
    html! {
        section {
            h2 { "Conditions" }
            dl {
                @for (name, value) in &facts {
                    dt { (name) }
                    dd { (Text(value)) }
                }
                @if !open.resume.is_empty() {
                    dt { "Resume" }
                    dd { code { (Text(&open.resume)) } }
                }
            }
            details {
                summary { "Engines and their options" }
                div.left { (table("", &head, &rows)) }
            }
        }
    }
}

/// Standings, colours, ends, use of time, faults.
fn tables(journal: &Journal, summary: &MatchSummary) -> Markup {
    html! {
        section {
            h2 { "Tables" }
            div.tables {
                @if !summary.meetings.is_empty() { (bracket(summary)) }
                (standings(summary))
                (use_of_time(summary))
                (by_colour(summary))
                (ends(summary))
                (comebacks::comebacks(journal))
                @if summary.faulted > 0 { (faults(journal, summary)) }
            }
        }
    }
}

fn bracket(summary: &MatchSummary) -> Markup {
    let rows: Vec<Vec<String>> = meeting_cells(summary).into_iter().map(Vec::from).collect();
    table("Bracket", &owned(["round", "meeting", "points", "goes on"]), &rows)
}

fn standings(summary: &MatchSummary) -> Markup {
    let order = ranked(summary);
    let many = order.len() > 2;
    let mut head = owned(["engine", "points", "games", "score", "Elo", "nElo", "won", "drawn", "lost"]);
    if many {
        head.extend((1..=order.len()).map(|place| format!("vs {place}")));
    }
    let rows: Vec<Vec<String>> = order
        .iter()
        .enumerate()
        .map(|(place, &row)| {
            let engine = &summary.engines[row];
            let [won, drawn, lost] = engine.wins_draws_losses;
            let score = if engine.games == 0 {
                "–".into()
            } else {
                percent(engine_points(engine) / engine.games as f64)
            };
            let mut cells = vec![
                format!("{}. {}", place + 1, printable(&engine.name)),
                points(engine_points(engine)),
                engine.games.to_string(),
                score,
                elo(&engine.strength),
                normalised_elo(&engine.strength),
                won.to_string(),
                drawn.to_string(),
                lost.to_string(),
            ];
            if many {
                cells.extend(order.iter().map(|&column| match meeting(summary, row, column) {
                    _ if row == column => "·".into(),
                    Some((sum, games)) if games > 0 => format!("{}/{games}", points(sum)),
                    _ => "–".into(),
                }));
            }
            cells
        })
        .collect();
    table("Standings (Elo against the field)", &head, &rows)
}

fn use_of_time(summary: &MatchSummary) -> Markup {
    let rows: Vec<Vec<String>> = summary.engines.iter().map(|engine| engine_cells(engine).into()).collect();
    let head = owned([
        "engine",
        "time/move",
        "95 %",
        "in all",
        "depth",
        "nodes/s",
        "longest overstep",
        "forgiven",
        "lag",
        "odd resignations",
    ]);
    table("Time usage", &head, &rows)
}

fn by_colour(summary: &MatchSummary) -> Markup {
    let [first, second] = colours(&summary.game);
    let mut rows = vec![("all games".to_owned(), summary.colours)];
    for engine in &summary.engines {
        rows.push((format!("{} as {first}", printable(&engine.name)), engine.by_side[0]));
        rows.push((format!("{} as {second}", printable(&engine.name)), engine.by_side[1]));
    }
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|(label, counts)| {
            vec![
                label,
                counts.first.to_string(),
                counts.drawn.to_string(),
                counts.second.to_string(),
                counts.first_share().map_or("–".into(), percent),
            ]
        })
        .collect();
    let head = vec![
        String::new(),
        format!("{first} won"),
        "drawn".into(),
        format!("{second} won"),
        format!("{first}'s share"),
    ];
    table("By colour", &head, &rows)
}

fn ends(summary: &MatchSummary) -> Markup {
    let [first, second] = colours(&summary.game);
    let rows: Vec<Vec<String>> = summary
        .causes
        .iter()
        .map(|(&cause, counts)| {
            vec![
                cause_text(cause).to_owned(),
                counts.total().to_string(),
                counts.first.to_string(),
                counts.drawn.to_string(),
                counts.second.to_string(),
            ]
        })
        .collect();
    let head = vec![
        "ended by".into(),
        "games".into(),
        format!("{first} won"),
        "drawn".into(),
        format!("{second} won"),
    ];
    table("How the games ended", &head, &rows)
}

fn faults(journal: &Journal, summary: &MatchSummary) -> Markup {
    let without = MatchSummary::new(journal, GameSelection { without_faults: true });
    let mut text = format!(
        "{} of {} games ({}) were decided by an engine's failure to play.",
        summary.faulted,
        summary.games,
        percent(summary.fault_share())
    );
    if let ([pairing], true) = (without.pairings.as_slice(), without.engines.len() == 2) {
        text += &format!(
            " Without the affected {}: Elo {} over {}.",
            summary.unit_word(),
            elo(&pairing.strength),
            without.units
        );
    }
    let rows: Vec<Vec<String>> = journal
        .faults
        .iter()
        .take(MOST_FAULTS)
        .map(|fault| {
            vec![
                printable(&fault.engine),
                cause_text(fault.what).to_owned(),
                format!("{}.{}", fault.pair + 1, fault.game + 1),
                printable(&fault.detail),
                fault.tail.last().map(|line| printable(line)).unwrap_or_default(),
            ]
        })
        .collect();
    let head = owned(["engine", "fault", "game", "detail", "last output"]);
    html! {
        div.left {
            p { (text) }
            (table("Faults", &head, &rows))
        }
    }
}

#[cfg(test)]
mod tests;
