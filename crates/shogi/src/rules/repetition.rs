//! Repetition: the fourth occurrence of a position, and who is to blame for it.

use crate::rules::position::ShogiPosition;
use kaeshi_core::game::Side;

/// The consequence of a repetition for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// A draw.
    Draw,
    /// The opponent checked all the time, and loses.
    Win,
    /// The side to move checked all the time, and loses.
    Loss,
    /// The same board, but the side to move has more in hand than then.
    Superior,
    /// The same board, but the side to move has less in hand than then.
    Inferior,
}

/// How far back the search looks for a recurrence, in plies.
const SEARCHED_PLIES: usize = 16;

impl ShogiPosition {
    /// Judges the fourth occurrence of this position, if it is the fourth.
    ///
    /// Perpetual check loses only if *every* move of one side since the first occurrence was a
    /// check; if that holds for both sides, it is a draw.
    pub fn fourth_repetition(&self) -> Option<Repetition> {
        let first = *self.occurrences().get(2)?;
        Some(self.judge(first))
    }

    /// How often this position occurred, this time included.
    pub fn times_occurred(&self) -> usize {
        self.occurrences().len() + 1
    }

    /// Bytes that state which positions occurred at least twice, how often, and how far each side's
    /// present run of checks goes back; empty as long as nothing was repeated.
    pub fn repeated(&self) -> Vec<u8> {
        let mut seen: Vec<(u64, [u32; 2])> =
            self.past().iter().map(|past| (past.board_key, past.hands.map(|hand| hand.0))).collect();
        seen.push((self.board_key(), self.hands().map(|hand| hand.0)));
        seen.sort_unstable();
        let mut bytes = Vec::new();
        for same in seen.chunk_by(|a, b| a == b).filter(|same| same.len() > 1) {
            let (key, hands) = same[0];
            bytes.push(same.len().min(4) as u8);
            bytes.extend(key.to_le_bytes());
            bytes.extend(hands.map(u32::to_le_bytes).as_flattened());
        }
        if !bytes.is_empty() {
            for side in [Side::First, Side::Second] {
                bytes.extend((self.check_run(side) as u16).to_le_bytes());
            }
        }
        bytes
    }

    /// How many plies ago this position occurred before, latest first.
    fn occurrences(&self) -> Vec<usize> {
        let past = self.past();
        let hands = self.hands();
        (2..=past.len())
            .step_by(2)
            .filter(|&back| {
                let then = &past[past.len() - back];
                then.board_key == self.board_key() && then.hands == hands
            })
            .collect()
    }

    fn judge(&self, distance: usize) -> Repetition {
        let us = self.side_to_move();
        let blamed = |side| self.check_run(side) >= distance;
        match (blamed(us), blamed(us.other())) {
            (true, false) => Repetition::Loss,
            (false, true) => Repetition::Win,
            _ => Repetition::Draw,
        }
    }

