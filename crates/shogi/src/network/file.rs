//! Files of weights: magic, version, shape, checksum, and the numbers, compressed.
//!
//! | bytes | versions 2 and 3 | version 1: one bucket of each kind |
//! |---|---|---|
//! | 0-7 | `KAESHISN` | the same |
//! | 8-11 | 2 or 3 | 1 |
//! | 12-15 | hidden units | the same |
//! | 16-19 | king buckets | CRC-32 of the bytes from 20 on |
//! | 20-23 | output buckets | numbers |
//! | 24-27 | CRC-32 of the bytes 8 to 23 and of those from 28 on | |
//! | 28- | numbers | |
//!
//! The numbers are one block of LZ4: the low bytes of all of 16 bits (inputs, biases, output), their high bytes,
//! then those of 32 bits (values of single inputs, biases of the output). All are little-endian. Weights of the output,
//! its biases and the values of single inputs are in units of [`super::WEIGHT`] in version 3, in four times as
//! large ones before.

use super::{NetworkParameters, NetworkShape, WEIGHT};
use kaeshi_core::game::GameError;

const MAGIC: &[u8; 8] = b"KAESHISN";
/// One bucket of each kind.
const PLAIN: u32 = 1;
/// King buckets and output buckets.
const BUCKETED: u32 = 2;
/// King buckets and output buckets; output weights in finer units.
const FINE: u32 = 3;
/// An output weight of 1 in the earlier versions.
const COARSE_WEIGHT: i32 = 64;
/// LZ4 does not compress by more.
const MOST_COMPRESSED: usize = 256;

impl NetworkParameters {
    /// Header and compressed numbers, low and high bytes apart, for they compress better so.
    pub fn to_bytes(&self) -> Vec<u8> {
        let words: Vec<[u8; 2]> = [&self.inputs, &self.biases, &self.output]
            .into_iter()
            .flatten()
            .map(|word| word.to_le_bytes())
            .collect();
        let mut raw: Vec<u8> =
            words.iter().map(|word| word[0]).chain(words.iter().map(|word| word[1])).collect();
        for value in self.psqt.iter().chain(&self.bias) {
            raw.extend(value.to_le_bytes());
        }
        let body = lz4_flex::compress(&raw);
        let NetworkShape { width, king_buckets, output_buckets } = self.shape;
        let mut bytes = MAGIC.to_vec();
        let mut number = |number: u32| bytes.extend(number.to_le_bytes());
        let header = [FINE, width as u32, king_buckets as u32, output_buckets as u32];
        header.into_iter().for_each(&mut number);
        number(checksum(header, &body));
        bytes.extend(body);
        bytes
    }

    /// Reads the bytes that [`NetworkParameters::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes that are no weights of shogi, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<NetworkParameters, GameError> {
        let foreign = || GameError::file("these are no weights of shogi");
        let mut rest = bytes.strip_prefix(MAGIC).ok_or_else(foreign)?;
        let mut number = || {
            let (number, behind) = rest.split_first_chunk().ok_or_else(foreign)?;
            rest = behind;
            Ok::<u32, GameError>(u32::from_le_bytes(*number))
        };
        let (version, width) = (number()?, number()?);
        let (shape, stated, found) = match version {
            PLAIN => (NetworkShape::plain(width as usize), number()?, crc32fast::hash(rest)),
            BUCKETED | FINE => {
                let header = [version, width, number()?, number()?];
                let [_, width, king_buckets, output_buckets] = header.map(|number| number as usize);
                let stated = number()?;
                (NetworkShape { width, king_buckets, output_buckets }, stated, checksum(header, rest))
            }
            _ => {
                return Err(GameError::file(format!(
                    "weights of version {version}; this program reads versions {PLAIN} to {FINE}"
                )));
            }
        };
        if stated != found {
            return Err(GameError::file("the weights are damaged: the checksum is another one"));
        }
        let shape = shape.checked().map_err(GameError::file)?;
        let words = (shape.rows() + 1 + 2 * shape.output_buckets) * shape.width;
        let size = 2 * words + 4 * (shape.rows() + shape.output_buckets);
        // A few bytes do not make the program take memory for the largest network.
        let short = rest.len() < size / MOST_COMPRESSED;
        let raw = Some(rest)
            .filter(|_| !short)
            .and_then(|rest| lz4_flex::decompress(rest, size).ok())
            .filter(|raw| raw.len() == size)
            .ok_or_else(|| GameError::file("the weights are damaged: they do not decompress"))?;
        let mut parameters = NetworkParameters::zeros(shape);
        let (low, rest) = raw.split_at(words);
        let (high, rest) = rest.split_at(words);
        let mut word = low.iter().zip(high).map(|(&low, &high)| i16::from_le_bytes([low, high]));
        for part in [&mut parameters.inputs, &mut parameters.biases, &mut parameters.output] {
            part.fill_with(|| word.next().unwrap_or(0));
        }
        let mut values =
            rest.chunks_exact(4).map(|four| i32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        for part in [&mut parameters.psqt, &mut parameters.bias] {
            part.fill_with(|| values.next().unwrap_or(0));
        }
        if version < FINE {
            parameters.refine();
        }
        Ok(parameters)
    }
}

