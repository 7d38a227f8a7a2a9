//! The searches of Sygo: Monte-Carlo tree search, and principal variation search.

pub mod alphabeta;
pub mod montecarlo;
pub mod playout;
pub mod propose;
