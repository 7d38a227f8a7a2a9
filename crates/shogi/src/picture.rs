//! Shogi positions and moves as typed cells.

use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind, Square};
use kaeshi_core::game::Side;
use kaeshi_core::game::picture::{Picture, PictureHand, PicturePiece, Style, TurnPicture};

/// The square of a cell: file 9 is on the left, rank a at the top.
fn square(cell: u16) -> Square {
    Square::new(8 - (cell % 9) as u8, (cell / 9) as u8)
}

fn cell(square: Square) -> u16 {
    u16::from(square.rank()) * 9 + u16::from(8 - square.file())
}

fn kind(kind: PieceKind) -> &'static str {
    const NAMES: [&str; PieceKind::COUNT] =
        ["P", "L", "N", "S", "B", "R", "G", "K", "+P", "+L", "+N", "+S", "+B", "+R"];
    NAMES[kind.index()]
}

/// The position to be drawn.
pub fn picture(position: &ShogiPosition) -> Picture {
    let hand = |side: Side| {
        let hand = position.hand(side);
        let held = PieceKind::STAND
            .into_iter()
            .map(|piece| PictureHand { kind: kind(piece), count: hand.count(piece) as u8 });
        held.filter(|held| held.count > 0).collect()
    };
    let king = position.king(position.side_to_move());
    Picture {
        style: Style::Pieces,
        columns: 9,
        rows: 9,
        names: (0..81).map(|cell| square(cell).to_string()).collect(),
        cells: (0..81)
            .map(|cell| position.piece_on(square(cell)).some())
            .map(|piece| piece.map(|piece| PicturePiece { side: piece.side(), kind: kind(piece.kind()) }))
            .collect(),
        hands: [hand(Side::First), hand(Side::Second)],
        to_move: position.side_to_move(),
        number: position.move_number(),
        check: (position.in_check() && king.is_some()).then(|| cell(king)),
        counts: None,
        territory: Default::default(),
    }
}

/// The effect of a legal move.
pub fn turn(position: &ShogiPosition, played: Move) -> TurnPicture {
    let to = cell(played.to());
    TurnPicture {
        from: (!played.is_drop()).then(|| cell(played.from())),
        dropped: played.is_drop().then(|| kind(played.dropped())),
        to: vec![to],
        captured: if position.piece_on(played.to()).is_some() { vec![to] } else { Vec::new() },
        promotes: played.is_promotion(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sfen::parse;

    #[test]
    fn squares_hands_and_checks_are_shown() {
        let shown = picture(&parse("ln2k4/9/9/9/4R4/9/9/9/8K w R11Pb2p 4").unwrap());
        assert_eq!(shown.names[0], "9a");
        assert_eq!(shown.names[80], "1i");
        assert_eq!(shown.cells[0], Some(PicturePiece { side: Side::Second, kind: "L" }));
        assert_eq!(
            shown.hands[0],
            [PictureHand { kind: "R", count: 1 }, PictureHand { kind: "P", count: 11 }]
        );
        assert_eq!(
            shown.hands[1],
            [PictureHand { kind: "B", count: 1 }, PictureHand { kind: "P", count: 2 }]
        );
        assert_eq!((shown.check, shown.number), (Some(4), 4));
    }

    #[test]
    fn moves_say_where_from_and_what_they_capture() {
        let position = parse("4k4/9/4p4/4R4/9/9/9/9/4K4 b P 1").unwrap();
        let step = Move::step(Square::new(4, 3), Square::new(4, 2), true);
        let shown = turn(&position, step);
        assert_eq!((shown.from, &shown.to[..], &shown.captured[..]), (Some(31), &[22][..], &[22][..]));
        assert!(shown.promotes);
        let shown = turn(&position, Move::drop(PieceKind::PAWN, Square::new(0, 8)));
        assert_eq!((shown.from, shown.dropped, &shown.to[..]), (None, Some("P"), &[80][..]));
    }
}
