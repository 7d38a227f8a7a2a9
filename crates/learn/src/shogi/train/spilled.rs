//! Training positions on disk, if they exceed the memory limit: 48 bytes each, distributed to files at random. An epoch
//! reads one file after the other, each in a new random order.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use bytemuck::Zeroable;
use parking_lot::Mutex;
use rayon::prelude::*;

use super::samples::PackedSample;
use kaeshi_core::game::GameError;
use kaeshi_core::random;
use kaeshi_shogi::network::features::MOST_SET;

/// Files. A part of them is in memory at one time.
const FILES: usize = 64;
/// Bytes of a position.
const RECORD: usize = 48;
/// Records that one thread decodes at a time.
const CHUNK: usize = 1 << 14;
/// Low bits of an input's number, which are stored unchanged. The high bits of the ascending numbers are stored in
/// unary code (Elias-Fano coding).
const LOW_BITS: usize = 5;
/// Offset of the low bits; [`SCORE_AT`] is that of the data behind them.
const LOW_AT: usize = 16;
const SCORE_AT: usize = LOW_AT + (MOST_SET * LOW_BITS).div_ceil(8) + 1;
// Largest input, 11 bits behind the low ones at most, and one place for each input.
const _: () = assert!((4095 >> LOW_BITS) + MOST_SET <= 8 * (LOW_AT + 6) && SCORE_AT + 6 == RECORD);

/// Positions in files without a name, which vanish with the process.
#[derive(Debug)]
pub(super) struct SpilledSamples {
    files: Vec<SampleFile>,
    /// Checksum of all records in their order of arrival.
    checksum: crc32fast::Hasher,
    count: usize,
}

#[derive(Debug)]
struct SampleFile {
    writer: Arc<Mutex<BufWriter<File>>>,
    count: usize,
}

