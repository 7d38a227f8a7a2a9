//! A struct whose fields are numbers, as numbers by their names and back; and the lines `name = number` of a file.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{Error, MapDeserializer};
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::ser::{Impossible, SerializeStruct};
use serde::{Serialize, Serializer, forward_to_deserialize_any};

/// A parameter's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Whole(i64),
    Real(f64),
}

impl Number {
    pub(super) fn as_real(self) -> f64 {
        match self {
            Number::Whole(value) => value as f64,
            Number::Real(value) => value,
        }
    }

    /// A decimal number, or a whole one in hexadecimal, octal or binary digits; `_` may stand between digits.
    fn parse(text: &str) -> Option<Number> {
        let text = text.replace('_', "");
        let digits = |prefix, radix| i64::from_str_radix(text.strip_prefix(prefix)?, radix).ok();
        let whole =
            [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find_map(|(prefix, radix)| digits(prefix, radix));
        whole.or_else(|| text.parse().ok()).map(Number::Whole).or_else(|| text.parse().ok().map(Number::Real))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Whole(value) => write!(f, "{value}"),
            Number::Real(value) => write!(f, "{value:?}"),
        }
    }
}

/// The fields of a struct of numbers.
///
/// # Panics
/// A field is no number.
pub(super) fn numbers(parameters: &impl Serialize) -> BTreeMap<&'static str, Number> {
    match parameters.serialize(Reader) {
        Ok(Found::Struct(fields)) => fields,
        _ => panic!("parameters are a struct of numbers"),
    }
}

/// A struct of these fields.
///
/// # Errors
/// The struct has no such field, or one of another type.
pub(super) fn from_numbers<Name, T>(numbers: impl IntoIterator<Item = (Name, Number)>) -> Result<T, Error>
where
    Name: IntoDeserializer<'static, Error>,
    T: DeserializeOwned,
{
    T::deserialize(MapDeserializer::new(numbers.into_iter()))
}

/// The lines `name = number` of a text, without comments, which begin with `#`.
///
/// # Errors
/// The first other line.
pub(super) fn read_numbers(text: &str) -> Result<Vec<(String, Number)>, String> {
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let bare = line.split('#').next().unwrap_or_default().trim();
        if bare.is_empty() {
            continue;
        }
        let read = bare.split_once('=').and_then(|(name, value)| {
            let name = name.trim().trim_matches(['"', '\'']);
            Some((name.to_owned(), Number::parse(value.trim())?))
        });
        found.push(read.ok_or_else(|| {
            format!("line {number}: '{}' is not NAME = NUMBER", line.trim().escape_debug())
        })?);
    }
    Ok(found)
}

impl<'de> IntoDeserializer<'de, Error> for Number {
    type Deserializer = Number;

    fn into_deserializer(self) -> Number {
        self
    }
}

impl<'de> Deserializer<'de> for Number {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Number::Whole(value) => visitor.visit_i64(value),
            Number::Real(value) => visitor.visit_f64(value),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A value that [`Reader`] read.
enum Found {
    Number(Number),
    Struct(BTreeMap<&'static str, Number>),
}

fn no_number() -> Error {
    serde::ser::Error::custom("this is no number")
}

fn whole(value: impl TryInto<i64>) -> Result<Found, Error> {
    value.try_into().map(|value| Found::Number(Number::Whole(value))).map_err(|_| no_number())
}

/// The fields that were read so far.
#[derive(Default)]
struct Fields(BTreeMap<&'static str, Number>);

impl SerializeStruct for Fields {
    type Ok = Found;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        let Found::Number(number) = value.serialize(Reader)? else { return Err(no_number()) };
        self.0.insert(name, number);
        Ok(())
    }

    fn end(self) -> Result<Found, Error> {
        Ok(Found::Struct(self.0))
    }
}

/// Reads a number, or a struct of numbers.
struct Reader;

impl Serializer for Reader {
    type Ok = Found;
    type Error = Error;
    type SerializeSeq = Impossible<Found, Error>;
    type SerializeTuple = Impossible<Found, Error>;
    type SerializeTupleStruct = Impossible<Found, Error>;
    type SerializeTupleVariant = Impossible<Found, Error>;
    type SerializeMap = Impossible<Found, Error>;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Impossible<Found, Error>;

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields, Error> {
        Ok(Fields::default())
    }
    fn serialize_i8(self, value: i8) -> Result<Found, Error> {
        whole(value)
    }
    fn serialize_i16(self, value: i16) -> Result<Found, Error> {
        whole(value)
    }
    fn serialize_i32(self, value: i32) -> Result<Found, Error> {
        whole(value)
    }
    fn serialize_i64(self, value: i64) -> Result<Found, Error> {
        whole(value)
    }
    fn serialize_u8(self, value: u8) -> Result<Found, Error> {
        whole(value)
    }
    fn serialize_u16(self, value: u16) -> Result<Found, Error> {
        whole(value)
    }
    fn serialize_u32(self, value: u32) -> Result<Found, Error> {
        whole(value)
    }
    fn serialize_u64(self, value: u64) -> Result<Found, Error> {
        whole(value)
    }
    fn serialize_f32(self, value: f32) -> Result<Found, Error> {
        Ok(Found::Number(Number::Real(value.into())))
    }
    fn serialize_f64(self, value: f64) -> Result<Found, Error> {
        Ok(Found::Number(Number::Real(value)))
    }
    fn serialize_bool(self, _: bool) -> Result<Found, Error> {
        Err(no_number())
    }
    fn serialize_char(self, _: char) -> Result<Found, Error> {
        Err(no_number())
    }
    fn serialize_str(self, _: &str) -> Result<Found, Error> {
        Err(no_number())
    }
    fn serialize_bytes(self, _: &[u8]) -> Result<Found, Error> {
        Err(no_number())
    }
    fn serialize_none(self) -> Result<Found, Error> {
        Err(no_number())
    }
    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<Found, Error> {
        Err(no_number())
    }
    fn serialize_unit(self) -> Result<Found, Error> {
        Err(no_number())
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<Found, Error> {
        Err(no_number())
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<Found, Error> {
        Err(no_number())
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Found, Error> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Found, Error> {
        Err(no_number())
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        Err(no_number())
    }
    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        Err(no_number())
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Error> {
        Err(no_number())
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        Err(no_number())
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        Err(no_number())
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        Err(no_number())
    }
}