impl NetworkParameters {
    /// Converts the units of earlier versions to today's; numbers that do not fit become too large to be accepted.
    fn refine(&mut self) {
        const FINER: i32 = WEIGHT / COARSE_WEIGHT;
        self.output.iter_mut().for_each(|weight| *weight = weight.saturating_mul(FINER as i16));
        let long = self.psqt.iter_mut().chain(&mut self.bias);
        long.for_each(|value| *value = value.saturating_mul(FINER));
    }
}

/// CRC-32 of a header and of what follows it.
fn checksum(header: [u32; 4], body: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    header.into_iter().for_each(|number| sum.update(&number.to_le_bytes()));
    sum.update(body);
    sum.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::tests::random_parameters;
    use crate::network::{KING_BUCKETS, OUTPUT_BUCKETS, ShogiNetwork, WIDTHS};

    #[test]
    fn weights_survive_their_file() {
        let plain = WIDTHS.map(NetworkShape::plain);
        let bucketed = KING_BUCKETS
            .into_iter()
            .flat_map(|king_buckets| OUTPUT_BUCKETS.map(|output_buckets| (king_buckets, output_buckets)));
        let bucketed = bucketed.map(|(king_buckets, output_buckets)| NetworkShape {
            width: 16,
            king_buckets,
            output_buckets,
        });
        for shape in plain.into_iter().chain(bucketed) {
            let parameters = random_parameters(shape, 9);
            assert_eq!(NetworkParameters::from_bytes(&parameters.to_bytes()).unwrap(), parameters);
        }
    }

    /// The file of an earlier version with these numbers.
    fn earlier(parameters: &NetworkParameters, version: u32) -> Vec<u8> {
        let current = parameters.to_bytes();
        let body = &current[28..];
        let number = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| current[at + byte]));
        let mut bytes = current[..8].to_vec();
        let mut push = |number: u32| bytes.extend(number.to_le_bytes());
        if version == PLAIN {
            [PLAIN, number(12), crc32fast::hash(body)].into_iter().for_each(&mut push);
        } else {
            let header = [BUCKETED, number(12), number(16), number(20)];
            header.into_iter().for_each(&mut push);
            push(checksum(header, body));
        }
        bytes.extend(body);
        bytes
    }

    #[test]
    fn files_of_earlier_versions_have_the_same_values() {
        let bucketed = NetworkShape { width: 16, king_buckets: 4, output_buckets: 4 };
        for (shape, version) in [(NetworkShape::plain(32), PLAIN), (bucketed, BUCKETED)] {
            let mut coarse = random_parameters(shape, 3);
            coarse.output.iter_mut().for_each(|weight| *weight /= 4);
            let read = NetworkParameters::from_bytes(&earlier(&coarse, version)).unwrap();
            let mut expected = coarse.clone();
            expected.output.iter_mut().for_each(|weight| *weight *= 4);
            expected.psqt.iter_mut().chain(&mut expected.bias).for_each(|value| *value *= 4);
            assert_eq!(read, expected, "{shape}");

            // A weight that only the earlier versions could hold is refused, not changed.
            coarse.output[5] = i16::MIN;
            let read = NetworkParameters::from_bytes(&earlier(&coarse, version)).unwrap();
            assert!(ShogiNetwork::new(&read).unwrap_err().reason().contains("output weight"));
        }
    }

    #[test]
    fn the_embedded_network_is_a_file_of_today() {
        let embedded = include_bytes!("../../../../weights/shogi.bin");
        let read = NetworkParameters::from_bytes(embedded).unwrap();
        assert_eq!(read.to_bytes(), embedded);
    }

    #[test]
    fn damage_to_any_byte_is_refused() {
        let bucketed = NetworkShape { width: 16, king_buckets: 4, output_buckets: 4 };
        for shape in [NetworkShape::plain(16), bucketed] {
            // Zeros, for the sake of a short file.
            let mut parameters = NetworkParameters::zeros(shape);
            parameters.inputs[..100].fill(7);
            let bytes = parameters.to_bytes();
            for at in 0..bytes.len() {
                for bit in 0..8 {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= 1 << bit;
                    assert!(NetworkParameters::from_bytes(&damaged).is_err(), "{shape}: byte {at} bit {bit}");
                }
            }
            for length in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
                assert!(NetworkParameters::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
            }
        }
        let other = NetworkParameters::from_bytes(b"something else that is long enough").unwrap_err();
        assert!(other.reason().contains("no weights of shogi"));
    }
}
