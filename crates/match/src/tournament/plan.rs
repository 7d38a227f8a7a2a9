//! A match ready to be played: its configuration is checked before the first engine starts.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, anyhow, bail};
use serde_json::{Value, json};

use crate::roster::{Roster, Scalar};

use super::config::Config;
use super::engine_spec::resolve;
use super::game::Agreement;
use super::identity::hash_text;
use super::knockout::Knockout;
use super::openings::{self, extend_opening};
use super::replay_rule::Replays;
use super::schedule::{PairingRule, Schedule, TournamentFormat};
use crate::dialogue::limits::{ThinkingLimit, parse_time};
use crate::dialogue::player::{EngineTimeouts, Spec};
use crate::dialogue::speaker::GameStart;
use kaeshi_core::random::drawn_at;
use kaeshi_engine::games::GameName;
use kaeshi_records::referee::impasse::{ImpasseRule, PointRule};
use kaeshi_records::referee::{ENTERING_KING_RULE, RefereeRules, rules};
use kaeshi_statistics::Sprt;

/// Default number of games of a pairing.
const GAMES: u64 = 100;

/// Games of a pairing at most, so that no product of games and engines overflows.
const MAX_GAMES: u64 = 1_000_000_000;

/// Default number of games of a pairing at most, while a sequential test is undecided.
const SPRT_GAMES: u64 = 100_000;

/// Default number of further pairs of a tied meeting of a knock-out.
const TIEBREAKS: u64 = 4;

/// A match that can be played.
pub struct MatchPlan {
    /// The configuration, with everything that was drawn or left open filled in.
    pub config: Config,
    /// The referee.
    pub rules: Arc<dyn RefereeRules>,
    /// The participants.
    pub specs: Vec<Arc<Spec>>,
    /// The pairings, their order and their openings.
    pub schedule: Schedule,
    /// The openings of the file.
    pub openings: Vec<GameStart>,
    /// The start without an opening.
    pub usual: GameStart,
    /// The sequential test.
    pub sprt: Option<Sprt>,
    /// Rules by which the referee ends games early.
    pub agreement: Agreement,
    /// Time limits for answers outside the clock.
    pub timeouts: EngineTimeouts,
    /// Pairs of the whole match.
    pub pairs: u64,
    /// The pairs to play here, if the match is divided among several runs; the sequential test is not decided then.
    pub part: Option<Range<u64>>,
    /// Games at the same time.
    pub concurrency: usize,
    /// Seed of everything that is drawn: openings, colours, random plies.
    pub seed: u64,
    /// Hash of everything that decides how games are played.
    pub hash: String,
}

