//! Records and positions in and out.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::tree::AnyGameTree;
use super::view::{GameOver, Reason};
use kaeshi_core::game::Side;
use kaeshi_core::game::score::Score;
use kaeshi_engine::games::GameName;
use kaeshi_records as records;
use kaeshi_records::referee::ending::{EndCause, Ending};
use kaeshi_records::{GameRecord, PlyRemarks, RecordFormat, RecordPly, RecordVariation};
pub(super) use kaeshi_report::page_info::forms;

/// A game to be written.
pub(super) struct WrittenGame<'a> {
    /// Which game.
    pub game: GameName,
    /// The game with its variations.
    pub tree: &'a dyn AnyGameTree,
    /// The position that is shown.
    pub node: usize,
    /// The players, first mover first.
    pub names: [String; 2],
    /// The record that it was loaded from.
    pub loaded: Option<&'a GameRecord>,
    /// How it ended.
    pub over: Option<GameOver>,
    /// Its headers.
    pub head: &'a RecordHeader,
    /// When it began, in milliseconds since 1970.
    pub begun: u64,
}

/// The games and positions in the bytes; `game` is used where the bytes do not determine the game.
///
/// # Errors
/// Why they hold none.
pub(super) fn read(bytes: &[u8], game: GameName) -> Result<Vec<GameRecord>, Reason> {
    let good = |wanted| -> Result<Vec<GameRecord>, Option<records::RecordFault>> {
        let (mut records, mut fault) = (Vec::new(), None);
        for item in records::read(bytes, wanted) {
            match item {
                Ok(record) => records.push(record),
                Err(reason) => fault = fault.or(Some(reason)),
            }
        }
        if records.is_empty() { Err(fault) } else { Ok(records) }
    };
    good(None).or_else(|fault| {
        good(Some(game)).map_err(|_| match fault {
            Some(fault) if looks_like_record(bytes) => Reason::with_text("bad-record", fault),
            _ => Reason::new("no-record"),
        })
    })
}

/// Whether the text has the form of a record or of a position somewhere, so that its faults are worth a message.
pub(super) fn looks_like_record(bytes: &[u8]) -> bool {
    let text = records::text::decode(bytes).text;
    records::recognise(&text) != RecordFormat::Line
        || text.lines().any(|line| records::lines::is_position(line.trim()))
}

/// The game in this form: name of the file, and its bytes.
///
/// # Errors
/// If the game is not written in this form.
pub(super) fn write(written: &WrittenGame, form: &str) -> Result<(String, Vec<u8>), Reason> {
    let facts = written.game.facts();
    let text = if form == facts.notation.position_form {
        written.tree.position(written.node) + "\n"
    } else {
        let known = records::written(written.game).into_iter().find(|known| known.extension == form);
        let known = known.ok_or_else(|| {
            let known = forms(written.game).join(", ");
            Reason::with_text("unwritten", format!("'{form}' is none of the forms {known}"))
        })?;
        (known.write)(&record(written)).map_err(|reason| Reason::with_text("unwritten", reason))?
    };
    Ok((format!("{}.{form}", facts.name), text.into_bytes()))
}

