//! The bytes of a line as text.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::borrow::Cow;

/// Reads UTF-8. Other bytes are text in the code page of the system on Windows, where GUIs write paths in it (Shift_JIS
/// in Japan); bytes that are neither become the replacement character.
pub fn decode(line: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        #[cfg(windows)]
        Err(_) => code_page(line).map_or_else(|| String::from_utf8_lossy(line), Cow::Owned),
        #[cfg(not(windows))]
        Err(_) => String::from_utf8_lossy(line),
    }
}

/// Text in the code page of the system; `None` if it is none.
#[cfg(windows)]
fn code_page(line: &[u8]) -> Option<String> {
    use windows_sys::Win32::Globalization::{CP_ACP, MB_ERR_INVALID_CHARS, MultiByteToWideChar};
    let length = i32::try_from(line.len()).ok()?;
    // No byte becomes more than one unit.
    let mut wide = vec![0_u16; line.len()];
    // SAFETY: both pieces of memory are as long as `length` says.
    let units = unsafe {
        MultiByteToWideChar(CP_ACP, MB_ERR_INVALID_CHARS, line.as_ptr(), length, wide.as_mut_ptr(), length)
    };
    let units = usize::try_from(units).ok().filter(|&units| units > 0)?;
    String::from_utf16(wide.get(..units)?).ok()
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn utf_8_is_read_as_it_is() {
        assert_eq!(decode("評価関数".as_bytes()), "評価関数");
        assert_eq!(decode(b""), "");
    }

    #[cfg(not(windows))]
    #[test]
    fn other_bytes_are_replaced() {
        assert_eq!(decode(b"set\xffoption"), "set\u{fffd}option");
    }
}
