//! An engine's options as parameters to be tuned; the games by them are another matter.

use std::path::Path;

use super::param::Param;
use crate::tasks::spsa::TuningSubject;
use kaeshi_core::game::GameError;
use kaeshi_statistics::spsa::SpsaPace;
use kaeshi_system::output::write_whole;

/// Options of an engine that is played elsewhere.
#[derive(Clone, Debug)]
pub struct Options {
    /// The parameters to tune.
    pub params: Vec<Param>,
    /// How fast to learn.
    pub pace: SpsaPace,
    /// The arguments on which the games depend.
    pub terms: String,
}

impl TuningSubject for Options {
    fn numbers(&self) -> Vec<(String, f64)> {
        self.params.iter().map(|param| (param.name.clone(), param.step)).collect()
    }

    fn start(&self) -> Vec<f64> {
        self.params.iter().map(|param| param.start).collect()
    }

    fn confine(&self, values: &mut [f64]) {
        for (value, param) in values.iter_mut().zip(&self.params) {
            *value = value.clamp(param.min, param.max);
        }
    }

    fn pace(&self) -> SpsaPace {
        self.pace
    }

    fn terms(&self) -> String {
        self.terms.clone()
    }

    fn pair(&self, _: &[f64], _: &[f64], _: u64) -> Result<f64, GameError> {
        Err(GameError::failed("the engine is not here"))
    }

    /// The nearest values that the engine takes.
    fn shown(&self, values: &[f64]) -> Vec<String> {
        self.params.iter().zip(values).map(|(param, &value)| param.nearest(value)).collect()
    }

    fn write(&self, out: &Path, values: &[f64]) -> anyhow::Result<()> {
        let names = self.params.iter().map(|param| param.name.clone());
        let options = names.zip(self.shown(values)).map(|(name, value)| (name, number(&value)));
        let table: toml::Table =
            [("options".to_owned(), options.collect::<toml::Table>().into())].into_iter().collect();
        write_whole(out, toml::to_string(&table)?.as_bytes())
    }
}

fn number(text: &str) -> toml::Value {
    text.parse::<i64>().map_or_else(|_| text.into(), toml::Value::from)
}
