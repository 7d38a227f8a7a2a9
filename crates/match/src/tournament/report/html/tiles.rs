//! The head of the page: the verdict in one line and the numbers behind it.

use super::*;

/// Title, verdict line and tiles.
pub fn header(journal: &Journal, summary: &MatchSummary, title: &str) -> Markup {
    let state = match &journal.close {
        None => "The match is not finished.".to_owned(),
        Some(close) => format!("Ended: {}.", printable(&close.why)),
    };
    let test = summary.sprt.as_ref().map(|test| format!(" {}.", test_state(test))).unwrap_or_default();
    let verdict: Vec<String> = [Some(headline(summary)), warning(summary)].into_iter().flatten().collect();
    html! {
        header {
            p.kicker { (mark()) "kaeshi match · " (Text(&journal.open.game)) }
            h1 { (Text(title)) }
            p.verdict { (Text(verdict.join(". "))) }
            p.state { (Text(state)) (Text(test)) }
            div.tiles {
                @for tile in tiles(summary) { (tile) }
            }
        }
    }
}

/// Kaeshi's mark: a disc that turns over.
fn mark() -> Markup {
    html! {
        svg.mark viewBox="0 0 32 32" aria-hidden="true" {
            circle.disc-light cx="16" cy="16" r="14" {}
            path.disc-dark d="M16 2a14 14 0 0 1 0 28z" {}
        }
    }
}

fn tiles(summary: &MatchSummary) -> Vec<Markup> {
    let mut tiles = Vec::new();
    let mut tile = |label: &str, value: String, note: String, class: &str| {
        tiles.push(html! {
            div class={ "tile " (class) } {
                span { (label) }
                strong { (Text(value)) }
                small { (Text(note)) }
            }
        });
    };
    match summary.pairings.as_slice() {
        [pairing] if summary.engines.len() == 2 => {
            let [mine, yours] = pairing.points();
            let [won, drawn, lost] = pairing.wins_draws_losses;
            tile(
                "Score",
                format!("{} – {}", points(mine), points(yours)),
                format!("+{won} ={drawn} -{lost}"),
                "",
            );
            let biased = summary.sprt.as_ref().is_some_and(|test| test.decided_at.is_some());
            let note =
                if biased { "at the end of a test: biased towards the winner" } else { "95 % interval" };
            tile("Elo", elo(&pairing.strength), note.into(), "wide");
            tile(
                "Normalised Elo",
                normalised_elo(&pairing.strength),
                "does not depend on draws".into(),
                "wide",
            );
            let superiority =
                pairing.strength.superiority.map_or("–".into(), |p| format!("{:.1} %", 100.0 * p));
            tile(
                "Superiority",
                superiority,
                format!("that {} is stronger", name(summary, pairing.engines[0])),
                "",
            );
            if let Some(margin) = pairing.margin {
                let value = format!("{:+.1} ± {:.1}", margin.mean, margin.error);
                tile("Margin", value, "per game".into(), "");
            }
        }
        _ => {
            if let Some(&best) = ranked(summary).first() {
                let engine = &summary.engines[best];
                let note = format!("{} of {} points", points(engine_points(engine)), engine.games);
                tile("First", name(summary, best), note, "wide");
            }
        }
    }
    if let Some(test) = &summary.sprt {
        let value = match test.verdict {
            "continue" => "undecided".to_owned(),
            accepted => format!("{accepted} accepted"),
        };
        tile("Test", value, format!("LLR {:.2}", test.ratio), "");
    }
    let progress = format!("{} of {} {}", summary.units, summary.planned, summary.unit_word());
    tile("Games", summary.games.to_string(), progress, "");
    let class = if summary.fault_share() > SUSPECT_FAULTS { "alarm" } else { "" };
    tile("Faults", summary.faulted.to_string(), percent(summary.fault_share()), class);
    tiles
}
