//! A shogi board while a record sets it up: squares and hands without rules.

use kaeshi_core::game::Side;
use kaeshi_shogi::rules::japanese::{self, HAND};

/// A piece as SFEN writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SfenPiece {
    /// The side that owns it.
    pub side: Side,
    /// The upper-case letter of the plain piece.
    pub letter: char,
    /// Whether it is promoted.
    pub promoted: bool,
}

/// Squares, hands and the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShogiSetup {
    /// By `9 * (rank - 1) + (9 - file)`: as SFEN writes them.
    squares: [Option<SfenPiece>; 81],
    hands: [[u8; 7]; 2],
    /// The side to move.
    pub side: Side,
}

fn index(file: u8, rank: u8) -> Option<usize> {
    let inside = (1..=9).contains(&file) && (1..=9).contains(&rank);
    inside.then(|| 9 * (usize::from(rank) - 1) + (9 - usize::from(file)))
}

impl ShogiSetup {
    /// An empty board, Black to move.
    pub fn empty() -> ShogiSetup {
        ShogiSetup { squares: [None; 81], hands: [[0; 7]; 2], side: Side::First }
    }

    /// The usual start position.
    pub fn even() -> ShogiSetup {
        let mut setup = ShogiSetup::empty();
        for (rank, row) in [(1, "LNSGKGSNL"), (2, " R     B "), (3, "PPPPPPPPP")] {
            for (column, letter) in (0u8..).zip(row.chars()).filter(|&(_, letter)| letter != ' ') {
                let file = 9 - column;
                setup.put(file, rank, Some(SfenPiece { side: Side::Second, letter, promoted: false }));
                let man = SfenPiece { side: Side::First, letter, promoted: false };
                setup.put(10 - file, 10 - rank, Some(man));
            }
        }
        setup
    }

    /// Sets or empties a square (1 to 9); `false` if there is no such square.
    pub fn put(&mut self, file: u8, rank: u8, man: Option<SfenPiece>) -> bool {
        match index(file, rank).and_then(|index| self.squares.get_mut(index)) {
            Some(square) => {
                *square = man;
                true
            }
            None => false,
        }
    }

    /// The piece on a square (file and rank 1 to 9).
    pub fn man(&self, file: u8, rank: u8) -> Option<SfenPiece> {
        index(file, rank).and_then(|index| self.squares.get(index).copied().flatten())
    }

    /// Adds pieces of one kind to a hand; `false` if they cannot be held.
    pub fn hold(&mut self, side: Side, letter: char, count: u8) -> bool {
        let held = HAND.iter().position(|&kind| kind == letter);
        match held.and_then(|kind| self.hands.get_mut(side.index())?.get_mut(kind)) {
            Some(hand) => {
                *hand = hand.saturating_add(count);
                true
            }
            None => false,
        }
    }

    /// Gives everything that is on neither board nor hands to `side`, as CSA's `00AL`.
    pub fn hold_the_rest(&mut self, side: Side) {
        const IN_SET: [u8; 7] = [2, 2, 4, 4, 4, 4, 18];
        for (letter, in_set) in HAND.into_iter().zip(IN_SET) {
            let on_board = self.squares.iter().flatten().filter(|man| man.letter == letter).count();
            let kind = HAND.iter().position(|&kind| kind == letter).unwrap_or(0);
            let in_hands: u8 = self.hands.iter().filter_map(|hand| hand.get(kind)).sum();
            let used = u8::try_from(on_board).unwrap_or(u8::MAX).saturating_add(in_hands);
            self.hold(side, letter, in_set.saturating_sub(used));
        }
    }

