//! Stacks of layers: which of them values a position, by the hands, the kings and the progress.
//!
//! The number is made of three, each counting within the one before: hands, kings, progress.

use crate::rules::hand::Hand;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{PieceKind, Square};
use kaeshi_core::game::Side;
use kaeshi_core::simd::Aligned;

use super::features::{self, WITHOUT_KINGS};

/// How stacks differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    hands: Option<Hands>,
    kings: Option<KingBuckets>,
    /// Steps of progress, if it counts.
    progress: Option<u16>,
}

/// The property of each side's hand that selects the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hands {
    Bishop,
    PawnBishop,
    Kinds3,
    /// The worth of all pieces, in eight steps.
    Worth,
    Kinds4,
    Kinds5,
}

/// The classes of king squares that select the stack, each seen from the king's own side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KingBuckets {
    Thirds,
    Ranks,
    Zones9,
    Zones13,
    Squares21,
    Squares29,
}

const HANDS: [(&str, Hands); 6] = [
    ("HAND4", Hands::Bishop),
    ("HAND16", Hands::PawnBishop),
    ("HAND64", Hands::Kinds3),
    ("HAND64Z", Hands::Worth),
    ("HAND256", Hands::Kinds4),
    ("HAND1024", Hands::Kinds5),
];

/// Names of the division by kings; where several make as many stacks, the first is the usual one.
const KINGS: [(&str, KingBuckets); 15] = [
    ("K3K3", KingBuckets::Thirds),
    ("K9K9", KingBuckets::Ranks),
    ("K13K13Z", KingBuckets::Zones13),
    ("K21K21", KingBuckets::Squares21),
    ("K29K29", KingBuckets::Squares29),
    ("K9K9Z", KingBuckets::Zones9),
    ("LS9", KingBuckets::Thirds),
    ("KING3BYKING3", KingBuckets::Thirds),
    ("KING9BYKING9", KingBuckets::Ranks),
    ("KING9ZBYKING9Z", KingBuckets::Zones9),
    ("KING9ZONEBYKING9ZONE", KingBuckets::Zones9),
    ("KING13ZBYKING13Z", KingBuckets::Zones13),
    ("KING13ZONEBYKING13ZONE", KingBuckets::Zones13),
    ("KING21BYKING21", KingBuckets::Squares21),
    ("KING29BYKING29", KingBuckets::Squares29),
];

impl Hands {
    /// Values for one side.
    fn values(self) -> usize {
        match self {
            Hands::Bishop => 2,
            Hands::PawnBishop => 4,
            Hands::Kinds3 | Hands::Worth => 8,
            Hands::Kinds4 => 16,
            Hands::Kinds5 => 32,
        }
    }

    fn value(self, hand: Hand) -> usize {
        let [pawn, lance, knight, silver, bishop, rook, gold] =
            std::array::from_fn(|i| hand.count(PieceKind::DROPPABLE[i]) as usize);
        let bits = |counts: &[usize]| {
            counts.iter().enumerate().map(|(bit, &count)| usize::from(count > 0) << bit).sum::<usize>()
        };
        match self {
            Hands::Bishop => bits(&[bishop]),
            Hands::PawnBishop => bits(&[pawn, bishop]),
            Hands::Kinds3 => bits(&[pawn + lance + knight, silver + gold + rook, bishop]),
            Hands::Worth => {
                let worth = pawn + 2 * (lance + knight) + 3 * (silver + gold) + 5 * (bishop + rook);
                worth.div_ceil(4).min(7)
            }
            Hands::Kinds4 => bits(&[pawn + lance + knight, silver + gold, bishop, rook]),
            Hands::Kinds5 => bits(&[pawn, lance + knight, silver + gold, bishop, rook]),
        }
    }
}

