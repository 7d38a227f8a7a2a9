//! A game whose tree is written down: the games of the tests.

use std::time::Duration;

use kaeshi_core::game::facts::GameInfo;
use kaeshi_core::game::interrupt::Interrupt;
use kaeshi_core::game::options::OptionSpec;
use kaeshi_core::game::picture::{Picture, Style, TurnPicture};
use kaeshi_core::game::set_up::SetUp;
use kaeshi_core::game::{
    Game, GameError, GameNotation, GameOptions, GameOutcome, GameRules, GameSearch, GameView, SearchMemory,
    Side, TerminalCause, TimeAllocation,
};
use kaeshi_core::random::SplitMix;
use kaeshi_core::reference::Reference;

/// A position of the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct ModelNode {
    /// Places of the positions that its turns lead to.
    pub(super) next: Vec<usize>,
    /// Static value for the side to move.
    pub(super) value: i32,
    /// How the game ended for the side to move: 1, 0 or -1.
    pub(super) result: Option<i32>,
    /// Whether the turn that leads here counts as a capture.
    pub(super) captured: bool,
}

/// The whole tree; the first node is the start.
#[derive(Clone, Debug, Default)]
pub(super) struct ModelTree(pub(super) Vec<ModelNode>);

#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) node: usize,
    side: Side,
}

/// The game on a tree needs no memory.
pub(super) struct ModelMemory;

impl SearchMemory for ModelMemory {
    fn with_bytes(_: usize) -> Result<Self, GameError> {
        Ok(ModelMemory)
    }
    fn clear_unless(&self, _: usize, _: &Interrupt) {}
    fn age(&self) {}
    fn hashfull(&self) -> u16 {
        0
    }
}

static FACTS: GameInfo = GameInfo { name: "tree", title: "tree", ..GameInfo::MINIMAL };

impl GameOptions for ModelTree {
    type Settings = ModelTree;

    fn options() -> Vec<OptionSpec<ModelTree>> {
        Vec::new()
    }

    fn load(tree: &ModelTree) -> Result<Self, GameError> {
        Ok(tree.clone())
    }
}

impl GameRules for ModelTree {
    type Position = At;
    type Turn = usize;

    fn start(&self) -> At {
        At { node: 0, side: Side::First }
    }

    fn play(&self, at: &mut At, turn: &usize) {
        *at = At { node: *turn, side: at.side.other() };
    }

    fn turns(&self, at: &At) -> Vec<usize> {
        self.0[at.node].next.clone()
    }

    fn side_to_move(&self, at: &At) -> Side {
        at.side
    }

    fn outcome(&self, at: &At) -> Option<GameOutcome> {
        let winner = match self.0[at.node].result? {
            0 => None,
            1 => Some(at.side),
            _ => Some(at.side.other()),
        };
        Some(GameOutcome { winner, margin: 0, cause: TerminalCause::Mate })
    }

    fn identity(&self, at: &At) -> Vec<u8> {
        at.node.to_le_bytes().into_iter().chain([at.side as u8]).collect()
    }

    fn perft(&self, at: &At, depth: u32) -> u64 {
        let after = |node| At { node, side: at.side.other() };
        if depth == 0 {
            1
        } else {
            self.turns(at).into_iter().map(|t| self.perft(&after(t), depth - 1)).sum()
        }
    }
}

impl GameNotation for ModelTree {
    fn parse_position(&self, text: &str) -> Result<At, GameError> {
        let node = text.parse().map_err(|_| GameError::position(format!("'{text}' is not a node")))?;
        Ok(At { node, side: Side::First })
    }

    fn format_position(&self, at: &At) -> String {
        at.node.to_string()
    }

    fn parse_turn(&self, _: &At, text: &str) -> Result<usize, GameError> {
        text.parse().map_err(|_| GameError::turn(format!("'{text}' is not a turn")))
    }

    fn format_turn(&self, _: &At, turn: &usize) -> String {
        turn.to_string()
    }
}

