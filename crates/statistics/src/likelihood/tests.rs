use super::*;
use proptest::prelude::*;

/// One line of the reference table: counts, model, hypotheses, and what must come out.
struct Vector {
    counts: ResultCounts,
    model: Model,
    elos: [f64; 2],
    score: f64,
    elo: [f64; 2],
    normalised: [f64; 2],
    superiority: f64,
    ratio: f64,
    approximate: f64,
}

/// Computed by independent bisection in Python; V1, V2, V4 and V5 are also in fastchess's tests.
fn vectors() -> [Vector; 9] {
    use Model::{Bayesian, Logistic, Normalized};
    let line = |counts, model, elos, score, elo, normalised, superiority, ratio, approximate| Vector {
        counts,
        model,
        elos,
        score,
        elo,
        normalised,
        superiority,
        ratio,
        approximate,
    };
    let games = ResultCounts::games;
    let pairs = ResultCounts::Pairs;
    [
        line(
            games(36433, 68692, 36027),
            Normalized,
            [0.0, 2.0],
            0.501438,
            [0.999343, 1.298634],
            [1.394797, 1.812504],
            0.934258,
            0.923293,
            0.923300,
        ),
        line(
            games(21404, 40708, 21184),
            Logistic,
            [0.5, 2.5],
            0.501321,
            [0.917643, 1.687118],
            [1.283347, 2.359447],
            0.856802,
            -1.571889,
            -1.571859,
        ),
        line(
            games(21629, 41111, 21484),
            Bayesian,
            [0.5, 2.5],
            0.500861,
            [0.598146, 1.678781],
            [0.836029, 2.346413],
            0.757517,
            -1.130642,
            -1.130631,
        ),
        line(
            pairs([365, 16618, 36229, 16974, 390]),
            Normalized,
            [0.0, 2.0],
            0.501438,
            [0.999343, 0.923077],
            [1.962271, 1.812504],
            0.983078,
            2.250368,
            2.250431,
        ),
        line(
            pairs([223, 9863, 21279, 10037, 246]),
            Logistic,
            [0.5, 2.5],
            0.501321,
            [0.917643, 1.206370],
            [1.794764, 2.359447],
            0.932005,
            -3.074126,
            -3.074256,
        ),
        line(
            pairs([12, 85, 201, 118, 24]),
            Normalized,
            [0.0, 10.0],
            0.532386,
            [22.535902, 14.328769],
            [36.225451, 22.955199],
            0.999009,
            2.252505,
            2.276370,
        ),
        line(
            pairs([0, 3, 20, 9, 0]),
            Normalized,
            [0.0, 30.0],
            0.546875,
            [32.668019, 35.525555],
            [79.017071, 85.120154],
            0.965577,
            0.964545,
            1.017794,
        ),
        line(
            games(60, 10, 40),
            Logistic,
            [0.0, 40.0],
            0.590909,
            [63.880337, 63.619174],
            [67.491854, 64.927106],
            0.979194,
            1.734349,
            1.791997,
        ),
        line(
            pairs([184, 15, 508, 17, 290]),
            Normalized,
            [0.0, 5.0],
            0.552761,
            [36.799330, 14.743242],
            [38.049400, 15.121275],
            1.000000,
            2.950238,
            2.986219,
        ),
    ]
}

#[test]
fn equals_the_reference_table_to_six_digits() {
    for (number, v) in vectors().iter().enumerate() {
        let near = |what: &str, found: f64, wanted: f64| {
            assert!((found - wanted).abs() <= 1e-6, "V{} {what}: {found} is not {wanted}", number + 1);
        };
        near("score", v.counts.score().unwrap().value, v.score);
        let elo = v.counts.elo().unwrap();
        near("elo", elo.value, v.elo[0]);
        near("elo error", elo.error(), v.elo[1]);
        let normalised = v.counts.normalised_elo().unwrap();
        near("normalised elo", normalised.value, v.normalised[0]);
        near("normalised elo error", normalised.error(), v.normalised[1]);
        near("superiority", v.counts.superiority().unwrap(), v.superiority);
        near("ratio", ratio(&v.counts, v.model, v.elos[0], v.elos[1]), v.ratio);
        if v.model != Model::Bayesian {
            let found = approximate_ratio(&v.counts, v.model, v.elos[0], v.elos[1]);
            near("approximation", found, v.approximate);
        }
    }
}

