//! The surroundings of a king, cut by distance and direction.

use crate::rules::bitboard::Bitboard;
use crate::rules::types::Square;
use kaeshi_core::game::Side;

/// How many zones there are.
pub(super) const COUNT: usize = 6;

/// The neighbours ahead; the other neighbours; two steps away, ahead and the rest; three steps
/// away; farther.
#[derive(Clone, Copy)]
pub(super) struct Zones(pub(super) [Bitboard; COUNT]);

impl Zones {
    /// The zones of `side`'s king on `king`; empty without a king.
    #[inline(always)]
    pub(super) fn of(side: Side, king: Square) -> &'static Zones {
        &ZONES[side.index()][king.index()]
    }

    /// The neighbours of the king.
    #[inline(always)]
    pub(super) fn ring(&self) -> Bitboard {
        self.0[0] | self.0[1]
    }
}

static ZONES: [[Zones; 128]; 2] = [zones(Side::First), zones(Side::Second)];

const fn zones(side: Side) -> [Zones; 128] {
    let mut table = [Zones([Bitboard::EMPTY; COUNT]); 128];
    let mut king = 0;
    while king < 81 {
        let mut square = 0;
        while square < 81 {
            if square != king {
                let zone = zone(side, Square(king), Square(square));
                table[king as usize].0[zone].0 |= 1 << square;
            }
            square += 1;
        }
        king += 1;
    }
    table
}

const fn zone(side: Side, king: Square, square: Square) -> usize {
    let (king, square) = (king.seen_by(side), square.seen_by(side));
    let ahead = square.rank() < king.rank();
    match (king.distance(square), ahead) {
        (1, true) => 0,
        (1, false) => 1,
        (2, true) => 2,
        (2, false) => 3,
        (3, _) => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zones_cover_the_board_once() {
        for side in [Side::First, Side::Second] {
            for king in Square::all() {
                let mut seen = Bitboard::of(king);
                for zone in Zones::of(side, king).0 {
                    assert!(!seen.meets(zone));
                    seen |= zone;
                }
                assert_eq!(seen, Bitboard::ALL);
            }
        }
        assert_eq!(Zones::of(Side::First, Square::new(4, 8)).0[0].count(), 3);
        assert_eq!(Zones::of(Side::Second, Square::new(4, 8)).0[0].count(), 0);
    }
}
