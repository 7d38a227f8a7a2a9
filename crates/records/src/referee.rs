//! Our own rules as a referee sees them: any game behind one object, engines never trusted.

#![allow(clippy::indexing_slicing, reason = "the indices are those of sides, and of plies that were played")]

pub mod adjudicate;
pub mod ending;
pub mod impasse;
pub mod replay;

use std::collections::BTreeMap;
use std::sync::Arc;

use kaeshi_core::driver::option_value::apply_option;
use kaeshi_core::driver::options_of;
use kaeshi_core::game::facts::GameInfo;
use kaeshi_core::game::options::find;
use kaeshi_core::game::picture::{Picture, TurnPicture};
use kaeshi_core::game::{Game, GameError, GameOutcome, Side};
use kaeshi_engine::games::{GameName, GameVisitor};

/// The option of games with kings, for engine and referee alike: how a king that has entered may win.
pub const ENTERING_KING_RULE: &str = "EnteringKingRule";

/// The rules of one game under certain options.
pub trait RefereeRules: Send + Sync {
    /// Name, unit, sizes and what else the game is known by.
    fn facts(&self) -> &'static GameInfo;
    /// The board at a position text; at the usual start for `None`.
    ///
    /// # Errors
    /// The reason why the text is invalid.
    fn board(&self, position: Option<&str>) -> Result<Box<dyn RefereeBoard>, GameError>;
    /// The usual start on a board of `size` columns.
    ///
    /// # Errors
    /// If the game has no such boards.
    fn board_of_size(&self, size: u8) -> Result<Box<dyn RefereeBoard>, GameError>;
    /// Whether engine or game have an option of this name, letter case ignored.
    fn has_option(&self, name: &str) -> bool;
}

/// A game in progress.
pub trait RefereeBoard: Send {
    /// Plays a turn and returns its canonical text.
    ///
    /// # Errors
    /// Why the turn is illegal; then nothing is changed.
    fn play(&mut self, turn: &str) -> Result<String, GameError>;
    /// The canonical text of a turn.
    ///
    /// # Errors
    /// Why the turn is illegal.
    fn check(&self, turn: &str) -> Result<String, GameError>;
    /// The side to move.
    fn side_to_move(&self) -> Side;
    /// How the game ended, if it is over by its rules.
    fn outcome(&self) -> Option<GameOutcome>;
    /// Whether the side to move may claim the win now.
    fn may_claim_win(&self) -> bool;
    /// Points of the two sides where both kings have entered (shogi's impasse).
    fn impasse_points(&self) -> Option<[u32; 2]>;
    /// All legal turns, or where there are too many to list, the likely ones.
    fn turns(&self) -> Vec<String>;
    /// The position as text.
    fn text(&self) -> String;
    /// Bytes that are equal exactly for positions with the same future.
    fn identity(&self) -> Vec<u8>;
    /// The position as typed cells.
    fn picture(&self) -> Picture;
    /// The effect of a turn, in the cells of [`RefereeBoard::picture`].
    ///
    /// # Errors
    /// Why the turn is illegal.
    fn turn_picture(&self, turn: &str) -> Result<TurnPicture, GameError>;
    /// A turn as people write it in
    /// [`NotationInfo::local_language`](kaeshi_core::game::facts::NotationInfo::local_language); `None` for an illegal
    /// one, and where there is no such language.
    fn local_text(&self, turn: &str) -> Option<String>;
    /// A turn as people write it in European languages; `None` where that is as protocols do.
    fn western_text(&self, turn: &str) -> Option<String>;
    /// Another board with the same position and history.
    fn duplicate(&self) -> Box<dyn RefereeBoard>;
}

/// A line of turns as people write it, divided by blanks; empty where they write it as protocols do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenLine {
    /// In [`NotationInfo::local_language`](kaeshi_core::game::facts::NotationInfo::local_language).
    pub local: String,
    /// In European languages.
    pub western: String,
}

/// A line of turns as people write it, as far as it is legal. The first turn may refer to the last of `made`, which
/// lead to its position.
pub fn written_line(game: GameName, start: &str, made: &[&str], line: &[String]) -> WrittenLine {
    if game.facts().notation.local_language.is_none() {
        return WrittenLine::default();
    }
    let board = rules(game, &[]).and_then(|rules| rules.board(Some(start)));
    let Ok(mut board) = board else { return WrittenLine::default() };
    if made.iter().any(|turn| board.play(turn).is_err()) {
        return WrittenLine::default();
    }
    let (mut local, mut western) = (Vec::new(), Vec::new());
    for turn in line {
        local.extend(board.local_text(turn));
        western.extend(board.western_text(turn));
        if board.play(turn).is_err() {
            break;
        }
    }
    WrittenLine { local: local.join(" "), western: western.join(" ") }
}

