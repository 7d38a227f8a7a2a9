//! The searches of Sygo: Monte-Carlo tree search, and principal variation search.

pub mod alphabeta;
mod endgame;
mod memory;
pub mod montecarlo;
pub mod playout;
pub mod propose;
mod simple;
mod worker;

pub use memory::SygoMemory;
pub use worker::SygoWorker;
