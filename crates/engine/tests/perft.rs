//! The rules proven by counting: published perft numbers of shogi and Reversi, to their full depth.
//! Sygo's, which come from several independent implementations, are in `sygo_rules.rs`.

use kaeshi_core::game::Game;
use kaeshi_reversi::Reversi;
use kaeshi_shogi::Shogi;

fn counts<G: Game>(position: &str, numbers: &[u64]) {
    let game = G::load(&G::Settings::default()).unwrap();
    let position = game.parse_position(position).unwrap();
    for (depth, &nodes) in (1..).zip(numbers) {
        assert_eq!(game.perft(&position, depth), nodes, "{} to depth {depth}", G::NAME);
    }
}

#[test]
fn shogi_from_the_start() {
    counts::<Shogi>("startpos", &[30, 900, 25_470, 719_731, 19_861_490, 547_581_517]);
}

/// Engines that allow mate by a dropped pawn count 53,399,737 here.
#[test]
fn shogi_from_the_position_of_most_moves() {
    counts::<Shogi>("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", &[593, 105_677, 53_393_368]);
}

/// A pass counts as a ply.
#[test]
fn reversi_from_the_start() {
    counts::<Reversi>(
        "startpos",
        &[4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288, 24_571_284, 212_258_800],
    );
}
