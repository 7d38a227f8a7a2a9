//! The search of one thread: alpha-beta with a table and a quiescence of captures.

use std::sync::Arc;

use crate::engine::control::Control;
use crate::engine::table::Table;
use crate::game::{Decision, Game, Shared, Side, Worker};
use crate::search::{Line, Root, Rung, Stage, Stopped};
use crate::shogi::entering::{EnteringKingRule, may_declare, try_move};
use crate::shogi::evaluate::evaluate;
use crate::shogi::material::ON_BOARD;
use crate::shogi::movegen::{MoveList, Wanted};
use crate::shogi::position::Position;
use crate::shogi::repetition::Repetition;
use crate::shogi::types::Move;
use crate::shogi::value::{
    Bound, EVAL_LIMIT, Entry, INFINITE, MATE, MATE_BOUND, MAX_PLY, SUPERIOR, mated_in, score,
};
use crate::shogi::{Settings, Shogi};

/// The deepest rung.
const MAX_DEPTH: u16 = 120;

/// One search thread.
pub struct Searcher {
    shared: Arc<Shared<Shogi>>,
    position: Position,
    /// Value of a draw by the side to move.
    draw: [i32; 2],
    seldepth: usize,
}

impl Searcher {
    fn settings(&self) -> &Settings {
        self.shared.game.settings()
    }

    fn table(&self) -> &Table<Entry> {
        &self.shared.memory.0
    }

    /// The value of a position decided by its rules alone, if it is.
    fn decided(&self, ply: usize) -> Option<i32> {
        let position = &self.position;
        let draw = self.draw[position.side_to_move().index()];
        match position.recurrence(ply) {
            Some(Repetition::Draw) => return Some(draw),
            Some(Repetition::Win) => return Some(MATE - ply as i32),
            Some(Repetition::Loss) => return Some(mated_in(ply)),
            Some(Repetition::Superior) => return Some(SUPERIOR - ply as i32),
            Some(Repetition::Inferior) => return Some(ply as i32 - SUPERIOR),
            None => {}
        }
        let rule = self.settings().entering_king;
        if may_declare(position, rule) || (rule == EnteringKingRule::Try && try_move(position).is_some()) {
            return Some(MATE - ply as i32 - 1);
        }
        if self.shared.game.too_many_moves(position) {
            return Some(if position.in_check() && !position.has_legal_move() {
                mated_in(ply)
            } else {
                draw
            });
        }
        (ply >= MAX_PLY).then(|| self.evaluate())
    }

