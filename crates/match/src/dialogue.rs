//! Dialogues with engines that run as processes, in any of the four protocols.
//!
//! | file | idea |
//! |---|---|
//! | [`engine_process`] | a child process, its output as lines, its end |
//! | [`speaker`] | the words of one protocol: USI, UGI, GTP, NBoard |
//! | [`player`] | one engine through a whole match: start, think, ponder, restart |
//! | [`limits`], [`clock`] | how long an engine may think, and what is left |
//! | [`info`] | what an engine says of its search |
//! | [`moved`] | a move, with what the engine said of it |
//! | [`option_refusal`] | how an engine refuses an option |

pub mod asking;
pub mod clock;
pub mod engine_process;
pub mod info;
pub mod limits;
pub mod moved;
pub mod option_refusal;
pub mod player;
pub mod speaker;
