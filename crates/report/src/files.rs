//! The files of the viewer, as they stand in the program: scripts, styles, words.
//!
//! The scripts are plain modules. A server sends them as they are; a report, which is one file, gets those that
//! it needs joined into one module.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::LazyLock;

use maud::Markup;
use serde::Serialize;

use super::text::json_in_script;
use kaeshi_core::game::picture::Style;

/// A module, and what it needs is listed before it.
type Module = (&'static str, &'static str);

const DOM: Module = ("/dom.js", include_str!("dom.js"));
const WORDS: Module = ("/words.js", include_str!("words.js"));
const PIECES: Module = ("/pieces.js", include_str!("pieces.js"));
const PICTURE: Module = ("/board/picture.js", include_str!("board/picture.js"));
const GEOMETRY: Module = ("/board/geometry.js", include_str!("board/geometry.js"));
const GROUND: Module = ("/board/ground.js", include_str!("board/ground.js"));
const OVERLAY: Module = ("/board/overlay.js", include_str!("board/overlay.js"));
const FILE: Module = ("/board/file.js", include_str!("board/file.js"));
const BOARD: Module = ("/board.js", include_str!("board.js"));
const CHART: Module = ("/chart.js", include_str!("chart.js"));
const PLAY: [Module; 14] = [
    ("/play/main.js", include_str!("play/main.js")),
    ("/play/ahead.js", include_str!("play/ahead.js")),
    ("/play/talk.js", include_str!("play/talk.js")),
    ("/play/wire.js", include_str!("play/wire.js")),
    ("/play/panel.js", include_str!("play/panel.js")),
    ("/play/dialogs.js", include_str!("play/dialogs.js")),
    ("/play/chapters.js", include_str!("play/chapters.js")),
    ("/play/course.js", include_str!("play/course.js")),
    ("/play/library.js", include_str!("play/library.js")),
    ("/play/tryout.js", include_str!("play/tryout.js")),
    ("/play/lesson.js", include_str!("play/lesson.js")),
    ("/play/names.js", include_str!("play/names.js")),
    ("/play/explorer.js", include_str!("play/explorer.js")),
    ("/play/sound.js", include_str!("play/sound.js")),
];
/// Modules that are fetched on their first use.
const LATER: [Module; 2] = [
    ("/play/help.js", include_str!("play/help.js")),
    ("/play/practice.js", include_str!("play/practice.js")),
];
/// Modules that an exported page has in addition or as replacements.
const STATIC: [Module; 3] = [
    ("/play/wire.js", include_str!("static/wire.js")),
    ("/worker.js", include_str!("static/worker.js")),
    ("/offline.js", include_str!("static/offline.js")),
];
/// The content security policy of an exported page. A server sends its policy in the head of each answer.
const STATIC_POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
    worker-src 'self'; base-uri 'none'; form-action 'none'\">\n";
const VIEWER: [Module; 10] = [DOM, WORDS, PIECES, PICTURE, GEOMETRY, GROUND, OVERLAY, FILE, BOARD, CHART];
const GAMES: Module = ("/games.js", include_str!("games.js"));
const LIVE: Module = ("/live.js", include_str!("live.js"));
const REPORT: Module = ("/report.js", include_str!("report.js"));
const PLAYER: Module = ("/player.js", include_str!("player.js"));
const READER: Module = ("/reader.js", include_str!("reader.js"));
const REVIEW: Module = ("/review.js", include_str!("review.js"));
const TEXTS: &str = include_str!("words.json");
/// Texts of what few people need at a time: the course, the rules, the problems.
const MORE_TEXTS: &str = include_str!("words-more.json");
/// Problems by `kaeshi solve --make-problems`, by the name of the game.
const PROBLEMS: [(&str, &str); 3] = [
    ("/problems/shogi.txt", include_str!("problems/shogi.txt")),
    ("/problems/reversi.txt", include_str!("problems/reversi.txt")),
    ("/problems/sygo.txt", include_str!("problems/sygo.txt")),
];
const PAGE: &str = include_str!("play.html");

