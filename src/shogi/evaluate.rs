//! The static value of a position: material and mobility.

use std::fmt::Write;

use crate::game::Side;
use crate::shogi::material::material;
use crate::shogi::position::Position;
use crate::shogi::sfen::colour;

/// What one attacked square is worth.
const MOBILITY: i32 = 3;

/// The terms of one side.
struct Terms {
    board: i32,
    hand: i32,
    mobility: i32,
}

impl Terms {
    fn of(position: &Position, side: Side) -> Terms {
        let (board, hand) = material(position, side);
        let own = position.of(side);
        let squares: u32 =
            own.into_iter().map(|square| position.attacks_from(square).without(own).count()).sum();
        Terms { board, hand, mobility: MOBILITY * squares as i32 }
    }

    fn sum(&self) -> i32 {
        self.board + self.hand + self.mobility
    }
}

/// Value for the side to move.
pub fn evaluate(position: &Position) -> i32 {
    let us = position.side_to_move();
    Terms::of(position, us).sum() - Terms::of(position, us.other()).sum()
}

/// The terms as a table.
pub fn explain(position: &Position) -> String {
    let [black, white] = [Side::First, Side::Second].map(|side| Terms::of(position, side));
    let mut text = format!("{:<10} {:>8} {:>8} {:>8}\n", "term", "Black", "White", "balance");
    let rows = [
        ("board", black.board, white.board),
        ("hand", black.hand, white.hand),
        ("mobility", black.mobility, white.mobility),
        ("sum", black.sum(), white.sum()),
    ];
    for (name, black, white) in rows {
        let _ = writeln!(text, "{name:<10} {black:>8} {white:>8} {:>8}", black - white);
    }
    let _ = write!(text, "{} to move: {}", colour(position.side_to_move()), evaluate(position));
    text
}
