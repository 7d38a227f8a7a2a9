//! Keys of positions: XOR over the board, sums over the hands.
//!
//! Board and hands are kept apart, so that positions that differ only in hand can be compared.

use crate::rules::position::Position;
use crate::rules::types::{Kind, Move, Piece, Square};
use kaeshi_core::game::Side;

struct Keys {
    board: [[u64; 128]; 32],
    hand: [[u64; 8]; 2],
    side: u64,
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

static KEYS: Keys = {
    let mut state = 0x6b61_6573_6869;
    let mut keys = Keys { board: [[0; 128]; 32], hand: [[0; 8]; 2], side: next(&mut state) };
    let mut piece = 0;
    while piece < 32 {
        let mut square = 0;
        while square < 81 {
            keys.board[piece][square] = next(&mut state);
            square += 1;
        }
        piece += 1;
    }
    let mut kind = 0;
    while kind < 7 {
        // Odd multipliers, so that no count of pieces up to 18 maps to that of another.
        keys.hand[0][kind] = next(&mut state) | 1;
        keys.hand[1][kind] = next(&mut state) | 1;
        kind += 1;
    }
    keys
};

/// The key of a piece on a square.
#[inline(always)]
pub fn on_board(piece: Piece, square: Square) -> u64 {
    KEYS.board[piece.index()][square.index()]
}

/// The key of one piece in hand.
#[inline(always)]
pub fn in_hand(side: Side, kind: Kind) -> u64 {
    KEYS.hand[side.index()][(kind.0 & 7) as usize]
}

/// The key of White being to move.
#[inline(always)]
pub fn white_to_move() -> u64 {
    KEYS.side
}

impl Position {
    /// The board key after the legal move `mv`.
    #[inline]
    pub(crate) fn board_key_after(&self, mv: Move) -> u64 {
        let us = self.side_to_move();
        let to = mv.to();
        let key = self.board_key() ^ white_to_move();
        if mv.is_drop() {
            return key ^ on_board(Piece::new(us, mv.dropped()), to);
        }
        let piece = self.piece_on(mv.from());
        let moved = if mv.is_promotion() { Piece::new(us, piece.kind().promoted()) } else { piece };
        let captured = self.piece_on(to);
        let key = key ^ on_board(piece, mv.from()) ^ on_board(moved, to);
        if captured.is_some() { key ^ on_board(captured, to) } else { key }
    }

    /// The key of the whole position after the legal move `mv`.
    #[inline]
    pub(crate) fn key_after(&self, mv: Move) -> u64 {
        let us = self.side_to_move();
        let hands = self.key().wrapping_sub(self.board_key());
        let captured = self.piece_on(mv.to());
        let hands = if mv.is_drop() {
            hands.wrapping_sub(in_hand(us, mv.dropped()))
        } else if captured.is_some() {
            hands.wrapping_add(in_hand(us, captured.kind().plain()))
        } else {
            hands
        };
        self.board_key_after(mv).wrapping_add(hands)
    }

    /// The key of the whole position after a pass.
    #[inline]
    pub(crate) fn key_after_pass(&self) -> u64 {
        let hands = self.key().wrapping_sub(self.board_key());
        (self.board_key() ^ white_to_move()).wrapping_add(hands)
    }
}

#[cfg(test)]
mod tests {
    use crate::mate::samples::walk;
    use crate::rules::handicap::START;
    use crate::rules::sfen::parse;

    #[test]
    fn keys_are_known_before_the_move() {
        assert_eq!(parse(START).unwrap().board_key(), parse(START).unwrap().key());
        walk(2_000, 5, |position| {
            for mv in position.legal_moves() {
                let mut after = position.clone();
                after.make(mv);
                assert_eq!(position.key_after(mv), after.key(), "{mv}");
            }
            if !position.in_check() {
                let mut after = position.clone();
                after.make_pass();
                assert_eq!(position.key_after_pass(), after.key(), "a pass");
            }
        });
    }
}
