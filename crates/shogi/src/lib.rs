//! Shogi: rules, evaluation and search.
//!
//! ```
//! use kaeshi_core::game::control::SearchControl;
//! use kaeshi_shogi::mate::{MateSolver, MateVerdict};
//! use kaeshi_shogi::rules::{japanese, notation::parse_move, perft::perft, sfen};
//!
//! let mut start = sfen::parse("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1")?;
//! assert_eq!((start.legal_moves().len(), perft(&mut start, 3)), (30, 25_470));
//! let first = parse_move(&start, "7g7f")?;
//! assert_eq!(japanese::format_move(&start, first), "▲７六歩");
//! start.make(first);
//!
//! let problem = sfen::parse("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1")?;
//! let mut solver = MateSolver::with_bytes(1 << 20);
//! let MateVerdict::Mate(line) = solver.solve(&problem, 10_000, &SearchControl::free()) else { panic!("a mate") };
//! assert_eq!(line[0].to_string(), "G*5b");
//! # Ok::<(), kaeshi_core::game::GameError>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod accumulator;
pub mod book;
pub mod evaluate;
mod levels;
pub mod mate;
pub mod network;
pub mod nnue;
mod picture;
pub mod rules;
pub mod search;
mod terms;
mod turn_weights;

use std::fmt::Write;
use std::time::Duration;

use crate::book::{NO_LIMIT, ShogiBookSettings};
use crate::evaluate::{Evaluation, EvaluationSources};
use crate::mate::tsume::MateLength;
use crate::nnue::DEFAULT_SCALE;
use crate::rules::checks::CheckMap;
use crate::rules::entering::{EnteringKingRule, count, impasse_points, may_declare, try_square};
use crate::rules::position::ShogiPosition;
use crate::rules::repetition::Repetition;
use crate::rules::types::{Move, PieceKind, Square};
use crate::rules::{handicap, japanese, notation, perft, sfen, western};
use crate::search::ShogiWorker;
use crate::search::entry::ShogiTtEntry;
use crate::search::parameters::ShogiSearchParameters;
use crate::turn_weights::{MEAN_USE, turn_weights};
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::draft::Claim;
use kaeshi_core::game::facts::{
    BoardInfo, GameInfo, NotationInfo, RulesInfo, ScoreUnit, SearchInfo, Symmetry, ValueInfo,
};
use kaeshi_core::game::interrupt::Interrupt;
use kaeshi_core::game::options::OptionSpec;
use kaeshi_core::game::picture::{Picture, TurnPicture};
use kaeshi_core::game::set_up::SetUp;
use kaeshi_core::game::{
    Game, GameError, GameNotation, GameOptions, GameOutcome, GameRules, GameSearch, GameView, SearchMemory,
    Side, TerminalCause, TimeAllocation,
};
use kaeshi_core::tunable::Tunable;

/// The widest limit of a book's values that an option takes, in centipawns.
const BOOK_LIMIT: i64 = NO_LIMIT as i64;

/// The settings of the options of shogi.
#[derive(Clone, Debug)]
pub struct ShogiSettings {
    /// How a game may be won by bringing the king into the enemy camp.
    pub entering_king: EnteringKingRule,
    /// The game is drawn after this many moves; 0 for never.
    pub max_moves: u32,
    /// The value of a draw in centipawns when the engine plays Black, and White.
    pub draw_value: [i32; 2],
    /// The most memory that `go mate` may use, in MiB; taken only as it is needed.
    pub mate_hash_mib: usize,
    /// Which moves count in the length of a mate that `go mate` finds.
    pub mate_length: MateLength,
    /// The evaluation.
    pub evaluation: Evaluation,
    /// The options that the evaluation was loaded by.
    pub sources: EvaluationSources,
    /// The parameters of the search.
    pub parameters: ShogiSearchParameters,
    /// Whether moves count that are never better than others: non-promotions of pawns, bishops and rooks.
    pub all_moves: bool,
    /// The opening book and its use.
    pub book: ShogiBookSettings,
}

/// Enough for mates of more than a thousand plies.
const DEFAULT_MATE_HASH_MIB: usize = 896;

impl Default for ShogiSettings {
    fn default() -> ShogiSettings {
        ShogiSettings {
            entering_king: EnteringKingRule::default(),
            max_moves: 0,
            draw_value: [-2; 2],
            mate_hash_mib: DEFAULT_MATE_HASH_MIB,
            mate_length: MateLength::Legal,
            evaluation: Evaluation::embedded(),
            sources: EvaluationSources::default(),
            parameters: ShogiSearchParameters::default(),
            all_moves: false,
            book: ShogiBookSettings::default(),
        }
    }
}

