//! The game of Reversi: rules, notation, evaluation and search.
//!
//! ```
//! use kaeshi_reversi::Reversi;
//! use kaeshi_reversi::rules::notation::{format_turn, parse_position, read_turn};
//! use kaeshi_reversi::search::solver::{ReversiSolver, SolveQuestion};
//!
//! let mut position = parse_position("startpos")?;
//! assert_eq!(position.turns().len(), 4);
//! position.play(read_turn("f5")?);
//!
//! // Black to move; the corners a1 and h8 are empty.
//! let end = parse_position("-OOOOOOXOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOXXXXXXX- X")?;
//! let mut solver = ReversiSolver::new(Reversi::default(), 1 << 20, 1)?;
//! let solution = solver.solve(&end, SolveQuestion::Score)?;
//! assert_eq!(solution.score, 4);
//! println!("{:?}", solution.line.into_iter().map(format_turn).collect::<Vec<_>>());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod book;
pub mod evaluate;
mod levels;
mod picture;
pub mod rules;
pub mod search;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::book::ReversiBookSettings;
use crate::evaluate::pattern::Indices;
use crate::evaluate::weights::{ReversiWeights, UNITS};
use crate::rules::position::{ReversiPosition, ReversiTurn};
use crate::search::worker::ReversiWorker;
use kaeshi_core::game::facts::{
    BoardInfo, GameInfo, Handicap, NotationInfo, ScoreUnit, SearchInfo, Symmetry, ValueInfo,
};
use kaeshi_core::game::options::OptionSpec;
use kaeshi_core::game::picture::{Picture, TurnPicture};
use kaeshi_core::game::set_up::{SetUp, SetUpPiece};
use kaeshi_core::game::{
    Game, GameError, GameNotation, GameOptions, GameOutcome, GameRules, GameSearch, GameView, Side,
    TimeAllocation,
};

/// Assumed speed of the solver in one thread, in nodes a second.
const NODES_A_SECOND: f32 = 20e6;
/// Estimated nodes of an exact search: this times the exponential of [`MORE_NODES_A_SQUARE`] times the empty squares,
/// fitted to many searches.
const NODES_OF_NOTHING: f32 = 0.6;
/// See [`NODES_OF_NOTHING`].
const MORE_NODES_A_SQUARE: f32 = 0.75;
/// The shares of the time that are kept for the solver.
const TURNS_TO_SOLVE: f32 = 0.35;
/// Bounds of the number of empty squares at which the game is assumed to be solved, whatever the time.
const LEAST_REACH: f32 = 10.0;
/// See [`LEAST_REACH`].
const MOST_REACH: f32 = 30.0;

/// The rules and resources of Reversi. Black is the first side.
#[derive(Debug, Default)]
pub struct Reversi {
    settings: ReversiSettings,
}

/// The settings of the options of Reversi.
#[derive(Clone, Debug, Default)]
pub struct ReversiSettings {
    /// The evaluation; `None` for the weights inside this program.
    pub weights: Option<Arc<ReversiWeights>>,
    /// The opening book and its use.
    pub book: ReversiBookSettings,
}

impl Reversi {
    /// Reversi by these settings.
    pub fn with(settings: ReversiSettings) -> Reversi {
        Reversi { settings }
    }

    /// The opening book and its use.
    pub fn book(&self) -> &ReversiBookSettings {
        &self.settings.book
    }

    /// The evaluation.
    pub fn weights(&self) -> &ReversiWeights {
        self.settings.weights.as_deref().unwrap_or_else(|| ReversiWeights::usual())
    }

    /// Whether [`Reversi::weights`] are those inside this program, or a copy of their file.
    pub fn has_usual_weights(&self) -> bool {
        self.weights().is_embedded()
    }

    /// Unpacks the weights inside this program, if they value positions.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn unpack_weights(&self) -> Result<(), GameError> {
        match &self.settings.weights {
            Some(_) => Ok(()),
            None => ReversiWeights::embedded().map(drop),
        }
    }
}

static FACTS: GameInfo = GameInfo {
    name: "reversi",
    title: "Reversi",
    colours: ["Black", "White"],
    notation: NotationInfo {
        position_word: "fen",
        position_form: "obf",
        owns_position: rules::notation::owns_position,
        // Lists of turns are transcripts, a special form.
        ..NotationInfo::MINIMAL
    },
    boards: BoardInfo {
        sizes: 8..=8,
        usual_size: 8,
        symmetry: Symmetry::Square,
        handicaps: &HANDICAPS,
        openings: |_| Some(include_str!("openings.txt")),
        ..BoardInfo::MINIMAL
    },
    values: ValueInfo {
        unit: ScoreUnit { name: "discs", shown_in_hundredths: false },
        win_rate_scale: 500.0,
        accuracy_slope: 1.0,
        every_turn_valued: true,
    },
    search: SearchInfo { levels: &levels::LEVELS, lossless_turns: true, ..SearchInfo::MINIMAL },
    ..GameInfo::MINIMAL
};