impl KingBuckets {
    /// Values for one side.
    fn values(self) -> usize {
        match self {
            KingBuckets::Thirds => 3,
            KingBuckets::Ranks | KingBuckets::Zones9 => 9,
            KingBuckets::Zones13 => 13,
            KingBuckets::Squares21 => 21,
            KingBuckets::Squares29 => 29,
        }
    }

    /// The class of a king on this square, seen from its own side.
    fn value(self, king: Square) -> usize {
        let (rank, file) = (usize::from(king.rank()), usize::from(king.file()));
        match self {
            KingBuckets::Thirds => rank / 3,
            KingBuckets::Ranks => rank,
            KingBuckets::Zones9 => match rank {
                0..=5 => rank / 3,
                6 => 2,
                _ => 3 + (rank - 7) * 3 + file / 3,
            },
            KingBuckets::Zones13 => match rank {
                0..=6 => rank,
                _ => 7 + (rank - 7) * 3 + file / 3,
            },
            KingBuckets::Squares21 => match rank {
                0..=5 => rank / 3,
                6 => 2,
                _ => 3 + (rank - 7) * 9 + file,
            },
            KingBuckets::Squares29 => match rank {
                0..=5 => rank / 3,
                _ => 2 + (rank - 6) * 9 + file,
            },
        }
    }
}

impl Stacks {
    /// The stacks of these words of a network's name, such as `HAND64_K3K3_PROGRESS8`; `None` if a
    /// word means nothing.
    pub(super) fn named(words: &[&str]) -> Option<Stacks> {
        let mut stacks = Stacks::default();
        // "KING3_BY_KING3" is one word.
        let words = words.join("_").replace("_BY_", "BY");
        for word in words.split('_').filter(|word| !word.is_empty()) {
            if let Some((_, hands)) = HANDS.iter().find(|(name, _)| *name == word) {
                stacks.hands = Some(*hands);
            } else if let Some((_, kings)) = KINGS.iter().find(|(name, _)| *name == word) {
                stacks.kings = Some(*kings);
            } else {
                let steps = word.strip_prefix("PROGRESS")?.parse().ok()?;
                stacks.progress = Some(steps).filter(|steps| (2..=256).contains(steps));
                stacks.progress?;
            }
        }
        Some(stacks)
    }

    /// The usual division into `count` stacks, where nothing but the number is known.
    pub(super) fn counted(count: usize) -> Option<Stacks> {
        let with = |kings| Stacks { kings, ..Stacks::default() };
        let mut all = std::iter::once(with(None)).chain(KINGS.iter().map(|(_, kings)| with(Some(*kings))));
        all.find(|stacks| stacks.count() == count)
    }

    /// How many there are.
    pub fn count(self) -> usize {
        let square = |values: usize| values * values;
        self.hands.map_or(1, |hands| square(hands.values()))
            * self.kings.map_or(1, |kings| square(kings.values()))
            * self.progress.map_or(1, usize::from)
    }

    /// Whether the file holds the weights of the progress.
    pub(super) fn by_progress(self) -> bool {
        self.progress.is_some()
    }

    /// The stack for this position.
    pub(super) fn select(self, position: &ShogiPosition, progress: Option<&GameProgress>) -> usize {
        let us = position.side_to_move();
        let sides = [us, us.other()];
        let mut number = 0;
        if let Some(hands) = self.hands {
            for side in sides {
                number = number * hands.values() + hands.value(position.hand(side));
            }
        }
        if let Some(kings) = self.kings {
            for side in sides {
                let king = features::seat(position.king(side)).seen_by(side);
                number = number * kings.values() + kings.value(king);
            }
        }
        if let (Some(steps), Some(progress)) = (self.progress, progress) {
            number = number * usize::from(steps) + progress.value(position) * usize::from(steps) / VALUES;
        }
        number
    }
}

/// Values of the progress.
const VALUES: usize = 256;

