//! Positions and moves as Fairy-Stockfish writes them in UCI, and the engine's own words for them.
//!
//! The first side is `w`. Files are letters from the left, ranks are digits from the bottom, hands stand
//! in brackets behind the board, and a piece is dropped as `P@e5`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::fmt::Write;

use kaeshi_core::game::PASS;
use kaeshi_reversi::rules::board::{ReversiBoard, squares};
use kaeshi_reversi::rules::notation::parse_position;

use crate::protocol::record::GameHistory;

/// Kinds of pieces in the order in which SFEN writes hands.
const IN_HAND: &str = "RBGSNLP";

/// The same, of both sides, in the order in which Fairy-Stockfish lists them.
const IN_HAND_OF_UCI: &str = "GNLPSRBgnlpsrb";

/// A game that UCI can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// `shogi`.
    Shogi,
    /// `flipello`, also called `othello`.
    Othello,
}

impl Variant {
    /// All values of `UCI_Variant`.
    pub const NAMES: [&'static str; 3] = ["shogi", "flipello", "othello"];

    /// The variant with this name.
    pub fn by_name(name: &str) -> Option<Variant> {
        match name.to_ascii_lowercase().as_str() {
            "shogi" => Some(Variant::Shogi),
            "flipello" | "othello" => Some(Variant::Othello),
            _ => None,
        }
    }

    /// The variant that is played as the engine's game of this name, if UCI has a name for it.
    pub fn of_game(game: &str) -> Option<Variant> {
        [Variant::Shogi, Variant::Othello].into_iter().find(|variant| variant.game() == game)
    }

    /// Its name in UCI.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Shogi => "shogi",
            Variant::Othello => "flipello",
        }
    }

    /// The engine's name of the game.
    pub fn game(self) -> &'static str {
        match self {
            Variant::Shogi => "shogi",
            Variant::Othello => "reversi",
        }
    }

    /// The text behind `position` in the notation of the game; unchanged if it is no FEN.
    pub fn position(self, text: &str) -> String {
        let Some(fen) = text.strip_prefix("fen ") else { return text.to_owned() };
        let read = match self {
            Variant::Shogi => sfen(fen),
            Variant::Othello => discs(fen),
        };
        read.unwrap_or_else(|| text.to_owned())
    }

    /// The position after `position`, with or without the word `sfen` or `fen`, as a FEN.
    pub fn fen_of(self, position: &str) -> Option<String> {
        let text = position.strip_prefix("sfen ").or(position.strip_prefix("fen ")).unwrap_or(position);
        match self {
            Variant::Shogi => fen_of_shogi(text),
            Variant::Othello => fen_of_othello(text),
        }
    }

    /// A position that the game writes in this line, as a FEN.
    pub fn fen(self, line: &str) -> Option<String> {
        match self {
            Variant::Shogi => fen_of_shogi(line.strip_prefix("sfen ")?),
            Variant::Othello => fen_of_othello(line),
        }
    }

    /// A move in the words of the game; unchanged if it is not written as in UCI.
    pub fn turn(self, text: &str) -> String {
        let read = match (self, text.as_bytes()) {
            (Variant::Shogi, &[piece, b'@', file, rank]) if piece.is_ascii_uppercase() => {
                shogi_square(file, rank).map(|to| format!("{}*{to}", char::from(piece)))
            }
            (Variant::Shogi, &[file, rank, to_file, to_rank, ref promotion @ ..]) => {
                let promotion = match promotion {
                    [] => Some(""),
                    b"+" => Some("+"),
                    _ => None,
                };
                let squares = shogi_square(file, rank).zip(shogi_square(to_file, to_rank));
                squares.zip(promotion).map(|((from, to), promotion)| format!("{from}{to}{promotion}"))
            }
            (Variant::Othello, &[b'P' | b'p', b'@', file, rank]) => othello_square(file, rank),
            (Variant::Othello, b"0000" | b"pass") => Some("pass".to_owned()),
            (Variant::Othello, &[file, rank, to_file, to_rank]) if [file, rank] == [to_file, to_rank] => {
                othello_square(file, rank).map(|_| "pass".to_owned())
            }
            (Variant::Shogi | Variant::Othello, _) => None,
        };
        read.unwrap_or_else(|| text.to_owned())
    }

    /// A move of the game in the words of UCI. A pass of Reversi is [`pass`].
    pub fn word(self, turn: &str) -> String {
        let word = match (self, turn.as_bytes()) {
            (Variant::Shogi, &[piece, b'*', file, rank]) => {
                uci_square(file, rank).map(|to| format!("{}@{to}", char::from(piece)))
            }
            (Variant::Shogi, &[file, rank, to_file, to_rank, ref promotion @ ..]) => {
                let promotion = if promotion.is_empty() { "" } else { "+" };
                let squares = uci_square(file, rank).zip(uci_square(to_file, to_rank));
                squares.map(|(from, to)| format!("{from}{to}{promotion}"))
            }
            (Variant::Othello, &[file, row]) => othello_square(file, row).map(|square| format!("P@{square}")),
            (Variant::Shogi | Variant::Othello, _) => None,
        };
        word.unwrap_or_else(|| turn.to_owned())
    }

    /// A text about `turn`, a move of the game, with `word`, its word in UCI, and with the squares of UCI.
    pub fn reworded(self, text: &str, turn: &str, word: &str) -> String {
        let squares =
            [turn.get(..2), turn.get(2..4)].into_iter().flatten().filter(|_| self == Variant::Shogi);
        let with_squares = |part: &str| {
            squares.clone().fold(part.to_owned(), |part, square| match square.as_bytes() {
                &[file, rank] => {
                    uci_square(file, rank).map_or(part.clone(), |word| part.replace(square, &word))
                }
                _ => part,
            })
        };
        if turn == PASS {
            // Elsewhere it is a word of the language.
            return text.replace(&format!("'{PASS}'"), &format!("'{word}'"));
        }
        // Letters and digits of `word` can look like a square of the game.
        text.split(turn).map(with_squares).collect::<Vec<_>>().join(word)
    }
}