/// White, the giver, begins; Black's corners are there from the start.
static HANDICAPS: [Handicap; 4] = [
    Handicap {
        name: "1-corner",
        position: "X--------------------------OX------XO--------------------------- O",
    },
    Handicap {
        name: "2-corner",
        position: "X--------------------------OX------XO--------------------------X O",
    },
    Handicap {
        name: "3-corner",
        position: "X------X-------------------OX------XO--------------------------X O",
    },
    Handicap {
        name: "4-corner",
        position: "X------X-------------------OX------XO-------------------X------X O",
    },
];

impl GameOptions for Reversi {
    type Settings = ReversiSettings;

    fn options() -> Vec<OptionSpec<ReversiSettings>> {
        vec![
            OptionSpec::loaded_file("EvalFile", "embedded", |settings: &mut ReversiSettings, name| {
                settings.weights = match name {
                    "" | "embedded" => None,
                    name => Some(ReversiWeights::named(name)?),
                };
                Ok(())
            })
            .described("the weights: `embedded`, or a file"),
            OptionSpec::check("OwnBook", true, |settings: &mut ReversiSettings, on| settings.book.on = on)
                .described("whether moves of the book are played"),
            OptionSpec::loaded_file("BookFile", "no_book", |settings: &mut ReversiSettings, name| {
                settings.book.open(name)
            })
            .described("the opening book: `no_book`, `embedded`, or a file"),
            OptionSpec::spin("BookEvalDiff", 0, 0..=6_400, |settings: &mut ReversiSettings, margin| {
                settings.book.margin = i32::try_from(margin).unwrap_or(0);
            })
            .described("hundredths of a disc by which a move of the book may be worse than the best"),
        ]
    }

    fn load(settings: &ReversiSettings) -> Result<Reversi, GameError> {
        Ok(Reversi::with(settings.clone()))
    }
}

impl GameRules for Reversi {
    type Position = ReversiPosition;
    type Turn = ReversiTurn;

    fn start(&self) -> ReversiPosition {
        ReversiPosition::START
    }

    fn play(&self, position: &mut ReversiPosition, turn: &ReversiTurn) {
        position.play(*turn);
    }

    fn turns(&self, position: &ReversiPosition) -> Vec<ReversiTurn> {
        position.turns()
    }

    fn side_to_move(&self, position: &ReversiPosition) -> Side {
        position.side
    }

    fn outcome(&self, position: &ReversiPosition) -> Option<GameOutcome> {
        position.outcome()
    }

    fn identity(&self, position: &ReversiPosition) -> Vec<u8> {
        let [black, white] = position.discs();
        let mut bytes = Vec::with_capacity(17);
        bytes.extend_from_slice(&black.to_le_bytes());
        bytes.extend_from_slice(&white.to_le_bytes());
        bytes.push(position.side.index() as u8);
        bytes
    }

    fn perft(&self, position: &ReversiPosition, depth: u32) -> u64 {
        rules::perft::perft(position.board, depth)
    }

    fn perft_making_all(&self, position: &ReversiPosition, depth: u32) -> u64 {
        rules::perft::perft_making_all(position.board, depth)
    }

    fn may_pass(&self, position: &ReversiPosition) -> bool {
        position.is_legal(ReversiTurn::Pass)
    }
}

impl GameNotation for Reversi {
    fn parse_position(&self, text: &str) -> Result<ReversiPosition, GameError> {
        rules::notation::parse_position(text)
    }

    fn format_position(&self, position: &ReversiPosition) -> String {
        rules::notation::format_position(position)
    }

    fn parse_turn(&self, position: &ReversiPosition, text: &str) -> Result<ReversiTurn, GameError> {
        let turn = rules::notation::read_turn(text)?;
        if position.is_legal(turn) {
            return Ok(turn);
        }
        let reason = match turn {
            ReversiTurn::Pass if position.outcome().is_some() => "the game is over".to_owned(),
            ReversiTurn::Pass => "a side that can move may not pass".to_owned(),
            ReversiTurn::Place(square) if position.board.empty() >> square & 1 == 0 => {
                format!("{text} is taken")
            }
            ReversiTurn::Place(_) => format!("{text} turns no disc over"),
        };
        Err(GameError::turn(reason))
    }

    fn is_turn(&self, _position: &ReversiPosition, text: &str) -> bool {
        rules::notation::read_turn(text).is_ok()
    }

    fn format_turn(&self, _position: &ReversiPosition, turn: &ReversiTurn) -> String {
        rules::notation::format_turn(*turn)
    }
}

impl GameView for Reversi {
    fn picture(&self, position: &ReversiPosition) -> Picture {
        picture::picture(position)
    }

