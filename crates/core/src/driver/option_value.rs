//! Options that are applied, and the digests of files that their values name.

use crate::files;
use crate::game::GameError;
use crate::game::options::OptionSpec;

/// Applies `value` to `settings`. Returns it with the digest of each file that was read for it: results belong to
/// what a file holds. `None` for the default, which is the same whether it is set or not.
///
/// # Errors
/// Why it does not fit; then nothing is changed.
pub fn apply_option<S>(
    spec: &OptionSpec<S>,
    settings: &mut S,
    value: &str,
) -> Result<Option<String>, GameError> {
    let (applied, digests) = files::digested(|| spec.apply(settings, value));
    applied?;
    let with_digests =
        || digests.iter().fold(value.trim().to_owned(), |value, digest| format!("{value} {digest}"));
    Ok((!spec.line.kind.is_default(value)).then(with_digests))
}
