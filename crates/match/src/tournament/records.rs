//! The games of a match as neutral records, and the files that a match leaves of them.

use std::fs;
use std::path::Path;

use anyhow::Context;

use super::journal::{EngineInfo, GameWithMoves, Journal, JournalMove};
use kaeshi_core::game::Side;
use kaeshi_engine::games::GameName;
use kaeshi_records as records;
use kaeshi_records::referee::ending::Ending;
use kaeshi_records::referee::replay::{Replay, ReplayStep, split_start};
use kaeshi_records::referee::{RefereeBoard, RefereeRules, rules_by_name};
use kaeshi_records::{GameRecord, PlyRemarks, RecordFormat, RecordPly, csa, kif};
use kaeshi_system::output::write_whole;

/// Replays a game of a journal, its opening included, as far as it is legal; `watch` is shown the
/// board at the start and after each turn.
///
/// # Errors
/// A start that cannot be read; names the game.
pub fn replay(
    rules: &dyn RefereeRules,
    played: &GameWithMoves,
    watch: impl FnMut(&dyn RefereeBoard),
) -> anyhow::Result<Replay> {
    let (position, opening) = split_start(&played.game.start);
    let moves = played.moves.iter().map(|one| ReplayStep { turn: &one.m, expected: &one.pv });
    Replay::watched(rules, position, opening.into_iter().map(ReplayStep::bare).chain(moves), watch)
        .with_context(|| format!("pair {} game {}", played.game.pair + 1, played.game.game + 1))
}

/// How many plies of a replayed game belong to its opening; the moves of the journal follow.
pub fn opening_plies(played: &GameWithMoves, replay: &Replay) -> usize {
    split_start(&played.game.start).1.len().min(replay.plies.len())
}

/// The record of a replayed game as far as it is legal.
///
/// # Errors
/// An unknown game.
pub fn record(journal: &Journal, played: &GameWithMoves, replay: &Replay) -> anyhow::Result<GameRecord> {
    let name = &journal.open.game;
    let game = GameName::parse(name).with_context(|| format!("'{name}' is no game known here"))?;
    let opening = opening_plies(played, replay);
    let start = if replay.is_usual {
        "startpos".to_owned()
    } else {
        game.facts().notation.position_argument(&replay.start)
    };
    let mut record = GameRecord::new(game, RecordFormat::Line, 1, start);
    record.players = [played.game.first.clone(), played.game.second.clone()];
    record.event.clone_from(&journal.open.tool);
    record.date.clone_from(&played.game.t0);
    record.limit = limit(journal, played).unwrap_or_default().to_owned();
    record.plies = replay
        .plies
        .iter()
        .enumerate()
        .map(|(index, ply)| {
            let of_match = index.checked_sub(opening).and_then(|index| played.moves.get(index));
            let remarks = of_match.map(|of_match| Box::new(remarks(of_match, &ply.expected)));
            RecordPly { remarks, ..RecordPly::new(&ply.turn) }
        })
        .collect();
    record.ending = Some(Ending {
        winner: played.game.result.winner(),
        cause: Some(played.game.cause),
        margin: played.game.margin,
        detail: played.game.detail.clone(),
    });
    Ok(record)
}

fn remarks(of_match: &JournalMove, expected: &[String]) -> PlyRemarks {
    PlyRemarks {
        used_us: Some(of_match.used_us),
        score: of_match.score(),
        depth: of_match.depth,
        nodes: of_match.nodes,
        expected: expected.to_vec(),
        comments: Vec::new(),
    }
}

/// The limit of both players, if it is the same.
fn limit<'a>(journal: &'a Journal, played: &GameWithMoves) -> Option<&'a str> {
    let engine = |name: &str| -> Option<&'a EngineInfo> {
        journal.open.engines.iter().find(|engine| engine.name == name)
    };
    let [first, second] = [Side::First, Side::Second].map(|side| engine(played.game.name(side)));
    let (first, second) = (first?, second?);
    (first.limit == second.limit).then_some(first.limit.as_str())
}

/// Writes all games of a match below `folder`, in the usual forms of its game.
///
/// # Errors
/// A game that cannot be replayed, or a file that cannot be written; names which.
pub fn write_all(journal: &Journal, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let rules = rules_by_name(&journal.open.game)?;
    let of_game = |played| record(journal, played, &replay(&*rules, played, |_| {})?);
    let played: Vec<GameRecord> = journal.all_games().map(of_game).collect::<anyhow::Result<_>>()?;
    let name = rules.facts().name;
    if name == kif::GAME.name() {
        write_one_by_one(journal, &played, folder)?;
    }
    for form in GameName::parse(name).map(records::written).into_iter().flatten() {
        let Some(between) = form.between else { continue };
        let games = played.iter().map(form.write).collect::<Result<Vec<_>, _>>()?;
        put(folder, &format!("games.{}", form.extension), games.join(between).as_bytes())?;
    }
    Ok(())
}

/// A file of KIF holds one game. Of a file of CSA many programs read the first game only, so there is one for each game
/// as well.
fn write_one_by_one(journal: &Journal, records: &[GameRecord], folder: &Path) -> anyhow::Result<()> {
    let [kif, csa] = ["kif", "csa"].map(|form| folder.join(form));
    for folder in [&kif, &csa] {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    for (played, record) in journal.all_games().zip(records) {
        let again = match played.game.leg {
            0 => String::new(),
            leg => format!("-replay{leg}"),
        };
        let name = format!("{:05}-{}{again}", played.game.pair + 1, played.game.game + 1);
        put(&kif, &format!("{name}.kifu"), kif::write(record)?.as_bytes())?;
        put(&csa, &format!("{name}.csa"), csa::write(record, csa::CsaVersion::V2)?.as_bytes())?;
    }
    Ok(())
}

fn put(folder: &Path, name: &str, text: &[u8]) -> anyhow::Result<()> {
    write_whole(&folder.join(name), text)
}

#[cfg(test)]
mod tests;
