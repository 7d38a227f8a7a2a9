//! The evaluation of the article that this project began with, as a choice beside ours.
//!
//! The article's: 30 per cent more for a piece in hand, a dear tokin, a king that is worth more than all else
//! together; and by name, without figures, control of the board, unprotected generals, castles, locked-in
//! pieces, and generals near the own and the enemy king. Ours: the values of the pieces, how dear a tokin is,
//! what generals near a king are worth, and the learned weights of the other terms.

use std::sync::{Arc, LazyLock};

use super::{HceWeights, evaluate, explain_with};
use crate::network::features::NetworkPerspective;
use crate::rules::material;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Piece, PieceKind, Square};
use kaeshi_core::game::Side;

/// A piece in hand can be dropped anywhere, and counts this much more than on the board, in percent.
const MORE_IN_HAND: i32 = 30;
/// Capturing a tokin yields a pawn, while the tokin takes a general: it counts this much more than the gold whose
/// moves it has, in per cent.
const DEAR_TOKIN: i32 = 30;
/// A gold or silver one, two or three steps from the own king, in centipawns.
const NEAR_OWN_KING: [i32; 3] = [12, 8, 4];
/// The same from the enemy king.
const NEAR_ENEMY_KING: [i32; 3] = [9, 6, 3];

/// The article's evaluation: `HceWeights::article`, generals near the kings, and the kings themselves.
#[derive(Debug)]
pub struct Article {
    weights: HceWeights,
    /// A king, in centipawns: one more than all other pieces together, each where it is worth most.
    king: i32,
}

/// The terms of one side that [`HceWeights`] do not hold, in centipawns.
struct ArticleTerms {
    generals: i32,
    king: i32,
}

impl Article {
    /// The only one there is.
    pub fn embedded() -> Arc<Article> {
        static ARTICLE: LazyLock<Arc<Article>> =
            LazyLock::new(|| Arc::new(Article { weights: HceWeights::article(), king: 1 + all_pieces() }));
        Arc::clone(&ARTICLE)
    }

    fn terms(&self, position: &ShogiPosition, side: Side) -> ArticleTerms {
        let (own, enemy) = (position.king(side), position.king(side.other()));
        let near = |king: Square, values: [i32; 3], general: Square| {
            let steps = if king.is_some() { king.distance(general) } else { u8::MAX };
            values.get(usize::from(steps).wrapping_sub(1)).copied().unwrap_or(0)
        };
        let generals =
            (position.kind(PieceKind::GOLD) | position.kind(PieceKind::SILVER)) & position.of(side);
        let value = |general| near(own, NEAR_OWN_KING, general) + near(enemy, NEAR_ENEMY_KING, general);
        ArticleTerms {
            generals: generals.into_iter().map(value).sum(),
            king: if own.is_some() { self.king } else { 0 },
        }
    }

    /// Value for the side to move, in centipawns.
    pub fn evaluate(&self, position: &ShogiPosition) -> i32 {
        let us = position.side_to_move();
        let (own, enemy) = (self.terms(position, us), self.terms(position, us.other()));
        evaluate(&self.weights, position) + own.generals - enemy.generals + own.king - enemy.king
    }

    /// The terms as a table.
    pub fn explain(&self, position: &ShogiPosition) -> String {
        let [black, white] = Side::BOTH.map(|side| self.terms(position, side));
        let rows = [("generals", [black.generals, white.generals]), ("king", [black.king, white.king])];
        explain_with(&self.weights, position, &rows, self.evaluate(position))
    }

    /// CRC-32 of its numbers, which identifies it.
    pub fn checksum(&self) -> u32 {
        let own = NEAR_OWN_KING.into_iter().chain(NEAR_ENEMY_KING).chain([self.king]);
        let bytes = self.weights.checksum().to_le_bytes().into_iter().chain(own.flat_map(i32::to_le_bytes));
        crc32fast::hash(&bytes.collect::<Vec<u8>>())
    }
}

/// All pieces of the game but the kings, each on the board, promoted or in hand, wherever it is worth most.
fn all_pieces() -> i32 {
    let worth = |kind: PieceKind| {
        let promoted = if kind.can_promote() { on_board(kind.promoted()) } else { 0 };
        on_board(kind).max(in_hand(kind)).max(promoted)
    };
    PieceKind::DROPPABLE.into_iter().zip(PieceKind::IN_SET).map(|(kind, all)| worth(kind) * all as i32).sum()
}

impl HceWeights {
    /// Pieces by a table of values that does not depend on their squares, with higher values in hand and for the tokin.
    /// The other terms keep the trained weights.
    fn article() -> HceWeights {
        let mut weights = HceWeights { placed: HceWeights::ZERO.placed, ..*HceWeights::embedded() };
        let view = NetworkPerspective::unmirrored(Side::First);
        for kind in PieceKind::all().filter(|&kind| kind != PieceKind::KING) {
            let value = 16 * on_board(kind);
            for square in Square::all() {
                weights.placed[view.on_board(Piece::new(Side::First, kind), square)] = saturated(value);
            }
        }
        for (kind, all) in PieceKind::DROPPABLE.into_iter().zip(PieceKind::IN_SET) {
            let value = 16 * in_hand(kind);
            for count in 1..=all {
                weights.placed[view.in_hand(Side::First, kind, count)] = saturated(value);
            }
        }
        weights
    }
}

