//! Knock-out: who has met whom, who goes on, and which pairs are to be played next, all from the results so far.
//!
//! Engines are seeded in the order in which they are named. The usual bracket is laid out so that the first two
//! seeds can only meet in the final; where the engines are no power of two, the best seeds have a bye. A meeting is
//! a number of pairs, all of which are played; a tied one goes on pair by pair until one is won, up to a bound, and
//! then the better seed goes on.
//!
//! The index of a pair says its meeting and its number there. So its opening and colours depend on nothing else,
//! and a resumed match is the uninterrupted one.

use std::collections::BTreeMap;

use serde::Serialize;

use super::journal::Journal;
use super::knockout::Knockout;

/// How a meeting was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeetingDecision {
    /// There was no opponent.
    Bye,
    /// By its pairs.
    Score,
    /// By a further pair.
    Tiebreak,
    /// By nothing but the seeds.
    Seed,
}

/// One meeting of the bracket.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BracketMeeting {
    /// Rounds from here to the final, which has 0.
    pub depth: u32,
    /// The engines, as indices, the better seed first; `None` for one that is not known yet, or for a bye.
    pub engines: [Option<usize>; 2],
    /// Their points so far.
    pub points: [f64; 2],
    /// Finished pairs beyond the planned ones.
    pub tiebreaks: u64,
    /// Who goes on, and why.
    pub winner: Option<(usize, MeetingDecision)>,
}

/// A pair that can be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayablePair {
    /// Its index.
    pub pair: u64,
    /// The engines, the better seed first.
    pub engines: [usize; 2],
}

/// A knock-out as far as it is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Bracket {
    /// The meetings, round by round.
    pub meetings: Vec<BracketMeeting>,
    /// The pairs that can be played now or are being played, in their order.
    pub wanted: Vec<PlayablePair>,
}

/// Who stands at a place of the bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BracketSlot {
    Engine(usize),
    Nobody,
    Unknown,
}

impl Bracket {
    /// That of a journal; `None` if it is of no knock-out.
    pub fn of(journal: &Journal) -> Option<Bracket> {
        let knockout = journal.open.knockout?;
        let (size, most) = if journal.open.single { (1, 2) } else { (2, 4) };
        let results: BTreeMap<u64, usize> = journal
            .games
            .chunk_by(|a, b| a.game.pair == b.game.pair)
            .filter(|games| games.len() == size)
            .map(|games| {
                let pair = games[0].game.pair;
                let better = &journal.open.engines[journal.pairing(pair)[0]].name;
                (
                    pair,
                    games.iter().map(|played| played.game.result.half_points(played.side_of(better))).sum(),
                )
            })
            .collect();
        Some(Bracket::new(knockout, journal.open.engines.len(), most, &|pair| results.get(&pair).copied()))
    }

    /// The bracket of `engines` engines. `result` gives the half points, `most` at most, of the better seed in a
    /// finished pair.
    pub fn new(
        knockout: Knockout,
        engines: usize,
        most: usize,
        result: &dyn Fn(u64) -> Option<usize>,
    ) -> Bracket {
        let mut bracket = Bracket { meetings: Vec::new(), wanted: Vec::new() };
        let size = engines.next_power_of_two();
        let place =
            |seed: usize| if seed < engines { BracketSlot::Engine(seed) } else { BracketSlot::Nobody };
        let mut slots: Vec<BracketSlot> = seeds(size).into_iter().map(place).collect();
        while slots.len() > 1 {
            let depth = slots.len().ilog2() - 1;
            let rivals = slots.chunks(2).map(|two| [two[0], two[1]]);
            slots = rivals.map(|two| bracket.meet(knockout, depth, two, most, result)).collect();
        }
        bracket
    }

