//! What a worker says of the games of a match, as far as schedule and rules can check it.

use std::ops::Range;

use anyhow::{bail, ensure};

use kaeshi_core::game::Side;
use kaeshi_match::tournament::game::cause_of;
use kaeshi_match::tournament::journal::{EndCause, GameWithMoves};
use kaeshi_match::tournament::plan::MatchPlan;
use kaeshi_match::tournament::records::replay;

/// Whether a game is one of `pairs`, between the engines of the schedule from its opening, and ended as its moves show.
///
/// # Errors
/// What is not so.
pub fn check(plan: &MatchPlan, pairs: &Range<u64>, played: &GameWithMoves) -> anyhow::Result<()> {
    let (pair, game) = (played.game.pair, played.game.game);
    if !pairs.contains(&pair) || game >= plan.schedule.games_per_pair() {
        bail!("pair {} game {} is not of this part", u128::from(pair) + 1, u16::from(game) + 1);
    }
    let start = plan.start(pair)?.text();
    let seats = plan.schedule.seats(plan.schedule.engines(pair), pair, game);
    let exchanged = plan.agreement.sennichite.is_some_and(|replays| replays.exchanged);
    let mut names = seats.map(|engine| plan.specs[engine].name.as_str());
    for leg in played.legs.iter().chain([played]) {
        let about = |what: String| format!("pair {} game {}: {what}", pair + 1, game + 1);
        let there = [leg.game.first.as_str(), leg.game.second.as_str()];
        ensure!(
            there == names,
            about(format!("it was played by {}, not by {}", there.join(" and "), names.join(" and ")))
        );
        ensure!(
            leg.game.start == start,
            about(format!("it began with '{}', not with '{start}'", leg.game.start))
        );
        check_end(plan, leg).map_err(|why| anyhow::anyhow!(about(why.to_string())))?;
        if exchanged {
            names.reverse();
        }
    }
    Ok(())
}

/// Whether every turn is legal, and the end is that of the rules where they ended the game, or that of no rule.
fn check_end(plan: &MatchPlan, played: &GameWithMoves) -> anyhow::Result<()> {
    use EndCause::{AdjDraw, AdjWin, Mate, MaxPlies, NoMoves, Perpetual, Repetition, TwoPasses};
    let mut outcome = None;
    let replayed = replay(&*plan.rules, played, |board| outcome = board.outcome())?;
    if let Some(reason) = replayed.broken {
        bail!("it is against the rules: {reason}");
    }
    let (cause, winner) = (played.game.cause, played.game.result.winner());
    let is_shown = match (outcome, cause) {
        // Scores may have ended it with the move that ended it by the rules.
        (Some(_), AdjDraw | AdjWin) => true,
        (Some(outcome), _) => (cause_of(outcome), outcome.winner) == (cause, winner),
        (None, Mate | NoMoves | TwoPasses | Repetition | Perpetual) => false,
        (None, MaxPlies) => {
            let plies = replayed.plies.len() as u64;
            winner.is_none() && plan.config.max_plies.is_some_and(|limit| plies >= u64::from(limit))
        }
        (None, _) => true,
    };
    let loser = winner.map(|winner: Side| played.game.name(winner.other()));
    if !is_shown || loser != played.game.loser.as_deref() {
        bail!(
            "the result is given as {} by {}, which the moves do not show",
            played.game.result.text(),
            cause.word()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use kaeshi_match::roster::{Roster, Scalar};
    use kaeshi_match::tournament::config::{Config, EngineConfig, PlayConditions};
    use kaeshi_match::tournament::journal::{GameResult, JournalGame, JournalMove};

    use super::*;

    fn plan() -> MatchPlan {
        let engine = |name: &str| EngineConfig {
            conf: Some("kaeshi".into()),
            name: Some(name.into()),
            protocol: Some("ugi".into()),
            ..EngineConfig::default()
        };
        let config = Config {
            game: Some("reversi".into()),
            engines: vec![engine("a"), engine("b")],
            terms: PlayConditions { depth: Some(Scalar("1".into())), ..PlayConditions::default() },
            openings: Some("none".into()),
            games: Some(8),
            seed: Some(1),
            max_plies: Some(2),
            ..Config::default()
        };
        MatchPlan::new(config, &Roster::default()).unwrap()
    }

    fn played(first: &str, second: &str) -> GameWithMoves {
        let game = JournalGame {
            pair: 2,
            game: 0,
            leg: 0,
            first: first.into(),
            second: second.into(),
            opening: None,
            start: "startpos".into(),
            result: GameResult::Draw,
            cause: EndCause::MaxPlies,
            detail: String::new(),
            loser: None,
            plies: 2,
            margin: None,
            rest_us: [None; 2],
            used_us: [0; 2],
            max_over_us: [0; 2],
            lag_us_p99: [0; 2],
            time_scale: None,
            slot: 0,
            t0: String::new(),
            dur_us: 0,
            warn: Vec::new(),
        };
        let turn = |turn: &str| JournalMove { m: turn.into(), ..JournalMove::default() };
        GameWithMoves::new(game, vec![turn("f5"), turn("d6")])
    }

    #[test]
    fn a_worker_reports_the_games_of_its_part_and_their_ends() {
        let plan = plan();
        let said = |change: fn(&mut JournalGame)| {
            let mut played = played("a", "b");
            change(&mut played.game);
            check(&plan, &(2..3), &played).map_err(|error| error.to_string()).err().unwrap_or_default()
        };
        assert_eq!(said(|_| ()), "");
        let resigned = |game: &mut JournalGame| {
            (game.cause, game.result, game.loser) =
                (EndCause::Resign, GameResult::FirstWins, Some("b".into()));
        };
        assert_eq!(said(resigned), "");
        for (change, wanted) in [
            ((|game| game.pair = 3) as fn(&mut JournalGame), "not of this part"),
            (|game| game.pair = u64::MAX, "not of this part"),
            (|game| game.game = 2, "not of this part"),
            (|game| game.game = 1, "it was played by a and b, not by b and a"),
            (|game| std::mem::swap(&mut game.first, &mut game.second), "played by b and a"),
            (|game| game.start = "startpos moves f5".into(), "it began with"),
            (|game| game.cause = EndCause::NoMoves, "which the moves do not show"),
            (|game| game.result = GameResult::SecondWins, "which the moves do not show"),
            (|game| game.loser = Some("a".into()), "which the moves do not show"),
            (
                |game| (game.cause, game.result) = (EndCause::Resign, GameResult::FirstWins),
                "which the moves do not show",
            ),
        ] {
            let said = said(change);
            assert!(said.contains(wanted), "{wanted}: {said}");
        }
        let mut short = played("a", "b");
        short.moves.pop();
        assert!(check(&plan, &(2..3), &short).unwrap_err().to_string().contains("do not show"));
    }
}
