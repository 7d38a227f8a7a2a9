//! Records and positions in and out.

use super::tree::Tree;
use super::view::{Over, Reason};
use crate::game::Side;
use crate::game::score::Score;
use crate::games::GameName;
use crate::records::{self, Form, Ply, Record, Remarks, Variation};
use crate::referee::ending::{EndCause, Ending};
pub(super) use crate::tools::looks::forms;

/// A game that was read.
pub(super) struct Read {
    /// Which game.
    pub game: GameName,
    /// Where it begins.
    pub start: String,
    /// Its turns, and what was tried out.
    pub record: Record,
    /// The players, first mover first.
    pub names: [String; 2],
}

/// A game to be written.
pub(super) struct Written<'a> {
    /// Which game.
    pub game: GameName,
    /// The game with its variations.
    pub tree: &'a dyn Tree,
    /// The position that is shown.
    pub node: usize,
    /// The players, first mover first.
    pub names: [String; 2],
    /// How it ended.
    pub over: Option<Over>,
}

/// The first game or position that the bytes hold; `game` settles what they leave open.
///
/// # Errors
/// Why they hold none.
pub(super) fn read(bytes: &[u8], game: GameName) -> Result<Read, Reason> {
    let first = |wanted| records::read(bytes, wanted).into_iter().next();
    let found: Option<Record> = match first(None) {
        Some(Ok(record)) => Some(record),
        Some(Err(fault)) => match first(Some(game)) {
            Some(Ok(record)) => Some(record),
            _ => return Err(Reason::with_text("bad-record", fault)),
        },
        None => None,
    };
    let record = found.ok_or_else(|| Reason::new("no-record"))?;
    if let Some(fault) = &record.fault {
        return Err(Reason::with_text("bad-record", fault));
    }
    let name = |name: &String| name.chars().filter(|c| !c.is_control()).take(60).collect();
    Ok(Read {
        game: record.game,
        names: record.players.each_ref().map(name),
        start: record.start.clone(),
        record,
    })
}

/// The game in this form: name of the file, and its bytes.
///
/// # Errors
/// If the game is not written in this form.
pub(super) fn write(written: &Written, form: &str) -> Result<(String, Vec<u8>), Reason> {
    let facts = written.game.facts();
    let text = if form == facts.position_form {
        written.tree.position(written.node) + "\n"
    } else {
        let known = records::written(written.game).into_iter().find(|known| known.extension == form);
        let known = known.ok_or_else(|| {
            let known = forms(written.game).join(", ");
            Reason::with_text("bad-record", format!("'{form}' is none of the forms {known}"))
        })?;
        (known.write)(&record(written)).map_err(|reason| Reason::with_text("bad-record", reason))?
    };
    Ok((format!("{}.{form}", facts.name), text.into_bytes()))
}

/// The game as a record, with the values that are known.
fn record(written: &Written) -> Record {
    let tree = written.tree;
    let mut record = Record::new(written.game, Form::Line, 0, tree.start());
    record.players = written.names.clone();
    record.event = "kaeshi play".to_owned();
    let ply = |node: &usize| {
        let shown = &tree.plies()[*node];
        let score = shown.s.map(|value| score(value, shown.x, shown.by));
        let remarks = score.map(|score| Box::new(Remarks { score: Some(score), ..Remarks::default() }));
        Ply { remarks, ..Ply::new(&shown.t) }
    };
    let mut lines = vec![tree.path(tree.main_end(0))];
    record.plies = lines[0].iter().map(ply).collect();
    let mut of = 0;
    while of < lines.len() {
        for node in lines[of].clone() {
            // The first of a parent's turns belongs to the line itself.
            for other in tree.siblings(node) {
                let mut line = vec![other];
                line.extend(
                    tree.path(tree.main_end(other)).into_iter().skip_while(|&id| id != other).skip(1),
                );
                let after = tree.plies()[other].ply - 1;
                record.variations.push(Variation { of, after, plies: line.iter().map(ply).collect() });
                lines.push(line);
            }
        }
        of += 1;
    }
    record.ending = written.over.as_ref().map(ending);
    record
}

/// A value for the first side, as the page has it, for the side `by`.
fn score(value: i32, proven: bool, by: usize) -> Score {
    let own = if by == 0 { value } else { -value };
    let plies = |distance: i32| u16::try_from(distance.clamp(0, 9_999)).unwrap_or(0);
    match (own, proven) {
        (100_000.., _) => Score::MateIn(plies(200_000 - own)),
        (..=-100_000, _) => Score::MatedIn(plies(200_000 + own)),
        (_, true) => Score::Exact(own),
        (_, false) => Score::Cp(own),
    }
}

fn ending(over: &Over) -> Ending {
    let cause = match over.cause.as_str() {
        "Mate" => EndCause::Mate,
        "Resign" => EndCause::Resign,
        "Time" => EndCause::Time,
        "EnteringKing" => EndCause::Declare,
        "Repetition" => EndCause::Repetition,
        "Impasse" => EndCause::Impasse,
        "PerpetualCheck" => EndCause::Perpetual,
        "NoMoves" => EndCause::NoMoves,
        "TwoPasses" => EndCause::TwoPasses,
        _ => EndCause::MaxPlies,
    };
    let counted = matches!(cause, EndCause::NoMoves | EndCause::TwoPasses);
    Ending {
        winner: over.winner.and_then(|side| Side::BOTH.get(side).copied()),
        cause: Some(cause),
        margin: counted.then_some(over.margin),
        detail: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::play::games::tree;

    #[test]
    fn every_form_is_read_back() {
        for (name, turns) in [
            (GameName::Shogi, ["7g7f", "3c3d", "8h2b+"]),
            (GameName::Reversi, ["f5", "d6", "c3"]),
            (GameName::Sygo, ["c3", "a1", "+c2"]),
        ] {
            let mut tree = tree(name, None, 5).unwrap();
            let mut node = 0;
            for turn in turns {
                node = tree.play(node, turn).unwrap();
            }
            let tried = ["2g2f", "c5", "a5"][name as usize];
            let first = tree.path(node)[1];
            tree.play(first, tried).unwrap();
            let over = Some(Over { winner: Some(0), cause: "Resign".into(), margin: 0 });
            let written =
                Written { game: name, tree: tree.as_ref(), node, names: ["a".into(), "b".into()], over };
            for form in forms(name) {
                let (file, bytes) = write(&written, form).unwrap();
                assert_eq!(file, format!("{}.{form}", name.name()));
                let back = read(&bytes, name).unwrap_or_else(|reason| panic!("{form}: {reason:?}"));
                assert_eq!(back.game, name, "{form}");
                let read: Vec<&str> = back.record.plies.iter().map(|ply| ply.turn.as_str()).collect();
                if form != name.facts().position_form {
                    assert_eq!(read, turns, "{form}");
                }
                let branched = ["kif", "jkf", "sygo"].contains(&form);
                assert_eq!(back.record.variations.len(), usize::from(branched), "{form}");
            }
        }
        let tree = tree(GameName::Shogi, None, 9).unwrap();
        let written = Written {
            game: GameName::Shogi,
            tree: tree.as_ref(),
            node: 0,
            names: Default::default(),
            over: None,
        };
        assert!(write(&written, "ggf").is_err());
    }

    #[test]
    fn values_are_printed_for_the_side_that_moved() {
        assert_eq!(score(120, false, 1), Score::Cp(-120));
        assert_eq!(score(199_995, true, 0), Score::MateIn(5));
        assert_eq!(score(199_995, true, 1), Score::MatedIn(5));
    }
}
