use super::*;
use crate::tournament::journal::{EndCause, EngineFault, JournalClose, SprtModel, SprtSettings};
use crate::tournament::summary::tests::journal;

#[test]
fn a_duel_shows_verdict_faults_colours_causes_and_engines() {
    let mut journal = journal(&[[0, 1]], &["ww", "wl", "dl", "dw", "Tw", "dd"]);
    journal.faults.push(EngineFault {
        pair: 4,
        game: 0,
        engine: "a".into(),
        what: EndCause::Time,
        detail: "12 ms over\u{7}".into(),
        tail: Vec::new(),
    });
    journal.close = Some(JournalClose { why: "all-played".into(), at_pair: 6 });
    let text = table(&journal);
    for wanted in [
        "shogi: a – b at tc=10+0.1\n12 games, 6 of 6 pairs, ended: all-played\n",
        "score     a 7 – 5 b  (+5 =4 -3)\n",
        "pairs     LL 0  LD 1  DD+WL 3  WD 1  WW 1\n",
        "Faults: 1 of 12 games (8.3 %)",
        "WARNING",
        "  a: 1 × time\n",
        "over 5 pairs\n",
        "  pair 5 game 1: a: time: 12 ms over?\n",
        "a as Black",
        "fourfold repetition      4",
    ] {
        assert!(text.contains(wanted), "{wanted:?} is missing in\n{text}");
    }
    assert!(verdict(&MatchSummary::new(&journal, GameSelection::default())).contains("WARNING: 8.3 %"));
}

#[test]
fn a_test_is_shown_with_its_bounds() {
    let mut journal = journal(&[[0, 1]], &["ww"; 12]);
    journal.open.sprt =
        Some(SprtSettings { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05, model: SprtModel::Logistic });
    let text = table(&journal);
    assert!(text.contains("(-2.94 … 2.94), H1 accepted: Elo ≥ 10 [logistic]"), "{text}");
    // Every pair was won: the ratio of such a test is below its bound.
    assert!(
        text.contains("; every result was a win, and such a sweep is judged by an exact bound"),
        "{text}"
    );
    let test = |verdict, ratio| {
        let (elo0, elo1, alpha, beta, bounds) = (0.0, 5.0, 0.05, 0.05, [-2.94, 2.94]);
        test_state(&SprtSummary {
            elo0,
            elo1,
            alpha,
            beta,
            model: "logistic",
            bounds,
            ratio,
            verdict,
            decided_at: Some(8),
            ratios: Vec::new(),
        })
    };
    assert!(test("H1", 3.1).ends_with("[logistic]") && test("H0", -3.1).ends_with("[logistic]"));
    assert!(test("H0", -1.4).contains("every result was a loss"));
    assert!(text.contains("8 games finished after the decision"), "{text}");
    assert!(text.contains("Elo       > "), "{text}");
}

#[test]
fn more_engines_make_a_cross_table() {
    let journal = journal(&[[0, 1], [0, 2], [1, 2]], &["ww", "wl", "dd", "wd", "ll", "ld"]);
    let text = standings(&MatchSummary::new(&journal, GameSelection::default()));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[1].starts_with("1 c ") && lines[1].contains("5.5"), "{text}");
    assert!(lines[1].contains("3/4") && lines[1].ends_with("2.5/4"), "{text}");
    assert!(lines[3].contains("·"), "{text}");
}

#[test]
fn an_empty_match_says_so() {
    let text = table(&journal(&[[0, 1]], &[]));
    assert!(text.ends_with("No game is finished yet.\n"), "{text}");
}
