//! Which evaluation values the positions of a search: a network, or the hand-crafted one (HCE).

pub mod hce;

use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::evaluate::hce::{Article, HceWeights};
use crate::network::{NetworkAccumulators, NetworkParameters, ShogiNetwork};
use crate::nnue;
use crate::rules::position::ShogiPosition;
use crate::rules::types::Move;
use kaeshi_core::files::located;
use kaeshi_core::files::{FileKind, InputFile, Measured as _};
use kaeshi_core::game::GameError;

/// Highest static value; beyond are wins that a search has found.
pub(crate) const EVAL_LIMIT: i32 = 29_000;

/// An evaluation.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// The hand-crafted evaluation, [`hce::evaluate`], with its weights.
    Hand(Arc<HceWeights>),
    /// The article's.
    Article(Arc<Article>),
    /// A trained network.
    Network(Arc<ShogiNetwork>),
    /// A network from a file of YaneuraOu, and what its output is divided by (`FV_SCALE`).
    Nnue(Arc<nnue::NnueNetwork>, i32),
}

/// How YaneuraOu names the file in a folder of an evaluation.
const NNUE_FILE: &str = "nn.bin";
/// Files of this program's networks.
const NETWORK: FileKind = FileKind::new("networks", 128 << 20);
/// Files of YaneuraOu's networks.
const NNUE: FileKind = FileKind::new("nn.bin files", 4 << 30);

