//! The tests of this crate, in one binary.

mod toy;

mod error_kinds;
mod perft;
mod protocol_go;
mod protocol_polled;
mod protocol_random;
mod protocol_session;
mod reference;
mod reference_models;
mod shogi_play;
