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
    assert_eq!(BadSprt::Hypotheses(5.0, 0.0), build(5.0, 0.0, 0.05, 0.05, Model::Logistic).unwrap_err());
    assert_eq!(BadSprt::TooFar(0.0, 900.0), build(0.0, 900.0, 0.05, 0.05, Model::Normalized).unwrap_err());
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
    let decided = |cells, elo0, elo1, model| sprt(elo0, elo1, model).verdict(&ResultCounts::Pairs(cells), 1);
    assert_eq!(decided([223, 9863, 21279, 10037, 246], 0.5, 2.5, Model::Logistic), SprtVerdict::AcceptH0);
    assert_eq!(decided([184, 15, 508, 17, 290], 0.0, 5.0, Model::Normalized), SprtVerdict::AcceptH1);
    assert_eq!(decided([12, 85, 201, 118, 24], 0.0, 10.0, Model::Normalized), SprtVerdict::Continue);
}

#[test]
fn nothing_is_decided_early() {
    let test = sprt(0.0, 100.0, Model::Logistic);
    let wins = |n| ResultCounts::Pairs([0, 0, 1, 1, n]);
    assert!(test.ratio(&wins(30)) > test.upper());
    assert_eq!(test.verdict(&wins(30), Sprt::decide_from(8)), SprtVerdict::AcceptH1);
    assert_eq!(test.verdict(&wins(30), Sprt::decide_from(9)), SprtVerdict::Continue);
    assert_eq!(test.verdict(&wins(5), 1), SprtVerdict::Continue);
}

#[test]
fn one_cell_decides_only_as_a_clean_sweep() {
    for model in [Model::Logistic, Model::Normalized] {
        let test = sprt(0.0, 10.0, model);
        assert_eq!(test.verdict(&ResultCounts::Pairs([0, 0, 5_000, 0, 0]), 1), SprtVerdict::Continue);
        assert_eq!(test.verdict(&ResultCounts::Pairs([0, 0, 0, 50, 0]), 1), SprtVerdict::Continue);
        assert_eq!(test.verdict(&ResultCounts::Pairs([0, 0, 0, 0, 7]), 1), SprtVerdict::Continue);
        assert_eq!(test.verdict(&ResultCounts::Pairs([0, 0, 0, 0, 8]), 1), SprtVerdict::AcceptH1);
        assert_eq!(test.verdict(&ResultCounts::Pairs([8, 0, 0, 0, 0]), 1), SprtVerdict::AcceptH0);
    }
    // A sweep of eight says little about 800 Elo.
    assert_eq!(
        sprt(700.0, 800.0, Model::Logistic).verdict(&ResultCounts::Pairs([0, 0, 0, 0, 8]), 1),
        SprtVerdict::Continue
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
    let mut watch = SprtMonitor::new(sprt(0.0, 100.0, Model::Logistic), false, 8);
    for index in 1..40 {
        assert_eq!(watch.finish(index, 4), None);
    }
    let decision = watch.finish(0, 0).expect("the gap is closed");
    assert_eq!(decision.verdict, SprtVerdict::AcceptH1);
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
        let mut straight = SprtMonitor::new(test, false, 8);
        for (index, &(a, b)) in cells.iter().enumerate() {
            straight.finish(index, a + b);
        }
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_by_key(|&i| (i as u64 + 1).wrapping_mul(seed | 1).rotate_left(17));
        let mut shuffled = SprtMonitor::new(test, false, 8);
        for index in order {
            let (a, b) = cells[index];
            shuffled.finish(index, a + b);
        }
        prop_assert_eq!(straight.decision(), shuffled.decision());
        prop_assert_eq!(straight.ratios(), shuffled.ratios());
    }
}

