//! Proof that the table never answers for another position: the whole position is kept beside
//! each of its entries, and compared at every hit.

use crate::ShogiSettings;
use crate::mate::samples::XorshiftStar;
use crate::rules::handicap::START;
use crate::rules::position::ShogiPosition;
use crate::rules::sfen::parse;
use crate::rules::types::Square;
use crate::search::ShogiWorker;
use crate::search::tests::searcher;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::{Iteration, IterationStage, SearchRoot};
use kaeshi_core::game::{Side, Worker};

/// Board at five bits a square, hands, and whose turn it is.
type WitnessKey = [u64; 8];

/// The positions of the table's entries, and counts of its probes, hits and wrong hits.
pub(super) struct Witness {
    positions: Vec<WitnessKey>,
    probes: u64,
    hits: u64,
    wrong: u64,
}

fn pack(position: &ShogiPosition) -> WitnessKey {
    let mut packed = [0; 8];
    for (number, square) in Square::all().enumerate() {
        packed[number / 12] |= (position.piece_on(square).index() as u64) << (number % 12 * 5);
    }
    packed[6] |= (position.side_to_move() as u64) << 60;
    packed[7] = position.hands().iter().fold(0, |hands, hand| hands << 32 | u64::from(hand.0));
    packed
}

impl ShogiWorker {
    pub(super) fn witness_recall(&mut self) {
        let found = self.tt().entry_of(self.position.key());
        let Some(witness) = &mut self.witness else { return };
        witness.probes += 1;
        if let Some(entry) = found {
            witness.hits += 1;
            witness.wrong += u64::from(witness.positions[entry] != pack(&self.position));
        }
    }

    pub(super) fn witness_keep(&mut self) {
        let stored = self.tt().entry_of(self.position.key());
        if let (Some(witness), Some(entry)) = (&mut self.witness, stored) {
            witness.positions[entry] = pack(&self.position);
        }
    }
}

/// Searches positions of random games until the table was asked so often.
fn watch(probes: u64) {
    let mut searcher = searcher(&ShogiSettings::default());
    let entries = searcher.tt().entry_count();
    searcher.witness = Some(Witness { positions: vec![[0; 8]; entries], probes: 0, hits: 0, wrong: 0 });
    let mut random = XorshiftStar(11);
    loop {
        let mut position = parse(START).unwrap();
        for _ in 0..random.below(60) {
            let moves = position.legal_moves();
            if !moves.is_empty() {
                position.make(moves[random.below(moves.len())]);
            }
        }
        let root = SearchRoot::new(position);
        let control = SearchControl::with_nodes(probes / 20);
        let mut stage = IterationStage::depth(1);
        while let Iteration::Complete(_) = searcher.search(&root, stage, &control) {
            stage = IterationStage::depth(stage.depth + 1);
        }
        let Some(witness) = &searcher.witness else { return };
        if witness.probes >= probes {
            println!("{} probes, {} hits, {} of them wrong", witness.probes, witness.hits, witness.wrong);
            assert!(witness.hits > probes / 20);
            assert_eq!(witness.wrong, 0);
            return;
        }
    }
}

#[test]
fn no_hit_is_of_another_position() {
    watch(200_000);
}

#[test]
#[ignore = "some minutes: a hundred million probes"]
fn no_hit_in_a_hundred_million_probes_is_of_another_position() {
    watch(100_000_000);
}

#[test]
fn every_part_of_a_position_is_witnessed() {
    let base = parse(START).unwrap();
    for other in [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSN1 b L 1",
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSN1 b l 1",
    ] {
        assert_ne!(pack(&base), pack(&parse(other).unwrap()), "{other}");
    }
    assert_eq!(base.hand(Side::First).total(), 0);
}
