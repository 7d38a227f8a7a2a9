//! The rules of Reversi, compared with a slow implementation that follows the rule text square by square.

use kaeshi_core::game::{GameNotation, GameRules};
use kaeshi_reversi::Reversi;
use kaeshi_reversi::rules::position::{ReversiPosition, ReversiTurn};
use proptest::prelude::*;

/// A board as a person sees it: `squares[row][column]`.
#[derive(Clone)]
struct ReferenceBoard {
    squares: [[char; 8]; 8],
    to_move: char,
}

impl ReferenceBoard {
    fn start() -> ReferenceBoard {
        let mut squares = [['-'; 8]; 8];
        (squares[3][3], squares[3][4], squares[4][3], squares[4][4]) = ('O', 'X', 'X', 'O');
        ReferenceBoard { squares, to_move: 'X' }
    }

    fn other(&self) -> char {
        if self.to_move == 'X' { 'O' } else { 'X' }
    }

    fn at(&self, row: i32, column: i32) -> Option<char> {
        let inside = (0..8).contains(&row) && (0..8).contains(&column);
        inside.then(|| self.squares[row as usize][column as usize])
    }

    /// The discs that a disc on this square turns over.
    fn turned(&self, row: i32, column: i32) -> Vec<(i32, i32)> {
        let mut all = Vec::new();
        if self.at(row, column) != Some('-') {
            return all;
        }
        for (dr, dc) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
            let mut run = Vec::new();
            let (mut r, mut c) = (row + dr, column + dc);
            while self.at(r, c) == Some(self.other()) {
                run.push((r, c));
                (r, c) = (r + dr, c + dc);
            }
            if self.at(r, c) == Some(self.to_move) {
                all.append(&mut run);
            }
        }
        all
    }

    fn moves(&self) -> Vec<(i32, i32)> {
        let all = (0..8).flat_map(|r| (0..8).map(move |c| (r, c)));
        all.filter(|&(r, c)| !self.turned(r, c).is_empty()).collect()
    }

    fn pass(&self) -> ReferenceBoard {
        ReferenceBoard { squares: self.squares, to_move: self.other() }
    }

    fn place(&self, row: i32, column: i32) -> ReferenceBoard {
        let mut next = self.pass();
        for (r, c) in self.turned(row, column) {
            next.squares[r as usize][c as usize] = self.to_move;
        }
        next.squares[row as usize][column as usize] = self.to_move;
        next
    }

    fn names(&self) -> Vec<String> {
        let moves = self.moves();
        if moves.is_empty() {
            let over = self.pass().moves().is_empty();
            return if over { Vec::new() } else { vec!["pass".to_owned()] };
        }
        let name = |(r, c): (i32, i32)| format!("{}{}", char::from(b'a' + c as u8), r + 1);
        moves.into_iter().map(name).collect()
    }

    fn text(&self) -> String {
        let squares: String = self.squares.iter().flatten().collect();
        format!("{squares} {}", self.to_move)
    }
}

/// Plays a game by both implementations, the choices taken from `choices`; they must agree at each ply.
fn play_both(game: &Reversi, choices: &[u8]) {
    let mut slow = ReferenceBoard::start();
    let mut position = game.start();
    for &choice in choices.iter().cycle().take(140) {
        assert_eq!(game.format_position(&position), slow.text());
        assert_eq!(game.parse_position(&slow.text()).as_ref(), Ok(&position));
        let names: Vec<String> =
            game.turns(&position).iter().map(|t| game.format_turn(&position, t)).collect();
        assert_eq!(names, slow.names());
        let all = (0..64).map(ReversiTurn::Place).chain([ReversiTurn::Pass]);
        let legal: Vec<ReversiTurn> = all.filter(|&turn| position.is_legal(turn)).collect();
        assert_eq!(legal, game.turns(&position));
        assert_eq!(game.perft(&position, 1), names.len().max(1) as u64);
        if names.is_empty() {
            let outcome = game.outcome(&position).expect("no turn, so the game is over");
            let count = |side| slow.squares.iter().flatten().filter(|&&c| c == side).count() as i32;
            let [black, white, empty] = ['X', 'O', '-'].map(count);
            assert_eq!(outcome.margin, black - white + (black - white).signum() * empty);
            return;
        }
        assert_eq!(game.outcome(&position), None);
        let name = &names[usize::from(choice) % names.len()];
        slow = match name.as_bytes() {
            b"pass" => slow.pass(),
            &[column, row] => slow.place(i32::from(row - b'1'), i32::from(column - b'a')),
            _ => unreachable!("{name}"),
        };
        let turn = game.parse_turn(&position, name).expect("a legal turn");
        game.play(&mut position, &turn);
    }
    panic!("a game of more than 140 plies");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_games_follow_the_rule_text(choices in prop::collection::vec(any::<u8>(), 1..80)) {
        play_both(&Reversi::default(), &choices);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,90}") {
        let _ = Reversi::default().parse_position(&text);
        let _ = Reversi::default().parse_turn(&ReversiPosition::START, &text);
    }
}

#[test]
fn a_pass_is_legal_only_without_a_move() {
    let game = Reversi::default();
    let refusal = game.parse_turn(&game.start(), "pass").expect_err("Black can move");
    assert!(refusal.reason().contains("may not pass"), "{refusal}");
    let blank = "-".repeat(62);
    let stuck = game.parse_position(&format!("OX{blank} X")).expect("a position");
    assert_eq!(game.turns(&stuck), [ReversiTurn::Pass]);
    let over = game.parse_position(&format!("X-{blank} O")).expect("a position");
    assert!(game.turns(&over).is_empty());
    assert!(game.parse_turn(&over, "pass").expect_err("over").reason().contains("over"));
}

#[test]
fn perft_10_counts_games_that_ended_before() {
    assert_eq!(Reversi::default().perft(&Reversi::default().start(), 10), 24_571_284);
}

#[test]
fn the_outcome_counts_discs() {
    let game = Reversi::default();
    let full = format!("{}{} O", "X".repeat(40), "O".repeat(24));
    let outcome = game.outcome(&game.parse_position(&full).expect("a position")).expect("full");
    assert_eq!(outcome.margin, 16);
    assert_eq!(outcome.winner, Some(kaeshi_core::game::Side::First));
}

#[test]
fn squares_that_stay_empty_count_for_the_winner() {
    let game = Reversi::default();
    let margin = |board: &str, empty: usize| {
        let text = format!("{board}{} O", "-".repeat(empty));
        game.outcome(&game.parse_position(&text).expect("a position")).expect("nobody can move").margin
    };
    assert_eq!(margin(&"X".repeat(13), 51), 64);
    assert_eq!(margin(&"O".repeat(13), 51), -64);
    let board = format!("{}{}", "X".repeat(8), "-".repeat(48));
    assert_eq!(margin(&format!("{board}{}", "O".repeat(8)), 0), 0);
}