    /// Adds a meeting; who comes out of it.
    fn meet(
        &mut self,
        knockout: Knockout,
        depth: u32,
        rivals: [BracketSlot; 2],
        most: usize,
        result: &dyn Fn(u64) -> Option<usize>,
    ) -> BracketSlot {
        let from = self.meetings.len() as u64 * knockout.width();
        let known = |slot| if let BracketSlot::Engine(engine) = slot { Some(engine) } else { None };
        let mut meeting = BracketMeeting {
            depth,
            engines: rivals.map(known),
            points: [0.0; 2],
            tiebreaks: 0,
            winner: None,
        };
        match rivals {
            [BracketSlot::Engine(only), BracketSlot::Nobody]
            | [BracketSlot::Nobody, BracketSlot::Engine(only)] => {
                meeting.winner = Some((only, MeetingDecision::Bye));
            }
            [BracketSlot::Engine(a), BracketSlot::Engine(b)] => {
                let engines = [a.min(b), a.max(b)];
                meeting.engines = engines.map(Some);
                let wanted = meeting.judge(knockout, engines, most, &|number| result(from + number));
                self.wanted
                    .extend(wanted.into_iter().map(|number| PlayablePair { pair: from + number, engines }));
            }
            _ => {}
        }
        let next = meeting.winner.map_or(BracketSlot::Unknown, |(winner, _)| BracketSlot::Engine(winner));
        self.meetings.push(meeting);
        next
    }

    /// Who has won the final.
    pub fn champion(&self) -> Option<usize> {
        self.meetings.last()?.winner.map(|(winner, _)| winner)
    }
}

impl BracketMeeting {
    /// Takes the results of its pairs; the numbers of those that can be played now.
    fn judge(
        &mut self,
        knockout: Knockout,
        [better, other]: [usize; 2],
        most: usize,
        result: &dyn Fn(u64) -> Option<usize>,
    ) -> Vec<u64> {
        (0..knockout.pairs).filter_map(result).for_each(|half_points| self.add(half_points, most));
        let missing: Vec<u64> = (0..knockout.pairs).filter(|&number| result(number).is_none()).collect();
        if !missing.is_empty() {
            return missing;
        }
        let mut number = knockout.pairs;
        while self.points[0] == self.points[1] && number < knockout.width() {
            let Some(half_points) = result(number) else { return vec![number] };
            self.add(half_points, most);
            self.tiebreaks += 1;
            number += 1;
        }
        let how = if self.tiebreaks > 0 { MeetingDecision::Tiebreak } else { MeetingDecision::Score };
        self.winner = Some(match self.points[0] - self.points[1] {
            lead if lead > 0.0 => (better, how),
            lead if lead < 0.0 => (other, how),
            _ => (better, MeetingDecision::Seed),
        });
        Vec::new()
    }

    /// Counts a pair.
    fn add(&mut self, half_points: usize, most: usize) {
        self.points[0] += half_points as f64 / 2.0;
        self.points[1] += (most - half_points) as f64 / 2.0;
    }

    /// What people call its round.
    pub fn round_name(&self) -> String {
        match self.depth {
            0 => "final".into(),
            1 => "semi-final".into(),
            2 => "quarter-final".into(),
            depth => format!("last {}", 2_u64 << depth),
        }
    }
}

