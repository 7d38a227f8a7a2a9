//! Training of the network: by gradients, from games.

mod backward;
mod samples;
mod train;

pub use samples::{Sample, read};
pub use train::{Recipe, Trainer};