impl MatchPlan {
    /// Checks a configuration and looks up its engines.
    ///
    /// # Errors
    /// The first thing that is wrong, by its name.
    pub fn new(mut config: Config, roster: &Roster) -> anyhow::Result<MatchPlan> {
        config.check_factors()?;
        let Some(game) = config.game.clone().or_else(|| only_game(&config, roster)) else {
            bail!("--game is missing: shogi, reversi or sygo (-variant means the same)");
        };
        config.game = Some(game.clone());
        let rules = referee_rules(&game, config.entering_king_rule.as_deref())?;
        let usual = match &config.handicap {
            Some(name) => handicap(&config, &*rules, name)?,
            None => GameStart::usual(&*rules, config.size).map_err(anyhow::Error::msg)?,
        };
        if config.engines.len() < 2 {
            bail!(
                "a match needs two engines or more: name them as in engines.toml, or describe them with --engine"
            );
        }
        let specs = participants(&config, roster, &game)?;
        let openings = openings::chosen(&config, &*rules, &usual)?;
        let seed = config.seed.unwrap_or_else(draw_seed);
        config.seed = Some(seed);
        // The engine that takes the handicap in all games has one colour: a second game would be the first again.
        if config.games == Some(1) || config.handicap_for.is_some() {
            config.single = Some(true);
        }
        let single = config.single == Some(true);
        let sprt = sequential_test(&config, specs.len(), single)?;
        let games = config.games.unwrap_or(if sprt.is_some() { SPRT_GAMES } else { GAMES });
        if !(1..=MAX_GAMES).contains(&games) {
            bail!("--games {games} is not between 1 and {MAX_GAMES}");
        }
        check_length(&config, &openings)?;
        let meeting = meeting(&config, specs.len())?;
        let start = first_opening(&config, openings.len())?;
        let taker = taker(&config, &specs)?;
        let order = config.order.unwrap_or_default();
        let schedule =
            Schedule::new(specs.len(), meeting, openings.len(), order, seed, single).beginning_with(start);
        let schedule = schedule.with_first(taker);
        if let Some(taker) = taker
            && schedule.pairings().iter().any(|pairing| !pairing.contains(&taker))
        {
            bail!(
                "--handicap-for {}: there are games without it; with more than two engines name it first and give \
                 --format gauntlet",
                specs[taker].name
            );
        }
        let rounds = games.div_ceil(u64::from(schedule.games_per_pair()));
        let knockout = knockout(&config, rounds, sprt.is_some())?;
        let block = if meeting.format == TournamentFormat::Pyramid { rounds } else { 1 };
        let schedule = schedule.in_blocks(block).as_knockout(knockout);
        let meetings = knockout.map_or(schedule.pairings().len(), |_| specs.len() - 1);
        let pairs = rounds * meetings as u64;
        let concurrency = config.concurrency.unwrap_or(1);
        if concurrency == 0 || concurrency > 1024 {
            bail!("--concurrency {concurrency} is not between 1 and 1024");
        }
        let agreement = Agreement {
            max_plies: config.max_plies,
            draw: config.draw()?,
            resign: config.resign()?,
            impasse: impasse(&config, &*rules)?,
            sennichite: sennichite(&config, &*rules)?,
            csa_seconds: csa_seconds(&config, &specs)?,
            time_scale: config.time_scale,
        };
        let mut timeouts = EngineTimeouts::scaled(config.timeout_scale.unwrap_or(1.0));
        if let Some(Scalar(stall)) = &config.stall {
            timeouts.stall = parse_time(stall).map_err(|why| anyhow!("--stall: {why}"))?;
        }
        let hash = fingerprint(&config, &specs, &openings, &schedule)?;
        let specs = specs.into_iter().map(Arc::new).collect();
        let plan = MatchPlan {
            config,
            rules,
            specs,
            schedule,
            openings,
            usual,
            sprt,
            agreement,
            timeouts,
            pairs,
            part: None,
            concurrency,
            seed,
            hash,
        };
        // Fails where no random plies are found, or where a protocol cannot express the position.
        plan.start(0)?;
        Ok(plan)
    }

    /// Makes the match as long as an extension of it, of which `match.json` says nothing. A knock-out and a pyramid
    /// cannot be extended.
    pub fn lengthen_to(&mut self, pairs: u64) {
        if pairs > self.pairs && self.schedule.knockout().is_none() && self.schedule.block() == 1 {
            let of_a_pair = u64::from(self.schedule.games_per_pair());
            self.config.games = Some(self.schedule.rounds(pairs).saturating_mul(of_a_pair));
            self.pairs = pairs;
        }
    }

    /// A remark where more games are played than `--games`, as only whole pairs are played.
    pub fn rounded_games(&self) -> Option<String> {
        let games = self.config.games?;
        let of_a_pair = u64::from(self.schedule.games_per_pair());
        (games % of_a_pair != 0).then(|| {
            format!(
                "--games {games}: {} are played, each opening with both colours; --single plays it once",
                games.next_multiple_of(of_a_pair)
            )
        })
    }

    /// The same match, limited to the pairs of `part`.
    pub fn limited_to(self, part: Option<Range<u64>>) -> MatchPlan {
        MatchPlan { part, ..self }
    }

    /// Whether `part` can be played without the rest of the match.
    ///
    /// # Errors
    /// The pairs depend on each other, or there are none of the part.
    pub fn check_part(&self, part: &Range<u64>) -> anyhow::Result<()> {
        self.check_divisible()?;
        if part.start >= self.pairs {
            bail!("--pairs {}-{}: there are {} pairs, counted from 0", part.start, part.end - 1, self.pairs);
        }
        Ok(())
    }

