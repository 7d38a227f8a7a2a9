//! Positions for tests.

use crate::mate::checks::checks;
use crate::rules::movegen::MoveList;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Piece, PieceKind, Square};
use kaeshi_core::game::Side;

/// xorshift64* (Marsaglia, 2003; Vigna, 2016).
pub struct XorshiftStar(pub u64);

impl XorshiftStar {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

/// Shows `act` about `count` positions of random games and random small problems.
pub fn walk(count: usize, seed: u64, mut act: impl FnMut(&ShogiPosition)) {
    let mut random = XorshiftStar(seed);
    let mut seen = 0;
    while seen < count {
        let mut position = if random.below(3) == 0 {
            crate::rules::sfen::parse(crate::rules::handicap::START).unwrap()
        } else {
            problem(&mut random, 6, 6)
        };
        for _ in 0..if position.hand(Side::First).is_empty() { 150 } else { 12 } {
            act(&position);
            seen += 1;
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.make(moves[random.below(moves.len())]);
        }
    }
}

/// A random small problem, Black to move: White's king near its edge, some pieces around it, some
/// in Black's hand, the rest of the set in White's.
pub fn problem(random: &mut XorshiftStar, most_white: usize, most_black: usize) -> ShogiPosition {
    loop {
        let mut position = ShogiPosition::default();
        let mut left = PieceKind::IN_SET;
        let king = Square::new(random.below(9) as u8, random.below(4) as u8);
        position.put(Piece::new(Side::Second, PieceKind::KING), king);
        if random.below(3) == 0 {
            let own = Square::new(random.below(9) as u8, random.below(9) as u8);
            if own.distance(king) > 1 {
                position.put(Piece::new(Side::First, PieceKind::KING), own);
            }
        }
        let (white, black) = (random.below(most_white + 1), 1 + random.below(most_black));
        for i in 0..white + black {
            let side = if i < white { Side::Second } else { Side::First };
            let kind = PieceKind::DROPPABLE[random.below(7)];
            if left[kind.index()] == 0 {
                continue;
            }
            if side == Side::First && random.below(2) == 0 {
                left[kind.index()] -= 1;
                position.put_in_hand(Side::First, kind);
                continue;
            }
            let file = (i32::from(king.file()) + random.below(7) as i32 - 3).clamp(0, 8) as u8;
            let rank = (i32::from(king.rank()) + random.below(6) as i32 - 2).clamp(0, 8) as u8;
            let square = Square::new(file, rank);
            let promoted = kind.can_promote() && random.below(3) == 0;
            let nifu = kind == PieceKind::PAWN
                && !promoted
                && Square::all().any(|other| {
                    other.file() == file && position.piece_on(other) == Piece::new(side, PieceKind::PAWN)
                });
            let dead = !promoted && crate::rules::legality::is_dead(side, kind, square);
            if position.piece_on(square).is_some() || nifu || dead {
                continue;
            }
            left[kind.index()] -= 1;
            position.put(Piece::new(side, if promoted { kind.promoted() } else { kind }), square);
        }
        for kind in PieceKind::DROPPABLE {
            // A defender with everything to put in between would seldom be mated.
            if random.below(10) == 0 {
                for _ in 0..left[kind.index()] {
                    position.put_in_hand(Side::Second, kind);
                }
            }
        }
        position.refresh();
        let attacked = position.is_attacked(Side::First, position.king(Side::Second), position.occupied());
        if attacked {
            continue;
        }
        let mut list = MoveList::new();
        checks(&position, &mut list);
        if !list.is_empty() {
            return position;
        }
    }
}
