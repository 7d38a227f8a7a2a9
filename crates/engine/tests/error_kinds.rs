//! The kinds of errors that users of the library can distinguish, in every game.

use crossbeam_channel::unbounded;
use kaeshi_core::game::GameError;
use kaeshi_engine::games::GameName;

#[test]
fn positions_turns_options_and_files_have_kinds_of_errors_in_each_game() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged.bin");
    let missing = folder.path().join("missing.bin");
    let (damaged, missing) = (damaged.to_str().unwrap(), missing.to_str().unwrap());
    for (game, bad_position, illegal, magic) in [
        (GameName::Shogi, "9/9/9/9/9/9/9/9/9 b -x", "7g7e", b"KAESHISN"),
        (GameName::Reversi, "8/8/8/8/8/8/8/7 X", "a1", b"KAESHIR1"),
        (GameName::Sygo, "5/5/5/5/5 x - 0 1", "+c3", b"KSYGONN1"),
    ] {
        // The file begins properly, so that its content is refused.
        std::fs::write(damaged, [&magic[..], &[7; 64]].concat()).unwrap();
        let (events, _answers) = unbounded();
        let mut engine = game.engine(events).unwrap();
        for (error, kind) in [
            (engine.set_position(bad_position, &[]), GameError::InvalidPosition as fn(String) -> GameError),
            (engine.set_position("startpos", &[illegal]), GameError::InvalidTurn),
            (engine.set_position("startpos", &["no turn"]), GameError::InvalidTurn),
            (engine.set_position("startpos", &["resign", illegal]), GameError::InvalidTurn),
            (engine.set_option("EvalFile", damaged), GameError::InvalidFile),
            (engine.set_option("EvalFile", missing), GameError::InvalidFile),
            (engine.set_option("MultiPV", "many"), GameError::InvalidOption),
            (engine.set_option("NoSuchOption", "1"), GameError::InvalidOption),
        ] {
            let error = error.unwrap_err();
            assert_eq!(error, kind(error.to_string()), "{}", game.name());
        }
    }
}
