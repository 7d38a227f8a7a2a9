use super::*;
use kaeshi_shogi::evaluate::hce::{HceWeights, evaluate};
use kaeshi_shogi::network::{NetworkParameters, NetworkShape, ShogiNetwork};
use kaeshi_shogi::nnue::{self, Architecture};
use kaeshi_shogi::rules::material;
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::sfen::parse;
use kaeshi_shogi::rules::types::PieceKind;

/// Positions of random games, scored by material alone.
fn data(games: u64) -> TrainingData {
    data_for(ModelShape::network(16), games)
}

fn data_for(shape: ModelShape, games: u64) -> TrainingData {
    let mut data = TrainingData::default();
    for game in 0..games {
        random_game(game, 80, |position| {
            let score = pieces(position);
            let (score, result) = (score as i16, score.signum() as i8);
            data.add(Prepared::new(shape, position, score, result, game % 8 == 0));
        });
    }
    data
}

/// The positions behind the first plies of a game of random moves.
fn random_game(seed: u64, plies: usize, mut see: impl FnMut(&ShogiPosition)) {
    let mut random = SplitMix::new(seed);
    let mut position = parse(kaeshi_shogi::rules::handicap::START).unwrap();
    for _ in 0..plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position.make(moves[random.below(moves.len() as u32) as usize]);
        see(&position);
    }
}

/// Compares what the engine makes of a network's file with the values of the trainer, which rounds no unit:
/// the positions are those of `random_game`, and `tolerance` is in centipawns and as a share of the value.
fn compare_with_engine(
    rounded: &Model,
    (seed, plies): (u64, usize),
    tolerance: (f64, f64),
    engine: impl Fn(&ShogiPosition) -> f64,
) {
    let shape = rounded.shape();
    random_game(seed, plies, |position| {
        let mut one = TrainingData::default();
        one.add(Prepared::new(shape, position, 0, 0, false));
        let chance = backpropagation::error(rounded, &one.training, &[0.0], 0..1).sqrt();
        let value = (chance / (1.0 - chance)).ln() * 600.0;
        let found = engine(position);
        assert!((value - found).abs() < tolerance.0 + tolerance.1 * value.abs(), "{shape}: {value} {found}");
    });
}

/// Material for the side to move, kings left out.
fn pieces(position: &ShogiPosition) -> i32 {
    let us = position.side_to_move();
    let sum = |side| {
        let board: i32 = PieceKind::all()
            .map(|kind| material::ON_BOARD[kind.index()] * position.pieces(side, kind).count() as i32)
            .sum();
        let hand: i32 = PieceKind::DROPPABLE
            .iter()
            .map(|&kind| material::IN_HAND[kind.index()] * position.hand(side).count(kind) as i32)
            .sum();
        board + hand
    };
    sum(us) - sum(us.other())
}

fn recipe() -> ShogiHyperparameters {
    ShogiHyperparameters {
        shape: ModelShape::network(16),
        epochs: 3,
        batch: 256,
        result: 0.2,
        scale: Some(600.0),
        ..ShogiHyperparameters::default()
    }
}

fn trained(data: &TrainingData, threads: usize) -> ShogiTrainer<'_> {
    trained_by(recipe(), data, threads)
}

fn trained_by(recipe: ShogiHyperparameters, data: &TrainingData, threads: usize) -> ShogiTrainer<'_> {
    let mut trainer = ShogiTrainer::new(recipe, data, None, threads).unwrap();
    while !trainer.is_finished() {
        trainer.advance(100).unwrap();
    }
    trainer
}

