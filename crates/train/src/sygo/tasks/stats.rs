//! Statistics of self-played games of Sygo.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;

use crate::tasks::GameTask;
use crate::tasks::stats::StatsOptions;
use crate::tasks::train::NO_GAMES;
use kaeshi_learn::selfplay::files;
use kaeshi_learn::sygo::statistics::{
    CAPTURE_SIZES, CHECKPOINTS, FirstGrowth, MOST_ATTACKERS, MOST_LIBERTIES, PREDICTORS, SampleMean,
    SygoCheckpoint, SygoStatistics, statistics,
};
use kaeshi_system::output::{print, progress_bar};

/// Cells of fewer groups show no share.
const MIN_GROUPS_PER_CELL: u64 = 20;

/// Sygo has no options besides the common ones.
#[derive(Debug, Default, PartialEq, clap::Args)]
pub(super) struct SygoStatsOptions {}

impl GameTask<StatsOptions> for SygoStatsOptions {
    fn run(&self, common: &StatsOptions) -> anyhow::Result<ExitCode> {
        let files = files(&common.data, "sygo")?;
        let bar = progress_bar(files.len() as u64, "files");
        let all = statistics(files.iter().map(PathBuf::as_path), || bar.inc(1))?;
        bar.finish_and_clear();
        if all.is_empty() {
            bail!(NO_GAMES);
        }
        for (number, ((columns, rows), statistics)) in all.iter().enumerate() {
            if number > 0 {
                print("")?;
            }
            print(format_args!("board {columns}x{rows} games {}", statistics.games()))?;
            print_statistics(statistics)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A mean with its error; `-` where there is nothing.
fn mean(sample: &SampleMean) -> String {
    match (sample.count, sample.error()) {
        (0, _) => "-".to_owned(),
        (_, error) if error.is_finite() => format!("{:.2} +- {error:.2}", sample.mean()),
        _ => format!("{:.2}", sample.mean()),
    }
}

/// The quotient times `scale`; `-` where there is nothing.
fn ratio(numerator: u64, denominator: u64, scale: f64) -> String {
    match denominator {
        0 => "-".to_owned(),
        _ => format!("{:.2}", scale * numerator as f64 / denominator as f64),
    }
}

fn print_statistics(statistics: &SygoStatistics) -> io::Result<()> {
    let [won, drawn, lost] = statistics.results;
    let games = statistics.games() as f64;
    print(format_args!("turns a game {:.1}", statistics.turns as f64 / games))?;
    print(format_args!("White won {won} drew {drawn} lost {lost}, ahead by {}", mean(&statistics.margin)))?;
    if let Some([low, komi, high]) = statistics.fair_komi() {
        print(format_args!("komi for equal chances {komi} ({low} to {high})"))?;
    }
    print(format_args!("\nfirst growth, mean turn {}", mean(&statistics.first_growth)))?;
    print("who grew first, games, points by which White was ahead")?;
    for ((grower, is_random), margin) in &statistics.margin_by_first_grower {
        let name = match grower {
            FirstGrowth::White => "White",
            FirstGrowth::BlackBalanced => "Black, balance turn",
            FirstGrowth::Black => "Black, growth alone",
        };
        let chosen = if *is_random { "random" } else { "chosen" };
        print(format_args!("{name:<20} {chosen} {:>7} {}", margin.count, mean(margin)))?;
    }
    print_checkpoints(statistics)?;
    if !statistics.first_stones.is_empty() {
        print("\nrandom first stones: line (1 is the edge), stones, points by which their owner was ahead")?;
        for (line, colours) in &statistics.first_stones {
            let owner = colours.map(|sample| sample.mean()).iter().sum::<f64>() / 2.0;
            let error = colours.map(|sample| sample.error().powi(2)).iter().sum::<f64>().sqrt() / 2.0;
            let count: u64 = colours.iter().map(|sample| sample.count).sum();
            // Both colours are needed, so that the advantage of the first turn cancels.
            if error.is_finite() {
                print(format_args!("{line:>4} {count:>7} {owner:+.2} +- {error:.2}"))?;
            } else {
                print(format_args!("{line:>4} {count:>7} -"))?;
            }
        }
    }
    if !statistics.first_captures.is_empty() {
        print(
            "\nfirst capture: stones, games, share of the captor's wins, points by which the captor was ahead",
        )?;
        for (&size, [ahead, won]) in &statistics.first_captures {
            let from = size.checked_sub(1).map_or(1, |before| CAPTURE_SIZES[before] + 1);
            let stones = match CAPTURE_SIZES.get(size) {
                Some(&to) if to == from => format!("{from}"),
                Some(to) => format!("{from} to {to}"),
                None => format!("{from} or more"),
            };
            print(format_args!("{stones:<10} {:>7} {} {}", ahead.count, mean(won), mean(ahead)))?;
        }
    }
    if !statistics.random_turns.is_empty() {
        print("\nlater random turns: kind, turns, what they lost in the search's value (from -1 to 1)")?;
        for (&(place, is_growth), loss) in &statistics.random_turns {
            let kind = if is_growth { "growth" } else { "placement" };
            print(format_args!("{:<12} {kind:<10} {:>7} {}", span(place), loss.count, mean(loss)))?;
        }
    }
    Ok(())
}

/// The turns between a checkpoint and the one before.
fn span(place: usize) -> String {
    let from = place.checked_sub(1).map_or(1, |before| CHECKPOINTS[before] + 1);
    match CHECKPOINTS.get(place) {
        Some(to) => format!("{from} to {to}"),
        None => format!("from {from} on"),
    }
}

fn print_checkpoints(statistics: &SygoStatistics) -> io::Result<()> {
    print("\nturns; groups of a side after them; placements, %; groups before a growth; groups grown by it")?;
    for (&place, checkpoint) in &statistics.checkpoints {
        let SygoCheckpoint { groups, placements, growths, growing_groups, grown_groups, .. } = checkpoint;
        print(format_args!(
            "{:<12} {:>14} {:>6} {:>6} {:>6}",
            span(place),
            mean(groups),
            ratio(*placements, placements + growths, 100.0),
            ratio(*growing_groups, *growths, 1.0),
            ratio(*grown_groups, *growths, 1.0)
        ))?;
    }
    print(format_args!(
        "\npoints that one more is worth at the end: turn, games, {}",
        PREDICTORS.join(", ")
    ))?;
    for (&place, checkpoint) in &statistics.checkpoints {
        let Some(coefficients) = checkpoint.margin_regression.coefficients() else { continue };
        let of = coefficients[1..].iter().map(|(value, error)| format!("{value:+.2} +- {error:.2}"));
        let of: Vec<String> = of.collect();
        print(format_args!(
            "{:>4} {:>7} {}",
            CHECKPOINTS[place],
            checkpoint.margin_regression.count,
            of.join("  ")
        ))?;
    }
    for (&place, checkpoint) in
        statistics.checkpoints.iter().filter(|(_, checkpoint)| !checkpoint.survival.is_empty())
    {
        print(format_args!(
            "\ngroups after turn {}, in 100 of them lost: rows by liberties, columns by enemy groups next to these",
            CHECKPOINTS[place]
        ))?;
        print_survival(checkpoint)?;
    }
    Ok(())
}

fn print_survival(checkpoint: &SygoCheckpoint) -> io::Result<()> {
    let more = |count: usize, most: usize| format!("{count}{}", if count == most { "+" } else { "" });
    let heads: Vec<String> = (0..=MOST_ATTACKERS).map(|count| more(count, MOST_ATTACKERS)).collect();
    print(format_args!("     {}", heads.iter().map(|head| format!("{head:>14}")).collect::<String>()))?;
    for liberties in 1..=MOST_LIBERTIES {
        let cell = |attackers| match checkpoint.survival.get(&(liberties, attackers)) {
            Some(&[all, lost]) if all >= MIN_GROUPS_PER_CELL => {
                format!("{:>14}", format!("{:.1} of {all}", 100.0 * lost as f64 / all as f64))
            }
            _ => format!("{:>14}", "-"),
        };
        let cells: String = (0..=MOST_ATTACKERS).map(cell).collect();
        print(format_args!("{:>4} {cells}", more(liberties, MOST_LIBERTIES)))?;
    }
    Ok(())
}
