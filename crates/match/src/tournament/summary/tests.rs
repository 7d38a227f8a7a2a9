use super::*;
use crate::tournament::journal::{EngineInfo, JournalGame, JournalMove, JournalOpen, SprtSettings};

/// A journal of engines `a`, `b` … in which each pair's two games ended so for the first engine of
/// its pairing: `w`, `d` or `l`, or `T` for a loss on time.
pub fn journal(pairings: &[[usize; 2]], pairs: &[&str]) -> Journal {
    let count = pairings.iter().flatten().max().map_or(0, |&most| most + 1);
    let engines: Vec<EngineInfo> = (0..count)
        .map(|i| EngineInfo {
            name: char::from(b'a' + i as u8).to_string(),
            protocol: "usi".into(),
            limit: "tc=10+0.1".into(),
            command: "engine --fast".into(),
            ..EngineInfo::default()
        })
        .collect();
    let mut games = Vec::new();
    for (pair, letters) in pairs.iter().enumerate() {
        let pairing = pairings[pair % pairings.len()];
        for (number, letter) in letters.chars().enumerate() {
            games.push(played(&engines, pairing, pair as u64, number, letter));
        }
    }
    let open = JournalOpen {
        game: "shogi".into(),
        tool: "kaeshi".into(),
        engines,
        pairings: pairings.to_vec(),
        pairs: pairs.len() as u64,
        ..JournalOpen::default()
    };
    Journal { open, games, faults: Vec::new(), load: None, close: None }
}

fn played(
    engines: &[EngineInfo],
    pairing: [usize; 2],
    pair: u64,
    number: usize,
    letter: char,
) -> GameWithMoves {
    let [own, other] = pairing.map(|index| engines[index].name.clone());
    let (first, second) = if number == 0 { (own.clone(), other) } else { (other, own.clone()) };
    let own_side = if number == 0 { "1-0" } else { "0-1" };
    let other_side = if number == 0 { "0-1" } else { "1-0" };
    let (result, cause) = match letter {
        'w' => (own_side, EndCause::Mate),
        'd' => ("1/2-1/2", EndCause::Repetition),
        'T' => (other_side, EndCause::Time),
        _ => (other_side, EndCause::Resign),
    };
    let result: GameResult = serde_json::from_value(result.into()).unwrap();
    // Every pair plays a different game: what repeats counts once.
    const THIRD: [&str; 12] =
        ["8h2b+", "1g1f", "2g2f", "3g3f", "4g4f", "5g5f", "6g6f", "8g8f", "9g9f", "4i5h", "6i7h", "3i4h"];
    let third = if pair == 0 { THIRD[0] } else { THIRD[1 + pair as usize % (THIRD.len() - 1)] };
    let fourth = if third == "8h2b+" {
        "3a2b"
    } else {
        ["1c1d", "9c9d", "5c5d"][pair as usize / (THIRD.len() - 1) % 3]
    };
    let moves = ["7g7f", "3c3d", third, fourth]
        .iter()
        .enumerate()
        .map(|(index, text)| JournalMove {
            pair,
            game: number as u8,
            ply: index as u32 + 1,
            side: (index % 2) as u8,
            m: (*text).into(),
            used_us: 1_000_000 * (index as u64 + 1),
            cp: Some(30),
            depth: Some(10 + index as u32),
            nodes: Some(500_000),
            pv: vec![(*text).into()],
            ..JournalMove::default()
        })
        .collect();
    GameWithMoves::new(
        JournalGame {
            pair,
            game: number as u8,
            leg: 0,
            loser: None,
            first,
            second,
            opening: Some(pair),
            start: "startpos".into(),
            result,
            cause,
            detail: String::new(),
            plies: 4,
            margin: None,
            rest_us: [Some(9_000_000); 2],
            used_us: [4_000_000, 6_000_000],
            max_over_us: [0, 250],
            lag_us_p99: [300, 0],
            slot: 0,
            t0: "2026-11-20T16:00:00Z".into(),
            time_scale: None,
            dur_us: 10_000_000,
            warn: Vec::new(),
        },
        moves,
    )
}

#[test]
fn pairs_are_seen_from_the_first_engine_whatever_its_colour() {
    let journal = journal(&[[0, 1]], &["ww", "wl", "dl", "dw", "ll", "dd"]);
    let summary = MatchSummary::new(&journal, GameSelection::default());
    let pairing = &summary.pairings[0];
    assert_eq!(pairing.strength.cells, [1, 1, 2, 1, 1]);
    assert_eq!(pairing.wins_draws_losses, [4, 4, 4]);
    assert_eq!(pairing.points(), [6.0, 6.0]);
    assert_eq!(pairing.points_as, [3.5, 2.5]);
    assert_eq!(summary.engines[1].wins_draws_losses, [4, 4, 4]);
    assert_eq!(summary.engines[0].strength.superiority, Some(0.5));
    assert_eq!(summary.colours.total(), 12);
}

