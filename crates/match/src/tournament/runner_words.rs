//! Command lines as people type them for cutechess-cli and fastchess: words with a single dash, and words that have
//! another name here. They are rewritten before the command line is parsed; what has no equivalent is refused with
//! the words to type instead.

use std::ffi::OsString;

use clap::{Args, Command};

use super::args::MatchArgs;
use kaeshi_engine::games::GameName;
use kaeshi_engine::protocol::uci::notation::Variant;

/// A command line as the parser takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// The words.
    pub words: Vec<OsString>,
    /// What was read in another way than it is written, one sentence each.
    pub remarks: Vec<String>,
}

/// What becomes of a word of another runner.
enum Rule {
    /// It is this option, with the same values.
    Is(&'static str),
    /// It is this option, which takes no values.
    Flag(&'static str),
    /// It has no effect, for this reason.
    Ignored(&'static str),
    /// It is refused; what to type instead.
    Refused(&'static str),
}

/// The key of `-draw` whose unit differs.
const MOVENUMBER: &str = "movenumber=";

/// Words that are no options of `kaeshi match`.
const RULES: [(&str, Rule); 35] = [
    ("srand", Rule::Is("--seed")),
    ("seeds", Rule::Is("--challengers")),
    ("timeoutscale", Rule::Is("--timeout-scale")),
    ("debug", Rule::Flag("--logs")),
    ("use-affinity", Rule::Flag("--affinity")),
    ("ratinginterval", Rule::Ignored("standings are shown while the match runs")),
    ("scoreinterval", Rule::Ignored("standings are shown while the match runs")),
    ("autosaveinterval", Rule::Ignored("every game is saved when it ends")),
    ("outcomeinterval", Rule::Ignored("every game is saved when it ends")),
    ("resultformat", Rule::Ignored("`kaeshi match stats FOLDER` shows all tables")),
    ("event", Rule::Ignored("records name this program as the event")),
    ("site", Rule::Ignored("records name no site")),
    ("wait", Rule::Ignored("the next game begins when both engines are ready")),
    ("force-concurrency", Rule::Ignored("more games than processors are played with a warning")),
    ("showlatency", Rule::Ignored("the tables have the lag of every engine")),
    ("show-latency", Rule::Ignored("the tables have the lag of every engine")),
    ("check-mate-pvs", Rule::Ignored("lines are always checked")),
    ("testEnv", Rule::Ignored("it is for Fishtest")),
    ("strict", Rule::Ignored("illegal moves and lines always count")),
    ("crc32", Rule::Ignored("the journal has a checksum in every line")),
    ("quick", Rule::Refused("name both engines by their path: kaeshi match ./a ./b --game GAME --tc 10+0.1")),
    ("reverse", Rule::Refused("name the engines in the other order")),
    ("log", Rule::Refused("give --logs; the dialogues are written to OUT/logs")),
    ("epdout", Rule::Refused("give --records; the positions are in the records")),
    ("livepgnout", Rule::Refused("give --live to watch, and --pgn FILE")),
    ("bookmode", Rule::Refused("give --openings FILE")),
    ("tb", Rule::Refused("there are no tablebases for these games; leave it out")),
    ("tbpieces", Rule::Refused("there are no tablebases for these games; leave it out")),
    ("tbignore50", Rule::Refused("there are no tablebases for these games; leave it out")),
    ("tbadjudicate", Rule::Refused("there are no tablebases for these games; leave it out")),
    ("startup-ms", Rule::Refused("give --timeout-scale FACTOR")),
    ("ucinewgame-ms", Rule::Refused("give --timeout-scale FACTOR")),
    ("ping-ms", Rule::Refused("give --timeout-scale FACTOR")),
    ("compliance", Rule::Refused("write `kaeshi check ENGINE`")),
    ("version", Rule::Refused("write `kaeshi --version`")),
];

/// Rewrites the words after `kaeshi match`.
///
/// # Errors
/// A word that has two meanings or no equivalent; what to type instead.
pub fn rewrite(words: impl IntoIterator<Item = OsString>) -> Result<Rewritten, String> {
    let own = own_names();
    let mut words = words.into_iter().peekable();
    let mut out = Rewritten::default();
    let (mut rounds, mut games_are_said) = (None, false);
    while let Some(word) = words.next() {
        let named = word.to_str().and_then(option_name).map(|(name, dashes)| (name.to_owned(), dashes));
        let Some((name, dashes)) = named else {
            let is_end = word == "--";
            out.words.push(word);
            if is_end {
                out.words.extend(words);
                break;
            }
            continue;
        };
        let mut values = Vec::new();
        while let Some(value) = words.next_if(|next| !is_option(next)) {
            values.push(value);
        }
        if dashes == 1 && name == "rounds" {
            rounds = values.first().and_then(|number| number.to_str()?.parse::<u32>().ok());
        }
        games_are_said |= ["games", "repeat", "noswap", "single"].contains(&&*name);
        option(Given { word, name: &name, single: dashes == 1, values }, &own, &mut out)?;
    }
    if let Some(rounds) = rounds.filter(|_| !games_are_said) {
        out.remarks.push(format!(
            "-rounds {rounds}: {} games of every pairing, each opening with both colours, as in fastchess; -games 1 \
             beside it plays {rounds}, as in cutechess-cli",
            2 * u64::from(rounds)
        ));
    }
    Ok(out)
}

/// An option of a command line with the words up to the next one.
struct Given<'a> {
    word: OsString,
    name: &'a str,
    single: bool,
    values: Vec<OsString>,
}

fn option(given: Given<'_>, own: &[String], out: &mut Rewritten) -> Result<(), String> {
    let Given { word, name, single, values } = given;
    let texts: Option<Vec<&str>> = values.iter().map(|value| value.to_str()).collect();
    let texts = texts.unwrap_or_default();
    let is_own = own.iter().any(|known| known == name);
    let mut push = |option: &str, values: &[String]| {
        out.words.push(option.into());
        out.words.extend(values.iter().map(OsString::from));
    };
    match name {
        "openings" if texts.iter().any(|text| is_opening_key(text)) => {
            openings(&texts, &mut push)?;
        }
        "variant" => {
            let [game] = texts.as_slice() else {
                return Err(format!("{name}: one game is wanted: {}", GameName::NAMES.join(", ")));
            };
            let game = Variant::by_name(game).map_or(*game, |variant| variant.game());
            push("--game", &[game.to_owned()]);
        }
        "tournament" => {
            let format = if texts == ["roundrobin"] { "round-robin".to_owned() } else { texts.join(" ") };
            push("--format", &[format]);
        }
        "pgnout" => pgnout(&texts, &mut push, &mut out.remarks)?,
        "report" if texts.iter().any(|text| text.starts_with("penta=")) => {
            out.remarks.push("-report has no effect: the tables count pairs by their results".to_owned());
        }
        "output" if texts.iter().any(|text| text.starts_with("format=")) => {
            out.remarks.push("-output has no effect: give --output json for numbers".to_owned());
        }
        "config" if texts.iter().any(|text| is_config_key(text)) => {
            return Err("-config: a match goes on by `kaeshi match --resume FOLDER`; its folder has all that it needs"
                .to_owned());
        }
        "engines" if values.is_empty() => return Err("-engines: write `kaeshi engines`".to_owned()),
        "noswap" if single => {
            push("--noswap", &[]);
            out.remarks.push(
                "-noswap: each opening is played once, with the colours drawn by lot; in other runners the first \
                 engine moves first"
                    .to_owned(),
            );
        }
        "repeat" => match texts.as_slice() {
            [] | ["2"] => push("--repeat", &[]),
            ["1"] => push("--noswap", &[]),
            [_, ..] => return Err("repeat: each opening is played twice, or once with --noswap".to_owned()),
        },
        // No limit.
        "maxmoves" if single && texts == ["0"] => {}
        "maxmoves" if single => {
            let moves = texts.first().copied().unwrap_or("N");
            return Err(format!(
                "-maxmoves {moves} has two meanings: write --max-plies {} for {moves} moves of each side, or --max-plies \
                 {moves} for {moves} moves of both together",
                doubled(moves)
            ));
        }
        "draw" if single && texts.iter().any(|text| text.starts_with(MOVENUMBER)) => {
            let plies = texts.iter().map(|text| match text.strip_prefix(MOVENUMBER) {
                Some(moves) => format!("{MOVENUMBER}{}", doubled(moves)),
                None => (*text).to_owned(),
            });
            return Err(format!(
                "-draw {}: movenumber counts the moves of each side in other runners and plies here: write --draw {}",
                texts.join(" "),
                plies.collect::<Vec<_>>().join(" ")
            ));
        }
        "resign" if single => {
            let mut values: Vec<String> = texts.iter().map(ToString::to_string).collect();
            if !texts.iter().any(|text| text.starts_with("twosided=")) {
                values.push("twosided=false".to_owned());
            }
            push("--resign", &values);
            if values.len() > texts.len() {
                out.remarks.push(
                    "-resign: the loser's score decides (twosided=false), as in cutechess and fastchess; --resign wants \
                     both engines to agree"
                        .to_owned(),
                );
            }
        }
        "engine" | "each" => {
            let mut values = Vec::new();
            for text in &texts {
                values.extend(engine_word(text, single, &mut out.remarks)?);
            }
            out.words.push(format!("--{name}").into());
            out.words.extend(values.into_iter().map(OsString::from));
        }
        _ if is_own && !single => {
            out.words.push(word);
            out.words.extend(values);
        }
        _ if is_own => {
            out.words.push(format!("--{name}").into());
            out.words.extend(values);
        }
        _ => match RULES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, Rule::Is(option))) => {
                out.words.push(option.into());
                out.words.extend(values);
            }
            Some((_, Rule::Flag(option))) => {
                out.words.push(option.into());
                if !values.is_empty() {
                    out.remarks.push(format!("{} is read without its values", word.to_string_lossy()));
                }
            }
            Some((_, Rule::Ignored(why))) => {
                out.remarks.push(format!("{} has no effect: {why}", word.to_string_lossy()));
            }
            Some((_, Rule::Refused(instead))) => {
                return Err(format!("{}: {instead}", word.to_string_lossy()));
            }
            // The parser names the nearest option for two dashes.
            None if single && name.len() > 1 => {
                out.words.push(format!("--{name}").into());
                out.words.extend(values);
            }
            None => {
                out.words.push(word);
                out.words.extend(values);
            }
        },
    }
    Ok(())
}

