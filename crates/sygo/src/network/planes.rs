//! The input planes of the network, from the view of the side to move.

use super::{CHANNELS, PointChannels, PointGrid};
use crate::evaluate::features::{EnemyReach, reach};
use crate::rules::board::Colour;
use crate::rules::points::{PointSet, SIZE_MAX};
use crate::rules::position::SygoPosition;
use crate::rules::settled;

/// Planes of the own side; those of the enemy follow.
const SIDE: usize = 12;
const STONE: usize = 0;
/// Groups of one, two, three and more liberties.
const LIBERTIES: usize = 1;
/// Groups that can be captured in one turn, and those whose liberties can all be reached.
const CAPTURABLE: usize = 5;
const CONFLICT: usize = 6;
/// Vacant points next to a group, and to two groups.
const NEAR: usize = 7;
const BETWEEN: usize = 8;
/// Vacant points with own neighbours only.
const EYE: usize = 9;
/// Stones of the group, and its liberties, as shares.
const STONES: usize = 10;
const BREATH: usize = 11;
const BOARD: usize = 2 * SIDE;
const IDLE: usize = BOARD + 1;
const GROWN: usize = BOARD + 2;
const RIGHT: usize = BOARD + 3;
const OTHERS_RIGHT: usize = BOARD + 4;
const PASSED: usize = BOARD + 5;
const SIZE: usize = BOARD + 6;
const VACANT: usize = BOARD + 7;
const _: () = assert!(VACANT + 1 == CHANNELS);

/// Fills `cells`, all zero, with the planes of a position.
pub fn fill(position: &SygoPosition, grid: &PointGrid, cells: &mut [PointChannels]) {
    let board = &position.board;
    let vacant = board.vacant();
    let points = grid.points() as f32;
    let whole = [
        (BOARD, 1.0),
        (GROWN, f32::from(u8::from(position.grown))),
        (RIGHT, f32::from(u8::from(position.has_balance_right()))),
        (OTHERS_RIGHT, f32::from(u8::from(!position.grown && position.side == Colour::White))),
        (PASSED, f32::from(position.passes)),
        (SIZE, points.sqrt() / SIZE_MAX as f32),
        (VACANT, vacant.len() as f32 / points),
    ];
    for row in grid.rows() {
        for cell in &mut cells[row] {
            whole.iter().for_each(|&(plane, number)| cell[plane] = number);
        }
    }
    let mut set = |points: PointSet, plane: usize, number: f32| {
        points.iter().for_each(|point| cells[grid.cell(point)][plane] = number);
    };
    set(settled::idle(board), IDLE, 1.0);
    let near = [
        board.stones(Colour::White).neighbours() & vacant,
        board.stones(Colour::Black).neighbours() & vacant,
    ];
    for (first, colour) in [(0, position.side), (SIDE, position.side.other())] {
        let stones = board.stones(colour);
        let mut once = PointSet::EMPTY;
        for (_, group) in board.groups_of(colour) {
            let liberties = group.liberties.len();
            set(group.stones, first + STONE, 1.0);
            set(group.stones, first + LIBERTIES + liberties.clamp(1, 4) - 1, 1.0);
            match reach(board, group, liberties, &near[colour.other() as usize]) {
                EnemyReach::Capturable => set(group.stones, first + CAPTURABLE, 1.0),
                EnemyReach::Conflict => set(group.stones, first + CONFLICT, 1.0),
                _ => (),
            }
            set(group.stones, first + STONES, f32::from(group.size.min(20)) / 20.0);
            set(group.stones, first + BREATH, liberties.min(12) as f32 / 12.0);
            set(group.liberties, first + NEAR, 1.0);
            set(once & group.liberties, first + BETWEEN, 1.0);
            once |= group.liberties;
        }
        let others = board.points().without(stones).neighbours();
        set(near[colour as usize].without(&others), first + EYE, 1.0);
    }
}
