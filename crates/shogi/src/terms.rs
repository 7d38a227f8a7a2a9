//! Terms of players for a position: exchanged bishops, a mate, the threat of one, a threat without defence.

use crate::mate::{MateSolver, MateVerdict};
use crate::rules::position::ShogiPosition;
use crate::rules::sfen;
use crate::rules::types::PieceKind;
use kaeshi_core::game::Side;
use kaeshi_core::game::control::SearchControl;

/// Nodes of one search for a mate.
const NODES: u64 = 3_000;
/// Searches for one position; then nothing is said.
const SEARCHES: u32 = 400;
/// Checks in a row that a side may give which is mated otherwise.
const CHECKS: u32 = 3;
const BYTES: usize = 8 << 20;

/// A line for each term that holds in `position`. Terms that are not found within some hundredths of a second are left
/// out.
pub fn terms(position: &ShogiPosition) -> Vec<String> {
    let mut found = Vec::new();
    if [Side::First, Side::Second].iter().all(|&side| position.hand(side).count(PieceKind::BISHOP) == 1) {
        found.push("kakugawari: the bishops are exchanged".to_owned());
    }
    let mut mates = Mates { solver: MateSolver::with_bytes(BYTES), left: SEARCHES };
    let mover = position.side_to_move();
    if let Some(moves) = mates.mate(position) {
        found.push(format!("tsume: {} mates in {}", colour(mover), counted(moves)));
    } else if let Some(moves) = passed(position).and_then(|passed| mates.mate(&passed)) {
        let attacker = colour(mover.other());
        if mates.is_lost(position, CHECKS) {
            found.push(format!("hisshi: {attacker} mates whatever {} plays", colour(mover)));
        } else {
            found.push(format!("tsumero: {attacker} threatens to mate in {}", counted(moves)));
        }
    }
    found
}

fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "Black",
        Side::Second => "White",
    }
}

fn counted(moves: usize) -> String {
    format!("{moves} move{}", if moves == 1 { "" } else { "s" })
}

/// The same position with the other side to move; `None` while a check has to be answered.
fn passed(position: &ShogiPosition) -> Option<ShogiPosition> {
    let text = sfen::format(position);
    let (board, rest) = text.split_once(' ')?;
    let (_, rest) = rest.split_once(' ')?;
    let side = if position.side_to_move() == Side::First { 'w' } else { 'b' };
    if position.in_check() { None } else { sfen::parse(&format!("{board} {side} {rest}")).ok() }
}

/// Searches for mates.
struct Mates {
    solver: MateSolver,
    left: u32,
}

impl Mates {
    /// Within how many moves the side to move mates by checks alone, if that is found.
    fn mate(&mut self, position: &ShogiPosition) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        match self.solver.solve(position, NODES, &SearchControl::free()) {
            MateVerdict::Mate(line) => {
                Some(self.solver.minimise(position, line, &SearchControl::free()).len())
            }
            MateVerdict::NoMate | MateVerdict::Unknown => None,
        }
    }

    /// Whether the side to move is mated after every move: by checks at once, or after some more of its checks.
    fn is_lost(&mut self, position: &ShogiPosition, checks: u32) -> bool {
        position.legal_moves().into_iter().all(|mv| {
            let mut after = position.clone();
            after.make(mv);
            if !after.in_check() || checks == 0 {
                return self.mate(&after).is_some();
            }
            self.mate(&after).is_some()
                || after.legal_moves().into_iter().any(|escape| {
                    let mut answered = after.clone();
                    answered.make(escape);
                    self.is_lost(&answered, checks - 1)
                })
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn of(sfen: &str) -> Vec<String> {
        terms(&sfen::parse(sfen).unwrap())
    }

    #[test]
    fn positions_have_the_names_that_players_give_them() {
        let nothing: [&str; 0] = [];
        assert_eq!(of("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"), nothing);
        let exchanged = "lnsgkg1nl/1r5s1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL b Bb 5";
        assert_eq!(of(exchanged), ["kakugawari: the bishops are exchanged"]);
        assert_eq!(of("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), ["tsume: Black mates in 1 move"]);
        // White has a gold to defend with.
        let threat = "7nk/9/7G1/9/9/9/9/9/4K4 w Gg 1";
        assert_eq!(of(threat), ["tsumero: Black threatens to mate in 1 move"]);
        // Nothing to defend with, and no square to flee to.
        assert_eq!(of("k8/9/1+P7/9/9/9/9/9/4K4 w G 1"), ["hisshi: Black mates whatever White plays"]);
    }

    #[test]
    fn a_check_is_no_threat() {
        assert_eq!(of("4k4/4P4/9/9/9/9/9/9/4K4 w - 1"), Vec::<String>::new());
    }
}
