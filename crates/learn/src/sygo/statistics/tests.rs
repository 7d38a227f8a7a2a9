use std::io::Write as _;

use super::*;

/// Turns 1, 2 and 5 were random.
const GAME: &str = "[Sygo \"1\"] [Size \"3\"] [White \"kaeshi\"] [Black \"kaeshi\"] [Visits \"1\"] [Random \"1 2 5\"]\n\
    1. a1\n2. c3\n3. +b1 {visits +0.500 +b1 2}\n4. +c2 {visits -0.250 +c2 2}\n5. +a2\n\
    6. pass {visits -0.100 pass 2}\n7. pass {visits +0.200 pass 2}\n[Result \"W+1\"] [End \"two-passes\"]\n";

fn try_of(text: &str) -> anyhow::Result<BTreeMap<(usize, usize), SygoStatistics>> {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("room");
    statistics([file.path()], || ())
}

fn of(text: &str) -> BTreeMap<(usize, usize), SygoStatistics> {
    try_of(text).expect("games")
}

#[test]
fn an_illegal_turn_and_an_unfinished_game_are_refused() {
    for (from, to) in [("2. c3", "2. a1"), ("3. +b1", "3. +c2"), ("2. c3", "2. d4"), ("7. pass", "7. +c1")] {
        assert!(GAME.contains(from));
        assert!(try_of(&GAME.replace(from, to)).is_err(), "{to}");
    }
}

#[test]
fn a_game_is_counted() {
    let all = of(GAME);
    let statistics = &all[&(3, 3)];
    assert_eq!((all.len(), statistics.games(), statistics.turns), (1, 1, 7));
    assert_eq!(statistics.first_growth.mean(), 3.0);
    assert_eq!(statistics.margin_by_first_grower.keys().collect::<Vec<_>>(), [&(FirstGrowth::White, false)]);
    // a1 and c3 lie on the first line.
    let stones = &statistics.first_stones[&1];
    assert_eq!(stones.map(|stone| stone.count), [1, 1]);
    assert_eq!(stones[0].mean(), -stones[1].mean());
    // Turn 5 was random, and neither 1 nor 2 counts: they are the beginning. Black expected -0.25 before it, -0.1
    // after it.
    assert_eq!(statistics.random_turns.len(), 1);
    let loss = statistics.random_turns[&(0, true)];
    assert!(loss.count == 1 && (loss.mean() - 0.15).abs() < 1e-9, "{loss:?}");
    let checkpoint = &statistics.checkpoints[&0];
    assert_eq!((checkpoint.placements, checkpoint.growths), (2, 3));
    assert_eq!((checkpoint.growing_groups, checkpoint.grown_groups), (3, 3));
    assert!(statistics.first_captures.is_empty());
}

#[test]
fn a_random_turn_after_a_random_turn_is_no_experiment() {
    let both = GAME.replace("[Random \"1 2 5\"]", "[Random \"1 2 4 5\"]");
    let statistics = &of(&both)[&(3, 3)];
    // Turn 4 has White's search before it, but White's turn 5 is not searched.
    assert!(statistics.random_turns.is_empty(), "{:?}", statistics.random_turns);
    // A searched random turn right after the opening is not part of it.
    let stray = GAME.replace("[Random \"1 2 5\"]", "[Random \"1 2 3 5\"]");
    let statistics = &of(&stray)[&(3, 3)];
    assert_eq!(statistics.first_stones[&1].map(|stone| stone.count), [1, 1]);
    assert_eq!(statistics.margin_by_first_grower.keys().collect::<Vec<_>>(), [&(FirstGrowth::White, true)]);
}

#[test]
fn damaged_tags_and_values_are_refused() {
    for (from, to) in [
        ("Random \"1 2 5\"", "Random \"1 2 8\""),
        ("Random \"1 2 5\"", "Random \"0\""),
        ("Random \"1 2 5\"", "Random \"x\""),
        ("visits +0.500", "visits nan"),
        ("visits +0.500", "visits 7e300"),
    ] {
        assert!(GAME.contains(from));
        assert!(try_of(&GAME.replace(from, to)).is_err(), "{to}");
    }
    let most = GAME.replace("[Random \"1 2 5\"]", "[Settings \"random 0 to 18446744073709551615\"]");
    assert_eq!(of(&most)[&(3, 3)].games(), 1);
}

