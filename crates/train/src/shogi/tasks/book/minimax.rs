//! Minimax over a book: the value of a move becomes that of the best play from the position it leads to, as far as the
//! book knows it, as `makebook peta_shock` of YaneuraOu does it.
//!
//! A legal move that leads to a position of the book is followed even where the book does not have the move. A
//! position is also found with the colours exchanged. Values of moves that lead into the book begin at 0, the value of
//! a repetition, and are computed again and again until none changes: play that only the book's cycles continue stays
//! a draw. The result depends on the book alone.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use anyhow::bail;

use super::convert::{self, ConvertedPosition};
use kaeshi_shogi::book::{ShogiBook, ShogiBookMove, turned};
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::sfen;
use kaeshi_shogi::rules::types::Move;
use kaeshi_system::output::progress_bar;
use kaeshi_system::stop_signal::StopSignal;

/// Rounds over all positions, at most: the depth to which values are carried back through cycles.
const ROUNDS: u32 = 512;
/// Depth of play that does not leave the cycles of the book.
const ENDLESS: u16 = 999;

/// A move of a node.
struct Edge {
    turn: Move,
    /// For the side to move, in centipawns.
    value: i32,
    /// Depth of the search behind the value, and the plies of the book in front of it.
    depth: u16,
    /// The node that it leads to.
    next: Option<Target>,
}

/// A node, and whether it is the position with the colours exchanged.
#[derive(Clone, Copy)]
struct Target {
    node: u32,
    turned: bool,
}

/// The moves of a position; never empty.
type MinimaxNode = Vec<Edge>;

/// Reads `from`, computes its values, and writes `out`, each in the format that its name states.
///
/// # Errors
/// A book that cannot be read or is empty, a file that cannot be written, or a signal.
pub(super) fn run(from: &Path, out: &Path) -> anyhow::Result<()> {
    let book = ShogiBook::read(from)?;
    let (mut positions, faults) = convert::positions(&book);
    let known = positions.len();
    positions.retain(|(_, moves)| !moves.is_empty());
    if positions.is_empty() {
        bail!("{} knows no position", from.display());
    }
    let valued = valued(&positions)?;
    convert::write(out, &valued, &format!("kaeshi book --game shogi --minimax --from {}", from.display()))?;
    convert::say_left_out(&book, known, faults);
    Ok(())
}

/// The same positions with the values of best play. The best move comes first.
fn valued(positions: &[ConvertedPosition]) -> anyhow::Result<Vec<ConvertedPosition>> {
    let mut nodes = linked(positions)?;
    settle(positions, &mut nodes)?;
    let known = positions.iter().zip(&nodes).map(|((position, moves), node)| {
        let mut edges: Vec<&Edge> = node.iter().collect();
        edges.sort_by(|one, other| order(one, other));
        let moves = edges.into_iter().map(|edge| (edge.turn, book_move(edge, moves, &nodes))).collect();
        (position.clone(), moves)
    });
    Ok(known.collect())
}

