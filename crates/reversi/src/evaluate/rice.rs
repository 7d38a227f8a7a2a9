//! Compression of weights: Rice codes of the differences between the stages of a weight, and of the numbers of a row
//! of a network (Rice and Plaunt, "Adaptive variable-length coding for efficient compression of spacecraft television
//! data", 1971).
//!
//! | bits of a weight | meaning |
//! |---|---|
//! | first | 0: the weight is 0 in all stages, and nothing follows |
//! | second | 1: there are differences for all stages; 0: two numbers of five bits follow, the first and the last stage whose value is not 0 |
//! | rest | for each of these stages, the difference to the value before it, which is 0 at first |
//!
//! A row is one bit, 0 if all its numbers are 0, else 1 and the numbers.
//!
//! A difference or number is mapped to one that is not negative: 0, -1, 1, -2, 2 to 0, 1, 2, 3, 4. The parameter of
//! its code is the logarithm of the mean of former numbers, as in JPEG-LS (Weinberger, Seroussi and Sapiro, "The
//! LOCO-I lossless image compression algorithm", 2000). Bits fill a byte from its lowest one on.

use kaeshi_core::game::GameError;

/// Bits of a number of a stage: there are at most 32 of them.
const STAGE_BITS: u32 = 5;
/// Ones of the longest quotient. The whole number follows these instead of a zero and the remainder.
const ESCAPE: u32 = 24;
/// Bits of a mapped difference of two `i16`.
const NUMBER_BITS: u32 = 17;

/// The mean of the numbers so far, which newer ones change by a sixteenth.
struct RunningMean(u32);

impl RunningMean {
    /// Logarithm of the weight of former numbers.
    const MEMORY: u32 = 4;

    fn new() -> RunningMean {
        RunningMean(64 << RunningMean::MEMORY)
    }

    /// Bits of the remainder in the code of the next number.
    #[inline(always)]
    fn parameter(&self) -> u32 {
        (self.0 >> RunningMean::MEMORY | 1).ilog2()
    }

    #[inline(always)]
    fn add(&mut self, number: u32) {
        self.0 = self.0 + number - (self.0 >> RunningMean::MEMORY);
    }
}

/// The weights as bits.
pub(super) fn compress<const STAGES: usize>(weights: impl IntoIterator<Item = [i16; STAGES]>) -> Vec<u8> {
    const { assert!(STAGES <= 1 << STAGE_BITS) };
    let mut bits = RiceWriter::default();
    let mut mean = RunningMean::new();
    for stages in weights {
        let is_set = |value: &i16| *value != 0;
        let (Some(first), Some(last)) = (stages.iter().position(is_set), stages.iter().rposition(is_set))
        else {
            bits.write(0, 1);
            continue;
        };
        if (first, last) == (0, STAGES - 1) {
            bits.write(0b11, 2);
        } else {
            bits.write(0b01, 2);
            bits.write(first as u64, STAGE_BITS);
            bits.write(last as u64, STAGE_BITS);
        }
        let mut before = 0;
        for value in stages[first..=last].iter().copied().map(i32::from) {
            let difference = value - before;
            before = value;
            bits.write_number(&mut mean, difference);
        }
    }
    bits.finish()
}

/// The error if memory for weights cannot be allocated.
pub(super) fn no_memory() -> GameError {
    GameError::resources("no memory for the weights of Reversi")
}

/// `count` weights from the bits that [`compress`] made; `None` if the bits are others.
///
/// # Errors
/// There is no memory for them.
pub(super) fn decompress<const STAGES: usize>(
    bytes: &[u8],
    count: usize,
) -> Result<Option<Vec<[i16; STAGES]>>, GameError> {
    read_lists(bytes, count, |bits, stages| {
        let (first, last) = if bits.read(1) == 1 {
            (0, STAGES - 1)
        } else {
            (bits.read(STAGE_BITS) as usize, bits.read(STAGE_BITS) as usize)
        };
        let mut before = 0;
        for stage in stages.get_mut(first..=last)? {
            bits.refill();
            before += bits.read_number();
            *stage = i16::try_from(before).ok()?;
        }
        Some(())
    })
}

