//! The hidden units of the latest positions, brought up to date when a value is asked for.
//!
//! As with the own network, nothing has to be done when moves are made: the units of each ply carry
//! the key of their position, and those of a new position follow from the nearest earlier ply that is
//! known. Where the own king has moved, that does not help; then the units follow from those that were
//! last calculated for the same square of the king ("finny tables", first seen in Koivisto).

use arrayvec::ArrayVec;

use super::NnueNetwork;
use super::features::{self, MOST_SET, NnuePerspective};
use super::layers::Scratch;
use crate::rules::hand::Hand;
use crate::rules::position::{Past, ShogiPosition};
use crate::rules::types::{Move, Piece, PieceKind, Square};
use kaeshi_core::driver::pages::prefetch;
use kaeshi_core::game::Side;
use kaeshi_core::simd::{Aligned, SimdJob};

/// Plies that are remembered; a power of two.
const RING: usize = 64;
/// An ancestor farther back is not looked for.
const REACH: usize = 8;
/// Squares of a king on which units are remembered.
const SEATS: usize = 81;

/// Weights in a cache line.
const LINE: usize = 32;
/// Cache lines of a row that are fetched early; behind them the processor sees where it is going.
const FETCHED_LINES: usize = 8;
/// Places of a board in memory: its squares, and some on which nothing stands.
const PLACES: usize = 128;
/// Squares that are compared together.
const TOGETHER: usize = 16;

/// What two positions can differ in at most: all pieces.
type Inputs = ArrayVec<usize, MOST_SET>;

/// The hidden units of the plies of a path, as both sides see them.
#[derive(Debug)]
pub struct NnueAccumulators {
    /// For each ply of the ring those of Black, then those of White.
    units: Aligned<i16>,
    /// Whose units they are.
    keys: [[Option<u64>; 2]; RING],
    /// For each square of the black king, then of the white one, those of the latest position.
    seats: Aligned<i16>,
    seen: Vec<CachedInputs>,
    scratch: Scratch,
}

/// What units were calculated for.
#[derive(Clone, Debug)]
struct CachedInputs {
    board: [Piece; PLACES],
    /// Of each square where they count, else nothing.
    attacks: [u8; PLACES],
    hands: [Hand; 2],
    missing: usize,
}

impl CachedInputs {
    const NOTHING: CachedInputs = CachedInputs {
        board: [Piece::NONE; PLACES],
        attacks: [0; PLACES],
        hands: [Hand::EMPTY; 2],
        missing: 0,
    };

    #[inline(always)]
    fn of(network: &NnueNetwork, position: &ShogiPosition, side: Side) -> CachedInputs {
        let mut attacks = [0; PLACES];
        if network.architecture.features.counts_attacks() {
            for square in position.occupied() {
                attacks[square.index()] = features::attacks(position, side, square) as u8;
            }
        }
        CachedInputs {
            board: *position.board(),
            attacks,
            hands: position.hands(),
            missing: features::missing(position),
        }
    }

    /// What stands there, and its attackers.
    #[inline(always)]
    fn at(&self, index: usize) -> (Piece, u8) {
        (self.board[index], self.attacks[index])
    }

    /// Whether anything differs on the squares from `first` on.
    #[inline(always)]
    fn differs(&self, other: &CachedInputs, first: usize) -> bool {
        let mut different = 0;
        for index in first..first + TOGETHER {
            different |= self.board[index].index() as u8 ^ other.board[index].index() as u8;
            different |= self.attacks[index] ^ other.attacks[index];
        }
        different != 0
    }
}