#[test]
fn pairing_narrows_the_error_bar() {
    let paired = ResultCounts::Pairs([12, 85, 201, 118, 24]).elo().unwrap();
    let single = ResultCounts::games(286, 365, 229);
    assert!((single.elo().unwrap().error() - 17.586616).abs() < 1e-6);
    assert!((ratio(&single, Model::Normalized, 0.0, 10.0) - 1.780425).abs() < 1e-6);
    assert!(paired.error() < single.elo().unwrap().error());
}

#[test]
fn empty_cells_are_filled_before_the_probabilities_are_formed() {
    let counts = ResultCounts::Pairs([0, 300, 2000, 900, 0]);
    assert!((ratio(&counts, Model::Normalized, 0.0, 10.0) - 37.331).abs() < 5e-4);
}

#[test]
fn the_likeliest_distribution_has_the_mean_of_its_hypothesis() {
    let counts = ResultCounts::Pairs([12, 85, 201, 118, 24]);
    let cells = likeliest(&counts, Model::Logistic, 10.0).unwrap();
    let mean: f64 = cells.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
    assert!((cells.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    assert!((mean - score_of_elo(10.0)).abs() < 1e-9);
    let cells = likeliest(&counts, Model::Normalized, 10.0).unwrap();
    let moments = ScoreMoments::of(&cells).unwrap();
    let t = 10.0 * 2f64.sqrt() / NORMALISED_UNIT;
    assert!(((moments.mean - 0.5) / moments.variance.sqrt() - t).abs() < 1e-9);
}

#[test]
fn nothing_played_says_nothing() {
    for model in [Model::Logistic, Model::Normalized, Model::Bayesian] {
        assert_eq!(ratio(&ResultCounts::games(0, 0, 0), model, 0.0, 5.0), 0.0);
    }
}

proptest! {
    #[test]
    fn mirrored_results_with_mirrored_hypotheses_mirror_the_ratio(
        cells in prop::array::uniform5(0u64..400), low in -40.0f64..40.0, width in 0.5f64..60.0,
    ) {
        let mut mirrored = cells;
        mirrored.reverse();
        for model in [Model::Logistic, Model::Normalized] {
            let there = ratio(&ResultCounts::Pairs(cells), model, low, low + width);
            let back = ratio(&ResultCounts::Pairs(mirrored), model, -low - width, -low);
            prop_assert!(there.is_finite());
            prop_assert!((there + back).abs() < 1e-6 * (1.0 + there.abs()), "{} {}", there, back);
        }
    }

    #[test]
    fn a_better_result_never_speaks_less_for_the_higher_mean(
        cells in prop::array::uniform5(1u64..200), from in 0usize..4,
    ) {
        let mut better = cells;
        better[from] -= 1;
        better[from + 1] += 1;
        let before = ratio(&ResultCounts::Pairs(cells), Model::Logistic, 0.0, 10.0);
        let after = ratio(&ResultCounts::Pairs(better), Model::Logistic, 0.0, 10.0);
        // A cell that runs empty falls under the regularisation, which moves its own mass.
        prop_assert!(better[from] == 0 || after > before);
    }

    #[test]
    fn many_games_near_the_hypotheses_agree_with_the_normal_approximation(
        cells in prop::array::uniform5(2_000u64..2_400), high in 2.0f64..8.0,
    ) {
        let counts = ResultCounts::Pairs(cells);
        for model in [Model::Logistic, Model::Normalized] {
            let exact = ratio(&counts, model, 0.0, high);
            let normal = approximate_ratio(&counts, model, 0.0, high);
            prop_assert!((exact - normal).abs() < 0.01 + 0.02 * exact.abs(), "{} {}", exact, normal);
        }
    }
}
