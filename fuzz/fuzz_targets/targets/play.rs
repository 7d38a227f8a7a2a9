//! Positions and turns of the games: a position in the first line, a turn in each of the others.

use std::sync::LazyLock;

use kaeshi_core::game::Game;
use kaeshi_reversi::Reversi;
use kaeshi_shogi::Shogi;
use kaeshi_sygo::Sygo;

pub fn shogi(bytes: &[u8]) {
    static GAME: LazyLock<Shogi> = LazyLock::new(loaded);
    play(&*GAME, bytes);
}

pub fn reversi(bytes: &[u8]) {
    static GAME: LazyLock<Reversi> = LazyLock::new(loaded);
    play(&*GAME, bytes);
}

pub fn sygo(bytes: &[u8]) {
    static GAME: LazyLock<Sygo> = LazyLock::new(loaded);
    play(&*GAME, bytes);
}

fn loaded<G: Game>() -> G {
    G::load(&G::Settings::default()).expect("the defaults load")
}

/// Every written game must be read again.
fn play<G: Game>(game: &G, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut lines = text.lines();
    let Ok(mut position) = game.parse_position(lines.next().unwrap_or_default()) else { return };
    for line in lines {
        if game.outcome(&position).is_none()
            && let Ok(turn) = game.parse_turn(&position, line)
        {
            let written = game.format_turn(&position, &turn);
            assert!(
                game.parse_turn(&position, &written) == Ok(turn.clone()),
                "'{written}' is not read again"
            );
            game.play(&mut position, &turn);
        }
    }
    let written = game.format_position(&position);
    let again = game.parse_position(&written).unwrap_or_else(|reason| panic!("'{written}': {reason}"));
    assert_eq!(game.format_position(&again), written);
}