/// Twice as many, or a word for it.
fn doubled(moves: &str) -> String {
    moves.parse::<u32>().map_or("2N".to_owned(), |moves| (u64::from(moves) * 2).to_string())
}

/// The file and the keys of `-pgnout`, in any order.
fn pgnout(
    texts: &[&str],
    push: &mut impl FnMut(&str, &[String]),
    remarks: &mut Vec<String>,
) -> Result<(), String> {
    let named = texts.iter().find_map(|text| text.strip_prefix("file="));
    let file =
        named.or(texts.iter().find(|text| !text.contains('=') && !["min", "fi"].contains(*text)).copied());
    let file = file.ok_or("pgnout: a file is missing; write --pgn games.pgn")?;
    push("--pgn", &[file.to_owned()]);
    if !texts.contains(&"append=false") {
        remarks.push(format!(
            "-pgnout: {file} is written anew with the games of this match; nothing is appended"
        ));
    }
    let without_effect: Vec<&str> = texts
        .iter()
        .filter(|text| !text.starts_with("file=") && !text.starts_with("append=") && **text != file)
        .copied()
        .collect();
    if !without_effect.is_empty() {
        remarks.push(format!(
            "-pgnout: {} without effect: moves are in Fairy-Stockfish's notation, with score, depth and time",
            without_effect.join(" ")
        ));
    }
    Ok(())
}

