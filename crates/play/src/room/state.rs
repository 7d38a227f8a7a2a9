//! The state of a room as a page gets it.

use super::*;

impl Room {
    pub(super) fn state(&self) -> PageState {
        let (node, now) = (self.node, Instant::now());
        let open = self.is_open();
        let facts = self.tree.facts();
        let (mut last, mut turned) = self.tree.last(node);
        let mut picture = self.tree.picture(node);
        let draft = self.tree.draft(node, &self.draft).filter(|_| open).map(|(draft, drawn)| {
            if !draft.stones.is_empty() {
                (last, turned) = (Vec::new(), Vec::new());
            }
            picture = drawn;
            draft
        });
        let mut nodes = self.tree.plies().to_vec();
        let live_over = self.over(self.live).is_some();
        if self.mode == Mode::Play && !live_over && !self.settings.analysis {
            for ply in &mut nodes {
                (ply.s, ply.x) = (None, false);
            }
        }
        let person = self.play.seats.iter().any(|seat| seat.kind == SeatKind::Person);
        let playing = self.mode == Mode::Play && !live_over;
        let clocks = self.play.clocks.as_ref().map(|clocks| {
            Side::BOTH.map(|side| {
                let (main, byoyomi) = clocks.left(side, now);
                [millis(main), millis(byoyomi)]
            })
        });
        PageState {
            v: self.version,
            room: self.id.clone(),
            game: facts.name,
            scale: facts.values.win_rate_scale,
            seats: self.play.seats.clone(),
            last,
            turned,
            side: self.tree.side(node).index(),
            node,
            live: self.live,
            nodes,
            start: self.tree.start().to_owned(),
            position: self.tree.position(node),
            choices: if open { self.tree.choices(node) } else { Vec::new() },
            effects: if open { self.tree.effects(node) } else { Default::default() },
            may: May {
                pass: open && self.tree.may_pass(node) && self.draft.is_empty(),
                take_back: playing && self.taken_back().is_some(),
                resign: playing && person && self.tree.plies().len() > 1,
                claim: open && playing && self.tree.may_claim(node),
                count: self.may_count(),
                replay: self.may_replay(),
            },
            claim: if self.over(node).is_none() { self.tree.claim(node) } else { None },
            over: self.over(node),
            impasse: self.play.impasse,
            points: self.points(),
            mode: self.mode,
            thinking: self.engines.playing.is_some() || self.engines.answer.is_some(),
            paused: self.play.paused,
            clock: self.play.clocks.as_ref().map(Clocks::control),
            clocks,
            running: self.running().map(Side::index),
            ticking: self.play.clocks.as_ref().and_then(Clocks::runner).map(Side::index),
            asked: self.asked(),
            settings: self.settings,
            ranges: self.ranges(),
            review: self.engines.review.clone(),
            note: self.note.clone(),
            record: self.means.record.as_ref().map(|file| file.path().display().to_string()),
            handicap: self.kept.handicap.clone(),
            title: self.kept.title.clone(),
            unkept: self.kept.unkept.clone(),
            tags: self.kept.head.tags.clone(),
            picture,
            draft,
        }
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
