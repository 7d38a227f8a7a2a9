//! The rules of a game behind one object, for records whose game is known at run time only.

use crate::engine::settings;
use crate::game::options::find;
use crate::game::{Game, Rejected, Side};
use crate::games::{GameName, Visitor};
use crate::records::{Ply, Record};

/// A position of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its canonical text, as after the protocol's word `position`.
    pub text: String,
    /// Its exact identity.
    pub identity: Vec<u8>,
    /// Who is to move.
    pub side: Side,
}

/// What the analysis needs of the rules of a game.
pub trait Rules: Send + Sync {
    /// How many of the turns of a record are legal, and what is wrong with the next one.
    ///
    /// # Errors
    /// If the start position is not one.
    fn check(&self, record: &Record) -> Result<(usize, Option<(usize, String)>), Rejected>;
    /// The position after the turns `plies`.
    ///
    /// # Errors
    /// If anything in it is not legal.
    fn at(&self, start: &str, plies: &[Ply]) -> Result<Snapshot, Rejected>;
    /// Whether engine or game have an option of this name.
    fn has_option(&self, name: &str) -> bool;
}

/// The rules of `game` with those of the options (NAME, value) that belong to it.
///
/// # Errors
/// If the game does not load with them.
pub fn rules(game: GameName, options: &[(String, String)]) -> Result<Box<dyn Rules>, Rejected> {
    game.visit(Load(options))
}

struct Load<'a>(&'a [(String, String)]);

impl Visitor for Load<'_> {
    type Output = Result<Box<dyn Rules>, Rejected>;

    fn visit<G: Game>(self) -> Self::Output {
        let specs = G::options();
        let mut settings = G::Settings::default();
        for (name, value) in self.0 {
            if let Some(spec) = find(&specs, name) {
                spec.apply(&mut settings, value)?;
            }
        }
        Ok(Box::new(Of(G::load(&settings)?)))
    }
}

struct Of<G: Game>(G);

impl<G: Game> Of<G> {
    /// Plays on as far as the turns are legal: where that leads, how many they are, and what is wrong
    /// with the next one.
    fn follow(&self, start: &str, plies: &[Ply]) -> Result<(G::Position, usize, Option<String>), Rejected> {
        let mut position = self.0.parse_position(start)?;
        for (index, ply) in plies.iter().enumerate() {
            match self.0.parse_turn(&position, &ply.turn) {
                Ok(turn) => self.0.play(&mut position, &turn),
                Err(reason) => return Ok((position, index, Some(reason.0))),
            }
        }
        Ok((position, plies.len(), None))
    }
}

impl<G: Game> Rules for Of<G> {
    fn check(&self, record: &Record) -> Result<(usize, Option<(usize, String)>), Rejected> {
        let (_, legal, reason) = self.follow(&record.start, &record.plies)?;
        let fault = reason.map(|reason| {
            let line = record.plies.get(legal).map_or(record.line, |ply| ply.line);
            (line, format!("turn {}: {reason}", legal + 1))
        });
        Ok((legal, fault))
    }

    fn at(&self, start: &str, plies: &[Ply]) -> Result<Snapshot, Rejected> {
        match self.follow(start, plies)? {
            (_, index, Some(reason)) => Err(Rejected(format!("turn {}: {reason}", index + 1))),
            (position, _, None) => Ok(Snapshot {
                text: self.0.format_position(&position),
                identity: self.0.identity(&position),
                side: self.0.side_to_move(&position),
            }),
        }
    }

    fn has_option(&self, name: &str) -> bool {
        find(&settings::options(), name).is_some() || find(&G::options(), name).is_some()
    }
}
