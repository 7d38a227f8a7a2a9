//! Products of 128 bits.

/// The lower and the higher half of a product.
#[inline(always)]
pub fn halves_of_product(a: u64, b: u64) -> [u64; 2] {
    if cfg!(target_arch = "wasm32") {
        // On WebAssembly a product of 128 bits is a function call.
        return [a.wrapping_mul(b), higher_half(a, b)];
    }
    let product = u128::from(a) * u128::from(b);
    [product as u64, (product >> 64) as u64]
}

/// By products of 64 bits.
#[inline(always)]
fn higher_half(a: u64, b: u64) -> u64 {
    const LOW: u64 = 0xffff_ffff;
    let low = (a & LOW) * (b & LOW);
    let middle = (a >> 32) * (b & LOW) + (low >> 32);
    let other = (a & LOW) * (b >> 32) + (middle & LOW);
    (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    #[test]
    fn halves_are_those_of_the_product() {
        let mut random = SplitMix::new(1);
        let edges = [0, 1, 0xffff_ffff, 1 << 32, u64::MAX - 1, u64::MAX];
        let drawn: Vec<u64> = (0..200).map(|_| random.draw()).chain(edges).collect();
        for &a in &drawn {
            for &b in &drawn {
                let product = u128::from(a) * u128::from(b);
                assert_eq!(halves_of_product(a, b), [product as u64, (product >> 64) as u64]);
                assert_eq!(higher_half(a, b), (product >> 64) as u64, "{a} {b}");
            }
        }
    }
}