/// The seeds of a bracket of `size` places, a power of two, from top to bottom: each meets the one that makes
/// `size - 1` with it, and the same holds for every later round if the better seeds win.
fn seeds(size: usize) -> Vec<usize> {
    let mut order = vec![0];
    while order.len() < size {
        let last = 2 * order.len() - 1;
        order = order.into_iter().flat_map(|seed| [seed, last - seed]).collect();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUP: Knockout = Knockout { pairs: 2, tiebreaks: 2 };

    fn bracket(engines: usize, results: &[(u64, usize)]) -> Bracket {
        let results: BTreeMap<u64, usize> = results.iter().copied().collect();
        Bracket::new(CUP, engines, 4, &|pair| results.get(&pair).copied())
    }

    fn wanted(bracket: &Bracket) -> Vec<(u64, [usize; 2])> {
        bracket.wanted.iter().map(|wanted| (wanted.pair, wanted.engines)).collect()
    }

    #[test]
    fn the_best_seeds_meet_last() {
        assert_eq!(seeds(1), [0]);
        assert_eq!(seeds(2), [0, 1]);
        assert_eq!(seeds(8), [0, 7, 3, 4, 1, 6, 2, 5]);
    }

    #[test]
    fn four_engines_play_two_rounds() {
        let begun = bracket(4, &[]);
        assert_eq!(wanted(&begun), [(0, [0, 3]), (1, [0, 3]), (4, [1, 2]), (5, [1, 2])]);
        assert_eq!((begun.meetings.len(), begun.champion()), (3, None));
        assert_eq!(begun.meetings[2].engines, [None, None]);
        // 3 beats 0, while 1 and 2 still play.
        let half = bracket(4, &[(0, 1), (1, 2), (4, 3)]);
        assert_eq!(wanted(&half), [(5, [1, 2])]);
        assert_eq!(half.meetings[0].winner, Some((3, MeetingDecision::Score)));
        assert_eq!((half.meetings[0].points, half.meetings[1].points), ([1.5, 2.5], [1.5, 0.5]));
        let r#final = bracket(4, &[(0, 1), (1, 2), (4, 3), (5, 3)]);
        assert_eq!(wanted(&r#final), [(8, [1, 3]), (9, [1, 3])]);
        let over = bracket(4, &[(0, 1), (1, 2), (4, 3), (5, 3), (8, 0), (9, 0)]);
        assert_eq!((over.champion(), over.wanted.len()), (Some(3), 0));
    }

    #[test]
    fn a_tied_meeting_goes_on_pair_by_pair_and_then_the_better_seed_does() {
        let tied = [(0, 1), (1, 3)];
        let with = |more: &[(u64, usize)]| bracket(2, &[&tied[..], more].concat());
        assert_eq!(wanted(&with(&[])), [(2, [0, 1])]);
        assert_eq!(with(&[(2, 1)]).meetings[0].winner, Some((1, MeetingDecision::Tiebreak)));
        assert_eq!(wanted(&with(&[(2, 2)])), [(3, [0, 1])]);
        let level = with(&[(2, 2), (3, 2)]);
        assert_eq!(
            (level.meetings[0].winner, level.meetings[0].tiebreaks),
            (Some((0, MeetingDecision::Seed)), 2)
        );
        // A result that came too early does not count before the one it waits for.
        assert_eq!(wanted(&with(&[(3, 0)])), [(2, [0, 1])]);
    }

    #[test]
    fn the_best_seeds_have_byes() {
        let five = bracket(5, &[]);
        let byes = five.meetings.iter().filter_map(|meeting| meeting.winner);
        assert_eq!(byes.collect::<Vec<_>>(), [0, 1, 2].map(|seed| (seed, MeetingDecision::Bye)));
        // 3 meets 4, and 1 meets 2 already.
        assert_eq!(wanted(&five), [(4, [3, 4]), (5, [3, 4]), (20, [1, 2]), (21, [1, 2])]);
        let names: Vec<String> = five.meetings.iter().map(BracketMeeting::round_name).collect();
        assert_eq!(names[3..], ["quarter-final", "semi-final", "semi-final", "final"]);
        assert_eq!(bracket(9, &[]).meetings[0].round_name(), "last 16");
    }

    #[test]
    fn all_meetings_of_a_round_share_their_openings() {
        let round = |index| CUP.round(index, 5);
        assert_eq!([0, 3, 4, 12, 15].map(round), [0, 3, 0, 0, 3]);
        assert_eq!([16, 17, 20, 24, 27].map(round), [4, 5, 4, 8, 11]);
        assert_eq!(CUP.rounds(5), 12);
    }
}
