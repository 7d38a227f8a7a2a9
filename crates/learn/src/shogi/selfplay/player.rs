//! Plays games: opening, moves, end.

use std::sync::Arc;

use crate::shogi::record::{ShogiEndCause, ShogiGameEnd, ShogiGameRecord, packed};
use crate::shogi::selfplay::{ShogiSelfplayConfig, openings};
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::{Iteration, SearchRoot};
use kaeshi_core::game::{self, GameError, GameRules, SearchMemory, Side, Worker, WorkerShared};
use kaeshi_core::random::{SplitMix, mix};
use kaeshi_shogi::rules::entering::may_declare;
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::types::Move;
use kaeshi_shogi::search::ShogiWorker;
use kaeshi_shogi::{Shogi, ShogiMemory};

/// A game of this many plies is drawn.
const MAX_PLIES: usize = 320;
const TOO_LONG: ShogiGameEnd = ShogiGameEnd { winner: None, cause: ShogiEndCause::MaxPlies };
/// For this many plies in a row the score must be clear before a game is given up.
const CLEAR_PLIES: i32 = 4;
/// Openings that one side leads by more, in centipawns, are not played.
const LOPSIDED: i32 = 400;
/// A search ends at the latest after this multiple of the soft limit of nodes.
const OVERRUN: u64 = 8;
/// Bytes of the table for each node that a move may take: room for a long game.
const TABLE_BYTES_PER_NODE: u64 = 2_048;
const TABLE_BYTES: (u64, u64) = (1 << 20, 16 << 20);

/// Plays one side, or both.
pub struct ShogiPlayer {
    nodes: u64,
    game: Arc<Shogi>,
    memory: Arc<ShogiMemory>,
    worker: ShogiWorker,
}

impl ShogiPlayer {
    /// A player by these rules and this evaluation that begins no further iteration of a move after this number of
    /// nodes.
    pub fn new(game: Shogi, nodes: u64) -> Result<ShogiPlayer, GameError> {
        let game = Arc::new(game);
        let bytes = nodes.saturating_mul(TABLE_BYTES_PER_NODE).clamp(TABLE_BYTES.0, TABLE_BYTES.1);
        let memory = Arc::new(ShogiMemory::with_bytes(bytes as usize)?);
        let shared = WorkerShared { game: Arc::clone(&game), memory: Arc::clone(&memory), threads: 1 };
        Ok(ShogiPlayer { nodes, game, memory, worker: ShogiWorker::new(Arc::new(shared), 0)? })
    }

    /// Game `number` of the plan, both sides of which it plays.
    pub(super) fn play(&mut self, plan: &ShogiSelfplayConfig, number: u64) -> ShogiGameRecord {
        self.new_game();
        let mut random = SplitMix::new(mix(plan.seed) ^ mix(!number));
        let opening = self.opening(plan.random, &mut random);
        let game = Arc::clone(&self.game);
        play_on(&game, opening, plan.adjudicate, |position| self.choose(position))
    }

    /// Forgets everything: each game begins with what the memory would hold in any other run.
    pub fn new_game(&mut self) {
        self.memory.clear(1);
        self.worker.new_game();
    }

    /// A start of a game that neither side has won yet, with a number of random plies.
    pub fn opening(&mut self, plies: (u32, u32), random: &mut SplitMix) -> ShogiPosition {
        loop {
            let start = self.game.start();
            if let Some(position) = openings::draw(start, plies, random)
                && ended(&self.game, &position).is_none()
                && self.choose(&position).0.clamped(2 * LOPSIDED).abs() <= LOPSIDED
            {
                return position;
            }
        }
    }

    /// Value and best move of a position with legal moves.
    pub fn choose(&mut self, position: &ShogiPosition) -> (Score, Move) {
        self.memory.age();
        let control = SearchControl::with_nodes(self.nodes.saturating_mul(OVERRUN));
        let mut root = SearchRoot::new(position.clone());
        let mut done = None;
        while done.is_none() || control.nodes() < self.nodes {
            let Some(stage) = self.worker.next_stage(&root, done) else { break };
            control.set_unstoppable(done.is_none());
            let (line, complete) = match self.worker.search(&root, stage, &control) {
                Iteration::Complete(line) => (line, true),
                Iteration::Partial(line) => (line, false),
                Iteration::Stopped | Iteration::NoTurn => break,
            };
            root.previous = vec![line];
            done = Some(stage);
            if !complete {
                break;
            }
        }
        let line = root.previous.first().expect("the first iteration completes where there is a legal move");
        (line.score, line.turns[0])
    }
}

/// The game from `position` on, where `choose` finds value and move of each position; it is given up
/// after some plies in a row with values beyond `adjudicate`.
pub fn play_on(
    game: &Shogi,
    mut position: ShogiPosition,
    adjudicate: i16,
    mut choose: impl FnMut(&ShogiPosition) -> (Score, Move),
) -> ShogiGameRecord {
    let mut moves: Vec<Move> = position.past().iter().map(|past| past.played).collect();
    let mut scores = Vec::new();
    let mut lead = Lead::default();
    let mut end = None;
    while end.is_none() {
        let (score, mv) = choose(&position);
        moves.push(mv);
        scores.push(packed(score));
        end = lead.after(score, position.side_to_move(), adjudicate);
        position.make(mv);
        end = end.or_else(|| ended(game, &position));
    }
    ShogiGameRecord { moves, scores, end: end.unwrap_or(TOO_LONG) }
}

/// How the game ended by the rules, if it is over.
fn ended(game: &Shogi, position: &ShogiPosition) -> Option<ShogiGameEnd> {
    if let Some(outcome) = game.outcome(position) {
        let cause = match outcome.cause {
            game::TerminalCause::Repetition => ShogiEndCause::Repetition,
            game::TerminalCause::PerpetualCheck => ShogiEndCause::PerpetualCheck,
            _ => ShogiEndCause::Mate,
        };
        return Some(ShogiGameEnd { winner: outcome.winner, cause });
    }
    if may_declare(position, game.settings().entering_king) {
        return Some(ShogiGameEnd {
            winner: Some(position.side_to_move()),
            cause: ShogiEndCause::EnteringKing,
        });
    }
    (position.plies_made() >= MAX_PLIES).then_some(TOO_LONG)
}

/// For how many plies who has been ahead clearly: positive for Black, negative for White.
#[derive(Default)]
struct Lead(i32);

impl Lead {
    /// Takes in the next score, seen by `side`, and decides the game if it is clear.
    fn after(&mut self, score: Score, side: Side, clear: i16) -> Option<ShogiGameEnd> {
        let ahead = match score.clamped(i32::from(i16::MAX)) {
            value if value >= i32::from(clear) => Some(side),
            value if value <= -i32::from(clear) => Some(side.other()),
            _ => None,
        };
        if let Score::MateIn(_) | Score::MatedIn(_) = score {
            return Some(ShogiGameEnd { winner: ahead, cause: ShogiEndCause::MateSeen });
        }
        self.0 = match ahead {
            Some(Side::First) => self.0.max(0) + 1,
            Some(Side::Second) => self.0.min(0) - 1,
            None => 0,
        };
        (self.0.abs() >= CLEAR_PLIES).then_some(ShogiGameEnd { winner: ahead, cause: ShogiEndCause::Score })
    }
}
