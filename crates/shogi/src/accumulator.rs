//! The hidden units of the latest positions, updated when a value is requested: shared by the own networks
//! ([`crate::network`]) and those of YaneuraOu ([`crate::nnue`]).
//!
//! A position knows the moves that led to it, so nothing has to be done when moves are made: the units of each
//! ply carry the key of their position, and those of a new position follow from the nearest earlier ply that is
//! known. Where the own king's move changes all inputs, that does not help; then the units follow from those that
//! were last calculated for a king seen alike ("finny tables", first seen in Koivisto).

use arrayvec::ArrayVec;

use crate::rules::hand::Hand;
use crate::rules::position::{Past, ShogiPosition};
use crate::rules::types::{Move, Piece, PieceKind, Square};
use kaeshi_core::driver::pages::prefetch;
use kaeshi_core::game::Side;
use kaeshi_core::simd::{Aligned, block, block_mut};

/// Plies that are remembered; a power of two.
const RING: usize = 64;
/// An ancestor farther back is not looked for: each ply costs up to four rows.
const REACH: usize = 8;
/// The most inputs that are set at once: every piece, and each king a second time.
pub(crate) const MOST_SET: usize = 42;
/// Weights in a cache line.
const LINE: usize = 32;
/// Cache lines of a row that are fetched early; behind them the processor sees where it is going.
const FETCHED_LINES: usize = 8;
/// Places of a board in memory: its squares, and some on which nothing stands.
const PLACES: usize = 128;
/// Places that are compared together.
const GROUP: usize = 8;
/// Groups that hold all squares.
const GROUPS: usize = 11;

/// The inputs in which two positions differ: at most all pieces.
type Inputs = ArrayVec<usize, MOST_SET>;

/// The first layer of a network: which inputs a position sets, and the weights of each input.
pub(crate) trait InputLayer {
    /// How one side sees the board.
    type View: InputView;

    /// Hidden units of one side.
    fn width(&self) -> usize;
    /// The biases of the hidden units.
    fn biases(&self) -> &[i16];
    /// For each input the weights of all hidden units.
    fn weights(&self) -> &[i16];
    /// The piece-square term (PSQT) of an input, added to the output; 0 in networks without one.
    #[inline(always)]
    fn psqt(&self, _input: usize) -> i32 {
        0
    }
    /// How `side` sees `position`.
    fn view(&self, position: &ShogiPosition, side: Side) -> Self::View;
    /// Views that are distinguished by [`InputLayer::view_number`].
    fn views(&self) -> usize;
    /// The number of the view of a side whose king stands there, below [`InputLayer::views`]; where two squares
    /// have the same number, all inputs are the same.
    fn view_number(&self, side: Side, king: Square) -> usize;
    /// The class of a square by its attackers, as `side` sees it; 0 in networks whose inputs do not depend on them.
    #[inline(always)]
    fn attacks(&self, _position: &ShogiPosition, _side: Side, _square: Square) -> usize {
        0
    }
    /// Whether [`InputLayer::attacks`] can differ from 0.
    #[inline(always)]
    fn counts_attacks(&self) -> bool {
        false
    }
    /// Pieces absent from board and hands that set an input nevertheless.
    #[inline(always)]
    fn missing(&self, _position: &ShogiPosition) -> usize {
        0
    }
}

/// The inputs that one side sees.
pub(crate) trait InputView: Copy {
    /// Shows the inputs that a piece on the board sets.
    fn on_board(self, piece: Piece, square: Square, attacks: usize, set: impl FnMut(usize));
    /// The input of the `count`th piece (1 for the first) of `kind` in `holder`'s hand.
    fn in_hand(self, holder: Side, kind: PieceKind, count: u32) -> usize;
    /// The input of a piece that is not there.
    fn missing(self) -> usize;
}

/// The hidden units of the plies of a path, as both sides see them.
#[derive(Debug)]
pub(crate) struct AccumulatorStack {
    /// For each ply of the ring those of Black, then those of White.
    units: Aligned<i16>,
    /// Sums of [`InputLayer::psqt`].
    psqt: [[i32; 2]; RING],
    /// The keys of the positions that the units belong to; `None` where there are none.
    keys: [[Option<u64>; 2]; RING],
    /// For each view of Black, then of White, the units of the latest position.
    cached_units: Aligned<i16>,
    cached: Vec<CachedInputs>,
}

/// The inputs for which units were calculated.
#[derive(Clone, Debug)]
struct CachedInputs {
    board: [Piece; PLACES],
    /// The attackers of each square in networks that count them, otherwise 0.
    attacks: [u8; PLACES],
    hands: [Hand; 2],
    missing: usize,
    /// The sum of [`InputLayer::psqt`].
    psqt: i32,
}

impl CachedInputs {
    const NOTHING: CachedInputs = CachedInputs {
        board: [Piece::NONE; PLACES],
        attacks: [0; PLACES],
        hands: [Hand::EMPTY; 2],
        missing: 0,
        psqt: 0,
    };

