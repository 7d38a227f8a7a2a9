//! How accurately a side played a game, from 0 to 100, as lichess.org counts it.
//!
//! Source: lila, `AccuracyPercent.scala`. The accuracy of a turn follows from the win rate that it lost. That of a game
//! is the mean of two means: one weighted by how much the win rates around the turn vary, so that turns in a
//! decided game count little, and the harmonic one, in which single bad turns count much.
//!
//! Unlike there, turns in a lost position count only if there are no others: a player who loses in twenty turns and is
//! mated thirty turns later has nothing to lose in those. And each game has its own slope.

/// Positions of the window around a turn: a tenth of the game, within these bounds.
const WINDOW: (usize, usize) = (2, 8);
/// Bounds of a weight, in per cent of win rate.
const WEIGHT: (f64, f64) = (0.5, 12.0);
/// Below this win rate a position is lost.
const LOST: f64 = 0.02;

/// Accuracy of a turn that lost this share of the win rate, 0 to 1, in a game of this slope.
pub fn turn_accuracy(loss: f64, slope: f64) -> f64 {
    if loss <= 0.0 {
        return 100.0;
    }
    // The last term allows for the uncertainty of the values.
    (103.166_810_071 * (-4.354_415_387 * slope * loss).exp() - 3.166_924_74 + 1.0).clamp(0.0, 100.0)
}

/// Accuracies of both sides; `None` for a side without judged turns. `rates` are the win rates of one side, 0 to 1, at
/// all positions; each turn is the number of the position before it, its side (0 or 1) and the win rate that it lost.
/// `slope` is that of the game.
pub fn game_accuracy(rates: &[f64], turns: &[(usize, usize, f64)], slope: f64) -> [Option<f64>; 2] {
    let window = (rates.len() / 10).clamp(WINDOW.0, WINDOW.1);
    let weight = |position: usize| {
        let end = (position + 2).max(window).min(rates.len());
        let around = &rates[end.saturating_sub(window)..end];
        (100.0 * deviation(around)).clamp(WEIGHT.0, WEIGHT.1)
    };
    [0, 1].map(|side| {
        let all = || turns.iter().filter(|&&(position, by, _)| by == side && position < rates.len());
        let is_lost = |position: usize| {
            rates.get(position).is_some_and(|&rate| if side == 0 { rate < LOST } else { rate > 1.0 - LOST })
        };
        let judged =
            |&(position, _, loss): &(usize, usize, f64)| (turn_accuracy(loss, slope), weight(position));
        let mut own: Vec<(f64, f64)> = all().filter(|turn| !is_lost(turn.0)).map(judged).collect();
        if own.is_empty() {
            own = all().map(judged).collect();
        }
        if own.is_empty() {
            return None;
        }
        let weights: f64 = own.iter().map(|(_, weight)| weight).sum();
        let weighted = own.iter().map(|(accuracy, weight)| accuracy * weight).sum::<f64>() / weights;
        let harmonic =
            own.len() as f64 / own.iter().map(|(accuracy, _)| 1.0 / accuracy.max(1.0)).sum::<f64>();
        Some((weighted + harmonic) / 2.0)
    })
}

/// Standard deviation.
fn deviation(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_that_loses_nothing_is_perfect_and_one_that_loses_all_is_worthless() {
        assert_eq!(turn_accuracy(0.0, 1.0), 100.0);
        assert!((turn_accuracy(0.1, 1.0) - 64.6).abs() < 0.5, "{}", turn_accuracy(0.1, 1.0));
        assert!(turn_accuracy(1.0, 1.0) < 1.0 && turn_accuracy(0.1, 0.5) > turn_accuracy(0.1, 1.0));
    }

    #[test]
    fn good_turns_in_a_lost_game_do_not_hide_the_bad_ones() {
        // Both sides alternate; the second one throws the game away in three turns and loses nothing after that.
        let mut rates = vec![0.5, 0.5, 0.7, 0.7, 0.9, 0.9, 0.99];
        rates.resize(40, 0.99);
        let mut turns: Vec<(usize, usize, f64)> =
            (0..39).map(|position| (position, position % 2, 0.0)).collect();
        for (position, loss) in [(1, 0.2), (3, 0.2), (5, 0.09)] {
            turns[position].2 = loss;
        }
        let [first, second] = game_accuracy(&rates, &turns, 1.0).map(Option::unwrap);
        assert_eq!(first, 100.0);
        let mean =
            turns.iter().filter(|turn| turn.1 == 1).map(|turn| turn_accuracy(turn.2, 1.0)).sum::<f64>()
                / 19.0;
        assert!(second < 80.0 && mean > 90.0, "{second}, and a plain mean of {mean}");
        assert_eq!(game_accuracy(&rates, &[], 1.0), [None, None]);
    }

    #[test]
    fn turns_that_have_nothing_to_lose_do_not_flatter() {
        // Win rates of the second side, a random mover: lost after five turns, mated after forty.
        let mut rates = vec![0.5, 0.5, 0.58, 0.58, 0.69, 0.69, 0.8, 0.8, 0.91, 0.91];
        rates.resize(80, 0.995);
        let losses = [0.08, 0.11, 0.11, 0.11, 0.085];
        let turns: Vec<(usize, usize, f64)> = (0..40)
            .map(|turn| (2 * turn + 1, 1, losses.get(turn).copied().unwrap_or(0.0)))
            .filter(|turn| turn.0 < 80)
            .collect();
        let [_, accuracy] = game_accuracy(&rates, &turns, 1.0);
        assert!(accuracy.is_some_and(|accuracy| (55.0..75.0).contains(&accuracy)), "{accuracy:?}");
        // Where all is lost from the start, that is all there is to judge.
        let [_, handicap] = game_accuracy(&[0.99; 10], &[(1, 1, 0.0), (3, 1, 0.005)], 1.0);
        assert!(handicap.is_some_and(|accuracy| accuracy > 95.0), "{handicap:?}");
    }
}
