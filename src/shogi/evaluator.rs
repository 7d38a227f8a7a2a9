//! Which evaluation values the positions of a search: a network, or the one made by hand.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::game::Rejected;
use crate::shogi::evaluate;
use crate::shogi::network::{Accumulators, Network, Parameters};
use crate::shogi::position::Position;
use crate::shogi::value::EVAL_LIMIT;

/// An evaluation.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// The terms of [`evaluate`].
    Hand,
    /// A trained network.
    Network(Arc<Network>),
}

/// The network inside this program; none while the file is empty.
static EMBEDDED: LazyLock<Evaluation> = LazyLock::new(|| {
    let bytes = include_bytes!("../../weights/shogi.bin");
    match Parameters::from_bytes(bytes).and_then(|parameters| Network::new(&parameters)) {
        Ok(network) => Evaluation::Network(Arc::new(network)),
        Err(_) => Evaluation::Hand,
    }
});

impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation::embedded()
    }
}

impl Evaluation {
    /// What this program holds inside: its network, or the evaluation by hand if it has none.
    pub fn embedded() -> Evaluation {
        EMBEDDED.clone()
    }

    /// The evaluation called `name`: `embedded` (or nothing), `hand`, or the file of a network.
    ///
    /// # Errors
    /// A file that cannot be read or holds no network.
    pub fn named(name: &str) -> Result<Evaluation, Rejected> {
        match name {
            "" | "embedded" => Ok(Evaluation::embedded()),
            "hand" => Ok(Evaluation::Hand),
            file => Ok(Evaluation::Network(Arc::new(Network::read(Path::new(file))?))),
        }
    }

    /// What tells it from other evaluations: `hand`, or the network's width and checksum.
    pub fn label(&self) -> String {
        match self {
            Evaluation::Hand => "hand".to_owned(),
            Evaluation::Network(network) => format!("{}-{:08x}", network.width(), network.checksum()),
        }
    }

    /// Value for the side to move in hundredths of a pawn, within `EVAL_LIMIT`.
    pub fn value(&self, position: &Position) -> i32 {
        match self {
            Evaluation::Hand => evaluate::evaluate(position),
            Evaluation::Network(network) => network.value(position),
        }
        .clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// The value, and the terms of the evaluation by hand for comparison, as a table.
    pub fn explain(&self, position: &Position) -> String {
        let terms = evaluate::explain(position);
        match self {
            Evaluation::Hand => terms,
            Evaluation::Network(network) => {
                let (width, value) = (network.width(), network.value(position));
                format!("{terms}\nnetwork of {width} units, for the side to move: {value}")
            }
        }
    }
}

/// An evaluation with what one thread remembers of the latest positions.
#[derive(Debug)]
pub struct Evaluator(Kind);

#[derive(Debug)]
enum Kind {
    Hand,
    Network(Arc<Network>, Box<Accumulators>),
}

impl Evaluator {
    /// An evaluator for one thread.
    pub fn new(evaluation: &Evaluation) -> Evaluator {
        Evaluator(match evaluation {
            Evaluation::Hand => Kind::Hand,
            Evaluation::Network(network) => {
                Kind::Network(Arc::clone(network), Box::new(Accumulators::new(network)))
            }
        })
    }

    /// Value for the side to move, as [`Evaluation::value`] finds it; fast along the path of a search.
    #[inline]
    pub fn value(&mut self, position: &Position) -> i32 {
        match &mut self.0 {
            Kind::Hand => evaluate::evaluate(position),
            Kind::Network(network, accumulators) => accumulators.value(network, position),
        }
        .clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_file_is_empty_or_a_whole_network() {
        let bytes = include_bytes!("../../weights/shogi.bin");
        let whole = matches!(Evaluation::embedded(), Evaluation::Network(_));
        assert_eq!(whole, !bytes.is_empty());
    }

    #[test]
    fn evaluations_are_found_by_name() {
        assert!(matches!(Evaluation::named("hand"), Ok(Evaluation::Hand)));
        assert!(Evaluation::named("embedded").is_ok() && Evaluation::named("").is_ok());
        assert!(Evaluation::named("no-such-network").unwrap_err().0.contains("no-such-network"));
    }
}
