//! Tic-tac-toe: the game of the tests, which shows what a further game needs: one entry in `games.rs` and this file. No
//! tool knows of it.

use kaeshi_core::game::facts::{
    BoardInfo, GameInfo, NotationInfo, Recognition, ScoreUnit, Symmetry, ValueInfo,
};
use kaeshi_core::game::interrupt::Interrupt;
use kaeshi_core::game::options::OptionSpec;
use kaeshi_core::game::picture::{Picture, PicturePiece, Style, TurnPicture};
use kaeshi_core::game::set_up::SetUp;
use kaeshi_core::game::{
    Game, GameError, GameNotation, GameOptions, GameOutcome, GameRules, GameSearch, GameView, SearchMemory,
    Side, TerminalCause, TimeAllocation,
};
use kaeshi_core::reference::Reference;
use std::time::Duration;

const SIZE: u8 = 3;
const CELLS: u8 = SIZE * SIZE;
/// Rows, columns and diagonals.
const ROWS: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/// Three in a row win.
pub struct TicTacToe;

/// Cells row by row from the top, and who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TicTacToePosition {
    cells: [Option<Side>; CELLS as usize],
    side: Side,
}

impl TicTacToePosition {
    const START: TicTacToePosition = TicTacToePosition { cells: [None; CELLS as usize], side: Side::First };

    fn vacant(&self) -> impl Iterator<Item = u8> {
        let cells = self.cells;
        (0..CELLS).filter(move |&cell| cells[usize::from(cell)].is_none())
    }

    fn winner(&self) -> Option<Side> {
        let full = |side: Side| ROWS.iter().any(|row| row.iter().all(|&cell| self.cells[cell] == Some(side)));
        Side::BOTH.into_iter().find(|&side| full(side))
    }
}

fn name(cell: u8) -> String {
    format!("{}{}", char::from(b'a' + cell % SIZE), SIZE - cell / SIZE)
}

fn letter(side: Side) -> char {
    match side {
        Side::First => 'x',
        Side::Second => 'o',
    }
}

/// The reference search needs none.
pub struct TicTacToeMemory;

impl SearchMemory for TicTacToeMemory {
    fn with_bytes(_: usize) -> Result<Self, GameError> {
        Ok(TicTacToeMemory)
    }
    fn clear_unless(&self, _: usize, _: &Interrupt) {}
    fn age(&self) {}
    fn hashfull(&self) -> u16 {
        0
    }
}

static FACTS: GameInfo = GameInfo {
    name: "tictactoe",
    title: "tic-tac-toe",
    colours: ["Cross", "Nought"],
    notation: NotationInfo {
        position_word: "fen",
        position_form: "fen",
        owns_position: |words| matches!(words, [rows, "x" | "o"] if rows.matches('/').count() == 2),
        recognise_turns: |turns| {
            let all = turns.iter().all(|turn| (0..CELLS).any(|cell| name(cell) == **turn));
            if all { Recognition::Possible } else { Recognition::No }
        },
        ..NotationInfo::MINIMAL
    },
    boards: BoardInfo {
        sizes: SIZE..=SIZE,
        usual_size: SIZE,
        symmetry: Symmetry::Square,
        ..BoardInfo::MINIMAL
    },
    values: ValueInfo { unit: ScoreUnit { name: "wins", shown_in_hundredths: false }, ..ValueInfo::MINIMAL },
    ..GameInfo::MINIMAL
};

impl GameOptions for TicTacToe {
    type Settings = ();

    fn options() -> Vec<OptionSpec<()>> {
        Vec::new()
    }

    fn load(_: &()) -> Result<Self, GameError> {
        Ok(TicTacToe)
    }
}

impl GameRules for TicTacToe {
    type Position = TicTacToePosition;
    type Turn = u8;

    fn start(&self) -> TicTacToePosition {
        TicTacToePosition::START
    }

    fn play(&self, position: &mut TicTacToePosition, turn: &u8) {
        position.cells[usize::from(*turn)] = Some(position.side);
        position.side = position.side.other();
    }

    fn turns(&self, position: &TicTacToePosition) -> Vec<u8> {
        if position.winner().is_some() { Vec::new() } else { position.vacant().collect() }
    }

    fn side_to_move(&self, position: &TicTacToePosition) -> Side {
        position.side
    }

    fn outcome(&self, position: &TicTacToePosition) -> Option<GameOutcome> {
        let winner = position.winner();
        let cause = if winner.is_some() { TerminalCause::Mate } else { TerminalCause::NoMoves };
        (winner.is_some() || position.vacant().next().is_none()).then_some(GameOutcome {
            winner,
            margin: 0,
            cause,
        })
    }

