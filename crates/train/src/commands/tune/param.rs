//! An option of an engine as a parameter to be tuned.

use std::fmt;
use std::str::FromStr;

use anyhow::{anyhow, bail};

use kaeshi_engine::protocol::option_line::{Declared, OptionType, find, nearest};

/// How a parameter is written on the command line.
const FORM: &str = "write NAME=START,MIN,MAX,STEP";

/// One `--param`.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Name of the option.
    pub name: String,
    /// The start value of tuning.
    pub start: f64,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
    /// How far it is moved at first to see what that does.
    pub step: f64,
}

impl FromStr for Param {
    type Err = String;

    fn from_str(text: &str) -> Result<Param, String> {
        let refuse = |why: &str| Err(format!("'{text}': {why}; {FORM}"));
        let Some((name, numbers)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return refuse("there is no name");
        };
        let numbers: Result<Vec<f64>, _> = numbers.split(',').map(|number| number.trim().parse()).collect();
        let Ok(&[start, min, max, step]) = numbers.as_deref() else {
            return refuse("these are not four numbers");
        };
        if [start, min, max, step].iter().any(|number| !number.is_finite()) {
            return refuse("these are not four finite numbers");
        }
        if !(min < max && (min..=max).contains(&start)) {
            return refuse("START must lie between MIN and MAX");
        }
        if !(step > 0.0 && step <= max - min) {
            return refuse("STEP must be above 0 and no more than the whole range");
        }
        Ok(Param { name: name.to_owned(), start, min, max, step })
    }
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Param { name, start, min, max, step } = self;
        write!(f, "{name}={start},{min},{max},{step}")
    }
}

impl Param {
    /// Whether an engine that declares these options has this one, with all values from the least to the greatest.
    ///
    /// # Errors
    /// The parameter does not fit the option that the engine declares, which the error states.
    pub fn check(&self, declared: &[Declared]) -> anyhow::Result<()> {
        let spins = || {
            let spins = declared.iter().filter(|option| matches!(option.kind, OptionType::Spin(..)));
            spins.map(|option| option.name.as_str())
        };
        let all = || spins().collect::<Vec<_>>().join(", ");
        let Some(option) = find(declared, &self.name) else {
            let hint = match nearest(spins(), &self.name) {
                Some(near) => format!("did you mean '{near}'?"),
                None => format!("its numbers are: {}", all()),
            };
            bail!("--param {}: the engine has no such option; {hint}", self.name);
        };
        if !matches!(option.kind, OptionType::Spin(..)) {
            bail!(
                "--param {}: the option is of type {}, and only options of type spin can be tuned: {}",
                self.name,
                option.kind.word(),
                all()
            );
        }
        for value in [self.min, self.max, self.start] {
            if value.fract() != 0.0 {
                bail!("--param {}: {value} is no whole number, as the option wants", self.name);
            }
            option.check(&value.to_string()).map_err(|why| anyhow!("--param: {why}"))?;
        }
        Ok(())
    }

    /// The nearest value that the engine takes.
    pub fn nearest(&self, value: f64) -> String {
        value.clamp(self.min, self.max).round().to_string()
    }

    /// Stochastic rounding: a whole number next to `value`, the upper one with a probability of the fraction; `chance`
    /// is a random number from 0 to 1. So steps below 1 have an effect, too.
    pub fn drawn(&self, value: f64, chance: f64) -> String {
        (value + chance).floor().clamp(self.min, self.max).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_has_a_start_a_range_and_a_step() {
        let param: Param = "Slow Mover=100, 10,1000,25.5".parse().unwrap();
        assert_eq!(
            param,
            Param { name: "Slow Mover".into(), start: 100.0, min: 10.0, max: 1000.0, step: 25.5 }
        );
        assert_eq!(param.to_string(), "Slow Mover=100,10,1000,25.5");
        for (wrong, why) in [
            ("SlowMover", "no name"),
            ("=1,2,3,4", "no name"),
            ("X=1,2,3", "not four numbers"),
            ("X=1,2,3,4,5", "not four numbers"),
            ("X=a,0,3,1", "not four numbers"),
            ("X=NaN,0,3,1", "not four finite"),
            ("X=5,0,3,1", "START"),
            ("X=0,3,0,1", "START"),
            ("X=1,0,3,0", "STEP"),
            ("X=1,0,3,4", "STEP"),
        ] {
            let error = wrong.parse::<Param>().unwrap_err();
            assert!(error.contains(why) && error.ends_with(FORM), "{error}");
        }
    }

    #[test]
    fn only_declared_numbers_in_their_range_are_tuned() {
        let declared: Vec<Declared> =
            ["option name Depth type spin default 5 min 1 max 9", "option name Book type check default true"]
                .into_iter()
                .filter_map(Declared::parse)
                .collect();
        let refused =
            |text: &str| text.parse::<Param>().unwrap().check(&declared).err().map(|error| error.to_string());
        assert_eq!(refused("depth=5,1,9,1"), None);
        assert!(refused("Dept=5,1,9,1").unwrap().ends_with("did you mean 'Depth'?"));
        assert!(refused("Margin=5,1,9,1").unwrap().ends_with("its numbers are: Depth"));
        let refusal = refused("Book=1,0,9,1").unwrap();
        assert!(
            refusal.ends_with("of type check, and only options of type spin can be tuned: Depth"),
            "{refusal}"
        );
        assert!(refused("Depth=5,1,10,1").unwrap().contains("'10' is not a whole number from 1 to 9"));
        assert!(refused("Depth=5,1,8.5,1").unwrap().contains("8.5 is no whole number"));
    }

    #[test]
    fn values_are_drawn_so_that_their_mean_is_right() {
        let param: Param = "X=5,-3,9,1".parse().unwrap();
        let mean = |value: f64| {
            let drawn = (0..1000).map(|number| param.drawn(value, f64::from(number) / 1000.0));
            drawn.map(|text| text.parse::<f64>().unwrap()).sum::<f64>() / 1000.0
        };
        for value in [2.0, 2.25, -1.5] {
            assert!((mean(value) - value).abs() < 0.002, "{value}: {}", mean(value));
        }
        assert_eq!((param.drawn(9.4, 0.9), param.drawn(-7.0, 0.0)), ("9".into(), "-3".into()));
        assert_eq!((param.nearest(4.5), param.nearest(40.0)), ("5".into(), "9".into()));
    }
}