    /// Whether its pairs can be divided among several runs.
    ///
    /// # Errors
    /// They depend on each other.
    pub fn check_divisible(&self) -> anyhow::Result<()> {
        if self.schedule.knockout().is_some() {
            bail!("the pairs of a knock-out depend on each other's results: it cannot be divided");
        }
        Ok(())
    }

    /// Whether the unit of the match is the game and not the pair.
    pub fn single(&self) -> bool {
        self.config.single == Some(true)
    }

    /// Where the games of pair `index` begin.
    ///
    /// # Errors
    /// No random plies were found.
    pub fn start(&self, index: u64) -> anyhow::Result<GameStart> {
        let pair = self.schedule.pair(index);
        let start = pair.opening.map_or(&self.usual, |opening| &self.openings[opening as usize]);
        let Some(plies @ 1..) = self.config.random_plies else { return Ok(start.clone()) };
        let seed = drawn_at(pair.seed, pair.round);
        extend_opening(&*self.rules, start, plies, seed).map_err(anyhow::Error::msg)
    }

    /// The source of the openings, for people.
    pub fn openings_text(&self) -> String {
        let file = match (&self.config.handicap, &self.config.openings) {
            (Some(name), _) => format!("handicap {name}"),
            _ if self.openings.is_empty() => "the usual start".into(),
            (None, Some(path)) => format!("{} lines of {}", self.openings.len(), path.display()),
            (None, None) => format!("{} bundled openings", self.openings.len()),
        };
        match self.config.random_plies {
            None | Some(0) => file,
            Some(plies) => format!("{file}, then {plies} random plies"),
        }
    }
}

/// The engines of a match. A name that is taken gets a number: `kaeshi`, `kaeshi-2`.
fn participants(config: &Config, roster: &Roster, game: &str) -> anyhow::Result<Vec<Spec>> {
    let mut specs: Vec<Spec> = Vec::new();
    for engine in &config.participants()? {
        let mut spec = resolve(engine, config, roster, game)?;
        let taken = |name: &str| specs.iter().any(|spec| spec.name == name);
        let plain = spec.name.clone();
        let mut copy = 2;
        while taken(&spec.name) {
            spec.name = format!("{plain}-{copy}");
            copy += 1;
        }
        specs.push(spec);
    }
    Ok(specs)
}

/// The sequential test of `--sprt`, whose unit is the pair of games or, with `single`, the game.
fn sequential_test(config: &Config, engines: usize, single: bool) -> anyhow::Result<Option<Sprt>> {
    let Some(settings) = config.sprt()? else { return Ok(None) };
    if engines != 2 {
        bail!("--sprt is for two engines; there are {engines}");
    }
    Sprt::new(settings, single).map(Some).map_err(|error| anyhow!("--sprt: {error}"))
}

/// The start position of a handicap.
fn handicap(config: &Config, rules: &dyn RefereeRules, name: &str) -> anyhow::Result<GameStart> {
    let facts = rules.facts();
    if facts.boards.handicaps.is_empty() {
        bail!("--handicap {name}: {} has no handicaps", facts.title);
    }
    let Some(handicap) = facts.boards.handicap(name) else {
        let known: Vec<&str> = facts.boards.handicaps.iter().map(|handicap| handicap.name).collect();
        bail!("--handicap {name} is none of {}", known.join(", "));
    };
    if config.openings.is_some() {
        bail!(
            "--handicap and --openings exclude each other: a handicap is a start; --random-plies go on from it"
        );
    }
    let mover = Some(rules.board(Some(handicap.position))?.side_to_move());
    let usual = GameStart::usual(rules, config.size).map_err(anyhow::Error::msg)?;
    Ok(GameStart { position: Some(handicap.position.to_owned()), mover, ..usual })
}

/// The engine that takes the handicap in all its games.
fn taker(config: &Config, specs: &[Spec]) -> anyhow::Result<Option<usize>> {
    let Some(name) = &config.handicap_for else { return Ok(None) };
    if config.handicap.is_none() {
        bail!("--handicap-for {name}: there is no --handicap");
    }
    let taker = specs.iter().position(|spec| &spec.name == name);
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    Ok(Some(taker.with_context(|| format!("--handicap-for {name}: there are {}", names.join(", ")))?))
}

