//! The instructions. The compiler knows neither them nor the tiles, so each use is one block of assembly.

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::LazyLock;

use super::{
    CELLS, CHANNELS, KERNEL_SIZE, TAP_PAIRS, TAPS_PER_TILE, TILE, TILE_ROW_BYTES, TILE_ROWS, TileKernels,
    TileSums, TilesJob,
};
use crate::simd::detect;

/// Operand of `LDTILECFG`, palette 1: eight tiles of 16 rows of 64 bytes.
#[repr(C, align(64))]
struct TileConfiguration {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

const TILES: usize = 8;

static CONFIGURATION: TileConfiguration = {
    let (mut row_bytes, mut rows) = ([0; 16], [0; 16]);
    let mut tile = 0;
    while tile < TILES {
        row_bytes[tile] = TILE_ROW_BYTES as u16;
        rows[tile] = TILE_ROWS as u8;
        tile += 1;
    }
    TileConfiguration { palette: 1, start_row: 0, reserved: [0; 14], row_bytes, rows }
};

/// Proof that AMX works: the processor has it, and the kernel granted this process its tiles.
#[derive(Clone, Copy, Debug)]
pub struct Tiles(());

/// Tile configuration loaded on this thread.
#[derive(Debug)]
pub struct TileSession(PhantomData<*const ()>);

thread_local! {
    static CONFIGURED: Cell<bool> = const { Cell::new(false) };
}

/// `TILERELEASE` resets the tiles, so that context switches do not save 8 KiB.
struct Release;

impl Drop for Release {
    fn drop(&mut self) {
        CONFIGURED.set(false);
        // SAFETY: this value is made in `with_tiles` only, where the instruction exists.
        unsafe { asm!("tilerelease", options(nomem, nostack, preserves_flags)) };
    }
}

impl Tiles {
    /// Whether processor and system allow it.
    pub fn detect() -> Option<Tiles> {
        static FOUND: LazyLock<bool> = LazyLock::new(is_granted);
        FOUND.then_some(Tiles(()))
    }

    /// Runs `job`.
    ///
    /// # Panics
    /// Within another job on the same thread.
    pub fn run<J: TilesJob>(self, job: J) -> J::Output {
        // SAFETY: `detect` alone makes the value, where the features were found.
        unsafe { with_tiles(job) }
    }
}

/// Asks processor and kernel.
fn is_granted() -> bool {
    const FEATURES: u32 = 7;
    const AMX_TILE_AND_INT8: u32 = 0b11 << 24;
    const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
    const XFEATURE_XTILEDATA: libc::c_long = 18;
    if !detect::avx512() || !detect::vnni() {
        return false;
    }
    // SAFETY: every processor with AVX-512 has this leaf.
    #[allow(unused_unsafe, reason = "later compilers than the oldest supported one call it safe")]
    let leaf = unsafe { __cpuid_count(FEATURES, 0) };
    if leaf.edx & AMX_TILE_AND_INT8 != AMX_TILE_AND_INT8 {
        return false;
    }
    // SAFETY: the request reads no memory and changes nothing but what this process may use.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512vl,avx512bw,avx512dq")]
fn with_tiles<J: TilesJob>(job: J) -> J::Output {
    // The end of the inner job would take the tiles from the outer one.
    assert!(!CONFIGURED.replace(true), "a job of tiles within another one");
    let _release = Release;
    // SAFETY: the caller has a value of `Tiles`, and the configuration is as the manual wants it.
    unsafe {
        asm!("ldtilecfg [{}]", in(reg) &raw const CONFIGURATION, options(readonly, nostack, preserves_flags));
    }
    job.run(&TileSession(PhantomData))
}

impl TileSession {
    /// The sums of [`CELLS`] cells one after the other. `inputs` begins with the first of the nine points of the first
    /// cell; `stride` cells farther on begins the next row of points.
    ///
    /// # Panics
    /// If `inputs` has fewer than `2 * stride + CELLS + 3` cells.
    #[inline(always)]
    pub fn convolve(
        &self,
        kernels: &TileKernels,
        inputs: &[[u8; CHANNELS]],
        stride: usize,
        sums: &mut TileSums,
    ) {
        let needed =
            stride.saturating_mul(KERNEL_SIZE - 1).saturating_add(CELLS + TAP_PAIRS * TAPS_PER_TILE - 1);
        assert!(inputs.len() >= needed, "{} cells of {needed}", inputs.len());
        // Four tiles of sums: of the first and the last 16 cells, and of the first and the last 16 outputs.
        // SAFETY: a session exists in `with_tiles` only. The last row reads two strides, 31 cells and four points from
        // the first input on, as checked; the weights are twelve tiles; the sums are 32 rows of 128 bytes.
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
                weights = inout(reg) kernels.weights.get().as_ptr() => _,
                sums = in(reg) sums.as_mut_ptr(),
                cell = in(reg) CHANNELS,
                row = in(reg) TILE_ROW_BYTES,
                line = in(reg) CHANNELS * size_of::<i32>(),
                stride = in(reg) stride * CHANNELS,
                rows = inout(reg) KERNEL_SIZE => _,
                tile = const TILE,
                half = const TILE_ROWS * CHANNELS,
                pair = const TAPS_PER_TILE * CHANNELS,
                row_bytes = const TILE_ROW_BYTES,
                lines = const TILE_ROWS * CHANNELS * size_of::<i32>(),
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }
}