    #[inline(always)]
    fn of(layer: &impl InputLayer, position: &ShogiPosition, side: Side) -> CachedInputs {
        let mut attacks = [0; PLACES];
        if layer.counts_attacks() {
            for square in position.occupied() {
                attacks[square.index()] = layer.attacks(position, side, square) as u8;
            }
        }
        CachedInputs {
            board: *position.board(),
            attacks,
            hands: position.hands(),
            missing: layer.missing(position),
            psqt: 0,
        }
    }

    /// The piece on a square, and the class of its attackers.
    #[inline(always)]
    fn at(&self, index: usize) -> (Piece, u8) {
        (self.board[index], self.attacks[index])
    }

    /// The places of the group with this number on which anything differs: 0 or more in each byte, the first
    /// place in the lowest one. Loops over these bytes predict better than a branch for each place.
    #[inline(always)]
    fn differing(&self, other: &CachedInputs, group: usize) -> u64 {
        let mut bytes = [0; GROUP];
        for (index, byte) in bytes.iter_mut().enumerate() {
            let place = group * GROUP + index;
            *byte = (self.board[place].index() as u8 ^ other.board[place].index() as u8)
                | (self.attacks[place] ^ other.attacks[place]);
        }
        u64::from_le_bytes(bytes)
    }
}

impl AccumulatorStack {
    /// A stack without known units.
    pub(crate) fn new(layer: &impl InputLayer) -> AccumulatorStack {
        let (width, views) = (layer.width(), 2 * layer.views());
        let mut cached_units = Aligned::zeros(views * width);
        for units in cached_units.get_mut().chunks_exact_mut(width) {
            units.copy_from_slice(layer.biases());
        }
        AccumulatorStack {
            units: Aligned::zeros(RING * 2 * width),
            psqt: [[0; 2]; RING],
            keys: [[None; 2]; RING],
            cached_units,
            cached: vec![CachedInputs::NOTHING; views],
        }
    }

    /// Calculates the units of both sides at `position`. All calls must be with one layer, whose width is a
    /// multiple of `BLOCK`.
    #[inline(always)]
    pub(crate) fn update<const BLOCK: usize>(&mut self, layer: &impl InputLayer, position: &ShogiPosition) {
        for side in [Side::First, Side::Second] {
            self.update_side::<BLOCK>(layer, position, side);
        }
    }

    /// The units that `side` sees at `ply`, which must be up to date.
    #[inline(always)]
    pub(crate) fn units(&self, width: usize, ply: usize, side: Side) -> &[i16] {
        &self.units.get()[place(width, ply, side)..][..width]
    }

    /// The sums of the inputs' PSQT terms of both sides at `ply`.
    #[inline(always)]
    pub(crate) fn psqt(&self, ply: usize) -> [i32; 2] {
        self.psqt[ply % RING]
    }

    #[inline(always)]
    fn update_side<const BLOCK: usize>(
        &mut self,
        layer: &impl InputLayer,
        position: &ShogiPosition,
        side: Side,
    ) {
        let past = position.past();
        let ply = past.len();
        let known =
            |keys: &[[Option<u64>; 2]; RING], ply: usize, key| keys[ply % RING][side.index()] == Some(key);
        if known(&self.keys, ply, position.key()) {
            return;
        }
        let breaks = |past: &Past| layer.counts_attacks() || changes_view(layer, past, side);
        let mut start = ply;
        loop {
            if start == 0 || ply - start == REACH || breaks(&past[start - 1]) {
                return self.refresh::<BLOCK>(layer, position, side);
            }
            start -= 1;
            if known(&self.keys, start, past[start].key()) {
                break;
            }
        }
        let view = layer.view(position, side);
        for from in start..ply {
            let key = past.get(from + 1).map_or(position.key(), Past::key);
            self.follow::<BLOCK>(layer, view, &past[from], from, side);
            self.keys[(from + 1) % RING][side.index()] = Some(key);
        }
    }

    /// The units after the move of `past`, made at ply `from`.
    #[inline(always)]
    fn follow<const BLOCK: usize>(
        &mut self,
        layer: &impl InputLayer,
        view: impl InputView,
        past: &Past,
        from: usize,
        side: Side,
    ) {
        let (added, removed) = changes(view, past);
        // Most moves change one input each way, captures two; lengths known to the compiler are faster.
        match (&added[..], &removed[..]) {
            (&[added], &[removed]) => self.advance::<BLOCK>(layer, from, side, &[added], &[removed]),
            (&[first, second], &[other, another]) => {
                self.advance::<BLOCK>(layer, from, side, &[first, second], &[other, another]);
            }
            (added, removed) => self.advance::<BLOCK>(layer, from, side, added, removed),
        }
    }

    /// The units at the ply behind `from`, by the inputs that its move changed.
    #[inline(always)]
    fn advance<const BLOCK: usize>(
        &mut self,
        layer: &impl InputLayer,
        from: usize,
        side: Side,
        added: &[usize],
        removed: &[usize],
    ) {
        let width = layer.width();
        let (before, after) = (place(width, from, side), place(width, from + 1, side));
        apply::<BLOCK>(layer.weights(), width, self.units.get_mut(), [before, after], added, removed);
        let psqt = self.psqt[from % RING][side.index()];
        self.psqt[(from + 1) % RING][side.index()] = psqt + difference(layer, added, removed);
    }

