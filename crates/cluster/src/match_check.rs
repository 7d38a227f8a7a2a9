//! What a worker says of the games of a match, as far as schedule and rules can check it.

use std::ops::{Range, RangeInclusive};

use anyhow::{Context, bail, ensure};

use kaeshi_core::game::{GameOutcome, Side};
use kaeshi_match::tournament::game::cause_of;
use kaeshi_match::tournament::journal::{EndCause, GameWithMoves, Journal};
use kaeshi_match::tournament::plan::MatchPlan;
use kaeshi_match::tournament::records::replay;
use kaeshi_match::tournament::replays::is_undecided;
use kaeshi_records::referee::adjudicate::Adjudicator;
use kaeshi_records::referee::impasse::ImpasseWatch;

/// By how much a product of two factors may differ from what was multiplied.
const ROUNDING: f64 = 1e-9;

/// Whether a journal has all games of `pairs` and no others, and each is one that the match can have. The worker
/// multiplied times by one of `scales`.
///
/// # Errors
/// What is not so.
pub fn check_part(
    plan: &MatchPlan,
    pairs: &Range<u64>,
    scales: &RangeInclusive<f64>,
    journal: &Journal,
) -> anyhow::Result<()> {
    for played in &journal.games {
        let (pair, game) = (played.game.pair, played.game.game);
        if !pairs.contains(&pair) || game >= plan.schedule.games_per_pair() {
            bail!("pair {} game {} is not of this part", u128::from(pair) + 1, u16::from(game) + 1);
        }
        check(plan, scales, played)
            .and_then(|()| check_faults(journal, played))
            .with_context(|| format!("pair {} game {}", pair + 1, game + 1))?;
    }
    let wanted = (pairs.end - pairs.start) * u64::from(plan.schedule.games_per_pair());
    ensure!(journal.games.len() as u64 == wanted, "there are {} of {wanted} games", journal.games.len());
    Ok(())
}

/// Whether the fault that ended a game is stated, and no other.
fn check_faults(journal: &Journal, played: &GameWithMoves) -> anyhow::Result<()> {
    let game = &played.game;
    let faults = journal.faults.iter().filter(|fault| (fault.pair, fault.game) == (game.pair, game.game));
    let stated: Vec<_> = faults.map(|fault| (fault.what, Some(fault.engine.as_str()))).collect();
    let wanted: Vec<_> =
        game.cause.is_fault().then_some((game.cause, game.loser.as_deref())).into_iter().collect();
    ensure!(stated == wanted, "its faults are not those that it ended by");
    Ok(())
}

/// Whether a game was played between the engines of the schedule from its opening, and ended as its moves show.
fn check(plan: &MatchPlan, scales: &RangeInclusive<f64>, played: &GameWithMoves) -> anyhow::Result<()> {
    let (pair, game) = (played.game.pair, played.game.game);
    let start = plan.start(pair)?.text();
    let mut seats = plan.schedule.seats(plan.schedule.engines(pair), pair, game);
    let replays = plan.agreement.sennichite;
    let most = replays.map_or(0, |replays| usize::from(replays.most));
    ensure!(played.legs.len() <= most, "it was replayed {} times", played.legs.len());
    for (number, leg) in played.legs.iter().chain([played]).enumerate() {
        let names = seats.map(|engine| plan.specs[engine].name.as_str());
        let there = [leg.game.first.as_str(), leg.game.second.as_str()];
        ensure!(there == names, "it was played by {}, not by {}", there.join(" and "), names.join(" and "));
        ensure!(leg.game.start == start, "it began with '{}', not with '{start}'", leg.game.start);
        let is_replayed = is_undecided(&leg.game) && number < most;
        ensure!(
            usize::from(leg.game.leg) == number && is_replayed == (number < played.legs.len()),
            "its repetitions are not replayed as agreed"
        );
        let scale = leg.game.time_scale.unwrap_or(1.0);
        let by_worker = scale / plan.config.time_scale.unwrap_or(1.0);
        ensure!(
            (scales.start() - ROUNDING..=scales.end() + ROUNDING).contains(&by_worker),
            "its times were multiplied by {scale}"
        );
        ensure!(leg.game.opening == plan.schedule.pair(pair).opening, "its opening has another number");
        check_end(plan, seats, leg)?;
        if replays.is_some_and(|replays| replays.exchanged) {
            seats.reverse();
        }
    }
    Ok(())
}

