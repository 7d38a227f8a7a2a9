//! Lines of NBoard 2, for server, client and check.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use kaeshi_core::game::{GameError, PASS, Side};

/// The hello of version 2.
pub const HELLO: &str = "nboard 2";
/// The board of the usual start, as the tag `BO` has it.
pub const START: &str = "8 ---------------------------O*------*O--------------------------- *";

/// A turn in two letters.
pub fn turn_word(turn: &str) -> String {
    if turn == PASS { "PA".to_owned() } else { turn.to_ascii_uppercase() }
}

/// The turn that these two letters name, in lower case; whether it is one is for the game to say.
pub fn read_turn(word: &str) -> String {
    let turn = word.to_ascii_lowercase();
    if turn == "pa" { PASS.to_owned() } else { turn }
}

/// The barrier with a number, or whatever else names it.
pub fn ping(name: impl std::fmt::Display) -> String {
    format!("ping {name}")
}

/// The answer to [`ping`].
pub fn pong(name: impl std::fmt::Display) -> String {
    format!("pong {name}")
}

/// `set myname …`.
pub fn name_line(name: &str) -> String {
    format!("set myname {name}")
}

/// Reads `set myname …`; `None` for any other line.
pub fn read_name(line: &str) -> Option<&str> {
    line.strip_prefix("set myname ").map(str::trim)
}

/// `move …`.
pub fn move_line(turn: &str) -> String {
    format!("move {}", turn_word(turn))
}

/// The turn of `move …/eval/time`, from what follows `move`.
pub fn read_move(text: &str) -> &str {
    text.split(['/', ' ']).next().unwrap_or_default()
}

/// The answer to `go`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NBoardAnswer {
    /// The turn in the notation of the game; empty if the line names none.
    pub turn: String,
    /// Value for the side to move, in hundredths of a disc.
    pub value: Option<i32>,
    /// Time used.
    pub seconds: Option<f64>,
}

impl NBoardAnswer {
    /// `=== TURN/DISCS/SECONDS`, up to the first field that is not known.
    pub fn line(&self) -> String {
        let mut line = format!("=== {}", turn_word(&self.turn));
        if let Some(value) = self.value {
            line += &format!("/{}", discs(value));
            if let Some(seconds) = self.seconds {
                line += &format!("/{seconds:.2}");
            }
        }
        line
    }

    /// Reads a line that begins with `===`; `None` for any other. Fields are divided by slashes or blanks.
    pub fn parse(line: &str) -> Option<NBoardAnswer> {
        let rest = line.strip_prefix("===")?;
        let mut fields =
            rest.split(|c: char| c == '/' || c.is_whitespace()).filter(|field| !field.is_empty());
        let turn = fields.next().map(read_turn).unwrap_or_default();
        let mut number = || fields.next().and_then(|field| field.parse::<f64>().ok());
        let value = number().map(|discs| (discs * 100.0).round() as i32);
        Some(NBoardAnswer { turn, value, seconds: number() })
    }
}

/// A value in hundredths of a disc, as discs.
pub fn discs(value: i32) -> String {
    format!("{:.2}", f64::from(value) / 100.0)
}

/// The game of `set game …`, in GGF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NBoardGame {
    /// The tag `BO`: the size, the squares and the side to move.
    pub board: String,
    /// The turns in the notation of the game.
    pub turns: Vec<(Side, String)>,
}

impl NBoardGame {
    /// A game from a position: 64 squares `X`, `O` or `-`, and the side to move; `None` for the usual start.
    pub fn new(position: Option<&str>, turns: Vec<(Side, String)>) -> NBoardGame {
        NBoardGame { board: position.map_or_else(|| START.to_owned(), board), turns }
    }

    /// `set game …`.
    pub fn line(&self) -> String {
        let mut line = format!(
            "set game (;GM[Othello]PC[kaeshi]PB[Black]PW[White]RE[?]TI[10:00]TY[8]BO[{}]",
            self.board
        );
        for (side, turn) in &self.turns {
            let colour = if *side == Side::First { 'B' } else { 'W' };
            line += &format!("{colour}[{}]", turn_word(turn));
        }
        line + ";)"
    }

    /// Parses the text behind `set game`. Of each turn only the move counts, not its value and time.
    ///
    /// # Errors
    /// A tag is not closed, or there is no board.
    pub fn parse(text: &str) -> Result<NBoardGame, GameError> {
        let mut game: Option<NBoardGame> = None;
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('[') {
            let Some((value, next)) = after.split_once(']') else {
                return Err(GameError::position("set game: a tag is not closed"));
            };
            let tag = before.trim_matches(|letter: char| !letter.is_ascii_alphabetic());
            match (tag, &mut game) {
                ("BO", _) => game = Some(NBoardGame { board: value.trim().to_owned(), turns: Vec::new() }),
                ("B" | "W", Some(game)) => {
                    let side = if tag == "B" { Side::First } else { Side::Second };
                    let turn = value.split('/').next().unwrap_or_default();
                    game.turns.push((side, read_turn(turn)));
                }
                _ => {}
            }
            rest = next;
        }
        game.ok_or_else(|| GameError::position("set game: there is no board (BO)"))
    }
}

/// A position text of 64 `-XO` and the side to move, in the letters of GGF.
fn board(text: &str) -> String {
    let letter = |c: char| match c {
        'X' | 'x' | '*' | 'B' | 'b' => '*',
        'O' | 'o' | 'W' | 'w' => 'O',
        _ => '-',
    };
    let mut signs = text.chars().filter(|c| !c.is_whitespace());
    let squares: String = signs.by_ref().take(64).map(letter).collect();
    let mover = signs.next().map_or('*', letter);
    format!("8 {squares} {mover}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_were_written() {
        for (turn, value, seconds) in
            [("f5", Some(150), Some(0.25)), ("pass", Some(-6_400), Some(1.0)), ("d3", None, None)]
        {
            let answer = NBoardAnswer { turn: turn.into(), value, seconds };
            assert_eq!(NBoardAnswer::parse(&answer.line()), Some(answer));
        }
        let line = NBoardAnswer { turn: "c5".into(), value: Some(200), seconds: Some(1.5) }.line();
        assert_eq!(line, "=== C5/2.00/1.50");
        assert_eq!(NBoardAnswer::parse("==="), Some(NBoardAnswer::default()));
        assert_eq!(NBoardAnswer::parse("pong 1"), None);
    }

    #[test]
    fn games_are_read_as_they_were_written() {
        let turns = vec![(Side::First, "f5".to_owned()), (Side::Second, PASS.to_owned())];
        let start = "---------------------------OX------XO--------------------------- O";
        for position in [None, Some(start)] {
            let game = NBoardGame::new(position, turns.clone());
            let line = game.line();
            assert_eq!(NBoardGame::parse(line.strip_prefix("set game ").unwrap()), Ok(game), "{line}");
        }
        assert!(NBoardGame::new(None, turns).line().ends_with(&format!("BO[{START}]B[F5]W[PA];)")));
        assert!(NBoardGame::parse("(;B[F5];)").is_err() && NBoardGame::parse("(;BO[8 --").is_err());
    }

    #[test]
    fn moves_and_names_are_read_as_they_were_written() {
        for turn in ["a1", PASS] {
            let line = move_line(turn);
            assert_eq!(read_turn(read_move(line.strip_prefix("move ").unwrap())), turn);
        }
        assert_eq!(read_move("C5/0.5/1"), "C5");
        assert_eq!(read_name(&name_line("Kaeshi")), Some("Kaeshi"));
    }
}
