//! The turns played from a position in the kept games and in opened files, with their results.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::Serialize;

use super::games;
use super::library::Library;
use super::saved::Saved;
use kaeshi_engine::games::GameName;
use kaeshi_records::GameRecord;

/// Most games of opened files that are looked into; the latest ones stay.
const OPENED: usize = 5_000;
/// Most turns of a game that are looked into.
const TURNS: usize = 512;

/// The games that were looked into.
#[derive(Default)]
pub(super) struct Explorer {
    /// By the name of the game's file: the time of its last change, and its turns.
    kept: HashMap<String, (u64, ExplorerGame)>,
    opened: Vec<ExplorerGame>,
    /// Hashes of the files that were opened: one that is opened twice counts once.
    files: HashSet<u64>,
}

/// The turns of one game.
struct ExplorerGame {
    game: GameName,
    steps: Vec<ExplorerStep>,
    result: ExplorerResult,
}

/// How a game ended, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExplorerResult {
    Won(usize),
    Drawn,
    Unknown,
}

/// A turn, and the position before it.
struct ExplorerStep {
    key: u64,
    turn: TurnTexts,
}

/// A turn in the words of the protocol, in Japanese and in Western notation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct TurnTexts {
    t: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    j: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    w: Option<String>,
}

/// A turn that was played from the position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Continuation {
    #[serde(flatten)]
    turn: TurnTexts,
    /// Games in which it was played.
    games: usize,
    /// Games that the first side won, drawn games, and games that the second side won.
    results: [usize; 3],
}

impl Explorer {
    /// Looks into the kept games that are new or have changed.
    pub(super) fn refresh(&mut self, library: &Library) {
        let entries = library.list().games;
        self.kept.retain(|id, _| entries.iter().any(|entry| entry.id == *id));
        for entry in entries {
            if self.kept.get(&entry.id).is_some_and(|(changed, _)| *changed == entry.summary.changed) {
                continue;
            }
            if let Some(played) = library.read(&entry.id).ok().and_then(|(_, saved)| of_saved(&saved)) {
                self.kept.insert(entry.id, (entry.summary.changed, played));
            }
        }
    }

    /// Looks into the games of a file of these bytes that was opened.
    pub(super) fn add(&mut self, bytes: &[u8], records: &[GameRecord]) {
        if !self.files.insert(hash(bytes)) {
            return;
        }
        self.opened.extend(records.iter().take(OPENED).filter_map(of_record));
        let surplus = self.opened.len().saturating_sub(OPENED);
        self.opened.drain(..surplus);
    }

    /// The turns that were played from a position of `game`, the most frequent first; `except` is left out.
    pub(super) fn continuations(&self, game: GameName, position: &str, except: &str) -> Vec<Continuation> {
        let wanted = key(position);
        let kept = self.kept.iter().filter(|(id, _)| *id != except).map(|(_, (_, played))| played);
        let mut found: Vec<Continuation> = Vec::new();
        for played in kept.chain(&self.opened).filter(|played| played.game == game) {
            let Some(step) = played.steps.iter().find(|step| step.key == wanted) else { continue };
            let index = found.iter().position(|one| one.turn.t == step.turn.t).unwrap_or_else(|| {
                found.push(Continuation { turn: step.turn.clone(), games: 0, results: [0; 3] });
                found.len() - 1
            });
            let one = &mut found[index];
            one.games += 1;
            match played.result {
                ExplorerResult::Won(side) => one.results[if side == 0 { 0 } else { 2 }] += 1,
                ExplorerResult::Drawn => one.results[1] += 1,
                ExplorerResult::Unknown => {}
            }
        }
        found.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.turn.t.cmp(&b.turn.t)));
        found
    }
}