    /// The units at `position` by way of those that were last calculated with a king seen alike.
    #[inline(always)]
    fn refresh<const BLOCK: usize>(&mut self, layer: &impl InputLayer, position: &ShogiPosition, side: Side) {
        let view = layer.view(position, side);
        let entry = side.index() * layer.views() + layer.view_number(side, position.king(side));
        let mut now = CachedInputs::of(layer, position, side);
        let (mut added, mut removed) = (Inputs::new(), Inputs::new());
        differences(view, &self.cached[entry], &now, &mut added, &mut removed);
        now.psqt = self.cached[entry].psqt + difference(layer, &added, &removed);
        let (width, ply) = (layer.width(), position.plies_made());
        self.psqt[ply % RING][side.index()] = now.psqt;
        self.cached[entry] = now;
        let cached = &mut self.cached_units.get_mut()[entry * width..][..width];
        apply::<BLOCK>(layer.weights(), width, cached, [0, 0], &added, &removed);
        self.units.get_mut()[place(width, ply, side)..][..width].copy_from_slice(cached);
        self.keys[ply % RING][side.index()] = Some(position.key());
    }
}

/// Asks the processor to fetch the weights of the piece that `mv` is about to move, where it stands and where it
/// goes.
#[inline(always)]
pub(crate) fn prefetch_rows(layer: &impl InputLayer, position: &ShogiPosition, mv: Move) {
    let us = position.side_to_move();
    let before = if mv.is_drop() { Piece::NONE } else { position.piece_on(mv.from()) };
    let after = match (mv.is_drop(), mv.is_promotion()) {
        (true, _) => Piece::new(us, mv.dropped()),
        (false, true) => Piece::new(us, before.kind().promoted()),
        (false, false) => before,
    };
    let width = layer.width();
    let fetch = |input: usize| {
        let row = &layer.weights()[input * width..][..width];
        row.iter().step_by(LINE).take(FETCHED_LINES).for_each(prefetch);
    };
    for side in [Side::First, Side::Second] {
        if layer.views() > 1 && after == Piece::new(side, PieceKind::KING) {
            continue;
        }
        let view = layer.view(position, side);
        view.on_board(after, mv.to(), 0, fetch);
        if before.is_some() {
            view.on_board(before, mv.from(), 0, fetch);
        }
    }
}

/// The units at the first of `places` with the weights of some inputs added and of others removed, stored at the
/// second.
#[inline(always)]
pub(crate) fn apply<const BLOCK: usize>(
    weights: &[i16],
    width: usize,
    units: &mut [i16],
    [from, to]: [usize; 2],
    added: &[usize],
    removed: &[usize],
) {
    for begin in (0..width).step_by(BLOCK) {
        let mut changed: [i16; BLOCK] = *block(units, from + begin);
        for &input in added {
            let row: &[i16; BLOCK] = block(weights, input * width + begin);
            for (i, unit) in changed.iter_mut().enumerate() {
                *unit = unit.wrapping_add(row[i]);
            }
        }
        for &input in removed {
            let row: &[i16; BLOCK] = block(weights, input * width + begin);
            for (i, unit) in changed.iter_mut().enumerate() {
                *unit = unit.wrapping_sub(row[i]);
            }
        }
        *block_mut(units, to + begin) = changed;
    }
}

/// Index of the first unit of `side` at `ply`.
#[inline(always)]
fn place(width: usize, ply: usize, side: Side) -> usize {
    (ply % RING * 2 + side.index()) * width
}

/// Whether the move changed all inputs that `side` sees.
#[inline(always)]
fn changes_view(layer: &impl InputLayer, past: &Past, side: Side) -> bool {
    past.moved == Piece::new(side, PieceKind::KING)
        && layer.view_number(side, past.played.from()) != layer.view_number(side, past.played.to())
}

/// The change of the sum of PSQT terms.
#[inline(always)]
fn difference(layer: &impl InputLayer, added: &[usize], removed: &[usize]) -> i32 {
    let mut change = 0;
    for &input in added {
        change += layer.psqt(input);
    }
    for &input in removed {
        change -= layer.psqt(input);
    }
    change
}

/// The inputs that a move sets, and those that it clears.
#[inline(always)]
fn changes(view: impl InputView, past: &Past) -> (ArrayVec<usize, 3>, ArrayVec<usize, 3>) {
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

/// Adds the inputs that are set now and were not before to `added`, and the other way round. Returned lists
/// would be copied.
#[inline(always)]
fn differences(
    view: impl InputView,
    before: &CachedInputs,
    now: &CachedInputs,
    added: &mut Inputs,
    removed: &mut Inputs,
) {
    for group in 0..GROUPS {
        let mut places = before.differing(now, group);
        while places != 0 {
            let place = places.trailing_zeros() / u8::BITS;
            places &= !(u64::from(u8::MAX) << (place * u8::BITS));
            let index = group * GROUP + place as usize;
            for ((piece, attacks), inputs) in
                [(before.at(index), &mut *removed), (now.at(index), &mut *added)]
            {
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
}
