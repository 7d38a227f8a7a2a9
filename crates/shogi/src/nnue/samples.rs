//! Files of random networks, one of each kind, for the tests.
//!
//! They are small: inputs cannot be fewer, but hidden units can. The numbers are such that layers
//! neither die nor saturate.

use super::architecture::in_file;
use kaeshi_core::random::SplitMix;

/// A file of random numbers.
pub(super) struct NnueSample {
    /// The expected description of the network.
    pub(super) recognized: &'static str,
    /// Inputs.
    pub(super) inputs: usize,
    /// Hidden units.
    pub(super) width: usize,
    /// Inputs and outputs of the layers.
    pub(super) layers: [(usize, usize); 3],
    /// Stacks of layers, each with a section for itself; none for a plain file.
    pub(super) stacks: Option<usize>,
    pub(super) progress: bool,
    pub(super) description: &'static str,
}

const fn plain(recognized: &'static str, inputs: usize, description: &'static str) -> NnueSample {
    let layers = [(64, 32), (32, 32), (32, 1)];
    NnueSample { recognized, inputs, width: 32, layers, stacks: None, progress: false, description }
}

const fn products(
    recognized: &'static str,
    inputs: usize,
    stacks: usize,
    description: &'static str,
) -> NnueSample {
    let layers = [(64, 8), (14, 32), (32, 1)];
    NnueSample { recognized, inputs, width: 64, layers, stacks: Some(stacks), progress: false, description }
}

/// One of each kind.
pub(super) static SAMPLES: [NnueSample; 14] = [
    plain("HalfKP 32x2-32-32", 125_388, "Features=HalfKP(Friend)[125388->32x2]"),
    plain("K+P 32x2-32-32", 1_710, "Features=K+P[1710->32x2]"),
    plain("K+A2 32x2-32-32", 1_791, "Features=K+A2[1791->32x2]"),
    plain("HalfKPE9 32x2-32-32", 1_128_492, "Features=HalfKPE9(Friend)[1128492->32x2]"),
    plain("HalfKP_vm 32x2-32-32", 69_660, ""),
    plain("HalfKA1 32x2-32-32", 138_510, ""),
    plain("HalfKA2 32x2-32-32", 131_949, ""),
    plain("HalfKA_hm1 32x2-32-32", 76_950, ""),
    plain("HalfKA_hm2 32x2-32-32", 73_305, ""),
    products(
        "SFNN HalfKA2 64-7-32 with 9 stacks",
        131_949,
        9,
        "Network=SFNN_HALFKA2_64_7_32_K3K3{LayerStack=9}",
    ),
    products(
        "SFNN HalfKA_hm2 64-7-32 with 5184 stacks",
        73_305,
        5_184,
        "Network=SFNN_HALFKAHM2_64_7_32_HAND64Z_K9K9Z{LayerStack=5184}",
    ),
    NnueSample {
        progress: true,
        ..products(
            "SFNN HalfKP_vm 64-7-32 with 72 stacks",
            69_660,
            72,
            "Network=SFNN_HALFKPVM_64_7_32_K3K3_PROGRESS8{LayerStack=72}",
        )
    },
    products("SFNN K+A2 64-7-32 with 1 stacks", 1_791, 1, "Network=SFNN_KA2_64_7_32_C32_S8X4{LayerStack=1}"),
    NnueSample {
        layers: [(64, 16), (32, 32), (32, 1)],
        ..products("SFNN HalfKA_hm2 64-15-32 with 9 stacks", 73_305, 9, "Network=SFNN-1536{LayerStack=9}")
    },
];

/// The smallest of them, for tests elsewhere.
pub fn small() -> Vec<u8> {
    SAMPLES[1].bytes()
}

impl NnueSample {
    /// The file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut random = SplitMix::new(self.inputs as u64 + self.stacks.unwrap_or(0) as u64);
        let mut bytes = Vec::new();
        let word = |bytes: &mut Vec<u8>, word: u32| bytes.extend(word.to_le_bytes());
        word(&mut bytes, 0x7af3_2f16);
        word(&mut bytes, 0x1234_5678);
        word(&mut bytes, self.description.len() as u32);
        bytes.extend(self.description.bytes());
        word(&mut bytes, 0);
        for count in [self.width, self.width * self.inputs] {
            // Each byte of a random number makes one of -32 to 31.
            let draws = std::iter::repeat_with(|| random.draw().to_le_bytes()).flatten().take(count);
            let numbers = draws.map(|byte| i16::from(byte as i8) >> 2);
            if self.stacks.is_none() {
                bytes.extend(numbers.flat_map(i16::to_le_bytes));
                continue;
            }
            bytes.extend(b"COMPRESSED_LEB128");
            let begin = bytes.len();
            word(&mut bytes, 0);
            numbers.for_each(|number| NnueSample::compress(number, &mut bytes));
            let length = (bytes.len() - begin - 4) as u32;
            bytes[begin..begin + 4].copy_from_slice(&length.to_le_bytes());
        }
        if self.progress {
            word(&mut bytes, 0);
            word(&mut bytes, 7_000);
            for _ in 0..81 * 1548 {
                word(&mut bytes, random.below(20_001).wrapping_sub(10_000));
            }
        }
        for _ in 0..self.stacks.unwrap_or(1) {
            word(&mut bytes, 0);
            for (inputs, outputs) in self.layers {
                for _ in 0..outputs {
                    word(&mut bytes, random.below(8_001).wrapping_sub(4_000));
                }
                for _ in 0..outputs * in_file(inputs) {
                    bytes.push((random.below(81) as i8 - 40) as u8);
                }
            }
        }
        bytes
    }

    /// Appends a number in groups of seven bits.
    pub(super) fn compress(mut number: i16, bytes: &mut Vec<u8>) {
        loop {
            let low = (number & 0x7f) as u8;
            number >>= 7;
            if (number == 0 && low & 0x40 == 0) || (number == -1 && low & 0x40 != 0) {
                return bytes.push(low);
            }
            bytes.push(low | 0x80);
        }
    }
}
