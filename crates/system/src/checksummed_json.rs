//! Lines of JSON that end with a checksum of themselves, `,"crc":"0123abcd"}`: the CRC-32C in hexadecimal of all
//! bytes before it. Programs that do not know it take it for one more field.

use std::fmt::Write as _;

use crate::crc32c::crc32c;

/// The state of the checksum at the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// The line has no checksum.
    Missing,
    /// The line is another one than was written.
    Broken,
    /// The line is as it was written.
    Whole,
}

/// Puts the checksum into an object of JSON.
pub fn seal(object: &mut String) {
    object.pop();
    let crc = crc32c(object.as_bytes());
    // A string takes everything.
    let _ = write!(object, r#","crc":"{crc:08x}"}}"#);
}

/// Looks at a line without its end.
pub fn look(line: &[u8]) -> Seal {
    let body = line.len().saturating_sub(r#","crc":"01234567"}"#.len());
    let sealed = line
        .get(body..)
        .and_then(|seal| seal.strip_prefix(br#","crc":""#))
        .and_then(|seal| seal.strip_suffix(br#""}"#));
    match sealed {
        None => Seal::Missing,
        Some(digits) if digits == format!("{:08x}", crc32c(&line[..body])).as_bytes() => Seal::Whole,
        Some(_) => Seal::Broken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_breaks_the_seal() {
        let mut line = String::from(r#"{"a":1}"#);
        assert_eq!(look(line.as_bytes()), Seal::Missing);
        seal(&mut line);
        assert_eq!(look(line.as_bytes()), Seal::Whole);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&line).unwrap()["a"], 1);
        for bit in 0..8 * line.len() {
            let mut damaged = line.clone().into_bytes();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(look(&damaged), Seal::Whole, "bit {bit}");
        }
    }
}