/// The rule by which the points of an impasse are counted.
fn impasse(config: &Config, rules: &dyn RefereeRules) -> anyhow::Result<Option<ImpasseRule>> {
    let rule = config.impasse()?;
    if rule.is_some() && !rules.has_option(ENTERING_KING_RULE) {
        bail!("--impasse: {} has no kings", rules.facts().title);
    }
    Ok(rule)
}

/// The rule by which games that end by repetition are replayed.
fn sennichite(config: &Config, rules: &dyn RefereeRules) -> anyhow::Result<Option<Replays>> {
    let Some(replays) = config.sennichite()? else { return Ok(None) };
    if !rules.facts().rules.repetition_draws {
        bail!("--sennichite: no game of {} is drawn by repetition", rules.facts().title);
    }
    Ok(Some(Replays { exchanged: config.handicap.is_none(), ..replays }))
}

/// Whether every game has a move before `--max-plies`.
fn check_length(config: &Config, openings: &[GameStart]) -> anyhow::Result<()> {
    let Some(limit) = config.max_plies else { return Ok(()) };
    let longest = openings.iter().map(|start| start.turns.len() as u64).max().unwrap_or(0);
    let plies = longest + u64::from(config.random_plies.unwrap_or(0));
    if u64::from(limit) <= plies {
        bail!(
            "--max-plies {limit}: openings have up to {plies} plies, and games would be drawn without a move"
        );
    }
    Ok(())
}

/// The pairings of the format.
fn meeting(config: &Config, engines: usize) -> anyhow::Result<PairingRule> {
    let format = config.format.unwrap_or_default();
    let challengers = config.challengers.unwrap_or(1);
    if config.challengers.is_some() && format != TournamentFormat::Gauntlet {
        bail!("--challengers is for --format gauntlet");
    }
    if challengers == 0 || challengers >= engines {
        let most = engines.saturating_sub(1);
        bail!("--challengers {challengers}: of {engines} engines 1 to {most} can be challengers");
    }
    Ok(PairingRule { format, challengers })
}

/// The size of the meetings of a knock-out.
fn knockout(config: &Config, pairs: u64, tested: bool) -> anyhow::Result<Option<Knockout>> {
    if config.format != Some(TournamentFormat::Knockout) {
        if config.tiebreaks.is_some() {
            bail!("--tiebreaks is for --format knockout");
        }
        return Ok(None);
    }
    if tested {
        bail!("--sprt: a knock-out ends with its final, not with a test");
    }
    let tiebreaks = config.tiebreaks.unwrap_or(TIEBREAKS);
    Knockout::new(pairs, tiebreaks).map(Some).map_err(anyhow::Error::msg)
}

/// Index of the opening that the first round has.
fn first_opening(config: &Config, openings: usize) -> anyhow::Result<usize> {
    match config.opening_start {
        None => Ok(0),
        Some(start) if (1..=openings).contains(&start) => Ok(start - 1),
        Some(start) => bail!("--opening-start {start}: there are {openings} openings, counted from 1"),
    }
}

/// Whether time is counted in whole seconds, which the limits must be, too.
fn csa_seconds(config: &Config, specs: &[Spec]) -> anyhow::Result<bool> {
    let wanted = config.csa_seconds == Some(true);
    let is_whole = |time: Duration| time.subsec_nanos() == 0;
    for spec in specs.iter().filter(|_| wanted) {
        let fits = match spec.limit {
            ThinkingLimit::Clock { main, increment, byoyomi, .. } => {
                is_whole(main) && is_whole(increment) && is_whole(byoyomi)
            }
            ThinkingLimit::MoveTime(time) => is_whole(time),
            ThinkingLimit::Nodes(_) | ThinkingLimit::Depth(_) => false,
        };
        if !fits {
            bail!(
                "--csa-seconds: engine {} has {}, and a server's clock has whole seconds",
                spec.name,
                spec.limit
            );
        }
    }
    Ok(wanted)
}

