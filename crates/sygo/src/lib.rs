//! The game of Sygo: rules, notation, evaluation and search.
//!
//! Sygo (Christian Freeling) is Go with the move protocol of Symple: a turn places one stone away
//! from the own ones, or grows any number of own groups by one stone each; captured groups change
//! colour.
//!
//! | file | contents |
//! |---|---|
//! | [`rules`] | boards, turns, legality, the score, notation, all legal turns, perft |
//! | [`evaluate`] | features of the evaluation; the static value |
//! | [`network`] | input planes, layers and policy of the network |
//! | [`search`] | promising turns; Monte-Carlo tree search; principal variation search |
//! | [`solve`] | exact values of small boards |
//!
//! ```
//! use kaeshi_sygo::rules::generate::{perft, turns};
//! use kaeshi_sygo::rules::notation::{format_position, format_turn, parse_turn};
//! use kaeshi_sygo::rules::position::SygoPosition;
//! use kaeshi_sygo::rules::size::BoardSize;
//!
//! let size = BoardSize::parse("5").expect("a size");
//! let mut position = SygoPosition::new(size);
//! let (all, complete) = turns(&position, 100);
//! assert!(complete && all.iter().any(|turn| format_turn(turn) == "c3"));
//! position.play(&parse_turn(size, "c3")?);
//! println!("{}, {} turns", format_position(&position), perft(&mut position, 1));
//! # Ok::<(), kaeshi_core::game::GameError>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod draft;
pub mod evaluate;
mod levels;
pub mod network;
mod picture;
pub mod rules;
pub mod search;
pub mod solve;

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use kaeshi_core::game::draft::TurnDraft;
use kaeshi_core::game::facts::{
    BoardInfo, GameInfo, NotationInfo, RulesInfo, ScoreUnit, SearchInfo, Symmetry, ValueInfo,
};
use kaeshi_core::game::options::OptionSpec;
use kaeshi_core::game::picture::{Picture, TurnPicture};
use kaeshi_core::game::set_up::SetUp;
use kaeshi_core::game::{
    Game, GameError, GameNotation, GameOptions, GameOutcome, GameRules, GameSearch, GameView, Side,
    TimeAllocation,
};
use kaeshi_core::tunable::Tunable;

use evaluate::SygoWeights;
use network::QuantizedSygoNetwork;
use rules::board::Colour;
use rules::points::{Point, SIZE_MAX, SIZE_MIN};
use rules::position::SygoPosition;
use rules::size::BoardSize;
use rules::turn::SygoTurn;
use rules::{generate, notation};
use search::{SygoMemory, SygoWorker, montecarlo, propose};

/// How many turns [`GameRules::turns`] lists at most before it chooses.
pub const TURNS_LISTED: usize = 20_000;

/// The settings of the options of Sygo.
#[derive(Clone, Debug)]
pub struct SygoSettings {
    /// Rows and columns of `startpos`.
    pub board_size: BoardSize,
    /// The network of the Monte-Carlo search.
    pub network: Arc<QuantizedSygoNetwork>,
    /// Which search plays.
    pub searcher: SygoSearchMethod,
    /// The numbers of the Monte-Carlo search.
    pub parameters: montecarlo::MctsParameters,
}

/// Which search plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum SygoSearchMethod {
    /// Monte-Carlo tree search, which won the matches on 9x9, 13x13 and 19x19.
    MonteCarlo,
    /// Principal variation search.
    AlphaBeta,
    /// UCT over the proposed turns: no static values, no priors, nothing solved. For comparison.
    Uct,
    /// The turn of the best static value. For comparison.
    Greedy,
    /// Random turns that fill no own eye. For comparison.
    Random,
}

impl SygoSearchMethod {
    /// Every one, the strongest first.
    pub const ALL: [SygoSearchMethod; 5] = [
        SygoSearchMethod::MonteCarlo,
        SygoSearchMethod::AlphaBeta,
        SygoSearchMethod::Uct,
        SygoSearchMethod::Greedy,
        SygoSearchMethod::Random,
    ];

