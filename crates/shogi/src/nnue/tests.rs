//! The values of random networks: equal on every path, and as recorded.

use super::layers::Scratch;
use super::samples::SAMPLES;
use super::{NnueAccumulators, NnueNetwork};
use crate::rules::handicap::START;
use crate::rules::position::ShogiPosition;
use crate::rules::sfen::parse;
use kaeshi_core::random::SplitMix;
use kaeshi_core::simd::SimdLevel;
use kaeshi_core::simd::dot::Dot;

/// The start, the middle of a game, hands full, a handicap and a bare board.
const POSITIONS: [&str; 5] = [
    START,
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
    "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "8k/9/9/9/9/9/9/9/K8 b - 1",
];

fn network(bytes: &[u8]) -> NnueNetwork {
    NnueNetwork::read(bytes, bytes.len() as u64).unwrap()
}

/// The output from units that are summed up one input after the other.
fn by_definition(network: &NnueNetwork, position: &ShogiPosition) -> i32 {
    let us = position.side_to_move();
    let width = network.architecture.width;
    let units = [us, us.other()].map(|side| {
        let mut units = network.biases.get().to_vec();
        network.architecture.features.view(position, side).visit(position, |input| {
            let weights = &network.weights.get()[input * width..][..width];
            units.iter_mut().zip(weights).for_each(|(unit, &weight)| *unit = unit.wrapping_add(weight));
        });
        units
    });
    let mut scratch = Scratch::new(&network.architecture);
    network.propagate(&mut scratch, network.stack(position), [&units[0], &units[1]])
}

#[test]
fn values_are_those_recorded() {
    for (sample, recorded) in SAMPLES.iter().zip(RECORDED) {
        let network = network(&sample.bytes());
        let outputs = POSITIONS.map(|sfen| network.output(&parse(sfen).unwrap()));
        assert_eq!(outputs, recorded, "{}", sample.recognized);
    }
}

/// The outputs for [`POSITIONS`].
const RECORDED: [[i32; 5]; 14] = [
    [-4301, -1396, -6508, -4275, -1752],
    [-7532, 6144, 12507, 2891, 14971],
    [-3205, 2164, 13070, 7949, 11827],
    [-17790, -12763, -9367, -7658, -13161],
    [-9995, -6445, 5633, 3484, -9352],
    [-9234, -4843, -448, -4462, -8153],
    [-8530, 2306, -6527, 5874, -6758],
    [-13490, -10275, -6449, -10075, -14238],
    [2441, 436, 6356, -1478, -4460],
    [11183, 1430, 7959, -9451, -1699],
    [7466, 9639, -7496, 190, -1221],
    [9063, -7748, -2297, 10315, 10992],
    [-10313, -17298, -7098, -11873, -210],
    [5082, 14041, 11994, 6310, 3300],
];

#[test]
fn every_path_finds_the_value_of_the_definition() {
    for sample in &SAMPLES {
        let mut network = network(&sample.bytes()).at_level(SimdLevel::PORTABLE, Dot::PORTABLE);
        let mut expected = Vec::new();
        play(sample.inputs, |position| expected.push(by_definition(&network, position)));
        let pairs = SimdLevel::all()
            .into_iter()
            .flat_map(|level| Dot::all().into_iter().map(move |dot| (level, dot)));
        for (level, dot) in pairs {
            network = network.at_level(level, dot);
            let mut accumulators = NnueAccumulators::new(&network);
            let mut found = Vec::new();
            play(sample.inputs, |position| found.push(accumulators.output(&network, position)));
            assert!(found == expected, "{network:?}, {level:?}, {dot:?}");
        }
    }
}

/// Shows `look` positions in the order of a search: mostly onward, sometimes back or after a pass, and
/// not every one.
fn play(seed: usize, mut look: impl FnMut(&ShogiPosition)) {
    let mut random = SplitMix::new(seed as u64);
    for sfen in POSITIONS {
        let mut position = parse(sfen).unwrap();
        let mut depth = 0;
        for _ in 0..60 {
            let moves = position.legal_moves();
            if depth > 0 && (moves.is_empty() || random.below(3) == 0) {
                if position.last_move().is_some() {
                    position.unmake();
                } else {
                    position.unmake_pass();
                }
                depth -= 1;
            } else if !position.in_check() && random.below(12) == 0 {
                position.make_pass();
                depth += 1;
            } else if moves.is_empty() {
                break;
            } else {
                // Kings move more often than in games.
                let king = position.king(position.side_to_move());
                let steps: Vec<_> =
                    moves.iter().filter(|mv| !mv.is_drop() && mv.from() == king).copied().collect();
                let choice = if !steps.is_empty() && random.below(3) == 0 { &steps[..] } else { &moves[..] };
                position.make(choice[random.below(choice.len() as u32) as usize]);
                depth += 1;
            }
            if random.below(4) > 0 {
                look(&position);
            }
        }
    }
}
