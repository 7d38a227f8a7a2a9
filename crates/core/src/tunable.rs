//! The parameters of a search by name: read from a file, changed by tuning.

mod numbers;

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::files::located;
use crate::files::{self, FileKind};
use crate::game::GameError;
use numbers::{Number, from_numbers, numbers, read_numbers};

/// Parameters of a search. A field is an integer or a `f64`. A field that serde skips is no parameter: it
/// has its usual value in what [`Tunable::named`] and [`Tunable::with_tunable`] give.
pub trait Tunable: Clone + Default + Serialize + DeserializeOwned {
    /// The parameters that tuning changes, each with its first step.
    const TUNABLE: &'static [(&'static str, f64)];
    /// Names of the parameters that are shares of a whole, and so at most 1.
    const SHARES: &'static [&'static str] = &[];

    /// The parameters called `name`: `embedded` (or nothing), or a file of lines `name = number`,
    /// where those not named stay as they are embedded.
    ///
    /// # Errors
    /// A file that cannot be read, an unknown name, or a value below a tenth or above ten times the embedded one
    /// (above 100, if that is a whole number below 10).
    fn named(name: &str) -> Result<Self, GameError> {
        if matches!(name, "" | "embedded") {
            return Ok(Self::default());
        }
        let path = located(Path::new(name));
        let refuse =
            |reason: &dyn std::fmt::Display| GameError::file(format!("{}: {reason}", path.display()));
        let text = files::read_text(&path, FileKind::SETTINGS).map_err(|error| refuse(&error))?;
        let numbers: Self = from_numbers(read_numbers(&text).map_err(|error| refuse(&error))?)
            .map_err(|error| refuse(&error))?;
        check(&numbers).map_err(|error| refuse(&error))?;
        Ok(numbers)
    }

    /// The values of [`Tunable::TUNABLE`].
    fn tunable(&self) -> Vec<f64> {
        let numbers = numbers(self);
        Self::TUNABLE.iter().map(|(name, _)| numbers[name].as_real()).collect()
    }

    /// These parameters with other values for [`Tunable::TUNABLE`], clamped to their ranges, integers rounded.
    fn with_tunable(&self, values: &[f64]) -> Self {
        let usual = numbers(&Self::default());
        let mut numbers = numbers(self);
        for ((name, _), value) in Self::TUNABLE.iter().zip(values) {
            let (least, most) = bounds::<Self>(name, usual[name]);
            let value = value.clamp(least, most);
            let kept = match usual[name] {
                Number::Whole(_) => Number::Whole(value.round() as i64),
                Number::Real(_) => Number::Real((value * FINENESS).round() / FINENESS),
            };
            numbers.insert(name, kept);
        }
        from_numbers(numbers).expect("the names are those of the fields")
    }

    /// The text of a file that [`Tunable::named`] reads.
    fn to_text(&self) -> String {
        numbers(self).iter().map(|(name, value)| format!("{name} = {value}\n")).collect()
    }
}

/// Parameters that are not whole numbers are rounded to 1/10,000.
const FINENESS: f64 = 10_000.0;
/// Whole numbers below this may grow as if they were this.
const FEW: i64 = 10;

fn check<T: Tunable>(parameters: &T) -> Result<(), GameError> {
    let usual = numbers(&T::default());
    for (name, value) in &numbers(parameters) {
        let (least, most) = bounds::<T>(name, usual[name]);
        if !(least..=most).contains(&value.as_real()) {
            return Err(GameError::option(format!("{name} = {value} lies outside {least} to {most}")));
        }
    }
    Ok(())
}

/// The range of a parameter: from a tenth of the default to ten times the default, shares at most 1; never 0, as some
/// parameters are divisors. Small whole numbers may go up to 100, so that a tuning that led to 1 can return.
fn bounds<T: Tunable>(name: &str, usual: Number) -> (f64, f64) {
    let (small, large) = match usual {
        Number::Whole(usual) => {
            let size = usual.abs();
            (((size / 10).max(1) * usual.signum()) as f64, (10 * size.max(FEW) * usual.signum()) as f64)
        }
        Number::Real(usual) => (usual / 10.0, usual * 10.0),
    };
    let most = if T::SHARES.contains(&name) { 1.0 } else { f64::MAX };
    (small.min(large), small.max(large).min(most))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct TestParameters {
        #[serde(skip)]
        hidden: bool,
        whole: i32,
        below: i32,
        few: i32,
        real: f64,
        share: f64,
    }

    impl Default for TestParameters {
        fn default() -> TestParameters {
            TestParameters { hidden: true, whole: 33, below: -62, few: 1, real: 0.5, share: 0.5 }
        }
    }

    impl Tunable for TestParameters {
        const TUNABLE: &'static [(&'static str, f64)] =
            &[("whole", 5.0), ("below", 30.0), ("real", 0.1), ("share", 0.1)];
        const SHARES: &'static [&'static str] = &["share"];
    }

    #[test]
    fn files_change_what_they_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("search.toml");
        let read = |text: &str| {
            std::fs::write(&path, text).expect("room");
            TestParameters::named(&path.display().to_string())
        };
        let usual = TestParameters::default();
        assert_eq!(read("").expect("none"), usual);
        assert_eq!(
            read("whole = 30\nreal = 0.25").expect("two"),
            TestParameters { whole: 30, real: 0.25, ..usual.clone() }
        );
        assert_eq!(read(&usual.to_text()).expect("all"), usual);
        assert_eq!(read("few = 100").expect("the most"), TestParameters { few: 100, ..usual.clone() });
        for (wrong, said) in [
            ("whole = 0\n", "whole = 0 lies outside"),
            ("few = 101\n", "few = 101 lies outside 1 to 100"),
            ("real = 7.5\n", "real = 7.5 lies outside"),
            ("share = 1.1\n", "share = 1.1 lies outside 0.05 to 1"),
            ("holes = 3\n", "unknown field"),
            ("hidden = 1\n", "unknown field"),
            ("hidden = false\n", "line 1: 'hidden = false' is not NAME = NUMBER"),
            ("whole = 30\nwhole = 31\n", "duplicate field"),
            ("whole = 30.5\n", "invalid type"),
            ("real = nan\n", "real = NaN lies outside"),
            ("whole = wide\n", "line 1: 'whole = wide' is not NAME = NUMBER"),
            ("\n[search]\n", "line 2: '[search]' is not NAME = NUMBER"),
        ] {
            let error = read(wrong).expect_err(wrong).to_string();
            assert!(error.contains("search.toml") && error.contains(said), "{error}");
        }
    }

    #[test]
    fn tuned_numbers_are_rounded_and_bounded() {
        let usual = TestParameters::default();
        assert_eq!(usual.with_tunable(&usual.tunable()), usual);
        let shown = TestParameters { hidden: false, ..usual.clone() };
        let tuned = shown.with_tunable(&[26.6, 900.0, 0.123_456, 1.3]);
        assert_eq!(tuned, TestParameters { whole: 27, below: -6, real: 0.1235, share: 1.0, ..usual });
    }
}
