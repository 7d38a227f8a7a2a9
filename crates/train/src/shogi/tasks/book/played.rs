//! A book of shogi from recorded games.

use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;

use anyhow::bail;

use super::convert::{self, ConvertedPosition};
use crate::tasks::book::BookOptions;
use crate::tasks::book::games::BookTally;
use kaeshi_core::game::GameOptions;
use kaeshi_shogi::book::ShogiBookMove;
use kaeshi_shogi::network::SCALE;
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::sfen;
use kaeshi_shogi::rules::types::Move;
use kaeshi_shogi::{Shogi, ShogiSettings};
use kaeshi_system::output::remark;

/// Positions of a book, at most: about 1 GiB.
const MOST_POSITIONS: usize = 4_000_000;
/// Drawn games that are added to those of a move before its winning chance becomes a value: few games prove little.
const PRIOR_GAMES: f64 = 10.0;

/// A position, in the number of the move at which it came first, and its moves.
type Played = (ShogiPosition, BTreeMap<u16, BookTally>);

/// Makes the book that `common` asks for.
///
/// # Errors
/// A file cannot be read or written, no move is left, or there are too many positions.
pub(super) fn run(common: &BookOptions, rates: bool) -> anyhow::Result<ExitCode> {
    let game = Shogi::load(&ShogiSettings::default())?;
    let mut known: HashMap<u64, Played> = HashMap::new();
    let visited = common.filter.visit(&game, &common.out, |position, &turn, tally| {
        let (_, moves) = known.entry(position.key()).or_insert_with(|| (unplayed(position), BTreeMap::new()));
        moves.entry(turn.bits()).or_default().add(tally);
        if known.len() > MOST_POSITIONS {
            bail!("more than {MOST_POSITIONS} positions: name fewer games, or fewer plies (--game-plies)");
        }
        Ok(())
    })?;
    let games = visited.counted;
    let mut positions: Vec<ConvertedPosition> = Vec::new();
    for (position, moves) in known.into_values() {
        let kept = moves.into_iter().filter(|(_, tally)| common.filter.keeps(tally));
        let mut moves: Vec<(Move, ShogiBookMove)> =
            kept.map(|(bits, tally)| book_move(bits, tally, rates)).collect();
        moves.sort_by_key(|(turn, known)| (std::cmp::Reverse((known.count, known.value)), turn.bits()));
        if !moves.is_empty() {
            positions.push((position, moves));
        }
    }
    if positions.is_empty() {
        bail!("no move is left for the book of {games} games");
    }
    positions.sort_by_cached_key(|(position, _)| sfen::format(position));
    convert::write(&common.out, &positions, &format!("kaeshi book --game shogi --games: {games} games"))?;
    remark(format_args!("games: {games}"));
    Ok(visited.exit_code())
}

/// The position alone, without the moves before it.
fn unplayed(position: &ShogiPosition) -> ShogiPosition {
    sfen::parse(&sfen::format(position)).unwrap_or_else(|_| position.clone())
}

fn book_move(bits: u16, tally: BookTally, rates: bool) -> (Move, ShogiBookMove) {
    let turn = Move::from_bits(bits);
    let value = if rates { centipawns(tally) } else { 0 };
    (turn, ShogiBookMove { turn: turn.to_string(), reply: None, value, depth: 0, count: tally.games })
}

/// The winning chance of a move's players as a value for the side to move, on the scale of the evaluation.
fn centipawns(tally: BookTally) -> i32 {
    let points = tally.half_points as f64 / 2.0 + PRIOR_GAMES / 2.0;
    let chance = points / (tally.games as f64 + PRIOR_GAMES);
    (f64::from(SCALE) * (chance / (1.0 - chance)).ln()).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::book::games::GameFilter;
    use kaeshi_shogi::book::ShogiBook;
    use kaeshi_shogi::rules::handicap::START;

    const GAMES: &str = "V2.2\nN+A\nN-B\nPI\n+\n+7776FU\n-3334FU\n+2726FU\n%TORYO\n/\n\
        V2.2\nN+B\nN-A\nPI\n+\n+7776FU\n-8384FU\n+2726FU\n-8485FU\n%TORYO\n/\n\
        V2.2\nN+B\nN-A\nPI\n+\n+2726FU\n-3334FU\n+7776FU\n%TORYO\n/\n\
        V2.2\nN+B\nN-A\nPI\n+\n+2726FU\n-3334FU\n";

    fn book(filter: GameFilter, rates: bool) -> anyhow::Result<Vec<(String, i32, u64)>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("games.csa");
        std::fs::write(&file, GAMES)?;
        // The first game again, as match runners write it beside a file of all games.
        let kif = "先手：A\n後手：B\n手数----指手---------消費時間--\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n4 投了\n";
        std::fs::write(folder.path().join("later.kifu"), kif)?;
        let filter = GameFilter { games: vec![folder.path().to_owned()], ..filter };
        let out = folder.path().join("book.db");
        let common = BookOptions { out: out.clone(), positions: None, threads: 1, from: None, filter };
        run(&common, rates)?;
        let book = ShogiBook::read(&out)?;
        let moves = book.moves(&sfen::parse(START)?).into_iter();
        Ok(moves.map(|known| (known.turn, known.value, known.count)).collect())
    }

    #[test]
    fn moves_are_counted_and_filtered() {
        let all = GameFilter::default;
        let moves = |filter: GameFilter| {
            let mut moves = book(filter, false).expect("a book");
            moves.sort_by(|one, other| other.2.cmp(&one.2).then(one.0.cmp(&other.0)));
            moves
        };
        let pair = |turn: &str, count: u64| (turn.to_owned(), 0, count);
        assert_eq!(moves(all()), [pair("7g7f", 2), pair("2g2f", 1)]);
        assert_eq!(moves(GameFilter { least_games: Some(2), ..all() }), [pair("7g7f", 2)]);
        assert_eq!(
            moves(GameFilter { player: Some("B".to_owned()), ..all() }),
            [pair("2g2f", 1), pair("7g7f", 1)]
        );
        assert_eq!(moves(GameFilter { shortest: Some(4), ..all() }), [pair("7g7f", 1)]);
        // Black resigns in the second game only, where he is to move.
        assert_eq!(moves(GameFilter { winners: true, ..all() }), [pair("2g2f", 1), pair("7g7f", 1)]);
        assert_eq!(moves(GameFilter { least_rate: Some(60), ..all() }), [pair("2g2f", 1)]);
        assert!(book(GameFilter { player: Some("C".to_owned()), ..all() }, false).is_err());
    }

    #[test]
    fn rates_become_values() {
        let found = book(GameFilter::default(), true).expect("a book");
        // One point of two games; one point of one game: 6 of 11.
        assert_eq!(found, [("7g7f".to_owned(), 0, 2), ("2g2f".to_owned(), 109, 1)]);
    }
}
