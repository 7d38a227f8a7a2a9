//! Turns of Sygo in the letters of GTP, whose columns are A to T without I.
//!
//! Only the letters of columns differ: `+d4,k9@s3` is `+D4,L9@T3`.

use kaeshi_core::game::{GameError, PASS};

/// A turn as GTP spells it.
pub fn spelled(turn: &str) -> String {
    if turn == PASS {
        return turn.to_owned();
    }
    let shift = |letter: char| match letter {
        'i'..='s' => char::from_u32(u32::from(letter) + 1).unwrap_or(letter),
        other => other,
    };
    turn.chars().map(shift).collect::<String>().to_ascii_uppercase()
}

/// The turn that GTP spells so; whether it is one is for the game to say.
///
/// # Errors
/// If a column is called I.
pub fn turn_of(text: &str) -> Result<String, GameError> {
    let text = text.to_ascii_lowercase();
    if text == PASS {
        return Ok(text);
    }
    let shift = |letter: char| match letter {
        'i' => Err(GameError::turn("GTP has no column I: the ninth one is J")),
        'j'..='t' => Ok(char::from_u32(u32::from(letter) - 1).unwrap_or(letter)),
        // `t` is the column behind the last one.
        'u'..='z' => Ok('t'),
        other => Ok(other),
    };
    text.chars().map(shift).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_column_i() {
        for (turn, text) in [("c3", "C3"), ("h1", "H1"), ("i9", "J9"), ("s19", "T19"), ("pass", "pass")] {
            assert_eq!(spelled(turn), text);
            assert_eq!(turn_of(text), Ok(turn.to_owned()));
        }
        assert_eq!(spelled("+d4,k9@s3"), "+D4,L9@T3");
        assert_eq!(turn_of("+d4,l9@t3"), Ok("+d4,k9@s3".to_owned()));
        assert_eq!(turn_of("PASS"), Ok("pass".to_owned()));
        assert!(turn_of("i3").is_err());
        // These name no point: the game refuses column t.
        assert_eq!(turn_of("u3"), Ok("t3".to_owned()));
    }
}
