//! A position on a board of any size as the graph of its common fate (Graepel, Goutrie, Krüger and
//! Herbrich, "Learning on graphs in the game of Go", 2001): each group is one vertex.
//!
//! Stones never leave the board and a group changes colour as a whole, so the vertices serve every
//! position that may follow.

use super::graph::{Bits, Graph, each};
use super::moves::{Right, SolverNode};
use crate::rules::points::{Point, PointSet};
use crate::rules::position::SygoPosition;

/// The vacant points and the groups of one position.
#[derive(Clone, Debug)]
pub struct CommonFate {
    full: Bits,
    /// By vertex: the vertices next to it.
    adjacent: Vec<Bits>,
    /// By vertex: its points on the board.
    points: Vec<u16>,
    /// The vertices that stand for more than one point.
    heavy: Bits,
    /// By vertex: its point, or the first of its stones.
    first: Vec<Point>,
    /// Sets of vertices of which any two may be exchanged.
    twins: Vec<Bits>,
    salt: u64,
}

impl CommonFate {
    /// The graph of a position, and the position on it; none if it has more than 128 vertices.
    pub fn new(position: &SygoPosition) -> Option<(CommonFate, SolverNode)> {
        let board = &position.board;
        let vacant = board.vacant();
        let mut sets: Vec<PointSet> = vacant.iter().map(|point| PointSet::from_iter([point])).collect();
        let mut stones = [0; 2];
        for (_, group) in board.groups() {
            if sets.len() >= Bits::BITS as usize {
                return None;
            }
            stones[group.colour as usize] |= 1 << sets.len();
            sets.push(group.stones);
        }
        if sets.len() > Bits::BITS as usize {
            return None;
        }
        let next_to = |set: &PointSet| {
            let near = set.neighbours().without(set);
            let vertices = sets.iter().enumerate().filter(|(_, other)| near.meets(other));
            vertices.fold(0, |all, (vertex, _)| all | 1 << vertex)
        };
        let mut adjacent: Vec<Bits> = sets.iter().map(next_to).collect();
        part_neutral(&mut adjacent, stones);
        let points: Vec<u16> = sets.iter().map(|set| set.len() as u16).collect();
        let heavy = points.iter().enumerate().filter(|(_, points)| **points > 1);
        let graph = CommonFate {
            twins: twins(&adjacent, vacant.len()),
            full: Bits::MAX >> (Bits::BITS as usize - sets.len()),
            adjacent,
            heavy: heavy.fold(0, |all, (vertex, _)| all | 1 << vertex),
            first: sets.iter().filter_map(PointSet::first).collect(),
            points,
            salt: board.key() | 1,
        };
        let node = SolverNode {
            own: stones[position.side as usize],
            enemy: stones[position.side.other() as usize],
            right: Right::of(position),
            passed: position.passes == 1,
        };
        Some((graph, node))
    }
}

/// Cuts what joins neutral points beside the same two groups, if these have different colours. Neither group
/// can be captured before both points are filled, and by then the stones there are parts of the two. No turn
/// fills both: the first stone grows every home group that the second one is next to.
fn part_neutral(adjacent: &mut [Bits], stones: [Bits; 2]) {
    let vacant = Bits::MAX >> (Bits::BITS as usize - adjacent.len()) & !(stones[0] | stones[1]);
    for point in each(vacant) {
        let place = point.trailing_zeros() as usize;
        for other in each(adjacent[place] & vacant) {
            let next = other.trailing_zeros() as usize;
            let common = adjacent[place] & adjacent[next];
            if stones.iter().all(|colour| common & colour != 0) {
                adjacent[place] &= !other;
                adjacent[next] &= !point;
            }
        }
    }
}

/// The sets of vacant vertices with the same neighbours.
fn twins(adjacent: &[Bits], vacant: usize) -> Vec<Bits> {
    let mut sets: Vec<(Bits, Bits)> = Vec::new();
    for (vertex, near) in adjacent[..vacant].iter().enumerate() {
        match sets.iter_mut().find(|(same, _)| same == near) {
            Some((_, twins)) => *twins |= 1 << vertex,
            None => sets.push((*near, 1 << vertex)),
        }
    }
    sets.into_iter().map(|(_, twins)| twins).filter(|twins| twins.count_ones() > 1).collect()
}

/// The first `count` vertices of a set, and the others.
#[inline]
fn split(set: Bits, count: u32) -> (Bits, Bits) {
    let rest = (0..count).fold(set, |rest, _| rest & rest.wrapping_sub(1));
    (set & !rest, rest)
}

impl Graph for CommonFate {
    fn full(&self) -> Bits {
        self.full
    }

    #[inline]
    fn neighbours(&self, set: Bits) -> Bits {
        let mut rest = set;
        let mut all = 0;
        while rest != 0 {
            all |= self.adjacent[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        all
    }

    #[inline]
    fn points(&self, set: Bits) -> i32 {
        let mut points = (set & !self.heavy).count_ones() as i32;
        let mut rest = set & self.heavy;
        while rest != 0 {
            points += i32::from(self.points[rest.trailing_zeros() as usize]);
            rest &= rest - 1;
        }
        points
    }

    /// Reorders each set of twins: first those of the mover, then those of the other side.
    #[inline]
    fn canonical(&self, mut own: Bits, mut enemy: Bits) -> (Bits, Bits) {
        for &twins in &self.twins {
            let (mine, theirs) = (own & twins, enemy & twins);
            if mine | theirs != 0 {
                let (first, rest) = split(twins, mine.count_ones());
                let (second, _) = split(rest, theirs.count_ones());
                own ^= mine ^ first;
                enemy ^= theirs ^ second;
            }
        }
        (own, enemy)
    }

    #[inline]
    fn distinct(&self, vacant: Bits) -> Bits {
        self.twins.iter().fold(vacant, |distinct, &twins| {
            let same = vacant & twins;
            distinct & !(same & same.wrapping_sub(1))
        })
    }

    fn salt(&self) -> u64 {
        self.salt
    }

    fn point(&self, vertex: Bits) -> Point {
        self.first[vertex.trailing_zeros() as usize]
    }
}
