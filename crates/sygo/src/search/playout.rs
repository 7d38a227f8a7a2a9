//! Games played out at random, fast.
//!
//! A side places stones while it has few groups for the remaining room, and later usually grows all groups that it can.
//! It never fills an own one-point eye, and passes if it has no other turn.

use crate::rules;
use crate::rules::board::{Colour, SygoBoard};
use crate::rules::points::{Point, PointSet};
use crate::rules::position::SygoPosition;
use crate::rules::turn::SygoTurn;
use kaeshi_core::random::SplitMix;

/// Scratch memory of play-outs.
#[derive(Debug)]
pub struct PlayoutScratch {
    /// Draws the choices.
    pub random: SplitMix,
    points: Vec<Point>,
    homes: Vec<(PointSet, PointSet)>,
    placed: Vec<Point>,
    /// Stones put by all play-outs so far.
    pub stones: u64,
    /// Turns of all play-outs so far.
    pub turns: u64,
}

impl PlayoutScratch {
    /// Play-outs from this seed.
    pub fn new(seed: u64) -> PlayoutScratch {
        PlayoutScratch {
            random: SplitMix::new(seed),
            points: Vec::new(),
            homes: Vec::new(),
            placed: Vec::new(),
            stones: 0,
            turns: 0,
        }
    }

    #[inline]
    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound as u32) as usize
    }

    /// Plays on to the end of the game.
    pub fn run(&mut self, position: &mut SygoPosition) {
        while !position.is_over() {
            self.turn(position);
        }
    }

    /// A random turn of the position.
    pub fn choose(&mut self, position: &SygoPosition) -> SygoTurn {
        let mut after = position.clone();
        self.turn(&mut after);
        let stones = position.board.vacant().without(&after.board.vacant());
        let (growth, placed): (Vec<Point>, Vec<Point>) =
            stones.iter().partition(|&point| position.board.touches(point, position.side));
        SygoTurn::new(growth, placed.first().copied())
    }

    /// Plays one turn at random.
    pub fn turn(&mut self, position: &mut SygoPosition) {
        self.turns += 1;
        position.board.forget_history();
        let side = position.side;
        let groups = position.board.groups_of(side).count();
        let wanted = 2 + position.board.size().mean() / 2;
        let place_first = groups < wanted && self.below(wanted) >= groups;
        let kind = if place_first && self.place(position) {
            crate::rules::turn::TurnKind::Placement
        } else if self.grow(position) {
            if position.has_balance_right() && self.place(position) {
                crate::rules::turn::TurnKind::Balance
            } else {
                crate::rules::turn::TurnKind::Growth
            }
        } else if !place_first && self.place(position) {
            crate::rules::turn::TurnKind::Placement
        } else {
            crate::rules::turn::TurnKind::Pass
        };
        position.finish(kind);
    }

    /// Places a stone somewhere; false if there is no good point.
    fn place(&mut self, position: &mut SygoPosition) -> bool {
        let side = position.side;
        let board = &mut position.board;
        let near = board.stones(side).neighbours();
        self.points.clear();
        self.points.extend(board.vacant().without(&near).iter());
        while !self.points.is_empty() {
            let choice = self.below(self.points.len());
            let point = self.points.swap_remove(choice);
            if is_safe(board, point, side) {
                board.put_for_good(point, side);
                self.stones += 1;
                return true;
            }
        }
        false
    }

    /// Grows every group that has a good point; false if none has.
    fn grow(&mut self, position: &mut SygoPosition) -> bool {
        let side = position.side;
        self.homes.clear();
        self.homes.extend(position.board.groups_of(side).map(|(_, group)| (group.stones, group.liberties)));
        let mut grown = PointSet::EMPTY;
        self.placed.clear();
        let first = self.below(self.homes.len().max(1));
        for i in 0..self.homes.len() {
            let (stones, liberties) = self.homes[(first + i) % self.homes.len()];
            if grown.meets(&stones) {
                continue;
            }
            self.points.clear();
            self.points.extend(liberties.iter());
            for _ in 0..4.min(self.points.len()) {
                let choice = self.below(self.points.len());
                let point = self.points.swap_remove(choice);
                if position.board.is_vacant(point)
                    && self.grow_at(&mut position.board, point, side, &mut grown)
                {
                    break;
                }
            }
        }
        !self.placed.is_empty()
    }

    /// Grows at a point if that is allowed and no obvious loss.
    fn grow_at(&mut self, board: &mut SygoBoard, point: Point, side: Colour, grown: &mut PointSet) -> bool {
        if !is_safe(board, point, side) || is_own_eye(board, point, side) {
            return false;
        }
        // Homes of this point are the groups of the turn's beginning, found by their stones.
        let around = PointSet::from_iter([point]).neighbours();
        if around.meets(grown) {
            return false;
        }
        let mut now_grown = PointSet::EMPTY;
        for (stones, _) in &self.homes {
            if stones.meets(&around) {
                now_grown |= *stones;
            }
        }
        *grown |= now_grown;
        let captured = board.put_for_good(point, side);
        if captured {
            // The captors are closed: all that belongs to the capturing group now.
            let id = board.group_at(point);
            *grown |= board.group(id).stones;
        }
        self.placed.push(point);
        self.stones += 1;
        true
    }
}

/// Whether a stone on `point` has a liberty at once, without looking at what follows.
#[inline]
fn is_safe(board: &mut SygoBoard, point: Point, side: Colour) -> bool {
    let around = PointSet::from_iter([point]).neighbours();
    if around.meets(&board.vacant()) {
        return true;
    }
    for id in board.groups_next_to(point, side) {
        if board.group(id).liberties.without(&PointSet::from_iter([point])).first().is_some() {
            return true;
        }
    }
    board.put(point, side);
    let alive = rules::stone_without_liberty(board, std::iter::once(point)).is_none();
    board.take_back();
    alive
}

/// Whether all points next to a vacant point belong to one group of this side.
#[inline]
fn is_own_eye(board: &SygoBoard, point: Point, side: Colour) -> bool {
    let around = PointSet::from_iter([point]).neighbours() & *board.points();
    around.is_subset(board.stones(side)) && board.groups_next_to(point, side).len() == 1
}