/// The turns of one game in the words of UCI, in their order: a pass of Reversi is named after a disc on the board.
#[derive(Clone, Debug)]
pub struct Translator {
    variant: Variant,
    record: GameHistory,
}

impl Translator {
    /// A game that begins with this position, as the game writes it; `None` for the usual start.
    pub fn new(variant: Variant, position: Option<&str>) -> Translator {
        let reached =
            position.filter(|_| variant == Variant::Othello).and_then(|text| parse_position(text).ok());
        Translator { variant, record: reached.map(GameHistory::from).unwrap_or_default() }
    }

    /// The variant.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The next turn of the game.
    pub fn next(&mut self, turn: &str) -> String {
        if self.variant != Variant::Othello {
            return self.variant.word(turn);
        }
        let word = if turn == "pass" { pass(self.record.now().board) } else { self.variant.word(turn) };
        // A turn that is not legal ends a game before it is translated.
        let _ = self.record.play(None, turn);
        word
    }
}

/// A pass as Fairy-Stockfish writes it: the lowest own disc moves to where it stands.
pub fn pass(board: ReversiBoard) -> String {
    let lowest = squares(board.me).min_by_key(|square| (7 - square / 8, square % 8));
    let name = lowest.map(|square| format!("{}{}", char::from(b'a' + (square % 8) as u8), 8 - square / 8));
    name.map_or_else(|| "0000".to_owned(), |name| format!("{name}{name}"))
}

/// `c3` as `7g`.
fn shogi_square(file: u8, rank: u8) -> Option<String> {
    let inside = (b'a'..=b'i').contains(&file) && (b'1'..=b'9').contains(&rank);
    inside.then(|| {
        let (file, rank) = (b'9' - (file - b'a'), b'a' + (b'9' - rank));
        format!("{}{}", char::from(file), char::from(rank))
    })
}

/// `7g` as `c3`.
fn uci_square(file: u8, rank: u8) -> Option<String> {
    let inside = (b'1'..=b'9').contains(&file) && (b'a'..=b'i').contains(&rank);
    inside.then(|| {
        let (file, rank) = (b'a' + (b'9' - file), b'9' - (rank - b'a'));
        format!("{}{}", char::from(file), char::from(rank))
    })
}

/// Reversi counts its rows from the top, UCI from the bottom; either way.
fn othello_square(file: u8, rank: u8) -> Option<String> {
    let inside = (b'a'..=b'h').contains(&file) && (b'1'..=b'8').contains(&rank);
    inside.then(|| format!("{}{}", char::from(file), char::from(b'1' + (b'8' - rank))))
}

/// Board and hand of a FEN's first field.
fn board_and_hand(field: &str) -> (&str, &str) {
    match field.split_once('[') {
        Some((board, hand)) => (board, hand.trim_end_matches(']')),
        None => (field, ""),
    }
}

/// A FEN of shogi as `sfen …`.
fn sfen(fen: &str) -> Option<String> {
    let mut fields = fen.split_whitespace();
    let (board, hand) = board_and_hand(fields.next()?);
    let white_to_move = match fields.next()? {
        "w" => false,
        "b" => true,
        _ => return None,
    };
    let full_moves: u32 = fields.next_back().and_then(|count| count.parse().ok()).unwrap_or(1);
    let number =
        full_moves.max(1).saturating_sub(1).saturating_mul(2).saturating_add(1 + u32::from(white_to_move));
    let mut hands = String::new();
    for piece in IN_HAND.chars().chain(IN_HAND.to_ascii_lowercase().chars()) {
        match hand.matches(piece).count() {
            0 => {}
            1 => hands.push(piece),
            count => write!(hands, "{count}{piece}").ok()?,
        }
    }
    // A letter that is no piece is for the reader of the SFEN to refuse.
    let strange: String =
        hand.chars().filter(|&c| c != '-' && !IN_HAND.contains(c.to_ascii_uppercase())).collect();
    hands.push_str(&strange);
    let hands = if hands.is_empty() { "-" } else { &hands };
    Some(format!("sfen {board} {} {hands} {number}", if white_to_move { 'w' } else { 'b' }))
}