    /// Its name in options and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SygoSearchMethod::MonteCarlo => "monte-carlo",
            SygoSearchMethod::AlphaBeta => "alpha-beta",
            SygoSearchMethod::Uct => "uct",
            SygoSearchMethod::Greedy => "greedy",
            SygoSearchMethod::Random => "random",
        }
    }
}

/// The names of [`SygoSearchMethod::ALL`].
const SEARCHERS: [&str; 5] = ["monte-carlo", "alpha-beta", "uct", "greedy", "random"];

impl Default for SygoSettings {
    fn default() -> Self {
        SygoSettings {
            board_size: SIZE_MAX.into(),
            network: QuantizedSygoNetwork::embedded(),
            searcher: SygoSearchMethod::MonteCarlo,
            parameters: montecarlo::MctsParameters::default(),
        }
    }
}

/// Sygo.
#[derive(Clone, Debug)]
pub struct Sygo {
    settings: SygoSettings,
    /// The weights of the static evaluation.
    pub weights: Arc<SygoWeights>,
}

impl Sygo {
    /// The settings of the options.
    pub fn settings(&self) -> &SygoSettings {
        &self.settings
    }
}

static FACTS: GameInfo = GameInfo {
    name: "sygo",
    title: "Sygo",
    colours: ["White", "Black"],
    notation: NotationInfo {
        position_word: "fen",
        position_form: "fen",
        owns_position: notation::owns_position,
        recognise_turns: notation::recognise_turns,
        ..NotationInfo::MINIMAL
    },
    boards: BoardInfo {
        sizes: SIZE_MIN as u8..=SIZE_MAX as u8,
        usual_size: SIZE_MAX as u8,
        symmetry: Symmetry::Square,
        openings: |size| match size {
            9 => Some(include_str!("openings/9.txt")),
            13 => Some(include_str!("openings/13.txt")),
            19 => Some(include_str!("openings/19.txt")),
            _ => None,
        },
        may_open: notation::is_placement,
        ..BoardInfo::MINIMAL
    },
    values: ValueInfo {
        unit: ScoreUnit { name: "points", shown_in_hundredths: false },
        win_rate_scale: 1000.0,
        accuracy_slope: 0.5,
        ..ValueInfo::MINIMAL
    },
    rules: RulesInfo { drafts: true, ..RulesInfo::MINIMAL },
    search: SearchInfo { levels: &levels::LEVELS, point_estimates: true, ..SearchInfo::MINIMAL },
};

impl GameOptions for Sygo {
    type Settings = SygoSettings;

    fn options() -> Vec<OptionSpec<SygoSettings>> {
        let sizes = SIZE_MIN as i64..=SIZE_MAX as i64;
        vec![
            OptionSpec::spin_or_text(
                "BoardSize",
                SIZE_MAX as i64,
                sizes,
                |settings: &mut SygoSettings, size| settings.board_size = (size as usize).into(),
                "9x7 for columns and rows of that range",
                |settings, text| BoardSize::parse(text).map(|size| settings.board_size = size).is_some(),
            )
            .described("columns and rows of the board"),
            OptionSpec::combo("Searcher", "monte-carlo", &SEARCHERS, |settings: &mut SygoSettings, word| {
                let named = SygoSearchMethod::ALL.into_iter().find(|searcher| searcher.name() == word);
                settings.searcher = named.unwrap_or(settings.searcher);
            })
            .described("the search: Monte Carlo tree search, or alpha-beta"),
            OptionSpec::loaded_file("EvalFile", "embedded", |settings: &mut SygoSettings, name| {
                settings.network = QuantizedSygoNetwork::named(name)?;
                Ok(())
            })
            .described("the weights: `embedded`, or a file"),
            OptionSpec::loaded_file("SearchFile", "embedded", |settings: &mut SygoSettings, name| {
                settings.parameters = montecarlo::MctsParameters::named(name)?;
                Ok(())
            })
            .described("the parameters of the search: `embedded`, or a file"),
        ]
    }

