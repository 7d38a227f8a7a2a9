//! Rules of an event besides those of the game: lots for the colours, agreement on an impasse, and the replay of a game
//! without a result.

use std::hash::{BuildHasher, RandomState};

use super::*;
use kaeshi_core::game::score::Score;
use kaeshi_records::furigoma::Furigoma;
use kaeshi_records::referee::impasse::{ImpasseRule, ImpasseWatch, PointRule};

/// Moves of each engine after both kings have entered, as in a match by default.
const ENGINE_MOVES: u32 = 10;
/// Code of the note about the result of the lots.
const FURIGOMA: &str = "furigoma";
/// Code of the same note in games without pawns to throw.
const LOT: &str = "lot";

/// The watch over an impasse of two engines.
pub(super) fn watch(points: PointRule) -> ImpasseWatch {
    ImpasseWatch::new(ImpasseRule { points, movecount: ENGINE_MOVES, score: None })
}

fn throw_pawns() -> Furigoma {
    Furigoma::from_random(RandomState::new().hash_one(Instant::now()))
}

impl Room {
    /// Draws the colours of a person and an engine by lot. The person throws: with three pawns face up or more the
    /// person moves first.
    pub(super) fn draw_colours(&mut self) {
        self.give_colours(throw_pawns());
    }

    fn give_colours(&mut self, toss: Furigoma) {
        let Some(person) = self.play.seats.iter().position(|seat| seat.kind == SeatKind::Person) else {
            return;
        };
        if self.play.seats.iter().all(|seat| seat.kind == SeatKind::Person) {
            return;
        }
        let side = usize::from(!toss.thrower_begins());
        if person != side {
            self.play.seats.swap(0, 1);
        }
        // Throwing pawns is a custom of Japanese games.
        let code = if self.tree.facts().notation.local_language == Some("ja") { FURIGOMA } else { LOT };
        let values =
            [("faces", toss.faces().to_string()), ("pawns", toss.pawns()), ("side", side.to_string())];
        self.note = Some(Note { code, values: values.into() });
    }

    /// Keeps only a note that the person has not had time to read: the lots, until the person has moved.
    pub(super) fn forget_note_of_engine(&mut self) {
        self.note.take_if(|note| note.code != FURIGOMA && note.code != LOT);
    }

    /// The same room, where `rule` decides an impasse.
    pub(crate) fn with_impasse_rule(mut self, rule: PointRule) -> Room {
        (self.play.impasse, self.play.watch) = (rule, watch(rule));
        self
    }

    /// Points of both sides at the node that is shown, where both kings have entered.
    pub(super) fn points(&self) -> Option<[u32; 2]> {
        self.tree.impasse_points(self.node)
    }

    /// Whether a person may agree on an impasse now.
    pub(super) fn may_count(&self) -> bool {
        self.mode == Mode::Play && self.is_open() && self.points().is_some()
    }

    /// Counts the points, as the players agree. An engine agrees unless its last score was a mate.
    ///
    /// # Errors
    /// If the kings have not entered, or the engine does not agree.
    pub(super) fn count_impasse(&mut self) -> Result<(), Reason> {
        if let Some(reason) = self.closed() {
            return Err(reason);
        }
        let points = self.points().filter(|_| self.may_count()).ok_or_else(|| Reason::new("not-entered"))?;
        let opponent = self.tree.side(self.live).other().index();
        let agrees = match self.play.seats[opponent].kind {
            SeatKind::Person => true,
            SeatKind::Engine => matches!(self.play.scores[opponent], Some(Score::Cp(_) | Score::Exact(_))),
        };
        if !agrees {
            return Err(Reason::new("impasse-refused"));
        }
        self.end_by_points(points);
        Ok(())
    }

    /// Takes the score of an engine's turn; where two engines play, the game ends once both have seen no mate for
    /// some moves.
    pub(super) fn watch_impasse(&mut self, side: Side, score: Option<Score>) {
        self.play.scores[side.index()] = score.or(self.play.scores[side.index()]);
        if self.play.seats.iter().any(|seat| seat.kind == SeatKind::Person) || self.over(self.live).is_some()
        {
            return;
        }
        let points = self.tree.impasse_points(self.live);
        if let Some(points) = points.filter(|_| self.play.watch.add(score, points).is_some()) {
            self.end_by_points(points);
        }
    }

