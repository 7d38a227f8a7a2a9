//! The instructions. The compiler knows neither them nor the registers, so each use is one block of assembly.

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::marker::PhantomData;

use super::{CHANNELS, ROW, ROWS, TILE, TileSession, TileSums, TilesJob};
use crate::simd::{Aligned, detect};

/// Which registers there are: all eight hold whole matrices.
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    bytes_of_row: [u16; 16],
    rows: [u8; 16],
}

const REGISTERS: usize = 8;

static CONFIGURATION: Configuration = {
    let (mut bytes_of_row, mut rows) = ([0; 16], [0; 16]);
    let mut register = 0;
    while register < REGISTERS {
        bytes_of_row[register] = ROW as u16;
        rows[register] = ROWS as u8;
        register += 1;
    }
    Configuration { palette: 1, start_row: 0, reserved: [0; 14], bytes_of_row, rows }
};

/// Whether the processor has the instructions, and the system allows this process to use them.
pub(super) fn detect() -> bool {
    const FEATURES: u32 = 7;
    const TILE_AND_INT8: u32 = 0b11 << 24;
    /// The request of `arch_prctl` for a feature whose state is large, and the number of that state.
    const REQUEST_PERMISSION: libc::c_long = 0x1023;
    const TILE_DATA: libc::c_long = 18;
    if !detect::avx512() || !detect::vnni() || __cpuid_count(FEATURES, 0).edx & TILE_AND_INT8 != TILE_AND_INT8
    {
        return false;
    }
    // SAFETY: the request reads no memory and changes nothing but what this process may use.
    unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0 }
}

/// Runs `job` with the registers set up, and gives them back.
///
/// # Safety
/// [`detect`] has returned true.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512vl,avx512bw,avx512dq")]
pub(super) fn run<J: TilesJob>(job: J) -> J::Output {
    /// Without state in the registers, a switch to another thread saves none.
    struct Release;
    impl Drop for Release {
        fn drop(&mut self) {
            // SAFETY: the registers are there, as this value is made below only.
            unsafe { asm!("tilerelease", options(nomem, nostack, preserves_flags)) };
        }
    }
    // SAFETY: the caller's, and the configuration is as the manual wants it.
    unsafe {
        asm!("ldtilecfg [{}]", in(reg) &raw const CONFIGURATION, options(readonly, nostack, preserves_flags));
    }
    let _release = Release;
    job.run(&TileSession(PhantomData))
}

/// Sums of 32 cells in four registers: of the first and the last 16 cells, and of the first and the last 16 outputs.
/// 64 bytes are the inputs of two points side by side.
#[inline(always)]
pub(super) fn convolve(
    _session: &TileSession,
    kernels: &Aligned<i8>,
    inputs: &[[u8; CHANNELS]],
    stride: usize,
    sums: &mut TileSums,
) {
    // SAFETY: a session exists in `run` only. The last row reads two strides, 31 cells and four points from the first
    // input on, which `TileSession::convolve` checks; the weights are twelve registers; the sums are 32 rows of 128
    // bytes.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "tileloadd tmm4, [{inputs} + {cell}]",
            "tileloadd tmm6, [{weights} + {row}]",
            "tileloadd tmm7, [{weights} + {row} + {tile}]",
            "tdpbusd tmm0, tmm4, tmm6",
            "tileloadd tmm5, [{inputs} + {cell} + {half}]",
            "tdpbusd tmm1, tmm4, tmm7",
            "tileloadd tmm4, [{inputs} + {cell} + {pair}]",
            "tdpbusd tmm2, tmm5, tmm6",
            "tileloadd tmm6, [{weights} + {row} + 2 * {tile}]",
            "tdpbusd tmm3, tmm5, tmm7",
            "tileloadd tmm7, [{weights} + {row} + 3 * {tile}]",
            "tdpbusd tmm0, tmm4, tmm6",
            "tileloadd tmm5, [{inputs} + {cell} + {half} + {pair}]",
            "tdpbusd tmm1, tmm4, tmm7",
            "tdpbusd tmm2, tmm5, tmm6",
            "tdpbusd tmm3, tmm5, tmm7",
            "add {inputs}, {stride}",
            "add {weights}, 4 * {tile}",
            "dec {rows:e}",
            "jnz 2b",
            "tilestored [{sums} + {line}], tmm0",
            "tilestored [{sums} + {line} + {row_bytes}], tmm1",
            "tilestored [{sums} + {line} + {lines}], tmm2",
            "tilestored [{sums} + {line} + {lines} + {row_bytes}], tmm3",
            inputs = inout(reg) inputs.as_ptr() => _,
            weights = inout(reg) kernels.get().as_ptr() => _,
            sums = in(reg) sums.as_mut_ptr(),
            cell = in(reg) CHANNELS,
            row = in(reg) ROW,
            line = in(reg) CHANNELS * size_of::<i32>(),
            stride = in(reg) stride * CHANNELS,
            rows = inout(reg) super::REACH => _,
            tile = const TILE,
            half = const ROWS * CHANNELS,
            pair = const super::POINTS * CHANNELS,
            row_bytes = const ROW,
            lines = const ROWS * CHANNELS * size_of::<i32>(),
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}
