//! Analysis of games and positions, and the store of its results.
//!
//! ```
//! use kaeshi_analysis::analyse::effort::{AnalysisEffort, SearchLimit};
//! use kaeshi_analysis::store::{AnalysisStore, StoredAnalysis};
//! use kaeshi_engine::games::GameName;
//!
//! let folder = tempfile::tempdir()?;
//! let store = AnalysisStore::open(&folder.path().join("analyses"), "Threads=1", 64)?;
//! let (game, position) = (GameName::Reversi, b"startpos moves f5");
//! let analysis = StoredAnalysis { best: Some("d6".into()), depth: 12, nodes: 4_711, ..StoredAnalysis::default() };
//! let nodes = |nodes| AnalysisEffort { limit: SearchLimit::Nodes(nodes), multipv: 1 };
//! store.put(game, position, nodes(5_000), &analysis)?;
//! assert_eq!(store.get(game, position, nodes(1_000)), Some(analysis), "more than was asked for");
//! assert_eq!(store.get(game, position, nodes(9_000)), None);
//! # Ok::<(), anyhow::Error>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod analyse;
pub mod store;
