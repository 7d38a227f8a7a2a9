//! The tests of this crate, in one binary.

mod reversi_exact;
mod reversi_rules;