/// What a replayed game shows of its end.
struct ShownEnd {
    /// By its rules.
    outcome: Option<GameOutcome>,
    /// Whether its discs or points are counted then.
    counts: bool,
    /// By the scores of the engines.
    agreed: Option<(Option<Side>, EndCause)>,
    plies: u64,
    may_claim: bool,
    to_move: Side,
}

/// Replays a game.
fn shown_end(plan: &MatchPlan, played: &GameWithMoves) -> anyhow::Result<ShownEnd> {
    let agreement = plan.agreement;
    let mut adjudicator = Adjudicator::new(agreement.draw, agreement.resign);
    let mut impasse = agreement.impasse.map(ImpasseWatch::new);
    let mut end: Option<ShownEnd> = None;
    let (mut positions, mut is_odd) = (0, false);
    // Positions before the first move of an engine.
    let before = plan.start(played.game.pair)?.turns.len() + 1;
    let replayed = replay(&*plan.rules, played, |board| {
        let outcome = board.outcome();
        let made = usize::checked_sub(positions, before).and_then(|index| played.moves.get(index));
        let agreed = made.zip(end.as_ref()).and_then(|(made, former)| {
            let is_next = made.ply as usize == positions + 1 - before && made.mover() == former.to_move;
            is_odd |= !is_next || former.is_over(plan);
            let points = board.impasse_points().filter(|_| outcome.is_none());
            let counted = impasse.as_mut().and_then(|watch| watch.add(made.score(), points));
            adjudicator.add(made.ply, made.mover(), made.score()).or(counted)
        });
        end = Some(ShownEnd {
            counts: outcome.is_some() && board.picture().counts.is_some(),
            outcome,
            agreed,
            plies: positions as u64,
            may_claim: board.may_claim_win(),
            to_move: board.side_to_move(),
        });
        positions += 1;
    })?;
    if let Some(reason) = replayed.broken {
        bail!("it is against the rules: {reason}");
    }
    ensure!(!is_odd && played.moves.len() == played.game.plies as usize, "its moves are not those of a game");
    end.context("it has no position")
}

impl ShownEnd {
    fn is_max_plies(&self, plan: &MatchPlan) -> bool {
        plan.agreement.max_plies.is_some_and(|limit| self.plies >= u64::from(limit))
    }

    /// Whether no move follows.
    fn is_over(&self, plan: &MatchPlan) -> bool {
        self.outcome.is_some() || self.agreed.is_some() || self.is_max_plies(plan)
    }
}

