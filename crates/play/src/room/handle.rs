//! Handling of the page's requests to a room.

use std::time::Duration;

use super::engines::EngineTaskKind;
use super::*;
use crate::files;
use crate::tree::illegal;

/// How long a hint may take.
const HINT: Duration = Duration::from_millis(1_500);
/// How long a search for mate or an exact end may take.
const PROOF: Duration = Duration::from_secs(20);
/// Longest comment, in characters.
const COMMENT: usize = 4_000;
/// Longest name of a game, in characters.
const TITLE: usize = 100;
/// Turns of a line that is shown as a try-out.
const FRAMES: usize = 64;

impl Room {
    /// Handles a request.
    ///
    /// # Errors
    /// The reason why it is refused; nothing is changed then.
    pub(super) fn handle_request(&mut self, asked: RoomEnvelope) -> Result<(), Reason> {
        let shown = asked.node.is_none_or(|node| node == self.node);
        let changes = asked.request.changes_game();
        match asked.request {
            // A click on a board that is not shown any more counts for nothing.
            RoomRequest::Turn { .. } | RoomRequest::Stone { .. } | RoomRequest::Done if !shown => {
                return Err(Reason::new("illegal"));
            }
            RoomRequest::Look => return Ok(()),
            RoomRequest::Turn { turn } => self.make_turn(&turn)?,
            RoomRequest::Try { turns } => self.try_out(&turns)?,
            RoomRequest::Stone { point } => self.put_stone(point)?,
            RoomRequest::Unstone { point } => self.take_stone(point.as_deref()),
            RoomRequest::Clear => self.draft.clear(),
            RoomRequest::Done => {
                let turn = self.tree.drafted(&self.draft).ok_or_else(|| Reason::new("nothing-grown"))?;
                self.make_turn(&turn)?;
            }
            RoomRequest::Go { to } => self.go(to)?,
            RoomRequest::TakeBack => self.take_back()?,
            RoomRequest::Resign => self.resign()?,
            RoomRequest::Claim => self.claim()?,
            RoomRequest::Count => self.count_impasse()?,
            RoomRequest::Pause => {
                self.play.paused = self.mode == Mode::Play;
                self.engines.answer = None;
                self.engines.playing = None;
            }
            RoomRequest::Resume => {
                (self.play.paused, self.mode) = (false, Mode::Play);
                self.show(self.live);
            }
            RoomRequest::Continue { seats, clock, lot, impasse } => {
                self.go_on(seats, clock)?;
                (self.play.impasse, self.play.watch, self.play.scores) =
                    (impasse, customs::watch(impasse), [None; 2]);
                if lot {
                    self.draw_colours();
                }
            }
            RoomRequest::Level { level } => {
                for seat in &mut self.play.seats {
                    seat.level = level.clamp(1, FULL);
                }
            }
            RoomRequest::Hint => self.begin(EngineTaskKind::Hint, HINT),
            RoomRequest::Mate => self.begin(EngineTaskKind::Mate, PROOF),
            RoomRequest::Solve => self.begin(EngineTaskKind::Solve, PROOF),
            RoomRequest::Stop => self.stop_asked(),
            RoomRequest::Settings(settings) => {
                self.settings = settings.bounded(self.ranges());
                self.engines.analysing = None;
            }
            RoomRequest::Review => self.begin_review(),
            RoomRequest::ReviewStop => self.engines.review = None,
            RoomRequest::MainLine if self.mode == Mode::Study => {
                let node = self.tree.promote(self.node);
                self.forget(node);
            }
            RoomRequest::Delete if self.node > 0 && self.mode == Mode::Study => {
                let node = self.tree.remove(self.node);
                self.forget(node);
            }
            // In a game they would change where it stands.
            RoomRequest::MainLine | RoomRequest::Delete => return Err(Reason::new("illegal")),
            RoomRequest::Comment { text } => {
                let used = self.tree.plies()[self.node].u;
                self.tree.set_remarks(self.node, comment(&text), used);
            }
            RoomRequest::Title { text } => {
                self.kept.title = bounded_title(&text);
            }
            RoomRequest::New(_) | RoomRequest::Setup(_) | RoomRequest::Replay => {
                return Err(Reason::new("illegal"));
            }
        }
        self.kept.dirty |= changes;
        self.drive();
        self.changed();
        Ok(())
    }

    /// Shows another node.
    fn show(&mut self, node: usize) {
        self.node = node;
        self.draft.clear();
        self.engines.found = None;
    }

    /// The numbers of the nodes have changed.
    fn forget(&mut self, node: usize) {
        self.engines.known.clear();
        self.engines.analysing = None;
        self.live = node;
        self.show(node);
    }

    fn go(&mut self, to: usize) -> Result<(), Reason> {
        if to >= self.tree.plies().len() {
            return Err(Reason::new("illegal"));
        }
        self.show(to);
        if self.mode == Mode::Study {
            self.live = to;
        }
        Ok(())
    }