#[test]
fn who_wins_and_which_groups_are_lost_is_counted() {
    let text =
        "[Sygo \"1\"] [Size \"3\"]\n1. a1\n2. b2\n3. pass\n4. +c2\n5. pass\n6. +b1\n7. pass\n8. pass\n";
    let black = &of(&format!("{text}[Result \"B+3\"] [End \"two-passes\"]\n"))[&(3, 3)];
    assert_eq!(black.results.iter().sum::<u64>(), 1);
    assert_eq!(black.results[2] == 1, black.margin.mean() < 0.0);
    assert_eq!(black.margin_by_first_grower.keys().collect::<Vec<_>>(), [&(FirstGrowth::Black, false)]);
    let drawn = "[Sygo \"1\"] [Size \"3\"]\n1. pass\n2. pass\n[Result \"0\"] [End \"two-passes\"]\n";
    assert_eq!(of(drawn)[&(3, 3)].results, [0, 1, 0]);
}

#[test]
fn captures_and_surviving_groups_are_counted() {
    // Black's turn 4 takes the white stone on a1.
    let text = "[Sygo \"1\"] [Size \"5\"]\n1. a1\n2. a2\n3. e5\n4. b1\n5. c5\n6. pass\n7. pass\n\
        [Result \"B+1\"] [End \"two-passes\"]\n";
    let all = of(text);
    let statistics = &all[&(5, 5)];
    let [ahead, won] = statistics.first_captures[&0];
    assert_eq!((ahead.count, won.count), (1, 1));
    assert!(statistics.checkpoints.values().all(|checkpoint| checkpoint.survival.is_empty()));
    let longer = text.replace("6. pass\n7. pass\n", "6. c3\n7. +e4\n8. +c2\n9. pass\n10. pass\n");
    let longer = longer.replace("B+1", "B+2");
    let checkpoint =
        of(&longer).remove(&(5, 5)).expect("the size").checkpoints.remove(&0).expect("a checkpoint");
    assert_eq!(checkpoint.margin_regression.count, 1);
    let counted: u64 = checkpoint.survival.values().map(|[all, _]| all).sum();
    assert_eq!(counted as f64, 2.0 * checkpoint.groups.mean(), "{checkpoint:?}");
    assert!(checkpoint.survival.values().all(|&[_, lost]| lost == 0), "{checkpoint:?}");
    // Both sides end with three stones: the captor has half of the win.
    let drawn = text.replace("7. pass\n", "7. e1\n8. pass\n9. pass\n").replace("B+1", "0");
    let [ahead, won] = of(&drawn)[&(5, 5)].first_captures[&0];
    assert_eq!([ahead, won].map(|sample| (sample.count, sample.mean())), [(1, 0.0), (1, 0.5)]);
}

#[test]
fn groups_that_change_their_colour_after_a_checkpoint_are_lost() {
    // Black's turn 10 takes the white stone on a1, whose liberty b1 no black group is next to.
    let text = "[Sygo \"1\"] [Size \"5\"]\n1. a1\n2. a2\n3. e5\n4. c3\n5. c5\n6. e3\n7. e1\n8. a4\n9. pass\n10. b1\n\
        11. pass\n12. pass\n[Result \"B+3\"] [End \"two-passes\"]\n";
    let survival = &of(text)[&(5, 5)].checkpoints[&0].survival;
    assert_eq!(survival[&(1, 0)], [1, 1]);
    let sums = survival.values().fold([0, 0], |sums, [all, lost]| [sums[0] + all, sums[1] + lost]);
    assert_eq!(sums, [8, 1]);
}

#[test]
fn the_fair_komi_is_the_median_of_the_margins() {
    assert_eq!(SygoStatistics::default().fair_komi(), None);
    let margins = BTreeMap::from([(-9, 30), (1, 19), (4, 2), (8, 49)]);
    let statistics = SygoStatistics { results: [70, 0, 30], margins, ..SygoStatistics::default() };
    assert_eq!(statistics.fair_komi(), Some([1, 4, 8]));
}

#[test]
fn a_plane_is_found_again() {
    let mut regression = LinearRegression::<3>::default();
    assert!(regression.coefficients().is_none());
    for x in 0..9 {
        for y in 0..7 {
            let noise = if (x + y) % 2 == 0 { 0.5 } else { -0.5 };
            let (x, y) = (f64::from(x), f64::from(y));
            regression.add([1.0, x, y], 3.0 - 2.0 * x + 0.5 * y + noise);
        }
    }
    let found = regression.coefficients().expect("63 observations");
    for ((value, error), expected) in found.into_iter().zip([3.0, -2.0, 0.5]) {
        assert!((value - expected).abs() < error && error < 0.4, "{found:?}");
    }
}

#[test]
fn the_error_of_a_mean_is_that_of_its_interval() {
    let mut sample = SampleMean::default();
    assert!(sample.error().is_infinite());
    (0..100).for_each(|i| sample.add(f64::from(i % 2)));
    assert_eq!(sample.mean(), 0.5);
    assert!((sample.error() - 1.96 * (25.0 / 99.0 / 100.0_f64).sqrt()).abs() < 1e-9, "{}", sample.error());
}