/// Whether every turn is legal, and the end is the one that rules and agreement give, or an engine's where they give
/// none.
fn check_end(plan: &MatchPlan, seats: [usize; 2], played: &GameWithMoves) -> anyhow::Result<()> {
    use EndCause::{
        BadAnswer, Crash, Declare, FalseClaim, Illegal, MaxPlies, Resign, Stall, StartFailed, Time,
    };
    let end = shown_end(plan, played)?;
    let (cause, winner) = (played.game.cause, played.game.result.winner());
    let by_mover = winner == Some(end.to_move.other());
    let has_clock = plan.specs[seats[end.to_move.index()]].limit.has_clock();
    let (is_shown, margin) = match (cause, end.agreed, end.outcome) {
        // Before the first move, either engine may have failed.
        (StartFailed | Stall, ..) if played.moves.is_empty() => (winner.is_some(), None),
        (_, Some(agreed), _) => (agreed == (winner, cause), None),
        (_, None, Some(outcome)) => {
            ((cause_of(outcome), outcome.winner) == (cause, winner), end.counts.then_some(outcome.margin))
        }
        (_, None, None) if end.is_max_plies(plan) => (cause == MaxPlies && winner.is_none(), None),
        (Declare, ..) => (end.may_claim && winner == Some(end.to_move), None),
        (FalseClaim, ..) => (!end.may_claim && by_mover, None),
        (Time, ..) => (has_clock && by_mover, None),
        (Stall, ..) => (!has_clock && by_mover, None),
        (Resign | Illegal | BadAnswer | Crash, ..) => (by_mover, None),
        _ => (false, None),
    };
    let loser = winner.map(|winner| played.game.name(winner.other()));
    if !is_shown || loser != played.game.loser.as_deref() || margin != played.game.margin {
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
    use kaeshi_match::tournament::journal::{EngineFault, GameResult, JournalGame, JournalMove, JournalOpen};

    use super::*;

    fn plan(change: impl Fn(&mut Config)) -> MatchPlan {
        let engine = |name: &str| EngineConfig {
            conf: Some("kaeshi".into()),
            name: Some(name.into()),
            protocol: Some("ugi".into()),
            ..EngineConfig::default()
        };
        let mut config = Config {
            game: Some("reversi".into()),
            engines: vec![engine("a"), engine("b")],
            terms: PlayConditions { depth: Some(Scalar("1".into())), ..PlayConditions::default() },
            openings: Some("none".into()),
            games: Some(8),
            seed: Some(1),
            max_plies: Some(2),
            ..Config::default()
        };
        change(&mut config);
        MatchPlan::new(config, &Roster::default()).unwrap()
    }

    fn played(game: u8, names: [&str; 2]) -> GameWithMoves {
        let [first, second] = names.map(String::from);
        let game = JournalGame {
            pair: 2,
            game,
            leg: 0,
            first,
            second,
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
        let turn = |ply: u32, turn: &str| JournalMove {
            m: turn.into(),
            ply,
            side: 1 - (ply % 2) as u8,
            cp: Some(900),
            ..JournalMove::default()
        };
        GameWithMoves::new(game, vec![turn(1, "f5"), turn(2, "d6")])
    }

    /// What is said of the part whose first game was changed.
    fn said(plan: &MatchPlan, change: impl Fn(&mut GameWithMoves, &mut Vec<EngineFault>)) -> String {
        let mut journal = Journal {
            open: JournalOpen::default(),
            games: vec![played(0, ["a", "b"]), played(1, ["b", "a"])],
            faults: Vec::new(),
            load: None,
            close: None,
        };
        change(&mut journal.games[0], &mut journal.faults);
        let checked = check_part(plan, &(2..3), &(0.25..=4.0), &journal);
        checked.map_err(|error| format!("{error:#}")).err().unwrap_or_default()
    }

    /// The game ends one move earlier, which the second player was to make.
    fn lost(game: &mut GameWithMoves, cause: EndCause, loser: &str) {
        game.moves.pop();
        game.game.plies = 1;
        game.game.cause = cause;
        game.game.result = if loser == "b" { GameResult::FirstWins } else { GameResult::SecondWins };
        game.game.loser = Some(loser.into());
    }

    fn fault(what: EndCause, engine: &str) -> EngineFault {
        let engine = engine.into();
        EngineFault { pair: 2, game: 0, engine, what, detail: String::new(), tail: Vec::new() }
    }

    #[test]
    fn a_worker_reports_the_games_of_its_part() {
        let plan = plan(|_| ());
        assert_eq!(said(&plan, |_, _| ()), "");
        type Change = fn(&mut GameWithMoves, &mut Vec<EngineFault>);
        for (change, wanted) in [
            ((|one, _| one.game.pair = 3) as Change, "not of this part"),
            (|one, _| one.game.pair = u64::MAX, "not of this part"),
            (|one, _| one.game.game = 2, "not of this part"),
            (|one, _| one.game.game = 1, "it was played by a and b, not by b and a"),
            (|one, _| one.game.start = "startpos moves f5".into(), "it began with"),
            (|one, _| one.game.opening = Some(1), "its opening has another number"),
            (|one, _| one.game.leg = 1, "not replayed as agreed"),
            (|one, _| one.legs = vec![played(0, ["a", "b"])], "it was replayed 1 times"),
            (|one, _| one.game.time_scale = Some(9.0), "its times were multiplied by 9"),
            (|one, _| one.game.plies = 3, "its moves are not those of a game"),
            (|one, _| one.moves[1].ply = 1, "its moves are not those of a game"),
            (|one, _| one.moves[1].side = 0, "its moves are not those of a game"),
            (|one, _| one.moves[1].m = "f5".into(), "against the rules"),
            (|_, faults| faults.push(fault(EndCause::Crash, "b")), "its faults are not those"),
        ] {
            let said = said(&plan, change);
            assert!(said.contains(wanted), "{wanted}: {said}");
        }
        assert_eq!(said(&plan, |one, _| one.game.time_scale = Some(0.5)), "");
        let one = Journal {
            open: JournalOpen::default(),
            games: vec![played(0, ["a", "b"])],
            faults: Vec::new(),
            load: None,
            close: None,
        };
        let missing = check_part(&plan, &(2..3), &(1.0..=1.0), &one).unwrap_err().to_string();
        assert_eq!(missing, "there are 1 of 2 games");
    }

    #[test]
    fn a_game_ends_as_its_moves_show() {
        use EndCause::{
            AdjDraw, AdjWin, BadAnswer, Crash, Declare, FalseClaim, Illegal, Impasse, NoMoves, Resign, Stall,
            StartFailed, Time,
        };
        let ended = |plan: &MatchPlan, cause: EndCause, loser: &'static str| {
            said(plan, |one, faults| {
                lost(one, cause, loser);
                faults.extend(cause.is_fault().then(|| fault(cause, loser)));
            })
        };
        let (nodes, clock) = (
            plan(|_| ()),
            plan(|config| {
                config.terms = PlayConditions { tc: Some(Scalar("9+1".into())), ..PlayConditions::default() };
            }),
        );
        for (plan, cause, loser, is_shown) in [
            (&nodes, Resign, "b", true),
            (&nodes, Resign, "a", false),
            (&nodes, Crash, "b", true),
            (&nodes, Crash, "a", false),
            (&nodes, Illegal, "b", true),
            (&nodes, BadAnswer, "a", false),
            (&nodes, Stall, "b", true),
            (&nodes, Time, "b", false),
            (&clock, Time, "b", true),
            (&clock, Time, "a", false),
            (&clock, Stall, "b", false),
            (&nodes, StartFailed, "b", false),
            (&nodes, FalseClaim, "b", true),
            (&nodes, Declare, "a", false),
            (&nodes, NoMoves, "b", false),
            (&nodes, AdjWin, "b", false),
            (&nodes, AdjDraw, "b", false),
            (&nodes, Impasse, "b", false),
        ] {
            assert_eq!(ended(plan, cause, loser).is_empty(), is_shown, "{cause:?} {loser}");
        }
        // No fault is stated, or one of another engine.
        assert!(!said(&nodes, |one, _| lost(one, Crash, "b")).is_empty());
        assert!(
            !said(&nodes, |one, faults| {
                lost(one, Crash, "b");
                faults.push(fault(Crash, "a"));
            })
            .is_empty()
        );
        for failed in ["a", "b"] {
            let begun = said(&nodes, |one, faults| {
                lost(one, StartFailed, failed);
                one.moves.clear();
                one.game.plies = 0;
                faults.push(fault(StartFailed, failed));
            });
            assert_eq!(begun, "");
        }
        assert!(!said(&nodes, |one, _| one.game.margin = Some(9)).is_empty(), "it did not come to its end");
        assert!(!said(&nodes, |one, _| one.game.result = GameResult::SecondWins).is_empty());
        // The score of its first move ends it.
        let agreed = plan(|config| {
            config.resign =
                Some(["movecount=1", "score=900", "twosided=false"].map(|word| word.parse().unwrap()).into());
        });
        let said = |end: Option<(EndCause, &'static str)>| {
            said(&agreed, |one, _| {
                one.moves[0].cp = Some(-900);
                if let Some((cause, loser)) = end {
                    lost(one, cause, loser);
                }
            })
        };
        assert_eq!(said(Some((AdjWin, "a"))), "");
        for end in [None, Some((AdjWin, "b")), Some((Resign, "b"))] {
            assert!(said(end).starts_with("pair 3 game 1: "), "{end:?}");
        }
    }
}
