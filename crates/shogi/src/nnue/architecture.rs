//! The shapes of networks, and how the description and the size of a file identify them.

use std::fmt;

use super::features::{FEATURE_SETS, FeatureSet};
use super::stacks::{GameProgress, Stacks};
use kaeshi_core::game::GameError;

/// Hidden units of one side come in multiples of this.
pub(super) const UNIT_STEP: usize = 32;
/// Inputs of a layer are filled up to a multiple of this in files.
const LAYER_STEP: usize = 32;
/// The most hidden units of one side.
const MOST_UNITS: usize = 16_384;
/// The most units of a layer behind.
const MOST_HIDDEN: usize = 1_024;

/// A shape of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// The inputs.
    pub features: &'static FeatureSet,
    /// Hidden units for each side.
    pub width: usize,
    /// Units of the two layers behind.
    pub hidden: [usize; 2],
    /// The layers behind the hidden units.
    pub head: NnueHead,
}

/// The layers behind the hidden units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NnueHead {
    /// The units of both sides, clipped, go through one stack of layers.
    Plain,
    /// Pairs of units are multiplied, and the position selects one of several stacks.
    Products {
        /// Which stack is for which position.
        stacks: Stacks,
        /// How the first layer is thinned out.
        split: Option<Split>,
    },
}

/// A first layer whose outputs all see the common products, and beyond them each group of outputs its
/// own part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    pub(super) common: usize,
    pub(super) part: usize,
    pub(super) groups: usize,
}

/// The shapes of layers that are in use, tried where nothing but the size identifies them.
const USUAL: [[usize; 2]; 8] = [[32, 32], [16, 32], [8, 32], [8, 64], [16, 64], [8, 96], [64, 32], [64, 64]];
const USUAL_BEHIND_PRODUCTS: [[usize; 2]; 8] =
    [[15, 32], [7, 64], [8, 64], [15, 64], [7, 32], [8, 32], [16, 32], [16, 64]];

impl Architecture {
    /// The shape called `name` as YaneuraOu calls it, such as `halfkp_256x2-32-32` or `k_p_256x2-32-32`, with
    /// one stack of layers.
    ///
    /// # Errors
    /// Unknown names of inputs, or sizes that no network has.
    pub fn named(name: &str) -> Result<Architecture, GameError> {
        let refused = || {
            let example = "halfkp_256x2-32-32 or k_p_256x2-32-32";
            GameError::option(format!("'{name}' names no architecture; names are such as {example}"))
        };
        let (features, sizes) = name.rsplit_once('_').ok_or_else(refused)?;
        let plain = |name: &str| name.to_ascii_lowercase().replace(['_', '+'], "");
        let features = FEATURE_SETS.iter().find(|set| plain(set.name) == plain(features));
        let (width, hidden) = sizes.split_once("x2-").ok_or_else(refused)?;
        let (first, second) = hidden.split_once('-').ok_or_else(refused)?;
        let number = |text: &str| text.parse().map_err(|_| refused());
        let architecture = Architecture {
            features: features.ok_or_else(refused)?,
            width: number(width)?,
            hidden: [number(first)?, number(second)?],
            head: NnueHead::Plain,
        };
        if !architecture.is_possible() {
            return Err(GameError::option(format!(
                "'{name}': hidden units must be a multiple of {UNIT_STEP} up to {MOST_UNITS}, the layers behind \
                 may have up to {MOST_HIDDEN}"
            )));
        }
        Ok(architecture)
    }

    /// A number that stands for it, if nothing is too large for that; for [`NnueHead::Plain`] only. The
    /// highest bit is set.
    pub fn number(&self) -> u32 {
        let features = FEATURE_SETS.iter().position(|set| set == self.features).unwrap_or(0) as u32;
        let [first, second] = self.hidden.map(|units| units as u32 & 0xff);
        let steps = (self.width / UNIT_STEP) as u32 & 0x7f;
        1 << 31 | features << 23 | steps << 16 | first << 8 | second
    }

