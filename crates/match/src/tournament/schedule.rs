//! Who plays whom, with which opening: a pure function of the seed and the index of the pair, so
//! that nothing depends on the order in which games finish.

use serde::{Deserialize, Serialize};

use super::knockout::Knockout;
use kaeshi_core::random::drawn_at;
use kaeshi_records::furigoma::Furigoma;

/// Who meets whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentFormat {
    /// Everyone meets everyone.
    #[default]
    RoundRobin,
    /// The first engine, or the challengers, meet all others.
    Gauntlet,
    /// Each engine plays all its pairs against all before it, before the next engine comes.
    Pyramid,
    /// Who wins a meeting goes on; the engines are named in the order of their seeds.
    Knockout,
}

/// The order in which openings are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum OpeningOrder {
    /// A permutation drawn by the seed.
    #[default]
    Random,
    /// As in the file.
    Sequential,
}

/// Which engines meet.
#[derive(Clone, Copy, Debug)]
pub struct PairingRule {
    /// Who meets whom.
    pub format: TournamentFormat,
    /// How many of the engines meet all others in a gauntlet; they do not meet each other.
    pub challengers: usize,
}

impl PairingRule {
    fn allows(self, [a, b]: [usize; 2]) -> bool {
        match self.format {
            TournamentFormat::RoundRobin | TournamentFormat::Pyramid | TournamentFormat::Knockout => true,
            TournamentFormat::Gauntlet => a < self.challengers && b >= self.challengers,
        }
    }
}

/// The plan of a match.
#[derive(Clone, Debug)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    openings: Vec<u64>,
    seed: u64,
    single: bool,
    first: Option<usize>,
    engines: usize,
    block: u64,
    knockout: Option<Knockout>,
}

/// One pair (or single game) of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Number of the round: all pairings of a round share opening and seed.
    pub round: u64,
    /// Index of the opening in its file, if there is a file.
    pub opening: Option<u64>,
    /// Seed of the round, for random plies.
    pub seed: u64,
}

impl Schedule {
    /// A plan for a number of engines and openings.
    pub fn new(
        engines: usize,
        meeting: PairingRule,
        openings: usize,
        order: OpeningOrder,
        seed: u64,
        single: bool,
    ) -> Schedule {
        let all = (0..engines).flat_map(|a| (a + 1..engines).map(move |b| [a, b]));
        let mut pairings: Vec<[usize; 2]> = all.filter(|&pairing| meeting.allows(pairing)).collect();
        if meeting.format == TournamentFormat::Pyramid {
            pairings.sort_by_key(|&[before, engine]| (engine, before));
        }
        let mut openings: Vec<u64> = (0..openings as u64).collect();
        if order == OpeningOrder::Random {
            let mut random = ScheduleRandom::new(drawn_at(seed, 0x6f70_656e));
            for index in (1..openings.len()).rev() {
                openings.swap(index, random.below(index + 1));
            }
        }
        Schedule { pairings, openings, seed, single, first: None, engines, block: 1, knockout: None }
    }

    /// The same plan, whose first round has opening number `start` of the order, counted from 0.
    pub fn beginning_with(mut self, start: usize) -> Schedule {
        let length = self.openings.len().max(1);
        self.openings.rotate_left(start % length);
        self
    }

    /// The same plan, in which `engine` has the first side in all its games.
    pub fn with_first(mut self, engine: Option<usize>) -> Schedule {
        self.first = engine;
        self
    }

    /// The same plan, in which each pairing plays `block` pairs in succession.
    pub fn in_blocks(mut self, block: u64) -> Schedule {
        self.block = block.max(1);
        self
    }

    /// The same plan as a knock-out.
    pub fn as_knockout(mut self, knockout: Option<Knockout>) -> Schedule {
        self.knockout = knockout;
        self
    }

    /// How many pairs each pairing plays in succession.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// The meetings of a knock-out.
    pub fn knockout(&self) -> Option<Knockout> {
        self.knockout
    }

    /// Rounds of the plan that a number of pairs makes.
    pub fn rounds(&self, pairs: u64) -> u64 {
        self.knockout.map_or(pairs / (self.pairings.len() as u64).max(1), |it| it.rounds(self.engines))
    }

    /// All pairings, in the order of play within a round.
    pub fn pairings(&self) -> &[[usize; 2]] {
        &self.pairings
    }

    /// Games of one pair: two, or one if colours are drawn by lot.
    pub fn games_per_pair(&self) -> u8 {
        if self.single { 1 } else { 2 }
    }

    /// Pair number `index`.
    pub fn pair(&self, index: u64) -> Pair {
        let round = self.round(index);
        let opening = match self.openings.len() as u64 {
            0 => None,
            length => Some(self.openings[(round % length) as usize]),
        };
        Pair { round, opening, seed: drawn_at(self.seed, round) }
    }

    fn round(&self, index: u64) -> u64 {
        match self.knockout {
            Some(knockout) => knockout.round(index, self.engines),
            None => index / (self.block * self.pairings.len() as u64) * self.block + index % self.block,
        }
    }

    /// The engines of pair `index`; the first-named one moves first in game 0. In a knock-out that is for its
    /// bracket to say.
    pub fn engines(&self, index: u64) -> [usize; 2] {
        self.pairings[(index / self.block % self.pairings.len() as u64) as usize]
    }

