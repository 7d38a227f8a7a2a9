//! Certificates: turns that prove a value to a checker that knows only the rules.
//!
//! For each side a certificate has one turn for every position in which that side may have to move when it keeps to
//! these turns and the other side plays anything. A checker that follows all of them to the end of the game and counts
//! there knows the least and the most points that White gets. `examples/sygo_certificate.rs` does that;
//! `docs/reference/sygo-engine.md` describes the format.

mod pending;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};

use super::graph::{Bits, Graph, each};
use super::moves::{MOST_TURNS, Right, SolverChild, SolverNode, children, margin};
use super::search::{SolverSearch, after_pass};
use super::shape::BoardShape;
use super::{SolverStart, SygoSolver, Unsolved};
use crate::rules::board::Colour;
use crate::rules::notation::format_turn;
use crate::rules::turn::SygoTurn;
use kaeshi_core::game::control::SearchControl;
use pending::PendingPositions;

/// The first line of a file of certificates.
pub const TITLE: &str = "sygo certificates 1";

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The search ended without an answer.
    #[error(transparent)]
    Unsolved(#[from] Unsolved),
    /// The file, or one without a name beside it, cannot be written or read.
    #[error("{0}")]
    File(#[from] io::Error),
    /// The position is worth less than that to this side.
    #[error("{position}: no turn keeps {points:+} points")]
    NoTurn {
        /// The position.
        position: String,
        /// Points of the side that is to move.
        points: i32,
    },
}

/// Writes the certificate of a position that is worth `value` to the side to move. Returns the numbers of turns of
/// White and of Black. Data beyond the memory limit goes through temporary files that `new_file` makes: empty, open for
/// writing and reading, and deleted when they are closed.
///
/// # Errors
/// See [`CertificateError`].
pub fn write(
    solver: &SygoSolver<BoardShape>,
    start: &SolverStart,
    value: i32,
    output: &mut impl Write,
    new_file: &dyn Fn() -> io::Result<File>,
    control: &SearchControl,
) -> Result<[u64; 2], CertificateError> {
    let for_white = if start.side == Colour::White { value } else { -value };
    let shape = solver.graph();
    let passes = if start.over { 2 } else { u8::from(start.node.passed) };
    writeln!(output, "position {}", describe(shape, start.node, start.side, passes))?;
    writeln!(output, "value {for_white:+}")?;
    let mut counts = [0; 2];
    let sides = [("white", Colour::White, for_white), ("black", Colour::Black, -for_white)];
    for (count, (name, side, points)) in counts.iter_mut().zip(sides) {
        writeln!(output, "{name}")?;
        if !start.over {
            let search = SolverSearch::new(shape, &solver.table, control, 0);
            let pending = PendingPositions::new(shape.width() * shape.height(), new_file);
            *count =
                Prover { search, shape, side, points, pending, list: Vec::new() }.prove(start, output)?;
        }
    }
    writeln!(output, "end {} {}", counts[0], counts[1])?;
    Ok(counts)
}

/// One side of a certificate.
struct Prover<'a> {
    search: SolverSearch<'a, BoardShape>,
    shape: &'a BoardShape,
    side: Colour,
    /// The points that the side gets at least.
    points: i32,
    pending: PendingPositions<'a>,
    list: Vec<SolverChild>,
}

