//! The searches of Reversi: middle game, exact endgame, and the worker that joins them.

pub mod endgame;
pub mod estimate;
pub mod iteration_values;
pub mod memory;
pub mod midgame;
pub mod probcut;
pub mod solver;
pub mod stability;
pub mod table;
pub mod worker;