    fn load(settings: &SygoSettings) -> Result<Self, GameError> {
        Ok(Sygo { settings: settings.clone(), weights: SygoWeights::embedded() })
    }
}

impl GameRules for Sygo {
    type Position = SygoPosition;
    type Turn = SygoTurn;

    fn start(&self) -> SygoPosition {
        SygoPosition::new(self.settings.board_size)
    }

    fn start_of_size(&self, size: u8) -> SygoPosition {
        SygoPosition::new(usize::from(size).clamp(SIZE_MIN, SIZE_MAX))
    }

    fn play(&self, position: &mut SygoPosition, turn: &SygoTurn) {
        position.play(turn);
    }

    fn turns(&self, position: &SygoPosition) -> Vec<SygoTurn> {
        let (turns, complete) = generate::turns(position, TURNS_LISTED);
        if complete {
            return turns;
        }
        propose::propose(&self.weights, position, 100, 100).into_iter().map(|(_, turn)| turn).collect()
    }

    fn side_to_move(&self, position: &SygoPosition) -> Side {
        position.side.into()
    }

    fn outcome(&self, position: &SygoPosition) -> Option<GameOutcome> {
        position.outcome()
    }

    fn identity(&self, position: &SygoPosition) -> Vec<u8> {
        let board = &position.board;
        let stones = board.points().iter().map(|point| match board.stone(point) {
            None => 0,
            Some(Colour::White) => 1,
            Some(Colour::Black) => 2,
        });
        let head =
            [board.size().columns() as u8, position.side as u8, u8::from(position.grown), position.passes];
        head.into_iter().chain(stones).collect()
    }

    fn perft(&self, position: &SygoPosition, depth: u32) -> u64 {
        generate::perft(&mut position.clone(), depth)
    }

    fn may_pass(&self, position: &SygoPosition) -> bool {
        !position.is_over()
    }
}

impl GameNotation for Sygo {
    fn parse_position(&self, text: &str) -> Result<SygoPosition, GameError> {
        match text.trim().split_once(char::is_whitespace) {
            None if text.trim() == "startpos" => Ok(self.start()),
            Some(("startpos", _)) => Err(GameError::position("nothing may follow 'startpos' but 'moves'")),
            Some(("fen", fields)) => notation::parse_position(fields),
            _ => notation::parse_position(text),
        }
    }

    fn format_position(&self, position: &SygoPosition) -> String {
        notation::format_position(position)
    }

    fn parse_turn(&self, position: &SygoPosition, text: &str) -> Result<SygoTurn, GameError> {
        let turn = notation::parse_turn(position.board.size(), text)?;
        rules::check(position, &turn)?;
        Ok(turn)
    }

    fn is_turn(&self, position: &SygoPosition, text: &str) -> bool {
        notation::parse_turn(position.board.size(), text).is_ok()
    }

    fn format_turn(&self, _position: &SygoPosition, turn: &SygoTurn) -> String {
        notation::format_turn(turn)
    }
}

impl GameView for Sygo {
    fn picture(&self, position: &SygoPosition) -> Picture {
        picture::picture(position)
    }

    fn turn_picture(&self, position: &SygoPosition, turn: &SygoTurn) -> TurnPicture {
        picture::turn(position, turn)
    }

    fn draft(&self, position: &SygoPosition, stones: &[String]) -> Option<(TurnDraft, Picture)> {
        draft::draft(self, position, stones)
    }

    fn drafted(&self, stones: &[String]) -> Option<String> {
        (!stones.is_empty()).then(|| format!("+{}", stones.join(",")))
    }