impl ShogiSettings {
    /// Changes where the evaluation comes from.
    fn set_source(&mut self, set: impl FnOnce(&mut EvaluationSources)) {
        set(&mut self.sources);
        self.evaluation = self.sources.chosen();
    }
}

/// Shogi by these settings.
pub struct Shogi {
    pub settings: ShogiSettings,
}

impl Shogi {
    /// The settings in force.
    pub fn settings(&self) -> &ShogiSettings {
        &self.settings
    }

    /// Whether the agreed number of moves has been made.
    fn too_many_moves(&self, position: &ShogiPosition) -> bool {
        self.settings.max_moves > 0 && position.move_number() > self.settings.max_moves
    }
}

/// The memory that the search threads share: the transposition table.
pub struct ShogiMemory(TranspositionTable<ShogiTtEntry>);

impl ShogiMemory {
    fn table(&self) -> &TranspositionTable<ShogiTtEntry> {
        &self.0
    }
}

impl SearchMemory for ShogiMemory {
    fn with_bytes(bytes: usize) -> Result<Self, GameError> {
        TranspositionTable::with_bytes(bytes).map(ShogiMemory)
    }

    fn clear_unless(&self, threads: usize, interrupt: &Interrupt) {
        self.0.clear_unless(threads, interrupt);
    }

    fn prefault(&self, threads: usize, interrupt: &Interrupt) {
        self.0.prefault(threads, interrupt);
    }

    fn age(&self) {
        self.0.age();
    }

    fn hashfull(&self) -> u16 {
        self.0.hashfull()
    }
}

static FACTS: GameInfo = GameInfo {
    name: "shogi",
    title: "shogi",
    colours: ["Black", "White"],
    notation: NotationInfo {
        position_word: "sfen",
        position_form: "sfen",
        owns_position: notation::owns_position,
        recognise_turns: notation::recognise_turns,
        local_language: Some("ja"),
    },
    boards: BoardInfo {
        sizes: 9..=9,
        usual_size: 9,
        symmetry: Symmetry::Mirror,
        handicaps: &handicap::HANDICAPS,
        openings: |_| Some(include_str!("openings.txt")),
        ..BoardInfo::MINIMAL
    },
    values: ValueInfo {
        unit: ScoreUnit { name: "pawns", shown_in_hundredths: true },
        // The scale that GUIs use.
        win_rate_scale: 600.0,
        accuracy_slope: 1.0,
        ..ValueInfo::MINIMAL
    },
    rules: RulesInfo { repetition_draws: true, ..RulesInfo::MINIMAL },
    search: SearchInfo { mate_search: true, levels: &levels::LEVELS, misjudges: true, ..SearchInfo::MINIMAL },
};

/// The first word of a text, and what follows it.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((text, ""))
}

impl GameOptions for Shogi {
    type Settings = ShogiSettings;

