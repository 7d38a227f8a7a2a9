//! Where there is no AMX: no value of these types exists.

use std::convert::Infallible;

use super::{CHANNELS, TileKernels, TileSums, TilesJob};

/// Proof that AMX works.
#[derive(Clone, Copy, Debug)]
pub struct Tiles(Infallible);

/// Tile configuration of a thread.
#[derive(Debug)]
pub struct TileSession(Infallible);

impl Tiles {
    /// Whether processor and system allow it.
    pub fn detect() -> Option<Tiles> {
        None
    }

    /// Runs `job`.
    pub fn run<J: TilesJob>(self, _job: J) -> J::Output {
        match self.0 {}
    }
}

impl TileSession {
    /// The sums of cells.
    pub fn convolve(&self, _: &TileKernels, _: &[[u8; CHANNELS]], _: usize, _: &mut TileSums) {
        match self.0 {}
    }
}
