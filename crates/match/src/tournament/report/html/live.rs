//! The report in parts, for a page that shows a match while it is played.

use maud::{DOCTYPE, Markup, html};
use serde::Serialize;

use super::games::{self, ChosenGames, PageGames};
use super::{charts_and_tables, title};
use crate::tournament::journal::Journal;
use kaeshi_report::files::{Looks, words};

/// What `kaeshi live` shows of a journal, or of a tuning.
#[derive(Default, Serialize)]
pub struct LiveParts {
    /// The game that is played.
    #[serde(skip)]
    pub game: String,
    /// Whether no more games will come.
    #[serde(skip)]
    pub ended: bool,
    /// The title of the page.
    pub title: String,
    /// Verdict, conditions, charts and tables.
    pub html: String,
    games: PageGames,
}

impl LiveParts {
    /// Those of a match.
    pub fn new(journal: &Journal) -> LiveParts {
        LiveParts {
            game: journal.open.game.clone(),
            ended: journal.close.is_some(),
            title: format!("{} · kaeshi live", title(journal)),
            html: charts_and_tables(journal).into_string(),
            games: ChosenGames::latest(journal).data,
        }
    }

    /// A page without games; `ended` if nothing more will come.
    pub fn without_games(title: String, html: String, ended: bool) -> LiveParts {
        LiveParts { title, html, ended, ..LiveParts::default() }
    }
}

/// The page that asks for them.
pub fn page(looks: &Looks) -> String {
    let page: Markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "kaeshi live" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/style.css";
                script type="application/json" id="words" { (words(looks)) }
                script type="module" src="/live.js" {}
            }
            body {
                main {
                    p.lost id="lost" role="alert" hidden {
                        "The program has ended, or cannot be reached. "
                        "kaeshi live PATH shows the match or the tuning again."
                    }
                    p.note id="trouble" role="status" {}
                    section id="running" hidden {
                        h2 { "Running games" }
                        div id="tables" {}
                    }
                    div id="report" {}
                    section id="games" hidden {
                        h2 { "Games" }
                        (games::player())
                    }
                }
            }
        }
    };
    page.into_string()
}