    fn options() -> Vec<OptionSpec<ShogiSettings>> {
        vec![
            OptionSpec::combo(
                "EnteringKingRule",
                "CSARule27",
                &EnteringKingRule::NAMES,
                |settings: &mut ShogiSettings, name| {
                    settings.entering_king = EnteringKingRule::from_name(name).unwrap_or_default();
                },
            )
            .described("rule by which an entering king wins or draws"),
            OptionSpec::spin("MaxMovesToDraw", 0, 0..=100_000, |settings: &mut ShogiSettings, moves| {
                settings.max_moves = u32::try_from(moves).unwrap_or(0);
            })
            .described("number of moves after which a game is drawn; 0 for none"),
            OptionSpec::spin(
                "DrawValueBlack",
                -2,
                -30_000..=30_000,
                |settings: &mut ShogiSettings, value| {
                    settings.draw_value[0] = i32::try_from(value).unwrap_or(0);
                },
            )
            .described("value of a draw by repetition for Black, in centipawns"),
            OptionSpec::spin(
                "DrawValueWhite",
                -2,
                -30_000..=30_000,
                |settings: &mut ShogiSettings, value| {
                    settings.draw_value[1] = i32::try_from(value).unwrap_or(0);
                },
            )
            .described("value of a draw by repetition for White, in centipawns"),
            OptionSpec::spin(
                "MateHash",
                DEFAULT_MATE_HASH_MIB as i64,
                1..=1 << 20,
                |settings: &mut ShogiSettings, mib| {
                    settings.mate_hash_mib = usize::try_from(mib).unwrap_or(DEFAULT_MATE_HASH_MIB);
                },
            )
            .described("most MiB of memory for the mate search of `go mate`")
            .for_mates(),
            OptionSpec::combo(
                "MateLength",
                MateLength::Legal.name(),
                &MateLength::NAMES,
                |settings: &mut ShogiSettings, name| {
                    settings.mate_length = MateLength::from_name(name).unwrap_or_default();
                },
            )
            .described(
                "moves that count in the length of a mate of `go mate`: all legal ones, or as in tsume all but \
                 useless interpositions",
            )
            .for_mates(),
            OptionSpec::check("GenerateAllLegalMoves", false, |settings: &mut ShogiSettings, on| {
                settings.all_moves = on;
            })
            .described(
                "whether useless non-promotions of pawn, lance, bishop and rook are searched, too",
            ),
            OptionSpec::loaded_file("EvalFile", "embedded", |settings: &mut ShogiSettings, name| {
                let evaluation = match name {
                    "" | "embedded" => None,
                    name => Some(Evaluation::named(name)?),
                };
                settings.set_source(|sources| sources.file = evaluation);
                Ok(())
            })
            .described("the weights: `embedded`, `hand`, `article`, or a file"),
            OptionSpec::loaded_file("EvalDir", "", |settings: &mut ShogiSettings, name| {
                let evaluation = match name {
                    "" => None,
                    name => Some(Evaluation::in_folder(name)?),
                };
                settings.set_source(|sources| sources.folder = evaluation);
                Ok(())
            })
            .described("the folder in which the weights lie as `nn.bin`"),
            OptionSpec::spin(
                "FV_SCALE",
                DEFAULT_SCALE.into(),
                1..=128,
                |settings: &mut ShogiSettings, scale| {
                    let scale = i32::try_from(scale).unwrap_or(DEFAULT_SCALE);
                    settings.set_source(|sources| sources.scale = scale);
                },
            )
            .described("what the output of a network in an `nn.bin` is divided by"),
            OptionSpec::loaded_file("SearchFile", "embedded", |settings: &mut ShogiSettings, name| {
                settings.parameters = ShogiSearchParameters::named(name)?;
                Ok(())
            })
            .described("the parameters of the search: `embedded`, or a file"),
            OptionSpec::check("OwnBook", true, |settings: &mut ShogiSettings, on| settings.book.on = on)
                .described("whether moves of the book are played"),
            OptionSpec::loaded_file("BookFile", "no_book", |settings: &mut ShogiSettings, name| {
                settings.book.open(name)
            })
            .described("the opening book: `no_book`, `embedded`, or a file"),
            OptionSpec::loaded_file("BookDir", "", |settings: &mut ShogiSettings, folder| {
                settings.book.look_in(folder)
            })
            .described("the folder in which the book lies"),
            OptionSpec::spin("BookMoves", 16, 0..=10_000, |settings: &mut ShogiSettings, moves| {
                settings.book.moves = u32::try_from(moves).unwrap_or(0);
            })
            .described("number of the move up to which the book is used"),
            OptionSpec::spin("BookEvalDiff", 30, 0..=99_999, |settings: &mut ShogiSettings, margin| {
                settings.book.margin = i32::try_from(margin).unwrap_or(0);
            })
            .described("centipawns by which a move of the book may be worse than the best"),
            OptionSpec::spin(
                "BookEvalBlackLimit",
                -BOOK_LIMIT,
                -BOOK_LIMIT..=BOOK_LIMIT,
                |settings, least| {
                    let settings: &mut ShogiSettings = settings;
                    settings.book.least[0] = i32::try_from(least).unwrap_or(-NO_LIMIT);
                },
            )
            .described("lowest value of a move of the book that Black plays"),
            OptionSpec::spin(
                "BookEvalWhiteLimit",
                -BOOK_LIMIT,
                -BOOK_LIMIT..=BOOK_LIMIT,
                |settings, least| {
                    let settings: &mut ShogiSettings = settings;
                    settings.book.least[1] = i32::try_from(least).unwrap_or(-NO_LIMIT);
                },
            )
            .described("lowest value of a move of the book that White plays"),
            OptionSpec::spin("BookDepthLimit", 0, 0..=65_535, |settings: &mut ShogiSettings, depth| {
                settings.book.depth = u16::try_from(depth).unwrap_or(0);
            })
            .described("least depth of a move of the book; 0 for no limit"),
            OptionSpec::spin("BookIgnoreRate", 0, 0..=100, |settings: &mut ShogiSettings, percent| {
                settings.book.ignored = u32::try_from(percent).unwrap_or(0);
            })
            .described("how often the book is ignored, per cent"),
        ]
    }

