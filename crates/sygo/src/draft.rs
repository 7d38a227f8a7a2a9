//! A turn of Sygo stone by stone: what may follow, and which rule forbids the rest.

use crate::Sygo;
use crate::rules::points::Point;
use crate::rules::position::SygoPosition;
use crate::rules::turn::SygoTurn;
use crate::rules::{self, IllegalSygoTurn, notation};
use kaeshi_core::game::GameView;
use kaeshi_core::game::draft::{Reason, TurnDraft};
use kaeshi_core::game::picture::Picture;

/// The draft after these stones, and the board as it is with them; `None` when the game is over or a stone
/// cannot stand there.
pub fn draft(game: &Sygo, position: &SygoPosition, stones: &[String]) -> Option<(TurnDraft, Picture)> {
    if position.is_over() {
        return None;
    }
    let size = position.board.size();
    let grown: Vec<Point> = stones
        .iter()
        .map(|text| notation::parse_turn(size, text).ok()?.placement())
        .collect::<Option<_>>()?;
    rules::check_growth(&position.board, position.side, &grown).ok()?;
    let mut after = position.clone();
    for &point in &grown {
        if !after.board.is_vacant(point) {
            return None;
        }
        after.board.put_for_good(point, position.side);
    }
    let mut draft = TurnDraft { stones: stones.to_vec(), ..TurnDraft::default() };
    let taken = *position.board.stones(position.side.other()) & *after.board.stones(position.side);
    draft.captured = taken.iter().map(|point| point.to_string()).collect();
    if !grown.is_empty() {
        draft.open = rules::check(position, &SygoTurn::grow(grown.iter().copied()))
            .err()
            .map(|illegal| reason(&illegal));
    }
    for point in position.board.vacant().iter().filter(|point| !grown.contains(point)) {
        match next(position, &grown, point) {
            Ok(kind) => {
                draft.points.insert(point.to_string(), kind);
            }
            Err(illegal) => {
                draft.refused.insert(point.to_string(), reason(&illegal));
            }
        }
    }
    for (id, group) in position.board.groups_of(position.side) {
        if grown.iter().any(|&point| position.board.groups_next_to(point, position.side).contains(&id)) {
            draft.grown += 1;
        } else if group.liberties.iter().any(|point| draft.points.get(&point.to_string()) == Some(&"grow")) {
            draft.groups.push(group.stones.iter().map(|point| point.to_string()).collect());
        }
    }
    Some((draft, game.picture(&after)))
}

/// The kind of a stone on `point` after those of `grown`: `grow` or `place`.
fn next(position: &SygoPosition, grown: &[Point], point: Point) -> Result<&'static str, IllegalSygoTurn> {
    let board = &position.board;
    let is_growth = board.touches(point, position.side);
    if is_growth {
        let all: Vec<Point> = grown.iter().copied().chain([point]).collect();
        rules::check_growth(board, position.side, &all)?;
        return Ok("grow");
    }
    if grown.is_empty() {
        rules::check(position, &SygoTurn::place(point))?;
        return Ok("place");
    }
    if !position.has_balance_right() {
        return Err(IllegalSygoTurn::NotNext(point));
    }
    rules::check(position, &SygoTurn::new(grown.iter().copied(), Some(point)))?;
    Ok("balance")
}

/// The rule in the words of the page.
fn reason(illegal: &IllegalSygoTurn) -> Reason {
    match illegal {
        IllegalSygoTurn::Over => Reason::new("over"),
        IllegalSygoTurn::OffBoard(point) => Reason::with_text("illegal", point),
        IllegalSygoTurn::Occupied(point) | IllegalSygoTurn::Twice(point) => Reason::at("occupied", point),
        IllegalSygoTurn::OnlyBlackBalances => Reason::new("balance-white"),
        IllegalSygoTurn::BalanceGone => Reason::new("balance-gone"),
        IllegalSygoTurn::NotNext(point) => Reason::at("not-next", point),
        IllegalSygoTurn::SameGroup(other, point) => {
            Reason { other: Some(other.to_string()), ..Reason::at("same-group", point) }
        }
        IllegalSygoTurn::NoOrder => Reason::new("captor-closed"),
        IllegalSygoTurn::NextToOwn { point, .. } => Reason::at("next-to-own", point),
        IllegalSygoTurn::Suicide(point) => Reason::at("suicide", point),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_core::game::{GameNotation, GameOptions};

    fn at(position: &str, stones: &[&str]) -> Option<TurnDraft> {
        let game = Sygo::load(&Default::default()).unwrap();
        let position = game.parse_position(position).unwrap();
        let stones: Vec<String> = stones.iter().map(|stone| (*stone).to_owned()).collect();
        draft(&game, &position, &stones).map(|(draft, _)| draft)
    }

    #[test]
    fn groups_that_can_grow_are_listed_until_they_have() {
        let start = "5/5/1w1w1/5/2b2 w g 0 5";
        let before = at(start, &[]).unwrap();
        assert_eq!((before.groups.len(), before.grown, before.points["c3"]), (2, 0, "grow"));
        assert_eq!(before.points["c2"], "place");
        let one = at(start, &["b4"]).unwrap();
        assert_eq!((one.groups.len(), one.grown), (1, 1));
        assert_eq!(one.refused["c3"].code, "same-group");
        assert_eq!(one.refused["c2"].code, "not-next");
        let both = at(start, &["c3"]).unwrap();
        assert_eq!((both.groups.len(), both.grown), (0, 2));
        assert_eq!(at(start, &["a1"]), None, "a growth begins at a group");
    }

    #[test]
    fn captures_suicide_and_the_balance_turn_are_named() {
        let taking = at("5/1w3/1wbw1/2w2/5 w g 0 9", &["c4"]).unwrap();
        assert_eq!((&taking.captured[..], &taking.open), (&["c3".to_owned()][..], &None));
        let suicide = at("5/5/bbww1/1wbw1/wbb2 w g 0 20", &["a2"]).unwrap();
        assert_eq!(suicide.open.unwrap().code, "suicide");
        assert_eq!(suicide.points["d1"], "grow", "a later capture may give it liberties");
        let balance = at("5/1b1w1/5/1w1b1/5 b - 0 6", &["b5"]).unwrap();
        assert_eq!((balance.points["a1"], balance.points["e2"]), ("balance", "grow"));
    }
}
