//! The searches of Sygo: Monte-Carlo tree search, and principal variation search.

pub mod alphabeta;
mod endgame;
pub mod montecarlo;
pub mod playout;
pub mod propose;
mod simple;