/// The game as a record: with the values that are known, and with what the loaded record says of the same turns.
fn record(written: &WrittenGame) -> GameRecord {
    let tree = written.tree;
    let mut record = GameRecord::new(written.game, RecordFormat::Line, 0, tree.start());
    record.event = "kaeshi play".to_owned();
    let mut kept = RemarksByPath::default();
    match written.loaded {
        Some(loaded) => {
            kept = RemarksByPath::of(loaded);
            keep_headings(loaded, &mut record);
        }
        None => written.head.write(&mut record, written.begun),
    }
    record.players = written.names.clone();
    let of_nodes =
        |nodes: &[usize]| nodes.iter().map(|&node| (node, tree.plies()[node].parent)).collect::<Vec<_>>();
    let mut places: BTreeMap<usize, Option<usize>> = BTreeMap::from([(0, Some(0))]);
    let mut ply = |(node, parent): (usize, usize)| {
        let shown = &tree.plies()[node];
        let place = places.get(&parent).copied().flatten().and_then(|place| kept.next(place, &shown.t));
        places.insert(node, place);
        let mut remarks = place.and_then(|place| kept.remarks.get(&place)).map(|&remarks| remarks.clone());
        if let Some(value) = shown.s {
            remarks.get_or_insert_default().score = Some(score(value, shown.x, shown.by));
        }
        if let Some(used) = shown.u {
            remarks.get_or_insert_default().used_us.get_or_insert(used.saturating_mul(1_000));
        }
        if let Some(comment) = &shown.c {
            remarks.get_or_insert_default().comments = comment.lines().map(str::to_owned).collect();
        }
        RecordPly { remarks: remarks.map(Box::new), ..RecordPly::new(&shown.t) }
    };
    let mut lines = vec![tree.path(tree.main_end(0))];
    record.plies = of_nodes(&lines[0]).into_iter().map(&mut ply).collect();
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
                let plies = of_nodes(&line).into_iter().map(&mut ply).collect();
                record.variations.push(RecordVariation { of, after, plies });
                lines.push(line);
            }
        }
        of += 1;
    }
    record.ending = written.over.as_ref().map(ending);
    match written.loaded {
        Some(loaded) => keep_end(loaded, &mut record),
        // The words of an end that the rules do not know, as of a game that was broken off.
        None if record.ending.is_none() && record.plies.len() == written.head.plies => {
            record.end.clone_from(&written.head.end);
        }
        None => {}
    }
    record
}

/// The headers of a record, as they are kept with a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RecordHeader {
    /// The form from which it was read.
    form: String,
    pub(super) event: String,
    date: String,
    limit: String,
    pub(super) tags: Vec<(String, String)>,
    comments: Vec<String>,
    /// How it ended, in the words of the format, after this number of turns.
    end: Option<String>,
    plies: usize,
}

impl RecordHeader {
    /// The headers of a record.
    pub(super) fn of(record: &GameRecord) -> RecordHeader {
        RecordHeader {
            form: record.form.name().to_owned(),
            event: record.event.clone(),
            date: record.date.clone(),
            limit: record.limit.clone(),
            tags: record.tags.clone(),
            comments: record.comments.clone(),
            end: record.end.clone(),
            plies: record.plies.len(),
        }
    }

    /// Gives it to a record of a game that began this many milliseconds after 1970.
    fn write(&self, record: &mut GameRecord, begun: u64) {
        let forms = [
            RecordFormat::Kif,
            RecordFormat::Ki2,
            RecordFormat::Csa,
            RecordFormat::Jkf,
            RecordFormat::Ggf,
            RecordFormat::SygoList,
        ];
        record.form = forms.into_iter().find(|form| form.name() == self.form).unwrap_or(RecordFormat::Line);
        record.tags.clone_from(&self.tags);
        record.comments.clone_from(&self.comments);
        record.date = if self.date.is_empty() { date(begun) } else { self.date.clone() };
        record.limit.clone_from(&self.limit);
        if !self.event.is_empty() {
            record.event.clone_from(&self.event);
        }
    }
}

/// Headers, comments before the first turn, event, date and limit of the loaded record.
fn keep_headings(loaded: &GameRecord, record: &mut GameRecord) {
    record.form = loaded.form;
    record.tags.clone_from(&loaded.tags);
    record.comments.clone_from(&loaded.comments);
    record.date.clone_from(&loaded.date);
    record.limit.clone_from(&loaded.limit);
    if !loaded.event.is_empty() {
        record.event.clone_from(&loaded.event);
    }
}

