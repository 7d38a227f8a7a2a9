//! What turns with a certain stone have gained, anywhere in the tree, over the other turns of their
//! positions.
//!
//! The turns of a position differ in few stones, so what is found below one of them tells of all that
//! share its stones. It is the progressive history of Nijssen and Winands ("Enhancements for multi-player
//! Monte-Carlo tree search", 2010), summed over the stones of a turn as in the naive sampling of Ontanon
//! ("The combinatorial multi-armed bandit problem and its application to real-time strategy games", 2013).

use crate::sygo::board::Colour;
use crate::sygo::points::GRID;
use crate::sygo::turn::Turn;

/// The gains of one stone.
#[derive(Clone, Copy, Debug, Default)]
struct Gains {
    sum: f32,
    count: f32,
}

/// The gains of all stones.
#[derive(Debug)]
pub struct History {
    /// By colour: growth stones by their points, then placed ones.
    gains: Box<[[Gains; 2 * GRID]; 2]>,
}

/// Where the stones of a turn are found.
fn places(turn: &Turn) -> impl Iterator<Item = usize> + '_ {
    let placed = turn.placement().map(|point| GRID + point.index());
    turn.growth().iter().map(|point| point.index()).chain(placed)
}

impl History {
    /// Nothing known.
    pub fn new() -> History {
        History { gains: Box::new([[Gains::default(); 2 * GRID]; 2]) }
    }

    /// Makes what is known count half.
    pub fn fade(&mut self) {
        for gains in self.gains.iter_mut().flatten() {
            gains.sum /= 2.0;
            gains.count /= 2.0;
        }
    }

    /// A turn of `side` gained so much worth.
    pub fn learn(&mut self, side: Colour, turn: &Turn, gain: f32) {
        for place in places(turn) {
            let gains = &mut self.gains[side as usize][place];
            gains.sum += gain;
            gains.count += 1.0;
        }
    }

    /// What a turn of `side` may gain by its stones, each of which had `doubt` gains of nothing before.
    pub fn gain(&self, side: Colour, turn: &Turn, doubt: f32) -> f32 {
        let gains = &self.gains[side as usize];
        places(turn).map(|place| gains[place].sum / (gains[place].count + doubt)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sygo::points::Point;

    #[test]
    fn a_turn_gains_what_its_stones_did() {
        let [a, b, c] = [0, 1, 2].map(|column| Point::new(4, column));
        let mut history = History::new();
        for _ in 0..4 {
            history.learn(Colour::White, &Turn::grow([a, b]), 0.5);
            history.learn(Colour::White, &Turn::grow([b, c]), -0.5);
        }
        let gain = |history: &History, turn: &Turn| history.gain(Colour::White, turn, 2.0);
        assert!((gain(&history, &Turn::grow([a])) - 2.0 / 6.0).abs() < 1e-6);
        assert!(gain(&history, &Turn::grow([b])).abs() < 1e-6);
        assert!(gain(&history, &Turn::grow([a, c])).abs() < 1e-6);
        // A placed stone is another thing than a growth stone, Black's another than White's.
        assert_eq!(gain(&history, &Turn::place(a)), 0.0);
        assert_eq!(history.gain(Colour::Black, &Turn::grow([a]), 2.0), 0.0);
        history.fade();
        assert!((gain(&history, &Turn::grow([a])) - 1.0 / 4.0).abs() < 1e-6);
    }
}
