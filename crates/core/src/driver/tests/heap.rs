//! A game of matches, with a worker that does wrong when it is asked to.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::game::options::OptionSpec;

#[derive(Clone)]
pub(super) struct Heap {
    pub(super) left: u32,
    pub(super) side: Side,
}

#[derive(Clone, Default)]
pub(super) struct MatchSettings {
    /// Whether the worker knows its answer at once.
    pub(super) book: bool,
    /// Whether the worker deepens for ever, one iteration each millisecond.
    pub(super) endless: bool,
    /// Whether the worker panics.
    pub(super) panics: bool,
    /// Whether the second iteration is cut off when all it knows is that the score rose.
    pub(super) rises: bool,
    /// Whether the second iteration is cut off when all it knows is that the first turn loses.
    pub(super) falls: bool,
    /// Whether the second iteration takes a second, whatever the clock says.
    pub(super) deaf: bool,
    /// Whether no worker can be made.
    pub(super) unmade: bool,
    /// Whether it takes a while to make one.
    pub(super) slow: bool,
    /// Set once a position was valued.
    pub(super) valued: Arc<AtomicBool>,
}

pub(super) struct HeapMemory;

impl SearchMemory for HeapMemory {
    fn with_bytes(_: usize) -> Result<Self, GameError> {
        Ok(HeapMemory)
    }
    fn clear_unless(&self, _: usize, _: &Interrupt) {}
    fn age(&self) {}
    fn hashfull(&self) -> u16 {
        0
    }
}

/// Take one, two or three matches; who takes the last one wins. A multiple of four is lost.
pub(super) struct LoadedHeap(pub(super) MatchSettings);

static MATCHES: GameInfo = GameInfo {
    name: "matches",
    title: "matches",
    search: SearchInfo { levels: &LEVELS, ..SearchInfo::MINIMAL },
    ..GameInfo::MINIMAL
};
static LEVELS: [SkillLevel; 20] =
    [SkillLevel { depth: Some(2), nodes: None, error: 0, lines: 1, overlooked: 0 }; 20];

impl GameOptions for LoadedHeap {
    type Settings = MatchSettings;

    fn options() -> Vec<OptionSpec<MatchSettings>> {
        vec![
            OptionSpec::check("Book", false, |s: &mut MatchSettings, v| s.book = v),
            OptionSpec::check("Endless", false, |s, v| s.endless = v),
            OptionSpec::check("Panics", false, |s, v| s.panics = v),
            OptionSpec::check("Rises", false, |s, v| s.rises = v),
            OptionSpec::check("Falls", false, |s, v| s.falls = v),
            OptionSpec::check("Deaf", false, |s, v| s.deaf = v),
            OptionSpec::check("Unmade", false, |s, v| s.unmade = v),
            OptionSpec::check("Slow", false, |s, v| s.slow = v),
        ]
    }

    fn load(settings: &MatchSettings) -> Result<Self, GameError> {
        Ok(LoadedHeap(settings.clone()))
    }
}

impl GameRules for LoadedHeap {
    type Position = Heap;
    type Turn = u32;

    fn start(&self) -> Heap {
        Heap { left: 9, side: Side::First }
    }

    fn play(&self, position: &mut Heap, turn: &u32) {
        position.left -= turn;
        position.side = position.side.other();
    }

    fn turns(&self, position: &Heap) -> Vec<u32> {
        (1..=position.left.min(3)).collect()
    }

    fn side_to_move(&self, position: &Heap) -> Side {
        position.side
    }

    fn outcome(&self, position: &Heap) -> Option<GameOutcome> {
        (position.left == 0).then(|| GameOutcome {
            winner: Some(position.side.other()),
            margin: 0,
            cause: TerminalCause::Mate,
        })
    }

    fn identity(&self, position: &Heap) -> Vec<u8> {
        position.left.to_le_bytes().to_vec()
    }

    fn perft(&self, position: &Heap, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let child = |turn: u32| Heap { left: position.left - turn, side: position.side.other() };
        self.turns(position).into_iter().map(|turn| self.perft(&child(turn), depth - 1)).sum()
    }
}

impl GameNotation for LoadedHeap {
    fn parse_position(&self, text: &str) -> Result<Heap, GameError> {
        if text == "startpos" {
            return Ok(self.start());
        }
        let left =
            text.parse().map_err(|_| GameError::position(format!("'{text}' is not a number of matches")))?;
        Ok(Heap { left, side: Side::First })
    }

    fn format_position(&self, position: &Heap) -> String {
        position.left.to_string()
    }

    fn parse_turn(&self, position: &Heap, text: &str) -> Result<u32, GameError> {
        let turn = text.parse().map_err(|_| GameError::turn(format!("'{text}' is not a number")))?;
        if self.turns(position).contains(&turn) { Ok(turn) } else { Err(GameError::turn("not so many")) }
    }