/// The state that a training ends with that stops after these numbers of steps, in turn, and is resumed by
/// three threads.
fn interrupted(recipe: &ShogiHyperparameters, data: &TrainingData, steps: &[usize]) -> Vec<u8> {
    let mut kept = ShogiTrainer::new(recipe.clone(), data, None, 1).unwrap().to_bytes();
    for &steps in steps.iter().cycle() {
        let mut trainer = ShogiTrainer::new(recipe.clone(), data, None, 3).unwrap();
        trainer.resume(&kept).unwrap();
        if trainer.is_finished() {
            break;
        }
        trainer.advance(steps).unwrap();
        kept = trainer.to_bytes();
    }
    kept
}

#[test]
fn material_is_learned_and_the_engine_values_what_was_trained() {
    let data = data(400);
    let trainer = trained(&data, 2);
    let last = trainer.epochs().last().unwrap();
    assert!(last.validation < 0.5 * trainer.constant_error(), "{last:?} {}", trainer.constant_error());
    let rounded = trainer.rounded_error();
    assert!((rounded - last.validation).abs() < 0.05 * last.validation, "{rounded} {last:?}");

    let network = ShogiNetwork::new(&trainer.model.to_parameters(NetworkShape::plain(16))).unwrap();
    let even = parse(kaeshi_shogi::rules::handicap::START).unwrap();
    let lost = parse("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B7/LNSGKGSNL b - 1").unwrap();
    let [even, lost] = [even, lost].map(|position| network.value(&position));
    assert!(lost < even - 50, "{lost} {even}");
}

#[test]
fn threads_and_interruptions_change_no_bit() {
    let data = data(40);
    let whole = trained(&data, 1);
    assert_eq!(whole.to_bytes(), trained(&data, 2).to_bytes());
    assert_eq!(whole.to_bytes(), trained(&data, 5).to_bytes());

    let kept = interrupted(&recipe(), &data, &[1, 3, 7, 2]);
    assert_eq!(kept, whole.to_bytes());
    assert_eq!(
        Model::from_bytes(&kept).unwrap().values.get(),
        whole.model.values.get(),
        "a training can begin with the state of another"
    );
}

#[test]
fn states_of_other_trainings_and_damaged_ones_are_refused() {
    let data = data(20);
    let bytes = ShogiTrainer::new(recipe(), &data, None, 1).unwrap().to_bytes();
    let mut other = ShogiTrainer::new(ShogiHyperparameters { seed: 2, ..recipe() }, &data, None, 1).unwrap();
    assert!(other.resume(&bytes).unwrap_err().reason().contains("another recipe"));
    let mut same = ShogiTrainer::new(recipe(), &data, None, 1).unwrap();
    for at in [0, 9, 13, 40, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(same.resume(&damaged).is_err(), "byte {at}");
    }
    assert!(same.resume(&bytes[..bytes.len() - 3]).is_err());
    assert!(same.resume(&bytes).is_ok());
}

#[test]
fn a_wider_network_begins_with_the_same_function() {
    let data = data(30);
    let narrow = trained(&data, 1);
    let wide = ShogiHyperparameters { shape: ModelShape::network(32), ..recipe() };
    let wide = ShogiTrainer::new(wide, &data, Some(&narrow.model), 1).unwrap();
    let (narrow_error, wide_error) = (narrow.validate(&narrow.model), wide.validate(&wide.model));
    assert!((narrow_error - wide_error).abs() < 1e-6, "{narrow_error} {wide_error}");
    let back = ShogiHyperparameters { shape: ModelShape::network(16), ..recipe() };
    assert!(ShogiTrainer::new(back, &data, Some(&wide.model), 1).is_err());
}

fn nnue(name: &str) -> ModelShape {
    ModelShape::Nnue(Architecture::named(name).unwrap())
}

fn bucketed(width: usize, king_buckets: usize, output_buckets: usize) -> ModelShape {
    ModelShape::Network(NetworkShape { width, king_buckets, output_buckets })
}

fn train(shape: ModelShape, data: &TrainingData, threads: usize) -> ShogiTrainer<'_> {
    trained_by(ShogiHyperparameters { shape, ..recipe() }, data, threads)
}