    /// The inverse of [`Architecture::number`].
    pub fn of_number(number: u32) -> Option<Architecture> {
        let bits = |from: u32, count: u32| (number >> from & ((1 << count) - 1)) as usize;
        let architecture = Architecture {
            features: FEATURE_SETS.get(bits(23, 8))?,
            width: bits(16, 7) * UNIT_STEP,
            hidden: [bits(8, 8), bits(0, 8)],
            head: NnueHead::Plain,
        };
        (number >> 31 == 1 && architecture.is_possible()).then_some(architecture)
    }

    /// How files describe it; for [`NnueHead::Plain`] only.
    pub(super) fn description(&self) -> String {
        let Architecture { features, width, hidden: [first, second], .. } = self;
        let friend = if features.follows_king() { "(Friend)" } else { "" };
        format!(
            "Features={}{friend}[{}->{width}x2],Network=AffineTransform[1<-{second}](ClippedReLU[{second}]\
             (AffineTransform[{second}<-{first}](ClippedReLU[{first}](AffineTransform[{first}<-{both}]\
             (InputSlice[{both}(0:{both})])))))",
            features.name,
            features.inputs(),
            both = 2 * width
        )
    }

    /// The hashes in files of the hidden units and of the layers behind them; for [`NnueHead::Plain`] only.
    pub(super) fn hashes(&self) -> [u32; 2] {
        let both = 2 * self.width as u32;
        let layer = |before: u32, outputs: usize| {
            0xcc03_dae4u32.wrapping_add(outputs as u32) ^ before >> 1 ^ before << 31
        };
        let clipped = |before: u32| before.wrapping_add(0x538d_24c7);
        let first = clipped(layer(0xec42_e90d ^ both, self.hidden[0]));
        let second = clipped(layer(first, self.hidden[1]));
        [self.features.hash ^ both, layer(second, 1)]
    }

    /// Inputs of the three layers.
    pub fn layer_inputs(&self) -> [usize; 3] {
        let [first, second] = self.hidden;
        match self.head {
            NnueHead::Plain => [2 * self.width, first, second],
            NnueHead::Products { .. } => [self.width, 2 * first, second],
        }
    }

    /// Outputs of the three layers.
    pub fn layer_outputs(&self) -> [usize; 3] {
        let [first, second] = self.hidden;
        [first + usize::from(self.has_shortcut()), second, 1]
    }

    /// Whether the first layer behind products has one more output, which goes to the end at once.
    pub(super) fn has_shortcut(&self) -> bool {
        self.head != NnueHead::Plain && self.hidden[0] % 8 == 7
    }

    /// How many stacks of layers there are.
    pub(super) fn stacks(&self) -> usize {
        match self.head {
            NnueHead::Plain => 1,
            NnueHead::Products { stacks, .. } => stacks.count(),
        }
    }

    /// Bytes in the file behind the hidden units' weights.
    pub(super) fn bytes_of_layers(&self) -> u64 {
        let stack: usize =
            (0..3).map(|layer| self.layer_outputs()[layer] * (4 + in_file(self.layer_inputs()[layer]))).sum();
        let progress = match self.head {
            NnueHead::Products { stacks, .. } if stacks.by_progress() => 8 + 4 * GameProgress::WEIGHTS,
            _ => 0,
        };
        progress as u64 + self.stacks() as u64 * (4 + stack) as u64
    }

    /// Bytes in the file of the hidden units' weights where they are not compressed.
    pub(super) fn bytes_of_units(&self) -> u64 {
        4 + 2 * self.width as u64 * (1 + self.features.inputs() as u64)
    }

    fn is_possible(&self) -> bool {
        (1..=MOST_UNITS).contains(&self.width)
            && self.width.is_multiple_of(UNIT_STEP)
            && self.hidden.iter().all(|units| (1..=MOST_HIDDEN).contains(units))
            && match self.head {
                NnueHead::Plain => true,
                NnueHead::Products { split, .. } => {
                    matches!(self.hidden[0] % 8, 0 | 7) && split.is_none_or(|split| split.fits(self))
                }
            }
    }