#[test]
fn a_pair_that_repeats_a_game_is_no_new_observation() {
    let unit = |games: [u64; 2]| SprtUnit { half_points: 4, games: games.map(Some).to_vec() };
    let mut watch = SprtMonitor::new(sprt(0.0, 100.0, Model::Logistic), false, 8);
    // The order of finishing does not matter: pair 2 comes first and repeats pair 0.
    watch.finish_unit(2, unit([1, 2]));
    watch.finish_unit(1, unit([3, 4]));
    assert_eq!(watch.finish_unit(0, unit([1, 2])), None);
    assert_eq!((watch.counts().units(), watch.repeated(), watch.ratios().len()), (2, 1, 2));
    for index in 3..100 {
        assert_eq!(watch.finish_unit(index, unit([3, 4])), None);
    }
    assert_eq!((watch.counts().units(), watch.repeated()), (2, 98));
    for index in 100..105 {
        assert_eq!(watch.finish_unit(index, unit([index as u64, index as u64 + 1000])), None);
    }
    let decision = watch.finish_unit(105, unit([105, 1105])).expect("eight different pairs");
    assert_eq!((decision.verdict, decision.pairs), (SprtVerdict::AcceptH1, 106));
    let unknown = SprtUnit { half_points: 0, games: vec![None, None] };
    watch.finish_unit(106, unknown.clone());
    watch.finish_unit(107, unknown);
    assert_eq!(watch.counts().units(), 10);
}

#[test]
fn a_verdict_is_given_exactly_at_its_bounds() {
    let test = build(0.0, 10.0, 0.05, 0.10, Model::Logistic).unwrap();
    let counts = ResultCounts::Pairs([0, 10, 10, 10, 0]);
    let at = |ratio| test.judge(&counts, ratio, 1);
    assert_eq!(at(test.upper()), SprtVerdict::AcceptH1);
    assert_eq!(at(test.upper() - 1e-9), SprtVerdict::Continue);
    assert_eq!(at(test.lower()), SprtVerdict::AcceptH0);
    assert_eq!(at(test.lower() + 1e-9), SprtVerdict::Continue);
    assert_eq!(test.judge(&counts, 99.0, 31), SprtVerdict::Continue);
    assert_eq!(test.judge(&counts, 99.0, 30), SprtVerdict::AcceptH1);
    // Whatever `from` says, eight units are wanted.
    let seven = ResultCounts::Pairs([0, 2, 3, 2, 0]);
    assert_eq!(test.judge(&seven, 99.0, 0), SprtVerdict::Continue);
    assert_eq!(test.judge(&ResultCounts::Pairs([0, 3, 3, 2, 0]), 99.0, 0), SprtVerdict::AcceptH1);
}

#[test]
fn decisions_wait_for_eight_units_or_four_flights() {
    assert_eq!([0, 1, 2, 3, 16].map(Sprt::decide_from), [8, 8, 8, 12, 64]);
}

/// A sweep decides where its exact bound meets the hypothesis: the number of units is known by hand.
#[test]
fn a_sweep_decides_where_its_bound_meets_the_hypothesis() {
    // Logistic: score of 400 Elo is 10/11; 0.05^(1/n) >= 10/11 from n = 32 on.
    let far = sprt(300.0, 400.0, Model::Logistic);
    let wins = |n| ResultCounts::Pairs([0, 0, 0, 0, n]);
    let losses = |n| ResultCounts::Pairs([n, 0, 0, 0, 0]);
    assert_eq!(far.verdict(&wins(31), 1), SprtVerdict::Continue);
    assert_eq!(far.verdict(&wins(32), 1), SprtVerdict::AcceptH1);
    // The same for H0 with the weaker hypothesis at -400: the mirror.
    let low = sprt(-400.0, -300.0, Model::Logistic);
    assert_eq!(low.verdict(&losses(31), 1), SprtVerdict::Continue);
    assert_eq!(low.verdict(&losses(32), 1), SprtVerdict::AcceptH0);
    // Normalized: 200 nElo is 0.5 + 200 * sqrt(2) / 347.4356 / 2 = 0.90704; n = 31 is the first.
    let normalized = sprt(100.0, 200.0, Model::Normalized);
    assert_eq!(normalized.verdict(&wins(30), 1), SprtVerdict::Continue);
    assert_eq!(normalized.verdict(&wins(31), 1), SprtVerdict::AcceptH1);
    let mirror = sprt(-200.0, -100.0, Model::Normalized);
    assert_eq!(mirror.verdict(&losses(30), 1), SprtVerdict::Continue);
    assert_eq!(mirror.verdict(&losses(31), 1), SprtVerdict::AcceptH0);
    // Rates count on their own side: with beta = 0.2 losses decide earlier than wins with alpha = 0.05.
    let lopsided = build(-400.0, 400.0, 0.05, 0.2, Model::Logistic).unwrap();
    assert_eq!(lopsided.verdict(&losses(16), 1), SprtVerdict::Continue);
    assert_eq!(lopsided.verdict(&losses(17), 1), SprtVerdict::AcceptH0);
    assert_eq!(lopsided.verdict(&wins(31), 1), SprtVerdict::Continue);
}