    fn evaluate(&self) -> i32 {
        evaluate(&self.position).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    fn ordered(&self, wanted: Wanted, first: Move) -> MoveList {
        let mut moves = MoveList::new();
        self.position.generate(wanted, &mut moves);
        let key = |mv: &Move| {
            if *mv == first {
                return i32::MIN;
            }
            if mv.is_drop() {
                return 1;
            }
            let moved = self.position.piece_on(mv.from()).kind();
            let victim = self.position.piece_on(mv.to());
            let gain = if victim.is_some() { ON_BOARD[victim.kind().index()] * 10 } else { 0 };
            let raised = if mv.is_promotion() {
                ON_BOARD[moved.promoted().index()] - ON_BOARD[moved.index()]
            } else {
                0
            };
            if gain == 0 && raised == 0 { 0 } else { -gain - raised + ON_BOARD[moved.index()] / 10 }
        };
        moves.sort_by_cached_key(key);
        moves
    }

    fn alpha_beta(
        &mut self,
        depth: i32,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        line: &mut Vec<Move>,
        control: &Control,
    ) -> Result<i32, Stopped> {
        line.clear();
        if let Some(value) = self.decided(ply) {
            return Ok(value);
        }
        if depth <= 0 && !self.position.in_check() {
            return self.quiescence(ply, alpha, beta, control);
        }
        control.tick()?;
        self.seldepth = self.seldepth.max(ply);
        let key = self.position.key();
        let known = self.table().probe(key);
        if let Some(entry) = known
            && entry.depth() >= depth
            && beta - alpha == 1
        {
            let value = entry.value(ply);
            let usable = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if usable {
                return Ok(value);
            }
        }
        let moves = self.ordered(Wanted::USEFUL, known.map_or(Move::NONE, |entry| entry.best));
        let (mut best, mut best_move) = (mated_in(ply), Move::NONE);
        let floor = alpha;
        let mut below = Vec::new();
        for mv in moves {
            self.position.make(mv);
            let deeper = depth - 1 + i32::from(self.position.in_check() && depth > 1);
            let mut value = Ok(INFINITE);
            if best_move.is_some() {
                value = self.alpha_beta(deeper, ply + 1, -alpha - 1, -alpha, &mut below, control).map(|v| -v);
            }
            if value.is_ok_and(|v| v > alpha) && (best_move == Move::NONE || beta - alpha > 1) {
                value = self.alpha_beta(deeper, ply + 1, -beta, -alpha, &mut below, control).map(|v| -v);
            }
            self.position.unmake();
            let value = value?;
            if value > best || best_move == Move::NONE {
                best = value;
                best_move = mv;
                if value > alpha {
                    alpha = value;
                    line.clear();
                    line.push(mv);
                    line.append(&mut below);
                }
                if value >= beta {
                    break;
                }
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > floor {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if best_move.is_some() {
            self.table().store(key, Entry::new(best_move, best, ply, 0, depth, bound, false));
        }
        Ok(best)
    }

    fn quiescence(
        &mut self,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        control: &Control,
    ) -> Result<i32, Stopped> {
        control.tick()?;
        self.seldepth = self.seldepth.max(ply);
        let mut best = self.evaluate();
        if best >= beta || ply >= MAX_PLY {
            return Ok(best);
        }
        alpha = alpha.max(best);
        let us = self.position.side_to_move();
        let captures =
            Wanted { to: self.position.of(us.other()), drops: Default::default(), ..Wanted::USEFUL };
        for mv in self.ordered(captures, Move::NONE) {
            self.position.make(mv);
            let value = self.quiescence(ply + 1, -beta, -alpha, control).map(|v| -v);
            self.position.unmake();
            best = best.max(value?);
            alpha = alpha.max(best);
            if best >= beta {
                break;
            }
        }
        Ok(best)
    }
}

impl Worker<Shogi> for Searcher {
    fn new(shared: Arc<Shared<Shogi>>, _: usize) -> Self {
        let position = shared.game.start();
        Searcher { shared, position, draw: [0; 2], seldepth: 0 }
    }

    fn new_game(&mut self) {}

    fn at_once(&mut self, root: &Root<Shogi>, _: &Control) -> Option<Decision<Move>> {
        let rule = self.settings().entering_king;
        if rule == EnteringKingRule::Try {
            return try_move(&root.position).filter(|mv| root.allows(mv)).map(Decision::Play);
        }
        may_declare(&root.position, rule).then_some(Decision::DeclareWin)
    }

    fn next_stage(&self, root: &Root<Shogi>, done: Option<Stage>) -> Option<Stage> {
        let depth = done.map_or(0, |stage| stage.depth);
        let decided = root.previous.first().is_some_and(|line| {
            let value = line.score.clamped(MATE);
            value.abs() >= MATE_BOUND && depth > line.turns.len() as u16 + 2
        });
        (depth < MAX_DEPTH && !decided).then(|| Stage::depth(depth + 1))
    }

    fn search(&mut self, root: &Root<Shogi>, stage: Stage, control: &Control) -> Rung<Shogi> {
        self.position = root.position.clone();
        self.seldepth = 0;
        let us = self.position.side_to_move();
        let value = self.settings().draw_value[us.index()];
        self.draw = if us == Side::First { [value, -value] } else { [-value, value] };
        let first = root.previous.first().map_or(Move::NONE, |line| line.turns[0]);
        let mut alpha = -INFINITE;
        let mut best: Option<Line<Shogi>> = None;
        let mut below = Vec::new();
        for mv in self.ordered(Wanted::ALL, first) {
            if !root.allows(&mv) {
                continue;
            }
            self.position.make(mv);
            let depth = i32::from(stage.depth) - 1;
            let value = self.alpha_beta(depth, 1, -INFINITE, -alpha, &mut below, control).map(|v| -v);
            self.position.unmake();
            match value {
                Ok(value) if value > alpha => {
                    alpha = value;
                    let mut turns = vec![mv];
                    turns.append(&mut below);
                    best = Some(Line { score: score(value), turns, seldepth: self.seldepth as u16 });
                }
                Ok(_) => {}
                Err(Stopped) => return best.map_or(Rung::Stopped, Rung::Partial),
            }
        }
        best.map_or(Rung::NoTurn, Rung::Complete)
    }
}
