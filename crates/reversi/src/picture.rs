//! Reversi positions and turns as typed cells. Square numbers are cell numbers: a1 is in the upper left corner.

use crate::rules::board::squares;
use crate::rules::notation::square_name;
use crate::rules::position::{ReversiPosition, ReversiTurn};
use kaeshi_core::game::Side;
use kaeshi_core::game::picture::{Picture, PicturePiece, Style, TurnPicture};

/// The position to be drawn. Every turn but a pass fills a square, so the number counts discs.
pub fn picture(position: &ReversiPosition) -> Picture {
    let discs = position.discs();
    let man = |cell: u16| {
        let side = Side::BOTH.into_iter().find(|side| discs[side.index()] >> cell & 1 == 1)?;
        Some(PicturePiece { side, kind: "" })
    };
    Picture {
        style: Style::Discs,
        columns: 8,
        rows: 8,
        names: (0..64).map(square_name).collect(),
        cells: (0..64).map(man).collect(),
        hands: Default::default(),
        to_move: position.side,
        number: 61 - position.board.empties().min(60),
        check: None,
        counts: Some(discs.map(|discs| discs.count_ones() as i32)),
        territory: Default::default(),
    }
}

/// The effect of a legal turn.
pub fn turn(position: &ReversiPosition, turn: ReversiTurn) -> TurnPicture {
    match turn {
        ReversiTurn::Pass => TurnPicture::default(),
        ReversiTurn::Place(square) => TurnPicture {
            to: vec![u16::from(square)],
            captured: squares(position.board.flips(usize::from(square)))
                .map(|square| square as u16)
                .collect(),
            ..TurnPicture::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_shown_with_its_counts() {
        let shown = picture(&ReversiPosition::START);
        assert_eq!(shown.counts, Some([2, 2]));
        assert_eq!(shown.number, 1);
        // d4 is White's, e4 Black's.
        assert_eq!(shown.names[27], "d4");
        assert_eq!(shown.cells[27], Some(PicturePiece { side: Side::Second, kind: "" }));
        assert_eq!(shown.cells[28], Some(PicturePiece { side: Side::First, kind: "" }));
        let placed = turn(&ReversiPosition::START, ReversiTurn::Place(37));
        assert_eq!(
            (shown.names[37].as_str(), &placed.to[..], &placed.captured[..]),
            ("f5", &[37][..], &[36][..])
        );
    }
}
