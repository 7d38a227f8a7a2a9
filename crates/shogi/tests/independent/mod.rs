//! Shogi as an independent library sees it.

use kaeshi_core::game::Side;
use kaeshi_shogi::rules::types::{Move, PieceKind, Square};
use shogi_core::Piece;

/// The same move in the types of the other library.
pub fn translate(mv: Move, side: Side) -> shogi_core::Move {
    let square = |square: Square| {
        shogi_core::Square::new(square.file() + 1, square.rank() + 1).expect("a square of the board")
    };
    if !mv.is_drop() {
        let (from, to) = (square(mv.from()), square(mv.to()));
        return shogi_core::Move::Normal { from, to, promote: mv.is_promotion() };
    }
    const KINDS: [(PieceKind, Piece, Piece); 7] = [
        (PieceKind::PAWN, Piece::B_P, Piece::W_P),
        (PieceKind::LANCE, Piece::B_L, Piece::W_L),
        (PieceKind::KNIGHT, Piece::B_N, Piece::W_N),
        (PieceKind::SILVER, Piece::B_S, Piece::W_S),
        (PieceKind::BISHOP, Piece::B_B, Piece::W_B),
        (PieceKind::ROOK, Piece::B_R, Piece::W_R),
        (PieceKind::GOLD, Piece::B_G, Piece::W_G),
    ];
    let (_, black, white) = KINDS.into_iter().find(|kind| kind.0 == mv.dropped()).expect("a droppable kind");
    let piece = if side == Side::First { black } else { white };
    shogi_core::Move::Drop { piece, to: square(mv.to()) }
}
