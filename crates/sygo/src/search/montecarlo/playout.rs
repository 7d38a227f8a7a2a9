//! Games played out at random on a [`PlayoutBoard`], fast and with some care for life: no own eye is
//! filled, and no group left with one liberty but for a large capture.
//!
//! That last rule decides what the results are worth: without it, groups that are alive fill their
//! own eye space, as there is always something to grow.

use arrayvec::ArrayVec;

use super::MctsParameters;
use super::field::{PlayoutBoard, StoneEffect};
use crate::rules::board::Colour;
use crate::rules::points::GRID;
use crate::rules::position::SygoPosition;
use kaeshi_core::random::SplitMix;

/// A game to be played out.
#[derive(Clone)]
pub struct MctsPlayout {
    field: PlayoutBoard,
    side: Colour,
    grown: bool,
    passes: u8,
    /// Groups for each row with which a placement is almost never made first, per mille.
    groups_wanted: u32,
    /// The chance of one even then, per mille.
    placing: u32,
}

/// Takes a random one of the cells behind the first `taken`, and moves it there.
fn draw(cells: &mut [u16], taken: usize, random: &mut SplitMix) -> usize {
    let other = taken + random.below((cells.len() - taken) as u32) as usize;
    cells.swap(taken, other);
    usize::from(cells[taken])
}

impl MctsPlayout {
    /// The game at this position.
    pub fn new(position: &SygoPosition, parameters: &MctsParameters) -> MctsPlayout {
        let per_mille = |part: f64| (1000.0 * part).round() as u32;
        MctsPlayout {
            field: PlayoutBoard::new(&position.board, per_mille(parameters.risk)),
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
        let moved = !self.field.is_full() && self.stones(random);
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

    /// Places a stone on a random cell that allows it; false if none does.
    fn place(&mut self, random: &mut SplitMix) -> bool {
        let mut cells: ArrayVec<u16, GRID> =
            self.field.placement_cells(self.side).map(|cell| cell as u16).collect();
        for taken in 0..cells.len() {
            let cell = draw(&mut cells, taken, random);
            if self.field.effect(cell, self.side) != StoneEffect::Suicide {
                self.field.put(cell, self.side);
                return true;
            }
        }
        false
    }

    /// Grows every group that can without harm, at random cells; false if none can.
    fn grow(&mut self, random: &mut SplitMix) -> bool {
        self.field.begin_growth(self.side);
        let mut cells: ArrayVec<u16, GRID> =
            self.field.growth_cells(self.side).map(|cell| cell as u16).collect();
        let mut any = false;
        for taken in 0..cells.len() {
            if self.field.growth_is_over() {
                break;
            }
            let cell = draw(&mut cells, taken, random);
            if !self.field.can_grow(cell) || self.field.is_eye(cell, self.side) {
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
    use crate::search::montecarlo::field::VACANT;

    fn begun(position: &SygoPosition) -> MctsPlayout {
        MctsPlayout::new(position, &MctsParameters::default())
    }

    /// The stones that the play-out has put since `position`, as a turn.
    fn turn_of(playout: &MctsPlayout, position: &SygoPosition) -> SygoTurn {
        let side = position.side;
        let put = |point: &Point| position.board.is_vacant(*point) && playout.field.content(*point) != VACANT;
        let stones: Vec<Point> = position.board.points().iter().filter(put).collect();
        let (growth, placed): (Vec<Point>, Vec<Point>) =
            stones.into_iter().partition(|&point| position.board.touches(point, side));
        assert!(placed.len() <= 1, "{placed:?}");
        SygoTurn::new(growth, placed.first().copied())
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
                    assert_eq!(
                        playout.field.content(point),
                        stone,
                        "{point} of {}",
                        format_position(&position)
                    );
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
