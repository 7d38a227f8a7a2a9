//! A report as one HTML file that needs nothing but itself.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::files::{Looks, STYLE, words};
use super::text::{Text, json_in_script};

/// A report loads and sends nothing.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// The parts of a report.
pub struct Document<'a> {
    /// Its language: `en` or `ja`.
    pub language: &'a str,
    /// Its title, which may hold foreign names.
    pub title: &'a str,
    /// The content that is readable without scripts.
    pub body: Markup,
    /// The properties of the games, for the script.
    pub looks: &'a Looks,
    /// The data that the script shows, as JSON.
    pub data: &'a str,
    /// The script, of `files`.
    pub script: &'a str,
}

impl Document<'_> {
    /// The text of the file.
    pub fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang=(self.language) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="color-scheme" content="light dark";
                    title { (Text(self.title)) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    main { (self.body) }
                    script type="application/json" id="words" { (words(self.looks)) }
                    script type="application/json" id="data" { (json_in_script(self.data)) }
                    script { (PreEscaped(self.script)) }
                }
            }
        };
        page.into_string()
    }
}
