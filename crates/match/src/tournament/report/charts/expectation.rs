//! The share of the points that can be expected by the scores of two engines, by ply: where games are won and lost.

use super::{Figure, fewest_at_ply, reported_score, row, spread};
use crate::tournament::journal::{GameWithMoves, Journal};
use crate::tournament::report::numbers::{name, percent};
use crate::tournament::summary::MatchSummary;
use kaeshi_report::svg::Chart;

/// Rows of the table twin for each engine.
const ROWS: usize = 12;
/// Longest game that is followed.
const LONGEST: usize = 2_000;
/// Scores beyond this count as this, in hundredths: more than all points of the largest board of Sygo.
const FARTHEST: i32 = 40_000;
/// Narrowest and widest logistic curve that is tried, in hundredths.
const SCALES: (f64, f64) = (10.0, 20_000.0);
/// Scores that the curve is fitted to, evenly spread over the match: more would only take time.
const MOST_FITTED: usize = 20_000;
/// Steps of the search for the best curve; each leaves 0.62 of the range.
const STEPS: usize = 20;

/// A score that one engine reported, for the first-named engine.
struct ReportedScore {
    ply: usize,
    value: f64,
}

/// One game as one of the engines judged it.
struct JudgedGame {
    scores: Vec<ReportedScore>,
    plies: usize,
    /// Points of the first-named engine.
    points: f64,
}

/// The share of the points that the first-named engine can expect after each ply, by the scores of either engine. Games
/// that have ended count with their result. `None` for more than two engines, or without scores.
pub fn expectation(journal: &Journal, summary: &MatchSummary) -> Option<Figure> {
    let [first, second] = summary.engines.as_slice() else { return None };
    let lines: Vec<Vec<(f64, f64)>> = [&first.name, &second.name]
        .into_iter()
        .map(|judge| {
            let games: Vec<JudgedGame> =
                journal.games.iter().map(|played| judged(played, judge, &first.name)).collect();
            course(&games)
        })
        .collect();
    let all = || lines.iter().flatten();
    let right = all().map(|point| point.0).fold(0.0, f64::max);
    if right == 0.0 {
        return None;
    }
    let bottom = all().map(|point| point.1).fold(45.0, f64::min);
    let top = all().map(|point| point.1).fold(55.0, f64::max);
    let names = [0, 1].map(|index| name(summary, index));
    let title = format!("Expected score of {}", names[0]);
    let mut chart = Chart::new(&title, ("ply", "score %"), (0.0, right), (bottom, top)).x_ticks();
    chart.rule("even", 50.0, "");
    for (index, line) in lines.iter().enumerate() {
        chart.line(&format!("s{index}"), line);
    }
    let rows = lines.iter().zip(&names).flat_map(|(line, judge)| {
        spread(line.len(), ROWS)
            .into_iter()
            .map(move |i| row([judge.clone(), format!("{:.0}", line[i].0), percent(line[i].1 / 100.0)]))
    });
    Some(Figure {
        title,
        note: format!(
            "As the scores of each engine predict it; games that have ended count with their result. Red {}, blue {}.",
            names[0], names[1]
        ),
        svg: chart.finish(),
        table: (row(["engine", "ply", "score"]), rows.collect()),
    })
}

fn judged(played: &GameWithMoves, judge: &str, own: &str) -> JudgedGame {
    let side = played.side_of(own);
    let mover = played.side_of(judge);
    let sign = if judge == own { 1.0 } else { -1.0 };
    let scores = played.moves.iter().filter(|one| one.mover() == mover);
    let scores = scores.filter_map(|one| {
        Some(ReportedScore { ply: one.ply as usize, value: sign * f64::from(reported_score(one, FARTHEST)?) })
    });
    JudgedGame {
        scores: scores.collect(),
        plies: played.moves.last().map_or(0, |last| last.ply as usize),
        points: played.game.result.half_points(side) as f64 / 2.0,
    }
}

/// Every second ply with the mean expectation after it, in per cent; games without scores do not count.
fn course(games: &[JudgedGame]) -> Vec<(f64, f64)> {
    let games = || games.iter().filter(|game| !game.scores.is_empty());
    let mut lengths: Vec<usize> = games().map(|game| game.plies).collect();
    lengths.sort_unstable();
    let fewest = fewest_at_ply(lengths.len());
    let Some(&last) = lengths.len().checked_sub(fewest).and_then(|index| lengths.get(index)) else {
        return Vec::new();
    };
    let judgements: Vec<(f64, f64)> =
        games().flat_map(|game| game.scores.iter().map(|score| (score.value, game.points))).collect();
    let scale = fitted_scale(&judgements);
    let mut sums = vec![(0.0, 0u32); last.min(LONGEST) / 2 + 1];
    for game in games() {
        let mut next = game.scores.iter().peekable();
        let mut now = None;
        for (index, sum) in sums.iter_mut().enumerate() {
            let ply = 2 * index;
            while let Some(score) = next.next_if(|score| score.ply <= ply) {
                now = Some(logistic(score.value, scale));
            }
            let expected = if ply >= game.plies { Some(game.points) } else { now };
            if let Some(expected) = expected {
                *sum = (sum.0 + expected, sum.1 + 1);
            }
        }
    }
    let known = sums.into_iter().enumerate().filter(|(_, (_, count))| *count > 0);
    known.map(|(index, (sum, count))| (2.0 * index as f64, 100.0 * sum / f64::from(count))).collect()
}

