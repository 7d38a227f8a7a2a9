//! Which of a book's moves is played: any of the best.

use std::path::Path;
use std::sync::Arc;

use super::{ReversiBook, ReversiBookMove, first_image};
use crate::rules::board::{ReversiBoard, squares, symmetric};
use kaeshi_core::game::GameError;
use kaeshi_core::random::SplitMix;

/// How to use a book.
#[derive(Clone, Debug)]
pub struct ReversiBookSettings {
    /// The book, its values those of the positions that the moves lead to; `None` for none.
    book: Option<Arc<ReversiBook>>,
    /// Whether to use it.
    pub on: bool,
    /// How many hundredths of a disc a move may be behind the best.
    pub margin: i32,
}

impl Default for ReversiBookSettings {
    fn default() -> ReversiBookSettings {
        ReversiBookSettings { book: None, on: true, margin: 0 }
    }
}

impl ReversiBookSettings {
    /// The book in a file; without a name, none.
    ///
    /// # Errors
    /// As [`ReversiBook::read`].
    pub fn open(&mut self, name: &str) -> Result<(), GameError> {
        self.book = match name {
            "" | "no_book" => None,
            name => Some(Arc::new(ReversiBook::read(Path::new(name))?.propagated())),
        };
        Ok(())
    }

    /// Plies that were searched for the values.
    pub fn depth(&self) -> u32 {
        self.book.as_ref().map_or(0, |book| book.recipe.depth)
    }

    /// One of the good moves of `board` among those that `allowed` lets pass, each as likely.
    pub fn choose(
        &self,
        board: ReversiBoard,
        allowed: impl Fn(u8) -> bool,
        random: &mut SplitMix,
    ) -> Option<ReversiBookMove> {
        let book = self.book.as_ref().filter(|_| self.on)?;
        let (first, symmetry) = first_image(board);
        let known = book.positions.get(&first)?;
        let image = |square: usize| symmetric(1 << square, symmetry).trailing_zeros() as u8;
        let moves: Vec<ReversiBookMove> = squares(board.moves())
            .filter_map(|square| {
                let known = known.iter().find(|known| known.square == image(square))?;
                Some(ReversiBookMove { square: square as u8, ..*known })
            })
            .filter(|known| allowed(known.square))
            .collect();
        let best = moves.iter().map(|known| known.value).max()?;
        let good = |known: &&ReversiBookMove| 100 * (i32::from(best) - i32::from(known.value)) <= self.margin;
        let good: Vec<&ReversiBookMove> = moves.iter().filter(good).collect();
        good.get(random.below(good.len() as u32) as usize).map(|&&known| known)
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::rules::notation::{format_position, square_name};
    use crate::rules::position::ReversiPosition;
    use kaeshi_core::game::Side;

    #[test]
    fn only_good_enough_and_allowed_moves_are_played_in_every_image_of_a_position() {
        // White to move after f5 from the start, seen by White; turned as the book has it.
        let after = ReversiBoard::START.after(37, ReversiBoard::START.flips(37));
        let (board, _) = first_image(after);
        let line = format_position(&ReversiPosition { board, side: Side::First });
        let moves: Vec<String> = squares(board.moves())
            .zip([2, 1, -4])
            .map(|(square, value)| format!("{} {value}", square_name(square)))
            .collect();
        let head = "kaeshi reversi book 1\ndepth 4 disc-plies 2 evaluation hand";
        let book =
            ReversiBook::parse(&format!("{head}\n{line} {}\nend 1\n", moves.join(" "))).expect("a book");
        let mut settings =
            ReversiBookSettings { book: Some(Arc::new(book)), ..ReversiBookSettings::default() };
        let mut random = SplitMix::new(1);
        for symmetry in 0..8 {
            let image = ReversiBoard {
                me: symmetric(after.me, symmetry),
                opponent: symmetric(after.opponent, symmetry),
            };
            let mut values = |settings: &ReversiBookSettings| -> Vec<i8> {
                let mut drawn: Vec<i8> = (0..60)
                    .filter_map(|_| settings.choose(image, |_| true, &mut random))
                    .inspect(|known| assert!(image.moves() >> known.square & 1 == 1))
                    .map(|known| known.value)
                    .collect();
                drawn.sort_unstable();
                drawn.dedup();
                drawn
            };
            settings.margin = 0;
            assert_eq!(values(&settings), [2]);
            settings.margin = 100;
            assert_eq!(values(&settings), [1, 2]);
        }
        assert!(settings.choose(after, |_| false, &mut random).is_none());
        assert!(settings.choose(ReversiBoard::START, |_| true, &mut random).is_none());
        settings.on = false;
        assert!(settings.choose(after, |_| true, &mut random).is_none());
    }
}
