//! Games played out at random on a [`PlayoutBoard`], fast and with some care for life: no own eye is
//! filled, and no group left with one liberty but for a large capture.
//!
//! That last rule decides what the results are worth: without it, groups that are alive fill their
//! own eye space, as there is always something to grow.

use super::MctsParameters;
use super::field::{CELLS, PlayoutBoard, StoneEffect, VACANT, around};
use crate::rules::board::Colour;
use crate::rules::position::SygoPosition;
use kaeshi_core::random::SplitMix;

/// A game to be played out.
#[derive(Clone)]
pub struct MctsPlayout {
    field: PlayoutBoard,
    side: Colour,
    grown: bool,
    passes: u8,
    /// Groups for each row with which a placement is hardly ever made first, per mille.
    groups_wanted: u32,
    /// The chance of one even then, per mille.
    placing: u32,
    /// Vacant cells in any order; filled ones are dropped when the next turn begins.
    vacant: arrayvec::ArrayVec<u16, CELLS>,
}

impl MctsPlayout {
    /// The game at this position.
    pub fn new(position: &SygoPosition, parameters: &MctsParameters) -> MctsPlayout {
        let per_mille = |part: f64| (1000.0 * part).round() as u32;
        let field = PlayoutBoard::new(&position.board, per_mille(parameters.risk));
        let vacant = field.on_board().filter(|&cell| field.content(cell) == VACANT);
        MctsPlayout {
            vacant: vacant.map(|cell| cell as u16).collect(),
            field,
            side: position.side,
            grown: position.grown,
            passes: position.passes,
            groups_wanted: per_mille(parameters.groups),
            placing: per_mille(parameters.placing),
        }
    }

    /// Plays until both sides pass; by how many points White is ahead then.
    pub fn run(&mut self, random: &mut SplitMix) -> i32 {
        // Every turn but a pass fills a point, so that the game ends.
        while self.passes < 2 {
            self.turn(random);
        }
        self.field.margin()
    }

    fn turn(&mut self, random: &mut SplitMix) {
        let field = &self.field;
        self.vacant.retain(|cell| field.content(usize::from(*cell)) == VACANT);
        let moved = !self.vacant.is_empty() && self.stones(random);
        self.passes = if moved { 0 } else { self.passes + 1 };
        self.side = self.side.other();
    }

    /// Puts the stones of a turn; false if there are none.
    fn stones(&mut self, random: &mut SplitMix) -> bool {
        let groups = self.field.groups(self.side);
        // Always with no group.
        let wanted = self.groups_wanted * self.field.size().mean() as u32;
        let placing =
            self.placing + (1_000 - self.placing) * wanted.saturating_sub(1_000 * groups) / wanted.max(1);
        let place_first = random.below(1_000) < placing;
        if place_first && self.place(random) {
            return true;
        }
        if groups > 0 && self.grow(random) {
            if self.side == Colour::Black && !self.grown {
                self.place(random);
            }
            self.grown = true;
            return true;
        }
        !place_first && self.place(random)
    }

    /// Places a stone on the first cell that allows it, from a random one on.
    fn place(&mut self, random: &mut SplitMix) -> bool {
        let start = random.below(self.vacant.len() as u32) as usize;
        for place in (start..self.vacant.len()).chain(0..start) {
            let cell = usize::from(self.vacant[place]);
            if self.field.content(cell) == VACANT
                && around(cell).into_iter().all(|near| self.field.content(near) != self.side as u8)
                && self.field.effect(cell, self.side) != StoneEffect::Suicide
            {
                self.field.put(cell, self.side);
                return true;
            }
        }
        false
    }