impl SpilledSamples {
    /// Files in this folder.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub(super) fn new(folder: &Path) -> io::Result<SpilledSamples> {
        let file = || {
            let writer = BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(folder)?);
            Ok(SampleFile { writer: Arc::new(Mutex::new(writer)), count: 0 })
        };
        let files = (0..FILES).map(|_| file()).collect::<io::Result<_>>()?;
        Ok(SpilledSamples { files, checksum: crc32fast::Hasher::new(), count: 0 })
    }

    /// Adds a position to a file.
    ///
    /// # Errors
    /// It cannot be written: the disk may be full.
    pub(super) fn add(&mut self, sample: &PackedSample) -> io::Result<()> {
        let record = encode(sample);
        self.checksum.update(&record);
        let file = &mut self.files[(random::mix(self.count as u64) % FILES as u64) as usize];
        file.writer.lock().write_all(&record)?;
        file.count += 1;
        self.count += 1;
        Ok(())
    }

    /// Positions in all files.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Positions in each file.
    pub(super) fn counts(&self) -> impl Iterator<Item = usize> {
        self.files.iter().map(|file| file.count)
    }

    /// CRC-32 of all positions.
    pub(super) fn checksum(&self) -> u32 {
        self.checksum.clone().finalize()
    }

    /// The positions of a file, decoded on the threads of the present pool.
    ///
    /// # Errors
    /// They cannot be read.
    pub(super) fn load(&self, number: usize) -> Result<Vec<PackedSample>, GameError> {
        let bytes = self.read(number);
        let bytes = bytes
            .map_err(|error| GameError::file(format!("cannot read positions back from disk: {error}")))?;
        let mut samples = vec![PackedSample::zeroed(); self.files[number].count];
        let chunks = samples.par_chunks_mut(CHUNK).zip(bytes.par_chunks(CHUNK * RECORD));
        chunks.for_each(|(samples, bytes)| {
            for (sample, record) in samples.iter_mut().zip(bytes.as_chunks().0) {
                *sample = decode(record);
            }
        });
        Ok(samples)
    }

    fn read(&self, number: usize) -> io::Result<Vec<u8>> {
        let file = &self.files[number];
        let mut writer = file.writer.lock();
        writer.flush()?;
        let file_itself = writer.get_mut();
        file_itself.seek(SeekFrom::Start(0))?;
        let mut bytes = vec![0; file.count * RECORD];
        file_itself.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// The inputs of a position come back in ascending order.
fn encode(sample: &PackedSample) -> [u8; RECORD] {
    let mut inputs = [0; MOST_SET];
    let count = sample.numbers().len();
    inputs[..count].copy_from_slice(sample.numbers());
    inputs[..count].sort_unstable();
    let (mut record, mut high) = ([0; RECORD], 0u128);
    for (index, &input) in inputs[..count].iter().enumerate() {
        high |= 1 << (usize::from(input >> LOW_BITS) + index);
        let (byte, shift) = (LOW_AT + index * LOW_BITS / 8, index * LOW_BITS % 8);
        let low = (input & ((1 << LOW_BITS) - 1)) << shift;
        record[byte] |= low as u8;
        record[byte + 1] |= (low >> 8) as u8;
    }
    record[..LOW_AT].copy_from_slice(&high.to_le_bytes());
    record[SCORE_AT..][..2].copy_from_slice(&sample.score.to_le_bytes());
    record[SCORE_AT + 2] = (sample.result + 1) as u8 | sample.mirrors << 2 | sample.output_bucket << 4;
    record[SCORE_AT + 3] = count as u8;
    record[SCORE_AT + 4..].copy_from_slice(&sample.king_buckets);
    record
}

fn decode(record: &[u8; RECORD]) -> PackedSample {
    let mut sample = PackedSample::zeroed();
    let mut high = u128::from_le_bytes(record[..LOW_AT].try_into().unwrap_or_default());
    let count = usize::from(record[SCORE_AT + 3]).min(MOST_SET);
    for index in 0..count {
        let place = high.trailing_zeros();
        high &= high.wrapping_sub(1);
        let (byte, shift) = (LOW_AT + index * LOW_BITS / 8, index * LOW_BITS % 8);
        let low = u16::from_le_bytes([record[byte], record[byte + 1]]) >> shift & ((1 << LOW_BITS) - 1);
        sample.inputs[index] = ((place as u16).wrapping_sub(index as u16)) << LOW_BITS | low;
    }
    sample.score = i16::from_le_bytes([record[SCORE_AT], record[SCORE_AT + 1]]);
    let packed = record[SCORE_AT + 2];
    sample.result = (packed & 3) as i8 - 1;
    sample.mirrors = packed >> 2 & 3;
    sample.output_bucket = packed >> 4;
    sample.count = count as u8;
    sample.king_buckets = [record[SCORE_AT + 4], record[SCORE_AT + 5]];
    sample
}

#[cfg(test)]
mod tests {
    use super::super::{ModelShape, samples};
    use super::*;
    use kaeshi_shogi::network::{INPUTS, NetworkShape};
    use kaeshi_shogi::nnue::Architecture;
    use kaeshi_shogi::rules::sfen::parse;

    fn sorted(mut sample: PackedSample) -> PackedSample {
        let count = sample.numbers().len();
        sample.inputs[..count].sort_unstable();
        sample
    }

    #[test]
    fn records_hold_all_of_a_position() {
        let shape = NetworkShape { width: 16, king_buckets: 45, output_buckets: 8 };
        let nnue = ModelShape::Nnue(Architecture::named("k_p_32x2-32-32").unwrap());
        for sfen in [
            kaeshi_shogi::rules::handicap::START,
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
            "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            "8k/9/9/9/9/9/9/9/K8 b - 1",
        ] {
            for (shape, result) in [(ModelShape::Network(shape), 1), (nnue, -1)] {
                let sample = PackedSample::new(shape, &parse(sfen).unwrap(), -1234, result);
                let found = decode(&encode(&sample));
                assert_eq!(bytemuck::bytes_of(&found), bytemuck::bytes_of(&sorted(sample)), "{sfen} {shape}");
            }
        }
        let mut largest = PackedSample::zeroed();
        largest.inputs = [INPUTS as u16 - 1; MOST_SET];
        largest.count = MOST_SET as u8;
        assert_eq!(bytemuck::bytes_of(&decode(&encode(&largest))), bytemuck::bytes_of(&largest));
    }

    #[test]
    fn files_give_every_position_back_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut spilled = SpilledSamples::new(folder.path()).unwrap();
        let mut sample = PackedSample::zeroed();
        for score in 0..5_000 {
            sample.score = score;
            spilled.add(&sample).unwrap();
        }
        let mut found: Vec<i16> = (0..FILES)
            .flat_map(|number| spilled.load(number).unwrap())
            .map(|sample: samples::PackedSample| sample.score)
            .collect();
        assert!(!found.is_sorted(), "they are dealt out");
        found.sort_unstable();
        assert_eq!(found, (0..5_000).collect::<Vec<i16>>());
        assert_eq!(spilled.counts().sum::<usize>(), spilled.count());
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "the files have no names");
    }
}
