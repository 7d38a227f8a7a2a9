//! Training of the network: by gradients, from games.

mod backward;
mod samples;
mod train;

pub use samples::{SygoSample, read};
pub use train::{SygoHyperparameters, SygoTrainer};
