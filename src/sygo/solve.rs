//! Exact values: boards of at most [`MOST_POINTS`] points, searched to the end of the game.

pub mod moves;
pub mod search;
pub mod shape;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::engine::table::Table;
use crate::game::control::{Control, Signal};
use crate::game::search::Stopped;
use crate::game::{Memory, Rejected};
use crate::sygo::rules::board::Colour;
use crate::sygo::rules::points::{Point, SIZE_MAX};
use crate::sygo::rules::position::Position;
use crate::sygo::rules::turn::Turn;

use moves::{Child, MOST_TURNS, Node, Right, children, margin};
use search::{Bounds, Search, after_pass};
use shape::{Bits, MOST_POINTS, Shape, each};

/// What is known of a solved position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Final margin for the side to move when both play their best.
    pub margin: i32,
    /// Every turn that keeps it, in a fixed order.
    pub best: Vec<Turn>,
    /// One best line to the end of the game.
    pub line: Vec<Turn>,
}

/// Why a position was not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsolved {
    /// The control said stop, or so many nodes as were allowed did not suffice.
    #[error("stopped")]
    Stopped,
    /// Some position on the way has more turns than the search can number.
    #[error("too large: a position with more than {} turns came up", MOST_TURNS)]
    TooManyTurns,
}

impl From<Stopped> for Unsolved {
    fn from(Stopped: Stopped) -> Unsolved {
        Unsolved::Stopped
    }
}

/// What is to be solved: a position on a board of any shape.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The position.
    pub node: Node,
    /// Whether two passes have ended the game.
    pub over: bool,
}

impl Start {
    /// An empty board, White to move.
    pub fn empty(width: usize, height: usize) -> Start {
        let node = Node { own: 0, enemy: 0, right: Right::Other, passed: false };
        Start { width, height, node, over: false }
    }
}

/// Solves positions of one shape; what it learns from one helps with the next.
pub struct Solver {
    shape: Shape,
    table: Table<Bounds>,
}

impl Solver {
    /// A solver for boards of this width and height with a table of so many bytes.
    ///
    /// # Errors
    /// A board of more than [`MOST_POINTS`] points or [`SIZE_MAX`] columns or rows, or no memory.
    pub fn new(width: usize, height: usize, bytes: usize) -> Result<Solver, Rejected> {
        let shape = Shape::new(width, height).filter(|_| width.max(height) <= SIZE_MAX).ok_or_else(|| {
            Rejected(format!(
                "{width}x{height} is no board of 1 to {MOST_POINTS} points and at most {SIZE_MAX} columns and rows"
            ))
        })?;
        Ok(Solver { shape, table: Table::with_bytes(bytes)? })
    }

    /// The board.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Margin, all best turns and a best line of a position on a square board.
    ///
    /// # Errors
    /// The control says stop, or there are too many turns.
    pub fn solve(&self, position: &Position, control: &Control) -> Result<Solution, Unsolved> {
        let size = position.board.size();
        let start = Start { width: size, height: size, node: node(position), over: position.is_over() };
        self.solve_start(&start, control)
    }

    /// The same for a position that may be oblong.
    ///
    /// # Errors
    /// The control says stop, or there are too many turns.
    pub fn solve_start(&self, start: &Start, control: &Control) -> Result<Solution, Unsolved> {
        let mut node = start.node;
        if start.over {
            let margin = margin(&self.shape, node.own, node.enemy);
            return Ok(Solution { margin, best: Vec::new(), line: Vec::new() });
        }
        let mut search = Search::new(&self.shape, &self.table, control, 0);
        let value = search.value(node)?;
        let (best, _) = self.best_turns(&mut search, node, value, usize::MAX)?;
        let line = self.line(&mut search, &mut node, value)?;
        Ok(Solution { margin: value, best, line })
    }

