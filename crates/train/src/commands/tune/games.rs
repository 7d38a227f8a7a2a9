//! An engine's options as the subject of SPSA: two processes of it play by two sets of values, through the game code
//! of the match runner, with its clock, its referee and its faults.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::bail;
use serde_json::json;

use super::options::Options;
use crate::tasks::spsa::TuningSubject;
use kaeshi_core::game::{GameError, Side};
use kaeshi_core::random::SplitMix;
use kaeshi_match::dialogue::engine_process::leftovers::ProcessReaper;
use kaeshi_match::dialogue::player::{EnginePlayer, Spec, StartFailure};
use kaeshi_match::tournament::game::{GameSlot, Void};
use kaeshi_match::tournament::identity::{ContentHashes, hash_text};
use kaeshi_match::tournament::journal::EndCause;
use kaeshi_match::tournament::plan::MatchPlan;
use kaeshi_match::tournament::replays;
use kaeshi_match::tournament::run::state::Participant;
use kaeshi_match::tournament::running::RunningGameFile;
use kaeshi_statistics::spsa::SpsaPace;

/// Bits of a pair's seed that choose its opening.
const OPENING_BITS: u32 = 40;

/// An engine, its parameters to tune, and the conditions of its games.
pub struct TuningGames {
    options: Options,
    plan: MatchPlan,
    player: Participant,
    reaper: Arc<ProcessReaper>,
    /// Players that wait for their next pair.
    idle: Mutex<Vec<[EnginePlayer; 2]>>,
}

impl TuningGames {
    /// Starts the engine once and checks that it has the parameters. `plan` is of two copies of it; the terms of
    /// `options` are those of the parameters.
    ///
    /// # Errors
    /// An engine that does not start, an option that it does not declare or whose range is smaller.
    pub fn new(plan: MatchPlan, mut options: Options) -> anyhow::Result<TuningGames> {
        if plan.single() {
            bail!(
                "tuning plays pairs of games with the colours exchanged: not with --single or --handicap-for"
            );
        }
        let params = &options.params;
        let reaper = Arc::new(ProcessReaper::default());
        reaper.own_all_children();
        let spec = &plan.specs[0];
        // Without the parameters, whose declarations are looked at only then.
        let is_tuned = |name: &str| params.iter().any(|param| param.name.eq_ignore_ascii_case(name));
        let mut bare = (**spec).clone();
        bare.options.retain(|(name, _)| !is_tuned(name));
        let mut player = EnginePlayer::new(Arc::new(bare), Arc::clone(&reaper), plan.timeouts, None);
        let tried = player.start().and_then(|()| player.try_start(&plan.usual));
        tried.map_err(|failure| anyhow::anyhow!(said(spec, &failure)))?;
        let Some(declared) = &player.identity().options else {
            bail!("engine {}: it declares no options over {}", spec.name, spec.protocol.word());
        };
        params.iter().try_for_each(|param| param.check(declared))?;
        let played = Participant { id: player.identity().name.clone(), content: ContentHashes::of(spec)? };
        player.quit();
        let what = json!([played.id, played.content, plan.hash]);
        let conditions = &hash_text(&what.to_string())[..16];
        options.terms = format!("{} at {}, engine and conditions {conditions}", options.terms, spec.limit);
        Ok(TuningGames { options, plan, player: played, reaper, idle: Mutex::default() })
    }

    /// The engine.
    pub fn player(&self) -> &Participant {
        &self.player
    }

    /// All options of a player with these values, drawn to whole numbers.
    fn drawn(&self, values: &[f64], chances: &[f64]) -> Vec<(String, String)> {
        let params = &self.options.params;
        let mut options = self.plan.specs[0].options.clone();
        options.retain(|(name, _)| !params.iter().any(|param| param.name.eq_ignore_ascii_case(name)));
        let drawn = params.iter().zip(values).zip(chances);
        options
            .extend(drawn.map(|((param, &value), &chance)| (param.name.clone(), param.drawn(value, chance))));
        options
    }

    fn players(&self) -> [EnginePlayer; 2] {
        let waiting = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        waiting.unwrap_or_else(|| {
            [0, 1].map(|copy| {
                let spec = Arc::clone(&self.plan.specs[copy]);
                EnginePlayer::new(spec, Arc::clone(&self.reaper), self.plan.timeouts, None)
            })
        })
    }

    /// Points of the first of two players after two games from opening `index`, in halves.
    fn play(&self, players: &mut [EnginePlayer; 2], index: u64) -> Result<usize, GameError> {
        let start = self.plan.start(index).map_err(|error| GameError::failed(format!("{error:#}")))?;
        let (mut half_points, opening) = (0, self.plan.schedule.pair(index).opening);
        for game in 0..2 {
            let [forth, back] = &mut *players;
            let (seats, side) = match game {
                0 => ([forth, back], Side::First),
                _ => ([back, forth], Side::Second),
            };
            let names = [seats[0].spec().name.clone(), seats[1].spec().name.clone()];
            let own = names[side.index()].clone();
            let place = GameSlot { pair: index, game, leg: 0, opening, slot: 0 };
            let (rules, agreement) = (&*self.plan.rules, self.plan.agreement);
            let finished =
                replays::play(rules, seats, &start, place, agreement, &mut RunningGameFile::default())
                    .map_err(|Void(why)| GameError::failed(why))?;
            let last = &finished.played.game;
            if last.cause == EndCause::StartFailed {
                return Err(GameError::failed(format!("engine: {}", last.detail)));
            }
            // A replayed game has exchanged the colours.
            let side = if last.first == own { Side::First } else { Side::Second };
            half_points += last.result.half_points(side);
        }
        Ok(half_points)
    }
}

impl TuningSubject for TuningGames {
    fn numbers(&self) -> Vec<(String, f64)> {
        self.options.numbers()
    }

    fn start(&self) -> Vec<f64> {
        self.options.start()
    }

    fn confine(&self, values: &mut [f64]) {
        self.options.confine(values);
    }

    fn pace(&self) -> SpsaPace {
        self.options.pace()
    }

    fn terms(&self) -> String {
        self.options.terms()
    }

    fn pair(&self, first: &[f64], second: &[f64], seed: u64) -> Result<f64, GameError> {
        let mut random = SplitMix::new(seed);
        let index = random.draw() >> (u64::BITS - OPENING_BITS);
        let chances: Vec<f64> = self.options.params.iter().map(|_| chance(&mut random)).collect();
        let mut players = self.players();
        for (player, values) in players.iter_mut().zip([first, second]) {
            let options = self.drawn(values, &chances);
            player
                .reconfigure(options)
                .map_err(|failure| GameError::failed(said(&self.plan.specs[0], &failure)))?;
        }
        let half_points = self.play(&mut players, index)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(players);
        Ok(half_points as f64 - 2.0)
    }

    fn shown(&self, values: &[f64]) -> Vec<String> {
        self.options.shown(values)
    }

    fn write(&self, out: &Path, values: &[f64]) -> anyhow::Result<()> {
        self.options.write(out, values)
    }
}

/// A number from 0 to 1, 1 excluded.
fn chance(random: &mut SplitMix) -> f64 {
    (random.draw() >> 11) as f64 / (1_u64 << 53) as f64
}

fn said(spec: &Spec, failure: &StartFailure) -> String {
    let mut message = format!("engine {}: {}", spec.name, failure.reason);
    for line in &failure.tail {
        message.push_str("\n    ");
        message.push_str(line);
    }
    message
}
