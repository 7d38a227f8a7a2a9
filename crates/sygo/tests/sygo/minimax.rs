//! Plain minimax to the end of the game.

use kaeshi_sygo::rules;
use kaeshi_sygo::rules::board::Colour;
use kaeshi_sygo::rules::generate;
use kaeshi_sygo::rules::position::SygoPosition;

/// Final margin for the side to move.
pub fn value(position: &SygoPosition) -> i32 {
    if position.is_over() {
        let margin = rules::margin(&position.board);
        return if position.side == Colour::White { margin } else { -margin };
    }
    let (turns, _) = generate::turns(position, usize::MAX);
    let after = turns.iter().map(|turn| {
        let mut after = position.clone();
        after.play(turn);
        -value(&after)
    });
    after.max().expect("a pass is always legal")
}