/// The rules of a [`Game`].
pub struct RefereedGame<G: Game> {
    game: Arc<G>,
}

impl<G: Game> RefereedGame<G> {
    /// The rules of this game, which was loaded with its options.
    pub fn new(game: G) -> RefereedGame<G> {
        RefereedGame { game: Arc::new(game) }
    }

    fn at(&self, position: G::Position) -> Box<dyn RefereeBoard> {
        Box::new(GameBoard { game: Arc::clone(&self.game), position })
    }
}

impl<G: Game> RefereeRules for RefereedGame<G> {
    fn facts(&self) -> &'static GameInfo {
        G::FACTS
    }

    fn board(&self, position: Option<&str>) -> Result<Box<dyn RefereeBoard>, GameError> {
        Ok(self.at(match position {
            None => self.game.start(),
            Some(text) => self.game.parse_position(text)?,
        }))
    }

    fn board_of_size(&self, size: u8) -> Result<Box<dyn RefereeBoard>, GameError> {
        let sizes = &G::FACTS.boards.sizes;
        if !sizes.contains(&size) {
            let (least, most) = (sizes.start(), sizes.end());
            let has = if least == most { least.to_string() } else { format!("{least} to {most}") };
            return Err(GameError::unsupported(format!(
                "{} has no board of size {size}, but of {has}",
                G::FACTS.title
            )));
        }
        Ok(self.at(self.game.start_of_size(size)))
    }

    fn has_option(&self, name: &str) -> bool {
        let is_called = |known: &str| known.eq_ignore_ascii_case(name);
        options_of::<G>().iter().any(|line| is_called(line.name) || line.alias.is_some_and(is_called))
    }
}

struct GameBoard<G: Game> {
    game: Arc<G>,
    position: G::Position,
}

impl<G: Game> RefereeBoard for GameBoard<G> {
    fn play(&mut self, text: &str) -> Result<String, GameError> {
        let turn = self.game.parse_turn(&self.position, text)?;
        let canonical = self.game.format_turn(&self.position, &turn);
        self.game.play(&mut self.position, &turn);
        Ok(canonical)
    }

    fn check(&self, text: &str) -> Result<String, GameError> {
        let turn = self.game.parse_turn(&self.position, text)?;
        Ok(self.game.format_turn(&self.position, &turn))
    }

    fn side_to_move(&self) -> Side {
        self.game.side_to_move(&self.position)
    }

    fn outcome(&self) -> Option<GameOutcome> {
        self.game.outcome(&self.position)
    }

    fn may_claim_win(&self) -> bool {
        self.game.may_claim_win(&self.position)
    }

    fn impasse_points(&self) -> Option<[u32; 2]> {
        self.game.impasse_points(&self.position)
    }

    fn turns(&self) -> Vec<String> {
        let turns = self.game.turns(&self.position);
        turns.iter().map(|turn| self.game.format_turn(&self.position, turn)).collect()
    }

    fn text(&self) -> String {
        self.game.format_position(&self.position)
    }

    fn identity(&self) -> Vec<u8> {
        self.game.identity(&self.position)
    }

    fn picture(&self) -> Picture {
        self.game.picture(&self.position)
    }

    fn turn_picture(&self, text: &str) -> Result<TurnPicture, GameError> {
        let turn = self.game.parse_turn(&self.position, text)?;
        Ok(self.game.turn_picture(&self.position, &turn))
    }

    fn local_text(&self, text: &str) -> Option<String> {
        let turn = self.game.parse_turn(&self.position, text).ok()?;
        self.game.local_text(&self.position, &turn)
    }

    fn western_text(&self, text: &str) -> Option<String> {
        let turn = self.game.parse_turn(&self.position, text).ok()?;
        self.game.western_text(&self.position, &turn)
    }

    fn duplicate(&self) -> Box<dyn RefereeBoard> {
        Box::new(GameBoard { game: Arc::clone(&self.game), position: self.position.clone() })
    }
}

/// The rules of `game` with those of the options (name, value) that it has.
///
/// # Errors
/// A value that an option does not take, or a game that does not load with it.
pub fn rules(game: GameName, options: &[(String, String)]) -> Result<Arc<dyn RefereeRules>, GameError> {
    rules_with_values(game, options).map(|(rules, _)| rules)
}