/// The keys of fastchess' `-config`.
fn is_config_key(text: &str) -> bool {
    let key = text.split_once('=').map(|(key, _)| key);
    key.is_some_and(|key| ["file", "discard", "outname", "stats"].contains(&key))
}

/// The keys of `-openings`.
fn openings(texts: &[&str], push: &mut impl FnMut(&str, &[String])) -> Result<(), String> {
    for text in texts {
        let Some((key, value)) = text.split_once('=') else {
            return Err(format!("openings: '{text}' is not KEY=VALUE"));
        };
        match key {
            "file" => push("--openings", &[value.to_owned()]),
            "order" => push("--order", &[value.to_owned()]),
            "plies" => push("--opening-plies", &[value.to_owned()]),
            "start" => push("--opening-start", &[value.to_owned()]),
            // The form is recognised by the contents; every opening is played by each pair in turn.
            "format" => {}
            "policy" if ["default", "round"].contains(&value) => {}
            "policy" => {
                return Err(format!(
                    "openings: {text}: every pairing plays the same openings, as with policy=round; leave it out"
                ));
            }
            _ => {
                return Err(format!(
                    "openings: '{text}' is not known here; there are file=, order=, plies= and start= (the form of the \
                     file is recognised)"
                ));
            }
        }
    }
    Ok(())
}

