//! CRC-32C (Castagnoli), the checksum of journals. Files of weights and games have CRC-32 by the crate
//! `crc32fast`, which has no other polynomial.

/// The reversed polynomial of RFC 3720.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// The checksums of single bytes.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = value >> 1 ^ if value & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

/// The checksum of some bytes.
pub fn crc32c(bytes: &[u8]) -> u32 {
    crc32c_append(0, bytes)
}

/// The checksum of some bytes behind others, whose checksum is `before`.
pub fn crc32c_append(before: u32, bytes: &[u8]) -> u32 {
    let step = |value: u32, &byte: &u8| TABLE[usize::from(value as u8 ^ byte)] ^ value >> 8;
    !bytes.iter().fold(!before, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another checksum would refuse the journals of every version.
    #[test]
    fn the_checksum_is_that_of_rfc_3720() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c_append(crc32c(b"1234"), b"56789"), crc32c(b"123456789"));
        assert_eq!(crc32c(b""), 0);
    }
}
