//! A room as its file keeps it, and back.

use std::time::Duration;

use super::*;
use crate::saved::{Saved, SavedSummary, now_ms};
use kaeshi_system::output::remark;

impl Room {
    /// The game for its file.
    pub(super) fn saved(&self) -> Saved {
        let now = Instant::now();
        let clocks = self.clocks.as_ref().map(|clocks| {
            Side::BOTH.map(|side| {
                let (main, byoyomi) = clocks.left(side, now);
                [state::millis(main), state::millis(byoyomi)]
            })
        });
        let summary = SavedSummary {
            game: self.game.name().to_owned(),
            title: self.title.clone(),
            seats: self.seats.clone(),
            mode: self.mode,
            over: self.over(self.live),
            plies: self.tree.plies()[self.live].ply,
            handicap: self.handicap.clone(),
            columns: usize::from(self.tree.picture(0).columns),
            changed: now_ms(),
        };
        Saved {
            summary,
            begun: self.begun,
            start: self.tree.start().to_owned(),
            nodes: self.tree.plies().to_vec(),
            node: self.node,
            live: self.live,
            draft: self.draft.clone(),
            clock: self.clocks.as_ref().map(Clocks::control),
            clocks,
            paused: self.paused,
            settings: self.settings,
            review: self.review.clone().filter(|review| review.sides.is_some()),
            head: self.head.clone(),
            impasse: self.impasse,
        }
    }

    /// A room that goes on with a game that was kept.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn restored(id: String, saved: Saved, means: Means) -> Result<Room, GameError> {
        if saved.nodes.len() > MAX_NODES {
            return Err(GameError::new("the game has too many turns"));
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
                    .ok_or_else(|| GameError::new("a turn comes before its position"))?;
                numbers.push(room.tree.play(parent, &ply.t)?);
                numbers[index]
            };
            room.tree.set_value(node, ply.s.map(|value| (value, ply.x)));
            room.tree.set_grade(node, ply.g.filter(|grade| (1..=3).contains(grade)), ply.b.clone());
            room.tree.set_remarks(node, ply.c.clone(), ply.u);
            room.tree.set_end(node, ply.e.clone());
        }
        let place = |node: usize| numbers.get(node).copied().unwrap_or(0);
        (room.node, room.live, room.mode) = (place(saved.node), place(saved.live), summary.mode);
        (room.settings, room.handicap, room.title) = (saved.settings, summary.handicap, summary.title);
        (room.review, room.head, room.begun) = (saved.review, saved.head, saved.begun);
        (room.paused, room.note, room.dirty) = (saved.paused, None, false);
        room.handicap.truncate(32);
        if room.tree.draft(room.node, &saved.draft).is_some() {
            room.draft = saved.draft;
        }
        if let (Some(clocks), Some(left)) = (&mut room.clocks, saved.clocks) {
            clocks.set(left.map(|[main, _]| Duration::from_millis(main)), room.live > 0);
        }
        Ok(room)
    }

    /// Writes what has changed, before the pages hear of it.
    pub(super) fn keep(&mut self) {
        if !std::mem::take(&mut self.dirty) || self.course {
            return;
        }
        let recorded = self.write_record();
        let saved = self.saved();
        let kept = self.file.as_mut().map_or(Ok(()), |file| file.write(&saved));
        let unkept = recorded.and(kept).err().map(|error| format!("{error:#}"));
        // The file of a record is there to be read: a user without the page gets the message too.
        if let Some(reason) = unkept.as_ref().filter(|_| self.unkept != unkept) {
            remark(format_args!("The game is not kept: {reason}"));
        }
        self.unkept = unkept;
    }

    /// Removes what was kept, and keeps nothing from now on.
    pub(super) fn discard(&mut self) {
        if let Some(mut file) = self.file.take() {
            file.remove();
        }
        (self.course, self.means.record) = (true, None);
        self.rest();
        self.listeners.clear();
    }
}