#[test]
fn networks_with_buckets_learn_and_the_engine_values_what_was_trained() {
    for (kings, outputs) in [(9, 4), (45, 1), (1, 8)] {
        let shape = bucketed(16, kings, outputs);
        let data = data_for(shape, 300);
        let trainer = train(shape, &data, 2);
        let last = trainer.epochs().last().unwrap().validation;
        assert!(last < 0.6 * trainer.constant_error(), "{shape}: {last} {}", trainer.constant_error());
        let rounded = trainer.rounded_error();
        assert!((rounded - last).abs() < 0.05 * last, "{shape}: {rounded} {last}");

        let bytes = trainer.to_file();
        let network = ShogiNetwork::new(&NetworkParameters::from_bytes(&bytes).unwrap()).unwrap();
        let rounded = trainer.model.rounded();
        assert_eq!(rounded.to_file(), bytes, "rounding twice changes nothing");
        assert_eq!(Model::from_bytes(&bytes).unwrap().to_file(), bytes);
        compare_with_engine(&rounded, (77, 100), (3.0, 0.01), |position| f64::from(network.value(position)));
    }
}

#[test]
fn more_buckets_begin_with_the_same_function() {
    let finest = bucketed(32, 45, 8);
    let data = data_for(finest, 60);
    // Data for more buckets serve those of one bucket, too, but not those of fewer.
    let plain = train(ModelShape::network(16), &data, 1);
    let error = plain.validate(&plain.model);
    let mut begun = plain.model.widened(finest, 1, &[]).unwrap();
    assert!((plain.validate(&begun) - error).abs() < 1e-6);

    let coarse = bucketed(16, 4, 4);
    let coarse_data = data_for(coarse, 60);
    let trainer = train(coarse, &coarse_data, 1);
    let error = trainer.validate(&trainer.model);
    let (mut previous, mut previous_error) = (trainer.model.clone(), error);
    for (width, kings, outputs) in [(16, 4, 8), (32, 9, 8), (32, 15, 8), (32, 45, 8)] {
        let shape = bucketed(width, kings, outputs);
        let data = data_for(shape, 60);
        begun = previous.widened(shape, 2, &[]).unwrap();
        let recipe = ShogiHyperparameters { shape, ..recipe() };
        let trainer = ShogiTrainer::new(recipe, &data, Some(&previous), 1).unwrap();
        let found = trainer.validate(&begun);
        assert!((found - previous_error).abs() < 1e-6, "{shape}: {found} {previous_error}");
        assert!(begun.widened(coarse, 1, &[]).is_err(), "fewer buckets would lose what they know");
        (previous, previous_error) = (begun.clone(), found);
    }
}

#[test]
fn trainings_with_buckets_may_be_interrupted_in_memory_and_on_disk() {
    let shape = bucketed(16, 9, 4);
    let folder = tempfile::tempdir().unwrap();
    for bytes in [u64::MAX, 10_000] {
        let mut data = TrainingData::bounded(folder.path(), bytes);
        let source = data_for(shape, 40);
        let sets = [(source.training.samples, false), (source.validation.samples, true)];
        for (samples, validates) in sets {
            samples.into_iter().for_each(|sample| data.add(Prepared::packed(sample, validates)));
        }
        data.complete().unwrap();
        assert_eq!(data.is_on_disk(), bytes == 10_000);
        let recipe = ShogiHyperparameters { shape, epochs: 2, batch: 64, ..recipe() };
        let mut whole = ShogiTrainer::new(recipe.clone(), &data, None, 1).unwrap();
        let mut learned = 0;
        while !whole.is_finished() {
            learned += whole.advance(100).unwrap();
        }
        assert_eq!(learned, 2 * data.counts().0, "each position once an epoch");
        assert!(whole.epochs()[1].training < whole.epochs()[0].training, "{:?}", whole.epochs());
        let kept = interrupted(&recipe, &data, &[1, 9, 4, 30]);
        assert_eq!(kept, whole.to_bytes());
        assert_eq!(Model::from_bytes(&kept).unwrap().values.get(), whole.model.values.get());
        for at in [0, 9, 13, 17, 40, kept.len() / 2, kept.len() - 1] {
            let mut damaged = kept.clone();
            damaged[at] ^= 1;
            assert!(Model::from_bytes(&damaged).is_err(), "byte {at}");
        }
    }
}