    /// Margin and line of the best turn among those that are allowed; no line if none is.
    ///
    /// # Errors
    /// The control says stop, `limit` nodes do not suffice, or there are too many turns.
    pub fn best_of(
        &self,
        position: &Position,
        allowed: &dyn Fn(&Turn) -> bool,
        control: &Control,
        limit: u64,
    ) -> Result<(i32, Vec<Turn>), Unsolved> {
        let node = node(position);
        let mut search = Search::new(&self.shape, &self.table, control, 0);
        search.limit = limit;
        let mut list = Vec::new();
        children(&self.shape, node, &mut list)?;
        let mut best: Option<(i32, Turn, Node)> = None;
        let turns = list.iter().map(|child| (self.turn(child), child.node));
        for (turn, next) in turns.chain([(Turn::pass(), after_pass(node))]).filter(|(turn, _)| allowed(turn))
        {
            let ends = next.passed && node.passed;
            let value = if ends {
                margin(&self.shape, node.own, node.enemy)
            } else if let Some((value, ..)) = &best
                && search.reaches(next, -value)?
            {
                continue;
            } else {
                -search.value(next)?
            };
            if best.as_ref().is_none_or(|(least, ..)| value > *least) {
                best = Some((value, turn, next));
            }
        }
        let Some((value, turn, mut next)) = best else { return Ok((0, Vec::new())) };
        let ends = turn == Turn::pass() && node.passed;
        let mut line = vec![turn];
        if !ends {
            line.append(&mut self.line(&mut search, &mut next, -value)?);
        }
        Ok((value, line))
    }

    /// A line to the end that keeps `value`.
    fn line(&self, search: &mut Search, node: &mut Node, value: i32) -> Result<Vec<Turn>, Unsolved> {
        let mut line = Vec::new();
        let mut expected = value;
        loop {
            let (mut turns, next) = self.best_turns(search, *node, expected, 1)?;
            line.append(&mut turns);
            match next {
                Some(next) => *node = next,
                None => return Ok(line),
            }
            expected = -expected;
        }
    }

    /// Value of a position for its mover, by `threads` threads that share the table.
    ///
    /// # Errors
    /// The signal says stop, or there are too many turns.
    pub fn value(&self, node: Node, signal: &Arc<Signal>, threads: usize) -> Result<i32, Unsolved> {
        let answer = Mutex::new(Err(Unsolved::Stopped));
        let done = Signal::new(Instant::now(), threads, None);
        std::thread::scope(|scope| {
            for index in 0..threads.max(1) {
                let (answer, done) = (&answer, &done);
                scope.spawn(move || {
                    let control = Control::new(Arc::clone(done), index);
                    let salt = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                    let value = Search::new(&self.shape, &self.table, &control, salt).value(node);
                    if value != Err(Unsolved::Stopped) {
                        *answer.lock().unwrap_or_else(PoisonError::into_inner) = value;
                        done.stop();
                    }
                });
            }
            // The outer signal may end the work from elsewhere.
            while !done.is_stopped() {
                if signal.is_stopped() {
                    done.stop();
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        answer.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first `wanted` turns that keep `value`, and the position after the first of them
    /// unless it ends the game.
    fn best_turns(
        &self,
        search: &mut Search,
        node: Node,
        value: i32,
        wanted: usize,
    ) -> Result<(Vec<Turn>, Option<Node>), Unsolved> {
        let mut turns = Vec::new();
        let mut next = None;
        let mut list = Vec::new();
        children(&self.shape, node, &mut list)?;
        for child in &list {
            if turns.len() < wanted && !search.reaches(child.node, 1 - value)? {
                if turns.is_empty() {
                    next = Some(child.node);
                }
                turns.push(self.turn(child));
            }
        }
        if turns.len() < wanted {
            let passing = if node.passed {
                margin(&self.shape, node.own, node.enemy) >= value
            } else {
                !search.reaches(after_pass(node), 1 - value)?
            };
            if passing {
                if turns.is_empty() && !node.passed {
                    next = Some(after_pass(node));
                }
                turns.push(Turn::pass());
            }
        }
        Ok((turns, next))
    }

    fn turn(&self, child: &Child) -> Turn {
        let point = |bit: Bits| {
            let index = bit.trailing_zeros() as usize;
            Point::new(index % self.shape.width(), index / self.shape.width())
        };
        Turn::new(each(child.growth).map(point), each(child.placement).map(point).next())
    }
}

/// A position of a square board as the solver sees it.
pub fn node(position: &Position) -> Node {
    let size = position.board.size();
    let bits = |colour| {
        position.board.stones(colour).iter().map(|p| 1 << (p.row() * size + p.column())).sum::<Bits>()
    };
    let right = match (position.grown, position.side) {
        (true, _) => Right::Gone,
        (false, Colour::Black) => Right::Mover,
        (false, Colour::White) => Right::Other,
    };
    Node { own: bits(position.side), enemy: bits(position.side.other()), right, passed: position.passes == 1 }
}
