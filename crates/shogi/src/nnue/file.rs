//! Reading `nn.bin`: header, hidden units, layers.
//!
//! All numbers are little-endian. The header is a version, a hash of the structure, the length of a
//! description and the description. Hashes and descriptions differ between programs that write such
//! files, so the sizes decide what a file is, and the description where the sizes leave a choice.

use std::io::Read;

use super::NnueNetwork;
use super::architecture::{Architecture, NnueHead, in_file};
use super::layers::StackedLayer;
use super::stacks::GameProgress;
use kaeshi_core::driver::pages::prefer_large;
use kaeshi_core::game::GameError;
use kaeshi_core::simd::dot::Dot;
use kaeshi_core::simd::{Aligned, SimdLevel};

/// The version that files of this form begin with.
pub(super) const VERSION: u32 = 0x7af3_2f16;
/// No description is longer.
const LONGEST_DESCRIPTION: u32 = 1 << 14;
/// The beginning of compressed weights.
const COMPRESSED: &[u8; 17] = b"COMPRESSED_LEB128";

/// Whether a file that begins with `bytes` has the form of `nn.bin`.
pub fn is_file(bytes: &[u8]) -> bool {
    bytes.starts_with(&VERSION.to_le_bytes())
}

impl NnueNetwork {
    /// Reads a file of `size` bytes.
    ///
    /// # Errors
    /// The file cannot be read, is no `nn.bin`, is damaged, or fits none of the known architectures; the text states
    /// the content.
    pub fn read(file: impl Read, size: u64) -> Result<NnueNetwork, GameError> {
        let mut source =
            NnueReader { file, begun: Vec::new(), left: size, checksum: crc32fast::Hasher::new() };
        let version = source.u32()?;
        if version != VERSION {
            let found = format!("its version is {version:#010x} instead of {VERSION:#010x}");
            return Err(GameError::file(format!("this is no nn.bin: {found}")));
        }
        let hash = source.u32()?;
        let length = source.u32()?;
        if length > LONGEST_DESCRIPTION {
            return Err(GameError::file(format!(
                "the nn.bin is damaged: its description has {length} bytes"
            )));
        }
        let description = source.bytes(length.into())?;
        let description = String::from_utf8_lossy(&description);
        let unknown = |found: String| {
            GameError::file(format!(
                "the nn.bin fits no architecture that this program knows: it has {size} bytes with {found}, \
                 hash {hash:#010x}, and calls itself '{}'",
                description.escape_debug()
            ))
        };

        let behind = source.left;
        source.u32()?;
        let (architecture, biases, weights) = if source.begins_with(COMPRESSED)? {
            let (mut biases, mut weights) = (source.decompress()?, source.decompress()?);
            let (width, count, left) = (biases.get().len(), weights.get().len(), source.left);
            let architecture = Some(count)
                .filter(|count| count.is_multiple_of(width))
                .and_then(|count| Architecture::of_products(&description, width, count / width, left))
                .ok_or_else(|| {
                    unknown(format!("{count} weights of {width} hidden units and {left} bytes of layers"))
                })?;
            // Units are twice as fine as in the file.
            biases.get_mut().iter_mut().for_each(|bias| *bias = bias.wrapping_mul(2));
            weights.get_mut().iter_mut().for_each(|weight| *weight = weight.wrapping_mul(2));
            (architecture, biases, weights)
        } else {
            let architecture = Architecture::of_plain(&description, behind)
                .ok_or_else(|| unknown(format!("{behind} bytes of weights")))?;
            let biases = source.numbers(architecture.width)?;
            let weights = source.numbers(architecture.width * architecture.features.inputs())?;
            (architecture, biases, weights)
        };
        let progress = match architecture.head {
            NnueHead::Products { stacks, .. } if stacks.by_progress() => Some(source.progress()?),
            _ => None,
        };
        let layers = source.layers(&architecture)?;
        Ok(NnueNetwork {
            architecture,
            biases,
            weights,
            progress,
            layers,
            checksum: source.checksum.finalize(),
            level: SimdLevel::best(),
            dot: Dot::best(),
        })
    }
}