/// The graph of a book.
fn linked(positions: &[ConvertedPosition]) -> anyhow::Result<Vec<MinimaxNode>> {
    let mut places: HashMap<u64, Target> = HashMap::new();
    for ((position, _), node) in positions.iter().zip(0..) {
        places.insert(position.key(), Target { node, turned: false });
    }
    for ((position, _), node) in positions.iter().zip(0..) {
        let Some(other) = exchanged(position) else { continue };
        if let Entry::Vacant(free) = places.entry(other.key()) {
            free.insert(Target { node, turned: true });
        }
    }
    let bar = progress_bar(positions.len() as u64, "positions");
    let mut nodes = Vec::with_capacity(positions.len());
    for (position, moves) in positions {
        StopSignal::of_process().check()?;
        let mut node: MinimaxNode = Vec::with_capacity(moves.len());
        let mut after = position.clone();
        for &turn in position.legal_moves().iter() {
            after.make(turn);
            let next = places.get(&after.key()).copied();
            after.unmake();
            let known = moves.iter().find(|(known, _)| *known == turn).map(|(_, known)| known);
            match (next, known) {
                (Some(_), _) => node.push(Edge { turn, value: 0, depth: ENDLESS, next }),
                (None, Some(known)) => node.push(Edge { turn, value: known.value, depth: known.depth, next }),
                (None, None) => (),
            }
        }
        nodes.push(node);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(nodes)
}

/// The position with the colours exchanged.
fn exchanged(position: &ShogiPosition) -> Option<ShogiPosition> {
    sfen::parse(&format!("{} 1", turned::position(&sfen::format(position)))).ok()
}

/// Which of two moves is better: the one of the higher value; of equal ones the shorter way where that is good for the
/// side to move, and the longer one where it is not, since a cycle may lie there.
fn order(one: &Edge, other: &Edge) -> Ordering {
    let depth = if one.value > 0 { one.depth.cmp(&other.depth) } else { other.depth.cmp(&one.depth) };
    other.value.cmp(&one.value).then(depth).then(one.turn.bits().cmp(&other.turn.bits()))
}

fn best(node: &MinimaxNode) -> Option<&Edge> {
    node.iter().min_by(|one, other| order(one, other))
}

/// Carries values back until none changes. Later positions come first, so that few rounds suffice.
fn settle(positions: &[ConvertedPosition], nodes: &mut [MinimaxNode]) -> anyhow::Result<()> {
    let mut sequence: Vec<usize> = (0..nodes.len()).collect();
    sequence.sort_by_key(|&node| std::cmp::Reverse(positions[node].0.move_number()));
    let bar = progress_bar(u64::from(ROUNDS), "rounds");
    for _ in 0..ROUNDS {
        StopSignal::of_process().check()?;
        let mut changed = false;
        for &node in &sequence {
            for at in 0..nodes[node].len() {
                let Some(next) = nodes[node][at].next else { continue };
                let Some(found) = best(&nodes[next.node as usize]) else { continue };
                let (value, depth) =
                    (found.value.saturating_neg(), found.depth.saturating_add(1).min(ENDLESS));
                let edge = &mut nodes[node][at];
                changed |= (edge.value, edge.depth) != (value, depth);
                (edge.value, edge.depth) = (value, depth);
            }
        }
        bar.inc(1);
        if !changed {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// A move as the book writes it; the reply is the best move of the position behind it.
fn book_move(edge: &Edge, moves: &[(Move, ShogiBookMove)], nodes: &[MinimaxNode]) -> ShogiBookMove {
    let known = moves.iter().find(|(known, _)| *known == edge.turn).map(|(_, known)| known);
    let answer = edge.next.and_then(|next| Some((best(nodes.get(next.node as usize)?)?, next.turned)));
    let reply = match answer {
        Some((found, true)) => Some(turned::turn(&found.turn.to_string())),
        Some((found, false)) => Some(found.turn.to_string()),
        None => known.and_then(|known| known.reply.clone()),
    };
    let count = known.map_or(0, |known| known.count);
    ShogiBookMove { turn: edge.turn.to_string(), reply, value: edge.value, depth: edge.depth, count }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_core::random::SplitMix;
    use kaeshi_shogi::rules::handicap::START;
    use kaeshi_shogi::rules::notation::parse_move;

    fn after(turns: &str) -> ShogiPosition {
        let mut position = sfen::parse(START).expect("the start");
        for turn in turns.split_whitespace() {
            position.make(parse_move(&position, turn).expect("legal"));
        }
        position
    }

    fn known(turns: &str, moves: &[(&str, i32)]) -> ConvertedPosition {
        let position = after(turns);
        let moves = moves.iter().map(|&(turn, value)| {
            let known = ShogiBookMove { turn: turn.to_owned(), reply: None, value, depth: 10, count: 3 };
            (parse_move(&position, turn).expect("legal"), known)
        });
        (position.clone(), moves.collect())
    }

    /// Move, reply, value and depth of each move.
    fn summary((_, moves): &ConvertedPosition) -> Vec<String> {
        let one = |(_, known): &(Move, ShogiBookMove)| {
            let reply = known.reply.as_deref().unwrap_or("none");
            format!("{} {reply} {} {}", known.turn, known.value, known.depth)
        };
        moves.iter().map(one).collect()
    }

    #[test]
    fn values_are_those_of_best_play_in_the_book() {
        let book = [
            known("", &[("7g7f", 100), ("2g2f", 20), ("6g6f", -30)]),
            known("7g7f", &[("3c3d", 0), ("8c8d", 60)]),
            known("2g2f", &[("8c8d", -5)]),
            // Behind 7g7f 8c8d: not so bad for Black after all.
            known("7g7f 8c8d", &[("2g2f", 40)]),
        ];
        let found = valued(&book).expect("values");
        // 7g7f: White's best is 3c3d (0), as 8c8d is -40 for White.
        assert_eq!(summary(&found[0]), ["2g2f 8c8d 5 11", "7g7f 3c3d 0 11", "6g6f none -30 10"]);
        assert_eq!(summary(&found[1]), ["3c3d none 0 10", "8c8d 2g2f -40 11"]);
        assert_eq!(found[0].1[0].1.count, 3);
    }

    #[test]
    fn moves_that_lead_into_the_book_are_added_also_with_colours_exchanged() {
        let other = exchanged(&after("7g7f")).expect("a position");
        let book = [known("", &[("9g9f", 1)]), known("5g5f", &[("5c5d", 8)]), {
            let turn = parse_move(&other, "2g2f").expect("legal");
            let known =
                ShogiBookMove { turn: "2g2f".to_owned(), reply: None, value: 50, depth: 10, count: 3 };
            (other, vec![(turn, known)])
        }];
        let found = valued(&book).expect("values");
        assert_eq!(summary(&found[0]), ["9g9f none 1 10", "5g5f 5c5d -8 11", "7g7f 8c8d -50 11"]);
        assert_eq!(found[0].1.iter().map(|(_, known)| known.count).collect::<Vec<_>>(), [3, 0, 0]);
    }

    #[test]
    fn cycles_without_a_better_way_out_are_draws() {
        let there = "5i5h 5a5b";
        let back = "5i5h 5a5b 5h5i";
        let book = [
            known("", &[("5i5h", 0), ("7g7f", -200)]),
            known("5i5h", &[("5a5b", 0), ("3c3d", -300)]),
            known(there, &[("5h5i", 0), ("7g7f", -150)]),
            known(back, &[("5b5a", 0), ("3c3d", -100)]),
        ];
        let found = valued(&book).expect("values");
        // Each side would lose by leaving the cycle.
        let first = |found: &[ConvertedPosition], at: usize| summary(&found[at]).swap_remove(0);
        assert_eq!(first(&found, 0), format!("5i5h 5a5b 0 {ENDLESS}"));
        assert_eq!(first(&found, 3), format!("5b5a 5i5h 0 {ENDLESS}"));
        // White gains by leaving it, so Black does not enter it, and White has its way where Black has.
        let mut better = book.to_vec();
        better[1] = known("5i5h", &[("5a5b", 0), ("3c3d", 300)]);
        let found = valued(&better).expect("values");
        assert_eq!(first(&found, 0), "7g7f none -200 10");
        assert_eq!(first(&found, 3), "5b5a 7g7f 200 11");
    }

    #[test]
    fn the_order_of_positions_changes_nothing() {
        let mut random = SplitMix::new(3);
        let mut book = Vec::new();
        let mut ahead = vec![String::new()];
        while let Some(turns) = ahead.pop().filter(|_| book.len() < 200) {
            let legal = after(&turns).legal_moves();
            let mut moves: Vec<String> = Vec::new();
            for _ in 0..3 {
                let turn = legal[random.below(legal.len() as u32) as usize].to_string();
                if !moves.contains(&turn) {
                    moves.push(turn);
                }
            }
            let of: Vec<(&str, i32)> =
                moves.iter().map(|turn| (turn.as_str(), random.below(1_000) as i32 - 500)).collect();
            if book.iter().all(|(position, _): &ConvertedPosition| position.key() != after(&turns).key()) {
                book.push(known(&turns, &of));
            }
            if turns.split_whitespace().count() < 6 {
                ahead.extend(moves.iter().map(|turn| format!("{turns} {turn}")));
            }
        }
        let values = |book: &[ConvertedPosition]| {
            let mut found: Vec<_> = valued(book)
                .expect("values")
                .iter()
                .map(|known| (sfen::format(&known.0), format!("{:?}", summary(known))))
                .collect();
            found.sort();
            found
        };
        let forward = values(&book);
        book.reverse();
        assert_eq!(forward, values(&book));
    }
}