    /// These engines as first and second player of a game of pair `index`.
    pub fn seats(&self, [a, b]: [usize; 2], index: u64, game: u8) -> [usize; 2] {
        let swapped = match self.first {
            Some(first) => b == first,
            None => self.furigoma(index).map_or(game == 1, |toss| !toss.thrower_begins()),
        };
        if swapped { [b, a] } else { [a, b] }
    }

    /// The toss of a single game, thrown by the first-named engine; `None` where colours are not drawn by lot.
    pub fn furigoma(&self, index: u64) -> Option<Furigoma> {
        let drawn = self.single && self.first.is_none();
        drawn.then(|| Furigoma::from_random(drawn_at(self.seed ^ 0x6675_7269, index)))
    }
}

/// Random numbers from a seed.
#[derive(Clone, Debug)]
pub struct ScheduleRandom {
    seed: u64,
    drawn: u64,
}

impl ScheduleRandom {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> ScheduleRandom {
        ScheduleRandom { seed, drawn: 0 }
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.drawn += 1;
        ((u128::from(drawn_at(self.seed, self.drawn)) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> PairingRule {
        PairingRule { format: TournamentFormat::RoundRobin, challengers: 1 }
    }

    #[test]
    fn all_pairings_of_a_round_share_the_opening_and_openings_do_not_repeat() {
        let schedule = Schedule::new(4, all(), 10, OpeningOrder::Random, 7, false);
        assert_eq!(schedule.pairings().len(), 6);
        let mut seen: Vec<_> = (0..10).map(|round| schedule.pair(round * 6).opening.unwrap()).collect();
        for round in 0..10 {
            for pairing in 1..6 {
                assert_eq!(schedule.pair(round * 6 + pairing).opening, schedule.pair(round * 6).opening);
            }
        }
        assert_ne!(seen, (0..10).collect::<Vec<_>>());
        seen.sort_unstable();
        assert_eq!(seen, (0..10).collect::<Vec<_>>());
        assert_eq!(schedule.pair(60).opening, schedule.pair(0).opening);
    }

    #[test]
    fn colours_are_exchanged_in_pairs_and_drawn_by_lot_in_single_games() {
        let pairs = Schedule::new(2, all(), 0, OpeningOrder::Random, 7, false);
        assert_eq!((pairs.seats([0, 1], 5, 0), pairs.seats([0, 1], 5, 1)), ([0, 1], [1, 0]));
        let single = Schedule::new(2, all(), 0, OpeningOrder::Random, 7, true);
        let first = (0..400).filter(|&index| single.seats([0, 1], index, 0) == [0, 1]).count();
        assert!((150..250).contains(&first), "{first}");
        assert_eq!(pairs.furigoma(5), None);
        for index in 0..40 {
            let begins = single.furigoma(index).unwrap().faces() >= 3;
            assert_eq!(single.seats([0, 1], index, 0) == [0, 1], begins, "{index}");
        }
    }

    #[test]
    fn an_engine_can_have_the_first_side_in_all_its_games() {
        let schedule = Schedule::new(2, all(), 0, OpeningOrder::Random, 7, true).with_first(Some(1));
        assert!((0..40).all(|index| schedule.seats([0, 1], index, 0) == [1, 0]));
        let schedule = Schedule::new(2, all(), 0, OpeningOrder::Random, 7, true).with_first(Some(0));
        assert!((0..40).all(|index| schedule.seats([0, 1], index, 0) == [0, 1]));
    }

    #[test]
    fn a_gauntlet_is_all_against_the_first() {
        let pairings = |challengers| {
            let meeting = PairingRule { format: TournamentFormat::Gauntlet, challengers };
            Schedule::new(4, meeting, 0, OpeningOrder::Random, 7, false).pairings().to_vec()
        };
        assert_eq!(pairings(1), [[0, 1], [0, 2], [0, 3]]);
        assert_eq!(pairings(2), [[0, 2], [0, 3], [1, 2], [1, 3]]);
    }

    #[test]
    fn in_a_pyramid_each_engine_meets_all_before_it() {
        let meeting = PairingRule { format: TournamentFormat::Pyramid, challengers: 1 };
        let schedule = Schedule::new(4, meeting, 5, OpeningOrder::Sequential, 7, false).in_blocks(2);
        let engines: Vec<[usize; 2]> = (0..12).step_by(2).map(|index| schedule.engines(index)).collect();
        assert_eq!(engines, [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]]);
        assert!((0..12).all(|index| schedule.engines(index) == engines[index as usize / 2]));
        let openings: Vec<u64> = (0..12).filter_map(|index| schedule.pair(index).opening).collect();
        assert_eq!(openings, [0, 1].repeat(6));
    }

    #[test]
    fn the_first_opening_can_be_chosen() {
        let openings = |start| {
            let schedule =
                Schedule::new(2, all(), 4, OpeningOrder::Sequential, 7, false).beginning_with(start);
            (0..5).map(|round| schedule.pair(round).opening.unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(openings(0), [0, 1, 2, 3, 0]);
        assert_eq!(openings(2), [2, 3, 0, 1, 2]);
    }
}
