//! A link as a QR code for the terminal.

use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};

/// Black on white, whatever the colours of the terminal are: cameras read it best.
const BEGIN: &str = "\x1b[30;47m";
const END: &str = "\x1b[0m";

/// The code in lines, each with its line end; empty for a link that is too long for one.
pub fn drawn(link: &str) -> String {
    let Ok(code) = QrCode::with_error_correction_level(link, EcLevel::L) else { return String::new() };
    let text = code.render::<Dense1x2>().quiet_zone(true).build();
    text.lines().map(|line| format!("{BEGIN}{line}{END}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_square_of_half_blocks() {
        let text = drawn("http://192.168.178.20:4390/?token=0123456789abcdef0123456789abcdef");
        let lines: Vec<&str> =
            text.lines().map(|line| line.trim_start_matches(BEGIN).trim_end_matches(END)).collect();
        let width = lines[0].chars().count();
        // 33 modules (version 4) and 4 of quiet zone on each side; a line has two rows.
        assert_eq!((width, lines.len()), (41, 21), "{text}");
        assert!(lines.iter().all(|line| line.chars().count() == width));
        assert_eq!(lines[2].trim_start().chars().next(), Some('\u{2588}'), "a corner is dark: {text}");
        assert_eq!(drawn(&"x".repeat(5000)), "");
    }
}
