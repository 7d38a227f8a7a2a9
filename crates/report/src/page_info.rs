//! The properties of each game, for the scripts of the pages.

use crate::files::{Look, Looks};
use kaeshi_core::game::Game;
use kaeshi_engine::games::{GameName, GameVisitor};
use kaeshi_records as records;

/// All games, in the order of their list.
pub fn looks() -> Looks {
    GameName::ALL.into_iter().filter_map(|game| Some((game.name(), game.visit(GameLook(game))?))).collect()
}

/// The forms in which a game is written, the usual one first, and that of a single position.
pub fn forms(game: GameName) -> Vec<&'static str> {
    let games = records::written(game).into_iter().map(|form| form.extension);
    games.chain([game.facts().notation.position_form]).collect()
}

struct GameLook(GameName);

impl GameVisitor for GameLook {
    /// `None` for a game that does not load, and so is shown by no page.
    type Output = Option<Look>;

    fn visit<G: Game>(self) -> Option<Look> {
        let game = G::load(&G::Settings::default()).ok()?;
        Some(Look {
            colours: G::FACTS.colours.map(str::to_ascii_lowercase),
            style: game.picture(&game.start()).style,
            hundredths: G::FACTS.values.unit.shown_in_hundredths,
            scale: G::FACTS.values.win_rate_scale,
            sizes: [*G::FACTS.boards.sizes.start(), *G::FACTS.boards.sizes.end()],
            drafts: G::FACTS.rules.drafts,
            every: G::FACTS.values.every_turn_valued,
            mates: G::FACTS.search.mate_search,
            local: G::FACTS.notation.local_language,
            forms: forms(self.0),
        })
    }
}
