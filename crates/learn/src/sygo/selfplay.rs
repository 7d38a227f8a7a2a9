//! Games of Sygo against itself, as `.sygo` turn lists.
//!
//! Games of the Monte-Carlo search say `[Visits "1"]`, and behind each turn that it searched, in braces, how
//! often it visited each turn, and the worth of the position ([`Visits`]).
//!
//! [`crate::selfplay`] drives it. A file is written whole when the last of its twenty games is over: an
//! interruption costs at most one file's games on each thread.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::games::{VISITS, VISITS_VERSION, parse};
use crate::selfplay::{GameCount, Series};
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::{Iteration, SearchRoot};
use kaeshi_core::game::{GameError, GameOptions, SearchMemory, Worker, WorkerShared};
use kaeshi_core::random::SplitMix;
use kaeshi_sygo::evaluate::SygoWeights;
use kaeshi_sygo::network::QuantizedSygoNetwork;
use kaeshi_sygo::rules::board::Colour;
use kaeshi_sygo::rules::notation::format_turn;
use kaeshi_sygo::rules::points::Point;
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::turn::SygoTurn;
use kaeshi_sygo::search::SygoWorker;
use kaeshi_sygo::search::montecarlo::{self, Visits};
use kaeshi_sygo::search::propose::propose;
use kaeshi_sygo::{Sygo, SygoSearchMethod, SygoSettings, rules};
use kaeshi_system::output::write_whole;

/// Bytes of the table, and as many of the tree, of one player.
const TABLE_BYTES: usize = 1 << 20;
/// Growths, and placements, among which a random turn is drawn.
const STRAYS: usize = 6;

/// How the games are to be played.
#[derive(Clone, Debug)]
pub struct SygoSelfplayConfig {
    /// Board size.
    pub size: usize,
    /// The evaluation of both players.
    pub weights: Arc<SygoWeights>,
    /// The network of their Monte-Carlo search.
    pub network: Arc<QuantizedSygoNetwork>,
    /// Their search.
    pub searcher: SygoSearchMethod,
    /// Iteration of the search that decides a turn.
    pub iteration: u16,
    /// Fewest and most random placements at the beginning.
    pub random: (u32, u32),
    /// After the beginning one turn in N is drawn from those that look best; 0 for none.
    pub stray: u32,
    /// Makes the games reproducible.
    pub seed: u64,
}

impl SygoSelfplayConfig {
    /// The line that each of its games begins with; `rung` is the former name of the iteration.
    fn head(&self) -> String {
        let monte_carlo = self.searcher == SygoSearchMethod::MonteCarlo;
        format!(
            "[Sygo \"1\"] [Size \"{}\"] [White \"kaeshi\"] [Black \"kaeshi\"] \
             [Settings \"searcher {} rung {} random {} to {} weights {:08x}{}{}\"]{}",
            self.size,
            self.searcher.name(),
            self.iteration,
            self.random.0,
            self.random.1,
            crc32fast::hash(&self.weights.to_bytes()),
            if self.stray == 0 { String::new() } else { format!(" stray {}", self.stray) },
            if monte_carlo {
                format!(" network {:08x}", crc32fast::hash(&self.network.network().to_bytes()))
            } else {
                String::new()
            },
            if monte_carlo { format!(" [{VISITS} \"{VISITS_VERSION}\"]") } else { String::new() },
        )
    }
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct SygoGame {
    /// All turns, the random ones included.
    pub turns: Vec<SygoTurn>,
    /// Places of the random ones.
    pub random: Vec<usize>,
    /// By turn, the visits of the Monte-Carlo search; `None` without such a search.
    pub visits: Vec<Option<Visits>>,
    /// Points by which White, who moves first, is ahead at the end.
    pub margin: i32,
}

impl SygoGame {
    /// The game as a `.sygo` turn list that begins with this line.
    fn text(&self, head: &str) -> String {
        let random: Vec<String> = self.random.iter().map(|place| (place + 1).to_string()).collect();
        let mut text = format!("{head} [Random \"{}\"]\n", random.join(" "));
        for (index, (turn, visits)) in self.turns.iter().zip(&self.visits).enumerate() {
            let _ = write!(text, "{}. {}", index + 1, format_turn(turn));
            if let Some(visits) = visits {
                let _ = write!(text, " {{{visits}}}");
            }
            text.push('\n');
        }
        let result = match self.margin {
            0 => "0".to_owned(),
            margin if margin > 0 => format!("W+{margin}"),
            margin => format!("B+{}", -margin),
        };
        text + &format!("[Result \"{result}\"] [End \"two-passes\"]\n")
    }
}

/// A file of finished games, written whole each time.
#[derive(Debug)]
pub struct SygoGameFile {
    path: PathBuf,
    head: String,
    text: String,
}

impl Series for SygoSelfplayConfig {
    type Player<'a> = [SygoPlayer; 2];
    type Game = SygoGame;
    type File = SygoGameFile;

