//! Plays one game: opening, moves, end.

use std::sync::Arc;

use crate::engine::control::Control;
use crate::game::{self, Game, Memory, Shared, Side, Worker};
use crate::random::{SplitMix, mix};
use crate::score::Score;
use crate::search::{Root, Rung};
use crate::shogi::entering::may_declare;
use crate::shogi::position::Position;
use crate::shogi::record::{Cause, End, Record, packed};
use crate::shogi::search::Searcher;
use crate::shogi::selfplay::{Plan, openings};
use crate::shogi::types::Move;
use crate::shogi::{SearchMemory, Shogi};

/// A game of so many plies is drawn.
const MAX_PLIES: usize = 320;
const TOO_LONG: End = End { winner: None, cause: Cause::MaxPlies };
/// For so many plies in a row the score must be clear before a game is given up.
const CLEAR_PLIES: i32 = 4;
/// Openings that one side leads by more, in hundredths of a pawn, are not played.
const LOPSIDED: i32 = 400;
/// A search ends at the latest after so many times the soft limit of nodes.
const OVERRUN: u64 = 8;
/// Bytes of the table for each node that a move may take: room for a long game.
const TABLE_BYTES_PER_NODE: u64 = 2_048;
const TABLE_BYTES: (u64, u64) = (1 << 20, 16 << 20);

/// Plays both sides.
pub(super) struct Player {
    plan: Plan,
    game: Arc<Shogi>,
    memory: Arc<SearchMemory>,
    worker: Searcher,
}

impl Player {
    pub(super) fn new(plan: &Plan) -> anyhow::Result<Player> {
        let game = Arc::new(plan.game()?);
        let bytes = plan.nodes.saturating_mul(TABLE_BYTES_PER_NODE).clamp(TABLE_BYTES.0, TABLE_BYTES.1);
        let memory = Arc::new(SearchMemory::with_bytes(bytes as usize)?);
        let shared = Shared { game: Arc::clone(&game), memory: Arc::clone(&memory), threads: 1 };
        Ok(Player { plan: plan.clone(), game, memory, worker: Searcher::new(Arc::new(shared), 0) })
    }

    /// Game `number` of the plan.
    pub(super) fn play(&mut self, number: u64) -> Record {
        // Each game begins with what the memory would hold in any other run.
        self.memory.clear(1);
        self.worker.new_game();
        let mut random = SplitMix::new(mix(self.plan.seed) ^ mix(!number));
        let mut position = self.opening(&mut random);
        let mut moves: Vec<Move> = position.past().iter().map(|past| past.played).collect();
        let mut scores = Vec::new();
        let mut lead = Lead::default();
        let mut end = None;
        while end.is_none() {
            let (score, mv) = self.search(&position);
            moves.push(mv);
            scores.push(packed(score));
            end = lead.after(score, position.side_to_move(), self.plan.adjudicate);
            position.make(mv);
            end = end.or_else(|| self.ended(&position));
        }
        Record { moves, scores, end: end.unwrap_or(TOO_LONG) }
    }

    /// A start of a game that neither side has won yet.
    fn opening(&mut self, random: &mut SplitMix) -> Position {
        loop {
            let start = self.game.start();
            if let Some(position) = openings::draw(start, self.plan.random, random)
                && self.ended(&position).is_none()
                && self.search(&position).0.clamped(2 * LOPSIDED).abs() <= LOPSIDED
            {
                return position;
            }
        }
    }

    /// How the game ended by the rules, if it is over.
    fn ended(&self, position: &Position) -> Option<End> {
        if let Some(outcome) = self.game.outcome(position) {
            let cause = match outcome.cause {
                game::Cause::Repetition => Cause::Repetition,
                game::Cause::PerpetualCheck => Cause::PerpetualCheck,
                _ => Cause::Mate,
            };
            return Some(End { winner: outcome.winner, cause });
        }
        if may_declare(position, self.game.settings().entering_king) {
            return Some(End { winner: Some(position.side_to_move()), cause: Cause::EnteringKing });
        }
        (position.plies_made() >= MAX_PLIES).then_some(TOO_LONG)
    }

    /// Value and best move of a position with legal moves.
    fn search(&mut self, position: &Position) -> (Score, Move) {
        self.memory.age();
        let control = Control::with_nodes(self.plan.nodes.saturating_mul(OVERRUN));
        let mut root = Root::new(position.clone());
        let mut done = None;
        while done.is_none() || control.nodes() < self.plan.nodes {
            let Some(stage) = self.worker.next_stage(&root, done) else { break };
            control.set_unstoppable(done.is_none());
            let (line, complete) = match self.worker.search(&root, stage, &control) {
                Rung::Complete(line) => (line, true),
                Rung::Partial(line) => (line, false),
                Rung::Stopped | Rung::NoTurn => break,
            };
            root.previous = vec![line];
            done = Some(stage);
            if !complete {
                break;
            }
        }
        let line = root.previous.first().expect("the first rung completes where there is a legal move");
        (line.score, line.turns[0])
    }
}

/// For how many plies who has been ahead clearly: positive for Black, negative for White.
#[derive(Default)]
struct Lead(i32);

impl Lead {
    /// Takes in the next score, seen by `side`, and decides the game if it is clear.
    fn after(&mut self, score: Score, side: Side, clear: i16) -> Option<End> {
        let ahead = match score.clamped(i32::from(i16::MAX)) {
            value if value >= i32::from(clear) => Some(side),
            value if value <= -i32::from(clear) => Some(side.other()),
            _ => None,
        };
        if let Score::MateIn(_) | Score::MatedIn(_) = score {
            return Some(End { winner: ahead, cause: Cause::MateSeen });
        }
        self.0 = match ahead {
            Some(Side::First) => self.0.max(0) + 1,
            Some(Side::Second) => self.0.min(0) - 1,
            None => 0,
        };
        (self.0.abs() >= CLEAR_PLIES).then_some(End { winner: ahead, cause: Cause::Score })
    }
}
