//! Stones and points that a colour can no longer lose.
//!
//! A stone on a vacant point whose neighbours are all of the other colour is a placement, and a turn has
//! one placement. So a group with two such eyes, whose other groups have two as well, can never be
//! captured, even by an enemy who moves all the time (after Benson, "Life in the game of Go", 1976;
//! there a larger region may be an eye, too, but here one turn may fill the last liberties of two).
//! A region walled in by such groups is settled when each of its vacant points is next to one of them:
//! stones of the enemy in it cannot live, and it is never urgent to capture them.

use super::graph::{Bits, Graph, each};

/// The settled stones and points of one colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Stones and regions, with everything inside the regions.
    pub territory: Bits,
    /// Vacant points of regions without a stone of the enemy: a stone there gains neither side anything.
    pub idle: Bits,
}

/// The settled stones and points of `own`.
pub fn settled<G: Graph>(graph: &G, own: Bits, enemy: Bits) -> Settled {
    let vacant = graph.full() & !(own | enemy);
    let mut eyes = vacant & !graph.neighbours(vacant | enemy);
    let mut alive = own;
    loop {
        if eyes.count_ones() < 2 {
            return Settled::default();
        }
        let candidates = graph.neighbours(eyes) & alive;
        alive = 0;
        let mut rest = candidates;
        while rest != 0 {
            let group = graph.flood(rest & rest.wrapping_neg(), own);
            rest &= !group;
            if (graph.neighbours(group) & eyes).count_ones() >= 2 {
                alive |= group;
            }
        }
        let kept = eyes & !graph.neighbours(graph.full() & !alive);
        if kept == eyes {
            break;
        }
        eyes = kept;
    }
    let mut found = Settled { territory: alive, idle: 0 };
    let beside = graph.neighbours(alive);
    let mut rest = graph.full() & !alive;
    for vertex in each(vacant) {
        if rest & vertex == 0 {
            continue;
        }
        let region = graph.flood(vertex, rest);
        rest &= !region;
        if region & vacant & !beside == 0 {
            found.territory |= region;
            if region & enemy == 0 {
                found.idle |= region & vacant;
            }
        }
    }
    found
}