/// In centipawns.
fn on_board(kind: PieceKind) -> i32 {
    match kind {
        PieceKind::TOKIN => material::ON_BOARD[PieceKind::GOLD.index()] * (100 + DEAR_TOKIN) / 100,
        kind => material::ON_BOARD[kind.index()],
    }
}

/// In centipawns.
fn in_hand(kind: PieceKind) -> i32 {
    on_board(kind) * (100 + MORE_IN_HAND) / 100
}

fn saturated(value: i32) -> i16 {
    i16::try_from(value).unwrap_or(i16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sfen::parse;

    fn value(sfen: &str) -> i32 {
        Article::embedded().evaluate(&parse(sfen).unwrap())
    }

    #[test]
    fn pieces_in_hand_and_tokins_count_more() {
        let pieces = HceWeights { terms: HceWeights::ZERO.terms, tempo: 0, ..HceWeights::article() };
        let value = |sfen: &str| evaluate(&pieces, &parse(sfen).unwrap());
        let board = value("4k4/9/9/4S4/9/9/9/9/4K4 b - 1");
        let hand = value("4k4/9/9/9/9/9/9/9/4K4 b S 1");
        assert_eq!((board, hand), (495, 643));
        assert_eq!(value("4k4/9/9/4+P4/9/9/9/9/4K4 b - 1"), 702);
        assert_eq!(value("4k4/9/9/9/9/9/9/9/4K4 b 18P 1"), 18 * 117);
    }

    #[test]
    fn the_start_is_worth_no_more_than_the_right_to_move() {
        let start = value(crate::rules::handicap::START);
        assert_eq!(start, i32::from(HceWeights::article().tempo) / 16);
    }

    /// The balance that the table of the terms shows in the row `name`.
    fn row(sfen: &str, name: &str) -> [i32; 3] {
        let table = Article::embedded().explain(&parse(sfen).unwrap());
        let row = table.lines().find(|line| line.starts_with(name)).expect("the row");
        let numbers: Vec<i32> = row[12..].split_whitespace().map(|word| word.parse().unwrap()).collect();
        numbers.try_into().unwrap()
    }

    #[test]
    fn generals_count_near_either_king() {
        // One step from the own king, two steps, four steps; a silver beside the enemy king.
        assert_eq!(row("4k4/9/9/9/9/9/9/4G4/4K4 b - 1", "generals"), [12, 0, 12]);
        assert_eq!(row("4k4/9/9/9/9/9/4S4/9/4K4 b - 1", "generals"), [8, 0, 8]);
        assert_eq!(row("4k4/9/9/9/4G4/9/9/9/4K4 b - 1", "generals"), [0; 3]);
        assert_eq!(row("4kS3/9/9/9/9/9/9/9/4K4 b - 1", "generals"), [9, 0, 9]);
        assert_eq!(row("4k4/4s4/9/9/9/9/9/9/4K4 w - 1", "generals"), [0, 12, -12]);
        // Other pieces are no generals, and a king that is not there has nothing near it.
        assert_eq!(row("4k4/9/9/9/9/9/9/4N4/4K4 b - 1", "generals"), [0; 3]);
        assert_eq!(row("4k4/9/9/9/9/9/9/4G4/9 b - 1", "generals"), [0; 3]);
        let value = value("4k4/9/9/9/9/9/9/4G4/4K4 b - 1");
        assert_eq!(
            value,
            evaluate(&HceWeights::article(), &parse("4k4/9/9/9/9/9/9/4G4/4K4 b - 1").unwrap()) + 12
        );
    }

    #[test]
    fn the_king_is_worth_more_than_all_pieces_together() {
        let king = Article::embedded().king;
        assert_eq!(row(crate::rules::handicap::START, "king"), [king, king, 0]);
        assert_eq!(row("4k4/9/9/9/9/9/9/9/9 b - 1", "king"), [0, king, -king]);
        // Everything but the own king does not make up for it, wherever the pieces are.
        let pieces = HceWeights { terms: HceWeights::ZERO.terms, tempo: 0, ..HceWeights::article() };
        for sfen in [
            "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
            "+P+P+P+P+P+P+P+P+P/+P+P+P+P+P+P+P+P+P/+R+R7/9/9/9/9/9/4k4 b 2B4G4S4N4L 1",
        ] {
            let value = evaluate(&pieces, &parse(sfen).unwrap());
            assert!(value > 0 && value < king, "{sfen}: {value}, king {king}");
        }
    }

    #[test]
    fn both_sides_are_judged_alike() {
        let black = value("l2gk3l/9/2ns5/9/9/9/9/4GS3/4K4 b RB 1");
        let white = value("4k4/3sg4/9/9/9/9/5SN2/9/L3KG2L w rb 1");
        assert_eq!(black, white);
    }
}