/// A FEN of flipello as `fen …` with the discs X and O.
fn discs(fen: &str) -> Option<String> {
    let mut fields = fen.split_whitespace();
    let (board, _) = board_and_hand(fields.next()?);
    let side = match fields.next()? {
        "w" => 'X',
        "b" => 'O',
        _ => return None,
    };
    Some(format!("fen {} {side}", board.replace('P', "X").replace('p', "O")))
}

/// An SFEN as a FEN: Fairy-Stockfish lists hands piece by piece and counts moves of both sides as one.
fn fen_of_shogi(sfen: &str) -> Option<String> {
    let mut fields = sfen.split_whitespace();
    let board = fields.next()?;
    let side = match fields.next()? {
        "b" => 'w',
        _ => 'b',
    };
    let mut pieces = String::new();
    let mut count = None;
    for c in fields.next()?.chars() {
        match c.to_digit(10) {
            Some(digit) => count = Some(count.unwrap_or(0) * 10 + digit),
            None => pieces.extend(std::iter::repeat_n(c, count.take().unwrap_or(1) as usize)),
        }
    }
    let hand: String =
        IN_HAND_OF_UCI.chars().flat_map(|piece| pieces.chars().filter(move |&c| c == piece)).collect();
    let number: u32 = fields.next().and_then(|number| number.parse().ok()).unwrap_or(1);
    Some(format!("{board}[{hand}] {side} - - 0 {}", number.div_ceil(2).max(1)))
}