/// The end of the loaded record, if the game still has the same turns.
fn keep_end(loaded: &GameRecord, record: &mut GameRecord) {
    let same = loaded.plies.len() == record.plies.len()
        && loaded.plies.iter().zip(&record.plies).all(|(one, other)| one.turn == other.turn);
    if !same {
        return;
    }
    let by_the_loaded = loaded.ending.as_ref().map(|end| (end.winner, end.cause));
    if record.ending.as_ref().is_none_or(|end| by_the_loaded == Some((end.winner, end.cause))) {
        record.ending.clone_from(&loaded.ending);
        record.end.clone_from(&loaded.end);
        record.end_remarks.clone_from(&loaded.end_remarks);
    }
}

/// The remarks of a record on its turns, by the turns from the start.
#[derive(Default)]
struct RemarksByPath<'a> {
    /// The place behind a turn from a place; 0 is the start.
    ways: HashMap<(usize, &'a str), usize>,
    remarks: HashMap<usize, &'a PlyRemarks>,
}

impl<'a> RemarksByPath<'a> {
    fn of(record: &'a GameRecord) -> RemarksByPath<'a> {
        let mut kept = RemarksByPath::default();
        for line in 0..=record.variations.len() {
            let mut place = 0;
            for ply in record.before(line).into_iter().chain(record.line(line)) {
                let fresh = kept.ways.len() + 1;
                place = *kept.ways.entry((place, &ply.turn)).or_insert(fresh);
                if let Some(remarks) = &ply.remarks {
                    kept.remarks.entry(place).or_insert(remarks);
                }
            }
        }
        kept
    }

    /// The place behind `turn` from `place`.
    fn next(&self, place: usize, turn: &str) -> Option<usize> {
        self.ways.get(&(place, turn)).copied()
    }
}

/// `2026-11-20T16:00:00Z`, from milliseconds since 1970.
fn date(millis: u64) -> String {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(millis);
    kaeshi_engine::utc::seconds(time)
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

/// Causes of an end, and what the page calls them.
const CAUSES: [(&str, EndCause); 11] = [
    ("Mate", EndCause::Mate),
    ("Resign", EndCause::Resign),
    ("Time", EndCause::Time),
    ("EnteringKing", EndCause::Declare),
    ("Repetition", EndCause::Repetition),
    ("PerpetualCheck", EndCause::Perpetual),
    ("Impasse", EndCause::Impasse),
    ("NoMoves", EndCause::NoMoves),
    ("TwoPasses", EndCause::TwoPasses),
    ("Illegal", EndCause::Illegal),
    ("MaxPlies", EndCause::MaxPlies),
];

/// The cause in a record if it is not known.
const UNKNOWN: &str = "Unknown";

fn ending(over: &GameOver) -> Ending {
    let cause = CAUSES.iter().find(|(name, _)| *name == over.cause).map(|&(_, cause)| cause);
    let counted = matches!(cause, Some(EndCause::NoMoves | EndCause::TwoPasses));
    Ending {
        winner: over.winner.and_then(|side| Side::BOTH.get(side).copied()),
        cause,
        margin: counted.then_some(over.margin),
        detail: String::new(),
    }
}

/// The end of a record as the page shows it.
pub(super) fn over(ending: &Ending) -> GameOver {
    let name =
        CAUSES.iter().find(|(_, cause)| Some(*cause) == ending.cause).map_or(UNKNOWN, |(name, _)| name);
    GameOver {
        winner: ending.winner.map(Side::index),
        cause: name.to_owned(),
        margin: ending.margin.unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::tree;

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
            let over = Some(GameOver { winner: Some(0), cause: "Resign".into(), margin: 0 });
            let head = RecordHeader::default();
            let names = ["a".into(), "b".into()];
            let written = WrittenGame {
                game: name,
                tree: tree.as_ref(),
                node,
                names,
                loaded: None,
                over,
                head: &head,
                begun: 0,
            };
            for form in forms(name) {
                let (file, bytes) = write(&written, form).unwrap();
                assert_eq!(file, format!("{}.{form}", name.name()));
                // For editors of Go only.
                if form == "sgf" {
                    continue;
                }
                let back = read(&bytes, name).unwrap_or_else(|reason| panic!("{form}: {reason:?}"));
                assert_eq!((back.len(), back[0].game), (1, name), "{form}");
                let read: Vec<&str> = back[0].plies.iter().map(|ply| ply.turn.as_str()).collect();
                if form != name.facts().notation.position_form {
                    assert_eq!(read, turns, "{form}");
                }
                let branched = ["kif", "jkf", "sygo"].contains(&form);
                assert_eq!(back[0].variations.len(), usize::from(branched), "{form}");
            }
        }
        let tree = tree(GameName::Shogi, None, 9).unwrap();
        let written = WrittenGame {
            game: GameName::Shogi,
            tree: tree.as_ref(),
            node: 0,
            names: Default::default(),
            loaded: None,
            over: None,
            head: &RecordHeader::default(),
            begun: 0,
        };
        assert!(write(&written, "ggf").is_err());
    }

    /// Loads a text and writes the game again, after `change`.
    fn saved(text: &str, form: &str, change: impl Fn(&mut dyn AnyGameTree)) -> String {
        let read = read(text.as_bytes(), GameName::Shogi).unwrap().remove(0);
        let mut tree = tree(GameName::Shogi, Some(&read.start), 9).unwrap();
        for line in 0..=read.variations.len() {
            let plies = read.before(line).into_iter().chain(read.line(line));
            plies.fold(0, |node, ply| tree.play(node, &ply.turn).unwrap());
        }
        change(&mut *tree);
        let (names, loaded, head) = (read.players.clone(), Some(&read), RecordHeader::default());
        let (game, tree) = (GameName::Shogi, tree.as_ref());
        let written = WrittenGame { game, tree, node: 0, names, loaded, over: None, head: &head, begun: 0 };
        String::from_utf8(write(&written, form).unwrap().1).unwrap()
    }

    const KIF: &str = "\
#KIF version=2.0 encoding=UTF-8
開始日時：2026/11/20 16:00:00
棋戦：名人戦
持ち時間：6時間
場所：東京
手合割：平手
先手：甲
後手：乙
手数----指手---------消費時間--
*before the game
   1 ７六歩(77)   ( 1:01/00:01:01)
*good
   2 ３四歩(33)   ( 0:02/00:00:02)
   3 中断   ( 0:05/00:01:06)
*to be continued
まで2手で中断

変化：2手
   2 ８四歩(83)   ( 0:03/00:00:03)
*also good
";

    #[test]
    fn a_loaded_record_is_saved_with_all_that_it_says() {
        assert_eq!(saved(KIF, "kif", |_| {}), KIF);
        let back = read(saved(KIF, "csa", |_| {}).as_bytes(), GameName::Shogi).unwrap().remove(0);
        assert_eq!((back.comments, back.event), (vec!["before the game".to_owned()], "名人戦".to_owned()));
        assert_eq!(back.plies[0].remarks.as_ref().unwrap().used_us, Some(61_000_000));
        for word in ["詰み", "時間切れ", "不戦敗"] {
            let text = KIF.replace("中断", word);
            let sentence = if word == "詰み" { "後手の勝ち" } else { word };
            let wanted = text.replace("で詰み", "で後手の勝ち");
            assert_eq!(saved(&text, "kif", |_| {}), wanted, "{sentence}");
        }
    }

    #[test]
    fn another_game_than_the_loaded_one_has_another_end() {
        let longer = saved(KIF, "kif", |tree| {
            let end = tree.main_end(0);
            tree.play(end, "2g2f").unwrap();
        });
        assert!(longer.contains("*good\n") && longer.contains("場所：東京\n"), "{longer}");
        assert!(!longer.contains("中断") && !longer.contains("to be continued"), "{longer}");
    }

    #[test]
    fn values_are_printed_for_the_side_that_moved() {
        assert_eq!(score(120, false, 1), Score::Cp(-120));
        assert_eq!(score(199_995, true, 0), Score::MateIn(5));
        assert_eq!(score(199_995, true, 1), Score::MatedIn(5));
    }
}
