//! Parsing that USI, UGI and UCI share: `position`, debug words, chains.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::str::{FromStr, SplitWhitespace};

use crate::protocol::ProtocolCommand;
use crate::protocol::vocabulary::Vocabulary;
use crate::protocol::words::abbreviated;
use kaeshi_core::driver::Show;
use kaeshi_core::driver::event::EngineEvent;
use kaeshi_core::game::GameError;
use kaeshi_core::game::end_words::take_end_words;

/// Deeper than any game lasts that can be counted.
const DEEPEST_PERFT: u32 = 99;

/// Names that the engine shares with all protocols, and that USI spells with a prefix.
const PREFIXED: [&str; 3] = ["Hash", "Ponder", "OwnBook"];

/// The engine's name of an option that a GUI calls `name`: `USI_Hash` and `Hash` are the same.
pub fn engine_option(name: &str) -> &str {
    let bare = name.split_at_checked(4).filter(|(prefix, _)| prefix.eq_ignore_ascii_case("USI_"));
    match bare {
        Some((_, rest)) if PREFIXED.iter().any(|known| known.eq_ignore_ascii_case(rest)) => rest,
        _ => name,
    }
}

/// USI's name of an option of the engine.
pub fn usi_option(name: &str) -> String {
    if PREFIXED.contains(&name) { format!("USI_{name}") } else { name.to_string() }
}

/// The commands of a chain `usi , isready , go depth 3`; `None` if `line` is not one.
pub fn chain<'a>(hello: &str, line: &'a str) -> Option<Vec<&'a str>> {
    let mut words = line.split_whitespace();
    if words.next() != Some(hello) || words.next() != Some(",") {
        return None;
    }
    let mut commands = vec![];
    let mut start = 0;
    for (at, _) in line.match_indices(',') {
        let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let (before, after) = (line.get(..at)?, line.get(at + 1..)?);
        if blank(before.chars().next_back()) && blank(after.chars().next()) {
            commands.push(line.get(start..at)?);
            start = at + 1;
        }
    }
    commands.push(line.get(start..)?);
    Some(commands)
}

/// The rest of a `position` line. Words behind the last turn that say how the game ended (`resign`) are dropped, with
/// a remark. A line without a position is for the engine to refuse, which then must not search the former one.
pub fn position(tokens: SplitWhitespace<'_>) -> ProtocolCommand {
    let mut tokens = tokens;
    let text: Vec<&str> = tokens.by_ref().take_while(|&token| token != "moves").collect();
    let mut turns: Vec<String> = tokens.map(str::to_string).collect();
    let end = take_end_words(&mut turns);
    let position = ProtocolCommand::Position { text: text.join(" "), turns };
    let Some(word) = end else { return position };
    let remark = EngineEvent::Message(format!("'{}' is not a turn and is ignored", abbreviated(&word)));
    ProtocolCommand::Batch(vec![position, ProtocolCommand::Say(remark)])
}

/// `help`, and the debug words `d`, `eval`, `moves`, `side`, `perft N` and `bench`; `None` for any other.
pub fn debug_word(
    vocabulary: &Vocabulary,
    first: &str,
    mut rest: SplitWhitespace<'_>,
) -> Option<Result<ProtocolCommand, GameError>> {
    let show = match first {
        "help" => return Some(Ok(ProtocolCommand::Say(EngineEvent::Text(vocabulary.help())))),
        "d" => Show::Board,
        "eval" => Show::Evaluation,
        "moves" => Show::Turns,
        "side" => Show::Side,
        "bench" => Show::Bench,
        "perft" => match number::<u32>("perft", rest.next(), 1, DEEPEST_PERFT) {
            Ok(depth) => Show::Perft(depth),
            Err(reason) => return Some(Err(reason)),
        },
        _ => return None,
    };
    Some(Ok(ProtocolCommand::Show(show)))
}

