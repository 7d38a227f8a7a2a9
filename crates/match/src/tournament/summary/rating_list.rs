//! Ratings of many engines by all their games together.

use serde::Serialize;

use crate::tournament::journal::{GameWithMoves, Journal};
use kaeshi_core::game::Side;
use kaeshi_statistics::ratings;

/// Ratings in Elo, whose mean is 0.
#[derive(Clone, Debug, Serialize)]
pub struct RatingList {
    /// In the order of the command line.
    pub engines: Vec<EngineRating>,
    /// What the first move is worth, in Elo.
    pub advantage: f64,
    /// Half the width of its 95 % interval.
    pub advantage_error: f64,
}

/// The rating of one engine.
#[derive(Clone, Debug, Serialize)]
pub struct EngineRating {
    /// Its name in this match.
    pub name: String,
    /// Rating.
    pub elo: f64,
    /// Half the width of its 95 % interval.
    pub error: f64,
    /// Games that count.
    pub games: u64,
    /// Share of the points, from 0 to 1.
    pub score: f64,
    /// Mean rating of its opponents.
    pub opponents: f64,
}

impl RatingList {
    /// The ratings by these games; `None` for two engines, whose difference says the same.
    pub(super) fn new(journal: &Journal, games: &[&GameWithMoves]) -> Option<RatingList> {
        let names: Vec<&str> = journal.open.engines.iter().map(|engine| engine.name.as_str()).collect();
        if names.len() < 3 {
            return None;
        }
        let place = |name: &str| names.iter().position(|&known| known == name);
        let units: Vec<Vec<ratings::Played>> = games
            .chunk_by(|a, b| a.game.pair == b.game.pair)
            .map(|unit| {
                unit.iter()
                    .filter_map(|played| {
                        let (first, second) = (place(&played.game.first)?, place(&played.game.second)?);
                        let half_points = played.game.result.half_points(Side::First) as u8;
                        Some(ratings::Played { first, second, half_points })
                    })
                    .collect()
            })
            .collect();
        let found = ratings::rate(names.len(), &units);
        let engines = names.iter().zip(found.players).map(|(name, rating)| EngineRating {
            name: (*name).to_owned(),
            elo: rating.elo,
            error: rating.error,
            games: rating.games,
            score: rating.score,
            opponents: rating.opponents,
        });
        Some(RatingList {
            engines: engines.collect(),
            advantage: found.advantage,
            advantage_error: found.advantage_error,
        })
    }
}
