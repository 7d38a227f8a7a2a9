//! All turns of a position on a small board.

use super::Unsolved;
use super::graph::{Bits, Graph, each};
use crate::rules::board::Colour;
use crate::rules::position::SygoPosition;

/// Turns with stones of one position at most: their places in the list have 16 bits, and the pass has
/// one, too.
pub const MOST_TURNS: usize = u16::MAX as usize;

/// The holder of the balance right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Right {
    /// A side has grown, which ends the right.
    Gone,
    /// The side to move has the right.
    Mover,
    /// The other side has the right.
    Other,
}

impl Right {
    /// The holder in this position.
    pub fn of(position: &SygoPosition) -> Right {
        match (position.grown, position.side) {
            (true, _) => Right::Gone,
            (false, Colour::Black) => Right::Mover,
            (false, Colour::White) => Right::Other,
        }
    }
}

/// A position from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SolverNode {
    /// Stones of the side to move.
    pub own: Bits,
    /// Stones of the other side.
    pub enemy: Bits,
    /// The balance right.
    pub right: Right,
    /// Whether the other side has just passed.
    pub passed: bool,
}

/// A turn with stones, and the position after it, from the next mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverChild {
    /// The position after the turn.
    pub node: SolverNode,
    /// Growth stones.
    pub growth: Bits,
    /// The placed stone, or nothing.
    pub placement: Bits,
}

struct SolverGroup {
    stones: Bits,
    liberties: Bits,
}

#[derive(Clone, Copy)]
struct SolverGrowthPoint {
    point: Bits,
    /// Places of the groups it grows, as bits.
    homes: Bits,
}

struct TurnGenerator<'a, G> {
    graph: &'a G,
    node: SolverNode,
    /// The vacant points on which a stone may be put.
    open: Bits,
    own: Vec<SolverGroup>,
    enemy: Vec<SolverGroup>,
    /// Growth points by the first group that they grow.
    points: Vec<Vec<SolverGrowthPoint>>,
    /// Turns at most.
    most: usize,
    children: &'a mut Vec<SolverChild>,
}

/// Lists every legal turn but the pass, whose stones all lie on `open` vacant points.
///
/// # Errors
/// [`Unsolved::TooManyTurns`] if there are more than `most`, or [`MOST_TURNS`]; that many are listed then.
pub fn children<G: Graph>(
    graph: &G,
    node: SolverNode,
    open: Bits,
    most: usize,
    children: &mut Vec<SolverChild>,
) -> Result<(), Unsolved> {
    children.clear();
    let vacant = graph.full() & !(node.own | node.enemy);
    let open = open & vacant;
    let own = groups(graph, node.own, vacant);
    let enemy = groups(graph, node.enemy, vacant);
    let mut points: Vec<Vec<SolverGrowthPoint>> = own.iter().map(|_| Vec::new()).collect();
    for point in each(graph.neighbours(node.own) & open) {
        let homes = own.iter().enumerate().filter(|(_, group)| group.liberties & point != 0);
        let homes: Bits = homes.fold(0, |homes, (index, _)| homes | 1 << index);
        points[homes.trailing_zeros() as usize].push(SolverGrowthPoint { point, homes });
    }
    let mut turns =
        TurnGenerator { graph, node, open, own, enemy, points, most: most.min(MOST_TURNS), children };
    turns.placements(node.own, node.enemy, 0)?;
    turns.grow(0, 0, 0)
}

/// Margin of the side to move, in points, if the game ends here.
pub fn margin<G: Graph>(graph: &G, own: Bits, enemy: Bits) -> i32 {
    let mut margin = graph.points(own) - graph.points(enemy);
    let vacant = graph.full() & !(own | enemy);
    let mut rest = vacant;
    while rest != 0 {
        let region = graph.flood(rest & rest.wrapping_neg(), vacant);
        rest &= !region;
        let border = graph.neighbours(region);
        match (border & own != 0, border & enemy != 0) {
            (true, false) => margin += region.count_ones() as i32,
            (false, true) => margin -= region.count_ones() as i32,
            _ => {}
        }
    }
    margin
}

