//! Games that were won after they had looked lost.

use maud::Markup;

use super::{owned, table};
use crate::tournament::journal::{GameWithMoves, Journal, JournalMove};
use crate::tournament::report::numbers::printable;

/// Rows of the table.
const SHOWN: usize = 10;
/// A score from which a game looks lost, in centipawns, or hundredths of a disc or point.
const LOST: i32 = -300;
/// What a mate counts as, less a hundredth for each ply to it.
const MATE: i32 = 100_000;

/// The winner's worst moment.
struct Comeback<'a> {
    played: &'a GameWithMoves,
    worst: i32,
    ply: u32,
}

/// The table of the greatest comebacks by play, as the winners' own scores show them; empty if there
/// was none.
pub fn comebacks(journal: &Journal) -> Markup {
    let mut found: Vec<Comeback> = journal.games.iter().filter_map(comeback).collect();
    found.sort_by_key(|comeback| (comeback.worst, comeback.played.game.pair, comeback.played.game.game));
    if found.is_empty() {
        return Markup::default();
    }
    let rows: Vec<Vec<String>> = found
        .iter()
        .take(SHOWN)
        .map(|comeback| {
            let game = &comeback.played.game;
            let winner = game.result.winner().map_or("", |side| game.name(side));
            let score = if comeback.worst < -MATE / 2 {
                format!("mated in {}", MATE + comeback.worst)
            } else {
                format!("{:+.2}", f64::from(comeback.worst) / 100.0)
            };
            vec![
                format!("{}.{}", game.pair + 1, game.game + 1),
                printable(winner),
                score,
                comeback.ply.to_string(),
                game.plies.to_string(),
            ]
        })
        .collect();
    let head = owned(["game", "won by", "its lowest score", "at ply", "plies"]);
    table("Comebacks", &head, &rows)
}

fn comeback(played: &GameWithMoves) -> Option<Comeback<'_>> {
    let winner = played.game.result.winner().filter(|_| !played.game.cause.is_fault())?;
    let own = played.moves.iter().filter(|one| one.mover() == winner);
    let (worst, ply) = own.filter_map(|one| Some((score(one)?, one.ply))).min()?;
    (worst <= LOST).then_some(Comeback { played, worst, ply })
}

/// The mover's score, mates included.
fn score(played: &JournalMove) -> Option<i32> {
    match played.mate {
        Some(mate) if mate > 0 => Some(MATE - mate.min(999)),
        Some(mate) => Some(-MATE - mate.max(-999)),
        None => played.cp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::summary::tests::journal;

    #[test]
    fn the_worst_moment_of_a_winner_is_reported() {
        let mut journal = journal(&[[0, 1]], &["ww", "ww", "Tw"]);
        assert_eq!(comebacks(&journal).into_string(), "");
        journal.games[0].moves[2].cp = Some(-450);
        journal.games[1].moves[1].mate = Some(-7);
        // The loser's despair is no comeback, nor is a win by the other's fault.
        journal.games[2].moves[1].cp = Some(-900);
        journal.games[4].moves[1].cp = Some(-900);
        let table = comebacks(&journal).into_string();
        assert_eq!(table.matches("<tr>").count(), 3, "{table}");
        let (mate, pawns) = (table.find("mated in 7").unwrap(), table.find("-4.50").unwrap());
        assert!(mate < pawns, "{table}");
    }
}