    fn set_up_text(cells: &SetUp) -> String {
        let letter = |side: Side| if side == Side::First { "w" } else { "b" };
        let grown = if cells.grown { 'g' } else { '-' };
        let rows = cells.rows(|piece| letter(piece.side).to_owned());
        format!("fen {rows} {} {grown} 0 1", letter(cells.to_move()))
    }

    fn diagram(&self, position: &SygoPosition) -> String {
        let size = position.board.size();
        let mut text = String::new();
        for row in (0..size.rows()).rev() {
            let _ = write!(text, "{:>2}", row + 1);
            for column in 0..size.columns() {
                text.push_str(match position.board.stone(Point::new(column, row)) {
                    None => " .",
                    Some(Colour::White) => " O",
                    Some(Colour::Black) => " X",
                });
            }
            text.push('\n');
        }
        text.push_str("  ");
        for column in 0..size.columns() {
            let _ = write!(text, " {}", char::from(b'a' + column as u8));
        }
        let [white, black] = rules::score(&position.board);
        let _ = write!(
            text,
            "\nturn {}, {} to move; White (O) {white}, Black (X) {black}\nfen {}",
            position.number,
            if position.side == Colour::White { "White" } else { "Black" },
            self.format_position(position),
        );
        text
    }

    fn explain(&self, position: &SygoPosition) -> String {
        let terms = self.weights.terms(position);
        let mut text = String::from("term            points for the side to move\n");
        for (name, value) in terms {
            let _ = writeln!(text, "{name:<14} {:>8.2}", f64::from(value) / 100.0);
        }
        let _ = write!(text, "total          {:>8.2}", f64::from(self.evaluate(position)) / 100.0);
        text
    }
}

impl GameSearch for Sygo {
    type Memory = SygoMemory;
    type Worker = SygoWorker;

    fn overlook(
        &self,
        position: &SygoPosition,
        turn: &SygoTurn,
        overlooks: &dyn Fn(u64) -> bool,
    ) -> SygoTurn {
        let mut growth: Vec<Point> =
            turn.growth().iter().copied().filter(|point| !overlooks(point.index() as u64)).collect();
        // A growth does not become a pass.
        if growth.is_empty() {
            growth.extend(turn.growth().first());
        }
        let left = SygoTurn::new(growth, turn.placement());
        if rules::check(position, &left).is_ok() { left } else { turn.clone() }
    }

    fn value_scale(&self, position: &SygoPosition) -> f32 {
        // The levels were set on 9x9.
        position.board.size().points() as f32 / 81.0
    }

    fn pace(&self, position: &SygoPosition, _: Duration) -> TimeAllocation {
        // A whole game takes about 20 turns a side on 9x9 and 50 on 19x19.
        let board = &position.board;
        TimeAllocation::even(3.0 + board.vacant().len() as f32 / (0.42 * board.size().mean() as f32))
    }

    fn evaluate(&self, position: &SygoPosition) -> i32 {
        self.weights.position(position)
    }
}

impl Game for Sygo {
    const FACTS: &'static GameInfo = &FACTS;

    fn bench() -> &'static [(&'static str, u16)] {
        &[
            ("7/7/7/7/7/7/7 w - 0 1", 12),
            ("1w7/ww7/ww2b4/w3b4/2bbb4/2b6/9/2bbb4/9 w g 0 13", 12),
            ("7www3/13/13/13/13/12b/2w3b4bb/2w2bbb4b/2w3b5w/3w9/13/13/13 b g 0 12", 2),
            ("19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19 w - 0 1", 1),
            (
                "1bwwwbwwwwbw/wbwb1b1bw1bw/wwwbbbbbwwww/b1wwww1bb1bw/wwwbbbbbbbb1/wbbbbbbbbbbb/wwbbbbbbbbb1/\
                 wwbwbbbwbbbb/wwbw3wbbww/1wbwwwwwb1w1/bwbwwwwwwwww/bwwwwwwwwwww w g 0 45",
                14,
            ),
        ]
    }
}
