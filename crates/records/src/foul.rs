//! Games of shogi that ended with a foul: their last move may be the illegal one.

use super::{GameRecord, shogi_line};
use crate::referee::ending::{EndCause, Ending};
use kaeshi_engine::games::GameName;

/// Takes an illegal last move out of a game that ended by a foul, and reports it as the cause of the end. The side that
/// made it has lost, whatever the form says: in CSA `%ILLEGAL_MOVE` has been written for either side.
pub fn settle(record: &mut GameRecord) {
    let by_foul = record.ending.as_ref().is_some_and(|end| end.cause == Some(EndCause::Illegal));
    if record.game != GameName::Shogi || !by_foul || record.fault.is_some() {
        return;
    }
    let mut legal = 0;
    let Err(reason) = shogi_line::walk(record, |_, _, _| legal += 1) else { return };
    if legal + 1 != record.plies.len() {
        return;
    }
    let offender = shogi_line::mover(record, legal);
    let detail = reason.into();
    record.ending = Some(Ending { detail, ..Ending::new(Some(offender.other()), EndCause::Illegal) });
    if let Some(foul) = record.plies.pop()
        && let Some(remarks) = foul.remarks
    {
        let end = record.end_remarks.get_or_insert_default();
        end.used_us = remarks.used_us.or(end.used_us);
        end.comments.splice(0..0, remarks.comments);
    }
    // Variations from the illegal move on have no place any more.
    let kept: Vec<bool> =
        (1..=record.variations.len()).map(|line| record.before(line).len() == record.after(line)).collect();
    if kept.contains(&false) {
        record.variations.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::referee::ending::EndCause;
    use crate::{GameRecord, read};
    use kaeshi_core::game::Side::{self, First, Second};

    fn only(text: &str) -> GameRecord {
        read(text.as_bytes(), None).remove(0).unwrap()
    }

    /// The second pawn on a file is White's foul, `3c3e` another one.
    #[test]
    fn an_illegal_last_move_is_the_cause_of_the_end() {
        let kif = |moved: &str, word: &str| {
            format!("手合割：平手\n手数----指手--\n   1 ７六歩(77)\n   2 {moved}\n   3 {word}\n")
        };
        let csa = |word: &str| format!("PI\n+\n+7776FU\nT1\n-3335FU\nT2\n{word}\n");
        let wanted: [(String, Side); 9] = [
            (kif("３五歩(33)", "反則勝ち"), First),
            (kif("３五歩(33)", "反則負け"), First),
            (csa("%ILLEGAL_MOVE"), First),
            (csa("%-ILLEGAL_ACTION"), First),
            (csa("%+ILLEGAL_ACTION"), First),
            // A piece of the other side, a piece that is not there, and two moves of one side.
            ("PI\n+\n+7776FU\n-2726FU\n%-ILLEGAL_ACTION\n".to_owned(), First),
            ("PI\n+\n+7776FU\n-5455FU\nT1\n'x\n%ILLEGAL_MOVE\n".to_owned(), First),
            ("PI\n+\n+7776FU\n-3334FU\n-8384FU\n%-ILLEGAL_ACTION\n".to_owned(), First),
            ("▲７六歩 △３五歩\nまで2手で後手の反則負け\n".to_owned(), First),
        ];
        for (text, winner) in wanted {
            let record = only(&text);
            assert_eq!(record.fault, None, "{text}");
            let end = record.ending.unwrap();
            assert_eq!((end.winner, end.cause), (Some(winner), Some(EndCause::Illegal)), "{text}");
            let moves = record.plies.len();
            assert!(moves == 1 || text.contains("8384") && moves == 2, "{text}: {moves}");
            assert!(!end.detail.is_empty(), "{text}");
        }
        let jkf = r#"{"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":5},"piece":"FU"}},
            {"special":"ILLEGAL_MOVE"}]}"#;
        let record = only(jkf);
        assert_eq!((record.plies.len(), record.ending.unwrap().winner), (0, Some(Second)));
    }

    #[test]
    fn an_illegal_move_that_nobody_calls_a_foul_is_a_move_to_be_refused() {
        let text = "手合割：平手\n手数----指手--\n   1 ７五歩(77)\n   2 投了\n";
        assert_eq!(only(text).plies.len(), 1);
        let legal = "手合割：平手\n手数----指手--\n   1 ７六歩(77)\n   2 反則負け\n";
        let record = only(legal);
        assert_eq!((record.plies.len(), record.ending.unwrap().winner), (1, Some(First)));
        for text in ["PI\n+\n+7776FU\n-2726FU\n%TORYO\n", "▲７六歩 △３五歩\nまで2手で先手の勝ち\n"]
        {
            assert!(only(text).fault.is_some(), "{text}");
        }
    }
}
