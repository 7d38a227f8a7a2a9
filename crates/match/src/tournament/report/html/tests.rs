use super::*;
use crate::tournament::journal::{EndCause, EngineFault, SprtModel, SprtSettings};
use crate::tournament::summary::tests::journal;

const HOSTILE: &str = "</script><script>alert('x')</script><img src=x onerror=\"boom\">";

/// A match in which everything that an engine can choose is hostile.
fn hostile() -> Journal {
    let mut journal = journal(&[[0, 1]], &["ww", "wl", "Tw", "dd", "wd", "ll", "wl", "ww", "dl"]);
    journal.open.sprt =
        Some(SprtSettings { elo0: 0.0, elo1: 20.0, alpha: 0.05, beta: 0.05, model: SprtModel::Normalized });
    let engine = &mut journal.open.engines[0];
    let own = std::mem::replace(&mut engine.name, HOSTILE.into());
    (engine.id, engine.command) = (HOSTILE.into(), HOSTILE.into());
    engine.options.push((HOSTILE.into(), HOSTILE.into()));
    for played in &mut journal.games {
        for name in [&mut played.game.first, &mut played.game.second] {
            if *name == own {
                *name = HOSTILE.into();
            }
        }
        played.game.detail = HOSTILE.into();
    }
    journal.faults.push(EngineFault {
        pair: 2,
        game: 0,
        engine: HOSTILE.into(),
        what: EndCause::Time,
        detail: HOSTILE.into(),
        tail: vec![HOSTILE.into()],
    });
    journal
}

/// Whether every element that is opened is closed, in order, and every attribute is quoted.
fn well_formed(markup: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = markup;
    while let Some(start) = rest.find('<') {
        let end = rest[start..].find('>').ok_or("a tag does not end")? + start;
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes {open:?}"));
            }
        } else {
            if !tag.matches('"').count().is_multiple_of(2) {
                return Err(format!("odd quotes in <{tag}>"));
            }
            let name = tag.split([' ', '/']).next().unwrap_or_default();
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} stay open")) }
}

#[test]
fn hostile_texts_stay_text() {
    let page = html(&hostile());
    assert!(!page.contains("<img"), "an element came in");
    assert!(!page.contains("<script>alert"), "a script came in");
    assert_eq!(page.matches("<script").count(), 3);
    assert_eq!(page.matches("</script>").count(), 3);
    assert!(page.contains("&lt;/script&gt;"));
}

#[test]
fn the_same_match_gives_the_same_bytes() {
    assert_eq!(html(&hostile()), html(&hostile()));
}

#[test]
fn every_chart_is_well_formed_and_has_its_table() {
    let journal = hostile();
    let figures = charts::all(&journal, &MatchSummary::new(&journal, GameSelection::default()));
    assert_eq!(figures.len(), 9);
    for figure in &figures {
        let svg = &figure.svg.0;
        assert_eq!(well_formed(svg), Ok(()), "{}", figure.title);
        assert!(svg.contains("<title>"), "{}", figure.title);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", figure.title);
        let (head, rows) = &figure.table;
        assert!(!rows.is_empty() && rows.iter().all(|row| row.len() == head.len()), "{}", figure.title);
    }
}

#[test]
fn the_page_needs_nothing_but_itself() {
    let page = html(&hostile());
    for loading in ["http://", "https://", "src=", "@import", "url("] {
        let without_names = page.replace("http://www.w3.org/2000/svg", "");
        // A gradient of the board is named inside the page.
        let markup = without_names.replace("src=x", "").replace("url(#", "");
        assert!(!markup.contains(loading), "{loading}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn an_empty_match_and_a_league_have_pages() {
    assert!(html(&journal(&[[0, 1]], &[])).contains("0 of 0 pairs"));
    let league = html(&journal(&[[0, 1], [0, 2], [1, 2]], &["ww", "wl", "dd", "wd", "ll", "ld"]));
    assert!(league.contains("<th scope=\"col\">vs 3</th>"));
    assert!(league.contains("Score of each engine"));
}

#[test]
fn well_formedness_is_noticed() {
    assert!(well_formed("<a><b/></a>").is_ok());
    assert!(well_formed("<a><b></a>").is_err());
    assert!(well_formed("<a x=\"1></a>").is_err());
}

#[test]
fn clocks_by_the_speed_of_machines_are_said() {
    let mut journal = journal(&[[0, 1]], &["ww", "wl"]);
    assert!(!html(&journal).contains("<dt>Clocks</dt>"));
    for (played, factor) in journal.games.iter_mut().zip([1.25, 0.5, 1.0]) {
        played.game.time_scale = Some(factor);
    }
    assert!(html(&journal).contains("<dt>Clocks</dt><dd>multiplied by 0.50 to 1.25, by the speed"));
}
