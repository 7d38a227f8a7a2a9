//! Fields of JSON from untrusted senders.

/// For optional fields of JSON: `null` is as if the field were absent.
///
/// # Errors
/// Any other value that does not fit.
pub fn or_null<'de, D: serde::Deserializer<'de>, T: serde::Deserialize<'de> + Default>(
    value: D,
) -> Result<T, D::Error> {
    Ok(<Option<T> as serde::Deserialize>::deserialize(value)?.unwrap_or_default())
}
