//! Which evaluation values the positions of a search: a network, or the one made by hand.

pub mod hce;
pub mod material;

use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::game::Rejected;
use crate::game::options::located;
use crate::shogi::evaluate::hce::Weights;
use crate::shogi::network::{Accumulators, Network, Parameters};
use crate::shogi::rules::position::Position;
use crate::shogi::search::value::EVAL_LIMIT;

/// An evaluation.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// The terms of [`hce::evaluate`] with what they are worth.
    Hand(Arc<Weights>),
    /// A trained network.
    Network(Arc<Network>),
}

/// No file of weights is larger.
const MOST_BYTES: u64 = 16 << 20;

/// The network inside this program; none while the file is empty.
static EMBEDDED: LazyLock<Evaluation> = LazyLock::new(|| {
    let bytes = include_bytes!("../../weights/shogi.bin");
    match Parameters::from_bytes(bytes).and_then(|parameters| Network::new(&parameters)) {
        Ok(network) => Evaluation::Network(Arc::new(network)),
        Err(_) => Evaluation::hand(),
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

    /// The evaluation by hand, with the weights inside this program.
    pub fn hand() -> Evaluation {
        Evaluation::Hand(Weights::embedded())
    }

    /// The evaluation called `name`: `embedded` (or nothing), `hand`, or a file that `kaeshi train`
    /// wrote. A relative path starts at the working directory or, if nothing is there, at the program's
    /// folder.
    ///
    /// # Errors
    /// A file that cannot be read or holds no weights.
    pub fn named(name: &str) -> Result<Evaluation, Rejected> {
        match name {
            "" | "embedded" => Ok(Evaluation::embedded()),
            "hand" => Ok(Evaluation::hand()),
            file => Evaluation::read(&located(Path::new(file))),
        }
    }

    fn read(path: &Path) -> Result<Evaluation, Rejected> {
        let refuse = |reason: &dyn std::fmt::Display| Rejected(format!("{}: {reason}", path.display()));
        let size = std::fs::metadata(path).map_err(|error| refuse(&error))?.len();
        if size > MOST_BYTES {
            return Err(refuse(&"these are no weights of shogi, the file is too large"));
        }
        let bytes = std::fs::read(path).map_err(|error| refuse(&error))?;
        Evaluation::from_bytes(&bytes).map_err(|error| refuse(&error))
    }

    fn from_bytes(bytes: &[u8]) -> Result<Evaluation, Rejected> {
        if Weights::is_file(bytes) {
            return Ok(Evaluation::Hand(Arc::new(Weights::from_bytes(bytes)?)));
        }
        Ok(Evaluation::Network(Arc::new(Network::new(&Parameters::from_bytes(bytes)?)?)))
    }

    /// What tells it from other evaluations: `hand` or the network's width, and the checksum.
    pub fn label(&self) -> String {
        match self {
            Evaluation::Hand(weights) => format!("hand-{:08x}", weights.checksum()),
            Evaluation::Network(network) => format!("{}-{:08x}", network.width(), network.checksum()),
        }
    }

    /// Value for the side to move in hundredths of a pawn, within `EVAL_LIMIT`.
    pub fn value(&self, position: &Position) -> i32 {
        match self {
            Evaluation::Hand(weights) => hce::evaluate(weights, position),
            Evaluation::Network(network) => network.value(position),
        }
        .clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// The value, and the terms of the evaluation by hand for comparison, as a table.
    pub fn explain(&self, position: &Position) -> String {
        match self {
            Evaluation::Hand(weights) => hce::explain(weights, position),
            Evaluation::Network(network) => {
                let terms = hce::explain(&Weights::embedded(), position);
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
    Hand(Arc<Weights>),
    Network(Arc<Network>, Box<Accumulators>),
}

impl Evaluator {
    /// An evaluator for one thread.
    pub fn new(evaluation: &Evaluation) -> Evaluator {
        Evaluator(match evaluation {
            Evaluation::Hand(weights) => Kind::Hand(Arc::clone(weights)),
            Evaluation::Network(network) => {
                Kind::Network(Arc::clone(network), Box::new(Accumulators::new(network)))
            }
        })
    }

    /// Value for the side to move, as [`Evaluation::value`] finds it; fast along the path of a search.
    #[inline]
    pub fn value(&mut self, position: &Position) -> i32 {
        match &mut self.0 {
            Kind::Hand(weights) => hce::evaluate(weights, position),
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
    fn files_of_both_kinds_are_told_apart() {
        let hand = Weights::embedded().to_bytes();
        assert!(matches!(Evaluation::from_bytes(&hand), Ok(Evaluation::Hand(_))));
        let network = Parameters::zeros(16).to_bytes();
        assert!(matches!(Evaluation::from_bytes(&network), Ok(Evaluation::Network(_))));
        assert!(Evaluation::from_bytes(b"neither of both").is_err());
    }

    #[test]
    fn evaluations_are_found_by_name() {
        assert!(matches!(Evaluation::named("hand"), Ok(Evaluation::Hand(_))));
        assert!(Evaluation::named("embedded").is_ok() && Evaluation::named("").is_ok());
        assert!(Evaluation::named("no-such-network").unwrap_err().0.contains("no-such-network"));
    }
}