#[test]
fn a_faulted_pair_counts_unless_it_is_left_out() {
    let journal = journal(&[[0, 1]], &["ww", "Tw", "dd"]);
    let with = MatchSummary::new(&journal, GameSelection::default());
    let without = MatchSummary::new(&journal, GameSelection { without_faults: true });
    assert_eq!((with.units, with.faulted), (3, 1));
    assert_eq!((without.units, without.faulted), (2, 1));
    assert_eq!(with.engines[0].faults.get("time"), Some(&1));
    assert_eq!(with.engines[1].fault_count(), 0);
    assert_eq!(without.engines[0].games, 4);
}

#[test]
fn a_half_finished_pair_is_no_unit() {
    let mut journal = journal(&[[0, 1]], &["ww", "wl"]);
    journal.games.pop();
    let summary = MatchSummary::new(&journal, GameSelection::default());
    assert_eq!((summary.games, summary.units, summary.unpaired), (3, 1, 1));
}

#[test]
fn games_after_the_decision_are_kept_apart() {
    let mut journal = journal(&[[0, 1]], &["ww"; 30]);
    journal.open.sprt = Some(SprtSettings {
        elo0: 0.0,
        elo1: 50.0,
        alpha: 0.05,
        beta: 0.05,
        model: crate::tournament::journal::SprtModel::Logistic,
    });
    let summary = MatchSummary::new(&journal, GameSelection::default());
    let test = summary.sprt.as_ref().unwrap();
    assert_eq!((test.verdict, test.decided_at), ("H1", Some(8)));
    assert_eq!((summary.units, summary.after_stop, summary.unpaired), (8, 44, 0));
    assert_eq!(summary.pairings[0].units, 8);
}

#[test]
fn three_engines_meet_in_three_pairings() {
    let journal = journal(&[[0, 1], [0, 2], [1, 2]], &["ww", "wl", "dd", "wd", "ll", "ld"]);
    let summary = MatchSummary::new(&journal, GameSelection::default());
    let points: Vec<f64> = summary
        .engines
        .iter()
        .map(|e| e.wins_draws_losses[0] as f64 + e.wins_draws_losses[1] as f64 / 2.0)
        .collect();
    assert_eq!(points, [4.5, 2.0, 5.5]);
    assert_eq!(summary.pairings.iter().map(|p| p.units).collect::<Vec<_>>(), [2, 2, 2]);
}

#[test]
fn time_depth_and_speed_are_measured_by_engine() {
    let journal = journal(&[[0, 1]], &["ll"]);
    let summary = MatchSummary::new(&journal, GameSelection::default());
    let engine = &summary.engines[0];
    assert_eq!(engine.moves, 4);
    assert_eq!(engine.move_us, Some([2_000_000, 4_000_000]));
    assert_eq!(engine.depth, Some(11.5));
    assert_eq!(engine.nps, Some(2_000_000.0 / 10.0));
    assert_eq!((engine.overstep_us, engine.forgiven), (250, 1));
    assert_eq!(engine.odd_resignations, 2);
    assert_eq!(engine.lag_us, Some(300));
}

#[test]
fn quantiles_are_values_that_occur() {
    use engines::quantile;
    assert_eq!(quantile(&[], 50), None);
    assert_eq!(quantile(&[7], 95), Some(7));
    assert_eq!(quantile(&[1, 2, 3, 4], 50), Some(2));
    assert_eq!(quantile(&(1..=100).collect::<Vec<_>>(), 95), Some(95));
}

#[test]
fn what_repeats_counts_once() {
    let mut journal = journal(&[[0, 1]], &["ww", "wl", "ww", "ld", "ww"]);
    // Pair 2 repeats pair 0 in both games, pair 4 in one.
    let games: Vec<GameWithMoves> = journal.games.clone();
    let copy = |from: &GameWithMoves, pair: u64| {
        let game = JournalGame { pair, ..from.game.clone() };
        GameWithMoves::new(game, from.moves.clone())
    };
    journal.games[4] = copy(&games[0], 2);
    journal.games[5] = copy(&games[1], 2);
    journal.games[8] = copy(&games[0], 4);
    let summary = MatchSummary::new(&journal, GameSelection::default());
    assert_eq!((summary.played, summary.repeated, summary.games, summary.units), (10, 3, 6, 3));
    assert_eq!(summary.pairings[0].strength.cells, [0, 1, 1, 0, 1]);
    assert_eq!(summary.unpaired, 0);
    let printed = crate::tournament::report::table(&journal);
    assert!(printed.contains("3 of 10 games are repetitions"), "{printed}");
    // The same loss on time twice is two losses.
    let mut faulty = super::tests::journal(&[[0, 1]], &["Tw", "Tw"]);
    faulty.games[2] = copy(&faulty.games[0].clone(), 1);
    assert_eq!(MatchSummary::new(&faulty, GameSelection::default()).units, 2);
}