fn is_opening_key(text: &str) -> bool {
    let key = text.split_once('=').map(|(key, _)| key);
    key.is_some_and(|key| ["file", "format", "order", "plies", "start", "policy"].contains(&key))
}

/// A word after `-engine` or `-each`; `None` if it has no effect. Behind a single dash times without a unit
/// are those of other runners: milliseconds of a margin, seconds of a move.
fn engine_word(text: &str, single: bool, remarks: &mut Vec<String>) -> Result<Option<String>, String> {
    let is_number = |value: &str| value.parse::<f64>().is_ok();
    Ok(Some(match text.split_once('=') {
        None if text == "ponder" => "ponder=true".to_owned(),
        None if ["whitepov", "trust"].contains(&text) => {
            remarks.push(format!("{text} has no effect: the referee checks every engine in the same way"));
            return Ok(None);
        }
        Some(("restart", "auto")) => return Ok(None),
        Some(("timemargin", value)) if is_number(value) && single => format!("margin={value}ms"),
        Some(("timemargin", value)) if is_number(value) && value != "0" => {
            return Err(format!("timemargin={value}: write margin={value}ms or margin={value}s"));
        }
        Some(("st", value)) if is_number(value) && single => format!("movetime={value}s"),
        Some(("plies", value)) => format!("depth={value}"),
        _ => text.to_owned(),
    }))
}

/// The name of an option and the number of its dashes; values may follow after `=`, which stay with the word.
fn option_name(word: &str) -> Option<(&str, usize)> {
    let (name, dashes) = match word.strip_prefix("--") {
        Some(name) => (name, 2),
        None => (word.strip_prefix('-')?, 1),
    };
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    // One letter behind one dash is an abbreviation of the parser, such as -h.
    (begins && !name.contains('=') && (dashes == 2 || name.len() > 1)).then_some((name, dashes))
}

fn is_option(word: &OsString) -> bool {
    word.to_str().is_some_and(|text| {
        text == "--"
            || text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic())
                && text.starts_with('-')
    })
}