impl Prover<'_> {
    /// Writes all turns of the side and returns their number. Every turn but a pass takes a vacant point, and after a
    /// pass of either side the other one takes one or ends the game: so positions with fewer vacant points come
    /// later only.
    fn prove(&mut self, start: &SolverStart, output: &mut impl Write) -> Result<u64, CertificateError> {
        if start.side == self.side {
            self.expect(start.node)?;
        } else {
            self.expect_after(start.node)?;
        }
        let mut lines = 0;
        for vacant in (0..=self.shape.width() * self.shape.height()).rev() {
            let mut layer = self.pending.take(vacant)?;
            while let Some(node) = layer.next()? {
                let (turn, next) = self.keeping(node)?;
                let position = describe(self.shape, node, self.side, u8::from(node.passed));
                writeln!(output, "{position} {}", format_turn(&turn))?;
                lines += 1;
                if let Some(next) = next {
                    self.expect_after(next)?;
                }
            }
        }
        Ok(lines)
    }

    /// A position in which the side has to move.
    fn expect(&mut self, node: SolverNode) -> io::Result<()> {
        let (own, enemy) = self.shape.canonical(node.own, node.enemy);
        let vacant = self.shape.full() & !(own | enemy);
        self.pending.add(vacant.count_ones() as usize, SolverNode { own, enemy, ..node })
    }

    /// All that may follow a position in which the other side moves.
    fn expect_after(&mut self, node: SolverNode) -> Result<(), CertificateError> {
        let mut list = std::mem::take(&mut self.list);
        children(self.shape, node, Bits::MAX, MOST_TURNS, &mut list)?;
        list.iter().try_for_each(|child| self.expect(child.node))?;
        self.list = list;
        if !node.passed {
            self.expect(after_pass(node))?;
        }
        Ok(())
    }

    /// A turn that keeps the points, and the position after it; none where it ends the game.
    fn keeping(&mut self, node: SolverNode) -> Result<(SygoTurn, Option<SolverNode>), CertificateError> {
        if node.passed && margin(self.shape, node.own, node.enemy) >= self.points {
            return Ok((SygoTurn::pass(), None));
        }
        // The search has answered most positions on its way to the value: that turn is the cheapest to confirm.
        if let Some(child) = self.search.known(node)?
            && !self.search.reaches(child.node, 1 - self.points)?
        {
            return Ok((self.turn(&child), Some(child.node)));
        }
        let mut list = Vec::new();
        children(self.shape, node, Bits::MAX, MOST_TURNS, &mut list)?;
        let mut turns: Vec<(Option<&SolverChild>, SolverNode)> =
            list.iter().map(|child| (Some(child), child.node)).collect();
        if !node.passed {
            turns.push((None, after_pass(node)));
        }
        // Turns that leave the other side behind by most come first: their proofs are smallest.
        turns.sort_by_key(|(_, next)| margin(self.shape, next.own, next.enemy));
        for (child, next) in turns {
            if !self.search.reaches(next, 1 - self.points)? {
                return Ok((child.map_or(SygoTurn::pass(), |child| self.turn(child)), Some(next)));
            }
        }
        let position = describe(self.shape, node, self.side, u8::from(node.passed));
        Err(CertificateError::NoTurn { position, points: self.points })
    }

    fn turn(&self, child: &SolverChild) -> SygoTurn {
        let point = |vertex| self.shape.point(vertex);
        SygoTurn::new(each(child.growth).map(point), each(child.placement).map(point).next())
    }
}

/// A position as a certificate names it: the first four fields of its five.
fn describe(shape: &BoardShape, node: SolverNode, side: Colour, passes: u8) -> String {
    let letters = if side == Colour::White { ['w', 'b'] } else { ['b', 'w'] };
    let mut text = String::with_capacity(48);
    for row in (0..shape.height()).rev() {
        let mut run = 0;
        for column in 0..shape.width() {
            let point: Bits = 1 << (row * shape.width() + column);
            let stone = if node.own & point != 0 {
                letters[0]
            } else if node.enemy & point != 0 {
                letters[1]
            } else {
                run += 1;
                continue;
            };
            push_run(&mut text, &mut run);
            text.push(stone);
        }
        push_run(&mut text, &mut run);
        text.push(if row > 0 { '/' } else { ' ' });
    }
    let grown = if node.right == Right::Gone { 'g' } else { '-' };
    // Writing to a string cannot fail.
    let _ = write!(text, "{} {grown} {passes}", letters[0]);
    text
}

fn push_run(text: &mut String, run: &mut usize) {
    if *run > 0 {
        let _ = write!(text, "{run}");
        *run = 0;
    }
}
