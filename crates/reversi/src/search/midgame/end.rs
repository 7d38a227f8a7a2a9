//! The rest of the game from a medium number of empty squares on: no evaluation, the shared table.

use super::moves::ReversiMovePicker;
use super::{MidgameSearch, REPLY_CUT_EMPTIES, cut_by_replies};
use crate::rules::board::ReversiBoard;
use crate::rules::simd::{Isa, IsaJob};
use crate::search::endgame;
use crate::search::stability;
use crate::search::table::{EXACT, NO_MOVE, ReversiTtEntry, key};
use kaeshi_core::game::search::SearchStopped;

/// An exact search within (`alpha`, `alpha + 1`) from more than [`endgame::DEPTH`] empty squares.
pub struct EndgameSearch<'s, 'a> {
    /// The running search.
    pub search: &'s mut MidgameSearch<'a>,
    /// The position.
    pub board: ReversiBoard,
    /// Lower end of the window, in discs.
    pub alpha: i32,
}

impl IsaJob for EndgameSearch<'_, '_> {
    type Output = Result<i32, SearchStopped>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let EndgameSearch { search, board, alpha } = self;
        search.control.tick()?;
        let empties = board.empties();
        let key = key(board);
        search.table.prefetch(key);
        if let Some(most) = stability::cutoff(board, alpha, empties) {
            return Ok(most);
        }
        let legal = isa.moves(board.me, board.opponent);
        if legal == 0 {
            if isa.moves(board.opponent, board.me) == 0 {
                return Ok(board.final_score());
            }
            return Ok(-isa.run(EndgameSearch { search, board: board.passed(), alpha: -alpha - 1 })?);
        }
        let known = search.table.probe(key);
        let entry = known.filter(|entry| entry.covers(empties as u8, EXACT));
        if let Some(value) = entry.and_then(|entry| entry.settles(alpha)) {
            return Ok(value);
        }
        let mut moves = ReversiMovePicker::new();
        moves.fill(isa, board, legal);
        if moves.wipeout().is_some() {
            return Ok(64);
        }
        if empties > endgame::DEPTH + 1 {
            moves.prefetch(search.table);
        }
        if empties >= REPLY_CUT_EMPTIES
            && let Some(value) = cut_by_replies(search.table, &moves, alpha, (empties as u8, EXACT))
        {
            return Ok(value);
        }
        let best_known = known.map_or([NO_MOVE; 2], |entry| entry.moves);
        moves.prefer(best_known[0]);
        let mut best = -65;
        let mut best_square = NO_MOVE;
        loop {
            if moves.wants_ranks() {
                moves.rank_by_mobility(isa, board, best_known);
            }
            let Some(reply) = moves.next() else { break };
            let (board, alpha_below) = (reply.board, -alpha - 1);
            let value = if empties - 1 <= endgame::DEPTH {
                -search.solve(isa, board, alpha_below)
            } else {
                -isa.run(EndgameSearch { search, board, alpha: alpha_below })?
            };
            if value > best {
                best = value;
                best_square = reply.square;
                if value > alpha {
                    break;
                }
            }
        }
        let entry =
            ReversiTtEntry::updated(known, (empties as u8, EXACT), (alpha, alpha + 1), best, best_square);
        search.table.store(key, entry);
        Ok(best)
    }
}