/// The rows of a network as bits.
pub(super) fn compress_rows<const WIDTH: usize>(rows: &[[i8; WIDTH]]) -> Vec<u8> {
    let mut bits = RiceWriter::default();
    let mut mean = RunningMean::new();
    for row in rows {
        if *row == [0; WIDTH] {
            bits.write(0, 1);
            continue;
        }
        bits.write(1, 1);
        row.iter().for_each(|&weight| bits.write_number(&mut mean, weight.into()));
    }
    bits.finish()
}

/// `count` rows from the bits that [`compress_rows`] made; `None` if the bits are others.
///
/// # Errors
/// There is no memory for them.
pub(super) fn decompress_rows<const WIDTH: usize>(
    bytes: &[u8],
    count: usize,
) -> Result<Option<Vec<[i8; WIDTH]>>, GameError> {
    read_lists(bytes, count, |bits, row| {
        for weight in row {
            bits.refill();
            *weight = i8::try_from(bits.read_number()).ok()?;
        }
        Some(())
    })
}

/// `count` lists, each behind a bit: 0 for one of zeros, 1 for one that `fill` reads; `None` if `fill`
/// returns it, or if the bits end elsewhere.
///
/// # Errors
/// There is no memory for them.
fn read_lists<T: Copy + Default, const LENGTH: usize>(
    bytes: &[u8],
    count: usize,
    mut fill: impl FnMut(&mut RiceReader, &mut [T; LENGTH]) -> Option<()>,
) -> Result<Option<Vec<[T; LENGTH]>>, GameError> {
    let mut lists = Vec::new();
    lists.try_reserve_exact(count).map_err(|_| no_memory())?;
    let mut bits = RiceReader { bytes, buffer: 0, held: 0, lacking: 0, mean: RunningMean::new() };
    for _ in 0..count {
        let mut list = [T::default(); LENGTH];
        bits.refill();
        if bits.read(1) == 1 && fill(&mut bits, &mut list).is_none() {
            return Ok(None);
        }
        lists.push(list);
    }
    Ok(bits.is_at_end().then_some(lists))
}

#[derive(Default)]
struct RiceWriter {
    bytes: Vec<u8>,
    buffer: u64,
    held: u32,
}

impl RiceWriter {
    fn write(&mut self, bits: u64, count: u32) {
        self.buffer |= bits << self.held;
        self.held += count;
        while self.held >= 8 {
            self.bytes.push(self.buffer as u8);
            self.buffer >>= 8;
            self.held -= 8;
        }
    }

    fn write_number(&mut self, mean: &mut RunningMean, signed: i32) {
        let number = ((signed << 1) ^ (signed >> 31)) as u32;
        let parameter = mean.parameter();
        mean.add(number);
        let quotient = number >> parameter;
        if quotient < ESCAPE {
            self.write((1 << quotient) - 1, quotient + 1);
            self.write(u64::from(number) & ((1 << parameter) - 1), parameter);
        } else {
            self.write((1 << ESCAPE) - 1, ESCAPE);
            self.write(u64::from(number), NUMBER_BITS);
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.held > 0 {
            self.bytes.push(self.buffer as u8);
        }
        self.bytes
    }
}

struct RiceReader<'a> {
    /// Bytes not read yet.
    bytes: &'a [u8],
    /// The next bits. Only the lowest `held` of them are counted.
    buffer: u64,
    held: u32,
    /// Bytes read beyond the end.
    lacking: u32,
    /// Mean of the numbers read so far.
    mean: RunningMean,
}

