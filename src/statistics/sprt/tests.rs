use super::*;
use proptest::prelude::*;

fn build(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: Model) -> Result<Sprt, BadSprt> {
    Sprt::new(SprtSettings { elo0, elo1, alpha, beta, model }, false)
}

fn sprt(elo0: f64, elo1: f64, model: Model) -> Sprt {
    build(elo0, elo1, 0.05, 0.05, model).unwrap()
}

#[test]
fn bounds_are_walds() {
    let test = build(0.0, 10.0, 0.05, 0.10, Model::Normalized).unwrap();
    assert!((test.lower() + 2.251292).abs() < 1e-6);
    assert!((test.upper() - 2.890372).abs() < 1e-6);
}

#[test]
fn nonsense_is_refused_by_name() {
    let refused = |a, b, c, d, m| build(a, b, c, d, m).unwrap_err().to_string();
    assert!(refused(5.0, 5.0, 0.05, 0.05, Model::Logistic).contains("elo0 (5)"));
    assert!(refused(5.0, 0.0, 0.05, 0.05, Model::Logistic).contains("below elo1"));
    assert!(refused(0.0, 5.0, 0.5, 0.5, Model::Logistic).contains("alpha (0.5)"));
    assert!(refused(0.0, 5.0, 0.0, 0.5, Model::Logistic).contains("alpha (0)"));
    assert!(refused(0.0, f64::NAN, 0.05, 0.05, Model::Logistic).contains("NaN"));
    assert!(refused(0.0, 900.0, 0.05, 0.05, Model::Normalized).contains("logistic"));
    assert_eq!(build(0.0, 5.0, 0.05, 0.05, Model::Bayesian), Err(BadSprt::PairsNeeded));
    let games = SprtSettings { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Model::Bayesian };
    assert!(Sprt::new(games, true).is_ok());
}

#[test]
fn the_reference_examples_decide_as_noted() {
    let decided = |cells, elo0, elo1, model| sprt(elo0, elo1, model).verdict(&Counts::Pairs(cells), 1);
    assert_eq!(decided([223, 9863, 21279, 10037, 246], 0.5, 2.5, Model::Logistic), Verdict::AcceptH0);
    assert_eq!(decided([184, 15, 508, 17, 290], 0.0, 5.0, Model::Normalized), Verdict::AcceptH1);
    assert_eq!(decided([12, 85, 201, 118, 24], 0.0, 10.0, Model::Normalized), Verdict::Continue);
}

#[test]
fn nothing_is_decided_early() {
    let test = sprt(0.0, 100.0, Model::Logistic);
    let wins = |n| Counts::Pairs([0, 0, 1, 1, n]);
    assert!(test.ratio(&wins(30)) > test.upper());
    assert_eq!(test.verdict(&wins(30), Sprt::decide_from(8)), Verdict::AcceptH1);
    assert_eq!(test.verdict(&wins(30), Sprt::decide_from(9)), Verdict::Continue);
    assert_eq!(test.verdict(&wins(5), 1), Verdict::Continue);
}

#[test]
fn one_cell_decides_only_as_a_clean_sweep() {
    for model in [Model::Logistic, Model::Normalized] {
        let test = sprt(0.0, 10.0, model);
        assert_eq!(test.verdict(&Counts::Pairs([0, 0, 5_000, 0, 0]), 1), Verdict::Continue);
        assert_eq!(test.verdict(&Counts::Pairs([0, 0, 0, 50, 0]), 1), Verdict::Continue);
        assert_eq!(test.verdict(&Counts::Pairs([0, 0, 0, 0, 7]), 1), Verdict::Continue);
        assert_eq!(test.verdict(&Counts::Pairs([0, 0, 0, 0, 8]), 1), Verdict::AcceptH1);
        assert_eq!(test.verdict(&Counts::Pairs([8, 0, 0, 0, 0]), 1), Verdict::AcceptH0);
    }
    // A sweep of eight says little about 800 Elo.
    assert_eq!(
        sprt(700.0, 800.0, Model::Logistic).verdict(&Counts::Pairs([0, 0, 0, 0, 8]), 1),
        Verdict::Continue
    );
}

#[test]
fn expected_length_matches_the_published_table() {
    for (gain, pairs) in [(5.0, 12_795.0), (10.0, 3_199.0), (20.0, 800.0)] {
        let expected = sprt(0.0, gain, Model::Normalized).expected_pairs();
        assert!((expected / pairs - 1.0).abs() < 0.01, "{expected}");
    }
}

#[test]
fn a_gap_in_the_schedule_holds_the_decision_back() {
    let mut watch = Watch::new(sprt(0.0, 100.0, Model::Logistic), false, 8);
    for index in 1..40 {
        assert_eq!(watch.finish(index, 4), None);
    }
    let decision = watch.finish(0, 0).expect("the gap is closed");
    assert_eq!(decision.verdict, Verdict::AcceptH1);
    assert!(decision.pairs < 40);
    assert_eq!(watch.ratios().len(), 40);
    assert_eq!(watch.counts().units(), 40);
}

proptest! {
    #[test]
    fn the_order_of_finishing_changes_nothing(
        cells in prop::collection::vec((0usize..3, 0usize..3), 1..120), seed in any::<u64>(),
    ) {
        let test = sprt(0.0, 60.0, Model::Logistic);
        let mut straight = Watch::new(test, false, 8);
        for (index, &(a, b)) in cells.iter().enumerate() {
            straight.finish(index, a + b);
        }
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_by_key(|&i| (i as u64 + 1).wrapping_mul(seed | 1).rotate_left(17));
        let mut shuffled = Watch::new(test, false, 8);
        for index in order {
            let (a, b) = cells[index];
            shuffled.finish(index, a + b);
        }
        prop_assert_eq!(straight.decision(), shuffled.decision());
        prop_assert_eq!(straight.ratios(), shuffled.ratios());
    }
}
