//! The evaluation of the article that this project began with, as a choice beside ours.

use super::Weights;
use crate::game::Side;
use crate::shogi::evaluate::material;
use crate::shogi::network::features::View;
use crate::shogi::rules::types::{Kind, Piece, Square};

/// A piece in hand can be dropped anywhere, and counts so much more than on the board, in per cent.
const MORE_IN_HAND: i32 = 30;
/// Whoever takes a tokin gets a pawn, while the tokin takes a general: it counts so much more than the gold whose
/// moves it has, in per cent.
const DEAR_TOKIN: i32 = 30;

impl Weights {
    /// Pieces by a table, wherever they stand; more in hand; a dear tokin. The article names what else counts -
    /// control, nearness to the kings, unprotected generals, castles - but not how much: there the learned weights
    /// stay.
    pub fn article() -> Weights {
        let mut weights = Weights { placed: Weights::ZERO.placed, ..*Weights::embedded() };
        let view = View::unmirrored(Side::First);
        for kind in Kind::all().filter(|&kind| kind != Kind::KING) {
            let value = 16 * on_board(kind);
            for square in Square::all() {
                weights.placed[view.on_board(Piece::new(Side::First, kind), square)] = saturated(value);
            }
        }
        for (kind, all) in Kind::DROPPABLE.into_iter().zip(Kind::IN_SET) {
            let value = 16 * on_board(kind) * (100 + MORE_IN_HAND) / 100;
            for count in 1..=all {
                weights.placed[view.in_hand(Side::First, kind, count)] = saturated(value);
            }
        }
        weights
    }
}

/// In centipawns.
fn on_board(kind: Kind) -> i32 {
    match kind {
        Kind::TOKIN => material::ON_BOARD[Kind::GOLD.index()] * (100 + DEAR_TOKIN) / 100,
        kind => material::ON_BOARD[kind.index()],
    }
}

fn saturated(value: i32) -> i16 {
    i16::try_from(value).unwrap_or(i16::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::evaluate;
    use super::*;
    use crate::shogi::rules::sfen::parse;

    fn value(sfen: &str) -> i32 {
        evaluate(&Weights::article(), &parse(sfen).unwrap())
    }

    #[test]
    fn pieces_in_hand_and_tokins_count_more() {
        let pieces = Weights { terms: Weights::ZERO.terms, tempo: 0, ..Weights::article() };
        let value = |sfen: &str| evaluate(&pieces, &parse(sfen).unwrap());
        let board = value("4k4/9/9/4S4/9/9/9/9/4K4 b - 1");
        let hand = value("4k4/9/9/9/9/9/9/9/4K4 b S 1");
        assert_eq!((board, hand), (495, 643));
        assert_eq!(value("4k4/9/9/4+P4/9/9/9/9/4K4 b - 1"), 702);
        assert_eq!(value("4k4/9/9/9/9/9/9/9/4K4 b 18P 1"), 18 * 117);
    }

    #[test]
    fn the_start_is_worth_no_more_than_the_right_to_move() {
        let start = value(crate::shogi::rules::handicap::START);
        assert_eq!(start, i32::from(Weights::article().tempo) / 16);
    }
}
