//! What an engine says of its move in an `info` line. It is not believed: it is recorded, and
//! only adjudication on request looks at it.

use crate::dialogue::moved::JournalMove;
use kaeshi_engine::protocol::info_line::InfoLine;

/// Longest principal variation that is kept.
const PV_LIMIT: usize = 32;

/// Fills the record of a move from the last `info` line before it.
pub fn fill(record: &mut JournalMove, line: &str) {
    let InfoLine { depth, seldepth, nodes, nps, time_ms, hashfull, cp, mate, mut pv, .. } =
        InfoLine::parse(line);
    pv.truncate(PV_LIMIT);
    (record.depth, record.sel, record.hash) = (depth, seldepth, hashfull);
    (record.nodes, record.nps, record.time_ms) = (nodes, nps, time_ms);
    (record.cp, record.mate, record.pv) = (cp, mate, pv);
}

/// Takes over what the whole search took from a later line: its nodes and its time; and its principal variation if
/// that alone begins with the move `played`, which a search that ended in the middle of an iteration knows with a
/// bound of its score only.
pub fn fill_totals(record: &mut JournalMove, line: &str, played: &str) {
    let mut totals = InfoLine::parse(line);
    let begins = |pv: &[String]| pv.first().is_some_and(|first| first == played);
    if begins(&totals.pv) && !begins(&record.pv) {
        totals.pv.truncate(PV_LIMIT);
        record.pv = std::mem::take(&mut totals.pv);
    }
    record.nodes = totals.nodes.or(record.nodes);
    record.nps = totals.nps.or(record.nps);
    record.time_ms = totals.time_ms.or(record.time_ms);
    record.hash = totals.hashfull.or(record.hash);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> JournalMove {
        let mut record = JournalMove::default();
        fill(&mut record, line);
        record
    }

    #[test]
    fn a_usual_line() {
        let record = parsed(
            "info depth 12 seldepth 20 multipv 1 score cp -31 nodes 123456 nps 1000000 hashfull 41 time 123 pv 7g7f 3c3d",
        );
        assert_eq!((record.depth, record.sel, record.cp), (Some(12), Some(20), Some(-31)));
        assert_eq!((record.nodes, record.nps), (Some(123_456), Some(1_000_000)));
        assert_eq!((record.hash, record.time_ms), (Some(41), Some(123)));
        assert_eq!(record.pv, ["7g7f", "3c3d"]);
    }

    #[test]
    fn totals_of_a_later_line_win_and_its_score_does_not() {
        let mut record = parsed("info depth 9 score cp 7 nodes 10 time 21 hashfull 3 pv a");
        fill_totals(&mut record, "info depth 10 score cp 90 lowerbound nodes 900 time 949 pv b", "a");
        assert_eq!((record.nodes, record.time_ms), (Some(900), Some(949)));
        assert_eq!((record.cp, record.depth, record.hash), (Some(7), Some(9), Some(3)));
        fill_totals(&mut record, "", "a");
        assert_eq!(record.nodes, Some(900));
        assert_eq!(record.pv, ["a"]);
    }

    #[test]
    fn the_line_that_begins_with_the_move_played_is_kept() {
        let (exact, bound) =
            ("info depth 9 score cp 7 pv a c", "info depth 10 score cp 90 lowerbound time 9 pv b d");
        for (played, kept) in [("a", ["a", "c"]), ("b", ["b", "d"]), ("e", ["a", "c"])] {
            let mut record = parsed(exact);
            fill_totals(&mut record, bound, played);
            assert_eq!((record.pv, record.cp), (kept.map(str::to_owned).to_vec(), Some(7)), "{played}");
        }
    }

    #[test]
    fn mates_and_nonsense() {
        assert_eq!(parsed("info score mate 5").mate, Some(5));
        assert_eq!(parsed("info score mate -0").mate, Some(-1));
        assert!(parsed("info score mate +").mate.unwrap() > 1000);
        assert_eq!(parsed("info depth x nodes 99999999999999999999999 score cp").nodes, None);
        assert_eq!(parsed("info string depth 5").depth, None);
    }
}
