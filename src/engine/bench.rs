//! A fixed search of every game: its node count identifies how a build plays.

use std::sync::Arc;

use crate::engine::control::Control;
use crate::game::{Game, Memory, Rejected, Shared, Worker};
use crate::search::{Root, Rung};

/// Nodes of the fixed searches of [`Game::bench`]: the same for every build that plays the same.
///
/// # Errors
/// If the game does not load, or one of its positions does not parse.
pub fn bench<G: Game>() -> Result<u64, Rejected> {
    const HASH_BYTES: usize = 16 << 20;
    let game = Arc::new(G::load(&G::Settings::default())?);
    let mut nodes = 0;
    for &(text, depth) in G::bench() {
        let memory = Arc::new(G::Memory::with_bytes(HASH_BYTES)?);
        let shared = Arc::new(Shared { game: Arc::clone(&game), memory, threads: 1 });
        let mut worker = G::Worker::new(shared, 0);
        let mut root = Root::<G>::new(game.parse_position(text)?);
        let control = Control::free();
        let mut done = None;
        while let Some(stage) = worker.next_stage(&root, done).filter(|stage| stage.depth <= depth) {
            if let Rung::Complete(line) = worker.search(&root, stage, &control) {
                root.previous = vec![line];
            }
            done = Some(stage);
        }
        nodes += control.nodes();
    }
    Ok(nodes)
}