    fn instead_of_option(name: &str) -> Option<&'static str> {
        const ABSENT: [(&str, &str); 8] = [
            ("EvalSaveDir", "weights are made by 'kaeshi train'"),
            ("EvalShare", "each process has its own weights"),
            ("BookOnTheFly", "books are read whole, up to 1 GiB"),
            ("IgnoreBookPly", "it is always so: the number of a move does not count in a book"),
            ("FlippedBook", "it is always so: a book also holds for exchanged colours"),
            ("NarrowBook", "BookEvalDiff narrows the choice"),
            ("BookPvMoves", "move and reply of a book are shown"),
            ("USI_AnalyseMode", "'go infinite' analyses; see ConsiderationMode"),
        ];
        ABSENT.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, instead)| instead)
    }

    fn load(settings: &ShogiSettings) -> Result<Shogi, GameError> {
        Ok(Shogi { settings: settings.clone() })
    }
}

impl GameRules for Shogi {
    type Position = ShogiPosition;
    type Turn = Move;

    fn start(&self) -> ShogiPosition {
        sfen::parse(handicap::START).unwrap_or_default()
    }

    fn play(&self, position: &mut ShogiPosition, turn: &Move) {
        position.make(*turn);
    }

    fn turns(&self, position: &ShogiPosition) -> Vec<Move> {
        position.legal_moves().to_vec()
    }

    fn side_to_move(&self, position: &ShogiPosition) -> Side {
        position.side_to_move()
    }

    fn outcome(&self, position: &ShogiPosition) -> Option<GameOutcome> {
        let us = position.side_to_move();
        let won = |winner, cause| Some(GameOutcome { winner: Some(winner), margin: 0, cause });
        if !position.has_legal_move() {
            return won(us.other(), TerminalCause::Mate);
        }
        match position.fourth_repetition() {
            Some(Repetition::Win) => return won(us, TerminalCause::PerpetualCheck),
            Some(Repetition::Loss) => return won(us.other(), TerminalCause::PerpetualCheck),
            Some(_) => {
                return Some(GameOutcome { winner: None, margin: 0, cause: TerminalCause::Repetition });
            }
            None => {}
        }
        if self.settings.entering_king == EnteringKingRule::Try
            && position.king(us.other()) == try_square(us.other())
        {
            return won(us.other(), TerminalCause::EnteringKing);
        }
        self.too_many_moves(position).then_some(GameOutcome {
            winner: None,
            margin: 0,
            cause: TerminalCause::MaxPlies,
        })
    }

    fn may_claim_win(&self, position: &ShogiPosition) -> bool {
        may_declare(position, self.settings.entering_king)
    }

    fn impasse_points(&self, position: &ShogiPosition) -> Option<[u32; 2]> {
        impasse_points(position)
    }

    /// Board, hands and side; where it counts, the number of moves; and, of earlier positions,
    /// those that occurred at least twice. A position that occurred but once needs twelve more
    /// plies to matter, which is farther than anything looks that compares identities.
    fn identity(&self, position: &ShogiPosition) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            Square::all().map(|square| position.piece_on(square).index() as u8).collect();
        for side in [Side::First, Side::Second] {
            bytes.extend(position.hand(side).0.to_le_bytes());
        }
        bytes.push(position.side_to_move() as u8);
        if self.settings.max_moves > 0 {
            bytes.extend(position.move_number().to_le_bytes());
        }
        bytes.extend(position.repeated());
        bytes
    }

    fn perft(&self, position: &ShogiPosition, depth: u32) -> u64 {
        perft::perft(&mut position.clone(), depth)
    }

    fn perft_making_all(&self, position: &ShogiPosition, depth: u32) -> u64 {
        perft::perft_making_all(&mut position.clone(), depth)
    }

    fn claim(&self, position: &ShogiPosition) -> Option<Claim> {
        let count = count(position, self.settings.entering_king)?;
        Some(Claim { points: count.points, needed: count.needed, entered: count.entered })
    }
}

