//! The board operations in the 128-bit registers of 64-bit Arm: two directions in each.

use std::arch::aarch64::{
    uint64x2_t, vaddq_u64, vaddw_s8, vandq_u64, vbicq_u64, vcombine_u64, vcreate_u64, vdupq_n_u64,
    vgetq_lane_u64, vld1_s8, vld1q_s16, vld1q_u64, vnegq_s64, vorrq_u64, vreinterpretq_s64_u64,
    vreinterpretq_u64_s64, vshlq_u64, vst1q_s16, vtstq_u64,
};

use super::portable::INNER_COLUMNS;
use super::{Isa, IsaJob, RAYS};

/// NEON, which every processor of the target has.
#[derive(Clone, Copy, Debug)]
pub struct Neon;

/// Two directions.
///
/// # Safety
/// Needs NEON, as do all functions below.
#[inline(always)]
unsafe fn pair(low: u64, high: u64) -> uint64x2_t {
    // SAFETY: NEON is there, says the caller.
    unsafe { vcombine_u64(vcreate_u64(low), vcreate_u64(high)) }
}

/// Both lanes or-ed together.
#[inline(always)]
unsafe fn or_lanes(v: uint64x2_t) -> u64 {
    // SAFETY: NEON is there, says the caller.
    unsafe { vgetq_lane_u64::<0>(v) | vgetq_lane_u64::<1>(v) }
}

/// Squares reached from `own` over one or more discs of `over`, by steps of these bits upward and downward.
#[inline(always)]
unsafe fn beyond(own: uint64x2_t, over: uint64x2_t, steps: [i64; 2]) -> uint64x2_t {
    // SAFETY: NEON is there, says the caller.
    unsafe {
        // A shift by a negative number is one downward.
        let shifts =
            |factor: i64| vreinterpretq_s64_u64(pair((factor * steps[0]) as u64, (factor * steps[1]) as u64));
        let (shift, shift2, unshift, unshift2) = (shifts(1), shifts(2), shifts(-1), shifts(-2));
        let mut up = vandq_u64(over, vshlq_u64(own, shift));
        let mut down = vandq_u64(over, vshlq_u64(own, unshift));
        up = vorrq_u64(up, vandq_u64(over, vshlq_u64(up, shift)));
        down = vorrq_u64(down, vandq_u64(over, vshlq_u64(down, unshift)));
        let up_pairs = vandq_u64(over, vshlq_u64(over, shift));
        let down_pairs = vshlq_u64(up_pairs, unshift);
        up = vorrq_u64(up, vandq_u64(up_pairs, vshlq_u64(up, shift2)));
        down = vorrq_u64(down, vandq_u64(down_pairs, vshlq_u64(down, unshift2)));
        up = vorrq_u64(up, vandq_u64(up_pairs, vshlq_u64(up, shift2)));
        down = vorrq_u64(down, vandq_u64(down_pairs, vshlq_u64(down, unshift2)));
        vorrq_u64(vshlq_u64(up, shift), vshlq_u64(down, unshift))
    }
}

/// Discs turned over on the four upward rays from `square`.
#[inline(always)]
unsafe fn flips_up(square: usize, me: u64, opponent: u64) -> u64 {
    let rays = &RAYS[square & 63];
    // SAFETY: the first four numbers are read of a row of eight; NEON is there, says the caller.
    unsafe {
        let (own, over) = (vdupq_n_u64(me), vdupq_n_u64(opponent));
        let flips = |ray: uint64x2_t| {
            // The first square upward that is not the opponent's decides.
            let stop = vbicq_u64(ray, over);
            let lowest = vandq_u64(stop, vreinterpretq_u64_s64(vnegq_s64(vreinterpretq_s64_u64(stop))));
            let end = vandq_u64(lowest, own);
            // end - 1 where there is an end, else 0.
            vandq_u64(ray, vaddq_u64(end, vtstq_u64(end, end)))
        };
        or_lanes(vorrq_u64(flips(vld1q_u64(rays.as_ptr())), flips(vld1q_u64(rays.as_ptr().add(2)))))
    }
}

impl Isa for Neon {
    /// Never inlined: a job within a job would crowd out the registers of the outer one.
    #[inline(never)]
    fn run<J: IsaJob>(self, job: J) -> J::Output {
        job.run(self)
    }

    #[inline(always)]
    fn moves(self, me: u64, opponent: u64) -> u64 {
        // SAFETY: every processor of the target has NEON.
        unsafe {
            let own = vdupq_n_u64(me);
            let inner = opponent & INNER_COLUMNS;
            let straight = beyond(own, pair(inner, opponent), [1, 8]);
            let diagonal = beyond(own, vdupq_n_u64(inner), [7, 9]);
            or_lanes(vorrq_u64(straight, diagonal)) & !(me | opponent)
        }
    }

    #[inline(always)]
    fn flips(self, square: usize, me: u64, opponent: u64) -> u64 {
        let square = square & 63;
        // On the board turned by half a circle the downward rays are upward.
        // SAFETY: every processor of the target has NEON.
        unsafe {
            flips_up(square, me, opponent)
                | flips_up(63 - square, me.reverse_bits(), opponent.reverse_bits()).reverse_bits()
        }
    }

    #[inline(always)]
    fn count_last_flips(self, square: usize, me: u64) -> u32 {
        self.flips(square, me, !me).count_ones()
    }

    #[inline(always)]
    fn add_bytes(self, sums: &mut [i16; 32], bytes: &[i8; 32]) {
        // SAFETY: every processor of the target has NEON; both arrays are as large as the loads and stores.
        unsafe {
            for eighth in 0..4 {
                let sum = sums.as_mut_ptr().add(8 * eighth);
                let bytes = vld1_s8(bytes.as_ptr().add(8 * eighth));
                vst1q_s16(sum, vaddw_s8(vld1q_s16(sum), bytes));
            }
        }
    }
}
