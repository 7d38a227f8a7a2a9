//! Sygo over GTP: White moves first, turns of several stones are one word.
//!
//! `D4` places a stone, `+D4,E5` grows two groups, `+D4,E5@K3` is Black's balance turn. A single point next to own
//! stones cannot be a placement, so `D4` is read as `+D4` there: a GUI for Go sends turns of one stone so.

use crate::protocol::ProtocolCommand;
use crate::protocol::command_info::{ProtocolCommandInfo, row};
use crate::protocol::gtp::board::Board;
use crate::protocol::gtp::letters;
use kaeshi_core::game::{Game, GameError, GameOutcome, PASS, Side};
use kaeshi_sygo::Sygo;
use kaeshi_sygo::rules::board::Colour;
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::size::BoardSize;
use kaeshi_sygo::rules::turn::SygoTurn;
use kaeshi_sygo::rules::{self, notation};

/// Commands that GoGui sends to a program that knows the rules of a game, and the size of an oblong board.
pub const COMMANDS: [ProtocolCommandInfo; 7] = [
    row("rectangular_boardsize", "COLUMNS ROWS", "begins a game on a board that need not be a square"),
    row("gogui-rules_game_id", "", "`Sygo`"),
    row("gogui-rules_board", "", "rows from the top: `X` Black, `O` White, `.` vacant"),
    row("gogui-rules_board_size", "", "N of a square board; other boards are refused"),
    row("gogui-rules_legal_moves", "", "the turns of one stone, and `pass`"),
    row("gogui-rules_side_to_move", "", "`black` or `white`"),
    row("gogui-rules_final_result", "", "the result as a sentence"),
];

/// A game of Sygo.
pub struct GtpSygoBoard {
    start: SygoPosition,
    turns: Vec<SygoTurn>,
    now: SygoPosition,
}

impl Default for GtpSygoBoard {
    fn default() -> Self {
        GtpSygoBoard::of(SygoPosition::new(usize::from(Sygo::FACTS.boards.usual_size)))
    }
}

impl GtpSygoBoard {
    fn of(start: SygoPosition) -> GtpSygoBoard {
        GtpSygoBoard { now: start.clone(), start, turns: Vec::new() }
    }

    fn push(&mut self, turn: SygoTurn) -> Result<(), GameError> {
        rules::check(&self.now, &turn)?;
        self.now.play(&turn);
        self.turns.push(turn);
        Ok(())
    }

    fn begin(&mut self, size: Option<BoardSize>) -> Result<(), GameError> {
        let size = size.ok_or_else(|| GameError::unsupported("unacceptable size"))?;
        *self = GtpSygoBoard::of(SygoPosition::new(size));
        Ok(())
    }

    /// Rows from the top: `X` for Black, `O` for White, `.` for vacant points.
    fn rows(&self) -> String {
        let size = self.now.board.size();
        let mut text = String::new();
        for (point, index) in size.from_top().zip(0usize..) {
            let sign = match self.now.board.stone(point) {
                None => '.',
                Some(Colour::White) => 'O',
                Some(Colour::Black) => 'X',
            };
            text.push(if index % size.columns() == 0 { '\n' } else { ' ' });
            text.push(sign);
        }
        text
    }

    /// Every legal turn of one stone, as a point, and the pass. Turns of several stones are too many to list.
    fn single_stones(&self) -> String {
        if self.now.is_over() {
            return String::new();
        }
        let legal = |turn: &SygoTurn| rules::check(&self.now, turn).is_ok();
        let points = self.now.board.vacant().iter().filter(|&point| {
            let next = self.now.board.touches(point, self.now.side);
            legal(&if next { SygoTurn::grow([point]) } else { SygoTurn::place(point) })
        });
        let mut words: Vec<String> = points.map(|point| letters::spelled(&point.to_string())).collect();
        words.push(PASS.to_owned());
        words.join(" ")
    }

    fn result(&self) -> String {
        if !self.now.is_over() {
            return "The game is not over.".to_owned();
        }
        match rules::margin(&self.now.board) {
            0 => "The game is drawn.".to_owned(),
            white @ 1.. => format!("White wins by {white}."),
            white => format!("Black wins by {}.", -white),
        }
    }
}

