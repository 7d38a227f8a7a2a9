//! Counting the tree of legal moves: proof and speed of the rules.

use crate::rules::movegen::{Counter, MoveFilter, MoveList};
use crate::rules::position::ShogiPosition;

/// Number of move sequences of exactly `depth` moves, all refused promotions counted.
/// The last ply is counted without making its moves.
pub fn perft(position: &mut ShogiPosition, depth: u32) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if kaeshi_core::simd::detect::bits() {
        // SAFETY: the processor has the features the function is compiled for.
        return unsafe { bulk_with_bits(position, depth) };
    }
    bulk(position, depth)
}

/// The same as [`perft`], with every move of the last ply made and taken back.
pub fn perft_making_all(position: &mut ShogiPosition, depth: u32) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if kaeshi_core::simd::detect::bits() {
        // SAFETY: the processor has the features the function is compiled for.
        return unsafe { plain_with_bits(position, depth) };
    }
    plain(position, depth)
}

/// [`bulk`] compiled for the bit instructions that every x86-64 processor since 2013 has.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn bulk_with_bits(position: &mut ShogiPosition, depth: u32) -> u64 {
    walk(position, depth, |position, depth| bulk_with_bits(position, depth))
}

fn bulk(position: &mut ShogiPosition, depth: u32) -> u64 {
    walk(position, depth, bulk)
}

#[inline(always)]
fn walk(position: &mut ShogiPosition, depth: u32, deeper: impl Fn(&mut ShogiPosition, u32) -> u64) -> u64 {
    match depth {
        0 => 1,
        1 => {
            let mut counter = Counter(0);
            position.generate(MoveFilter::ALL, &mut counter);
            counter.0
        }
        _ => sum(position, depth, deeper),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn plain_with_bits(position: &mut ShogiPosition, depth: u32) -> u64 {
    if depth == 0 { 1 } else { sum(position, depth, |position, depth| plain_with_bits(position, depth)) }
}

fn plain(position: &mut ShogiPosition, depth: u32) -> u64 {
    if depth == 0 { 1 } else { sum(position, depth, plain) }
}

#[inline(always)]
fn sum(position: &mut ShogiPosition, depth: u32, deeper: impl Fn(&mut ShogiPosition, u32) -> u64) -> u64 {
    let mut list = MoveList::new();
    position.generate(MoveFilter::ALL, &mut list);
    let mut nodes = 0;
    for &mv in &list {
        position.make(mv);
        nodes += deeper(position, depth - 1);
        position.unmake();
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::handicap::START;
    use crate::rules::sfen::parse;

    const MOST_MOVES: &str = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";

    #[test]
    fn start_position() {
        let mut position = parse(START).unwrap();
        for (depth, nodes) in [30, 900, 25_470, 719_731, 19_861_490].into_iter().enumerate() {
            assert_eq!(perft(&mut position, depth as u32 + 1), nodes);
        }
        assert_eq!(perft_making_all(&mut position, 4), 719_731);
        assert_eq!(bulk(&mut position, 4), 719_731);
        assert_eq!(plain(&mut position, 3), 25_470);
    }

    #[test]
    fn most_moves() {
        let mut position = parse(MOST_MOVES).unwrap();
        for (depth, nodes) in [593, 105_677, 53_393_368].into_iter().enumerate() {
            assert_eq!(perft(&mut position, depth as u32 + 1), nodes);
        }
        assert_eq!(perft_making_all(&mut position, 2), 105_677);
    }
}
