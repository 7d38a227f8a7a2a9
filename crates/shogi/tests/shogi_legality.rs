//! The legal moves of shogi, compared with those of an independent library on random games.

use crate::independent;
use std::collections::BTreeSet;

use independent::translate;
use kaeshi_core::game::{GameNotation, GameOptions, GameRules};
use kaeshi_shogi::Shogi;
use shogi_core::{PartialPosition, ToUsi};

const POSITIONS: usize = 120_000;
const LONGEST_GAME: usize = 400;

/// xorshift64* (Marsaglia, 2003; Vigna, 2016).
struct LegalityRandom(u64);

impl LegalityRandom {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

#[test]
fn random_positions_have_the_same_moves_as_in_shogi_legality_lite() {
    let game = Shogi::load(&Default::default()).unwrap();
    let mut random = LegalityRandom(0x0053_484f_4749);
    let (mut seen, mut in_check) = (0, 0);
    while seen < POSITIONS {
        let mut position = game.start();
        let mut theirs = PartialPosition::startpos();
        for _ in 0..LONGEST_GAME {
            let turns = game.turns(&position);
            let ours: BTreeSet<String> = turns.iter().map(|mv| mv.to_string()).collect();
            let expected: BTreeSet<String> = shogi_legality_lite::all_legal_moves_partial(&theirs)
                .into_iter()
                .map(|mv| mv.to_usi_owned())
                .collect();
            assert_eq!(ours.len(), turns.len(), "a move came twice: {}", game.format_position(&position));
            assert_eq!(ours, expected, "{}", game.format_position(&position));
            seen += 1;
            in_check += usize::from(position.in_check());
            if turns.is_empty() {
                break;
            }
            let turn = turns[random.below(turns.len())];
            theirs.make_move(translate(turn, position.side_to_move())).expect("a legal move");
            game.play(&mut position, &turn);
        }
    }
    assert!(in_check > POSITIONS / 100, "too few checks to be a test: {in_check}");
}