impl Board for GtpSygoBoard {
    fn game(&self) -> &'static str {
        Sygo::NAME
    }

    fn title(&self) -> &'static str {
        Sygo::FACTS.title
    }

    fn commands(&self) -> &'static [ProtocolCommandInfo] {
        &COMMANDS
    }

    fn answer(&mut self, name: &str, arguments: &[&str]) -> Result<String, GameError> {
        let size = self.now.board.size();
        match (name, arguments) {
            ("rectangular_boardsize", [columns, rows]) => {
                self.begin(BoardSize::parse(&format!("{columns}x{rows}")))?;
                Ok(String::new())
            }
            ("gogui-rules_game_id", _) => Ok(self.title().to_owned()),
            ("gogui-rules_board", _) => Ok(self.rows()),
            ("gogui-rules_board_size", _) if size.columns() == size.rows() => Ok(size.rows().to_string()),
            ("gogui-rules_board_size", _) => Err(GameError::unsupported("the board is no square")),
            ("gogui-rules_legal_moves", _) => Ok(self.single_stones()),
            ("gogui-rules_side_to_move", _) => {
                Ok(if self.now.side == Colour::Black { "black" } else { "white" }.to_owned())
            }
            ("gogui-rules_final_result", _) => Ok(self.result()),
            _ => Err(GameError::command("syntax error")),
        }
    }

    fn resize(&mut self, size: &str) -> Result<(), GameError> {
        let square = size.bytes().all(|byte| byte.is_ascii_digit());
        self.begin(BoardSize::parse(size).filter(|_| square))
    }

    fn clear(&mut self) {
        *self = GtpSygoBoard::of(SygoPosition::new(self.start.board.size()));
    }

    fn komi(&mut self, komi: f64) -> Result<(), GameError> {
        if komi == 0.0 { Ok(()) } else { Err(GameError::unsupported("Sygo has no komi")) }
    }

    fn side(&self, black: bool) -> Side {
        if black { Side::Second } else { Side::First }
    }

    fn play(&mut self, side: Side, text: &str) -> Result<(), GameError> {
        self.give_turn_to(side)?;
        let illegal = |reason: GameError| reason.with_context("illegal move");
        let turn = letters::turn_of(text).map_err(illegal)?;
        let turn = notation::parse_turn(self.now.board.size(), &turn).map_err(illegal)?;
        let grows = turn.growth().is_empty()
            && turn.placement().is_some_and(|point| {
                self.now.board.is_vacant(point) && self.now.board.touches(point, self.now.side)
            });
        let turn = if grows { SygoTurn::grow(turn.placement()) } else { turn };
        self.push(turn).map_err(illegal)
    }

    fn play_own(&mut self, turn: &str) -> Result<(), GameError> {
        self.push(notation::parse_turn(self.now.board.size(), turn)?)
    }

    fn give_turn_to(&mut self, wanted: Side) -> Result<(), GameError> {
        if Side::from(self.now.side) == wanted {
            return Ok(());
        }
        let colour = if self.now.side == Colour::White { "White" } else { "Black" };
        let first = if self.turns.is_empty() && self.now.number == 1 { ", who moves first" } else { "" };
        Err(GameError::turn(format!("it is the turn of {colour}{first}")))
    }

    fn must_pass(&self) -> bool {
        false
    }

    fn undo(&mut self) -> bool {
        if self.turns.pop().is_none() {
            return false;
        }
        self.now = self.start.clone();
        for turn in &self.turns {
            self.now.play(turn);
        }
        true
    }

    fn outcome(&self) -> Option<GameOutcome> {
        self.now.outcome()
    }

    /// No stone is ever removed, so the board can be counted at any time.
    fn margin(&self) -> Option<i32> {
        Some(rules::margin(&self.now.board))
    }

    fn diagram(&self) -> String {
        let size = self.now.board.size();
        let columns: Vec<String> = (0..size.columns())
            .map(|column| letters::spelled(&char::from(b'a' + column as u8).to_string()))
            .collect();
        let rows: Vec<String> = self.rows().lines().skip(1).map(str::to_owned).collect();
        let rows =
            rows.iter().zip((1..=size.rows()).rev()).map(|(row, number)| format!("{number:>2} {row}\n"));
        let [white, black] = rules::score(&self.now.board);
        let side = if self.now.side == Colour::White { "White" } else { "Black" };
        format!(
            "{}   {}\n{side} to move; White (O) {white}, Black (X) {black}",
            rows.collect::<String>(),
            columns.join(" ")
        )
    }

    fn set_position(&self) -> ProtocolCommand {
        let text = format!("fen {}", notation::format_position(&self.now));
        ProtocolCommand::Position { text, turns: Vec::new() }
    }

    fn spell(&self, turn: &str) -> String {
        letters::spelled(turn)
    }
}