    /// The latest recurrence within the last moves, as a search sees it `ply` plies after its root.
    ///
    /// An equal position is a draw at its first recurrence, also before the root. Perpetual check and a
    /// stronger hand decide only after the root, where the loser could have chosen otherwise; the
    /// fourth occurrence always does.
    #[inline]
    pub(crate) fn recurrence(&self, ply: usize) -> Option<Repetition> {
        let past = self.past();
        let us = self.side_to_move();
        let mut back = 2;
        while back <= SEARCHED_PLIES.min(past.len()) {
            let then = &past[past.len() - back];
            if !then.played.is_some() || !past[past.len() - back + 1].played.is_some() {
                // A loop through a pass is no repetition.
                return None;
            }
            if back >= 4 && then.board_key == self.board_key() {
                if then.hands == self.hands() {
                    let judged = self.judge(back);
                    let decided = back <= ply || judged == Repetition::Draw;
                    return if decided { Some(judged) } else { self.fourth_repetition() };
                }
                if back < ply {
                    let (now, then) = (self.hand(us), then.hands[us as usize]);
                    if now.covers(then) {
                        return Some(Repetition::Superior);
                    }
                    if then.covers(now) {
                        return Some(Repetition::Inferior);
                    }
                }
            }
            back += 2;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::notation::parse_move;
    use crate::rules::sfen::parse;

    fn after(sfen: &str, moves: &str) -> ShogiPosition {
        let mut position = parse(sfen).unwrap();
        for text in moves.split_whitespace() {
            let mv = parse_move(&position, text).unwrap();
            position.make(mv);
        }
        position
    }

    const START: &str = crate::rules::handicap::START;
    const LOOP: &str = "2h3h 8b7b 3h2h 7b8b ";

    #[test]
    fn the_fourth_occurrence_is_a_draw_also_when_it_begins_at_the_start() {
        assert_eq!(after(START, &LOOP.repeat(2)).fourth_repetition(), None);
        assert_eq!(after(START, &LOOP.repeat(3)).fourth_repetition(), Some(Repetition::Draw));
        assert_eq!(after(START, &LOOP.repeat(3)).times_occurred(), 4);
    }

    const CHASE: &str = "8k/9/9/9/9/9/9/9/R3K4 b - 1";

    #[test]
    fn perpetual_check_loses_for_the_checker_whoever_is_to_move() {
        // The king goes to and fro between 1a and 1b, the rook checks on both ranks.
        let line = "9i9a 1a1b 9a9b 1b1a 9b9a 1a1b 9a9b 1b1a 9b9a 1a1b 9a9b 1b1a 9b9a";
        let position = after(CHASE, line);
        assert_eq!(position.side_to_move(), Side::Second);
        assert_eq!(position.fourth_repetition(), Some(Repetition::Win));
        // Set up with White in check, so that the first occurrence is the very first position.
        let line = "1a1b 9a9b 1b1a 9b9a ".repeat(3);
        let position = after("R7k/9/9/9/9/9/9/9/4K4 w - 1", &line);
        assert_eq!(position.fourth_repetition(), Some(Repetition::Win));
        // And with the checker to move.
        let line = "9a9b 1b1a 9b9a 1a1b ".repeat(3);
        let position = after("R8/8k/9/9/9/9/9/9/4K4 b - 1", &line);
        assert_eq!(position.side_to_move(), Side::First);
        assert_eq!(position.fourth_repetition(), Some(Repetition::Loss));
    }

    #[test]
    fn one_quiet_move_between_first_and_fourth_makes_it_a_draw() {
        let quiet = "9a9c 1b1a 9c9a 1a1b ";
        let checks = "9a9b 1b1a 9b9a 1a1b ";
        for line in [format!("{quiet}{checks}{checks}"), format!("{checks}{quiet}{checks}")] {
            let position = after("R8/8k/9/9/9/9/9/9/4K4 b - 1", &line);
            assert_eq!(position.fourth_repetition(), Some(Repetition::Draw), "{line}");
        }
        // A quiet move before the first occurrence does not matter.
        let line = format!("9c9a 1a1b {}", checks.repeat(3));
        let position = after("8k/9/R8/9/9/9/9/9/4K4 b - 1", &line);
        assert_eq!(position.fourth_repetition(), Some(Repetition::Loss));
    }

    #[test]
    fn other_hands_are_another_position() {
        let position = after("4k4/9/9/9/9/9/9/9/4K4 b 2G 1", "G*5b 5a5b 5i5h 5b5a 5h5i 5a5b 5i5h 5b5a 5h5i");
        assert_eq!(position.times_occurred(), 2);
    }

    #[test]
    fn a_loop_through_a_pass_is_no_repetition() {
        let mut position = parse(START).unwrap();
        for text in ["2h3h", "8b7b", "3h2h", "7b8b"] {
            let mv = parse_move(&position, text).unwrap();
            position.make(mv);
        }
        assert_eq!(position.recurrence(4), Some(Repetition::Draw));
        let mut position = after("R7k/9/9/9/9/9/9/9/4K4 w - 1", "1a1b 9a9b 1b1a 9b9a 1a1b");
        assert_eq!(position.recurrence(5), Some(Repetition::Loss));
        assert_eq!(position.recurrence(3), None, "the checker chose so before the root");
        assert_eq!(position.check_run(Side::First), 4);
        position.make_pass();
        assert_eq!(position.check_run(Side::First), 0);
        for text in ["1b2b", "9a8a", "2b1b"] {
            let mv = parse_move(&position, text).unwrap();
            position.make(mv);
        }
        position.make_pass();
        assert_eq!(position.recurrence(10), None);
    }

    #[test]
    fn the_search_sees_a_stronger_hand_only_after_the_root() {
        // Black gave a gold away, and all else is as six plies before.
        let line = "5i5h 5a4a G*4b 4a4b 5h5i 4b5a";
        let position = after("4k4/9/9/9/9/9/9/9/4K4 b 2G 1", line);
        assert_eq!(position.recurrence(7), Some(Repetition::Inferior));
        assert_eq!(position.recurrence(6), None);
    }

    #[test]
    fn the_search_sees_a_stronger_hand_of_its_own_too() {
        let line = "5a4a G*4b 4a4b 5i5h 4b5a 5h5i";
        let position = after("4k4/9/9/9/9/9/9/9/4K4 w 2G 1", line);
        assert_eq!(position.recurrence(7), Some(Repetition::Superior));
        assert_eq!(position.recurrence(6), None);
    }

    const KINGS: &str = "4k4/9/9/9/9/9/9/9/4K4 b - 1";

    /// Moves of both kings around a ring of squares, each mirroring the other.
    fn rings(black: &str, white: &str) -> String {
        let steps = |ring: &str| -> Vec<String> {
            let squares: Vec<&str> = ring.split(' ').collect();
            squares.windows(2).map(|step| step.concat()).collect()
        };
        steps(black).iter().zip(steps(white)).map(|(black, white)| format!("{black} {white} ")).collect()
    }

    #[test]
    fn the_search_looks_sixteen_plies_back_and_the_rules_to_the_start() {
        let sixteen = rings("5i 4i 3i 3h 3g 4g 5g 5h 5i", "5a 4a 3a 3b 3c 4c 5c 5b 5a");
        let position = after(KINGS, &sixteen);
        assert_eq!(position.recurrence(16), Some(Repetition::Draw));
        assert_eq!(position.times_occurred(), 2);
        let eighteen = rings("5i 4i 3i 3h 3g 4g 5g 6g 6h 5i", "5a 4a 3a 3b 3c 4c 5c 6c 6b 5a");
        let position = after(KINGS, &eighteen);
        assert_eq!(position.recurrence(18), None);
        assert_eq!(position.times_occurred(), 2);
        assert_eq!(after(KINGS, &eighteen.repeat(3)).fourth_repetition(), Some(Repetition::Draw));
    }

    #[test]
    fn what_was_chosen_before_the_root_decides_if_it_is_a_draw_or_the_fourth_time() {
        assert_eq!(after(START, LOOP).recurrence(0), Some(Repetition::Draw));
        assert_eq!(after(START, &LOOP[..LOOP.len() - 5]).recurrence(9), None);
        let checks = "9a9b 1b1a 9b9a 1a1b ";
        let times = |count| after("R8/8k/9/9/9/9/9/9/4K4 b - 1", &checks.repeat(count));
        assert_eq!(times(1).recurrence(3), None);
        assert_eq!(times(1).recurrence(4), Some(Repetition::Loss));
        assert_eq!(times(2).recurrence(0), None);
        assert_eq!(times(3).recurrence(0), Some(Repetition::Loss));
    }

    #[test]
    fn bytes_of_repeated_positions_tell_how_often_up_to_four_and_the_checks() {
        assert!(after(START, "2h3h 8b7b 3h2h").repeated().is_empty());
        let counts = |times: usize| -> Vec<u8> {
            let bytes = after(START, &LOOP.repeat(times)).repeated();
            // Count, key and both hands; the two runs of checks come last.
            let (runs, positions) = bytes.split_last_chunk::<4>().map(|(rest, last)| (*last, rest)).unwrap();
            assert_eq!(runs, [0; 4]);
            let mut counts: Vec<u8> = positions.chunks(17).map(|position| position[0]).collect();
            counts.sort_unstable();
            counts
        };
        assert_eq!(counts(1), [2]);
        assert_eq!(counts(2), [2, 2, 2, 3]);
        assert_eq!(counts(3), [3, 3, 3, 4]);
        assert_eq!(counts(4), [4; 4]);

        let chase = after("R8/8k/9/9/9/9/9/9/4K4 b - 1", "9a9b 1b1a 9b9a 1a1b");
        assert_eq!(chase.check_run(Side::First), 4);
        assert!(chase.repeated().ends_with(&[4, 0, 0, 0]));
        let other_hands = after("4k4/9/9/9/9/9/9/9/4K4 b 2G 1", "5i5h 5a4a G*4b 4a4b 5h5i 4b5a");
        assert!(other_hands.repeated().is_empty());
    }

    #[test]
    fn a_pass_of_either_side_breaks_the_loop() {
        let playing = |line: &str| {
            let mut position = parse(KINGS).unwrap();
            for text in line.split_whitespace() {
                if text == "pass" {
                    position.make_pass();
                } else {
                    position.make(parse_move(&position, text).unwrap());
                }
            }
            position
        };
        assert_eq!(playing("5i5h 5a5b 5h5i 5b5a").recurrence(9), Some(Repetition::Draw));
        for line in [
            "5i5h pass 5h5i pass",
            "pass 5a5b pass 5b5a",
            "5i5h 5a5b pass 5b5a pass 5a5b",
            "5i5h 5a5b 5h5i pass 5i5h pass",
        ] {
            assert_eq!(playing(line).recurrence(9), None, "{line}");
        }
    }
}