    /// Makes a move without asking whether it is legal: the piece on `from` becomes promoted or not,
    /// what stood on `to` goes to the mover's hand. `None` drops from the hand.
    pub fn make(&mut self, from: Option<(u8, u8)>, to: (u8, u8), man: SfenPiece) {
        match from {
            Some((file, rank)) => {
                self.put(file, rank, None);
                if let Some(taken) = self.man(to.0, to.1) {
                    self.hold(man.side, taken.letter, 1);
                }
            }
            None => {
                let kind = HAND.iter().position(|&kind| kind == man.letter).unwrap_or(0);
                if let Some(hand) = self.hands.get_mut(man.side.index()).and_then(|hand| hand.get_mut(kind)) {
                    *hand = hand.saturating_sub(1);
                }
            }
        }
        self.put(to.0, to.1, Some(man));
        self.side = self.side.other();
    }

    /// `sfen …`, or `startpos` for the usual start.
    pub fn text(&self) -> String {
        if *self == ShogiSetup::even() {
            return "startpos".to_owned();
        }
        let mut text = String::from("sfen ");
        for rank in 1..=9 {
            let mut run = 0;
            for file in (1..=9).rev() {
                match self.man(file, rank) {
                    None => run += 1,
                    Some(man) => {
                        push_run(&mut text, &mut run);
                        if man.promoted {
                            text.push('+');
                        }
                        text.push(cased(man.letter, man.side));
                    }
                }
            }
            push_run(&mut text, &mut run);
            if rank < 9 {
                text.push('/');
            }
        }
        text.push_str(if self.side == Side::First { " b " } else { " w " });
        let before = text.len();
        for (hand, side) in self.hands.iter().zip([Side::First, Side::Second]) {
            for (&count, letter) in hand.iter().zip(HAND).filter(|&(&count, _)| count > 0) {
                if count > 1 {
                    text.push_str(&count.to_string());
                }
                text.push(cased(letter, side));
            }
        }
        if text.len() == before {
            text.push('-');
        }
        text + " 1"
    }

    /// Reads one row of a BOD board (`| ・v桂 ・ …|三`) as rank `rank`; `None` if it is none.
    pub fn read_bod_row(&mut self, row: &str, rank: u8) -> Option<()> {
        let inside = row.trim_start().strip_prefix('|')?;
        let inside = inside.split('|').next()?;
        let mut file = 9;
        let mut side = Side::First;
        for sign in inside.chars() {
            match sign {
                ' ' | '\u{3000}' => continue,
                'v' | 'V' => {
                    side = Side::Second;
                    continue;
                }
                '^' => {
                    side = Side::First;
                    continue;
                }
                '・' | '.' | '･' => {}
                _ => {
                    let (letter, promoted) = japanese::man(&sign.to_string())?;
                    self.put(file, rank, Some(SfenPiece { side, letter, promoted })).then_some(())?;
                }
            }
            side = Side::First;
            file = file.checked_sub(1)?;
        }
        (file == 0).then_some(())
    }
}

fn push_run(text: &mut String, run: &mut u8) {
    if *run > 0 {
        text.push_str(&run.to_string());
        *run = 0;
    }
}

fn cased(letter: char, side: Side) -> char {
    match side {
        Side::First => letter,
        Side::Second => letter.to_ascii_lowercase(),
    }
}

/// A square in USI: `7g`.
pub fn square(file: u8, rank: u8) -> String {
    let rank = char::from(b'a' + rank.saturating_sub(1).min(8));
    format!("{file}{rank}")
}

/// A move in USI.
pub fn usi(from: Option<(u8, u8)>, to: (u8, u8), letter: char, promote: bool) -> String {
    let to = square(to.0, to.1);
    match from {
        None => format!("{letter}*{to}"),
        Some((file, rank)) => format!("{}{to}{}", square(file, rank), if promote { "+" } else { "" }),
    }
}