impl GameNotation for Shogi {
    fn parse_position(&self, text: &str) -> Result<ShogiPosition, GameError> {
        let (word, rest) = first_word(text);
        match word {
            "startpos" if rest.trim().is_empty() => Ok(self.start()),
            "startpos" => Err(GameError::position(format!("'{}' after startpos", rest.escape_default()))),
            "sfen" | "fen" => sfen::parse(rest),
            _ => sfen::parse(text),
        }
    }

    fn format_position(&self, position: &ShogiPosition) -> String {
        sfen::format(position)
    }

    fn parse_turn(&self, position: &ShogiPosition, text: &str) -> Result<Move, GameError> {
        notation::parse_move(position, text)
    }

    fn is_turn(&self, _: &ShogiPosition, text: &str) -> bool {
        notation::is_move(text)
    }

    fn loser_of_refused(&self, text: &str) -> Option<Side> {
        let (word, rest) = first_word(text);
        sfen::left_in_check(if matches!(word, "sfen" | "fen") { rest } else { text })
    }

    fn format_turn(&self, _: &ShogiPosition, turn: &Move) -> String {
        turn.to_string()
    }
}

impl GameView for Shogi {
    fn picture(&self, position: &ShogiPosition) -> Picture {
        picture::picture(position)
    }

    fn turn_picture(&self, position: &ShogiPosition, turn: &Move) -> TurnPicture {
        picture::turn(position, *turn)
    }

    fn local_text(&self, position: &ShogiPosition, turn: &Move) -> Option<String> {
        Some(japanese::format_move(position, *turn))
    }

    fn western_text(&self, position: &ShogiPosition, turn: &Move) -> Option<String> {
        Some(western::format_move(position, *turn))
    }

    fn set_up_text(cells: &SetUp) -> String {
        sfen::of_set_up(cells)
    }

    fn diagram(&self, position: &ShogiPosition) -> String {
        let mut text = String::from("  9  8  7  6  5  4  3  2  1\n");
        for rank in 0..9 {
            for file in (0..9).rev() {
                let piece = position.piece_on(Square::new(file, rank)).some();
                let _ = write!(text, "{:>3}", piece.map_or(".".to_owned(), |piece| piece.to_string()));
            }
            let _ = writeln!(text, "  {}", char::from(b'a' + rank));
        }
        for side in [Side::First, Side::Second] {
            let hand = position.hand(side);
            let _ = write!(text, "{} holds:", sfen::colour(side));
            for kind in PieceKind::DROPPABLE.into_iter().filter(|&kind| hand.has(kind)) {
                let _ = write!(text, " {}x{}", kind.letter(), hand.count(kind));
            }
            text.push('\n');
        }
        let _ = write!(text, "sfen {}\nkey {:016x}", sfen::format(position), position.key());
        text
    }

    fn explain(&self, position: &ShogiPosition) -> String {
        let terms: String = terms::terms(position).iter().map(|term| format!("{term}\n")).collect();
        terms + &self.settings.evaluation.explain(position)
    }
}

impl GameSearch for Shogi {
    type Memory = ShogiMemory;
    type Worker = ShogiWorker;

    fn captures_and_checks(&self, position: &ShogiPosition, turns: &[Move]) -> Vec<bool> {
        let checks = CheckMap::of(position);
        let captures = |mv: Move| !mv.is_drop() && position.piece_on(mv.to()).is_some();
        turns.iter().map(|&mv| captures(mv) || checks.gives_check(position, mv)).collect()
    }

    fn pace(&self, position: &ShogiPosition, _: Duration) -> TimeAllocation {
        let weights = turn_weights(position.move_number() as f32);
        TimeAllocation { mean_use: MEAN_USE, ..TimeAllocation::weighted(weights) }
    }

    fn evaluate(&self, position: &ShogiPosition) -> i32 {
        self.settings.evaluation.value(position)
    }
}

impl Game for Shogi {
    const FACTS: &'static GameInfo = &FACTS;

    fn bench() -> &'static [(&'static str, u16)] {
        const DEPTH: u16 = 12;
        &[
            ("startpos", DEPTH),
            ("lnsgk2nl/1r4gs1/p1pppp1pp/1p4p2/7P1/2P6/PP1PPPP1P/1SG4R1/LN2KGSNL b Bb 1", DEPTH),
            ("l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1", DEPTH),
            ("6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1", DEPTH),
            ("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", DEPTH),
        ]
    }
}
