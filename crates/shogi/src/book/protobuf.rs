//! The part of the encoding of Protocol Buffers that books need.
//!
//! Format: <https://protobuf.dev/programming-guides/encoding/>.

use kaeshi_core::game::GameError;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtobufField<'a> {
    /// An integer, or what stands for one.
    Number(u64),
    /// A text or another message.
    Bytes(&'a [u8]),
    /// Eight or four bytes, which no field of a book has.
    Other,
}

/// The fields of a message: number and value. They end with the first that is wrong.
pub struct ProtobufFields<'a> {
    rest: &'a [u8],
}

impl<'a> ProtobufFields<'a> {
    /// The fields of this message.
    pub fn of(bytes: &'a [u8]) -> ProtobufFields<'a> {
        ProtobufFields { rest: bytes }
    }

    fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn bytes(&mut self, length: u64) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(usize::try_from(length).ok()?)?;
        self.rest = rest;
        Some(bytes)
    }

    fn field(&mut self) -> Option<(u64, ProtobufField<'a>)> {
        let tag = self.number()?;
        let value = match tag & 7 {
            0 => ProtobufField::Number(self.number()?),
            1 => self.bytes(8).map(|_| ProtobufField::Other)?,
            2 => {
                let length = self.number()?;
                ProtobufField::Bytes(self.bytes(length)?)
            }
            5 => self.bytes(4).map(|_| ProtobufField::Other)?,
            _ => return None,
        };
        Some((tag >> 3, value))
    }
}

impl<'a> Iterator for ProtobufFields<'a> {
    type Item = Result<(u64, ProtobufField<'a>), GameError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.rest = &[];
        }
        Some(field.ok_or_else(|| GameError::file("this is no message of Protocol Buffers, or it is cut off")))
    }
}

/// A message to be written.
#[derive(Debug, Default)]
pub struct ProtobufMessage(Vec<u8>);

impl ProtobufMessage {
    /// Adds an integer.
    pub fn number(&mut self, field: u64, value: u64) {
        self.put(field << 3);
        self.put(value);
    }

    /// Adds a text or another message.
    pub fn bytes(&mut self, field: u64, value: &[u8]) {
        self.put(field << 3 | 2);
        self.put(value.len() as u64);
        self.0.extend(value);
    }

    /// Its encoding.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    fn put(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut message = ProtobufMessage::default();
        message.number(1, 0);
        message.number(2, u64::MAX);
        message.bytes(300, b"text");
        let fields: Vec<_> = ProtobufFields::of(message.as_bytes()).map(Result::unwrap).collect();
        let wanted = [
            (1, ProtobufField::Number(0)),
            (2, ProtobufField::Number(u64::MAX)),
            (300, ProtobufField::Bytes(b"text")),
        ];
        assert_eq!(fields, wanted);
    }

    #[test]
    fn what_is_cut_off_is_refused_once() {
        for bytes in [&[0x08][..], &[0x12, 5, 1], &[0xff; 11], &[0x0b], &[0x09, 1, 2]] {
            let fields: Vec<_> = ProtobufFields::of(bytes).collect();
            assert!(matches!(&fields[..], [Err(_)]), "{bytes:?}");
        }
    }
}
