//! The tests of this crate, in one binary.

mod sygo_play;