/// The names of the options of `kaeshi match`.
fn own_names() -> Vec<String> {
    let command = MatchArgs::augment_args(Command::new("match"));
    let names = command
        .get_arguments()
        .flat_map(|argument| argument.get_long_and_visible_aliases().unwrap_or_default());
    names.map(str::to_owned).chain(["help", "noswap", "roster"].map(String::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(line: &str) -> Result<(String, Vec<String>), String> {
        let out = rewrite(line.split_whitespace().map(OsString::from))?;
        let words: Vec<String> = out.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Ok((words.join(" "), out.remarks))
    }

    fn words(line: &str) -> String {
        rewritten(line).unwrap().0
    }

    #[test]
    fn a_command_line_of_other_runners_is_read() {
        assert_eq!(
            words(
                "-engine cmd=./a name=a -engine cmd=./b ponder -each proto=usi tc=10+0.1 timemargin=50 -rounds 100 \
                 -games 2 -repeat -concurrency 2 -openings file=x.txt format=epd order=random plies=8 start=3 -sprt \
                 elo0=0 elo1=5 alpha=0.05 beta=0.05 -recover -variant shogi -tournament gauntlet -srand 7 -pgnout \
                 notation=san nodes=true file=games.pgn -debug all -use-affinity 0,1"
            ),
            "--engine cmd=./a name=a --engine cmd=./b ponder=true --each proto=usi tc=10+0.1 margin=50ms --rounds 100 \
             --games 2 --repeat --concurrency 2 --openings x.txt --order random --opening-plies 8 --opening-start 3 \
             --sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 --recover --game shogi --format gauntlet --seed 7 --pgn \
             games.pgn --logs --affinity"
        );
    }

    #[test]
    fn our_own_words_stay_as_they_are() {
        for line in [
            "kaeshi kaeshi --game reversi --nodes 9 --ponder=false --resign movecount=3 score=9",
            "--openings a=b.txt --maxmoves 300",
            "stats m --json",
            "-h",
            "x -- -each",
        ] {
            assert_eq!(words(line), line);
        }
    }

    #[test]
    fn words_without_effect_are_said() {
        let (line, remarks) =
            rewritten("a b -ratinginterval 10 -event x -games 2 -resign movecount=3 score=600").unwrap();
        assert_eq!(line, "a b --games 2 --resign movecount=3 score=600 twosided=false");
        assert!(remarks.len() == 3 && remarks[0].starts_with("-ratinginterval has no effect"), "{remarks:?}");
        for (line, becomes, said) in [
            ("-output format=cutechess", "", "--output json"),
            ("-report penta=true", "", "count pairs"),
            ("-show-latency", "", "lag"),
            ("-maxmoves 0", "", ""),
            ("-rounds 10", "--rounds 10", "20 games"),
            ("-rounds 10 -games 1", "--rounds 10 --games 1", ""),
            ("-noswap", "--noswap", "drawn by lot"),
            ("-pgnout a.pgn min append=false", "--pgn a.pgn", "min without effect"),
            ("-pgnout file=a.pgn", "--pgn a.pgn", "written anew"),
            ("-each plies=3", "--each depth=3", ""),
        ] {
            let (words, remarks) = rewritten(line).unwrap();
            assert_eq!(words, becomes, "{line}");
            assert!(
                remarks.join("\n").contains(said) && remarks.is_empty() == said.is_empty(),
                "{line}: {remarks:?}"
            );
        }
    }

    #[test]
    fn what_is_ambiguous_or_unknown_is_refused_with_other_words() {
        let refused = |line: &str| rewritten(line).unwrap_err();
        assert!(refused("-maxmoves 100").contains("--max-plies 200"));
        let draw = refused("-draw movenumber=34 movecount=8 score=20");
        assert!(draw.ends_with("write --draw movenumber=68 movecount=8 score=20"), "{draw}");
        assert!(refused("-epdout x").contains("--records"));
        assert!(refused("--each timemargin=50").contains("margin=50ms or margin=50s"));
        assert!(refused("-openings file=x policy=encounter").contains("policy=round"));
        assert!(refused("-openings file=x pages=3").contains("file="));
        assert!(refused("-config file=config.json outname=x").contains("--resume"));
        assert!(
            refused("-engines").contains("kaeshi engines") && refused("-reverse").contains("other order")
        );
        assert!(refused("-pgnout nodes=true").contains("--pgn games.pgn"));
        assert_eq!(
            words("--config match.toml --engines mine.toml"),
            "--config match.toml --engines mine.toml"
        );
        assert_eq!(words("-concurency 2"), "--concurency 2");
        assert!(!own_names().is_empty() && own_names().contains(&"each".to_owned()));
    }
}
