//! The charts of a report, each with the table that says the same.

use maud::Markup;

use crate::tournament::journal::{Journal, JournalMove};
use crate::tournament::summary::MatchSummary;

pub mod course;
pub mod ends;
pub mod expectation;
pub mod openings;
pub mod pairs;
pub mod plies;

/// A chart and its table twin.
pub struct Figure {
    /// The heading.
    pub title: String,
    /// One sentence that says how to read it.
    pub note: String,
    /// The drawing.
    pub svg: Markup,
    /// Head and rows of the table.
    pub table: (Vec<String>, Vec<Vec<String>>),
}

/// All charts that this match has data for.
pub fn all(journal: &Journal, summary: &MatchSummary) -> Vec<Figure> {
    [
        course::score(summary),
        course::ratio(summary),
        pairs::cells(journal, summary),
        openings::strip(summary),
        ends::lengths(journal, summary),
        ends::causes(summary),
        plies::time(journal, summary),
        plies::score(journal, summary),
        expectation::expectation(journal, summary),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Fewest games that go on at a ply that is shown, where `games` were played: a small match shows all of its plies.
fn fewest_at_ply(games: usize) -> usize {
    const FEWEST: usize = 3;
    if games < 2 * FEWEST { 1 } else { FEWEST }
}

/// What an engine reported for its own side, in hundredths; mates and what is beyond `farthest` count as that.
fn reported_score(one: &JournalMove, farthest: i32) -> Option<i32> {
    let mate = one.mate.map(|mate| if mate > 0 { farthest } else { -farthest });
    Some(mate.or(one.cp)?.clamp(-farthest, farthest))
}

/// A row of owned texts.
fn row<S: Into<String>>(cells: impl IntoIterator<Item = S>) -> Vec<String> {
    cells.into_iter().map(Into::into).collect()
}

/// At most `most` of the indices below `len`, evenly spread, the last one among them.
pub fn spread(len: usize, most: usize) -> Vec<usize> {
    let step = len.div_ceil(most.max(1)).max(1);
    let mut chosen: Vec<usize> = (0..len).skip(step - 1).step_by(step).collect();
    if len > 0 && chosen.last() != Some(&(len - 1)) {
        chosen.push(len - 1);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn a_table_ends_with_the_last_value() {
        assert_eq!(spread(0, 5), [0usize; 0]);
        assert_eq!(spread(3, 5), [0, 1, 2]);
        assert_eq!(spread(11, 5), [2, 5, 8, 10]);
    }
}
