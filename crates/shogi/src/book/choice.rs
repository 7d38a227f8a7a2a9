//! Which of a book's moves is played: good ones, often played ones more often.

use std::path::PathBuf;
use std::sync::Arc;

use super::{ShogiBook, ShogiBookMove};
use crate::rules::notation::parse_move;
use crate::rules::position::ShogiPosition;
use crate::rules::types::Move;
use kaeshi_core::files::located;
use kaeshi_core::game::{GameError, Side};
use kaeshi_core::random::SplitMix;

/// A move this far behind, in centipawns, is chosen half as often as the best.
const HALVED_BEHIND: i32 = 10;

/// No value is as far from 0, in centipawns.
pub const NO_LIMIT: i32 = 99_999;

/// How to use a book.
#[derive(Clone, Debug)]
pub struct ShogiBookSettings {
    /// The book; `None` for none.
    pub book: Option<Arc<ShogiBook>>,
    /// Whether to use it.
    pub on: bool,
    /// No longer than up to this move of the game.
    pub moves: u32,
    /// How many centipawns a move may be behind the best.
    pub margin: i32,
    /// Moves of Black and of White with a lower value, in centipawns, are not played.
    pub least: [i32; 2],
    /// Moves that were searched less deeply are not played.
    pub depth: u16,
    /// How often the book is left alone, per cent.
    pub ignored: u32,
    /// The folder in which a book with a relative path is looked for first; empty for none.
    pub folder: PathBuf,
    /// The book that was asked for last.
    name: String,
}

impl Default for ShogiBookSettings {
    fn default() -> ShogiBookSettings {
        ShogiBookSettings {
            book: None,
            on: true,
            moves: 16,
            margin: 30,
            least: [-NO_LIMIT; 2],
            depth: 0,
            ignored: 0,
            folder: PathBuf::new(),
            name: String::new(),
        }
    }
}

/// The move that a book offers in a position.
#[derive(Debug, Default)]
pub struct BookChoice {
    /// The move to play, with what the book says of it.
    pub chosen: Option<(Move, ShogiBookMove)>,
    /// Messages about faulty moves of the book.
    pub remarks: Vec<String>,
}

impl ShogiBookSettings {
    /// The book called `name`: `embedded`, `no_book` (or nothing) for none, or a file.
    ///
    /// # Errors
    /// As [`ShogiBook::read`].
    pub fn open(&mut self, name: &str) -> Result<(), GameError> {
        name.clone_into(&mut self.name);
        let within = self.folder.join(name);
        self.book = match name {
            "" | "no_book" => None,
            "embedded" => Some(ShogiBook::embedded()),
            name => {
                let path = if located(&within).exists() { within } else { PathBuf::from(name) };
                Some(Arc::new(ShogiBook::read(&path)?))
            }
        };
        Ok(())
    }

    /// Looks for the book in this folder, also for one that was not found before.
    ///
    /// # Errors
    /// As [`ShogiBook::read`].
    pub fn look_in(&mut self, folder: &str) -> Result<(), GameError> {
        self.folder = PathBuf::from(folder);
        self.open(&self.name.clone())
    }