/// Values of options as [`apply_option`] returns them, by the names that were
/// given, in lower case.
pub type OptionValues = BTreeMap<String, Option<String>>;

/// The rules of a game, and the values of its options.
///
/// # Errors
/// As [`rules`].
pub fn rules_with_values(
    game: GameName,
    options: &[(String, String)],
) -> Result<(Arc<dyn RefereeRules>, OptionValues), GameError> {
    game.visit(OptionsLoader(options))
}

/// The rules of the game called `name` without options.
///
/// # Errors
/// There is no such game.
pub fn rules_by_name(name: &str) -> Result<Arc<dyn RefereeRules>, GameError> {
    let game = GameName::parse(name).ok_or_else(|| {
        GameError::unsupported(format!(
            "'{}' is no game known here: {}",
            name.escape_debug(),
            GameName::NAMES.join(", ")
        ))
    })?;
    rules(game, &[])
}

struct OptionsLoader<'a>(&'a [(String, String)]);

impl GameVisitor for OptionsLoader<'_> {
    type Output = Result<(Arc<dyn RefereeRules>, OptionValues), GameError>;

    fn visit<G: Game>(self) -> Self::Output {
        let specs = G::options();
        let mut settings = G::Settings::default();
        let mut values = OptionValues::new();
        for (name, value) in self.0 {
            if let Some(spec) = find(&specs, name) {
                values.insert(name.to_ascii_lowercase(), apply_option(spec, &mut settings, value)?);
            }
        }
        Ok((Arc::new(RefereedGame::new(G::load(&settings)?)), values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_plays_and_refuses_by_the_rules_of_its_game() {
        for (game, good, bad) in [("shogi", "7g7f", "7g7e"), ("reversi", "f5", "a1"), ("sygo", "c3", "zz")] {
            let mut board = rules_by_name(game).unwrap().board(None).unwrap();
            let (before, identity) = (board.text(), board.identity());
            assert!(
                board.play(bad).is_err() && board.check(bad).is_err() && board.turn_picture(bad).is_err()
            );
            assert_eq!((board.text(), board.side_to_move()), (before.clone(), Side::First));
            let twin = board.duplicate();
            assert_eq!(board.check(good).as_deref(), Ok(good));
            assert_eq!(board.play(good).as_deref(), Ok(good));
            assert_eq!((board.side_to_move(), twin.side_to_move()), (Side::Second, Side::First));
            assert!(board.text() != before && board.identity() != identity && twin.identity() == identity);
            assert!(board.turns().len() > 1 && board.outcome().is_none() && !board.may_claim_win());
            assert_ne!(board.picture(), twin.picture());
        }
    }

    #[test]
    fn boards_have_the_sizes_of_their_game() {
        let sygo = rules_by_name("sygo").unwrap();
        assert_eq!(sygo.board_of_size(5).unwrap().text(), "5/5/5/5/5 w - 0 1");
        assert!(sygo.board_of_size(2).is_err() && sygo.board_of_size(20).is_err());
        let refused = rules_by_name("reversi").unwrap().board_of_size(10).err().unwrap().to_string();
        assert_eq!(refused, "Reversi has no board of size 10, but of 8");
    }

    #[test]
    fn options_decide_what_may_be_claimed() {
        // Black's king has entered with 28 points' worth of pieces and more than ten of them.
        let entered = "sfen K+R+R6/PPPPPPPPP/9/9/9/9/9/9/8k b BBGGGGSSSSNNNN4L9p 1";
        let with = |rule: &str| {
            let options = [("EnteringKingRule".to_owned(), rule.to_owned())];
            rules(GameName::Shogi, &options).unwrap().board(Some(entered)).unwrap().may_claim_win()
        };
        assert!(with("CSARule27") && !with("NoEnteringKing"));
        assert!(rules(GameName::Shogi, &[("EnteringKingRule".into(), "none".into())]).is_err());
        let reversi = rules(GameName::Reversi, &[("EnteringKingRule".into(), "none".into())]).unwrap();
        assert!(!reversi.has_option("EnteringKingRule") && reversi.has_option("hash"));
        assert!(GameName::ALL.iter().all(|&game| {
            rules(game, &[]).is_ok_and(|rules| rules.has_option("SkillLevel") && rules.has_option("Skill"))
        }));
    }

    #[test]
    fn an_unknown_game_is_named() {
        let refused = rules_by_name("chess").err().unwrap().to_string();
        assert_eq!(refused, format!("'chess' is no game known here: {}", GameName::NAMES.join(", ")));
        assert!(refused.contains("shogi, reversi, sygo"), "{refused}");
    }
}
