//! Positions and moves turned round: Black's as if they were White's.

fn swapped(c: char) -> char {
    if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
}

/// Board, side and hands of an SFEN with the colours exchanged.
pub fn position(key: &str) -> String {
    let mut words = key.split_ascii_whitespace();
    let (board, side, hands) = (words.next(), words.next(), words.next());
    let mut text = String::with_capacity(key.len());
    for c in board.unwrap_or_default().chars().rev() {
        // Read backwards, the sign of promotion comes behind its letter.
        match c {
            '+' => text.insert(text.len().saturating_sub(1), '+'),
            c => text.push(swapped(c)),
        }
    }
    text.push_str(if side == Some("b") { " w " } else { " b " });
    // Black's pieces come first.
    let (mut black, mut white, mut count) = (String::new(), String::new(), String::new());
    for c in hands.unwrap_or_default().chars() {
        if c.is_ascii_digit() {
            count.push(c);
            continue;
        }
        let turned = swapped(c);
        let hand = if turned.is_ascii_uppercase() { &mut black } else { &mut white };
        hand.push_str(&count);
        hand.push(turned);
        count.clear();
    }
    text + &black + &white
}

/// A move from the other side of the board.
pub fn turn(text: &str) -> String {
    let turned = |c: char| match c {
        '1'..='9' => char::from(b'1' + b'9' - c as u8),
        'a'..='i' => char::from(b'a' + b'i' - c as u8),
        other => other,
    };
    text.chars().map(turned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_turned_is_as_before() {
        for key in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -",
            "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w 12P6p",
        ] {
            assert_eq!(position(&position(key)), key);
            assert_ne!(position(key), key);
        }
        assert_eq!(position("4k4/9/9/9/9/9/+P8/9/4K4 b R2p"), "4k4/9/8+p/9/9/9/9/9/4K4 w 2Pr");
        assert_eq!(["7g7f", "P*5e", "8h2b+"].map(turn), ["3c3d", "P*5e", "2b8h+"]);
    }
}