/// YaneuraOu's `getoption`, which asks for the value of one option or of all.
pub fn get_option(rest: SplitWhitespace<'_>) -> ProtocolCommand {
    let name: Vec<&str> = rest.collect();
    ProtocolCommand::GetOption((!name.is_empty()).then(|| engine_option(&name.join(" ")).to_string()))
}

/// The refusal of a line that begins with an unknown word.
pub fn unknown(line: &str) -> GameError {
    GameError::command(format!("unknown command '{}' is ignored", abbreviated(line)))
}

/// The whole number after `word`.
fn number<T>(word: &str, token: Option<&str>, least: T, most: T) -> Result<T, GameError>
where
    T: FromStr + PartialOrd + std::fmt::Display,
{
    let Some(token) = token else {
        return Err(GameError::command(format!("{word} is followed by no number")));
    };
    match token.parse::<T>() {
        Ok(value) if (&least..=&most).contains(&&value) => Ok(value),
        _ => {
            let token = abbreviated(token);
            Err(GameError::command(format!("{word}: '{token}' is not a whole number from {least} to {most}")))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn option_names_have_a_prefix_in_usi_only() {
        for (engine, usi) in [("Hash", "USI_Hash"), ("Ponder", "USI_Ponder"), ("OwnBook", "USI_OwnBook")] {
            assert_eq!(usi_option(engine), usi);
            assert_eq!(engine_option(usi), engine);
            assert_eq!(engine_option(engine), engine);
        }
        assert_eq!(usi_option("Threads"), "Threads");
        assert_eq!(engine_option("usi_hash"), "hash");
        assert_eq!(engine_option("USI_Threads"), "USI_Threads");
        assert_eq!(engine_option("\u{5bfe}\u{5c40}"), "\u{5bfe}\u{5c40}");
    }

    #[test]
    fn a_chain_is_cut_at_lone_commas() {
        let parts = |line| chain("usi", line).map(|all| all.into_iter().map(str::trim).collect::<Vec<_>>());
        assert_eq!(parts("usi , isready , go depth 3"), Some(vec!["usi", "isready", "go depth 3"]));
        assert_eq!(
            parts("usi , position startpos moves a,b ,"),
            Some(vec!["usi", "position startpos moves a,b", ""])
        );
        assert_eq!(parts("usi"), None);
        assert_eq!(parts("usi, isready"), None);
        assert_eq!(parts("setoption name A value b , c"), None);
    }

    #[test]
    fn a_position_is_a_text_and_turns() {
        let read = |line: &str| position(line.split_whitespace());
        let wanted = |text: &str, turns: &[&str]| ProtocolCommand::Position {
            text: text.into(),
            turns: turns.iter().map(|turn| (*turn).to_string()).collect(),
        };
        assert_eq!(read("startpos"), wanted("startpos", &[]));
        assert_eq!(read("startpos moves 7g7f 3c3d"), wanted("startpos", &["7g7f", "3c3d"]));
        assert_eq!(read("sfen  9/9 b -  1 moves"), wanted("sfen 9/9 b - 1", &[]));
        assert_eq!(read(""), wanted("", &[]));
        assert_eq!(read("moves 7g7f"), wanted("", &["7g7f"]));
    }

    #[test]
    fn a_word_that_is_no_turn_is_dropped_with_a_remark() {
        let read = |line: &str| match position(line.split_whitespace()) {
            ProtocolCommand::Batch(commands) => match commands.as_slice() {
                [
                    ProtocolCommand::Position { turns, .. },
                    ProtocolCommand::Say(EngineEvent::Message(said)),
                ] => (turns.join(" "), said.clone()),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        let remark = |word: &str| format!("'{word}' is not a turn and is ignored");
        assert_eq!(read("startpos moves d4 resign"), ("d4".to_owned(), remark("resign")));
        assert_eq!(read("startpos moves 7g7f rep_inf WIN"), ("7g7f".to_owned(), remark("rep_inf")));
        assert_eq!(read("startpos moves resign"), (String::new(), remark("resign")));
    }
}