/// The game that an entry of the roster is for, if the configuration names none.
fn only_game(config: &Config, roster: &Roster) -> Option<String> {
    config.engines.iter().find_map(|engine| roster.engines.get(engine.conf.as_ref()?)?.game.clone())
}

fn draw_seed() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    drawn_at(now.as_nanos() as u64, u64::from(std::process::id())) >> 32
}

/// The referee's rules, shogi's under this rule of the entering king.
///
/// # Errors
/// There is no such game or rule.
fn referee_rules(game: &str, entering_king: Option<&str>) -> anyhow::Result<Arc<dyn RefereeRules>> {
    let Some(name) = GameName::parse(game) else {
        bail!("'{}' is no game: there are {}", game.escape_debug(), GameName::NAMES.join(", "));
    };
    let options: Vec<_> =
        entering_king.map(|rule| (ENTERING_KING_RULE.to_owned(), rule.to_owned())).into_iter().collect();
    let rules = rules(name, &options).map_err(|error| anyhow!("--entering-king-rule: {error}"))?;
    if let Some(rule) = entering_king
        && !rules.has_option(ENTERING_KING_RULE)
    {
        bail!("--entering-king-rule {rule}: {} has no kings", name.facts().title);
    }
    Ok(rules)
}

/// Whether games drawn at 24 points each are replayed.
fn replays_impasses(config: &Config) -> anyhow::Result<bool> {
    let is_drawn = config.impasse()?.is_some_and(|rule| rule.points == PointRule::TwentyFour);
    Ok(is_drawn && config.sennichite()?.is_some())
}

