//! The tests of this crate, in one binary.

mod independent;

mod shogi_legality;
mod shogi_mate;