/// How far a game has got: a weight for each pair of a king and a piece, as both sides see them.
#[derive(Debug)]
pub(super) struct GameProgress {
    /// In 1/65536 of the exponent of a logistic curve.
    pub(super) bias: i32,
    /// For each square of the king the weights of all numbers of pieces without kings.
    pub(super) weights: Aligned<i32>,
    /// The least sums at which the progress is 1, 2 … 255.
    thresholds: Vec<i64>,
}

impl GameProgress {
    /// How many weights there are.
    pub(super) const WEIGHTS: usize = 81 * WITHOUT_KINGS;

    pub(super) fn new(bias: i32, weights: Aligned<i32>) -> GameProgress {
        let threshold = |value: usize| {
            let share = value as f64 / VALUES as f64;
            ((share / (1.0 - share)).ln() * 65_536.0).round() as i64
        };
        GameProgress { bias, weights, thresholds: (1..VALUES).map(threshold).collect() }
    }

    /// 0 to 255.
    fn value(&self, position: &ShogiPosition) -> usize {
        let mut sum = i64::from(self.bias);
        for side in [Side::First, Side::Second] {
            features::HALF_KP.view(position, side).visit(position, |input| {
                sum += i64::from(self.weights.get()[input]);
            });
        }
        self.thresholds.partition_point(|&threshold| threshold <= sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::handicap::START;
    use crate::rules::sfen::parse;

    fn number(words: &[&str], sfen: &str) -> usize {
        Stacks::named(words).unwrap().select(&parse(sfen).unwrap(), None)
    }

    #[test]
    fn names_make_as_many_stacks_as_they_say() {
        for (words, count) in [
            (&[][..], 1),
            (&["K3K3"], 9),
            (&["LS9"], 9),
            (&["KING13ZONE", "BY", "KING13ZONE"], 169),
            (&["HAND64Z", "K29K29"], 53_824),
            (&["HAND256", "K3K3", "PROGRESS16"], 36_864),
        ] {
            assert_eq!(Stacks::named(words).unwrap().count(), count, "{words:?}");
        }
        assert_eq!(Stacks::named(&["K4K4"]), None);
        assert_eq!(Stacks::named(&["PROGRESS1"]), None);
        assert_eq!(Stacks::counted(81), Stacks::named(&["K9K9"]));
        assert_eq!(Stacks::counted(10), None);
    }

    #[test]
    fn the_number_follows_hands_then_kings() {
        assert_eq!(number(&["K3K3"], START), 2 * 3 + 2);
        // The black king on 2g, the white one on 9b, which is 1h for White.
        let sfen = "9/k8/9/9/9/9/7K1/9/9 w B2Pr 1";
        assert_eq!(number(&["K9K9"], sfen), 7 * 9 + 6);
        assert_eq!(number(&["K9K9Z"], sfen), 3 * 9 + 2);
        assert_eq!(number(&["K13K13Z"], sfen), 7 * 13 + 6);
        assert_eq!(number(&["K21K21"], sfen), 3 * 21 + 2);
        assert_eq!(number(&["K29K29"], sfen), 11 * 29 + 3);
        assert_eq!(number(&["HAND4"], sfen), 1);
        assert_eq!(number(&["HAND16"], sfen), 3);
        assert_eq!(number(&["HAND64"], sfen), 2 * 8 + 5);
        assert_eq!(number(&["HAND64Z"], sfen), 2 * 8 + 2);
        assert_eq!(number(&["HAND256"], sfen), 8 * 16 + 5);
        assert_eq!(number(&["HAND1024"], sfen), 16 * 32 + 9);
        assert_eq!(number(&["HAND4", "K3K3"], sfen), 9 + 2 * 3 + 2);
    }

    #[test]
    fn progress_runs_from_0_to_255() {
        let position = parse(START).unwrap();
        let value = |bias| GameProgress::new(bias, Aligned::zeros(GameProgress::WEIGHTS)).value(&position);
        assert_eq!([i32::MIN, -1, 0, i32::MAX].map(value), [0, 127, 128, 255]);
    }
}