/// The style of every page.
pub const STYLE: &str = include_str!("style.css");

/// The properties of a game, for the scripts.
#[derive(Serialize)]
pub struct Look {
    /// The players' colours in lower case, that of the first side first: keys of the texts, too.
    pub colours: [String; 2],
    /// How its boards look.
    pub style: Style,
    /// Whether values are shown in hundredths.
    pub hundredths: bool,
    /// The value in hundredths at which the side to move wins with 73 %.
    pub scale: f64,
    /// Least and greatest number of columns.
    pub sizes: [u8; 2],
    /// Whether turns are put together stone by stone.
    pub drafts: bool,
    /// Whether analysis shows the value of every turn on the board.
    pub every: bool,
    /// Whether its engine searches for mates.
    pub mates: bool,
    /// The language in which people write turns otherwise than protocols do.
    pub local: Option<&'static str>,
    /// The forms in which it is written.
    pub forms: Vec<&'static str>,
}

/// The games that the scripts know, by name in the order of the list.
pub type Looks = Vec<(&'static str, Look)>;

/// The page of `kaeshi play`.
pub fn play_page(looks: &Looks) -> String {
    PAGE.replace("{words}", &words(looks).into_string())
}

/// The script that steps through the games of a match.
pub fn player() -> String {
    joined(&[READER, GAMES, PLAYER])
}

/// The script that steps through analysed games.
pub fn analysed() -> String {
    joined(&[READER, REVIEW])
}

/// The files of an exported page besides its engine, by their paths in its folder: the same page, whose `wire.js` talks
/// with a worker. `game` is the first game; `engine` settles, with the files, the version that a browser keeps.
pub fn exported(looks: &Looks, game: &str, engine: &[u8]) -> Vec<(String, String)> {
    let page = play_page(looks)
        .replace("data-say=\"connection-lost\"", "data-say=\"engine-failed\"")
        .replace("<html lang=\"en\">", &format!("<html lang=\"en\" data-game=\"{game}\">"))
        .replace("<meta name=\"viewport\"", &format!("{STATIC_POLICY}<meta name=\"viewport\""));
    let mut files = vec![("index.html".to_owned(), page)];
    let names = VIEWER.iter().chain(&PLAY).chain(&LATER).map(|(name, _)| *name);
    let texts = PROBLEMS.iter().map(|(name, _)| *name).chain(["/style.css", "/words-more.json"]);
    for name in names.chain(texts).filter(|name| STATIC.iter().all(|(other, _)| other != name)) {
        let (_, text) = file(name).unwrap_or_default();
        files.push((name.trim_start_matches('/').to_owned(), text.to_owned()));
    }
    files.extend(STATIC.map(|(name, text)| (name.trim_start_matches('/').to_owned(), unindented(text))));
    let mut hasher = DefaultHasher::new();
    (&files, engine).hash(&mut hasher);
    let mut kept: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    kept.extend(["./", ENGINE_FILE]);
    let list = serde_json::to_string(&kept).unwrap_or_default();
    let version = format!("{:016x}", hasher.finish());
    if let Some((_, offline)) = files.iter_mut().find(|(name, _)| name == "offline.js") {
        *offline = offline.replace("{version}", &version).replace("{files}", &list);
    }
    files
}

/// The name of an exported page's engine in its folder.
pub const ENGINE_FILE: &str = "kaeshi-play.wasm";

/// These modules and all that they need as one function.
fn joined(modules: &[Module]) -> String {
    let mut joined = String::from("(() => {\n\"use strict\";\n");
    for (_, text) in VIEWER.iter().chain(&[REPORT]).chain(modules) {
        for line in lean(text).lines().filter(|line| !line.starts_with("import ")) {
            joined += line.strip_prefix("export ").unwrap_or(line);
            joined.push('\n');
        }
    }
    joined + "})();\n"
}

/// The texts of the page and the properties of the games, for an element `script` of type `application/json` whose id
/// is `words`.
pub fn words(looks: &Looks) -> Markup {
    let looks = serde_json::to_string(looks).unwrap_or_default();
    let texts = DENSE_TEXTS.strip_suffix('}').unwrap_or_default();
    json_in_script(&format!("{texts},\n\"games\": {looks}}}\n"))
}

/// The texts without blanks between them.
static DENSE_TEXTS: LazyLock<String> = LazyLock::new(|| dense(TEXTS));
static DENSE_MORE_TEXTS: LazyLock<String> = LazyLock::new(|| dense(MORE_TEXTS));

fn dense(json: &str) -> String {
    serde_json::from_str::<serde_json::Value>(json).unwrap_or_default().to_string()
}

/// A script without its comments, of which the types are a good part, and without empty lines. No text of the scripts
/// holds the beginning of a comment, and none goes over several lines.
fn lean(text: &str) -> String {
    let (mut lean, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, comment)) = rest.split_once("/**") {
        lean += before;
        let (_, after) = comment.split_once("*/").unwrap_or_default();
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    lean += rest;
    let code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    lean.lines().filter(code).flat_map(|line| [line.trim_end(), "\n"]).collect()
}

fn unindented(text: &str) -> String {
    lean(text).lines().flat_map(|line| [line.trim_start(), "\n"]).collect()
}

/// The scripts as they are sent.
static SCRIPTS: LazyLock<Vec<(&'static str, String)>> = LazyLock::new(|| {
    let modules = VIEWER.iter().chain(&PLAY).chain(&LATER).chain(&[REPORT, READER, GAMES, LIVE]);
    modules.map(|&(name, text)| (name, unindented(text))).collect()
});

