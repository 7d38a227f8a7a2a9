//! Order of turns in the exact search: by an estimate of the position after them, and by the history of their stones in
//! other positions.

use super::graph::{Bits, Graph, each};

/// The weights of the features of [`estimate`]. Fitted by logistic regression to 136,000 positions of at least six
/// vacant points that the search had decided on 5x4 and 5x5: log odds that the mover reaches the bound of the search,
/// in sixteenths. Liberties that both sides share have almost no weight.
const OWN_STONE: i32 = 6;
const ENEMY_STONE: i32 = -5;
const OWN_LIBERTY: i32 = 31;
const ENEMY_LIBERTY: i32 = -27;
const SHARED_LIBERTY: i32 = 3;
/// A vacant point whose neighbours are all of one colour adds this to its liberty.
const OWN_EYE: i32 = 32;
const ENEMY_EYE: i32 = -38;

/// How good the position is for the side to move, compared with others of the same board.
pub(super) fn estimate<G: Graph>(graph: &G, own: Bits, enemy: Bits) -> i32 {
    let vacant = graph.full() & !(own | enemy);
    let (mine, theirs) = (graph.neighbours(own) & vacant, graph.neighbours(enemy) & vacant);
    let enclosed = vacant & !graph.neighbours(vacant);
    let count = |set: Bits| set.count_ones() as i32;
    OWN_STONE * graph.points(own)
        + ENEMY_STONE * graph.points(enemy)
        + OWN_LIBERTY * count(mine & !theirs)
        + ENEMY_LIBERTY * count(theirs & !mine)
        + SHARED_LIBERTY * count(mine & theirs)
        + OWN_EYE * count(enclosed & !theirs)
        + ENEMY_EYE * count(enclosed & !mine)
}

/// Bonus for each stone of a turn that refutes.
const BONUS: i32 = 256;
/// Malus for each stone of a turn tried before it.
const MALUS: i32 = 64;
/// A weight loses one part of `2^DECAY_SHIFT` whenever it changes, so it stays below `BONUS << DECAY_SHIFT`.
const DECAY_SHIFT: i32 = 5;
/// [`worth`] adds weights divided by `2^WEIGHT_SHIFT`.
const WEIGHT_SHIFT: i32 = 6;
/// [`worth`] adds the estimate times this.
const ESTIMATE_FACTOR: i32 = 4;

/// The weights of stones by number of vacant vertices, side and vertex: which points refute depends much on how
/// far the game has gone (the history heuristic: Schaeffer, "The history heuristic and alpha-beta search
/// enhancements in practice", 1989).
#[derive(Clone, Debug)]
pub(super) struct TurnHistory {
    vertices: usize,
    weights: Vec<i32>,
}

impl TurnHistory {
    /// A history of zeros for the vertices of the graph.
    pub(super) fn new<G: Graph>(graph: &G) -> TurnHistory {
        let vertices = graph.full().count_ones() as usize;
        TurnHistory { vertices, weights: vec![0; (vertices + 1) * 2 * vertices] }
    }

    /// The weights for the side to move at this ply, where `vacant` vertices are left.
    pub(super) fn of(&mut self, vacant: u8, ply: usize) -> &mut [i32] {
        let begin = (2 * usize::from(vacant) + (ply & 1)) * self.vertices;
        &mut self.weights[begin..begin + self.vertices]
    }
}

/// How good a turn is for the side that plays it, from the estimate of the position after it for the other side.
pub(super) fn worth(weights: &[i32], stones: Bits, estimate: i32) -> i32 {
    let known: i32 = each(stones).map(|stone| weights[stone.trailing_zeros() as usize] >> WEIGHT_SHIFT).sum();
    known - ESTIMATE_FACTOR * estimate
}

/// For a turn that refuted what the other side had played.
pub(super) fn add_bonus(weights: &mut [i32], stones: Bits) {
    change(weights, stones, BONUS);
}

/// For a turn that was tried before the one that refuted.
pub(super) fn add_malus(weights: &mut [i32], stones: Bits) {
    change(weights, stones, -MALUS);
}

fn change(weights: &mut [i32], stones: Bits, by: i32) {
    for stone in each(stones) {
        let weight = &mut weights[stone.trailing_zeros() as usize];
        *weight += by - (*weight >> DECAY_SHIFT);
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::BoardShape;
    use super::*;

    #[test]
    fn a_stone_that_refuted_is_worth_more_there_alone() {
        let shape = BoardShape::new(3, 3).expect("fits");
        let mut history = TurnHistory::new(&shape);
        add_bonus(history.of(5, 2), 0b10);
        add_malus(history.of(5, 2), 0b100);
        let mut of = |vacant, ply| [1, 0b10, 0b100].map(|stones| worth(history.of(vacant, ply), stones, 0));
        assert_eq!(of(5, 4), [0, BONUS >> WEIGHT_SHIFT, -1], "the same side");
        assert_eq!([of(5, 3), of(4, 2), of(6, 2)], [[0; 3]; 3]);
    }

    #[test]
    fn weights_stay_in_bounds() {
        let mut weights = [0; 2];
        for _ in 0..10_000 {
            add_bonus(&mut weights, 0b01);
            add_malus(&mut weights, 0b10);
        }
        assert!((0..=(BONUS << DECAY_SHIFT) + BONUS).contains(&weights[0]), "{weights:?}");
        assert!((-(MALUS << DECAY_SHIFT) - MALUS..0).contains(&weights[1]), "{weights:?}");
    }
}