/// Handicaps by their Japanese names: which of White's pieces (file, rank) are missing.
/// The giver's right lies on file 9. Names and boards are those of the [KIF
/// description](http://kakinoki.o.oo7.jp/kif_format.html).
const HANDICAPS: [(&str, &[(u8, u8)]); 16] = [
    ("平手", &[]),
    ("香落ち", &[(1, 1)]),
    ("右香落ち", &[(9, 1)]),
    ("角落ち", &[(2, 2)]),
    ("飛車落ち", &[(8, 2)]),
    ("飛香落ち", &[(8, 2), (1, 1)]),
    ("二枚落ち", &[(8, 2), (2, 2)]),
    ("三枚落ち", &[(8, 2), (2, 2), (1, 1)]),
    ("四枚落ち", &[(8, 2), (2, 2), (1, 1), (9, 1)]),
    ("五枚落ち", &[(8, 2), (2, 2), (1, 1), (9, 1), (8, 1)]),
    ("左五枚落ち", &[(8, 2), (2, 2), (1, 1), (9, 1), (2, 1)]),
    ("六枚落ち", &[(8, 2), (2, 2), (1, 1), (9, 1), (2, 1), (8, 1)]),
    ("左七枚落ち", &[(8, 2), (2, 2), (1, 1), (9, 1), (2, 1), (8, 1), (3, 1)]),
    ("右七枚落ち", &[(8, 2), (2, 2), (1, 1), (9, 1), (2, 1), (8, 1), (7, 1)]),
    ("八枚落ち", &[(8, 2), (2, 2), (1, 1), (9, 1), (2, 1), (8, 1), (3, 1), (7, 1)]),
    ("十枚落ち", &[(8, 2), (2, 2), (1, 1), (9, 1), (2, 1), (8, 1), (3, 1), (7, 1), (4, 1), (6, 1)]),
];

/// The board of a handicap by its Japanese name; `None` for an unknown one (その他 among them).
pub fn handicap(name: &str) -> Option<ShogiSetup> {
    let name = name.trim_matches(super::text::is_blank);
    let (_, missing) = HANDICAPS.iter().find(|(known, _)| *known == name)?;
    let mut setup = ShogiSetup::even();
    for &(file, rank) in *missing {
        setup.put(file, rank, None);
    }
    if !missing.is_empty() {
        setup.side = Side::Second;
    }
    Some(setup)
}

