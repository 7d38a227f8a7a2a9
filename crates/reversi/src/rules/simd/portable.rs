//! The board operations without any special instructions: the reference of all others.

use super::{Isa, IsaJob, RAYS};

/// Every square but the left and the right column.
pub(super) const INNER_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// No features needed.
#[derive(Clone, Copy, Debug)]
pub struct PortableIsa;

/// Squares reached from `from` over one or more discs of `over` by steps of `shift` bits.
#[inline(always)]
fn beyond(from: u64, over: u64, shift: u32) -> u64 {
    let mut up = over & (from << shift);
    let mut down = over & (from >> shift);
    up |= over & (up << shift);
    down |= over & (down >> shift);
    let (up_pairs, down_pairs) = (over & (over << shift), over & (over >> shift));
    up |= up_pairs & (up << (2 * shift));
    down |= down_pairs & (down >> (2 * shift));
    up |= up_pairs & (up << (2 * shift));
    down |= down_pairs & (down >> (2 * shift));
    (up << shift) | (down >> shift)
}

impl Isa for PortableIsa {
    #[inline]
    fn run<J: IsaJob>(self, job: J) -> J::Output {
        job.run(self)
    }

    #[inline(always)]
    fn moves(self, me: u64, opponent: u64) -> u64 {
        let inner = opponent & INNER_COLUMNS;
        (beyond(me, inner, 1) | beyond(me, opponent, 8) | beyond(me, inner, 7) | beyond(me, inner, 9))
            & !(me | opponent)
    }

    #[inline(always)]
    fn flips(self, square: usize, me: u64, opponent: u64) -> u64 {
        let rays = &RAYS[square & 63];
        let mut flips = 0;
        for &ray in &rays[..4] {
            // The first square upward that is not the opponent's decides.
            let stop = ray & !opponent;
            let end = stop & stop.wrapping_neg() & me;
            flips |= ray & end.wrapping_sub(u64::from(end != 0));
        }
        for &ray in &rays[4..] {
            let stop = ray & !opponent;
            let end = (1u64 << 63).checked_shr(stop.leading_zeros()).unwrap_or(0) & me;
            flips |= ray & (end ^ end.wrapping_neg());
        }
        flips
    }

    #[inline(always)]
    fn count_last_flips(self, square: usize, me: u64) -> u32 {
        self.flips(square, me, !me).count_ones()
    }
}
