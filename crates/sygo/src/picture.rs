//! Sygo positions and turns as typed cells; the highest row is at the top.

use crate::rules::points::{Point, PointSet};
use crate::rules::position::SygoPosition;
use crate::rules::size::BoardSize;
use crate::rules::turn::SygoTurn;
use crate::rules::{score, territory};
use kaeshi_core::game::picture::{Picture, PicturePiece, Style, TurnPicture};

/// The index of a point among the cells.
fn cell(size: BoardSize, point: Point) -> u16 {
    ((size.rows() - 1 - point.row()) * size.columns() + point.column()) as u16
}

fn cells(size: BoardSize, points: &PointSet) -> Vec<u16> {
    let mut cells: Vec<u16> = points.iter().map(|point| cell(size, point)).collect();
    cells.sort_unstable();
    cells
}

/// The position to be drawn.
pub fn picture(position: &SygoPosition) -> Picture {
    let (board, size) = (&position.board, position.board.size());
    Picture {
        style: Style::Stones,
        columns: size.columns() as u8,
        rows: size.rows() as u8,
        names: size.from_top().map(|point| point.to_string()).collect(),
        cells: size
            .from_top()
            .map(|point| board.stone(point).map(|colour| PicturePiece { side: colour.into(), kind: "" }))
            .collect(),
        hands: Default::default(),
        to_move: position.side.into(),
        number: position.number,
        check: None,
        counts: Some(score(board)),
        territory: territory(board).map(|points| cells(size, &points)),
    }
}

/// The effect of a legal turn.
pub fn turn(position: &SygoPosition, turn: &SygoTurn) -> TurnPicture {
    let size = position.board.size();
    let mut after = position.clone();
    after.play(turn);
    let theirs = position.board.stones(position.side.other());
    TurnPicture {
        to: turn.stones().map(|point| cell(size, point)).collect(),
        captured: cells(size, &(*theirs & *after.board.stones(position.side))),
        ..TurnPicture::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::notation::{parse_position, parse_turn};
    use kaeshi_core::game::Side;

    #[test]
    fn stones_territory_and_captures_are_shown() {
        let position = parse_position("3/2w/bw1 w - 0 9").unwrap();
        let shown = picture(&position);
        assert_eq!((shown.names[0].as_str(), shown.names[6].as_str()), ("a3", "a1"));
        assert_eq!(shown.cells[6], Some(PicturePiece { side: Side::Second, kind: "" }));
        assert_eq!(shown.territory, [vec![8], vec![]]);
        let position = parse_position("3/2w/bw1 w - 0 9").unwrap();
        let grown = turn(&position, &parse_turn(3, "a2").unwrap());
        assert_eq!((&grown.to[..], &grown.captured[..]), (&[3][..], &[6][..]));
    }
}