/// The unread rest of a file.
struct NnueReader<R> {
    file: R,
    /// Bytes that were peeked at, but not consumed.
    begun: Vec<u8>,
    left: u64,
    checksum: crc32fast::Hasher,
}

impl<R: Read> NnueReader<R> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), GameError> {
        let begun = self.begun.len().min(bytes.len());
        bytes[..begun].copy_from_slice(&self.begun[..begun]);
        self.begun.drain(..begun);
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| GameError::file("the nn.bin ends too early"))?;
        self.file
            .read_exact(&mut bytes[begun..])
            .map_err(|error| GameError::file(format!("the nn.bin cannot be read to its end: {error}")))?;
        self.checksum.update(bytes);
        Ok(())
    }

    fn bytes(&mut self, length: u64) -> Result<Vec<u8>, GameError> {
        if length > self.left {
            return Err(GameError::file("the nn.bin ends too early"));
        }
        let mut bytes = vec![0; length as usize];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, GameError> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Whether these bytes come next.
    fn begins_with(&mut self, bytes: &[u8]) -> Result<bool, GameError> {
        let missing = bytes.len().saturating_sub(self.begun.len());
        let taken = (&mut self.file).take(missing as u64).read_to_end(&mut self.begun);
        taken.map_err(|error| GameError::file(format!("the nn.bin cannot be read: {error}")))?;
        Ok(self.begun.starts_with(bytes))
    }

    /// Numbers to read, if the file is long enough.
    fn numbers<T: FileNumber>(&mut self, count: usize) -> Result<Aligned<T>, GameError> {
        if (count * size_of::<T>()) as u64 > self.left {
            return Err(GameError::file("the nn.bin ends too early"));
        }
        let mut numbers = Aligned::zeros(count);
        // Evaluation reads rows at random places, so large pages pay.
        prefer_large(numbers.get_mut());
        self.fill(bytemuck::cast_slice_mut(numbers.get_mut()))?;
        numbers.get_mut().iter_mut().for_each(|number| *number = T::of_little_endian(*number));
        Ok(numbers)
    }

    /// Numbers of seven bits a byte, the lowest first; the eighth bit says that more follow.
    fn decompress(&mut self) -> Result<Aligned<i16>, GameError> {
        let damaged = || GameError::file("the nn.bin is damaged: its compressed weights are none");
        if self.bytes(COMPRESSED.len() as u64)? != COMPRESSED {
            return Err(damaged());
        }
        let length = self.u32()?;
        let bytes = self.bytes(length.into())?;
        let ends = |byte: u8| byte & 0x80 == 0;
        let mut numbers = Aligned::zeros(bytes.iter().filter(|&&byte| ends(byte)).count());
        let mut rest = &bytes[..];
        for number in numbers.get_mut() {
            let length = 1 + rest.iter().position(|&byte| ends(byte)).ok_or_else(damaged)?;
            let (own, others) = rest.split_at(length);
            rest = others;
            if length > 3 {
                return Err(damaged());
            }
            let bits = own.iter().rev().fold(0u32, |bits, byte| bits << 7 | u32::from(byte & 0x7f));
            let unused = 32 - 7 * length as u32;
            *number = ((bits << unused) as i32 >> unused) as i16;
        }
        if numbers.get().is_empty() || !rest.is_empty() {
            return Err(damaged());
        }
        Ok(numbers)
    }

    fn progress(&mut self) -> Result<GameProgress, GameError> {
        self.u32()?;
        let bias = self.u32()? as i32;
        Ok(GameProgress::new(bias, self.numbers(GameProgress::WEIGHTS)?))
    }

    fn layers(&mut self, architecture: &Architecture) -> Result<[StackedLayer; 3], GameError> {
        let (inputs, outputs) = (architecture.layer_inputs(), architecture.layer_outputs());
        let split = match architecture.head {
            NnueHead::Products { split, .. } => split,
            NnueHead::Plain => None,
        };
        let mut layers = [0, 1, 2].map(|i| StackedLayer::zeros(inputs[i], outputs[i], architecture.stacks()));
        for stack in 0..architecture.stacks() {
            self.u32()?;
            for (i, layer) in layers.iter_mut().enumerate() {
                let biases = self.numbers::<i32>(outputs[i])?;
                for (output, &bias) in biases.get().iter().enumerate() {
                    let mut weights = self.numbers::<i8>(in_file(inputs[i]))?;
                    if let Some(split) = split.filter(|_| i == 0) {
                        let weights = weights.get_mut().iter_mut().enumerate();
                        weights
                            .filter(|(product, _)| !split.sees(outputs[i], output, *product))
                            .for_each(|(_, weight)| *weight = 0);
                    }
                    layer.set(stack, output, bias, &weights.get()[..inputs[i]]);
                }
            }
        }
        Ok(layers)
    }
}

