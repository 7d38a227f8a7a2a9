//! The hidden units of the latest positions, brought up to date when a value is asked for.
//!
//! A position knows the moves that led to it, so nothing has to be done when moves are made: the
//! units of each ply carry the key of their position, and a value is calculated from the nearest
//! earlier ply whose key still is that of the path.

use arrayvec::ArrayVec;

use super::ShogiNetwork;
use super::features::{NetworkPerspective, mirrors};
use super::forward::FeatureChange;
use crate::rules::position::{Past, ShogiPosition};
use crate::rules::types::{Move, Piece, PieceKind};
use kaeshi_core::game::Side;
use kaeshi_core::simd::{Aligned, SimdJob};

/// Plies that are remembered; a power of two.
const RING: usize = 64;
/// An ancestor farther back costs more than beginning anew: each ply up to four rows, forty in all.
const REACH: usize = 8;

/// The hidden units of the plies of a path, as both sides see them.
#[derive(Debug)]
pub struct NetworkAccumulators {
    /// For each ply of the ring those of Black, then those of White.
    units: Aligned<i16>,
    skips: [[i32; 2]; RING],
    /// Whose units they are.
    keys: [[Option<u64>; 2]; RING],
}

impl NetworkAccumulators {
    /// Nothing known yet.
    pub fn new(network: &ShogiNetwork) -> NetworkAccumulators {
        NetworkAccumulators {
            units: Aligned::zeros(RING * 2 * network.width),
            skips: [[0; 2]; RING],
            keys: [[None; 2]; RING],
        }
    }

    /// Value for the side to move in centipawns. All calls must be with one network.
    #[inline]
    pub fn value(&mut self, network: &ShogiNetwork, position: &ShogiPosition) -> i32 {
        network.level.run(NetworkEvaluation { network, accumulators: self, position })
    }

    #[inline(always)]
    fn evaluate<const BLOCK: usize>(&mut self, network: &ShogiNetwork, position: &ShogiPosition) -> i32 {
        for side in [Side::First, Side::Second] {
            self.update::<BLOCK>(network, position, side);
        }
        let us = position.side_to_move();
        let ply = position.plies_made();
        let units = |side| &self.units.get()[place(network, ply, side)..][..network.width];
        let skips = &self.skips[ply % RING];
        let skip = skips[us.index()] - skips[us.other().index()];
        network.output::<BLOCK>([units(us), units(us.other())], skip)
    }

    /// Calculates the units of `side` at `position`.
    #[inline(always)]
    fn update<const BLOCK: usize>(&mut self, network: &ShogiNetwork, position: &ShogiPosition, side: Side) {
        let past = position.past();
        let ply = past.len();
        let known =
            |keys: &[[Option<u64>; 2]; RING], ply: usize, key| keys[ply % RING][side.index()] == Some(key);
        if known(&self.keys, ply, position.key()) {
            return;
        }
        let mut start = ply;
        loop {
            if start == 0 || ply - start == REACH || crosses(&past[start - 1], side) {
                return self.refresh::<BLOCK>(network, position, side);
            }
            start -= 1;
            if known(&self.keys, start, past[start].key()) {
                break;
            }
        }
        let view = NetworkPerspective::of(position, side);
        for from in start..ply {
            let key = past.get(from + 1).map_or(position.key(), Past::key);
            self.follow::<BLOCK>(network, view, &past[from], from, side);
            self.keys[(from + 1) % RING][side.index()] = Some(key);
        }
    }

    /// The units after the move of `past`, made at ply `from`.
    #[inline(always)]
    fn follow<const BLOCK: usize>(
        &mut self,
        network: &ShogiNetwork,
        view: NetworkPerspective,
        past: &Past,
        from: usize,
        side: Side,
    ) {
        let (added, removed) = changes(view, past);
        let (before, after) = (place(network, from, side), place(network, from + 1, side));
        // Most moves change one input each way, captures two; lengths known to the compiler are faster.
        let units = self.units.get_mut();
        match (added[..].first_chunk::<2>(), removed[..].first_chunk::<2>(), added.first(), removed.first()) {
            (Some(added), Some(removed), ..) => {
                network.apply::<BLOCK>(units, before, after, &FeatureChange { added, removed });
            }
            (_, _, Some(&added), Some(&removed)) => {
                let change = FeatureChange { added: &[added], removed: &[removed] };
                network.apply::<BLOCK>(units, before, after, &change);
            }
            _ => network.apply::<BLOCK>(units, before, after, &FeatureChange { added: &[], removed: &[] }),
        }
        let mut skip = self.skips[from % RING][side.index()];
        for input in added {
            skip += network.skip[input];
        }
        for input in removed {
            skip -= network.skip[input];
        }
        self.skips[(from + 1) % RING][side.index()] = skip;
    }

    #[inline(always)]
    fn refresh<const BLOCK: usize>(&mut self, network: &ShogiNetwork, position: &ShogiPosition, side: Side) {
        let ply = position.plies_made();
        let place = place(network, ply, side);
        let units = &mut self.units.get_mut()[place..][..network.width];
        self.skips[ply % RING][side.index()] = network.collect::<BLOCK>(position, side, units);
        self.keys[ply % RING][side.index()] = Some(position.key());
    }
}

/// Where the units of `side` at `ply` begin.
#[inline(always)]
fn place(network: &ShogiNetwork, ply: usize, side: Side) -> usize {
    (ply % RING * 2 + side.index()) * network.width
}

/// Whether the move made `side` see the board the other way round.
#[inline(always)]
fn crosses(past: &Past, side: Side) -> bool {
    past.moved == Piece::new(side, PieceKind::KING)
        && mirrors(side, past.played.from()) != mirrors(side, past.played.to())
}

/// The inputs that a move sets, and those that it clears.
#[inline(always)]
fn changes(view: NetworkPerspective, past: &Past) -> (ArrayVec<usize, 2>, ArrayVec<usize, 2>) {
    let (mut added, mut removed) = (ArrayVec::new(), ArrayVec::new());
    let mv = past.played;
    if mv == Move::NONE {
        return (added, removed);
    }
    let (us, to) = (past.moved.side(), mv.to());
    let hand = past.hands[us.index()];
    added.push(view.on_board(past.moved, to));
    if mv.is_drop() {
        let kind = mv.dropped();
        removed.push(view.in_hand(us, kind, hand.count(kind)));
    } else {
        let kind = if mv.is_promotion() { past.moved.kind().plain() } else { past.moved.kind() };
        removed.push(view.on_board(Piece::new(us, kind), mv.from()));
        if past.captured.is_some() {
            let kind = past.captured.kind().plain();
            removed.push(view.on_board(past.captured, to));
            added.push(view.in_hand(us, kind, hand.count(kind) + 1));
        }
    }
    (added, removed)
}

struct NetworkEvaluation<'a> {
    network: &'a ShogiNetwork,
    accumulators: &'a mut NetworkAccumulators,
    position: &'a ShogiPosition,
}

impl SimdJob for NetworkEvaluation<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        let NetworkEvaluation { network, accumulators, position } = self;
        if network.width.is_multiple_of(64) {
            accumulators.evaluate::<64>(network, position)
        } else {
            accumulators.evaluate::<16>(network, position)
        }
    }
}
