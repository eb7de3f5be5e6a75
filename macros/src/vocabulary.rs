//! The values of vocabularies by their spelling, and suggestions for misspelled ones.

use std::fmt::Write as _;

pub(crate) use mpit_vocabulary::{Bind, Class, Datatype, Scope, Verbosity, Vocabulary, published_as};

/// The times until which a control variable can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settable {
    Always,
    BeforeInit,
}

impl Vocabulary for Settable {
    const KIND: &'static str = "deadline";
    const PREFIX: &'static str = "";
    const C_PREFIX: &'static str = "";
    const VALUES: &'static [Self] = &[Self::Always, Self::BeforeInit];

    fn spelling(self) -> &'static str {
        self.variant()
    }

    fn variant(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::BeforeInit => "before_init",
        }
    }
}

/// Returns the value with a spelling, or a message with suggestions.
pub(crate) fn find<W: Vocabulary>(text: &str) -> Result<W, String> {
    if let Some(word) = W::VALUES.iter().copied().find(|word| word.spelling() == text) {
        return Ok(word);
    }
    let words: Vec<&str> = W::VALUES.iter().map(|word| word.spelling()).collect();
    // `MPI_T_BIND_MPI_COMM` is the only name in the standard with two prefixes.
    let bare = text.strip_prefix(W::PREFIX).unwrap_or(text);
    let bare = bare.strip_prefix("MPI_").unwrap_or(bare);
    Err(unknown(W::KIND, text, bare, &words))
}

/// Returns a message such as "unknown pvar class `SIZES`, did you mean `SIZE`?", with the list of all values.
pub(crate) fn unknown(what: &str, text: &str, bare: &str, words: &[&str]) -> String {
    let mut message = format!("unknown {what} `{text}`");
    if let Some(near) = nearest(bare, words) {
        _ = write!(message, ", did you mean `{near}`?");
    }
    _ = write!(message, "\nexpected one of {}", listed(words));
    message
}

/// Returns the values between backticks, with commas.
pub(crate) fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the spellings of values as [`listed`] does.
pub(crate) fn spellings<'a, W: Vocabulary>(words: impl IntoIterator<Item = &'a W>) -> String {
    listed(&words.into_iter().map(|word| word.spelling()).collect::<Vec<_>>())
}

/// Returns the value that is most similar to a text, if one is similar enough.
pub(crate) fn nearest<'a>(text: &str, words: &[&'a str]) -> Option<&'a str> {
    let folded = text.to_lowercase().replace('-', "_");
    let tolerated = 1 + folded.chars().count() / 3;
    words
        .iter()
        .map(|word| (mpit_vocabulary::distance(&folded, &word.to_lowercase()), *word))
        .filter(|(distance, _)| *distance <= tolerated)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::{Class, Scope, find};

    /// Further cases, with whole messages: `tests/ui/unknown_class.rs` and `tests/ui/invalid_words.rs`.
    #[test]
    fn the_nearest_word_is_suggested() {
        for (message, expected) in [
            (find::<Class>("COUTNER").unwrap_err(), "unknown pvar class `COUTNER`, did you mean `COUNTER`?"),
            (find::<Scope>("GROUP-EQ").unwrap_err(), "unknown scope `GROUP-EQ`, did you mean `GROUP_EQ`?"),
        ] {
            assert_eq!(message.lines().next(), Some(expected));
        }
    }
}
