//! The features of the static evaluation, as numbers, from the view of the side to move.
//!
//! Stones are counted by the danger of their groups: by the number of liberties, and by how the
//! enemy reaches these in one turn - a capture needs a growth stone on each liberty and no home
//! group used twice, so a group of one liberty may be safe longer than one of four. Vacant points
//! are counted by who reaches them first, and in how many steps; groups that can grow are tempo.

use crate::rules::board::{Colour, StoneGroup, SygoBoard};
use crate::rules::points::{PointSet, STRIDE};
use kaeshi_core::simd::SimdLevel;
use kaeshi_core::simd::bits::{BitSet, BitsJob};

/// Number of features.
pub const FEATURES: usize = TEMPO + 4;
const LIBERTIES: usize = 8;
const REACHES: usize = 4;
const STEPS: usize = 7;
const NEARER: usize = 2 * LIBERTIES * REACHES;
const EVEN: usize = NEARER + STEPS;
const TEMPO: usize = EVEN + 1;

/// The numbers of one position.
pub type FeatureCounts = [i32; FEATURES];

/// A feature, for hand-crafted weights and for tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sketch {
    /// Stones in groups of this kind.
    Stones {
        /// Whether they belong to the side to move.
        own: bool,
        /// Liberties, at most 8.
        liberties: usize,
        /// Whether the enemy could capture the group in one turn, could reach every liberty but
        /// not at once, all but one, or less.
        reach: EnemyReach,
    },
    /// Vacant points that the mover reaches first in this number of steps, less those of the enemy.
    Nearer(usize),
    /// Vacant points reached at the same time.
    Even,
    /// Groups of the mover that can grow, less those of the enemy; then the same for groups that
    /// can grow by more than their last few liberties.
    Groups {
        /// Whether groups with few liberties count, too.
        all: bool,
    },
    /// One, for the turn itself.
    Turn,
    /// One if Black has the balance right and is to move, minus one if White is to move then.
    BalanceRight,
}

/// How the enemy reaches the liberties of a group in one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum EnemyReach {
    /// All at once: it can be captured.
    Capturable,
    /// All, but some only instead of others.
    Conflict,
    /// All but one.
    AllButOne,
    /// Less than that.
    Free,
}

/// The meaning of feature `index`.
pub fn sketch(index: usize) -> Sketch {
    const ALL: usize = TEMPO + 1;
    const TURN: usize = TEMPO + 2;
    match index {
        0..NEARER => Sketch::Stones {
            own: index < NEARER / 2,
            liberties: index / REACHES % LIBERTIES + 1,
            reach: [EnemyReach::Capturable, EnemyReach::Conflict, EnemyReach::AllButOne, EnemyReach::Free]
                [index % REACHES],
        },
        NEARER..EVEN => Sketch::Nearer(index - NEARER + 1),
        EVEN => Sketch::Even,
        TEMPO => Sketch::Groups { all: false },
        ALL => Sketch::Groups { all: true },
        TURN => Sketch::Turn,
        _ => Sketch::BalanceRight,
    }
}

/// Counts the features of a board with this side to move; `right` says whether the balance right
/// is still alive.
pub fn count(board: &SygoBoard, mover: Colour, right: bool) -> FeatureCounts {
    struct Count<'a>(&'a SygoBoard, Colour, bool);
    impl BitsJob for Count<'_> {
        type Output = FeatureCounts;

        #[inline(always)]
        fn run<B: BitSet>(self) -> FeatureCounts {
            let mut counts = [0; FEATURES];
            add::<B>(&mut counts, self.0, self.1, self.2);
            counts
        }
    }
    SimdLevel::best().run_bits(Count(board, mover, right))
}

/// Adds what [`count`] counts.
#[inline(always)]
pub fn add<B: BitSet>(counts: &mut FeatureCounts, board: &SygoBoard, mover: Colour, right: bool) {
    let vacant = board.vacant();
    let near = [
        board.stones(Colour::White).neighbours() & vacant,
        board.stones(Colour::Black).neighbours() & vacant,
    ];
    for (_, group) in board.groups() {
        let own = group.colour == mover;
        let liberties = group.liberties.len();
        let reach = reach(board, group, liberties, &near[group.colour.other() as usize]);
        let index = (usize::from(!own) * LIBERTIES + liberties.clamp(1, LIBERTIES) - 1) * REACHES;
        counts[index + reach as usize] += i32::from(group.size);
        let sign = if own { 1 } else { -1 };
        counts[TEMPO] += if liberties > 3 { sign } else { 0 };
        counts[TEMPO + 1] += sign;
    }
    territory::<B>(board, mover, vacant, counts);
    counts[TEMPO + 2] = 1;
    if right {
        counts[TEMPO + 3] = if mover == Colour::Black { 1 } else { -1 };
    }
}

/// How the enemy, whose stones are next to `enemy_near`, reaches the liberties of a group.
#[inline(always)]
pub fn reach(board: &SygoBoard, group: &StoneGroup, liberties: usize, enemy_near: &PointSet) -> EnemyReach {
    if liberties <= 1 {
        return EnemyReach::Capturable;
    }
    if liberties > LIBERTIES {
        return EnemyReach::Free;
    }
    match group.liberties.without(enemy_near).len() {
        0 => (),
        1 => return EnemyReach::AllButOne,
        _ => return EnemyReach::Free,
    }
    let mut used = PointSet::EMPTY;
    for point in group.liberties.iter() {
        for home in board.groups_next_to(point, group.colour.other()) {
            // One stone stands for the group: its first.
            match board.group(home).stones.first() {
                Some(stone) if !used.contains(stone) => used.insert(stone),
                _ => return EnemyReach::Conflict,
            }
        }
    }
    EnemyReach::Capturable
}

/// Vacant points by who is nearer, counted in steps over vacant points.
#[inline(always)]
fn territory<B: BitSet>(board: &SygoBoard, mover: Colour, vacant: PointSet, counts: &mut FeatureCounts) {
    let [mut own, mut enemy] = [mover, mover.other()].map(|side| board.stones(side).bits::<B>());
    let mut rest: B = vacant.bits();
    let mut even: B = PointSet::EMPTY.bits();
    for step in 0.. {
        let near_own = own.neighbours::<{ STRIDE as u32 }>().and(rest);
        let near_enemy = enemy.neighbours::<{ STRIDE as u32 }>().and(rest);
        let near = near_own.or(near_enemy);
        if near.is_empty() {
            break;
        }
        own = near_own.without(near_enemy);
        enemy = near_enemy.without(near_own);
        counts[NEARER + step.min(STEPS - 1)] += own.len_difference(enemy);
        even = even.or(near_own.and(near_enemy));
        rest = rest.without(near);
    }
    counts[EVEN] += even.len() as i32;
}