    const SHARD: u64 = 20;
    const BLOCK: u64 = 20;
    const EXTENSION: &'static str = "sygo";

    fn name(&self) -> String {
        format!("games-{}-{}", self.size, self.seed)
    }

    fn player(&self) -> anyhow::Result<[SygoPlayer; 2]> {
        let parameters = montecarlo::MctsParameters::default();
        let player = || SygoPlayer::with_network(&self.weights, self.searcher, parameters, &self.network);
        Ok([player()?, player()?])
    }

    fn play(&self, players: &mut [SygoPlayer; 2], number: u64) -> SygoGame {
        let mut random = SplitMix::new(self.seed ^ number << 20);
        let opening = opening(self.size, self.random, &mut random);
        let strays = (self.stray, &mut random);
        play(players.each_mut(), self.size, opening, self.iteration, strays)
    }

    fn positions(game: &SygoGame) -> u64 {
        game.turns.len() as u64
    }

    fn open(&self, path: &Path, _: u64) -> io::Result<(SygoGameFile, GameCount)> {
        let head = self.head();
        let mut text = match files::read_text(path, FileKind::GAMES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        if let Some(there) = text.lines().find(|line| line.starts_with("[Sygo") && !line.starts_with(&head)) {
            return Err(io::Error::other(format!(
                "this file was made with other settings:\n  there {there}\n  here  {head}"
            )));
        }
        // A damaged game is played again, with the games behind it.
        text.truncate(whole_games(&text));
        let games = text.lines().filter(|line| line.starts_with(&head)).count() as u64;
        let positions = text.lines().filter(|line| !line.starts_with('[')).count() as u64;
        Ok((SygoGameFile { path: path.to_owned(), head, text }, GameCount { games, positions }))
    }

    fn append(file: &mut SygoGameFile, games: &[SygoGame]) -> io::Result<()> {
        file.text.extend(games.iter().map(|game| game.text(&file.head)));
        write_whole(&file.path, file.text.as_bytes()).map_err(io::Error::other)
    }
}

/// The length of the games at the beginning of a text that are whole and legal.
fn whole_games(text: &str) -> usize {
    let begins =
        text.match_indices("[Sygo ").map(|(at, _)| at).filter(|&at| at == 0 || text[..at].ends_with('\n'));
    let begins: Vec<usize> = begins.chain([text.len()]).collect();
    let is_damaged = |game: &&[usize]| parse(&text[game[0]..game[1]]).is_err();
    begins.windows(2).find(is_damaged).map_or(text.len(), |game| game[0])
}

/// Random legal placements, as many as `range` allows, on an empty board.
pub fn opening(size: usize, range: (u32, u32), random: &mut SplitMix) -> Vec<SygoTurn> {
    let count = random.within(range) as usize;
    let mut position = SygoPosition::new(size);
    let mut turns = Vec::with_capacity(count);
    // A small board may have no room for that many.
    for _ in 0..100 * count {
        if turns.len() == count {
            break;
        }
        let mut coordinate = || random.below(size as u32) as usize;
        let turn = SygoTurn::place(Point::new(coordinate(), coordinate()));
        if rules::check(&position, &turn).is_ok() {
            position.play(&turn);
            turns.push(turn);
        }
    }
    turns
}

/// One game of White, the first player, against Black from this opening. One turn in `stray` is drawn from those that
/// look best, if `stray` is not 0; the Monte-Carlo search then also searches the position, for its visits.
pub fn play(
    mut players: [&mut SygoPlayer; 2],
    size: usize,
    opening: Vec<SygoTurn>,
    iteration: u16,
    (stray, random): (u32, &mut SplitMix),
) -> SygoGame {
    let mut position = SygoPosition::new(size);
    opening.iter().for_each(|turn| position.play(turn));
    let mut turns = opening;
    let mut drawn: Vec<usize> = (0..turns.len()).collect();
    let mut visits = vec![None; turns.len()];
    players.iter_mut().for_each(|player| player.forget());
    while !position.is_over() {
        let player = &mut players[usize::from(position.side == Colour::Black)];
        let strays = stray > 0 && random.below(stray) == 0;
        let (mut turn, mut visited) = (SygoTurn::pass(), None);
        if !strays || player.is_monte_carlo() {
            (turn, visited) = player.choose(&position, iteration);
        }
        if strays {
            drawn.push(turns.len());
            let likely = propose(&player.shared.game.weights, &position, STRAYS, STRAYS);
            turn.clone_from(&likely[random.below(likely.len() as u32) as usize].1);
        }
        position.play(&turn);
        turns.push(turn);
        visits.push(visited);
    }
    SygoGame { turns, random: drawn, visits, margin: rules::margin(&position.board) }
}

/// Points that the first player gains over the second in two games from one opening of four random
/// placements, each colour played once by each: -2 to 2. A game won by the whole board counts one,
/// one won by nothing 0.7.
pub fn pair([first, second]: &mut [SygoPlayer; 2], size: usize, iteration: u16, seed: u64) -> f64 {
    let mut random = SplitMix::new(seed);
    let opening = opening(size, (4, 4), &mut random);
    let points = (size * size) as f64;
    let gain = |margin: i32| {
        let margin = f64::from(margin);
        margin.signum() * f64::from(margin != 0.0) * (0.7 + 0.3 * margin.abs() / points)
    };
    let forth = play([&mut *first, &mut *second], size, opening.clone(), iteration, (0, &mut random)).margin;
    let back = play([second, first], size, opening, iteration, (0, &mut random)).margin;
    gain(forth) + gain(-back)
}

/// One side of a quick game.
pub struct SygoPlayer {
    worker: SygoWorker,
    shared: Arc<WorkerShared<Sygo>>,
}

impl SygoPlayer {
    /// Plays by these weights and this search.
    ///
    /// # Errors
    /// No memory for its table.
    pub fn new(
        weights: &Arc<SygoWeights>,
        searcher: SygoSearchMethod,
        parameters: montecarlo::MctsParameters,
    ) -> Result<SygoPlayer, GameError> {
        SygoPlayer::with_network(weights, searcher, parameters, &QuantizedSygoNetwork::embedded())
    }