/// The scale of the logistic curve from scores to points that fits these scores, each with the points of its
/// game, best: that of least logarithmic loss, by golden-section search (Kiefer, "Sequential minimax search
/// for a maximum", 1953).
fn fitted_scale(judgements: &[(f64, f64)]) -> f64 {
    let step = judgements.len().div_ceil(MOST_FITTED).max(1);
    let loss = |scale: f64| {
        let of = |&(value, points): &(f64, f64)| {
            let expected = logistic(value, scale).clamp(1e-6, 1.0 - 1e-6);
            -(points * expected.ln() + (1.0 - points) * (1.0 - expected).ln())
        };
        judgements.iter().step_by(step).map(of).sum::<f64>()
    };
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (SCALES.0.ln(), SCALES.1.ln());
    for _ in 0..STEPS {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if loss(left.exp()) < loss(right.exp()) { high = right } else { low = left }
    }
    f64::midpoint(low, high).exp()
}

fn logistic(value: f64, scale: f64) -> f64 {
    1.0 / (1.0 + (-value / scale).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::summary::GameSelection;
    use crate::tournament::summary::tests::journal;

    #[test]
    fn ended_games_count_with_their_result() {
        let game = |plies, points, value| JudgedGame {
            scores: vec![ReportedScore { ply: 1, value }],
            plies,
            points,
        };
        let unjudged = JudgedGame { scores: Vec::new(), plies: 2, points: 1.0 };
        let course = course(&[game(4, 1.0, 0.0), game(8, 0.0, 0.0), unjudged]);
        let wanted = [(2.0, 50.0), (4.0, 75.0), (6.0, 75.0), (8.0, 50.0)];
        assert_eq!(course, wanted);
    }

    #[test]
    fn the_scale_is_that_of_the_games() {
        // Of four games with a score of 110 three are won, as a curve of scale 100 says.
        let scale = fitted_scale(&[(110.0, 1.0), (110.0, 1.0), (110.0, 1.0), (110.0, 0.0)]);
        assert!((scale - 100.0).abs() < 1.0, "{scale}");
    }

    #[test]
    fn scores_of_the_second_engine_are_seen_from_the_first() {
        let mut journal = journal(&[[0, 1]], &["ww", "ll"]);
        for played in &mut journal.games {
            let winner = played.game.result.winner();
            for one in &mut played.moves {
                one.cp = Some(if Some(one.mover()) == winner { 200 } else { -200 });
            }
        }
        let summary = MatchSummary::new(&journal, GameSelection::default());
        let figure = expectation(&journal, &summary).unwrap();
        assert_eq!(figure.title, "Expected score of a");
        let cells = |engine: &str| -> Vec<&str> {
            figure.table.1.iter().filter(|row| row[0] == engine).map(|row| row[2].as_str()).collect()
        };
        assert_eq!(cells("a"), cells("b"));
        assert!(cells("a").iter().all(|cell| cell.starts_with("50")), "{:?}", cells("a"));
        // Without the games that a lost, its curve leads to all points.
        journal.games.truncate(2);
        let summary = MatchSummary::new(&journal, GameSelection::default());
        let figure = expectation(&journal, &summary).unwrap();
        let before_the_end = figure.table.1.iter().find(|row| row[0] == "b").unwrap();
        assert_eq!((before_the_end[1].as_str(), before_the_end[2].as_str()), ("2", "100.0 %"));
        let last = figure.table.1.last().unwrap();
        assert_eq!((last[0].as_str(), last[1].as_str(), last[2].as_str()), ("b", "4", "100.0 %"));
    }

    #[test]
    fn no_scores_are_no_figure() {
        let mut journal = journal(&[[0, 1]], &["wl"]);
        journal.games.iter_mut().flat_map(|played| &mut played.moves).for_each(|one| one.cp = None);
        let summary = MatchSummary::new(&journal, GameSelection::default());
        assert!(expectation(&journal, &summary).is_none());
    }
}