    /// The reason why no turn can be made on the position shown.
    pub(super) fn closed(&self) -> Option<Reason> {
        if self.is_open() {
            return None;
        }
        Some(Reason::new(match () {
            () if self.over(self.node).is_some() => "over",
            () if self.play.paused => "is-paused",
            () if self.node != self.live => "looking-back",
            () => "not-your-turn",
        }))
    }

    fn make_turn(&mut self, turn: &str) -> Result<(), Reason> {
        if let Some(reason) = self.closed() {
            return Err(reason);
        }
        if self.tree.plies().len() >= MAX_NODES {
            return Err(Reason::with_text("illegal", "the game has too many turns"));
        }
        let side = self.tree.side(self.node);
        let local = if turn.is_ascii() { None } else { self.tree.local_turn(self.node, turn) };
        let node = self.tree.play(self.node, local.as_deref().unwrap_or(turn)).map_err(illegal)?;
        self.note = None;
        self.advance(side, node);
        Ok(())
    }

    /// The game stands at `node` now, after a turn of `side`.
    pub(super) fn advance(&mut self, side: Side, node: usize) {
        let now = Instant::now();
        let parent = self.tree.plies()[node].parent;
        if let Some((_, since)) = self.play.thought.take().filter(|&(at, _)| at == parent) {
            let comment = self.tree.plies()[node].c.clone();
            self.tree.set_remarks(node, comment, Some(state::millis(now.saturating_duration_since(since))));
        }
        if let Some(clocks) = self.play.clocks.as_mut().filter(|_| self.mode == Mode::Play) {
            clocks.turn_made(side, now);
        }
        let followed = self.node == self.live || self.mode == Mode::Study;
        self.live = node;
        if followed {
            self.show(node);
        }
        let before = self.live;
        if self.mode == Mode::Play {
            self.pass_where_nothing_else_can_be_done();
        }
        if !followed && self.live != before {
            self.node = self.live;
        }
        if self.settings.mistakes {
            self.grade(node);
        }
    }

    /// An engine's turn comes.
    pub(super) fn engine_plays(&mut self, answer: &PendingTurn) {
        let side = self.tree.side(self.live);
        match self.tree.play(self.live, &answer.turn) {
            Ok(node) => {
                self.forget_note_of_engine();
                self.advance(side, node);
                self.watch_impasse(side, answer.score);
            }
            Err(reason) => log::error!("play: the engine's own turn {} is refused: {reason}", answer.turn),
        }
        self.kept.dirty = true;
        self.drive();
        self.changed();
    }

    fn try_out(&mut self, turns: &[String]) -> Result<(), Reason> {
        if self.mode == Mode::Play && self.over(self.live).is_none() {
            return Err(Reason::new("not-your-turn"));
        }
        let room = MAX_NODES.saturating_sub(self.tree.plies().len());
        let turns = turns.get(..room).unwrap_or(turns);
        self.tree.check_line(self.node, turns).map_err(illegal)?;
        self.mode = Mode::Study;
        for turn in turns {
            let node = self.tree.play(self.node, turn).map_err(illegal)?;
            self.live = node;
            self.show(node);
        }
        Ok(())
    }

    fn put_stone(&mut self, point: String) -> Result<(), Reason> {
        if let Some(reason) = self.closed() {
            return Err(reason);
        }
        let Some((draft, _)) = self.tree.draft(self.node, &self.draft) else {
            return Err(Reason::new("illegal"));
        };
        let Some(&kind) = draft.points.get(&point) else {
            return Err(draft.refused.get(&point).cloned().unwrap_or_else(|| Reason::at("occupied", point)));
        };
        match kind {
            "grow" => {
                self.draft.push(point);
                Ok(())
            }
            "balance" => {
                let growth = self.tree.drafted(&self.draft).unwrap_or_default();
                self.make_turn(&format!("{growth}@{point}"))
            }
            _ => self.make_turn(&point),
        }
    }

    /// Takes this stone, or the last one, out of the turn that is being put together.
    fn take_stone(&mut self, point: Option<&str>) {
        match point {
            Some(point) => self.draft.retain(|stone| stone != point),
            None => {
                self.draft.pop();
            }
        }
        // Stones put after it may have depended on it.
        while self.tree.draft(self.node, &self.draft).is_none() && self.draft.pop().is_some() {}
    }

    /// The node to which the last turn of a person is taken back.
    pub(super) fn taken_back(&self) -> Option<usize> {
        let plies = self.tree.plies();
        let mut node = self.live;
        while node > 0 {
            let by = plies[node].by;
            node = plies[node].parent;
            if self.play.seats[by].kind == SeatKind::Person && !self.tree.must_pass(node) {
                return Some(node);
            }
        }
        None
    }

