//! The speed of a machine, for matches against the clock: on a slower one an engine gets more time, so that it
//! thinks as far as where the match was submitted. OpenBench and fishtest do the same.

use std::ops::RangeInclusive;
use std::process::Stdio;

use anyhow::{Context, bail};
use tokio::process::Child;

use kaeshi_match::dialogue::engine_process::system;

/// Factors by which times are multiplied.
pub const BOUNDS: RangeInclusive<f64> = 0.25..=4.0;

/// Nodes a second of this program's benchmark, the mean of as many at once as there will be games.
///
/// # Errors
/// If the benchmark cannot be run.
pub async fn measure(at_once: usize) -> anyhow::Result<f64> {
    let running = (0..at_once).map(|_| begin()).collect::<anyhow::Result<Vec<Child>>>()?;
    let mut sum = 0.0;
    for child in running {
        let output = child.wait_with_output().await?;
        if !output.status.success() {
            bail!("the benchmark of this machine: {}", system::describe(output.status));
        }
        let speed = read(&String::from_utf8_lossy(&output.stdout));
        sum += speed.context("the benchmark of this machine states no speed")?;
    }
    Ok(sum / at_once.max(1) as f64)
}

fn begin() -> anyhow::Result<Child> {
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command.arg("bench").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    system::isolate(&mut command);
    Ok(tokio::process::Command::from(command).kill_on_drop(true).spawn()?)
}

/// The speed in the first line of a benchmark, `GAME: N nodes, N s, N nodes/s`.
fn read(output: &str) -> Option<f64> {
    let speed = output.lines().next()?.strip_suffix(" nodes/s")?.rsplit(' ').next()?.parse().ok()?;
    (speed > 0.0).then_some(speed)
}

/// By what times are multiplied on a machine of speed `here`, if the match was submitted on one of `there`.
pub fn scale(there: f64, here: f64) -> f64 {
    ((there / here).clamp(*BOUNDS.start(), *BOUNDS.end()) * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slower_machine_gives_more_time_within_bounds() {
        assert_eq!(scale(1e6, 1e6), 1.0);
        assert_eq!(scale(1e6, 8e5), 1.25);
        assert_eq!(scale(1e6, 2e6), 0.5);
        assert_eq!((scale(1e6, 1.0), scale(1.0, 1e6)), (4.0, 0.25));
    }

    #[test]
    fn the_speed_is_read_from_the_benchmark() {
        assert_eq!(read("shogi: 229 nodes, 2.89 s, 795613 nodes/s\nreversi: 1 nodes\n"), Some(795_613.0));
        assert_eq!(read("shogi: 229 nodes, 2.89 s, 0 nodes/s\n"), None);
        assert_eq!(read("nonsense"), None);
    }
}