    /// The architecture of a file whose weights are not compressed: `size` bytes behind the header.
    pub(super) fn of_plain(description: &str, size: u64) -> Option<Architecture> {
        let fits = |architecture: &Architecture| {
            architecture.is_possible()
                && architecture.bytes_of_units() + architecture.bytes_of_layers() == size
        };
        let plain = |features, width, hidden| Architecture { features, width, hidden, head: NnueHead::Plain };
        // "[32<-512]": the outermost layer comes first.
        let layers: Vec<(usize, usize)> = bracketed(description)
            .filter_map(|text| text.split_once("<-"))
            .filter_map(|(outputs, inputs)| Some((outputs.parse().ok()?, inputs.parse().ok()?)))
            .collect();
        let described = FEATURE_SETS.iter().filter_map(|features| match layers[..] {
            [(1, last), (second, first), (_, inputs)] if last == second => {
                Some(plain(features, inputs / 2, [first, second]))
            }
            _ => None,
        });
        let usual = FEATURE_SETS.iter().flat_map(|features| {
            (1..=128).flat_map(move |step| {
                USUAL.into_iter().map(move |hidden| plain(features, step * UNIT_STEP, hidden))
            })
        });
        described.chain(usual).find(fits)
    }

    /// The architecture of a file whose weights are compressed, which gives the numbers of hidden
    /// units and of inputs; `size` bytes come behind them.
    pub(super) fn of_products(
        description: &str,
        width: usize,
        inputs: usize,
        size: u64,
    ) -> Option<Architecture> {
        let features = FEATURE_SETS.iter().find(|features| features.inputs() == inputs)?;
        let of = |hidden, stacks, split| Architecture {
            features,
            width,
            hidden,
            head: NnueHead::Products { stacks, split },
        };
        let fits = |architecture: &Architecture| {
            architecture.is_possible() && architecture.bytes_of_layers() == size
        };
        if let Some((hidden, stacks, split)) = name(description) {
            let named = of(hidden, stacks, split);
            if fits(&named) {
                return Some(named);
            }
        }
        USUAL_BEHIND_PRODUCTS.into_iter().find_map(|hidden| {
            let one = of(hidden, Stacks::default(), None);
            let stacks = Stacks::counted(usize::try_from(size / one.bytes_of_layers()).ok()?)?;
            Some(of(hidden, stacks, None)).filter(fits)
        })
    }
}

impl Split {
    fn fits(&self, architecture: &Architecture) -> bool {
        self.groups > 0
            && self.common + self.part * self.groups == architecture.width
            && architecture.layer_outputs()[0].is_multiple_of(self.groups)
    }

    /// Whether an output of the first layer sees a product.
    pub(super) fn sees(&self, outputs: usize, output: usize, product: usize) -> bool {
        let group = output * self.groups / outputs;
        let begin = self.common + group * self.part;
        product < self.common || (begin..begin + self.part).contains(&product)
    }
}

/// Inputs of a layer as files hold them.
pub(super) fn in_file(inputs: usize) -> usize {
    inputs.next_multiple_of(LAYER_STEP)
}

/// The texts between innermost square brackets.
fn bracketed(text: &str) -> impl Iterator<Item = &str> {
    text.split('[').skip(1).filter_map(|text| text.split(']').next())
}

