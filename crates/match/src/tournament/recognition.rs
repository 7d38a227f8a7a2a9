//! Programs of the roster that are given by their path: recognised by the name of the file or by what they call
//! themselves, so that the settings of their entry apply (how they read clocks, the margin, the options).

use std::path::Path;

use crate::roster::{Roster, RosterEntry};

/// The entry whose program has the file name of `path`, with its name in the roster. Of several entries the one
/// that is called like the program is taken; `None` if that does not decide.
pub fn by_file<'a>(roster: &'a Roster, path: &str) -> Option<(&'a str, &'a RosterEntry)> {
    let stem = file_stem(path)?;
    let same = |command: &str| file_stem(command).is_some_and(|other| other.eq_ignore_ascii_case(&stem));
    only(roster, &stem, |entry| same(&entry.command))
}

/// The entry whose `id-name` is how `id_name` begins, as [`by_file`] chooses.
pub fn by_id_name<'a>(roster: &'a Roster, id_name: &str) -> Option<(&'a str, &'a RosterEntry)> {
    let begins = |known: &str| !known.is_empty() && id_name.starts_with(known);
    only(roster, id_name, |entry| entry.id_name.as_deref().is_some_and(begins))
}

fn only<'a>(
    roster: &'a Roster,
    own_name: &str,
    is_program: impl Fn(&RosterEntry) -> bool,
) -> Option<(&'a str, &'a RosterEntry)> {
    // `kaeshi` stands for the running program: another build of it is what a match is played against.
    let mut known = roster.engines.iter().filter(|(_, entry)| entry.command != "kaeshi" && is_program(entry));
    let first = known.next()?;
    let found = if known.next().is_none() {
        first
    } else {
        roster.engines.get_key_value(own_name).filter(|(_, entry)| is_program(entry))?
    };
    Some((found.0.as_str(), found.1))
}

fn file_stem(path: &str) -> Option<String> {
    Some(Path::new(path).file_stem()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_recognised_by_their_file() {
        let roster = Roster::load(None).unwrap();
        let name = |path: &str| by_file(&roster, path).map(|(name, _)| name);
        assert_eq!(name("/usr/games/fairy-stockfish"), Some("fairy-stockfish"));
        assert_eq!(name("./YaneuraOu-by-gcc"), Some("yaneuraou"));
        assert_eq!(name("./kaeshi"), None);
        assert_eq!(name("./my-engine"), None);
        assert_eq!(name(".."), None);
    }

    #[test]
    fn of_several_entries_the_one_of_the_same_name_is_taken() {
        let text = "[engines.x]\ncommand = \"bin/x\"\n[engines.x-fast]\ncommand = \"x\"\n\
                    [engines.y1]\ncommand = \"y\"\n[engines.y2]\ncommand = \"y\"\n";
        let roster = Roster::parse(text).unwrap();
        assert_eq!(by_file(&roster, "/opt/x").map(|(name, _)| name), Some("x"));
        assert_eq!(by_file(&roster, "/opt/y"), None);
    }

    #[test]
    fn programs_are_recognised_by_what_they_call_themselves() {
        let roster = Roster::load(None).unwrap();
        assert_eq!(
            by_id_name(&roster, "Fairy-Stockfish 11.1 LB").map(|(name, _)| name),
            Some("fairy-stockfish")
        );
        assert_eq!(by_id_name(&roster, "Stockfish 17"), None);
        assert_eq!(by_id_name(&roster, ""), None);
    }
}
