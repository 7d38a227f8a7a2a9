//! Refused values of the command line, with reasons that name the values that would be right.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// `error` in plain words, where its reason is one of the standard library's or of clap's.
pub(crate) fn explained(error: clap::Error) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let refused = (text(ContextKind::InvalidArg), text(ContextKind::InvalidValue), error.source());
    let (ErrorKind::ValueValidation, (Some(option), Some(value), Some(source))) = (error.kind(), refused)
    else {
        return error;
    };
    match plain(value, &source.to_string()) {
        Some(reason) => clap::Error::raw(
            ErrorKind::ValueValidation,
            format!(
                "invalid value '{value}' for '{option}': {reason}\n\nFor more information, try '--help'.\n"
            ),
        ),
        None => error,
    }
}

/// The reason in plain words for a refused value.
fn plain(value: &str, reason: &str) -> Option<String> {
    let said = match reason {
        "invalid digit found in string" if value.starts_with('-') => "it must not be negative",
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "a whole number is expected"
        }
        "invalid float literal" | "cannot parse float from empty string" => "a number is expected",
        "number too large to fit in target type" => "the number is too large",
        "number too small to fit in target type" => "the number is too small",
        _ => return outside(reason.strip_prefix(value)?.strip_prefix(" is not in ")?),
    };
    Some(said.to_owned())
}

/// The reason for a value outside a range such as `1..=9` or `1..18446744073709551615`.
fn outside(range: &str) -> Option<String> {
    let (least, most) = range.split_once("..")?;
    Some(match most.strip_prefix('=') {
        Some(most) => format!("it must be from {least} to {most}"),
        // Only ranges without an upper bound are printed with an exclusive one.
        None => format!("it must be at least {least}"),
    })
}

#[cfg(test)]
mod tests {
    use crate::cli::Cli;

    #[test]
    fn refusals_say_what_would_be_right() {
        for (line, reason) in [
            ("selfplay --out x --games abc", "'--games <GAMES>': a whole number is expected"),
            ("selfplay --out x --games=", "'--games <GAMES>': a whole number is expected"),
            ("match a b --games -1", "'--games <GAMES>': it must not be negative"),
            ("analyse --jobs 99999999999999999999", "'--jobs <N>': the number is too large"),
            ("analyse --depth 0", "'--depth <N>': it must be from 1 to 65535"),
            ("csa --games 0", "'--games <GAMES>': it must be at least 1"),
            ("train --game shogi x --out y --rate abc", "'--rate <RATE>': a number is expected"),
        ] {
            let words = ["kaeshi"].into_iter().chain(line.split(' ')).map(Into::into);
            let said = Cli::read(words).expect_err(line).to_string();
            assert!(said.starts_with("error: invalid value '") && said.contains(reason), "{line}: {said}");
            assert!(said.ends_with("\n\nFor more information, try '--help'.\n"), "{said:?}");
        }
    }
}