/// Layers and stacks by a network's name, as in `Network=SFNN_HALFKA2_1024_7_64_K3K3{LayerStack=9}`.
fn name(description: &str) -> Option<([usize; 2], Stacks, Option<Split>)> {
    let name =
        description.split_once("Network=")?.1.split('{').next()?.to_ascii_uppercase().replace('-', "_");
    if name == "SFNN_1536" {
        return Some(([15, 32], Stacks::named(&["K3K3"])?, None));
    }
    let words: Vec<&str> = name.split('_').collect();
    let [_, _, _, first, second, rest @ ..] = &words[..] else { return None };
    let hidden = [first.parse().ok()?, second.parse().ok()?];
    let (split, rest) = match rest {
        [common, part, rest @ ..] if common.strip_prefix('C').is_some_and(|c| c.parse::<usize>().is_ok()) => {
            let (part, groups) = part.strip_prefix('S')?.split_once('X')?;
            let common = common.strip_prefix('C')?.parse().ok()?;
            (Some(Split { common, part: part.parse().ok()?, groups: groups.parse().ok()? }), rest)
        }
        rest => (None, rest),
    };
    Some((hidden, Stacks::named(rest)?, split))
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Architecture { features, width, hidden: [first, second], head } = self;
        match head {
            NnueHead::Plain => write!(f, "{} {width}x2-{first}-{second}", features.name),
            NnueHead::Products { stacks, .. } => {
                write!(f, "SFNN {} {width}-{first}-{second} with {} stacks", features.name, stacks.count())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESCRIBED: &str = "Features=HalfKP(Friend)[125388->256x2],Network=AffineTransform[1<-32](ClippedReLU[32]\
                             (AffineTransform[32<-32](ClippedReLU[32](AffineTransform[32<-512](InputSlice[512(0:512)])))))";

    fn plain(name: &str, width: usize, hidden: [usize; 2]) -> Architecture {
        let features = FEATURE_SETS.iter().find(|set| set.name == name).unwrap();
        Architecture { features, width, hidden, head: NnueHead::Plain }
    }

    fn size(architecture: &Architecture) -> u64 {
        architecture.bytes_of_units() + architecture.bytes_of_layers()
    }

    #[test]
    fn the_standard_network_has_its_well_known_size() {
        let standard = plain("HalfKP", 256, [32, 32]);
        // The header is 12 bytes and, in files of 2018 to 2025, this description.
        assert_eq!(12 + DESCRIBED.len() as u64 + size(&standard), 64_217_066);
        assert_eq!(standard.to_string(), "HalfKP 256x2-32-32");
    }

    #[test]
    fn the_description_tells_the_layers_if_the_size_agrees() {
        let odd = plain("HalfKP", 256, [48, 24]);
        let described = "Features=HalfKP(Friend)[125388->256x2],Network=AffineTransform[1<-24](ClippedReLU[24]\
                         (AffineTransform[24<-48](ClippedReLU[48](AffineTransformSparseInput[48<-512](InputSlice[512(0:512)])))))";
        assert_eq!(Architecture::of_plain(described, size(&odd)), Some(odd));
        assert_eq!(Architecture::of_plain("", size(&odd)), None);
        assert_eq!(Architecture::of_plain(described, size(&odd) + 1), None);
    }

    #[test]
    fn usual_shapes_are_recognised_by_the_size_alone() {
        for features in &FEATURE_SETS {
            for (width, hidden) in
                [(256, [32, 32]), (512, [16, 32]), (1024, [8, 32]), (1024, [8, 64]), (768, [16, 64])]
            {
                let expected = plain(features.name, width, hidden);
                for description in ["", DESCRIBED] {
                    assert_eq!(Architecture::of_plain(description, size(&expected)), Some(expected));
                }
            }
        }
    }

    #[test]
    fn stacks_are_recognised_by_name_or_else_by_number() {
        let of = |description: &str, bytes| Architecture::of_products(description, 1024, 131_949, bytes);
        let stack = |first: usize, second: usize, rest: usize| {
            (4 + first * (4 + 1024) + second * (4 + 32) + 4 + rest) as u64
        };
        let one = stack(8, 64, 64);
        let named = of("Network=SFNN_HALFKA2_1024_7_64_HAND4_K9K9Z{LayerStack=324}", 324 * one).unwrap();
        assert_eq!((named.hidden, named.stacks(), named.has_shortcut()), ([7, 64], 324, true));
        let split = of("Network=SFNN_halfka2_1024_7_64_c512_s64x8_k3k3{LayerStack=9}", 9 * one).unwrap();
        let expected = Some(Split { common: 512, part: 64, groups: 8 });
        assert!(matches!(split.head, NnueHead::Products { split, .. } if split == expected));
        assert_eq!(of("whatever", 81 * one).unwrap().stacks(), 81);
        assert_eq!(of("whatever", 82 * one), None);
        let standard = of("Network=SFNN-1536{LayerStack=9}", 9 * stack(16, 32, 32)).unwrap();
        assert_eq!((standard.hidden, standard.stacks()), ([15, 32], 9));
        assert_eq!(Architecture::of_products("", 1024, 131_950, 9 * one), None);
    }

    #[test]
    fn outputs_of_a_split_layer_see_the_common_products_and_their_part() {
        let split = Split { common: 64, part: 32, groups: 4 };
        let seen = |output| (0..192).filter(|&product| split.sees(8, output, product)).collect::<Vec<_>>();
        assert_eq!(seen(0), (0..96).collect::<Vec<_>>());
        assert_eq!(seen(5), (0..64).chain(128..160).collect::<Vec<_>>());
    }
}