    fn is_turn(&self, _: &Heap, text: &str) -> bool {
        text.parse::<u32>().is_ok()
    }

    fn format_turn(&self, _: &Heap, turn: &u32) -> String {
        turn.to_string()
    }
}

impl GameView for LoadedHeap {
    fn picture(&self, heap: &Heap) -> Picture {
        Picture {
            style: Style::Stones,
            columns: 1,
            rows: 1,
            names: vec!["heap".into()],
            cells: vec![None],
            hands: Default::default(),
            to_move: heap.side,
            number: 1,
            check: None,
            counts: None,
            territory: Default::default(),
        }
    }

    fn turn_picture(&self, _: &Heap, _: &u32) -> TurnPicture {
        TurnPicture::default()
    }

    fn set_up_text(_: &crate::game::set_up::SetUp) -> String {
        String::new()
    }

    fn diagram(&self, position: &Heap) -> String {
        "|".repeat(position.left as usize)
    }

    fn explain(&self, _: &Heap) -> String {
        "nothing is known".into()
    }
}

impl GameSearch for LoadedHeap {
    type Memory = HeapMemory;
    type Worker = HeapPlayer;

    fn pace(&self, position: &Heap, _: Duration) -> TimeAllocation {
        TimeAllocation::even(position.left as f32 / 4.0)
    }

    fn evaluate(&self, _: &Heap) -> i32 {
        self.0.valued.store(true, Ordering::Relaxed);
        0
    }
}

impl Game for LoadedHeap {
    const FACTS: &'static GameInfo = &MATCHES;

    fn bench() -> &'static [(&'static str, u16)] {
        &[("9", 5), ("14", 6)]
    }
}

/// How long a deaf worker takes.
pub(super) const DEAF: Duration = Duration::from_secs(1);

/// Alpha-beta, unless the settings make it misbehave.
pub(super) struct HeapPlayer {
    pub(super) settings: MatchSettings,
    pub(super) search: Reference<LoadedHeap>,
}

impl Worker<LoadedHeap> for HeapPlayer {
    fn new(shared: Arc<WorkerShared<LoadedHeap>>, _: usize) -> Result<Self, GameError> {
        let settings = shared.game.0.clone();
        assert!(!settings.unmade, "as it was asked to");
        if settings.slow {
            std::thread::sleep(Duration::from_millis(300));
        }
        Ok(HeapPlayer { settings, search: Reference::with(shared, Method::AlphaBeta, true) })
    }
    fn new_game(&mut self) {
        self.search.new_game();
    }
    fn book_or_declaration(
        &mut self,
        _: &SearchRoot<LoadedHeap>,
        _: &SearchControl,
    ) -> Option<BookOrDeclaration<u32>> {
        self.settings.book.then(|| BookOrDeclaration::Book {
            turns: vec![2, 3],
            score: Score::Cp(17),
            depth: 5,
        })
    }
    fn next_stage(
        &self,
        root: &SearchRoot<LoadedHeap>,
        done: Option<IterationStage>,
    ) -> Option<IterationStage> {
        if self.settings.endless {
            return Some(IterationStage::depth(done.map_or(1, |stage| stage.depth + 1)));
        }
        self.search.next_stage(root, done).filter(|next| next.depth <= 30)
    }
    fn search(
        &mut self,
        root: &SearchRoot<LoadedHeap>,
        stage: IterationStage,
        control: &SearchControl,
    ) -> Iteration<LoadedHeap> {
        assert!(!self.settings.panics, "as it was asked to");
        if self.settings.deaf && stage.depth == 2 {
            std::thread::sleep(DEAF);
        }
        if self.settings.rises && stage.depth == 2 {
            let (score, bound) = (Score::Cp(70), Bound::Lower);
            return Iteration::Partial(PvLine { score, bound, turns: vec![3], seldepth: stage.depth });
        }
        if self.settings.falls && stage.depth == 2 {
            let (score, bound) = (Score::MatedIn(2), Bound::Exact);
            return Iteration::Partial(PvLine { score, bound, turns: vec![1], seldepth: stage.depth });
        }
        if !self.settings.endless {
            return self.search.search(root, stage, control);
        }
        std::thread::sleep(Duration::from_millis(1));
        let turns: Vec<u32> =
            (1..=root.position.left.min(3)).filter(|turn| root.allows(turn)).take(1).collect();
        match control.check() {
            _ if turns.is_empty() => Iteration::NoTurn,
            Ok(()) => Iteration::Complete(PvLine {
                score: Score::Cp(0),
                bound: Bound::Exact,
                turns,
                seldepth: stage.depth,
            }),
            Err(_) => Iteration::Stopped,
        }
    }
}