/// The Japanese name of the handicap that starts with this SFEN, without the word `sfen`.
pub fn handicap_name(start: &str) -> Option<&'static str> {
    let starts_so = |name: &&str| handicap(name).is_some_and(|setup| setup.text().ends_with(start));
    HANDICAPS.iter().map(|(name, _)| *name).find(starts_so)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_start_is_named_so() {
        assert_eq!(ShogiSetup::even().text(), "startpos");
        let mut setup = ShogiSetup::even();
        setup.side = Side::Second;
        assert_eq!(setup.text(), "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
    }

    #[test]
    fn captured_pieces_go_to_the_hand_unpromoted() {
        let mut setup = ShogiSetup::even();
        let horse = SfenPiece { side: Side::First, letter: 'B', promoted: true };
        setup.make(Some((8, 8)), (2, 2), horse);
        assert!(setup.text().ends_with(" w B 1"), "{}", setup.text());
        assert_eq!(setup.man(2, 2), Some(horse));
        let silver = SfenPiece { side: Side::Second, letter: 'S', promoted: false };
        setup.make(Some((3, 1)), (2, 2), silver);
        assert!(setup.text().ends_with(" b Bb 1"), "{}", setup.text());
    }

    #[test]
    fn the_rest_of_the_set_is_held() {
        let mut setup = ShogiSetup::even();
        setup.put(8, 2, None);
        setup.put(1, 1, None);
        setup.hold_the_rest(Side::Second);
        assert!(setup.text().ends_with(" b rl 1"), "{}", setup.text());
    }

    #[test]
    fn only_squares_of_the_board_are_set() {
        let mut setup = ShogiSetup::empty();
        let king = SfenPiece { side: Side::First, letter: 'K', promoted: false };
        for (file, rank, inside) in
            [(1, 1, true), (9, 9, true), (0, 5, false), (10, 5, false), (5, 0, false), (5, 10, false)]
        {
            assert_eq!(setup.put(file, rank, Some(king)), inside, "{file} {rank}");
            assert_eq!(setup.man(file, rank), inside.then_some(king));
        }
        assert_eq!(setup.text(), "sfen 8K/9/9/9/9/9/9/9/K8 b - 1");
        assert!(!setup.hold(Side::First, 'K', 1) && setup.hold(Side::First, 'P', 1));
    }

    #[test]
    fn a_drop_comes_from_the_hand() {
        let mut setup = ShogiSetup::empty();
        assert!(setup.hold(Side::Second, 'N', 2) && setup.hold(Side::First, 'N', 1));
        setup.side = Side::Second;
        setup.make(None, (5, 5), SfenPiece { side: Side::Second, letter: 'N', promoted: false });
        assert_eq!(setup.text(), "sfen 9/9/9/9/4n4/9/9/9/9 b Nn 1");
    }

    #[test]
    fn rows_of_a_diagram_have_nine_squares() {
        let read = |row: &str| {
            let mut setup = ShogiSetup::empty();
            setup.read_bod_row(row, 1).map(|()| setup.text().split('/').next().unwrap().to_owned())
        };
        for (row, wanted) in [
            ("|v香^桂 銀V金 ・ . ･　玉 と|一", Some("sfen lNSg3K+P")),
            ("  | ・ ・ ・ ・ ・ ・ ・ ・ ・|", Some("sfen 9")),
            ("| ・ ・ ・ ・ ・ ・ ・ ・|", None),
            ("| ・ ・ ・ ・ ・ ・ ・ ・ ・ ・|", None),
            ("| ・ ・ ・ ・ ? ・ ・ ・ ・|", None),
            (" ・ ・ ・ ・ ・ ・ ・ ・ ・|", None),
        ] {
            assert_eq!(read(row).as_deref(), wanted, "{row}");
        }
    }

    #[test]
    fn a_handicap_takes_pieces_away_and_lets_white_begin() {
        assert_eq!(handicap("平手").unwrap().text(), "startpos");
        let lance = "sfen lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        assert_eq!(handicap("\u{3000}香落ち ").unwrap().text(), lance);
        assert_eq!(handicap("その他"), None);
    }

    /// Written out from the KIF description; `.ci/records` compares them with other programs.
    #[test]
    fn every_handicap_has_the_board_of_the_kif_description() {
        let rest = "ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        for (name, ranks) in [
            ("香落ち", "lnsgkgsn1/1r5b1"),
            ("右香落ち", "1nsgkgsnl/1r5b1"),
            ("角落ち", "lnsgkgsnl/1r7"),
            ("飛車落ち", "lnsgkgsnl/7b1"),
            ("飛香落ち", "lnsgkgsn1/7b1"),
            ("二枚落ち", "lnsgkgsnl/9"),
            ("三枚落ち", "lnsgkgsn1/9"),
            ("四枚落ち", "1nsgkgsn1/9"),
            ("五枚落ち", "2sgkgsn1/9"),
            ("左五枚落ち", "1nsgkgs2/9"),
            ("六枚落ち", "2sgkgs2/9"),
            ("左七枚落ち", "2sgkg3/9"),
            ("右七枚落ち", "3gkgs2/9"),
            ("八枚落ち", "3gkg3/9"),
            ("十枚落ち", "4k4/9"),
        ] {
            let sfen = format!("{ranks}/{rest}");
            assert_eq!(handicap(name).map(|setup| setup.text()), Some(format!("sfen {sfen}")), "{name}");
            assert_eq!(handicap_name(&sfen), Some(name));
        }
        assert_eq!(HANDICAPS.len(), 16);
    }

    #[test]
    fn moves_are_named_as_usi_does() {
        assert_eq!((square(1, 1), square(9, 9), square(5, 0)), ("1a".into(), "9i".into(), "5a".into()));
        assert_eq!(usi(Some((7, 7)), (7, 6), 'P', false), "7g7f");
        assert_eq!(usi(Some((8, 8)), (2, 2), 'B', true), "8h2b+");
        assert_eq!(usi(None, (5, 5), 'P', false), "P*5e");
    }
}
