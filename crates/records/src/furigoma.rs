//! Furigoma, the toss that decides who moves first in shogi: five pawns are thrown.

/// How five thrown pawns lie: one bit each, set where the pawn lies face up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Furigoma(u8);

impl Furigoma {
    const PAWNS: u8 = 5;

    /// The toss of the lowest five bits of a random number.
    pub fn from_random(bits: u64) -> Furigoma {
        Furigoma((bits & ((1 << Self::PAWNS) - 1)) as u8)
    }

    /// How many pawns lie face up.
    pub fn faces(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the side that throws moves first: the majority lies face up.
    pub fn thrower_begins(self) -> bool {
        2 * self.faces() > u32::from(Self::PAWNS)
    }

    /// The characters on the pawns: `歩` face up, `と` face down.
    pub fn pawns(self) -> String {
        (0..Self::PAWNS).map(|pawn| if self.0 >> pawn & 1 == 1 { '歩' } else { 'と' }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_of_five_pawns_face_up_decide() {
        for bits in 0..32_u64 {
            let toss = Furigoma::from_random(bits | 0x20);
            assert_eq!(toss.thrower_begins(), toss.faces() >= 3, "{bits:05b}");
            assert_eq!(toss.faces() as usize, toss.pawns().matches('歩').count(), "{bits:05b}");
        }
    }

    #[test]
    fn the_pawns_are_shown_as_they_lie() {
        assert_eq!(Furigoma::from_random(0b01101).pawns(), "歩と歩歩と");
    }
}
