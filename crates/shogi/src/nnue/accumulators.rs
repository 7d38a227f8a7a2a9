//! The accumulators of a network of YaneuraOu: the shared ones ([`crate::accumulator`]), and the layers behind.

use super::NnueNetwork;
use super::features::{self, NnuePerspective};
use super::layers::Scratch;
use crate::accumulator::{AccumulatorStack, InputLayer, prefetch_rows};
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, Square};
use kaeshi_core::game::Side;
use kaeshi_core::simd::SimdJob;

/// The hidden units of the plies of a path, as both sides see them.
#[derive(Debug)]
pub struct NnueAccumulators {
    stack: AccumulatorStack,
    scratch: Scratch,
}

impl NnueAccumulators {
    /// Accumulators without known units.
    pub fn new(network: &NnueNetwork) -> NnueAccumulators {
        NnueAccumulators {
            stack: AccumulatorStack::new(network),
            scratch: Scratch::new(&network.architecture),
        }
    }

    /// The network's output for the side to move. All calls must be with one network.
    #[inline]
    pub fn output(&mut self, network: &NnueNetwork, position: &ShogiPosition) -> i32 {
        network.level.run(NnueEvaluation { network, accumulators: self, position })
    }

    /// Asks the processor to fetch the weights of the piece that `mv` is about to move, where it stands and where
    /// it goes.
    #[inline]
    pub fn prefetch(network: &NnueNetwork, position: &ShogiPosition, mv: Move) {
        if !network.counts_attacks() {
            prefetch_rows(network, position, mv);
        }
    }

    #[inline(always)]
    fn evaluate<const BLOCK: usize>(&mut self, network: &NnueNetwork, position: &ShogiPosition) -> i32 {
        self.stack.update::<BLOCK>(network, position);
        let us = position.side_to_move();
        let ply = position.plies_made();
        let units = |side| self.stack.units(network.width(), ply, side);
        let stack = network.stack(position);
        network.propagate(&mut self.scratch, stack, [units(us), units(us.other())])
    }
}

impl InputLayer for NnueNetwork {
    type View = NnuePerspective;

    #[inline(always)]
    fn width(&self) -> usize {
        self.architecture.width
    }

    #[inline(always)]
    fn biases(&self) -> &[i16] {
        self.biases.get()
    }

    #[inline(always)]
    fn weights(&self) -> &[i16] {
        self.weights.get()
    }

    #[inline(always)]
    fn view(&self, position: &ShogiPosition, side: Side) -> NnuePerspective {
        self.architecture.features.view(position, side)
    }

    #[inline(always)]
    fn views(&self) -> usize {
        if self.architecture.features.follows_king() { features::SEATS } else { 1 }
    }

    #[inline(always)]
    fn view_number(&self, _side: Side, king: Square) -> usize {
        if self.architecture.features.follows_king() { features::seat(king).index() } else { 0 }
    }

    #[inline(always)]
    fn attacks(&self, position: &ShogiPosition, side: Side, square: Square) -> usize {
        features::attacks(position, side, square)
    }

    #[inline(always)]
    fn counts_attacks(&self) -> bool {
        self.architecture.features.counts_attacks()
    }

    #[inline(always)]
    fn missing(&self, position: &ShogiPosition) -> usize {
        features::missing(position)
    }
}

struct NnueEvaluation<'a> {
    network: &'a NnueNetwork,
    accumulators: &'a mut NnueAccumulators,
    position: &'a ShogiPosition,
}

impl SimdJob for NnueEvaluation<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        let NnueEvaluation { network, accumulators, position } = self;
        if network.architecture.width.is_multiple_of(128) {
            accumulators.evaluate::<128>(network, position)
        } else {
            accumulators.evaluate::<32>(network, position)
        }
    }
}
