//! The accumulators of an own network: the shared ones ([`crate::accumulator`]) with the output behind.

use super::features::{NetworkPerspective, mirrors};
use super::{INPUTS, ShogiNetwork};
use crate::accumulator::{AccumulatorStack, InputLayer, InputView, prefetch_rows};
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, Piece, PieceKind, Square};
use kaeshi_core::game::Side;
use kaeshi_core::simd::SimdJob;

/// The hidden units of the plies of a path, as both sides see them.
#[derive(Debug)]
pub struct NetworkAccumulators(AccumulatorStack);

impl NetworkAccumulators {
    /// Accumulators without known units.
    pub fn new(network: &ShogiNetwork) -> NetworkAccumulators {
        NetworkAccumulators(AccumulatorStack::new(network))
    }

    /// Value for the side to move in centipawns. All calls must be with one network.
    #[inline]
    pub fn value(&mut self, network: &ShogiNetwork, position: &ShogiPosition) -> i32 {
        network.level.run(NetworkEvaluation { network, accumulators: self, position })
    }

    /// Prefetches the weight rows of the value after `mv` where the input weights exceed the processor's caches.
    #[inline]
    pub fn prefetch(network: &ShogiNetwork, position: &ShogiPosition, mv: Move) {
        if network.shape.king_buckets > 1 {
            prefetch_rows(network, position, mv);
        }
    }

    #[inline(always)]
    fn evaluate<const BLOCK: usize>(&mut self, network: &ShogiNetwork, position: &ShogiPosition) -> i32 {
        self.0.update::<BLOCK>(network, position);
        let us = position.side_to_move();
        let ply = position.plies_made();
        let units = |side| self.0.units(network.shape.width, ply, side);
        let psqt = self.0.psqt(ply);
        let psqt = psqt[us.index()] - psqt[us.other().index()];
        let bucket = network.shape.output_bucket(position);
        network.output::<BLOCK>(bucket, [units(us), units(us.other())], psqt)
    }
}

/// The inputs that one side sees, those of its king bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BucketPerspective {
    pub(super) view: NetworkPerspective,
    /// The first input of the bucket.
    pub(super) origin: usize,
}

impl InputView for BucketPerspective {
    #[inline(always)]
    fn on_board(self, piece: Piece, square: Square, _attacks: usize, mut set: impl FnMut(usize)) {
        set(self.origin + self.view.on_board(piece, square));
    }

    #[inline(always)]
    fn in_hand(self, holder: Side, kind: PieceKind, count: u32) -> usize {
        self.origin + self.view.in_hand(holder, kind, count)
    }

    #[inline(always)]
    fn missing(self) -> usize {
        self.origin
    }
}

impl InputLayer for ShogiNetwork {
    type View = BucketPerspective;

    #[inline(always)]
    fn width(&self) -> usize {
        self.shape.width
    }

    #[inline(always)]
    fn biases(&self) -> &[i16] {
        self.biases.get()
    }

    #[inline(always)]
    fn weights(&self) -> &[i16] {
        self.inputs.get()
    }

    #[inline(always)]
    fn psqt(&self, input: usize) -> i32 {
        self.psqt[input]
    }

    #[inline(always)]
    fn view(&self, position: &ShogiPosition, side: Side) -> BucketPerspective {
        let view = NetworkPerspective::of(position, side);
        let bucket = self.king_bucket(view, side, position.king(side));
        BucketPerspective { view, origin: INPUTS * bucket }
    }

    #[inline(always)]
    fn views(&self) -> usize {
        2 * self.shape.king_buckets
    }

    #[inline(always)]
    fn view_number(&self, side: Side, king: Square) -> usize {
        let view = NetworkPerspective::of_king(side, king);
        2 * self.king_bucket(view, side, king) + usize::from(mirrors(side, king))
    }
}

impl ShogiNetwork {
    #[inline(always)]
    fn king_bucket(&self, view: NetworkPerspective, side: Side, king: Square) -> usize {
        if self.shape.king_buckets > 1 && king.is_some() { self.kings.bucket(view, side, king) } else { 0 }
    }
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
        if network.shape.width.is_multiple_of(64) {
            accumulators.evaluate::<64>(network, position)
        } else {
            accumulators.evaluate::<16>(network, position)
        }
    }
}