/// Discs and side to move as a FEN of flipello. Each side has a disc in hand for every empty square; which
/// of them made the moves that were played, the position does not say.
fn fen_of_othello(line: &str) -> Option<String> {
    let (discs, side) = line.split_once(' ')?;
    let side = match side {
        "X" => 'w',
        "O" => 'b',
        _ => return None,
    };
    if discs.len() != 64 {
        return None;
    }
    let mut board = String::new();
    let mut empty = 0;
    for (square, disc) in discs.chars().enumerate() {
        let piece = match disc {
            'X' => Some('P'),
            'O' => Some('p'),
            '-' => None,
            _ => return None,
        };
        let row_begins = square > 0 && square % 8 == 0;
        if (row_begins || piece.is_some()) && empty > 0 {
            write!(board, "{empty}").ok()?;
            empty = 0;
        }
        if row_begins {
            board.push('/');
        }
        match piece {
            Some(piece) => board.push(piece),
            None => empty += 1,
        }
    }
    if empty > 0 {
        write!(board, "{empty}").ok()?;
    }
    let in_hand = discs.matches('-').count();
    let played = 60_usize.saturating_sub(in_hand);
    Some(format!("{board}[{}{}] {side} - - 0 {}", "P".repeat(in_hand), "p".repeat(in_hand), played / 2 + 1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use kaeshi_core::game::GameRules;
    use kaeshi_reversi::Reversi;
    use kaeshi_reversi::rules::notation;
    use kaeshi_shogi::rules::sfen;

    #[test]
    fn moves_of_shogi_are_turned_round_and_back() {
        for (uci, usi) in
            [("c3c4", "7g7f"), ("b2h8+", "8h2b+"), ("P@e5", "P*5e"), ("a1i9", "9i1a"), ("i9a1", "1a9i")]
        {
            assert_eq!(Variant::Shogi.turn(uci), usi);
            assert_eq!(Variant::Shogi.word(usi), uci);
        }
        for strange in ["", "7g7f", "e2e4q", "j1a1", "P@z1", "c3c"] {
            assert_eq!(Variant::Shogi.turn(strange), strange);
        }
    }

    #[test]
    fn texts_about_moves_have_the_squares_of_uci() {
        let squares = || ('1'..='9').flat_map(|file| ('a'..='i').map(move |rank| format!("{file}{rank}")));
        let uci = |square: &str| Variant::Shogi.word(&format!("{square}1a")).replace("i9", "");
        for from in squares() {
            for to in squares().filter(|to| *to != from) {
                let turn = format!("{from}{to}");
                let word = Variant::Shogi.word(&turn);
                let text =
                    Variant::Shogi.reworded(&format!("move 1 '{turn}': {to} is not on {from}"), &turn, &word);
                let [from, to] =
                    [&from, &to].map(|square| if square == "1a" { "i9".into() } else { uci(square) });
                assert_eq!(text, format!("move 1 '{word}': {to} is not on {from}"));
            }
        }
        let drop = Variant::Shogi.reworded("'P*5e': 5e is not empty", "P*5e", "P@e5");
        assert_eq!(drop, "'P@e5': e5 is not empty");
        assert_eq!(Variant::Othello.reworded("'d6': d6 is illegal", "d6", "P@d3"), "'P@d3': P@d3 is illegal");
    }

    #[test]
    fn moves_of_othello_count_rows_from_the_bottom() {
        assert_eq!(Variant::Othello.turn("P@d3"), "d6");
        assert_eq!(Variant::Othello.word("d6"), "P@d3");
        assert_eq!(Variant::Othello.turn("e4e4"), "pass");
        assert_eq!(Variant::Othello.turn("0000"), "pass");
        assert_eq!(Variant::Othello.turn("e4e5"), "e4e5");
        // Black's own discs at the start are e4 and d5 from the top, so e5 and d4 from the bottom.
        assert_eq!(pass(ReversiBoard::START), "d4d4");
    }

    #[test]
    fn a_game_is_translated_turn_by_turn() {
        let mut shogi = Translator::new(Variant::Shogi, None);
        assert_eq!(["7g7f", "P*5e"].map(|turn| shogi.next(turn)), ["c3c4", "P@e5"]);
        let mut othello = Translator::new(Variant::Othello, None);
        assert_eq!(["d3", "c3"].map(|turn| othello.next(turn)), ["P@d6", "P@c6"]);
        // Black has discs in the lowest row only and no square to play.
        let text = format!("{}XXXXXXXX X", "-".repeat(56));
        let mut passes = Translator::new(Variant::Othello, Some(&text));
        assert_eq!(passes.next("pass"), "a1a1");
        assert!(
            Variant::Othello.fen_of(&format!("fen {text}")).unwrap().starts_with("8/8/8/8/8/8/8/PPPPPPPP[")
        );
        assert!(Variant::Shogi.fen_of("4k4/9/9/9/9/9/9/9/4K4 b - 1").unwrap().contains("[] w"));
    }

    #[test]
    fn positions_are_read_as_fairy_stockfish_writes_them() {
        let shogi = |fen: &str| Variant::Shogi.position(&format!("fen {fen}"));
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
        for fen in ["[-] w 0 1", "[] w - - 0 1", " w - - 0 1"] {
            assert_eq!(shogi(&format!("{start}{fen}")), format!("sfen {start} b - 1"), "{fen}");
        }
        assert_eq!(shogi("4k4/9/9/9/9/9/9/9/4K4[PPRpb] b 3 7"), "sfen 4k4/9/9/9/9/9/9/9/4K4 w R2Pbp 14");
        assert!(sfen::parse(shogi("4k4/9/9/9/9/9/9/9/4K4[Qp] w 0 1").trim_start_matches("sfen ")).is_err());
        assert_eq!(Variant::Shogi.position("startpos"), "startpos");
        let flipello = "fen 8/8/8/3pP3/3Pp3/8/8/8[PPpp] w 0 1";
        let read = Variant::Othello.position(flipello);
        assert_eq!(notation::parse_position(&read).unwrap(), Reversi::default().start());
    }

    #[test]
    fn positions_are_written_as_fairy_stockfish_writes_them() {
        let shogi = |sfen: &str| Variant::Shogi.fen(&format!("sfen {sfen}")).unwrap();
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
        assert_eq!(shogi(&format!("{start} b - 1")), format!("{start}[] w - - 0 1"));
        for sfen in ["4k4/9/9/9/9/9/9/9/4K4 w R2P10p 14", "4k4/9/9/9/9/9/9/9/4K4 b - 3"] {
            assert_eq!(Variant::Shogi.position(&format!("fen {}", shogi(sfen))), format!("sfen {sfen}"));
        }
        let othello =
            Variant::Othello.fen("---------------------------OX------XX-------X------------------- O");
        let (p, q) = ("P".repeat(59), "p".repeat(59));
        assert_eq!(othello.unwrap(), format!("8/8/8/3pP3/3PP3/4P3/8/8[{p}{q}] b - - 0 1"));
        let full = format!("{}X X", "O".repeat(63));
        let read = Variant::Othello.position(&format!("fen {}", Variant::Othello.fen(&full).unwrap()));
        assert_eq!(notation::parse_position(&read).unwrap(), notation::parse_position(&full).unwrap());
        for strange in ["", "Black (X) to move", "sfen", "O X", "key 25f663c9f2f19441"] {
            assert_eq!(Variant::Othello.fen(strange), None, "{strange}");
            assert_eq!(Variant::Shogi.fen(strange), None, "{strange}");
        }
    }
}