/// Numbers as files hold them.
trait FileNumber: bytemuck::Pod {
    /// The number whose bytes, lowest first, are those of `self` in memory.
    fn of_little_endian(self) -> Self;
}

impl FileNumber for i8 {
    fn of_little_endian(self) -> i8 {
        self
    }
}

impl FileNumber for i16 {
    fn of_little_endian(self) -> i16 {
        i16::from_le(self)
    }
}

impl FileNumber for i32 {
    fn of_little_endian(self) -> i32 {
        i32::from_le(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::samples::{NnueSample, SAMPLES};

    fn read(bytes: &[u8]) -> Result<NnueNetwork, GameError> {
        NnueNetwork::read(bytes, bytes.len() as u64)
    }

    #[test]
    fn every_kind_of_file_is_recognized() {
        for sample in &SAMPLES {
            let bytes = sample.bytes();
            assert!(is_file(&bytes));
            let network = read(&bytes).unwrap();
            assert_eq!(network.architecture().to_string(), sample.recognized);
            assert_eq!(network.checksum(), crc32fast::hash(&bytes));
        }
    }

    #[test]
    fn compressed_numbers_have_up_to_three_bytes() {
        let mut bytes = COMPRESSED.to_vec();
        let numbers = [0i16, 1, -1, 63, -64, 64, -65, 8191, -8192, 8192, i16::MAX, i16::MIN];
        let mut body = Vec::new();
        numbers.iter().for_each(|&number| NnueSample::compress(number, &mut body));
        bytes.extend((body.len() as u32).to_le_bytes());
        bytes.extend(body);
        let mut source = NnueReader {
            left: bytes.len() as u64,
            file: &bytes[..],
            begun: Vec::new(),
            checksum: Default::default(),
        };
        assert_eq!(source.decompress().unwrap().get(), numbers);
    }

    #[test]
    fn other_files_are_refused_with_what_was_found() {
        let refused = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert!(
            refused(b"no network").contains("0x6e206f6e instead of 0x7af32f16"),
            "{}",
            refused(b"no network")
        );
        assert!(refused(&[]).contains("ends too early"));
        let kp = SAMPLES.iter().find(|sample| sample.recognized.starts_with("K+P")).unwrap().bytes();
        for length in [3, 8, 13, 100, kp.len() - 1] {
            let reason = refused(&kp[..length]);
            assert!(reason.contains("ends too early") || reason.contains("calls itself"), "{reason}");
        }
        let longer = refused(&[&kp[..], &[0]].concat());
        let size = format!("it has {} bytes", kp.len() + 1);
        assert!(longer.contains(&size) && longer.contains("calls itself 'Features=K+P["), "{longer}");
        let mut long = kp.clone();
        long[11] = 1;
        assert!(refused(&long).contains("description"));
        let products = SAMPLES.iter().find(|sample| sample.recognized.contains("9 stacks")).unwrap().bytes();
        let reason = refused(&products[..products.len() - 1]);
        assert!(reason.contains("hidden units") && !reason.contains('\n'), "{reason}");
    }

    #[test]
    fn files_cut_off_within_the_stated_size_are_refused() {
        let kp = SAMPLES.iter().find(|sample| sample.recognized.starts_with("K+P")).unwrap().bytes();
        let reason = NnueNetwork::read(&kp[..kp.len() / 2], kp.len() as u64).unwrap_err().to_string();
        assert!(reason.contains("cannot be read to its end"), "{reason}");
    }
}
