//! The few parameters that all weights are made of.

use super::features::{EnemyReach, FEATURES, Sketch, sketch};
use super::{PHASES, SIZE_CLASSES, SygoWeights, WEIGHTS};

/// One parameter of the evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// For people.
    pub name: &'static str,
    /// Start value of tuning: thousandths of a point, or a factor.
    pub start: f64,
    /// How far it is moved at first to see what that does.
    pub step: f64,
}

const fn parameter(name: &'static str, start: f64, step: f64) -> Parameter {
    Parameter { name, start, step }
}

/// All parameters of one size class.
pub const PARAMETERS: [Parameter; 22] = [
    parameter("stone in a group of 1 liberty", 100.0, 200.0),
    parameter("2 liberties", 500.0, 150.0),
    parameter("3 liberties", 700.0, 100.0),
    parameter("4 liberties", 800.0, 60.0),
    parameter("5 liberties", 860.0, 50.0),
    parameter("6 liberties", 900.0, 40.0),
    parameter("7 liberties", 940.0, 30.0),
    parameter("more liberties", 970.0, 30.0),
    parameter("factor for own capturable groups", 1.0, 0.2),
    parameter("factor for own groups with all liberties in reach", 1.0, 0.1),
    parameter("factor for enemy capturable groups", 1.0, 0.25),
    parameter("factor for enemy groups with all liberties in reach", 1.0, 0.1),
    parameter("point nearer, 1 step", 800.0, 80.0),
    parameter("point nearer, 4 steps", 500.0, 80.0),
    parameter("point nearer, 7 steps", 300.0, 80.0),
    parameter("point reached at the same time", 0.0, 80.0),
    parameter("group of 4 or more liberties, half-full board", 750.0, 400.0),
    parameter("group of 4 or more liberties, empty board", 1500.0, 600.0),
    parameter("group, half-full board", 0.0, 400.0),
    parameter("group, empty board", 0.0, 600.0),
    parameter("the turn, half-full board", 0.0, 600.0),
    parameter("the turn, empty board", 0.0, 600.0),
];

/// Values of the parameters of one size class.
pub type Values = [f64; PARAMETERS.len()];

/// The start values of tuning.
pub fn start() -> Values {
    PARAMETERS.map(|parameter| parameter.start)
}

/// The weights that these values stand for.
pub fn weights(values: &[Values; SIZE_CLASSES]) -> SygoWeights {
    let weight = |index: usize| {
        let values = &values[index / FEATURES / PHASES];
        let phase = index / FEATURES % PHASES;
        weight(values, index % FEATURES, phase).round().clamp(-32_000.0, 32_000.0) as i16
    };
    SygoWeights::from_fn(weight)
}

fn weight(values: &Values, feature: usize, phase: usize) -> f64 {
    // Tempo has no value on a full board; between the phases it is interpolated.
    let tempo = |half_full: usize| if phase == 0 { 0.0 } else { values[half_full + phase - 1] };
    match sketch(feature) {
        Sketch::Stones { own, liberties, reach } => {
            let factor = match (reach, own) {
                (EnemyReach::Capturable, true) => values[8],
                (EnemyReach::Conflict, true) => values[9],
                (EnemyReach::Capturable, false) => values[10],
                (EnemyReach::Conflict, false) => values[11],
                _ => 1.0,
            };
            values[liberties - 1] * if own { factor } else { -factor }
        }
        Sketch::Nearer(step @ 1..=4) => values[12] + (values[13] - values[12]) * (step as f64 - 1.0) / 3.0,
        Sketch::Nearer(step) => values[13] + (values[14] - values[13]) * (step as f64 - 4.0) / 3.0,
        Sketch::Even => values[15],
        Sketch::Groups { all: false } => tempo(16),
        Sketch::Groups { all: true } => tempo(18),
        Sketch::Turn => tempo(20),
        Sketch::BalanceRight => 0.0,
    }
}

const _: () = assert!(WEIGHTS == SIZE_CLASSES * PHASES * FEATURES);