/// The file at this path: its content type, and its text.
pub fn file(path: &str) -> Option<(&'static str, &'static str)> {
    if path == "/style.css" {
        return Some(("text/css; charset=utf-8", STYLE));
    }
    if path == "/words-more.json" {
        return Some(("application/json", &DENSE_MORE_TEXTS));
    }
    if let Some((_, text)) = PROBLEMS.iter().find(|(name, _)| *name == path) {
        return Some(("text/plain; charset=utf-8", text));
    }
    let (_, text) = SCRIPTS.iter().find(|(name, _)| *name == path)?;
    Some(("text/javascript; charset=utf-8", text))
}

/// The English text of a key.
pub fn word(key: &str) -> Option<String> {
    let texts: serde_json::Value = serde_json::from_str(TEXTS).ok()?;
    Some(texts["en"][key].as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The texts of both files.
    fn texts() -> serde_json::Value {
        let mut texts: serde_json::Value = serde_json::from_str(TEXTS).unwrap();
        let more: serde_json::Value = serde_json::from_str(MORE_TEXTS).unwrap();
        for language in ["en", "ja"] {
            for (key, text) in more[language].as_object().unwrap() {
                let before = texts[language].as_object_mut().unwrap().insert(key.clone(), text.clone());
                assert_eq!(before, None, "{key}");
            }
        }
        texts
    }

    fn keys(language: &str) -> BTreeSet<String> {
        texts()[language].as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn every_text_is_there_in_both_languages_with_the_same_places_to_fill() {
        assert_eq!(keys("en"), keys("ja"));
        let texts = texts();
        let places = |text: &str| -> BTreeSet<String> {
            text.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0.to_owned())).collect()
        };
        for key in keys("en") {
            let [en, ja] = ["en", "ja"].map(|language| texts[language][&key].as_str().unwrap());
            assert!(!en.is_empty() && !ja.is_empty(), "{key}");
            assert_eq!(places(en), places(ja), "{key}");
        }
    }

    #[test]
    fn every_text_that_a_script_says_is_there() {
        let known = keys("en");
        let mut said = 0;
        for (name, text) in VIEWER.iter().chain(&PLAY).chain(&LATER).chain(&STATIC).chain(&[
            READER,
            GAMES,
            LIVE,
            PLAYER,
            REVIEW,
            ("play.html", PAGE),
        ]) {
            for before in ["say(\"", "data-say=\"", "data-say-title=\""] {
                for part in text.split(before).skip(1) {
                    let (key, rest) = part.split_once('"').unwrap();
                    if rest.trim_start().starts_with('+') {
                        assert!(known.iter().any(|known| known.starts_with(key)), "{name}: {key}…");
                    } else {
                        assert!(known.contains(key), "{name}: {key}");
                    }
                    said += 1;
                }
            }
        }
        assert!(said > 100, "{said}");
    }

    #[test]
    fn joined_modules_have_no_imports_and_no_name_twice() {
        for joined in [player(), analysed()] {
            assert!(!joined.contains("\nimport ") && !joined.contains("\nexport "));
            let mut names = BTreeSet::new();
            for line in joined.lines() {
                for word in ["const ", "let ", "function ", "class "] {
                    if let Some(rest) = line.strip_prefix(word) {
                        let name: String =
                            rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                        assert!(names.insert(name.clone()), "{name}");
                    }
                }
            }
            assert!(names.len() > 40);
        }
    }

    #[test]
    fn comments_stay_at_home_and_the_page_is_light() {
        let text = "// a\n/** b\n * c\n */\nx();\n\n  const d = /** @type {e} */ (y);\n";
        assert_eq!(lean(text), "x();\n  const d = (y);\n");
        let scripts = VIEWER.iter().chain(&PLAY).map(|(name, _)| file(name).unwrap().1.len());
        let bytes = scripts.sum::<usize>() + STYLE.len() + play_page(&Vec::new()).len();
        assert!(bytes < 200_000, "{bytes}");
    }

    #[test]
    fn an_exported_page_names_its_own_files_alone() {
        let files = exported(&Vec::new(), "sygo", b"engine");
        let names: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), files.len());
        let text = |name: &str| &files.iter().find(|(known, _)| known == name).unwrap().1;
        assert!(
            !text("index.html").contains("say=\"connection-lost"),
            "there is no program to be started again"
        );
        assert!(
            text("index.html").contains("data-game=\"sygo\"")
                && text("index.html").contains("wasm-unsafe-eval")
        );
        assert!(text("play/wire.js").contains("postMessage") && !text("play/wire.js").contains("fetch("));
        for (name, text) in &files {
            // Files of a page that lies in a folder of its server are found by relative paths.
            for absolute in ["fetch(\"/", "fetch(`/", "src=\"/", "href=\"/", "from \"/", "import(\"/"] {
                assert!(!text.contains(absolute), "{name}: {absolute}");
            }
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            for import in text.split("from \"").skip(1).filter_map(|rest| rest.split_once('"')) {
                let (up, path) = (import.0.starts_with("../"), import.0.trim_start_matches("../"));
                let path = path.trim_start_matches("./");
                let wanted =
                    if up || folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
                assert!(names.contains(wanted.as_str()), "{name}: {}", import.0);
            }
        }
        let offline = text("offline.js");
        for name in names.iter().chain(&["./", ENGINE_FILE]) {
            assert!(offline.contains(&format!("\"{name}\"")), "{name}");
        }
        assert!(!offline.contains("{version}"));
        assert_ne!(*offline, exported(&Vec::new(), "sygo", b"another").pop().unwrap().1);
    }

    #[test]
    fn the_page_of_play_has_no_script_and_no_style_of_its_own() {
        let page = play_page(&Vec::new());
        assert_eq!(page.matches("<script").count(), 2, "words and the first module");
        assert!(!page.contains("style=\"") && !page.contains("<style") && !page.contains("onclick"));
        for loading in ["http://", "https://", "@import"] {
            assert!(!page.contains(loading) && !STYLE.contains(loading), "{loading}");
        }
    }
}