#[test]
fn the_gradient_is_that_of_the_error() {
    let [some, other, last] = [(4, 1), (15, 4), (1, 8)].map(|(kings, outputs)| bucketed(16, kings, outputs));
    let others = [ModelShape::Hce, nnue("k_p_64x2-16-32"), nnue("halfkp_32x2-8-32")];
    for shape in [ModelShape::network(16), some, other, last].into_iter().chain(others) {
        let mut data = data_for(shape, 4);
        let set = &mut data.training;
        set.samples.truncate(60);
        set.terms.truncate(60);
        let targets: Vec<f32> = set.samples.iter().map(|sample| sample.target(600.0, 0.3)).collect();
        let order: Vec<u32> = (0..60).collect();
        let mut model = Model::fresh(shape, 3).unwrap();
        let mut gradient = shape.gradient();
        backpropagation::learn(&model, set, &targets, &order, &mut gradient);
        let found = gradient.whole();
        // The largest slopes of each kind of weights, by difference quotients.
        for region in model.regions() {
            // The shared weights of king buckets have no separate gradient.
            if region.range.end > found.len() {
                continue;
            }
            let width = if let ModelShape::Network(_) = shape { 1e-2 * region.rate.min(1.0) } else { 1e-3 };
            let at = region.range.max_by(|&a, &b| found[a].abs().total_cmp(&found[b].abs())).unwrap();
            let before = model.values.get()[at];
            let mut error_at = |value: f32| {
                model.values.get_mut()[at] = value;
                let model = Model::of(shape, model.values.clone()).unwrap();
                backpropagation::error(&model, set, &targets, 0..60)
            };
            let quotient = (error_at(before + width) - error_at(before - width)) / f64::from(2.0 * width);
            error_at(before);
            let slope = f64::from(found[at]);
            assert!((quotient - slope).abs() < 0.02 * slope.abs() + 1e-3, "{shape} {at}: {quotient} {slope}");
        }
    }
}

#[test]
fn terms_learn_material_too_and_their_file_values_what_was_trained() {
    let data = data_for(ModelShape::Hce, 200);
    let recipe = ShogiHyperparameters { shape: ModelShape::Hce, epochs: 4, ..recipe() };
    let mut trainer = ShogiTrainer::new(recipe, &data, None, 2).unwrap();
    let begun = trainer.validate(&trainer.model);
    while !trainer.is_finished() {
        trainer.advance(100).unwrap();
    }
    let last = trainer.epochs().last().unwrap().validation;
    assert!(last < 0.2 * trainer.constant_error() && last <= begun, "{begun} {last}");
    let rounded = trainer.rounded_error();
    assert!((rounded - last).abs() < 0.01 * last + 1e-6, "{rounded} {last}");

    let weights = HceWeights::from_bytes(&trainer.to_file()).unwrap();
    let lost = parse("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B7/LNSGKGSNL b - 1").unwrap();
    assert!((-1500..-500).contains(&evaluate(&weights, &lost)), "{}", evaluate(&weights, &lost));
    // The engine and the trainer agree on every position.
    let model = Model::from_bytes(&trainer.to_file()).unwrap();
    let mut data = TrainingData::default();
    data.add(Prepared::new(ModelShape::Hce, &lost, 0, 0, false));
    let error = backpropagation::error(&model, &data.training, &[0.0], 0..1);
    let value = (1.0 / (1.0 / error.sqrt() - 1.0)).ln() * 600.0;
    assert!((value - f64::from(evaluate(&weights, &lost))).abs() < 1.5, "{value}");
}

