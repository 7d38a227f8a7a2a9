//! How much thought a position got.

use std::str::FromStr;

/// What ends the search of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchLimit {
    /// Nodes.
    Nodes(u64),
    /// Milliseconds.
    Movetime(u64),
    /// Depth, or for Reversi at last the whole rest.
    Depth(u16),
    /// A search for mate only, in milliseconds.
    Mate(u64),
}

/// The thought given to one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalysisEffort {
    /// What ends the search.
    pub limit: SearchLimit,
    /// Lines wanted.
    pub multipv: usize,
}

impl AnalysisEffort {
    /// The kind of the limit: `nodes`, `movetime`, `depth` or `mate`.
    pub fn kind(self) -> &'static str {
        match self.limit {
            SearchLimit::Nodes(_) => "nodes",
            SearchLimit::Movetime(_) => "movetime",
            SearchLimit::Depth(_) => "depth",
            SearchLimit::Mate(_) => "mate",
        }
    }

    /// As output lines show it: `nodes 10000 multipv 3`.
    pub fn text(self) -> String {
        let limit = match self.limit {
            SearchLimit::Nodes(nodes) => format!("nodes {nodes}"),
            SearchLimit::Movetime(ms) => format!("movetime {ms}"),
            SearchLimit::Depth(depth) => format!("depth {depth}"),
            SearchLimit::Mate(ms) => format!("mate {ms}"),
        };
        format!("{limit} multipv {}", self.multipv)
    }

    /// Whether what this effort found answers a question of `other`: the same kind of limit, no
    /// smaller, and no fewer lines.
    pub fn covers(self, other: AnalysisEffort) -> bool {
        let enough = match (self.limit, other.limit) {
            (SearchLimit::Nodes(have), SearchLimit::Nodes(want))
            | (SearchLimit::Movetime(have), SearchLimit::Movetime(want))
            | (SearchLimit::Mate(have), SearchLimit::Mate(want)) => have >= want,
            (SearchLimit::Depth(have), SearchLimit::Depth(want)) => have >= want,
            _ => false,
        };
        enough && self.multipv >= other.multipv
    }
}

impl FromStr for AnalysisEffort {
    type Err = ();

    /// Reads what [`AnalysisEffort::text`] writes.
    fn from_str(text: &str) -> Result<AnalysisEffort, ()> {
        let words: Vec<&str> = text.split(' ').collect();
        let [kind, limit, "multipv", multipv] = *words.as_slice() else { return Err(()) };
        let number: u64 = limit.parse().map_err(|_| ())?;
        let limit = match kind {
            "nodes" => SearchLimit::Nodes(number),
            "movetime" => SearchLimit::Movetime(number),
            "depth" => SearchLimit::Depth(u16::try_from(number).map_err(|_| ())?),
            "mate" => SearchLimit::Mate(number),
            _ => return Err(()),
        };
        Ok(AnalysisEffort { limit, multipv: multipv.parse().map_err(|_| ())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_is_read_as_it_is_written() {
        for limit in
            [SearchLimit::Nodes(10), SearchLimit::Movetime(2000), SearchLimit::Depth(7), SearchLimit::Mate(1)]
        {
            let effort = AnalysisEffort { limit, multipv: 3 };
            assert_eq!(effort.text().parse(), Ok(effort));
        }
        assert_eq!("nodes x multipv 1".parse::<AnalysisEffort>(), Err(()));
    }

    #[test]
    fn more_covers_less_of_the_same_kind() {
        let effort = |limit, multipv| AnalysisEffort { limit, multipv };
        let have = effort(SearchLimit::Nodes(1000), 2);
        assert!(have.covers(have));
        assert!(have.covers(effort(SearchLimit::Nodes(10), 1)));
        assert!(!have.covers(effort(SearchLimit::Nodes(1001), 1)));
        assert!(!have.covers(effort(SearchLimit::Nodes(10), 3)));
        assert!(!have.covers(effort(SearchLimit::Depth(1), 1)));
    }

    #[test]
    fn every_kind_of_limit_covers_its_own() {
        type Kind = fn(u16) -> SearchLimit;
        let kinds: [Kind; 4] = [
            |value| SearchLimit::Nodes(value.into()),
            |value| SearchLimit::Movetime(value.into()),
            SearchLimit::Depth,
            |value| SearchLimit::Mate(value.into()),
        ];
        for (a, have) in kinds.iter().enumerate() {
            for (b, want) in kinds.iter().enumerate() {
                let covers = |least, asked| {
                    let [least, asked] =
                        [have(least), want(asked)].map(|limit| AnalysisEffort { limit, multipv: 1 });
                    least.covers(asked)
                };
                assert_eq!((covers(9, 8), covers(9, 9), covers(9, 10)), (a == b, a == b, false), "{a} {b}");
            }
        }
    }
}