    fn with_network(
        weights: &Arc<SygoWeights>,
        searcher: SygoSearchMethod,
        parameters: montecarlo::MctsParameters,
        network: &Arc<QuantizedSygoNetwork>,
    ) -> Result<SygoPlayer, GameError> {
        let network = Arc::clone(network);
        let mut sygo =
            Sygo::load(&SygoSettings { searcher, parameters, network, ..SygoSettings::default() })?;
        sygo.weights = Arc::clone(weights);
        let memory = Arc::new(SearchMemory::with_bytes(2 * TABLE_BYTES)?);
        let shared = Arc::new(WorkerShared { game: Arc::new(sygo), memory, threads: 1 });
        Ok(SygoPlayer { worker: SygoWorker::new(Arc::clone(&shared), 0)?, shared })
    }

    fn forget(&mut self) {
        self.worker.new_game();
        self.shared.memory.clear(1);
    }

    fn is_monte_carlo(&self) -> bool {
        self.shared.game.settings().searcher == SygoSearchMethod::MonteCarlo
    }

    /// The turn it plays, and the visits of the Monte-Carlo search.
    fn choose(&mut self, position: &SygoPosition, iteration: u16) -> (SygoTurn, Option<Visits>) {
        let control = SearchControl::free();
        let mut root = SearchRoot::<Sygo>::new(position.clone());
        let mut done = None;
        let mut best = SygoTurn::pass();
        let mut found = false;
        while let Some(stage) = self.worker.next_stage(&root, done).filter(|stage| stage.depth <= iteration) {
            let Iteration::Complete(line) = self.worker.search(&root, stage, &control) else { break };
            best.clone_from(&line.turns[0]);
            found = self.is_monte_carlo() && !matches!(line.score, Score::Exact(_));
            root.previous = vec![line];
            done = Some(stage);
        }
        let visits = if found { self.worker.visits(position) } else { None };
        // Instead of a pass the solver may have found a turn that gains.
        let first = |visits: &Visits| visits.turns.iter().max_by_key(|(_, count)| *count).cloned();
        let otherwise =
            |visits: &Visits| first(visits).is_some_and(|(turn, _)| turn == SygoTurn::pass() && best != turn);
        let visits = visits.filter(|visits| !otherwise(visits));
        (best, visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::run;
    use crate::sygo::network;
    use kaeshi_records::sygo_list;
    use kaeshi_sygo::search::montecarlo::MctsParameters;

    fn plan() -> SygoSelfplayConfig {
        SygoSelfplayConfig {
            size: 5,
            weights: SygoWeights::embedded(),
            searcher: SygoSearchMethod::AlphaBeta,
            iteration: 1,
            random: (2, 4),
            network: QuantizedSygoNetwork::embedded(),
            stray: 0,
            seed: 7,
        }
    }

    fn files(folder: &Path) -> Vec<(String, String)> {
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "sygo"))
            .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap()))
            .map(|(path, text)| (path.rsplit('/').next().unwrap().to_owned(), text))
            .collect();
        files.sort();
        files
    }

