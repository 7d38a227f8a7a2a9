//! A room as its file keeps it, and back.

use std::time::Duration;

use super::handle::{bounded_title, comment};
use super::*;
use crate::saved::{Saved, SavedSummary, now_ms};
use kaeshi_system::output::remark;

/// The data of a game's file besides its turns, and whether the game is written.
pub(super) struct KeptGame {
    pub(super) handicap: String,
    /// The record that this game was loaded from; its data besides the turns is written back.
    pub(super) loaded: Option<GameRecord>,
    pub(super) title: String,
    /// Milliseconds since 1970.
    pub(super) begun: u64,
    pub(super) head: RecordHeader,
    /// A lesson: it is not kept.
    pub(super) course: bool,
    pub(super) file: Option<GameFile>,
    /// Something changed that is not written yet.
    pub(super) dirty: bool,
    /// Why the game could not be written.
    pub(super) unkept: Option<String>,
}

impl KeptGame {
    /// A game that begins now, without a file.
    pub(super) fn new() -> KeptGame {
        KeptGame {
            handicap: String::new(),
            loaded: None,
            title: String::new(),
            begun: now_ms(),
            head: RecordHeader::default(),
            course: false,
            file: None,
            dirty: false,
            unkept: None,
        }
    }
}

impl Room {
    /// The game for its file.
    pub(super) fn saved(&self) -> Saved {
        let now = Instant::now();
        let clocks = self.play.clocks.as_ref().map(|clocks| {
            Side::BOTH.map(|side| {
                let (main, byoyomi) = clocks.left(side, now);
                [state::millis(main), state::millis(byoyomi)]
            })
        });
        let summary = SavedSummary {
            game: self.game.name().to_owned(),
            title: self.kept.title.clone(),
            seats: self.play.seats.clone(),
            mode: self.mode,
            over: self.over(self.live),
            plies: self.tree.plies()[self.live].ply,
            handicap: self.kept.handicap.clone(),
            columns: usize::from(self.tree.picture(0).columns),
            changed: now_ms(),
        };
        Saved {
            summary,
            begun: self.kept.begun,
            start: self.tree.start().to_owned(),
            nodes: self.tree.plies().to_vec(),
            node: self.node,
            live: self.live,
            draft: self.draft.clone(),
            clock: self.play.clocks.as_ref().map(Clocks::control),
            clocks,
            paused: self.play.paused,
            settings: self.settings,
            review: self.engines.review.clone().filter(|review| review.sides.is_some()),
            head: self.kept.head.clone(),
            impasse: self.play.impasse,
        }
    }

    /// A room that goes on with a game that was kept.
    ///
    /// # Errors
    /// The saved game is invalid.
    pub(crate) fn restored(id: String, saved: Saved, means: Means) -> Result<Room, GameError> {
        if saved.nodes.len() > MAX_KEPT_NODES {
            return Err(GameError::file("the game has too many turns"));
        }
        let summary = saved.summary;
        let begin = NewGame {
            game: summary.game,
            seats: summary.seats,
            clock: saved.clock,
            handicap: String::new(),
            size: 0,
            position: Some(saved.start),
            lot: false,
            impasse: saved.impasse,
            course: false,
        };
        let mut room = Room::new(id, &begin, means)?;
        (room.node, room.live) = (0, 0);
        if room.tree.plies().len() > 1 {
            room.tree.remove(1);
        }
        let mut numbers = vec![0];
        for (index, ply) in saved.nodes.iter().enumerate() {
            let node = if index == 0 {
                0
            } else {
                let parent = *numbers
                    .get(ply.parent)
                    .ok_or_else(|| GameError::file("a turn comes before its position"))?;
                numbers.push(room.tree.play(parent, &ply.t)?);
                numbers[index]
            };
            room.tree.set_value(node, ply.s.map(|value| (value, ply.x)));
            room.tree.set_grade(node, ply.g.filter(|grade| (1..=3).contains(grade)), ply.b.clone());
            room.tree.set_remarks(node, ply.c.as_deref().and_then(comment), ply.u);
            room.tree.set_end(node, ply.e.clone());
        }
        let place = |node: usize| numbers.get(node).copied().unwrap_or(0);
        (room.node, room.live, room.mode) = (place(saved.node), place(saved.live), summary.mode);
        if let Some(known) = room.game.facts().boards.handicap(&summary.handicap) {
            room.kept.handicap = known.name.to_owned();
        }
        room.kept.title = bounded_title(&summary.title);
        room.settings = saved.settings.bounded(room.ranges());
        (room.engines.review, room.kept.head, room.kept.begun) = (saved.review, saved.head, saved.begun);
        (room.play.paused, room.note, room.kept.dirty) = (saved.paused, None, false);
        if room.tree.draft(room.node, &saved.draft).is_some() {
            room.draft = saved.draft;
        }
        if let (Some(clocks), Some(left)) = (&mut room.play.clocks, saved.clocks) {
            clocks.set(left.map(|[main, _]| Duration::from_millis(main)), room.live > 0);
        }
        Ok(room)
    }

    /// Writes what has changed, before the pages hear of it.
    pub(super) fn keep(&mut self) {
        if !std::mem::take(&mut self.kept.dirty) || self.kept.course {
            return;
        }
        let recorded = self.write_record();
        let saved = self.saved();
        let kept = self.kept.file.as_mut().map_or(Ok(()), |file| file.write(&saved));
        let unkept = recorded.and(kept).err().map(|error| format!("{error:#}"));
        // The file of a record is there to be read: a user without the page gets the message too.
        if let Some(reason) = unkept.as_ref().filter(|_| self.kept.unkept != unkept) {
            remark(format_args!("The game is not kept: {reason}"));
        }
        // A failed write is tried again with the next change.
        self.kept.dirty = unkept.is_some();
        self.kept.unkept = unkept;
    }

    /// Removes the file of the game, and writes none from now on.
    pub(super) fn discard(&mut self) {
        if let Some(mut file) = self.kept.file.take() {
            file.remove();
        }
        (self.kept.course, self.means.record) = (true, None);
        self.rest();
        self.listeners.clear();
    }
}
