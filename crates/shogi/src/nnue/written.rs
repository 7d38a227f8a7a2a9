//! The weights of a network as `nn.bin` holds them, and the file with them.

use super::architecture::in_file;
use super::file::VERSION;
use super::{Architecture, NnueHead, NnueNetwork};
use kaeshi_core::game::GameError;

/// The rounded weights of a network whose units go through one stack of layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantizedNnue {
    /// Its shape, with [`NnueHead::Plain`].
    pub architecture: Architecture,
    /// The biases of the hidden units of one side, in 127ths of a fully active unit.
    pub biases: Vec<i16>,
    /// For each input the weights of all hidden units, in the same unit.
    pub weights: Vec<i16>,
    /// For each of the three layers the biases, and for each output the weights of all inputs.
    pub layers: [(Vec<i32>, Vec<i8>); 3],
}

impl QuantizedNnue {
    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let QuantizedNnue { architecture, biases, weights, layers } = self;
        let mut bytes = Vec::with_capacity(4096 + architecture.bytes_of_units() as usize);
        let word = |bytes: &mut Vec<u8>, word: u32| bytes.extend(word.to_le_bytes());
        let [units_hash, layers_hash] = architecture.hashes();
        let description = architecture.description();
        word(&mut bytes, VERSION);
        word(&mut bytes, units_hash ^ layers_hash);
        word(&mut bytes, description.len() as u32);
        bytes.extend(description.bytes());
        word(&mut bytes, units_hash);
        bytes.extend(biases.iter().chain(weights).flat_map(|number| number.to_le_bytes()));
        word(&mut bytes, layers_hash);
        for ((biases, weights), inputs) in layers.iter().zip(architecture.layer_inputs()) {
            bytes.extend(biases.iter().flat_map(|bias| bias.to_le_bytes()));
            for weights in weights.chunks(inputs) {
                bytes.extend(weights.iter().map(|&weight| weight as u8));
                bytes.extend(std::iter::repeat_n(0, in_file(inputs) - inputs));
            }
        }
        bytes
    }
}

impl NnueNetwork {
    /// The weights.
    ///
    /// # Errors
    /// The network has stacks of layers behind products.
    pub fn quantized(&self) -> Result<QuantizedNnue, GameError> {
        let architecture = self.architecture;
        if architecture.head != NnueHead::Plain {
            return Err(GameError::unsupported(format!(
                "{architecture} is no network with one stack of layers"
            )));
        }
        let (inputs, outputs) = (architecture.layer_inputs(), architecture.layer_outputs());
        Ok(QuantizedNnue {
            architecture,
            biases: self.biases.get().to_vec(),
            weights: self.weights.get().to_vec(),
            layers: [0, 1, 2].map(|i| {
                let rows = (0..outputs[i]).map(|output| self.layers[i].row(output, inputs[i]));
                let (biases, weights): (Vec<i32>, Vec<Vec<i8>>) = rows.unzip();
                (biases, weights.concat())
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::samples::SAMPLES;

    #[test]
    fn what_is_read_is_written_again() {
        for sample in &SAMPLES {
            let read = |bytes: &[u8]| NnueNetwork::read(bytes, bytes.len() as u64).unwrap();
            let network = read(&sample.bytes());
            match network.quantized() {
                Ok(quantized) => {
                    let again = read(&quantized.to_bytes());
                    assert_eq!(again.architecture(), network.architecture());
                    assert!(again.quantized().unwrap() == quantized, "{network:?}");
                }
                Err(reason) => assert!(sample.stacks.is_some(), "{reason}"),
            }
        }
    }

    #[test]
    fn the_header_of_the_standard_network_is_the_usual_one() {
        let standard = Architecture::named("halfkp_256x2-32-32").unwrap();
        let [units, layers] = standard.hashes();
        assert_eq!((units ^ layers, units), (0x3e5a_a6ee, 0x5d69_d7b8));
        assert_eq!(
            standard.description(),
            "Features=HalfKP(Friend)[125388->256x2],Network=AffineTransform[1<-32](ClippedReLU[32]\
             (AffineTransform[32<-32](ClippedReLU[32](AffineTransform[32<-512](InputSlice[512(0:512)])))))"
        );
    }
}