    fn turn_picture(&self, position: &ReversiPosition, turn: &ReversiTurn) -> TurnPicture {
        picture::turn(position, *turn)
    }

    fn effects(&self, position: &ReversiPosition) -> BTreeMap<String, [usize; 2]> {
        let mut effects = BTreeMap::new();
        for turn in position.turns() {
            let ReversiTurn::Place(square) = turn else { continue };
            let flips = position.board.flips(usize::from(square)).count_ones();
            let mut after = *position;
            after.play(turn);
            let replies = after.board.moves().count_ones();
            effects.insert(rules::notation::format_turn(turn), [flips as usize, replies as usize]);
        }
        effects
    }

    fn set_up_text(cells: &SetUp) -> String {
        let disc = |side: Side| if side == Side::First { 'X' } else { 'O' };
        let square = |cell: &Option<SetUpPiece>| cell.as_ref().map_or('-', |piece| disc(piece.side));
        format!("{} {}", cells.cells.iter().map(square).collect::<String>(), disc(cells.to_move()))
    }

    fn diagram(&self, position: &ReversiPosition) -> String {
        format!("{}\n{}", rules::notation::diagram(position).trim_end(), self.format_position(position))
    }

    fn explain(&self, position: &ReversiPosition) -> String {
        let mut text = String::new();
        for (name, discs) in self.weights().terms(position.board) {
            text.push_str(&format!("{name:<16}{discs:>8.2}\n"));
        }
        let sum = f64::from(self.evaluate(position)) / 100.0;
        text + &format!("{:<16}{sum:>8.2} discs for the side to move", "sum")
    }
}

impl GameSearch for Reversi {
    type Memory = search::memory::ReversiMemory;
    type Worker = ReversiWorker;

    fn pace(&self, position: &ReversiPosition, time: Duration) -> TimeAllocation {
        // Once the game is solved, turns take hardly any time, so the time is shared among the turns until a tenth of
        // it suffices to solve the game. Until then no turn may use the solver's share.
        let nodes = time.as_secs_f32() / 10.0 * NODES_A_SECOND;
        let reach = (nodes / NODES_OF_NOTHING).ln() / MORE_NODES_A_SQUARE;
        let reach = reach.clamp(LEAST_REACH, MOST_REACH);
        let before = (position.board.empties() as f32 - reach) / 2.0;
        TimeAllocation { longest: 2.5, ..TimeAllocation::even(before + TURNS_TO_SOLVE) }
    }

    fn evaluate(&self, position: &ReversiPosition) -> i32 {
        let board = position.board;
        self.weights().value(board, &Indices::new(board)) * 100 / UNITS
    }
}

impl Game for Reversi {
    const FACTS: &'static GameInfo = &FACTS;

    fn bench() -> &'static [(&'static str, u16)] {
        &[
            ("startpos", 9),
            ("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X", 9),
            ("----X-----XXX----OOOXOOO-OOOXOOO-OXOXOXO-OOXXOOO--OOXO----O--O-- X", 9),
            ("---X-------OX--X--XOOXXXXXXOXXXXXXXOOXXXXXXOOOXX--XO---X-------- O", 9),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::notation;
    use kaeshi_core::game::options::find;

    /// By hand: a tenth of 1 s are 2 million nodes, of which ln(3.3 million) / 0.75 = 20 squares are solved. From
    /// 60 squares on that is 20 turns, and 0.35 for the solver.
    #[test]
    fn turns_left_are_those_before_the_solver() {
        let game = Reversi::default();
        let start = game.start();
        for (ms, turns) in [(0, 25.35), (1_000, 20.33), (60_000, 17.61), (3_600_000_000, 15.35)] {
            let found = game.pace(&start, Duration::from_millis(ms)).turns_left();
            assert!((found - turns).abs() < 0.1, "{ms} ms: {found}");
        }
        let text = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
        let end = notation::parse_position(text).expect("a position");
        assert_eq!(game.pace(&end, Duration::from_secs(60)).turns_left(), 2.0);
    }

    #[test]
    fn the_evaluation_is_chosen_by_name_and_a_wrong_file_changes_nothing() {
        let options = Reversi::options();
        let option = find(&options, "EvalFile").expect("there is one");
        let mut settings = ReversiSettings::default();
        option.apply(&mut settings, "hand").expect("a known name");
        let wrong = option.apply(&mut settings, "no/such/weights.bin").expect_err("no file");
        assert!(
            wrong.reason().contains("EvalFile") && wrong.reason().contains("no/such/weights.bin"),
            "{wrong}"
        );
        assert!(Reversi::with(settings.clone()).weights().is_by_hand());
        option.apply(&mut settings, "embedded").expect("a known name");
        assert!(!Reversi::with(settings).weights().is_by_hand());
    }
}