impl NnueAccumulators {
    /// Nothing known yet.
    pub fn new(network: &NnueNetwork) -> NnueAccumulators {
        let width = network.architecture.width;
        let seats = if network.architecture.features.follows_king() { SEATS } else { 1 };
        let mut units = Aligned::zeros(2 * seats * width);
        for units in units.get_mut().chunks_exact_mut(width) {
            units.copy_from_slice(network.biases.get());
        }
        NnueAccumulators {
            units: Aligned::zeros(RING * 2 * width),
            keys: [[None; 2]; RING],
            seats: units,
            seen: vec![CachedInputs::NOTHING; 2 * seats],
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
        let features = network.architecture.features;
        if features.counts_attacks() {
            return;
        }
        let us = position.side_to_move();
        let before = if mv.is_drop() { Piece::NONE } else { position.piece_on(mv.from()) };
        let after = match (mv.is_drop(), mv.is_promotion()) {
            (true, _) => Piece::new(us, mv.dropped()),
            (false, true) => Piece::new(us, before.kind().promoted()),
            (false, false) => before,
        };
        let width = network.architecture.width;
        let fetch = |input: usize| {
            let row = &network.weights.get()[input * width..][..width];
            row.iter().step_by(LINE).take(FETCHED_LINES).for_each(prefetch);
        };
        for side in [Side::First, Side::Second] {
            if features.follows_king() && after == Piece::new(side, PieceKind::KING) {
                continue;
            }
            let view = features.view(position, side);
            view.on_board(after, mv.to(), 0, fetch);
            if before.is_some() {
                view.on_board(before, mv.from(), 0, fetch);
            }
        }
    }

    #[inline(always)]
    fn evaluate<const BLOCK: usize>(&mut self, network: &NnueNetwork, position: &ShogiPosition) -> i32 {
        for side in [Side::First, Side::Second] {
            self.update::<BLOCK>(network, position, side);
        }
        let us = position.side_to_move();
        let ply = position.plies_made();
        let width = network.architecture.width;
        let units = |side| &self.units.get()[place(width, ply, side)..][..width];
        let stack = network.stack(position);
        network.propagate(&mut self.scratch, stack, [units(us), units(us.other())])
    }

    /// Calculates the units of `side` at `position`.
    #[inline(always)]
    fn update<const BLOCK: usize>(&mut self, network: &NnueNetwork, position: &ShogiPosition, side: Side) {
        let past = position.past();
        let ply = past.len();
        let known =
            |keys: &[[Option<u64>; 2]; RING], ply: usize, key| keys[ply % RING][side.index()] == Some(key);
        if known(&self.keys, ply, position.key()) {
            return;
        }
        let features = network.architecture.features;
        let breaks = |past: &Past| {
            features.counts_attacks()
                || (features.follows_king() && past.moved == Piece::new(side, PieceKind::KING))
        };
        let mut start = ply;
        loop {
            if start == 0 || ply - start == REACH || breaks(&past[start - 1]) {
                return self.refresh::<BLOCK>(network, position, side);
            }
            start -= 1;
            if known(&self.keys, start, past[start].key()) {
                break;
            }
        }
        let view = features.view(position, side);
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
        network: &NnueNetwork,
        view: NnuePerspective,
        past: &Past,
        from: usize,
        side: Side,
    ) {
        let (added, removed) = changes(view, past);
        let width = network.architecture.width;
        let (before, after) = (place(width, from, side), place(width, from + 1, side));
        let units = self.units.get_mut();
        // Most moves change one input each way, captures two; lengths known to the compiler are faster.
        match (&added[..], &removed[..]) {
            ([added], [removed]) => {
                network.apply::<BLOCK>(units, before, after, &[*added], &[*removed]);
            }
            (&[first, second], &[other, another]) => {
                network.apply::<BLOCK>(units, before, after, &[first, second], &[other, another]);
            }
            (added, removed) => network.apply::<BLOCK>(units, before, after, added, removed),
        }
    }

    /// The units at `position` by way of those that were last calculated with the king on its square.
    #[inline(always)]
    fn refresh<const BLOCK: usize>(&mut self, network: &NnueNetwork, position: &ShogiPosition, side: Side) {
        let view = network.architecture.features.view(position, side);
        let seat = match network.architecture.features.follows_king() {
            true => side.index() * SEATS + features::seat(position.king(side)).index(),
            false => side.index(),
        };
        let now = CachedInputs::of(network, position, side);
        let (added, removed) = differences(view, &self.seen[seat], &now);
        self.seen[seat] = now;
        let width = network.architecture.width;
        let ply = position.plies_made();
        let seat = &mut self.seats.get_mut()[seat * width..][..width];
        network.apply::<BLOCK>(seat, 0, 0, &added, &removed);
        self.units.get_mut()[place(width, ply, side)..][..width].copy_from_slice(seat);
        self.keys[ply % RING][side.index()] = Some(position.key());
    }
}

/// Where the units of `side` at `ply` begin.
#[inline(always)]
fn place(width: usize, ply: usize, side: Side) -> usize {
    (ply % RING * 2 + side.index()) * width
}

/// The inputs that a move sets, and those that it clears.
#[inline(always)]
fn changes(view: NnuePerspective, past: &Past) -> (ArrayVec<usize, 3>, ArrayVec<usize, 3>) {
    let (mut added, mut removed) = (ArrayVec::new(), ArrayVec::new());
    let mv = past.played;
    if mv == Move::NONE {
        return (added, removed);
    }
    let (us, to) = (past.moved.side(), mv.to());
    let hand = past.hands[us.index()];
    view.on_board(past.moved, to, 0, |input| added.push(input));
    if mv.is_drop() {
        let kind = mv.dropped();
        removed.push(view.in_hand(us, kind, hand.count(kind)));
    } else {
        let kind = if mv.is_promotion() { past.moved.kind().plain() } else { past.moved.kind() };
        view.on_board(Piece::new(us, kind), mv.from(), 0, |input| removed.push(input));
        if past.captured.is_some() {
            let kind = past.captured.kind().plain();
            view.on_board(past.captured, to, 0, |input| removed.push(input));
            added.push(view.in_hand(us, kind, hand.count(kind) + 1));
        }
    }
    (added, removed)
}

/// The inputs that are set now and were not before, and the other way round.
#[inline(always)]
fn differences(view: NnuePerspective, before: &CachedInputs, now: &CachedInputs) -> (Inputs, Inputs) {
    let (mut added, mut removed) = (Inputs::new(), Inputs::new());
    for first in (0..SEATS).step_by(TOGETHER) {
        if !before.differs(now, first) {
            continue;
        }
        for index in first..first + TOGETHER {
            let (old, new) = (before.at(index), now.at(index));
            if old == new {
                continue;
            }
            for ((piece, attacks), inputs) in [(old, &mut removed), (new, &mut added)] {
                if let (Some(piece), Some(square)) = (piece.some(), Square::from_index(index)) {
                    view.on_board(piece, square, usize::from(attacks), |input| inputs.push(input));
                }
            }
        }
    }
    for holder in [Side::First, Side::Second] {
        let (old, new) = (before.hands[holder.index()], now.hands[holder.index()]);
        if old == new {
            continue;
        }
        for kind in PieceKind::DROPPABLE {
            let (old, new) = (old.count(kind), new.count(kind));
            added.extend((old + 1..=new).map(|count| view.in_hand(holder, kind, count)));
            removed.extend((new + 1..=old).map(|count| view.in_hand(holder, kind, count)));
        }
    }
    added.extend((before.missing..now.missing).map(|_| view.missing()));
    removed.extend((now.missing..before.missing).map(|_| view.missing()));
    (added, removed)
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