/// Equal for positions that differ in the number of the move alone.
fn key(position: &str) -> u64 {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let without =
        position.rsplit_once(' ').filter(|(_, last)| is_number(last)).map_or(position, |(rest, _)| rest);
    hash(without.as_bytes())
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn of_saved(saved: &Saved) -> Option<ExplorerGame> {
    let game = GameName::parse(&saved.summary.game)?;
    let mut turns = Vec::new();
    let mut at = saved.live;
    while at > 0 {
        let ply = saved.nodes.get(at).filter(|ply| ply.parent < at)?;
        turns.push(ply.t.as_str());
        at = ply.parent;
    }
    turns.reverse();
    let result = match saved.summary.over.as_ref().map(|over| over.winner) {
        Some(Some(winner)) => ExplorerResult::Won(winner),
        Some(None) => ExplorerResult::Drawn,
        None => ExplorerResult::Unknown,
    };
    played(game, &saved.start, turns.into_iter(), result)
}

fn of_record(record: &GameRecord) -> Option<ExplorerGame> {
    let turns = record.plies.iter().map(|ply| ply.turn.as_str());
    let mut played = played(record.game, &record.start, turns, ExplorerResult::Unknown)?;
    if let Some(ending) = &record.ending {
        played.result = match ending.winner {
            Some(winner) => ExplorerResult::Won(winner.index()),
            None => ExplorerResult::Drawn,
        };
    }
    Some(played)
}

/// The turns of a game as far as they are legal.
fn played<'a>(
    game: GameName,
    start: &str,
    turns: impl Iterator<Item = &'a str>,
    result: ExplorerResult,
) -> Option<ExplorerGame> {
    let mut tree = games::tree(game, Some(start), 0).ok()?;
    let (mut node, mut steps) = (0, Vec::new());
    for turn in turns.take(TURNS) {
        let key = key(&tree.position(node));
        let Ok(next) = tree.play(node, turn) else { break };
        let ply = &tree.plies()[next];
        steps.push(ExplorerStep {
            key,
            turn: TurnTexts { t: ply.t.clone(), j: ply.j.clone(), w: ply.w.clone() },
        });
        node = next;
    }
    Some(ExplorerGame { game, steps, result })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room::tests::saved_game;

    fn found(explorer: &Explorer, position: &str, except: &str) -> Vec<(String, usize, [usize; 3])> {
        let all = explorer.continuations(GameName::Reversi, position, except);
        all.into_iter().map(|one| (one.turn.t, one.games, one.results)).collect()
    }

    #[test]
    fn moves_of_kept_games_and_of_opened_files_are_counted_with_their_results() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(folder.path()).unwrap();
        let ids = ["0", "1"].map(|digit| digit.repeat(32));
        for (id, turns) in ids.iter().zip([["f5", "d6"], ["f5", "f6"]]) {
            library.file(id).unwrap().write(&saved_game("reversi", &turns)).unwrap();
        }
        let mut explorer = Explorer::default();
        explorer.refresh(&library);
        let text = "f5d6c3d3c4f4f6f3e6e7d7g6d8c5c6c7c8b4b5a4a3b6\nd3c3\n";
        let records: Vec<GameRecord> =
            kaeshi_records::read(text.as_bytes(), Some(GameName::Reversi)).into_iter().flatten().collect();
        assert_eq!(records.len(), 2);
        for _ in 0..2 {
            explorer.add(text.as_bytes(), &records);
        }
        let mut tree = games::tree(GameName::Reversi, None, 8).unwrap();
        let start = tree.position(0);
        assert_eq!(found(&explorer, &start, ""), [("f5".into(), 3, [0; 3]), ("d3".into(), 1, [0; 3])]);
        let node = tree.play(0, "f5").unwrap();
        assert_eq!(found(&explorer, &tree.position(node), &ids[1]), [("d6".into(), 2, [0; 3])]);
        library.remove(&ids[0]).unwrap();
        explorer.refresh(&library);
        assert_eq!(found(&explorer, &start, "")[0].1, 2, "a removed game counts no more");
    }

    #[test]
    fn the_number_of_a_move_makes_no_other_position() {
        assert_eq!(key("sfen 9/9 b - 1"), key("sfen 9/9 b - 31"));
        assert_ne!(key("sfen 9/9 b - 1"), key("sfen 9/9 w - 1"));
    }
}
