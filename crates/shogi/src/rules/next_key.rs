//! Keys of a position after a move, before the move is made: the transposition table is prefetched by them.

use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, Piece};
use crate::rules::zobrist;

impl ShogiPosition {
    /// The board key after the legal move `mv`.
    #[inline]
    pub(crate) fn board_key_after(&self, mv: Move) -> u64 {
        let us = self.side_to_move();
        let to = mv.to();
        let key = self.board_key() ^ zobrist::white_to_move();
        if mv.is_drop() {
            return key ^ zobrist::on_board(Piece::new(us, mv.dropped()), to);
        }
        let piece = self.piece_on(mv.from());
        let moved = if mv.is_promotion() { Piece::new(us, piece.kind().promoted()) } else { piece };
        let captured = self.piece_on(to);
        let key = key ^ zobrist::on_board(piece, mv.from()) ^ zobrist::on_board(moved, to);
        if captured.is_some() { key ^ zobrist::on_board(captured, to) } else { key }
    }

    /// The key of the whole position after the legal move `mv`.
    #[inline]
    pub(crate) fn key_after(&self, mv: Move) -> u64 {
        let us = self.side_to_move();
        let hands = self.key().wrapping_sub(self.board_key());
        let captured = self.piece_on(mv.to());
        let hands = if mv.is_drop() {
            hands.wrapping_sub(zobrist::in_hand(us, mv.dropped()))
        } else if captured.is_some() {
            hands.wrapping_add(zobrist::in_hand(us, captured.kind().plain()))
        } else {
            hands
        };
        self.board_key_after(mv).wrapping_add(hands)
    }

    /// The key of the whole position after a pass.
    #[inline]
    pub(crate) fn key_after_pass(&self) -> u64 {
        let hands = self.key().wrapping_sub(self.board_key());
        (self.board_key() ^ zobrist::white_to_move()).wrapping_add(hands)
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