    fn take_back(&mut self) -> Result<(), Reason> {
        let target = self
            .taken_back()
            .filter(|_| self.mode == Mode::Play)
            .ok_or_else(|| Reason::new("no-take-back"))?;
        let child = self.tree.path(self.live).into_iter().find(|&id| self.tree.plies()[id].parent == target);
        let node = child.map_or(target, |child| self.tree.remove(child));
        (self.note, self.engines.answer, self.engines.playing) = (None, None, None);
        if let Some(clocks) = &mut self.play.clocks {
            clocks.stop(Instant::now());
        }
        self.forget(node);
        Ok(())
    }

    fn resign(&mut self) -> Result<(), Reason> {
        if self.mode == Mode::Study || self.over(self.live).is_some() {
            return Err(Reason::new("over"));
        }
        // Against an engine it is always the person who resigns.
        let mover = self.tree.side(self.live);
        let loser = match self.play.seats[mover.index()].kind {
            SeatKind::Person => mover,
            SeatKind::Engine => mover.other(),
        };
        self.end(GameOver { winner: Some(loser.other().index()), cause: "Resign".into(), margin: 0 });
        self.show(self.live);
        Ok(())
    }

    fn claim(&mut self) -> Result<(), Reason> {
        let mine = self.is_open() && self.mode == Mode::Play && self.tree.may_claim(self.live);
        if !mine {
            return Err(Reason::new("no-claim"));
        }
        self.won_by_claim();
        Ok(())
    }

    /// The side to move wins by its claim.
    pub(super) fn won_by_claim(&mut self) {
        let winner = self.tree.side(self.live).index();
        self.end(GameOver { winner: Some(winner), cause: "EnteringKing".into(), margin: 0 });
    }

    /// A game goes on from the position that is shown, between these players; what followed is kept as a variation.
    fn go_on(&mut self, seats: [SeatView; 2], clock: Option<TimeControl>) -> Result<(), Reason> {
        if self.tree.outcome(self.node).is_some() {
            return Err(Reason::new("over"));
        }
        let clocks = match clock.map(TimeControl::checked) {
            Some(None) => return Err(Reason::new("bad-clock")),
            control => control.flatten().map(Clocks::new),
        };
        self.tree.set_end(self.node, None);
        (self.play.seats, self.play.clocks) = (seats.map(bounded_seat), clocks);
        (self.mode, self.play.paused, self.engines.review, self.note) = (Mode::Play, false, None, None);
        (self.live, self.engines.answer, self.engines.playing) = (self.node, None, None);
        self.show(self.node);
        self.pass_where_nothing_else_can_be_done();
        Ok(())
    }

    /// The positions of a line of turns, as JSON.
    pub(super) fn frames(&self, node: usize, turns: &[String]) -> Result<String, Reason> {
        if node >= self.tree.plies().len() {
            return Err(Reason::new("illegal"));
        }
        let turns = turns.get(..FRAMES).unwrap_or(turns);
        Ok(serde_json::to_string(&self.tree.frames(node, turns)).unwrap_or_default())
    }

    /// The game in this form: name of the file and its bytes.
    pub(super) fn written(&self, form: &str) -> Result<(String, Vec<u8>), Reason> {
        files::write(
            &files::WrittenGame {
                game: self.game,
                tree: self.tree.as_ref(),
                node: self.node,
                names: self.names(),
                loaded: self.kept.loaded.as_ref(),
                over: self.over(self.tree.main_end(0)),
                head: &self.kept.head,
                begun: self.kept.begun,
            },
            form,
        )
    }

    /// Writes the game to the file of `--record`, in the form that its name ends with.
    ///
    /// # Errors
    /// The file cannot be written, or its form does not know the game.
    pub(super) fn write_record(&self) -> anyhow::Result<()> {
        let Some(file) = &self.means.record else { return Ok(()) };
        match self.written(&file.form(self.game)) {
            Ok((_, bytes)) => file.write(bytes),
            Err(reason) => Err(file.refused(reason.text.unwrap_or_default())),
        }
    }

    /// The players' names, as records have them.
    fn names(&self) -> [String; 2] {
        [0, 1].map(|side| match &self.play.seats[side] {
            SeatView { kind: SeatKind::Engine, level, .. } if *level >= FULL => "Kaeshi".to_owned(),
            SeatView { kind: SeatKind::Engine, level, .. } => format!("Kaeshi level {level}"),
            SeatView { name, .. } => name.clone(),
        })
    }
}

/// A name of a game within its bounds.
pub(super) fn bounded_title(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control()).take(TITLE).collect()
}

/// A comment within its bounds; `None` for an empty one.
pub(super) fn comment(text: &str) -> Option<String> {
    let kept = |c: &char| !c.is_control() || *c == '\n';
    let text: String = text.chars().filter(kept).take(COMMENT).collect();
    let text = text.trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}