impl GameView for ModelTree {
    fn picture(&self, at: &At) -> Picture {
        Picture {
            style: Style::Stones,
            columns: 1,
            rows: 1,
            names: vec!["node".into()],
            cells: vec![None],
            hands: Default::default(),
            to_move: at.side,
            number: 1,
            check: None,
            counts: None,
            territory: Default::default(),
        }
    }

    fn turn_picture(&self, _: &At, _: &usize) -> TurnPicture {
        TurnPicture::default()
    }

    fn set_up_text(_: &SetUp) -> String {
        String::new()
    }

    fn diagram(&self, at: &At) -> String {
        format!("U{}", at.node)
    }

    fn explain(&self, _: &At) -> String {
        String::new()
    }
}

impl GameSearch for ModelTree {
    type Memory = ModelMemory;
    type Worker = Reference<ModelTree>;

    fn captures_and_checks(&self, _: &At, turns: &[usize]) -> Vec<bool> {
        turns.iter().map(|&turn| self.0[turn].captured).collect()
    }

    fn pace(&self, _: &At, _: Duration) -> TimeAllocation {
        TimeAllocation::even(10.0)
    }

    fn evaluate(&self, at: &At) -> i32 {
        self.0[at.node].value
    }
}

impl Game for ModelTree {
    const FACTS: &'static GameInfo = &FACTS;

    fn bench() -> &'static [(&'static str, u16)] {
        &[]
    }
}

fn random_node(random: &mut SplitMix) -> ModelNode {
    ModelNode {
        value: random.within((0, 600)) as i32 - 300,
        captured: random.below(4) == 0,
        ..ModelNode::default()
    }
}

/// A tree of `depth` plies in layers. Where `joined`, several turns lead to one position, always at the same
/// distance from the start; otherwise no position occurs twice.
pub(super) fn layered(random: &mut SplitMix, depth: usize, joined: bool) -> ModelTree {
    let mut nodes = vec![random_node(random)];
    let mut layer = vec![0];
    for ply in 1..=depth {
        let mut next = Vec::new();
        for &node in &layer {
            if ply > 1 && random.below(10) == 0 {
                nodes[node].result = Some(random.below(3) as i32 - 1);
                continue;
            }
            for _ in 0..random.within((1, 4)) {
                if joined && !next.is_empty() && random.below(3) == 0 {
                    let known = next[random.below(next.len() as u32) as usize];
                    if !nodes[node].next.contains(&known) {
                        nodes[node].next.push(known);
                    }
                    continue;
                }
                nodes.push(random_node(random));
                next.push(nodes.len() - 1);
                let last = nodes.len() - 1;
                nodes[node].next.push(last);
            }
            if nodes[node].next.is_empty() {
                nodes[node].result = Some(0);
            }
        }
        layer = next;
    }
    ModelTree(nodes)
}

/// A graph in which positions recur at other distances from the start: each has one to three turns to any
/// other, and one of ten ends the game.
pub(super) fn recurring(random: &mut SplitMix, nodes: u32) -> ModelTree {
    let node = |place: u32, random: &mut SplitMix| {
        let mut node = random_node(random);
        if place > 0 && random.below(10) == 0 {
            node.result = Some(random.below(3) as i32 - 1);
            return node;
        }
        for _ in 0..random.within((1, 3)) {
            let next = random.below(nodes) as usize;
            if !node.next.contains(&next) {
                node.next.push(next);
            }
        }
        node
    };
    ModelTree((0..nodes).map(|place| node(place, random)).collect())
}

/// `width` turns at the start, each of which leads along a line without choice.
pub(super) fn lines(random: &mut SplitMix, width: usize, depth: usize) -> ModelTree {
    let mut nodes = vec![random_node(random)];
    for _ in 0..width {
        let mut last = 0;
        for _ in 0..depth {
            nodes.push(random_node(random));
            let new = nodes.len() - 1;
            nodes[last].next.push(new);
            last = new;
        }
    }
    ModelTree(nodes)
}
