//! Our own rules as a referee sees them: any game behind one object, engines never trusted.

pub mod adjudicate;

use std::sync::Arc;

use crate::game::{Game, Outcome, Rejected, Side};
use crate::reversi::Reversi;
use crate::shogi::rules::entering::{EnteringKingRule, may_declare};
use crate::shogi::{self, Shogi};
use crate::sygo::Sygo;

/// The rules of one game.
pub trait Rules: Send + Sync {
    /// `shogi`, `reversi` or `sygo`.
    fn name(&self) -> &'static str;
    /// The board at a position text; at the usual start for `None`.
    ///
    /// # Errors
    /// What is wrong with the text.
    fn board(&self, position: Option<&str>) -> Result<Box<dyn Board>, Rejected>;
}

/// A game in progress.
pub trait Board: Send {
    /// Plays a turn and returns its canonical text.
    ///
    /// # Errors
    /// Why the turn is illegal; then nothing is changed.
    fn play(&mut self, turn: &str) -> Result<String, Rejected>;
    /// The canonical text of a turn.
    ///
    /// # Errors
    /// Why the turn is illegal.
    fn check(&self, turn: &str) -> Result<String, Rejected>;
    /// Who is to move.
    fn side_to_move(&self) -> Side;
    /// How the game ended, if it is over by its rules.
    fn outcome(&self) -> Option<Outcome>;
    /// Whether the side to move may claim the win now.
    fn may_declare(&self) -> bool;
    /// All legal turns, or where there are too many to list, the likely ones.
    fn turns(&self) -> Vec<String>;
    /// The position as text.
    fn text(&self) -> String;
}

/// Tells whether the side to move may claim the win.
pub type Claim<G> = fn(&G, &<G as Game>::Position) -> bool;

/// The rules of a [`Game`].
pub struct GameRules<G: Game> {
    game: Arc<G>,
    claim: Claim<G>,
}

impl<G: Game> GameRules<G> {
    /// Rules of a game in which no win can be claimed.
    pub fn new(game: G) -> GameRules<G> {
        GameRules { game: Arc::new(game), claim: |_, _| false }
    }

    /// Rules of a game in which `claim` tells rightful claims.
    pub fn with_claim(game: G, claim: Claim<G>) -> GameRules<G> {
        GameRules { game: Arc::new(game), claim }
    }
}

impl<G: Game> Rules for GameRules<G> {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn board(&self, position: Option<&str>) -> Result<Box<dyn Board>, Rejected> {
        let position = match position {
            None => self.game.start(),
            Some(text) => self.game.parse_position(text)?,
        };
        Ok(Box::new(GameBoard { game: Arc::clone(&self.game), claim: self.claim, position }))
    }
}

struct GameBoard<G: Game> {
    game: Arc<G>,
    claim: Claim<G>,
    position: G::Position,
}

impl<G: Game> Board for GameBoard<G> {
    fn play(&mut self, text: &str) -> Result<String, Rejected> {
        let turn = self.game.parse_turn(&self.position, text)?;
        let canonical = self.game.format_turn(&self.position, &turn);
        self.game.play(&mut self.position, &turn);
        Ok(canonical)
    }

    fn check(&self, text: &str) -> Result<String, Rejected> {
        let turn = self.game.parse_turn(&self.position, text)?;
        Ok(self.game.format_turn(&self.position, &turn))
    }

    fn side_to_move(&self) -> Side {
        self.game.side_to_move(&self.position)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome(&self.position)
    }

    fn may_declare(&self) -> bool {
        (self.claim)(&self.game, &self.position)
    }

    fn turns(&self) -> Vec<String> {
        let turns = self.game.turns(&self.position);
        turns.iter().map(|turn| self.game.format_turn(&self.position, turn)).collect()
    }

    fn text(&self) -> String {
        self.game.format_position(&self.position)
    }
}

/// The rules of the game called `name`; shogi under this rule of the entering king.
///
/// # Errors
/// There is no such game or rule.
pub fn rules(name: &str, entering_king: Option<&str>) -> Result<Arc<dyn Rules>, String> {
    if let Some(rule) = entering_king
        && name != "shogi"
    {
        return Err(format!("--entering-king-rule {rule}: {name} has no kings"));
    }
    match name {
        "shogi" => {
            let mut settings = shogi::Settings::default();
            if let Some(rule) = entering_king {
                settings.entering_king = EnteringKingRule::from_name(rule).ok_or_else(|| {
                    let known = EnteringKingRule::NAMES.join(", ");
                    format!("--entering-king-rule '{rule}' is none of {known}")
                })?;
            }
            let claim: Claim<Shogi> = |game, position| may_declare(position, game.settings().entering_king);
            Ok(Arc::new(GameRules::with_claim(load::<Shogi>(&settings)?, claim)))
        }
        "reversi" => Ok(Arc::new(GameRules::new(load::<Reversi>(&Default::default())?))),
        "sygo" => Ok(Arc::new(GameRules::new(load::<Sygo>(&Default::default())?))),
        _ => Err(format!("'{name}' is no game; there are shogi, reversi and sygo")),
    }
}

fn load<G: Game>(settings: &G::Settings) -> Result<G, String> {
    G::load(settings).map_err(|error| error.to_string())
}