/// SHA-256 over everything that decides how games are played, by the names of the fields, so that
/// neither the order nor the names of Rust's fields matter. What the engines *are* stands in the
/// journal beside it, see [`super::identity`].
fn fingerprint(
    config: &Config,
    specs: &[Spec],
    openings: &[GameStart],
    schedule: &Schedule,
) -> anyhow::Result<String> {
    let engine = |spec: &Spec| {
        json!({
            "name": spec.name,
            "arguments": spec.program.arguments,
            "protocol": spec.protocol.word(),
            "options": spec.options,
            "wishes": spec.usual_options,
            "usi-fischer": spec.quirks.reading,
            "limit": spec.limit.to_string(),
            "margin_us": spec.margin.as_micros() as u64,
            "restart": spec.restart,
            "ponder": spec.ponder,
        })
    };
    let mut all = json!({
        "game": config.game,
        "size": config.size,
        "seed": config.seed.unwrap_or_default(),
        "format": config.format.unwrap_or_default(),
        "order": config.order.unwrap_or_default(),
        "random-plies": config.random_plies.unwrap_or(0),
        "sprt": config.sprt()?,
        "max-plies": config.max_plies,
        "draw": config.draw()?,
        "resign": config.resign()?,
        "entering-king-rule": config.entering_king_rule,
        "single": config.single == Some(true),
        "engines": specs.iter().map(engine).collect::<Vec<_>>(),
        "openings": openings.iter().map(GameStart::text).collect::<Vec<_>>(),
    });
    // What came later stands in it only where it is used, so that older journals keep their value.
    let later = [
        ("challengers", config.challengers.map(Value::from)),
        ("opening-start", config.opening_start.map(Value::from)),
        ("csa-seconds", config.csa_seconds.filter(|&wanted| wanted).map(Value::from)),
        ("impasse", config.impasse()?.map(|rule| json!(rule))),
        (
            "sennichite",
            config.sennichite()?.map(|Replays { most, floor, .. }| json!([most, floor.as_micros() as u64])),
        ),
        ("impasse-replays", replays_impasses(config)?.then_some(Value::Bool(true))),
        ("block", Some(schedule.block()).filter(|&block| block > 1).map(Value::from)),
        ("knockout", schedule.knockout().map(|knockout| json!(knockout))),
        ("handicap", config.handicap.clone().map(Value::from)),
        ("handicap-for", config.handicap_for.clone().map(Value::from)),
    ];
    for (name, value) in later {
        if let Some(value) = value {
            all[name] = value;
        }
    }
    Ok(format!("sha256:{}", &hash_text(&all.to_string())[..32]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::config::{EngineConfig, PlayConditions};

    fn reversi(engines: usize) -> Config {
        let own = EngineConfig { conf: Some("kaeshi".into()), ..EngineConfig::default() };
        Config {
            game: Some("reversi".into()),
            engines: vec![own; engines],
            terms: PlayConditions { depth: Some(Scalar("1".into())), ..PlayConditions::default() },
            openings: Some("none".into()),
            seed: Some(7),
            ..Config::default()
        }
    }

    fn refused(config: Config) -> String {
        MatchPlan::new(config, &Roster::default()).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn the_number_of_games_is_bounded() {
        for games in [0, MAX_GAMES + 1, u64::MAX] {
            let said = refused(Config { games: Some(games), ..reversi(3) });
            assert!(said.contains("is not between 1 and 1000000000"), "{said}");
        }
        assert_eq!(refused(Config { games: Some(MAX_GAMES), ..reversi(40) }), "");
    }

    #[test]
    fn an_odd_number_of_games_is_rounded_up_and_that_is_said() {
        let plan = |games, single| {
            MatchPlan::new(Config { games, single, ..reversi(2) }, &Roster::default()).unwrap()
        };
        let odd = plan(Some(3), None);
        assert_eq!(odd.pairs, 2);
        assert!(odd.rounded_games().is_some_and(|said| said.starts_with("--games 3: 4 are played")));
        for right in [plan(Some(4), None), plan(Some(3), Some(true)), plan(Some(1), None), plan(None, None)] {
            assert_eq!(right.rounded_games(), None);
        }
    }

    #[test]
    fn an_engine_has_a_name() {
        let named = |name: &str| {
            let mut config = reversi(2);
            config.engines[1].name = Some(name.into());
            refused(config)
        };
        assert_eq!(named("a b"), "");
        assert_eq!([named(""), named(" ")], ["engine kaeshi: its name= is empty"; 2]);
        assert_eq!(named("a\nb"), "engine kaeshi: its name= 'a\\nb' has a control character");
    }

    #[test]
    fn a_part_has_pairs_of_the_match() {
        let plan = MatchPlan::new(Config { games: Some(4), ..reversi(2) }, &Roster::default()).unwrap();
        plan.check_part(&(1..9)).unwrap();
        let said = plan.check_part(&(2..4)).unwrap_err().to_string();
        assert_eq!(said, "--pairs 2-3: there are 2 pairs, counted from 0");
    }

    #[test]
    fn a_game_has_a_move_before_its_longest_length() {
        let with = |max_plies, random_plies| {
            refused(Config { max_plies: Some(max_plies), random_plies: Some(random_plies), ..reversi(2) })
        };
        assert_eq!(with(1, 0) + &with(5, 4), "");
        for (max_plies, random_plies) in [(0, 0), (4, 4), (3, 4)] {
            assert!(with(max_plies, random_plies).contains("without a move"), "{max_plies} {random_plies}");
        }
        assert!(
            refused(Config { openings: None, max_plies: Some(8), ..reversi(2) }).contains("up to 8 plies")
        );
    }

    /// A journal may be years old when it is resumed: this value only changes with the meaning of a field.
    #[test]
    fn the_fingerprint_of_a_match_stays_what_it_was() {
        let own = EngineConfig { conf: Some("kaeshi".into()), ..EngineConfig::default() };
        let config = |nodes: &str| Config {
            game: Some("reversi".into()),
            engines: vec![own.clone(), own.clone()],
            terms: PlayConditions { nodes: Some(Scalar(nodes.into())), ..PlayConditions::default() },
            openings: Some("none".into()),
            seed: Some(7),
            ..Config::default()
        };
        let hash = |config| MatchPlan::new(config, &Roster::default()).unwrap().hash;
        assert_eq!(hash(config("9")), "sha256:8160792b5821e7014a35bdee06d44f44");
        assert_ne!(hash(config("9")), hash(config("10")));
        assert_eq!(hash(config("9")), hash(Config { games: Some(4), concurrency: Some(2), ..config("9") }));
    }
}