#[test]
fn settings_at_the_edge_of_sense() {
    assert!(build(0.0, 200.0, 0.05, 0.05, Model::Normalized).is_ok());
    assert!(build(-200.0, 0.0, 0.05, 0.05, Model::Normalized).is_ok());
    assert!(matches!(build(-201.0, 0.0, 0.05, 0.05, Model::Normalized), Err(BadSprt::TooFar(..))));
    assert!(build(0.0, 900.0, 0.05, 0.05, Model::Logistic).is_ok());
    assert!(build(0.0, 5.0, 0.4, 0.59, Model::Logistic).is_ok());
    assert!(build(0.0, 5.0, 0.05, 0.0, Model::Logistic).is_err());
    assert!(build(f64::NEG_INFINITY, 5.0, 0.05, 0.05, Model::Logistic).is_err());
    let asked = build(1.0, 5.0, 0.1, 0.2, Model::Logistic).unwrap();
    assert_eq!((asked.settings().elo0, asked.settings().elo1), (1.0, 5.0));
    assert_eq!((asked.settings().alpha, asked.settings().beta), (0.1, 0.2));
}

#[test]
fn the_expected_length_knows_both_rates() {
    // 2 ((1-a) ln((1-b)/a) + a ln(b/(1-a))) / ((e1-e0) sqrt(2) / 347.4356)^2 for a = 0.05, b = 0.10.
    let expected = build(0.0, 10.0, 0.05, 0.10, Model::Normalized).unwrap().expected_pairs();
    assert!((expected / 3178.0 - 1.0).abs() < 0.01, "{expected}");
    // Only the distance of the hypotheses matters.
    let shifted = build(10.0, 20.0, 0.05, 0.10, Model::Normalized).unwrap().expected_pairs();
    assert!((shifted - expected).abs() < 1e-6, "{shifted}");
}

#[test]
fn a_pair_is_counted_once_and_the_decision_stays() {
    let mut watch = SprtMonitor::new(sprt(0.0, 100.0, Model::Logistic), false, 8);
    watch.finish(1, 4);
    watch.finish(1, 0);
    watch.finish(0, 4);
    watch.finish(0, 0);
    assert_eq!(watch.counts(), &ResultCounts::Pairs([0, 0, 0, 0, 2]));
    for index in 2..8 {
        watch.finish(index, 4);
    }
    let decision = watch.decision().expect("a sweep of eight");
    assert_eq!((decision.verdict, decision.pairs), (SprtVerdict::AcceptH1, 8));
    assert_eq!(Some(&decision.ratio), watch.ratios().last());
    for index in 8..40 {
        assert_eq!(watch.finish(index, 0), Some(decision));
    }
    assert_eq!(watch.sprt().settings().elo1, 100.0);
}