    #[test]
    fn an_interrupted_run_makes_the_same_games() {
        let (straight, resumed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        run(&plan(), straight.path(), 45, 0..3, 1, &|_| ()).unwrap();
        run(&plan(), resumed.path(), 5, 0..1, 1, &|_| ()).unwrap();
        run(&plan(), resumed.path(), 45, 0..3, 2, &|_| ()).unwrap();
        assert_eq!(files(straight.path()), files(resumed.path()));
        let mode = |name: &str| straight.path().join(name).metadata().unwrap().permissions();
        assert_eq!(mode("games-5-7-00000.sygo"), mode("games-5-7.program"), "who may read one may read both");
    }

    #[test]
    fn damaged_games_are_played_again() {
        let folder = tempfile::tempdir().unwrap();
        let play = || run(&plan(), folder.path(), 20, 0..1, 1, &|_| ()).unwrap();
        play();
        let whole = files(folder.path());
        let (name, text) = &whole[0];
        let path = folder.path().join(name);
        let second = text.match_indices("[Sygo").nth(1).unwrap().0;
        let (first, rest) = text.split_at(second);
        let damaged = [
            text[..text.len() / 2].to_owned(),
            format!("{first}{}", rest.replacen("pass", "pasw", 1)),
            format!("{first}{}", rest.replacen("[Result \"W+", "[Result \"W+1", 1)),
            format!("{first}{}", rest.replacen("\n1. ", "\n1. e9,", 1)),
        ];
        for text in damaged {
            std::fs::write(&path, &text).unwrap();
            play();
            assert!(files(folder.path()) == whole, "{text}");
        }
    }

    #[test]
    fn other_settings_do_not_mix() {
        let folder = tempfile::tempdir().unwrap();
        run(&plan(), folder.path(), 20, 0..1, 1, &|_| ()).unwrap();
        for other in [
            SygoSelfplayConfig { iteration: 2, ..plan() },
            SygoSelfplayConfig { searcher: SygoSearchMethod::MonteCarlo, ..plan() },
            SygoSelfplayConfig { random: (3, 4), ..plan() },
            SygoSelfplayConfig { weights: Arc::new(SygoWeights::from_fn(|_| 1)), ..plan() },
        ] {
            let said = format!("{:#}", run(&other, folder.path(), 40, 0..2, 1, &|_| ()).unwrap_err());
            assert!(said.contains("other settings") && said.contains("games-5-7-00000.sygo"), "{said}");
        }
        assert_eq!(files(folder.path()).len(), 1);
    }

    #[test]
    fn each_player_of_the_ladder_beats_the_one_before() {
        let player = |searcher| {
            SygoPlayer::new(&SygoWeights::embedded(), searcher, MctsParameters::default()).expect("memory")
        };
        for (stronger, weaker) in [
            (SygoSearchMethod::Greedy, SygoSearchMethod::Random),
            (SygoSearchMethod::Uct, SygoSearchMethod::Random),
        ] {
            let mut players = [player(stronger), player(weaker)];
            let gain: f64 = (0..4).map(|seed| pair(&mut players, 7, 5, seed)).sum();
            assert!(gain > 0.0, "{stronger:?} {gain}");
        }
    }

    #[test]
    fn what_the_search_visited_is_written_and_learned_from() {
        let folder = tempfile::tempdir().unwrap();
        let plan =
            SygoSelfplayConfig { searcher: SygoSearchMethod::MonteCarlo, iteration: 4, stray: 5, ..plan() };
        let played = plan.play(&mut plan.player().unwrap(), 3);
        let strays = || played.random.iter().filter(|&&place| played.visits[place].is_some());
        assert!(strays().next().is_some(), "a turn drawn after the beginning was searched, too");
        let path = folder.path().join("a.sygo");
        let text = played.text(&plan.head());
        std::fs::write(&path, &text).unwrap();
        let read = || network::read(&path, 0.0);
        let samples = read().unwrap().remove(0);
        for (sample, (turn, visits)) in samples.iter().zip(played.turns.iter().zip(&played.visits)) {
            let seen = sample.seen(0);
            match visits {
                Some(visits) => {
                    let shares = visits.shares().map(|(turn, share)| (turn.clone(), share));
                    assert_eq!(seen.turns, shares.collect::<Vec<_>>());
                    let rounded = (visits.worth - seen.worth).abs();
                    assert!(rounded < 0.001, "{rounded}");
                }
                None if seen.turns.is_empty() => (),
                None => assert_eq!(seen.turns, [(turn.clone(), 1.0)]),
            }
        }
        for (from, to, says) in [
            ("[Visits \"1\"]", "[Visits \"2\"]", "another version"),
            ("{visits +0.", "{visits +7.", "no worth"),
            ("{visits -0.", "{visits -7.", "no worth"),
        ] {
            std::fs::write(&path, text.replace(from, to)).unwrap();
            let said = read().map_or_else(|error| format!("{error:#}"), |_| String::new());
            assert!(said.contains(says) || !text.contains(from), "{to}: {said}");
        }
        // Without the tag they are remarks like any other.
        std::fs::write(&path, text.replace("[Visits \"1\"]", "")).unwrap();
        let samples = read().unwrap().remove(0);
        let end = samples[0].seen(0).worth.abs();
        assert!(samples.iter().all(|sample| sample.seen(0).worth.abs() == end));
    }

    #[test]
    fn the_games_are_read_back_whole() {
        let folder = tempfile::tempdir().unwrap();
        run(&plan(), folder.path(), 20, 0..1, 1, &|_| ()).unwrap();
        let games: Vec<_> = files(folder.path()).iter().flat_map(|(_, text)| sygo_list::read(text)).collect();
        assert_eq!(games.len(), 20);
        for game in games {
            let game = game.expect("a game");
            assert!(game.fault.is_none() && game.plies.len() >= 4, "{game:?}");
        }
    }
}