/// The network inside this program; none while the file is empty.
static EMBEDDED: LazyLock<Evaluation> = LazyLock::new(|| {
    let bytes = include_bytes!("../../../weights/shogi.bin");
    match NetworkParameters::from_bytes(bytes).and_then(|parameters| ShogiNetwork::new(&parameters)) {
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
    /// The embedded evaluation: the network, or the hand-crafted evaluation if there is none.
    pub fn embedded() -> Evaluation {
        EMBEDDED.clone()
    }

    /// The hand-crafted evaluation with the embedded weights.
    pub fn hand() -> Evaluation {
        Evaluation::Hand(HceWeights::embedded())
    }

    /// The evaluation called `name`: `embedded` (or nothing), `hand`, `article` ([`Article`]), a file that
    /// `kaeshi train` wrote, or an `nn.bin` of YaneuraOu. A relative path starts at the working directory or,
    /// if nothing is there, at the program's folder.
    ///
    /// # Errors
    /// A file that cannot be read or holds no weights.
    pub fn named(name: &str) -> Result<Evaluation, GameError> {
        match name {
            "" | "embedded" => Ok(Evaluation::embedded()),
            "hand" => Ok(Evaluation::hand()),
            "article" => Ok(Evaluation::Article(Article::embedded())),
            file => Evaluation::read(&located(Path::new(file))),
        }
    }

    /// The `nn.bin` in `folder`, which is found like the files of [`Evaluation::named`].
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn in_folder(folder: &str) -> Result<Evaluation, GameError> {
        Evaluation::read(&located(Path::new(folder)).join(NNUE_FILE))
    }

    /// The same with the outputs of a network of YaneuraOu divided by `scale`.
    #[must_use]
    pub fn scaled(&self, scale: i32) -> Evaluation {
        match self {
            Evaluation::Nnue(network, _) => Evaluation::Nnue(Arc::clone(network), scale),
            Evaluation::Hand(_) | Evaluation::Article(_) | Evaluation::Network(_) => self.clone(),
        }
    }

    fn read(path: &Path) -> Result<Evaluation, GameError> {
        let refuse =
            |reason: &dyn std::fmt::Display| GameError::file(format!("{}: {reason}", path.display()));
        let mut file = InputFile::open(path).map_err(|error| refuse(&error))?;
        let size = file.length();
        let mut bytes = Vec::new();
        let begun = (&mut file).take(size.min(NETWORK.most())).read_to_end(&mut bytes);
        begun.map_err(|error| refuse(&error))?;
        if nnue::is_file(&bytes) && size <= NNUE.most() {
            let network = nnue::NnueNetwork::read(bytes.chain(BufReader::new(file)), size);
            return Ok(Evaluation::Nnue(
                Arc::new(network.map_err(|error| refuse(&error))?),
                nnue::DEFAULT_SCALE,
            ));
        }
        if size > NETWORK.most() {
            return Err(refuse(&"these are no weights of shogi, the file is too large"));
        }
        Evaluation::from_bytes(&bytes).map_err(|error| refuse(&error))
    }

    fn from_bytes(bytes: &[u8]) -> Result<Evaluation, GameError> {
        if HceWeights::is_file(bytes) {
            return Ok(Evaluation::Hand(Arc::new(HceWeights::from_bytes(bytes)?)));
        }
        Ok(Evaluation::Network(Arc::new(ShogiNetwork::new(&NetworkParameters::from_bytes(bytes)?)?)))
    }

    /// A text that identifies the evaluation: `hand`, `article`, the network's width or `nnue` and its scale, and the
    /// checksum.
    pub fn label(&self) -> String {
        match self {
            Evaluation::Hand(weights) => format!("hand-{:08x}", weights.checksum()),
            Evaluation::Article(article) => format!("article-{:08x}", article.checksum()),
            Evaluation::Network(network) => format!("{}-{:08x}", network.width(), network.checksum()),
            Evaluation::Nnue(network, scale) => format!("nnue{scale}-{:08x}", network.checksum()),
        }
    }

    /// Value for the side to move in centipawns, within `EVAL_LIMIT`.
    pub fn value(&self, position: &ShogiPosition) -> i32 {
        match self {
            Evaluation::Hand(weights) => hce::evaluate(weights, position),
            Evaluation::Article(article) => article.evaluate(position),
            Evaluation::Network(network) => network.value(position),
            Evaluation::Nnue(network, scale) => network.output(position) / scale,
        }
        .clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// The value, and the terms of the hand-crafted evaluation for comparison, as a table.
    pub fn explain(&self, position: &ShogiPosition) -> String {
        let terms = || hce::explain(&HceWeights::embedded(), position);
        match self {
            Evaluation::Hand(weights) => hce::explain(weights, position),
            Evaluation::Article(article) => article.explain(position),
            Evaluation::Network(network) => {
                let (shape, value) = (network.shape(), network.value(position));
                let (width, buckets) = (shape.width, shape.buckets());
                format!("{}\nnetwork of {width} units{buckets}, for the side to move: {value}", terms())
            }
            Evaluation::Nnue(network, scale) => {
                let value = network.output(position) / scale;
                format!("{}\n{network:?}, FV_SCALE {scale}\nnnue value {value}", terms())
            }
        }
    }
}

/// The options of the evaluation, which may be set in any order.
#[derive(Clone, Debug)]
pub struct EvaluationSources {
    /// `EvalFile`, unless it is the embedded network.
    pub file: Option<Evaluation>,
    /// `EvalDir`, which counts where `EvalFile` says nothing.
    pub folder: Option<Evaluation>,
    /// `FV_SCALE`.
    pub scale: i32,
}

impl Default for EvaluationSources {
    fn default() -> EvaluationSources {
        EvaluationSources { file: None, folder: None, scale: nnue::DEFAULT_SCALE }
    }
}

impl EvaluationSources {
    /// The evaluation that follows.
    pub fn chosen(&self) -> Evaluation {
        let named = self.file.as_ref().or(self.folder.as_ref());
        named.map_or_else(Evaluation::embedded, |evaluation| evaluation.scaled(self.scale))
    }
}

/// An evaluation with what one thread remembers of the latest positions.
#[derive(Debug)]
pub struct Evaluator(EvaluatorKind);

#[derive(Debug)]
enum EvaluatorKind {
    Hand(Arc<HceWeights>),
    Article(Arc<Article>),
    Network(Arc<ShogiNetwork>, Box<NetworkAccumulators>),
    Nnue(Arc<nnue::NnueNetwork>, Box<nnue::NnueAccumulators>, i32),
}

impl Evaluator {
    /// An evaluator for one thread.
    pub fn new(evaluation: &Evaluation) -> Evaluator {
        Evaluator(match evaluation {
            Evaluation::Hand(weights) => EvaluatorKind::Hand(Arc::clone(weights)),
            Evaluation::Article(article) => EvaluatorKind::Article(Arc::clone(article)),
            Evaluation::Network(network) => {
                EvaluatorKind::Network(Arc::clone(network), Box::new(NetworkAccumulators::new(network)))
            }
            Evaluation::Nnue(network, scale) => EvaluatorKind::Nnue(
                Arc::clone(network),
                Box::new(nnue::NnueAccumulators::new(network)),
                *scale,
            ),
        })
    }

    /// Asks the processor to fetch what the value after `mv` will need.
    #[inline]
    pub fn prefetch(&self, position: &ShogiPosition, mv: Move) {
        match &self.0 {
            EvaluatorKind::Network(network, _) => NetworkAccumulators::prefetch(network, position, mv),
            EvaluatorKind::Nnue(network, _, _) => nnue::NnueAccumulators::prefetch(network, position, mv),
            EvaluatorKind::Hand(_) | EvaluatorKind::Article(_) => {}
        }
    }

    /// Value for the side to move, as [`Evaluation::value`] finds it; fast along the path of a search.
    #[inline]
    pub fn value(&mut self, position: &ShogiPosition) -> i32 {
        match &mut self.0 {
            EvaluatorKind::Hand(weights) => hce::evaluate(weights, position),
            EvaluatorKind::Article(article) => article.evaluate(position),
            EvaluatorKind::Network(network, accumulators) => accumulators.value(network, position),
            EvaluatorKind::Nnue(network, accumulators, scale) => {
                accumulators.output(network, position) / *scale
            }
        }
        .clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::NetworkShape;
    use crate::rules::handicap::START;
    use crate::rules::sfen::parse;
    use crate::{Shogi, ShogiSettings};
    use kaeshi_core::driver::option_value::apply_option;
    use kaeshi_core::game::GameOptions;
    use kaeshi_core::game::options::find;

    #[test]
    fn the_embedded_file_is_empty_or_a_whole_network() {
        let bytes = include_bytes!("../../../weights/shogi.bin");
        let whole = matches!(Evaluation::embedded(), Evaluation::Network(_));
        assert_eq!(whole, !bytes.is_empty());
    }

    #[test]
    fn files_of_both_kinds_are_distinguished() {
        let hand = HceWeights::embedded().to_bytes();
        assert!(matches!(Evaluation::from_bytes(&hand), Ok(Evaluation::Hand(_))));
        let network = NetworkParameters::zeros(NetworkShape::plain(16)).to_bytes();
        assert!(matches!(Evaluation::from_bytes(&network), Ok(Evaluation::Network(_))));
        assert!(Evaluation::from_bytes(b"neither of both").is_err());
    }

    #[test]
    fn evaluations_are_found_by_name() {
        assert!(matches!(Evaluation::named("hand"), Ok(Evaluation::Hand(_))));
        assert!(Evaluation::named("embedded").is_ok() && Evaluation::named("").is_ok());
        assert!(Evaluation::named("no-such-network").unwrap_err().reason().contains("no-such-network"));
    }

    #[test]
    fn options_choose_files_of_yaneuraou_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(NNUE_FILE);
        std::fs::write(&file, nnue::samples::small()).unwrap();
        let (folder, file) = (folder.path().to_str().unwrap(), file.to_str().unwrap());
        let options = Shogi::options();
        let explained = |set: &[(&str, &str)]| {
            let mut settings = ShogiSettings::default();
            for (name, value) in set {
                find(&options, name).unwrap().apply(&mut settings, value).unwrap();
            }
            settings.evaluation.explain(&parse(START).unwrap())
        };
        // The output is -7532 (see the tests of `nnue`); division is towards 0.
        for set in [
            &[("EvalFile", file)][..],
            &[("EvalFile", "embedded"), ("EvalDir", folder)],
            &[("EvalDir", folder), ("EvalFile", "embedded"), ("FV_SCALE", "16")],
        ] {
            assert!(explained(set).contains("FV_SCALE 16\nnnue value -470"), "{set:?}: {}", explained(set));
        }
        for set in [&[("FV_SCALE", "24"), ("EvalFile", file)], &[("EvalDir", folder), ("FV_SCALE", "24")]] {
            assert!(explained(set).contains("nnue value -313"), "{set:?}");
        }
        assert!(!explained(&[("EvalDir", folder), ("EvalFile", "hand")]).contains("nnue"));
        assert!(!explained(&[("EvalDir", folder), ("EvalDir", "<empty>")]).contains("nnue"));
        let none = find(&options, "EvalDir").unwrap().apply(&mut ShogiSettings::default(), "no/such/folder");
        assert!(none.unwrap_err().reason().contains("nn.bin"));
    }

    #[test]
    fn values_of_options_have_the_digest_of_the_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = nnue::samples::small();
        std::fs::write(folder.path().join(NNUE_FILE), &bytes).unwrap();
        let book = "#YANEURAOU-DB2016 1.00\n";
        std::fs::write(folder.path().join("book.db"), book).unwrap();
        let folder = folder.path().to_str().unwrap();
        let (options, mut settings) = (Shogi::options(), ShogiSettings::default());
        let mut apply =
            |name, value| apply_option(find(&options, name).unwrap(), &mut settings, value).unwrap().unwrap();
        let digest = |bytes: &[u8]| format!("{}-{:08x}", bytes.len(), crc32fast::hash(bytes));
        assert_eq!(apply("EvalDir", folder), format!("{folder} {}", digest(&bytes)));
        assert_eq!(apply("EvalFile", " hand"), "hand");
        assert_eq!(apply("BookDir", folder), folder);
        assert_eq!(apply("BookFile", "book.db"), format!("book.db {}", digest(book.as_bytes())));
    }

    #[test]
    fn scale_and_file_tell_evaluations_apart() {
        let bytes = nnue::samples::small();
        let network = Arc::new(nnue::NnueNetwork::read(&bytes[..], bytes.len() as u64).unwrap());
        let of = |scale| Evaluation::Nnue(Arc::clone(&network), scale);
        assert_ne!(of(16).label(), of(24).label());
        assert_eq!(of(16).scaled(24).label(), of(24).label());
    }

    #[test]
    fn evaluators_and_evaluations_agree() {
        let bytes = nnue::samples::small();
        let network = Arc::new(nnue::NnueNetwork::read(&bytes[..], bytes.len() as u64).unwrap());
        let mut position = parse(START).unwrap();
        let article = Evaluation::named("article").unwrap();
        for evaluation in [Evaluation::embedded(), Evaluation::hand(), article, Evaluation::Nnue(network, 16)]
        {
            let mut evaluator = Evaluator::new(&evaluation);
            for _ in 0..20 {
                assert_eq!(evaluator.value(&position), evaluation.value(&position));
                position.make(position.legal_moves()[0]);
            }
        }
    }
}
