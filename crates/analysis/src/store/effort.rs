//! How much thought a position got.

use std::str::FromStr;

/// What ends the search of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Nodes.
    Nodes(u64),
    /// Milliseconds.
    Movetime(u64),
    /// Depth, or for Reversi at last the whole rest.
    Depth(u16),
    /// A search for mate only, of so many milliseconds.
    Mate(u64),
}

/// The thought given to one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// What ends the search.
    pub limit: Limit,
    /// Lines wanted.
    pub multipv: usize,
}

impl Effort {
    /// The kind of the limit: `nodes`, `movetime`, `depth` or `mate`.
    pub fn kind(self) -> &'static str {
        match self.limit {
            Limit::Nodes(_) => "nodes",
            Limit::Movetime(_) => "movetime",
            Limit::Depth(_) => "depth",
            Limit::Mate(_) => "mate",
        }
    }

    /// As output lines show it: `nodes 10000 multipv 3`.
    pub fn text(self) -> String {
        let limit = match self.limit {
            Limit::Nodes(nodes) => format!("nodes {nodes}"),
            Limit::Movetime(ms) => format!("movetime {ms}"),
            Limit::Depth(depth) => format!("depth {depth}"),
            Limit::Mate(ms) => format!("mate {ms}"),
        };
        format!("{limit} multipv {}", self.multipv)
    }

    /// Whether what this effort found answers a question of `other`: the same kind of limit, no
    /// smaller, and no fewer lines.
    pub fn covers(self, other: Effort) -> bool {
        let enough = match (self.limit, other.limit) {
            (Limit::Nodes(have), Limit::Nodes(want))
            | (Limit::Movetime(have), Limit::Movetime(want))
            | (Limit::Mate(have), Limit::Mate(want)) => have >= want,
            (Limit::Depth(have), Limit::Depth(want)) => have >= want,
            _ => false,
        };
        enough && self.multipv >= other.multipv
    }
}

impl FromStr for Effort {
    type Err = ();

    /// Reads what [`Effort::text`] writes.
    fn from_str(text: &str) -> Result<Effort, ()> {
        let words: Vec<&str> = text.split(' ').collect();
        let [kind, limit, "multipv", multipv] = *words.as_slice() else { return Err(()) };
        let number: u64 = limit.parse().map_err(|_| ())?;
        let limit = match kind {
            "nodes" => Limit::Nodes(number),
            "movetime" => Limit::Movetime(number),
            "depth" => Limit::Depth(u16::try_from(number).map_err(|_| ())?),
            "mate" => Limit::Mate(number),
            _ => return Err(()),
        };
        Ok(Effort { limit, multipv: multipv.parse().map_err(|_| ())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_is_read_as_it_is_written() {
        for limit in [Limit::Nodes(10), Limit::Movetime(2000), Limit::Depth(7), Limit::Mate(1)] {
            let effort = Effort { limit, multipv: 3 };
            assert_eq!(effort.text().parse(), Ok(effort));
        }
        assert_eq!("nodes x multipv 1".parse::<Effort>(), Err(()));
    }

    #[test]
    fn more_covers_less_of_the_same_kind() {
        let effort = |limit, multipv| Effort { limit, multipv };
        let have = effort(Limit::Nodes(1000), 2);
        assert!(have.covers(have));
        assert!(have.covers(effort(Limit::Nodes(10), 1)));
        assert!(!have.covers(effort(Limit::Nodes(1001), 1)));
        assert!(!have.covers(effort(Limit::Nodes(10), 3)));
        assert!(!have.covers(effort(Limit::Depth(1), 1)));
    }

    #[test]
    fn every_kind_of_limit_covers_its_own() {
        type Kind = fn(u16) -> Limit;
        let kinds: [Kind; 4] = [
            |value| Limit::Nodes(value.into()),
            |value| Limit::Movetime(value.into()),
            Limit::Depth,
            |value| Limit::Mate(value.into()),
        ];
        for (a, have) in kinds.iter().enumerate() {
            for (b, want) in kinds.iter().enumerate() {
                let covers = |least, asked| {
                    let [least, asked] = [have(least), want(asked)].map(|limit| Effort { limit, multipv: 1 });
                    least.covers(asked)
                };
                assert_eq!((covers(9, 8), covers(9, 9), covers(9, 10)), (a == b, a == b, false), "{a} {b}");
            }
        }
    }
}
