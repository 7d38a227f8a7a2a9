//! Rooms that begin with a record or with a position that a person put together: games to study.

use serde::Serialize;

use super::handle::comment;
use super::*;
use crate::files;
use kaeshi_core::game::picture::Style;
use kaeshi_records::{GameRecord, RecordFormat};

/// Games of a file that are listed.
const LISTED: usize = 1_000;

/// The content of a file or of a pasted text.
pub enum LoadedFile {
    /// One game, or the one that was picked.
    Room(Box<Room>),
    /// Several games, of which one is to be picked.
    Games(Vec<FileGame>),
}

/// A game of a file that holds several.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FileGame {
    /// Its number in the file, from 0.
    pub pick: usize,
    pub game: &'static str,
    /// The position in which it began.
    pub start: String,
    /// The players, first mover first.
    pub names: [String; 2],
    pub event: String,
    pub date: String,
    pub plies: usize,
    /// `1-0`, `0-1`, `1/2-1/2`, or nothing.
    pub result: String,
}

impl Room {
    /// The game that these bytes hold, or the list of them; `game` settles what the bytes leave open.
    ///
    /// # Errors
    /// Why there is none.
    pub fn load(
        id: String,
        bytes: &[u8],
        game: GameName,
        pick: Option<usize>,
        means: Means,
    ) -> Result<LoadedFile, Reason> {
        let records = files::read(bytes, game)?;
        let several = records.len() > 1;
        let record = match pick {
            None if several => {
                let listed = records.iter().enumerate().take(LISTED);
                return Ok(LoadedFile::Games(
                    listed.map(|(pick, record)| listed_game(pick, record)).collect(),
                ));
            }
            pick => records.into_iter().nth(pick.unwrap_or(0)),
        };
        let record = record.ok_or_else(|| Reason::new("no-record"))?;
        // A fault behind the end of a game does not make the game unreadable.
        if let Some(fault) = record.fault.as_ref().filter(|_| record.end.is_none()) {
            return Err(Reason::with_text("bad-record", fault));
        }
        match Room::of_record(id, record, means) {
            Ok(room) => Ok(LoadedFile::Room(Box::new(room))),
            Err(reason) if reason.code == "bad-position" && !files::looks_like_record(bytes) => {
                Err(Reason::new("no-record"))
            }
            Err(reason) => Err(reason),
        }
    }

    /// A position that a person put together.
    ///
    /// # Errors
    /// The position is invalid.
    pub fn set_up(id: String, game: GameName, setup: &SetUp, means: Means) -> Result<Room, Reason> {
        let kings = |side| setup.cells.iter().flatten().any(|piece| piece.side == side && piece.kind == "K");
        let position = games::set_up_text(game, setup);
        let mut room = Room::to_study(id, game, &position, Default::default(), means)?;
        // A problem without the attacker's king is a position, one without the other king is none.
        if room.tree.picture(0).style == Style::Pieces && !kings(setup.to_move().other()) {
            return Err(Reason::new("setup-no-king"));
        }
        if room.tree.outcome(0).is_some() {
            return Err(Reason::new("setup-over"));
        }
        room.kept.dirty = true;
        room.keep();
        Ok(room)
    }

    fn to_study(
        id: String,
        game: GameName,
        start: &str,
        names: [String; 2],
        means: Means,
    ) -> Result<Room, Reason> {
        let begin = NewGame {
            game: game.name().to_owned(),
            seats: names.map(|name| SeatView { kind: SeatKind::Person, level: 1, name }),
            clock: None,
            handicap: String::new(),
            size: 0,
            position: Some(start.to_owned()),
            lot: false,
            impasse: PointRule::default(),
            course: false,
        };
        let mut room = Room::new(id, &begin, means).map_err(bad_position)?;
        room.mode = Mode::Study;
        // Passes belong to the record.
        if room.tree.plies().len() > 1 {
            room.tree.remove(1);
            (room.node, room.live, room.note) = (0, 0, None);
        }
        Ok(room)
    }

    pub(super) fn of_record(id: String, record: GameRecord, means: Means) -> Result<Room, Reason> {
        let name = |name: &String| name.chars().filter(|c| !c.is_control()).take(60).collect();
        let names = record.players.each_ref().map(name);
        let turns = record.plies.len();
        if turns > MAX_NODES {
            let reason = format!("it has {turns} turns, and {MAX_NODES} are the most");
            return Err(Reason::with_text("bad-record", reason));
        }
        let mut room = Room::to_study(id, record.game, &record.start, names, means)?;
        room.node = room.play_line(&record.plies.iter().collect::<Vec<_>>())?;
        room.live = room.node;
        for line in 1..=record.variations.len() {
            let plies: Vec<&kaeshi_records::RecordPly> =
                record.before(line).into_iter().chain(record.line(line)).collect();
            room.play_line(&plies)?;
        }
        let variations: usize = record.variations.iter().map(|line| line.plies.len()).sum();
        if room.tree.plies().len() > MAX_NODES && turns + variations > MAX_NODES {
            let values = [("count", MAX_NODES.to_string())].into();
            room.note = Some(Note { code: "record-cut", values });
        }
        if room.tree.outcome(room.live).is_none() {
            let over = record.ending.as_ref().map(files::over);
            room.tree.set_end(room.live, over);
        }
        room.kept.head = RecordHeader::of(&record);
        room.kept.loaded = Some(record);
        if let Some(file) = &room.means.record
            && let Ok((_, bytes)) = room.written(&file.form(room.game))
        {
            let is_line = room.kept.loaded.as_ref().is_some_and(|record| record.form == RecordFormat::Line);
            file.set_current(bytes, is_line);
        }
        Ok(room)
    }

    /// Plays turns from the start with their comments and times, as many as there is room for; returns the node of
    /// the last.
    fn play_line(&mut self, plies: &[&kaeshi_records::RecordPly]) -> Result<usize, Reason> {
        let mut node = 0;
        for (ply, number) in plies.iter().zip(1..) {
            if self.tree.plies().len() > MAX_NODES {
                break;
            }
            let refused = |reason: GameError| Reason::with_text("bad-record", format!("{number}: {reason}"));
            node = self.tree.play(node, &ply.turn).map_err(refused)?;
            if let Some(remarks) = &ply.remarks {
                let used = remarks.used_us.map(|used| used / 1_000);
                self.tree.set_remarks(node, comment(&remarks.comments.join("\n")), used);
                if let Some(score) = remarks.score {
                    let mover = Side::BOTH[self.tree.plies()[node].by];
                    self.tree.set_value(node, Some(engines::for_first(score, mover)));
                }
            }
        }
        Ok(node)
    }
}

fn listed_game(pick: usize, record: &GameRecord) -> FileGame {
    FileGame {
        pick,
        game: record.game.name(),
        start: record.start.clone(),
        names: record.players.clone(),
        event: record.event.clone(),
        date: record.date.clone(),
        plies: record.plies.len(),
        result: record.ending.as_ref().map_or(String::new(), |ending| ending.result().text().to_owned()),
    }
}

/// Why a position cannot be played.
pub fn bad_position(reason: GameError) -> Reason {
    Reason::with_text("bad-position", reason)
}