    /// Grows every group that can without harm, at random cells; false if none can.
    fn grow(&mut self, random: &mut SplitMix) -> bool {
        self.field.begin_growth();
        let mut any = false;
        for place in 0..self.vacant.len() {
            let other = place + random.below((self.vacant.len() - place) as u32) as usize;
            self.vacant.swap(place, other);
            let cell = usize::from(self.vacant[place]);
            if !self.field.can_grow(cell, self.side) || self.field.is_eye(cell, self.side) {
                continue;
            }
            let effect = self.field.effect(cell, self.side);
            if effect == StoneEffect::Suicide || self.field.endangers_itself(cell, self.side, effect) {
                continue;
            }
            self.field.grow(cell, self.side);
            any = true;
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;
    use crate::rules::notation::{format_position, parse_position};
    use crate::rules::points::Point;
    use crate::rules::turn::SygoTurn;

    fn begun(position: &SygoPosition) -> MctsPlayout {
        MctsPlayout::new(position, &MctsParameters::default())
    }

    /// What the play-out has put since `position`, as a turn.
    fn turn_of(playout: &MctsPlayout, position: &SygoPosition) -> SygoTurn {
        let side = position.side;
        let put = |point: &Point| position.board.is_vacant(*point) && playout.content(*point) != VACANT;
        let stones: Vec<Point> = position.board.points().iter().filter(put).collect();
        let (growth, placed): (Vec<Point>, Vec<Point>) =
            stones.into_iter().partition(|&point| position.board.touches(point, side));
        assert!(placed.len() <= 1, "{placed:?}");
        SygoTurn::new(growth, placed.first().copied())
    }

    impl MctsPlayout {
        fn content(&self, point: Point) -> u8 {
            let cell = self.field.on_board().nth(point.row() * self.field.size().columns() + point.column());
            self.field.content(cell.expect("a point of the board"))
        }
    }

    #[test]
    fn every_turn_is_legal_and_leaves_the_stones_that_the_rules_say() {
        let mut random = SplitMix::new(3);
        let mut captures = 0;
        for game in 0..300 {
            let mut position = SygoPosition::new(3 + game % 8);
            let mut playout = begun(&position);
            while !position.is_over() {
                playout.turn(&mut random);
                let turn = turn_of(&playout, &position);
                assert_eq!(rules::check(&position, &turn), Ok(()), "{} {turn:?}", format_position(&position));
                let before = position.board.stones(position.side).len() + turn.stones().count();
                let mover = position.side;
                position.play(&turn);
                captures += usize::from(position.board.stones(mover).len() > before);
                for point in position.board.points().iter() {
                    let stone = position.board.stone(point).map_or(VACANT, |colour| colour as u8);
                    assert_eq!(playout.content(point), stone, "{point} of {}", format_position(&position));
                }
                for side in [Colour::White, Colour::Black] {
                    assert_eq!(playout.field.groups(side) as usize, position.board.groups_of(side).count());
                }
            }
            assert_eq!(playout.field.margin(), rules::margin(&position.board));
        }
        assert!(captures > 300, "{captures}");
    }

    #[test]
    fn a_group_without_eyes_dies_beside_one_with_an_eye() {
        // White has liberties in common with Black only, and Black an eye at c2 besides.
        let text = "wwwwwwwww/wwwb2www/ww1bb1www/ww1bbwwww/wwwwbbbbw/bw1wbbwww/bbbbbwwww/bb1bbwwww/bbbb2www w g 0 33";
        let position = parse_position(text).expect("position");
        let mut random = SplitMix::new(1);
        let sum: i32 = (0..100).map(|_| begun(&position).run(&mut random)).sum();
        assert!(sum < -7_000, "{sum}");
    }

    #[test]
    fn groups_with_two_eyes_live_through_every_play_out() {
        // Each side has two eyes of one point and nothing else to do but harm itself.
        let position = parse_position("1wwb1/wwwbb/wwwbb/wwwbb/1wwb1 b g 0 30").expect("position");
        let mut random = SplitMix::new(1);
        for _ in 0..200 {
            assert_eq!(begun(&position).run(&mut random), rules::margin(&position.board));
        }
    }
}
