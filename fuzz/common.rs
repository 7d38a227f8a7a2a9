//! What the targets do with what they are given.

#![allow(dead_code)]

use std::time::Instant;

use kaeshi::engine::event::Event;
use kaeshi::game::Game;
use kaeshi::protocol::Dialect;

/// Feeds `text` line by line to a speaker of `dialect`, which also has to tell its refusals.
pub fn speak(dialect: Dialect, text: &str) {
    let (mut speaker, now) = (dialect.speaker(), Instant::now());
    for line in text.lines() {
        if let Err(reason) = speaker.parse(line, now) {
            let mut out = Vec::new();
            speaker.write(&Event::Message(reason.0), &mut out).expect("memory can be written");
        }
    }
}

/// Reads a position and plays the turns that are legal; what is written has to be read again.
pub fn play<G: Game>(text: &str) {
    let game = G::load(&G::Settings::default()).expect("the defaults load");
    let mut lines = text.lines();
    let Ok(mut position) = game.parse_position(lines.next().unwrap_or_default()) else { return };
    for line in lines {
        if game.outcome(&position).is_none()
            && let Ok(turn) = game.parse_turn(&position, line)
        {
            let written = game.format_turn(&position, &turn);
            assert!(game.parse_turn(&position, &written) == Ok(turn.clone()), "'{written}' is not read again");
            game.play(&mut position, &turn);
        }
    }
    let written = game.format_position(&position);
    let again = game.parse_position(&written).unwrap_or_else(|reason| panic!("'{written}': {reason}"));
    assert_eq!(game.format_position(&again), written);
}