    fn identity(&self, position: &TicTacToePosition) -> Vec<u8> {
        self.format_position(position).into_bytes()
    }

    fn perft(&self, position: &TicTacToePosition, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let after = |turn: u8| {
            let mut after = *position;
            self.play(&mut after, &turn);
            after
        };
        self.turns(position).into_iter().map(|turn| self.perft(&after(turn), depth - 1)).sum()
    }
}

impl GameNotation for TicTacToe {
    fn parse_position(&self, text: &str) -> Result<TicTacToePosition, GameError> {
        let text = text.trim();
        if text == "startpos" {
            return Ok(TicTacToePosition::START);
        }
        let wrong = || {
            GameError::position(format!("'{}' is not three rows and a side: 3/1x1/3 o", text.escape_debug()))
        };
        let (rows, side) = text.strip_prefix("fen ").unwrap_or(text).split_once(' ').ok_or_else(wrong)?;
        let side = Side::BOTH.into_iter().find(|&known| side == letter(known).to_string());
        let mut cells = Vec::new();
        for row in rows.split('/') {
            for sign in row.chars() {
                match (sign, sign.to_digit(10)) {
                    (_, Some(count)) => cells.extend((0..count).map(|_| None)),
                    ('x', _) => cells.push(Some(Side::First)),
                    ('o', _) => cells.push(Some(Side::Second)),
                    _ => return Err(wrong()),
                }
            }
        }
        let cells = <[Option<Side>; CELLS as usize]>::try_from(cells).map_err(|_| wrong())?;
        Ok(TicTacToePosition { cells, side: side.ok_or_else(wrong)? })
    }

    fn format_position(&self, position: &TicTacToePosition) -> String {
        let sign = |cell: &Option<Side>| cell.map_or('1', letter);
        let rows = position.cells.chunks(SIZE.into()).map(|row| row.iter().map(sign).collect::<String>());
        format!("{} {}", rows.collect::<Vec<_>>().join("/"), letter(position.side))
    }

    fn parse_turn(&self, position: &TicTacToePosition, text: &str) -> Result<u8, GameError> {
        let cell = (0..CELLS).find(|&cell| name(cell) == text);
        let cell = cell.ok_or_else(|| GameError::turn(format!("'{}' is no cell", text.escape_debug())))?;
        if position.winner().is_some() {
            return Err(GameError::turn("the game is over"));
        }
        if position.vacant().any(|vacant| vacant == cell) {
            Ok(cell)
        } else {
            Err(GameError::turn(format!("{text} is taken")))
        }
    }

    fn format_turn(&self, _: &TicTacToePosition, turn: &u8) -> String {
        name(*turn)
    }
}

impl GameView for TicTacToe {
    fn picture(&self, position: &TicTacToePosition) -> Picture {
        Picture {
            style: Style::Discs,
            columns: SIZE,
            rows: SIZE,
            names: (0..CELLS).map(name).collect(),
            cells: position
                .cells
                .iter()
                .map(|cell| cell.map(|side| PicturePiece { side, kind: "" }))
                .collect(),
            hands: Default::default(),
            to_move: position.side,
            number: u32::from(CELLS) + 1 - position.vacant().count() as u32,
            check: None,
            counts: None,
            territory: Default::default(),
        }
    }

    fn turn_picture(&self, _: &TicTacToePosition, turn: &u8) -> TurnPicture {
        TurnPicture { to: vec![u16::from(*turn)], ..TurnPicture::default() }
    }

    fn set_up_text(cells: &SetUp) -> String {
        format!("fen {} {}", cells.rows(|man| letter(man.side).to_string()), letter(cells.to_move()))
    }

    fn diagram(&self, position: &TicTacToePosition) -> String {
        self.format_position(position)
    }

    fn explain(&self, _: &TicTacToePosition) -> String {
        "nothing is known".to_owned()
    }
}

impl GameSearch for TicTacToe {
    type Memory = TicTacToeMemory;
    type Worker = Reference<TicTacToe>;

    fn pace(&self, position: &TicTacToePosition, _: Duration) -> TimeAllocation {
        TimeAllocation::even(position.vacant().count() as f32 / 2.0)
    }

    fn evaluate(&self, _: &TicTacToePosition) -> i32 {
        0
    }
}

impl Game for TicTacToe {
    const FACTS: &'static GameInfo = &FACTS;

    fn bench() -> &'static [(&'static str, u16)] {
        &[("startpos", 9)]
    }
}