#[test]
fn a_mirror_image_has_the_gradient_of_the_mirrored_position() {
    let position = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
    let mirrored = "ln6l/kg1+P5/3S1pn2/pP4p1p/1pS2P3/P1P2bPP1/1SG5P/8R/LKb4NL w RGgsn5p 1";
    for name in ["k_p_32x2-32-32", "halfkp_32x2-32-32"] {
        let model = Model::fresh(nnue(name), 5).unwrap();
        let [found, expected] = [(position, MIRRORED), (mirrored, 0)].map(|(sfen, index)| {
            let mut data = TrainingData::default();
            data.add(Prepared::new(model.shape(), &parse(sfen).unwrap(), 90, 1, false));
            let mut gradient = model.shape().gradient();
            backpropagation::learn(&model, &data.training, &[0.9], &[index], &mut gradient);
            gradient.whole()
        });
        let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
        assert!(found.iter().zip(&expected).all(close), "{name}");
        assert!(found.iter().any(|slope| slope.abs() > 1e-3));
    }
}

#[test]
fn a_file_of_yaneuraou_is_read_back_with_the_values_that_were_trained() {
    for name in ["k_p_32x2-16-32", "halfkp_32x2-32-32"] {
        let shape = nnue(name);
        let data = data_for(shape, 150);
        let recipe = ShogiHyperparameters { shape, rates: (5e-3, 1e-4), ..recipe() };
        let trainer = trained_by(recipe, &data, 2);
        let last = trainer.epochs().last().unwrap().validation;
        assert!(last < 0.97 * trainer.constant_error(), "{last} {}", trainer.constant_error());
        let bytes = trainer.to_file();
        let network = nnue::NnueNetwork::read(&bytes[..], bytes.len() as u64).unwrap();
        let rounded = trainer.model.rounded();
        assert_eq!(rounded.to_file(), bytes, "rounding twice changes nothing");
        assert_eq!(Model::from_bytes(&bytes).unwrap().values.get(), rounded.values.get());
        compare_with_engine(&rounded, (9, 60), (20.0, 0.05), |position| {
            f64::from(network.output(position)) / f64::from(nnue::DEFAULT_SCALE)
        });
    }
}

#[test]
fn trainings_of_nnue_may_be_interrupted_too() {
    let shape = nnue("k_p_32x2-8-32");
    let data = data_for(shape, 20);
    let recipe = ShogiHyperparameters { shape, epochs: 2, ..recipe() };
    let whole = trained_by(recipe.clone(), &data, 1);
    assert_eq!(interrupted(&recipe, &data, &[1, 3, 2]), whole.to_bytes());
}

#[test]
fn a_network_of_kings_and_pieces_becomes_one_of_their_pairs() {
    let narrow = nnue("k_p_32x2-32-32");
    let data = data_for(narrow, 150);
    let recipe = ShogiHyperparameters { shape: narrow, rates: (5e-3, 1e-4), ..recipe() };
    let trainer = trained_by(recipe.clone(), &data, 1);
    let pairs = ShogiHyperparameters { shape: nnue("halfkp_32x2-32-32"), ..recipe.clone() };
    let begun = ShogiTrainer::new(pairs, &data, Some(&trainer.model), 1).unwrap();
    let (before, after) = (trainer.validate(&trainer.model), begun.validate(&begun.model));
    assert!(after < before + 0.2 * (trainer.constant_error() - before), "{before} {after}");
    for other in [nnue("halfkp_64x2-32-32"), ModelShape::network(32)] {
        let other = ShogiHyperparameters { shape: other, ..recipe.clone() };
        assert!(ShogiTrainer::new(other, &data, Some(&trainer.model), 1).is_err());
    }
    assert!(Model::fresh(nnue("halfka_hm2_32x2-32-32"), 1).is_err());
}