    fn end_by_points(&mut self, points: [u32; 2]) {
        let winner = self.play.impasse.winner(points).map(Side::index);
        self.end(GameOver { winner, cause: "Impasse".into(), margin: 0 });
        let values = [("first", points[0].to_string()), ("second", points[1].to_string())];
        self.note = Some(Note { code: "impasse-counted", values: values.into() });
    }

    /// Whether the game ended by repetition or by a drawn impasse, and so may be replayed.
    pub(super) fn may_replay(&self) -> bool {
        let over = self.over(self.live).filter(|over| over.winner.is_none());
        self.mode == Mode::Play
            && over.is_some_and(|over| matches!(over.cause.as_str(), "Repetition" | "Impasse"))
    }

    /// A replay of the game in a room of this name, with colours exchanged (except in handicap games) and the remaining
    /// time.
    ///
    /// # Errors
    /// If the game did not end without a result.
    pub(super) fn replayed(&self, id: String) -> Result<Room, Reason> {
        if !self.may_replay() {
            return Err(Reason::new("not-replayed"));
        }
        let now = Instant::now();
        let mut seats = self.play.seats.clone();
        let mut left =
            self.play.clocks.as_ref().map(|clocks| Side::BOTH.map(|side| clocks.left(side, now).0));
        if self.kept.handicap == "none" {
            seats.swap(0, 1);
            if let Some(left) = &mut left {
                left.swap(0, 1);
            }
        }
        let begin = NewGame {
            game: self.game.name().to_owned(),
            seats,
            clock: self.play.clocks.as_ref().map(Clocks::control),
            handicap: String::new(),
            size: 0,
            position: Some(self.tree.start().to_owned()),
            lot: false,
            impasse: self.play.impasse,
            course: self.kept.course,
        };
        let means = Means { record: None, ..self.means.clone() };
        let mut fresh = Room::new(id, &begin, means).map_err(bad_position)?.with_settings(self.settings);
        fresh.kept.handicap.clone_from(&self.kept.handicap);
        if let (Some(clocks), Some(left)) = (&mut fresh.play.clocks, left) {
            clocks.set(left, false);
        }
        fresh.note = Some(Note { code: "replayed", values: Default::default() });
        Ok(fresh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_pawns_face_up_give_the_thrower_the_first_move() {
        let seat = |kind| SeatView { kind, level: 1, name: String::new() };
        let begin = |game: GameName, seats| NewGame {
            game: game.name().to_owned(),
            seats,
            clock: None,
            handicap: String::new(),
            size: 0,
            position: None,
            lot: false,
            impasse: PointRule::default(),
            course: false,
        };
        for (game, code) in [(GameName::Shogi, "furigoma"), (GameName::Sygo, "lot")] {
            for (toss, person) in [(0b00000, 1), (0b01010, 1), (0b10011, 0), (0b11111, 0)] {
                let toss = Furigoma::from_random(toss);
                for order in [[SeatKind::Person, SeatKind::Engine], [SeatKind::Engine, SeatKind::Person]] {
                    let mut room =
                        Room::new(String::new(), &begin(game, order.map(seat)), Means::default()).unwrap();
                    room.give_colours(toss);
                    assert_eq!(room.play.seats[person].kind, SeatKind::Person, "{toss:?} of {order:?}");
                    let note = room.note.unwrap();
                    assert_eq!((note.code, &note.values["side"]), (code, &person.to_string()));
                    assert_eq!(note.values["pawns"], toss.pawns());
                }
            }
        }
        let people = [SeatKind::Person; 2].map(seat);
        let mut room = Room::new(String::new(), &begin(GameName::Shogi, people), Means::default()).unwrap();
        room.draw_colours();
        assert_eq!(room.note, None, "two people at one screen agree by themselves");
    }

    #[test]
    fn every_number_of_faces_comes_up() {
        let thrown: std::collections::BTreeSet<u32> = (0..2_000).map(|_| throw_pawns().faces()).collect();
        assert_eq!(thrown.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    }
}
