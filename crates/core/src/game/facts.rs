//! The constants of a game besides its rules: names, units, sizes, symmetries, handicaps.

use std::ops::RangeInclusive;

use serde::Serialize;

use crate::game::Side;
use crate::game::level::SkillLevel;

/// The constants of one game.
#[derive(Debug)]
pub struct GameInfo {
    /// Name in protocols and files: `shogi`, `reversi`, `sygo`.
    pub name: &'static str,
    /// Name in sentences: `shogi`, `Reversi`, `Sygo`.
    pub title: &'static str,
    /// The players' colours, that of the first side first.
    pub colours: [&'static str; 2],
    /// How positions and turns are written, and recognised.
    pub notation: NotationInfo,
    /// Boards, starts and openings.
    pub boards: BoardInfo,
    /// The unit and scale of values.
    pub values: ValueInfo,
    /// Properties of the rules that tools depend on.
    pub rules: RulesInfo,
    /// Features of the game's engine.
    pub search: SearchInfo,
}

/// How positions and turns are written, and recognised.
#[derive(Debug)]
pub struct NotationInfo {
    /// The word before a position in `position …`: `sfen` or `fen`; empty where it stands bare.
    pub position_word: &'static str,
    /// The form of its position texts: the extension of a file of them.
    pub position_form: &'static str,
    /// Whether words, blanks between them and without `fen`, can be a position of this game and of no other.
    pub owns_position: fn(&[&str]) -> bool,
    /// Whether words can be turns of this game from its usual start.
    pub recognise_turns: fn(&[&str]) -> Recognition,
    /// The language (BCP 47) of [`crate::game::GameView::local_text`], for games whose turns people write in
    /// another form than protocols do.
    pub local_language: Option<&'static str>,
}

/// Boards, starts and openings.
#[derive(Debug)]
pub struct BoardInfo {
    /// Columns (and rows) of its boards.
    pub sizes: RangeInclusive<u8>,
    /// Columns of the usual board.
    pub usual_size: u8,
    /// Which images of a board are the same position.
    pub symmetry: Symmetry,
    /// The usual handicaps, smallest first. The second side gives the handicap and moves first.
    pub handicaps: &'static [Handicap],
    /// Balanced openings on boards of this size, a position line each.
    pub openings: fn(u8) -> Option<&'static str>,
    /// Whether a turn may be among the random ones at the beginning of a game.
    pub may_open: fn(&str) -> bool,
}

/// The unit and scale of values.
#[derive(Debug)]
pub struct ValueInfo {
    /// The unit of values.
    pub unit: ScoreUnit,
    /// Value in hundredths of the unit at which the side to move wins with 1 / (1 + 1/e) = 73 %.
    pub win_rate_scale: f64,
    /// How steeply the accuracy of a turn falls with the win rate that it loses, by the formula of lichess.org times
    /// this: less than 1 where the estimates of single positions vary more than in chess.
    pub accuracy_slope: f64,
    /// Whether analysis for people values every turn, as numbers on the board.
    pub every_turn_valued: bool,
}

/// Properties of the rules that tools depend on.
#[derive(Debug)]
pub struct RulesInfo {
    /// Whether a position that comes back for the fourth time ends a game without a winner.
    pub repetition_draws: bool,
    /// Whether a turn is put together stone by stone, so that [`crate::game::GameView::draft`] is needed to make one.
    pub drafts: bool,
}

/// Features of the game's engine.
#[derive(Debug)]
pub struct SearchInfo {
    /// Whether its engine answers `go mate`.
    pub mate_search: bool,
    /// The levels of `SkillLevel` below full strength, weakest first.
    pub levels: &'static [SkillLevel],
    /// Whether its search misjudges positions itself ([`crate::game::search::SearchRoot::misjudgement`]); elsewhere the
    /// driver misjudges the turns at the root.
    pub misjudges: bool,
    /// Whether an evaluation says whose each point will be and how likely a turn there is
    /// ([`RootReport`](crate::game::root_report::RootReport)).
    pub point_estimates: bool,
    /// Whether analysis finds all turns that keep an exact value: there are few, and searches prove margins.
    pub lossless_turns: bool,
}

/// Whether words can be turns of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recognition {
    /// The words are turns of this game and of no other.
    Sure,
    /// The words may be turns of this game.
    Possible,
    /// The words are no turns of this game; or its lists of turns have a special form, as transcripts have.
    No,
}

/// The unit of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ScoreUnit {
    /// In the plural: `pawns`, `discs`, `points`.
    pub name: &'static str,
    /// Whether values are shown in hundredths of it (centipawns), not in whole units with decimals.
    pub shown_in_hundredths: bool,
}

/// Which images of a board are the same position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// The board and its mirror image, left for right.
    Mirror,
    /// The eight images of a square.
    Square,
}

/// A handicap start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handicap {
    /// Lower case with hyphens: `2-piece`.
    pub name: &'static str,
    /// The position, as the game writes it.
    pub position: &'static str,
}

impl GameInfo {
    /// The defaults of a game's constants, except `name`, `title` and the board sizes, which every game sets.
    pub const MINIMAL: GameInfo = GameInfo {
        name: "",
        title: "",
        colours: ["First", "Second"],
        notation: NotationInfo::MINIMAL,
        boards: BoardInfo::MINIMAL,
        values: ValueInfo::MINIMAL,
        rules: RulesInfo::MINIMAL,
        search: SearchInfo::MINIMAL,
    };

    /// The colour of a side.
    pub fn colour(&self, side: Side) -> &'static str {
        self.colours[side.index()]
    }
}

impl NotationInfo {
    /// The defaults.
    pub const MINIMAL: NotationInfo = NotationInfo {
        position_word: "",
        position_form: "txt",
        owns_position: |_| false,
        recognise_turns: |_| Recognition::No,
        local_language: None,
    };

    /// `position`, as it stands behind the protocols' word `position`.
    pub fn position_argument(&self, position: &str) -> String {
        match self.position_word {
            "" => position.to_owned(),
            word => format!("{word} {position}"),
        }
    }
}

impl BoardInfo {
    /// The defaults.
    pub const MINIMAL: BoardInfo = BoardInfo {
        sizes: 1..=1,
        usual_size: 1,
        symmetry: Symmetry::Mirror,
        handicaps: &[],
        openings: |_| None,
        may_open: |_| true,
    };

    /// The handicap called `name`, letter case ignored.
    pub fn handicap(&self, name: &str) -> Option<&'static Handicap> {
        self.handicaps.iter().find(|handicap| handicap.name.eq_ignore_ascii_case(name))
    }
}

impl ValueInfo {
    /// The defaults.
    pub const MINIMAL: ValueInfo = ValueInfo {
        unit: ScoreUnit { name: "points", shown_in_hundredths: false },
        win_rate_scale: 100.0,
        accuracy_slope: 1.0,
        every_turn_valued: false,
    };

    /// Probability that the side to move wins, for a value in hundredths of the unit.
    pub fn win_rate(&self, value: i32) -> f64 {
        1.0 / (1.0 + (-f64::from(value) / self.win_rate_scale).exp())
    }
}

impl RulesInfo {
    /// The defaults.
    pub const MINIMAL: RulesInfo = RulesInfo { repetition_draws: false, drafts: false };
}

impl SearchInfo {
    /// The defaults.
    pub const MINIMAL: SearchInfo = SearchInfo {
        mate_search: false,
        levels: &[],
        misjudges: false,
        point_estimates: false,
        lossless_turns: false,
    };
}