fn groups<G: Graph>(graph: &G, stones: Bits, vacant: Bits) -> Vec<SolverGroup> {
    let mut rest = stones;
    let mut groups = Vec::new();
    while rest != 0 {
        let stones = graph.flood(rest & rest.wrapping_neg(), rest);
        rest &= !stones;
        groups.push(SolverGroup { stones, liberties: graph.neighbours(stones) & vacant });
    }
    groups
}

impl<G: Graph> TurnGenerator<'_, G> {
    fn grow(&mut self, home: usize, grown: Bits, growth: Bits) -> Result<(), Unsolved> {
        if home == self.points.len() {
            return if growth == 0 { Ok(()) } else { self.complete(growth) };
        }
        self.grow(home + 1, grown, growth)?;
        if grown >> home & 1 == 0 {
            for index in 0..self.points[home].len() {
                let SolverGrowthPoint { point, homes } = self.points[home][index];
                if homes & grown == 0 {
                    self.grow(home + 1, grown | homes, growth | point)?;
                }
            }
        }
        Ok(())
    }

    fn complete(&mut self, growth: Bits) -> Result<(), Unsolved> {
        let mut reversed = 0;
        for group in &self.enemy {
            if group.liberties & !growth == 0 {
                reversed |= group.stones;
            }
        }
        if reversed != 0 && !self.order_exists(growth) {
            return Ok(());
        }
        let own = self.node.own | growth | reversed;
        let enemy = self.node.enemy & !reversed;
        if self.all_alive(own, enemy, growth) {
            self.add(own, enemy, growth, 0)?;
        }
        if self.node.right == Right::Mover {
            self.placements(own, enemy, growth)?;
        }
        Ok(())
    }

    /// The order test of a growth with captures; see [`crate::rules::order_exists`].
    fn order_exists(&self, growth: Bits) -> bool {
        let mut left = growth;
        let mut open: Vec<(Bits, Bits)> = Vec::new();
        for group in self.enemy.iter().filter(|group| group.liberties & !growth == 0) {
            let around = self.graph.neighbours(group.stones);
            let captors = self.own.iter().filter(|own| own.stones & around != 0);
            let growing = captors.fold(0, |all, own| all | own.liberties & growth);
            if growing & !group.liberties != 0 {
                open.push((group.liberties, growing & !group.liberties));
            }
        }
        while !open.is_empty() {
            let barred = open.iter().fold(0, |all, (_, barred)| all | barred);
            let last = left & !barred;
            if last == 0 {
                return false;
            }
            left &= !last;
            open.retain(|(liberties, _)| liberties & last == 0);
        }
        true
    }

    /// Whether every group with a new stone has a liberty.
    fn all_alive(&self, own: Bits, enemy: Bits, new: Bits) -> bool {
        let near = self.graph.neighbours(self.graph.full() & !(own | enemy));
        new & !near == 0 || new & !self.graph.flood(near & own, own) == 0
    }

    fn placements(&mut self, own: Bits, enemy: Bits, growth: Bits) -> Result<(), Unsolved> {
        let open = self.open & !growth;
        for point in each(open & !self.graph.neighbours(own)) {
            let mut reversed = 0;
            for group in &self.enemy {
                if group.stones & enemy != 0 && group.liberties & !growth == point {
                    reversed |= group.stones;
                }
            }
            let (own, enemy) = (own | point | reversed, enemy & !reversed);
            if self.all_alive(own, enemy, growth | point) {
                self.add(own, enemy, growth, point)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, own: Bits, enemy: Bits, growth: Bits, placement: Bits) -> Result<(), Unsolved> {
        if self.children.len() == self.most {
            return Err(Unsolved::TooManyTurns);
        }
        let right = match self.node.right {
            _ if growth != 0 => Right::Gone,
            Right::Gone => Right::Gone,
            Right::Mover => Right::Other,
            Right::Other => Right::Mover,
        };
        let node = SolverNode { own: enemy, enemy: own, right, passed: false };
        self.children.push(SolverChild { node, growth, placement });
        Ok(())
    }
}