    /// Chooses among the legal moves that `allowed` lets pass and that are good enough.
    pub fn choose(
        &self,
        position: &ShogiPosition,
        allowed: impl Fn(&Move) -> bool,
        random: &mut SplitMix,
    ) -> BookChoice {
        let mut choice = BookChoice::default();
        let Some(book) = self.book.as_ref().filter(|_| self.on && position.move_number() <= self.moves)
        else {
            return choice;
        };
        if self.ignored > 0 && random.below(100) < self.ignored {
            return choice;
        }
        let [black, white] = self.least;
        let least = match position.side_to_move() {
            Side::First => black,
            Side::Second => white,
        };
        let mut legal: Vec<(Move, ShogiBookMove)> = Vec::new();
        for known in book.moves(position) {
            match parse_move(position, &known.turn) {
                Ok(turn) if allowed(&turn) && known.value >= least && known.depth >= self.depth => {
                    legal.push((turn, known));
                }
                Ok(_) => {}
                Err(reason) => choice.remarks.push(format!("a move of the book is ignored: {reason}")),
            }
        }
        let Some(best) = legal.iter().map(|(_, known)| known.value).max() else { return choice };
        let behind = |known: &ShogiBookMove| best.saturating_sub(known.value);
        legal.retain(|(_, known)| behind(known) <= self.margin);
        let weight = |known: &ShogiBookMove| {
            known.count.max(1) as f64 * 0.5f64.powf(f64::from(behind(known)) / f64::from(HALVED_BEHIND))
        };
        let sum: f64 = legal.iter().map(|(_, known)| weight(known)).sum();
        let mut drawn = f64::from(random.below(u32::MAX)) / f64::from(u32::MAX) * sum;
        let at = legal.iter().position(|(_, known)| {
            drawn -= weight(known);
            drawn < 0.0
        });
        // The last of sums may be rounded away.
        choice.chosen = at.or_else(|| legal.len().checked_sub(1)).map(|at| legal.swap_remove(at));
        choice
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::rules::handicap::START;
    use crate::rules::sfen::parse;

    fn settings(moves: &str) -> ShogiBookSettings {
        let text = format!("#YANEURAOU-DB2016 1.00\nsfen {START}\n{moves}");
        let book = Some(Arc::new(ShogiBook::parse(text).unwrap()));
        ShogiBookSettings { book, ..ShogiBookSettings::default() }
    }

    /// How often each move is chosen in a thousand draws.
    fn drawn(settings: &ShogiBookSettings, moves: &[&str]) -> Vec<usize> {
        let position = parse(START).unwrap();
        let mut random = SplitMix::new(7);
        let mut draws = vec![0; moves.len()];
        for _ in 0..1_000 {
            let (turn, _) = settings.choose(&position, |_| true, &mut random).chosen.unwrap();
            draws[moves.iter().position(|text| *text == turn.to_string()).unwrap()] += 1;
        }
        draws
    }

    #[test]
    fn good_and_often_played_moves_are_chosen_more_often_and_bad_ones_never() {
        let settings = settings("7g7f none 40 9 3\n2g2f none 40 9 1\n5g5f none 20 9 4\n9g9f none 5 9 99\n");
        let draws = drawn(&settings, &["7g7f", "2g2f", "5g5f", "9g9f"]);
        assert_eq!(draws[3], 0, "35 behind is more than 30");
        assert!((550..650).contains(&draws[0]), "{draws:?}: 3 of 5 expected");
        assert!((150..250).contains(&draws[1]) && (150..250).contains(&draws[2]), "{draws:?}: 1 of 5 each");
        let narrow = ShogiBookSettings { margin: 0, ..settings };
        assert_eq!(drawn(&narrow, &["7g7f", "2g2f", "5g5f", "9g9f"])[2], 0);
    }

    #[test]
    fn illegal_moves_are_named_and_ignored() {
        let choice = settings("7g7e none 90\nwin\n2g2f none 10\n").choose(
            &parse(START).unwrap(),
            |_| true,
            &mut SplitMix::new(1),
        );
        assert_eq!(choice.chosen.unwrap().0.to_string(), "2g2f");
        assert!(choice.remarks[0].contains("7g7e is illegal") && choice.remarks[1].contains("'win'"));
    }

    #[test]
    fn low_values_and_shallow_moves_can_be_left_out() {
        let moves = "7g7f none 40 9 1\n2g2f none 20 20 1\n";
        let chosen = |settings: ShogiBookSettings| {
            let draws = drawn(&settings, &["7g7f", "2g2f"]);
            [draws[0] > 0, draws[1] > 0]
        };
        assert_eq!(chosen(settings(moves)), [true, true]);
        assert_eq!(chosen(ShogiBookSettings { depth: 10, ..settings(moves) }), [false, true]);
        assert_eq!(chosen(ShogiBookSettings { least: [30, 99], ..settings(moves) }), [true, false]);
        let position = parse(START).unwrap();
        let mut random = SplitMix::new(3);
        let never = ShogiBookSettings { ignored: 100, ..settings(moves) };
        assert!(never.choose(&position, |_| true, &mut random).chosen.is_none());
        let half = ShogiBookSettings { ignored: 50, ..settings(moves) };
        let played = (0..1_000).filter(|_| half.choose(&position, |_| true, &mut random).chosen.is_some());
        assert!((430..570).contains(&played.count()));
    }

    #[test]
    fn a_book_is_found_in_its_folder_whichever_option_comes_first() {
        let mut settings = ShogiBookSettings::default();
        assert!(settings.open("book.db").is_err());
        settings.look_in("../../tests/data").unwrap();
        assert!(settings.book.is_some());
        let mut settings = ShogiBookSettings::default();
        settings.look_in("../../tests/data").unwrap();
        settings.open("book.db").unwrap();
        assert!(settings.book.is_some() && settings.open("no-such-book.db").is_err());
    }

    #[test]
    fn a_book_can_be_off_used_up_or_forbidden() {
        let position = parse(&START.replace(" 1", " 17")).unwrap();
        let mut settings = settings("7g7f none 10\n");
        let chosen = |settings: &ShogiBookSettings, position: &ShogiPosition| {
            settings.choose(position, |_| true, &mut SplitMix::new(1)).chosen.is_some()
        };
        assert!(!chosen(&settings, &position), "the 17th move");
        settings.moves = 17;
        assert!(chosen(&settings, &position));
        assert!(settings.choose(&position, |_| false, &mut SplitMix::new(1)).chosen.is_none());
        settings.on = false;
        assert!(!chosen(&settings, &position));
        settings.open("no_book").unwrap();
        assert!(settings.book.is_none() && settings.open("no-such-book.db").is_err());
    }
}
