//! Files of weights: magic, version, width, checksum, and the numbers, compressed.

use super::{INPUTS, NetworkParameters, WIDTHS};
use kaeshi_core::game::GameError;

const MAGIC: &[u8; 8] = b"KAESHISN";
/// Raised whenever the inputs, the shape or the units change.
const VERSION: u32 = 1;
/// Magic, version, width, checksum of the rest.
const HEADER: usize = 20;

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
        for value in self.skip.iter().chain([&self.bias]) {
            raw.extend(value.to_le_bytes());
        }
        let body = lz4_flex::compress(&raw);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.width as u32).to_le_bytes());
        bytes.extend(crc32fast::hash(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// What [`NetworkParameters::to_bytes`] made.
    ///
    /// # Errors
    /// Bytes that are no weights of shogi, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<NetworkParameters, GameError> {
        let Some(header) = bytes.first_chunk::<HEADER>().filter(|header| header.starts_with(MAGIC)) else {
            return Err(GameError::new("these are no weights of shogi"));
        };
        let number =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let (version, width, body) = (number(8), number(12) as usize, &bytes[HEADER..]);
        if version != VERSION {
            return Err(GameError(format!(
                "weights of version {version}; this program reads version {VERSION}"
            )));
        }
        if !WIDTHS.contains(&width) || number(16) != crc32fast::hash(body) {
            return Err(GameError::new("the weights are damaged: the checksum is another one"));
        }
        let mut parameters = NetworkParameters::zeros(width);
        let words = parameters.inputs.len() + parameters.biases.len() + parameters.output.len();
        let raw = lz4_flex::decompress(body, 2 * words + 4 * (INPUTS + 1))
            .ok()
            .filter(|raw| raw.len() == 2 * words + 4 * (INPUTS + 1))
            .ok_or_else(|| GameError::new("the weights are damaged: they do not decompress"))?;
        let (low, rest) = raw.split_at(words);
        let (high, rest) = rest.split_at(words);
        let mut word = low.iter().zip(high).map(|(&low, &high)| i16::from_le_bytes([low, high]));
        for part in [&mut parameters.inputs, &mut parameters.biases, &mut parameters.output] {
            part.fill_with(|| word.next().unwrap_or(0));
        }
        let mut values =
            rest.chunks_exact(4).map(|four| i32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        parameters.skip.fill_with(|| values.next().unwrap_or(0));
        parameters.bias = values.next().unwrap_or(0);
        Ok(parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::tests::random_parameters;

    #[test]
    fn weights_survive_their_file() {
        for width in WIDTHS {
            let parameters = random_parameters(width, 9);
            assert_eq!(NetworkParameters::from_bytes(&parameters.to_bytes()).unwrap(), parameters);
        }
    }

    #[test]
    fn damaged_and_foreign_bytes_are_refused() {
        let bytes = random_parameters(16, 2).to_bytes();
        for at in [0, 9, 12, 17, HEADER, bytes.len() / 2, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert!(NetworkParameters::from_bytes(&damaged).is_err(), "byte {at}");
        }
        for length in [0, 7, HEADER - 1, HEADER, 100, bytes.len() - 1] {
            assert!(NetworkParameters::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        let other = NetworkParameters::from_bytes(b"something else that is long enough").unwrap_err();
        assert!(other.0.contains("no weights of shogi"));
    }
}