impl RiceReader<'_> {
    /// Makes room for the longest code: [`ESCAPE`] and [`NUMBER_BITS`].
    #[inline(always)]
    fn refill(&mut self) {
        if let Some(word) = self.bytes.first_chunk() {
            // Bits beyond those counted are added once more by the next call.
            self.buffer |= u64::from_le_bytes(*word) << self.held;
            let count = (63 - self.held) / 8;
            self.bytes = &self.bytes[count as usize..];
            self.held += 8 * count;
            return;
        }
        while self.held < 56 {
            match self.bytes.split_first() {
                Some((&byte, rest)) => {
                    self.buffer |= u64::from(byte) << self.held;
                    self.bytes = rest;
                }
                None => self.lacking += 1,
            }
            self.held += 8;
        }
    }

    #[inline(always)]
    fn read(&mut self, count: u32) -> u32 {
        let bits = self.buffer & ((1 << count) - 1);
        self.buffer >>= count;
        self.held -= count;
        bits as u32
    }

    /// Reads a number that [`RiceWriter::write_number`] wrote; [`RiceReader::refill`] must have been called before.
    #[inline(always)]
    fn read_number(&mut self) -> i32 {
        let parameter = self.mean.parameter();
        let quotient = self.ones();
        let number = if quotient < ESCAPE {
            quotient << parameter | self.read(parameter)
        } else {
            self.read(NUMBER_BITS)
        };
        self.mean.add(number);
        (number >> 1) as i32 ^ -((number & 1) as i32)
    }

    /// Ones up to a zero, which is taken as well, or [`ESCAPE`] ones.
    #[inline(always)]
    fn ones(&mut self) -> u32 {
        let ones = self.buffer.trailing_ones().min(ESCAPE);
        self.read(ones + u32::from(ones < ESCAPE));
        ones
    }

    /// Whether all that was read was there, and all bytes were read.
    fn is_at_end(&self) -> bool {
        self.bytes.is_empty() && self.held >= 8 * self.lacking && self.held - 8 * self.lacking < 8
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STAGES: usize = 20;
    type WeightStages = [i16; STAGES];

    fn any_weight() -> impl Strategy<Value = WeightStages> {
        let value = prop_oneof![4 => Just(0), 4 => -200..200_i16, 1 => any::<i16>()];
        prop_oneof![
            Just([0; STAGES]),
            prop::collection::vec(value, STAGES).prop_map(|all| all.try_into().unwrap())
        ]
    }

    proptest! {
        #[test]
        fn what_was_compressed_comes_back(weights in prop::collection::vec(any_weight(), 0..300)) {
            let bytes = compress(weights.iter().copied());
            prop_assert_eq!(decompress(&bytes, weights.len()).unwrap(), Some(weights.clone()));
            prop_assert_eq!(decompress::<STAGES>(&[&bytes[..], &[0]].concat(), weights.len()).unwrap(), None);
            if let Some((_, shorter)) = bytes.split_last() {
                prop_assert_eq!(decompress::<STAGES>(shorter, weights.len()).unwrap(), None);
            }
        }

        #[test]
        fn rows_come_back(rows in prop::collection::vec(prop::array::uniform8(prop_oneof![Just(0), any::<i8>()]), 0..90)) {
            let bytes = compress_rows(&rows);
            prop_assert_eq!(decompress_rows(&bytes, rows.len()).unwrap(), Some(rows.clone()));
            prop_assert_eq!(decompress_rows::<8>(&[&bytes[..], &[0]].concat(), rows.len()).unwrap(), None);
            if let Some((_, shorter)) = bytes.split_last() {
                prop_assert_eq!(decompress_rows::<8>(shorter, rows.len()).unwrap(), None);
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600), count in 0..90_usize) {
            if let Some(weights) = decompress::<STAGES>(&bytes, count).unwrap() {
                prop_assert_eq!(weights.len(), count);
            }
            if let Some(rows) = decompress_rows::<8>(&bytes, count).unwrap() {
                prop_assert_eq!(rows.len(), count);
            }
        }
    }

    #[test]
    fn the_extremes_of_a_weight_come_back() {
        let mut swings = [i16::MIN; STAGES];
        swings.iter_mut().step_by(2).for_each(|value| *value = i16::MAX);
        let weights = [[0; STAGES], swings, [1; STAGES], [i16::MIN; STAGES]];
        assert_eq!(decompress(&compress(weights), 4).unwrap(), Some(weights.to_vec()));
    }
}
