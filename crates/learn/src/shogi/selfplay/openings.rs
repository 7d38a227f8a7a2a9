//! Random openings: even the best network learns nothing from one game played over and over.

use kaeshi_core::random::SplitMix;
use kaeshi_shogi::rules::notation::parse_move;
use kaeshi_shogi::rules::position::ShogiPosition;

/// Random plies behind the beginning of a usual opening.
const AFTER_LINE: (u32, u32) = (2, 4);

/// The usual openings: exchanged bishops, double wing attack, side pawn, yagura, the ranging rooks
/// of both sides, and some rarer ones.
const LINES: [&str; 16] = [
    "2g2f 8c8d 2f2e 8d8e 7g7f 4a3b 8h7g 3c3d 7i6h 2b7g+ 6h7g 3a2b 3i3h 2b3c",
    "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2f 8e8f 8g8f 8b8f P*8g 8f8d",
    "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d",
    "7g7f 8c8d 7i6h 3c3d 6h7g 7a6b 5g5f 5c5d 3i4h 3a4b 4i5h 4a3b 6i7h 5a4a",
    "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 7a7b 6h7h 5a6b",
    "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c 3i4h 8b3b 5i6h 5a6b",
    "7g7f 3c3d 2g2f 5c5d 2f2e 8b5b 3i4h 5d5e 5i6h 2b3c",
    "5g5f 8c8d 2h5h 8d8e 7g7f 7a6b 8h7g",
    "7g7f 3c3d 7f7e 8c8d 2h7h 8d8e 5i4h 5a4b",
    "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c 3i4h 8b2b",
    "7g7f 3c3d 6g6f 8b3b 8h7g 3d3e 2h8h",
    "7g7f 3c3d 6g6f 8c8d 7i7h 7a6b 7h6g 6a5b 3i4h 5a4b",
    "7g7f 3c3d 2g2f 2b8h+ 7i8h 3a2b 3i3h 2b3c",
    "7g7f 3c3d 4g4f 8c8d 3i4h 8d8e 8h7g 7a6b 4h4g",
    "2g2f 3c3d 7g7f 4c4d 3g3f 3a4b 2h3h",
    "7i6h 8c8d 5g5f 3c3d 3i4h 8d8e 8h7i",
];

/// A random opening from `start`: in every other game random plies only, in the others fewer of
/// them, behind some plies of a usual opening. `None` if the game is over before that.
pub(super) fn draw(
    start: ShogiPosition,
    random_plies: (u32, u32),
    random: &mut SplitMix,
) -> Option<ShogiPosition> {
    let mut position = start;
    let mut plies = random.within(random_plies);
    if random.below(2) == 1 {
        let line: Vec<&str> = LINES[random.below(LINES.len() as u32) as usize].split(' ').collect();
        for text in &line[..random.within((1, line.len() as u32)) as usize] {
            let mv = parse_move(&position, text).ok()?;
            position.make(mv);
        }
        plies = plies.min(random.within(AFTER_LINE));
    }
    for _ in 0..plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return None;
        }
        position.make(moves[random.below(moves.len() as u32) as usize]);
    }
    Some(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_shogi::rules::handicap::START;
    use kaeshi_shogi::rules::sfen::parse;

    #[test]
    fn the_usual_openings_are_legal() {
        for line in LINES {
            let mut position = parse(START).expect("the start");
            for text in line.split(' ') {
                let mv = parse_move(&position, text).unwrap_or_else(|error| panic!("{line}: {error}"));
                position.make(mv);
            }
        }
    }

    #[test]
    fn openings_differ() {
        let mut random = SplitMix::new(3);
        let start = parse(START).expect("the start");
        let keys: std::collections::HashSet<u64> =
            (0..1_000).filter_map(|_| Some(draw(start.clone(), (7, 8), &mut random)?.key())).collect();
        assert!(keys.len() > 950, "{}", keys.len());
    }
}
