//! Results counted by cell, and the moments of their distribution.

/// Count that replaces an empty cell when a likelihood is computed, as in Fishtest and fastchess.
const EMPTY_CELL: f64 = 1e-3;

/// Results of one engine, worst cell first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultCounts {
    /// Single games: losses, draws, wins.
    Games([u64; 3]),
    /// Pairs: LL, LD, DD or WL, WD, WW.
    Pairs([u64; 5]),
}

impl ResultCounts {
    /// Games that brought this.
    pub fn games(wins: u64, draws: u64, losses: u64) -> ResultCounts {
        ResultCounts::Games([losses, draws, wins])
    }

    /// Counts of zero, of pairs or of single games.
    pub fn empty(single: bool) -> ResultCounts {
        if single { ResultCounts::Games([0; 3]) } else { ResultCounts::Pairs([0; 5]) }
    }

    /// Counts one more unit with this number of half points.
    ///
    /// # Panics
    /// If a unit cannot have that many half points: 2 for a game, 4 for a pair.
    pub fn add(&mut self, half_points: usize) {
        match self {
            ResultCounts::Games(cells) => cells[half_points] += 1,
            ResultCounts::Pairs(cells) => cells[half_points] += 1,
        }
    }

    /// The cells, worst first.
    pub fn cells(&self) -> &[u64] {
        match self {
            ResultCounts::Games(cells) => cells,
            ResultCounts::Pairs(cells) => cells,
        }
    }

    /// Games that make one unit.
    pub fn games_per_unit(&self) -> f64 {
        match self {
            ResultCounts::Games(_) => 1.0,
            ResultCounts::Pairs(_) => 2.0,
        }
    }

    /// Number of units: games or pairs.
    pub fn units(&self) -> u64 {
        self.cells().iter().sum()
    }

    /// Whether at most one cell holds anything.
    pub fn is_one_cell(&self) -> bool {
        self.cells().iter().filter(|&&count| count > 0).count() <= 1
    }

    /// The score of a cell, from 0 to 1.
    pub fn value(&self, cell: usize) -> f64 {
        cell as f64 / (self.cells().len() - 1) as f64
    }

    /// Mean and variance of one unit's score; `None` before the first unit.
    pub fn moments(&self) -> Option<ScoreMoments> {
        let weights: Vec<f64> = self.cells().iter().map(|&count| count as f64).collect();
        ScoreMoments::of(&weights)
    }

    /// The cells as weights of which none is zero.
    pub fn regularised(&self) -> Vec<f64> {
        self.cells().iter().map(|&count| if count == 0 { EMPTY_CELL } else { count as f64 }).collect()
    }
}

/// Mean and variance of scores between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreMoments {
    /// Sum of the weights.
    pub n: f64,
    /// Mean score.
    pub mean: f64,
    /// Variance of one unit.
    pub variance: f64,
}

impl ScoreMoments {
    /// Moments of cells with equally spaced scores; `None` if nothing weighs anything.
    pub fn of(weights: &[f64]) -> Option<ScoreMoments> {
        let n: f64 = weights.iter().sum();
        if n <= 0.0 {
            return None;
        }
        let last = (weights.len() - 1) as f64;
        let mean = weights.iter().enumerate().map(|(i, w)| w * i as f64 / last).sum::<f64>() / n;
        let variance =
            weights.iter().enumerate().map(|(i, w)| w * (i as f64 / last - mean).powi(2)).sum::<f64>() / n;
        Some(ScoreMoments { n, mean, variance })
    }

    /// Standard error of the mean.
    pub fn standard_error(&self) -> f64 {
        (self.variance / self.n).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_fall_into_five_cells() {
        let mut counts = ResultCounts::Pairs([0; 5]);
        for (first, second) in [(0, 0), (0, 1), (1, 1), (2, 0), (0, 2), (1, 2), (2, 2)] {
            counts.add(first + second);
        }
        assert_eq!(counts, ResultCounts::Pairs([1, 1, 3, 1, 1]));
        assert_eq!(counts.units(), 7);
        assert_eq!(counts.moments().unwrap().mean, 0.5);
        assert!(!counts.is_one_cell());
        assert!(ResultCounts::Pairs([0, 0, 0, 0, 9]).is_one_cell());
        assert_eq!(ResultCounts::Pairs([0; 5]).moments(), None);
    }
}
